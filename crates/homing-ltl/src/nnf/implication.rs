//! Syntactic implication (Somenzi & Bloem 2000, §3; Babiak, Křetínský, Řehák & Strejček 2012, §3): a sufficient
//! condition, found by comparing operators.

use super::{Arena, Id, Nnf, Side};

/// The deepest comparison; beyond it formulas are taken for incomparable.
const MOST_NESTED: usize = 200;

impl Arena {
    /// Whether `a` implies `b`, from the dual side `b` implies `a`; `false` if this cannot be seen from the syntax.
    pub fn implies(&mut self, side: Side, a: Id, b: Id) -> bool {
        match side {
            Side::Plain => self.compare(a, b, 0),
            Side::Dual => self.compare(b, a, 0),
        }
    }

    /// Whether the negation of `a` implies `b`: one of both holds always. From the dual side, whether they exclude each
    /// other.
    pub(super) fn covers(&mut self, side: Side, a: Id, b: Id) -> bool {
        let negation = self.negation(a);
        self.implies(side, negation, b)
    }

    /// Whether no word satisfies both, as far as the syntax shows.
    pub fn are_exclusive(&mut self, a: Id, b: Id) -> bool {
        self.covers(Side::Dual, a, b)
    }

    fn compare(&mut self, a: Id, b: Id, depth: usize) -> bool {
        if a == b || self.is_falsity(a) || self.is_truth(b, Side::Plain) {
            return true;
        }
        if let (Nnf::Letters(a), Nnf::Letters(b)) = (self.node(a), self.node(b)) {
            return a.implies(b);
        }
        if depth > MOST_NESTED {
            return false;
        }
        if let Some(&known) = self.implications.get(&(a, b)) {
            return known;
        }
        let result = self.by_lattice(a, b, depth + 1)
            || self.by_classes(a, b, depth + 1)
            || self.by_left(a, b, depth + 1)
            || self.by_right(a, b, depth + 1);
        self.implications.insert((a, b), result);
        result
    }

    /// Conjunctions and disjunctions.
    fn by_lattice(&mut self, a: Id, b: Id, depth: usize) -> bool {
        if let Nnf::And(parts) = self.node(b).clone() {
            return parts.iter().all(|&part| self.compare(a, part, depth));
        }
        if let Nnf::Or(parts) = self.node(a).clone() {
            return parts.iter().all(|&part| self.compare(part, b, depth));
        }
        if let Nnf::Or(parts) = self.node(b).clone()
            && parts.iter().any(|&part| self.compare(a, part, depth))
        {
            return true;
        }
        if let Nnf::And(parts) = self.node(a).clone() {
            return parts.iter().any(|&part| self.compare(part, b, depth));
        }
        false
    }

    /// Formulas whose truth carries over to suffixes or from them.
    fn by_classes(&mut self, a: Id, b: Id, depth: usize) -> bool {
        if self.facts(b).eventual {
            let strengthened = match *self.node(a) {
                Nnf::Next(inner) | Nnf::Eventually(inner) | Nnf::Until(_, inner) | Nnf::StrongRelease(inner, _) => {
                    Some(inner)
                }
                _ => None,
            };
            if strengthened.is_some_and(|inner| self.compare(inner, b, depth)) {
                return true;
            }
        }
        if self.facts(a).universal {
            let weakened = match *self.node(b) {
                Nnf::Next(inner) | Nnf::Always(inner) | Nnf::WeakUntil(inner, _) | Nnf::Release(_, inner) => {
                    Some(inner)
                }
                _ => None,
            };
            if weakened.is_some_and(|inner| self.compare(a, inner, depth)) {
                return true;
            }
        }
        false
    }

    /// What `a` says of the first state.
    fn by_left(&mut self, a: Id, b: Id, depth: usize) -> bool {
        match *self.node(a) {
            Nnf::Always(inner) | Nnf::Release(_, inner) => self.compare(inner, b, depth),
            Nnf::StrongRelease(_, inner) => self.compare(inner, b, depth),
            Nnf::Until(left, right) | Nnf::WeakUntil(left, right) => {
                self.compare(left, b, depth) && self.compare(right, b, depth)
            }
            _ => false,
        }
    }

    /// What suffices for `b`.
    fn by_right(&mut self, a: Id, b: Id, depth: usize) -> bool {
        let other = self.node(a).clone();
        match *self.node(b) {
            Nnf::Next(y) => matches!(other, Nnf::Next(x) if self.compare(x, y, depth)),
            Nnf::Eventually(y) => {
                self.compare(a, y, depth) || matches!(other, Nnf::Eventually(x) if self.compare(x, y, depth))
            }
            Nnf::Always(y) => matches!(other, Nnf::Always(x) if self.compare(x, y, depth)),
            Nnf::Until(c, d) => {
                self.compare(a, d, depth)
                    || match other {
                        Nnf::Until(x, y) => self.compare(x, c, depth) && self.compare(y, d, depth),
                        // x M y is y U (x && y)
                        Nnf::StrongRelease(x, y) => {
                            self.compare(y, c, depth) && (self.compare(x, d, depth) || self.compare(y, d, depth))
                        }
                        _ => false,
                    }
            }
            Nnf::WeakUntil(c, d) => {
                self.compare(a, d, depth)
                    || match other {
                        Nnf::Always(x) => self.compare(x, c, depth),
                        Nnf::Until(x, y) | Nnf::WeakUntil(x, y) => {
                            self.compare(x, c, depth) && self.compare(y, d, depth)
                        }
                        // x R y is y W (x && y)
                        Nnf::Release(x, y) | Nnf::StrongRelease(x, y) => {
                            self.compare(y, c, depth) && (self.compare(x, d, depth) || self.compare(y, d, depth))
                        }
                        _ => false,
                    }
            }
            Nnf::Release(c, d) => {
                self.compare(a, c, depth) && self.compare(a, d, depth)
                    || match other {
                        Nnf::Always(x) => self.compare(x, d, depth),
                        Nnf::Release(x, y) | Nnf::StrongRelease(x, y) => {
                            self.compare(x, c, depth) && self.compare(y, d, depth)
                        }
                        // c R d is d W (c && d)
                        Nnf::Until(x, y) | Nnf::WeakUntil(x, y) => self.reaches_release(x, y, c, d, depth),
                        _ => false,
                    }
            }
            Nnf::StrongRelease(c, d) => {
                self.compare(a, c, depth) && self.compare(a, d, depth)
                    || match other {
                        Nnf::StrongRelease(x, y) => self.compare(x, c, depth) && self.compare(y, d, depth),
                        Nnf::Until(x, y) => self.reaches_release(x, y, c, d, depth),
                        _ => false,
                    }
            }
            Nnf::Letters(_) | Nnf::And(_) | Nnf::Or(_) => false,
        }
    }

    /// Whether `x` until `y` implies `d` until `c && d`, operator by operator.
    fn reaches_release(&mut self, x: Id, y: Id, c: Id, d: Id, depth: usize) -> bool {
        self.compare(x, d, depth) && self.compare(y, c, depth) && self.compare(y, d, depth)
    }
}
