//! Promela: preprocess, lex, parse, resolve, diagnose, lower to the intermediate form.

pub mod diagnostic;
pub mod preprocess;
pub mod source;
pub mod token;
