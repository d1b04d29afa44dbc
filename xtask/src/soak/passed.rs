//! Models of processes that pass channels of their own on to those that they create, and end: a process that has ended stays, with its
//! channels, until all younger ones are gone.

use crate::generate::Model;
use crate::generate::rng::Rng;
use crate::generate::tree::{Item, Parentheses, Separator, Style};

/// A model whose `init` creates channels and processes.
pub fn passed(rng: &mut Rng) -> Model {
    let mut writer = Writer { types: rng.between(1, 3), has_middle: rng.chance(30), rng };
    let mut texts = vec!["byte x, go;".to_owned()];
    if writer.has_middle {
        texts.push(writer.middle());
    }
    for at in 0..writer.types {
        texts.push(writer.user(at));
    }
    if writer.rng.chance(25) {
        let body = writer.statements(2, OF_GLOBALS);
        texts.push(format!("active proctype Elder() {{ byte l; {body} }}"));
    }
    texts.push(writer.init());
    let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::Needed };
    Model { style, items: texts.into_iter().map(Item::Text).collect() }
}

/// Statements of processes that know no channel.
const OF_GLOBALS: &[&str] = &["x = 1", "x++", "go = 1", "go == 1", "x == 1", "l = x", "assert(x < 2)", "_nr_pr < 3"];

/// Statements of processes that know the channels `a` and `b`, which may be the same.
const OF_USERS: &[&str] = &[
    "a!1",
    "a!0",
    "a!l",
    "b!1",
    "a?l",
    "a?_",
    "a?1",
    "b?l",
    "x = l",
    "x = 1",
    "x++",
    "x == 1",
    "go = 1",
    "go == 1",
    "l++",
    "assert(l != 1)",
    "assert(x != 2)",
    "_nr_pr == 2",
    "_nr_pr < 4",
    "len(a) == 0",
    "if :: a!1 :: x = 1 fi",
    "if :: a?l :: b?l fi",
    "if :: x == 1 -> a!1 :: else fi",
    "if :: a!1; a!1 :: x = 1; x = 2; assert(x != 2) fi",
    "do :: a?l -> x = l :: x == 1 -> break od",
    "atomic { a?l; x = l }",
    "atomic { a!1; x++ }",
    "d_step { x = l; l = 0 }",
];

struct Writer<'r> {
    rng: &'r mut Rng,
    /// The number of process types that are passed channels.
    types: usize,
    /// There is a process type `M` that makes a channel of its own and creates a process.
    has_middle: bool,
}

impl Writer<'_> {
    fn statements(&mut self, most: usize, words: &[&'static str]) -> String {
        let count = self.rng.between(1, most);
        (0..count).map(|_| self.rng.word(words)).collect::<Vec<_>>().join("; ")
    }

    /// A process type that is passed channels.
    fn user(&mut self, at: usize) -> String {
        let body = self.statements(4, OF_USERS);
        let label = if self.rng.chance(25) { "end: " } else { "" };
        format!("proctype U{at}(chan a; chan b) {{ byte l; {label}{body} }}")
    }

    /// A process type that passes on a channel of its own beside the one that it is passed.
    fn middle(&mut self) -> String {
        let own = self.channel("own");
        let (before, after) = (self.statements(1, OF_USERS), self.statements(2, OF_USERS));
        let before = if self.rng.chance(50) { format!("{before}; ") } else { String::new() };
        let run = self.run(&["own", "a", "b"]);
        let after = if self.rng.chance(50) { format!("; {after}") } else { String::new() };
        format!("proctype M(chan a; chan b) {{ {own}; byte l; {before}{run}{after} }}")
    }

    fn channel(&mut self, name: &str) -> String {
        let capacity = self.rng.weighted(&[(3, 0), (5, 1), (3, 2)]);
        format!("chan {name} = [{capacity}] of {{ {} }}", self.rng.word(&["byte", "byte", "int", "bit"]))
    }

    /// The creation of a process that is passed two of the channels.
    fn run(&mut self, channels: &[&'static str]) -> String {
        let (one, two) = (self.rng.word(channels), self.rng.word(channels));
        format!("run U{}({one}, {two})", self.rng.below(self.types))
    }

    fn init(&mut self) -> String {
        let two = self.rng.chance(40);
        let mut parts = vec![self.channel("a")];
        parts.push(if two { self.channel("b") } else { "chan b = a".to_owned() });
        parts.push("byte l".to_owned());
        for _ in 0..self.rng.between(1, 3) {
            let run =
                if self.has_middle && self.rng.chance(50) { "run M(a, b)".to_owned() } else { self.run(&["a", "b"]) };
            let again = self.rng.chance(15);
            parts.push(match self.rng.below(4) {
                0 if again => format!("do :: _nr_pr < 4 -> {run} :: break od"),
                0 => format!("atomic {{ {run}; {} }}", self.run(&["a", "b"])),
                _ => run,
            });
            if self.rng.chance(40) {
                parts.push(self.statements(2, OF_USERS));
            }
        }
        format!("init {{ {} }}", parts.join("; "))
    }
}
