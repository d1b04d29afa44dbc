//! `--values NAME`: selects the variables whose changes are printed.

use std::collections::BTreeSet;

use homing_check::model::Playback;
use homing_core::{Description, Valued};
use homing_engine::Change;
use homing_ir::{Model, Variable};
use homing_report::Trail;

use crate::error::Error;
use crate::spelling::{hint, nearest};

/// The selected variables: those named, or all.
#[derive(Debug)]
pub struct Follow {
    wanted: Vec<Wanted>,
}

/// A variable as it is named: `x`, `a[2]`, `P:x`, `P[1]:x` or `P(1):x`.
#[derive(Debug)]
struct Wanted {
    /// As it was written.
    text: String,
    /// The process type of a local.
    proctype: Option<String>,
    pid: Option<String>,
    /// The name, with elements and fields if some are selected.
    name: String,
}

impl Wanted {
    fn parse(text: &str) -> Self {
        let bare = text.replace(' ', "");
        let (process, name) = match bare.rsplit_once(':') {
            Some((process, name)) => (Some(process), name.to_owned()),
            None => (None, bare.clone()),
        };
        // the name of init has colons of its own
        let process = process.map(|process| if process == "init" { ":init:" } else { process });
        let (proctype, pid) = match process.and_then(|process| process.split_once(['[', '('])) {
            Some((proctype, pid)) => (Some(proctype), Some(pid.trim_end_matches([']', ')']))),
            None => (process, None),
        };
        Wanted { text: text.to_owned(), proctype: proctype.map(str::to_owned), pid: pid.map(str::to_owned), name }
    }

    fn is_owner(&self, owner: Option<&str>) -> bool {
        let Some(proctype) = &self.proctype else { return true };
        let Some((owner, pid)) = owner.and_then(|owner| owner.trim_end_matches(')').rsplit_once('(')) else {
            return false;
        };
        owner.trim_matches(':') == proctype.trim_matches(':') && self.pid.as_deref().is_none_or(|wanted| wanted == pid)
    }

    /// Whether the name selects this element of a variable, or one that contains it.
    fn selects(&self, name: &str) -> bool {
        name.strip_prefix(&self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
    }
}

impl Follow {
    /// Fails if the model has no such variable. A name selects the variable in all processes with all elements and fields.
    pub fn new(names: &[String], model: &Model) -> Result<Self, Error> {
        let wanted: Vec<Wanted> = names.iter().map(|name| Wanted::parse(name)).collect();
        wanted.iter().try_for_each(|wanted| find(wanted, model))?;
        Ok(Follow { wanted })
    }

    pub fn all(&self) -> bool {
        self.wanted.is_empty()
    }

    pub fn has(&self, change: &Change) -> bool {
        self.wants(change.owner.as_deref(), &change.name)
    }

    /// The selected variables among the values of a state.
    pub fn among(&self, values: &Description) -> Vec<Valued> {
        let mut list: Vec<Valued> =
            values.globals.iter().filter(|valued| self.wants(None, &valued.name)).cloned().collect();
        for process in &values.processes {
            let wanted = process.locals.iter().filter(|valued| self.wants(Some(&process.process), &valued.name));
            list.extend(wanted.map(|Valued { name, value }| Valued {
                name: format!("{}:{name}", process.process),
                value: value.clone(),
            }));
        }
        list
    }

    fn wants(&self, owner: Option<&str>, name: &str) -> bool {
        self.all() || self.wanted.iter().any(|wanted| wanted.is_owner(owner) && wanted.selects(name))
    }

