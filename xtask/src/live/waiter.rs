//! Models in which fairness decides: a process waits for a condition that others make true and false again, and what makes
//! a run an error is that it waits for ever. If the condition is true now and then, the run is weakly fair, but not
//! strongly fair.

use crate::generate::tree::{Block, Choice, Expr, Item, Process, Stmt};

use super::models::{FORMULA, Kind, Maker};

impl Maker {
    /// The process that waits, often one that makes its condition true and false, and for labels a process that has them
    /// until the wait is over.
    pub fn waiting(&mut self) -> Vec<Item> {
        let mut items = vec![Item::Text("bit gone;".to_owned())];
        let toggles = self.rng.chance(60);
        let condition = match self.rng.below(3) {
            0 if toggles => Stmt::condition(Expr::binary(Expr::atom("b"), "==", Expr::atom("1"))),
            1 if toggles => {
                let b = Expr::binary(Expr::atom("b"), "==", Expr::atom("1"));
                Stmt::condition(Expr::binary(b, "&&", self.value_test()))
            }
            _ => Stmt::condition(self.value_test()),
        };
        let gone = Stmt::assign(Expr::atom("gone"), Expr::atom("1"));
        let body = match self.rng.below(3) {
            0 => vec![Stmt::Block(Block::Atomic, vec![condition, gone])],
            1 => vec![condition, gone],
            _ => {
                let other = vec![Stmt::condition(self.value_test()), Stmt::text("skip")];
                vec![Stmt::Choice(Choice::If, vec![vec![condition, gone], other])]
            }
        };
        items.push(process("Waiter", body));
        if toggles {
            let change = Stmt::assign(Expr::atom("b"), Expr::binary(Expr::atom("1"), "-", Expr::atom("b")));
            items.push(process("Toggler", vec![Stmt::Choice(Choice::Do, vec![vec![change]])]));
        }
        match self.kind {
            Kind::Accept => {
                let seeks = "active proctype Seeker() { do :: gone == 0 -> accept0: x = (x + 1) % 3 od }";
                items.push(Item::Text(seeks.to_owned()));
            }
            Kind::Progress => {
                let seeks = "active proctype Seeker() { gone == 1 -> progress0: false }";
                items.push(Item::Text(seeks.to_owned()));
            }
            Kind::Never | Kind::Ltl => {}
        }
        items
    }

    /// The claim or formula that says whether the wait is over some time; none if labels say it.
    pub fn waited(&mut self) -> Option<Item> {
        let is_gone = |value: &str| Expr::binary(Expr::atom("gone"), "==", Expr::atom(value));
        match self.kind {
            Kind::Ltl => {
                let mut formula = Expr::unary("<> ", is_gone("1"));
                if self.rng.chance(30) {
                    let now_and_then = Expr::unary("[] ", Expr::unary("<> ", self.value_test()));
                    formula = Expr::binary(now_and_then, "->", formula);
                }
                Some(Item::Ltl { name: FORMULA.to_owned(), formula })
            }
            Kind::Never => {
                let stay = Stmt::Choice(Choice::Do, vec![vec![Stmt::condition(is_gone("0"))]]);
                Some(Item::Never(vec![Stmt::Labelled("accept0".to_owned(), Box::new(stay))]))
            }
            Kind::Accept | Kind::Progress => None,
        }
    }
}

fn process(name: &str, body: Vec<Stmt>) -> Item {
    let (name, parameters) = (Some(name.to_owned()), String::new());
    Item::Process(Process { name, active: 1, parameters, priority: None, provided: None, body })
}
