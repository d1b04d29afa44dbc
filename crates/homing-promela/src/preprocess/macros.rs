//! Macro definitions, and how a `#define` line is read.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::lexer::{Kind, PpToken};
use super::symbol::{Symbol, Symbols};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::Punct;

pub(super) struct Macro {
    pub name: Symbol,
    /// The span of its name in the definition; `None` for a built-in macro.
    pub defined_at: Option<Span>,
    pub form: Form,
    pub body: Vec<Item>,
    /// Set while its expansion is being read: its name is not expanded then.
    pub disabled: Cell<bool>,
    /// Whether the model calls it or asks whether it is defined.
    pub read: Cell<bool>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    Object,
    /// If `variadic`, the last parameter takes all the arguments that are left.
    Function {
        params: Vec<Symbol>,
        variadic: bool,
    },
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__COUNTER__`
    Counter,
}

/// A piece of a macro's body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub what: What,
    pub space: bool,
    /// Whether `##` is before it.
    pub pasted: bool,
    /// Whether `##` is after it.
    pub pastes_next: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Token(Kind),
    /// The argument of this number.
    Param(usize),
    /// The argument of this number as a string.
    Stringify(usize),
}

/// The macros that are defined at the current place of the preprocessor, by the symbol of their name.
#[derive(Default)]
pub(super) struct MacroTable {
    macros: Vec<Option<Rc<Macro>>>,
}

impl MacroTable {
    pub fn get(&self, name: Symbol) -> Option<&Rc<Macro>> {
        self.macros.get(name.index())?.as_ref()
    }

    /// Defines a macro and returns the one that had the name before.
    pub fn define(&mut self, definition: Macro) -> Option<Rc<Macro>> {
        let index = definition.name.index();
        if index >= self.macros.len() {
            self.macros.resize(index + 1, None);
        }
        self.macros[index].replace(Rc::new(definition))
    }

    /// Removes a macro and returns it.
    pub fn undefine(&mut self, name: Symbol) -> Option<Rc<Macro>> {
        self.macros.get_mut(name.index()).and_then(Option::take)
    }

    /// Whether there is a macro of this name, which counts as read.
    pub fn ask(&self, name: Symbol) -> bool {
        self.get(name).inspect(|known| known.read.set(true)).is_some()
    }

    pub fn all(&self) -> impl Iterator<Item = &Rc<Macro>> {
        self.macros.iter().flatten()
    }
}

impl Macro {
    /// A built-in macro for a number.
    pub fn constant(name: Symbol, value: Symbol) -> Self {
        let item = Item { what: What::Token(Kind::Number(value)), space: false, pasted: false, pastes_next: false };
        Macro {
            name,
            defined_at: None,
            form: Form::Object,
            body: vec![item],
            disabled: Cell::new(false),
            read: Cell::new(false),
        }
    }

    /// Whether both are equal, so that a redefinition is no error.
    pub fn same_as(&self, other: &Macro) -> bool {
        self.form == other.form && self.body == other.body
    }

    /// Parses what follows `#define`. `directive` is the span of that word.
    pub fn parse(line: &[PpToken], directive: Span, symbols: &Symbols) -> Result<Macro, Diagnostic> {
        let name = macro_name(line.first(), "define", directive)?;
        if name == Symbol::DEFINED {
            return Err(Diagnostic::error(line[0].span, "`defined` cannot be the name of a macro"));
        }
        let (form, body) = match line.get(1) {
            Some(open) if open.is(Punct::OpenParen) && !open.space => parse_params(&line[1..], symbols)?,
            _ => (Form::Object, &line[1..]),
        };
        let body = parse_body(body, &form)?;
        Ok(Macro {
            name,
            defined_at: Some(line[0].span),
            form,
            body,
            disabled: Cell::new(false),
            read: Cell::new(false),
        })
    }
}

/// The name of a macro that a directive expects next.
pub(super) fn macro_name(token: Option<&PpToken>, directive: &str, place: Span) -> Result<Symbol, Diagnostic> {
    match token {
        Some(PpToken { kind: Kind::Name(name), .. }) => Ok(*name),
        Some(other) => Err(Diagnostic::error(other.span, format!("`#{directive}` wants the name of a macro"))
            .label("not a name: names start with a letter or `_`")),
        None => Err(Diagnostic::error(place, format!("`#{directive}` without the name of a macro"))),
    }
}

/// Parses the parameter list at the start of `line`; the body is the rest.
fn parse_params<'a>(line: &'a [PpToken], symbols: &Symbols) -> Result<(Form, &'a [PpToken]), Diagnostic> {
    let mut params = Vec::new();
    let mut places = HashMap::new();
    let mut variadic = false;
    let mut at = 1; // after the parenthesis
    let unexpected = |at: usize, wanted: &str| match line.get(at) {
        Some(token) => Diagnostic::error(token.span, format!("expected {wanted} in the parameters of a macro")),
        None => Diagnostic::error(line[0].span, "the parameter list of this macro is not closed")
            .label("opened here")
            .help("it has to end on the same line; a line that ends with `\\` goes on in the next one"),
    };
    if line.get(at).is_some_and(|token| token.is(Punct::CloseParen)) {
        return Ok((Form::Function { params, variadic }, &line[at + 1..]));
    }
    loop {
        let mut param = Symbol::VA_ARGS;
        if let Some(PpToken { kind: Kind::Name(name), span, .. }) = line.get(at) {
            if *name == Symbol::VA_ARGS {
                return Err(Diagnostic::error(*span, "`__VA_ARGS__` cannot be the name of a parameter")
                    .help("write `...` for the arguments that are left"));
            }
            param = *name;
            at += 1;
        } else if !is_ellipsis(line, at) {
            return Err(unexpected(at, "a name"));
        }
        if is_ellipsis(line, at) {
            variadic = true;
            at += 2;
        }
        let place = line[at - 1].span;
        if let Some(first) = places.insert(param, place) {
            let text = symbols.text(param);
            return Err(Diagnostic::error(place, format!("the macro has two parameters named `{text}`"))
                .note(first, "the first one"));
        }
        params.push(param);
        match line.get(at) {
            Some(token) if token.is(Punct::CloseParen) => break,
            Some(token) if token.is(Punct::Comma) && !variadic => at += 1,
            _ if variadic => return Err(unexpected(at, "`)`")),
            _ => return Err(unexpected(at, "`,` or `)`")),
        }
    }
    Ok((Form::Function { params, variadic }, &line[at + 1..]))
}

