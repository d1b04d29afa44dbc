//! Formulas in negation normal form, hash-consed and simplified.
//!
//! Boolean subformulas are sets of letters, so that equivalent ones are equal and implication between them is
//! inclusion. Every node is simplified when it is made ([`rules`]), from nodes that are simplified already.
//!
//! Each operator has a dual: `and` and `or`, `F` and `G`, `U` and `R`, `W` and `M`; `X` is its own. A rule is written
//! once, for a node as seen from one [`Side`], and applies to its dual as well.

mod convert;
mod facts;
mod implication;
mod rules;

use std::collections::HashMap;

use rapidhash::fast::RandomState;

use crate::letters::Letters;
pub use facts::Facts;
pub use rules::RuleSet;

/// The number of a node. The nodes below a node have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u32);

impl Id {
    fn index(self) -> usize {
        self.0 as usize
    }

    /// One bit of 64.
    pub fn signature(self) -> u64 {
        1 << (self.0 % 64)
    }
}

/// An operator with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Nnf {
    /// A Boolean formula.
    Letters(Letters),
    /// Two or more operands in ascending order, at most one of them Boolean; none is a conjunction.
    And(Box<[Id]>),
    /// Two or more operands in ascending order, at most one of them Boolean; none is a disjunction.
    Or(Box<[Id]>),
    Next(Id),
    Eventually(Id),
    Always(Id),
    Until(Id, Id),
    Release(Id, Id),
    WeakUntil(Id, Id),
    /// `a M b`: `a R b`, and `a` holds eventually.
    StrongRelease(Id, Id),
}

/// From where a node is looked at: as it is, or as its dual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Plain,
    Dual,
}

impl Nnf {
    /// The node with its operator replaced by the dual one if `side` is [`Side::Dual`].
    pub fn seen_from(self, side: Side) -> Self {
        match (side, self) {
            (Side::Plain, node) => node,
            (Side::Dual, Nnf::And(operands)) => Nnf::Or(operands),
            (Side::Dual, Nnf::Or(operands)) => Nnf::And(operands),
            (Side::Dual, Nnf::Eventually(a)) => Nnf::Always(a),
            (Side::Dual, Nnf::Always(a)) => Nnf::Eventually(a),
            (Side::Dual, Nnf::Until(a, b)) => Nnf::Release(a, b),
            (Side::Dual, Nnf::Release(a, b)) => Nnf::Until(a, b),
            (Side::Dual, Nnf::WeakUntil(a, b)) => Nnf::StrongRelease(a, b),
            (Side::Dual, Nnf::StrongRelease(a, b)) => Nnf::WeakUntil(a, b),
            (Side::Dual, node @ (Nnf::Next(_) | Nnf::Letters(_))) => node,
        }
    }
}

impl Nnf {
    /// The operands of the node.
    fn operands_of(&self) -> impl Iterator<Item = Id> {
        let (several, pair): (&[Id], [Option<Id>; 2]) = match self {
            Nnf::Letters(_) => (&[], [None, None]),
            Nnf::And(operands) | Nnf::Or(operands) => (operands, [None, None]),
            Nnf::Next(a) | Nnf::Eventually(a) | Nnf::Always(a) => (&[], [Some(*a), None]),
            Nnf::Until(a, b) | Nnf::Release(a, b) | Nnf::WeakUntil(a, b) | Nnf::StrongRelease(a, b) => {
                (&[], [Some(*a), Some(*b)])
            }
        };
        several.iter().copied().chain(pair.into_iter().flatten())
    }
}

/// The deepest nesting of rewriting; deeper formulas are left as they are.
const MOST_NESTED: usize = 300;

/// All nodes made so far.
pub struct Arena {
    propositions: usize,
    nodes: Vec<Nnf>,
    facts: Vec<Facts>,
    ids: HashMap<Nnf, Id, RandomState>,
    /// Results of [`Arena::make`].
    made: HashMap<Nnf, Id, RandomState>,
    negations: HashMap<Id, Id, RandomState>,
    implications: HashMap<(Id, Id), bool, RandomState>,
    rules: RuleSet,
    nesting: usize,
}

