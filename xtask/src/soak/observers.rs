//! Models of few processes that observe each other: remote references, `provided` clauses, deterministic process types, traces, and
//! conditions that may be taken as invariants.

use crate::generate::Model;
use crate::generate::rng::Rng;
use crate::generate::tree::{Item, Parentheses, Separator, Style};

/// A model, and a condition over it.
pub fn observers(rng: &mut Rng) -> (Model, String) {
    let processes = rng.between(2, 4);
    let mut writer = Writer { rng, at: processes };
    let mut texts = vec![
        "byte x, y; bool go = true;".to_owned(),
        "chan c = [1] of { byte }; chan d = [2] of { byte }; chan r = [0] of { byte };".to_owned(),
    ];
    if writer.rng.chance(25) {
        texts.push(writer.trace());
    }
    for at in 0..processes {
        writer.at = at;
        texts.push(writer.process());
    }
    writer.at = processes;
    let invariant = match writer.rng.below(3) {
        0 => format!("!({} && {})", writer.condition(), writer.condition()),
        1 => format!("{} || {}", writer.condition(), writer.condition()),
        _ => writer.condition(),
    };
    // a label that is referred to has a location of its own, which must not depend on who refers to it
    let labels: Vec<String> = (0..processes).map(|at| format!("P{at}@there")).collect();
    texts.push(format!("proctype Never() {{ {} }}", labels.join("; ")));
    let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::Needed };
    (Model { style, items: texts.into_iter().map(Item::Text).collect() }, invariant)
}

struct Writer<'r> {
    rng: &'r mut Rng,
    /// The process that is being written; the number of processes after that.
    at: usize,
}

impl Writer<'_> {
    fn word(&mut self, words: &[&'static str]) -> String {
        self.rng.word(words).to_owned()
    }

    fn trace(&mut self) -> String {
        let kind = self.word(&["trace", "notrace"]);
        let count = self.rng.between(1, 3);
        let events: Vec<String> =
            (0..count).map(|_| self.word(&["c!_", "c?_", "d!_", "d?_", "r!_", "r?_", "d!1"])).collect();
        let body = events.join("; ");
        if kind == "trace" && self.rng.chance(50) {
            format!("trace {{ do :: {body} od }}")
        } else {
            format!("{kind} {{ {body} }}")
        }
    }

    fn process(&mut self) -> String {
        let (at, kind) = (self.at, if self.rng.chance(25) { "D_proctype" } else { "proctype" });
        let clause = if self.rng.chance(25) {
            format!("provided ({}) ", self.word(&["go", "x < 2", "y != 1", "len(d) < 2", "!go"]))
        } else {
            String::new()
        };
        let count = self.rng.between(1, 4);
        let label = self.rng.below(count);
        let statements: Vec<String> = (0..count)
            .map(|nth| format!("{}{}", if nth == label { "there: " } else { "" }, self.statement(0)))
            .collect();
        format!("active {kind} P{at}() {clause}{{ byte l; {} }}", statements.join("; "))
    }

    fn statement(&mut self, depth: u8) -> String {
        match self.rng.below(if depth < 2 { 12 } else { 8 }) {
            0 | 1 => self.word(&["l = 1", "l = 2", "l++", "l = 0"]),
            2 => self.word(&["x = 1", "y = 1", "x = y", "y = l", "x = 2"]),
            3 => self.word(&["x++", "y++", "go = false", "go = true", "go = !go"]),
            4 => self.word(&["c!1", "d!0", "d!1", "d!!1", "r!1", "c!l"]),
            5 => self.word(&["c?l", "d?l", "d?1", "d??1", "d?<l>", "r?l", "r?1", "c?x"]),
            6 => format!("({})", self.condition()),
            7 => format!("assert({})", self.condition()),
            8 | 9 => self.selection(depth),
            10 => format!("do {}{}:: {} -> break od", self.option(depth), self.option(depth), self.condition()),
            _ => {
                // no loop: its ways through would be too many
                let second = if self.rng.chance(50) { self.statement(2) } else { self.selection(2) };
                format!("atomic {{ {}; {second} }}", self.statement(2))
            }
        }
    }

    fn selection(&mut self, depth: u8) -> String {
        let otherwise = if self.rng.chance(50) { " :: else" } else { "" };
        format!("if {}{}{otherwise} fi", self.option(depth), self.option(depth))
    }

    fn option(&mut self, depth: u8) -> String {
        match self.rng.below(3) {
            0 => format!(":: {} ", self.statement(2)),
            1 => format!(":: {} -> {} ", self.condition(), self.statement(depth + 1)),
            _ => format!(":: {} ", self.condition()),
        }
    }

    fn condition(&mut self) -> String {
        match self.rng.below(8) {
            0 => self.word(&["x == 0", "x == 1", "x == 2"]),
            1 => self.word(&["y == 1", "y == 0"]),
            2 => self.word(&["go", "!go", "_nr_pr < 3", "_nr_pr == 2"]),
            3 => self.word(&["nempty(c)", "empty(d)", "full(c)", "len(d) == 1"]),
            4 if self.at > 0 => format!("P{}:l == {}", self.rng.below(self.at), self.rng.below(3)),
            5 => format!("x == {} && y == {}", self.rng.below(2), self.rng.below(3)),
            _ => {
                let seen = self.rng.below(self.at.max(1));
                let named = if self.rng.chance(25) {
                    format!("P{seen}[{}]@there", self.rng.below(2))
                } else {
                    format!("P{seen}@there")
                };
                if self.rng.chance(50) { format!("!{named}") } else { named }
            }
        }
    }
}
