//! Patterns of labels.

use std::fmt;

use regex_lite::Regex;

use crate::labels::{LabelId, Labels};

/// A pattern of labels: a whole label, in which `*` stands for any text; or `/REGEX/`, a regular expression that is to be found in
/// the label. `tau` and `i` both match the internal action, which mCRL2 calls `tau` and CADP `i`.
///
/// ```
/// use homing_lts::Pattern;
///
/// let matches = |pattern: &str, label: &str| Pattern::parse(pattern).unwrap().matches(label.as_bytes());
/// assert!(matches("c2(d1, true)", "c2(d1, true)") && !matches("c2", "c2(d1, true)"));
/// assert!(matches("c2(*, true)", "c2(d1, true)") && matches("*", ""));
/// assert!(matches("/^c[0-9]/", "c2(d1, true)") && matches("tau", "i"));
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// `tau` or `i`.
    Internal,
    /// The parts between the stars; one part is a whole label.
    Parts(Vec<Vec<u8>>),
    Regex(Regex),
}

/// A pattern that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is no text.
    #[error(
        "the pattern is empty; write a label, in which * stands for any text, or a regular expression as in /^send/"
    )]
    Empty,
    /// The regular expression is wrong.
    #[error("the regular expression {pattern} cannot be read: {reason}")]
    Regex {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        reason: String,
    },
}

impl Pattern {
    /// Reads a pattern. One pair of quotes around it is left out, so that a label can be copied from a file.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let kind = match text {
            "" => return Err(PatternError::Empty),
            "tau" | "i" => Kind::Internal,
            _ => match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
                Some(expression) => Kind::Regex(
                    Regex::new(expression)
                        .map_err(|error| PatternError::Regex { pattern: text.to_owned(), reason: error.to_string() })?,
                ),
                None => {
                    let bare = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
                    Kind::Parts(bare.split('*').map(|part| part.as_bytes().to_vec()).collect())
                }
            },
        };
        Ok(Pattern { text: text.to_owned(), kind })
    }

    /// Whether a label matches. In a label that is not UTF-8, a regular expression sees replacement characters.
    pub fn matches(&self, label: &[u8]) -> bool {
        match &self.kind {
            Kind::Internal => label == b"tau" || label == b"i",
            Kind::Parts(parts) => has_parts(label, parts),
            Kind::Regex(regex) => regex.is_match(&String::from_utf8_lossy(label)),
        }
    }

    /// The labels that match. Each label is matched once.
    pub fn among(&self, labels: &Labels) -> PatternMatch {
        let mut bits = vec![0u64; labels.len().div_ceil(64)];
        let mut count = 0;
        for (label, _) in labels.iter().filter(|(_, text)| self.matches(text)) {
            bits[label.0 as usize / 64] |= 1 << (label.0 % 64);
            count += 1;
        }
        PatternMatch { bits, count }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether the label consists of the parts with any text between them. The first part is at the front and the last one at the end;
/// in between, the leftmost place of each part leaves the most room for the next.
fn has_parts(label: &[u8], parts: &[Vec<u8>]) -> bool {
    let [first, middle @ .., last] = parts else { return parts.first().is_some_and(|whole| whole == label) };
    let Some(rest) = label.strip_prefix(&first[..]).and_then(|rest| rest.strip_suffix(&last[..])) else { return false };
    let mut rest = rest;
    for part in middle {
        match memchr::memmem::find(rest, part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// The labels that a pattern matches: a bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternMatch {
    bits: Vec<u64>,
    count: usize,
}

impl PatternMatch {
    /// One of these labels alone.
    pub fn only(&self, label: LabelId) -> Self {
        let mut bits = vec![0; self.bits.len()];
        bits[label.0 as usize / 64] = 1 << (label.0 % 64);
        PatternMatch { bits, count: 1 }
    }

    /// Whether a label matches.
    #[inline]
    pub fn contains(&self, label: LabelId) -> bool {
        self.bits[label.0 as usize / 64] >> (label.0 % 64) & 1 == 1
    }

    /// How many labels match.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no label matches.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of `*`, by trying all places.
    fn brute(label: &[u8], pattern: &[u8]) -> bool {
        match (pattern, label) {
            ([], _) => label.is_empty(),
            ([b'*', rest @ ..], _) => (0..=label.len()).any(|at| brute(&label[at..], rest)),
            ([one, rest @ ..], [first, others @ ..]) => one == first && brute(others, rest),
            _ => false,
        }
    }

    #[test]
    fn stars_match_as_defined() {
        let mut random = fastrand::Rng::with_seed(19);
        let mut matched = 0;
        for _ in 0..100_000 {
            let mut text = |letters: &[u8], most: usize| -> Vec<u8> {
                (0..random.usize(0..=most)).map(|_| letters[random.usize(0..letters.len())]).collect()
            };
            let (label, pattern) = (text(b"ab", 8), text(b"ab**", 7));
            let Ok(read) = Pattern::parse(std::str::from_utf8(&pattern).expect("ASCII")) else { continue };
            assert_eq!(read.matches(&label), brute(&label, &pattern), "{read} on {}", String::from_utf8_lossy(&label));
            matched += usize::from(read.matches(&label));
        }
        assert!(matched > 10_000, "{matched} matched");
    }

    #[test]
    fn kinds_of_patterns() {
        let matches = |pattern: &str, label: &str| Pattern::parse(pattern).expect(pattern).matches(label.as_bytes());
        assert!(matches("tau", "tau") && matches("tau", "i") && matches("i", "tau") && !matches("tau", "ii"));
        assert!(matches("OUT !COKE", "OUT !COKE") && matches("\"OUT !COKE\"", "OUT !COKE"));
        assert!(matches("/COKE$/", "OUT !COKE") && !matches("/^COKE/", "OUT !COKE") && matches("/", "/"));
        assert!(matches("a.c", "a.c") && !matches("a.c", "abc"), "no regular expression without slashes");
        assert!(Pattern::parse("").is_err());
        let wrong = Pattern::parse("/a(/").expect_err("no expression").to_string();
        assert!(wrong.starts_with("the regular expression /a(/ cannot be read: "), "{wrong}");
        assert!(Pattern::parse("*").expect("any").matches(b"\xff"));
    }

    #[test]
    fn labels_are_matched_once_into_a_set() {
        let mut labels = Labels::default();
        let all: Vec<LabelId> = (0..200).map(|number| labels.intern(format!("a{number}").as_bytes())).collect();
        let found = Pattern::parse("a*7").expect("a pattern").among(&labels);
        assert_eq!(found.len(), all.iter().filter(|&&label| found.contains(label)).count());
        assert!(found.len() == 20 && found.contains(all[197]) && !found.contains(all[71]));
        assert!(Pattern::parse("b").expect("a pattern").among(&labels).is_empty());
    }
}
