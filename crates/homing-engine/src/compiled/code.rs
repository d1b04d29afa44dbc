//! The code of a model: for each location a function that tells which transitions can be taken, and for each transition
//! one that takes it.

use std::collections::HashMap;
use std::sync::Mutex;

use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, Type, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use homing_ir::{Action, Location, Model, ProctypeId, StatementId, Transition};

use super::chain::{Chain, is_seen_inside};
use super::channels::Channels;
use super::context::Context;
use super::helpers;
use super::log::ROOM;
use super::rendezvous::{Known, Meets};
use super::statement::{is_always_executable, is_else, only_moves};
use super::translate::{FAULT, Translated, Translator, Unsupported};
use crate::layout::Layout;

/// A compiled function: the context, the bytes of the state, and where the process begins in them.
pub type Compiled = unsafe extern "C" fn(*mut Context<'_>, *mut u8, u64) -> u64;

/// The tests of a location.
#[derive(Clone, Copy)]
pub enum Guards<F> {
    /// The same in every state: a bit for each transition that can be taken. `else` always counts as one.
    Always(u64),
    Computed(F),
    /// The interpreter has to look.
    Interpreted,
}

/// The code of a location.
pub struct LocationCode<F = Compiled> {
    pub guards: Guards<F>,
    /// The `provided` clause of the process.
    pub provided: Option<F>,
    /// Where its transitions begin in those of the code.
    pub first: u32,
    pub count: u32,
    /// The transitions that are taken when no other can.
    pub elses: u64,
    /// The sends that are, or may be, a rendezvous.
    pub sends: u64,
    /// Some transitions are escapes.
    pub escapes: bool,
    /// The rendezvous channels that its receives may look at.
    pub receives_from: u64,
    /// The same for the state under way, if that says more.
    pub listens: Option<F>,
    /// Which transitions take the message on offer; none if the interpreter has to look.
    pub receivers: Option<F>,
    /// A process may end here.
    pub end: bool,
}

/// A function that takes a transition, and those that follow it without a choice.
#[derive(Clone, Copy)]
pub struct Taking<F = Compiled> {
    pub code: F,
    /// How many statements it stands for.
    pub statements: u32,
    /// The process goes on alone afterwards.
    pub atomic: bool,
}

/// The code of a transition.
#[derive(Clone, Copy)]
pub struct TransitionCode<F = Compiled> {
    /// Takes it. None: the interpreter has to.
    pub effect: Option<Taking<F>>,
    /// The channel and the message that a send over a rendezvous channel offers.
    pub offer: Option<F>,
    /// Leaves the sender of a rendezvous at its target.
    pub depart: Option<F>,
    /// Takes it with the message on offer.
    pub accept: Option<Taking<F>>,
    pub escape: u32,
}

/// The code of a model.
pub struct Code {
    /// By process type: where its locations begin in `locations`.
    pub starts: Vec<u32>,
    pub locations: Vec<LocationCode>,
    pub transitions: Vec<TransitionCode>,
    /// Some processes have a `provided` clause.
    pub provided: bool,
    /// Owns the memory that the code is in.
    module: Mutex<Option<JITModule>>,
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.get_mut().ok().and_then(Option::take) {
            // SAFETY: the functions are reached through this structure only, which nobody can use any more.
            unsafe { module.free_memory() };
        }
    }
}