impl Arena {
    pub fn new(propositions: usize, rules: RuleSet) -> Self {
        Arena {
            propositions,
            nodes: Vec::new(),
            facts: Vec::new(),
            ids: HashMap::default(),
            made: HashMap::default(),
            negations: HashMap::default(),
            implications: HashMap::default(),
            rules,
            nesting: 0,
        }
    }

    pub fn propositions(&self) -> usize {
        self.propositions
    }

    pub fn node(&self, id: Id) -> &Nnf {
        &self.nodes[id.index()]
    }

    pub fn facts(&self, id: Id) -> Facts {
        self.facts[id.index()]
    }

    /// A copy of a node as seen from a side.
    fn seen(&self, id: Id, side: Side) -> Nnf {
        self.node(id).clone().seen_from(side)
    }

    /// True, or false if `side` is [`Side::Dual`].
    pub fn truth(&mut self, side: Side) -> Id {
        let letters = match side {
            Side::Plain => Letters::all(self.propositions),
            Side::Dual => Letters::empty(self.propositions),
        };
        self.intern(Nnf::Letters(letters))
    }

    pub fn falsity(&mut self) -> Id {
        self.truth(Side::Dual)
    }

    pub fn letters(&mut self, letters: Letters) -> Id {
        self.intern(Nnf::Letters(letters))
    }

    /// Whether a node is the constant true, or false from the dual side.
    fn is_truth(&self, id: Id, side: Side) -> bool {
        match (self.node(id), side) {
            (Nnf::Letters(letters), Side::Plain) => letters.is_all(),
            (Nnf::Letters(letters), Side::Dual) => letters.is_empty(),
            _ => false,
        }
    }

    pub fn is_falsity(&self, id: Id) -> bool {
        self.is_truth(id, Side::Dual)
    }

    /// The simplified node for an operator whose operands are simplified, as seen from a side.
    pub fn make(&mut self, side: Side, node: Nnf) -> Id {
        let node = match self.normalise(node.seen_from(side)) {
            Ok(node) => node,
            Err(known) => return known,
        };
        if let Some(&known) = self.made.get(&node) {
            return known;
        }
        self.nesting += 1;
        let rewritten = if self.nesting < MOST_NESTED { rules::rewrite(self, &node) } else { None };
        self.nesting -= 1;
        let id = rewritten.unwrap_or_else(|| self.intern(node.clone()));
        self.made.insert(node, id);
        id
    }

    pub fn and(&mut self, side: Side, operands: impl IntoIterator<Item = Id>) -> Id {
        self.make(side, Nnf::And(operands.into_iter().collect()))
    }

    pub fn or(&mut self, side: Side, operands: impl IntoIterator<Item = Id>) -> Id {
        self.make(side, Nnf::Or(operands.into_iter().collect()))
    }

    fn intern(&mut self, node: Nnf) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = Id(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.facts.push(Facts::of(&node, self));
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        id
    }

    /// Brings a node into the form that [`Nnf`] describes, without constant operands. Returns the node of an equivalent
    /// formula if there is no operator left.
    fn normalise(&mut self, node: Nnf) -> Result<Nnf, Id> {
        match node {
            Nnf::Letters(letters) => Err(self.letters(letters)),
            Nnf::And(operands) => self.flatten(Side::Plain, operands),
            Nnf::Or(operands) => self.flatten(Side::Dual, operands),
            Nnf::Next(a) if self.is_constant(a) => Err(a),
            Nnf::Next(_) => Ok(node),
            Nnf::Eventually(a) if self.is_constant(a) || matches!(self.node(a), Nnf::Eventually(_)) => Err(a),
            Nnf::Always(a) if self.is_constant(a) || matches!(self.node(a), Nnf::Always(_)) => Err(a),
            Nnf::Eventually(_) | Nnf::Always(_) => Ok(node),
            Nnf::Until(a, b) => self.normalise_until(Side::Plain, a, b),
            Nnf::Release(a, b) => self.normalise_until(Side::Dual, a, b),
            Nnf::WeakUntil(a, b) => self.normalise_weak_until(Side::Plain, a, b),
            Nnf::StrongRelease(a, b) => self.normalise_weak_until(Side::Dual, a, b),
        }
    }

    fn is_constant(&self, id: Id) -> bool {
        self.is_truth(id, Side::Plain) || self.is_truth(id, Side::Dual)
    }

    fn other(side: Side) -> Side {
        if side == Side::Plain { Side::Dual } else { Side::Plain }
    }

