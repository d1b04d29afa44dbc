//! The top level of a model: process types, claims, declarations.

use super::{Parsed, Parser};
use crate::ast::{Active, Decl, Init, Ltl, MtypeDecl, Never, Proctype, Program, Sequence, Trace, Typedef, Unit};
use crate::diagnostic::Diagnostic;
use crate::parse::stream::TokenStream;
use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};

/// The words that a unit can begin with.
const UNIT_WORDS: [&str; 22] = [
    "active",
    "proctype",
    "D_proctype",
    "init",
    "never",
    "trace",
    "notrace",
    "ltl",
    "typedef",
    "inline",
    "hidden",
    "show",
    "local",
    "mtype",
    "chan",
    "byte",
    "bit",
    "bool",
    "short",
    "int",
    "unsigned",
    "pid",
];

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.peek() != TokenKind::End && !self.diagnostics.is_full() {
            let start = self.tokens_taken;
            self.locals.clear();
            match self.unit() {
                Ok(unit) => program.units.extend(unit),
                Err(_) => self.skip_unit(start),
            }
        }
        for (span, tokens) in std::mem::take(&mut self.formulas) {
            if let Ok(formula) = self.formula(span, tokens) {
                program.units.push(Unit::Ltl(formula));
            }
        }
        program
    }

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        let TokenKind::Name(word) = self.peek() else {
            if self.eat(Punct::Semicolon) || self.eat(Punct::Arrow) {
                return Ok(None);
            }
            if self.at(Punct::CloseBrace) {
                return Ok(self.surplus_brace());
            }
            let diagnostic = self.expected("a declaration or a process type");
            return Err(self.error(diagnostic));
        };
        match &*word {
            "active" | "proctype" | "D_proctype" => Ok(Some(Unit::Proctype(self.proctype()?))),
            "init" => {
                let span = self.advance();
                if self.at(Punct::OpenParen) && self.is_followed_by(0, Punct::CloseParen) {
                    let diagnostic = self.expected("`{`");
                    self.error(diagnostic.help("`init` has no parameters: write `init { … }`"));
                    self.advance();
                    self.advance();
                }
                let priority = self.optional_priority()?;
                Ok(Some(Unit::Init(Init { span, priority, body: self.body()? })))
            }
            "never" => {
                let span = self.advance();
                let name = if self.at(Punct::OpenBrace) { None } else { Some(self.name("a name or `{`")?) };
                Ok(Some(Unit::Never(Never { name, span, body: self.body()? })))
            }
            "trace" | "notrace" => {
                let span = self.advance();
                Ok(Some(Unit::Trace(Trace { negated: &*word == "notrace", span, body: self.body()? })))
            }
            "ltl" => self.defer_formula().map(|()| None),
            "typedef" => self.typedef().map(|typedef| Some(Unit::Typedef(typedef))),
            "inline" => self.define_inline().map(|()| None),
            "c_code" | "c_expr" | "c_decl" | "c_state" | "c_track" => Err(self.embedded_c()),
            "mtype" if self.at_mtype_declaration() => Ok(Some(Unit::Mtype(self.mtype_declaration()?))),
            _ if self.at_declaration() => Ok(Some(Unit::Decl(self.declaration()?))),
            _ => {
                let span = self.peek_span();
                let mut diagnostic =
                    Diagnostic::error(span, format!("expected a declaration or a process type, found `{word}`"))
                        .label("not a declaration");
                let known = UNIT_WORDS.iter().copied().chain(self.user_types.iter().map(|name| &**name));
                let statement =
                    super::keyword::is_keyword(&word) || !matches!(self.stream.peek_after(0), TokenKind::Name(_));
                if let Some(near) = crate::spelling::nearest(&word, known) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                } else if let Some(foreign) = crate::spelling::foreign(&word) {
                    diagnostic = diagnostic.help(foreign);
                } else if statement {
                    diagnostic = diagnostic.help("statements stand in `init { … }` or `proctype P() { … }`");
                }
                Err(self.error(diagnostic))
            }
        }
    }

    /// Reports a `}` that closes nothing, and skips those right after it.
    fn surplus_brace(&mut self) -> Option<Unit> {
        while self.unclosed_blocks > 0 && self.eat(Punct::CloseBrace) {
            self.unclosed_blocks -= 1;
            self.eat(Punct::Semicolon);
        }
        if !self.at(Punct::CloseBrace) {
            return None;
        }
        let span = self.peek_span();
        self.error(
            Diagnostic::error(span, "this `}` closes nothing").help("is it one too many, or is a `{` missing above?"),
        );
        while self.eat(Punct::CloseBrace) || self.eat(Punct::Semicolon) {}
        None
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let mut active = None;
        if self.at_word("active") {
            let span = self.advance();
            let count = if self.eat(Punct::OpenBracket) {
                let count = self.plain_expression()?;
                self.expect(Punct::CloseBracket)?;
                Some(count)
            } else {
                None
            };
            active = Some(Active { count, span });
        }
        let deterministic = self.at_word("D_proctype");
        if active.is_some() && self.at_word("init") {
            let diagnostic = self.expected("`proctype`");
            return Err(self.error(diagnostic.help("`init` is started by itself: leave out `active`")));
        }
        if !self.eat_word("D_proctype") {
            self.expect_word("proctype")?;
        }
        let name = self.name("the name of the process type")?;
        let params = if self.at(Punct::OpenBrace) {
            let diagnostic = self.expected("`(` and the parameters");
            self.error(diagnostic.help(format!("write `proctype {}() {{ … }}`", name.name)));
            Vec::new()
        } else {
            self.expect(Punct::OpenParen)?;
            self.in_parameters = true;
            let params = self.params();
            self.in_parameters = false;
            params?
        };
        let priority = self.optional_priority()?;
        let provided = if self.eat_word("provided") {
            self.expect(Punct::OpenParen)?;
            let condition = self.full_expression()?;
            self.expect(Punct::CloseParen)?;
            Some(condition)
        } else {
            None
        };
        Ok(Proctype { active, deterministic, name, params, priority, provided, body: self.body()? })
    }

    fn params(&mut self) -> Parsed<Vec<Decl>> {
        let mut params = Vec::new();
        while !self.at(Punct::CloseParen) {
            params.push(self.declaration()?);
            if !self.eat(Punct::Semicolon) {
                break;
            }
        }
        self.expect(Punct::CloseParen)?;
        Ok(params)
    }

    pub(super) fn optional_priority(&mut self) -> Parsed<Option<crate::ast::Number>> {
        if self.eat_word("priority") { Ok(Some(self.number("a priority")?)) } else { Ok(None) }
    }

    /// `{ … }` of a process type, claim or trace.
    fn body(&mut self) -> Parsed<Sequence> {
        if !self.at(Punct::OpenBrace) {
            let reported = self.unexpected("`{`");
            // statements up to a `}` are the body all the same
            let begins = match self.peek() {
                TokenKind::Name(word) => !super::keyword::begins_unit(&word),
                _ => false,
            };
            if !begins {
                return Err(reported);
            }
        }
        let open = if self.at(Punct::OpenBrace) { self.advance() } else { self.peek_span() };
        self.stream.in_sequence = true;
        let sequence = self.sequence_until_brace(open);
        self.stream.in_sequence = false;
        sequence
    }

    fn typedef(&mut self) -> Parsed<Typedef> {
        self.advance();
        let name = self.name("the name of the type")?;
        self.expect(Punct::OpenBrace)?;
        self.stream.in_sequence = true;
        let fields = self.fields();
        self.stream.in_sequence = false;
        self.user_types.insert(name.name.clone());
        Ok(Typedef { name, fields: fields? })
    }

    fn fields(&mut self) -> Parsed<Vec<Decl>> {
        let mut fields = vec![self.declaration()?];
        while self.eat(Punct::Semicolon) {
            fields.push(self.declaration()?);
        }
        self.expect(Punct::CloseBrace)?;
        Ok(fields)
    }

    fn at_mtype_declaration(&mut self) -> bool {
        match self.stream.peek_after(0) {
            TokenKind::Punct(Punct::Assign | Punct::OpenBrace) => true,
            TokenKind::Punct(Punct::Colon) => self.stream.peek_after(2) == TokenKind::Punct(Punct::Assign),
            _ => false,
        }
    }

    fn mtype_declaration(&mut self) -> Parsed<MtypeDecl> {
        let span = self.advance();
        let set = if self.eat(Punct::Colon) { Some(self.name("the name of the mtype set")?) } else { None };
        self.eat(Punct::Assign);
        if !self.at(Punct::OpenBrace) {
            let diagnostic = self.expected("`{` and the names");
            return Err(self.error(diagnostic.help("write `mtype = { NAME, NAME }`")));
        }
        self.advance();
        let mut names = vec![self.name("a name")?];
        while !self.at(Punct::CloseBrace) {
            if !self.eat(Punct::Comma) {
                names.push(self.name("`,`, a name or `}`")?);
            }
        }
        self.expect(Punct::CloseBrace)?;
        Ok(MtypeDecl { set, names, span })
    }

    /// Keeps the tokens of an `ltl` block: SPIN parses it after everything else, so it may mention what is declared
    /// later.
    fn defer_formula(&mut self) -> Parsed<()> {
        let span = self.advance();
        let mut tokens = Vec::new();
        if let TokenKind::Name(name) = self.peek() {
            let span = self.advance();
            tokens.push(Token { kind: TokenKind::Name(name), span, newline_before: false });
        }
        if !self.at(Punct::OpenBrace) {
            let diagnostic = self.expected("`{` and the formula");
            return Err(self.error(diagnostic.help("write `ltl name { formula }`")));
        }
        let mut depth = 0u32;
        loop {
            let kind = self.peek();
            match kind {
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) => depth -= 1,
                TokenKind::End => return Err(self.unexpected("`}` to end the formula")),
                _ => {}
            }
            let span = self.advance();
            tokens.push(Token { kind, span, newline_before: false });
            if depth == 0 {
                break;
            }
        }
        self.formulas.push((span, tokens));
        Ok(())
    }

    fn formula(&mut self, span: Span, mut tokens: Vec<Token>) -> Parsed<Ltl> {
        tokens.push(Token { kind: TokenKind::End, span: self.stream.last_span, newline_before: false });
        self.stream = TokenStream::new(tokens);
        self.in_formula = true;
        let result = self.formula_body(span);
        self.in_formula = false;
        result
    }

    fn formula_body(&mut self, span: Span) -> Parsed<Ltl> {
        let name = if self.at(Punct::OpenBrace) { None } else { Some(self.name("a name or `{`")?) };
        self.expect(Punct::OpenBrace)?;
        let formula = self.full_expression()?;
        self.eat(Punct::Semicolon);
        self.expect(Punct::CloseBrace)?;
        Ok(Ltl { name, span, formula })
    }
}
