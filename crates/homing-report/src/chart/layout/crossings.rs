//! The texts that an arrow runs through.

use super::{Arrow, Layout, Point, Rectangle, Text};

/// The number of straight pieces that approximate a swinging arrow.
const PIECES: usize = 12;

impl Layout {
    /// The texts that an arrow runs through. A sweep from top to bottom: the cost is texts times arrows at the same
    /// height.
    pub(super) fn crossed(&self) -> Vec<&Text> {
        let mut texts: Vec<&Text> = self.texts.iter().collect();
        texts.sort_by(|a, b| a.bounds().top.total_cmp(&b.bounds().top));
        let mut arrows: Vec<&Arrow> = self.arrows.iter().collect();
        arrows.sort_by(|a, b| top(b).total_cmp(&top(a))); // the next one last
        let mut under_way: Vec<&Arrow> = Vec::new();
        texts.retain(|text| {
            let bounds = text.bounds();
            while let Some(arrow) = arrows.pop_if(|arrow| top(arrow) <= bounds.bottom()) {
                under_way.push(arrow);
            }
            under_way.retain(|arrow| arrow.from.y.max(arrow.to.y) >= bounds.top);
            under_way.iter().any(|arrow| runs_through(arrow, &bounds))
        });
        texts
    }
}

fn top(arrow: &Arrow) -> f64 {
    arrow.from.y.min(arrow.to.y)
}

fn runs_through(arrow: &Arrow, bounds: &Rectangle) -> bool {
    let pieces = if arrow.swing > 0.0 { PIECES } else { 1 };
    (0..pieces).any(|piece| meets(point(arrow, piece, pieces), point(arrow, piece + 1, pieces), bounds))
}

/// The point after `piece` of `pieces` of an arrow.
fn point(arrow: &Arrow, piece: usize, pieces: usize) -> Point {
    let t = piece as f64 / pieces as f64;
    if arrow.swing == 0.0 {
        let between = |from: f64, to: f64| from + t * (to - from);
        return Point { x: between(arrow.from.x, arrow.to.x), y: between(arrow.from.y, arrow.to.y) };
    }
    // The cubic curve whose control points are level with the ends: 4/3 swing out, so that it turns at `swing`.
    let near = (1.0 - t).powi(2) * (1.0 + 2.0 * t);
    Point { x: arrow.from.x + 4.0 * t * (1.0 - t) * arrow.swing, y: near * arrow.from.y + (1.0 - near) * arrow.to.y }
}

/// Whether the line from `a` to `b` has a point inside `bounds` [LB-84].
fn meets(a: Point, b: Point, bounds: &Rectangle) -> bool {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let sides =
        [(-dx, a.x - bounds.left), (dx, bounds.right() - a.x), (-dy, a.y - bounds.top), (dy, bounds.bottom() - a.y)];
    for (outwards, room) in sides {
        if outwards == 0.0 {
            if room <= 0.0 {
                return false;
            }
        } else if outwards < 0.0 {
            enters = enters.max(room / outwards);
        } else {
            leaves = leaves.min(room / outwards);
        }
    }
    enters < leaves
}

#[cfg(test)]
mod tests {
    use super::super::{ArrowKind, Layout};
    use super::*;
    use crate::chart::sample;

    const BOUNDS: Rectangle = Rectangle { left: 10.0, top: 10.0, width: 20.0, height: 10.0 };

    #[test]
    fn lines_meet_rectangles() {
        let meets = |ax, ay, bx, by| meets(Point { x: ax, y: ay }, Point { x: bx, y: by }, &BOUNDS);
        assert!(meets(0.0, 15.0, 40.0, 15.0));
        assert!(meets(0.0, 0.0, 40.0, 30.0));
        assert!(meets(15.0, 12.0, 16.0, 13.0));
        assert!(!meets(0.0, 5.0, 40.0, 5.0));
        assert!(!meets(0.0, 20.0, 40.0, 20.0), "along the edge");
        assert!(!meets(0.0, 15.0, 9.0, 15.0));
        assert!(!meets(0.0, 0.0, 9.0, 40.0));
    }

    #[test]
    fn a_swing_turns_where_it_says() {
        let (from, to) = (Point { x: 0.0, y: 0.0 }, Point { x: 0.0, y: 40.0 });
        let arrow = Arrow { kind: ArrowKind::Message, from, to, swing: 18.0, hint: String::new() };
        assert_eq!(point(&arrow, 1, 2), Point { x: 18.0, y: 20.0 });
        assert_eq!([point(&arrow, 0, 2), point(&arrow, 2, 2)], [from, to]);
        assert!(runs_through(&arrow, &BOUNDS));
        assert!(!runs_through(&Arrow { swing: 9.0, ..arrow }, &BOUNDS));
    }

    #[test]
    fn labels_dodge() {
        // Two sends in a row: the first arrow would run through the label of the second.
        let chart = sample::pipeline();
        let layout = Layout::of(&chart, None);
        let label = layout.texts.iter().find(|text| text.labels == Some(2)).expect("a label");
        assert_eq!(label.content, "work!2");
        assert_eq!(label.anchor, super::super::Anchor::End, "it stands left of the lane");
        assert!(!layout.crossed().iter().any(|text| text.labels == Some(2)));
    }
}
