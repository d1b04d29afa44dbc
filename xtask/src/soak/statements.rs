//! Statements of the models that aim at the reductions.

use crate::generate::tree::{Block, Choice, Expr, Stmt};

use super::models::Maker;
use super::themes::{Theme, Traits};

#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    pub capacity: usize,
}

/// The context of a statement: what it can refer to, and where it is.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The number of its process.
    pub process: usize,
    pub channels: Vec<Channel>,
    /// Inside an atomic sequence.
    pub atomic: bool,
}

impl Scope {
    /// This context inside an atomic sequence.
    pub fn inside(&self) -> Scope {
        Scope { atomic: true, ..self.clone() }
    }
}

fn atom(text: &str) -> Expr {
    Expr::atom(text)
}

fn test(left: &str, operator: &'static str, right: &str) -> Expr {
    Expr::binary(atom(left), operator, atom(right))
}

impl Maker {
    /// A label of a valid end state.
    pub fn end_label(&mut self) -> String {
        self.labels += 1;
        format!("end{}", self.labels)
    }

    /// One or more statements.
    pub fn statement(&mut self, scope: &Scope, depth: usize) -> Vec<Stmt> {
        let compound = if depth > 0 { 4 } else { 0 };
        match self.rng.weighted(&[(6, 0), (2, 1), (2, 2), (2, 3), (compound, 4)]) {
            0 => vec![self.small(scope)],
            1 => vec![self.guard(scope)],
            2 => vec![self.send(scope)],
            3 => vec![self.receive(scope)],
            _ => self.compound(scope, depth - 1),
        }
    }

    /// This many statements that do not block.
    pub fn smalls(&mut self, scope: &Scope, least: usize, most: usize) -> Vec<Stmt> {
        (0..self.rng.between(least, most)).map(|_| self.small(scope)).collect()
    }

    /// At most this many statements that do not block, usually fewer.
    pub fn noise(&mut self, scope: &Scope, most: usize) -> Vec<Stmt> {
        if !self.coherent {
            return self.smalls(scope, 0, most);
        }
        let count = (0..most).filter(|_| self.rng.chance(30)).count();
        (0..count).map(|_| if self.rng.chance(50) { self.local() } else { self.small(scope) }).collect()
    }

    /// An assignment to `x` in so many percent of models whose variables have parts, any in the others.
    pub fn signal(&mut self, percent: usize, value: &str) -> Vec<Stmt> {
        if !self.coherent {
            return vec![self.global_assignment()];
        }
        let wanted = self.rng.chance(percent);
        if wanted { vec![Stmt::assign(atom("x"), atom(value))] } else { Vec::new() }
    }

    /// A statement that accesses only variables of the process.
    pub fn local(&mut self) -> Stmt {
        match self.rng.below(5) {
            0 => Stmt::text("skip"),
            1 => Stmt::text("printf(\"%d\\n\", l)"),
            2 => Stmt::assign(atom("l"), Expr::binary(test("l", "+", "1"), "%", atom("3"))),
            _ => Stmt::assign(atom("l"), atom(self.rng.word(&["0", "1", "1", "2"]))),
        }
    }

    /// A statement that does not block.
    pub fn small(&mut self, _: &Scope) -> Stmt {
        let Traits { faults, hidden, unread, run, priority, .. } = self.traits;
        let weight = |wanted: bool, weight: usize| if wanted { weight } else { 0 };
        let rows = [
            (16, 0),
            (10, 1),
            (1, 2),
            (weight(unread, 6), 3),
            (weight(hidden, 6), 4),
            (weight(faults, 5), 5),
            (weight(run, 4), 6),
            (weight(priority, 6), 7),
        ];
        match self.rng.weighted(&rows) {
            0 => self.global_assignment(),
            1 => self.local(),
            2 => self.assertion(),
            3 => Stmt::text(self.rng.word(&["u = l", "u = x", "u = 1", "u = u + 1"])),
            4 => Stmt::text(self.rng.word(&["h = 1", "h = x", "l = h", "y = h", "h = l"])),
            5 => Stmt::text(self.rng.word(&[
                "l = 2 / x",
                "y = 3 / l",
                "a[l] = 1",
                "l = a[x]",
                "l = 4 / (2 - l)",
                "a[x] = l",
                "x = a[l]",
                "l = 6 % y",
            ])),
            6 => Stmt::Choice(
                Choice::If,
                vec![vec![Stmt::condition(test("_nr_pr", "<", "5")), Stmt::text("run S(c)")], vec![Stmt::text("else")]],
            ),
            _ => {
                let pid = self.rng.below(self.processes.max(1));
                let value = self.rng.between(1, 3);
                Stmt::text(match self.rng.below(3) {
                    0 => format!("_priority = {value}"),
                    1 => format!("l = get_priority({pid})"),
                    _ => format!("set_priority({pid}, {value})"),
                })
            }
        }
    }

