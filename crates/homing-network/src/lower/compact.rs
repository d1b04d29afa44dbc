//! Blocks without jumps and without what is never executed.

use homing_ir::{Action, Block, BlockNode, NodeId};

/// The block with jumps followed and unreachable nodes removed.
pub fn compact(mut block: Block) -> Block {
    let followed: Vec<NodeId> = (0..block.nodes.len() as u32).map(|at| follow(&block, NodeId(at))).collect();
    let lead = |to: &mut NodeId| *to = followed[to.0 as usize];
    lead(&mut block.entry);
    for node in &mut block.nodes {
        match node {
            BlockNode::Do { next, .. } => lead(next),
            // an option begins with its condition or with `else`, which are no jumps
            BlockNode::Select { .. } | BlockNode::Fail { .. } | BlockNode::Exit => {}
        }
    }
    remove_unreachable(block)
}

/// Where a node leads to, jumps followed; a loop of jumps stays.
fn follow(block: &Block, mut at: NodeId) -> NodeId {
    for _ in 0..block.nodes.len() {
        match &block.nodes[at.0 as usize] {
            BlockNode::Do { action: Action::Skip(_), next, .. } => at = *next,
            _ => break,
        }
    }
    at
}

fn remove_unreachable(block: Block) -> Block {
    let mut numbers = vec![None; block.nodes.len()];
    let mut waiting = vec![block.entry];
    while let Some(node) = waiting.pop() {
        if numbers[node.0 as usize].replace(NodeId(0)).is_none() {
            match &block.nodes[node.0 as usize] {
                BlockNode::Do { next, .. } => waiting.push(*next),
                BlockNode::Select { options, .. } => waiting.extend(options),
                BlockNode::Fail { .. } | BlockNode::Exit => {}
            }
        }
    }
    for (number, kept) in numbers.iter_mut().flatten().enumerate() {
        *kept = NodeId(number as u32);
    }
    let renumber = |to: &mut NodeId| *to = numbers[to.0 as usize].expect("it is reachable");
    let mut nodes: Vec<BlockNode> = block.nodes;
    let mut at = 0;
    nodes.retain(|_| {
        at += 1;
        numbers[at - 1].is_some()
    });
    for node in &mut nodes {
        match node {
            BlockNode::Do { next, .. } => renumber(next),
            BlockNode::Select { options, .. } => options.iter_mut().for_each(renumber),
            BlockNode::Fail { .. } | BlockNode::Exit => {}
        }
    }
    let mut entry = block.entry;
    renumber(&mut entry);
    Block { nodes, entry, ..block }
}
