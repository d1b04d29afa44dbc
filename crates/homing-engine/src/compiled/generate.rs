//! Generates the code of a model: decides for each location and transition which functions it needs.

use cranelift_codegen::ir::{InstBuilder, types};
use cranelift_module::FuncId;
use homing_core::StopToken;
use homing_ir::{Action, Expr, Location, Model, ProctypeId, Resets, Synchronisation, Transition};

use super::access::AccessWord;
use super::chain::{Chain, is_seen_inside};
use super::code::{ChainCode, Guards, LocationCode, MOST_TRANSITIONS, TransitionCode};
use super::functions::{Functions, Shared, Side};
use super::rendezvous::{Known, Meets};
use super::statement::{is_always_executable, only_moves};
use super::translate::{Translated, Translator, Unsupported};
use crate::layout::Layout;

/// Generates the code of a model, one process type after the other.
pub struct Generator<'m> {
    model: &'m Model,
    stop: &'m StopToken,
    pub functions: Functions<'m>,
    /// Statements that follow each other may be one function.
    chains: bool,
    pub locations: Vec<LocationCode<FuncId>>,
    pub transitions: Vec<TransitionCode<FuncId>>,
}

impl<'m> Generator<'m> {
    /// None where there is no code generator for this machine.
    pub fn new(model: &'m Model, layout: &'m Layout, stop: &'m StopToken) -> Option<Self> {
        let functions = Functions::new(model, layout)?;
        let chains = !is_seen_inside(model, &functions.accesses.sets);
        Some(Generator { model, stop, functions, chains, locations: Vec::new(), transitions: Vec::new() })
    }

