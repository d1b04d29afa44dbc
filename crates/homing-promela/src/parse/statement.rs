//! Statements and sequences.

use super::{Parsed, Parser, Reported};
use crate::ast::{Expr, ExprKind, ForRange, Ident, ReceiveArg, SelectForm, Sequence, Stmt, StmtKind, VarRef};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Punct, TokenKind};

/// `select` between two numbers at most this far apart is a choice of assignments.
const WIDEST_CHOICE: i32 = 32;

impl Parser<'_> {
    /// Steps up to the `}` of the brace that was just read.
    pub(super) fn sequence_until_brace(&mut self, open: Span) -> Parsed<Sequence> {
        let mut sequence = self.sequence(open)?;
        if !self.at(Punct::CloseBrace) {
            let found = self.stream.peek().clone();
            let expected = if found.kind == TokenKind::End { "`}`" } else { "`;` or `}`" };
            return Err(self.error(
                Diagnostic::error(found.span, format!("expected {expected}, found {}", found.kind))
                    .label(format!("expected {expected}"))
                    .note(open, "for the block that begins here"),
            ));
        }
        sequence.span = open.to(self.advance());
        Ok(sequence)
    }

    /// `step ; step ; …`, up to what cannot be a step.
    fn sequence(&mut self, start: Span) -> Parsed<Sequence> {
        let mut steps = Vec::new();
        loop {
            match self.step() {
                Ok(step) => steps.push(step),
                Err(reported) => self.skip_step(reported)?,
            }
            let mut separated = false;
            while self.eat(Punct::Semicolon) || self.eat(Punct::Arrow) {
                separated = true;
            }
            if !separated || self.at_sequence_end() {
                return Ok(Sequence { steps, span: start.to(self.stream.last_span) });
            }
        }
    }

    fn at_sequence_end(&mut self) -> bool {
        match self.peek() {
            TokenKind::Punct(Punct::CloseBrace | Punct::ColonColon) | TokenKind::End => true,
            TokenKind::Name(word) => matches!(&*word, "fi" | "od"),
            _ => false,
        }
    }

    /// Goes on behind an error in a step: to the end of the step, at the same depth of braces and selections.
    fn skip_step(&mut self, reported: Reported) -> Parsed<()> {
        self.stream.parentheses = 0;
        let mut depth = 0u32;
        loop {
            match self.peek() {
                TokenKind::End => return Err(reported),
                _ if self.diagnostics.is_full() => return Err(reported),
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow | Punct::ColonColon) if depth == 0 => return Ok(()),
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) if depth == 0 => return Ok(()),
                TokenKind::Punct(Punct::CloseBrace) => depth -= 1,
                TokenKind::Name(word) => match &*word {
                    "if" | "do" => depth += 1,
                    "fi" | "od" if depth == 0 => return Ok(()),
                    "fi" | "od" => depth -= 1,
                    "proctype" | "init" | "never" if depth == 0 => return Err(reported),
                    _ => {}
                },
                _ => {}
            }
            self.advance();
            self.stream.parentheses = 0;
        }
    }

    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.peek_span();
        if self.at_declaration() {
            let decl = self.declaration()?;
            return Ok(Stmt { span: decl.span, kind: StmtKind::Decl(decl) });
        }
        if self.at_word("xr") || self.at_word("xs") {
            let send = self.at_word("xs");
            self.advance();
            let mut channels = vec![self.var_ref()?];
            while self.eat(Punct::Comma) {
                channels.push(self.var_ref()?);
            }
            return Ok(Stmt { kind: StmtKind::Exclusive { send, channels }, span: start.to(self.stream.last_span) });
        }
        let main = self.deeper(Self::statement)?;
        if self.eat_word("unless") {
            let escape = self.deeper(Self::statement)?;
            let span = main.span.to(escape.span);
            return Ok(Stmt { kind: StmtKind::Unless(Box::new(main), Box::new(escape)), span });
        }
        Ok(main)
    }

    /// A statement with its labels.
    fn statement(&mut self) -> Parsed<Stmt> {
        if let TokenKind::Name(name) = self.peek()
            && self.stream.peek_behind(0) == TokenKind::Punct(Punct::Colon)
            && !super::keyword::is_keyword(&name)
            && !self.proctypes.contains(&name)
        {
            return self.labelled(name);
        }
        self.basic_statement()
    }

    fn labelled(&mut self, name: crate::ast::Name) -> Parsed<Stmt> {
        let label = Ident { name, span: self.advance() };
        self.expect(Punct::Colon)?;
        if self.at_declaration() || self.at_word("xr") || self.at_word("xs") {
            return Err(self.error(
                Diagnostic::error(label.span, format!("label `{}` stands in front of a declaration", label.name))
                    .help("put the label in front of a statement"),
            ));
        }
        let ends = self.at_sequence_end() || self.at(Punct::Semicolon) || self.at(Punct::Arrow);
        let inner = if ends {
            Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Number(1), span: label.span }), span: label.span }
        } else {
            self.deeper(Self::statement)?
        };
        let span = label.span.to(inner.span);
        Ok(Stmt { kind: StmtKind::Label(label, Box::new(inner)), span })
    }

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

    /// A statement that begins with a keyword of its own.
    fn keyword_statement(&mut self, word: &str, start: Span) -> Parsed<Option<StmtKind>> {
        let kind = match word {
            "if" | "do" => {
                self.advance();
                let options = self.options(if word == "if" { "fi" } else { "od" }, start)?;
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
            "fi" | "od" | "unless" | "of" | "proctype" | "init" | "never" | "typedef" | "inline" | "ltl" | "active" => {
                return Err(self.unexpected("a statement"));
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// `:: sequence :: sequence …` up to the closing word.
    fn options(&mut self, close: &str, open: Span) -> Parsed<Vec<Sequence>> {
        let mut options = Vec::new();
        while self.at(Punct::ColonColon) {
            let start = self.advance();
            options.push(self.sequence(start)?);
        }
        if options.is_empty() {
            return Err(self.unexpected("`::` and the first option"));
        }
        if !self.at_word(close) {
            let found = self.stream.peek().clone();
            return Err(self.error(
                Diagnostic::error(found.span, format!("expected `;`, `::` or `{close}`, found {}", found.kind))
                    .label(format!("expected `;`, `::` or `{close}`"))
                    .note(open, "for the selection that begins here"),
            ));
        }
        self.advance();
        Ok(options)
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

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect(Punct::OpenParen)?;
        let var = self.var_ref()?;
        let range = if self.eat(Punct::Colon) {
            let from = self.plain_expression()?;
            self.expect(Punct::DotDot)?;
            ForRange::Values(from, self.plain_expression()?)
        } else if self.eat_word("in") {
            ForRange::Elements(self.var_ref()?)
        } else {
            return Err(self.unexpected("`:` and a range, or `in` and an array or channel"));
        };
        self.expect(Punct::CloseParen)?;
        self.eat(Punct::Semicolon);
        let open = self.expect(Punct::OpenBrace)?;
        Ok(StmtKind::For { var, range, body: self.sequence_until_brace(open)? })
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let literal = self.select_is_literal();
        self.expect(Punct::OpenParen)?;
        let var = self.var_ref()?;
        self.expect(Punct::Colon)?;
        let from = self.plain_expression()?;
        self.expect(Punct::DotDot)?;
        let to = self.plain_expression()?;
        let end = self.expect(Punct::CloseParen)?;
        let form = match (&from.kind, &to.kind) {
            (ExprKind::Number(a), ExprKind::Number(b)) if literal => {
                if a > b {
                    return Err(self.error(Diagnostic::error(from.span.to(end), "this range of `select` is empty")));
                }
                if b - a <= WIDEST_CHOICE { SelectForm::Choice } else { SelectForm::Count }
            }
            _ => SelectForm::General,
        };
        Ok(StmtKind::Select { var, from, to, form })
    }

    /// SPIN rewrites `select (name : 1 .. 3)` by its text: the name may have letters and digits only, the bounds must be
    /// plain numbers, and it must not stand in an inline.
    fn select_is_literal(&mut self) -> bool {
        if self.stream.in_inline() || !self.at(Punct::OpenParen) {
            return false;
        }
        let name_is_plain = matches!(
            self.stream.peek_behind(0),
            TokenKind::Name(name) if name.bytes().all(|b| b.is_ascii_alphanumeric())
        );
        name_is_plain
            && self.stream.peek_behind(1) == TokenKind::Punct(Punct::Colon)
            && matches!(self.stream.peek_behind(2), TokenKind::Number(_))
            && self.stream.peek_behind(3) == TokenKind::Punct(Punct::DotDot)
            && matches!(self.stream.peek_behind(4), TokenKind::Number(_))
            && self.stream.peek_behind(5) == TokenKind::Punct(Punct::CloseParen)
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
            None => Err(self.error(Diagnostic::error(span, "`return` outside of an inline"))),
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
        if self.stream.peek_behind(0) == TokenKind::Punct(Punct::OpenParen) {
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
                if self.stream.peek_behind(0) != TokenKind::Punct(Punct::OpenBracket) =>
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
        } else if let Some(near) = near {
            diagnostic.help(format!("did you mean `{near}`?"))
        } else {
            diagnostic.help("an inline must be defined before it is called")
        };
        self.error(diagnostic)
    }

    /// `a, b, c` or `tag(a, b)`
    fn send_args(&mut self) -> Parsed<Vec<Expr>> {
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

    /// `a, b`, `tag(a, b)` or `(a, b)`, nested as one likes.
    pub(super) fn receive_args(&mut self) -> Parsed<Vec<ReceiveArg>> {
        self.deeper(|parser| {
            if parser.eat(Punct::OpenParen) {
                let args = parser.receive_args()?;
                parser.expect(Punct::CloseParen)?;
                return Ok(args);
            }
            let mut args = vec![parser.receive_arg()?];
            loop {
                if parser.eat(Punct::Comma) {
                    if parser.at(Punct::OpenParen) {
                        args.extend(parser.receive_args()?);
                        return Ok(args);
                    }
                    args.push(parser.receive_arg()?);
                } else if parser.eat(Punct::OpenParen) {
                    args.extend(parser.receive_args()?);
                    parser.expect(Punct::CloseParen)?;
                    return Ok(args);
                } else {
                    return Ok(args);
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
