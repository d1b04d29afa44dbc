//! A counterexample as text: its length, its steps, the cause of the error, and the last state.

use std::fmt::Write;

use homing_check::model::{Counterexample, Cycle, LeftOut, LengthUnit, Observation, Share};
use homing_report::{MarkKind, TextLine};

use crate::console::Look;
use crate::link::link;
use crate::text::{Detail, counted};

/// About as many steps are printed without `--verbose`.
const MOST_STEPS: usize = 30;

/// The indentation of the steps.
const INDENT: usize = 4;

/// A line of steps with its colours and links.
pub fn painted(line: &TextLine, look: Look) -> String {
    let paint = look.paint;
    let (mut text, mut at) = (String::new(), 0);
    for mark in &line.marks {
        let inside = &line.text[mark.range.clone()];
        text.push_str(&line.text[at..mark.range.start]);
        match &mark.kind {
            MarkKind::Place { source, line } if look.links => text.push_str(&link(inside, source, *line)),
            MarkKind::Changes if !line.is_faint => text.push_str(&paint.changed(inside)),
            MarkKind::Place { .. } | MarkKind::Changes => text.push_str(inside),
        }
        at = mark.range.end;
    }
    text.push_str(&line.text[at..]);
    if line.is_faint { paint.faint(&text) } else { text }
}

/// Appends a counterexample.
pub fn put(text: &mut String, found: &Counterexample, detail: Detail, look: Look) {
    let paint = look.paint;
    let place = found.place().map(|place| format!("at {place}"));
    let process = found.process().map(|process| format!("in {process}"));
    let at: Vec<String> = place.into_iter().chain(process).collect();
    if !at.is_empty() {
        let _ = writeln!(text, "  {}", at.join(" "));
    }
    let _ = writeln!(text, "  {}", length_text(found));
    if let Some(folded) = found.cycle.as_ref().and_then(|cycle| cycle.folded) {
        let statements = counted(folded as u64, "statement");
        let _ = writeln!(text, "  without the never claim the same run takes {statements}");
    }
    let everything = detail == Detail::Everything;
    let width = look.width_after(INDENT);
    let lines = if everything { found.story.text(width) } else { found.story.folded_text(MOST_STEPS, width) };
    if !lines.is_empty() {
        text.push('\n');
        for line in &lines {
            let _ = writeln!(text, "{:INDENT$}{}", "", painted(line, look));
        }
        let shown = lines.iter().filter(|line| line.text.contains(" left out)")).count();
        if !everything && shown > 0 {
            let _ = writeln!(text, "  {}", paint.faint("(--verbose shows all steps)"));
        }
    }
    if let Some(cycle) = &found.cycle {
        cycle_part(text, &cycle.observed, cycle.start < found.length as usize);
    }
    let last = if everything { &found.last } else { &found.last_changed };
    for (title, lines) in [("why", &found.why.lines(everything)), ("final state", last)] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n  {title}:");
            lines.iter().for_each(|line| {
                let _ = writeln!(text, "    {line}");
            });
        }
    }
}

/// How long the run is, and whether that is the minimum.
fn length_text(found: &Counterexample) -> String {
    let statements = |count: usize| counted(count as u64, found.unit.word());
    let length = match &found.cycle {
        None if found.unit == LengthUnit::Transitions => statements(found.length as usize),
        None => format!("{} ({})", statements(found.length as usize), counted(found.moves as u64, "move")),
        Some(Cycle { start, .. }) if *start == found.length as usize => {
            format!("{}, then nothing moves any more", statements(*start))
        }
        Some(Cycle { start, .. }) => {
            format!("{}, then a cycle of {}", statements(*start), statements(found.length as usize - start))
        }
    };
    let shortest = match (found.shortest, &found.cycle, found.at_least) {
        (true, Some(Cycle { folded: Some(_), .. }), _) => "shortest possible with the moves of the never claim",
        (true, ..) => "shortest possible",
        (false, _, None | Some(0)) => "not proved shortest",
        (false, _, Some(least)) => &format!("not proved shortest; at least {least}"),
    };
    format!("{length}; {shortest}")
}

/// What holds in a cycle, and who does not move in it.
pub fn cycle_part(text: &mut String, observed: &Observation, moves: bool) {
    let left_out = if moves { &observed.left_out[..] } else { &[] };
    if !observed.propositions.is_empty() || !left_out.is_empty() {
        text.push_str("\n  in the cycle:\n");
    }
    for (proposition, share) in &observed.propositions {
        let holds = match share {
            Share::All => "always holds",
            Share::Some => "holds sometimes",
            Share::None => "never holds",
        };
        let _ = writeln!(text, "    {proposition}  {holds}");
    }
    for LeftOut { process, can_move, waits } in left_out {
        let excluded = match (can_move, waits) {
            (Share::All, _) => "does not move though it always can: --fairness weak excludes this cycle",
            (Share::Some, _) => "does not move though it sometimes can: --fairness strong excludes this cycle",
            (Share::None, None) => "cannot move",
            (Share::None, Some(waits)) => &format!("cannot move; it waits at {waits}"),
        };
        let _ = writeln!(text, "    {process}  {excluded}");
    }
}
