//! A run told with few changes from one process to another.

use homing_engine::{Executed, Interpreter, MoveAccess, dependencies};
use homing_report::{Entry, TraceEvent, Trail, reorder};

use crate::play::{Broken, play};

/// A trail in the order of its telling.
#[derive(Clone, Debug, Default)]
pub struct Arranged {
    pub trail: Trail,
    pub statements: Vec<Executed>,
    /// Transitions of the state graph: an atomic run is one.
    pub moves: usize,
    /// How many times the process changes from one statement to the next.
    pub switches: usize,
    /// The same as the search found it.
    pub switches_as_found: usize,
}

/// In which order a run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the trail.
    AsFound,
    /// One with few changes from one process to another.
    FewSwitches,
}

/// What a move of the run is made of.
struct Unit {
    statements: Vec<Executed>,
    accesses: MoveAccess,
}

/// Plays the trail. To have few switches it is put into another order, which is played as well: the same statements with
/// the same ending. Where that fails, or with a claim or a cycle, the order stays as it is.
pub fn arranged(engine: &Interpreter<'_>, trail: &Trail, order: Order) -> Result<Arranged, Broken> {
    let mut units: Vec<Unit> = Vec::new();
    let mut is_open = false;
    let played = play(engine, trail, |player, beat| {
        let mut accesses = player.accesses(beat.taken, beat.happened);
        let statements = beat.statements().to_vec();
        match units.last_mut() {
            // the same atomic run goes on
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
        Arranged {
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
        reorder(&moves).into_iter().flat_map(|at| units[at].statements.iter().copied()).collect();
    let told = Trail { entries: entries(engine, &order), merged: false, ..trail.clone() };
    match play(engine, &told, |_, _| ()) {
        Ok(again) if again.length == played.length && again.ending == played.ending => Ok(Arranged {
            trail: told,
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

/// How many times the process changes.
pub fn switches(order: &[Executed]) -> usize {
    order.windows(2).filter(|pair| pair[0].pid != pair[1].pid).count()
}

/// The lines of a trail.
pub fn entries(engine: &Interpreter<'_>, statements: &[Executed]) -> Vec<Entry> {
    let entry = |executed: &Executed| Entry { pid: executed.pid.into(), id: engine.statement(*executed).id };
    statements.iter().map(entry).collect()
}
