//! Sets of models for tests.

#[allow(dead_code, reason = "not all tests look at them")]
pub mod overlooked;
mod ring;
#[allow(dead_code, reason = "not all tests look at them")]
mod variants;

use std::env;
use std::fs;
use std::path::Path;

use fastrand::Rng;
use homing_ir::{Invariant, Model};
use homing_promela::preprocess::Options;
use homing_promela::read_condition;
use xtask::generate::{Class, generate};
use xtask::soak::{observers, owners};

pub fn read(name: &str, text: String) -> Option<Model> {
    homing_promela::read(name, text, &Options::default()).model
}

/// The number in an environment variable, or `usual`.
pub fn number(name: &str, usual: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => usual,
    }
}

/// Random models with their names, and the number of seeds. `HOMING_SEED` and `HOMING_MODELS` choose others, or more.
pub fn random_models() -> (impl Iterator<Item = (String, Model)>, usize) {
    let (seed, count) = (number("HOMING_SEED", 1), number("HOMING_MODELS", 300));
    let models = (seed..seed + count).filter_map(|seed| {
        let generated = generate(seed);
        let text = (generated.class != Class::Faulty).then(|| generated.model.to_string())?;
        Some((format!("seed {seed}"), read("model.pml", text)?))
    });
    (models, count as usize)
}

/// Variants of random models, with their names and the number of seeds, as [`random_models`].
#[allow(dead_code, reason = "not all tests look at them")]
pub fn random_variants() -> (impl Iterator<Item = (String, Model)>, usize) {
    let (models, count) = random_models();
    let variants = models.enumerate().filter(|(_, (_, model))| !model.start.is_empty());
    let variants = variants.map(|(at, (name, model))| {
        (format!("{name}, a variant"), variants::variant(&mut Rng::with_seed(at as u64), &model))
    });
    (variants, count)
}

/// Random models of processes that pass messages to each other, with their texts: `usual` many, or `HOMING_MODELS`.
#[allow(dead_code, reason = "not all tests look at them")]
pub fn random_rings(usual: u64) -> impl Iterator<Item = (String, Model)> {
    (0..number("HOMING_MODELS", usual)).filter_map(|seed| {
        let text = ring::ring(&mut Rng::with_seed(seed));
        let model = read("model.pml", text.clone())?;
        Some((format!("seed {seed}:\n{text}"), model))
    })
}

/// Random models of processes that observe each other, with their texts: `usual` many, or `HOMING_MODELS`. Half of them have an invariant.
#[allow(dead_code, reason = "not all tests look at them")]
pub fn random_observers(usual: u64) -> impl Iterator<Item = (String, Model)> {
    let first = number("HOMING_SEED", 0);
    (first..first + number("HOMING_MODELS", usual)).filter_map(|seed| {
        let (model, condition) = observers(&mut xtask::generate::rng::Rng::new(seed));
        let text = model.to_string();
        let mut model = read("model.pml", text.clone())?;
        if seed % 2 == 1 {
            let expr = read_condition(&model, "model.pml", &text, &Options::default(), &condition).ok()?;
            model.add_invariant(Invariant { text: condition.clone(), expr });
        }
        Some((format!("seed {seed}:\n{text}invariant {condition}"), model))
    })
}

/// Random models of processes that create channels of different kinds, with their texts: `usual` many, or `HOMING_MODELS`.
#[allow(dead_code, reason = "not all tests look at them")]
pub fn random_owners(usual: u64) -> impl Iterator<Item = (String, Model)> {
    let first = number("HOMING_SEED", 0);
    (first..first + number("HOMING_MODELS", usual)).filter_map(|seed| {
        let text = owners(&mut xtask::generate::rng::Rng::new(seed)).to_string();
        let model = read("model.pml", text.clone())?;
        Some((format!("seed {seed}:\n{text}"), model))
    })
}

/// The models of a folder that can be read, with their names; the folder is relative to the package.
#[allow(dead_code, reason = "not all tests look at them")]
pub fn models_in(folder: &str) -> impl Iterator<Item = (String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "pml")).filter_map(|path| {
        let name = path.display().to_string();
        let model = read(&name, fs::read_to_string(&path).expect("a text"))?;
        Some((name, model))
    })
}
