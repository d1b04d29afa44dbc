//! Random never claims and formulas.

use crate::generate::tree::{Block, Choice, Expr, Item, Stmt};

use super::models::{FORMULA, Maker};

/// The nodes of a formula at most. SPIN's translation of larger ones takes too long.
const MOST_NODES: usize = 9;

impl Maker {
    /// A condition on a state that a claim reads.
    fn proposition(&mut self) -> Expr {
        if !self.places.is_empty() && self.rng.chance(25) {
            return self.reference();
        }
        if self.features.guards_errors && self.rng.chance(50) {
            return self.guarded();
        }
        match self.rng.below(12) {
            0 => Expr::unary("!", self.value_test()),
            1 => Expr::binary(self.value_test(), "&&", self.value_test()),
            2 => Expr::binary(self.value_test(), "||", self.value_test()),
            _ => self.value_test(),
        }
    }

    /// A condition whose second operand is an error where the first decides.
    fn guarded(&mut self) -> Expr {
        let value = self.rng.below(2);
        let forms: &[&[&'static str]] = &[
            &["x > 0", "&&", "a[x - 1] == V"],
            &["x == 0", "||", "a[x - 1] == V"],
            &["y < 2", "&&", "a[y] != V"],
            &["y >= 2", "||", "a[y] == V"],
            &["x != 0", "&&", "y / x == V"],
            &["b == 0", "||", "x % b == V"],
        ];
        let Some([guard, operator, test]) = self.rng.pick(forms).first_chunk() else { unreachable!("of three parts") };
        let test = Expr::atom(test.replace('V', &value.to_string()));
        let condition = Expr::binary(Expr::atom(*guard), operator, test);
        match self.rng.below(4) {
            0 => Expr::unary("!", condition),
            1 => {
                let operator = *self.rng.pick(&["&&", "||"]);
                Expr::binary(condition, operator, self.value_test())
            }
            _ => condition,
        }
    }

    /// A reference to a place or a variable of a process.
    fn reference(&mut self) -> Expr {
        let place = self.rng.pick(&self.places).clone();
        let instance = if self.rng.chance(30) { format!("[{}]", place.pid) } else { String::new() };
        let value = self.rng.below(2);
        match &place.label {
            Some(label) => Expr::within("(", Expr::atom(format!("{}{instance}@{label}", place.process)), ")"),
            None => {
                let variable = Expr::atom(format!("{}{instance}:l", place.process));
                Expr::binary(variable, "==", Expr::atom(value.to_string()))
            }
        }
    }

    /// An `ltl` block over at most three propositions.
    pub fn ltl(&mut self) -> Item {
        let propositions: Vec<Expr> = (0..self.rng.between(1, 3)).map(|_| self.proposition()).collect();
        let depth = self.rng.between(1, 4);
        let mut nodes = self.rng.between(2, MOST_NODES);
        let formula = self.formula(depth, &mut nodes, &propositions);
        Item::Ltl { name: FORMULA.to_owned(), formula }
    }

    /// A formula of at most `depth` levels, which takes its nodes from `nodes`.
    fn formula(&mut self, depth: usize, nodes: &mut usize, propositions: &[Expr]) -> Expr {
        *nodes = nodes.saturating_sub(1);
        if depth == 0 || *nodes == 0 || self.rng.chance(8) {
            return self.rng.pick(propositions).clone();
        }
        let rows = [
            (10, "!"),
            (20, "[] "),
            (20, "<> "),
            (7, "&&"),
            (7, "||"),
            (10, "->"),
            (2, "<->"),
            (10, "U"),
            (4, "V"),
            (4, "W"),
        ];
        let operator = self.rng.weighted(&rows);
        let left = self.formula(depth - 1, nodes, propositions);
        if matches!(operator, "!" | "[] " | "<> ") {
            return Expr::unary(operator, left);
        }
        Expr::binary(left, operator, self.formula(depth - 1, nodes, propositions))
    }

    /// A never claim of one to five states, each a choice with jumps to others; or loops one after the other.
    pub fn never(&mut self) -> Item {
        let body = if self.rng.chance(25) { self.loops() } else { self.states() };
        Item::Never(body)
    }

    fn states(&mut self) -> Vec<Stmt> {
        let mut names: Vec<String> = (0..self.rng.between(1, 5)).map(|at| self.name_of_state(at)).collect();
        if self.features.clock {
            // without an accept label in the model np_ is always true in pan
            let at = self.rng.below(names.len());
            names[at] = format!("accept_{at}");
        }
        let mut body: Vec<Stmt> = Vec::new();
        for name in &names {
            let kind = if self.rng.chance(50) { Choice::Do } else { Choice::If };
            let options = self.claim_options(&names);
            body.push(Stmt::Labelled(name.clone(), Box::new(Stmt::Choice(kind, options))));
        }
        if self.rng.chance(12) {
            body.push(Stmt::Labelled("accept_all".to_owned(), Box::new(Stmt::text("skip"))));
        }
        body
    }

    fn name_of_state(&mut self, at: usize) -> String {
        let word = self.rng.weighted(&[(55, "T"), (40, "accept_"), (2, "end_"), (3, "progress_")]);
        format!("{word}{at}")
    }

    fn claim_options(&mut self, names: &[String]) -> Vec<Vec<Stmt>> {
        let mut options = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            let jump = Stmt::text(format!("goto {}", self.rng.pick(names)));
            options.push(match self.rng.below(20) {
                0 => vec![Stmt::Block(Block::Atomic, vec![self.claim_guard(), self.claim_assertion()])],
                1 => vec![Stmt::Block(Block::Atomic, vec![self.claim_guard(), jump])],
                2 => vec![self.claim_guard(), self.claim_guard(), jump],
                3 => vec![self.claim_guard()],
                _ => vec![self.claim_guard(), jump],
            });
        }
        if self.rng.chance(15) {
            let jump = Stmt::text(format!("goto {}", self.rng.pick(names)));
            options.push(vec![Stmt::text("else"), jump]);
        }
        options
    }

    fn claim_guard(&mut self) -> Stmt {
        // where the program has stopped, the value of np_ depends on how pan came there
        let np = if self.features.clock { 15 } else { 0 };
        Stmt::condition(match self.rng.weighted(&[(30, 0), (62, 1), (np, 2)]) {
            0 => Expr::atom("true"),
            1 => self.proposition(),
            _ => Expr::atom("np_"),
        })
    }

    fn claim_assertion(&mut self) -> Stmt {
        Stmt::Simple(vec!["assert(".into(), self.proposition().into(), ")".into()])
    }

    /// `do :: true :: p -> break od; accept1: do :: q od`, and the like.
    fn loops(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        let count = self.rng.between(1, 3);
        for at in 0..count {
            let stay = if self.rng.chance(50) { Stmt::text("true") } else { self.claim_guard() };
            let mut options = vec![vec![stay]];
            if at + 1 < count || self.rng.chance(30) {
                options.push(vec![self.claim_guard(), Stmt::text("break")]);
            }
            let choice = Stmt::Choice(Choice::Do, options);
            let percent = match at + 1 == count {
                true if self.features.clock => 100,
                true => 80,
                false => 15,
            };
            let labelled = self.rng.chance(percent);
            body.push(if labelled { Stmt::Labelled(format!("accept{at}"), Box::new(choice)) } else { choice });
        }
        body
    }
}
