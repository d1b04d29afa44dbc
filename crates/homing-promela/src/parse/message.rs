//! The arguments of sends and receives.

use super::{Parsed, Parser};
use crate::ast::{Expr, ReceiveArg};
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// `a, b, c` or `tag(a, b)`.
    pub(super) fn send_args(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = vec![self.plain_expression()?];
        if self.eat(Punct::OpenParen) {
            args.push(self.plain_expression()?);
            while self.eat(Punct::Comma) {
                args.push(self.plain_expression()?);
            }
            self.expect(Punct::CloseParen)?;
            return Ok(args);
        }
        while self.eat(Punct::Comma) {
            args.push(self.plain_expression()?);
        }
        Ok(args)
    }

    /// `a, b`, `tag(a, b)` or `(a, b)`, nested arbitrarily.
    pub(super) fn receive_args(&mut self) -> Parsed<Vec<ReceiveArg>> {
        let (mut args, mut height) = (Vec::new(), 0);
        self.collect_receive_args(&mut args, &mut height)?;
        self.height = height;
        Ok(args)
    }

    fn collect_receive_args(&mut self, args: &mut Vec<ReceiveArg>, height: &mut u32) -> Parsed<()> {
        self.nested(|parser| {
            if parser.eat(Punct::OpenParen) {
                parser.collect_receive_args(args, height)?;
                parser.expect(Punct::CloseParen)?;
                return Ok(());
            }
            args.push(parser.receive_arg()?);
            *height = parser.height.max(*height);
            loop {
                if parser.eat(Punct::Comma) {
                    if parser.at(Punct::OpenParen) {
                        return parser.collect_receive_args(args, height);
                    }
                    args.push(parser.receive_arg()?);
                    *height = parser.height.max(*height);
                } else if parser.eat(Punct::OpenParen) {
                    parser.collect_receive_args(args, height)?;
                    parser.expect(Punct::CloseParen)?;
                    return Ok(());
                } else {
                    return Ok(());
                }
            }
        })
    }

    fn receive_arg(&mut self) -> Parsed<ReceiveArg> {
        match self.peek() {
            TokenKind::Name(word) if &*word == "eval" => {
                self.advance();
                self.expect(Punct::OpenParen)?;
                let value = self.plain_expression()?;
                self.expect(Punct::CloseParen)?;
                Ok(ReceiveArg::Eval(value))
            }
            TokenKind::Name(word) if !super::keyword::is_keyword(&word) => Ok(ReceiveArg::Var(self.var_ref()?)),
            TokenKind::Punct(Punct::Minus) => {
                let start = self.advance();
                let mut number = self.number("a number")?;
                number.value = number.value.wrapping_neg();
                number.span = start.to(number.span);
                Ok(ReceiveArg::Number(number))
            }
            _ => Ok(ReceiveArg::Number(self.number("a variable, a constant, `_` or `eval(…)`")?)),
        }
    }
}
