//! Expressions and statements as they are written in a model: `x++`, no parentheses that precedence makes superfluous.
//!
//! [`Printer::expr`] and [`Printer::action`] print what SPIN lists, which scripts compare; this is what people read.

use std::fmt::Write;

use crate::print::{Printer, operator};
use crate::{
    Action, ArgPattern, BinaryOp, Block, BlockNode, Edge, Expr, Queueing, Signal, StatementId, UnaryOp, VarRef,
};

/// The binding strength of a unary operator; of a name, of a call, and of anything in parentheses it is greater.
const UNARY: u8 = 11;

/// The widest text of a `d_step`.
const WIDEST_BLOCK: usize = 60;

/// The binding strength of a binary operator: a greater one binds tighter.
fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::BitOr => 3,
        BinaryOp::BitXor => 4,
        BinaryOp::BitAnd => 5,
        BinaryOp::Equal | BinaryOp::NotEqual => 6,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 7,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 8,
        BinaryOp::Add | BinaryOp::Subtract => 9,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 10,
    }
}

macro_rules! put {
    ($out:expr, $($arg:tt)*) => { write!($out, $($arg)*).expect("a string takes all") };
}

impl Printer<'_> {
    /// An expression as it is written in a model.
    pub fn source(self, expr: &Expr) -> String {
        let mut out = String::new();
        self.put(&mut out, expr, 0);
        out
    }

    /// A statement of the process type of this printer: the text that the user wrote, if it is known.
    pub fn statement(self, id: StatementId) -> String {
        let Some(proctype) = self.proctype else { return String::new() };
        let automaton = &self.model.proctype(proctype).automaton;
        match automaton.written(id).and_then(|written| written.text.as_deref()) {
            Some(text) => text.to_owned(),
            None => self.source_action(&automaton.statement(id).action),
        }
    }

    /// A statement as it is written in a model.
    pub fn source_action(self, action: &Action) -> String {
        match action {
            Action::Skip(text) => match &**text {
                "(1)" | ".(goto)" => "skip".to_owned(),
                text if text.starts_with("goto :b") => "break".to_owned(),
                text => text.to_owned(),
            },
            Action::Condition(guard) => self.source(guard),
            Action::Assign { target, value } => self.assignment(target, value),
            Action::Discard(value) => format!("_ = {}", self.source(value)),
            Action::SetOwnPriority(value) => format!("_priority = {}", self.source(value)),
            Action::SetPriority { pid, priority } => {
                format!("set_priority({}, {})", self.source(pid), self.source(priority))
            }
            Action::Send { channel, args, queueing } => {
                let bang = if *queueing == Queueing::Sorted { "!!" } else { "!" };
                format!("{}{bang}{}", self.source(channel), self.list(args))
            }
            Action::Receive { channel, args, from } => {
                let (open, close) = if from.keep { ("<", ">") } else { ("", "") };
                let sign = if from.anywhere { "??" } else { "?" };
                format!("{}{sign}{open}{}{close}", self.source(channel), self.patterns(args))
            }
            Action::Assert(condition) => format!("assert({})", self.source(condition)),
            Action::Run { proctype, args, store: None, .. } => {
                format!("run {}({})", self.model.proctype(*proctype).name, self.list(args))
            }
            Action::DStep(block) => format!("d_step {{{} }}", self.block(block)),
            Action::Edge(edge) => self.edge(edge),
            Action::Print { .. } | Action::PrintMtype(_) | Action::Run { .. } | Action::Else => self.action(action),
            Action::End | Action::Event { .. } => self.action(action),
        }
    }

    /// `x++` for `x = x + 1`.
    fn assignment(self, target: &VarRef, value: &Expr) -> String {
        let name = self.source(&Expr::Var(target.clone()));
        if let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) = value
            && matches!(&**left, Expr::Var(var) if var == target)
            && right.as_constant() == Some(1)
        {
            let sign = operator(*op);
            return format!("{name}{sign}{sign}");
        }
        format!("{name} = {}", self.source(value))
    }

    /// The parts of an edge that are not trivial. A channel has no name here, only the front end knows it.
    fn edge(self, Edge { guard, signal, update }: &Edge) -> String {
        let guard = guard.as_ref().map(|guard| self.source(guard));
        let signal = signal.as_ref().map(|Signal { channel, emits, .. }| {
            format!("channel {}{}", self.source(channel), if *emits { '!' } else { '?' })
        });
        let update = update.as_ref().map(|block| self.block(block).trim().to_owned());
        let parts: Vec<String> = [guard, signal, update].into_iter().flatten().collect();
        if parts.is_empty() { "skip".to_owned() } else { parts.join("; ") }
    }

    /// The statements of a `d_step` up to the first choice.
    fn block(self, block: &Block) -> String {
        let mut text = String::new();
        let mut at = block.entry;
        for _ in 0..block.nodes.len() {
            let separator = if text.is_empty() { " " } else { "; " };
            match &block.nodes[at.0 as usize] {
                BlockNode::Do { action, next, .. } => {
                    put!(text, "{separator}{}", self.source_action(action));
                    at = *next;
                }
                BlockNode::Select { .. } => {
                    put!(text, "{separator}...");
                    break;
                }
                BlockNode::Fail { .. } | BlockNode::Exit => break,
            }
            if text.chars().count() > WIDEST_BLOCK {
                text = text.chars().take(WIDEST_BLOCK).collect();
                text.push_str("...");
                break;
            }
        }
        text
    }

    fn list(self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.source(expr)).collect::<Vec<_>>().join(",")
    }

    fn patterns(self, args: &[ArgPattern]) -> String {
        let text = |arg: &ArgPattern| match arg {
            ArgPattern::Match { value, eval: true } => format!("eval({})", self.source(value)),
            ArgPattern::Match { value, eval: false } => self.source(value),
            ArgPattern::Bind(var) => self.source(&Expr::Var(var.clone())),
            ArgPattern::Ignore => "_".to_owned(),
        };
        args.iter().map(text).collect::<Vec<_>>().join(",")
    }

    /// Prints an expression, in parentheses if it binds weaker than `least`.
    fn put(self, out: &mut String, expr: &Expr, least: u8) {
        match expr {
            Expr::Binary(op, left, right) => {
                let own = strength(*op);
                let (open, close) = if own < least { ("(", ")") } else { ("", "") };
                out.push_str(open);
                self.put(out, left, own);
                put!(out, " {} ", operator(*op));
                self.put(out, right, own + 1);
                out.push_str(close);
            }
            Expr::Unary(op, operand) => {
                out.push(match op {
                    UnaryOp::Not => '!',
                    UnaryOp::Negate => '-',
                    UnaryOp::Complement => '~',
                });
                self.put(out, operand, UNARY);
            }
            Expr::Conditional(condition, then, otherwise) => {
                out.push('(');
                self.put(out, condition, 0);
                out.push_str(" -> ");
                self.put(out, then, 0);
                out.push_str(" : ");
                self.put(out, otherwise, 0);
                out.push(')');
            }
            Expr::Poll { channel, args, anywhere } => {
                self.put(out, channel, UNARY);
                put!(out, "{}[{}]", if *anywhere { "??" } else { "?" }, self.patterns(args));
            }
            Expr::Checked(checked) => self.put(out, &checked.value, least),
            // names and calls have no operators of their own around them
            _ => out.push_str(&self.operand(expr)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Model, Place, Scalar, Scope, VarId, Variable};

    fn model() -> Model {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            scalar: Scalar::Byte,
            cell: Cell::Byte,
            dims: Vec::new(),
            index_after: Vec::new(),
            least_indices: Vec::new(),
            hidden: false,
            range: None,
            place: Place::default(),
        };
        Model { globals: ["a", "b", "c"].map(variable).to_vec(), ..Model::default() }
    }

    fn var(at: u32) -> VarRef {
        VarRef { scope: Scope::Global, var: VarId(at), indices: Vec::new() }
    }

    fn of(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    #[test]
    fn parentheses_are_where_precedence_needs_them() {
        let model = model();
        let printer = Printer { model: &model, proctype: None };
        let [a, b, c] = [0, 1, 2].map(|at| Expr::Var(var(at)));
        let sum = of(BinaryOp::Add, a.clone(), b.clone());
        let both = of(BinaryOp::And, a.clone(), of(BinaryOp::Equal, b.clone(), c.clone()));
        for (expr, text) in [
            (of(BinaryOp::Multiply, sum.clone(), c.clone()), "(a + b) * c"),
            (of(BinaryOp::Add, of(BinaryOp::Multiply, a.clone(), b.clone()), c.clone()), "a * b + c"),
            (of(BinaryOp::Subtract, a.clone(), of(BinaryOp::Subtract, b.clone(), c.clone())), "a - (b - c)"),
            (of(BinaryOp::Subtract, sum, c.clone()), "a + b - c"),
            (Expr::Unary(UnaryOp::Not, Box::new(both)), "!(a && b == c)"),
            (Expr::Unary(UnaryOp::Not, Box::new(a.clone())), "!a"),
        ] {
            assert_eq!(printer.source(&expr), text);
        }
    }

    #[test]
    fn statements_are_printed_as_they_are_written() {
        let model = model();
        let printer = Printer { model: &model, proctype: None };
        let a = Expr::Var(var(0));
        let assign = |value: Expr| Action::Assign { target: var(0), value };
        for (action, text) in [
            (assign(of(BinaryOp::Add, a.clone(), Expr::constant(1))), "a++"),
            (assign(of(BinaryOp::Subtract, a.clone(), Expr::constant(1))), "a--"),
            (assign(of(BinaryOp::Add, Expr::Var(var(1)), Expr::constant(1))), "a = b + 1"),
            (Action::Condition(of(BinaryOp::Less, a.clone(), Expr::constant(3))), "a < 3"),
            (Action::Skip("goto :b6".into()), "break"),
            (Action::Skip("(1)".into()), "skip"),
            (Action::Skip("goto again".into()), "goto again"),
            (Action::Assert(a), "assert(a)"),
        ] {
            assert_eq!(printer.source_action(&action), text);
        }
    }
}
