//! The strongly connected components of a graph that is at hand (Gabow 2000), with the marks of the steps inside them.

use std::ops::{BitOr, ControlFlow};

/// The index of a node whose component was left.
const LEFT: u32 = u32::MAX;

/// A partial component of the path.
struct Root<M> {
    /// The index of its first node.
    index: u32,
    /// The marks of the edge by which that was entered.
    entered: M,
    /// The marks of the edges inside, if there are any.
    inside: Option<M>,
}

/// A part of a graph with nodes `0..count`: those nodes for which `is_inside` holds, and the edges between them.
pub(crate) struct Part<I, F> {
    pub count: usize,
    pub is_inside: I,
    /// The edges of a node by number: where each leads, and its marks.
    pub edge: F,
}

impl<I, F, M> Part<I, F>
where
    I: Fn(u32) -> bool,
    F: Fn(u32, u32) -> Option<(u32, M)>,
    M: Copy + Default + BitOr<Output = M>,
{
    /// Calls `visit` with each component, and with the marks of its edges if it has one, until that breaks off.
    pub fn for_each_component(&self, mut visit: impl FnMut(&[u32], Option<M>) -> ControlFlow<()>) {
        let mut index = vec![0u32; self.count]; // 0 for a node that was not entered
        let mut entered = 0;
        let (mut live, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
        let mut roots: Vec<Root<M>> = Vec::new();
        for start in 0..self.count as u32 {
            let mut next = (index[start as usize] == 0 && (self.is_inside)(start)).then(|| (start, M::default()));
            loop {
                if let Some((node, marks)) = next.take() {
                    entered += 1;
                    index[node as usize] = entered;
                    live.push(node);
                    roots.push(Root { index: entered, entered: marks, inside: None });
                    path.push((node, 0));
                }
                let Some((node, at)) = path.last_mut() else { break };
                let (node, edge) = (*node, (self.edge)(*node, *at));
                *at += 1;
                match edge {
                    Some((target, marks)) => match index[target as usize] {
                        LEFT => {}
                        0 if (self.is_inside)(target) => next = Some((target, marks)),
                        0 => {}
                        live => merge(&mut roots, live, marks),
                    },
                    None => {
                        path.pop();
                        let Some(root) = roots.pop_if(|root| root.index == index[node as usize]) else { continue };
                        let from = live.iter().rposition(|&other| other == node).expect("it is live");
                        if visit(&live[from..], root.inside).is_break() {
                            return;
                        }
                        live.drain(from..).for_each(|node| index[node as usize] = LEFT);
                    }
                }
            }
        }
    }
}

/// An edge leads to a live node: the partial components from there on are one.
fn merge<M: Copy + BitOr<Output = M>>(roots: &mut Vec<Root<M>>, live: u32, mut marks: M) {
    while let Some(root) = roots.pop_if(|root| root.index > live) {
        marks = root.inside.map_or(marks, |inside| marks | inside) | root.entered;
    }
    let root = roots.last_mut().expect("the root of a live node is on the stack");
    root.inside = Some(root.inside.map_or(marks, |inside| inside | marks));
}
