//! Small additions that make a model abort, or make SPIN refuse it.

use super::rng::Rng;
use super::tree::{Item, Model, Process, Stmt};

/// A process that runs into an error after which pan stops or goes on with arbitrary memory.
pub fn add_abort(rng: &mut Rng, model: &mut Model) {
    let bodies: [&[&str]; 6] = [
        &["d_step { _nr_pr > 0; _nr_pr == 9 }"],
        &["byte bad[2]", "bad[_nr_pr + 2] = 1"],
        &["chan some = [1] of { byte }", "chan none", "none!1"],
        &["byte zero", "zero = 4 / zero"],
        &["chan sync = [0] of { byte }", "sync?[1]"],
        &["chan two = [1] of { byte, byte }", "two!1"],
    ];
    let body = rng.pick(&bodies).iter().map(|text| Stmt::text(*text)).collect();
    model.items.push(process("Broken", body));
}

/// Makes `model` one that SPIN refuses.
pub fn add_fault(rng: &mut Rng, model: &mut Model) {
    let (declarations, body) = *rng.pick(&FAULTS);
    model.items.extend(declarations.lines().map(|line| Item::Text(line.to_string())));
    let body = body.lines().map(|text| Stmt::text(text.trim())).collect();
    model.items.push(process("Faulty", body));
}

/// Declarations, and the statements of a process; something in them is wrong.
const FAULTS: [(&str, &str); 46] = [
    ("", "nowhere = 1"),
    ("", "nowhere > 1"),
    ("", "run Missing(1)"),
    ("", "goto Nowhere"),
    ("", "break"),
    ("", "if :: else :: else fi"),
    ("", "do :: if :: _nr_pr > 1 :: else fi :: else -> break od"),
    ("", "do :: skip od"),
    ("byte twice; byte twice;", "skip"),
    ("proctype Same() { skip }\nproctype Same() { skip }", "skip"),
    ("chan wide = [1] of { byte };", "wide!1,2"),
    ("chan two = [1] of { byte, byte };", "byte x\ntwo?x,x"),
    ("typedef F { byte x };\nF f;", "f.y = 1"),
    ("typedef F { byte x };\nF f;", "f = 1"),
    ("byte flat;", "flat.x = 1"),
    ("byte flat;", "flat[1] = 1"),
    ("byte deep[2];", "deep = 1"),
    ("byte none[0];", "skip"),
    ("inline once(a) { a = 1 }", "byte b\nonce(b, b)"),
    ("inline once(a) { a = 1 }", "once()"),
    ("", "byte b\nb = = 1"),
    ("", "byte b\nb = b++"),
    ("", "byte b\nb = 1 +"),
    ("", "L: skip\nL: skip"),
    ("", "L: goto L"),
    ("", "goto L\nd_step { skip; L: skip }"),
    ("", "byte b\ndo :: b < 2 -> b++ :: else -> break od\nd_step { b = 1; b = 2 }"),
    ("unsigned broad : 33;", "skip"),
    ("byte narrow : 3;", "skip"),
    ("unsigned few[2] : 3;", "skip"),
    ("hidden bit secret;", "skip"),
    ("", "byte i\nfor (i : 3 .. 1) { skip }"),
    ("", "d_step { skip; run Faulty() }"),
    ("", "byte x\nbyte x\nx = 1"),
    ("proctype Ghost(byte a) { skip }", "run Ghost(1, 2)"),
    ("", "np_"),
    ("", "if :: skip"),
    ("", "if :: fi"),
    ("", "atomic { L: skip; skip }"),
    ("mtype = { fixed };", "fixed = 1"),
    ("mtype = { fixed };\nmtype = { fixed };", "skip"),
    ("chan q = [1] of { byte };", "!full(q)"),
    ("chan q = [1] of { byte };", "byte x\nx = (full(q) -> 1 : 0)"),
    ("typedef F { byte x[2] };\nproctype Ghost(F f) { skip }", "skip"),
    ("active proctype Other() { skip }", "Other@Nowhere"),
    ("chan empty_message = [1] of { };", "skip"),
];

fn process(name: &str, body: Vec<Stmt>) -> Item {
    Item::Process(Process {
        name: Some(name.to_string()),
        active: 1,
        parameters: String::new(),
        priority: None,
        provided: None,
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Parentheses, Separator, Style};
    use super::*;
    use crate::spin::{Answer, Limits, Spin};

    #[test]
    fn spin_refuses_every_fault() {
        let spin = Spin { limits: Limits::small(), cache: None };
        let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::All };
        for (declarations, body) in FAULTS {
            let body = body.lines().map(|text| Stmt::text(text.trim())).collect();
            let items = vec![Item::Text(declarations.to_string()), process("Faulty", body)];
            let text = Model { style, items }.to_string();
            let answer = spin.ask_text(&text).expect("spin runs");
            assert!(matches!(answer, Answer::Refused(_)), "{answer:?}\n{text}");
        }
    }
}
