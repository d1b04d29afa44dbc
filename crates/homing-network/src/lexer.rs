//! Text to tokens. A text is a whole file, or the decoded contents of an element of an `.xml` file.

use std::sync::Arc;

use crate::source::{FileId, Span};
use crate::token::{Punct, Token, TokenKind};

/// A text with the way back to the bytes of its file.
#[derive(Debug)]
pub struct Fragment<'a> {
    pub file: FileId,
    pub text: &'a str,
    /// For each byte of the text, and for its end, the byte of the file; `None` if they are the same.
    pub offsets: Option<&'a [u32]>,
}

impl Fragment<'_> {
    pub fn span(&self, start: usize, end: usize) -> Span {
        let at = |byte: usize| match self.offsets {
            Some(offsets) => offsets.get(byte).or(offsets.last()).copied().unwrap_or(0),
            None => byte as u32,
        };
        Span { file: self.file, start: at(start), end: at(end) }
    }
}

/// What a text is: `x-->y` is an operator in a query, and `x-- > y` in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Model,
    Query,
}

/// All tokens of a text; the last one is [`TokenKind::End`].
pub fn lex(fragment: &Fragment<'_>, language: Language) -> Vec<Token> {
    let mut lexer = Lexer { fragment, language, at: 0, newline: true };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next_token();
        let is_end = token.kind == TokenKind::End;
        tokens.push(token);
        if is_end {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    fragment: &'a Fragment<'a>,
    language: Language,
    at: usize,
    newline: bool,
}

impl Lexer<'_> {
    fn next_token(&mut self) -> Token {
        let open_comment = self.skip_blank();
        let newline_before = std::mem::replace(&mut self.newline, false);
        let start = open_comment.unwrap_or(self.at);
        let kind = if open_comment.is_some() { TokenKind::OpenComment } else { self.kind() };
        // A caret under an open comment marks its opening only.
        let end = if open_comment.is_some() { start + 2 } else { self.at };
        Token { kind, span: self.fragment.span(start, end), newline_before }
    }

    fn rest(&self) -> &str {
        &self.fragment.text[self.at..]
    }

    /// Skips blanks and comments; the start of a comment that is not closed, if there is one.
    fn skip_blank(&mut self) -> Option<usize> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let start = self.at;
                match rest.find("*/") {
                    Some(end) => {
                        self.newline |= rest[..end].contains('\n');
                        self.at += end + 2;
                    }
                    None => {
                        self.at = self.fragment.text.len();
                        return Some(start);
                    }
                }
            } else if first == '\\' && rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
                // The line continues on the next one.
                self.at += rest.find('\n').unwrap_or(0) + 1;
            } else if first.is_whitespace() || first == '\u{feff}' {
                self.newline |= first == '\n';
                self.at += first.len_utf8();
            } else {
                return None;
            }
        }
    }

    fn kind(&mut self) -> TokenKind {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return TokenKind::End };
        if first.is_ascii_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '#';
            let name: Arc<str> = rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].into();
            self.at += name.len();
            return TokenKind::Name(name);
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == '"' {
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            self.at += line[1..].find('"').map_or(line.len(), |end| end + 2);
            return TokenKind::Str;
        }
        let is_here = |(punct, text): &&(Punct, &str)| {
            rest.starts_with(text) && (*punct != Punct::LeadsTo || self.language == Language::Query)
        };
        match Punct::ALL.iter().filter(is_here).max_by_key(|(_, text)| text.len()) {
            Some((punct, text)) => {
                self.at += text.len();
                TokenKind::Punct(*punct)
            }
            None => {
                self.at += first.len_utf8();
                TokenKind::Stray(first)
            }
        }
    }

    fn number(&mut self) -> TokenKind {
        let rest = self.rest();
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let whole = digits(rest);
        let mut end = whole;
        if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            end += 1 + digits(&rest[end + 1..]);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let exponent = rest[end + 1..].strip_prefix(['+', '-']).unwrap_or(&rest[end + 1..]);
            if exponent.starts_with(|c: char| c.is_ascii_digit()) {
                end = rest.len() - exponent.len() + digits(exponent);
            }
        }
        let kind = match rest[..whole].parse() {
            _ if end > whole => TokenKind::Double,
            Ok(value) => TokenKind::Number(value),
            Err(_) => TokenKind::TooLarge,
        };
        self.at += end;
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, language: Language) -> Vec<String> {
        let tokens = lex(&Fragment { file: FileId(0), text, offsets: None }, language);
        tokens.iter().map(|token| token.kind.to_string().replace('`', "")).collect()
    }

    #[test]
    fn the_longest_operator_is_taken() {
        assert_eq!(kinds("a<<=b<?c--", Language::Model), ["a", "<<=", "b", "<?", "c", "--", "the end of the text"]);
        assert_eq!(kinds("p --> q", Language::Query)[1], "-->");
        assert_eq!(kinds("p --> q", Language::Model)[1], "--");
        assert_eq!(kinds("A -u-> B", Language::Model)[1], "-u->");
    }

    #[test]
    fn comments_and_continued_lines_are_blanks() {
        let tokens =
            lex(&Fragment { file: FileId(0), text: "a \\ \n b // c\n/* \n */ d", offsets: None }, Language::Query);
        let newlines: Vec<bool> = tokens.iter().map(|token| token.newline_before).collect();
        assert_eq!(newlines, [true, false, true, false]);
        assert_eq!(kinds("x /* y", Language::Model)[1], "a comment that is not closed");
    }

    #[test]
    fn odd_numbers_are_recognised() {
        let kinds = kinds("1.5 1e3 2. 99999999999 P.1 3", Language::Model);
        let expected =
            ["a number with a fraction", "a number with a fraction", "2", ".", "a number that does not fit 32 bits"];
        assert_eq!(kinds[..5], expected);
        assert_eq!(kinds[5..9], ["P", ".", "1", "3"]);
    }
}
