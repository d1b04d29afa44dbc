//! The transition tables that lowering makes, beside those of `pan -d`.

mod comparison;

use std::collections::HashMap;
use std::collections::HashSet;
use std::fmt;

use homing_ir::print::Printer;
use homing_ir::{Action, Automaton, Model, ProctypeId};

use crate::spin::Merging;
pub use comparison::{Comparison, compare, compare_example, compare_random, report};

/// One transition, as `pan -d` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row {
    pub proctype: String,
    pub from: u32,
    pub to: u32,
    /// SPIN's number of the transition in trails.
    pub id: u32,
    pub atomic: bool,
    pub d_step: bool,
    /// The state of the escape it belongs to.
    pub escape: u32,
    pub end: bool,
    pub line: u32,
    pub text: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { proctype, from, to, id, atomic, d_step, escape, end, line, text } = self;
        write!(f, "{proctype} {from} -> {to} id {id}")?;
        for (holds, word) in [(*atomic, " atomic"), (*d_step, " d_step"), (*end, " end")] {
            f.write_str(if holds { word } else { "" })?;
        }
        write!(f, "{} line {line}: {text}", if *escape > 0 { format!(" escape {escape}") } else { String::new() })
    }
}

/// Reads the tables of `pan -d`; traces are left out.
pub fn of_pan(output: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut proctype = None;
    for line in output.lines() {
        if let Some(name) = line.strip_prefix("proctype ") {
            proctype = Some(name.to_owned());
        } else if line == "init" {
            proctype = Some(":init:".to_owned());
        } else if let Some(name) = line.strip_prefix("claim ") {
            proctype = Some(name.to_owned());
        } else if line.ends_with("trace assertion") {
            proctype = None;
        } else if let (Some(proctype), Some(row)) = (&proctype, line.strip_prefix("\tstate ")) {
            rows.extend(row_of(proctype, row));
        }
    }
    rows
}

/// `19 -(tr   8)-> state   5  [id   3 tp   2 org   4] [--e-G] u.pml:3 => ((x>3))`
fn row_of(proctype: &str, row: &str) -> Option<Row> {
    let (from, rest) = row.split_once(" -(tr")?;
    let (_, rest) = rest.split_once(")-> state")?;
    let (to, rest) = rest.split_once("[id")?;
    let (id, rest) = rest.split_once("tp")?;
    let (numbers, rest) = rest.split_once("] [")?;
    let (flags, rest) = rest.split_once("] ")?;
    let (place, text) = rest.split_once(" => ")?;
    let escape = numbers.split_once("org").and_then(|(_, state)| state.trim().parse().ok()).unwrap_or(0);
    // A d_step inside an atomic sequence is shown as atomic.
    let d_step = flags.starts_with('D') || text.starts_with("D_STEP");
    Some(Row {
        proctype: proctype.to_owned(),
        from: from.trim().parse().ok()?,
        to: to.trim().parse().ok()?,
        id: id.trim().parse().ok()?,
        atomic: flags.starts_with('A'),
        d_step,
        escape,
        end: flags.contains('e'),
        line: place.rsplit_once(':')?.1.parse().ok()?,
        text: text.trim_end().to_owned(),
    })
}

/// The same of a model: the states that can be reached from the start of each process type and claim.
pub fn of_model(model: &Model, merging: Merging) -> Vec<Row> {
    let processes = model.proctypes.iter().zip(0..).map(|(p, id)| (&p.name, &p.automaton, Some(ProctypeId(id))));
    let claims = model.claims.iter().map(|claim| (&claim.name, &claim.automaton, None));
    let automata = processes.chain(claims);
    automata
        .flat_map(|(name, automaton, id)| of_automaton(name, automaton, Printer { model, proctype: id }, merging))
        .collect()
}

fn of_automaton(name: &str, automaton: &Automaton, printer: Printer, merging: Merging) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![automaton.start];
    while let Some(from) = waiting.pop() {
        if from == 0 || !seen.insert(from) {
            continue;
        }
        let location = automaton.location(from);
        for &transition in &location.transitions {
            let transition = match merging {
                Merging::Off => transition,
                Merging::On => automaton.merged(transition),
            };
            let statement = automaton.statement(transition.statement);
            rows.push(Row {
                proctype: name.to_owned(),
                from,
                to: transition.target,
                id: automaton.trail_id(transition.statement),
                atomic: transition.atomic,
                d_step: matches!(statement.action, Action::DStep(_)),
                escape: transition.escape,
                end: location.labels.end,
                line: location.place.line,
                text: printer.action(&statement.action),
            });
            waiting.push(transition.target);
        }
    }
    rows
}

/// What the two lists do not have in common: rows only SPIN has, rows only homing has. Text and line are not compared.
pub fn difference(spin: &[Row], homing: &[Row]) -> (Vec<Row>, Vec<Row>) {
    let key = |row: &Row| Row { text: String::new(), line: 0, ..row.clone() };
    let count = |rows: &[Row]| {
        let mut counts: HashMap<Row, usize> = HashMap::new();
        rows.iter().for_each(|row| *counts.entry(key(row)).or_default() += 1);
        counts
    };
    let (ours, theirs) = (count(homing), count(spin));
    let missing = |rows: &[Row], other: &HashMap<Row, usize>| {
        rows.iter().filter(|row| !other.contains_key(&key(row))).cloned().collect::<Vec<_>>()
    };
    (missing(spin, &ours), missing(homing, &theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_pan_is_read() {
        let output =
            "proctype A\n\tstate  19 -(tr   8)-> state   5  [id   3 tp   2 org   4] [--e-G] u.pml:3 => ((x>3))\n";
        let expected = Row {
            proctype: "A".to_owned(),
            from: 19,
            to: 5,
            id: 3,
            atomic: false,
            d_step: false,
            escape: 4,
            end: true,
            line: 3,
            text: "((x>3))".to_owned(),
        };
        assert_eq!(of_pan(output), [expected]);
    }
}
