//! The code of an automata network: the same steps in the same order as the interpreter.
//!
//! The processes of a network never change, and neither do its channels. So everything that decides which edges are taken together
//! is found once, in tables: which processes can begin a step, which have guards to be evaluated, which can be in a committed
//! location or in one with an invariant, and for each channel who can receive ([`partners`]). Machine code is generated
//! ([`generate`]) for guards and channels that depend on variables, for updates and for invariants. An edge without an update only
//! changes the location of its process, which takes no code.
//!
//! A state is expanded ([`expand`]) in two passes. The first evaluates the guards of all processes that have some, and the channels
//! of their edges; where that is a run-time error, the interpreter expands the state. The second goes through the processes that can
//! begin a step, the last one first, finds the partners of each edge, and executes, shows and undoes each step. Where an update or an
//! invariant gives up, the interpreter executes that step.
//!
//! Sleep sets are in [`sleep`].
//!
//! Edges of a location are in groups of at most [`GROUP`], so that the enabled ones of a group are the bits of a word.

mod buffers;
mod expand;
mod generate;
mod partners;
mod sleep;
#[cfg(test)]
mod tests;

pub use buffers::NetworkBuffers;
pub use expand::NetworkExpansion;
pub use generate::NetworkGenerator;
pub use partners::Partners;

use homing_ir::{Action, Model, Transition};

use super::code::{Compiled, Guards};
use sleep::Access;

/// The most edges of a group: a word has a bit for each, and one for a fault.
pub const GROUP: usize = 62;

/// The code of a network.
pub struct NetworkCode<F = Compiled> {
    /// By [`super::code::Code::starts`] of the process type plus the number of the location.
    pub locations: Vec<NetworkLocation<F>>,
    pub groups: Vec<EdgeGroup<F>>,
    pub edges: Vec<EdgeCode<F>>,
    pub partners: Partners,
}

/// A location of a network.
#[derive(Clone, Copy)]
pub struct NetworkLocation<F> {
    /// Its groups are `groups[first..first + count]`.
    pub first: u32,
    pub count: u32,
    /// As in [`homing_ir::Location`].
    pub committed: bool,
    pub invariant: Test<F>,
}

/// A condition of a location.
#[derive(Clone, Copy)]
pub enum Test<F> {
    /// It holds in every state.
    Always,
    /// A function computes whether it holds.
    Computed(F),
    /// The interpreter has to evaluate it.
    Interpreted,
}

/// Edges that leave the same location and follow each other.
#[derive(Clone, Copy)]
pub struct EdgeGroup<F> {
    /// Which of them are enabled, as far as their own process decides.
    pub guards: Guards<F>,
    /// Those that can begin a step: they have no synchronisation, or send.
    pub begins: u64,
    /// They are `edges[first..first + count]`.
    pub first: u32,
    pub count: u32,
}

/// The code of an edge.
#[derive(Clone, Copy)]
pub struct EdgeCode<F> {
    pub effect: Effect<F>,
    /// The location it leads to.
    pub target: u32,
    pub role: Role,
    pub access: Access,
}

/// How an edge is taken.
#[derive(Clone, Copy)]
pub enum Effect<F> {
    /// It changes nothing but the location of its process.
    Moves,
    /// A function executes it.
    Compiled(F),
    /// The interpreter has to.
    Interpreted,
}

/// The part of an edge in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is a step by itself.
    Alone,
    /// It is taken together with one receiver.
    Sends(ChannelOf),
    /// It is taken together with all that can receive.
    Broadcasts(ChannelOf),
    /// It is taken together with a sender.
    Receives(ChannelOf),
}

/// The channel of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelOf {
    /// It is the same in every state.
    Fixed(u32),
    /// The guards of its group write it to this place among the computed channels of its process.
    Computed(u32),
}

impl<F> NetworkCode<F> {
    /// Converts each function.
    pub fn map<G>(self, function: impl Fn(F) -> G) -> NetworkCode<G> {
        let location = |location: NetworkLocation<F>| NetworkLocation {
            first: location.first,
            count: location.count,
            committed: location.committed,
            invariant: match location.invariant {
                Test::Always => Test::Always,
                Test::Computed(id) => Test::Computed(function(id)),
                Test::Interpreted => Test::Interpreted,
            },
        };
        let group = |group: EdgeGroup<F>| EdgeGroup {
            guards: group.guards.map(&function),
            begins: group.begins,
            first: group.first,
            count: group.count,
        };
        let edge = |edge: EdgeCode<F>| EdgeCode {
            effect: match edge.effect {
                Effect::Moves => Effect::Moves,
                Effect::Compiled(id) => Effect::Compiled(function(id)),
                Effect::Interpreted => Effect::Interpreted,
            },
            target: edge.target,
            role: edge.role,
            access: edge.access,
        };
        NetworkCode {
            locations: self.locations.into_iter().map(location).collect(),
            groups: self.groups.into_iter().map(group).collect(),
            edges: self.edges.into_iter().map(edge).collect(),
            partners: self.partners,
        }
    }
}

/// Whether machine code is generated for an edge: its guard or its channel depends on variables, or it has an update.
pub fn needs_code(action: &Action) -> bool {
    let Action::Edge(edge) = action else { return true };
    let exprs = edge.guard.iter().chain(edge.signal.as_ref().map(|signal| &signal.channel));
    edge.update.is_some() || exprs.into_iter().any(|expr| expr.as_constant().is_none())
}

/// Whether a model is a network of edges and nothing else. A reduced copy in which a process continues at once after a step is not.
pub fn is_compiled(model: &Model) -> bool {
    let is_plain = |transition: &Transition| {
        !transition.atomic && !transition.merged && transition.escape == 0 && transition.target > 0
    };
    !model.features.last
        && !model.features.timeout
        && model.proctypes.iter().all(|proctype| {
            let statements = &proctype.automaton.statements;
            proctype.provided.is_none()
                && !proctype.deterministic
                && statements.iter().all(|statement| matches!(statement.action, Action::Edge(_)))
                && proctype.automaton.locations.iter().all(|location| location.transitions.iter().all(is_plain))
        })
}
