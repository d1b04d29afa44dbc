//! Types, variables, functions and parameters.

use super::{Parsed, Parser};
use crate::ast::{
    Declaration, Dimension, Expr, ExprKind, Field, Function, Ident, Initialiser, Parameter, Prefix, TypeExpr, TypeKind,
    Variable,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// Declarations up to the end of the text or a word that begins something else.
    pub fn declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while !self.is_at_end() {
            if self.declaration_or_skip(&mut declarations).is_err() {
                self.skip_item();
                if self.is(Punct::CloseBrace) {
                    self.advance();
                }
            }
        }
        declarations
    }

    /// One declaration, which can declare several names, or a construct that is refused.
    pub(super) fn declaration_or_skip(&mut self, into: &mut Vec<Declaration>) -> Parsed<()> {
        if self.eat(Punct::Semicolon) {
            return Ok(());
        }
        self.refused_declaration()?;
        if self.eat_word("typedef") {
            let type_ = self.type_expr()?;
            for (name, dimensions) in self.list(Self::declarator)? {
                into.push(Declaration::Typedef { name, type_: type_.clone(), dimensions });
            }
            return self.expect(Punct::Semicolon, "after the type definition");
        }
        let type_ = self.type_expr()?;
        if self.is(Punct::Semicolon) {
            self.advance(); // `struct { … };` declares nothing
            return Ok(());
        }
        let (name, dimensions) = self.declarator()?;
        if self.is(Punct::OpenParen) && dimensions.is_empty() {
            into.push(Declaration::Function(self.function(type_, name)?));
            return Ok(());
        }
        for variable in self.variables_after(type_, name, dimensions)? {
            into.push(Declaration::Variable(variable));
        }
        Ok(())
    }

    /// Refuses constructs that are declarations elsewhere, by name.
    fn refused_declaration(&mut self) -> Parsed<()> {
        let span = self.span();
        let next_is_name = matches!(self.ahead(1), TokenKind::Name(_));
        let construct = match self.word() {
            Some("before_update") => "`before_update` blocks",
            Some("after_update") => "`after_update` blocks",
            Some("import") => "imports of libraries",
            Some("dynamic") => "dynamic templates",
            Some("progress") if !next_is_name => "progress measures",
            Some("gantt") if !next_is_name => "Gantt charts",
            Some("IO") => "declarations of inputs and outputs (`IO`)",
            Some("extern") | Some("__ODE__") => "external functions",
            Some("chan") if matches!(self.ahead(1), TokenKind::Name(name) if **name == *"priority") => {
                "priorities of channels"
            }
            _ => return Ok(()),
        };
        self.fail(Diagnostic::unsupported(span, construct))
    }

    /// The rest of a declaration of variables, after its first name.
    pub(super) fn variables_after(
        &mut self,
        type_: TypeExpr,
        name: Ident,
        dimensions: Vec<Dimension>,
    ) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        let mut next = (name, dimensions);
        loop {
            let (name, dimensions) = next;
            let initial =
                if self.eat(Punct::Assign) || self.eat(Punct::ColonAssign) { Some(self.initialiser()?) } else { None };
            variables.push(Variable { name, type_: type_.clone(), dimensions, initial });
            if !self.eat(Punct::Comma) {
                self.expect(Punct::Semicolon, "after the declaration")?;
                return Ok(variables);
            }
            next = self.declarator()?;
        }
    }

    /// A name with the sizes of its arrays.
    pub(super) fn declarator(&mut self) -> Parsed<(Ident, Vec<Dimension>)> {
        let name = self.ident("a name")?;
        let mut dimensions = Vec::new();
        while self.eat(Punct::OpenBracket) {
            let is_type = matches!(self.word(), Some("int" | "bool" | "scalar" | "const" | "struct"));
            dimensions.push(if is_type {
                Dimension::Type(self.type_expr()?)
            } else {
                Dimension::Size(self.expression()?)
            });
            self.expect(Punct::CloseBracket, "after the size of the array")?;
        }
        Ok((name, dimensions))
    }

    fn initialiser(&mut self) -> Parsed<Initialiser> {
        let start = self.span();
        if !self.eat(Punct::OpenBrace) {
            return Ok(Initialiser::Value(self.expression()?));
        }
        let items = self.nested(|parser| {
            parser.list(|parser| {
                let is_named = *parser.ahead(1) == TokenKind::Punct(Punct::Colon);
                let field = if is_named {
                    let field = parser.ident("the name of a field")?;
                    parser.advance();
                    Some(field)
                } else {
                    None
                };
                Ok((field, parser.initialiser()?))
            })
        })?;
        self.expect(Punct::CloseBrace, "after the values")?;
        Ok(Initialiser::List { items, span: self.span_from(start) })
    }

    /// A type with its prefixes.
    pub fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let mut prefix = Prefix::default();
        loop {
            let word = match self.word() {
                Some("const") => &mut prefix.constant,
                Some("meta") => &mut prefix.meta,
                Some("urgent") => &mut prefix.urgent,
                Some("broadcast") => &mut prefix.broadcast,
                Some("hybrid") => return self.fail(Diagnostic::unsupported(start, "clocks")),
                _ => break,
            };
            *word = true;
            self.advance();
        }
        if prefix.constant {
            self.refuse_old_constant()?;
        }
        let kind = self.nested(Self::type_kind)?;
        Ok(TypeExpr { prefix, kind, span: self.span_from(start) })
    }

    /// `const N 5;` was written before version 4.
    fn refuse_old_constant(&mut self) -> Parsed<()> {
        let TokenKind::Name(name) = &self.token().kind else { return Ok(()) };
        let is_value = match self.ahead(1) {
            TokenKind::Number(_) | TokenKind::Punct(Punct::Minus | Punct::Assign | Punct::ColonAssign) => true,
            TokenKind::Punct(Punct::OpenBracket) => &**name != "int" && &**name != "scalar",
            TokenKind::Name(word) => matches!(&**word, "true" | "false"),
            TokenKind::Punct(Punct::Comma | Punct::CloseParen | Punct::Semicolon) => true,
            _ => false,
        };
        if !is_value {
            return Ok(());
        }
        let span = self.span();
        let help = format!("write `const int {name}`, with `=` before a value");
        let message = "a constant without a type is the syntax before UPPAAL 4";
        self.fail(Diagnostic { code: "unsupported", ..Diagnostic::error(span, message) }.help(help))
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        let Some(word) = self.word() else { return self.unexpected("a type") };
        let kind = match word {
            "bool" => TypeKind::Bool,
            "void" => TypeKind::Void,
            "chan" => TypeKind::Chan,
            "clock" => TypeKind::Clock,
            "double" => TypeKind::Double,
            "string" => TypeKind::String,
            "int" => {
                self.advance();
                if !self.eat(Punct::OpenBracket) {
                    return Ok(TypeKind::Int(None));
                }
                let low = self.expression()?;
                self.expect(Punct::Comma, "between the bounds")?;
                let high = self.expression()?;
                self.expect(Punct::CloseBracket, "after the bounds")?;
                return Ok(TypeKind::Int(Some(Box::new((low, high)))));
            }
            "scalar" => {
                self.advance();
                self.expect(Punct::OpenBracket, "after `scalar`")?;
                let size = self.expression()?;
                self.expect(Punct::CloseBracket, "after the size")?;
                return Ok(TypeKind::Scalar(Box::new(size)));
            }
            "struct" => {
                self.advance();
                return self.fields();
            }
            _ => {
                let name = self.ident("a type")?;
                return Ok(TypeKind::Named(name.name));
            }
        };
        self.advance();
        Ok(kind)
    }

    fn fields(&mut self) -> Parsed<TypeKind> {
        self.expect(Punct::OpenBrace, "after `struct`")?;
        let mut fields = Vec::new();
        while !self.eat(Punct::CloseBrace) {
            let type_ = self.type_expr()?;
            for (name, dimensions) in self.list(Self::declarator)? {
                fields.push(Field { name, type_: type_.clone(), dimensions });
            }
            self.expect(Punct::Semicolon, "after the field")?;
        }
        Ok(TypeKind::Struct(fields))
    }

    fn function(&mut self, result: TypeExpr, name: Ident) -> Parsed<Function> {
        let parameters = self.parameters_in_parentheses()?;
        if !self.is(Punct::OpenBrace) {
            return self.unexpected("the body of the function in braces");
        }
        Ok(Function { name, result, parameters, body: self.block()? })
    }

    pub(super) fn parameters_in_parentheses(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect(Punct::OpenParen, "before the parameters")?;
        let parameters = self.parameters_until(Some(Punct::CloseParen))?;
        self.expect(Punct::CloseParen, "after the parameters")?;
        Ok(parameters)
    }

    /// Parameters up to the end of the text, or up to a sign.
    pub fn parameters_until(&mut self, end: Option<Punct>) -> Parsed<Vec<Parameter>> {
        let is_done = |parser: &Self| end.map_or(parser.is_at_end(), |end| parser.is(end));
        if is_done(self) {
            return Ok(Vec::new());
        }
        let parameters = self.list(Self::parameter)?;
        if self.is(Punct::Semicolon) {
            let message = "parameters separated by `;` are the syntax before UPPAAL 4";
            let diagnostic = Diagnostic { code: "unsupported", ..Diagnostic::error(self.span(), message) };
            return self.fail(diagnostic.help("give each parameter its type and separate them by `,`"));
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let type_ = self.type_expr()?;
        let by_reference = self.eat(Punct::And);
        let (name, dimensions) = self.declarator()?;
        Ok(Parameter { name, type_, by_reference, dimensions })
    }

    /// Whether a declaration begins here: a keyword of a type, or two names, of which the first is a type.
    pub(super) fn is_declaration(&self) -> bool {
        let Some(word) = self.word() else { return false };
        let is_type_word = matches!(
            word,
            "int"
                | "bool"
                | "chan"
                | "clock"
                | "double"
                | "string"
                | "scalar"
                | "struct"
                | "const"
                | "meta"
                | "urgent"
                | "broadcast"
                | "void"
                | "hybrid"
        );
        is_type_word || (binary_word(self.ahead(1)).is_none() && matches!(self.ahead(1), TokenKind::Name(_)))
    }

    /// An expression without a value, where an error was reported but the text can be read on.
    pub(super) fn missing(span: Span) -> Expr {
        Expr { kind: ExprKind::Bool(true), span }
    }
}

/// The word, if it is an operator.
fn binary_word(kind: &TokenKind) -> Option<&str> {
    match kind {
        TokenKind::Name(name) if matches!(&**name, "and" | "or" | "xor" | "imply") => Some(name),
        _ => None,
    }
}