/// Whether `...` is at `at`; the lexer splits it into two tokens.
fn is_ellipsis(line: &[PpToken], at: usize) -> bool {
    line.get(at).is_some_and(|token| token.is(Punct::DotDot))
        && line.get(at + 1).is_some_and(|token| token.is(Punct::Dot) && !token.space)
}

fn parse_body(line: &[PpToken], form: &Form) -> Result<Vec<Item>, Diagnostic> {
    let (params, is_function) = match form {
        Form::Function { params, .. } => (params.as_slice(), true),
        _ => (&[][..], false),
    };
    let numbers: HashMap<Symbol, usize> = params.iter().enumerate().map(|(number, &name)| (name, number)).collect();
    let number = |token: &PpToken| match token.kind {
        Kind::Name(name) => numbers.get(&name).copied(),
        _ => None,
    };
    let mut body: Vec<Item> = Vec::with_capacity(line.len());
    let mut pasted = false;
    let mut tokens = line.iter().peekable();
    while let Some(token) = tokens.next() {
        let what = match token.kind {
            Kind::HashHash => {
                let Some(left) = body.last_mut().filter(|_| tokens.peek().is_some()) else {
                    return Err(Diagnostic::error(token.span, "`##` at an end of the macro")
                        .label("it joins the tokens on its two sides"));
                };
                left.pastes_next = true;
                pasted = true;
                continue;
            }
            Kind::Hash if is_function => match tokens.peek().and_then(|next| number(next)) {
                Some(number) => {
                    tokens.next();
                    What::Stringify(number)
                }
                None => {
                    return Err(Diagnostic::error(token.span, "`#` is not followed by a parameter of the macro")
                        .label("it makes a string of an argument"));
                }
            },
            kind => number(token).map_or(What::Token(kind), What::Param),
        };
        let space = token.space && !body.is_empty(); // the first blank is that of the call
        body.push(Item { what, space, pasted, pastes_next: false });
        pasted = false;
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::Lexer;
    use super::super::text::CleanText;
    use super::*;
    use crate::source::{ExpansionId, FileId};

    fn parse(line: &str) -> Result<Macro, String> {
        parse_with(&mut Symbols::new(), line)
    }

    fn parse_with(symbols: &mut Symbols, line: &str) -> Result<Macro, String> {
        let mut lexer = Lexer::new(FileId(0), Rc::new(CleanText::new(line)));
        let tokens: Vec<_> = std::iter::from_fn(|| lexer.next_on_line(symbols)).collect();
        let directive = Span { file: FileId(0), start: 0, end: 0, via: ExpansionId::NONE };
        Macro::parse(&tokens, directive, symbols).map_err(|error| error.message)
    }

    #[test]
    fn a_parenthesis_at_once_makes_a_function() {
        let number_of_params = |line| match parse(line).map(|parsed| parsed.form) {
            Ok(Form::Function { params, variadic }) => Some((params.len(), variadic)),
            _ => None,
        };
        assert_eq!(number_of_params("F (a) b"), None);
        assert_eq!(number_of_params("F() b"), Some((0, false)));
        assert_eq!(number_of_params("F(a, b) b"), Some((2, false)));
        assert_eq!(number_of_params("F(a, ...) b"), Some((2, true)));
        assert_eq!(number_of_params("F(a...) b"), Some((1, true)));
    }

    #[test]
    fn the_same_definition_twice() {
        let mut symbols = Symbols::new();
        let mut same = |a, b| {
            let (a, b) = (parse_with(&mut symbols, a), parse_with(&mut symbols, b));
            a.unwrap().same_as(&b.unwrap())
        };
        assert!(same("A  1 + 2", "A 1   +\t2"));
        assert!(!same("A 1 + 2", "A 1 +2"));
        assert!(!same("A(x) x", "A(y) y"));
    }

    #[test]
    fn what_gcc_rejects() {
        let rows = [
            ("", "`#define` without the name of a macro"),
            ("3x", "`#define` wants the name of a macro"),
            ("defined 2", "`defined` cannot be the name of a macro"),
            ("F(a,a) 1", "the macro has two parameters named `a`"),
            ("F(a b) 1", "expected `,` or `)` in the parameters of a macro"),
            ("F(a, 1) 1", "expected a name in the parameters of a macro"),
            ("F(..., a) 1", "expected `)` in the parameters of a macro"),
            ("F(__VA_ARGS__) 1", "`__VA_ARGS__` cannot be the name of a parameter"),
            ("F(a", "the parameter list of this macro is not closed"),
            ("A ## b", "`##` at an end of the macro"),
            ("A b ##", "`##` at an end of the macro"),
            ("F(x) # y", "`#` is not followed by a parameter of the macro"),
        ];
        for (line, message) in rows {
            assert_eq!(parse(line).err().as_deref(), Some(message), "{line}");
        }
    }
}
