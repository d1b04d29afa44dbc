//! The benchmark set, read from a file: models with their sizes, and variants of SPIN and homing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// The variant of SPIN that ratios refer to.
    pub baseline: String,
    /// The property that is decided: by default safety, otherwise one of infinite runs, for which pan runs with -a.
    #[serde(default)]
    pub property: Option<String>,
    pub spin: Vec<SpinVariant>,
    pub homing: Vec<HomingVariant>,
    #[serde(rename = "model")]
    pub models: Vec<Model>,
}

/// A variant of SPIN.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpinVariant {
    pub name: String,
    /// The arguments of spin; by default without the optimisations that change the counts.
    #[serde(default = "plain_generation")]
    pub generate: Vec<String>,
    /// The arguments of gcc, in addition to the common ones.
    pub compile: Vec<String>,
    #[serde(default)]
    pub work: Work,
    /// The arguments of pan, in addition to the common ones.
    #[serde(default)]
    pub run: Vec<String>,
    /// Log2 of the bits of a bitstate table, instead of a model's `hash_bits`.
    pub bits: Option<u32>,
}

/// A variant of homing. One whose flags are refused is reported as absent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomingVariant {
    pub name: String,
    pub flags: Vec<String>,
    #[serde(default)]
    pub work: Work,
}

/// How the work of a variant compares with that of the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The same states and transitions, or there is no ratio.
    #[default]
    Same,
    /// The same, but states may be lost; the share that was visited is reported.
    Lossy,
    /// The same verdict by other means: only the time to the verdict is compared.
    Other,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub name: String,
    /// Below the project.
    pub file: Option<PathBuf>,
    /// Below the folder of SPIN's examples.
    pub example: Option<PathBuf>,
    /// Macros as `NAME=VALUE`, for the size that is measured.
    #[serde(default)]
    pub define: Vec<String>,
    /// Macros for `--quick`, instead of `define`; `None` if the model has no smaller size.
    pub quick: Option<Vec<String>>,
    /// pan's depth limit: sufficient, but not larger, so that SPIN does not pay for a stack or table that is too large.
    pub depth: u64,
    pub hash_bits: u32,
}

fn plain_generation() -> Vec<String> {
    ["-a", "-o1", "-o2", "-o3"].map(str::to_string).to_vec()
}

impl Set {
    pub fn read(path: &Path) -> io::Result<Set> {
        let wrong = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
        Set::parse(&text).map_err(|error| wrong(&error))
    }

    pub fn parse(text: &str) -> Result<Set, String> {
        let set: Set = toml::from_str(text).map_err(|error| error.to_string())?;
        if !set.spin.iter().any(|variant| variant.name == set.baseline && variant.work == Work::Same) {
            return Err(format!("the baseline `{}` is no exact way to run SPIN", set.baseline));
        }
        if let Some(model) = set.models.iter().find(|model| model.file.is_some() == model.example.is_some()) {
            return Err(format!("model `{}` has to have either a file or an example", model.name));
        }
        let mut names: Vec<&str> = set.variant_names().collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("two variants are called `{}`", pair[0])),
            None => Ok(set),
        }
    }

    pub fn variant_names(&self) -> impl Iterator<Item = &str> {
        let spin = self.spin.iter().map(|variant| variant.name.as_str());
        spin.chain(self.homing.iter().map(|variant| variant.name.as_str()))
    }

    /// Keeps the named variants, and the baseline in any case.
    pub fn keep_variants(&mut self, names: &[String]) -> Result<(), String> {
        if let Some(unknown) = names.iter().find(|name| !self.variant_names().any(|known| known == *name)) {
            let known: Vec<&str> = self.variant_names().collect();
            return Err(format!("no variant `{unknown}`; known are {}", known.join(", ")));
        }
        self.spin.retain(|variant| variant.name == self.baseline || names.contains(&variant.name));
        self.homing.retain(|variant| names.contains(&variant.name));
        Ok(())
    }
}

impl Model {
    /// The macros of one of the two sizes; None if there is no such size.
    pub fn size(&self, quick: bool) -> Option<&[String]> {
        if quick { self.quick.as_deref() } else { Some(&self.define) }
    }

    pub fn path(&self, project: &Path, examples: &Path) -> PathBuf {
        match (&self.file, &self.example) {
            (Some(file), _) => project.join(file),
            (None, example) => examples.join(example.as_deref().unwrap_or(Path::new(""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        baseline = "spin-O2"
        [[spin]]
        name = "spin-O2"
        compile = ["-O2"]
        [[spin]]
        name = "bitstate"
        compile = ["-O2", "-DBITSTATE"]
        work = "lossy"
        bits = 27
        [[homing]]
        name = "bfs"
        flags = ["--search", "bfs"]
        [[model]]
        name = "ring"
        file = "models/ring.pml"
        define = ["N=30"]
        quick = []
        depth = 1000
        hash_bits = 20
        "#;

    #[test]
    fn reads_variants_and_models() {
        let set = Set::parse(SMALL).expect("a set");
        assert_eq!(set.variant_names().collect::<Vec<_>>(), ["spin-O2", "bitstate", "bfs"]);
        assert_eq!(set.spin[0].generate, ["-a", "-o1", "-o2", "-o3"]);
        assert_eq!((set.spin[1].work, set.spin[1].bits), (Work::Lossy, Some(27)));
        let model = &set.models[0];
        assert_eq!((model.size(false), model.size(true)), (Some(&["N=30".to_string()][..]), Some(&[][..])));
        assert_eq!(model.path(Path::new("p"), Path::new("e")), Path::new("p/models/ring.pml"));
    }

    #[test]
    fn says_what_is_wrong() {
        let rows = [
            (SMALL.replace("baseline = \"spin-O2\"", "baseline = \"spin-O9\""), "the baseline `spin-O9`"),
            (SMALL.replace("baseline = \"spin-O2\"", "baseline = \"bitstate\""), "the baseline `bitstate`"),
            (SMALL.replace("file =", "exmaple ="), "unknown field `exmaple`"),
            (SMALL.replace("file = \"models/ring.pml\"", ""), "either a file or an example"),
            (SMALL.replace("\"bfs\"", "\"bitstate\""), "two variants are called `bitstate`"),
        ];
        for (text, words) in rows {
            let error = Set::parse(&text).expect_err("wrong");
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn the_baseline_stays() {
        let mut set = Set::parse(SMALL).expect("a set");
        set.keep_variants(&["bfs".to_string()]).expect("known");
        assert_eq!(set.variant_names().collect::<Vec<_>>(), ["spin-O2", "bfs"]);
        assert!(set.keep_variants(&["dfs".to_string()]).expect_err("unknown").contains("known are spin-O2, bfs"));
    }

    #[test]
    fn the_set_of_the_project_is_right() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for set in ["bench/models.toml", "bench/liveness.toml"] {
            let set = Set::read(&project.join(set)).expect("a set");
            for model in &set.models {
                assert!(model.file.is_none() || model.path(&project, Path::new("")).is_file(), "{}", model.name);
            }
        }
    }
}
