//! Statements of the processes of random models with a property of infinite runs.

use crate::generate::tree::{Block, Choice, Expr, Stmt};

use super::models::{Kind, Maker, Referable};

/// The context of a statement.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The number of its process.
    pub process: usize,
    /// Inside an atomic sequence.
    pub atomic: bool,
    /// The head of an option or of a sequence, where SPIN allows no label.
    pub head: bool,
    /// The label `again` exists.
    pub gotos: bool,
    /// Processes may be started.
    pub runs: bool,
}

impl Scope {
    pub fn of_process(process: usize) -> Scope {
        Scope { process, atomic: false, head: false, gotos: false, runs: true }
    }

    fn head(&self) -> Scope {
        Scope { head: true, ..self.clone() }
    }

    fn inside(&self) -> Scope {
        Scope { head: false, ..self.clone() }
    }
}

fn atom(text: &str) -> Expr {
    Expr::atom(text)
}

fn test(left: &str, operator: &'static str, right: impl ToString) -> Expr {
    Expr::binary(atom(left), operator, atom(&right.to_string()))
}

impl Maker {
    /// A statement with at most `depth` levels of statements inside, labelled now and then.
    pub fn statement(&mut self, scope: &Scope, depth: usize) -> Stmt {
        let compound = if depth > 0 && !scope.head { 22 } else { 0 };
        let sequence = if depth > 0 && !scope.atomic { 12 } else { 0 };
        let unless = if depth > 0 && self.features.unless && !scope.atomic && !scope.head { 10 } else { 0 };
        let statement = match self.rng.weighted(&[(66, 0), (compound, 1), (sequence, 2), (unless, 3)]) {
            0 => self.simple(scope),
            1 => {
                let kind = if self.rng.chance(75) { Choice::If } else { Choice::Do };
                let mut options = self.options(scope, depth - 1, true);
                if kind == Choice::Do {
                    options.push(vec![self.guard(), Stmt::text("break")]);
                }
                Stmt::Choice(kind, options)
            }
            2 => self.sequence(scope, depth - 1),
            _ => {
                let main = vec![self.simple(&scope.head()), self.simple(&scope.inside())];
                Stmt::Unless(main, vec![self.guard(), self.simple(&scope.inside())])
            }
        };
        if scope.head { statement } else { self.maybe_labelled(statement, scope) }
    }

