//! Puts a model into Promela text.

use std::fmt::{self, Display, Write};

use super::tree::{Block, Choice, Expr, Item, Model, Parentheses, Piece, Process, Separator, Stmt, Style};

impl Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { out: String::new(), style: self.style, indent: 0, lines: 0 };
        for item in &self.items {
            printer.item(item);
        }
        f.write_str(&printer.out)
    }
}

struct Printer {
    out: String,
    style: Style,
    indent: usize,
    /// Printed so far; decides about the mixed style.
    lines: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
        self.lines += 1;
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Text(text) => text.lines().for_each(|line| self.line(line)),
            Item::Inline { name, formals, body } => {
                self.line(&format!("inline {name}({}) {{", formals.join(", ")));
                self.block_end(body, "}");
            }
            Item::Process(process) => {
                let head = self.head(process);
                self.line(&head);
                self.block_end(&process.body, "}");
            }
            Item::Never(body) => {
                self.line("never {");
                self.block_end(body, "}");
            }
            Item::Ltl { name, formula } => self.line(&format!("ltl {name} {{ {} }}", self.expr(formula, 0))),
        }
    }

    fn head(&self, process: &Process) -> String {
        let mut head = String::new();
        match process.active {
            0 => {}
            _ if process.name.is_none() => {}
            1 => head.push_str("active "),
            n => head.push_str(&format!("active [{n}] ")),
        }
        match &process.name {
            Some(name) => head.push_str(&format!("proctype {name}({})", process.parameters)),
            None => head.push_str("init"),
        }
        if let Some(priority) = process.priority {
            head.push_str(&format!(" priority {priority}"));
        }
        if let Some(provided) = &process.provided {
            head.push_str(&format!(" provided ({})", self.expr(provided, 0)));
        }
        head.push_str(" {");
        head
    }

    fn block_end(&mut self, body: &[Stmt], end: &str) {
        self.indent += 1;
        self.sequence(body);
        self.indent -= 1;
        self.line(end);
    }

    /// An empty list, left over by shrinking, is a skip.
    fn sequence(&mut self, body: &[Stmt]) {
        if body.is_empty() {
            self.line("skip");
        }
        for (k, stmt) in body.iter().enumerate() {
            let last = k + 1 == body.len();
            self.statement(stmt, "", if last { "" } else { ";" });
        }
    }

    /// The mark between two statements, at the end of a line.
    fn separator(&self, wanted: &'static str) -> &'static str {
        match self.style.separator {
            Separator::Newline if wanted == ";" => "",
            Separator::Mixed if wanted == ";" && self.lines % 3 == 1 => "",
            _ => wanted,
        }
    }

    fn statement(&mut self, stmt: &Stmt, before: &str, wanted: &'static str) {
        let after = self.separator(wanted);
        match stmt {
            Stmt::Simple(pieces) => {
                let text = self.pieces(pieces);
                // The end of a line stands for a semicolon only after some tokens; these are not among them.
                let open_end = text.ends_with('>') || text.ends_with("timeout");
                let after = if open_end { wanted } else { after };
                self.line(&format!("{before}{text}{after}"));
            }
            Stmt::Labelled(label, inner) => self.statement(inner, &format!("{before}{label}: "), wanted),
            Stmt::Block(kind, body) => {
                let word = match kind {
                    Block::Plain => "",
                    Block::Atomic => "atomic ",
                    Block::DStep => "d_step ",
                };
                self.line(&format!("{before}{word}{{"));
                self.block_end(body, &format!("}}{after}"));
            }
            Stmt::Choice(kind, options) => {
                let (open, close) = match kind {
                    Choice::If => ("if", "fi"),
                    Choice::Do => ("do", "od"),
                };
                self.line(&format!("{before}{open}"));
                options.iter().for_each(|option| self.option(option));
                self.line(&format!("{close}{after}"));
            }
            Stmt::For(head, body) => {
                let head = self.pieces(head);
                self.line(&format!("{before}for ({head}) {{"));
                self.block_end(body, &format!("}}{after}"));
            }
            Stmt::Unless(main, escape) => {
                self.line(&format!("{before}{{"));
                self.block_end(main, "} unless {");
                self.block_end(escape, &format!("}}{after}"));
            }
        }
    }

    fn option(&mut self, body: &[Stmt]) {
        let Some((first, rest)) = body.split_first() else {
            return self.line(":: skip");
        };
        self.statement(first, ":: ", if rest.is_empty() { "" } else { " ->" });
        if !rest.is_empty() {
            self.indent += 1;
            self.sequence(rest);
            self.indent -= 1;
        }
    }

    fn pieces(&self, pieces: &[Piece]) -> String {
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Expr(expr) => self.expr(expr, 0),
            })
            .collect()
    }

    /// `context` is the precedence of the operator around it, plus one on its right side.
    fn expr(&self, expr: &Expr, context: usize) -> String {
        match expr {
            Expr::Atom(text) => text.clone(),
            Expr::Unary(operator, operand) => {
                let inner = match &**operand {
                    Expr::Atom(text) => text.clone(),
                    other => format!("({})", self.expr(other, 0)),
                };
                // `a - -1` and `a--1` are two things: inside an expression a sign gets parentheses.
                if *operator == "-" && context > 0 { format!("(-{inner})") } else { format!("{operator}{inner}") }
            }
            Expr::Binary(left, operator, right) => {
                let own = precedence(operator);
                let text = format!("{} {operator} {}", self.expr(left, own), self.expr(right, own + 1));
                let needed = own < context;
                let wanted = self.style.parentheses == Parentheses::All && context > 0;
                if needed || wanted { format!("({text})") } else { text }
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                format!("({} -> {} : {})", self.expr(condition, 1), self.expr(then, 1), self.expr(otherwise, 1))
            }
            Expr::Within(before, inner, after) => format!("{before}{}{after}", self.expr(inner, 0)),
        }
    }
}

