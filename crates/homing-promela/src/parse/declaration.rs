//! Variable declarations.

use super::{Parsed, Parser};
use crate::ast::{Decl, Ident, TypeName, VarDecl, VarInit, Visibility};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// Whether a declaration is at the front.
    pub(super) fn at_declaration(&mut self) -> bool {
        match self.peek() {
            TokenKind::Name(word) => {
                super::keyword::begins_declaration(&word)
                    || self.user_types.contains(&word)
                    || self.looks_like_unknown_type(&word)
            }
            _ => false,
        }
    }

    /// Whether it looks like `Mesage m;`, which is no statement and so must be meant as a declaration.
    fn looks_like_unknown_type(&mut self, word: &str) -> bool {
        !super::keyword::is_keyword(word)
            && matches!(self.stream.peek_after(0), TokenKind::Name(next) if !super::keyword::is_keyword(&next))
            && matches!(
                self.stream.peek_after(1),
                TokenKind::Punct(Punct::Semicolon | Punct::Assign | Punct::Comma | Punct::OpenBracket)
            )
            && !self.stream.in_sequence
    }

    pub(super) fn declaration(&mut self) -> Parsed<Decl> {
        let start = self.peek_span();
        let visibility = match self.peek() {
            TokenKind::Name(word) => match &*word {
                "hidden" => Visibility::Hidden,
                "show" => Visibility::Show,
                "local" => Visibility::Local,
                _ => Visibility::Plain,
            },
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.advance();
        }
        let ty = self.type_name()?;
        let mut vars = vec![self.var_declaration()?];
        while self.eat(Punct::Comma) {
            self.forbid_type_after_comma()?;
            vars.push(self.var_declaration()?);
        }
        Ok(Decl { visibility, ty, vars, span: start.to(self.stream.last_span) })
    }

    /// Reports `byte a, byte b`, which is C.
    fn forbid_type_after_comma(&mut self) -> Parsed<()> {
        let TokenKind::Name(word) = self.peek() else { return Ok(()) };
        let begins = super::keyword::begins_declaration(&word) || self.user_types.contains(&word);
        if begins && matches!(self.stream.peek_after(0), TokenKind::Name(_)) {
            let span = self.peek_span();
            self.error(
                Diagnostic::error(span, "a type after a `,`")
                    .label("expected the name of a variable")
                    .help(format!("write `;` in front of `{word}`, or leave it out if it is the same type")),
            );
            self.type_name()?;
        }
        Ok(())
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        let TokenKind::Name(word) = self.peek() else { return Err(self.unexpected("a type")) };
        let ty = match &*word {
            "bit" | "bool" => TypeName::Bit,
            "byte" | "pid" => TypeName::Byte,
            "short" => TypeName::Short,
            "int" => TypeName::Int,
            "unsigned" => TypeName::Unsigned,
            "chan" => TypeName::Chan,
            "mtype" => {
                self.advance();
                let set = if self.eat(Punct::Colon) { Some(self.name("the name of an mtype set")?) } else { None };
                return Ok(TypeName::Mtype(set));
            }
            _ if self.user_types.contains(&word) => {
                return Ok(TypeName::User(self.name("a type")?));
            }
            _ if super::keyword::is_keyword(&word) => return Err(self.unexpected("a type")),
            _ => {
                let name = Ident { name: word, span: self.peek_span() };
                let mut diagnostic = self.unknown_type(&name);
                if self.in_parameters && matches!(self.stream.peek_after(0), TokenKind::Punct(_)) {
                    diagnostic = diagnostic.help(format!("a parameter has a type: write `byte {}`", name.name));
                }
                return Err(self.error(diagnostic));
            }
        };
        self.advance();
        Ok(ty)
    }

    pub(super) fn unknown_type(&mut self, name: &Ident) -> Diagnostic {
        let diagnostic = Diagnostic::error(name.span, format!("there is no type `{}`", name.name));
        let basic = ["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype"];
        let known = basic.into_iter().chain(self.user_types.iter().map(|name| &**name));
        match (crate::spelling::nearest(&name.name, known), crate::spelling::foreign(&name.name)) {
            (Some(near), _) => diagnostic.help(format!("did you mean `{near}`?")),
            (None, Some(foreign)) => diagnostic.help(foreign),
            (None, None) => diagnostic.help(format!(
                "the types are {}, and those defined with `typedef` above this place",
                basic.map(|word| format!("`{word}`")).join(", ")
            )),
        }
    }

    fn var_declaration(&mut self) -> Parsed<VarDecl> {
        let name = self.name("the name of a variable")?;
        self.locals.insert(name.name.clone());
        let (mut width, mut length) = (None, None);
        if self.eat(Punct::Colon) {
            width = Some(self.number("the width in bits")?);
        } else if self.eat(Punct::OpenBracket) {
            length = Some(self.plain_expression()?);
            self.expect(Punct::CloseBracket)?;
            if self.at(Punct::OpenBracket) {
                let diagnostic = self.expected("`;`");
                return Err(self.error(
                    diagnostic.help("an array has one dimension: make it an array of a `typedef` with an array in it"),
                ));
            }
        }
        let init = if self.eat(Punct::Assign) { Some(self.initializer()?) } else { None };
        Ok(VarDecl { name, width, length, init })
    }

    fn initializer(&mut self) -> Parsed<VarInit> {
        if self.eat(Punct::OpenBrace) {
            let mut values = vec![self.plain_expression()?];
            while self.eat(Punct::Comma) {
                values.push(self.plain_expression()?);
            }
            self.expect(Punct::CloseBrace)?;
            return Ok(VarInit::List(values));
        }
        if !self.at(Punct::OpenBracket) {
            return Ok(VarInit::Value(self.plain_expression()?));
        }
        let start = self.advance();
        let capacity = self.plain_expression()?;
        self.expect(Punct::CloseBracket)?;
        self.expect_word("of")?;
        self.expect(Punct::OpenBrace)?;
        let mut fields = vec![self.field_type()?];
        while self.eat(Punct::Comma) {
            fields.push(self.field_type()?);
        }
        let end = self.expect(Punct::CloseBrace)?;
        Ok(VarInit::Channel { capacity, fields, span: start.to(end) })
    }

    fn field_type(&mut self) -> Parsed<TypeName> {
        if self.at_word("unsigned") {
            let span = self.peek_span();
            return Err(self.error(
                Diagnostic::error(span, "`unsigned` cannot be the type of a message field")
                    .help("use `byte`, `short` or `int`"),
            ));
        }
        self.type_name()
    }
}
