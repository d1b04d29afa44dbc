//! What a user may have meant by a name that does not exist.

/// The name a user may have meant by `wrong`: the nearest by edit distance, at most a third of the word's length away; of
/// several the first in the alphabet. Of a word with one or two letters only another case or a swap is a slip, since any
/// other short name is as near.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = wrong.chars().take(MOST_LETTERS).collect();
    let limit = (letters.len() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wrong && candidate.len().abs_diff(wrong.len()) <= 4 * limit)
        .filter_map(|candidate| {
            if candidate.eq_ignore_ascii_case(wrong) {
                return Some((0, candidate));
            }
            let distance = distance(&letters, candidate, limit)?;
            let slip = letters.len() > 2 || is_swap(&letters, candidate);
            slip.then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Of longer names only the first letters are compared.
const MOST_LETTERS: usize = 64;

fn is_swap(letters: &[char], candidate: &str) -> bool {
    candidate.chars().rev().eq(letters.iter().copied())
}

/// The number of letters to change, add, drop or swap with the next, if that is not above the limit.
fn distance(a: &[char], b: &str, limit: usize) -> Option<usize> {
    let b: Vec<char> = b.chars().take(MOST_LETTERS).collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replace = above[j] + usize::from(a[i] != b[j]);
            let mut best = replace.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|&distance| distance > limit) && above.iter().all(|&distance| distance > limit) {
            return None; // from two such rows there is no way back
        }
        before = std::mem::replace(&mut above, row);
    }
    Some(above[b.len()]).filter(|&distance| distance <= limit)
}

/// What Promela has for a word of another language.
pub fn foreign(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" | "until" | "loop" | "repeat" | "foreach" => {
            "a loop is written `do :: condition -> … :: else -> break od`"
        }
        "switch" | "case" | "elif" | "elseif" | "elsif" | "then" => {
            "a choice is written `if :: condition -> … :: else -> … fi`"
        }
        "endif" => "an `if` ends with `fi`",
        "and" | "AND" => "write `&&`",
        "or" | "OR" => "write `||`",
        "not" | "NOT" => "write `!`",
        "mod" => "write `%`",
        "float" | "double" | "real" => "Promela has no fractions: use `int`",
        "integer" | "long" | "uint" | "int32" => "use `int`",
        "boolean" => "use `bool`",
        "char" | "uint8" => "use `byte`",
        "string" | "String" => "Promela has no string variables: give names to values with `mtype`",
        "enum" => "names for values are declared with `mtype = { … }`",
        "struct" | "record" | "class" => "a type with fields is declared with `typedef Name { … }`",
        "const" | "let" | "var" => "a constant is `#define NAME value`, a variable begins with its type",
        "function" | "func" | "def" | "procedure" | "void" => {
            "Promela has no functions: use an `inline` for statements, a `proctype` for a process"
        }
        "process" | "thread" | "task" => "a process type is defined with `proctype`",
        "main" => "a model starts with `init { … }` or `active proctype P() { … }`",
        "import" => "another file is read with `#include \"file\"`",
        "print" | "println" => "write `printf`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_name() {
        assert_eq!(nearest("proctpye", ["proctype", "printf"]), Some("proctype"));
        assert_eq!(nearest("cuont", ["mount", "count"]), Some("count"));
        assert_eq!(nearest("x", ["count"]), None);
        assert_eq!(nearest("ab", ["ab"]), None);
        assert_eq!(nearest("long_name_a", ["long_name_c", "long_name_b"]), Some("long_name_b"));
    }

    #[test]
    fn short_names_are_not_near_to_each_other() {
        assert_eq!(nearest("y", ["x", "z"]), None);
        assert_eq!(nearest("X", ["x"]), Some("x"));
        assert_eq!(nearest("p1", ["p2"]), None);
        assert_eq!(nearest("fi", ["if"]), Some("if"));
    }
}
