//! Splits the text of a file into preprocessing tokens. Blanks and comments are dropped; flags of the tokens say where
//! they were. Tokens are SPIN's where SPIN and C differ: `0..N` is `0` `..` `N` (in C it is one malformed number), `!!`
//! and `??` are one token.

use std::rc::Rc;

use super::symbol::{Symbol, Symbols};
use super::text::CleanText;
use crate::source::{ExpansionId, FileId, Span};
use crate::token::Punct;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name(Symbol),
    /// Digits, with the letters that follow them: `0x1f` is one number in C.
    Number(Symbol),
    /// With its quotes, like the next two.
    Str(Symbol),
    Char(Symbol),
    /// A quote with the rest of its line, if the quote that closes it is missing. An error only if the parser gets it:
    /// skipped text, macros that are never called and embedded C may contain any apostrophe.
    Unclosed(Symbol),
    Punct(Punct),
    Hash,
    HashHash,
    Other(char),
}

/// A token before and during macro expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct PpToken {
    pub kind: Kind,
    pub span: Span,
    /// The line on which cpp prints the token: its own, or that of the macro call from which it comes.
    pub line: u32,
    /// Whether a blank, a comment or a line end is before it.
    pub space: bool,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether it was read inside the expansion of the macro it names, and hence is never expanded again.
    pub painted: bool,
}

impl PpToken {
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == Kind::Punct(punct)
    }
}

/// Where the lexer stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    LineEnd,
    FileEnd,
}

pub(super) struct Lexer {
    file: FileId,
    text: Rc<CleanText>,
    at: usize,
    line: u32,
    first: bool,
    /// The number of the text's removals before `at`.
    removals: usize,
    unclosed_comment: Option<Span>,
}

impl Lexer {
    pub fn new(file: FileId, text: Rc<CleanText>) -> Self {
        Lexer { file, text, at: 0, line: 1, first: true, removals: 0, unclosed_comment: None }
    }

    /// The next token of the file.
    pub fn next(&mut self, symbols: &mut Symbols) -> Option<PpToken> {
        self.token(Until::FileEnd, symbols)
    }

    /// The next token of the line; `None` at its end.
    pub fn next_on_line(&mut self, symbols: &mut Symbols) -> Option<PpToken> {
        self.token(Until::LineEnd, symbols)
    }

    /// If `<` is next, takes the text between it and the next `>` of the line, as `#include` reads it.
    pub fn angle_quoted(&mut self) -> Option<(String, Span)> {
        self.skip_blanks(Until::LineEnd);
        let rest = self.text.text()[self.at..].strip_prefix('<')?;
        let line = rest.split('\n').next().unwrap_or("");
        let name = line[..line.find('>')?].to_owned();
        let start = self.at;
        self.at += name.len() + "<>".len();
        let span = self.span(start, self.at);
        Some((name, span))
    }

    /// The start of a comment that the file does not close, once the end of the file is reached.
    pub fn unclosed_comment(&self) -> Option<Span> {
        self.unclosed_comment
    }

    fn token(&mut self, until: Until, symbols: &mut Symbols) -> Option<PpToken> {
        let space = self.skip_blanks(until);
        let start = self.at;
        if self.text.text().as_bytes().get(start).is_none_or(|&byte| byte == b'\n') {
            return None;
        }
        let (kind, end) = cut(self.text.text(), start, symbols);
        self.at = end;
        let span = self.span(start, end);
        let first = std::mem::replace(&mut self.first, false);
        Some(PpToken { kind, span, line: self.line, space, first, painted: false })
    }

    /// Skips to the next token, or to the end of the line if that stops it. Returns whether anything was skipped.
    fn skip_blanks(&mut self, until: Until) -> bool {
        let bytes = self.text.text().as_bytes();
        let (start, mut at) = (self.at, self.at);
        while let Some(&byte) = bytes.get(at) {
            match (byte, bytes.get(at + 1)) {
                (b' ' | b'\t' | b'\x0b' | b'\x0c', _) => at += 1,
                (b'\n', _) if until == Until::FileEnd => {
                    at += 1;
                    self.line += 1;
                    self.first = true;
                }
                (b'/', Some(b'/')) => at += bytes[at..].iter().take_while(|&&byte| byte != b'\n').count(),
                (b'/', Some(b'*')) => {
                    let close = bytes[at + 2..].windows(2).position(|pair| pair == b"*/");
                    let end = close.map_or(bytes.len(), |length| at + 2 + length + 2);
                    self.line += bytes[at..end].iter().filter(|&&byte| byte == b'\n').count() as u32;
                    if close.is_none() {
                        self.unclosed_comment = Some(plain_span(&self.text, self.file, at, at + 2));
                    }
                    at = end;
                }
                _ => break,
            }
        }
        self.at = at;
        at > start
    }

