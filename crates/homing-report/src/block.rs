//! The statements inside a `d_step`.

use homing_ir::print::Printer;
use homing_ir::{Block, BlockNode, NodeId};

/// Lists the statements of a `d_step`, one a line. If there is a choice or a jump, lines have numbers, and say with
/// which line the execution goes on. (Lowering has flattened the control flow: the block's `if` and `do` are gone, and
/// jumps say what is executed next without a guess at them.)
pub fn list(block: &Block, printer: Printer<'_>) -> Vec<String> {
    let order = order(block);
    let mut lines = vec![None; block.nodes.len()];
    for (at, node) in order.iter().enumerate() {
        lines[node.0 as usize] = Some(at + 1);
    }
    let line_of = |node: NodeId| lines[node.0 as usize];
    let is_sequence = order.iter().enumerate().all(|(at, &node)| match &block.nodes[node.0 as usize] {
        BlockNode::Do { next, .. } => {
            order.get(at + 1) == Some(next) || at + 1 == order.len() && line_of(*next).is_none()
        }
        _ => false,
    });
    let jump = |at: usize, next: NodeId| match line_of(next) {
        Some(line) if line == at + 2 => String::new(),
        Some(line) => format!("; goto {line}"),
        None => "; done".to_owned(),
    };
    let text = |at: usize, node: NodeId| match &block.nodes[node.0 as usize] {
        BlockNode::Do { action, .. } if is_sequence => printer.source_action(action),
        BlockNode::Do { action, next, .. } => {
            format!("{}: {}{}", at + 1, printer.source_action(action), jump(at, *next))
        }
        BlockNode::Select { options, .. } => {
            let lines =
                options.iter().map(|&option| line_of(option).map_or("done".to_owned(), |line| line.to_string()));
            format!("{}: first of {}", at + 1, lines.collect::<Vec<_>>().join(", "))
        }
        BlockNode::Fail { message, .. } => format!("{}: {message}", at + 1),
        BlockNode::Exit => unreachable!("an exit is not listed"),
    };
    order.iter().enumerate().map(|(at, &node)| text(at, node)).collect()
}

/// The nodes but exits, in reading order: successors first, option after option.
fn order(block: &Block) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut seen = vec![false; block.nodes.len()];
    let mut waiting = vec![block.entry];
    while let Some(node) = waiting.pop() {
        let at = node.0 as usize;
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match &block.nodes[at] {
            BlockNode::Do { next, .. } => waiting.push(*next),
            BlockNode::Select { options, .. } => waiting.extend(options.iter().rev()),
            BlockNode::Fail { .. } => {}
            BlockNode::Exit => continue,
        }
        order.push(node);
    }
    order
}

#[cfg(test)]
mod tests {
    use homing_ir::{Action, Model, Place};

    use super::*;

    fn step(text: &str, next: u32) -> BlockNode {
        BlockNode::Do { action: Action::Skip(text.into()), place: Place::default(), next: NodeId(next) }
    }

    fn listed(entry: u32, nodes: Vec<BlockNode>) -> Vec<String> {
        let block = Block { nodes, entry: NodeId(entry), guards: Vec::new(), line: 1 };
        list(&block, Printer { model: &Model::default(), proctype: None })
    }

    #[test]
    fn a_sequence_needs_no_numbers() {
        assert_eq!(listed(2, vec![BlockNode::Exit, step("b", 0), step("a", 1)]), ["a", "b"]);
    }

    #[test]
    fn choices_and_jumps_name_lines() {
        let options = vec![NodeId(2), NodeId(4), NodeId(0)];
        let nodes = vec![
            BlockNode::Exit,
            BlockNode::Select { options, place: Place::default() },
            step("(x<3)", 3),
            step("x = x+1", 1),
            step("else", 0),
        ];
        let expected = ["1: first of 2, 4, done", "2: (x<3)", "3: x = x+1; goto 1", "4: else; done"];
        assert_eq!(listed(1, nodes), expected);
    }

    #[test]
    fn a_circle_is_listed_once() {
        assert_eq!(listed(0, vec![step("a", 1), step("b", 0)]), ["1: a", "2: b; goto 1"]);
    }
}
