//! `for` and `select`, the statements over a range.

use super::{Parsed, Parser};
use crate::ast::{ExprKind, ForRange, SelectForm, StmtKind, VarRef};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

/// `select` between two numbers at most this far apart is a choice of assignments.
const WIDEST_CHOICE: i32 = 32;

impl Parser<'_> {
    pub(super) fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let head = match self.for_head() {
            Ok(head) => Some(head),
            Err(reported) => {
                self.skip_head(reported)?;
                None
            }
        };
        self.eat(Punct::Semicolon);
        let open = self.expect(Punct::OpenBrace)?;
        let body = self.sequence_until_brace(open)?;
        match head {
            Some((var, range)) => Ok(StmtKind::For { var, range, body }),
            None => Ok(StmtKind::Block(body)), // parsed for its errors
        }
    }

    fn for_head(&mut self) -> Parsed<(VarRef, ForRange)> {
        self.expect(Punct::OpenParen)?;
        let var = self.var_ref()?;
        let range = if self.eat(Punct::Colon) {
            let from = self.plain_expression()?;
            self.expect(Punct::DotDot)?;
            ForRange::Values(from, self.plain_expression()?)
        } else if self.eat_word("in") {
            ForRange::Elements(self.var_ref()?)
        } else {
            let diagnostic = self.expected("`:` and a range, or `in` and an array or channel");
            return Err(self.error(diagnostic.help("write `for (i : 0 .. 9) { … }`")));
        };
        self.expect(Punct::CloseParen)?;
        Ok((var, range))
    }

    pub(super) fn select(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let literal = self.select_is_literal();
        self.expect(Punct::OpenParen)?;
        let var = self.var_ref()?;
        if !self.at(Punct::Colon) {
            let diagnostic = self.expected("`:` and a range");
            return Err(self.error(diagnostic.help("write `select (x : 0 .. 9)`")));
        }
        self.advance();
        let from = self.plain_expression()?;
        self.expect(Punct::DotDot)?;
        let to = self.plain_expression()?;
        let end = self.expect(Punct::CloseParen)?;
        let form = match (&from.kind, &to.kind) {
            (ExprKind::Number(a), ExprKind::Number(b)) if literal => {
                if a > b {
                    return Err(self.error(
                        Diagnostic::error(from.span.to(end), format!("this range is empty: {a} is above {b}"))
                            .help(format!("write `select ({} : {b} .. {a})`", var.parts[0].name.name)),
                    ));
                }
                if b - a <= WIDEST_CHOICE { SelectForm::Choice } else { SelectForm::Count }
            }
            _ => SelectForm::General,
        };
        Ok(StmtKind::Select { var, from, to, form })
    }

    /// Whether SPIN rewrites `select (name : 1 .. 3)` as text: the name has letters and digits only, the bounds are
    /// plain numbers, and it is not in an inline.
    fn select_is_literal(&mut self) -> bool {
        if self.stream.in_inline() || !self.at(Punct::OpenParen) {
            return false;
        }
        let name_is_plain = matches!(
            self.stream.peek_after(0),
            TokenKind::Name(name) if name.bytes().all(|b| b.is_ascii_alphanumeric())
        );
        name_is_plain
            && self.stream.peek_after(1) == TokenKind::Punct(Punct::Colon)
            && matches!(self.stream.peek_after(2), TokenKind::Number(_))
            && self.stream.peek_after(3) == TokenKind::Punct(Punct::DotDot)
            && matches!(self.stream.peek_after(4), TokenKind::Number(_))
            && self.stream.peek_after(5) == TokenKind::Punct(Punct::CloseParen)
    }
}
