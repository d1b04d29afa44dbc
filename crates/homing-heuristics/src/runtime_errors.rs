//! Run-time errors: the statements that can have one, and under which condition. What is not analysed may fail at once.
//!
//! An index that is never assigned to stays in range, and one that is counted up leaves its range only after so many
//! statements: without that, every model with an array would be one statement from an error.

use homing_core::Cost;
use homing_engine::Reader;
use homing_ir::{Action, BinaryOp, Expr, InitValue, Model, ProctypeId, Scope, VarRef};

use crate::bounds::bounds;
use crate::formula::{Formula, FormulaBuilder, Polarity};
use crate::linear::{Linear, Relation};
use crate::network_errors;
use crate::read_set::{self, ReadSet};

/// What the analysis of a single statement has to know of the whole model.
pub struct RuntimeErrors {
    /// Whether a process may run can itself be an error, or depends on what others can do.
    anywhere: bool,
    /// A send fails if a receiver's test of the message has a run-time error.
    of_receivers: bool,
    /// Some channels end with the process they belong to.
    local_channels: bool,
}

impl RuntimeErrors {
    pub fn of(builder: &FormulaBuilder<'_>) -> Self {
        let model = builder.model;
        let makes_channel = |value: &InitValue| matches!(value, InitValue::Channel(_));
        let mut inits = model.proctypes.iter().flat_map(|proctype| &proctype.inits);
        let local_channels = inits.any(|init| makes_channel(&init.value));
        let mut faults = RuntimeErrors { anywhere: model.features.priorities, of_receivers: false, local_channels };
        let has_rendezvous = model.shapes.iter().any(|shape| shape.capacity == 0);
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            if let Some(provided) = &proctype.provided {
                faults.anywhere |= !faults.of_expr(builder, id, provided).is_empty();
            }
            let invariants = proctype.automaton.locations.iter().filter_map(|location| location.invariant.as_ref());
            faults.anywhere |=
                invariants.into_iter().any(|invariant| network_errors::expr_can_fail(model, id, invariant));
            for statement in &proctype.automaton.statements {
                statement.action.for_each_inside(&mut |inner| {
                    let receives = matches!(inner, Action::Receive { .. });
                    faults.of_receivers |= has_rendezvous && receives && faults.of_action(builder, id, inner).is_some();
                });
            }
        }
        faults
    }

    /// The condition under which an action has a run-time error; `None` if it never has one.
    pub fn of_action<'m>(
        &self,
        builder: &FormulaBuilder<'m>,
        id: ProctypeId,
        action: &'m Action,
    ) -> Option<Formula<'m>> {
        let model = builder.model;
        let mut ways = Vec::new();
        if self.anywhere || model.proctype(id).deterministic {
            ways.push(Formula::Anything);
        }
        match action {
            Action::Run { proctype, .. } if !self.local_channels && has_constant_inits(model, *proctype) => {
                ways.push(Formula::Undefined(Undefined::Process));
            }
            Action::Edge(edge) if self.anywhere || network_errors::edge_can_fail(model, id, edge) => {
                ways.push(Formula::Anything);
            }
            Action::Edge(_) => return None,
            Action::Run { .. } | Action::SetPriority { .. } | Action::SetOwnPriority(_) | Action::DStep(_) => {
                ways.push(Formula::Anything);
            }
            Action::Send { channel, args, .. } => {
                if self.of_receivers || model.monitor.is_some() {
                    ways.push(Formula::Anything);
                }
                ways.extend(self.of_channel(builder, id, channel, Some(args.len())));
            }
            Action::Receive { channel, args, from } => {
                if from.keep || model.monitor.is_some() {
                    ways.push(Formula::Anything);
                }
                ways.extend(self.of_channel(builder, id, channel, Some(args.len())));
            }
            _ => {}
        }
        if ways.iter().any(|way| matches!(way, Formula::Anything)) {
            return Some(Formula::Anything);
        }
        action.for_each_expr(&mut |expr| ways.extend(self.of_expr(builder, id, expr)));
        action.for_each_target(&mut |target| ways.extend(of_indices(builder, id, target)));
        (!ways.is_empty()).then_some(Formula::Any(ways))
    }

    fn of_expr<'m>(&self, builder: &FormulaBuilder<'m>, id: ProctypeId, expr: &'m Expr) -> Vec<Formula<'m>> {
        let mut ways = Vec::new();
        expr.walk(&mut |inner| match inner {
            Expr::Var(var) => ways.extend(of_indices(builder, id, var)),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, dividend, divisor) => {
                let divisor_is = |fault: i32| divisor.as_constant().is_none_or(|value| value == fault);
                if divisor_is(0) {
                    ways.push(builder.formula(Some(id), divisor, Polarity::Fails));
                }
                if divisor_is(-1) && homing_ir::can_be_least(dividend, builder.model, Some(id)) {
                    ways.push(Formula::Anything);
                }
            }
            Expr::Length(channel)
            | Expr::Full(channel)
            | Expr::Empty(channel)
            | Expr::NotFull(channel)
            | Expr::NotEmpty(channel) => ways.extend(self.of_channel(builder, id, channel, None)),
            Expr::Poll { .. } | Expr::Enabled(_) | Expr::RemoteVar { .. } => ways.push(Formula::Anything),
            _ => {}
        });
        ways
    }

    /// The condition that an expression means no channel, or one whose messages have another number of fields.
    fn of_channel<'m>(
        &self,
        builder: &FormulaBuilder<'m>,
        id: ProctypeId,
        channel: &'m Expr,
        fields: Option<usize>,
    ) -> Option<Formula<'m>> {
        let is_sound = matches!(channel, Expr::Var(var) if is_sound(builder.model, var, fields));
        let is_fixed = builder.rates.is_fixed(Some(id), channel);
        match (is_fixed, is_sound) {
            (true, true) => None,
            (true, false) if !self.local_channels => Some(Formula::Undefined(Undefined::Channel(channel, fields))),
            _ => Some(Formula::Anything),
        }
    }
}

