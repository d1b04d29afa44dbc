//! Which constructs occur in the models made.

use std::collections::BTreeSet;

/// Every construct the generator promises to make now and then.
pub const CONSTRUCTS: &[&str] = &[
    // types and declarations
    "bit",
    "bool",
    "byte",
    "pid",
    "short",
    "int",
    "unsigned",
    "mtype",
    "named mtype",
    "chan variable",
    "typedef",
    "nested record",
    "array",
    "array in record",
    "record array",
    "array initialiser",
    "hidden",
    "show",
    "local keyword",
    "declaration after statement",
    "declaration in inner block",
    "#define",
    "macro with argument",
    "#if",
    "implied semicolons",
    // processes
    "active proctype",
    "active [n]",
    "init",
    "parameter",
    "chan parameter",
    "record parameter",
    "run",
    "run in atomic",
    "run as value",
    "run guarded by _nr_pr",
    "provided",
    "priority",
    "inline",
    "inline with two arguments",
    // control
    "if",
    "do",
    "else",
    "break",
    "bare break option",
    "goto",
    "goto option",
    "label",
    "end label",
    "label in option",
    "progress or accept label",
    "nested choice at head",
    "atomic",
    "d_step",
    "d_step with choice",
    "d_step with loop",
    "d_step with channel",
    "unless",
    "nested unless",
    "unless in atomic",
    "unless with receive",
    "timeout",
    "assert",
    "printf",
    "skip",
    "for range",
    "for variable bound",
    "for array",
    "for channel",
    "select constant",
    "select variable",
    "do counter loop",
    "choice in atomic",
    "loop in atomic",
    // channels
    "rendezvous",
    "buffered channel",
    "send",
    "sorted send",
    "receive",
    "random receive",
    "peek",
    "random peek",
    "poll",
    "random poll",
    "tag notation",
    "eval",
    "constant field",
    "wildcard field",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "channel array",
    "local channel",
    "channel in message",
    "record in message",
    "receive into array",
    // expressions
    "conditional expression",
    "arithmetic",
    "division",
    "shift",
    "bit operation",
    "comparison",
    "logical operation",
    "unary",
    "wrap-around constant",
    "_pid",
    "_nr_pr",
    "_last",
    "remote label",
    "remote variable",
    "increment",
    // automata
    "trace",
    "notrace",
];

/// The constructs of one model.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    seen: BTreeSet<&'static str>,
}

impl Marks {
    pub fn add(&mut self, construct: &'static str) {
        debug_assert!(CONSTRUCTS.contains(&construct), "`{construct}` is not in the list");
        self.seen.insert(construct);
    }

    pub fn contains(&self, construct: &str) -> bool {
        self.seen.contains(construct)
    }
}
