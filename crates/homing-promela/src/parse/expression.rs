//! Expressions, with SPIN's precedences.

use homing_ir::BinaryOp as Arithmetic;

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, Probe, UnaryOp, VarPart, VarRef};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

/// The binding strength of temporal operators, between that of `&&` and that of `|`.
const UNTIL_LEVEL: u8 = 4;
const IMPLIES_LEVEL: u8 = 1;

impl Parser<'_> {
    /// An expression in which channel probes may occur at the top, joined by `&&` and `||`.
    pub(super) fn full_expression(&mut self) -> Parsed<Expr> {
        let expr = self.expression(0)?;
        self.check_probes(expr, true)
    }

    /// Such an expression whose first operand, a variable, has been read already.
    pub(super) fn full_expression_from(&mut self, var: VarRef) -> Parsed<Expr> {
        let first = self.operand_of(var)?;
        let expr = self.binary(first, 0)?;
        self.check_probes(expr, true)
    }

    /// An expression without channel probes.
    pub(super) fn plain_expression(&mut self) -> Parsed<Expr> {
        let expr = self.expression(0)?;
        self.check_probes(expr, false)
    }

    fn expression(&mut self, level: u8) -> Parsed<Expr> {
        self.nested(|parser| {
            let first = parser.unary()?;
            parser.binary(first, level)
        })
    }

    /// Continues `left`, which was parsed last, with operators that bind at least as tightly as `level`.
    fn binary(&mut self, mut left: Expr, level: u8) -> Parsed<Expr> {
        while let Some((op, op_level)) = self.operator() {
            if op_level < level {
                break;
            }
            for _ in 0..self.operator_tokens(op) {
                self.advance();
            }
            let height = self.height;
            let right = self.expression(op_level + 1)?;
            let span = left.span.to(right.span);
            self.set_height(1 + height.max(self.height), span)?;
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// The binary operator at the front and how tightly it binds (all group to the left).
    fn operator(&mut self) -> Option<(BinaryOp, u8)> {
        use Arithmetic::*;
        match self.peek() {
            TokenKind::Punct(punct) => {
                let (op, level) = match punct {
                    Punct::Arrow if self.at_long_arrow() => return None,
                    Punct::Arrow if self.in_formula => return Some((BinaryOp::Implies, IMPLIES_LEVEL)),
                    Punct::Less if self.in_formula && self.is_followed_by(0, Punct::Arrow) => {
                        return Some((BinaryOp::Equivalent, IMPLIES_LEVEL));
                    }
                    Punct::OrOr => (Or, 2),
                    Punct::AndAnd => (And, 3),
                    Punct::Or => (BitOr, 5),
                    Punct::Caret => (BitXor, 6),
                    Punct::And => (BitAnd, 7),
                    Punct::Equal => (Equal, 8),
                    Punct::NotEqual => (NotEqual, 8),
                    Punct::Less => (Less, 9),
                    Punct::LessEqual => (LessEqual, 9),
                    // the `>` that ends `c?<x>` follows a variable; no expression can be there
                    Punct::Greater => (Greater, 9),
                    Punct::GreaterEqual => (GreaterEqual, 9),
                    Punct::ShiftLeft => (ShiftLeft, 10),
                    Punct::ShiftRight => (ShiftRight, 10),
                    Punct::Plus => (Add, 11),
                    Punct::Minus => (Subtract, 11),
                    Punct::Star => (Multiply, 12),
                    Punct::Slash => (Divide, 12),
                    Punct::Percent => (Remainder, 12),
                    _ => return None,
                };
                Some((BinaryOp::Arithmetic(op), level))
            }
            TokenKind::Name(word) if self.in_formula => match &*word {
                "U" | "until" | "stronguntil" => Some((BinaryOp::Until, UNTIL_LEVEL)),
                "W" | "weakuntil" => Some((BinaryOp::WeakUntil, UNTIL_LEVEL)),
                "V" | "release" => Some((BinaryOp::Release, UNTIL_LEVEL)),
                "implies" => Some((BinaryOp::Implies, IMPLIES_LEVEL)),
                "equivalent" => Some((BinaryOp::Equivalent, IMPLIES_LEVEL)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the arrow at the front is `-->`, which is no operator of formulas (in UPPAAL it is one, and not `->`).
    pub(super) fn at_long_arrow(&mut self) -> bool {
        let span = self.peek_span();
        self.in_formula && self.at(Punct::Arrow) && span.end - span.start > 2
    }

    /// The number of tokens of an operator: `<->` is read as `<` and `->`.
    fn operator_tokens(&mut self, op: BinaryOp) -> u32 {
        if op == BinaryOp::Equivalent && self.at(Punct::Less) { 2 } else { 1 }
    }

    pub(super) fn is_followed_by(&mut self, n: usize, punct: Punct) -> bool {
        self.stream.peek_after(n) == TokenKind::Punct(punct)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.peek_span();
        let op = match self.peek() {
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Negate,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::Complement,
            TokenKind::Punct(Punct::OpenBracket) if self.in_formula && self.is_followed_by(0, Punct::CloseBracket) => {
                self.advance();
                UnaryOp::Always
            }
            TokenKind::Punct(Punct::Less) if self.in_formula && self.is_followed_by(0, Punct::Greater) => {
                self.advance();
                UnaryOp::Eventually
            }
            TokenKind::Name(word) if self.in_formula => match &*word {
                "always" => UnaryOp::Always,
                "eventually" => UnaryOp::Eventually,
                "X" | "next" => UnaryOp::Next,
                _ => return self.primary(),
            },
            _ => return self.primary(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        self.set_height(1 + self.height, span)?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.peek_span();
        self.height = 0;
        let kind = match self.peek() {
            TokenKind::Number(value) | TokenKind::Char(value) => {
                self.advance();
                ExprKind::Number(value)
            }
            TokenKind::Punct(Punct::OpenParen) => {
                self.advance();
                return self.parenthesized(start);
            }
            TokenKind::Name(word) => match self.keyword_operand(&word)? {
                Some(kind) => kind,
                None if self.at_remote_reference(&word) => self.remote_reference()?,
                None => {
                    let var = self.var_ref()?;
                    return self.operand_of(var);
                }
            },
            TokenKind::Punct(Punct::BangBang) => {
                return Err(self.error(
                    Diagnostic::error(start, "`!!` is the sorted send, not a double negation")
                        .help("write `!(!x)`, or just `x`"),
                ));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: start.to(self.stream.last_span) })
    }

    /// What follows a `(`: an expression, or `condition -> value : value`.
    fn parenthesized(&mut self, start: crate::source::Span) -> Parsed<Expr> {
        let inner = self.expression(0)?;
        if self.in_formula || !self.eat(Punct::Arrow) {
            self.expect(Punct::CloseParen)?;
            return Ok(inner);
        }
        let mut height = self.height;
        let then = self.expression(0)?;
        height = height.max(self.height);
        self.expect(Punct::Colon)?;
        let otherwise = self.expression(0)?;
        let span = start.to(self.expect(Punct::CloseParen)?);
        self.set_height(1 + height.max(self.height), span)?;
        let kind = ExprKind::Conditional(Box::new(inner), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind, span })
    }

    fn keyword_operand(&mut self, word: &str) -> Parsed<Option<ExprKind>> {
        let probe = match word {
            "full" => Probe::Full,
            "empty" => Probe::Empty,
            "nfull" => Probe::NotFull,
            "nempty" => Probe::NotEmpty,
            _ => return self.other_keyword_operand(word),
        };
        self.advance();
        self.expect(Punct::OpenParen)?;
        let channel = self.var_ref()?;
        self.expect(Punct::CloseParen)?;
        Ok(Some(ExprKind::Probe(probe, channel)))
    }

    fn other_keyword_operand(&mut self, word: &str) -> Parsed<Option<ExprKind>> {
        let kind = match word {
            "true" | "skip" => ExprKind::Number(1),
            "false" => ExprKind::Number(0),
            "timeout" => ExprKind::Timeout,
            "np_" => ExprKind::NonProgress,
            "run" => return self.run().map(Some),
            "len" | "enabled" | "pc_value" | "get_priority" => {
                self.advance();
                self.expect(Punct::OpenParen)?;
                let kind = if word == "len" {
                    ExprKind::Length(self.var_ref()?)
                } else {
                    let pid = Box::new(self.expression(0)?);
                    self.set_height(1 + self.height, pid.span)?;
                    match word {
                        "enabled" => ExprKind::Enabled(pid),
                        "pc_value" => ExprKind::PcValue(pid),
                        _ => ExprKind::PriorityOf(pid),
                    }
                };
                self.expect(Punct::CloseParen)?;
                return Ok(Some(kind));
            }
            "c_expr" => return Err(self.embedded_c()),
            _ if super::keyword::is_keyword(word) => return Err(self.unexpected("an expression")),
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(kind))
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.advance();
        let proctype = self.name("the name of a process type")?;
        if !self.at(Punct::OpenParen) {
            let diagnostic = self.expected_after(&format!("`(` and the arguments of `{}`", proctype.name));
            return Err(self.error(diagnostic.help(format!("write `run {}(…)`", proctype.name))));
        }
        self.advance();
        let mut args = Vec::new();
        let mut height = 0;
        if !self.at(Punct::CloseParen) {
            args.push(self.plain_expression()?);
            height = self.height;
            while self.eat(Punct::Comma) {
                args.push(self.plain_expression()?);
                height = height.max(self.height);
            }
        }
        let end = self.expect(Punct::CloseParen)?;
        self.set_height(1 + height, proctype.span.to(end))?;
        Ok(ExprKind::Run { proctype, args, priority: self.optional_priority()? })
    }

    /// Whether `P@label`, `P[i]@label`, `P:var` or `P[i]:var` is at the front.
    pub(super) fn at_remote_reference(&mut self, word: &str) -> bool {
        if self.is_followed_by(0, Punct::At) {
            return true;
        }
        self.proctypes.contains(word)
            && !self.locals.contains(word)
            && (self.is_followed_by(0, Punct::OpenBracket) || self.is_followed_by(0, Punct::Colon))
    }

    fn remote_reference(&mut self) -> Parsed<ExprKind> {
        let proctype = self.name("a process type")?;
        self.height = 0;
        let pid = if self.eat(Punct::OpenBracket) {
            let pid = self.expression(0)?;
            self.expect(Punct::CloseBracket)?;
            self.set_height(1 + self.height, pid.span)?;
            Some(Box::new(pid))
        } else {
            None
        };
        if self.eat(Punct::At) {
            return Ok(ExprKind::RemoteLabel { proctype, pid, label: self.name("a label")? });
        }
        self.expect(Punct::Colon)?;
        let height = self.height;
        let var = self.var_part()?;
        self.height = height.max(self.height);
        Ok(ExprKind::RemoteVar { proctype, pid, var })
    }

    /// A variable as an operand, or the poll `c?[…]` that begins with it.
    fn operand_of(&mut self, var: VarRef) -> Parsed<Expr> {
        let anywhere = self.at(Punct::QuestionQuestion);
        if (anywhere || self.at(Punct::Question)) && self.is_followed_by(0, Punct::OpenBracket) {
            self.advance();
            self.advance();
            let height = self.height;
            let args = self.receive_args()?;
            let end = self.expect(Punct::CloseBracket)?;
            let span = var.span.to(end);
            self.set_height(1 + height.max(self.height), span)?;
            return Ok(Expr { kind: ExprKind::Poll { channel: var, anywhere, args }, span });
        }
        if self.at(Punct::At)
            && let [VarPart { name, index }] = &var.parts[..]
        {
            // the process type is not known, which is reported with the other names
            self.advance();
            let label = self.name("a label")?;
            let kind = ExprKind::RemoteLabel { proctype: name.clone(), pid: index.clone(), label };
            return Ok(Expr { span: var.span.to(self.stream.last_span), kind });
        }
        Ok(Expr { span: var.span, kind: ExprKind::Var(var) })
    }

    pub(super) fn var_ref(&mut self) -> Parsed<VarRef> {
        let mut parts = vec![self.var_part()?];
        while self.eat(Punct::Dot) {
            let height = self.height;
            parts.push(self.var_part()?);
            self.height = height.max(self.height);
        }
        let span = parts[0].name.span.to(self.stream.last_span);
        Ok(VarRef { parts, span })
    }

    fn var_part(&mut self) -> Parsed<VarPart> {
        let name: Ident = self.name("a variable")?;
        let index = if self.at(Punct::OpenBracket) && !(self.in_formula && self.is_followed_by(0, Punct::CloseBracket))
        {
            self.advance();
            let index = self.plain_expression()?;
            self.expect(Punct::CloseBracket)?;
            self.set_height(1 + self.height, index.span)?;
            Some(Box::new(index))
        } else {
            self.height = 0;
            None
        };
        Ok(VarPart { name, index })
    }

    /// Checks that probes are alone or joined by `&&` and `||`; SPIN refuses to compute with them.
    fn check_probes(&mut self, expr: Expr, allowed: bool) -> Parsed<Expr> {
        match misplaced_probe(&expr, allowed) {
            None => Ok(expr),
            Some((probe, span)) => {
                let (name, opposite) = match probe {
                    Probe::Full => ("full", "nfull"),
                    Probe::Empty => ("empty", "nempty"),
                    Probe::NotFull => ("nfull", "full"),
                    Probe::NotEmpty => ("nempty", "empty"),
                };
                Err(self.error(
                    Diagnostic::error(span, format!("`{name}` can only be joined by `&&` and `||`"))
                        .label("not allowed inside this expression")
                        .help(format!("its negation is `{opposite}`; compare `len` with a number otherwise")),
                ))
            }
        }
    }
}

/// A probe that is where none may be.
fn misplaced_probe(expr: &Expr, allowed: bool) -> Option<(Probe, crate::source::Span)> {
    let inside = |inner: &Expr| misplaced_probe(inner, false);
    match &expr.kind {
        ExprKind::Probe(probe, _) => (!allowed).then_some((*probe, expr.span)),
        ExprKind::Binary(BinaryOp::Arithmetic(Arithmetic::And | Arithmetic::Or), left, right) => {
            misplaced_probe(left, allowed).or_else(|| misplaced_probe(right, allowed))
        }
        ExprKind::Binary(_, left, right) => inside(left).or_else(|| inside(right)),
        ExprKind::Unary(_, operand) => inside(operand),
        ExprKind::Conditional(condition, then, otherwise) => {
            inside(condition).or_else(|| inside(then)).or_else(|| inside(otherwise))
        }
        ExprKind::Enabled(pid) | ExprKind::PcValue(pid) | ExprKind::PriorityOf(pid) => inside(pid),
        _ => None,
    }
}
