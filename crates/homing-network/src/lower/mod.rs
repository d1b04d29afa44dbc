//! A network to the intermediate form that engines execute.
//!
//! Each process is a process type of its own: parameters, references and channels of the instance are substituted and constants
//! folded, so that a channel is a number (up to an index) and partners are known before the search. Records are split: each field is
//! a variable, with an index for each array it is in. `select` is unrolled into one transition for each choice. Functions are inlined
//! into [blocks](homing_ir::Block) over scratch cells; a guard that needs one is an expression that executes a block first.
//!
//! The meaning is that of the [`explorer`](crate::explorer), with which tests compare it state by state.

mod address;
mod aggregate;
mod arithmetic;
mod builder;
mod call;
mod compact;
mod expression;
mod process;
mod storage;

use homing_ir::{BinaryOp, Expr, Features, Invariant, Model, Place, ProctypeId, Start, Table};

use crate::ast::RefusedQuery;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::network::{Network, PathQuantifier, ProcessId, Query};
use crate::source::{SourceMap, Span};
use builder::Builder;
use storage::Storage;

/// A network that engines can execute, and what is asked about it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The network, without the queries.
    pub model: Model,
    /// The queries in the order of the text.
    pub queries: Vec<LoweredQuery>,
    /// Those that become too large when they are expanded.
    pub(crate) refused: Vec<RefusedQuery>,
}

/// A query as a condition on states.
#[derive(Clone, Debug)]
pub struct LoweredQuery {
    /// Which of the queries of the model it is, from 1 on.
    pub number: u32,
    /// As written, on one line.
    pub text: String,
    /// Whether a state is searched that satisfies it, or one that does not.
    pub quantifier: PathQuantifier,
    /// The condition that holds in all states as long as the query is undecided: that of `A[]`, the negation of that of `E<>`.
    pub invariant: Invariant,
    /// Where it is.
    pub place: Place,
}

/// An error that was reported.
#[derive(Clone, Copy, Debug)]
struct Refused;

/// The most processes that a state can have.
const MOST_PROCESSES: usize = 255;

/// Lowers a network; `None` after errors, which are reported: the expansion of a label can be too large.
/// A query for which that happens is an error only if the queries must be right (`strict`).
pub(crate) fn lower(
    network: &Network,
    strict: bool,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Lowered> {
    diagnostics.begin("lowering");
    if network.processes.len() > MOST_PROCESSES {
        let message =
            format!("the network has {} processes; at most {MOST_PROCESSES} are possible", network.processes.len());
        diagnostics.push(Diagnostic::global(message).help("make the ranges of the free parameters smaller"));
        return None;
    }
    let lowering = Lowering {
        network,
        sources,
        diagnostics,
        model: Model {
            sources: sources.files().map(|file| file.name.clone()).collect(),
            features: Features { network: true, ..Features::default() },
            ..Model::default()
        },
        storage: Storage::default(),
        edges: 0,
    };
    lowering.network(strict).ok()
}

struct Lowering<'a> {
    network: &'a Network,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    model: Model,
    storage: Storage,
    /// The number of transitions so far.
    edges: u32,
}

impl<'a> Lowering<'a> {
    fn network(mut self, strict: bool) -> Result<Lowered, Refused> {
        self.lay_out();
        let network = self.network;
        let channels = network.channels.iter().map(|channel| channel.first + channel.count).max().unwrap_or(0);
        self.model.signals = (0..channels).map(|number| network.channel_name(number)).collect();
        for number in 0..network.processes.len() as u32 {
            let proctype = self.process(ProcessId(number))?;
            self.model.start.push(Start { proctype: ProctypeId(number), priority: 1 });
            self.model.proctypes.push(proctype);
        }
        let (mut queries, mut refused) = (Vec::new(), Vec::new());
        for query in &network.queries {
            let mark = self.diagnostics.mark();
            match self.query(query) {
                Ok(query) => queries.push(query),
                Err(Refused) if strict => return Err(Refused),
                Err(Refused) => {
                    let (refusal, reason) = self.diagnostics.demote_query_since(mark);
                    refused.push(RefusedQuery { number: query.number, span: query.span, refusal, reason });
                }
            }
        }
        Ok(Lowered { model: self.model, queries, refused })
    }

    fn query(&mut self, query: &'a Query) -> Result<LoweredQuery, Refused> {
        let condition = Builder::new(self, None).condition(&query.condition.expr, query.condition.frame)?;
        let expr = match query.quantifier {
            PathQuantifier::Invariantly => condition,
            PathQuantifier::Possibly => arithmetic::not(condition),
        };
        Ok(LoweredQuery {
            number: query.number,
            text: query.text.clone(),
            quantifier: query.quantifier,
            invariant: Invariant { text: query.text.clone(), expr },
            place: self.place(query.span),
        })
    }

    /// The line of a text.
    fn place(&self, span: Span) -> Place {
        Place { file: span.file.0, line: self.sources.place(span).line }
    }

    /// The text itself, on one line.
    fn text(&self, span: Span) -> String {
        crate::source::on_one_line(self.sources.text(span))
    }

    /// An element of a constant array whose index is not known.
    fn element(&mut self, name: &str, values: &[i32], index: Expr) -> Expr {
        let known = self.model.tables.iter().position(|table| table.values == values && table.name == name);
        let table = known.unwrap_or_else(|| {
            self.model.tables.push(Table { name: name.to_owned(), values: values.to_vec() });
            self.model.tables.len() - 1
        });
        Expr::Element { table: table as u32, index: Box::new(index) }
    }

    fn refuse<T>(&mut self, span: Span, message: String) -> Result<T, Refused> {
        self.diagnostics.push(Diagnostic::error(span, message));
        Err(Refused)
    }
}

/// A number of elements counted from the first index of an array.
fn counted_from(index: Expr, low: i32) -> Expr {
    if low == 0 { index } else { arithmetic::binary(BinaryOp::Subtract, index, Expr::constant(low)) }
}