    pub fn global_assignment(&mut self) -> Stmt {
        let places: &[&'static str] =
            if self.coherent { &["go", "go", "go", "go", "y"] } else { &["x", "x", "x", "y", "y", "go"] };
        let place = self.rng.word(places);
        let value = match self.rng.below(9) {
            0..=2 => atom("1"),
            3..=4 => atom("0"),
            5 => atom("2"),
            6 => atom("l"),
            7 => atom(self.rng.word(&["x", "y"])),
            _ => Expr::binary(test(place, "+", "1"), "%", atom("3")),
        };
        Stmt::assign(atom(place), value)
    }

    /// A test of global variables.
    pub fn global_test(&mut self) -> Expr {
        let variable = self.rng.word(&["x", "x", "y", "go"]);
        let value = self.rng.word(&["0", "1", "1", "2"]);
        test(variable, self.rng.weighted(&[(6, "=="), (2, "!="), (1, "<"), (1, ">")]), value)
    }

    /// A test of the location of another process, or of its variable.
    pub fn remote_test(&mut self, own: usize) -> Expr {
        let others: Vec<usize> = (0..self.processes).filter(|&other| other != own).collect();
        let Some(&other) = others.get(self.rng.below(others.len().max(1))) else { return self.global_test() };
        let at = match self.rng.below(4) {
            0 => test(&format!("P{other}:l"), "==", self.rng.word(&["0", "1"])),
            _ => atom(&format!("P{other}@L")),
        };
        if self.rng.chance(40) { Expr::unary("!", at) } else { at }
    }

    pub fn test(&mut self, scope: &Scope) -> Expr {
        if self.traits.remote && self.rng.chance(45) {
            return self.remote_test(scope.process);
        }
        if self.traits.special && self.rng.chance(40) {
            return self.special(scope);
        }
        match self.rng.below(10) {
            0..=5 => self.global_test(),
            6..=7 => test("l", self.rng.word(&["==", "!=", "<"]), self.rng.word(&["0", "1", "2"])),
            8 => test("x", self.rng.word(&["==", "!="]), self.rng.word(&["y", "l"])),
            _ => Expr::binary(self.global_test(), self.rng.word(&["&&", "||"]), self.global_test()),
        }
    }

    fn special(&mut self, scope: &Scope) -> Expr {
        let other = (0..self.processes).find(|&other| other != scope.process).unwrap_or(0);
        match self.rng.below(5) {
            0 => test("_nr_pr", self.rng.word(&["==", "<"]), self.rng.word(&["1", "2", "3"])),
            1 | 2 => test("_last", self.rng.word(&["==", "!="]), self.rng.word(&["0", "1", "2"])),
            3 => Expr::atom(format!("enabled({other})")),
            _ => test(&format!("pc_value({other})"), "==", self.rng.word(&["1", "2", "3", "4"])),
        }
    }

    /// A statement that can block, and is neither a send nor a receive.
    pub fn guard(&mut self, scope: &Scope) -> Stmt {
        let buffered: Vec<Channel> =
            scope.channels.iter().filter(|c| c.name == "d" && c.capacity > 0).cloned().collect();
        if !buffered.is_empty() && self.rng.chance(40) {
            let name = buffered[0].name.clone();
            let value = self.rng.below(2);
            return match self.rng.below(6) {
                0 => Stmt::text(format!("full({name})")),
                1 => Stmt::text(format!("empty({name})")),
                2 => Stmt::text(format!("nfull({name})")),
                3 => Stmt::text(format!("nempty({name})")),
                4 => Stmt::condition(Expr::atom(format!("{name}?[{value}]"))),
                _ => Stmt::condition(test(&format!("len({name})"), "==", &value.to_string())),
            };
        }
        if self.traits.timeout && self.rng.chance(25) {
            return Stmt::text("timeout");
        }
        Stmt::condition(self.test(scope))
    }

    fn channel(&mut self, scope: &Scope) -> Channel {
        let first = scope.channels.first().cloned();
        match first {
            Some(first) if self.rng.chance(if self.coherent { 85 } else { 50 }) => first,
            _ => self.rng.pick(&scope.channels).clone(),
        }
    }

    pub fn send(&mut self, scope: &Scope) -> Stmt {
        if (self.traits.message || self.traits.own_channel) && self.rng.chance(20) {
            return Stmt::text(self.rng.word(&["n!c", "n!w", "n!c"]));
        }
        let Channel { name, capacity } = self.channel(scope);
        let value = if self.coherent { "1" } else { self.rng.word(&["1", "1", "1", "0", "l", "x"]) };
        let sorted = capacity > 0 && self.rng.chance(10);
        Stmt::text(format!("{name}{}{value}", if sorted { "!!" } else { "!" }))
    }

    pub fn receive(&mut self, scope: &Scope) -> Stmt {
        if (self.traits.message || self.traits.own_channel) && self.rng.chance(20) {
            return Stmt::text("n?w");
        }
        let Channel { name, capacity } = self.channel(scope);
        let values: &[&'static str] = if self.coherent {
            &["_", "_", "_", "l", "1", "eval(x)"]
        } else {
            &["_", "_", "l", "l", "x", "1", "1", "eval(x)", "eval(l)"]
        };
        let value = self.rng.word(values);
        let operator = if capacity > 0 && self.rng.chance(20) { "??" } else { "?" };
        if capacity > 0 && name == "d" && self.rng.chance(10) {
            return Stmt::text(format!("{name}?<{value}>"));
        }
        Stmt::text(format!("{name}{operator}{value}"))
    }

    /// A counter that takes many statements: `i` goes up to about half the number of statements wanted.
    pub fn counter(&mut self) -> Vec<Stmt> {
        let most = match self.rng.below(8) {
            0 => self.rng.between(14, 24),
            1 | 2 => self.rng.between(59, 66),
            _ => self.rng.between(29, 32),
        };
        let up = vec![Stmt::condition(test("i", "<", &most.to_string())), Stmt::text("i++")];
        let end = if self.rng.chance(50) {
            vec![Stmt::condition(test("i", "==", &most.to_string())), Stmt::text("break")]
        } else {
            vec![Stmt::text("else"), Stmt::text("break")]
        };
        let mut made = vec![Stmt::Choice(Choice::Do, vec![up, end])];
        if self.rng.chance(40) {
            made.push(Stmt::Choice(Choice::If, vec![vec![Stmt::condition(test("i", "==", &most.to_string()))]]));
        }
        made
    }

    fn compound(&mut self, scope: &Scope, depth: usize) -> Vec<Stmt> {
        let Traits { unless, d_step, long, .. } = self.traits;
        let weight = |wanted: bool, weight: usize| if wanted { weight } else { 0 };
        let rows = [
            (weight(!scope.atomic, 5), 0),
            (4, 1),
            (3, 2),
            (weight(unless, 5), 3),
            (weight(d_step, 5), 4),
            (weight(long && scope.atomic, 3), 5),
        ];
        match self.rng.weighted(&rows) {
            0 => {
                let inside = scope.inside();
                let mut body = self.sequence(&inside, 2, 4, depth);
                if self.traits.long && self.rng.chance(30) {
                    let at = self.rng.below(body.len());
                    body.splice(at..at, self.counter());
                }
                vec![Stmt::Block(Block::Atomic, body)]
            }
            1 => vec![Stmt::Choice(Choice::If, self.options(scope, depth))],
            2 => {
                let mut options = self.options(scope, depth);
                if self.rng.chance(70) {
                    let guard = if self.rng.chance(50) { vec![] } else { vec![self.guard(scope)] };
                    options.push([guard, vec![Stmt::text("break")]].concat());
                }
                let choice = Stmt::Choice(Choice::Do, options);
                vec![if self.rng.chance(50) && !scope.atomic {
                    Stmt::Labelled(self.end_label(), Box::new(choice))
                } else {
                    choice
                }]
            }
            3 => {
                let main = self.sequence(scope, 1, 3, depth);
                let escape = [vec![self.opening(scope)], self.smalls(scope, 0, 1)].concat();
                vec![Stmt::Unless(main, escape)]
            }
            4 => vec![Stmt::text("skip"), self.d_step(scope)],
            _ => self.counter(),
        }
    }

    /// A `d_step` that blocks nowhere but at its guard.
    pub fn d_step(&mut self, scope: &Scope) -> Stmt {
        let guard = match self.rng.below(4) {
            0 => self.global_assignment(),
            1 => Stmt::condition(self.global_test()),
            _ => self.receive(scope),
        };
        let mut body = vec![guard];
        for _ in 0..self.rng.between(1, 2) {
            body.push(if self.rng.chance(50) { self.global_assignment() } else { self.local() });
        }
        if self.rng.chance(25) {
            let option = vec![Stmt::condition(self.global_test()), self.global_assignment()];
            body.push(Stmt::Choice(Choice::If, vec![option, vec![Stmt::text("else")]]));
        }
        Stmt::Block(Block::DStep, body)
    }

    pub fn sequence(&mut self, scope: &Scope, least: usize, most: usize, depth: usize) -> Vec<Stmt> {
        (0..self.rng.between(least, most)).flat_map(|_| self.statement(scope, depth)).collect()
    }

    /// The first statement of an option or an escape.
    pub fn opening(&mut self, scope: &Scope) -> Stmt {
        match self.rng.weighted(&[(4, 0), (3, 1), (3, 2), (1, 3)]) {
            0 => self.guard(scope),
            1 => self.send(scope),
            2 => self.receive(scope),
            _ => self.small(scope),
        }
    }

    fn options(&mut self, scope: &Scope, depth: usize) -> Vec<Vec<Stmt>> {
        let mut options: Vec<Vec<Stmt>> = (0..self.rng.between(1, 2))
            .map(|_| {
                let mut option = vec![self.opening(scope)];
                if self.rng.chance(70) {
                    option.extend(self.statement(scope, depth));
                }
                option
            })
            .collect();
        let escapes = self.theme == Theme::Escapes;
        if self.rng.chance(if escapes { 60 } else { 30 }) {
            let mut last = vec![Stmt::text("else")];
            last.extend(self.smalls(scope, 0, 1));
            options.push(last);
        }
        options
    }
}
