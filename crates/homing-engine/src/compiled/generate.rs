//! Makes the code of a model: which functions there are, and what they are shared by.

use std::collections::HashMap;

use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, Type, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use homing_core::StopToken;
use homing_ir::{Action, Location, Model, ProctypeId, Resets, StatementId, Transition};

use super::chain::{Chain, is_seen_inside};
use super::channels::Channels;
use super::code::{ChainCode, Guards, LocationCode, MOST_TRANSITIONS, TransitionCode};
use super::context::Context;
use super::helpers;
use super::log::ROOM;
use super::rendezvous::{Known, Meets};
use super::statement::{is_always_executable, is_else, only_moves};
use super::touches::{Things, Touches};
use super::translate::{FAULT, Translated, Translator, Unsupported};
use crate::layout::Layout;

/// Functions that are the same wherever they are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shared {
    /// A statement that only moves its process.
    Move {
        target: u32,
    },
    Chain {
        proctype: ProctypeId,
        statement: StatementId,
        target: u32,
        resets: Resets,
        side: Side,
        chained: bool,
    },
    Offer {
        proctype: ProctypeId,
        statement: StatementId,
    },
    /// The process type and what it forgets, if it does.
    Depart {
        target: u32,
        resets: Option<(ProctypeId, Resets)>,
    },
}

/// How a transition is taken: by itself, or as the receiver of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Effect,
    Accept,
}

pub struct Generator<'m> {
    model: &'m Model,
    layout: &'m Layout,
    stop: &'m StopToken,
    channels: Channels,
    things: Things,
    pub module: JITModule,
    /// The function under way; used again for the next.
    context: cranelift_codegen::Context,
    scratch: FunctionBuilderContext,
    signature: Signature,
    helpers: [FuncId; HELPERS],
    pointer: Type,
    shared: HashMap<Shared, Option<FuncId>>,
    /// Statements may be executed together.
    chains: bool,
    pub locations: Vec<LocationCode<FuncId>>,
    pub transitions: Vec<TransitionCode<FuncId>>,
}

/// How many helpers there are.
pub const HELPERS: usize = 11;

