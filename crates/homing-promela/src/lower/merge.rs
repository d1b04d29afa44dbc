//! Which statements SPIN merges into one step (`spin -a` without `-o3`).
//!
//! SPIN decides this on the control flow, before it writes its tables: a statement can be absorbed by the one before it if
//! it never blocks, has no label and no escape, and shares nothing with other processes or stands in an atomic sequence.
//! A condition, a receive or a send can begin a chain under the same conditions, label or not.

use homing_ir::{Action, Merging};

use super::flow::{ATOMIC, ATOMIC_LAST, ElementId, Flow, Node, REMOTE, Sequence, SequenceId};
use super::sharing::SharingIn;

/// What a model makes of merging.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy<'s> {
    /// Off for the whole model if it has a `provided` clause or refers to a variable of another process.
    pub merges: bool,
    /// Off if there is any rendezvous channel: a send can end the atomic sequence it stands in.
    pub sends_begin: bool,
    pub sharing: SharingIn<'s>,
}

/// By element. The flow must not be patched yet: SPIN looks at jumps out of atomic sequences as they are written.
pub(super) fn find(flow: &mut Flow, policy: Policy) -> Vec<Merging> {
    let elements = flow.elements.len();
    if !policy.merges {
        return vec![Merging::default(); elements];
    }
    let body = flow.body.expect("a body was built");
    let mut edges =
        Edges { flow, seen: vec![false; elements], next: vec![None; elements], entered: vec![false; elements] };
    edges.follow(body);
    let Edges { flow, next, entered, .. } = edges;
    let index = |id: ElementId| id.0 as usize;
    let ids = || (0..elements as u32).map(ElementId);
    let absorbable: Vec<bool> =
        ids().map(|id| next[index(id)].is_some() && is_absorbable(flow, id, policy.sharing)).collect();
    let mut follows = vec![false; elements]; // after one that can itself be absorbed
    for (next, absorbable) in next.iter().zip(&absorbable) {
        if let (Some(next), true) = (next, absorbable) {
            follows[index(*next)] = true;
        }
    }
    ids()
        .map(|id| {
            let Some(target) = next[index(id)] else { return Merging::default() };
            let absorbs = if absorbable[index(id)] {
                // The last of a chain counts as merged too. But jumps that nothing leads to stay as they are.
                let jump = matches!(flow.element(id).node, Node::Goto(_) | Node::Join);
                (absorbable[index(target)] || follows[index(id)]) && (entered[index(id)] || !jump)
            } else {
                absorbable[index(target)] && can_begin(flow, id, policy)
            };
            Merging { absorbs, absorbable: absorbable[index(id)], target: flow.element(target).number }
        })
        .collect()
}

/// Never blocks, and no other process can observe the state before it.
fn is_absorbable(flow: &Flow, id: ElementId, sharing: SharingIn) -> bool {
    let proceeds = match &flow.element(id).node {
        Node::Goto(_) | Node::Join => true,
        Node::Basic(action) => match action {
            Action::Run { store, .. } => store.is_some(),
            _ => !matches!(
                action,
                Action::Condition(_)
                    | Action::Send { .. }
                    | Action::Receive { .. }
                    | Action::Event { .. }
                    | Action::SetPriority { .. }
            ),
        },
        _ => false,
    };
    proceeds && !flow.has_label(id) && is_private(flow, id, sharing)
}

/// May block, but once it is executed the process can go on at once.
fn can_begin(flow: &Flow, id: ElementId, policy: Policy) -> bool {
    let kind = match &flow.element(id).node {
        Node::Skip => true,
        Node::Basic(action) => match action {
            Action::Condition(_) | Action::Receive { .. } | Action::Event { send: false, .. } => true,
            Action::Send { .. } | Action::Event { send: true, .. } => policy.sends_begin,
            _ => false,
        },
        _ => false,
    };
    kind && is_private(flow, id, policy.sharing)
}

fn is_private(flow: &Flow, id: ElementId, sharing: SharingIn) -> bool {
    let element = flow.element(id);
    let atomic = element.status & (ATOMIC | ATOMIC_LAST) != 0;
    let shared = matches!(&element.node, Node::Basic(action) if sharing.is_shared(action));
    element.escapes.is_empty() && element.status & REMOTE == 0 && (atomic || !shared)
}

/// The control flow between elements, jumps and joins passed.
struct Edges<'f> {
    flow: &'f mut Flow,
    seen: Vec<bool>,
    /// Where a step leads; none for selections and blocks.
    next: Vec<Option<ElementId>>,
    /// Something leads there.
    entered: Vec<bool>,
}

impl Edges<'_> {
    fn follow(&mut self, sequence: SequenceId) {
        let mut at = self.flow.sequence(sequence).first;
        while let Some(id) = at {
            if !std::mem::replace(&mut self.seen[id.0 as usize], true) {
                self.follow_element(id);
            }
            if self.flow.sequence(sequence).last == Some(id) {
                break;
            }
            at = self.flow.element(id).next;
        }
    }

    fn follow_element(&mut self, id: ElementId) {
        let element = self.flow.element(id);
        match element.node.clone() {
            Node::Unless => self.follow(element.options[0]),
            Node::If | Node::Do => {
                for option in element.options.clone() {
                    self.enter(option);
                }
            }
            Node::Atomic(body) | Node::Block(body) | Node::DStep(body) => {
                if let (Sequence { last: Some(last), .. }, next) = (self.flow.sequence(body), element.next) {
                    let last = *last;
                    self.flow.element_mut(last).next = next;
                }
                self.enter(body);
            }
            node => {
                let behind = match &node {
                    Node::Goto(jump) => self.flow.jump_target(jump),
                    _ => element.next,
                };
                // What is wrong with a jump is said when the tables are written.
                let next = behind.and_then(|behind| self.flow.hunt(behind, element.status).ok());
                self.next[id.0 as usize] = next;
                if let Some(next) = next {
                    self.entered[next.0 as usize] = true;
                }
                if !matches!(node, Node::Goto(_) | Node::Join) {
                    for escape in self.flow.element(id).escapes.clone() {
                        self.enter(escape);
                    }
                }
            }
        }
    }

    fn enter(&mut self, sequence: SequenceId) {
        let first = self.flow.sequence(sequence).first;
        if let Some(Ok(first)) = first.map(|first| self.flow.hunt_start(first)) {
            self.entered[first.0 as usize] = true;
        }
        self.follow(sequence);
    }
}
