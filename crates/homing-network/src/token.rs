//! The tokens of UPPAAL's language, without comments.

use std::fmt;
use std::sync::Arc;

use crate::source::Span;

/// A token with its span.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// Whether a line ended before it: queries in a `.q` file are separated by line ends.
    pub newline_before: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a keyword.
    Name(Arc<str>),
    Number(i32),
    /// A decimal number that does not fit 32 bits; the parser reports it.
    TooLarge,
    /// A number with a fraction or an exponent; the parser refuses it.
    Double,
    /// A string; the parser refuses it.
    Str,
    Punct(Punct),
    /// A character without a meaning; the parser reports it.
    Stray(char),
    /// A comment that is not closed; the parser reports it.
    OpenComment,
    /// The end of the text.
    End,
}

macro_rules! punctuation {
    ($($name:ident = $text:literal,)*) => {
        /// Operators and separators, by longest match.
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
    Comma = ",", Semicolon = ";", Colon = ":", Dot = ".", Arrow = "->", Uncontrollable = "-u->", LeadsTo = "-->",
    Assign = "=", ColonAssign = ":=", PlusAssign = "+=", MinusAssign = "-=", StarAssign = "*=", SlashAssign = "/=",
    PercentAssign = "%=", AndAssign = "&=", OrAssign = "|=", CaretAssign = "^=", ShiftLeftAssign = "<<=",
    ShiftRightAssign = ">>=", Equal = "==", NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">",
    GreaterEqual = ">=", Minimum = "<?", Maximum = ">?", ShiftLeft = "<<", ShiftRight = ">>", Plus = "+",
    PlusPlus = "++", Minus = "-", MinusMinus = "--", Star = "*", StarStar = "**", Slash = "/", Percent = "%", And = "&",
    AndAnd = "&&", Or = "|", OrOr = "||", Caret = "^", Bang = "!", Question = "?", Quote = "'",
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Name(name) => write!(f, "`{name}`"),
            TokenKind::Number(value) => write!(f, "`{value}`"),
            TokenKind::TooLarge => f.write_str("a number that does not fit 32 bits"),
            TokenKind::Double => f.write_str("a number with a fraction"),
            TokenKind::Str => f.write_str("a string"),
            TokenKind::Punct(punct) => write!(f, "`{}`", punct.text()),
            TokenKind::Stray(c) => write!(f, "{c:?}"),
            TokenKind::OpenComment => f.write_str("a comment that is not closed"),
            TokenKind::End => f.write_str("the end of the text"),
        }
    }
}
