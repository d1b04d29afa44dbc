//! Substitution of arguments in the body of a macro: parameters, `#` and `##` (C99 §6.10.3.1 to §6.10.3.3).

use super::Preprocessor;
use super::expand::{Argument, TokenList};
use super::lexer::{Kind, PpToken, cut, spell};
use super::macros::{Item, Macro, What};
use super::symbol::Symbols;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::Punct;

/// The tokens produced so far.
struct Output {
    tokens: Vec<PpToken>,
    /// The index of the first token of the left side of a `##` that may follow.
    operand: usize,
    /// Whether a blank was before something that is empty.
    space: bool,
}

impl Preprocessor<'_> {
    /// The tokens that replace a call of `called`. `span` is that of the call, with the expansion it makes.
    pub(super) fn substitute(&mut self, called: &Macro, arguments: &mut [Argument], span: Span) -> TokenList {
        for item in &called.body {
            if let What::Param(number) = item.what
                && !is_operand(item)
                && arguments[number].expanded.is_none()
            {
                let tokens = arguments[number].tokens.clone();
                arguments[number].expanded = Some(self.expand_argument(tokens));
            }
        }
        let mut output = Output { tokens: Vec::with_capacity(called.body.len()), operand: 0, space: false };
        let token = |kind| PpToken { kind, span, line: 0, space: false, first: false, painted: false };
        for (index, item) in called.body.iter().enumerate() {
            if !item.pasted {
                output.operand = output.tokens.len();
            }
            match item.what {
                What::Token(kind) => self.append(&mut output, item, &[token(kind)]),
                What::Stringify(number) => {
                    let string = stringify(&arguments[number].tokens, &self.symbols);
                    if !self.charge_text(string.len()) {
                        return TokenList::default();
                    }
                    let kind = Kind::Str(self.symbols.intern(&string));
                    self.append(&mut output, item, &[token(kind)]);
                }
                What::Param(number) => {
                    let argument = &arguments[number];
                    if follows_comma(called, index) && called.takes_the_rest(number) {
                        // GNU's `, ## __VA_ARGS__`: without arguments there is no comma, and nothing is joined
                        if argument.absent {
                            output.tokens.pop();
                        }
                        output.operand = output.tokens.len();
                    }
                    match argument.expanded.as_ref().filter(|_| !is_operand(item)) {
                        Some(expanded) => {
                            self.append(&mut output, item, &expanded.tokens);
                            output.space |= expanded.trailing_space;
                        }
                        None => self.append(&mut output, item, &argument.tokens),
                    }
                }
            }
            if self.is_stopped() {
                return TokenList::default();
            }
        }
        TokenList { tokens: output.tokens, trailing_space: output.space }
    }

    /// Appends the tokens of an item of the body, and joins the first to the last one if there is a `##` between them.
    fn append(&mut self, output: &mut Output, item: &Item, tokens: &[PpToken]) {
        if !self.charge(tokens.len()) {
            return;
        }
        let Some((&first, rest)) = tokens.split_first() else {
            output.space |= item.space;
            return;
        };
        match output.tokens.last() {
            Some(&left) if item.pasted && output.tokens.len() > output.operand => {
                output.tokens.pop();
                self.paste(left, first, &mut output.tokens);
            }
            _ => {
                let space = first.space | item.space | std::mem::take(&mut output.space);
                output.tokens.push(PpToken { space, ..first });
            }
        }
        output.tokens.extend_from_slice(rest);
    }

    /// Joins two tokens into one.
    fn paste(&mut self, left: PpToken, right: PpToken, tokens: &mut Vec<PpToken>) {
        let mut text = String::new();
        spell(left.kind, &self.symbols, &mut text);
        let middle = text.len();
        spell(right.kind, &self.symbols, &mut text);
        if !self.charge_text(text.len()) {
            return;
        }
        let (kind, end) = cut(&text, 0, &mut self.symbols);
        if end == text.len() {
            tokens.push(PpToken { kind, painted: false, ..left });
            return;
        }
        let (left_text, right_text) = text.split_at(middle);
        self.report(
            Diagnostic::error(left.span, format!("`##` cannot join `{left_text}` and `{right_text}` into one token"))
                .label("in this macro call"),
        );
        tokens.extend([left, right]);
    }
}

impl Macro {
    /// Whether the parameter is `...`.
    fn takes_the_rest(&self, number: usize) -> bool {
        matches!(&self.form, super::macros::Form::Function { params, variadic: true } if number + 1 == params.len())
    }
}

/// Whether the item is an operand of `##`, which takes an argument as it is written.
fn is_operand(item: &Item) -> bool {
    item.pasted || item.pastes_next
}

fn follows_comma(called: &Macro, index: usize) -> bool {
    called.body[index].pasted && called.body[index - 1].what == What::Token(Kind::Punct(Punct::Comma))
}

/// The argument as a string: blanks between tokens become one, and characters that would end the string are escaped.
fn stringify(tokens: &[PpToken], symbols: &Symbols) -> String {
    let mut string = String::from("\"");
    let mut spelling = String::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.space && index > 0 {
            string.push(' ');
        }
        spelling.clear();
        spell(token.kind, symbols, &mut spelling);
        let is_quoted = matches!(token.kind, Kind::Str(_) | Kind::Char(_) | Kind::Unclosed(_));
        for c in spelling.chars() {
            if is_quoted && matches!(c, '"' | '\\') {
                string.push('\\');
            }
            string.push(c);
        }
    }
    let trailing = string.bytes().rev().take_while(|&byte| byte == b'\\').count();
    if trailing % 2 == 1 {
        string.pop(); // it would escape the closing quote; gcc drops it too
    }
    string.push('"');
    string
}
