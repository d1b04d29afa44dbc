//! The expressions of `#if` and `#elif`: C's integer expressions over 64 bits, signed unless a `u` makes them unsigned
//! (C99 §6.10.1). Names are 0; macros and `defined` have been replaced before.

use super::lexer::{Kind, PpToken, spell};
use super::symbol::Symbols;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::Punct;

/// The greatest nesting depth of parentheses and other operators with one operand.
const MOST_NESTED: usize = 100;

/// Whether the expression is not 0. `directive` is the place of the error if it ends too early.
pub(super) fn evaluate(expression: &[PpToken], directive: Span, symbols: &Symbols) -> Result<bool, Diagnostic> {
    let mut parser = Parser { tokens: expression, at: 0, depth: 0, end: directive, symbols };
    let value = parser.comma(true)?;
    match parser.peek() {
        None => Ok(value.bits != 0),
        Some(token) if token.is(Punct::CloseParen) => Err(Diagnostic::error(token.span, "this `)` closes nothing")),
        Some(_) => Err(parser.unexpected("an operator")),
    }
}

#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Self {
        Value { bits: bits as u64, unsigned: false }
    }

    fn truth(holds: bool) -> Self {
        Value::signed(i64::from(holds))
    }
}

type Evaluated = Result<Value, Diagnostic>;

/// Parses and evaluates at once. Where the value is not needed, because `&&`, `||` or `?` decide without it, `live` is
/// false and a division by zero is no error.
struct Parser<'a> {
    tokens: &'a [PpToken],
    at: usize,
    depth: usize,
    end: Span,
    symbols: &'a Symbols,
}

