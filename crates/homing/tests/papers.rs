//! The keys by which comments cite papers are those of `docs/papers.md`, and the files it names exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All sources below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The keys in a text: a name, a hyphen and two digits, such as `ELL-04`, in square brackets.
fn keys(text: &str) -> impl Iterator<Item = &str> {
    let brackets = text.split('[').skip(1).filter_map(|rest| rest.split_once(']').map(|(inside, _)| inside));
    brackets.filter(|inside| {
        inside.split_once('-').is_some_and(|(name, year)| {
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.chars().all(|c| c.is_ascii_alphabetic())
                && year.len() == 2
                && year.chars().all(|c| c.is_ascii_digit())
        })
    })
}

#[test]
fn cited_papers_are_listed() {
    let page = fs::read_to_string(root().join("docs/papers.md")).expect("the bibliography");
    let entries = page.lines().filter(|line| line.starts_with("**["));
    let listed: BTreeSet<&str> = entries.flat_map(keys).collect();
    let mut found = Vec::new();
    for folder in ["crates", "xtask"] {
        sources(&root().join(folder), &mut found);
    }
    let mut cited: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in found.iter().filter(|path| !path.ends_with("papers.rs")) {
        let text = fs::read_to_string(path).expect("a text");
        for comment in text.lines().filter_map(|line| line.split_once("//")).map(|(_, comment)| comment) {
            keys(comment).for_each(|key| cited.entry(key.to_owned()).or_default().push(path.display().to_string()));
        }
    }
    assert!(listed.len() > 20 && cited.len() > 3, "{listed:?} {cited:?}");
    for (key, places) in &cited {
        assert!(listed.contains(key.as_str()), "[{key}] is not in docs/papers.md, but in {places:?}");
    }
}

#[test]
fn files_that_follow_papers_exist() {
    let page = fs::read_to_string(root().join("docs/papers.md")).expect("the bibliography");
    let mut folder = None;
    let mut checked = 0;
    for word in page.split('`').skip(1).step_by(2) {
        if word == "xtask" || word.starts_with("homing-") {
            let place = if word == "xtask" { root().join(word) } else { root().join("crates").join(word) };
            let mut found = Vec::new();
            sources(&place, &mut found);
            folder = Some((word, found));
        } else if word.ends_with(".rs") {
            let (crate_name, found) = folder.as_ref().expect("a crate before its file");
            assert!(found.iter().any(|path| path.ends_with(word)), "{crate_name} has no {word}");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
}
