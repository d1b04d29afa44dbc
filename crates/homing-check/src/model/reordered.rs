//! A run reordered to have few process switches, for display.

use homing_engine::{Executed, Interpreter, MoveAccess, dependencies};
use homing_report::{Entry, TraceEvent, Trail};

use super::play::{Broken, play};

/// A trail in the order in which it is shown.
#[derive(Clone, Debug, Default)]
pub struct Reordered {
    /// The trail, in this order.
    pub trail: Trail,
    /// Its statements, in this order.
    pub statements: Vec<Executed>,
    /// Transitions of the state graph; an uninterrupted atomic run is one.
    pub moves: usize,
    /// Process switches: how many times consecutive statements belong to different processes.
    pub switches: usize,
    /// Process switches in the order that the search found.
    pub switches_as_found: usize,
}

/// The order in which a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of the trail.
    AsFound,
    /// An equivalent order with few process switches.
    FewSwitches,
}

/// A move of the run: its statements, and what they access.
struct Unit {
    statements: Vec<Executed>,
    accesses: MoveAccess,
}

/// Plays the trail and, for few switches, reorders independent moves. The new order is played too and must have the
/// same length and ending; otherwise, and with a claim or a cycle, the order of the trail is kept.
pub(super) fn reorder(engine: &Interpreter<'_>, trail: &Trail, order: Order) -> Result<Reordered, Broken> {
    let mut units: Vec<Unit> = Vec::new();
    let mut is_open = false;
    let played = play(engine, trail, |player, step| {
        let mut accesses = player.accesses(step.taken, step.happened);
        let statements = step.statements().to_vec();
        match units.last_mut() {
            // the same atomic run continues
            Some(unit) if is_open => {
                unit.statements.extend(statements);
                unit.accesses.join(std::mem::take(&mut accesses));
            }
            _ => units.push(Unit { statements, accesses }),
        }
        is_open = player.alone().is_some();
    })?;
    let found: Vec<Executed> = units.iter().flat_map(|unit| unit.statements.iter().copied()).collect();
    let as_found = || {
        let switches = switches(&found);
        Reordered {
            trail: trail.clone(),
            statements: found.clone(),
            moves: units.len(),
            switches,
            switches_as_found: switches,
        }
    };
    let fixed = trail.claim.is_some() || trail.cycle_start.is_some() || !played.player.has_independence();
    if order == Order::AsFound || fixed {
        return Ok(as_found());
    }
    let accesses: Vec<MoveAccess> = units.iter().map(|unit| unit.accesses.clone()).collect();
    let moves: Vec<TraceEvent> =
        units.iter().zip(dependencies(&accesses)).map(|(unit, after)| unit.as_move(after)).collect();
    let order: Vec<Executed> =
        homing_report::reorder(&moves).into_iter().flat_map(|at| units[at].statements.iter().copied()).collect();
    let reordered = Trail { entries: entries(engine, &order), merged: false, ..trail.clone() };
    match play(engine, &reordered, |_, _| ()) {
        Ok(again) if again.length == played.length && again.ending == played.ending => Ok(Reordered {
            trail: reordered,
            moves: units.len(),
            switches: switches(&order),
            switches_as_found: switches(&found),
            statements: order,
        }),
        _ => Ok(as_found()),
    }
}

impl Unit {
    fn as_move(&self, after: Vec<usize>) -> TraceEvent {
        let (first, last) = (self.statements.first(), self.statements.last());
        let pid = |executed: Option<&Executed>| executed.expect("a move has statements").pid;
        TraceEvent { first: pid(first), last: pid(last), depends_on: after }
    }
}

/// The number of process switches.
fn switches(order: &[Executed]) -> usize {
    order.windows(2).filter(|pair| pair[0].pid != pair[1].pid).count()
}

/// The statements as lines of a trail.
pub(super) fn entries(engine: &Interpreter<'_>, statements: &[Executed]) -> Vec<Entry> {
    let entry = |executed: &Executed| Entry { pid: executed.pid.into(), id: engine.trail_id(*executed) };
    statements.iter().map(entry).collect()
}
