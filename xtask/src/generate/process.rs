//! Processes: first their heads, which statements of others refer to, then their bodies.

use super::builder::{Builder, Place};
use super::coverage::Marks;
use super::plan;
use super::rng::Rng;
use super::symbols::{Access, Channel, Parameter, Proctype, RecordVariable, SymbolTable, Type, Variable};
use super::tree::{Block, Choice, Item, Piece, Process, Stmt};

/// Decides which processes there are. Those that are run come last: a process runs only later ones.
pub fn heads(rng: &mut Rng, marks: &mut Marks, symbols: &mut SymbolTable) {
    // Processes that never wait interleave the most: of these fewer.
    let three = if symbols.features.non_blocking { 1 } else { 2 };
    let actives = rng.weighted(&[(if symbols.features.run { 2 } else { 0 }, 0), (4, 1), (6, 2), (three, 3)]);
    let runs = if symbols.features.run { rng.between(1, 2) } else { 0 };
    let has_init = actives == 0 || rng.chance(if symbols.features.run { 60 } else { 15 });
    let init_at = rng.below(actives + 1);
    let mut pid = 0;
    for k in 0..=actives {
        if has_init && k == init_at {
            marks.add("init");
            symbols.proctypes.push(Head { rng, marks, symbols }.make(None, 1, Some(pid)));
            pid += 1;
        }
        if k < actives {
            marks.add("active proctype");
            let name = format!("A{k}");
            let copies = if actives < 3 && rng.chance(20) { 2 } else { 1 };
            if copies > 1 {
                marks.add("active [n]");
            }
            symbols.proctypes.push(Head { rng, marks, symbols }.make(Some(name), copies, Some(pid)));
            pid += copies;
        }
    }
    for k in 0..runs {
        symbols.proctypes.push(Head { rng, marks, symbols }.make(Some(format!("R{k}")), 0, None));
    }
}

struct Head<'a> {
    rng: &'a mut Rng,
    marks: &'a mut Marks,
    symbols: &'a SymbolTable,
}

impl Head<'_> {
    fn make(self, name: Option<String>, active: usize, first_pid: Option<usize>) -> Proctype {
        let Head { rng, marks, symbols } = self;
        let me = symbols.proctypes.len();
        let mut parameters = Vec::new();
        let has_locals = !symbols.features.priority;
        if name.is_some() && has_locals && (active == 0 || rng.chance(10)) {
            for k in 0..rng.weighted(&[(3, 0), (4, 1), (2, 2)]) {
                marks.add("parameter");
                let ty = match plan::scalar_type(rng, marks, symbols) {
                    Type::Unsigned(_) => Type::Byte,
                    ty => ty,
                };
                parameters.push(Parameter::Scalar(format!("p{me}_{k}"), ty));
            }
        }
        if active == 0 && symbols.features.channel_parameter && rng.chance(70) {
            marks.add("chan parameter");
            parameters.push(Parameter::Channel(format!("x{me}"), rng.below(symbols.signatures.len())));
        }
        let flat: Vec<usize> = (0..symbols.records.len()).filter(|&record| symbols.is_flat(record)).collect();
        if active == 0 && has_locals && !flat.is_empty() && rng.chance(40) {
            marks.add("record parameter");
            parameters.push(Parameter::Record(format!("s{me}"), *rng.pick(&flat)));
        }
        let labelled = rng.chance(40);
        let statements = if symbols.features.non_blocking { rng.between(1, 3) } else { rng.between(2, 4) };
        let labels = (0..statements).map(|k| (labelled && rng.chance(50)).then(|| format!("L{me}_{k}"))).collect();
        let mut locals = Vec::new();
        for k in 0..rng.weighted(&[(3, 0), (if has_locals { 4 } else { 0 }, 1), (if has_locals { 2 } else { 0 }, 2)]) {
            let (local, ty) = (format!("l{me}_{k}"), plan::scalar_type(rng, marks, symbols));
            let value = if rng.chance(40) { plan::value_of(rng, symbols, ty) } else { String::new() };
            if rng.chance(15) && !matches!(ty, Type::Unsigned(_)) {
                marks.add("array");
                let declaration = symbols.declaration(&format!("{local}[2]"), ty, &value);
                locals.push((Variable::array(&local, 2, ty), declaration));
            } else {
                let declaration = symbols.declaration(&local, ty, &value);
                locals.push((Variable::scalar(local, ty), declaration));
            }
        }
        Proctype { name, active, parameters, first_pid, labels, locals }
    }
}

