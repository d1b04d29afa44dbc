//! Compares the tables of whole models.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use homing_promela::preprocess::Options;

use super::{Row, difference, of_model, of_pan};
use crate::examples;
use crate::generate::generate;
use crate::spin::{Merging, Spin};

#[derive(Clone, Debug)]
pub enum Comparison {
    /// On so many transitions.
    Agree(usize),
    /// Only one of them lists these.
    Differ { spin: Vec<Row>, homing: Vec<Row> },
    /// One of them has no tables of the model.
    Refused,
}

pub fn compare(model: &Path, merging: Merging, spin: &Spin) -> io::Result<Comparison> {
    let text = String::from_utf8_lossy(&fs::read(model)?).into_owned();
    let reading = homing_promela::read(&model.to_string_lossy(), text, &Options::default());
    let (Some(ours), Some(listing)) = (reading.model, spin.list(model, merging)?) else {
        return Ok(Comparison::Refused);
    };
    let (mut ours, mut theirs) = (of_model(&ours, merging), of_pan(&listing));
    if merging == Merging::On {
        // The label of the first statement of an option marks the state after that: in SPIN the end of its chain.
        ours.iter_mut().chain(&mut theirs).for_each(|row| row.end = false);
    }
    // The first state of an escape may or may not be listed if nothing leads to it; the claim of a formula is not built
    // here.
    let reached: HashSet<(&str, u32)> = ours.iter().map(|row| (&*row.proctype, row.from)).collect();
    theirs.retain(|row| reached.contains(&(&*row.proctype, row.from)));
    let (spin, homing) = difference(&theirs, &ours);
    let same = spin.is_empty() && homing.is_empty();
    Ok(if same { Comparison::Agree(ours.len()) } else { Comparison::Differ { spin, homing } })
}

/// Compares the tables of a random model.
pub fn compare_random(seed: u64, merging: Merging, spin: &Spin) -> io::Result<Comparison> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("model.pml");
    fs::write(&file, generate(seed).model.to_string())?;
    compare(&file, merging, spin)
}

/// Compares the tables of an example, which may be compressed.
pub fn compare_example(file: &Path, merging: Merging, spin: &Spin) -> io::Result<Comparison> {
    let scratch = tempfile::tempdir()?;
    compare(&examples::unpacked(file, scratch.path())?, merging, spin)
}

/// Prints what differs, and a summary. True if nothing differs.
pub fn report(comparisons: impl Iterator<Item = io::Result<(String, Comparison)>>) -> io::Result<bool> {
    let (mut agree, mut transitions, mut differ, mut refused) = (0, 0, 0, 0);
    for comparison in comparisons {
        let (name, comparison) = comparison?;
        match comparison {
            Comparison::Agree(rows) => {
                agree += 1;
                transitions += rows;
            }
            Comparison::Refused => {
                refused += 1;
                println!("{name}: refused");
            }
            Comparison::Differ { spin, homing } => {
                differ += 1;
                println!("{name}:");
                spin.iter().for_each(|row| println!("  SPIN   {row}"));
                homing.iter().for_each(|row| println!("  homing {row}"));
            }
        }
    }
    println!("agree {agree} ({transitions} transitions), refused {refused}, differ {differ}");
    Ok(differ == 0)
}
