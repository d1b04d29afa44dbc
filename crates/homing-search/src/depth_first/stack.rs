//! The stack of a depth-first search: the path under way, and for each of its states the steps whose turn is to come.
//!
//! Everything lies in a few flat arrays, so that entering and leaving a state allocates nothing. Pending steps of a state lie in
//! reverse order, the next on top: a step that had its turn is gone at once. The states they lead to are kept as keys, and as
//! bytes only if the store does not load states by key.

use homing_core::{Cost, State, Stop, Stream, Violation};
use homing_store::Key;

use super::Leave;

pub(crate) struct Stack<A, K, G> {
    /// The steps from the root to the state under way.
    path: Vec<Entered<A>>,
    /// The length of the path.
    g: Cost,
    pending: Vec<Pending<A, K, G>>,
    /// The targets of pending steps.
    targets: Vec<u8>,
    /// The pending errors.
    violations: Vec<Violation>,
    generated: Generated<A, K, G>,
    /// The steps that are being brought into a random order, each with the place of its target.
    shuffled: Vec<(Pending<A, K, G>, usize)>,
    most_memory: u64,
}

/// The steps of the state under way while they are being shown, in their order.
struct Generated<A, K, G> {
    steps: Vec<Pending<A, K, G>>,
    targets: Vec<u8>,
    violations: Vec<Violation>,
}

struct Entered<A> {
    action: A,
    cost: Cost,
    /// How many steps were pending when the state was entered: its own lie above.
    floor: usize,
}

#[derive(Clone, Copy)]
struct Pending<A, K, G> {
    action: A,
    cost: Cost,
    /// Of no use for an error, as is the key.
    edge: G,
    key: K,
    /// How many bytes of the state lie on top of the targets when its turn comes; [`ERROR`] for an error, which lies on top of
    /// the errors then.
    length: u32,
}

const ERROR: u32 = u32::MAX;

impl<A, K: Copy, G> Pending<A, K, G> {
    /// The key of the state it leads to, if it is no error.
    fn key(&self) -> Option<K> {
        (self.length != ERROR).then_some(self.key)
    }
}

/// A step whose turn has come.
pub(crate) struct Next<A, K, G> {
    pub action: A,
    pub cost: Cost,
    pub target: PendingTarget<K, G>,
}

/// What comes next.
pub(crate) enum Turn<A, K, G> {
    /// A step of the deepest state.
    Step(Next<A, K, G>),
    /// The deepest state is expanded again.
    Again,
    /// Nothing: there is a cycle from the deepest state on that is an error.
    Cycle,
    /// Nothing: the root was left.
    End,
}

pub(crate) enum PendingTarget<K, G> {
    State(K, G),
    Error(Violation),
}

impl<A: Copy, K: Key, G: Copy + Default> Stack<A, K, G> {
    /// With the root alone.
    pub fn new() -> Self {
        Stack {
            path: Vec::new(),
            g: 0,
            pending: Vec::new(),
            targets: Vec::new(),
            violations: Vec::new(),
            generated: Generated { steps: Vec::new(), targets: Vec::new(), violations: Vec::new() },
            shuffled: Vec::new(),
            most_memory: 0,
        }
    }

    /// Keeps a step of the state under way, with the bytes of its target if they are needed.
    #[inline]
    pub fn push_state(&mut self, (action, cost, edge): (A, Cost, G), key: K, target: Option<&State>) {
        let target = target.unwrap_or(&[]);
        self.generated.targets.extend_from_slice(target);
        self.generated.steps.push(Pending { action, cost, edge, key, length: target.len() as u32 });
    }

    /// Keeps an error of the state under way.
    pub fn push_error(&mut self, action: A, cost: Cost, violation: Violation) {
        self.generated.violations.push(violation);
        self.generated.steps.push(Pending { action, cost, edge: G::default(), key: K::default(), length: ERROR });
    }

    /// The keys of the states that the steps shown so far lead to.
    pub fn generated_keys(&self) -> impl Iterator<Item = K> {
        self.generated.steps.iter().filter_map(Pending::key)
    }

