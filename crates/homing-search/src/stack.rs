//! The stack of a depth-first search: the path under way, and for each of its states the steps whose turn is to come.
//!
//! Everything lies in a few flat arrays, so entering and leaving a state allocates nothing. Pending steps of a state lie
//! in reverse order, the next on top: what had its turn is gone at once, and only what is pending takes room.

use homing_core::{Cost, State, Violation};

pub(crate) struct Stack<A> {
    /// The steps from the root to the state under way.
    path: Vec<Entered<A>>,
    /// The length of the path.
    g: Cost,
    pending: Vec<Pending<A>>,
    /// The targets of pending steps.
    targets: Vec<u8>,
    /// The steps of the state under way while they are being shown, in their order.
    fresh: Vec<Pending<A>>,
    fresh_targets: Vec<u8>,
    most_memory: u64,
}

struct Entered<A> {
    action: A,
    cost: Cost,
    /// How many steps were pending when the state was entered: its own lie above.
    floor: usize,
}

struct Pending<A> {
    action: A,
    cost: Cost,
    arrival: PendingArrival,
}

enum PendingArrival {
    /// A state of so many bytes, on top of the targets when its turn comes.
    State { length: usize },
    /// In a box, so that the steps to states, which are nearly all, stay small.
    Violation(Box<Violation>),
}

/// A step whose turn has come.
pub(crate) struct Turn<A> {
    pub action: A,
    pub cost: Cost,
    /// None if it leads to a state.
    pub violation: Option<Violation>,
}

impl<A: Copy> Stack<A> {
    /// With the root alone.
    pub fn new() -> Self {
        Stack {
            path: Vec::new(),
            g: 0,
            pending: Vec::new(),
            targets: Vec::new(),
            fresh: Vec::new(),
            fresh_targets: Vec::new(),
            most_memory: 0,
        }
    }

    /// Keeps a step of the state under way.
    pub fn keep_state(&mut self, action: A, cost: Cost, target: &State) {
        self.fresh_targets.extend_from_slice(target);
        self.fresh.push(Pending { action, cost, arrival: PendingArrival::State { length: target.len() } });
    }

    /// Keeps an error of the state under way.
    pub fn keep_violation(&mut self, action: A, cost: Cost, violation: Violation) {
        self.fresh.push(Pending { action, cost, arrival: PendingArrival::Violation(Box::new(violation)) });
    }

    /// All steps of the state under way were shown: the first that was kept is next.
    pub fn turn_over(&mut self) {
        let mut end = self.fresh_targets.len();
        while let Some(step) = self.fresh.pop() {
            if let PendingArrival::State { length } = step.arrival {
                self.targets.extend_from_slice(&self.fresh_targets[end - length..end]);
                end -= length;
            }
            self.pending.push(step);
        }
        self.fresh_targets.clear();
        self.most_memory = self.most_memory.max(self.bytes());
    }

    /// The next pending step; its target, if it has one, replaces the contents of `target`. States without a pending step
    /// are left. None if the root was left too.
    pub fn next(&mut self, target: &mut Vec<u8>) -> Option<Turn<A>> {
        while let Some(top) = self.path.last()
            && self.pending.len() == top.floor
        {
            self.g -= top.cost;
            self.path.pop();
        }
        let Pending { action, cost, arrival } = self.pending.pop()?;
        let violation = match arrival {
            PendingArrival::State { length } => {
                let start = self.targets.len() - length;
                target.clear();
                target.extend_from_slice(&self.targets[start..]);
                self.targets.truncate(start);
                None
            }
            PendingArrival::Violation(violation) => Some(*violation),
        };
        Some(Turn { action, cost, violation })
    }

    /// The target of the step that had its turn becomes the state under way.
    pub fn enter(&mut self, action: A, cost: Cost) {
        self.path.push(Entered { action, cost, floor: self.pending.len() });
        self.g += cost;
    }

    /// The length of the path to the state under way.
    pub fn g(&self) -> Cost {
        self.g
    }

    /// The actions from the root to the state under way.
    pub fn actions(&self) -> Vec<A> {
        self.path.iter().map(|entered| entered.action).collect()
    }

    /// Drops pending steps up to an error, the deepest first: the actions of the path to the state that shows it, the
    /// length of that path, and the error. The stack is of no other use afterwards.
    pub fn next_violation(&mut self) -> Option<(Vec<A>, Cost, Turn<A>)> {
        while let Some(Pending { action, cost, arrival }) = self.pending.pop() {
            if let PendingArrival::Violation(violation) = arrival {
                let depth = self.path.partition_point(|entered| entered.floor <= self.pending.len());
                let path = &self.path[..depth];
                let actions = path.iter().map(|entered| entered.action).collect();
                let g = path.iter().map(|entered| entered.cost).sum();
                return Some((actions, g, Turn { action, cost, violation: Some(*violation) }));
            }
        }
        None
    }

    /// How many steps are pending.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Bytes held when they were most.
    pub fn memory(&self) -> u64 {
        self.most_memory
    }

    fn bytes(&self) -> u64 {
        let entries = self.path.len() * size_of::<Entered<A>>() + self.pending.len() * size_of::<Pending<A>>();
        (entries + self.targets.len()) as u64
    }
}
