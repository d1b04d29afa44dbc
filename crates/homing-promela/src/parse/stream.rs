//! The tokens as the grammar sees them: inlines replaced, semicolons added where SPIN adds them.
//!
//! SPIN's lexer makes a semicolon of a line end that follows certain tokens inside a body, adds one after `else` and
//! `}` if there is none, and drops one before `}`, `->` and `;`. Models rely on all of that.

use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};

/// The token at the front of the stream.
#[derive(Clone, Debug)]
pub struct Lookahead {
    pub kind: TokenKind,
    pub span: Span,
}

/// Tokens being read: those of the model, or of an inline's body inside it.
struct Input {
    tokens: Vec<Token>,
    next: usize,
    /// The number of the inline, if these are the tokens of one.
    inline: Option<usize>,
}

pub struct TokenStream {
    inputs: Vec<Input>,
    ahead: Option<Lookahead>,
    /// The token after a semicolon that was added or kept.
    held: Option<Lookahead>,
    /// The last token returned, for the rules about `else` and `}`; `None` after an added semicolon.
    last: Option<TokenKind>,
    /// The last token of the text, for the rule about line ends.
    last_lexed: Option<TokenKind>,
    /// Whether the parser is inside a body, where line ends can be semicolons.
    pub in_sequence: bool,
    /// The number of open parentheses; between them line ends are no semicolons.
    pub parentheses: u32,
    /// The span of the last token returned.
    pub last_span: Span,
}

impl TokenStream {
    pub fn new(tokens: Vec<Token>) -> Self {
        let last_span = tokens[0].span;
        TokenStream {
            inputs: vec![Input { tokens, next: 0, inline: None }],
            ahead: None,
            held: None,
            last: None,
            last_lexed: None,
            in_sequence: false,
            parentheses: 0,
            last_span,
        }
    }

    pub fn peek(&mut self) -> &Lookahead {
        if self.ahead.is_none() {
            let next = self.scan();
            self.ahead = Some(next);
        }
        self.ahead.as_ref().expect("just filled")
    }

    pub fn next(&mut self) -> Lookahead {
        self.peek();
        let token = self.ahead.take().expect("peeked");
        self.last_span = token.span;
        token
    }

    /// The `n`-th token of the text after the one at the front, without added semicolons.
    pub fn peek_after(&mut self, n: usize) -> TokenKind {
        self.peek();
        let mut skip = n;
        if let Some(held) = &self.held {
            if skip == 0 {
                return held.kind.clone();
            }
            skip -= 1;
        }
        for input in self.inputs.iter().rev() {
            let rest = input.tokens.len() - input.next;
            if skip < rest {
                return input.tokens[input.next + skip].kind.clone();
            }
            skip -= rest;
        }
        TokenKind::End
    }

    /// The inlines whose tokens are being read, the innermost last.
    pub fn open_inlines(&self) -> impl Iterator<Item = usize> {
        self.inputs.iter().filter_map(|input| input.inline)
    }

    pub fn in_inline(&self) -> bool {
        self.inputs.iter().any(|input| input.inline.is_some() && input.next < input.tokens.len())
    }

    /// Stops reading: the next token is the end.
    pub fn end(&mut self) {
        self.inputs.truncate(1);
        let input = &mut self.inputs[0];
        input.next = input.tokens.len() - 1;
        self.held = None;
        self.ahead = None;
    }

    /// Reads `tokens`, the body of an inline, before the rest. No token may have been peeked at.
    pub fn push_inline(&mut self, inline: usize, tokens: Vec<Token>) {
        assert!(self.ahead.is_none() && self.held.is_none(), "a token was read too early");
        self.inputs.push(Input { tokens, next: 0, inline: Some(inline) });
        self.last = Some(TokenKind::Punct(Punct::Semicolon));
        self.last_lexed = self.last.clone();
    }

    /// Takes the tokens from the brace at the front to the one that closes it, as they are in the text. `None` if there
    /// is no brace, or if it is never closed.
    pub fn take_braces(&mut self) -> Option<Vec<Token>> {
        assert!(self.ahead.is_none() && self.held.is_none(), "a token was read too early");
        let input = self.inputs.last_mut()?;
        let mut depth = 0usize;
        for at in input.next..input.tokens.len() {
            match input.tokens[at].kind {
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                _ => return None,
            }
            if depth == 0 {
                let taken = input.tokens[input.next..=at].to_vec();
                input.next = at + 1;
                return Some(taken);
            }
        }
        None
    }

