//! The tokens of a HOA file.

use crate::text::ReadError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A name with a colon: `States:`.
    Header(&'a str),
    Name(&'a str),
    /// `@name`
    Alias(&'a str),
    /// A string without its quotes and escapes.
    Text(String),
    Number(usize),
    /// `--BODY--`, `--END--`, `--ABORT--`
    Marker(&'a str),
    Symbol(char),
}

#[derive(Clone, Debug)]
pub struct Token<'a> {
    pub kind: Kind<'a>,
    pub line: usize,
}

impl Token<'_> {
    pub fn unexpected(&self, expected: &str) -> ReadError {
        let found = match &self.kind {
            Kind::Header(name) => format!("`{name}:`"),
            Kind::Name(text) | Kind::Marker(text) => format!("`{text}`"),
            Kind::Alias(name) => format!("`@{name}`"),
            Kind::Text(text) => format!("the string \"{text}\""),
            Kind::Number(number) => format!("the number {number}"),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
        };
        ReadError { line: self.line, message: format!("expected {expected}, found {found}") }
    }
}

/// The tokens of a text, read one by one.
pub struct Scanner<'a> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token<'a>>>,
    /// The line of the last token.
    last_line: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Result<Self, ReadError> {
        let mut tokens = Vec::new();
        let (mut at, mut line) = (0, 1);
        while let Some(first) = text[at..].chars().next() {
            let length = if first.is_whitespace() {
                first.len_utf8()
            } else if text[at..].starts_with("/*") {
                comment(&text[at..]).ok_or_else(|| open(line, "a comment"))?
            } else {
                let (kind, length) = token(&text[at..], line)?;
                tokens.push(Token { kind, line });
                length
            };
            line += text[at..at + length].matches('\n').count();
            at += length;
        }
        let last_line = tokens.last().map_or(1, |token| token.line);
        Ok(Scanner { tokens: tokens.into_iter().peekable(), last_line })
    }

    pub fn peek(&mut self) -> Option<&Token<'a>> {
        self.tokens.peek()
    }

    /// The line of the next token.
    pub fn line(&mut self) -> usize {
        let last = self.last_line;
        self.tokens.peek().map_or(last, |token| token.line)
    }

    pub fn next(&mut self, expected: &str) -> Result<Token<'a>, ReadError> {
        let end =
            ReadError { line: self.last_line, message: format!("expected {expected}, found the end of the file") };
        self.tokens.next().ok_or(end)
    }

    pub fn take_if(&mut self, is_wanted: impl Fn(&Kind) -> bool) -> Option<Token<'a>> {
        self.tokens.next_if(|token| is_wanted(&token.kind))
    }

    pub fn expect(&mut self, symbol: char) -> Result<(), ReadError> {
        let expected = format!("`{symbol}`");
        let token = self.next(&expected)?;
        if token.kind == Kind::Symbol(symbol) { Ok(()) } else { Err(token.unexpected(&expected)) }
    }

    pub fn number(&mut self, expected: &str) -> Result<usize, ReadError> {
        let token = self.next(expected)?;
        if let Kind::Number(number) = token.kind { Ok(number) } else { Err(token.unexpected(expected)) }
    }
}

fn open(line: usize, what: &str) -> ReadError {
    ReadError { line, message: format!("{what} that begins here is not closed") }
}

/// The length of a comment; comments nest.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

/// The token at the beginning of a text and its length.
fn token(text: &str, line: usize) -> Result<(Kind<'_>, usize), ReadError> {
    let first = text.chars().next().expect("the text is not empty");
    if let Some(marker) = ["--BODY--", "--END--", "--ABORT--"].into_iter().find(|marker| text.starts_with(marker)) {
        return Ok((Kind::Marker(marker), marker.len()));
    }
    if first == '"' {
        return string(text).ok_or_else(|| open(line, "a string"));
    }
    if first.is_ascii_digit() {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number = text[..digits].parse();
        let number = number.map_err(|_| ReadError { line, message: format!("{} is too large", &text[..digits]) })?;
        return Ok((Kind::Number(number), digits));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = |text: &'_ str| text.find(|c| !is_part(c)).unwrap_or(text.len());
    if first == '@' {
        let length = 1 + name(&text[1..]);
        return Ok((Kind::Alias(&text[1..length]), length));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = name(text);
        let is_header = text[length..].starts_with(':');
        let kind = if is_header { Kind::Header(&text[..length]) } else { Kind::Name(&text[..length]) };
        return Ok((kind, length + usize::from(is_header)));
    }
    Ok((Kind::Symbol(first), first.len_utf8()))
}

fn string(text: &str) -> Option<(Kind<'_>, usize)> {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1);
    loop {
        match characters.next()? {
            (at, '"') => return Some((Kind::Text(content), at + 1)),
            (_, '\\') => content.push(characters.next()?.1),
            (_, c) => content.push(c),
        }
    }
}
