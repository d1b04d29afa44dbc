//! A process type's control: locations and the transitions between them, in the order SPIN tries them.

use crate::{Expr, SpinNumbering, Statement, StatementId, VarId, Written};

/// A line of a source file: an index into [`crate::Model::sources`], and a line counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    /// The file.
    pub file: u32,
    /// The line.
    pub line: u32,
}

/// The labels of a location that mean something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// A process may end here.
    pub end: bool,
    /// A run that visits it for ever is an acceptance cycle.
    pub accept: bool,
    /// A run that visits it for ever makes progress.
    pub progress: bool,
    /// The user expects that a process may block here.
    pub danger: bool,
}

impl Labels {
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Labels::default()
    }

    /// Adds the marks of `other`.
    pub fn merge(&mut self, other: Labels) {
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
        self.danger |= other.danger;
    }
}

/// The locals that a transition sets to zero: 0 for none, else a place in [`Automaton::resets`], from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resets(pub u32);

/// One way out of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What it tests and does.
    pub statement: StatementId,
    /// The location it leads to; 0 for the end of the process.
    pub target: u32,
    /// The process continues alone afterwards: the next statement belongs to the same atomic sequence.
    pub atomic: bool,
    /// The escape (`unless`) it belongs to, 0 for none. As soon as a transition of one escape was executable, those of
    /// others and of none are not.
    pub escape: u32,
    /// The process continues at once with the one transition of its target, which it has absorbed. Only in a
    /// [reduced](crate::Reduced) model.
    pub merged: bool,
    /// What is dead after it. Only in a reduced model.
    pub resets: Resets,
}

/// A place where a process can stand.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The ways out, in the order in which they are tried.
    pub transitions: Vec<Transition>,
    /// Its labels.
    pub labels: Labels,
    /// Where it is in the source.
    pub place: Place,
    /// How many absorbed statements led here that count for the length of a path only when the process moves on.
    pub pending: u32,
    /// Its statement, when it is absorbed, is one of those.
    pub deferred: bool,
    /// Of a network: its name.
    pub name: Option<Box<str>>,
    /// Of a network: while a process stands here, only steps out of such locations are taken.
    pub committed: bool,
    /// Of a network: no step leads to a state where a process stands here and this is zero.
    pub invariant: Option<Expr>,
}

/// The control of a process type. Locations are numbered from 1, as SPIN numbers control states; numbers that are not used
/// have no transitions.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    /// By [`StatementId`].
    pub statements: Vec<Statement>,
    /// By number.
    pub locations: Vec<Location>,
    /// The location where a process begins.
    pub start: u32,
    /// The location in front of the end of the process.
    pub end: u32,
    /// What SPIN knows its statements by; empty for other languages than Promela.
    pub spin: SpinNumbering,
    /// What the user wrote, by [`StatementId`]; empty if the front end does not say.
    pub written: Vec<Written>,
    /// What [`Transition::resets`] means.
    pub resets: Vec<Vec<VarId>>,
    /// The locals that are zero when a process begins, whatever their initial values.
    pub start_resets: Vec<VarId>,
}

impl Automaton {
    /// A statement.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.index()]
    }

    /// A location.
    pub fn location(&self, location: u32) -> &Location {
        &self.locations[location as usize]
    }

    /// The locals that a transition sets to zero.
    pub fn resets(&self, transition: &Transition) -> &[VarId] {
        match transition.resets {
            Resets(0) => &[],
            Resets(at) => &self.resets[at as usize - 1],
        }
    }
}
