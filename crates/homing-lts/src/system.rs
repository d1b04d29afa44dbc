//! A labelled transition system as a system that searches explore.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use homing_core::{Changed, Selected, Selection, State, Step, TransitionSystem, Violation, ViolationKind, Written};

use crate::labels::LabelId;
use crate::lts::{Edge, EdgeId, Lts};
use crate::pattern::{Pattern, PatternMatch};

/// What is an error.
#[derive(Clone, Debug)]
pub enum Property {
    /// A state without steps.
    Deadlock {
        /// States without steps that are reached by an action that tools use for the end of a run.
        ends: BTreeMap<u32, LabelId>,
    },
    /// A step with one of these labels.
    Action(PatternMatch),
}

/// The actions that mCRL2 and CADP use for the end of a run.
const ENDS: [&[u8]; 2] = [b"Terminate", b"exit"];

impl Property {
    /// No state may be without steps.
    pub fn no_deadlock(lts: &Lts) -> Self {
        let labels: Vec<LabelId> = ENDS.iter().filter_map(|text| lts.labels().find(text)).collect();
        let mut ends = BTreeMap::new();
        if !labels.is_empty() {
            let edges = (0..lts.states()).flat_map(|source| lts.edges(source));
            let is_end = |edge: &Edge| labels.contains(&edge.label) && lts.edges(edge.target).len() == 0;
            ends.extend(edges.filter(is_end).map(|edge| (edge.target, edge.label)));
        }
        Property::Deadlock { ends }
    }

    /// No step may have a label that matches.
    pub fn no_action(pattern: &Pattern, lts: &Lts) -> Self {
        Property::Action(pattern.among(lts.labels()))
    }
}

/// How a step is named in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// An edge, which has a label.
    Edge(EdgeId),
    /// A path ends here: there is no edge.
    Deadlock,
}

/// A labelled transition system with a property. A state is the number of a state, in four bytes; a step costs 1.
///
/// A step that is an error is shown twice: as a violation, and as a step to a state, because execution goes on after it.
#[derive(Clone, Copy, Debug)]
pub struct LtsSystem<'a> {
    lts: &'a Lts,
    property: &'a Property,
}

/// The bytes of a state.
pub fn encode(state: u32) -> [u8; 4] {
    state.to_le_bytes()
}

/// The number of a state.
///
/// # Panics
/// If it has not four bytes.
#[inline]
pub fn decode(state: &State) -> u32 {
    u32::from_le_bytes(state.try_into().expect("a state is a number of four bytes"))
}

impl<'a> LtsSystem<'a> {
    /// The system, with what is an error in it.
    pub fn new(lts: &'a Lts, property: &'a Property) -> Self {
        LtsSystem { lts, property }
    }

    /// The labelled transition system.
    pub fn lts(&self) -> &'a Lts {
        self.lts
    }

    fn deadlock(&self, state: u32, ends: &BTreeMap<u32, LabelId>) -> Violation {
        let end = ends.get(&state).map(|&label| {
            format!("; it is reached by {}, which may be meant as an end", self.lts.labels().show(label))
        });
        violation(
            ViolationKind::InvalidEndState,
            format!("deadlock: state {state} has no transitions{}", end.unwrap_or_default()),
        )
    }

    /// The violation that a step with a forbidden label is.
    pub fn forbidden(&self, label: LabelId) -> Violation {
        violation(ViolationKind::Action, format!("the action {} occurs", self.lts.labels().show(label)))
    }
}

fn violation(kind: ViolationKind, message: String) -> Violation {
    Violation { kind, message, place: None, process: None }
}

impl TransitionSystem for LtsSystem<'_> {
    type Action = Action;

    fn initial(&self) -> Box<State> {
        Box::new(encode(self.lts.initial()))
    }

    #[inline]
    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, Action>) -> ControlFlow<()>,
    ) -> Selected {
        if selection.is_stubborn() {
            return Selected::NotReduced;
        }
        let source = decode(state);
        let edges = self.lts.edges(source);
        if edges.len() == 0
            && let Property::Deadlock { ends } = self.property
        {
            let _ = visit(Step::violating(Action::Deadlock, 0, 0, self.deadlock(source, ends)));
        }
        let written = [Written { offset: 0, width: 4, old: u64::from(source) }];
        let mut ordinal = 0;
        for Edge { id, label, target } in edges {
            if let Property::Action(forbidden) = self.property
                && forbidden.contains(label)
            {
                let step = Step::violating(Action::Edge(id), ordinal, 1, self.forbidden(label));
                ordinal += 1;
                if visit(step).is_break() {
                    break;
                }
            }
            let bytes = encode(target);
            let step = Step { changed: Changed::At(&written), ..Step::to(Action::Edge(id), ordinal, &bytes) };
            ordinal += 1;
            if visit(step).is_break() {
                break;
            }
        }
        Selected::ALL
    }
}
