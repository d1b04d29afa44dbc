//! The body of a `d_step`: a deterministic little program inside one statement.

use std::collections::HashMap;

use homing_ir::{Action, Block, BlockNode, Expr, NodeId};

use super::flow::{ElementId, Flow, IN_D_STEP, Node, SequenceId};
use super::hunt::undefined_label;
use crate::diagnostic::Diagnostic;

struct Lowering<'f> {
    flow: &'f Flow,
    nodes: Vec<Option<BlockNode>>,
    known: HashMap<ElementId, NodeId>,
    waiting: Vec<(NodeId, ElementId)>,
    exit: NodeId,
}

/// Lowers the body of the `d_step` element `head`, whose last step is already linked to what follows.
pub(super) fn lower(flow: &Flow, body: SequenceId, head: ElementId) -> Result<Block, Diagnostic> {
    let mut lowering = Lowering {
        flow,
        nodes: vec![Some(BlockNode::Exit)],
        known: HashMap::new(),
        waiting: Vec::new(),
        exit: NodeId(0),
    };
    let first = flow.sequence(body).first.expect("a d_step has a step");
    let entry = lowering.node_of(Some(first))?;
    while let Some((node, element)) = lowering.waiting.pop() {
        let made = lowering.lower(element)?;
        lowering.nodes[node.0 as usize] = Some(made);
    }
    let guards = lowering.guards(first)?;
    let nodes = lowering.nodes.into_iter().map(|node| node.expect("every node was lowered")).collect();
    Ok(Block { nodes, entry, guards, line: flow.element(head).place.line })
}

impl Lowering<'_> {
    /// The node executed at an element, following jumps and joins.
    fn node_of(&mut self, from: Option<ElementId>) -> Result<NodeId, Diagnostic> {
        let mut at = from;
        let mut passed = Vec::new();
        while let Some(id) = at {
            let element = self.flow.element(id);
            let known = if element.status & IN_D_STEP == 0 { Some(self.exit) } else { self.known.get(&id).copied() };
            if let Some(node) = known {
                self.known.extend(passed.into_iter().map(|id| (id, node)));
                return Ok(node);
            }
            at = match &element.node {
                Node::Join | Node::Break => element.next,
                Node::Goto(jump) => {
                    Some(self.flow.jump_target(jump).ok_or_else(|| undefined_label(self.flow, jump, id))?)
                }
                Node::Block(body) | Node::Atomic(body) | Node::DStep(body) => self.flow.sequence(*body).first,
                Node::Unless => self.flow.sequence(element.options[0]).first,
                _ => {
                    let node = NodeId(self.nodes.len() as u32);
                    self.nodes.push(None);
                    self.known.insert(id, node);
                    self.known.extend(passed.into_iter().map(|id| (id, node)));
                    self.waiting.push((node, id));
                    return Ok(node);
                }
            };
            passed.push(id);
            if passed.len() > self.flow.elements.len() {
                return Err(Diagnostic::error(element.span, "jumps lead around in a circle without a step"));
            }
        }
        Ok(self.exit)
    }

    fn lower(&mut self, id: ElementId) -> Result<BlockNode, Diagnostic> {
        let element = self.flow.element(id);
        if matches!(element.node, Node::If | Node::Do) {
            let mut options = Vec::new();
            for &option in &element.options {
                options.push(self.option(option)?);
            }
            return Ok(BlockNode::Select { options, place: element.place });
        }
        let action = match &element.node {
            Node::Basic(action) => {
                self.check(action, id)?;
                action.clone()
            }
            Node::Skip => Action::Skip("(1)".into()),
            Node::Else => Action::Else,
            node => unreachable!("not a step of a d_step: {node:?}"),
        };
        let next = self.node_of(element.next)?;
        Ok(BlockNode::Do { action, place: element.place, next })
    }

    /// An option is tested by its first statement. One that begins with a block or another selection is entered without
    /// a test (and may then block, which is an error); that is SPIN's rule.
    fn option(&mut self, option: SequenceId) -> Result<NodeId, Diagnostic> {
        self.node_of(self.flow.sequence(option).first)
    }

    /// What has to hold for the `d_step` to start. Of the options of a leading selection only conditions, sends,
    /// receives and `else` count, as in SPIN; if there is none of those it can always start.
    fn guards(&self, first: ElementId) -> Result<Vec<Action>, Diagnostic> {
        let element = self.flow.element(first);
        let mut guards = Vec::new();
        match &element.node {
            Node::Basic(action) => guards.extend(tests(action)),
            Node::Else => guards.push(Action::Else),
            Node::Block(body) | Node::Atomic(body) | Node::DStep(body) => {
                let inner = self.flow.sequence(*body).first.expect("a block has a step");
                return self.guards(inner);
            }
            Node::Unless => {
                let inner = self.flow.sequence(element.options[0]).first.expect("an unless has a step");
                return self.guards(inner);
            }
            Node::If => self.collect_guards(first, &mut guards),
            Node::Join => {
                if let Some(next) = element.next
                    && matches!(self.flow.element(next).node, Node::Do)
                {
                    self.collect_guards(next, &mut guards);
                }
            }
            _ => {}
        }
        Ok(guards)
    }

    fn collect_guards(&self, selection: ElementId, guards: &mut Vec<Action>) {
        for &option in &self.flow.element(selection).options {
            let Some(mut first) = self.flow.sequence(option).first else { continue };
            while let Node::Unless = self.flow.element(first).node {
                let Some(inner) = self.flow.sequence(self.flow.element(first).options[0]).first else { break };
                first = inner;
            }
            let element = self.flow.element(first);
            match &element.node {
                Node::Basic(action) => guards.extend(tests(action)),
                Node::Skip => guards.push(Action::Condition(Expr::constant(1))),
                // Inside the d_step nothing can come before it that would rule it out.
                Node::Else => guards.push(Action::Condition(Expr::constant(1))),
                Node::Block(body) => {
                    if let Some(inner) = self.flow.sequence(*body).first
                        && matches!(self.flow.element(inner).node, Node::If | Node::Do)
                    {
                        self.collect_guards(inner, guards);
                    }
                }
                Node::If => self.collect_guards(first, guards),
                Node::Join => {
                    if let Some(next) = element.next
                        && matches!(self.flow.element(next).node, Node::Do)
                    {
                        self.collect_guards(next, guards);
                    }
                }
                _ => {}
            }
        }
    }

    /// SPIN refuses these inside a d_step, where they could not be undone.
    fn check(&self, action: &Action, id: ElementId) -> Result<(), Diagnostic> {
        let span = self.flow.element(id).span;
        if matches!(action, Action::Run { .. }) {
            return Err(Diagnostic::error(span, "`run` inside a d_step").help("use `atomic` instead of `d_step`"));
        }
        let mut remote = false;
        if let Action::Condition(expr) | Action::Assert(expr) = action {
            expr.walk(&mut |inner| {
                remote |= matches!(inner, Expr::RemoteLabel { .. } | Expr::RemoteVar { .. });
            });
        }
        if remote {
            return Err(Diagnostic::error(span, "a remote reference inside a d_step")
                .help("read the value into a variable before the d_step"));
        }
        Ok(())
    }
}

/// The action as a test, if it is one.
fn tests(action: &Action) -> Option<Action> {
    matches!(action, Action::Condition(_) | Action::Send { .. } | Action::Receive { .. }).then(|| action.clone())
}