/// The names of the helpers, their addresses, how many numbers they take behind the context (or one address), and whether
/// they answer. In the order of [`super::translate::Helper`].
fn helper_table() -> [(&'static str, *const u8, Option<usize>, bool); HELPERS] {
    [
        ("can_send", helpers::can_send as *const u8, Some(1), true),
        ("send", helpers::send as *const u8, Some(3), false),
        ("find_message", helpers::find_message as *const u8, Some(4), true),
        ("load_message", helpers::load_message as *const u8, Some(3), false),
        ("remove_message", helpers::remove_message as *const u8, Some(2), false),
        ("length", helpers::length as *const u8, Some(1), true),
        ("is_full", helpers::is_full as *const u8, Some(1), true),
        ("offer", helpers::offer as *const u8, Some(2), true),
        ("eval", helpers::eval as *const u8, None, true),
        ("run", helpers::run as *const u8, Some(3), false),
        ("end", helpers::end as *const u8, Some(0), false),
    ]
}

impl<'m> Generator<'m> {
    pub fn new(model: &'m Model, layout: &'m Layout, stop: &'m StopToken) -> Option<Self> {
        if cfg!(target_endian = "big") {
            return None; // the bytes of a state are little-endian
        }
        let mut flags = settings::builder();
        // Optimising takes a quarter longer and gains nothing that could be measured.
        flags.set("opt_level", "none").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for (name, address, ..) in helper_table() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let pointer = module.target_config().pointer_type();
        let mut helpers = Vec::new();
        for (name, _, numbers, answers) in helper_table() {
            let mut signature = module.make_signature();
            signature.params.push(AbiParam::new(pointer));
            match numbers {
                Some(count) => signature.params.extend((0..count).map(|_| AbiParam::new(types::I32))),
                None => signature.params.push(AbiParam::new(pointer)),
            }
            if answers {
                signature.returns.push(AbiParam::new(types::I32));
            }
            helpers.push(module.declare_function(name, Linkage::Import, &signature).ok()?);
        }
        let mut signature = module.make_signature();
        signature.params.extend([pointer, pointer, types::I64].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I64));
        Some(Generator {
            model,
            layout,
            stop,
            channels: Channels::of(model, layout),
            things: Things::of(model),
            context: module.make_context(),
            module,
            signature,
            scratch: FunctionBuilderContext::new(),
            helpers: helpers.try_into().expect("one for each name"),
            pointer,
            shared: HashMap::new(),
            chains: !is_seen_inside(model),
            locations: Vec::new(),
            transitions: Vec::new(),
        })
    }

    fn known(&self) -> Known<'_> {
        Known { model: self.model, layout: self.layout, channels: &self.channels }
    }

    /// Translates a process type: the locations where one of its processes can stand between two runs of compiled code.
    pub fn proctype(&mut self, id: ProctypeId) {
        let proctype = self.model.proctype(id);
        let provided = proctype.provided.as_ref().map(|clause| {
            self.function(id, |translator| {
                let holds = translator.condition(clause)?;
                Ok(translator.builder.ins().uextend(types::I64, holds))
            })
        });
        let start = self.locations.len();
        for location in &proctype.automaton.locations {
            let mut code = self.without_code(id, location);
            code.provided = provided.and_then(Result::ok);
            self.locations.push(code);
            self.transitions.extend(location.transitions.iter().map(|taken| transition_without_code(location, *taken)));
        }
        if proctype.deterministic || provided.is_some_and(|clause| clause.is_err()) {
            return;
        }
        let mut open = vec![proctype.automaton.start];
        let mut seen = vec![false; proctype.automaton.locations.len()];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            if self.stop.is_set() {
                return;
            }
            self.location(id, start + at as usize, proctype.automaton.location(at));
            let first = self.locations[start + at as usize].first as usize;
            for (nth, transition) in proctype.automaton.location(at).transitions.iter().enumerate() {
                let code = &self.transitions[first + nth];
                open.extend(code.effect.map(|chain| chain.target));
                open.extend(code.accept.map(|chain| chain.target));
                if code.effect.is_none() || code.depart.is_some() {
                    open.push(transition.target);
                }
            }
        }
    }

    fn without_code(&self, proctype: ProctypeId, location: &Location) -> LocationCode<FuncId> {
        let automaton = &self.model.proctype(proctype).automaton;
        let actions = location.transitions.iter().map(|taken| &automaton.statement(taken.statement).action);
        LocationCode {
            guards: Guards::Interpreted,
            provided: None,
            first: self.transitions.len() as u32,
            count: location.transitions.len() as u32,
            elses: 0,
            sends: 0,
            escapes: location.transitions.iter().any(|transition| transition.escape > 0),
            receives_from: actions.fold(0, |bits, action| bits | self.known().receives_from(action)),
            listens: None,
            receivers: None,
            end: location.labels.end,
        }
    }

    /// Translates a location and its transitions.
    fn location(&mut self, proctype: ProctypeId, number: usize, location: &Location) {
        let model = self.model;
        let automaton = &model.proctype(proctype).automaton;
        let transitions = &location.transitions;
        if transitions.len() > MOST_TRANSITIONS as usize {
            return;
        }
        let mut code = self.without_code(proctype, location);
        (code.first, code.provided) = (self.locations[number].first, self.locations[number].provided);
        let action = |transition: &Transition| &automaton.statement(transition.statement).action;
        for (at, transition) in transitions.iter().enumerate() {
            let compiled = self.transition(proctype, location, *transition);
            code.elses |= u64::from(is_else(action(transition))) << at;
            code.sends |= u64::from(self.may_meet(proctype, action(transition))) << at;
            self.transitions[code.first as usize + at] = compiled;
        }
        let mut open = 0;
        for (at, transition) in transitions.iter().enumerate() {
            let is_open = is_always_executable(action(transition)) || self.always_meets(proctype, action(transition));
            open |= u64::from(is_open) << at;
        }
        // Whether an `else` is taken is a matter of the tests alone where there is no partner to look for.
        let elses = if code.apart() == 0 { code.elses } else { 0 };
        code.guards = if open.count_ones() as usize == transitions.len() {
            let first = open & open.wrapping_neg();
            Guards::Always(open & (first | !elses))
        } else {
            match self.function(proctype, |translator| translator.guards(location, open, elses)) {
                Ok(id) => Guards::Computed(id),
                Err(Unsupported) => Guards::Interpreted,
            }
        };
        if code.receives_from != 0 {
            code.receivers = self.function(proctype, |translator| translator.receivers(location)).ok();
            if code.receives_from.count_ones() > 1 {
                code.listens = self.function(proctype, |translator| translator.listens(location)).ok();
            }
        }
        let is_plain = code.provided.is_none() && !code.escapes && !matches!(code.guards, Guards::Interpreted);
        if is_plain && !model.features.last {
            for at in 0..transitions.len() {
                // An `else` depends on all that the others do, and with a rendezvous among them on what others receive.
                let is_else = code.elses & (1 << at) != 0;
                if is_else && code.sends != 0 {
                    continue;
                }
                let those = if is_else { &transitions[..] } else { &transitions[at..=at] };
                self.transitions[code.first as usize + at].touches = self.touches(proctype, location, those);
            }
        }
        self.locations[number] = code;
    }

    /// What a step touches that is one of some transitions of a location.
    fn touches(&mut self, id: ProctypeId, location: &Location, transitions: &[Transition]) -> Touches<FuncId> {
        let (chains, mut touched) = (self.chains, Touches::All);
        let computed = self.function(id, |translator| {
            let (fixed, moving) = translator.touches(location, transitions, chains)?;
            touched = if moving.is_none() { Touches::Fixed(fixed) } else { Touches::All };
            moving.ok_or(Unsupported)
        });
        computed.map_or(touched, Touches::Computed)
    }

    /// Whether an action is a send over a rendezvous channel: what it offers is looked at apart.
    fn always_meets(&self, proctype: ProctypeId, action: &Action) -> bool {
        match action {
            Action::Send { channel, .. } => self.known().meets(proctype, channel) == Meets::Always,
            _ => false,
        }
    }

    fn may_meet(&self, proctype: ProctypeId, action: &Action) -> bool {
        match action {
            Action::Send { channel, .. } => self.known().meets(proctype, channel) != Meets::Never,
            _ => false,
        }
    }

    fn transition(
        &mut self,
        proctype: ProctypeId,
        location: &Location,
        transition: Transition,
    ) -> TransitionCode<FuncId> {
        let model = self.model;
        let Transition { statement, target, resets, .. } = transition;
        let action = &model.proctype(proctype).automaton.statement(statement).action;
        let mut code = transition_without_code(location, transition);
        let mut only_meets = false;
        match action {
            Action::Send { channel, args, .. } if self.may_meet(proctype, action) => {
                let key = Shared::Offer { proctype, statement };
                code.offer = self.shared(key, proctype, |translator| translator.offer(channel, args));
                let resets = (resets != Resets::default()).then_some((proctype, resets));
                let key = Shared::Depart { target, resets };
                code.depart = self.shared(key, proctype, |translator| translator.depart(transition));
                only_meets = self.always_meets(proctype, action);
            }
            Action::Receive { args, .. } if self.known().receives_from(action) != 0 => {
                code.accept = self.chain(proctype, transition, Side::Accept, |translator| translator.accept(args));
            }
            _ => {}
        }
        if !only_meets {
            code.effect = self.chain(proctype, transition, Side::Effect, |translator| translator.effect(action));
        }
        code
    }

    /// Translates a function that takes a transition by what `first` does, and what follows it without a choice.
    fn chain(
        &mut self,
        proctype: ProctypeId,
        transition: Transition,
        side: Side,
        first: impl Fn(&mut Translator<'_, '_>) -> Translated<()>,
    ) -> Option<ChainCode<FuncId>> {
        let model = self.model;
        let Transition { statement, target, resets, .. } = transition;
        let automaton = &model.proctype(proctype).automaton;
        let action = &automaton.statement(statement).action;
        if target == 0 && !matches!(action, Action::End) {
            return None;
        }
        let mut chain = if self.chains { Chain::behind(model, proctype, transition) } else { Chain::none(transition) };
        loop {
            let chained = !chain.rest.is_empty();
            let key = match side {
                Side::Effect if !chained && only_moves(action) && resets == Resets::default() => {
                    Shared::Move { target }
                }
                _ => Shared::Chain { proctype, statement, target, resets, side, chained },
            };
            let code = self.shared(key, proctype, |translator| {
                first(translator)?;
                translator.reset(transition);
                if chained {
                    translator.end_timeout();
                }
                for next in &chain.rest {
                    translator.execute(&automaton.statement(next.statement).action)?;
                    translator.reset(*next);
                }
                Ok(translator.arrive(chain.last().target))
            });
            if let Some(code) = code {
                let Transition { target, atomic, merged, .. } = chain.last();
                return Some(ChainCode {
                    code,
                    statements: 1 + chain.rest.len() as u32,
                    rest_cost: chain.rest_cost,
                    atomic_steps: chain.atomic_steps(),
                    target,
                    atomic,
                    merged,
                });
            }
            if !chained {
                return None;
            }
            chain = Chain::none(transition);
        }
    }

    /// Translates a function unless that was done before. None if it is beyond compiled code.
    fn shared(
        &mut self,
        key: Shared,
        proctype: ProctypeId,
        body: impl FnOnce(&mut Translator<'_, '_>) -> Translated<Value>,
    ) -> Option<FuncId> {
        if let Some(known) = self.shared.get(&key) {
            return *known;
        }
        let translated = self.function(proctype, body).ok();
        self.shared.insert(key, translated);
        translated
    }

    /// Translates a function whose value `body` computes.
    fn function(
        &mut self,
        proctype: ProctypeId,
        body: impl FnOnce(&mut Translator<'_, '_>) -> Translated<Value>,
    ) -> Translated<FuncId> {
        self.module.clear_context(&mut self.context);
        self.context.func.signature = self.signature.clone();
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.scratch);
        let entry = builder.create_block();
        let faulty = builder.create_block();
        builder.set_cold_block(faulty);
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let [of_context, bytes, frame] = builder.block_params(entry)[..] else { unreachable!("three parameters") };
        let process = builder.ins().iadd(bytes, frame);
        let log = builder.declare_var(self.pointer);
        let mut translator = Translator {
            model: self.model,
            layout: self.layout,
            channels: &self.channels,
            things: &self.things,
            proctype,
            builder,
            module: &mut self.module,
            helpers: &self.helpers,
            imported: [None; HELPERS],
            pointer: self.pointer,
            context: of_context,
            bytes,
            frame,
            process,
            log,
            records: 0,
            offered: false,
            faulty,
        };
        // Two functions take part in a rendezvous, the first of which writes next to nothing.
        let fits = |records: usize| if records + 8 <= ROOM { Ok(()) } else { Err(Unsupported) };
        let result = body(&mut translator).and_then(|value| fits(translator.records).map(|()| value));
        let Ok(result) = result else {
            self.scratch = FunctionBuilderContext::new();
            return Err(Unsupported);
        };
        translator.end_log();
        translator.builder.ins().return_(&[result]);
        translator.enter(faulty);
        translator.end_log();
        let mut builder = translator.builder;
        let none = builder.ins().iconst(types::I32, 0);
        builder.ins().store(MemFlagsData::trusted(), none, of_context, std::mem::offset_of!(Context<'_>, fault) as i32);
        let fault = builder.ins().iconst(types::I64, FAULT as i64);
        builder.ins().return_(&[fault]);
        builder.finalize(self.module.target_config());
        let id = self.module.declare_anonymous_function(&self.signature).map_err(|_| Unsupported)?;
        self.module.define_function(id, &mut self.context).map_err(|_| Unsupported)?;
        Ok(id)
    }
}

/// A transition that is left to the interpreter.
fn transition_without_code(location: &Location, transition: Transition) -> TransitionCode<FuncId> {
    TransitionCode {
        effect: None,
        offer: None,
        depart: None,
        accept: None,
        touches: Touches::All,
        escape: transition.escape,
        pending: location.pending,
        deferred: location.deferred,
    }
}
