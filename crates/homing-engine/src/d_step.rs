//! A block executed: a deterministic program, statement by statement, with checks for endless loops. It is a `d_step`, the update of
//! an edge of a network, or a part of an expression.

use homing_ir::{Action, Block, BlockNode, NodeId};

use crate::effect::Effect;
use crate::eval::View;
use crate::execute::Executor;
use crate::fault::{Fault, check_range};

/// After this many statements a block is checked for a loop that comes back to the same state.
const PATIENCE: u64 = 1024;

/// After this many statements effects are recorded only if the block is known to end.
const MANY: u64 = 1 << 16;

/// A block is cut off after this many statements.
pub(crate) const LONGEST_D_STEP: u64 = 10_000_000;

/// What executes the statements of a block.
trait Machine {
    /// The state as it is now.
    fn view(&self) -> View<'_>;
    fn can_execute(&self, action: &Action) -> Result<bool, Fault>;
    fn execute(&mut self, action: &Action) -> Result<(), Fault>;
    /// Records the statements that are blocked.
    fn note_blocked(&mut self, _: &[&Action]) {}
    /// Whether the execution is to be given up.
    fn is_stopped(&self) -> bool {
        false
    }
    /// Called after many statements, before the one at `at`.
    fn after_many(&self, _: &Block, _at: NodeId, _steps: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// Executes a block from a node on, which was reached after `before` statements and choices.
fn run(machine: &mut impl Machine, block: &Block, entry: NodeId, before: u64) -> Result<(), Fault> {
    let (mut at, mut steps) = (entry, before);
    let is_network = machine.view().model.features.network;
    let or_endless = |fault: Fault| if is_network { Fault::EndlessComputation } else { fault };
    let mut mark = None;
    loop {
        match &block.nodes[at.0 as usize] {
            BlockNode::Exit => return Ok(()),
            BlockNode::Fail { message, .. } => return Err(Fault::Stated(message.to_string())),
            BlockNode::Do { action, next, .. } => {
                if !machine.can_execute(action)? {
                    machine.note_blocked(&[action]);
                    return Err(Fault::BlockInDStep);
                }
                machine.execute(action)?;
                at = *next;
            }
            BlockNode::Select { options, .. } => match first_executable(machine, block, options)? {
                Some(option) => at = option,
                None => {
                    machine.note_blocked(&first_actions(block, options));
                    return Err(Fault::BlockInDStep);
                }
            },
        }
        steps += 1;
        if steps >= LONGEST_D_STEP {
            return Err(or_endless(Fault::TooLong));
        }
        if machine.is_stopped() {
            return Err(Fault::Stopped);
        }
        if steps == MANY {
            machine.after_many(block, at, steps)?;
        }
        if steps >= PATIENCE {
            let work = machine.view().work;
            let is_at = |(node, bytes, scratch): &(NodeId, Vec<u8>, _)| {
                *node == at && *bytes == work.bytes && *scratch == work.scratch
            };
            if mark.as_ref().is_some_and(is_at) {
                return Err(or_endless(Fault::EndlessDStep));
            }
            if steps.is_power_of_two() {
                mark = Some((at, work.bytes.clone(), work.scratch.clone()));
            }
        }
    }
}

/// The first option of a choice that can be executed; `None` if all are blocked.
fn first_executable(machine: &impl Machine, block: &Block, options: &[NodeId]) -> Result<Option<NodeId>, Fault> {
    for option in options {
        let executable = match &block.nodes[option.0 as usize] {
            BlockNode::Do { action, .. } => machine.can_execute(action)?,
            BlockNode::Select { .. } | BlockNode::Fail { .. } | BlockNode::Exit => true,
        };
        if executable {
            return Ok(Some(*option));
        }
    }
    Ok(None)
}

impl Machine for Executor<'_> {
    fn view(&self) -> View<'_> {
        Executor::view(self)
    }

    fn can_execute(&self, action: &Action) -> Result<bool, Fault> {
        match action {
            Action::Else => Ok(true),
            _ => View { offer: self.offer, ..Executor::view(self) }.is_executable_in_d_step(action),
        }
    }

    fn execute(&mut self, action: &Action) -> Result<(), Fault> {
        if Executor::view(self).rendezvous(action)?.is_some() {
            return Err(Fault::RendezvousInDStep);
        }
        Executor::execute(self, action)
    }

    fn note_blocked(&mut self, actions: &[&Action]) {
        if self.log.is_some() {
            let part = Executor::view(self).blocked_part(actions);
            self.note(|_| Effect::Failed(part));
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Executes the rest of the block on a copy if effects are recorded, and fails if it does not end: the effects of an endless
    /// block would fill the memory.
    fn after_many(&self, block: &Block, at: NodeId, steps: u64) -> Result<(), Fault> {
        if self.log.is_none() {
            return Ok(());
        }
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
        match run(&mut ahead, block, at, steps) {
            Err(fault @ (Fault::EndlessDStep | Fault::EndlessComputation | Fault::TooLong | Fault::Stopped)) => {
                Err(fault)
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Executor<'_> {
    /// Executes a block from its entry to its exit.
    pub(crate) fn d_step(&mut self, block: &Block) -> Result<(), Fault> {
        run(self, block, block.entry, 0)
    }
}

/// The execution of a block that is a part of an expression: it writes scratch cells alone.
struct Computation<'a>(View<'a>);

impl Machine for Computation<'_> {
    fn view(&self) -> View<'_> {
        self.0
    }

    fn can_execute(&self, action: &Action) -> Result<bool, Fault> {
        match action {
            Action::Else => Ok(true),
            _ => self.0.is_executable(action),
        }
    }

    fn execute(&mut self, action: &Action) -> Result<(), Fault> {
        match action {
            Action::Assign { target, value } => {
                let value = self.0.eval(value)?;
                self.0.store_scratch(target, value)
            }
            Action::Discard(value) => self.0.eval(value).map(|_| ()),
            Action::Skip(_) | Action::Else | Action::Condition(_) => Ok(()),
            _ => unreachable!("a part of an expression writes scratch cells alone"),
        }
    }
}

impl View<'_> {
    /// Executes a block that writes scratch cells alone.
    pub(crate) fn compute(self, block: &Block) -> Result<(), Fault> {
        run(&mut Computation(self), block, block.entry, 0)
    }

    /// Writes a scratch cell.
    pub(crate) fn store_scratch(self, target: &homing_ir::VarRef, value: i32) -> Result<(), Fault> {
        let at = self.scratch_cell(target)?;
        check_range(self.variable(target.scope, target.var), value)?;
        self.work.scratch[at].set(value);
        Ok(())
    }
}

/// The statements that options begin with.
fn first_actions<'b>(block: &'b Block, options: &[NodeId]) -> Vec<&'b Action> {
    let first = |option: &NodeId| match &block.nodes[option.0 as usize] {
        BlockNode::Do { action, .. } => Some(action),
        BlockNode::Select { .. } | BlockNode::Fail { .. } | BlockNode::Exit => None,
    };
    options.iter().filter_map(first).collect()
}
