//! Processes that are created while others run, and wait at a rendezvous at once: their creation makes a send beside an `else`
//! executable, so that the `else` is not.

use super::rng::Rng;
use super::tree::Item;

/// A process that creates a partner, and one that looks for a partner on the rendezvous channel `c`; where there is none yet, it
/// does `effect`, which may use the variable `missed`.
pub fn late_partner(rng: &mut Rng, effect: &str) -> Vec<Item> {
    let (own, others) = if rng.chance(50) { ("!1", "?_") } else { ("?_", "!1") };
    let by_parameter = rng.chance(30);
    let (parameter, channel, argument) = if by_parameter { ("chan k", "k", "c") } else { ("", "c", "") };
    let meet = format!("{channel}{others}");
    let late = *rng.pick(&[
        "do :: MEET od",
        "do :: MEET od",
        "do :: MEET od",
        "MEET",
        "byte m; m = 1; MEET",
        "{ MEET } unless { b2 == 1 }",
        "end: MEET; b2 = 1",
    ]);
    let before = *rng.pick(&["", "", "", "byte l; l = 1; ", "byte l; b2 = 0; l = 1; "]);
    let run = format!("run Late({argument})");
    let run = if rng.chance(30) { format!("atomic {{ b2 = 0; {run} }}") } else { run };
    let after = *rng.pick(&["", "; do :: b2 = 1 - b2 od", "; b2 = 1"]);
    let look = match rng.below(3) {
        0 => format!("do :: c{own} :: else -> {effect} od"),
        1 => format!("do :: atomic {{ if :: c{own} :: else -> {effect} fi }} od"),
        _ => format!("if :: c{own} -> b2 = 1 :: else -> {effect} fi"),
    };
    let lines = [
        "bit b2, missed;".to_owned(),
        format!("proctype Late({parameter}) {{ {} }}", late.replace("MEET", &meet)),
        format!("active proctype Starter() {{ {before}{run}{after} }}"),
        format!("active proctype Seeking() {{ {look} }}"),
    ];
    lines.map(Item::Text).into()
}
