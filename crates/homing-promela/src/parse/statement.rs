//! Statements and sequences.

use super::{MAX_UNLESS, Parsed, Parser, Reported};
use crate::ast::{Expr, ExprKind, ForRange, Ident, ReceiveArg, SelectForm, Sequence, Stmt, StmtKind, VarPart, VarRef};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Punct, TokenKind};

/// `select` between two numbers at most this far apart is a choice of assignments.
const WIDEST_CHOICE: i32 = 32;

/// What a sequence is part of, and so what may follow it.
#[derive(Clone, Copy)]
enum Within {
    /// `{ … }`, from this brace on.
    Block(Span),
    /// A selection that begins here and ends with this word.
    Selection(Span, &'static str),
}

impl Parser<'_> {
    /// Steps up to the `}` of the brace that was just read.
    pub(super) fn sequence_until_brace(&mut self, open: Span) -> Parsed<Sequence> {
        self.opened.push(open);
        let mut sequence = self.sequence(open, Within::Block(open))?;
        while !self.at(Punct::CloseBrace) {
            // `::`, `fi` or `od`, or the end of the model
            let found = self.stream.peek().clone();
            if found.kind == TokenKind::End {
                let diagnostic = self.expected("`}`").note(open, "for the block that begins here");
                return Err(self.error(diagnostic));
            }
            let what = match &found.kind {
                TokenKind::Name(word) if **word == *"fi" => "`fi` without an `if`",
                TokenKind::Name(_) => "`od` without a `do`",
                _ => "`::` outside of `if` and `do`",
            };
            self.error(Diagnostic::error(found.span, what).help("is its beginning missing above?"));
            self.advance();
            self.eat_separators();
            if !self.at_sequence_end() {
                self.sequence(open, Within::Block(open))?;
            }
        }
        self.opened.pop();
        sequence.span = open.to(self.advance());
        Ok(sequence)
    }

    /// `step ; step ; …`, up to what ends a sequence.
    fn sequence(&mut self, start: Span, within: Within) -> Parsed<Sequence> {
        let mut steps = Vec::new();
        if self.at_sequence_end() && self.peek() != TokenKind::End {
            let what = match within {
                Within::Block(_) => "this block is empty",
                Within::Selection(..) => "this option is empty",
            };
            let span = start.to(self.stream.last_span);
            self.error(
                Diagnostic::error(span, what).label("a statement is missing").help("write `skip` to do nothing"),
            );
            return Ok(Sequence { steps, span });
        }
        loop {
            let (opened, selections) = (self.opened.len(), self.selections.len());
            match self.step() {
                Ok(step) => steps.push(step),
                Err(reported) => {
                    self.opened.truncate(opened);
                    self.selections.truncate(selections);
                    self.skip_step(reported)?;
                }
            }
            let separated = self.eat_separators();
            if !separated && !self.at_sequence_end() {
                let reported = self.missing_separator(within, steps.last());
                self.skip_step(reported)?;
                self.eat_separators();
            }
            if self.at_sequence_end() {
                return Ok(Sequence { steps, span: start.to(self.stream.last_span) });
            }
        }
    }

    fn eat_separators(&mut self) -> bool {
        let mut any = false;
        while self.eat(Punct::Semicolon) || self.eat(Punct::Arrow) {
            any = true;
        }
        any
    }

    /// Reports that neither a `;` nor an end stands behind a step.
    fn missing_separator(&mut self, within: Within, last: Option<&Stmt>) -> Reported {
        // `Mesage m` reads as the condition `Mesage`, and then something.
        if let Some(Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Var(var), .. }), .. }) = last
            && let [VarPart { name, index: None }] = &var.parts[..]
            && matches!(self.peek(), TokenKind::Name(next) if !super::keyword::is_keyword(&next))
            && matches!(
                self.stream.peek_behind(0),
                TokenKind::Punct(
                    Punct::Semicolon | Punct::Assign | Punct::Comma | Punct::OpenBracket | Punct::CloseBrace
                )
            )
        {
            let diagnostic = match crate::spelling::foreign(&name.name) {
                Some(foreign) => {
                    Diagnostic::error(name.span, format!("`{}` has no meaning in Promela", name.name)).help(foreign)
                }
                None => self.unknown_type(name),
            };
            return self.error(diagnostic);
        }
        let (expected, place, text) = match within {
            Within::Block(open) => ("`;` or `}`".to_owned(), open, "for the block that begins here"),
            Within::Selection(open, close) => {
                (format!("`;`, `::` or `{close}`"), open, "for the selection that begins here")
            }
        };
        let mut diagnostic = self.expected(&expected).note(place, text);
        let begins_statement =
            matches!(self.peek(), TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Punct(Punct::OpenBrace));
        if diagnostic.help.is_none() && begins_statement {
            diagnostic = diagnostic.help("is a `;` missing in front of it?");
        }
        self.error(diagnostic)
    }

    fn at_sequence_end(&mut self) -> bool {
        match self.peek() {
            TokenKind::Punct(Punct::CloseBrace | Punct::ColonColon) | TokenKind::End => true,
            TokenKind::Name(word) => matches!(&*word, "fi" | "od"),
            _ => false,
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
        let before = std::mem::take(&mut self.unless);
        let mut step = self.deeper(Self::statement)?;
        if self.eat_word("unless") {
            let escape = self.deeper(Self::statement)?;
            let span = step.span.to(escape.span);
            self.unless += 1;
            if self.unless > MAX_UNLESS {
                return Err(self.error(
                    Diagnostic::error(span, format!("`unless` nested more than {MAX_UNLESS} levels deep"))
                        .help("join the escapes into one: `unless { if :: … :: … fi }`"),
                ));
            }
            step = Stmt { kind: StmtKind::Unless(Box::new(step), Box::new(escape)), span };
        }
        self.unless = self.unless.max(before);
        Ok(step)
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
                let close = if word == "if" { "fi" } else { "od" };
                self.selections.push(close);
                let options = self.options(close, start)?;
                self.selections.pop();
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
                if let Some(&open) = self.opened.last() {
                    diagnostic = diagnostic.note(open, "the block that begins here is still open");
                    self.forgiven_braces = self.opened.len();
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
        if self.at_word(other) && !self.selections.contains(&other) {
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
            return Err(Reported); // that there is no option
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

    fn for_loop(&mut self) -> Parsed<StmtKind> {
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
            None => Ok(StmtKind::Block(body)), // its errors were of interest
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

    fn select(&mut self) -> Parsed<StmtKind> {
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
            None => Err(self.error(
                Diagnostic::error(span, "`return` outside of an inline")
                    .help("a process ends behind its last statement; `goto` a label there to end it early"),
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
        } else if let Some(foreign) = crate::spelling::foreign(word) {
            diagnostic.help(foreign)
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
        let (mut args, mut height) = (Vec::new(), 0);
        self.collect_receive_args(&mut args, &mut height)?;
        self.height = height;
        Ok(args)
    }

    fn collect_receive_args(&mut self, args: &mut Vec<ReceiveArg>, height: &mut u32) -> Parsed<()> {
        self.deeper(|parser| {
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
