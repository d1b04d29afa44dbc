//! Sequences: steps with their separators, labels and escapes.

use super::{MAX_UNLESS, Parsed, Parser, Reported};
use crate::ast::{Expr, ExprKind, Ident, Sequence, Stmt, StmtKind, VarPart};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Punct, TokenKind};

/// What a sequence is part of, which determines what may follow it.
#[derive(Clone, Copy)]
pub(super) enum Within {
    /// `{ … }`, with the span of its opening brace.
    Block(Span),
    /// A selection that begins here and ends with this word.
    Selection(Span, &'static str),
}

impl Parser<'_> {
    /// Parses steps up to the `}` that closes the brace which was just read.
    pub(super) fn sequence_until_brace(&mut self, open: Span) -> Parsed<Sequence> {
        self.open_braces.push(open);
        let mut sequence = self.sequence(open, Within::Block(open))?;
        while !self.at(Punct::CloseBrace) {
            // at `::`, `fi` or `od`, or at the end of the model
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
        self.open_braces.pop();
        sequence.span = open.to(self.advance());
        Ok(sequence)
    }

    /// `step ; step ; …`, up to a token that ends a sequence.
    pub(super) fn sequence(&mut self, start: Span, within: Within) -> Parsed<Sequence> {
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
            let (opened, selections) = (self.open_braces.len(), self.open_selections.len());
            match self.step() {
                Ok(step) => steps.push(step),
                Err(reported) => {
                    self.open_braces.truncate(opened);
                    self.open_selections.truncate(selections);
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

    /// Reports that a step is followed neither by a `;` nor by an end.
    fn missing_separator(&mut self, within: Within, last: Option<&Stmt>) -> Reported {
        // `Mesage m` is parsed as the condition `Mesage`, and then something
        if let Some(Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Var(var), .. }), .. }) = last
            && let [VarPart { name, index: None }] = &var.parts[..]
            && matches!(self.peek(), TokenKind::Name(next) if !super::keyword::is_keyword(&next))
            && matches!(
                self.stream.peek_after(0),
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

    pub(super) fn at_sequence_end(&mut self) -> bool {
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
        let mut step = self.nested(Self::statement)?;
        if self.eat_word("unless") {
            let escape = self.nested(Self::statement)?;
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
    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        if let TokenKind::Name(name) = self.peek()
            && self.stream.peek_after(0) == TokenKind::Punct(Punct::Colon)
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
            self.nested(Self::statement)?
        };
        let span = label.span.to(inner.span);
        Ok(Stmt { kind: StmtKind::Label(label, Box::new(inner)), span })
    }
}