    fn known(&self) -> Known<'_> {
        self.functions.known()
    }

    /// Translates a process type: the locations at which one of its processes can be between two calls of compiled code.
    pub fn proctype(&mut self, id: ProctypeId) {
        let proctype = self.model.proctype(id);
        let provided = proctype.provided.as_ref().map(|clause| {
            if self.model.provided_sees_offers(proctype) {
                return Err(Unsupported); // compiled code does not put the message that is offered into the channel
            }
            self.functions.define(id, |translator| {
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

    /// Translates the propositions of the model.
    pub fn letter(&mut self) -> Option<FuncId> {
        let propositions = &self.model.propositions;
        if propositions.is_empty() || propositions.len() >= u64::BITS as usize {
            return None; // a fault is all bits
        }
        if self.model.observes_timeout() && !self.model.features.network {
            return None; // whether a process can move is not a matter of expressions
        }
        let defined = self.functions.define(ProctypeId(0), |translator| {
            translator.begin_log(); // a block, which a proposition of a network can have, stores its end
            let mut letter = translator.builder.ins().iconst(types::I64, 0);
            for (number, proposition) in (0..).zip(propositions) {
                let holds = translator.condition(proposition)?;
                let holds = translator.builder.ins().uextend(types::I64, holds);
                let bit = translator.builder.ins().ishl_imm_u(holds, number);
                letter = translator.builder.ins().bor(letter, bit);
            }
            Ok(letter)
        });
        defined.ok()
    }

    /// Translates the invariants of the model into one test.
    pub fn invariants(&mut self) -> Option<FuncId> {
        let (first, others) = self.model.invariants.split_first()?;
        let defined = self.functions.define(ProctypeId(0), |translator| {
            let mut all = translator.test(&first.expr)?;
            for invariant in others {
                let holds = translator.test(&invariant.expr)?;
                all = translator.builder.ins().band(all, holds);
            }
            Ok(all)
        });
        defined.ok()
    }

    /// A location that is left to the interpreter.
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
            code.elses |= u64::from(action(transition).is_else()) << at;
            code.sends |= u64::from(self.may_meet(proctype, action(transition))) << at;
            self.transitions[code.first as usize + at] = compiled;
        }
        let mut open = 0;
        for (at, transition) in transitions.iter().enumerate() {
            let is_open = is_always_executable(action(transition)) || self.always_meets(proctype, action(transition));
            open |= u64::from(is_open) << at;
        }
        // Where no partner is looked for, the guards decide whether an `else` can be taken.
        let elses = if code.special() == 0 { code.elses } else { 0 };
        code.guards = if open.count_ones() as usize == transitions.len() {
            let first = open & open.wrapping_neg();
            Guards::Always(open & (first | !elses))
        } else {
            match self.functions.define(proctype, |translator| translator.guards(location, open, elses)) {
                Ok(id) => Guards::Computed(id),
                Err(Unsupported) => Guards::Interpreted,
            }
        };
        if code.receives_from != 0 {
            code.receivers = self.functions.define(proctype, |translator| translator.receivers(location)).ok();
            if code.receives_from.count_ones() > 1 {
                code.listens = self.functions.define(proctype, |translator| translator.listens(location)).ok();
            }
        }
        let is_plain = code.provided.is_none() && !code.escapes && !matches!(code.guards, Guards::Interpreted);
        if is_plain && !model.features.last {
            for at in 0..transitions.len() {
                // An `else` depends on the guards of all other transitions, and with a rendezvous among them on the receivers.
                let is_else = code.elses & (1 << at) != 0;
                if is_else && code.sends != 0 {
                    continue;
                }
                let those = if is_else { &transitions[..] } else { &transitions[at..=at] };
                self.transitions[code.first as usize + at].accesses = self.access_word(proctype, location, those);
            }
        }
        self.locations[number] = code;
    }

    /// What a step accesses that takes one of some transitions of a location.
    fn access_word(&mut self, id: ProctypeId, location: &Location, transitions: &[Transition]) -> AccessWord<FuncId> {
        let (chains, mut accessed) = (self.chains, AccessWord::Everything);
        let computed = self.functions.define(id, |translator| {
            let (fixed, moving) = translator.access_word(location, transitions, chains)?;
            accessed = if moving.is_none() { AccessWord::Fixed(fixed) } else { AccessWord::Everything };
            moving.ok_or(Unsupported)
        });
        computed.map_or(accessed, AccessWord::Computed)
    }

    /// Whether an action is always a rendezvous send.
    fn always_meets(&self, proctype: ProctypeId, action: &Action) -> bool {
        sent_channel(action).is_some_and(|channel| self.known().meets(proctype, channel) == Meets::Always)
    }

    /// Whether an action is, or may be, a rendezvous send.
    fn may_meet(&self, proctype: ProctypeId, action: &Action) -> bool {
        sent_channel(action).is_some_and(|channel| self.known().meets(proctype, channel) != Meets::Never)
    }

    /// Translates a transition: as a move of its process, and as either side of a rendezvous.
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
        match action.synchronisation() {
            Some(Synchronisation { channel, side: homing_ir::Side::Send(args) }) if self.may_meet(proctype, action) => {
                let key = Shared::Offer { proctype, statement };
                code.offer = self.functions.shared(key, proctype, |translator| translator.offer(channel, args));
                let resets = (resets != Resets::default()).then_some((proctype, resets));
                let key = Shared::Depart { target, resets };
                code.depart = self.functions.shared(key, proctype, |translator| translator.depart(transition));
                only_meets = self.always_meets(proctype, action);
            }
            Some(Synchronisation { side: homing_ir::Side::Receive(args), .. })
                if self.known().receives_from(action) != 0 =>
            {
                code.accept = self.chain(proctype, transition, Side::Accept, |translator| translator.accept(args));
            }
            _ => {}
        }
        if !only_meets {
            code.effect = self.chain(proctype, transition, Side::Effect, |translator| translator.effect(action));
        }
        code
    }

    /// Translates a chain: `first` translates the action of its first transition. If the whole chain cannot be compiled, that
    /// transition alone.
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
                    Shared::OnlyMoves { target }
                }
                _ => Shared::Chain { proctype, statement, target, resets, side, chained },
            };
            let code = self.functions.shared(key, proctype, |translator| {
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
}

/// The channel that an action sends to.
fn sent_channel(action: &Action) -> Option<&Expr> {
    match action.synchronisation()? {
        Synchronisation { channel, side: homing_ir::Side::Send(_) } => Some(channel),
        _ => None,
    }
}

/// A transition that is left to the interpreter.
fn transition_without_code(location: &Location, transition: Transition) -> TransitionCode<FuncId> {
    TransitionCode {
        effect: None,
        offer: None,
        depart: None,
        accept: None,
        accesses: AccessWord::Everything,
        escape: transition.escape,
        pending: location.pending,
        deferred: location.deferred,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::testing::{agree, code, model};

    /// What is said of the guards of the location that `init` starts at: the mask if it is constant, those that are taken
    /// only if no other can be, and those that need more than their guard.
    fn guards(text: &str) -> (Option<u64>, u64, u64) {
        let model = model(text);
        let compiled = code(&model);
        let main = model.proctypes.iter().position(|proctype| proctype.name == ":init:").expect("it is there");
        let at = compiled.starts[main] + model.proctypes[main].automaton.start;
        let location = &compiled.locations[at as usize];
        let mask = match location.guards {
            Guards::Always(mask) => Some(mask),
            Guards::Computed(_) => None,
            Guards::Interpreted => panic!("{text}: it is not compiled"),
        };
        (mask, location.elses, location.special())
    }

    #[test]
    fn locations_are_classified_by_their_guards() {
        let globals = "byte a; chan s = [0] of { byte }; chan q = [1] of { byte };";
        for (body, expected) in [
            ("a = 1", (Some(0b1), 0, 0)),
            ("if :: a = 1 :: a = 2 :: a = 3 fi", (Some(0b111), 0, 0)),
            ("if :: a == 1 :: a = 2 fi", (None, 0, 0)),
            ("if :: a == 1 :: else fi", (None, 0b10, 0)),
            ("if :: a = 1 :: else fi", (Some(0b01), 0b10, 0)),
            ("s!1", (Some(0b1), 0, 0b1)),
            ("if :: s!1 :: else fi", (Some(0b11), 0b10, 0b11)),
            ("if :: q!1 :: a == 1 fi", (None, 0, 0)),
            ("{ a = 1 } unless { a == 1 }", (None, 0, u64::MAX)),
        ] {
            let text = format!("{globals} init {{ {body} }}");
            assert_eq!(guards(&text), expected, "{body}");
            agree(&text);
        }
    }

    #[test]
    fn a_location_with_too_many_transitions_is_left_to_the_interpreter() {
        for (count, is_compiled) in [(MOST_TRANSITIONS, true), (MOST_TRANSITIONS + 1, false)] {
            let options: String = (0..count).map(|value| format!(":: a = {value} ")).collect();
            let text = format!("byte a; init {{ if {options} fi }}");
            let compiled = code(&model(&text));
            let has_guards = |location: &LocationCode<_>| !matches!(location.guards, Guards::Interpreted);
            let location = compiled.locations.iter().find(|location| location.count == count).expect("the choice");
            assert_eq!(has_guards(location), is_compiled);
            assert_eq!(agree(&text), 1 + 2 * count as usize, "the choice, then the end of the process");
        }
    }
}
