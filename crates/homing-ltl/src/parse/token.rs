//! The tokens of a formula.

use std::ops::Range;

use super::ParseError;
use crate::formula::{Binary, Unary};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// The bytes of the text.
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    /// A temporal operator, or `!`, before its operand.
    Prefix(Unary),
    /// A Boolean or temporal operator between its operands.
    Infix(Binary),
    /// An operator of expressions between its operands.
    Arithmetic,
    /// An operator of expressions before its operand: `~`.
    Complement,
    /// `-`, which stands before an operand or between two.
    Minus,
    /// Other characters: parentheses, brackets, `.`, `,`, `@`, `:`, `?`.
    Punctuation(char),
}

/// Operators of more than one character come before those that they begin with.
const SYMBOLS: &[(&str, Kind)] = &[
    ("<->", Kind::Infix(Binary::Equivalent)),
    ("->", Kind::Infix(Binary::Implies)),
    ("&&", Kind::Infix(Binary::And)),
    ("/\\", Kind::Infix(Binary::And)),
    ("||", Kind::Infix(Binary::Or)),
    ("\\/", Kind::Infix(Binary::Or)),
    ("[]", Kind::Prefix(Unary::Always)),
    ("<>", Kind::Prefix(Unary::Eventually)),
    ("<<", Kind::Arithmetic),
    (">>", Kind::Arithmetic),
    ("<=", Kind::Arithmetic),
    (">=", Kind::Arithmetic),
    ("==", Kind::Arithmetic),
    ("!=", Kind::Arithmetic),
    ("&", Kind::Infix(Binary::And)),
    ("|", Kind::Infix(Binary::Or)),
    ("!", Kind::Prefix(Unary::Not)),
    ("~", Kind::Complement),
    ("-", Kind::Minus),
    ("<", Kind::Arithmetic),
    (">", Kind::Arithmetic),
    ("^", Kind::Arithmetic),
    ("+", Kind::Arithmetic),
    ("*", Kind::Arithmetic),
    ("/", Kind::Arithmetic),
    ("%", Kind::Arithmetic),
    ("(", Kind::Punctuation('(')),
    (")", Kind::Punctuation(')')),
    ("[", Kind::Punctuation('[')),
    ("]", Kind::Punctuation(']')),
    (".", Kind::Punctuation('.')),
    (",", Kind::Punctuation(',')),
    ("@", Kind::Punctuation('@')),
    (":", Kind::Punctuation(':')),
    ("?", Kind::Punctuation('?')),
];

const WORDS: &[(&str, Kind)] = &[
    ("U", Kind::Infix(Binary::Until)),
    ("until", Kind::Infix(Binary::Until)),
    ("stronguntil", Kind::Infix(Binary::Until)),
    ("W", Kind::Infix(Binary::WeakUntil)),
    ("weakuntil", Kind::Infix(Binary::WeakUntil)),
    ("V", Kind::Infix(Binary::Release)),
    ("R", Kind::Infix(Binary::Release)),
    ("release", Kind::Infix(Binary::Release)),
    ("X", Kind::Prefix(Unary::Next)),
    ("next", Kind::Prefix(Unary::Next)),
    ("G", Kind::Prefix(Unary::Always)),
    ("always", Kind::Prefix(Unary::Always)),
    ("F", Kind::Prefix(Unary::Eventually)),
    ("eventually", Kind::Prefix(Unary::Eventually)),
    ("implies", Kind::Infix(Binary::Implies)),
    ("equivalent", Kind::Infix(Binary::Equivalent)),
];

/// Splits a text into tokens.
pub fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = length_while(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            let word = WORDS.iter().find(|(word, _)| *word == &rest[..length]);
            (word.map_or(Kind::Name, |(_, kind)| *kind), length)
        } else if first.is_ascii_digit() {
            (Kind::Number, length_while(rest, |c| c.is_ascii_digit()))
        } else if let Some((symbol, kind)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            (*kind, symbol.len())
        } else {
            return Err(ParseError::Character { found: first, span: at..at + first.len_utf8() });
        };
        tokens.push(Token { kind, span: at..at + length });
        at += length;
    }
    Ok(tokens)
}

fn length_while(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

impl Token {
    pub fn is(&self, punctuation: char) -> bool {
        self.kind == Kind::Punctuation(punctuation)
    }

    /// Whether the token is an operator that no expression of a model can have.
    pub fn is_temporal(&self) -> bool {
        match self.kind {
            Kind::Prefix(operator) => operator != Unary::Not,
            Kind::Infix(operator) => matches!(operator, Binary::Until | Binary::Release | Binary::WeakUntil),
            _ => false,
        }
    }
}

/// Whether `spin -f` accepts the tokens in a formula: it has no `W`, no `X`, no letters `G`, `F`, `R`, names in lower
/// case only, and expressions only in parentheses.
pub fn are_known_to_spin(tokens: &[Token], text: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "[]",
        "<>",
        "!",
        "->",
        "<->",
        "&&",
        "/\\",
        "||",
        "\\/",
        "U",
        "V",
        "always",
        "eventually",
        "until",
        "implies",
        "equivalent",
    ];
    let mut depth = 0;
    tokens.iter().all(|token| {
        let word = &text[token.span.clone()];
        match token.kind {
            Kind::Punctuation('(') => depth += 1,
            Kind::Punctuation(')') => depth -= 1,
            _ => {}
        }
        match token.kind {
            Kind::Name => depth > 0 || word.starts_with(|c: char| c.is_ascii_lowercase()),
            Kind::Prefix(_) | Kind::Infix(_) => OPERATORS.contains(&word),
            Kind::Punctuation('(' | ')') => true,
            _ => depth > 0,
        }
    })
}

/// How a text is written as a proposition: the same for all ways to put blanks.
pub fn normalised(text: &str, tokens: &[Token]) -> String {
    let mut all = String::new();
    let mut after_operand = false;
    for token in tokens {
        let word = &text[token.span.clone()];
        let is_infix = match token.kind {
            Kind::Infix(_) | Kind::Arithmetic => true,
            Kind::Minus => after_operand,
            _ => false,
        };
        if is_infix {
            all.push(' ');
        }
        all.push_str(word);
        let is_word = matches!(token.kind, Kind::Prefix(operator) if operator != Unary::Not);
        if is_infix || is_word || token.is(',') {
            all.push(' ');
        }
        after_operand = matches!(token.kind, Kind::Name | Kind::Number) || token.is(')') || token.is(']');
    }
    all
}
