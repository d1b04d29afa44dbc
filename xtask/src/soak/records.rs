//! Models with structures whose fields have initial values or are channels, declared where SPIN treats declarations differently: as
//! globals, at the head of a body, after statements, in blocks and loops.

use crate::generate::Model;
use crate::generate::rng::Rng;
use crate::generate::tree::{Item, Parentheses, Separator, Style};

/// A model with structures.
pub fn records(rng: &mut Rng) -> Model {
    let mut writer = Writer { rng, variables: 0 };
    let mut texts = writer.types();
    texts.push("byte x;".to_owned());
    if writer.rng.chance(40) {
        texts.push(format!("{};", writer.declaration("g")));
    }
    for at in 0..writer.rng.between(1, 2) {
        texts.push(format!("active proctype P{at}() {{ {} }}", writer.body()));
    }
    let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::Needed };
    Model { style, items: texts.into_iter().map(Item::Text).collect() }
}

struct Writer<'r> {
    rng: &'r mut Rng,
    /// Variables so far: their names are distinct in the whole model.
    variables: usize,
}

impl Writer<'_> {
    /// Two structures, `S` inside `T`.
    fn types(&mut self) -> Vec<String> {
        let word = self.rng.word(&["byte", "byte", "short", "int", "unsigned f : 3", "bool"]);
        let first = if word.contains(':') { format!("{word} = 1") } else { format!("{word} f = 1") };
        let value = self.rng.below(4);
        let channel = format!("; chan c = [{}] of {{ byte }}", self.rng.between(1, 2));
        let array = if self.rng.chance(50) { format!("byte h[2] = {value}") } else { "byte h[2]".to_owned() };
        let before = self.rng.chance(50);
        let inner = if before { format!("{array}; {first}{channel}") } else { format!("{first}; {array}{channel}") };
        let nested = self.rng.word(&["S s", "S s; S k[2]", "byte z = 2; S s", "S s; bool z = 1"]);
        vec![format!("typedef S {{ {inner} }};"), format!("typedef T {{ {nested} }};")]
    }

    fn declaration(&mut self, name: &str) -> String {
        match self.rng.below(4) {
            0 => format!("S {name}"),
            1 => format!("S {name}[2]"),
            2 => format!("T {name}"),
            _ => format!("T {name}[2]"),
        }
    }

    /// A declaration with statements about what it declares.
    fn declared(&mut self) -> String {
        self.variables += 1;
        let name = format!("r{}", self.variables);
        let declaration = self.declaration(&name);
        let element = if declaration.ends_with(']') { format!("{name}[{}]", self.rng.below(2)) } else { name };
        let path = if declaration.starts_with('T') { format!("{element}.s") } else { element };
        let count = self.rng.between(1, 3);
        let uses: Vec<String> = (0..count)
            .map(|_| {
                let value = self.rng.below(4);
                match self.rng.below(10) {
                    0 => format!("assert({path}.f == {value})"),
                    1 => format!("assert({path}.f != {value})"),
                    2 => format!("assert({path}.h[1] != {value})"),
                    3 => format!("x = {path}.f"),
                    4 => format!("x = {path}.h[0]"),
                    5 => format!("{path}.f = x"),
                    6 => format!("{path}.h[x & 1]++"),
                    7 => format!("{path}.f == {}", value & 1),
                    8 => format!("x = len({path}.c)"),
                    _ => format!("assert(nfull({path}.c)); {path}.c!x"),
                }
            })
            .collect();
        format!("{declaration}; {}", uses.join("; "))
    }

    fn body(&mut self) -> String {
        let count = self.rng.between(1, 3);
        let parts: Vec<String> = (0..count).map(|_| self.part()).collect();
        parts.join("; ")
    }

    fn part(&mut self) -> String {
        let declared = self.declared();
        match self.rng.below(9) {
            0 | 1 => declared,
            2 => format!("x = 1; {declared}"),
            3 => format!("skip; {{ {declared} }}"),
            4 => format!("atomic {{ {declared} }}"),
            5 => format!("do :: x < 3 -> {declared}; x++ :: x > 2 -> break od"),
            6 => format!("do :: x < 2 -> x++; {{ {declared}; x++ }} :: x > 1 -> break od"),
            7 => format!("if :: {declared} :: x = 2 fi"),
            _ => format!("skip; d_step {{ skip; {declared} }}"),
        }
    }
}
