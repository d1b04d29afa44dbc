//! The code of a model: for each location a function that tells which transitions can be taken, and for each transition
//! one that takes it.

use std::sync::{Mutex, OnceLock};

use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use homing_core::{Cost, StopToken};
use homing_ir::{Model, ProctypeId};

use super::context::Context;
use super::futures::Futures;
use super::generate::Generator;
use super::touches::Touches;
use crate::layout::Layout;

/// A compiled function: the context, the bytes of the state, and where the process begins in them.
pub type Compiled = unsafe extern "C" fn(*mut Context<'_>, *mut u8, u64) -> u64;

/// A location with more transitions is left to the interpreter: there is a bit for each, and one for a fault.
pub const MOST_TRANSITIONS: u32 = 62;

/// The tests of a location.
#[derive(Clone, Copy)]
pub enum Guards<F> {
    /// The same in every state: a bit for each transition that can be taken. Beside a transition [apart](LocationCode::apart)
    /// an `else` always counts as one.
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

impl<F> LocationCode<F> {
    /// The transitions that are not just taken, each for itself: sends that may be a rendezvous, `else` beside them, and all
    /// beside an escape. Where there are none, the tests let `else` pass only if nothing before it does.
    pub fn apart(&self) -> u64 {
        match (self.escapes, self.sends) {
            (true, _) => u64::MAX,
            (false, 0) => 0,
            (false, sends) => sends | self.elses,
        }
    }
}

/// A function that takes a transition, and those that follow it without a choice.
#[derive(Clone, Copy)]
pub struct Taking<F = Compiled> {
    pub code: F,
    /// How many statements it stands for.
    pub statements: u32,
    /// What those behind the first count for the length of a path.
    pub rest_cost: Cost,
    /// How many of them leave their process alone in charge.
    pub atomic_steps: u32,
    /// The location it leads to; 0 for the end of the process.
    pub target: u32,
    /// The process goes on alone afterwards: as in [`homing_ir::Transition`], of the last.
    pub atomic: bool,
    pub merged: bool,
}

impl<F> Taking<F> {
    /// Whether nothing follows it in the same step.
    pub fn is_whole(&self) -> bool {
        !self.atomic && !self.merged
    }
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
    /// What it touches, however it is taken.
    pub touches: Touches<F>,
    pub escape: u32,
    /// As in the [`homing_ir::Location`] it leaves.
    pub pending: Cost,
    pub deferred: bool,
}

/// The code of a model.
pub struct Code {
    /// By process type: where its locations begin in `locations`.
    pub starts: Vec<u32>,
    pub locations: Vec<LocationCode>,
    pub transitions: Vec<TransitionCode>,
    /// Some processes have a `provided` clause.
    pub provided: bool,
    /// What processes may still do, if somebody asked: none if nobody can say.
    futures: OnceLock<Option<Futures>>,
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
    /// None where there is no code generator for this machine, or if it was told to stop.
    pub fn generate(model: &Model, layout: &Layout, stop: &StopToken) -> Option<Code> {
        let mut generator = Generator::new(model, layout, stop)?;
        let mut starts = Vec::new();
        for at in 0..model.proctypes.len() {
            starts.push(generator.locations.len() as u32);
            generator.proctype(ProctypeId(at as u32));
        }
        let Generator { mut module, locations, transitions, .. } = generator;
        if stop.is_set() {
            // SAFETY: no function was handed out.
            unsafe { module.free_memory() };
            return None;
        }
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
            let Taking { code, statements, rest_cost, atomic_steps, target, atomic, merged } = draft;
            Taking { code: address(code), statements, rest_cost, atomic_steps, target, atomic, merged }
        };
        let transition = |draft: TransitionCode<FuncId>| TransitionCode {
            effect: draft.effect.map(taking),
            offer: draft.offer.map(address),
            depart: draft.depart.map(address),
            accept: draft.accept.map(taking),
            touches: match draft.touches {
                Touches::All => Touches::All,
                Touches::Fixed(set) => Touches::Fixed(set),
                Touches::Computed(id) => Touches::Computed(address(id)),
            },
            escape: draft.escape,
            pending: draft.pending,
            deferred: draft.deferred,
        };
        let locations = locations.into_iter().map(location).collect();
        let transitions = transitions.into_iter().map(transition).collect();
        let provided = model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        Some(Code {
            starts,
            locations,
            transitions,
            provided,
            futures: OnceLock::new(),
            module: Mutex::new(Some(module)),
        })
    }

    /// What the processes of the model that was compiled may still do, if that can be said.
    pub fn futures(&self, model: &Model, layout: &Layout) -> Option<&Futures> {
        self.futures.get_or_init(|| Futures::of(model, layout)).as_ref()
    }
}
