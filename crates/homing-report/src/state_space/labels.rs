//! The texts of states and steps in the graph of a state space.

use homing_core::{Description, ProcessDescription, SourcePlace, Valued};

use super::DrawnStep;
use crate::StoryStep;

/// All values of a state, a line for each global and each process.
pub fn whole(description: &Description) -> Vec<String> {
    let processes = description.processes.iter().map(|process| in_line(process, &process.locals));
    description.globals.iter().map(Valued::to_string).chain(processes).collect()
}

/// The lines in which a state differs from the initial one.
pub fn difference(description: &Description, initial: &Description) -> Vec<String> {
    let differing = |values: &[Valued], before: &[Valued]| -> Vec<Valued> {
        let values = values.iter().enumerate();
        values.filter(|(at, value)| before.get(*at) != Some(value)).map(|(_, value)| value.clone()).collect()
    };
    let globals = differing(&description.globals, &initial.globals);
    let mut lines: Vec<String> = globals.iter().map(Valued::to_string).collect();
    for (pid, process) in description.processes.iter().enumerate() {
        let before = initial.processes.get(pid).filter(|before| before.process == process.process);
        let locals = differing(&process.locals, before.map_or(&[], |before| &before.locals));
        if before.is_none_or(|before| before.location != process.location) || !locals.is_empty() {
            lines.push(in_line(process, &locals));
        }
    }
    let ended = initial.processes.iter().skip(description.processes.len());
    lines.extend(ended.map(|process| format!("{} has ended", process.process)));
    lines
}

/// A process on one line, with these of its locals.
fn in_line(process: &ProcessDescription, locals: &[Valued]) -> String {
    let ProcessDescription { process, place: SourcePlace { line, .. }, location, name, .. } = process;
    let locals: String = locals.iter().map(|local| format!(", {local}")).collect();
    match name {
        Some(name) => format!("{process} at {name}{locals}"),
        None => format!("{process} at {location} (line {line}){locals}"),
    }
}

/// The statements of a step, each with its process where that changes.
pub fn statements(step: &DrawnStep) -> Vec<String> {
    let mut lines = Vec::new();
    let mut before = None;
    for StoryStep { process, statement, .. } in &step.statements {
        lines.push(match before {
            Some(same) if same == process => format!("  {statement}"),
            _ => format!("{process}: {statement}"),
        });
        before = Some(process);
    }
    lines
}

/// All kept statements of a step, with their places.
pub fn tooltip(step: &DrawnStep) -> String {
    let mut lines: Vec<String> = (step.statements.iter())
        .map(|StoryStep { process, place, statement, .. }| format!("{process} {place}  {statement}"))
        .collect();
    if step.length > lines.len() {
        lines.push(format!("… {} more", step.length - lines.len()));
    }
    lines.join("\n")
}