impl Parser<'_> {
    fn peek(&self) -> Option<PpToken> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.at += usize::from(found);
        found
    }

    fn comma(&mut self, live: bool) -> Evaluated {
        let mut value = self.ternary(live)?;
        while self.eat(Punct::Comma) {
            value = self.ternary(live)?;
        }
        Ok(value)
    }

    fn ternary(&mut self, live: bool) -> Evaluated {
        let condition = self.binary(1, live)?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        let holds = condition.bits != 0;
        let yes = self.nested(|this| this.comma(live && holds))?;
        if !self.eat(Punct::Colon) {
            return Err(self.unexpected("the `:` of a `?`"));
        }
        let no = self.nested(|this| this.ternary(live && !holds))?;
        let chosen = if holds { yes } else { no };
        Ok(Value { unsigned: yes.unsigned || no.unsigned, ..chosen })
    }

    /// Operators that bind at least as tight as `least`, by precedence climbing.
    fn binary(&mut self, least: u8, live: bool) -> Evaluated {
        let mut left = self.unary(live)?;
        while let Some(token) = self.peek() {
            let Kind::Punct(operator) = token.kind else { break };
            let Some(binds) = precedence(operator).filter(|&binds| binds >= least) else { break };
            self.at += 1;
            let holds = left.bits != 0;
            left = match operator {
                Punct::AndAnd => Value::truth((self.binary(binds + 1, live && holds)?.bits != 0) && holds),
                Punct::OrOr => Value::truth((self.binary(binds + 1, live && !holds)?.bits != 0) || holds),
                _ => {
                    let right = self.binary(binds + 1, live)?;
                    let value = apply(operator, left, right);
                    if value.is_none() && live {
                        return Err(Diagnostic::error(token.span, "division by zero in a condition"));
                    }
                    value.unwrap_or(Value::signed(0))
                }
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Evaluated {
        let Some(token) = self.peek() else { return Err(self.unexpected("a value")) };
        self.at += 1;
        let symbols = self.symbols;
        match token.kind {
            Kind::Punct(operator @ (Punct::Minus | Punct::Plus | Punct::Tilde | Punct::Bang | Punct::BangBang)) => {
                let value = self.nested(|this| this.unary(live))?;
                Ok(match operator {
                    Punct::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                    Punct::Tilde => Value { bits: !value.bits, ..value },
                    Punct::Bang => Value::truth(value.bits == 0),
                    Punct::BangBang => Value::truth(value.bits != 0),
                    _ => value,
                })
            }
            Kind::Punct(Punct::OpenParen) => {
                let value = self.nested(|this| this.comma(live))?;
                if !self.eat(Punct::CloseParen) {
                    return Err(match self.peek() {
                        Some(_) => self.unexpected("an operator or `)`"),
                        None => Diagnostic::error(token.span, "this `(` is not closed"),
                    });
                }
                Ok(value)
            }
            Kind::Number(number) => number_value(symbols.text(number))
                .ok_or_else(|| Diagnostic::error(token.span, "this is not an integer")),
            Kind::Char(constant) => char_value(symbols.text(constant))
                .map(Value::signed)
                .ok_or_else(|| Diagnostic::error(token.span, "this character constant has no value in a condition")),
            Kind::Name(_) => Ok(Value::signed(0)),
            _ => {
                self.at -= 1;
                Err(self.unexpected("a value"))
            }
        }
    }

    /// Parses one level deeper, unless that is too deep for the stack.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Evaluated) -> Evaluated {
        if self.depth == MOST_NESTED {
            let place = self.peek().map_or(self.end, |token| token.span);
            return Err(Diagnostic::error(place, "the condition nests too deep")
                .label(format!("more than {MOST_NESTED} operators inside each other")));
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }

    /// The error for the next token if something else was expected.
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let Some(token) = self.peek() else {
            return Diagnostic::error(self.end, format!("the condition ends where {wanted} should follow"));
        };
        let mut found = String::new();
        spell(token.kind, self.symbols, &mut found);
        let error = Diagnostic::error(token.span, format!("expected {wanted} in the condition, found `{found}`"));
        let before = self.at.checked_sub(1).map(|at| self.tokens[at].kind);
        match (token.kind, before) {
            (Kind::Punct(Punct::Assign), _) => error.help("`==` compares"),
            (Kind::Punct(Punct::OpenParen), Some(Kind::Name(name))) => {
                let name = self.symbols.text(name);
                error.help(format!("`{name}` is not a macro that takes arguments, so it is 0 here"))
            }
            _ => error,
        }
    }
}

fn precedence(operator: Punct) -> Option<u8> {
    Some(match operator {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Or => 3,
        Punct::Caret => 4,
        Punct::And => 5,
        Punct::Equal | Punct::NotEqual => 6,
        Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 7,
        Punct::ShiftLeft | Punct::ShiftRight => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

/// Applies a binary operator; `None` for a division by zero.
fn apply(operator: Punct, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a as i64, b as i64);
    let less = |a: Value, b: Value| if unsigned { a.bits < b.bits } else { (a.bits as i64) < b.bits as i64 };
    let bits = match operator {
        Punct::Equal => return Some(Value::truth(a == b)),
        Punct::NotEqual => return Some(Value::truth(a != b)),
        Punct::Less => return Some(Value::truth(less(left, right))),
        Punct::Greater => return Some(Value::truth(less(right, left))),
        Punct::LessEqual => return Some(Value::truth(!less(right, left))),
        Punct::GreaterEqual => return Some(Value::truth(!less(left, right))),
        Punct::ShiftLeft => return Some(shift(left, right, false)),
        Punct::ShiftRight => return Some(shift(left, right, true)),
        Punct::Slash | Punct::Percent if b == 0 => return None,
        Punct::Slash if unsigned => a / b,
        Punct::Slash => signed_a.wrapping_div(signed_b) as u64,
        Punct::Percent if unsigned => a % b,
        Punct::Percent => signed_a.wrapping_rem(signed_b) as u64,
        Punct::Or => a | b,
        Punct::Caret => a ^ b,
        Punct::And => a & b,
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        _ => a.wrapping_mul(b),
    };
    Some(Value { bits, unsigned })
}

/// Shifts as gcc does: a negative distance shifts the other way, and bits shifted out are lost.
fn shift(value: Value, distance: Value, to_right: bool) -> Value {
    let backwards = !distance.unsigned && (distance.bits as i64) < 0;
    let places = if backwards { distance.bits.wrapping_neg() } else { distance.bits };
    let places = u32::try_from(places).unwrap_or(u32::MAX);
    let bits = match (to_right != backwards, value.unsigned) {
        (false, _) => value.bits.checked_shl(places).unwrap_or(0),
        (true, true) => value.bits.checked_shr(places).unwrap_or(0),
        (true, false) => ((value.bits as i64) >> places.min(63)) as u64,
    };
    Value { bits, ..value }
}

/// A decimal, octal, hexadecimal or binary number with its suffix, modulo 2^64.
fn number_value(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    let length = digits.bytes().take_while(|&byte| char::from(byte).is_digit(radix)).count();
    let (digits, suffix) = digits.split_at(length);
    let unsigned = match suffix {
        "" | "l" | "ll" => false,
        "u" | "ul" | "ull" | "lu" | "llu" => true,
        _ => return None,
    };
    if digits.is_empty() {
        return None;
    }
    let mut bits = 0u64;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(radix)) {
        bits = bits.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
    }
    Some(Value { bits, unsigned: unsigned || bits > i64::MAX as u64 })
}

/// C's value of a character constant; for `'\0'` SPIN's is another.
fn char_value(text: &str) -> Option<i64> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let value = match inside.as_bytes() {
        [b'\\', b'x', digits @ ..] => i64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?,
        [b'\\', digits @ ..] if digits.first()?.is_ascii_digit() => {
            i64::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?
        }
        [b'\\', escaped] => i64::from(match escaped {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            other => *other,
        }),
        [plain] if *plain != b'\\' => i64::from(*plain),
        _ => return None,
    };
    (0..=127).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::lexer::Lexer;
    use super::super::text::CleanText;
    use super::*;
    use crate::source::{ExpansionId, FileId};

    fn value(expression: &str) -> Result<bool, String> {
        let mut symbols = Symbols::new();
        let mut lexer = Lexer::new(FileId(0), Rc::new(CleanText::new(expression)));
        let tokens: Vec<_> = std::iter::from_fn(|| lexer.next_on_line(&mut symbols)).collect();
        let directive = Span { file: FileId(0), start: 0, end: 0, via: ExpansionId::NONE };
        evaluate(&tokens, directive, &symbols).map_err(|error| error.message)
    }

    #[test]
    fn conditions_that_hold() {
        let rows = [
            "1 + 2 * 3 == 7 && 1 - 2 - 3 == -4",
            "10 % 4 == 2 && 7 / 2 == 3 && -7 / 2 == -3",
            "(1 | 2 ^ 3 & 1) == 3",
            "1 << 4 >> 2 == 4 && (1 << 70) == 0 && -1 >> 1 == -1 && (1 << -1) == 0",
            "2 > 1 ? 3 : 0",
            "0 ? 0 : 0 ? 0 : 1",
            "!0 && !!1 && ~0 == -1 && +1 == - -1",
            "NAME == 0",
            "-1 > 0u && -1 < 0",
            "0x1F == 31 && 017 == 15 && 0b11 == 3 && 10ull == 10L",
            "18446744073709551615 > 0",
            "'a' == 97 && '\\n' == 10 && '\\0' == 0 && '\\x41' == 65",
            "1 || 1 / 0",
            "!(0 && 1 / 0)",
            "1 ? 1 : 1 / 0",
            "0, 1",
        ];
        for expression in rows {
            assert_eq!(value(expression), Ok(true), "{expression}");
        }
        assert_eq!(value("0 && 1"), Ok(false));
    }

    #[test]
    fn conditions_that_are_wrong() {
        let rows = [
            ("1 / 0", "division by zero in a condition"),
            ("1 %", "the condition ends where a value should follow"),
            ("1 2", "expected an operator in the condition, found `2`"),
            ("FOO(1)", "expected an operator in the condition, found `(`"),
            ("A = 2", "expected an operator in the condition, found `=`"),
            ("(1", "this `(` is not closed"),
            ("1)", "this `)` closes nothing"),
            ("1 ? 2", "the condition ends where the `:` of a `?` should follow"),
            ("08", "this is not an integer"),
            ("0x", "this is not an integer"),
            ("1.0", "expected an operator in the condition, found `.`"),
            ("\"a\"", "expected a value in the condition, found `\"a\"`"),
        ];
        for (expression, message) in rows {
            assert_eq!(value(expression), Err(message.to_owned()), "{expression}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(value(&nested(MOST_NESTED)), Ok(true));
        let too_deep = Err("the condition nests too deep".to_owned());
        for expression in [nested(MOST_NESTED + 1), "(".repeat(100_000), "!".repeat(100_000), "1?".repeat(100_000)] {
            assert_eq!(value(&expression), too_deep);
        }
        assert_eq!(value(&format!("1{}", "+1".repeat(100_000))), Ok(true));
    }
}
