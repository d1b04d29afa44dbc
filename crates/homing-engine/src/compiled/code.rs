//! The code of a model: for each location a function that computes which transitions can be taken, and for each transition
//! one that takes it.
//!
//! The tables have a parameter `F`: a function is a number of the JIT module while code is generated, and an address
//! afterwards.

use std::sync::Mutex;

use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use homing_core::{Cost, StopToken};
use homing_ir::{Model, ProctypeId};

use super::access::AccessWord;
use super::context::Context;
use super::functions::Functions;
use super::generate::Generator;
use super::network::{NetworkCode, NetworkGenerator};
use crate::layout::Layout;

/// A compiled function. Its parameters are the context, the bytes of the state, and the offset of the process in them.
pub type Compiled = unsafe extern "C" fn(*mut Context<'_>, *mut u8, u64) -> u64;

/// The most transitions of a location that is compiled: a mask has a bit for each, and one for a fault.
pub const MOST_TRANSITIONS: u32 = 62;

/// Which transitions of a location can be taken: a mask with a bit for each.
#[derive(Clone, Copy)]
pub enum Guards<F> {
    /// The mask is the same in every state. It always has the bit of an `else` beside a transition
    /// [apart](LocationCode::special).
    Always(u64),
    /// A function computes the mask.
    Computed(F),
    /// The interpreter has to evaluate the guards.
    Interpreted,
}

impl<F> Guards<F> {
    /// Converts the function.
    pub fn map<G>(self, function: impl Fn(F) -> G) -> Guards<G> {
        match self {
            Guards::Always(mask) => Guards::Always(mask),
            Guards::Computed(id) => Guards::Computed(function(id)),
            Guards::Interpreted => Guards::Interpreted,
        }
    }
}

/// The code of a location.
pub struct LocationCode<F = Compiled> {
    pub guards: Guards<F>,
    /// The `provided` clause of the process.
    pub provided: Option<F>,
    /// The index of its first transition in [`Code::transitions`].
    pub first: u32,
    /// The number of its transitions.
    pub count: u32,
    /// The transitions that can be taken only if no other can: a bit for each.
    pub elses: u64,
    /// The sends that are, or may be, a rendezvous: a bit for each.
    pub sends: u64,
    /// Some transitions are escapes.
    pub escapes: bool,
    /// The rendezvous channels that its receives may refer to, a bit for each by [`super::rendezvous::channel_bit`].
    pub receives_from: u64,
    /// Computes the channels that the receives refer to in the present state, if that is more precise.
    pub listens: Option<F>,
    /// Computes which transitions take the message on offer; none if the interpreter has to.
    pub receivers: Option<F>,
    /// It is a valid end state.
    pub end: bool,
}

impl<F> LocationCode<F> {
    /// Converts each function.
    fn map<G>(self, function: impl Fn(F) -> G) -> LocationCode<G> {
        LocationCode {
            guards: self.guards.map(&function),
            provided: self.provided.map(&function),
            first: self.first,
            count: self.count,
            elses: self.elses,
            sends: self.sends,
            escapes: self.escapes,
            receives_from: self.receives_from,
            listens: self.listens.map(&function),
            receivers: self.receivers.map(&function),
            end: self.end,
        }
    }

    /// The transitions that need more than their guard to be taken: sends that may be a rendezvous, an `else` beside them, and
    /// all transitions beside an escape. Where there are none, the guards decide about an `else`.
    pub fn special(&self) -> u64 {
        match (self.escapes, self.sends) {
            (true, _) => u64::MAX,
            (false, 0) => 0,
            (false, sends) => sends | self.elses,
        }
    }
}

/// The code of a [chain](super::chain::Chain): takes a transition and those that follow it without a choice.
#[derive(Clone, Copy)]
pub struct ChainCode<F = Compiled> {
    pub code: F,
    /// The number of its statements.
    pub statements: u32,
    /// The cost of the statements after the first.
    pub rest_cost: Cost,
    /// The number of its statements that end inside an atomic sequence.
    pub atomic_steps: u32,
    /// The location it leads to; 0 for the end of the process.
    pub target: u32,
    /// As in the last [`homing_ir::Transition`]: the process continues alone inside an atomic sequence.
    pub atomic: bool,
    /// As in the last [`homing_ir::Transition`]: the process continues with an absorbed statement.
    pub merged: bool,
}

impl<F> ChainCode<F> {
    /// Converts each function.
    fn map<G>(self, function: impl Fn(F) -> G) -> ChainCode<G> {
        let ChainCode { code, statements, rest_cost, atomic_steps, target, atomic, merged } = self;
        ChainCode { code: function(code), statements, rest_cost, atomic_steps, target, atomic, merged }
    }

    /// Whether the step ends after it.
    pub fn is_whole(&self) -> bool {
        !self.atomic && !self.merged
    }
}

/// The code of a transition.
#[derive(Clone, Copy)]
pub struct TransitionCode<F = Compiled> {
    /// Takes it; none if the interpreter has to.
    pub effect: Option<ChainCode<F>>,
    /// For the send of a rendezvous: returns the channel, and writes the message to the context.
    pub offer: Option<F>,
    /// For the send of a rendezvous: moves the sender to its target.
    pub depart: Option<F>,
    /// For the receive of a rendezvous: takes it with the message on offer.
    pub accept: Option<ChainCode<F>>,
    /// What it accesses, however it is taken.
    pub accesses: AccessWord<F>,
    /// As in [`homing_ir::Transition`].
    pub escape: u32,
    /// As in the [`homing_ir::Location`] that it leaves.
    pub pending: Cost,
    /// As in the [`homing_ir::Location`] that it leaves.
    pub deferred: bool,
}

impl<F> TransitionCode<F> {
    /// Converts each function.
    fn map<G>(self, function: impl Fn(F) -> G) -> TransitionCode<G> {
        let accesses = match self.accesses {
            AccessWord::Everything => AccessWord::Everything,
            AccessWord::Fixed(set) => AccessWord::Fixed(set),
            AccessWord::Computed(id) => AccessWord::Computed(function(id)),
        };
        TransitionCode {
            effect: self.effect.map(|chain| chain.map(&function)),
            offer: self.offer.map(&function),
            depart: self.depart.map(&function),
            accept: self.accept.map(|chain| chain.map(&function)),
            accesses,
            escape: self.escape,
            pending: self.pending,
            deferred: self.deferred,
        }
    }
}

/// The code of a model.
pub struct Code {
    /// By process type: the index of its first location in `locations`.
    pub starts: Vec<u32>,
    pub locations: Vec<LocationCode>,
    pub transitions: Vec<TransitionCode>,
    /// The code of a network, which has neither `locations` nor `transitions`.
    pub network: Option<NetworkCode>,
    /// Computes whether all invariants of the model hold; none if the interpreter has to.
    pub invariants: Option<Compiled>,
    /// Computes which propositions hold, a bit for each; none if the interpreter has to.
    pub letter: Option<Compiled>,
    /// Some processes have a `provided` clause.
    pub provided: bool,
    /// Owns the memory of the code.
    module: Mutex<Option<JITModule>>,
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.get_mut().ok().and_then(Option::take) {
            // SAFETY: the functions are reached through this structure only, which is not used after it is dropped.
            unsafe { module.free_memory() };
        }
    }
}

impl Code {
    /// Compiles a model. None where there is no code generator for this machine, or if the stop token is set meanwhile.
    pub fn generate(model: &Model, layout: &Layout, stop: &StopToken) -> Option<Code> {
        let mut generator = Generator::new(model, layout, stop)?;
        let (mut starts, mut network) = (Vec::new(), None);
        if model.features.network {
            let code;
            (starts, code) = NetworkGenerator::new(model, &mut generator.functions).generate(stop);
            network = Some(code);
        } else {
            for at in 0..model.proctypes.len() {
                starts.push(generator.locations.len() as u32);
                generator.proctype(ProctypeId(at as u32));
            }
        }
        let (letter, invariants) = (generator.letter(), generator.invariants());
        let Generator { functions: Functions { mut module, .. }, locations, transitions, .. } = generator;
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
        let locations = locations.into_iter().map(|location| location.map(address)).collect();
        let transitions = transitions.into_iter().map(|transition| transition.map(address)).collect();
        let provided = model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        Some(Code {
            starts,
            locations,
            transitions,
            network: network.map(|network| network.map(address)),
            invariants: invariants.map(address),
            letter: letter.map(address),
            provided,
            module: Mutex::new(Some(module)),
        })
    }
}