    /// The span in the file of a range of the clean text, which must not be before one asked for earlier.
    fn span(&mut self, start: usize, end: usize) -> Span {
        let removals = self.text.removals();
        let mut removed = match self.removals {
            0 => 0,
            passed => removals[passed - 1].total,
        };
        while let Some(removal) = removals.get(self.removals).filter(|removal| removal.at as usize <= start) {
            removed = removal.total;
            self.line += u32::from(removal.ends_line);
            self.removals += 1;
        }
        let inside = removals[self.removals..].iter().take_while(|removal| (removal.at as usize) < end).last();
        let removed_at_end = inside.map_or(removed, |removal| removal.total);
        let (start, end) = (start as u32 + removed, end as u32 + removed_at_end);
        Span { file: self.file, start, end, via: ExpansionId::NONE }
    }
}

/// The span in the file of any range of the clean text.
fn plain_span(text: &CleanText, file: FileId, start: usize, end: usize) -> Span {
    let removals = text.removals();
    let passed = removals.partition_point(|removal| removal.at as usize <= start);
    let removed = if passed == 0 { 0 } else { removals[passed - 1].total };
    Span { file, start: start as u32 + removed, end: end as u32 + removed, via: ExpansionId::NONE }
}

/// Splits off the token that starts at `at`, where there is neither a blank nor a comment; returns its end too.
pub(super) fn cut(text: &str, at: usize, symbols: &mut Symbols) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let word_end = || at + bytes[at..].iter().take_while(|&&b| b == b'_' || b.is_ascii_alphanumeric()).count();
    match bytes[at] {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
            let end = word_end();
            (Kind::Name(symbols.intern(&text[at..end])), end)
        }
        b'0'..=b'9' => {
            let end = word_end();
            (Kind::Number(symbols.intern(&text[at..end])), end)
        }
        quote @ (b'"' | b'\'') => {
            let (end, closed) = end_of_quoted(bytes, at);
            let symbol = symbols.intern(&text[at..end]);
            match (closed, quote) {
                (false, _) => (Kind::Unclosed(symbol), end),
                (true, b'"') => (Kind::Str(symbol), end),
                (true, _) => (Kind::Char(symbol), end),
            }
        }
        b'#' if bytes.get(at + 1) == Some(&b'#') => (Kind::HashHash, at + 2),
        b'#' => (Kind::Hash, at + 1),
        b'-' if bytes[at..].starts_with(LONG_ARROW) => (Kind::Punct(Punct::Arrow), at + LONG_ARROW.len()),
        byte => match punctuator(byte, bytes.get(at + 1).copied()) {
            Some(punct) => (Kind::Punct(punct), at + punct.text().len()),
            None => {
                let other = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                (Kind::Other(other), at + other.len_utf8())
            }
        },
    }
}

/// The end of the text that the quote at `at` opens, and whether it is closed there: that must be on the same line.
fn end_of_quoted(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\n' => return (end, false),
            b'\\' if bytes.get(end + 1).is_some_and(|&next| next != b'\n') => end += 2,
            _ if byte == bytes[at] => return (end + 1, true),
            _ => end += 1,
        }
    }
    (bytes.len(), false)
}

/// SPIN reads this as `->`.
const LONG_ARROW: &[u8] = b"-->";

/// The longest operator or separator of up to two characters that starts with these bytes.
fn punctuator(first: u8, second: Option<u8>) -> Option<Punct> {
    let double = match (first, second) {
        (b':', Some(b':')) => Some(Punct::ColonColon),
        (b'.', Some(b'.')) => Some(Punct::DotDot),
        (b'-', Some(b'>')) => Some(Punct::Arrow),
        (b'-', Some(b'-')) => Some(Punct::MinusMinus),
        (b'+', Some(b'+')) => Some(Punct::PlusPlus),
        (b'=', Some(b'=')) => Some(Punct::Equal),
        (b'!', Some(b'=')) => Some(Punct::NotEqual),
        (b'!', Some(b'!')) => Some(Punct::BangBang),
        (b'<', Some(b'=')) => Some(Punct::LessEqual),
        (b'<', Some(b'<')) => Some(Punct::ShiftLeft),
        (b'>', Some(b'=')) => Some(Punct::GreaterEqual),
        (b'>', Some(b'>')) => Some(Punct::ShiftRight),
        (b'&', Some(b'&')) => Some(Punct::AndAnd),
        (b'|', Some(b'|')) => Some(Punct::OrOr),
        (b'?', Some(b'?')) => Some(Punct::QuestionQuestion),
        _ => None,
    };
    double.or_else(|| {
        Some(match first {
            b'(' => Punct::OpenParen,
            b')' => Punct::CloseParen,
            b'{' => Punct::OpenBrace,
            b'}' => Punct::CloseBrace,
            b'[' => Punct::OpenBracket,
            b']' => Punct::CloseBracket,
            b',' => Punct::Comma,
            b';' => Punct::Semicolon,
            b':' => Punct::Colon,
            b'.' => Punct::Dot,
            b'@' => Punct::At,
            b'=' => Punct::Assign,
            b'<' => Punct::Less,
            b'>' => Punct::Greater,
            b'+' => Punct::Plus,
            b'-' => Punct::Minus,
            b'*' => Punct::Star,
            b'/' => Punct::Slash,
            b'%' => Punct::Percent,
            b'&' => Punct::And,
            b'|' => Punct::Or,
            b'^' => Punct::Caret,
            b'~' => Punct::Tilde,
            b'!' => Punct::Bang,
            b'?' => Punct::Question,
            _ => return None,
        })
    })
}

