//! Descriptions of the result of a move, as text.

use std::collections::HashSet;

use homing_ir::Scalar;
use homing_ir::print::cell_name;

use crate::effect::{CellRef, Effect};
use crate::player::{MoveResult, Player};
use crate::working_state::WorkingState;

/// A value that a move changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The process whose local it is, such as `Phil(2)`; none for globals and channels.
    pub owner: Option<String>,
    pub name: String,
    pub before: String,
    pub after: String,
}

/// A message that was sent or received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The number of the channel.
    pub channel: i32,
    pub name: String,
    pub message: String,
    pub kind: TransferKind,
    /// The messages of a buffered channel after the move.
    pub contents: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferKind {
    Sent { slot: u32 },
    Received { slot: u32, stays: bool },
    Handed { to: u8 },
}

/// A process whose location changed, by SPIN's numbers of control states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub pid: u8,
    pub from: u32,
    pub to: u32,
}

/// The result of a move as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveDescription {
    pub changes: Vec<Change>,
    pub transfers: Vec<Transfer>,
    /// Values that were cut to the width of a variable or field, a sentence each.
    pub truncations: Vec<String>,
    pub printed: Vec<String>,
    pub started: Vec<(u8, String)>,
    pub ended: Vec<u8>,
    pub moved: Vec<Moved>,
}

impl Player<'_, '_> {
    /// Describes the result of the last [move](Player::take); to be called before the next.
    pub fn describe_move(&self, result: &MoveResult) -> MoveDescription {
        let mut described = MoveDescription::default();
        let mut seen = HashSet::new();
        let mut channels = HashSet::new();
        for effect in &result.effects {
            match effect {
                Effect::Wrote { target, given, kept, .. } => {
                    if given != kept {
                        let name = self.cell_text(*target).1;
                        let scalar = type_name(self.scalar(*target));
                        described.truncations.push(format!("{given} overflows {scalar} {name}: stored as {kept}"));
                    }
                    if seen.insert(*target) {
                        described.changes.extend(self.change(*target, &result.effects));
                    }
                }
                Effect::Sent { channel, slot, given, kept, .. } => {
                    for (given, kept) in given.iter().zip(kept).filter(|(given, kept)| given != kept) {
                        let name = self.engine.channel_name(&self.work, *channel);
                        described.truncations.push(format!("{given} overflows a field of {name}: sent as {kept}"));
                    }
                    described.transfers.push(self.transfer(*channel, kept, TransferKind::Sent { slot: *slot }));
                    channels.insert(*channel);
                }
                Effect::Received { channel, slot, message, stays } => {
                    let kind = TransferKind::Received { slot: *slot, stays: *stays };
                    described.transfers.push(self.transfer(*channel, message, kind));
                    channels.insert(*channel);
                }
                Effect::Handed { channel, to, message, .. } => {
                    described.transfers.push(self.transfer(*channel, message, TransferKind::Handed { to: *to }));
                }
                Effect::Signalled { channel, to } => described.transfers.push(self.signal(*channel, *to)),
                Effect::Started(pid) => described.started.push((*pid, self.process_name(*pid as usize))),
                Effect::Ended(pid) => described.ended.push(*pid),
                Effect::Printed(text) => described.printed.push(text.clone()),
                Effect::Failed(_) | Effect::Taken(_) => {}
            }
        }
        let mut channels: Vec<i32> = channels.into_iter().collect();
        channels.sort_unstable();
        described.changes.extend(channels.into_iter().filter_map(|id| self.channel_change(id)));
        for executed in &result.statements {
            let pid = executed.pid as usize;
            if !result.failed && pid < self.before.processes.len() && pid < self.work.processes.len() {
                let location = |work: &WorkingState| work.location(&self.engine.layout, pid);
                let (from, to) = (location(&self.before), location(&self.work));
                if from != to {
                    described.moved.push(Moved { pid: executed.pid, from, to });
                }
            }
        }
        described
    }

    /// The change of a cell from before its first write to after its last; `None` if the value is the same.
    fn change(&self, cell: CellRef, effects: &[Effect]) -> Option<Change> {
        let writes = effects.iter().filter_map(|effect| match effect {
            Effect::Wrote { target, before, kept, .. } if *target == cell => Some((*before, *kept)),
            _ => None,
        });
        let (first, last) = writes.fold((None, 0), |(first, _), (before, kept)| (first.or(Some(before)), kept));
        let first = first.filter(|first| *first != last)?;
        let (owner, name) = self.cell_text(cell);
        let scalar = self.scalar(cell);
        let text = |work: &WorkingState, value: i32| match scalar {
            Scalar::Chan => self.engine.channel_name(work, value),
            scalar => self.engine.value_text(work, scalar, value),
        };
        Some(Change { owner, name, before: text(&self.before, first), after: text(&self.work, last) })
    }

    /// The declared type of a cell.
    fn scalar(&self, cell: CellRef) -> Scalar {
        let proctype = cell.owner.map(|pid| self.work.processes[pid as usize].proctype);
        self.engine.cell_variable(cell, proctype).scalar
    }

    fn channel_change(&self, id: i32) -> Option<Change> {
        let contents = |work: &WorkingState| match self.engine.contents(work, id).as_str() {
            "" => "empty".to_owned(),
            contents => contents.to_owned(),
        };
        let (before, after) = (contents(&self.before), contents(&self.work));
        let name = self.engine.channel_name(&self.work, id);
        (before != after).then_some(Change { owner: None, name, before, after })
    }

    fn transfer(&self, channel: i32, message: &[i32], kind: TransferKind) -> Transfer {
        Transfer {
            channel,
            name: self.engine.channel_name(&self.work, channel),
            message: self.engine.message_of(&self.work, channel, message),
            kind,
            contents: self.engine.contents(&self.work, channel),
        }
    }

    /// The synchronisation with a receiver as a message without contents.
    fn signal(&self, channel: i32, to: u8) -> Transfer {
        let name = usize::try_from(channel).ok().and_then(|number| self.engine.model.signals.get(number));
        Transfer {
            channel,
            name: name.cloned().unwrap_or_default(),
            message: String::new(),
            kind: TransferKind::Handed { to },
            contents: String::new(),
        }
    }

    /// The owner and the name of a cell.
    pub(crate) fn cell_text(&self, cell: CellRef) -> (Option<String>, String) {
        let proctype = cell.owner.map(|pid| self.work.processes[pid as usize].proctype);
        let name = cell_name(self.engine.cell_variable(cell, proctype), cell.cell as usize);
        (cell.owner.map(|pid| self.process_name(pid as usize)), name)
    }
}

/// The word for a type in a declaration.
fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bit => "bit",
        Scalar::Byte => "byte",
        Scalar::Short => "short",
        Scalar::Int => "int",
        Scalar::Unsigned(_) => "unsigned",
        Scalar::Mtype(_) => "mtype",
        Scalar::Chan => "chan",
    }
}
