//! Printing a syntax tree and parsing the text again is the identity.

mod corpus;
mod dice;

use dice::Dice;
use homing_promela::ast::Program;
use homing_promela::diagnostic::{Diagnostics, Severity};
use homing_promela::parse::parse;
use homing_promela::preprocess::{Options, preprocess};
use homing_promela::print;
use homing_promela::source::SourceMap;

/// The tree of a text, and what is wrong with it.
fn tree(name: &str, text: &str) -> (Program, Vec<String>) {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let main = sources.add_file(name.to_owned(), text.to_owned());
    let tokens = preprocess(main, &Options::default(), &mut sources, &mut diagnostics);
    let program = parse(tokens, &mut sources, &mut diagnostics);
    let errors = diagnostics.messages().iter().filter(|message| message.severity == Severity::Error);
    let line = |span| sources.line(span);
    let errors = errors.map(|message| format!("{}: {}", message.span.map_or(0, line), message.message)).collect();
    (program, errors)
}

/// Prints and parses again; gives the tree as text, in which no place appears.
#[track_caller]
fn check(name: &str, text: &str) -> String {
    let (program, errors) = tree(name, text);
    assert_eq!(errors, [""; 0], "{name}\n{text}");
    let printed = print::program(&program);
    let (again, errors) = tree(name, &printed);
    assert_eq!(errors, [""; 0], "{name}, printed:\n{printed}");
    let (first, second) = (format!("{program:?}"), format!("{again:?}"));
    if first != second {
        let (first, second) = (format!("{program:#?}"), format!("{again:#?}"));
        let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
        panic!("{name}: {differs:?}\n--- text\n{text}\n--- printed\n{printed}");
    }
    first
}

#[test]
fn every_model_there_is() {
    let mut checked = 0;
    for (path, text) in corpus::models() {
        // what SPIN does not read is among them, too
        if text.contains("refused \"") && !tree(&path, &text).1.is_empty() {
            continue;
        }
        check(&path, &text);
        checked += 1;
    }
    assert!(checked > 80, "{checked}");
}

#[test]
fn what_is_written_in_more_than_one_way() {
    for text in [
        "init { x = 1; ; y = 2 -> z = 3; }",
        "init { if :: x -> y :: else fi; do :: else -> break :: x; y od }",
        "init { c!a(b, 1 + 2); c!!a, b; c! !a; c!(!a); c?a(b, _); c??a, eval(b + 1), -3; c?<a>; c?(a, (b)); c?a, (b, d) }",
        "init { c?[a(b)] && c??[eval(x)] || len(c) > 2; full(c) && nempty(d) }",
        "init { L: M: x++; N: }",
        "init { x = 'a'; x = '\\n'; x = true + false + skip; x = 4294967295; x = - -3 }",
        "inline f(a, b) { a = b; byte t; t = a }\ninline g(a) { return a + 1 }\nbyte x;\ninit { f(x, 1); x = g(x); select (x : 1 .. 3) }",
        "inline f(a) { select (a : 1 .. 3); select (a : 1 .. 99) }\nbyte x;\ninit { f(x) }",
        "byte x;\ninit { select (x : 1 .. 3); select (x : 1 .. 99); select (x_ : 1 .. 3); select (x : 1 .. 3 + 1) }",
        "init { assert x == 1; assert(x) == 1 }",
        "mtype { A B, C };\nmtype:s = { D };\nmtype:s x = D;\nmtype y;\nchan c = [2] of { mtype, mtype:s, bool }",
        "proctype P(byte a, b; int c; chan d) priority 3 provided (x > 1 && full(c)) { skip }\ninit priority 5 { run P(1, 2, 3, c) priority 7 }",
        "byte N = 3;\nactive [N] proctype P() { skip }\nactive D_proctype Q() { skip }",
        "init { { x++ } unless { y--; z }; L: atomic { x } unless d_step { y; z } }",
        "ltl p { [] (x -> <> y) && (x U (y V z)) || ! X x W y }\nltl { always eventually x implies y equivalent z }\nltl q { x <-> y }",
        "ltl { [] P@L && P[1]@L -> P[x + 1]:y == 2 }\nproctype P() { L: skip }",
        "trace { do :: c!1, _; d?x od }\nnotrace { c!1; d?2 }\nnever { skip }\nnever n { do :: x od }",
    ] {
        check("ways", text);
    }
}

