//! Suggestions for a name that does not exist.

/// The name a user may have meant by `wrong`: the nearest by edit distance (letters changed, added, dropped, or swapped
/// with the next), at most a third of the word's length away; of several the first in the alphabet. For a word of one
/// or two letters only another case or a swap counts, since any other short name is as near.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let start = start(wrong);
    let letters = start.chars().count();
    let limit = (letters / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wrong && candidate.len().abs_diff(wrong.len()) <= 4 * limit)
        .filter_map(|candidate| {
            if candidate.eq_ignore_ascii_case(wrong) {
                return Some((0, candidate));
            }
            let distance = strsim::osa_distance(start, self::start(candidate));
            let is_slip = letters > 2 || candidate.chars().rev().eq(start.chars());
            (distance <= limit && is_slip).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The first letters of a name; of longer names only these are compared, so that a suggestion takes no time.
fn start(name: &str) -> &str {
    const MOST_LETTERS: usize = 64;
    name.char_indices().nth(MOST_LETTERS).map_or(name, |(end, _)| &name[..end])
}

/// Advice for a word of another language: what Promela has instead.
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
        assert_eq!(nearest("état", ["etat"]), Some("etat"));
    }

    #[test]
    fn of_long_names_the_first_letters_are_compared() {
        let (long, other) = ("x".repeat(10_000), "x".repeat(9_999) + "y");
        assert_eq!(nearest(&long, [other.as_str()]), Some(other.as_str()));
        assert_eq!(nearest(&long, ["x"]), None);
    }

    #[test]
    fn short_names_are_not_near_to_each_other() {
        assert_eq!(nearest("y", ["x", "z"]), None);
        assert_eq!(nearest("X", ["x"]), Some("x"));
        assert_eq!(nearest("p1", ["p2"]), None);
        assert_eq!(nearest("fi", ["if"]), Some("if"));
    }
}
