//! Run-time errors: the statements that can have one, and under which condition. What is not analysed may fail at once.
//!
//! An index that is never assigned to stays in range, and one that is counted up leaves its range only after so many
//! statements: without that, every model with an array would be one statement from an error.

use homing_core::Cost;
use homing_engine::Reader;
use homing_ir::{
    Action, AtLocation, BinaryOp, ChannelShape, Expr, InitValue, Model, ProctypeId, Ranges, Scope, VarRef,
};

use crate::bounds::bounds;
use crate::formula::{Formula, FormulaBuilder, Polarity};
use crate::linear::{Linear, Relation};
use crate::network_errors;
use crate::rate::Rate;
use crate::read_set::{self, ReadSet};

/// What the analysis of a single statement has to know of the whole model.
pub struct RuntimeErrors<'m> {
    /// Whether a process may run can itself be an error, or depends on what others can do.
    anywhere: bool,
    /// Some channels end with the process they belong to.
    local_channels: bool,
    /// The values that variables can have; none in a network.
    ranges: Option<Ranges<'m>>,
}

impl<'m> RuntimeErrors<'m> {
    pub fn of(builder: &FormulaBuilder<'m>) -> Self {
        let model = builder.model;
        let makes_channel = |value: &InitValue| matches!(value, InitValue::Channel(_));
        let mut inits = model.proctypes.iter().flat_map(|proctype| &proctype.inits);
        let local_channels = inits.any(|init| makes_channel(&init.value));
        let ranges = (!model.features.network).then(|| Ranges::of(model));
        let mut faults = RuntimeErrors { anywhere: model.features.priorities, local_channels, ranges };
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            if let Some(provided) = &proctype.provided {
                faults.anywhere |= !faults.of_expr(builder, (id, None), provided).is_empty();
            }
            let invariants = proctype.automaton.locations.iter().filter_map(|location| location.invariant.as_ref());
            faults.anywhere |=
                invariants.into_iter().any(|invariant| network_errors::expr_can_fail(model, id, invariant));
        }
        faults
    }

    /// The condition under which an action has a run-time error at a location; `None` if it never has one. That another process finds
    /// one when it looks for a partner over a rendezvous channel is a failure of the statement that it looks at.
    pub fn of_action(
        &self,
        builder: &FormulaBuilder<'m>,
        (id, location): (ProctypeId, u32),
        action: &'m Action,
    ) -> Option<Formula<'m>> {
        let model = builder.model;
        let frame = match &self.ranges {
            Some(ranges) => Some(ranges.frame(id, location)?), // else no process comes there
            None => None,
        };
        let here = self.ranges.as_ref().zip(frame.as_ref()).map(|(ranges, frame)| AtLocation { ranges, id, frame });
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
            Action::DStep(block) if ways.is_empty() && here.is_some_and(|here| !here.block_can_fail(block)) => {
                return None;
            }
            Action::Run { .. } | Action::SetPriority { .. } | Action::SetOwnPriority(_) | Action::DStep(_) => {
                ways.push(Formula::Anything);
            }
            Action::Send { channel, args, .. } => {
                if model.monitor.is_some() {
                    ways.push(Formula::Anything);
                }
                ways.extend(self.of_channel(builder, (id, here), channel, Some(args.len())));
            }
            Action::Receive { channel, args, from } => {
                // a message can be copied from a buffered channel only
                let keeps =
                    from.keep && here.is_none_or(|here| here.channel_can_fail(channel, |shape| shape.capacity > 0));
                if keeps || model.monitor.is_some() {
                    ways.push(Formula::Anything);
                }
                ways.extend(self.of_channel(builder, (id, here), channel, Some(args.len())));
            }
            _ => {}
        }
        if ways.iter().any(|way| matches!(way, Formula::Anything)) {
            return Some(Formula::Anything);
        }
        action.for_each_expr(&mut |expr| ways.extend(self.of_expr(builder, (id, here), expr)));
        let receives = matches!(action, Action::Receive { .. });
        action.for_each_target(&mut |target| {
            // an index may be the value of a field before: only a constant one is known
            let is_known = !receives || target.indices.iter().all(|index| index.as_constant().is_some());
            ways.extend(of_indices(builder, (id, here.filter(|_| is_known)), target));
        });
        (!ways.is_empty()).then_some(Formula::Any(ways))
    }

    /// The conditions under which an expression has no value, evaluated by a process of a type at a location, if that is known.
    fn of_expr(
        &self,
        builder: &FormulaBuilder<'m>,
        (id, here): (ProctypeId, Option<AtLocation<'_, 'm>>),
        expr: &'m Expr,
    ) -> Vec<Formula<'m>> {
        let mut ways = Vec::new();
        if here.is_some_and(|here| !here.can_fail(expr)) {
            return ways;
        }
        expr.walk(&mut |inner| match inner {
            Expr::Var(var) => ways.extend(of_indices(builder, (id, here), var)),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, dividend, divisor) => {
                if here.is_some_and(|here| !here.can_divide_wrongly(dividend, divisor)) {
                    return;
                }
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
            | Expr::NotEmpty(channel) => ways.extend(self.of_channel(builder, (id, here), channel, None)),
            Expr::Poll { .. } | Expr::Enabled(_) | Expr::RemoteVar { .. } => ways.push(Formula::Anything),
            _ => {}
        });
        ways
    }

    /// The condition that an expression means no channel, or one whose messages have another number of fields.
    fn of_channel(
        &self,
        builder: &FormulaBuilder<'m>,
        (id, here): (ProctypeId, Option<AtLocation<'_, 'm>>),
        channel: &'m Expr,
        fields: Option<usize>,
    ) -> Option<Formula<'m>> {
        let suits = |shape: &ChannelShape| fields.is_none_or(|fields| fields == shape.fields.len());
        if here.is_some_and(|here| !here.channel_can_fail(channel, suits)) {
            return None;
        }
        let keeps = |var: &VarRef| builder.rates.of_var(Some(id), var) == Rate::NEVER;
        if matches!(channel, Expr::Var(var) if keeps(var) && is_sound(builder.model, var, fields)) {
            return None; // an index that is out of range fails by itself
        }
        let is_fixed = builder.rates.is_fixed(Some(id), channel);
        let undefined = || Formula::Undefined(Undefined::Channel(channel, fields));
        Some(if is_fixed && !self.local_channels { undefined() } else { Formula::Anything })
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
fn of_indices<'m>(
    builder: &FormulaBuilder<'m>,
    (id, here): (ProctypeId, Option<AtLocation<'_, 'm>>),
    var: &'m VarRef,
) -> Vec<Formula<'m>> {
    let model = builder.model;
    if here.is_some_and(|here| here.ranges.fits(id, here.frame, var)) {
        return Vec::new();
    }
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

    /// A receive whose channel is computed is no reason for every send to fail.
    #[test]
    fn what_receivers_compute_is_their_own_failure() {
        let text = |index: &str, more: &str| {
            format!(
                "chan z = [0] of {{byte}}; chan c[2] = [1] of {{byte}};
                 active [2] proctype R() {{ byte me = _pid; do :: c[{index}]?_ {more} od }}
                 active proctype P() {{ c[0]!1; c[0]!2; c[1]!1; c[1]!2; z!1 }}"
            )
        };
        assert_eq!(estimate(&text("me", "")), None);
        assert_eq!(estimate(&text("0", "")), None);
        // the receiver counts to where it fails, also while a sender looks for a partner
        assert_eq!(estimate(&text("me", ":: me++")), Some(2));
        assert_eq!(estimate(&text("me % 2", ":: me++")), None);
    }

    #[test]
    fn a_d_step_that_cannot_fail_is_no_failure() {
        let with = |statements: &str| {
            estimate(&format!("byte a[3], x; active proctype P() {{ byte i = 1; d_step {{ {statements} }} }}"))
        };
        assert_eq!(with("a[i] = 1; x = a[i] + 1; assert(x < 9)"), None);
        for fails in ["i = x; a[i] = 1", "x = 1; a[x] = 2", "x = 1; x == 2", "x = 1; if :: x == 2 fi", "x = 5 / x"] {
            assert_eq!(with(fails), Some(1), "{fails}");
        }
    }

    #[test]
    fn what_is_received_is_what_is_sent() {
        let text = |sent: &str| {
            format!(
                "chan q = [1] of {{byte, byte}}; byte a[3]; active proctype P() {{ byte x, y; q?x, y; a[x] = 1; a[x] = y }}
                 active proctype Q() {{ q!{sent} }}"
            )
        };
        assert_eq!(estimate(&text("_pid, 7")), None);
        assert!(estimate(&text("7, _pid")).is_some());
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
