//! Lowering: a syntax tree becomes a model of the intermediate form.
//!
//! Names are resolved and types checked on the way. Units are lowered in the order they are written, as SPIN reads them:
//! a name must be declared before it is used (process types may be run before).

mod action;
mod block;
mod declaration;
mod expression;
mod flow;
mod hunt;
mod labels;
mod loops;
mod merge;
mod names;
mod process;
mod reference;
mod sharing;
mod size;
mod statement;
mod symbols;
mod table;
mod written;

use std::collections::{HashMap, HashSet};

use homing_ir::{Expr, Init, InitValue, Model, MtypeSet, NamedFormula, Place, ProctypeId};

use crate::ast::{self, Ident, Name, Program, Unit};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{SourceMap, Span};
use crate::spelling::nearest;
use flow::Flow;
use names::Strays;
use process::{Finished, Process};
use sharing::Sharing;
use symbols::{Record, Symbol};

/// An `ltl` block that is wrong in a way that concerns it alone.
#[derive(Clone, Debug)]
pub struct RefusedFormula {
    pub name: String,
    /// What is wrong with it; not empty.
    pub errors: Vec<Diagnostic>,
}

/// A program that was lowered.
pub struct Outcome {
    pub model: Model,
    pub refused: Vec<RefusedFormula>,
    /// `_nr_pr` is mentioned.
    pub counts_processes: bool,
}

/// An error was reported.
pub(crate) struct Reported;

type Lowered<T> = Result<T, Reported>;

/// Lowers a program; None if it has errors.
pub fn lower(program: &Program, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<Outcome> {
    let mut lowering = Lowering {
        sources,
        diagnostics,
        model: Model { sources: sources.files().map(|file| file.name.clone()).collect(), ..Model::default() },
        records: Vec::new(),
        globals: HashMap::new(),
        global_inits: Vec::new(),
        mtypes: HashMap::new(),
        proctypes: HashMap::new(),
        finished: Vec::new(),
        process: None,
        claim_flows: Vec::new(),
        monitor_flow: None,
        runs: Vec::new(),
        sends: Vec::new(),
        remote_labels: Vec::new(),
        inferred_sets: HashMap::new(),
        serial: 0,
        loops: 0,
        promises_exclusive_use: false,
        sharing: Sharing::default(),
        refers_to_remote_variables: false,
        records_by_name: HashMap::new(),
        sets_by_name: HashMap::new(),
        strays: Strays::new(program),
        misdeclared: HashSet::new(),
        variables: 0,
        refused: Vec::new(),
        counts_processes: false,
    };
    lowering.program(program);
    let Lowering { model, refused, counts_processes, .. } = lowering;
    if lowering.diagnostics.has_errors() { None } else { Some(Outcome { model, refused, counts_processes }) }
}

/// A send: the number of values, and the channel as it is written.
struct Send {
    given: usize,
    channel: String,
    span: Span,
}

struct Lowering<'s> {
    sources: &'s SourceMap,
    diagnostics: &'s mut Diagnostics,
    model: Model,
    records: Vec<Record>,
    globals: HashMap<Name, Symbol>,
    /// With the rank of their type: SPIN initialises globals type by type.
    global_inits: Vec<(u8, Init)>,
    /// The constants: set and value.
    mtypes: HashMap<Name, (u16, i32)>,
    /// Every process type of the model, also those not lowered yet.
    proctypes: HashMap<Name, ProctypeId>,
    /// By [`ProctypeId`], as far as lowered; claims and traces are not among them.
    finished: Vec<Option<Finished>>,
    process: Option<Process>,
    claim_flows: Vec<Flow>,
    monitor_flow: Option<Flow>,
    /// Runs whose arguments are counted when all process types are known.
    runs: Vec<(ProctypeId, usize, Span)>,
    /// Sends, whose arguments are counted when all channels are known.
    sends: Vec<Send>,
    /// Remote references to labels, filled in at the end.
    remote_labels: Vec<(ProctypeId, Ident)>,
    /// The mtype set each variable was first given a constant of.
    inferred_sets: HashMap<Span, u16>,
    /// The next number of a transition in trail files.
    serial: u32,
    /// The next number of a loop.
    loops: u32,
    /// An `xr` or `xs` was seen.
    promises_exclusive_use: bool,
    sharing: Sharing,
    refers_to_remote_variables: bool,
    /// An index into `records`.
    records_by_name: HashMap<Name, usize>,
    /// An index into the model's mtypes.
    sets_by_name: HashMap<Option<Name>, usize>,
    strays: Strays,
    /// Process types with wrong parameters, whose arguments are not counted.
    misdeclared: HashSet<ProctypeId>,
    /// How many variables there are so far, the local ones included.
    variables: u64,
    refused: Vec<RefusedFormula>,
    counts_processes: bool,
}

