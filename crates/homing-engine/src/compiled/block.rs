//! A `d_step` is translated into one function: a deterministic program with jumps.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Label, InstBuilder, Value, types};
use cranelift_frontend::Variable as Register;
use homing_ir::{Action, Block, BlockNode, NodeId};

use super::translate::{Translated, Translator};

/// The most statements and choices that a compiled `d_step` may execute. A longer one is left to the interpreter, which
/// detects endless loops.
const LONGEST: i64 = 100_000;

/// A point of a block that is jumped to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum JumpTarget {
    /// A node: its guard comes first.
    Node(NodeId),
    /// A statement whose guard was evaluated by the choice that it is an option of.
    AfterGuard(NodeId),
}

/// The points that are jumped to, each with its label.
struct JumpTargets {
    /// In the order in which they are translated.
    labels: Vec<(JumpTarget, Label)>,
    by_target: HashMap<JumpTarget, Label>,
    /// The number of statements and choices that were executed, if the block has loops: otherwise they are few, and the log has room
    /// for what they write.
    executed: Option<Register>,
}

impl Translator<'_, '_> {
    /// Translates the block. A statement that blocks is a fault.
    pub fn block(&mut self, block: &Block) -> Translated<()> {
        // A jump back can lead from after a record to before it, so the end of the log is stored in any case.
        self.records += 1;
        let executed = has_loops(block).then(|| {
            let executed = self.builder.declare_var(types::I64);
            let none = self.builder.ins().iconst(types::I64, 0);
            self.builder.def_var(executed, none);
            executed
        });
        let mut targets = JumpTargets { labels: Vec::new(), by_target: HashMap::new(), executed };
        let entry = self.label(&mut targets, JumpTarget::Node(block.entry));
        self.builder.ins().jump(entry, &[]);
        let exit = self.builder.create_block();
        let mut at = 0;
        while at < targets.labels.len() {
            let (target, label) = targets.labels[at];
            at += 1;
            self.builder.switch_to_block(label);
            self.jump_target(block, target, exit, &mut targets)?;
        }
        for (_, label) in targets.labels {
            self.builder.seal_block(label);
        }
        self.enter(exit);
        Ok(())
    }

    fn label(&mut self, targets: &mut JumpTargets, target: JumpTarget) -> Label {
        *targets.by_target.entry(target).or_insert_with(|| {
            let label = self.builder.create_block();
            targets.labels.push((target, label));
            label
        })
    }

    /// Translates what is executed from a point on, up to the next jump.
    fn jump_target(
        &mut self,
        block: &Block,
        target: JumpTarget,
        exit: Label,
        targets: &mut JumpTargets,
    ) -> Translated<()> {
        let (JumpTarget::Node(node) | JumpTarget::AfterGuard(node)) = target;
        match &block.nodes[node.0 as usize] {
            BlockNode::Exit => {
                self.builder.ins().jump(exit, &[]);
            }
            BlockNode::Fail { .. } => {
                self.builder.ins().jump(self.faulty, &[]);
            }
            BlockNode::Do { action, next, .. } => {
                if let JumpTarget::Node(_) = target
                    && let Some(holds) = self.guard_inside(action)?
                {
                    let blocks = self.builder.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                    self.fault_if(blocks);
                }
                self.count(targets.executed);
                self.execute(action)?;
                let next = self.label(targets, JumpTarget::Node(*next));
                self.builder.ins().jump(next, &[]);
            }
            BlockNode::Select { options, .. } => {
                self.count(targets.executed);
                self.select(block, options, targets)?;
            }
        }
        Ok(())
    }

    /// Jumps to the first option that can be executed.
    fn select(&mut self, block: &Block, options: &[NodeId], targets: &mut JumpTargets) -> Translated<()> {
        for option in options {
            let (target, holds) = match &block.nodes[option.0 as usize] {
                BlockNode::Do { action, .. } => (JumpTarget::AfterGuard(*option), self.guard_inside(action)?),
                BlockNode::Select { .. } | BlockNode::Fail { .. } | BlockNode::Exit => {
                    (JumpTarget::Node(*option), None)
                }
            };
            let to = self.label(targets, target);
            let Some(holds) = holds else {
                self.builder.ins().jump(to, &[]);
                return Ok(()); // the options after it are never taken
            };
            let more = self.builder.create_block();
            self.builder.ins().brif(holds, to, &[], more, &[]);
            self.enter(more);
        }
        self.builder.ins().jump(self.faulty, &[]);
        Ok(())
    }

    /// The guard of a statement inside a `d_step`, where an `else` is always executable: options come in order.
    fn guard_inside(&mut self, action: &Action) -> Translated<Option<Value>> {
        match action {
            Action::Else => Ok(None),
            _ => self.guard(action),
        }
    }

    /// Counts a statement or choice of a block with loops, and gives up if there were too many or the log is full.
    fn count(&mut self, executed: Option<Register>) {
        let Some(executed) = executed else { return };
        let before = self.builder.use_var(executed);
        let now = self.builder.ins().iadd_imm_s(before, 1);
        self.builder.def_var(executed, now);
        let too_many = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThan, now, LONGEST);
        self.fault_if(too_many);
        self.check_log();
    }
}

/// Whether a node of a block can be reached from itself.
fn has_loops(block: &Block) -> bool {
    /// What is known of a node: nothing, that it is on the present path, or that no loop begins there.
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath,
        Done,
    }
    let mut seen = vec![Seen::No; block.nodes.len()];
    let mut open = vec![block.entry];
    while let Some(&node) = open.last() {
        let at = node.0 as usize;
        if seen[at] != Seen::No {
            seen[at] = Seen::Done;
            open.pop();
            continue;
        }
        seen[at] = Seen::OnPath;
        let next: &[NodeId] = match &block.nodes[at] {
            BlockNode::Do { next, .. } => std::slice::from_ref(next),
            BlockNode::Select { options, .. } => options,
            BlockNode::Fail { .. } | BlockNode::Exit => &[],
        };
        if next.iter().any(|next| seen[next.0 as usize] == Seen::OnPath) {
            return true;
        }
        open.extend(next.iter().filter(|next| seen[next.0 as usize] == Seen::No));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::testing::{agree, code, model};

    #[test]
    fn a_d_step_does_what_the_interpreter_does() {
        for body in [
            "d_step { x = 1; y = x + 1; x = 0 }",
            "d_step { do :: x < 5 -> x++ :: else -> break od }",
            "d_step { if :: y > 0 -> x = 1 :: y == 0 -> x = 2 :: else -> x = 3 fi }",
            "d_step { if :: if :: x > 0 -> skip :: else -> y = 1 fi :: true -> y = 2 fi }",
            "d_step { x = 1; y > 0; x = 2 }",                     // it blocks inside
            "d_step { do :: x = 1 - x od }",                      // it never ends
            "d_step { x = 1; assert(x == 0); y = 10 / (x - 1) }", // it fails inside
        ] {
            let text = format!("int x, y; init {{ {body} }}");
            agree(&text);
            assert!(code(&model(&text)).transitions.iter().any(|transition| transition.effect.is_some()), "{text}");
        }
    }

    #[test]
    fn a_long_d_step_is_left_to_the_interpreter() {
        for count in [LONGEST / 2 - 2, LONGEST / 2 + 2] {
            agree(&format!("int x; init {{ d_step {{ do :: x < {count} -> x++ :: else -> break od }} }}"));
        }
    }
}
