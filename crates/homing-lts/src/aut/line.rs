//! One line: the header, or a transition.
//!
//! The label of a transition is what stands between the first comma and the last comma before the last number: a label may hold
//! commas, parentheses and quotes. So numbers are read from both ends of the line, and the label is not looked at.

use super::error::Problem;
use super::lines::{is_blank, trimmed};

/// The header of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    pub initial: u64,
    pub transitions: u64,
    pub states: u64,
}

/// A transition.
#[derive(Debug, PartialEq, Eq)]
pub struct Edge<'a> {
    pub source: u64,
    pub label: &'a [u8],
    pub target: u64,
}

/// Reads `des (INITIAL, TRANSITIONS, STATES)`.
pub fn header(line: &[u8]) -> Result<Header, Problem> {
    let wrong = || Problem::Header(shortened(line));
    let inner = line.strip_prefix(b"des").map(trimmed).and_then(parenthesised).ok_or_else(wrong)?;
    if inner.contains(&b'/') {
        return Err(Problem::Probabilistic(shortened(line)));
    }
    let mut numbers = [0; 3];
    let mut parts = inner.split(|&byte| byte == b',');
    for value in &mut numbers {
        *value = number(trimmed(parts.next().ok_or_else(wrong)?)).ok_or_else(wrong)??;
    }
    let [initial, transitions, states] = numbers;
    if parts.next().is_some() { Err(wrong()) } else { Ok(Header { initial, transitions, states }) }
}

/// Reads `(SOURCE, LABEL, TARGET)`.
#[inline]
pub fn edge(line: &[u8]) -> Result<Edge<'_>, Problem> {
    match split(line) {
        Some((source, label, target)) => {
            let number = |digits| number(digits).expect("they are digits");
            Ok(Edge { source: number(source)?, label: unquoted(label)?, target: number(target)? })
        }
        None => Err(explained(line)),
    }
}

/// The digits of the source, the label, and the digits of the target.
#[inline]
fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let inner = parenthesised(line)?;
    let digits = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (source, rest) = inner.split_at(digits);
    let rest = trimmed(rest).strip_prefix(b",")?;
    let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, target) = rest.split_at(rest.len() - digits);
    let label = trimmed(trimmed(rest).strip_suffix(b",")?);
    (!source.is_empty() && !target.is_empty() && !label.is_empty()).then_some((source, label, target))
}

/// What stands between the parentheses, without blanks at both ends.
#[inline]
fn parenthesised(text: &[u8]) -> Option<&[u8]> {
    Some(trimmed(text.strip_prefix(b"(")?.strip_suffix(b")")?))
}

/// The label without its quotes, if it has them.
#[inline]
fn unquoted(label: &[u8]) -> Result<&[u8], Problem> {
    match label {
        [b'"', inner @ .., b'"'] => Ok(inner),
        [b'"', ..] => Err(Problem::Quote(shortened(label))),
        _ => Ok(label),
    }
}

/// The number, or the problem that it is too large; none if the text is no number.
#[inline]
fn number(digits: &[u8]) -> Option<Result<u64, Problem>> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut value = 0u64;
    if digits.len() < 20 {
        digits.iter().for_each(|digit| value = value * 10 + u64::from(digit - b'0'));
        return Some(Ok(value)); // 19 digits fit
    }
    for digit in digits {
        match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0'))) {
            Some(larger) => value = larger,
            None => return Some(Err(Problem::Number(shortened(digits)))),
        }
    }
    Some(Ok(value))
}

/// Why a line is no transition.
#[cold]
fn explained(line: &[u8]) -> Problem {
    let shown = shortened(line);
    let after_last_comma = line.rsplit(|&byte| byte == b',').next().unwrap_or_default();
    let is_probable = |byte: &u8| byte.is_ascii_digit() || is_blank(*byte) || matches!(byte, b'/' | b')');
    match line {
        [b'(', ..] if after_last_comma.contains(&b'/') && after_last_comma.iter().all(is_probable) => {
            Problem::Probabilistic(shown)
        }
        [b'(', .., b')'] => Problem::Transition(shown),
        [b'(', ..] => Problem::CutOff(shown),
        _ => Problem::Transition(shown),
    }
}

/// The beginning of a text, for a message.
fn shortened(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut short: String = text.chars().take(60).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let expected = Header { initial: 528, transitions: 2, states: 964 };
        for text in ["des (528,2,964)", "des(528,2,964)", "des \t ( 528 , 2 ,\t964 )"] {
            assert_eq!(header(text.as_bytes()).expect(text), expected);
        }
        for text in [
            "des (1,2)",
            "des (1,2,3,4)",
            "des (1,2,3",
            "des 1,2,3",
            "(0,a,1)",
            "des (-1,2,3)",
            "des (1,2,)",
            "DES (0,0,1)",
        ] {
            assert!(matches!(header(text.as_bytes()), Err(Problem::Header(_))), "{text}");
        }
        assert!(matches!(header(b"des (0 1/3 1, 2, 3)"), Err(Problem::Probabilistic(_))));
        assert!(matches!(header(b"des (0, 2, 18446744073709551616)"), Err(Problem::Number(_))));
        assert!(header(b"des (0, 2, 18446744073709551615)").is_ok());
    }

    #[test]
    fn transitions() {
        for (text, label) in [
            ("(0,\"a\",1)", "a"),
            ("(0,a,1)", "a"),
            ("( 0 , a b ,\t1 )", "a b"),
            ("(0, \"c2(d1, true)\", 1)", "c2(d1, true)"),
            ("(0, c2(d1, true), 1)", "c2(d1, true)"),
            ("(0,\"G !1 !TRUE\",1)", "G !1 !TRUE"),
            ("(0,\"say \"hi\", 7\",1)", "say \"hi\", 7"),
            ("(0,\"\",1)", ""),
            ("(0,\" \",1)", " "),
            ("(0,\"\"\",1)", "\""),
            ("(0,i,1)", "i"),
            ("(0,1,1)", "1"),
            ("(0,a/b,1)", "a/b"),
        ] {
            let expected = Edge { source: 0, label: label.as_bytes(), target: 1 };
            assert_eq!(edge(text.as_bytes()).expect(text), expected, "{text}");
        }
        assert_eq!(edge(b"(0,\"\xff\xfe\",1)").expect("bytes").label, b"\xff\xfe");
    }

    #[test]
    fn what_is_no_transition_is_refused_by_name() {
        let problem = |text: &str| edge(text.as_bytes()).expect_err(text).to_string();
        for (text, expected) in [
            ("(0,\"a\",1", "ends early"),
            ("(0,\"a", "ends early"),
            ("(", "ends early"),
            ("(0,1)", "expected a transition"),
            ("(0,,1)", "expected a transition"),
            ("(0,\"a\",)", "expected a transition"),
            ("(,\"a\",1)", "expected a transition"),
            ("(-1,\"a\",1)", "expected a transition"),
            ("(0,\"a\",1) x", "ends early"),
            ("hello", "expected a transition"),
            ("(0,\"a,1)", "no closing one"),
            ("(0,\",1)", "no closing one"),
            ("(0,\"a\",1 1/2 2)", "probabilistic"),
            ("(99999999999999999999,\"a\",1)", "too large"),
        ] {
            assert!(problem(text).contains(expected), "{text}: {}", problem(text));
        }
    }
}
