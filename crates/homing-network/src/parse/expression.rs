//! Expressions, by precedence climbing.

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Quantifier, StepValue, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

/// The operator of a token with its level; a higher level binds tighter. All associate to the left.
fn binary(kind: &TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::Punct(punct) => match punct {
            Punct::OrOr => (BinaryOp::Or, 1),
            Punct::AndAnd => (BinaryOp::And, 2),
            Punct::Or => (BinaryOp::BitOr, 3),
            Punct::Caret => (BinaryOp::BitXor, 4),
            Punct::And => (BinaryOp::BitAnd, 5),
            Punct::Equal => (BinaryOp::Equal, 6),
            Punct::NotEqual => (BinaryOp::NotEqual, 6),
            Punct::Less => (BinaryOp::Less, 7),
            Punct::LessEqual => (BinaryOp::LessEqual, 7),
            Punct::GreaterEqual => (BinaryOp::GreaterEqual, 7),
            Punct::Greater => (BinaryOp::Greater, 7),
            Punct::Minimum => (BinaryOp::Minimum, 8),
            Punct::Maximum => (BinaryOp::Maximum, 8),
            Punct::ShiftLeft => (BinaryOp::ShiftLeft, 9),
            Punct::ShiftRight => (BinaryOp::ShiftRight, 9),
            Punct::Plus => (BinaryOp::Add, 10),
            Punct::Minus => (BinaryOp::Subtract, 10),
            Punct::Star => (BinaryOp::Multiply, 11),
            Punct::Slash => (BinaryOp::Divide, 11),
            Punct::Percent => (BinaryOp::Remainder, 11),
            _ => return None,
        },
        TokenKind::Name(name) => match &**name {
            "or" => (BinaryOp::Or, 1),
            "imply" => (BinaryOp::Imply, 1),
            "xor" => (BinaryOp::Xor, 1),
            "and" => (BinaryOp::And, 2),
            _ => return None,
        },
        _ => return None,
    })
}

