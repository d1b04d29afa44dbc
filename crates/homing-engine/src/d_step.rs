//! A `d_step` executed: a deterministic program, statement by statement, with checks for endless loops.

use homing_ir::{Action, Block, BlockNode, NodeId};

use crate::effect::Effect;
use crate::eval::View;
use crate::execute::Executor;
use crate::fault::Fault;

/// After this many statements a `d_step` is checked for a loop that comes back to the same state.
const PATIENCE: u64 = 1024;

/// After this many statements effects are recorded only if the `d_step` is known to end.
const MANY: u64 = 1 << 16;

/// A `d_step` is cut off after this many statements.
pub(crate) const LONGEST_D_STEP: u64 = 10_000_000;

impl Executor<'_> {
    /// Executes a `d_step` from its entry to its exit.
    pub(crate) fn d_step(&mut self, block: &Block) -> Result<(), Fault> {
        self.d_step_from(block, block.entry, 0)
    }

    /// Executes a `d_step` from a node on, which was reached after `before` statements and choices.
    fn d_step_from(&mut self, block: &Block, entry: NodeId, before: u64) -> Result<(), Fault> {
        let (mut at, mut steps) = (entry, before);
        let mut mark = None;
        loop {
            match &block.nodes[at.0 as usize] {
                BlockNode::Exit => return Ok(()),
                BlockNode::Do { action, next, .. } => {
                    if !self.can_execute_inside(action)? {
                        self.note_blocked(&[action]);
                        return Err(Fault::BlockInDStep);
                    }
                    self.execute_inside(action)?;
                    at = *next;
                }
                BlockNode::Select { options, .. } => match self.first_executable(block, options)? {
                    Some(option) => at = option,
                    None => {
                        self.note_blocked(&first_actions(block, options));
                        return Err(Fault::BlockInDStep);
                    }
                },
            }
            steps += 1;
            if steps >= LONGEST_D_STEP {
                return Err(Fault::TooLong);
            }
            if self.stop.is_set() {
                return Err(Fault::Stopped);
            }
            if steps == MANY && self.log.is_some() {
                self.try_ahead(block, at, steps)?;
            }
            if steps >= PATIENCE {
                if mark.as_ref().is_some_and(|(node, bytes)| *node == at && *bytes == self.work.bytes) {
                    return Err(Fault::EndlessDStep);
                }
                if steps.is_power_of_two() {
                    mark = Some((at, self.work.bytes.clone()));
                }
            }
        }
    }

    /// Records the statements that are blocked, if effects are wanted.
    fn note_blocked(&mut self, actions: &[&Action]) {
        if self.log.is_some() {
            let part = self.view().blocked_part(actions);
            self.note(|_| Effect::Failed(part));
        }
    }

    /// The first option of a choice that can be executed; `None` if all are blocked.
    fn first_executable(&self, block: &Block, options: &[NodeId]) -> Result<Option<NodeId>, Fault> {
        for option in options {
            let executable = match &block.nodes[option.0 as usize] {
                BlockNode::Do { action, .. } => self.can_execute_inside(action)?,
                BlockNode::Select { .. } | BlockNode::Exit => true,
            };
            if executable {
                return Ok(Some(*option));
            }
        }
        Ok(None)
    }

    /// Executes the rest of a `d_step` on a copy, and fails if it does not end: the effects of an endless `d_step` would fill
    /// the memory.
    fn try_ahead(&self, block: &Block, at: NodeId, steps: u64) -> Result<(), Fault> {
        let (mut work, mut breaches) = (self.work.clone(), Vec::new());
        let mut ahead = Executor {
            work: &mut work,
            breaches: &mut breaches,
            log: None,
            model: self.model,
            layout: self.layout,
            pid: self.pid,
            timeout: self.timeout,
            offer: self.offer,
            stop: self.stop,
        };
        match ahead.d_step_from(block, at, steps) {
            Err(fault @ (Fault::EndlessDStep | Fault::TooLong | Fault::Stopped)) => Err(fault),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn can_execute_inside(&self, action: &Action) -> Result<bool, Fault> {
        match action {
            Action::Else => Ok(true),
            _ => View { offer: self.offer, ..self.view() }.is_executable_in_d_step(action),
        }
    }

    fn execute_inside(&mut self, action: &Action) -> Result<(), Fault> {
        if self.view().rendezvous(action)?.is_some() {
            return Err(Fault::RendezvousInDStep);
        }
        self.execute(action)
    }
}

/// The statements that options begin with.
fn first_actions<'b>(block: &'b Block, options: &[NodeId]) -> Vec<&'b Action> {
    let first = |option: &NodeId| match &block.nodes[option.0 as usize] {
        BlockNode::Do { action, .. } => Some(action),
        BlockNode::Select { .. } | BlockNode::Exit => None,
    };
    options.iter().filter_map(first).collect()
}
