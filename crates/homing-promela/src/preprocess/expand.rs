//! Macro expansion, without recursion on macros: an expansion is pushed as a context, and reading goes on from there.
//!
//! A macro is disabled while its context is on the stack. Its name, if read meanwhile, is painted: it is never expanded
//! again (C99 §6.10.3.4). A context is removed only when something is read beyond its end, as in gcc; the standard
//! leaves open what then happens to `f(2)(9)`, and so it is what SPIN's users know.

use std::rc::Rc;

use super::lexer::{Kind, PpToken};
use super::macros::{Form, Macro};
use super::reader::ReadFor;
use super::{Limit, MOST_NESTED_CALLS, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::source::{Expansion, ExpansionId, ExpansionKind, Span};
use crate::token::Punct;

/// Tokens that are read before those of the file.
pub(super) struct Context {
    tokens: std::vec::IntoIter<PpToken>,
    /// The macro they are the expansion of. `None` for a separate list, beyond whose end nothing is read: an argument,
    /// or the line of a directive.
    of: Option<Rc<Macro>>,
    /// The line of the outermost call, on which cpp prints them all.
    line: Option<u32>,
    /// As [`TokenList::trailing_space`].
    trailing_space: bool,
}

/// The argument of a macro call for a parameter.
pub(super) struct Argument {
    /// As written. A blank before the first token does not count: the parameter has its own.
    pub tokens: Vec<PpToken>,
    /// The tokens with all macros expanded, once they are needed.
    pub expanded: Option<TokenList>,
    /// Whether the call has nothing at all for `...`, not even a comma before it.
    pub absent: bool,
}

/// Tokens that macros have produced.
#[derive(Default)]
pub(super) struct TokenList {
    pub tokens: Vec<PpToken>,
    /// Whether a blank remains after them, from before an expansion that was empty.
    pub trailing_space: bool,
}

impl Argument {
    fn new(mut tokens: Vec<PpToken>) -> Self {
        if let Some(first) = tokens.first_mut() {
            first.space = false;
        }
        Argument { tokens, expanded: None, absent: false }
    }
}

impl Preprocessor<'_> {
    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> Option<PpToken> {
        loop {
            let token = self.pull(ReadFor::Text)?;
            if let Some(token) = self.expand(token) {
                return Some(token);
            }
        }
    }

    /// Expands all macros in the tokens, separately from what follows them.
    pub(super) fn expand_list(&mut self, tokens: Vec<PpToken>) -> TokenList {
        let mut list = TokenList::default();
        self.within_list(tokens, |this| {
            while let Some(token) = this.next_expanded() {
                list.tokens.push(token);
            }
            list.trailing_space = this.pending_space;
        });
        list
    }

    /// Lets `read` read `tokens` and nothing beyond.
    pub(super) fn within_list(&mut self, tokens: Vec<PpToken>, read: impl FnOnce(&mut Self)) {
        self.contexts.push(Context { tokens: tokens.into_iter(), of: None, line: None, trailing_space: false });
        let depth = self.contexts.len();
        let pending_space = std::mem::take(&mut self.pending_space);
        read(self);
        self.pending_space = pending_space;
        self.contexts.truncate(depth - 1); // fewer are left if reading was stopped
    }

    /// If `token` is the call of a macro, pushes its expansion; otherwise returns the token.
    pub(super) fn expand(&mut self, token: PpToken) -> Option<PpToken> {
        let Kind::Name(name) = token.kind else { return Some(token) };
        let Some(called) = self.macros.get(name).filter(|_| !token.painted) else { return Some(token) };
        let called = Rc::clone(called);
        called.read.set(true);
        if token.span.via == ExpansionId::NONE {
            self.outermost_call = Some((name, token.span, self.output.tokens.len()));
        }
        let mut arguments = Vec::new();
        if let Form::Function { params, variadic } = &called.form {
            let contexts = self.contexts.len();
            if !self.call_follows() {
                if self.contexts.len() < contexts {
                    self.output.note_expansion_after_next();
                }
                return Some(token);
            }
            match self.collect_arguments(&called, params.len(), *variadic, token) {
                Some(collected) => arguments = collected,
                None => return Some(token),
            }
        }
        if !self.charge(1) {
            return None;
        }
        let mut list = self.replacement(&called, &mut arguments, token);
        match list.tokens.first_mut() {
            Some(first) => first.space |= token.space,
            None => list.trailing_space |= token.space,
        }
        self.output.note_expansion();
        called.disabled.set(true);
        self.contexts.push(Context {
            tokens: list.tokens.into_iter(),
            of: Some(called),
            line: Some(token.line),
            trailing_space: list.trailing_space,
        });
        None
    }

    /// The next token before expansion, of the innermost context or of the file.
    pub(super) fn pull(&mut self, purpose: ReadFor) -> Option<PpToken> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(mut token) = context.tokens.next() {
                token.line = context.line.unwrap_or(token.line);
                token.space |= std::mem::take(&mut self.pending_space);
                if let Kind::Name(name) = token.kind {
                    token.painted |= self.macros.get(name).is_some_and(|named| named.disabled.get());
                }
                return Some(token);
            }
            context.of.as_ref()?;
            self.leave_context();
        }
        let mut token = self.next_in_file(purpose)?;
        token.space |= std::mem::take(&mut self.pending_space);
        Some(token)
    }

    /// Whether the next token is `(`. Removes the contexts that are at their end.
    fn call_follows(&mut self) -> bool {
        while let Some(context) = self.contexts.last() {
            match context.tokens.as_slice().first() {
                Some(next) => return next.is(Punct::OpenParen),
                None if context.of.is_none() => return false,
                None => self.leave_context(),
            }
        }
        self.peek_in_file().is_some_and(|next| next.is(Punct::OpenParen))
    }

    fn leave_context(&mut self) {
        if let Some(Context { of: Some(finished), trailing_space, .. }) = self.contexts.pop() {
            finished.disabled.set(false);
            self.pending_space |= trailing_space;
            self.output.note_expansion();
        }
    }

    /// Reads the arguments of a call, from its `(` to its `)`, and checks their number.
    fn collect_arguments(
        &mut self,
        called: &Macro,
        params: usize,
        variadic: bool,
        name: PpToken,
    ) -> Option<Vec<Argument>> {
        let mut arguments = Vec::new();
        let mut current = Vec::new();
        let mut depth = 0;
        self.pull(ReadFor::Arguments); // the parenthesis
        loop {
            let Some(token) = self.pull(ReadFor::Arguments) else {
                self.report_open_call(called, name.span);
                return None;
            };
            if !self.charge(1) {
                return None;
            }
            match token.kind {
                Kind::Punct(Punct::OpenParen) => depth += 1,
                Kind::Punct(Punct::CloseParen) if depth == 0 => break,
                Kind::Punct(Punct::CloseParen) => depth -= 1,
                Kind::Punct(Punct::Comma) if depth == 0 && !(variadic && arguments.len() + 1 == params) => {
                    arguments.push(Argument::new(std::mem::take(&mut current)));
                    continue;
                }
                _ => {}
            }
            current.push(token);
        }
        if params > 0 || !arguments.is_empty() || !current.is_empty() {
            let absent = variadic && params == 1 && current.is_empty();
            arguments.push(Argument { absent, ..Argument::new(current) });
        }
        if variadic && arguments.len() + 1 == params {
            arguments.push(Argument { absent: true, ..Argument::new(Vec::new()) });
        }
        if arguments.len() != params {
            let given = arguments.len();
            self.report_argument_count(called, given, params, name.span);
            return None;
        }
        Some(arguments)
    }

    fn report_open_call(&mut self, called: &Macro, name: Span) {
        if self.is_stopped() {
            return;
        }
        let text = self.symbols.text(called.name);
        let error = Diagnostic::error(name, format!("the arguments of the macro `{text}` are not closed"))
            .label("there is no `)` to end this call");
        self.report(with_definition(error, called));
    }

    fn report_argument_count(&mut self, called: &Macro, given: usize, wanted: usize, name: Span) {
        let text = self.symbols.text(called.name);
        let plural = |number| if number == 1 { "argument" } else { "arguments" };
        let message = format!("the macro `{text}` takes {wanted} {}, but is given {given}", plural(wanted));
        self.report(with_definition(Diagnostic::error(name, message), called));
    }

    /// The tokens that replace the call `name` of a macro.
    fn replacement(&mut self, called: &Macro, arguments: &mut [Argument], name: PpToken) -> TokenList {
        let kind = match called.form {
            Form::Object | Form::Function { .. } if called.body.is_empty() => return TokenList::default(),
            Form::Object | Form::Function { .. } => {
                let expansion = Expansion {
                    kind: ExpansionKind::Macro,
                    name: self.symbols.text(called.name).clone(),
                    other: called.defined_at.unwrap_or(name.span),
                    parent: name.span.via,
                };
                let via = self.sources.add_expansion(expansion);
                return self.substitute(called, arguments, Span { via, ..name.span });
            }
            Form::Line => {
                let line = self.sources.line(name.span).to_string();
                Kind::Number(self.symbols.intern(&line))
            }
            Form::Counter => {
                let count = self.counter.to_string();
                self.counter += 1;
                Kind::Number(self.symbols.intern(&count))
            }
            Form::File => {
                let file = &self.sources.file(name.span.file).name;
                let quoted = format!("\"{}\"", file.replace('\\', "\\\\").replace('"', "\\\""));
                Kind::Str(self.symbols.intern(&quoted))
            }
        };
        TokenList { tokens: vec![PpToken { kind, ..name }], trailing_space: false }
    }

    /// Expands all macros in an argument. Calls in arguments of calls recurse here, and only here.
    pub(super) fn expand_argument(&mut self, tokens: Vec<PpToken>) -> TokenList {
        if self.nested_calls == MOST_NESTED_CALLS {
            self.stop_expansion(Limit::NestedCalls);
            return TokenList::default();
        }
        self.nested_calls += 1;
        let expanded = self.expand_list(tokens);
        self.nested_calls -= 1;
        expanded
    }
}

fn with_definition(error: Diagnostic, called: &Macro) -> Diagnostic {
    match called.defined_at {
        Some(place) => error.note(place, "the macro is defined here"),
        None => error,
    }
}