    fn normalise_until(&mut self, side: Side, a: Id, b: Id) -> Result<Nnf, Id> {
        let falsity = Self::other(side);
        if self.is_constant(b) || a == b || self.is_truth(a, falsity) {
            Err(b)
        } else if self.is_truth(a, side) {
            Err(self.make(side, Nnf::Eventually(b)))
        } else {
            Ok(Nnf::Until(a, b).seen_from(side))
        }
    }

    fn normalise_weak_until(&mut self, side: Side, a: Id, b: Id) -> Result<Nnf, Id> {
        let falsity = Self::other(side);
        if self.is_truth(b, side) || a == b || self.is_truth(a, falsity) {
            Err(b)
        } else if self.is_truth(b, falsity) {
            Err(self.make(side, Nnf::Always(a)))
        } else if self.is_truth(a, side) {
            Err(a)
        } else {
            Ok(Nnf::WeakUntil(a, b).seen_from(side))
        }
    }

    /// The operands of a conjunction (from the dual side: of a disjunction) without inner conjunctions, duplicates and
    /// constants, the Boolean ones as one.
    fn flatten(&mut self, side: Side, operands: Box<[Id]>) -> Result<Nnf, Id> {
        let mut boolean: Option<Letters> = None;
        let mut flat: Vec<Id> = Vec::new();
        for id in operands {
            let inner = match self.seen(id, side) {
                Nnf::And(inner) => inner,
                _ => [id].into(),
            };
            for id in inner {
                match (self.node(id), side) {
                    (Nnf::Letters(letters), Side::Plain) => {
                        boolean = Some(boolean.map_or(letters.clone(), |known| known.and(letters)));
                    }
                    (Nnf::Letters(letters), Side::Dual) => {
                        boolean = Some(boolean.map_or(letters.clone(), |known| known.or(letters)));
                    }
                    _ => flat.push(id),
                }
            }
        }
        if let Some(letters) = boolean {
            let id = self.letters(letters);
            if self.is_truth(id, Self::other(side)) {
                return Err(id);
            }
            if !self.is_truth(id, side) {
                flat.push(id);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => Err(self.truth(side)),
            [single] => Err(single),
            _ => Ok(Nnf::And(flat.into()).seen_from(side)),
        }
    }

    /// The negation of a node.
    pub fn negation(&mut self, id: Id) -> Id {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        // operands have smaller numbers: those that are not negated yet come first, so that nothing recurses deeply
        let mut pending = vec![id];
        while let Some(&next) = pending.last() {
            let missing = self.operands(next).find(|operand| !self.negations.contains_key(operand));
            if let Some(operand) = missing {
                pending.push(operand);
                continue;
            }
            pending.pop();
            let negation = self.negation_of(next);
            self.negations.insert(next, negation);
            self.negations.entry(negation).or_insert(next);
        }
        self.negations[&id]
    }

    fn negation_of(&mut self, id: Id) -> Id {
        let known = |negations: &HashMap<Id, Id, RandomState>, id: Id| negations[&id];
        let node = match self.node(id).clone() {
            Nnf::Letters(letters) => return self.letters(letters.not()),
            Nnf::And(operands) => Nnf::And(operands.iter().map(|&id| known(&self.negations, id)).collect()),
            Nnf::Or(operands) => Nnf::Or(operands.iter().map(|&id| known(&self.negations, id)).collect()),
            Nnf::Next(a) => Nnf::Next(known(&self.negations, a)),
            Nnf::Eventually(a) => Nnf::Eventually(known(&self.negations, a)),
            Nnf::Always(a) => Nnf::Always(known(&self.negations, a)),
            Nnf::Until(a, b) => Nnf::Until(known(&self.negations, a), known(&self.negations, b)),
            Nnf::Release(a, b) => Nnf::Release(known(&self.negations, a), known(&self.negations, b)),
            Nnf::WeakUntil(a, b) => Nnf::WeakUntil(known(&self.negations, a), known(&self.negations, b)),
            Nnf::StrongRelease(a, b) => Nnf::StrongRelease(known(&self.negations, a), known(&self.negations, b)),
        };
        self.make(Side::Dual, node)
    }

    fn operands(&self, id: Id) -> impl Iterator<Item = Id> {
        self.node(id).operands_of()
    }
}
