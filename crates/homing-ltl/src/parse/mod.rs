//! Reads formulas that stand outside of a model.
//!
//! The syntax is that of SPIN's inline `ltl` blocks, from the operators that bind least to those that bind most: `->`
//! and `<->`; `||`; `&&`; `U`, `W` and `V`; then the operators of expressions as in Promela; `[]`, `<>`, `X` and `!`.
//! All operators of two operands are left-associative. The words `always`, `eventually`, `until`, `weakuntil`,
//! `release`, `next`, `implies` and `equivalent` are operators too, as well as `G`, `F`, `R`, `&` and `|`.
//!
//! A proposition is a name or an expression over names, kept as text: `x == 1`, `P@l`, `a[2].b > 3`, `len(q) > 0`. It
//! may contain a Boolean operator only below a comparison or arithmetic operator: elsewhere that is an operator of the
//! formula.

mod token;
mod yard;

use std::ops::Range;

use crate::formula::Formula;
use crate::letters::Letters;
use yard::{Precedence, Yard};

/// A formula that was read, with the texts of its propositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The formula; proposition i is `names[i]`.
    pub formula: Formula,
    /// The texts of the propositions in the order of their first occurrence.
    pub names: Vec<String>,
    /// The formula as `spin -f` reads the text, if it accepts the text and reads another formula: there the operators
    /// `||`, `&&`, `->` and `<->` have the same precedence.
    pub spin_reading: Option<Formula>,
}

/// Why a text is not a formula, with the bytes of the text that are wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// A character that no token begins with.
    #[error("`{found}` is not part of any operator or name")]
    Character {
        /// The character.
        found: char,
        /// Where it is.
        span: Range<usize>,
    },
    /// A token in a place where it cannot be.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What can be there.
        expected: &'static str,
        /// What is there.
        found: String,
        /// Where it is.
        span: Range<usize>,
    },
    /// A temporal operator below a comparison or an arithmetic operator.
    #[error("the temporal operator `{operator}` is an operand of `{parent}`, which is an operator of expressions")]
    TemporalOperand {
        /// The temporal operator.
        operator: String,
        /// The operator that it is an operand of.
        parent: String,
        /// Where the temporal operator is.
        span: Range<usize>,
    },
    /// A number in the place of a formula.
    #[error("the number {found} is not a formula")]
    Number {
        /// The number.
        found: String,
        /// Where it is.
        span: Range<usize>,
    },
    /// More propositions than a letter has bits.
    #[error("the formula has more than {} propositions", Letters::MOST_PROPOSITIONS)]
    TooManyPropositions {
        /// Where the first is that does not fit.
        span: Range<usize>,
    },
    /// More tokens than [`MOST_TOKENS`].
    #[error("the formula has more than {MOST_TOKENS} operators and operands")]
    TooLong {
        /// Where the first token is that does not fit.
        span: Range<usize>,
    },
}

/// The largest number of tokens of a formula.
pub const MOST_TOKENS: usize = 10_000;

impl ParseError {
    /// What the author of the text can do, if that is not obvious.
    pub fn help(&self) -> Option<String> {
        match self {
            ParseError::TemporalOperand { operator, .. } => Some(format!(
                "temporal operators bind more tightly than comparisons: put the expression into parentheses, as in \
                 `{operator} (x == 1)`"
            )),
            ParseError::Number { .. } => Some("compare it with something, or write true or false".to_owned()),
            ParseError::TooManyPropositions { .. } | ParseError::TooLong { .. } => {
                Some("split the formula into several".to_owned())
            }
            ParseError::Character { .. } | ParseError::Unexpected { .. } => None,
        }
    }

    /// The bytes of the text that are wrong; empty at the end of the text.
    pub fn span(&self) -> Range<usize> {
        match self {
            ParseError::Character { span, .. }
            | ParseError::Unexpected { span, .. }
            | ParseError::TemporalOperand { span, .. }
            | ParseError::Number { span, .. }
            | ParseError::TooManyPropositions { span }
            | ParseError::TooLong { span } => span.clone(),
        }
    }
}

/// Reads a formula.
pub fn parse(text: &str) -> Result<Parsed, ParseError> {
    let mut names = Vec::new();
    let parsed = parse_with(text, &mut names)?;
    Ok(Parsed { formula: parsed.0, names, spin_reading: parsed.1 })
}

