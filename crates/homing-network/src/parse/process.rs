//! Templates, instances and the `system` line, and the labels of edges.

use super::{Parsed, Parser, Reported};
use crate::ast::{Direction, Document, Edge, Expr, Ident, Instance, Item, Location, Select, Sync, System, Template};
use crate::diagnostic::{Diagnostic, RATE_IS_IGNORED};
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// An `.xta` file, or the text of the `system` element of an `.xml` file.
    pub fn document(&mut self, document: &mut Document) {
        while !self.is_at_end() {
            let at = self.at;
            if self.item(document).is_err() {
                self.levels = 0;
                self.skip_item();
                if self.at == at || self.is(Punct::CloseBrace) {
                    self.advance();
                }
            }
        }
    }

    fn item(&mut self, document: &mut Document) -> Parsed<()> {
        let is_instance = matches!(self.token().kind, TokenKind::Name(_))
            && matches!(self.ahead(1), TokenKind::Punct(Punct::Assign | Punct::ColonAssign | Punct::OpenParen));
        if self.eat_word("process") {
            document.items.push(Item::Template(self.process()?));
        } else if self.is_word("system") {
            let system = self.system()?;
            if document.system.is_some() {
                return self.fail(Diagnostic::error(system.span, "there is a second `system` line"));
            }
            document.system = Some(system);
        } else if is_instance {
            document.items.push(Item::Instance(self.instance()?));
        } else {
            let mut declarations = Vec::new();
            let parsed = self.declaration_or_skip(&mut declarations);
            document.items.extend(declarations.into_iter().map(Item::Declaration));
            parsed?;
        }
        Ok(())
    }

    fn instance(&mut self) -> Parsed<Instance> {
        let start = self.span();
        let name = self.ident("the name of an instance")?;
        let parameters = if self.is(Punct::OpenParen) { self.parameters_in_parentheses()? } else { Vec::new() };
        if !self.eat(Punct::Assign) && !self.eat(Punct::ColonAssign) {
            return self.unexpected("`=` after the name of an instance");
        }
        let template = self.ident("the name of a template")?;
        self.expect(Punct::OpenParen, "after the template")?;
        let arguments = if self.is(Punct::CloseParen) { Vec::new() } else { self.list(Self::expression)? };
        self.expect(Punct::CloseParen, "after the arguments")?;
        let span = self.span_from(start);
        self.expect(Punct::Semicolon, "after the instance")?;
        Ok(Instance { name, parameters, template, arguments, span })
    }

    fn system(&mut self) -> Parsed<System> {
        let start = self.span();
        self.advance();
        let mut processes = vec![self.ident("the name of a process")?];
        loop {
            if self.is(Punct::Less) {
                return self.fail(Diagnostic::unsupported(self.span(), "priorities of processes"));
            }
            if self.is(Punct::OpenParen) {
                let last = &processes[processes.len() - 1].name;
                let help = format!("name the instance: `{last}1 = {last}(…);` and `system {last}1;`");
                let message = "arguments cannot be given in the `system` line";
                return self.fail(Diagnostic::error(self.span(), message).help(help));
            }
            if !self.eat(Punct::Comma) {
                break;
            }
            processes.push(self.ident("the name of a process")?);
        }
        let span = self.span_from(start);
        self.expect(Punct::Semicolon, "after the `system` line")?;
        Ok(System { processes, span })
    }

    fn process(&mut self) -> Parsed<Template> {
        let name = self.ident("the name of the template")?;
        let parameters = if self.is(Punct::OpenParen) { self.parameters_in_parentheses()? } else { Vec::new() };
        self.expect(Punct::OpenBrace, "before the body of the template")?;
        let mut template = Template {
            name,
            parameters,
            declarations: Vec::new(),
            locations: Vec::new(),
            branch_points: Vec::new(),
            initial: None,
            edges: Vec::new(),
        };
        while !self.eat(Punct::CloseBrace) {
            if self.is_at_end() {
                return self.unexpected("`}` after the template");
            }
            let (levels, at) = (self.levels, self.at);
            if self.process_part(&mut template).is_err() {
                self.levels = levels;
                self.skip_item();
                if self.is_word("process") || self.is_word("system") {
                    return Err(Reported);
                }
                if self.at == at {
                    self.advance();
                }
            }
        }
        Ok(template)
    }

    fn process_part(&mut self, template: &mut Template) -> Parsed<()> {
        match self.word() {
            Some("state") => {
                self.advance();
                let locations = self.list(Self::location)?;
                template.locations.extend(locations);
            }
            Some("branchpoint") => {
                self.advance();
                let points = self.list(|parser| parser.ident("the name of a branch point"))?;
                template.branch_points.extend(points);
            }
            Some("commit") => self.mark(template, |location| location.committed = true)?,
            // `urgent chan c;` is a declaration.
            Some("urgent")
                if *self.ahead(2) == TokenKind::Punct(Punct::Comma)
                    || *self.ahead(2) == TokenKind::Punct(Punct::Semicolon) =>
            {
                self.mark(template, |location| location.urgent = true)?;
            }
            Some("init") => {
                self.advance();
                let initial = self.ident("the initial location")?;
                if template.initial.is_some() {
                    return self.fail(Diagnostic::error(initial.span, "there is a second initial location"));
                }
                template.initial = Some(initial);
            }
            Some("trans") => {
                self.advance();
                self.edges(template)?;
            }
            _ => return self.declaration_or_skip(&mut template.declarations),
        }
        self.expect(Punct::Semicolon, "after this part of the template")
    }

    fn mark(&mut self, template: &mut Template, mark: impl Fn(&mut Location)) -> Parsed<()> {
        self.advance();
        for name in self.list(|parser| parser.ident("the name of a location"))? {
            match template.locations.iter_mut().find(|location| location.name.name == name.name) {
                Some(location) => mark(location),
                None => self.report(Diagnostic::error(name.span, format!("there is no location `{}`", name.name))),
            }
        }
        Ok(())
    }

    fn location(&mut self) -> Parsed<Location> {
        let name = self.ident("the name of a location")?;
        let mut invariant = None;
        if self.eat(Punct::OpenBrace) {
            if !self.is(Punct::CloseBrace) && !self.is(Punct::Semicolon) {
                invariant = Some(self.condition_label("an invariant")?);
            }
            if self.is(Punct::Semicolon) && *self.ahead(1) != TokenKind::Punct(Punct::CloseBrace) {
                self.report(Diagnostic::warning(self.span(), RATE_IS_IGNORED));
                self.advance();
                self.expression()?;
            }
            self.eat(Punct::Semicolon);
            self.expect(Punct::CloseBrace, "after the invariant")?;
        }
        Ok(Location { name, unnamed: false, invariant, committed: false, urgent: false })
    }

    /// `A -> B { … }, -> C { … }`: an edge without a source has that of the edge before it.
    fn edges(&mut self, template: &mut Template) -> Parsed<()> {
        let mut source: Option<Ident> = None;
        loop {
            let start = self.span();
            if !self.is(Punct::Arrow) && !self.is(Punct::Uncontrollable) {
                source = Some(self.ident("the source of an edge")?);
            }
            let Some(source) = source.clone() else { return self.unexpected("the source of an edge") };
            if self.is(Punct::Uncontrollable) {
                let message = "an edge that cannot be controlled is read as any other";
                self.report(Diagnostic::warning(self.span(), message));
            }
            if !self.eat(Punct::Arrow) && !self.eat(Punct::Uncontrollable) {
                return self.unexpected("`->` after the source of an edge");
            }
            let target = self.ident("the target of an edge")?;
            let span = self.span_from(start);
            let mut edge = Edge {
                source,
                target,
                select: Vec::new(),
                guard: None,
                sync: None,
                update: Vec::new(),
                probability: None,
                span,
            };
            self.expect(Punct::OpenBrace, "before the labels of the edge")?;
            while !self.eat(Punct::CloseBrace) {
                if self.is_at_end() {
                    return self.unexpected("`}` after the labels of the edge");
                }
                let (levels, at) = (self.levels, self.at);
                if self.edge_part(&mut edge).is_err() {
                    self.levels = levels;
                    self.skip_item();
                    if self.at == at {
                        self.advance();
                    }
                }
            }
            template.edges.push(edge);
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
        }
    }

    fn edge_part(&mut self, edge: &mut Edge) -> Parsed<()> {
        let span = self.span();
        if self.eat_word("select") {
            edge.select.extend(self.select_label()?);
        } else if self.eat_word("guard") {
            if edge.guard.is_some() {
                return self.fail(Diagnostic::error(span, "the edge has a second guard").help("join them by `and`"));
            }
            edge.guard = Some(self.condition_label("a guard")?);
        } else if self.eat_word("sync") {
            if edge.sync.is_some() {
                return self.fail(Diagnostic::error(span, "the edge has a second synchronisation"));
            }
            edge.sync = Some(self.sync_label()?);
        } else if self.eat_word("assign") {
            edge.update.extend(self.update_label()?);
        } else if self.eat_word("probability") {
            self.expression()?;
            edge.probability = Some(self.span_from(span));
        } else {
            return self.unexpected("`select`, `guard`, `sync` or `assign`");
        }
        self.expect(Punct::Semicolon, "after the label")
    }

    /// `i : T, j : U`
    pub fn select_label(&mut self) -> Parsed<Vec<Select>> {
        self.list(|parser| {
            let name = parser.ident("the name of a variable")?;
            parser.expect(Punct::Colon, "after the variable")?;
            Ok(Select { name, type_: parser.type_expr()? })
        })
    }

    /// A guard or an invariant.
    pub fn condition_label(&mut self, what: &str) -> Parsed<Expr> {
        let condition = self.expression()?;
        if !self.is(Punct::Comma) {
            return Ok(condition);
        }
        let message = format!("a comma in {what} is the syntax before UPPAAL 4");
        let diagnostic = Diagnostic { code: "unsupported", ..Diagnostic::error(self.span(), message) };
        self.report(diagnostic.help("write `and` instead of the comma"));
        // The rest is read, so that its own errors are found.
        while self.eat(Punct::Comma) {
            self.expression()?;
        }
        Ok(Self::missing(condition.span))
    }

    /// `c!` or `c?`
    pub fn sync_label(&mut self) -> Parsed<Sync> {
        let start = self.span();
        let channel = self.postfix()?;
        let direction = match self.token().kind {
            TokenKind::Punct(Punct::Bang) => Direction::Send,
            TokenKind::Punct(Punct::Question) => Direction::Receive,
            _ => {
                let construct = "synchronisations without `!` or `?` (CSP style)";
                let diagnostic = Diagnostic::unsupported(self.span_from(start), construct);
                return self.fail(diagnostic.help("write `!` after the channel on one side and `?` on the other"));
            }
        };
        self.advance();
        Ok(Sync { channel, direction, span: self.span_from(start) })
    }

    /// Assignments and calls, separated by commas.
    pub fn update_label(&mut self) -> Parsed<Vec<Expr>> {
        self.list(Self::expression)
    }
}
