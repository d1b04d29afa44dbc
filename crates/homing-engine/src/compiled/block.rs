//! A `d_step` becomes one function: a deterministic program with jumps.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Label, InstBuilder, Value, types};
use cranelift_frontend::Variable as Register;
use homing_ir::{Action, Block, BlockNode, NodeId};

use super::translate::{Translated, Translator};

/// How many statements and choices a compiled `d_step` may pass. A longer one is left to the interpreter, which can tell
/// whether it will ever end.
const LONGEST: i64 = 100_000;

/// A part of a block that is jumped to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// A node, from its test on.
    Whole(NodeId),
    /// A statement that was tested by the choice it begins an option of.
    Tested(NodeId),
}

/// The parts that were jumped to, each with its label.
struct Parts {
    labels: Vec<(Part, Label)>,
    by_part: HashMap<Part, Label>,
    passed: Register,
}

impl Translator<'_, '_> {
    /// Executes the block. A statement that blocks is a fault.
    pub fn block(&mut self, block: &Block) -> Translated<()> {
        // A jump back can lead from behind a record to before it.
        self.records += 1;
        let passed = self.builder.declare_var(types::I64);
        let none = self.builder.ins().iconst(types::I64, 0);
        self.builder.def_var(passed, none);
        let mut parts = Parts { labels: Vec::new(), by_part: HashMap::new(), passed };
        let entry = self.label(&mut parts, Part::Whole(block.entry));
        self.builder.ins().jump(entry, &[]);
        let exit = self.builder.create_block();
        let mut at = 0;
        while at < parts.labels.len() {
            let (part, label) = parts.labels[at];
            at += 1;
            self.builder.switch_to_block(label);
            self.part(block, part, exit, &mut parts)?;
        }
        for (_, label) in parts.labels {
            self.builder.seal_block(label);
        }
        self.enter(exit);
        Ok(())
    }

    fn label(&mut self, parts: &mut Parts, part: Part) -> Label {
        *parts.by_part.entry(part).or_insert_with(|| {
            let label = self.builder.create_block();
            parts.labels.push((part, label));
            label
        })
    }

    fn part(&mut self, block: &Block, part: Part, exit: Label, parts: &mut Parts) -> Translated<()> {
        let (Part::Whole(node) | Part::Tested(node)) = part;
        match &block.nodes[node.0 as usize] {
            BlockNode::Exit => {
                self.builder.ins().jump(exit, &[]);
            }
            BlockNode::Do { action, next, .. } => {
                if let Part::Whole(_) = part
                    && let Some(holds) = self.guard_inside(action)?
                {
                    let blocks = self.builder.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                    self.fault_if(blocks);
                }
                self.count(parts.passed);
                self.execute(action)?;
                let next = self.label(parts, Part::Whole(*next));
                self.builder.ins().jump(next, &[]);
            }
            BlockNode::Select { options, .. } => {
                self.count(parts.passed);
                self.select(block, options, parts)?;
            }
        }
        Ok(())
    }

    /// Jumps to the first option that can be executed.
    fn select(&mut self, block: &Block, options: &[NodeId], parts: &mut Parts) -> Translated<()> {
        for option in options {
            let (part, holds) = match &block.nodes[option.0 as usize] {
                BlockNode::Do { action, .. } => (Part::Tested(*option), self.guard_inside(action)?),
                BlockNode::Select { .. } | BlockNode::Exit => (Part::Whole(*option), None),
            };
            let to = self.label(parts, part);
            let Some(holds) = holds else {
                self.builder.ins().jump(to, &[]);
                return Ok(()); // what follows is never looked at
            };
            let more = self.builder.create_block();
            self.builder.ins().brif(holds, to, &[], more, &[]);
            self.enter(more);
        }
        self.builder.ins().jump(self.faulty, &[]);
        Ok(())
    }

    fn guard_inside(&mut self, action: &Action) -> Translated<Option<Value>> {
        match action {
            Action::Else => Ok(None),
            _ => self.guard(action),
        }
    }

    /// Gives up when the block goes on for too long, or the log is full.
    fn count(&mut self, passed: Register) {
        let before = self.builder.use_var(passed);
        let now = self.builder.ins().iadd_imm_s(before, 1);
        self.builder.def_var(passed, now);
        let too_many = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThan, now, LONGEST);
        self.fault_if(too_many);
        self.check_log();
    }
}
