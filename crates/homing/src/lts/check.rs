//! `homing check` on a labelled transition system.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

use homing_check::model::{Counterexample, PropertyResult, Watcher};
use homing_check::repeat::OnSuccess;
use homing_check::{OnError, PartialOrder, Reason};
use homing_core::{Progress, Stop, Watch};

use super::decide::{Decided, Runs, Task};
use super::property::{self, Named};
use super::run::RunStep;
use super::trail::LtsTrail;
use super::{load, refuse};
use crate::check::Checking;
use crate::console::When;
use crate::decide::{Method, Session};
use crate::error::Error;
use crate::option_conflict;
use crate::shares::Shares;
use crate::trail::ErrorEntry;
use crate::trails::TrailSource;

/// Decides the properties of a system, until the deadline if there is one.
pub fn results(checking: &Checking<'_>, deadline: Option<Instant>) -> Result<Vec<PropertyResult>, Error> {
    let Checking { args, model, console, interrupt, .. } = checking;
    refuse::reading(&model.reading)?;
    refuse::first(&[(args.confirm == When::Always, "--confirm")])?;
    let mut watch = Watcher { interrupt, deadline, shown: None };
    let lts = match load::load_until(model, || watch.after_cut_off(&Progress::default()))? {
        Ok(lts) => lts,
        Err(stop) => return checking.decide_all(&property::names(&args.property), |name| unread(name, stop)),
    };
    option_conflict::refuse_idle_repeat(&args.options, &[args.search])?;
    let session = Session::new(&args.options, &model.path, console, interrupt);
    let errors = if args.all_errors { OnError::Count } else { OnError::Stop };
    let method = Method {
        search: args.search,
        heuristic: args.heuristic,
        errors,
        shortest: args.shortest,
        fewest_switches: false,
        confirm: args.confirm,
        on_success: OnSuccess::Stop,
        partial_order: PartialOrder::IfItPays,
    };
    let runs = RefCell::new(BTreeMap::new());
    let asked = property::chosen(&args.property, &lts)?;
    let mut shares = Shares::new(deadline, asked.len());
    let mut results = checking.decide_all(&asked, |named: &Named| {
        let Decided { result, runs: found } =
            Task { lts: &lts, named }.decide(&session, &named.name, method, shares.next(1))?;
        runs.borrow_mut().insert(named.name.clone(), found);
        Ok(result)
    })?;
    let source = Trails { trail: LtsTrail { lts: &lts, model: &model.path }, asked: &asked, runs: runs.into_inner() };
    checking.write_trails(&source, &mut results)?;
    Ok(results)
}

/// The result of a property of a system that was not read to its end.
fn unread(name: &str, stop: Stop) -> Result<PropertyResult, Error> {
    Ok(PropertyResult::unknown(name.to_owned(), Reason::Stopped(stop)))
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