    /// Fails if a name selects a process that does not exist in the run.
    pub fn refuse_absent(&self, playback: &Playback<'_>, trail: &Trail) -> Result<(), Error> {
        if self.wanted.iter().all(|wanted| wanted.pid.is_none()) {
            return Ok(());
        }
        let mut processes: BTreeSet<String> =
            playback.initial_values().processes.into_iter().map(|process| process.process).collect();
        let played = playback.play(trail, |player, step| {
            processes.extend(player.describe_move(step.happened).started.into_iter().map(|(_, name)| name));
        });
        if played.is_err() {
            return Ok(()); // the replay reports it
        }
        let is_absent = |wanted: &&Wanted| !processes.iter().any(|process| wanted.is_owner(Some(process)));
        match self.wanted.iter().find(is_absent) {
            None => Ok(()),
            Some(wanted) => {
                let processes: Vec<String> = processes.into_iter().collect();
                let reason = format!("the run has no such process; it has {}", processes.join(", "));
                Err(Error::NoValues { name: wanted.text.clone(), reason })
            }
        }
    }
}

/// Fails if no variable of the model has the name.
fn find(wanted: &Wanted, model: &Model) -> Result<(), Error> {
    let no_values = |reason| Error::NoValues { name: wanted.text.clone(), reason };
    let proctypes: Vec<_> = match &wanted.proctype {
        None => model.proctypes.iter().collect(),
        Some(name) => {
            let named = |known: &&homing_ir::Proctype| known.name.trim_matches(':') == name.trim_matches(':');
            let Some(found) = model.proctypes.iter().find(named) else {
                let known: Vec<String> = model.proctypes.iter().map(|known| known.name.clone()).collect();
                return Err(Error::Process { name: name.clone(), near: nearest(name, &known), known });
            };
            vec![found]
        }
    };
    let globals = if wanted.proctype.is_none() { &model.globals[..] } else { &[] };
    let variables: Vec<&Variable> =
        globals.iter().chain(proctypes.iter().flat_map(|proctype| &proctype.locals)).collect();
    let stem = stem(&wanted.name);
    let same_stem: Vec<&&Variable> = variables.iter().filter(|known| self::stem(&known.name) == stem).collect();
    if same_stem.is_empty() {
        let known: Vec<String> = variables.iter().map(|known| self::stem(&known.name).to_owned()).collect();
        let near = nearest(stem, &known);
        return Err(match &wanted.proctype {
            None => Error::NoVariable { name: wanted.text.clone(), near },
            Some(proctype) => no_values(format!("{proctype} has no local variable `{stem}`{}", hint(&near))),
        });
    }
    if same_stem.iter().any(|known| has_element(known, &wanted.name)) {
        return Ok(());
    }
    let shapes: BTreeSet<String> = same_stem.iter().map(|known| shape(known)).collect();
    let shapes: Vec<String> = shapes.into_iter().collect();
    Err(no_values(format!("the model has no such element; it has {}", shapes.join(", "))))
}

/// Whether an element or field of this name exists in the variable; `a` exists in `a[3].b`.
fn has_element(variable: &Variable, name: &str) -> bool {
    let mut rest = name;
    for part in parts(variable) {
        let Some(after) = (match part {
            Part::Field(field) => rest.strip_prefix(field),
            Part::Index { least, greatest } => rest.strip_prefix('[').and_then(|inner| {
                let (index, after) = inner.split_once(']')?;
                index.parse::<i32>().is_ok_and(|index| (least..=greatest).contains(&index)).then_some(after)
            }),
        }) else {
            return rest.is_empty();
        };
        rest = after;
    }
    rest.is_empty()
}

enum Part<'a> {
    /// With the point before it, except for the first.
    Field(&'a str),
    Index {
        least: i32,
        greatest: i32,
    },
}

/// The fields of a variable and its indices, in their order.
fn parts(variable: &Variable) -> Vec<Part<'_>> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let ends = variable.name.match_indices('.').map(|(at, _)| at).chain([variable.name.len()]);
    for (number, end) in (1..).zip(ends) {
        parts.push(Part::Field(&variable.name[from..end]));
        let indices = variable.dims.iter().zip(&variable.index_after).enumerate();
        parts.extend(indices.filter(|(_, (_, after))| **after == number).map(|(dimension, (length, _))| {
            let least = variable.least_index(dimension);
            Part::Index { least, greatest: least.saturating_add_unsigned(length.saturating_sub(1)) }
        }));
        from = end;
    }
    parts
}

/// The variable with the bounds of its indices.
fn shape(variable: &Variable) -> String {
    let text = |part: Part<'_>| match part {
        Part::Field(field) => field.to_owned(),
        Part::Index { least, greatest } => format!("[{least}..{greatest}]"),
    };
    parts(variable).into_iter().map(text).collect()
}

/// The name without elements and fields.
fn stem(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_all_its_parts() {
        let wants = |wanted: &str, owner: Option<&str>, name: &str| {
            Follow { wanted: vec![Wanted::parse(wanted)] }.wants(owner, name)
        };
        assert!(wants("a", None, "a[3]") && wants("a", Some("P(0)"), "a.b"));
        assert!(!wants("a", None, "ab"));
        for wanted in ["P(0):a", "P[0]:a", "P[0] : a", "P:a"] {
            assert!(wants(wanted, Some("P(0)"), "a"), "{wanted}");
            assert!(!wants(wanted, Some("Q(0)"), "a") && !wants(wanted, None, "a"), "{wanted}");
        }
        assert!(!wants("P(0):a", Some("P(1)"), "a") && wants("P:a", Some("P(1)"), "a"));
        assert!(wants("a[1]", None, "a[1].x") && !wants("a[1]", None, "a[2].x"));
        assert!(wants(":init::i", Some(":init:(0)"), "i") && wants("init:i", Some(":init:(0)"), "i"));
        assert!(Follow { wanted: Vec::new() }.wants(None, "x"));
    }
}