/// Whether the initial values of a process are constants: others can fail when it is started.
fn has_constant_inits(model: &Model, proctype: ProctypeId) -> bool {
    let is_constant = |value: &InitValue| matches!(value, InitValue::Value(expr) if expr.as_constant().is_some());
    model.proctype(proctype).inits.iter().all(|init| is_constant(&init.value))
}

/// Whether a global was declared as channels, all with so many fields.
fn is_sound(model: &Model, var: &VarRef, fields: Option<usize>) -> bool {
    let fits = |count: usize| fields.is_none_or(|fields| fields == count);
    var.scope == Scope::Global
        && model.inits.iter().any(|init| {
            let is_whole = init.cells.len() == model.globals[init.var.index()].cells();
            let suits = matches!(init.value, InitValue::Channel(shape) if fits(model.shape(shape).fields.len()));
            init.var == var.var && is_whole && suits
        })
}

/// The conditions that an index is out of range.
fn of_indices<'m>(builder: &FormulaBuilder<'m>, id: ProctypeId, var: &'m VarRef) -> Vec<Formula<'m>> {
    let model = builder.model;
    let dims = &model.variable(Some(id), var.scope, var.var).dims;
    let mut ways = Vec::new();
    for (index, &length) in var.indices.iter().zip(dims) {
        let bounds = bounds(model, id, index);
        if bounds.is_some_and(|(least, greatest)| least >= 0 && greatest < i64::from(length)) {
            continue;
        }
        if builder.rates.is_fixed(Some(id), index) {
            ways.push(Formula::Undefined(Undefined::Fixed(index, length)));
            continue;
        }
        let Some(sum) = Linear::of(model, &builder.rates, Some(id), index) else {
            ways.push(Formula::Undefined(Undefined::Index(index, length)));
            continue;
        };
        let last = Linear::constant(i64::from(length) - 1);
        ways.push(Formula::Compare(last.minus(sum.clone()), Relation::Negative));
        if bounds.is_none_or(|(least, _)| least < 0) {
            ways.push(Formula::Compare(sum, Relation::Negative));
        }
    }
    ways
}

