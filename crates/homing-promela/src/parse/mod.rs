//! The parser: tokens to a syntax tree, by recursive descent.
//!
//! It accepts what SPIN's grammar accepts, with the same precedences and the same semicolons. Names are resolved later,
//! except where the grammar needs to know them: user types, process types and inlines. After an error it goes on with
//! the next statement or unit, so that several errors are found in one run.

mod declaration;
mod expression;
mod hint;
mod inline;
pub mod keyword;
mod message;
mod range;
mod recover;
mod sequence;
mod statement;
mod stream;
mod unit;

use std::collections::{HashMap, HashSet};

use crate::ast::{Ident, Name, Number, Program};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{SourceMap, Span};
use crate::token::{Punct, Token, TokenKind};
use inline::Inline;
use stream::TokenStream;

/// The greatest nesting depth of statements and expressions, and the greatest height of the tree of an expression (in
/// `1 + 1 + …` each `+` is a level). Far beyond any real model; it protects the stack of everything that walks the
/// tree.
const MAX_NESTING: u32 = 4_000;

/// The greatest nesting depth of `unless`. Each level adds transitions to every statement inside it.
const MAX_UNLESS: u32 = 100;

/// An error was reported; a caller that can continue after it catches this.
pub(crate) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses the tokens of a whole model. This recurses as deep as the model is nested: [`crate::read`] provides the
/// stack.
pub fn parse(tokens: Vec<Token>, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Program {
    let proctypes = tokens
        .windows(2)
        .filter_map(|pair| match (&pair[0].kind, &pair[1].kind) {
            (TokenKind::Name(word), TokenKind::Name(name)) if matches!(&**word, "proctype" | "D_proctype") => {
                Some(name.clone())
            }
            _ => None,
        })
        .collect();
    let mut parser = Parser {
        stream: TokenStream::new(tokens),
        sources,
        diagnostics,
        inlines: HashMap::new(),
        bodies: Vec::new(),
        proctypes,
        locals: HashSet::new(),
        user_types: HashSet::new(),
        formulas: Vec::new(),
        return_targets: Vec::new(),
        in_formula: false,
        in_parameters: false,
        inlined_tokens: 0,
        nesting: 0,
        unless: 0,
        height: 0,
        tokens_taken: 0,
        last_taken: TokenKind::End,
        open_braces: Vec::new(),
        open_selections: Vec::new(),
        unclosed_blocks: 0,
    };
    parser.program()
}

struct Parser<'s> {
    stream: TokenStream,
    sources: &'s mut SourceMap,
    diagnostics: &'s mut Diagnostics,
    inlines: HashMap<Name, usize>,
    bodies: Vec<Inline>,
    /// The process types of the whole model: `P[1]:x` and `P:x` are remote references only for these.
    proctypes: HashSet<Name>,
    /// The variables of the process that is being parsed. They can have the name of a process type that comes later.
    locals: HashSet<Name>,
    user_types: HashSet<Name>,
    /// The tokens of `ltl` blocks, which SPIN parses after everything else.
    formulas: Vec<(Span, Vec<Token>)>,
    /// For each inline call being parsed: the variable that `return` assigns to.
    return_targets: Vec<Option<crate::ast::VarRef>>,
    in_formula: bool,
    /// Whether the parameters of a process type are being parsed.
    in_parameters: bool,
    /// The number of tokens that inline calls have produced.
    inlined_tokens: usize,
    nesting: u32,
    /// The number of enclosing `unless`.
    unless: u32,
    /// The height of the expression or reference that was parsed last.
    height: u32,
    /// The number of tokens taken.
    tokens_taken: usize,
    /// The token taken last.
    last_taken: TokenKind,
    /// The open braces.
    open_braces: Vec<Span>,
    /// The words that end the open selections.
    open_selections: Vec<&'static str>,
    /// The number of blocks that were open when another unit began; their `}` may still follow.
    unclosed_blocks: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> TokenKind {
        self.stream.peek().kind.clone()
    }

    fn peek_span(&mut self) -> Span {
        self.stream.peek().span
    }

    fn at(&mut self, punct: Punct) -> bool {
        self.stream.peek().kind == TokenKind::Punct(punct)
    }

    fn at_word(&mut self, word: &str) -> bool {
        matches!(&self.stream.peek().kind, TokenKind::Name(name) if **name == *word)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Takes the token at the front and counts the parentheses, on which SPIN's semicolons depend.
    fn advance(&mut self) -> Span {
        let token = self.stream.next();
        match token.kind {
            TokenKind::Punct(Punct::OpenParen) => self.stream.parentheses += 1,
            TokenKind::Punct(Punct::CloseParen) => {
                self.stream.parentheses = self.stream.parentheses.saturating_sub(1);
            }
            _ => {}
        }
        self.tokens_taken += 1;
        self.last_taken = token.kind;
        token.span
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Span> {
        if self.at(punct) { Ok(self.advance()) } else { Err(self.unexpected(&format!("`{}`", punct.text()))) }
    }

    fn expect_word(&mut self, word: &'static str) -> Parsed<Span> {
        if self.at_word(word) {
            return Ok(self.advance());
        }
        let mut diagnostic = self.expected(&format!("`{word}`"));
        if let TokenKind::Name(found) = self.peek()
            && crate::spelling::nearest(&found, [word]).is_some()
        {
            diagnostic = diagnostic.help(format!("did you mean `{word}`?"));
        }
        Err(self.error(diagnostic))
    }

    /// A name that is not a keyword.
    fn name(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            TokenKind::Name(name) if !keyword::is_keyword(&name) => Ok(Ident { name, span: self.advance() }),
            TokenKind::Name(name) if !is_embedded_c(&name) => {
                let span = self.peek_span();
                let reported = self.error(
                    Diagnostic::error(span, format!("expected {what}, found the keyword `{name}`"))
                        .label(format!("expected {what}"))
                        .help(format!("`{name}` cannot be used as a name; choose another")),
                );
                // it was meant as a name: it opens no block and ends none
                if !keyword::begins_unit(&name) && !matches!(&*name, "fi" | "od") {
                    self.advance();
                }
                Err(reported)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn number(&mut self, what: &str) -> Parsed<Number> {
        match self.peek() {
            TokenKind::Number(value) | TokenKind::Char(value) => Ok(Number { value, span: self.advance() }),
            TokenKind::Name(name) if matches!(&*name, "true" | "false" | "skip") => {
                Ok(Number { value: i32::from(&*name != "false"), span: self.advance() })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Reports that something else was expected to follow the token taken last.
    fn unexpected(&mut self, expected: &str) -> Reported {
        let diagnostic = self.expected_after(expected);
        self.error(diagnostic)
    }

    /// Reports embedded C, which has no meaning without a C compiler.
    fn embedded_c(&mut self) -> Reported {
        let diagnostic = self.expected("Promela");
        self.error(diagnostic)
    }

    /// Parses one level deeper in the tree.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.peek_span();
            return Err(self.error(
                Diagnostic::error(span, format!("nested more than {MAX_NESTING} levels deep"))
                    .help("split it up: use inlines, process types or intermediate variables"),
            ));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Records the height of the expression just parsed, and checks it.
    fn set_height(&mut self, height: u32, span: Span) -> Parsed<()> {
        self.height = height;
        if height <= MAX_NESTING {
            return Ok(());
        }
        Err(self.error(
            Diagnostic::error(span, format!("an expression of more than {MAX_NESTING} operators around each other"))
                .help("split it up with intermediate variables"),
        ))
    }
}

fn is_embedded_c(word: &str) -> bool {
    matches!(word, "c_code" | "c_expr" | "c_decl" | "c_state" | "c_track")
}
