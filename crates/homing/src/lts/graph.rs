//! `homing graph` on a labelled transition system: its states and steps, for Graphviz.

use std::collections::HashSet;
use std::fmt::Write;

use homing_lts::{EdgeId, Lts};

use super::{load, refuse, replay, trail};
use crate::bounded::{self, MOST_OF_TRAIL};
use crate::cli::GraphArgs;
use crate::console::Console;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::Output;
use crate::supervisor::Supervisor;
use crate::text::counted;

/// Draws the system, unless it is too large.
pub fn draw(args: &GraphArgs, console: &Console, supervisor: &Supervisor<'_>) -> Result<Exit, Error> {
    refuse::reading(&args.model.reading)?;
    refuse::first(&[(!args.process.is_empty(), "--process")])?;
    let lts = load::load(&args.model)?;
    if u64::from(lts.states()) > args.max_states {
        let states = counted(u64::from(lts.states()), "state");
        console.error(&format!("nothing drawn: the system has {states}; raise --max-states (with --states)"));
        return Ok(Exit::Undecided);
    }
    let mut highlighted = HashSet::new();
    if let Some(path) = &args.trail {
        let bytes =
            bounded::file(path, MOST_OF_TRAIL).map_err(|source| Error::Unreadable { path: path.clone(), source })?;
        let read = trail::parse(&bytes).map_err(|error| Error::Trail { path: path.clone(), error })?;
        let steps = replay::follow(&lts, &read).map_err(|misfit| Error::LtsMisfit { path: path.clone(), misfit })?;
        highlighted.extend(steps.iter().map(|step| step.edge.id));
    }
    let text = dot(&lts, &highlighted);
    supervisor.prints();
    let mut output = Output::open(args.output.as_deref(), &args.model.path)?;
    let _ = output.write(&text)?;
    output.finish()?;
    Ok(Exit::Holds)
}

/// The system in the dot language. A double frame marks a state without steps.
fn dot(lts: &Lts, highlighted: &HashSet<EdgeId>) -> String {
    let mut text = String::from("digraph lts {\n  node [shape=circle];\n  begin [shape=point];\n");
    let _ = writeln!(text, "  begin -> {};", lts.initial());
    for state in 0..lts.states() {
        let shape = if lts.edges(state).len() == 0 { " [shape=doublecircle]" } else { "" };
        let _ = writeln!(text, "  {state}{shape};");
        for edge in lts.edges(state) {
            let label =
                String::from_utf8_lossy(lts.labels().text(edge.label)).replace('\\', "\\\\").replace('"', "\\\"");
            let bold = if highlighted.contains(&edge.id) { " color=red penwidth=2" } else { "" };
            let _ = writeln!(text, "  {state} -> {} [label=\"{label}\"{bold}];", edge.target);
        }
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_in_dot() {
        let lts = homing_lts::read(&b"des (1,2,3)\n(0,\"a \"b\"\",1)\n(1,\"c\",2)\n"[..]).expect("a system");
        let expected = "digraph lts {\n  node [shape=circle];\n  begin [shape=point];\n  begin -> 1;\n  0;\n  \
                        0 -> 1 [label=\"a \\\"b\\\"\"];\n  1;\n  1 -> 2 [label=\"c\" color=red penwidth=2];\n  \
                        2 [shape=doublecircle];\n}\n";
        assert_eq!(dot(&lts, &HashSet::from([EdgeId(1)])), expected);
    }
}