/// The operator of an assignment, if the token is one.
fn assignment(kind: &TokenKind) -> Option<Option<BinaryOp>> {
    let TokenKind::Punct(punct) = kind else { return None };
    Some(match punct {
        Punct::Assign | Punct::ColonAssign => None,
        Punct::PlusAssign => Some(BinaryOp::Add),
        Punct::MinusAssign => Some(BinaryOp::Subtract),
        Punct::StarAssign => Some(BinaryOp::Multiply),
        Punct::SlashAssign => Some(BinaryOp::Divide),
        Punct::PercentAssign => Some(BinaryOp::Remainder),
        Punct::AndAssign => Some(BinaryOp::BitAnd),
        Punct::OrAssign => Some(BinaryOp::BitOr),
        Punct::CaretAssign => Some(BinaryOp::BitXor),
        Punct::ShiftLeftAssign => Some(BinaryOp::ShiftLeft),
        Punct::ShiftRightAssign => Some(BinaryOp::ShiftRight),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, assignments included.
    pub fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let left = parser.conditional()?;
            let Some(operator) = assignment(&parser.token().kind) else { return Ok(left) };
            parser.advance();
            let value = parser.expression()?;
            let span = left.span.to(value.span);
            Ok(Expr { kind: ExprKind::Assign(operator, Box::new(left), Box::new(value)), span })
        })
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        self.nested(|parser| {
            let then = parser.expression()?;
            parser.expect(Punct::Colon, "after the first value of `?:`")?;
            let otherwise = parser.conditional()?;
            let span = condition.span.to(otherwise.span);
            Ok(Expr { kind: ExprKind::Conditional(Box::new([condition, then, otherwise])), span })
        })
    }

    /// Operators of a level or tighter ones.
    fn binary(&mut self, lowest: u8) -> Parsed<Expr> {
        let before = self.levels;
        let mut left = self.unary()?;
        while let Some((operator, level)) = binary(&self.token().kind) {
            if level < lowest {
                break;
            }
            self.deepen(1)?; // the tree of a chain is as deep as the chain is long
            self.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        self.levels = before;
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let step = |operator| Some((operator, ()));
        let prefix_step = match self.token().kind {
            TokenKind::Punct(Punct::PlusPlus) => step(BinaryOp::Add),
            TokenKind::Punct(Punct::MinusMinus) => step(BinaryOp::Subtract),
            _ => None,
        };
        if let Some((operator, ())) = prefix_step {
            self.advance();
            let target = self.nested(Self::unary)?;
            let span = start.to(target.span);
            let kind = ExprKind::Step { target: Box::new(target), operator, value: StepValue::New };
            return Ok(Expr { kind, span });
        }
        if self.eat(Punct::Bang) || self.eat_word("not") {
            return self.operand_of(UnaryOp::Not, start);
        }
        if self.eat(Punct::Minus) {
            return self.operand_of(UnaryOp::Minus, start);
        }
        if self.eat(Punct::Plus) {
            return self.nested(Self::unary);
        }
        self.postfix()
    }

    fn operand_of(&mut self, operator: UnaryOp, start: crate::source::Span) -> Parsed<Expr> {
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span })
    }

    /// A name, number or parenthesis with what follows it: `[i]`, `.field`, `(arguments)`, `++`.
    pub fn postfix(&mut self) -> Parsed<Expr> {
        let before = self.levels;
        let mut expr = self.primary()?;
        loop {
            let start = expr.span;
            let kind = if self.eat(Punct::OpenBracket) {
                let index = self.expression()?;
                self.expect(Punct::CloseBracket, "after the index")?;
                ExprKind::Index(Box::new(expr), Box::new(index))
            } else if self.eat(Punct::Dot) {
                // A location can have the name of a keyword in queries of old models; fields cannot.
                let field = self.ident("a field, location or variable after `.`")?;
                ExprKind::Field(Box::new(expr), field)
            } else if self.eat(Punct::OpenParen) {
                let arguments = if self.is(Punct::CloseParen) { Vec::new() } else { self.list(Self::expression)? };
                self.expect(Punct::CloseParen, "after the arguments")?;
                ExprKind::Call(Box::new(expr), arguments)
            } else if self.eat(Punct::PlusPlus) {
                ExprKind::Step { target: Box::new(expr), operator: BinaryOp::Add, value: StepValue::Old }
            } else if self.eat(Punct::MinusMinus) {
                ExprKind::Step { target: Box::new(expr), operator: BinaryOp::Subtract, value: StepValue::Old }
            } else if self.is(Punct::Quote) {
                return self.fail(Diagnostic::unsupported(self.span(), "rates of clocks"));
            } else if self.is(Punct::StarStar) {
                return self.fail(Diagnostic::unsupported(self.span(), "powers (`**`)").help("multiply in a function"));
            } else {
                self.levels = before;
                return Ok(expr);
            };
            self.deepen(1)?;
            expr = Expr { kind, span: self.span_from(start) };
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match &self.token().kind {
            TokenKind::Number(value) => ExprKind::Number(*value),
            TokenKind::Punct(Punct::OpenParen) => {
                self.advance();
                let inner = self.expression()?;
                if self.is(Punct::Comma) {
                    return self.fail(Diagnostic::error(self.span(), "a comma cannot be in an expression"));
                }
                self.expect(Punct::CloseParen, "after the expression")?;
                return Ok(Expr { span: self.span_from(span), ..inner });
            }
            TokenKind::Name(name) => match &**name {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "deadlock" => ExprKind::Deadlock,
                "forall" => return self.quantified(Quantifier::Forall),
                "exists" => return self.quantified(Quantifier::Exists),
                "spawn" if matches!(self.ahead(1), TokenKind::Name(_)) => {
                    return self.fail(Diagnostic::unsupported(span, "dynamic templates"));
                }
                // Older models have variables of this name.
                "sum"
                    if *self.ahead(1) == TokenKind::Punct(Punct::OpenParen)
                        && *self.ahead(3) == TokenKind::Punct(Punct::Colon) =>
                {
                    return self.quantified(Quantifier::Sum);
                }
                _ => {
                    let ident = self.ident("an expression")?;
                    return Ok(Expr { kind: ExprKind::Name(ident.name), span });
                }
            },
            _ => return self.unexpected("an expression"),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    /// `forall (i : T) body`: the body extends as far as possible.
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        self.expect(Punct::OpenParen, "after the quantifier")?;
        let variable = self.ident("the name of a variable")?;
        self.expect(Punct::Colon, "after the variable")?;
        let type_ = Box::new(self.type_expr()?);
        self.expect(Punct::CloseParen, "after the type")?;
        let body = Box::new(self.expression()?);
        let span = start.to(body.span);
        Ok(Expr { kind: ExprKind::Quantified { quantifier, variable, type_, body }, span })
    }
}
