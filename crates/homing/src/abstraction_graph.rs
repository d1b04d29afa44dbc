//! `homing graph --abstraction`: the abstract system whose distances direct a search, for Graphviz.

use std::fmt::Write;

use homing_core::{StopToken, ViolationKind};
use homing_heuristics::{AbstractionOptions, Drawing, Goal, LastProduct, ModelAbstraction, Supervision};
use homing_ir::{Model, Reduced};

use crate::cli::GraphArgs;
use crate::text::counted;

/// What the drawing means.
const LEGEND: &str = "a circle is a class of states, with its distance to an error (-: none is reachable); \
                      double: an error; bold: the start";

const KINDS: [ViolationKind; 3] =
    [ViolationKind::Assertion, ViolationKind::InvalidEndState, ViolationKind::RuntimeError];

/// The graph, or why it is not drawn. The model is the reduced copy that a search would explore; its invariants and all kinds of
/// errors count.
pub fn dot(args: &GraphArgs, model: &Model) -> Result<String, String> {
    let reduced = Reduced::of(model);
    // A search leaves the last product as it is, for more precise distances; it would have too many states to be drawn.
    let usual = AbstractionOptions { last_product: LastProduct::Abstracted, ..AbstractionOptions::default() };
    let options = AbstractionOptions { bound: args.bound.unwrap_or(usual.bound), ..usual };
    let goal = match reduced.model.invariants.first() {
        Some(invariant) => Goal::Invariant(&invariant.expr),
        None => Goal::Errors(&KINDS),
    };
    let unwatched = Supervision { stop: &StopToken::default(), show: &mut |_| () };
    let abstraction = ModelAbstraction::new(&reduced.model, goal, &options, unwatched);
    let abstraction = abstraction.map_err(|reason| format!("the model has no factored form, because {reason}"))?;
    let drawings = abstraction.drawings();
    let classes: u64 = drawings.iter().map(|drawing| drawing.system.distances.len() as u64).sum();
    if classes > args.max_states {
        let found = counted(classes, "class").replace("classs", "classes");
        return Err(format!("the abstraction has {found}; give a smaller --bound or a larger --max-states"));
    }
    let mut text = format!(
        "digraph abstraction {{\n  graph [fontname=\"Helvetica\", fontsize=11, label=\"{LEGEND}\"];\n  node [shape=circle, fontname=\"Helvetica\"];\n"
    );
    for (number, drawing) in drawings.iter().enumerate() {
        draw(&mut text, number, drawing);
    }
    text.push_str("}\n");
    Ok(text)
}

/// Draws one abstract system: a node for each class with its distance, the goals in double frames, one edge for each pair of classes.
fn draw(text: &mut String, number: usize, Drawing { name, factors, system }: &Drawing) {
    let parts: Vec<&str> = system.factors.iter().map(|factor| factors[factor.0 as usize].as_str()).collect();
    let title = format!("{name}: {}", parts.join(", ")).replace(['"', '\\'], " ");
    let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label=\"{title}\";");
    for (class, (distance, is_goal)) in system.distances.iter().zip(&system.goals).enumerate() {
        let distance = distance.map_or("-".to_owned(), |distance| distance.to_string());
        let frame = if *is_goal { ", shape=doublecircle" } else { "" };
        let start = if system.initial.contains(&(class as u32)) { ", style=bold" } else { "" };
        let _ = writeln!(text, "    s{number}_{class} [label=\"{distance}\"{frame}{start}];");
    }
    let mut edges: Vec<(u32, u32)> = system.transitions.iter().map(|edge| (edge.from, edge.to)).collect();
    edges.dedup();
    for (from, to) in edges {
        let _ = writeln!(text, "    s{number}_{from} -> s{number}_{to};");
    }
    text.push_str("  }\n");
}
