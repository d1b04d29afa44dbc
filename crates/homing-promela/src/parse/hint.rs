//! Messages for a token that cannot be where it is.

use super::{Parser, is_embedded_c, keyword};
use crate::diagnostic::Diagnostic;
use crate::spelling;
use crate::token::{Misquoted, Punct, TokenKind};

impl Parser<'_> {
    /// An error: something else was expected at the front. With a guess at what was meant.
    pub(super) fn expected(&mut self, expected: &str) -> Diagnostic {
        let found = self.stream.peek().clone();
        if let TokenKind::Misquoted(what) = found.kind {
            return misquoted(what, found.span);
        }
        if let TokenKind::Name(word) = &found.kind
            && is_embedded_c(word)
        {
            return Diagnostic::error(found.span, format!("embedded C is not supported: `{word}`"))
                .label("C code")
                .help("express it in Promela, or check this model with SPIN");
        }
        let diagnostic = Diagnostic::error(found.span, format!("expected {expected}, found {}", found.kind))
            .label(format!("expected {expected}"));
        match self.hint(&found.kind) {
            Some(hint) => diagnostic.help(hint),
            None => diagnostic,
        }
    }

    /// An error: something else was expected after the last token. It is reported there if that token ends another
    /// line.
    pub(super) fn expected_after(&mut self, expected: &str) -> Diagnostic {
        let mut diagnostic = self.expected(expected);
        let (before, found) = (self.stream.last_span, self.peek_span());
        let goes_on = match &self.last_taken {
            TokenKind::Punct(before) => !matches!(
                before,
                Punct::Semicolon | Punct::Arrow | Punct::OpenBrace | Punct::CloseBrace | Punct::ColonColon
            ),
            kind => *kind != TokenKind::End,
        };
        let plain = matches!(self.peek(), TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Punct(_));
        if goes_on && plain && before.file == found.file && self.sources.line(before) < self.sources.line(found) {
            diagnostic.span = Some(before);
            diagnostic.label = format!("expected {expected} after this").into();
        }
        diagnostic
    }

    /// A guess at what the author meant by the token at the front.
    fn hint(&mut self, found: &TokenKind) -> Option<String> {
        let hint = match found {
            TokenKind::End => "is a closing `}` missing?",
            TokenKind::Stray(c) => return Some(stray(*c)),
            TokenKind::Str(_) => "a string can only be the first argument of `printf`",
            TokenKind::Punct(punct) => return self.hint_of_punct(*punct),
            TokenKind::Name(word) => return self.hint_of_word(word),
            _ => return None,
        };
        Some(hint.to_owned())
    }

    fn hint_of_punct(&mut self, punct: Punct) -> Option<String> {
        let before = match &self.last_taken {
            TokenKind::Punct(before) => Some(*before),
            _ => None,
        };
        let hint = match (punct, before) {
            (Punct::Assign, Some(Punct::Plus | Punct::Minus | Punct::Star | Punct::Slash | Punct::Percent)) => {
                let operator = before.map_or("", Punct::text);
                return Some(format!("there is no `{operator}=`: write `x = x {operator} …`"));
            }
            (Punct::Assign, _) => "`=` assigns; `==` compares",
            (Punct::Arrow, _) if self.at_long_arrow() => {
                "`->` is the implication; `p --> q` of UPPAAL is written `[] (p -> <> q)`"
            }
            (Punct::Greater, Some(Punct::Assign)) => "did you mean `>=`?",
            (Punct::Less, Some(Punct::Assign)) => "did you mean `<=`?",
            (Punct::Greater, Some(Punct::Less)) => "did you mean `!=`?",
            (Punct::Less, _) if self.is_followed_by(0, Punct::Greater) => TEMPORAL,
            (Punct::OpenBracket, _) if self.is_followed_by(0, Punct::CloseBracket) => TEMPORAL,
            (Punct::Question, _) => "a choice between values is written `(condition -> value : value)`",
            (Punct::Colon, _) => {
                "options begin with `::`; a choice between values is written `(condition -> value : value)`"
            }
            (Punct::PlusPlus | Punct::MinusMinus, _) => {
                "`x++` and `x--` are statements of their own, not parts of expressions"
            }
            (Punct::Dot | Punct::DotDot, _) if matches!(self.last_taken, TokenKind::Number(_)) => {
                "numbers have no fractions; a range `a .. b` can only stand in `for` and `select`"
            }
            (Punct::Comma, Some(Punct::Semicolon | Punct::CloseBrace)) => {
                "a declaration ends after a `}`: write `;` and begin another"
            }
            (Punct::CloseParen | Punct::CloseBracket | Punct::CloseBrace, _) => return None,
            (Punct::OpenParen, _) => return self.hint_of_call(),
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// A guess for `name(…)` where no call can be.
    fn hint_of_call(&mut self) -> Option<String> {
        let TokenKind::Name(name) = &self.last_taken else { return None };
        if matches!(&**name, "skip" | "true" | "false" | "timeout" | "break" | "else" | "np_") {
            return Some(format!("`{name}` has no arguments"));
        }
        if keyword::is_keyword(name) {
            return None;
        }
        Some(match &**name {
            "G" if self.in_formula => "write `[]` or `always`".to_owned(),
            "F" if self.in_formula => "write `<>` or `eventually`".to_owned(),
            _ if self.inlines.contains_key(name) => format!(
                "`{name}` is an inline: it can only be called as a statement of its own, or assigned as in `x = {name}(…)`"
            ),
            _ if self.proctypes.contains(name) => format!("`{name}` is a process type: start it with `run {name}(…)`"),
            _ => format!("there are no functions in Promela: `{name}` cannot be called"),
        })
    }

    fn hint_of_word(&mut self, word: &str) -> Option<String> {
        let hint = match word {
            "U" | "V" | "W" | "X" | "until" | "always" | "eventually" | "next" if !self.in_formula => TEMPORAL,
            "unless" => "no `;` stands in front of `unless`",
            _ if keyword::begins_unit(word) => "is a closing `}` missing above?",
            _ if matches!(self.last_taken, TokenKind::Number(_)) && self.peek_span() == self.stream.last_span => {
                "numbers are decimal, and names begin with a letter" // `0x1f` and `2nd` are one token for C
            }
            _ => return spelling::foreign(word).map(str::to_owned),
        };
        Some(hint.to_owned())
    }
}

const TEMPORAL: &str = "temporal operators can only stand in a formula, `ltl name { … }`";

fn misquoted(what: Misquoted, span: crate::source::Span) -> Diagnostic {
    let at_quote = crate::source::Span { end: span.end.min(span.start + 1), ..span };
    match what {
        Misquoted::OpenString => Diagnostic::error(at_quote, "this string is not closed")
            .label("there is no second `\"` on the line")
            .help("to go on in the next line, end the line with `\\`"),
        Misquoted::OpenChar => Diagnostic::error(at_quote, "this character constant is not closed")
            .label("there is no second `'` on the line")
            .help("write it as in `'a'`; strings stand in double quotes"),
        Misquoted::NoChar => Diagnostic::error(span, "this is not a character constant")
            .label("it holds one ASCII character, or a backslash and one")
            .help("strings stand in double quotes"),
    }
}

fn stray(c: char) -> String {
    let meant = match c {
        '#' => return "a directive such as `#define` has to be the first on its line".to_owned(),
        '\u{201c}' | '\u{201d}' | '\u{201e}' => "\"",
        '\u{2018}' | '\u{2019}' => "'",
        '\u{2192}' | '\u{21d2}' => "->",
        '\u{2260}' => "!=",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2227}' => "&&",
        '\u{2228}' => "||",
        '\u{ac}' => "!",
        '\u{2013}' | '\u{2014}' | '\u{2212}' => "-",
        '\u{d7}' => "*",
        '\u{a0}' => return "this is a no-break space: replace it with a plain one".to_owned(),
        _ => return format!("the character {c:?} has no meaning in Promela"),
    };
    format!("write `{meant}`")
}
