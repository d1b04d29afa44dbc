//! The composition of two components (section 2.1 of the paper), as far as it is reachable.

use std::time::Instant;

use homing_core::StopToken;

use crate::Cut;
use crate::component::{Component, Labels};
use crate::graph::{Edge, Graph};

/// A pair of states that is not reachable.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// What stops a construction early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget<'a> {
    pub transitions: u32,
    pub deadline: Option<Instant>,
    pub stop: &'a StopToken,
}

impl Budget<'_> {
    pub fn is_over(&self) -> bool {
        self.stop.is_set() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The reachable part of a product.
pub(crate) struct Product {
    pub graph: Graph,
    /// The state of each pair, by rows of the left component; [`UNREACHED`] if there is none.
    pub index: Vec<u32>,
}

/// Composes two components. Labels that both list synchronise; a label that one of them lists leaves the other as it is. In the
/// product each label becomes `relabel[label]`.
pub(crate) fn compose(
    left: &Component,
    right: &Component,
    relabel: &[u32],
    labels: &Labels,
    budget: Budget<'_>,
) -> Result<Product, Cut> {
    let both = shared_labels(left, right, labels);
    let (p, q) = (left.graph(), right.graph());
    let mut product =
        Growing { width: right.size() as u32, index: vec![UNREACHED; left.size() * right.size()], pairs: Vec::new() };
    let initial = pairs(&p.initial, &q.initial).map(|(p, q)| product.state(p, q)).collect();
    let (mut rows, mut edges) = (vec![0], Vec::new());
    let mut next = 0;
    while let Some(&(from_p, from_q)) = product.pairs.get(next) {
        if next % 1024 == 0 && budget.is_over() {
            return Err(Cut::Time);
        }
        let (out_p, out_q) = (p.out(from_p), q.out(from_q));
        let mut add = |label: u32, to: (u32, u32)| {
            let (label, target) = (relabel[label as usize], product.state(to.0, to.1));
            if target as usize != next || !labels.is_local(label) {
                edges.push(Edge { label, target });
            }
        };
        out_p.iter().filter(|edge| !both[edge.label as usize]).for_each(|edge| add(edge.label, (edge.target, from_q)));
        out_q.iter().filter(|edge| !both[edge.label as usize]).for_each(|edge| add(edge.label, (from_p, edge.target)));
        let mut rest = out_q;
        for row in out_p.chunk_by(|one, other| one.label == other.label) {
            let label = row[0].label;
            if !both[label as usize] {
                continue;
            }
            rest = &rest[rest.partition_point(|edge| edge.label < label)..];
            let partners = &rest[..rest.partition_point(|edge| edge.label == label)];
            for edge in row {
                partners.iter().for_each(|partner| add(label, (edge.target, partner.target)));
            }
        }
        if edges.len() > budget.transitions as usize {
            return Err(Cut::Transitions);
        }
        rows.push(edges.len() as u32);
        next += 1;
    }
    let is_goal = |&(p, q): &(u32, u32)| left.goal[p as usize] && right.goal[q as usize];
    let goal = product.pairs.iter().map(is_goal).collect();
    Ok(Product { graph: Graph { initial, goal, rows, edges }, index: product.index })
}

/// For each label, whether both components list it. Local labels never synchronise.
fn shared_labels(left: &Component, right: &Component, labels: &Labels) -> Vec<bool> {
    let mut both = vec![false; labels.count()];
    for moves in &left.moves {
        if !labels.is_local(moves.label) && right.moves_of(moves.label).is_some() {
            both[moves.label as usize] = true;
        }
    }
    both
}

struct Growing {
    width: u32,
    index: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Growing {
    /// The state of a pair, which is new if it was not reached before.
    fn state(&mut self, p: u32, q: u32) -> u32 {
        let cell = &mut self.index[p as usize * self.width as usize + q as usize];
        if *cell == UNREACHED {
            *cell = self.pairs.len() as u32;
            self.pairs.push((p, q));
        }
        *cell
    }
}

fn pairs<'a>(left: &'a [u32], right: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    left.iter().flat_map(move |&p| right.iter().map(move |&q| (p, q)))
}
