//! Single statements.

use super::sequence::Within;
use super::{Parsed, Parser, Reported};
use crate::ast::{Ident, Sequence, Stmt, StmtKind, VarRef};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn basic_statement(&mut self) -> Parsed<Stmt> {
        let start = self.peek_span();
        let kind = match self.peek() {
            TokenKind::Punct(Punct::OpenBrace) => {
                self.advance();
                StmtKind::Block(self.sequence_until_brace(start)?)
            }
            TokenKind::Name(word) => match self.keyword_statement(&word, start)? {
                Some(kind) => kind,
                None => return self.statement_of_name(start),
            },
            _ => StmtKind::Expr(self.full_expression()?),
        };
        Ok(Stmt { kind, span: start.to(self.stream.last_span) })
    }

    /// A statement that begins with a keyword.
    fn keyword_statement(&mut self, word: &str, start: Span) -> Parsed<Option<StmtKind>> {
        let kind = match word {
            "if" | "do" => {
                self.advance();
                let close = if word == "if" { "fi" } else { "od" };
                self.open_selections.push(close);
                let options = self.options(close, start)?;
                self.open_selections.pop();
                if word == "if" { StmtKind::If(options) } else { StmtKind::Do(options) }
            }
            "atomic" | "d_step" => {
                self.advance();
                let open = self.expect(Punct::OpenBrace)?;
                let body = self.sequence_until_brace(open)?;
                if word == "atomic" { StmtKind::Atomic(body) } else { StmtKind::DStep(body) }
            }
            "break" => {
                self.advance();
                StmtKind::Break
            }
            "else" => {
                self.advance();
                StmtKind::Else
            }
            "goto" => {
                self.advance();
                StmtKind::Goto(self.name("a label")?)
            }
            "assert" => {
                self.advance();
                StmtKind::Assert(self.full_expression()?)
            }
            "printf" | "printm" => self.print(word)?,
            "set_priority" => {
                self.advance();
                self.expect(Punct::OpenParen)?;
                let pid = self.plain_expression()?;
                self.expect(Punct::Comma)?;
                let priority = self.plain_expression()?;
                self.expect(Punct::CloseParen)?;
                StmtKind::SetPriority(pid, priority)
            }
            "for" => self.for_loop()?,
            "select" => self.select()?,
            "return" => self.return_statement()?,
            "c_code" | "c_expr" | "c_decl" => return Err(self.embedded_c()),
            _ if super::keyword::begins_unit(word) => {
                let mut diagnostic = self.expected("a statement");
                if let Some(&open) = self.open_braces.last() {
                    diagnostic = diagnostic.note(open, "the block that begins here is still open");
                    self.unclosed_blocks = self.open_braces.len();
                }
                return Err(self.error(diagnostic));
            }
            "fi" | "od" | "unless" | "of" => {
                let diagnostic = self.expected("a statement");
                return Err(self.error(diagnostic));
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// `:: sequence :: sequence …` up to the closing word.
    fn options(&mut self, close: &'static str, open: Span) -> Parsed<Vec<Sequence>> {
        let mut options = Vec::new();
        if !self.at(Punct::ColonColon) {
            let mut diagnostic = self.expected("`::` and the first option");
            if diagnostic.help.is_none() {
                diagnostic = diagnostic.help(match close {
                    "fi" => "a choice is written `if :: condition -> … :: else -> … fi`",
                    _ => "a loop is written `do :: condition -> … :: else -> break od`",
                });
            }
            let reported = self.error(diagnostic);
            self.skip_to_option(reported)?;
        }
        while self.at(Punct::ColonColon) {
            let start = self.advance();
            options.push(self.sequence(start, Within::Selection(open, close))?);
        }
        if self.at_word(close) {
            self.advance();
            return Ok(options);
        }
        let other = if close == "fi" { "od" } else { "fi" };
        if self.at_word(other) && !self.open_selections.contains(&other) {
            let span = self.peek_span();
            let word = if close == "fi" { "an `if`" } else { "a `do`" };
            self.error(
                Diagnostic::error(span, format!("`{other}` cannot end {word}"))
                    .label(format!("expected `{close}`"))
                    .note(open, "for the selection that begins here"),
            );
            self.advance();
            return Ok(options);
        }
        if options.is_empty() {
            return Err(Reported); // it was reported that there is no option
        }
        let diagnostic =
            self.expected(&format!("`;`, `::` or `{close}`")).note(open, "for the selection that begins here");
        Err(self.error(diagnostic))
    }

    fn print(&mut self, word: &str) -> Parsed<StmtKind> {
        self.advance();
        self.expect(Punct::OpenParen)?;
        let kind = if word == "printm" {
            StmtKind::PrintMtype(self.plain_expression()?)
        } else {
            let TokenKind::Str(format) = self.peek() else { return Err(self.unexpected("a string")) };
            self.advance();
            let mut args = Vec::new();
            while self.eat(Punct::Comma) {
                args.push(self.plain_expression()?);
            }
            StmtKind::Print { format, args }
        };
        self.expect(Punct::CloseParen)?;
        Ok(kind)
    }

    fn return_statement(&mut self) -> Parsed<StmtKind> {
        let span = self.advance();
        let value = self.full_expression()?;
        match self.return_targets.last().cloned() {
            Some(Some(target)) => Ok(StmtKind::Assign(target, value)),
            Some(None) => Err(self.error(
                Diagnostic::error(span, "`return` in an inline whose result is not used")
                    .help("call it as `x = name(arguments)`"),
            )),
            None => Err(self.error(
                Diagnostic::error(span, "`return` outside of an inline")
                    .help("a process ends after its last statement; `goto` a label there to end it early"),
            )),
        }
    }

    /// A statement that begins with a name: an inline call, an assignment, a channel operation or an expression.
    fn statement_of_name(&mut self, start: Span) -> Parsed<Stmt> {
        let TokenKind::Name(word) = self.peek() else { return Err(self.unexpected("a statement")) };
        if super::keyword::is_keyword(&word) || self.at_remote_reference(&word) {
            let kind = StmtKind::Expr(self.full_expression()?);
            return Ok(Stmt { kind, span: start.to(self.stream.last_span) });
        }
        if self.inlines.contains_key(&word) {
            let name = Ident { name: word, span: self.advance() };
            return self.call_inline(&name, None);
        }
        if self.stream.peek_after(0) == TokenKind::Punct(Punct::OpenParen) {
            return Err(self.unknown_inline(&word));
        }
        let var = self.var_ref()?;
        let TokenKind::Punct(punct) = self.peek() else { return self.expression_statement(var, start) };
        let kind = match punct {
            Punct::Assign => {
                self.advance();
                if let TokenKind::Name(word) = self.peek()
                    && self.inlines.contains_key(&word)
                {
                    let name = Ident { name: word, span: self.advance() };
                    return self.call_inline(&name, Some(var));
                }
                StmtKind::Assign(var, self.full_expression()?)
            }
            Punct::PlusPlus => {
                self.advance();
                StmtKind::Increment(var)
            }
            Punct::MinusMinus => {
                self.advance();
                StmtKind::Decrement(var)
            }
            Punct::Bang | Punct::BangBang => {
                self.advance();
                StmtKind::Send { channel: var, sorted: punct == Punct::BangBang, args: self.send_args()? }
            }
            Punct::Question | Punct::QuestionQuestion
                if self.stream.peek_after(0) != TokenKind::Punct(Punct::OpenBracket) =>
            {
                self.advance();
                let keep = self.eat(Punct::Less);
                let args = self.receive_args()?;
                if keep {
                    self.expect(Punct::Greater)?;
                }
                StmtKind::Receive { channel: var, anywhere: punct == Punct::QuestionQuestion, keep, args }
            }
            _ => return self.expression_statement(var, start),
        };
        Ok(Stmt { kind, span: start.to(self.stream.last_span) })
    }

    fn expression_statement(&mut self, var: VarRef, start: Span) -> Parsed<Stmt> {
        let kind = StmtKind::Expr(self.full_expression_from(var)?);
        Ok(Stmt { kind, span: start.to(self.stream.last_span) })
    }

    fn unknown_inline(&mut self, word: &str) -> Reported {
        let span = self.peek_span();
        let mut diagnostic = Diagnostic::error(span, format!("there is no inline `{word}`"));
        let words = ["assert", "printf", "printm", "select", "run", "for", "len", "empty", "full", "nempty", "nfull"];
        let known = self.inlines.keys().map(|name| &**name).chain(words);
        let near = crate::spelling::nearest(word, known).map(str::to_owned);
        diagnostic = if self.proctypes.contains(word) {
            diagnostic.help(format!("`{word}` is a process type: start it with `run {word}(…)`"))
        } else if let Some(foreign) = crate::spelling::foreign(word) {
            diagnostic.help(foreign)
        } else if let Some(near) = near {
            diagnostic.help(format!("did you mean `{near}`?"))
        } else {
            diagnostic.help("an inline must be defined before it is called")
        };
        self.error(diagnostic)
    }
}