/// Appends the spelling of the token to `out`.
pub(super) fn spell(kind: Kind, symbols: &Symbols, out: &mut String) {
    match kind {
        Kind::Name(s) | Kind::Number(s) | Kind::Str(s) | Kind::Char(s) | Kind::Unclosed(s) => {
            out.push_str(symbols.text(s));
        }
        Kind::Punct(punct) => out.push_str(punct.text()),
        Kind::Hash => out.push('#'),
        Kind::HashHash => out.push_str("##"),
        Kind::Other(c) => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens as `spelling@start-end:line`, `^` before the first of a line and `_` before one after a blank.
    fn lex(source: &str) -> String {
        let mut symbols = Symbols::new();
        let mut lexer = Lexer::new(FileId(0), Rc::new(CleanText::new(source)));
        let mut out = Vec::new();
        while let Some(token) = lexer.next(&mut symbols) {
            let mut text = String::from(if token.first { "^" } else { "" });
            text.push_str(if token.space { "_" } else { "" });
            spell(token.kind, &symbols, &mut text);
            out.push(format!("{text}@{}-{}:{}", token.span.start, token.span.end, token.line));
        }
        out.join(" ")
    }

    #[test]
    fn places_and_lines() {
        assert_eq!(lex("a b\n c"), "^a@0-1:1 _b@2-3:1 ^_c@5-6:2");
        assert_eq!(lex("a/* \n */b // x\nc"), "^a@0-1:1 _b@8-9:2 ^_c@15-16:3");
        assert_eq!(lex("a\r\nb\r\n"), "^a@0-1:1 ^_b@3-4:2");
    }

    #[test]
    fn joined_lines_keep_their_places() {
        assert_eq!(lex("a\\\nb c \\\n d"), "^ab@0-4:1 _c@5-6:2 _d@10-11:3");
        assert_eq!(lex("x\\\n=y\n"), "^x@0-1:1 =@3-4:2 y@4-5:2");
        assert_eq!(lex("a//b\\\nc\nd"), "^a@0-1:1 ^_d@8-9:3");
    }

    #[test]
    fn numbers_stop_at_dots() {
        assert_eq!(lex("0..N"), "^0@0-1:1 ..@1-3:1 N@3-4:1");
        assert_eq!(lex("0x1f+1"), "^0x1f@0-4:1 +@4-5:1 1@5-6:1");
    }

    #[test]
    fn operators_are_cut_as_long_as_possible() {
        for &(punct, text) in Punct::ALL {
            assert_eq!(cut(text, 0, &mut Symbols::new()), (Kind::Punct(punct), text.len()), "{text}");
        }
        assert_eq!(lex("!!!-->"), "^!!@0-2:1 !@2-3:1 ->@3-6:1");
    }

    #[test]
    fn quotes() {
        assert_eq!(lex(r#""a\"b/*"'\''x"#), r#"^"a\"b/*"@0-8:1 '\''@8-12:1 x@12-13:1"#);
        assert_eq!(lex("don't x\ny"), "^don@0-3:1 't x@3-7:1 ^_y@8-9:2");
        assert_eq!(lex("\"abc\\"), "^\"abc\\@0-5:1");
        assert_eq!(lex("\"é"), "^\"é@0-3:1");
    }

    #[test]
    fn an_open_comment_is_kept() {
        let mut lexer = Lexer::new(FileId(0), Rc::new(CleanText::new("a\\\n /* /* b\n")));
        let mut symbols = Symbols::new();
        while lexer.next(&mut symbols).is_some() {}
        let comment = lexer.unclosed_comment().expect("the comment is open");
        assert_eq!((comment.start, comment.end), (4, 6));
        assert!(Lexer::new(FileId(0), Rc::new(CleanText::new("/*/"))).next(&mut symbols).is_none());
    }
}
