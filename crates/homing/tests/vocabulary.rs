//! Retired words stay out of the sources, pages and manifests (`xtask/src/vocabulary.rs` lists them).

use std::path::Path;

use xtask::vocabulary::{self, Pattern};

#[test]
fn retired_words_are_not_used() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let hits = vocabulary::hits(&project).expect("the sources can be read");
    let lines: Vec<String> = hits
        .iter()
        .map(|hit| {
            let (Pattern::Words(word) | Pattern::Name(word)) = hit.retired.pattern;
            format!("{}:{}: `{word}` is retired; write: {}", hit.file.display(), hit.line, hit.retired.instead)
        })
        .collect();
    assert!(lines.is_empty(), "{} uses of retired words\n{}", lines.len(), lines.join("\n"));
}