/// Reads a formula whose propositions are numbered by `names`; new ones are appended. So several formulas can have the
/// same propositions. The second result is that of [`Parsed::spin_reading`].
pub fn parse_with(text: &str, names: &mut Vec<String>) -> Result<(Formula, Option<Formula>), ParseError> {
    let tokens = token::tokens(text)?;
    if let Some(token) = tokens.get(MOST_TOKENS) {
        return Err(ParseError::TooLong { span: token.span.clone() });
    }
    let formula = Yard::new(text, &tokens, Precedence::Inline).read()?.numbered(names)?;
    let other = if token::are_known_to_spin(&tokens, text) {
        let reading = Yard::new(text, &tokens, Precedence::CommandLine).read();
        reading.and_then(|reading| reading.numbered(names)).ok().filter(|other| *other != formula)
    } else {
        None
    };
    Ok((formula, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn shown(text: &str) -> String {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        parsed.formula.display(&parsed.names).to_string()
    }

    #[test]
    fn precedence_is_that_of_inline_blocks() {
        for (text, expected) in [
            ("a->b->c", "a -> b -> c"),
            ("a -> (b -> c)", "a -> (b -> c)"),
            ("a || b && c", "a || b && c"),
            ("(a || b) && c", "(a || b) && c"),
            ("a U b W c V d", "a U b W c V d"),
            ("a U (b U c)", "a U (b U c)"),
            ("[]<>p && X!q", "[] <> p && X !q"),
            ("!a U b", "!a U b"),
            ("!(a U b)", "!(a U b)"),
            ("always (a implies eventually b)", "[] (a -> <> b)"),
            ("next a until b weakuntil c release d equivalent e", "X a U b W c V d <-> e"),
            ("G(a & b | F c) R d", "[] (a && b || <> c) V d"),
            ("(((p)))", "p"),
            ("1 U 0 || skip", "true U false || true"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn propositions_are_expressions() {
        for (text, names) in [
            ("[](x==1)", vec!["x == 1"]),
            ("<>( P@l )", vec!["P@l"]),
            ("a[2].b > 3 U a[ 2 ].b>3", vec!["a[2].b > 3"]),
            ("len(q) > 0 && q?[m,1]", vec!["len(q) > 0", "q?[m, 1]"]),
            ("[] ((x + 1) * 2 == -y)", vec!["(x + 1) * 2 == -y"]),
            ("x == 1 && y < 2 || !z", vec!["x == 1", "y < 2", "z"]),
            ("(x & 4) != 0", vec!["(x & 4) != 0"]),
            ("!x == 1", vec!["!x == 1"]),
            ("P[1]:x > ~2", vec!["P[1]:x > ~2"]),
            ("nempty(a[i])", vec!["nempty(a[i])"]),
        ] {
            assert_eq!(parse(text).map(|parsed| parsed.names).as_deref(), Ok(&strings(&names)[..]), "{text}");
        }
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn errors_have_a_place() {
        for (text, span, words) in [
            ("[] i == 2", 0..2, "temporal operator `[]` is an operand of `==`"),
            ("a U b == 2 + <> c", 13..15, "is an operand of `+`"),
            ("(a U b) > 1", 3..4, "`U` is an operand of `>`"),
            ("p &&", 4..4, "expected an operand, found the end"),
            ("p q", 2..3, "expected an operator, found `q`"),
            ("(p", 2..2, "expected `)`"),
            ("p)", 1..2, "expected an operator, found `)`"),
            ("p $ q", 2..3, "`$` is not part of"),
            ("p && 3", 5..6, "the number 3 is not a formula"),
            ("", 0..0, "expected an operand"),
            ("a[[] p]", 2..4, "without temporal operators"),
            ("q?m", 2..3, "may ask for a message"),
            ("a.", 2..2, "expected a name"),
            ("a[1", 3..3, "closing bracket"),
            ("p U U", 4..5, "expected an operand"),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.span(), span, "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn too_large_formulas() {
        let many: Vec<String> = (0..65).map(|index| format!("p{index}")).collect();
        assert!(matches!(parse(&many.join(" && ")), Err(ParseError::TooManyPropositions { .. })));
        assert!(parse(&many[..64].join(" && ")).is_ok());
        let deep = format!("{}p{}", "(".repeat(4_000), ")".repeat(4_000));
        assert_eq!(shown(&deep), "p");
        let deeper = format!("{}p{}", "(".repeat(6_000), ")".repeat(6_000));
        assert!(matches!(parse(&deeper), Err(ParseError::TooLong { .. })));
    }

    #[test]
    fn what_spin_reads_otherwise() {
        for (text, expected) in [
            ("a || b && c", Some("(a || b) && c")),
            ("p -> q || r", Some("(p -> q) || r")),
            ("a && b || c", None),
            ("a U b && c", None),
            ("a || b && X c", None),
            ("a || b W c && d", None),
            ("(x == 1) || b && c", Some("(x == 1 || b) && c")),
            ("x == 1 || b && c", None),
            ("a || B && c", None),
        ] {
            let parsed = parse(text).expect(text);
            let reading = parsed.spin_reading.map(|formula| formula.display(&parsed.names).to_string());
            assert_eq!(reading.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let mut rng = fastrand::Rng::with_seed(7);
        let names = ["p", "x == 1", "P@l", "a[i + 1].b > 3 - 4"];
        for _ in 0..5000 {
            let size = rng.usize(1..25);
            let formula = random::formula(&mut rng, size, 4);
            let text = formula.display(&names).to_string();
            let mut known: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(parse_with(&text, &mut known).map(|(formula, _)| formula), Ok(formula), "{text}");
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic() {
        let mut rng = fastrand::Rng::with_seed(8);
        let parts = ["p", "(", ")", "[", "]", "[]", "<>", "U", "X", "!", "==", "-", ".", "@", "?", "1", " ", "&&", "é"];
        for _ in 0..50_000 {
            let text: String = (0..rng.usize(..12)).map(|_| parts[rng.usize(..parts.len())]).collect();
            if let Err(error) = parse(&text) {
                assert!(text.get(error.span()).is_some(), "{text}: {error}");
            }
        }
    }
}
