//! Following a trail: finding the statement that each of its lines means.

use homing_core::SourcePlace;
use homing_ir::Action;
use homing_ir::print::Printer;

use crate::interpreter::Executed;
use crate::player::{Enabled, Player};

/// A statement by the numbers of a trail: the process, and SPIN's number of the transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrailStatement {
    pub pid: u32,
    pub id: u32,
}

/// Why a line of a trail cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrailMismatch {
    #[error("there is no process {pid}: {} exist", count(*processes))]
    NoProcess { pid: u32, processes: usize },
    #[error("the model has no transition {id}")]
    NoTransition { id: u32 },
    #[error("transition {id} is `{text}` of {owner} ({place}), but process {pid} is {process}")]
    OtherProctype { id: u32, text: String, owner: String, place: SourcePlace, pid: u32, process: String },
    #[error("{process} is at {at} and cannot execute `{text}` ({place}) from there")]
    Elsewhere { process: String, at: SourcePlace, text: String, place: SourcePlace },
    #[error("{process} cannot execute `{text}` ({place}): {reason}")]
    Blocked { process: String, text: String, place: SourcePlace, reason: String },
    #[error("{process} cannot move: {alone} is inside an atomic sequence and continues alone")]
    NotAlone { process: String, alone: String },
    #[error("no process receives what {process} sends by `{text}` ({place}) at this point")]
    NoReceiver { process: String, text: String, place: SourcePlace },
}

fn count(processes: usize) -> String {
    match processes {
        0 => "none".to_owned(),
        1 => "only process 0".to_owned(),
        more => format!("only 0 to {}", more - 1),
    }
}

impl Player<'_, '_> {
    /// The move that a line of a trail means. After the send of a rendezvous, or of a signal of a network, the `next` lines name the
    /// receivers; where there are none any more, the first receivers are taken. How many receivers there are is known in the state:
    /// one, or of a broadcast all that can receive.
    pub fn find(&self, wanted: TrailStatement, next: &[TrailStatement]) -> Result<Enabled, TrailMismatch> {
        let pid = wanted.pid as usize;
        if pid >= self.processes() {
            return Err(TrailMismatch::NoProcess { pid: wanted.pid, processes: self.processes() });
        }
        let is = |executed: &Executed, numbered: TrailStatement| {
            u32::from(executed.pid) == numbered.pid && self.engine().trail_id(*executed) == numbered.id
        };
        let mut matching = self.enabled_of(pid);
        matching.retain(|enabled| is(&enabled.statements[0], wanted));
        let Some(sender) = matching.first().map(|enabled| enabled.statements[0]) else {
            return Err(self.mismatch(wanted));
        };
        let fits =
            |enabled: &Enabled| enabled.statements[1..].iter().zip(next).all(|(receive, next)| is(receive, *next));
        matching.retain(fits);
        // at the end of a trail: a send that fails while a receiver is looked for has none
        let is_whole = |enabled: &Enabled| enabled.statements.len() <= next.len() + 1;
        let found = matching.iter().position(is_whole).unwrap_or(0);
        if !matching.is_empty() {
            return Ok(matching.swap_remove(found));
        }
        Err(TrailMismatch::NoReceiver {
            process: self.process_name(pid),
            text: self.engine().statement_text(sender),
            place: self.engine().source_place(self.engine().statement(sender).place),
        })
    }

    /// Whether the line is a jump to the current location of its process. Some jumps are lines of a trail only when SPIN
    /// merges statements.
    pub fn has_passed(&self, wanted: TrailStatement) -> bool {
        let pid = wanted.pid as usize;
        if pid >= self.processes() {
            return false;
        }
        let automaton = &self.engine().model().proctype(self.view(pid, false).proctype()).automaton;
        let Some(statement) = automaton.statement_in_trail(wanted.id) else { return false };
        let Some(numbers) = automaton.spin.statement(statement) else { return false };
        let leads_here = |transition: &homing_ir::Transition| {
            automaton.trail_id(transition.statement) == wanted.id && transition.target == self.location(pid)
        };
        matches!(automaton.statement(statement).action, Action::Skip(_))
            && automaton.location(numbers.state).transitions.iter().any(leads_here)
    }

    fn mismatch(&self, wanted: TrailStatement) -> TrailMismatch {
        let (engine, pid) = (self.engine(), wanted.pid as usize);
        let process = self.process_name(pid);
        let own = self.view(pid, false).proctype();
        let mut found = None;
        for (at, proctype) in engine.model().proctypes.iter().enumerate() {
            if let Some(id) = proctype.automaton.statement_in_trail(wanted.id) {
                let statement = proctype.automaton.statement(id);
                let proctype = homing_ir::ProctypeId(at as u32);
                found = Some((proctype, id, statement));
                if proctype == own {
                    break;
                }
            }
        }
        let Some((owner, id, statement)) = found else { return TrailMismatch::NoTransition { id: wanted.id } };
        let printer = Printer { model: engine.model(), proctype: Some(owner) };
        let text = printer.statement(id);
        let place = engine.source_place(statement.place);
        if owner != own {
            let owner = engine.model().proctype(owner).name.clone();
            return TrailMismatch::OtherProctype { id: wanted.id, text, owner, place, pid: wanted.pid, process };
        }
        if let Some(alone) = self.alone().filter(|&alone| alone != pid) {
            return TrailMismatch::NotAlone { process, alone: self.process_name(alone) };
        }
        let location = engine.model().proctype(own).automaton.location(self.location(pid));
        let is_here = |transition: &homing_ir::Transition| {
            engine.model().proctype(own).automaton.trail_id(transition.statement) == wanted.id
        };
        if !location.transitions.iter().any(is_here) {
            return TrailMismatch::Elsewhere { process, at: engine.source_place(location.place), text, place };
        }
        let waiting = self.waiting_process(pid);
        let blocked = waiting.statements.into_iter().find(|blocked| blocked.statement == id);
        let reason = blocked.map(|blocked| blocked.reason).unwrap_or_default();
        TrailMismatch::Blocked { process, text, place, reason }
    }
}