    /// All steps of the state under way were generated: the first one is next. Steps to states for which `is_known` holds are
    /// dropped.
    #[inline]
    pub fn seal(&mut self, mut is_known: impl FnMut(K, &State, G) -> bool) {
        let Generated { steps, targets, violations } = &mut self.generated;
        let mut end = targets.len();
        while let Some(step) = steps.pop() {
            match step.key() {
                Some(key) => {
                    let target = &targets[end - step.length as usize..end];
                    end -= step.length as usize;
                    if is_known(key, target, step.edge) {
                        continue;
                    }
                    self.targets.extend_from_slice(target);
                }
                None => self.violations.push(violations.pop().expect("as many as there are steps to one")),
            }
            self.pending.push(step);
        }
        targets.clear();
        self.most_memory = self.most_memory.max(self.bytes());
    }

    /// Brings the steps of the state under way that have a turn into a random order, all with the same probability. Its errors come
    /// first.
    pub fn shuffle(&mut self, order: &mut Stream) {
        let floor = self.path.last().map_or(0, |entered| entered.floor);
        let Stack { pending, targets, shuffled, generated: Generated { steps: errors, targets: bytes, .. }, .. } = self;
        if pending.len() < floor + 2 {
            return;
        }
        let mut start = targets.len();
        for step in pending.drain(floor..).rev() {
            if step.key().is_some() {
                start -= step.length as usize;
                shuffled.push((step, start));
            } else {
                errors.push(step);
            }
        }
        order.shuffle(shuffled);
        bytes.extend(targets.drain(start..));
        for (step, at) in shuffled.drain(..) {
            targets.extend_from_slice(&bytes[at - start..][..step.length as usize]);
            pending.push(step);
        }
        pending.extend(errors.drain(..).rev());
        bytes.clear();
    }

    /// Takes the next pending step; the bytes of its target, if there are any, replace the contents of `target`. States without a
    /// pending step are left, unless `leave`, which is called for each, wants one to be expanded again.
    #[inline]
    pub fn next(
        &mut self,
        target: &mut Vec<u8>,
        mut leave: impl FnMut() -> Result<Leave, Stop>,
    ) -> Result<Turn<A, K, G>, Stop> {
        while let Some(top) = self.path.last()
            && self.pending.len() == top.floor
        {
            match leave()? {
                Leave::Done => {}
                Leave::Again => return Ok(Turn::Again),
                Leave::Cycle => return Ok(Turn::Cycle),
            }
            self.g -= top.cost;
            self.path.pop();
        }
        let Some(step) = self.pending.pop() else {
            // the root
            return Ok(match leave()? {
                Leave::Done => Turn::End,
                Leave::Again => Turn::Again,
                Leave::Cycle => Turn::Cycle,
            });
        };
        let target = match step.key() {
            Some(key) => {
                let start = self.targets.len() - step.length as usize;
                target.clear();
                target.extend_from_slice(&self.targets[start..]);
                self.targets.truncate(start);
                PendingTarget::State(key, step.edge)
            }
            None => PendingTarget::Error(self.violations.pop().expect("as many as there are steps to one")),
        };
        Ok(Turn::Step(Next { action: step.action, cost: step.cost, target }))
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

    /// The costs of those actions.
    pub fn costs(&self) -> Vec<Cost> {
        self.path.iter().map(|entered| entered.cost).collect()
    }

    /// Drops pending steps up to an error, the deepest first: the actions of the path to the state that shows it, the
    /// length of that path, and the step with its error. The stack is of no other use afterwards.
    pub fn pop_error(&mut self) -> Option<(Vec<A>, Cost, PendingError<A>)> {
        while let Some(step) = self.pending.pop() {
            if step.key().is_none() {
                let violation = self.violations.pop().expect("as many as there are steps to one");
                let depth = self.path.partition_point(|entered| entered.floor <= self.pending.len());
                let path = &self.path[..depth];
                let actions = path.iter().map(|entered| entered.action).collect();
                let g = path.iter().map(|entered| entered.cost).sum();
                return Some((actions, g, PendingError { action: step.action, cost: step.cost, violation }));
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
        let entries = self.path.len() * size_of::<Entered<A>>() + self.pending.len() * size_of::<Pending<A, K, G>>();
        (entries + self.targets.len()) as u64
    }
}

/// A step to an error that never had its turn.
pub(crate) struct PendingError<A> {
    pub action: A,
    pub cost: Cost,
    pub violation: Violation,
}