impl Code {
    /// None where there is no code generator for this machine.
    pub fn generate(model: &Model, layout: &Layout) -> Option<Code> {
        let mut generator = Generator::new(model, layout)?;
        let (mut starts, mut locations) = (Vec::new(), Vec::new());
        for (at, proctype) in model.proctypes.iter().enumerate() {
            starts.push(locations.len() as u32);
            let id = ProctypeId(at as u32);
            let provided = proctype.provided.as_ref().map(|clause| {
                generator.function(id, |translator| {
                    let holds = translator.condition(clause)?;
                    Ok(translator.builder.ins().uextend(types::I64, holds))
                })
            });
            for location in &proctype.automaton.locations {
                locations.push(generator.location(id, location, provided));
            }
        }
        let Generator { mut module, transitions, .. } = generator;
        module.finalize_definitions().ok()?;
        let address = |id: FuncId| {
            // SAFETY: every function is declared with this signature, and lives as long as the module.
            unsafe { std::mem::transmute::<*const u8, Compiled>(module.get_finalized_function(id)) }
        };
        let location = |draft: LocationCode<FuncId>| LocationCode {
            guards: match draft.guards {
                Guards::Always(mask) => Guards::Always(mask),
                Guards::Computed(id) => Guards::Computed(address(id)),
                Guards::Interpreted => Guards::Interpreted,
            },
            provided: draft.provided.map(address),
            first: draft.first,
            count: draft.count,
            elses: draft.elses,
            sends: draft.sends,
            escapes: draft.escapes,
            receives_from: draft.receives_from,
            listens: draft.listens.map(address),
            receivers: draft.receivers.map(address),
            end: draft.end,
        };
        let taking = |draft: Taking<FuncId>| {
            let Taking { code, statements, atomic } = draft;
            Taking { code: address(code), statements, atomic }
        };
        let transition = |draft: TransitionCode<FuncId>| TransitionCode {
            effect: draft.effect.map(taking),
            offer: draft.offer.map(address),
            depart: draft.depart.map(address),
            accept: draft.accept.map(taking),
            escape: draft.escape,
        };
        let locations = locations.into_iter().map(location).collect();
        let transitions = transitions.into_iter().map(transition).collect();
        let provided = model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        Some(Code { starts, locations, transitions, provided, module: Mutex::new(Some(module)) })
    }
}

/// Functions that are the same wherever they are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shared {
    /// A statement that only moves its process.
    Move {
        target: u32,
    },
    Taking {
        proctype: ProctypeId,
        statement: StatementId,
        target: u32,
        side: Side,
        chained: bool,
    },
    Offer {
        proctype: ProctypeId,
        statement: StatementId,
    },
    Depart {
        target: u32,
    },
}

/// How a transition is taken: by itself, or as the receiver of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Effect,
    Accept,
}