#[test]
fn random_texts() {
    let mut dice = Dice::new(5);
    let mut seen = String::new();
    for _ in 0..400 {
        let text = Writer { dice: &mut dice }.model();
        seen.push_str(&check("random", &text).replace(": ", ":"));
    }
    for part in PARTS.split_whitespace() {
        assert!(seen.contains(part), "no {part} among the random texts");
    }
}

/// Every kind of unit, statement, expression and type, as it begins in a tree.
const PARTS: &str = "Proctype(Proctype Init(Init Never(Never Trace(Trace Ltl(Ltl Decl(Decl Typedef(Typedef \
    Mtype(MtypeDecl deterministic:true visibility:Hidden visibility:Show visibility:Local ty:Bit ty:Byte ty:Short ty:Int \
    ty:Unsigned ty:Mtype(None) ty:Mtype(Some( ty:Chan ty:User( Some(Value( Some(List( Some(Channel kind:Decl( \
    kind:Exclusive kind:Label( kind:Assign( kind:Increment( kind:Decrement( kind:Send kind:Receive kind:Assert( \
    kind:Print kind:PrintMtype( kind:SetPriority( kind:Expr( kind:Else kind:Break kind:Goto( kind:If( kind:Do( \
    kind:Atomic( kind:DStep( kind:Block( kind:Unless( kind:For kind:Select range:Values( range:Elements( form:Choice \
    form:Count form:General Eval( kind:Number( kind:Var( kind:Unary(Not kind:Unary(Negate kind:Unary(Complement \
    kind:Unary(Always kind:Unary(Eventually kind:Unary(Next kind:Binary(Until kind:Binary(WeakUntil \
    kind:Binary(Release kind:Binary(Implies kind:Binary(Equivalent Arithmetic(Add) Arithmetic(Subtract) \
    Arithmetic(Multiply) Arithmetic(Divide) Arithmetic(Remainder) Arithmetic(BitAnd) Arithmetic(BitOr) \
    Arithmetic(BitXor) Arithmetic(ShiftLeft) Arithmetic(ShiftRight) Arithmetic(Less) Arithmetic(LessEqual) \
    Arithmetic(Greater) Arithmetic(GreaterEqual) Arithmetic(Equal) Arithmetic(NotEqual) Arithmetic(And) Arithmetic(Or) \
    kind:Conditional( kind:Run kind:Length( kind:Probe(Full kind:Probe(Empty kind:Probe(NotFull kind:Probe(NotEmpty \
    kind:Poll kind:Timeout kind:NonProgress kind:Enabled( kind:PcValue( kind:PriorityOf( kind:RemoteLabel \
    kind:RemoteVar";

/// Writes random models: right in grammar, nonsense otherwise.
struct Writer<'d> {
    dice: &'d mut Dice,
}

