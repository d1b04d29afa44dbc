//! Models with the never claim that homing makes of a formula. SPIN translates formulas otherwise, so that its counts are
//! those of another product.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use crate::process;

/// The text of a model in which its formulas are replaced by the never claim of one of them, printed by `homing ltl`; or
/// why there is none.
pub fn with_claim(homing: &Path, text: &str, name: &str) -> io::Result<Result<String, String>> {
    let blocks = blocks(text);
    let Some(block) = blocks.iter().find(|block| block.name == name) else {
        return Ok(Err(format!("the model has no formula {name}")));
    };
    let arguments = ["ltl", &text[block.formula.clone()], "--negate"];
    let run = process::run(homing, &arguments, Path::new("."), Duration::from_secs(60))?;
    if !run.ending.is_success() {
        return Ok(Err(format!("homing ltl: {:?} {}", run.ending, run.stderr.trim())));
    }
    let mut rest = text.to_owned();
    for block in blocks.iter().rev() {
        rest.replace_range(block.whole.clone(), "");
    }
    Ok(Ok(format!("{rest}\n{}", run.stdout)))
}

/// An `ltl` block of a text.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// The block with its keyword.
    whole: Range<usize>,
    formula: Range<usize>,
    name: String,
}

/// The blocks of a text without comments.
fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (start, _) in text.match_indices("ltl") {
        let (before, after) = (&text[..start], &text[start + 3..]);
        let Some((head, _)) = after.split_once('{') else { continue };
        let name = head.trim();
        if before.ends_with(is_word) || !name.chars().all(is_word) || after.starts_with(is_word) {
            continue;
        }
        let first = start + 3 + head.len() + 1;
        let Some(length) = closing(&text[first..]) else { continue };
        let name = if name.is_empty() { format!("ltl_{}", found.len()) } else { name.to_owned() };
        found.push(Block { whole: start..first + length + 1, formula: first..first + length, name });
    }
    found
}

/// Where the brace is that closes a block.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_formulas() {
        let text = "byte ltl_x;\nltl p { [] (x < 2) }\nltl{<>q}\nproctype altl() { skip }\n";
        let found: Vec<(String, &str)> =
            blocks(text).into_iter().map(|block| (block.name, &text[block.formula])).collect();
        assert_eq!(found, [("p".to_owned(), " [] (x < 2) "), ("ltl_1".to_owned(), "<>q")]);
        assert_eq!(&text[blocks(text)[1].whole.clone()], "ltl{<>q}");
    }
}