struct Generator<'m> {
    model: &'m Model,
    layout: &'m Layout,
    channels: Channels,
    module: JITModule,
    /// The function under way; used again for the next.
    context: cranelift_codegen::Context,
    scratch: FunctionBuilderContext,
    signature: Signature,
    helpers: [FuncId; HELPERS],
    pointer: Type,
    shared: HashMap<Shared, Option<FuncId>>,
    /// Statements may be executed together.
    chains: bool,
    transitions: Vec<TransitionCode<FuncId>>,
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
    fn new(model: &'m Model, layout: &'m Layout) -> Option<Self> {
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
            channels: Channels::of(model, layout),
            context: module.make_context(),
            module,
            signature,
            scratch: FunctionBuilderContext::new(),
            helpers: helpers.try_into().expect("one for each name"),
            pointer,
            shared: HashMap::new(),
            chains: !is_seen_inside(model),
            transitions: Vec::new(),
        })
    }

    fn known(&self) -> Known<'_> {
        Known { model: self.model, layout: self.layout, channels: &self.channels }
    }

    fn location(
        &mut self,
        proctype: ProctypeId,
        location: &Location,
        provided: Option<Translated<FuncId>>,
    ) -> LocationCode<FuncId> {
        let model = self.model;
        let of_type = model.proctype(proctype);
        let transitions = &location.transitions;
        let first = self.transitions.len() as u32;
        let mut code = LocationCode {
            guards: Guards::Interpreted,
            provided: provided.and_then(Result::ok),
            first,
            count: transitions.len() as u32,
            elses: 0,
            sends: 0,
            escapes: transitions.iter().any(|transition| transition.escape > 0),
            receives_from: 0,
            listens: None,
            receivers: None,
            end: location.labels.end,
        };
        let action = |transition: &Transition| &of_type.automaton.statement(transition.statement).action;
        code.receives_from = transitions.iter().fold(0, |bits, taken| bits | self.known().receives_from(action(taken)));
        if transitions.len() > 62 || of_type.deterministic || provided.is_some_and(|clause| clause.is_err()) {
            self.transitions.extend(transitions.iter().map(|transition| without_code(*transition)));
            return code;
        }
        for (at, transition) in transitions.iter().enumerate() {
            let compiled = self.transition(proctype, *transition);
            code.elses |= u64::from(is_else(action(transition))) << at;
            code.sends |= u64::from(compiled.offer.is_some() || self.may_meet(proctype, action(transition))) << at;
            self.transitions.push(compiled);
        }
        let mut open = 0;
        for (at, transition) in transitions.iter().enumerate() {
            let is_open = is_always_executable(action(transition)) || self.always_meets(proctype, action(transition));
            open |= u64::from(is_open) << at;
        }
        code.guards = if open.count_ones() as usize == transitions.len() {
            Guards::Always(open)
        } else {
            match self.function(proctype, |translator| translator.guards(location, open)) {
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
        code
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

    fn transition(&mut self, proctype: ProctypeId, transition: Transition) -> TransitionCode<FuncId> {
        let model = self.model;
        let Transition { statement, target, .. } = transition;
        let action = &model.proctype(proctype).automaton.statement(statement).action;
        let mut code = without_code(transition);
        let mut only_meets = false;
        match action {
            Action::Send { channel, args, .. } if self.may_meet(proctype, action) => {
                let key = Shared::Offer { proctype, statement };
                code.offer = self.shared(key, proctype, |translator| translator.offer(channel, args));
                let key = Shared::Depart { target };
                code.depart = self.shared(key, proctype, |translator| translator.depart(target));
                only_meets = self.always_meets(proctype, action);
            }
            Action::Receive { args, .. } if self.known().receives_from(action) != 0 => {
                code.accept = self.taking(proctype, transition, Side::Accept, |translator| translator.accept(args));
            }
            _ => {}
        }
        if !only_meets {
            code.effect = self.taking(proctype, transition, Side::Effect, |translator| translator.effect(action));
        }
        code
    }

    /// Translates a function that takes a transition by what `first` does, and what follows it without a choice.
    fn taking(
        &mut self,
        proctype: ProctypeId,
        transition: Transition,
        side: Side,
        first: impl Fn(&mut Translator<'_, '_>) -> Translated<()>,
    ) -> Option<Taking<FuncId>> {
        let model = self.model;
        let Transition { statement, target, .. } = transition;
        let action = &model.proctype(proctype).automaton.statement(statement).action;
        if target == 0 && !matches!(action, Action::End) {
            return None;
        }
        let mut chain = if self.chains { Chain::behind(model, proctype, transition) } else { Chain::none(transition) };
        loop {
            let chained = !chain.rest.is_empty();
            let key = match side {
                Side::Effect if !chained && only_moves(action) => Shared::Move { target },
                _ => Shared::Taking { proctype, statement, target, side, chained },
            };
            let code = self.shared(key, proctype, |translator| {
                first(translator)?;
                chain.rest.iter().try_for_each(|action| translator.execute(action))?;
                Ok(translator.arrive(chain.target))
            });
            if let Some(code) = code {
                return Some(Taking { code, statements: 1 + chain.rest.len() as u32, atomic: chain.atomic });
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
        let result = body(&mut translator)
            .and_then(|value| if translator.records > ROOM { Err(Unsupported) } else { Ok(value) });
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
fn without_code(transition: Transition) -> TransitionCode<FuncId> {
    TransitionCode { effect: None, offer: None, depart: None, accept: None, escape: transition.escape }
}
