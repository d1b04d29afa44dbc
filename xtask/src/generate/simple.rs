//! Statements without statements inside.

use super::builder::{Builder, Place};
use super::plan;
use super::symbols::{Parameter, Type, Variable};
use super::tree::{Choice, Expr, Piece, Stmt};

impl Builder<'_> {
    /// One statement, or a few that belong together. It may block, but only where a channel or a condition says so.
    pub fn simple(&mut self, place: Place) -> Vec<Stmt> {
        let has_channels = !self.channels.is_empty();
        let talk = if has_channels { 5 } else { 0 };
        let runs = if self.symbols.features.run && self.me.is_some() { 2 } else { 0 };
        let calls = 2 * usize::from(!self.symbols.inlines.is_empty() || !self.symbols.macros.is_empty());
        let loops = usize::from(self.symbols.features.loops);
        let kind = self.rng.weighted(&[
            (8, 'a'),
            (3, '+'),
            (1, 'c'),
            (2, '!'),
            (1, 'p'),
            (1, 's'),
            (talk, 'S'),
            (talk, 'R'),
            (runs, 'r'),
            (1, 'g'),
            (usize::from(place.breakable), 'b'),
            (1, 'd'),
            (calls, 'i'),
            (loops, 'v'),
        ]);
        let one = |stmt: Option<Stmt>| stmt.map(|stmt| vec![stmt]);
        let made = match kind {
            '+' => one(self.increment(place)),
            'c' => Some(vec![Stmt::condition(self.guard())]),
            '!' => Some(vec![self.assertion()]),
            'p' => Some(vec![self.print()]),
            's' => Some(vec![self.skip()]),
            'S' => one(self.send()),
            'R' => self.receive(place),
            'r' => self.run(place),
            'g' => one(self.goto(place)),
            'b' => {
                self.marks.add("break");
                Some(vec![Stmt::text("break")])
            }
            'd' => one(self.late_declaration()),
            'i' => one(self.call()),
            'v' => one(self.select()),
            _ => None,
        };
        let made = made.unwrap_or_else(|| vec![self.assignment(place)]);
        let may_block = matches!(kind, 'c' | 'S' | 'R');
        if may_block && self.symbols.features.non_blocking { vec![self.or_else(made)] } else { made }
    }

    /// Goes on when the first of `statements` cannot be executed.
    fn or_else(&mut self, statements: Vec<Stmt>) -> Stmt {
        let way_out = self.rng.weighted(&[(6, "else"), (1, "timeout"), (2, "_nr_pr > 0")]);
        if way_out != "_nr_pr > 0" {
            self.marks.add(way_out);
        }
        Stmt::Choice(Choice::If, vec![statements, vec![Stmt::text(way_out)]])
    }

    pub fn skip(&mut self) -> Stmt {
        self.marks.add("skip");
        Stmt::text(*self.rng.pick(&["skip", "true", "1"]))
    }

    pub fn assignment(&mut self, place: Place) -> Stmt {
        let Some((target, ty)) = self.target() else {
            return self.skip();
        };
        let value = match ty {
            Type::Mtype(set) => {
                let constant = self.rng.pick(&self.symbols.mtypes[set].constants).clone();
                let other = if self.rng.chance(25) { self.source(|ty| ty == Type::Mtype(set)) } else { None };
                other.unwrap_or_else(|| Expr::atom(constant))
            }
            _ => self.value(place),
        };
        Stmt::assign(target, value)
    }

    /// A number to assign; where it is assigned again and again, one of few.
    fn value(&mut self, place: Place) -> Expr {
        if self.rng.chance(35) {
            return Expr::atom(self.rng.below(4).to_string());
        }
        if !place.repeats {
            return self.number(2);
        }
        let inner = self.number(1);
        match self.rng.below(3) {
            0 => Expr::binary(inner, "%", Expr::atom(self.rng.between(2, 3).to_string())),
            1 => Expr::binary(inner, "&", Expr::atom((*self.rng.pick(&[1, 3])).to_string())),
            _ => self.condition(),
        }
    }

    fn increment(&mut self, place: Place) -> Option<Stmt> {
        let (target, ty) = self.plain_target(|ty| !matches!(ty, Type::Mtype(_)))?;
        self.marks.add("increment");
        let narrow = matches!(ty, Type::Bit | Type::Bool | Type::Unsigned(_));
        if place.repeats && !narrow {
            let next = Expr::binary(target.clone(), "+", Expr::atom("1"));
            return Some(Stmt::assign(target, Expr::binary(next, "%", Expr::atom("3"))));
        }
        let operator = *self.rng.pick(&["++", "--"]);
        Some(Stmt::Simple(vec![target.into(), operator.into()]))
    }

    /// Fails in some models and holds in others.
    pub fn assertion(&mut self) -> Stmt {
        self.marks.add("assert");
        let condition = match self.rng.below(10) {
            0..=5 => {
                // Rarely false: one value of many is excluded.
                let left = self.source(|ty| !matches!(ty, Type::Mtype(_))).unwrap_or_else(|| Expr::atom("_nr_pr"));
                Expr::binary(left, "!=", Expr::atom(self.rng.between(2, 7).to_string()))
            }
            6 | 7 => {
                let condition = self.condition();
                Expr::binary(condition, "||", Expr::atom("true"))
            }
            _ => self.condition(),
        };
        Stmt::Simple(vec!["assert(".into(), condition.into(), ")".into()])
    }

    fn print(&mut self) -> Stmt {
        self.marks.add("printf");
        match self.rng.below(3) {
            0 => Stmt::text("printf(\"here\\n\")"),
            1 => {
                let value = self.number(1);
                Stmt::Simple(vec!["printf(\"%d\\n\", ".into(), value.into(), ")".into()])
            }
            _ => match self.source(|ty| matches!(ty, Type::Mtype(_))) {
                Some(value) => Stmt::Simple(vec!["printf(\"%e\\n\", ".into(), value.into(), ")".into()]),
                None => Stmt::text("printf(\"%x %c\\n\", _pid, 65)"),
            },
        }
    }

    /// Runs a process that comes later in the list, so that nothing runs itself; where it could be repeated, only while
    /// there are few processes.
    fn run(&mut self, place: Place) -> Option<Vec<Stmt>> {
        let me = self.me?;
        let later: Vec<usize> =
            (me + 1..self.symbols.proctypes.len()).filter(|&k| self.symbols.proctypes[k].is_run()).collect();
        if later.is_empty() {
            return None;
        }
        let child = *self.rng.pick(&later);
        let call = self.run_call(child);
        self.marks.add("run");
        if place.atomic {
            self.marks.add("run in atomic");
        }
        let mut statements = Vec::new();
        if place.repeats || self.rng.chance(20) {
            self.marks.add("run guarded by _nr_pr");
            statements.push(Stmt::text("_nr_pr < 4"));
        }
        let mut pieces = call;
        if self.rng.chance(20) {
            let target = self.plain_target(|ty| matches!(ty, Type::Byte | Type::Pid | Type::Int));
            if let Some((target, _)) = target {
                self.marks.add("run as value");
                pieces.splice(0..0, [target.into(), " = ".into()]);
            }
        }
        statements.push(Stmt::Simple(pieces));
        Some(statements)
    }

    /// `run P(arguments)`
    pub fn run_call(&mut self, child: usize) -> Vec<Piece> {
        let proctype = &self.symbols.proctypes[child];
        let name = proctype.name.as_deref().unwrap_or("init");
        let mut pieces = vec![Piece::from(format!("run {name}("))];
        for (k, parameter) in proctype.parameters.iter().enumerate() {
            if k > 0 {
                pieces.push(", ".into());
            }
            pieces.push(match parameter {
                Parameter::Scalar(_, Type::Mtype(set)) => {
                    Piece::from(self.rng.pick(&self.symbols.mtypes[*set].constants).clone())
                }
                Parameter::Scalar(..) if self.rng.chance(60) => self.constant().into(),
                Parameter::Scalar(..) => self.number(1).into(),
                Parameter::Channel(_, signature) => {
                    let named: Vec<String> = self
                        .channels
                        .iter()
                        .filter(|channel| channel.signature == *signature)
                        .map(|channel| channel.name.clone())
                        .collect();
                    Piece::from(self.rng.pick(&named).clone())
                }
                Parameter::Record(_, record) => {
                    let named: Vec<String> =
                        self.records.iter().filter(|v| v.record == *record).map(|v| v.name.clone()).collect();
                    Piece::from(self.rng.pick(&named).clone())
                }
            });
        }
        pieces.push(")".into());
        pieces
    }

    /// Backward too, but not from inside an atomic: a loop without a stored state would have no end.
    pub fn goto(&mut self, place: Place) -> Option<Stmt> {
        let labels = &self.symbols.proctypes[self.me?].labels;
        let first = if place.atomic { place.top + 1 } else { 0 };
        let reachable: Vec<&String> = labels.iter().skip(first).flatten().collect();
        if reachable.is_empty() {
            return None;
        }
        self.marks.add("goto");
        Some(Stmt::text(format!("goto {}", self.rng.pick(&reachable))))
    }

    /// Is an assignment, each time control passes it.
    fn late_declaration(&mut self) -> Option<Stmt> {
        self.me.filter(|_| !self.symbols.features.priority)?;
        self.marks.add("declaration after statement");
        let (name, ty) = (self.fresh_name("d"), plan::scalar_type(self.rng, self.marks, self.symbols));
        let value = if self.rng.chance(60) { plan::value_of(self.rng, self.symbols, ty) } else { String::new() };
        let declaration = self.symbols.declaration(&name, ty, &value);
        self.variables.push(Variable::scalar(name, ty));
        Some(Stmt::text(declaration))
    }

    /// Of an inline or a macro.
    fn call(&mut self) -> Option<Stmt> {
        self.me?; // an inline calls no other
        let callables = [&self.symbols.inlines[..], &self.symbols.macros[..]].concat();
        if callables.is_empty() {
            return None;
        }
        let callable = self.rng.pick(&callables).clone();
        let (target, _) = self.plain_target(|ty| matches!(ty, Type::Byte | Type::Short | Type::Int))?;
        if matches!(&target, Expr::Within(..)) || matches!(&target, Expr::Atom(name) if name.contains('.')) {
            return None; // spin takes a field as an argument only if no formal is spelt like a part of it
        }
        let mut pieces = vec![Piece::from(format!("{}(", callable.name)), target.into()];
        if callable.arguments == 2 {
            // No argument with an arrow, so no conditional.
            pieces.extend([", ".into(), self.number(0).into()]);
        }
        pieces.push(")".into());
        Some(Stmt::Simple(pieces))
    }

    fn select(&mut self) -> Option<Stmt> {
        self.me?;
        let (target, _) = self.plain_target(|ty| matches!(ty, Type::Byte | Type::Short | Type::Int))?;
        let Expr::Atom(name) = target else { return None };
        if name.contains('.') {
            return None;
        }
        if self.rng.chance(60) {
            self.marks.add("select constant");
            let low = self.rng.below(2);
            return Some(Stmt::text(format!("select ({name} : {low} .. {})", low + self.rng.between(1, 2))));
        }
        self.marks.add("select variable");
        let bound = self.source(|ty| matches!(ty, Type::Bit | Type::Bool))?;
        Some(Stmt::Simple(vec![format!("select ({name} : 0 .. ").into(), bound.into(), " + 1)".into()]))
    }
}
