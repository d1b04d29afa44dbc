//! The tokens for the parser: with line ends where gcc prints them, and numbers and characters with SPIN's values.
//!
//! gcc prints a token on a new line if it is the first of its line in the file. It also ends the line, and SPIN reads
//! that line end, before a token that is on another line than the one being printed, if a blank or a macro call is
//! between the two: after a comment over several lines, after a line that a backslash continues, and after the `)` of a
//! macro call over several lines. All tokens of an expansion count as being on the line of the macro's name.

use super::lexer::{Kind, PpToken};
use super::{MOST_TOKENS, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::source::{ExpansionId, Span};
use crate::token::{Misquoted, Punct, Token, TokenKind};

#[derive(Default)]
pub(super) struct Output {
    pub tokens: Vec<Token>,
    /// Whether the line ended since the last token.
    newline: bool,
    /// The line of the file that is being printed.
    line: u32,
    /// Whether a macro expansion began or ended since the last token.
    after_expansion: bool,
    /// Whether an expansion ended after the token that comes next.
    expansion_behind_next: bool,
}

impl Output {
    /// Starts a line of the file, with a token or with a macro whose expansion may be empty.
    pub fn start_line(&mut self, line: u32) {
        self.newline = true;
        self.line = line;
    }

    pub fn note_expansion(&mut self) {
        self.after_expansion = true;
    }

    /// Notes that an expansion ends with the token that comes next.
    pub fn note_expansion_after_next(&mut self) {
        self.expansion_behind_next = true;
    }

    fn push(&mut self, kind: TokenKind, span: Span) {
        self.tokens.push(Token { kind, span, newline_before: std::mem::take(&mut self.newline) });
    }
}

impl Preprocessor<'_> {
    pub(super) fn emit(&mut self, token: PpToken) {
        let output = &mut self.output;
        let separate = token.space | output.after_expansion;
        output.after_expansion = std::mem::take(&mut output.expansion_behind_next);
        if separate && token.line != output.line {
            output.start_line(token.line);
        }
        let span = token.span;
        match token.kind {
            Kind::Punct(punct) => {
                let rest = if token.space || output.newline { Some(punct) } else { output.merge(punct) };
                let star =
                    rest.filter(|rest| *rest == Punct::Slash && !token.space).and_then(|_| output.drop_star(span));
                match (star, rest) {
                    (Some(star), _) => self.report(
                        Diagnostic::warning(star.to(span), "this `*/` closes no comment")
                            .code("stray-comment-end")
                            .label("ignored, as SPIN ignores it"),
                    ),
                    (None, Some(punct)) => output.push(TokenKind::Punct(punct), span),
                    (None, None) => {}
                }
            }
            Kind::Other(c) => output.push(TokenKind::Stray(c), span),
            Kind::Hash => output.push(TokenKind::Stray('#'), span),
            Kind::HashHash => {
                output.push(TokenKind::Stray('#'), span);
                output.push(TokenKind::Stray('#'), span);
            }
            Kind::Name(name) => output.push(TokenKind::Name(self.symbols.text(name).clone()), span),
            Kind::Str(string) => output.push(TokenKind::Str(self.symbols.text(string).clone()), span),
            Kind::Number(number) => {
                let text = self.symbols.text(number).clone();
                self.emit_number(&text, span);
            }
            Kind::Char(constant) => {
                let text = self.symbols.text(constant).clone();
                self.emit_char(&text, span);
            }
            Kind::Unclosed(rest) => {
                let text = self.symbols.text(rest).clone();
                self.emit_unclosed(&text, span);
            }
        }
        if self.output.tokens.len() > MOST_TOKENS {
            let limit = MOST_TOKENS >> 20;
            self.report(Diagnostic::error(span, format!("the model has more than {limit} million tokens")));
            self.stop();
        }
    }

    /// A number: its value is what `strtol` makes of the digits, cut to 32 bits; letters after them are a name for
    /// SPIN.
    fn emit_number(&mut self, text: &str, span: Span) {
        let length = text.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, letters) = text.split_at(length);
        let value = digits.parse().unwrap_or(i64::MAX);
        let read_as = value as i32;
        if i64::from(read_as) != value {
            let bits = if value == i64::MAX { 64 } else { 32 };
            self.report(
                Diagnostic::warning(span, format!("the number does not fit into {bits} bits"))
                    .label(format!("read as {read_as}, as SPIN does")),
            );
        }
        self.output.push(TokenKind::Number(read_as), span);
        if !letters.is_empty() {
            self.output.push(TokenKind::Name(letters.into()), span);
        }
    }

    fn emit_char(&mut self, text: &str, span: Span) {
        let kind = char_value(text).map_or(TokenKind::Misquoted(Misquoted::NoChar), TokenKind::Char);
        self.output.push(kind, span);
    }

    fn emit_unclosed(&mut self, text: &str, span: Span) {
        let kind = if text.starts_with('"') { Misquoted::OpenString } else { Misquoted::OpenChar };
        self.output.push(TokenKind::Misquoted(kind), span);
    }
}

impl Output {
    /// gcc separates what would become one token of C; but `!!` and `??` are none there, so it prints `c!` and the
    /// expansion `!x` as `c!!x`, and SPIN reads a sorted send. Returns what is left of `punct` after the merge.
    fn merge(&mut self, punct: Punct) -> Option<Punct> {
        let Some(TokenKind::Punct(last)) = self.tokens.last_mut().map(|token| &mut token.kind) else {
            return Some(punct);
        };
        let (merged, rest) = match (*last, punct) {
            (Punct::Bang, Punct::Bang) => (Punct::BangBang, None),
            (Punct::Bang, Punct::BangBang) => (Punct::BangBang, Some(Punct::Bang)),
            (Punct::Bang, Punct::NotEqual) => (Punct::BangBang, Some(Punct::Assign)),
            (Punct::Question, Punct::Question) => (Punct::QuestionQuestion, None),
            (Punct::Question, Punct::QuestionQuestion) => (Punct::QuestionQuestion, Some(Punct::Question)),
            _ => return Some(punct),
        };
        *last = merged;
        rest
    }
}

impl Output {
    /// SPIN's lexer reads `*/` outside of a comment as nothing. Drops the `*` that is directly before a `/`, and returns where it
    /// was.
    fn drop_star(&mut self, slash: Span) -> Option<Span> {
        let is_star = |token: &mut Token| {
            let span = token.span;
            let is_of_one_macro = span == slash && slash.via != ExpansionId::NONE; // both have the place of its use
            let is_adjacent = span.file == slash.file && span.end == slash.start || is_of_one_macro;
            token.kind == TokenKind::Punct(Punct::Star) && is_adjacent
        };
        let star = self.tokens.pop_if(is_star)?;
        self.newline |= star.newline_before;
        Some(star.span)
    }
}

/// SPIN's value of a character constant. SPIN knows few escapes: `'\0'` is the digit.
fn char_value(text: &str) -> Option<i32> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let value = match inside.as_bytes() {
        [b'\\', escaped] => match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'f' => b'\x0c',
            other => *other,
        },
        [plain] if *plain != b'\\' => *plain,
        _ => return None,
    };
    Some(i32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_as_spin_reads_them() {
        let values = [(r"'a'", 97), (r"'\n'", 10), (r"'\\'", 92), (r"'\''", 39), (r"'\0'", 48), (r"'\x'", 120)];
        for (text, value) in values {
            assert_eq!(char_value(text), Some(value), "{text}");
        }
        for text in ["''", "'ab'", r"'\12'", "'é'", "'"] {
            assert_eq!(char_value(text), None, "{text}");
        }
    }
}
