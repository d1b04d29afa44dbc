//! The tokens from the preprocessor to the parser: without comments, directives and macros.

use std::fmt;
use std::sync::Arc;

use crate::source::Span;

/// A token with its span, and whether a line ended before it (SPIN makes semicolons of some line ends).
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    pub newline_before: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a keyword.
    Name(Arc<str>),
    /// A decimal number, wrapped to 32 bits as SPIN wraps it.
    Number(i32),
    /// A character constant, `'a'` or `'\n'`.
    Char(i32),
    /// A string with its quotes and its escapes, as written.
    Str(Arc<str>),
    Punct(Punct),
    /// A character without a meaning in Promela; the parser reports it.
    Stray(char),
    /// A quote that is not closed properly; the parser reports it. It is no error in embedded C, which is refused as
    /// such.
    Misquoted(Misquoted),
    /// The end of the model.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misquoted {
    /// `"` without a second one on the line.
    OpenString,
    /// `'` without a second one on the line.
    OpenChar,
    /// `'…'` around something other than one character.
    NoChar,
}

macro_rules! punctuation {
    ($($name:ident = $text:literal,)*) => {
        /// Operators and separators, by longest match as in SPIN's lexer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Punct { $($name,)* }

        impl Punct {
            /// All of them with their spellings.
            pub const ALL: &'static [(Punct, &'static str)] = &[$((Punct::$name, $text),)*];

            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

punctuation! {
    OpenParen = "(", CloseParen = ")", OpenBrace = "{", CloseBrace = "}", OpenBracket = "[", CloseBracket = "]",
    Comma = ",", Semicolon = ";", Colon = ":", ColonColon = "::", Dot = ".", DotDot = "..", At = "@", Arrow = "->",
    Assign = "=", Equal = "==", NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">", GreaterEqual = ">=",
    ShiftLeft = "<<", ShiftRight = ">>", Plus = "+", PlusPlus = "++", Minus = "-", MinusMinus = "--", Star = "*",
    Slash = "/", Percent = "%", And = "&", AndAnd = "&&", Or = "|", OrOr = "||", Caret = "^", Tilde = "~", Bang = "!",
    BangBang = "!!", Question = "?", QuestionQuestion = "??",
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Name(name) => write!(f, "`{name}`"),
            TokenKind::Number(value) => write!(f, "`{value}`"),
            TokenKind::Char(_) => f.write_str("a character constant"),
            TokenKind::Str(_) => f.write_str("a string"),
            TokenKind::Punct(punct) => write!(f, "`{}`", punct.text()),
            TokenKind::Stray(c) => write!(f, "{c:?}"),
            TokenKind::Misquoted(Misquoted::OpenString) => f.write_str("a string that is not closed"),
            TokenKind::Misquoted(Misquoted::OpenChar) => f.write_str("a character constant that is not closed"),
            TokenKind::Misquoted(Misquoted::NoChar) => f.write_str("what is not a character constant"),
            TokenKind::End => f.write_str("the end of the model"),
        }
    }
}
