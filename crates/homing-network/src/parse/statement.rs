//! The statements of functions.

use super::{Parsed, Parser};
use crate::ast::Statement;
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// `{ … }`. Errors inside are reported; the block is read to its end.
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect(Punct::OpenBrace, "before the statements")?;
        self.nested(|parser| {
            let mut statements = Vec::new();
            while !parser.is(Punct::CloseBrace) {
                if parser.is_at_end() {
                    return parser.unexpected("`}` after the statements");
                }
                let (levels, at) = (parser.levels, parser.at);
                if parser.statement(&mut statements).is_err() {
                    parser.levels = levels;
                    parser.skip_item();
                    if parser.at == at {
                        parser.advance();
                    }
                }
            }
            parser.advance();
            Ok(statements)
        })
    }

    fn statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        if self.eat_word("typedef") {
            let type_ = self.type_expr()?;
            let (name, dimensions) = self.declarator()?;
            self.expect(Punct::Semicolon, "after the type definition")?;
            into.push(Statement::Typedef { name, type_, dimensions });
            return Ok(());
        }
        let is_statement_word = matches!(
            self.word(),
            Some(
                "if" | "while"
                    | "for"
                    | "do"
                    | "return"
                    | "switch"
                    | "break"
                    | "continue"
                    | "assert"
                    | "not"
                    | "forall"
            )
        );
        if !is_statement_word && self.is_declaration() {
            let type_ = self.type_expr()?;
            let (name, dimensions) = self.declarator()?;
            let variables = self.variables_after(type_, name, dimensions)?;
            into.extend(variables.into_iter().map(Statement::Declaration));
            return Ok(());
        }
        let statement = self.nested(Self::single_statement)?;
        into.push(statement);
        Ok(())
    }

    fn single_statement(&mut self) -> Parsed<Statement> {
        let span = self.span();
        if self.eat(Punct::Semicolon) {
            return Ok(Statement::Empty);
        }
        if self.is(Punct::OpenBrace) {
            return Ok(Statement::Block(self.block()?));
        }
        match self.word() {
            Some("if") => {
                self.advance();
                let condition = self.condition()?;
                let then = Box::new(self.nested(Self::single_statement)?);
                let otherwise =
                    if self.eat_word("else") { Some(Box::new(self.nested(Self::single_statement)?)) } else { None };
                Ok(Statement::If { condition, then, otherwise })
            }
            Some("while") => {
                self.advance();
                let condition = self.condition()?;
                let body = Box::new(self.nested(Self::single_statement)?);
                Ok(Statement::While { condition, body })
            }
            Some("do") => {
                self.advance();
                let body = Box::new(self.nested(Self::single_statement)?);
                if !self.eat_word("while") {
                    return self.unexpected("`while` after the body of `do`");
                }
                let condition = self.condition()?;
                self.expect(Punct::Semicolon, "after `do … while`")?;
                Ok(Statement::DoWhile { body, condition })
            }
            Some("for") => self.for_statement(),
            Some("return") => {
                self.advance();
                let value = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
                self.expect(Punct::Semicolon, "after `return`")?;
                Ok(Statement::Return { value, span: self.span_from(span) })
            }
            Some(word @ ("switch" | "break" | "continue" | "assert")) => {
                let construct = format!("`{word}` statements");
                self.fail(Diagnostic::unsupported(span, construct))
            }
            _ => {
                let expression = self.expression()?;
                self.expect(Punct::Semicolon, "after the statement")?;
                Ok(Statement::Expression(expression))
            }
        }
    }

    fn condition(&mut self) -> Parsed<crate::ast::Expr> {
        self.expect(Punct::OpenParen, "before the condition")?;
        let condition = self.expression()?;
        self.expect(Punct::CloseParen, "after the condition")?;
        Ok(condition)
    }

    fn for_statement(&mut self) -> Parsed<Statement> {
        self.advance();
        self.expect(Punct::OpenParen, "after `for`")?;
        if *self.ahead(1) == TokenKind::Punct(Punct::Colon) {
            let variable = self.ident("the name of a variable")?;
            self.advance();
            let type_ = self.type_expr()?;
            self.expect(Punct::CloseParen, "after the type")?;
            let body = Box::new(self.nested(Self::single_statement)?);
            return Ok(Statement::Iterate { variable, type_, body });
        }
        if self.is_declaration() {
            let message = "a variable cannot be declared in the head of `for`";
            let help = "declare it before the loop, or write `for (i : int[0, 9])`";
            return self.fail(Diagnostic::error(self.span(), message).help(help));
        }
        let first = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semicolon, "after the first part of `for`")?;
        let condition = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semicolon, "after the condition of `for`")?;
        let next = if self.is(Punct::CloseParen) { None } else { Some(self.expression()?) };
        self.expect(Punct::CloseParen, "after the parts of `for`")?;
        let body = Box::new(self.nested(Self::single_statement)?);
        Ok(Statement::For { first, condition, next, body })
    }
}
