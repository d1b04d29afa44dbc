//! Statements with statements inside.

use super::builder::{Builder, Place};
use super::symbols::{Access, MessageField, Type, Variable};
use super::tree::{Block, Choice, Expr, Piece, Stmt};

impl Builder<'_> {
    /// `count` statements or a few more; names declared inside end with it.
    pub fn sequence(&mut self, count: usize, place: Place) -> Vec<Stmt> {
        self.scoped(|builder| {
            let mut body = Vec::new();
            for _ in 0..count {
                builder.append(&mut body, place);
            }
            body
        })
    }

    /// Appends a statement to `body`, whose names are in scope.
    pub fn append(&mut self, body: &mut Vec<Stmt>, place: Place) {
        let made = self.statement(place);
        if matches!(made.first(), Some(Stmt::Block(Block::DStep, _))) && body.last().is_none_or(ends_in_jump) {
            body.push(self.skip()); // spin refuses a jump to the start of a d_step
        }
        body.extend(made);
    }

    pub fn statement(&mut self, place: Place) -> Vec<Stmt> {
        if place.depth == 0 || self.rng.chance(55) {
            return self.simple(place);
        }
        let features = self.symbols.features;
        let on = |flag: bool, weight: usize| if flag { weight } else { 0 };
        let kind = self.rng.weighted(&[
            (6, 'i'),
            (on(!place.atomic, 4), 'd'),
            (on(features.loops, 2), 'c'),
            (on(features.loops, 3), 'f'),
            (on(features.atomic && !place.atomic, 6), 'a'),
            (on(features.d_step && !place.atomic, 5), 's'),
            (on(features.unless, 4), 'u'),
            (on(!features.priority, 1), 'b'),
        ]);
        match kind {
            'i' => {
                self.marks.add("if");
                if place.atomic {
                    self.marks.add("choice in atomic");
                }
                let options = self.options(place);
                vec![Stmt::Choice(Choice::If, options)]
            }
            'd' => vec![self.event_loop(place)],
            'c' => self.counter_loop(place),
            'f' => self.for_loop(place),
            'a' => {
                self.marks.add("atomic");
                let count = self.rng.between(1, 3);
                vec![Stmt::Block(Block::Atomic, self.sequence(count, Place { atomic: true, ..place.deeper() }))]
            }
            's' => vec![self.d_step(place)],
            'u' => vec![self.unless(place)],
            _ => vec![self.inner_block(place)],
        }
    }

    /// The options of an if.
    fn options(&mut self, place: Place) -> Vec<Vec<Stmt>> {
        let mut options: Vec<Vec<Stmt>> = (0..self.rng.between(1, 2)).map(|_| self.option(place)).collect();
        match self.rng.below(if self.symbols.features.non_blocking { 7 } else { 10 }) {
            0..=3 => options.push(self.else_option(place)),
            4..=6 => {
                // Never the skip alone: after a label it could be an unconditional self-loop, which pan refuses.
                let mut option = vec![self.skip(), self.assignment(place)];
                option.extend(self.tail(place));
                options.push(option);
            }
            _ => {}
        }
        keep_one_else(&mut options, &mut false);
        options
    }

    fn else_option(&mut self, place: Place) -> Vec<Stmt> {
        self.marks.add("else");
        let mut option = vec![Stmt::text("else")];
        option.extend(self.tail(place));
        option
    }

    fn tail(&mut self, place: Place) -> Vec<Stmt> {
        let count = self.rng.weighted(&[(3, 0), (5, 1), (2, 2)]);
        self.sequence(count, place.deeper())
    }

    /// A guard and what follows it.
    pub fn option(&mut self, place: Place) -> Vec<Stmt> {
        let talk = if self.channels.is_empty() { 0 } else { 4 };
        let features = self.symbols.features;
        let kind = self.rng.weighted(&[
            (10, 'c'),
            (talk, 'S'),
            (talk, 'R'),
            (if features.timeout { 2 } else { 0 }, 't'),
            (2, 'a'),
            (usize::from(place.breakable), 'b'),
            (usize::from(self.me.is_some()), 'g'),
            (usize::from(place.depth > 1), 'n'),
            (if features.atomic && !place.atomic { 2 } else { 0 }, 'A'),
            (if features.d_step && !place.atomic { 2 } else { 0 }, 'D'),
            (usize::from(place.depth > 1), 'l'),
        ]);
        let mut option = match kind {
            'S' => self.send().map(|stmt| vec![stmt]),
            'R' => self.receive(place),
            't' => {
                self.marks.add("timeout");
                Some(vec![Stmt::text("timeout")])
            }
            'a' => Some(vec![self.assignment(place)]),
            'b' => {
                self.marks.add("bare break option");
                return vec![Stmt::text("break")];
            }
            'g' => {
                if let Some(jump) = self.goto(place) {
                    self.marks.add("goto option");
                    return vec![jump];
                }
                None
            }
            'n' => {
                self.marks.add("nested choice at head");
                Some(vec![Stmt::Choice(Choice::If, self.options(place.deeper()))])
            }
            'A' => {
                self.marks.add("atomic");
                let mut inside = vec![Stmt::condition(self.guard())];
                inside.extend(self.sequence(1, Place { atomic: true, depth: 1, ..place }));
                Some(vec![Stmt::Block(Block::Atomic, inside)])
            }
            'D' => Some(vec![self.d_step(place)]),
            'l' => {
                self.marks.add("label in option");
                let (label, guard) = (self.fresh_name("end"), self.guard());
                Some(vec![Stmt::Labelled(label, Box::new(Stmt::condition(guard)))])
            }
            _ => None,
        }
        .unwrap_or_else(|| vec![Stmt::condition(self.guard())]);
        option.extend(self.tail(place));
        option
    }

    /// A loop that waits for things to happen; it may have a way out.
    pub fn event_loop(&mut self, place: Place) -> Stmt {
        self.marks.add("do");
        let inside = Place { repeats: true, breakable: true, ..place.deeper() };
        let mut options: Vec<Vec<Stmt>> = (0..self.rng.between(1, 3)).map(|_| self.option(inside)).collect();
        self.marks.add("break");
        match self.rng.below(if self.symbols.features.non_blocking { 4 } else { 8 }) {
            0..=2 => {
                self.marks.add("else");
                options.push(vec![Stmt::text("else"), Stmt::text("break")]);
            }
            3 => {
                self.marks.add("bare break option");
                options.push(vec![Stmt::text("break")]);
            }
            4 | 5 => options.push(vec![Stmt::condition(self.guard()), Stmt::text("break")]),
            6 if self.symbols.features.timeout => {
                self.marks.add("timeout");
                options.push(vec![Stmt::text("timeout"), Stmt::text("break")]);
            }
            _ => {}
        }
        keep_one_else(&mut options, &mut false);
        Stmt::Choice(Choice::Do, options)
    }

    /// `i = 0; do :: i < n -> S; i++ :: else -> break od`, with the counter its own.
    fn counter_loop(&mut self, place: Place) -> Vec<Stmt> {
        self.marks.add("do counter loop");
        if place.atomic {
            self.marks.add("loop in atomic");
        }
        let counter = self.counter();
        let bound = self.rng.between(1, 3);
        let mut pass = vec![Stmt::text(format!("{counter} < {bound}")), Stmt::text(format!("{counter}++"))];
        // In an atomic a break from the middle is fine, for it only ends the loop sooner.
        pass.extend(self.sequence(1, Place { breakable: true, ..place.deeper() }));
        let exit = vec![Stmt::text("else"), Stmt::text("break")];
        vec![Stmt::text(format!("{counter} = 0")), Stmt::Choice(Choice::Do, vec![pass, exit])]
    }

    fn for_loop(&mut self, place: Place) -> Vec<Stmt> {
        if place.atomic {
            self.marks.add("loop in atomic");
        }
        let inside = Place { breakable: true, ..place.deeper() };
        let special = match self.rng.below(5) {
            0 | 1 => self.for_array(inside),
            2 | 3 => self.for_channel(inside),
            _ => None,
        };
        if let Some(stmt) = special {
            return vec![stmt];
        }
        let counter = self.counter();
        let low = self.rng.below(2);
        let head = if self.rng.chance(70) {
            self.marks.add("for range");
            vec![Piece::from(format!("{counter} : {low} .. {}", low + self.rng.between(0, 2)))]
        } else {
            // The bound may change under way, but it never exceeds 3.
            self.marks.add("for variable bound");
            let bound = Expr::binary(self.number(0), "&", Expr::atom("3"));
            vec![format!("{counter} : {low} .. (").into(), bound.into(), ")".into()]
        };
        let count = self.rng.between(1, 2);
        vec![Stmt::For(head, self.sequence(count, inside))]
    }

    fn for_array(&mut self, inside: Place) -> Option<Stmt> {
        if self.symbols.arrays.is_empty() {
            return None;
        }
        self.marks.add("for array");
        let (array, _) = self.rng.pick(&self.symbols.arrays).clone();
        let counter = self.counter();
        let element = Expr::atom(format!("{array}[{counter}]"));
        let mut body = self.sequence(1, inside);
        let condition = Expr::binary(element, "!=", Expr::atom(self.rng.between(3, 6).to_string()));
        body.push(Stmt::Simple(vec!["assert(".into(), condition.into(), ")".into()]));
        Some(Stmt::For(vec![format!("{counter} in {array}").into()], body))
    }

    /// Takes each message out and puts it back, so it needs a variable of the record the channel carries.
    fn for_channel(&mut self, inside: Place) -> Option<Stmt> {
        let channel = self.channel(|symbols, channel| {
            let signature = &symbols.signatures[channel.signature];
            signature.capacity > 0 && matches!(signature.fields[..], [MessageField::Record(_)])
        })?;
        let [MessageField::Record(record)] = self.symbols.signatures[channel.signature].fields[..] else { return None };
        let variable = self.records.iter().find(|variable| variable.record == record)?.name.clone();
        if variable.contains('[') {
            return None;
        }
        self.marks.add("for channel");
        // Nothing that could take messages out of turn: the loop would wait for them.
        let body = vec![self.assignment(inside), self.assertion()];
        Some(Stmt::For(vec![format!("{variable} in {}", channel.name).into()], body))
    }

    fn unless(&mut self, place: Place) -> Stmt {
        self.marks.add("unless");
        if place.in_unless {
            self.marks.add("nested unless");
        }
        if place.atomic {
            self.marks.add("unless in atomic");
        }
        let inside = Place { in_unless: true, ..place.deeper() };
        let count = self.rng.between(1, 3);
        let main = self.sequence(count, inside);
        let received = if self.rng.chance(35) { self.receive(place) } else { None };
        let mut escape = match received {
            Some(first) => {
                self.marks.add("unless with receive");
                first
            }
            None => vec![Stmt::condition(self.guard())],
        };
        escape.extend(self.tail(place));
        Stmt::Unless(main, escape)
    }

    fn inner_block(&mut self, place: Place) -> Stmt {
        self.marks.add("declaration in inner block");
        let name = self.fresh_name("b");
        let value = self.rng.below(3);
        let body = self.scoped(|builder| {
            builder.variables.push(Variable::scalar(&name, Type::Byte).with_access(Access::Free));
            let mut body = vec![Stmt::text(format!("byte {name} = {value}"))];
            for _ in 0..2 {
                builder.append(&mut body, place.deeper());
            }
            body
        });
        Stmt::Block(Block::Plain, body)
    }
}

/// A selection at the head of an option becomes part of the selection around it, and pan takes only one else in all.
fn keep_one_else(options: &mut Vec<Vec<Stmt>>, seen: &mut bool) {
    let is_else = |option: &Vec<Stmt>| option.first() == Some(&Stmt::text("else"));
    options.retain_mut(|option| {
        if is_else(option) {
            return !std::mem::replace(seen, true);
        }
        let mut head = option.first_mut();
        while let Some(Stmt::Block(Block::Atomic | Block::Plain, body) | Stmt::Unless(body, _)) = head {
            head = body.first_mut();
        }
        if let Some(Stmt::Choice(_, inner)) = head {
            keep_one_else(inner, seen);
        }
        true
    });
    if options.is_empty() {
        options.push(vec![Stmt::text("printf(\"here\\n\")")]);
    }
}

/// True if a break can lead to the point after `stmt`, or if what follows it is not clear.
fn ends_in_jump(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Simple(pieces) => matches!(&pieces[0], Piece::Text(text) if text.starts_with("select")),
        Stmt::Labelled(_, inner) => ends_in_jump(inner),
        _ => true,
    }
}
