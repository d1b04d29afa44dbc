//! Dependencies between the crates point one way. A new dependency is a design change and is entered here in the same
//! commit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use toml::Table;

/// Each crate with the crates that it may depend on. `homing` may depend on all.
const ARROWS: &[(&str, &[&str])] = &[
    ("homing-core", &[]),
    ("homing-ir", &["homing-core"]),
    ("homing-store", &["homing-core"]),
    ("homing-ltl", &["homing-core"]),
    ("homing-lts", &["homing-core"]),
    ("homing-abstraction", &["homing-core"]),
    ("homing-search", &["homing-core", "homing-store"]),
    ("homing-promela", &["homing-core", "homing-ir"]),
    ("homing-network", &["homing-core", "homing-ir"]),
    ("homing-engine", &["homing-core", "homing-ir"]),
    ("homing-heuristics", &["homing-core", "homing-abstraction", "homing-ir", "homing-engine"]),
    ("homing-report", &["homing-core", "homing-ir"]),
    (
        "homing-check",
        &[
            "homing-core",
            "homing-ir",
            "homing-store",
            "homing-ltl",
            "homing-lts",
            "homing-search",
            "homing-engine",
            "homing-heuristics",
            "homing-report",
        ],
    ),
];

/// The manifests of all crates, by name.
fn manifests() -> BTreeMap<String, (PathBuf, Table)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates");
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("the crates can be listed") {
        let folder = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let manifest: Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let name = manifest["package"]["name"].as_str().expect("a name").to_owned();
        manifests.insert(name, (folder, manifest));
    }
    manifests
}

/// The crates of this workspace that a manifest depends on; dev-dependencies are not restricted.
fn known_by(manifest: &Table) -> BTreeSet<&str> {
    let target_sections = manifest.get("target").and_then(|targets| targets.as_table()).into_iter().flatten();
    let sections = target_sections.map(|(_, section)| section).filter_map(|section| section.as_table());
    [manifest]
        .into_iter()
        .chain(sections)
        .flat_map(|table| ["dependencies", "build-dependencies"].map(|section| table.get(section)))
        .flatten()
        .filter_map(|section| section.as_table())
        .flat_map(|section| section.keys())
        .map(String::as_str)
        .filter(|name| *name == "homing" || name.starts_with("homing-"))
        .collect()
}

#[test]
fn arrows_point_one_way() {
    let manifests = manifests();
    assert!(manifests.len() > 5, "the crates were found: {:?}", manifests.keys());
    for (name, (_, manifest)) in &manifests {
        if name == "homing" {
            continue;
        }
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| known == name) else {
            panic!("{name} has no row in ARROWS: what may it know?");
        };
        for target in known_by(manifest) {
            assert!(allowed.contains(&target), "{name} must not know {target}");
        }
    }
}

#[test]
fn only_the_command_line_prints_and_exits() {
    let printing = ["println!", "print!(", "dbg!(", "process::exit"];
    for (name, (folder, _)) in manifests() {
        if name == "homing" {
            continue;
        }
        let mut folders = vec![folder.join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("sources can be listed") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).expect("a source file");
                for word in printing {
                    assert!(!text.contains(word), "{} has {word}", path.display());
                }
            }
        }
    }
}
