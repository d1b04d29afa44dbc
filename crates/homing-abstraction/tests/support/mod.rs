//! Models and searches to test the abstraction with; also compiled into the example that prints the tables.
#![allow(dead_code, reason = "each test uses its own part")]

pub mod explicit;
pub mod models;
pub mod network;
pub mod random;
pub mod search;