    /// Takes the tokens up to the `)` of an argument list whose `(` was just read, split at its commas.
    pub fn take_arguments(&mut self) -> Option<Vec<Vec<Token>>> {
        assert!(self.ahead.is_none() && self.held.is_none(), "a token was read too early");
        let input = self.inputs.last_mut()?;
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        for at in input.next..input.tokens.len() {
            let token = &input.tokens[at];
            match token.kind {
                TokenKind::Punct(Punct::OpenParen | Punct::OpenBracket | Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseParen) if depth == 0 => {
                    self.last_span = token.span;
                    input.next = at + 1;
                    if args.len() == 1 && args[0].is_empty() {
                        args.clear();
                    }
                    return Some(args);
                }
                TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket | Punct::CloseBrace) => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::Punct(Punct::Comma) if depth == 0 => {
                    args.push(Vec::new());
                    continue;
                }
                TokenKind::End => return None,
                _ => {}
            }
            args.last_mut().expect("never empty").push(token.clone());
        }
        None
    }

    /// The next token for the grammar, with the corrections of SPIN's `yylex`.
    fn scan(&mut self) -> Lookahead {
        let token = if let Some(held) = self.held.take() {
            self.last_lexed = Some(held.kind.clone());
            held
        } else {
            let token = self.lex();
            if self.needs_semicolon_before(&token.kind) {
                let semicolon = Lookahead { kind: TokenKind::Punct(Punct::Semicolon), span: token.span };
                self.held = Some(token);
                self.last = None;
                self.last_lexed = Some(semicolon.kind.clone());
                return semicolon;
            }
            if is_separator(&token.kind) {
                let behind = self.lex();
                if is_separator(&behind.kind) || behind.kind == TokenKind::Punct(Punct::CloseBrace) {
                    behind
                } else {
                    self.held = Some(behind);
                    token
                }
            } else {
                token
            }
        };
        self.last = Some(token.kind.clone());
        token
    }

    fn needs_semicolon_before(&self, next: &TokenKind) -> bool {
        match &self.last {
            Some(TokenKind::Name(name)) if **name == *"else" => !is_separator(next) && !is_word(next, &["fi"]),
            Some(TokenKind::Punct(Punct::CloseBrace)) => {
                !is_separator(next)
                    && !is_word(next, &["proctype", "init", "never", "fi", "od", "unless"])
                    && !matches!(next, TokenKind::Punct(Punct::ColonColon | Punct::CloseBrace) | TokenKind::End)
            }
            _ => false,
        }
    }

    /// The next token of the text, or a semicolon for a line end before it.
    fn lex(&mut self) -> Lookahead {
        while self.inputs.len() > 1 && self.inputs.last().is_some_and(|input| input.next >= input.tokens.len()) {
            self.inputs.pop();
        }
        let line_end_counts =
            self.in_sequence && self.parentheses == 0 && self.last_lexed.as_ref().is_some_and(ends_statement);
        let after_brace = self.last_lexed == Some(TokenKind::Punct(Punct::CloseBrace));
        let input = self.inputs.last_mut().expect("the model's text stays");
        let at = input.next.min(input.tokens.len() - 1);
        let token = &mut input.tokens[at];
        if token.newline_before {
            token.newline_before = false;
            // SPIN looks at one letter: every word that begins with a `u` may be an `unless`
            let may_be_unless = after_brace && matches!(&token.kind, TokenKind::Name(name) if name.starts_with('u'));
            if line_end_counts && !may_be_unless {
                self.last_lexed = Some(TokenKind::Punct(Punct::Semicolon));
                return Lookahead { kind: TokenKind::Punct(Punct::Semicolon), span: self.last_span };
            }
        }
        let token = Lookahead { kind: token.kind.clone(), span: token.span };
        input.next = at + 1;
        self.last_lexed = Some(token.kind.clone());
        token
    }
}

fn is_separator(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Punct(Punct::Semicolon | Punct::Arrow))
}

fn is_word(kind: &TokenKind, words: &[&str]) -> bool {
    matches!(kind, TokenKind::Name(name) if words.contains(&&**name))
}

/// Whether a line end after this token is a semicolon. After a keyword it is not, unless the keyword ends a statement;
/// nor after names of process types, inlines and user types, but no statement ends with one.
fn ends_statement(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Name(name) => {
            matches!(&**name, "od" | "fi" | "else" | "break" | "true" | "false" | "skip" | "timeout" | "c_code")
                || !super::keyword::is_keyword(name)
        }
        TokenKind::Number(_) | TokenKind::Char(_) => true,
        TokenKind::Punct(punct) => matches!(
            punct,
            Punct::CloseBrace | Punct::CloseParen | Punct::CloseBracket | Punct::PlusPlus | Punct::MinusMinus
        ),
        TokenKind::Str(_) | TokenKind::Stray(_) | TokenKind::Misquoted(_) | TokenKind::End => false,
    }
}