impl Writer<'_> {
    fn pick(&mut self, choices: &str) -> String {
        let choices: Vec<&str> = choices.split(' ').collect();
        self.dice.one_of(&choices).to_owned()
    }

    fn maybe(&mut self, text: &str) -> String {
        if self.dice.below(2) == 0 { text.to_owned() } else { String::new() }
    }

    /// One or more, joined.
    fn some(&mut self, separator: &str, mut one: impl FnMut(&mut Self) -> String) -> String {
        let parts: Vec<String> = (0..1 + self.dice.below(3)).map(|_| one(self)).collect();
        parts.join(separator)
    }

    fn model(&mut self) -> String {
        let mut text = "typedef T { byte b }\ninline f(p, q) { p = q; p }\n".to_owned();
        for _ in 0..4 {
            let unit = self.unit();
            text.push_str(&unit);
            text.push('\n');
        }
        text + "proctype P() { skip }\nproctype Q() { L: skip }\n"
    }

    fn unit(&mut self) -> String {
        let body = self.block(3);
        match self.dice.below(8) {
            0 | 1 => {
                let (count, formula) = (self.expr(1), self.full(1));
                let active = ["", "active ", &format!("active [{count}] ")][self.dice.below(3)].to_owned();
                let params = self.some("; ", Self::decl);
                let params = self.maybe(&params);
                let (priority, provided) = (self.maybe(" priority 3"), self.maybe(&format!(" provided ({formula})")));
                format!("{active}{} R({params}){priority}{provided} {body}", self.pick("proctype D_proctype"))
            }
            2 => format!("init{} {body}", self.maybe(" priority 7")),
            3 => format!("{} {body}", self.pick("never trace notrace")),
            4 => format!("ltl {}{{ {} }}", self.maybe("name "), self.formula(4)),
            5 => format!("{};", self.decl()),
            6 => format!("typedef U {{ {} }}", self.some("; ", Self::decl)),
            _ => {
                let (set, names) = (self.maybe(":s"), self.some(", ", |this| this.pick("A B C")));
                format!("mtype{set} = {{ {names} }};")
            }
        }
    }

    fn decl(&mut self) -> String {
        let visibility = self.pick("hidden show local   ");
        let ty = self.pick("bit bool byte pid short int unsigned mtype mtype:s chan T");
        let unsigned = ty == "unsigned";
        let mut vars = self.some(", ", |this| {
            let name = this.pick("x y z v1 v_2");
            let size = match this.dice.below(3) {
                _ if unsigned => " : 5".to_owned(),
                0 => format!("[{}]", this.expr(1)),
                _ => String::new(),
            };
            let value = this.expr(2);
            format!("{name}{size}{}", this.maybe(&format!(" = {value}")))
        });
        // after a `}` the declaration ends
        match self.dice.below(4) {
            0 => vars.push_str(&format!(", v[3] = {{ {}, 2 }}", self.expr(2))),
            1 => {
                let fields = self.some(", ", |this| this.pick("bit byte chan mtype mtype:s int T"));
                vars.push_str(&format!(", v = [{}] of {{ {fields} }}", self.expr(1)));
            }
            _ => {}
        }
        format!("{visibility} {ty} {vars}")
    }

    fn block(&mut self, depth: usize) -> String {
        format!("{{ {} }}", self.steps(depth))
    }

    fn steps(&mut self, depth: usize) -> String {
        let separator = self.dice.one_of(&["; ", " -> ", ";\n", ";;"]);
        let steps = self.some(separator, |this| match this.dice.below(8) {
            0 => this.decl(),
            1 => format!("{} {}", this.pick("xr xs"), this.some(", ", Self::var)),
            2 => {
                // a missing `;` after `else` is added
                let main = this.stmt(depth);
                let main = if main.ends_with("else") { "skip" } else { &main };
                format!("{main} unless {}", this.stmt(depth))
            }
            _ => this.stmt(depth),
        });
        steps + &self.maybe(";")
    }

    fn stmt(&mut self, depth: usize) -> String {
        let (var, value) = (self.var(), self.expr(2));
        if depth == 0 {
            return format!("{var} = {value}");
        }
        let inner = depth - 1;
        match self.dice.below(22) {
            0 => format!("L{}: {}", self.dice.below(9), self.stmt(inner)),
            1 => format!("{var} = {}", self.full(2)),
            2 => format!("{var}{}", self.pick("++ --")),
            3 => format!("{var}{}{}", self.pick("! !!"), self.some(", ", |this| this.expr(2))),
            4 => format!("{var}!{value}({})", self.some(", ", |this| this.expr(2))),
            5 => format!("{var}{}{}", self.pick("? ??"), self.args()),
            6 => format!("{var}{}<{}>", self.pick("? ??"), self.args()),
            7 => format!("assert({})", self.full(2)),
            8 => format!("printf(\"a%d\\n\\\"\", {value})"),
            9 => format!("printm({value})"),
            10 => format!("set_priority({value}, {})", self.expr(2)),
            11 => self.full(3),
            12 => self.pick("else break skip true 1"),
            13 => format!("goto L{}", self.dice.below(9)),
            14 | 15 => {
                let options = self.some("\n", |this| format!(":: {}", this.steps(inner)));
                let (open, close) = if self.dice.below(2) == 0 { ("if", "fi") } else { ("do", "od") };
                format!("{open} {options} {close}")
            }
            16 => format!("{} {}", self.pick("atomic d_step"), self.block(inner)),
            17 => self.block(inner),
            18 => format!("for ({var} : {value} .. {}) {}", self.expr(2), self.block(inner)),
            19 => format!("for ({var} in {}) {}", self.var(), self.block(inner)),
            20 => {
                let bounds = self.dice.one_of(&["1 .. 3", "0 .. 99", "1 .. (3)", "x .. 2"]);
                format!("select ({} : {bounds})", self.pick("x y v_2"))
            }
            _ => format!("f({var}, {value})"),
        }
    }

    fn args(&mut self) -> String {
        self.some(", ", |this| match this.dice.below(4) {
            0 => this.pick("1 -2 true _"),
            1 => format!("eval({})", this.expr(2)),
            _ => this.var(),
        })
    }

    fn var(&mut self) -> String {
        self.some(".", |this| {
            let name = this.pick("x y z c v1 v_2");
            if this.dice.below(3) == 0 { format!("{name}[{}]", this.expr(1)) } else { name }
        })
    }

    /// An expression in which probes may occur.
    fn full(&mut self, depth: usize) -> String {
        match self.dice.below(3) {
            0 if depth > 0 => {
                format!("{} {} {}", self.full(depth - 1), self.pick("&& ||"), self.full(depth - 1))
            }
            1 => format!("{}({})", self.pick("full empty nfull nempty"), self.var()),
            _ => self.expr(depth),
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick("0 1 255 4294967295 'a' true false x y _pid _nr_pr timeout np_");
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.dice.below(14) {
            0 => format!("{}({a})", self.pick("! - ~")),
            1..=3 => {
                let operator = self.pick("+ - * / % & | ^ << >> < <= > >= == != && ||");
                format!("{a} {operator} {b}")
            }
            4 => format!("({a} -> {b} : {})", self.expr(depth - 1)),
            5 => format!("({a})"),
            6 => format!("run P({a}, {b}){}", self.maybe(" priority 2")),
            7 => format!("len({})", self.var()),
            8 => format!("{}{}[{}]", self.var(), self.pick("? ??"), self.args()),
            9 => format!("{}({a})", self.pick("enabled pc_value get_priority")),
            10 => format!("Q{}@L", self.maybe(&format!("[{a}]"))),
            11 => format!("Q{}:v1{}", self.maybe(&format!("[{a}]")), self.maybe(&format!("[{b}]"))),
            _ => self.var(),
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 {
            // `->` is an implication here, and no part of a choice between values
            let atom = self.expr(1);
            return if atom.contains("->") { "x".to_owned() } else { format!("({atom})") };
        }
        let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.dice.below(3) {
            0 => format!("{} {a}", self.pick("[] <> ! always eventually X next")),
            1 => format!("({a})"),
            _ => {
                let operator = self.pick("U W V -> <-> && || until weakuntil stronguntil release implies equivalent");
                format!("{a} {operator} {b}")
            }
        }
    }
}