/// The processes and the inlines, with their bodies.
pub fn bodies(rng: &mut Rng, marks: &mut Marks, symbols: &SymbolTable) -> Vec<Item> {
    let mut items = Vec::new();
    for callable in &symbols.inlines {
        let formals: Vec<String> = ["v", "e"][..callable.arguments].iter().map(ToString::to_string).collect();
        let mut builder = Builder::new(rng, marks, symbols, None);
        items.push(Item::Inline { name: callable.name.clone(), body: builder.inline_body(&formals), formals });
    }
    let runs_first = rng.chance(50);
    let (mut present, mut run) = (Vec::new(), Vec::new());
    for me in 0..symbols.proctypes.len() {
        let process = Builder::new(rng, marks, symbols, Some(me)).process();
        if symbols.proctypes[me].is_run() { &mut run } else { &mut present }.push(Item::Process(process));
    }
    let (first, second) = if runs_first { (run, present) } else { (present, run) };
    items.extend(first);
    items.extend(second);
    items
}

impl Builder<'_> {
    fn process(&mut self) -> Process {
        let me = self.me.unwrap_or(0);
        let symbols = self.symbols;
        let proctype = &symbols.proctypes[me];
        let parameters = self.parameters(proctype);
        self.locals(proctype);
        let mut body = Vec::new();
        if symbols.features.run && !proctype.is_run() {
            self.runs(me, &mut body);
        }
        let repeats = proctype.labels.iter().any(Option::is_some);
        for (top, label) in proctype.labels.iter().enumerate() {
            let start = body.len();
            let place = Place { atomic: false, repeats, breakable: false, depth: 3, top, in_unless: false };
            self.append(&mut body, place);
            if let Some(label) = label {
                self.marks.add("label");
                if !takes_label(&body[start]) {
                    body.insert(start, Stmt::text("printf(\"here\\n\")"));
                }
                put_label(&mut body[start], label);
            }
            self.special_label(&mut body[start], top);
        }
        if self.rng.chance(30) {
            body.push(self.assertion());
        }
        let mut all: Vec<Stmt> = proctype.locals.iter().map(|(_, text)| Stmt::text(text)).collect();
        all.append(&mut self.head);
        all.append(&mut body);
        Process {
            name: proctype.name.clone(),
            active: proctype.active,
            parameters,
            priority: self.priority(),
            provided: self.provided(),
            body: all,
        }
    }

    fn parameters(&mut self, proctype: &Proctype) -> String {
        let mut texts = Vec::new();
        for parameter in &proctype.parameters {
            match parameter {
                Parameter::Scalar(name, ty) => {
                    texts.push(self.symbols.declaration(name, *ty, ""));
                    self.variables.push(Variable::scalar(name, *ty));
                }
                Parameter::Channel(name, signature) => {
                    texts.push(format!("chan {name}"));
                    self.channels.push(Channel { name: name.clone(), signature: *signature });
                }
                Parameter::Record(name, record) => {
                    texts.push(format!("{} {name}", self.symbols.records[*record].name));
                    self.record(RecordVariable { name: name.clone(), record: *record });
                }
            }
        }
        texts.join("; ")
    }

    fn record(&mut self, variable: RecordVariable) {
        self.variables.extend(self.symbols.fields_of(&variable));
        self.records.push(variable);
    }

    fn locals(&mut self, proctype: &Proctype) {
        self.variables.extend(proctype.locals.iter().map(|(variable, _)| variable.clone()));
        if self.symbols.features.record && !self.symbols.features.priority && self.rng.chance(30) {
            let variable =
                RecordVariable { name: self.fresh_name("t"), record: self.rng.below(self.symbols.records.len()) };
            self.head.push(Stmt::text(format!("{} {}", self.symbols.records[variable.record].name, variable.name)));
            self.record(variable);
        }
        if self.symbols.features.local_channel && self.rng.chance(50) {
            self.marks.add("local channel");
            let channel =
                Channel { name: self.fresh_name("k"), signature: self.rng.below(self.symbols.signatures.len()) };
            let signature = &self.symbols.signatures[channel.signature];
            let types: Vec<String> = signature.fields.iter().map(|field| self.symbols.message_type(*field)).collect();
            let text = format!("chan {} = [{}] of {{ {} }}", channel.name, signature.capacity, types.join(", "));
            self.head.push(Stmt::text(text));
            self.channels.push(channel);
        }
    }

    /// The first process that is there at the start runs the others.
    fn runs(&mut self, me: usize, body: &mut Vec<Stmt>) {
        let init = self.symbols.proctypes.iter().position(|proctype| proctype.name.is_none());
        if init.unwrap_or(0) != me {
            return;
        }
        self.marks.add("run");
        let children: Vec<usize> =
            (0..self.symbols.proctypes.len()).filter(|&child| self.symbols.proctypes[child].is_run()).collect();
        let calls: Vec<Stmt> = children.into_iter().map(|child| Stmt::Simple(self.run_call(child))).collect();
        if self.rng.chance(50) {
            self.marks.add("atomic");
            self.marks.add("run in atomic");
            body.push(Stmt::Block(Block::Atomic, calls));
        } else {
            body.extend(calls);
        }
    }

    /// Labels that mean something to the verifier.
    fn special_label(&mut self, stmt: &mut Stmt, top: usize) {
        let me = self.me.unwrap_or(0);
        let waits = match stmt {
            Stmt::Choice(Choice::Do, _) => true,
            Stmt::Simple(pieces) => matches!(&pieces[0], Piece::Text(text) if text.contains('?')),
            _ => false,
        };
        if waits && self.rng.chance(35) {
            self.marks.add("end label");
            put_label(stmt, &format!("end{me}_t{top}"));
        } else if takes_label(stmt) && self.rng.chance(4) {
            self.marks.add("progress or accept label");
            let stem = *self.rng.pick(&["progress", "accept"]);
            put_label(stmt, &format!("{stem}{me}_t{top}"));
        }
    }

    fn priority(&mut self) -> Option<usize> {
        let has = self.symbols.features.priority && self.rng.chance(60);
        has.then(|| {
            self.marks.add("priority");
            self.rng.between(1, 4)
        })
    }

    fn provided(&mut self) -> Option<super::tree::Expr> {
        let is_init = self.me.is_some_and(|me| self.symbols.proctypes[me].name.is_none());
        if !self.symbols.features.provided || is_init || self.rng.chance(40) {
            return None;
        }
        self.marks.add("provided");
        self.variables = self.symbols.variables.clone(); // globals only
        self.channels.clear();
        Some(self.condition())
    }

    /// Assignments and choices over the formals and the globals.
    fn inline_body(&mut self, formals: &[String]) -> Vec<Stmt> {
        // The formals need not be numbers of a known type; a byte is as good as any.
        self.variables.push(Variable::scalar(&formals[0], Type::Byte));
        if let Some(expression) = formals.get(1) {
            self.variables.push(Variable::scalar(expression, Type::Byte).with_access(Access::ReadOnly));
        }
        let place = Place { atomic: true, repeats: true, breakable: false, depth: 0, top: 0, in_unless: false };
        let mut body = vec![self.assignment(place)];
        if self.rng.chance(50) {
            let guard = Stmt::condition(self.condition());
            let options = vec![vec![guard, self.assignment(place)], vec![Stmt::text("else")]];
            body.push(Stmt::Choice(Choice::If, options));
        }
        let last = formals.get(1).unwrap_or(&formals[0]);
        body.push(Stmt::text(format!("{} = ({last} + 1) % 3", formals[0])));
        body
    }
}

/// True if a label is fine there: a d_step must not be jumped to, and a declaration takes none.
fn takes_label(stmt: &Stmt) -> bool {
    const TYPES: [&str; 9] = ["bit ", "bool ", "byte ", "pid ", "short ", "int ", "unsigned ", "mtype", "chan "];
    match stmt {
        Stmt::Block(Block::DStep, _) => false,
        Stmt::Simple(pieces) => match &pieces[0] {
            // A goto to a goto may have no end, which spin refuses; a skip before a goto to it is refused by pan.
            Piece::Text(text) if text.starts_with("goto ") => false,
            Piece::Text(text) if ["skip", "true", "1"].contains(&text.as_str()) => false,
            Piece::Text(text) => !TYPES.iter().any(|ty| text.starts_with(ty)),
            Piece::Expr(_) => true,
        },
        _ => true,
    }
}

fn put_label(stmt: &mut Stmt, label: &str) {
    let inner = std::mem::replace(stmt, Stmt::text("skip"));
    *stmt = Stmt::Labelled(label.to_string(), Box::new(inner));
}
