//! Random Promela models: small state spaces, many constructs, errors in about half of them, and no undefined
//! behaviour. The same seed gives the same model on every machine.

mod builder;
mod channel;
mod compound;
mod coverage;
pub mod creation;
mod deterministic;
mod expr;
mod hazard;
mod plan;
mod print;
mod process;
pub mod rng;
mod shrink;
mod simple;
mod symbols;
pub(crate) mod tree;

pub use coverage::{CONSTRUCTS, Marks};
pub use shrink::shrink;
pub use tree::Model;

use rng::Rng;
use symbols::{Channel, SymbolTable};
use tree::{Item, Parentheses, Separator, Style};

/// What kind of answer a model is made to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// SPIN accepts it and searches it to the end.
    Sound,
    /// It can run into an error after which SPIN's counts mean nothing.
    Aborting,
    /// SPIN refuses it.
    Faulty,
}

#[derive(Clone, Debug)]
pub struct Generated {
    pub seed: u64,
    pub class: Class,
    pub model: Model,
    pub marks: Marks,
}

/// The model of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut rng = Rng::new(seed);
    let mut marks = Marks::default();
    let mut class = rng.weighted(&[(90, Class::Sound), (4, Class::Aborting), (6, Class::Faulty)]);
    let style = Style {
        separator: *rng.pick(&[Separator::Semicolon, Separator::Semicolon, Separator::Newline, Separator::Mixed]),
        parentheses: *rng.pick(&[Parentheses::All, Parentheses::Needed]),
    };
    if style.separator != Separator::Semicolon {
        marks.add("implied semicolons");
    }
    let (mut symbols, mut items) = plan::declarations(&mut rng, &mut marks);
    process::heads(&mut rng, &mut marks, &mut symbols);
    items.extend(process::bodies(&mut rng, &mut marks, &symbols));
    items.extend(trace(&mut rng, &mut marks, &symbols));
    let mut model = Model { style, items };
    if class == Class::Aborting && symbols.features.priority {
        class = Class::Sound; // some hazards need a rendezvous channel, which priorities exclude
    }
    match class {
        Class::Sound => {}
        Class::Aborting => hazard::add_abort(&mut rng, &mut model),
        Class::Faulty => hazard::add_fault(&mut rng, &mut model),
    }
    Generated { seed, class, model, marks }
}

/// An automaton over the events of one channel. It is deterministic: pan gives up on others.
fn trace(rng: &mut Rng, marks: &mut Marks, symbols: &SymbolTable) -> Option<Item> {
    if !symbols.features.trace {
        return None;
    }
    let named = |channel: &&Channel| !symbols.is_rendezvous(channel) && !channel.name.contains('[');
    let channel = symbols.channels.iter().find(named)?;
    let wildcards = vec!["_"; symbols.signatures[channel.signature].fields.len()].join(",");
    let (send, receive) = (format!("{}!{wildcards}", channel.name), format!("{}?{wildcards}", channel.name));
    let text = if rng.chance(60) {
        marks.add("trace");
        match rng.below(3) {
            0 => format!("trace {{ do :: {send} :: {receive} od }}"),
            1 => format!("trace {{ do :: {send}; {receive} od }}"),
            _ => format!("trace {{ {send}; do :: {send} :: {receive} od }}"),
        }
    } else {
        marks.add("notrace");
        match rng.below(2) {
            0 => format!("notrace {{ {send}; {send} }}"),
            _ => format!("notrace {{ {send}; {receive}; {send} }}"),
        }
    };
    Some(Item::Text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_model() {
        for seed in 0..50 {
            assert_eq!(generate(seed).model.to_string(), generate(seed).model.to_string());
        }
        assert_ne!(generate(1).model.to_string(), generate(2).model.to_string());
    }

    #[test]
    fn every_construct_occurs() {
        let models: Vec<Generated> = (0..1500).map(generate).collect();
        let missing: Vec<&&str> =
            CONSTRUCTS.iter().filter(|construct| !models.iter().any(|m| m.marks.contains(construct))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