    /// The options of a choice, one `else` among them now and then.
    pub fn options(&mut self, scope: &Scope, depth: usize, may_do_nothing: bool) -> Vec<Vec<Stmt>> {
        let with_else = self.rng.chance(25);
        let mut options = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            let head = if with_else { self.guard() } else { self.opening(scope) };
            options.push(self.option(head, scope, depth));
        }
        if self.features.timeout && !with_else && self.rng.chance(40) {
            options.push(vec![Stmt::text("timeout"), self.assignment()]);
        }
        if with_else {
            let rest = if may_do_nothing && self.rng.chance(60) { Stmt::text("skip") } else { self.assignment() };
            options.push(vec![Stmt::text("else"), rest]);
        }
        options
    }

    fn option(&mut self, head: Stmt, scope: &Scope, depth: usize) -> Vec<Stmt> {
        let mut option = vec![head];
        for _ in 0..self.rng.weighted(&[(4, 0), (5, 1), (2, 2)]) {
            option.push(self.statement(&scope.inside(), depth));
        }
        if scope.gotos && self.rng.chance(12) {
            option.push(Stmt::text("goto again"));
        }
        option
    }

    /// The head of an option: it blocks or changes something, so that the option is not a loop without effect.
    fn opening(&mut self, scope: &Scope) -> Stmt {
        let scope = &scope.head();
        match self.rng.below(10) {
            0..=3 => self.guard(),
            4 if !scope.atomic => self.sequence(scope, 0),
            _ => self.effect(scope),
        }
    }

    /// An atomic sequence, or a d_step.
    fn sequence(&mut self, scope: &Scope, depth: usize) -> Stmt {
        if self.features.d_step && self.rng.chance(40) {
            let body = [vec![self.guard()], (0..self.rng.between(1, 2)).map(|_| self.assignment()).collect()].concat();
            return Stmt::Block(Block::DStep, body);
        }
        let inside = Scope { atomic: true, ..scope.inside() };
        let head = if self.rng.chance(50) { self.guard() } else { self.effect(&inside.head()) };
        let mut body = vec![head];
        for _ in 0..self.rng.between(1, 2) {
            body.push(self.statement(&inside, depth));
        }
        Stmt::Block(Block::Atomic, body)
    }

    /// A statement without others inside.
    fn simple(&mut self, scope: &Scope) -> Stmt {
        let asserts = if self.features.asserts { 8 } else { 0 };
        match self.rng.weighted(&[(62, 0), (22, 1), (8, 2), (asserts, 3)]) {
            0 => self.effect(scope),
            1 => self.guard(),
            2 => Stmt::text("skip"),
            _ => Stmt::Simple(vec!["assert(".into(), self.global_test().into(), ")".into()]),
        }
    }

    /// A statement that changes something.
    fn effect(&mut self, scope: &Scope) -> Stmt {
        let rendezvous = if self.features.rendezvous { 16 } else { 0 };
        let buffered = if self.features.buffered { 16 } else { 0 };
        let run = if self.features.run && scope.runs { 8 } else { 0 };
        match self.rng.weighted(&[(40, 0), (rendezvous, 1), (buffered, 2), (run, 3)]) {
            0 => self.assignment(),
            1 => Stmt::text(self.rng.word(&["c!0", "c!1", "c?0", "c?1", "c?_", "c?l", "c!b"])),
            2 => Stmt::text(self.rng.word(&["q!0", "q!1", "q!b", "q?0", "q?1", "q?_", "q?b", "q?l"])),
            _ => self.start(),
        }
    }

    /// Starts a process, if there are not too many.
    fn start(&mut self) -> Stmt {
        // with a claim, pan counts it among the processes of _nr_pr
        let body = if self.kind == Kind::Accept && self.rng.chance(60) {
            let most = self.features.processes + usize::from(self.features.clock) + 2;
            vec![Stmt::condition(test("_nr_pr", "<", most)), Stmt::text("run R()")]
        } else {
            vec![Stmt::condition(test("started", "<", 2)), Stmt::text("started++"), Stmt::text("run R()")]
        };
        Stmt::Block(Block::Atomic, body)
    }

    fn assignment(&mut self) -> Stmt {
        if self.features.guards_errors && self.rng.chance(20) {
            return Stmt::text(self.rng.word(&["a[0] = 1", "a[1] = 1", "a[b] = 0", "a[1] = b", "a[0] = 1 - a[0]"]));
        }
        match self.rng.below(10) {
            0..=3 => {
                let (place, value) = (self.rng.word(&["x", "y"]), self.rng.word(&["x", "y", "b", "l"]));
                let step = self.rng.between(0, 2);
                Stmt::assign(atom(place), Expr::binary(test(value, "+", step), "%", atom("3")))
            }
            4..=6 => {
                let place = self.rng.word(&["x", "y", "l"]);
                Stmt::assign(atom(place), atom(self.rng.word(&["0", "1", "2"])))
            }
            7 => Stmt::assign(atom("b"), test("1", "-", "b")),
            8 => Stmt::assign(atom("b"), atom(self.rng.word(&["0", "1"]))),
            _ => Stmt::assign(atom("l"), atom(self.rng.word(&["x", "y", "b"]))),
        }
    }

    pub fn guard(&mut self) -> Stmt {
        let local = self.rng.chance(12);
        let value = self.rng.below(3);
        Stmt::condition(if local { test("l", "==", value) } else { self.global_test() })
    }

    /// A test of global variables and channels.
    pub fn global_test(&mut self) -> Expr {
        if self.features.buffered && self.rng.chance(8) {
            return atom(self.rng.word(&["full(q)", "empty(q)", "nempty(q)", "nfull(q)"]));
        }
        self.value_test()
    }

    /// A test of values; SPIN allows it as part of any expression.
    pub fn value_test(&mut self) -> Expr {
        let channel = if self.features.buffered { 2 } else { 0 };
        let clock = if self.features.clock { 2 } else { 0 };
        let value = self.rng.below(3);
        match self.rng.weighted(&[(5, 0), (4, 1), (2, 2), (2, 3), (2, 4), (channel, 5), (clock, 6)]) {
            0 => test(self.rng.word(&["x", "y"]), "==", value),
            1 => test(self.rng.word(&["x", "y"]), "!=", value),
            2 => test(self.rng.word(&["x", "y"]), self.rng.word(&["<", ">="]), value.max(1)),
            3 => test("x", self.rng.word(&["<", "==", "!="]), "y"),
            4 => test("b", "==", value % 2),
            5 => test("len(q)", self.rng.word(&["==", "<", ">"]), value.min(1)),
            _ => test("tick", "==", value % 2),
        }
    }

    /// A statement with a label that its property asks for, in some percent of cases.
    pub fn maybe_labelled(&mut self, statement: Stmt, scope: &Scope) -> Stmt {
        let has_own_labels = self.features.waits;
        if has_own_labels || matches!(statement, Stmt::Labelled(..) | Stmt::Unless(..)) {
            return statement;
        }
        let (percent, word) = match self.kind {
            Kind::Progress => (24, "progress"),
            // whether pan sees an accept label inside an atomic sequence depends on the order of its search
            Kind::Accept | Kind::Never if scope.atomic => (0, ""),
            Kind::Accept => (16, "accept"),
            Kind::Never if self.rng.chance(4) => (100, "accept"),
            Kind::Never => (3, "progress"),
            Kind::Ltl => (0, ""),
        };
        let refers = matches!(self.kind, Kind::Never | Kind::Ltl) && self.rng.chance(12);
        if !refers && !self.rng.chance(percent) {
            return statement;
        }
        self.labels += 1;
        let label = format!("{}{}", if refers { "at" } else { word }, self.labels);
        if refers {
            let place = Referable { process: format!("P{}", scope.process), pid: 0, label: Some(label.clone()) };
            self.places.push(place);
        }
        Stmt::Labelled(label, Box::new(statement))
    }
}