impl Lowering<'_> {
    fn program(&mut self, program: &Program) {
        self.announce_proctypes(program);
        let mut formulas = 0;
        for unit in &program.units {
            if self.diagnostics.is_full() {
                return;
            }
            // What is wrong was reported; the next unit may have errors of its own.
            let _ = match unit {
                Unit::Proctype(proctype) => self.proctype(proctype),
                Unit::Init(init) => self.init(init),
                Unit::Never(never) => self.never(never),
                Unit::Trace(trace) => self.trace(trace),
                Unit::Decl(decl) => {
                    let lowered = self.global(decl);
                    self.forgive(decl, lowered)
                }
                Unit::Typedef(typedef) => self.typedef(typedef),
                Unit::Mtype(mtype) => self.mtype(mtype),
                Unit::Ltl(ltl) => self.formula(ltl, &mut formulas),
            };
        }
        self.global_inits.sort_by_key(|(rank, _)| *rank);
        self.model.inits = std::mem::take(&mut self.global_inits).into_iter().map(|(_, init)| init).collect();
        self.check_runs();
        if !self.diagnostics.has_errors() {
            self.check_sends(); // a channel whose declaration is wrong is not known
            self.limit_start();
            self.limit_state();
        }
        self.make_automata();
        self.resolve_remote_labels();
        if self.diagnostics.has_errors() {
            return;
        }
        if self.model.start.is_empty() {
            self.diagnostics.push(
                Diagnostic::global("no process is started")
                    .help("add an `init { … }`, or write `active` in front of a `proctype`"),
            );
        }
    }

    fn announce_proctypes(&mut self, program: &Program) {
        let mut next = 0;
        for unit in &program.units {
            match unit {
                Unit::Proctype(proctype) => {
                    self.proctypes.entry(proctype.name.name.clone()).or_insert(ProctypeId(next));
                }
                Unit::Init(_) => {} // it is not run by its name
                _ => continue,
            }
            next += 1;
        }
        self.finished = (0..next).map(|_| None).collect();
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn place(&self, span: Span) -> Place {
        Place { file: span.file.0, line: self.sources.line(span) }
    }

    fn mtype(&mut self, decl: &ast::MtypeDecl) -> Lowered<()> {
        let set = usize::from(self.mtype_set(decl.set.as_ref().map(|set| &set.name), decl.span)?);
        // Within a declaration the last name comes first.
        for ident in decl.names.iter().rev() {
            if self.mtypes.get(&ident.name).is_some_and(|(other, _)| *other as usize == set) {
                self.report(
                    Diagnostic::error(ident.span, format!("`{}` is declared twice in this mtype", ident.name))
                        .help("leave one of them out"),
                );
                continue;
            }
            if let Some(symbol) = self.globals.get(&ident.name) {
                let there = symbol.declared.span;
                self.report(
                    Diagnostic::error(ident.span, format!("`{}` is a variable already", ident.name))
                        .note(there, "declared here"),
                );
            }
            let names = &mut self.model.mtypes[set].names;
            names.push(ident.name.to_string());
            let value = names.len() as i32;
            self.mtypes.insert(ident.name.clone(), (set as u16, value));
        }
        if self.model.mtypes[set].names.len() > 255 {
            return Err(self.report(Diagnostic::error(decl.span, "an mtype has more than 255 names")));
        }
        Ok(())
    }

    /// The number of an mtype set; SPIN lets a set be named before (or without) being declared.
    fn mtype_set(&mut self, name: Option<&Name>, span: Span) -> Lowered<u16> {
        let sets = &mut self.model.mtypes;
        let set = *self.sets_by_name.entry(name.cloned()).or_insert_with(|| {
            sets.push(MtypeSet { name: name.map(|name| name.to_string()), names: Vec::new() });
            sets.len() - 1
        });
        u16::try_from(set)
            .map_err(|_| self.report(Diagnostic::error(span, "the model has more than 65,536 mtype sets")))
    }

    fn formula(&mut self, ltl: &ast::Ltl, unnamed: &mut u32) -> Lowered<()> {
        let name = match &ltl.name {
            Some(name) => name.name.to_string(),
            None => {
                let name = format!("ltl_{unnamed}");
                *unnamed += 1;
                name
            }
        };
        let refused = self.refused.iter().map(|refused| &refused.name);
        if self.model.formulas.iter().map(|formula| &formula.name).chain(refused).any(|known| *known == name) {
            return Err(self.report(
                Diagnostic::error(ltl.span, format!("there are two ltl formulas named `{name}`"))
                    .help("give each a name of its own, as in `ltl name { … }`"),
            ));
        }
        let outer = self.diagnostics.begin_part();
        let formula = self.temporal_formula(&ltl.formula);
        let part = self.diagnostics.end_part(outer);
        match formula {
            Err(Reported) if part.errors().all(|error| error.code == expression::INVALID_FORMULA) => {
                let errors: Vec<Diagnostic> = part.errors().cloned().collect();
                if errors.is_empty() {
                    return Err(Reported); // a name that was reported before
                }
                self.refused.push(RefusedFormula { name, errors });
                Ok(())
            }
            formula => {
                self.diagnostics.append(part);
                self.model.formulas.push(NamedFormula { name, formula: formula?, place: self.place(ltl.span) });
                Ok(())
            }
        }
    }

    fn check_runs(&mut self) {
        for (proctype, given, span) in std::mem::take(&mut self.runs) {
            let Some(finished) = &self.finished[proctype.index()] else { continue };
            if self.misdeclared.contains(&proctype) {
                continue;
            }
            let (wanted, there) = (self.model.proctype(proctype).params as usize, finished.span);
            if given != wanted {
                let name = &self.model.proctype(proctype).name;
                let arguments = if wanted == 1 { "argument" } else { "arguments" };
                self.diagnostics.push(
                    Diagnostic::error(span, format!("`{name}` takes {wanted} {arguments}, not {given}"))
                        .note(there, "defined here"),
                );
            }
        }
    }

    /// A send with more arguments than any message has fields can never be right. Which channel a send goes to is known
    /// at run time only; a number that does not fit it is an error there.
    fn check_sends(&mut self) {
        let most = self.model.shapes.iter().map(|shape| shape.fields.len()).max().unwrap_or(0);
        let no_channel = self.model.shapes.is_empty();
        for Send { given, channel, span } in std::mem::take(&mut self.sends) {
            if no_channel {
                self.report(
                    Diagnostic::error(span, format!("`{channel}` is never given a channel: no channel has a capacity"))
                        .label("nothing can be sent")
                        .help("declare the channel as in `chan c = [1] of { byte }`"),
                );
            } else if given > most {
                self.report(Diagnostic::error(
                    span,
                    format!("{given} values are sent, but no channel has messages of more than {most} fields"),
                ));
            }
        }
    }

    /// Fills the location into remote references, now that all process types are known.
    fn resolve_remote_labels(&mut self) {
        let mut known: HashMap<(ProctypeId, Name), u32> = HashMap::new();
        for (proctype, label) in std::mem::take(&mut self.remote_labels) {
            let Some(finished) = &self.finished[proctype.index()] else { continue };
            let labels = &finished.flow.labels;
            match labels.last_named(&label.name) {
                Some(target) => {
                    let state = finished.flow.element(labels.get(target).element).number;
                    known.insert((proctype, label.name), state);
                }
                None => {
                    let name = self.model.proctype(proctype).name.clone();
                    let mut diagnostic =
                        Diagnostic::error(label.span, format!("`{name}` has no label `{}`", label.name));
                    if let Some(near) = nearest(&label.name, labels.iter().map(|known| &*known.name)) {
                        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                    }
                    self.report(diagnostic);
                }
            }
        }
        let mut resolve = |expr: &mut Expr| {
            expr.walk_mut(&mut |inner| {
                if let Expr::RemoteLabel { proctype, label, location, .. } = inner
                    && let Some(state) = known.get(&(*proctype, label.as_ref().into()))
                {
                    *location = *state;
                }
            });
        };
        let model = &mut self.model;
        for proctype in &mut model.proctypes {
            proctype.provided.iter_mut().for_each(&mut resolve);
            for init in &mut proctype.inits {
                if let InitValue::Value(value) = &mut init.value {
                    resolve(value);
                }
            }
        }
        for named in &mut model.formulas {
            named.formula.for_each_proposition_mut(&mut resolve);
        }
        let automata = (model.proctypes.iter_mut().map(|proctype| &mut proctype.automaton))
            .chain(model.claims.iter_mut().map(|claim| &mut claim.automaton));
        for statement in automata.flat_map(|automaton| &mut automaton.statements) {
            statement.action.for_each_expr_mut(&mut resolve);
        }
    }
}
