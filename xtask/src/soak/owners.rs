//! Models of processes that create channels: one number stands for channels of different kinds, in different states.

use crate::generate::Model;
use crate::generate::rng::Rng;
use crate::generate::tree::{Item, Parentheses, Separator, Style};

/// A model of process types with channels of their own, and of readers to which these are passed.
pub fn owners(rng: &mut Rng) -> Model {
    let (types, readers) = (rng.between(2, 3), rng.between(1, 2));
    let mut texts = vec![format!("byte x; chan n = [{}] of {{ chan }};", rng.below(2))];
    texts.extend((0..readers).map(|at| reader(rng, at)));
    texts.push(creator(rng, types, readers));
    texts.extend((0..types).map(|at| owner(rng, at)));
    let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::Needed };
    Model { style, items: texts.into_iter().map(Item::Text).collect() }
}

fn statements(rng: &mut Rng, most: usize, words: &[&'static str]) -> String {
    let count = rng.between(1, most);
    (0..count).map(|_| rng.word(words)).collect::<Vec<_>>().join("; ")
}

/// A process type whose processes pass on the channels that they create.
fn owner(rng: &mut Rng, at: usize) -> String {
    let more = if rng.chance(30) { format!("chan more = [{}] of {{ byte }}; ", rng.below(2)) } else { String::new() };
    let own = format!("chan own = [{}] of {{ byte }}; ", rng.below(3));
    let channels = if rng.chance(50) { more + &own } else { own + &more };
    let body = statements(
        rng,
        4,
        &[
            "own?l",
            "own?1",
            "own?l",
            "own!a",
            "x = a",
            "x++",
            "x = l",
            "assert(x < 2)",
            "assert(l != 1)",
            "x == 1",
            "len(own) == 0",
            "if :: own?l :: else -> x = 1 fi",
            "if :: own?1 -> x = 2 :: own?2 -> skip fi",
            "atomic { own?l; x = l }",
        ],
    );
    format!("proctype O{at}(byte a) {{ {channels}byte l; n!own; {body} }}")
}

/// A process that uses channels that it is passed.
fn reader(rng: &mut Rng, at: usize) -> String {
    let body = statements(
        rng,
        4,
        &[
            "w!1",
            "w!2",
            "w!1",
            "w!x",
            "w?l",
            "n?w",
            "x = l",
            "x == 1",
            "assert(x != 1)",
            "if :: w!1 :: else fi",
            "if :: w?l :: x = 1 fi",
            "if :: w!1 :: w!2 fi",
            "do :: n?w -> w!1 :: x == 2 -> break od",
        ],
    );
    format!("active proctype R{at}() {{ chan w; byte l; n?w; {body} }}")
}

/// The process that creates the owners, some after others have ended, so that the number of a channel comes again.
fn creator(rng: &mut Rng, types: usize, readers: usize) -> String {
    let count = rng.between(1, 3);
    let runs = (0..count).map(|_| {
        let mut run = || format!("run O{}({})", rng.below(types), rng.below(3));
        let (one, two) = (run(), run());
        match rng.below(4) {
            0 => one,
            1 | 2 => format!("if :: {one} :: {two} fi"),
            _ => format!("atomic {{ {one}; {two} }}"),
        }
    });
    let pause = format!("; _nr_pr == {}; ", readers + 1);
    format!("init {{ {} }}", runs.collect::<Vec<_>>().join(&pause))
}