/// A value that is to be undefined.
#[derive(Debug, PartialEq)]
pub enum Undefined<'m> {
    /// An index of an array of this length is to be out of range.
    Index(&'m Expr, u32),
    /// The same for an index that never changes.
    Fixed(&'m Expr, u32),
    /// An expression that never changes is to mean no channel, or one with another number of fields.
    Channel(&'m Expr, Option<usize>),
    /// There is to be no number for another process.
    Process,
}

/// So many processes can exist at a time.
const MOST_PROCESSES: usize = 255;

impl Undefined<'_> {
    pub fn statements<R: ReadSet>(&self, reader: &Reader<'_>, pid: usize, reads: &mut R) -> Option<Cost> {
        let (Undefined::Index(expr, _) | Undefined::Fixed(expr, _) | Undefined::Channel(expr, _)) = self else {
            // a statement starts one process; all parts depend on the number of processes anyway
            return Some(MOST_PROCESSES.saturating_sub(reader.processes()) as Cost);
        };
        let Some(value) = read_set::value(reader, pid, expr, reads) else { return Some(0) };
        let is_in_range = |length: u32| u32::try_from(value).is_ok_and(|index| index < length);
        match self {
            Undefined::Index(_, length) => Some(Cost::from(is_in_range(*length))),
            Undefined::Fixed(_, length) => (!is_in_range(*length)).then_some(0),
            Undefined::Process => Some(0),
            Undefined::Channel(_, fields) => {
                let suits = |count: usize| fields.is_none_or(|fields| fields == count);
                let found = reader.channel(value).is_some_and(|channel| suits(channel.fields));
                (!found).then_some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Cost, ViolationKind};

    use crate::testing::{at_start, model};
    use crate::{Combine, Goal, Heuristic, HeuristicEstimate};

    fn estimate(text: &str) -> Option<Cost> {
        let model = model(text);
        let target = Goal::Errors(&[ViolationKind::RuntimeError]);
        at_start(&model, HeuristicEstimate::new(&model, Heuristic::Formula(Combine::Max), target).expect("it fits"))
    }

    #[test]
    fn an_index_goes_out_of_range() {
        assert_eq!(estimate("byte a[4]; active proctype P() { byte i; do :: a[i] = 1; i++ od }"), Some(5));
        assert_eq!(estimate("byte a[4]; active proctype P() { byte i = 2; a[i] = 1 }"), None);
        assert_eq!(estimate("byte a[4]; active proctype P() { byte i = 4; skip; a[i] = 1 }"), Some(2));
        assert_eq!(estimate("byte a[4], i; active proctype P() { a[(i + 1) % 4] = 1; i = i + 3 }"), None);
    }

    #[test]
    fn a_divisor_becomes_zero() {
        assert_eq!(estimate("byte x = 3; active proctype P() { do :: x = 7 / x :: x = 2 od }"), Some(2));
        assert_eq!(estimate("byte x = 3, y; active proctype P() { do :: y = 7 / x :: x-- od }"), Some(4));
        assert_eq!(estimate("byte y; active proctype P() { y = y / 2 }"), None);
    }

    #[test]
    fn there_are_255_processes() {
        let run = "proctype Q() { skip } active proctype P() { do :: run Q() od }";
        assert_eq!(estimate(run), Some(255));
        assert_eq!(estimate(&run.replace("skip", "chan c = [1] of {byte}; c!1")), Some(1));
        assert_eq!(estimate(&run.replace("skip", "byte a[2]; byte x = a[_pid]; x = 0")), Some(1));
    }

    #[test]
    fn channels_are_there() {
        let with = |channel: &str| {
            estimate(&format!(
                "chan q = [1] of {{byte}}; chan r; proctype P(chan c) {{ c!1 }} active proctype Q() {{ {channel}!1 }}"
            ))
        };
        assert_eq!((with("q"), with("r")), (None, Some(1)));
    }
}