/// As in C, which Promela follows. In formulas implication and equivalence bind least; until, release and weak until bind
/// tighter than conjunction, and here as tight as possible, so that their operands get parentheses.
fn precedence(operator: &str) -> usize {
    match operator {
        "->" | "<->" => 0,
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        _ => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(expr: Expr, parentheses: Parentheses) -> String {
        let style = Style { separator: Separator::Semicolon, parentheses };
        Printer { out: String::new(), style, indent: 0, lines: 0 }.expr(&expr, 0)
    }

    #[test]
    fn parentheses_keep_the_tree() {
        let sum = || Expr::binary(Expr::atom("a"), "-", Expr::atom("b"));
        let left = Expr::binary(sum(), "-", Expr::atom("c"));
        let right = Expr::binary(Expr::atom("c"), "-", sum());
        let product = Expr::binary(sum(), "*", Expr::unary("!", Expr::atom("c")));
        assert_eq!(printed(left.clone(), Parentheses::Needed), "a - b - c");
        assert_eq!(printed(left, Parentheses::All), "(a - b) - c");
        assert_eq!(printed(right, Parentheses::Needed), "c - (a - b)");
        assert_eq!(printed(product, Parentheses::Needed), "(a - b) * !c");
    }

    #[test]
    fn formulas_keep_their_tree() {
        let atom = |name: &str| Expr::atom(name);
        let until = || Expr::binary(Expr::binary(atom("x"), "==", atom("1")), "U", atom("b"));
        let rows = [
            (Expr::binary(until(), "&&", atom("b")), "(x == 1) U b && b"),
            (Expr::binary(atom("a"), "->", Expr::binary(atom("b"), "->", atom("c"))), "a -> (b -> c)"),
            (Expr::binary(Expr::binary(atom("a"), "<->", atom("b")), "||", atom("c")), "(a <-> b) || c"),
            (Expr::unary("[] ", Expr::unary("<> ", until())), "[] (<> ((x == 1) U b))"),
        ];
        for (formula, text) in rows {
            assert_eq!(printed(formula, Parentheses::Needed), text);
        }
    }

    #[test]
    fn statements_nest() {
        let option = vec![Stmt::text("x == 1"), Stmt::text("x = 2"), Stmt::text("x = 3")];
        let body = vec![
            Stmt::Labelled("L".into(), Box::new(Stmt::Choice(Choice::Do, vec![option, vec![Stmt::text("break")]]))),
            Stmt::Block(Block::Atomic, Vec::new()),
        ];
        let process = Process {
            name: Some("P".into()),
            active: 2,
            parameters: String::new(),
            priority: None,
            provided: None,
            body,
        };
        let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::All };
        let text = Model { style, items: vec![Item::Process(process)] }.to_string();
        let expected = "active [2] proctype P() {\n  L: do\n  :: x == 1 ->\n    x = 2;\n    x = 3\n  :: break\n  od;\n  \
                        atomic {\n    skip\n  }\n}\n";
        assert_eq!(text, expected);
    }
}
