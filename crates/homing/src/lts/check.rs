//! `homing check` on a labelled transition system.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

use homing_check::OnError;
use homing_check::model::{Counterexample, Interrupt, PropertyResult};

use super::decide::{Decided, Runs, Task};
use super::property::{self, Named};
use super::run::RunStep;
use super::trail::LtsTrail;
use super::{load, refuse};
use crate::cli::{CheckArgs, ModelArgs};
use crate::console::{Console, When};
use crate::decide::{Method, Session};
use crate::error::Error;
use crate::trail::ErrorEntry;
use crate::trails::TrailSource;

/// The check of one system: what the check of any model does with its results.
pub trait Checked {
    /// Decides the properties in turn, and prints each result.
    fn decide_all<P>(
        &self,
        asked: &[P],
        decide: impl FnMut(&P) -> Result<PropertyResult, Error>,
    ) -> Result<Vec<PropertyResult>, Error>;

    /// Writes the trails, and prints where they are.
    fn write_trails(&self, source: &dyn TrailSource, results: &mut [PropertyResult]) -> Result<(), Error>;
}

/// Decides the properties of a system.
pub fn results(
    args: &CheckArgs,
    model: &ModelArgs,
    console: &Console,
    interrupt: &Interrupt,
    checked: &impl Checked,
) -> Result<Vec<PropertyResult>, Error> {
    let deadline = args.options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    refuse::reading(&model.reading)?;
    refuse::first(&[(args.confirm == When::Always, "--confirm")])?;
    let lts = load::load(model)?;
    let session = Session::new(&args.options, &model.path, console, interrupt);
    let errors = if args.all_errors { OnError::Count } else { OnError::Stop };
    let (shortest, fewest_switches, confirm) = (args.shortest, false, args.confirm);
    let method = Method { search: args.search, heuristic: args.heuristic, errors, shortest, fewest_switches, confirm };
    let runs = RefCell::new(BTreeMap::new());
    let asked = property::chosen(&args.property, &lts)?;
    let mut results = checked.decide_all(&asked, |named: &Named| {
        let Decided { result, runs: found } =
            Task { lts: &lts, named }.decide(&session, &named.name, method, deadline)?;
        runs.borrow_mut().insert(named.name.clone(), found);
        Ok(result)
    })?;
    let source = Trails { trail: LtsTrail { lts: &lts, model: &model.path }, asked: &asked, runs: runs.into_inner() };
    checked.write_trails(&source, &mut results)?;
    Ok(results)
}

/// The runs to errors, by the names of the properties.
struct Trails<'a> {
    trail: LtsTrail<'a>,
    asked: &'a [Named],
    runs: BTreeMap<String, Runs>,
}

impl Trails<'_> {
    fn steps(&self, property: &str, found: &Counterexample) -> &[RunStep] {
        self.runs.get(property).and_then(|runs| runs.get(&found.violation.message)).map_or(&[], |steps| steps)
    }
}

impl TrailSource for Trails<'_> {
    fn document(&self, property: &str, found: &Counterexample) -> Vec<u8> {
        let error = ErrorEntry::new(&found.violation);
        self.trail.document(self.steps(property, found), Some(property), Some(error))
    }

    fn text(&self, property: &str, found: &Counterexample) -> Vec<u8> {
        let pattern = self.asked.iter().find(|named| named.name == property).and_then(|named| named.pattern.as_ref());
        self.trail.text(self.steps(property, found), pattern)
    }
}
