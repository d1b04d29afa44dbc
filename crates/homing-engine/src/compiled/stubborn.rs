//! The steps of a [stubborn set](crate::stubborn), by compiled code: the moves of the state are found as for a full expansion,
//! and only those that were chosen are executed.

use std::ops::ControlFlow;

use homing_core::Step;

use super::drive::{CompiledMove, Driver, NeedsInterpreter};
use super::expand::Expansion;
use super::translate::FAULT;
use crate::interpreter::StepIndex;
use crate::stubborn::{EnabledMove, Scratch, Seeds, StubbornSets};

/// Buffers that are used again for every state.
#[derive(Default)]
pub struct StubbornScratch {
    scratch: Scratch,
    moves: Vec<EnabledMove>,
    chosen: Vec<CompiledMove>,
}

impl<V: FnMut(Step<'_, StepIndex>) -> ControlFlow<()>> Expansion<'_, '_, V> {
    /// Shows the steps of a stubborn set, and returns how many moves were left out; none if all have to be taken. Nothing was shown if the
    /// interpreter is needed.
    pub fn explore_stubborn(&mut self, sets: &StubbornSets, seeds: Seeds) -> Result<Option<u32>, NeedsInterpreter> {
        self.driver.begin();
        let mut buffers = std::mem::take(&mut self.driver.machine.stubborn);
        let left_out = self.driver.choose_stubborn((sets, seeds), &mut buffers);
        if let Ok(Some(_)) = left_out {
            for &choice in &buffers.chosen {
                self.driver.machine.moves.clear();
                let frame = self.driver.machine.context.process(choice.pid.into()).offset;
                let flow = match choice.receiver {
                    None => self.explore_step(choice.pid.into(), frame, choice.transition),
                    Some(_) => self.explore_move(choice),
                };
                if flow.is_break() {
                    break;
                }
            }
        }
        self.driver.machine.stubborn = buffers;
        left_out
    }
}

impl Driver<'_, '_> {
    /// Chooses moves of the state that is loaded, and returns how many others there are; none if it is not reduced.
    fn choose_stubborn(
        &mut self,
        (sets, seeds): (&StubbornSets, Seeds),
        buffers: &mut StubbornScratch,
    ) -> Result<Option<u32>, NeedsInterpreter> {
        let StubbornScratch { scratch, moves, chosen } = buffers;
        self.machine.moves.clear();
        self.machine.offer_is_current = false;
        for pid in (0..self.machine.context.process_table.len()).rev() {
            self.collect_moves_of(pid)?;
        }
        moves.clear();
        let nth = |driver: &Self, pid: u8, transition: u32| {
            transition - driver.code.locations[driver.machine.context.location_of(pid.into())].first
        };
        for &one in &self.machine.moves {
            moves.push(EnabledMove {
                pid: one.pid,
                transition: nth(self, one.pid, one.transition),
                receiver: one.receiver.map(|(receiver, transition)| (receiver, nth(self, receiver, transition))),
            });
        }
        let selected = sets.select(scratch, seeds, self.machine.context.view(), moves);
        let Some(mut mask) = selected else { return Ok(None) };
        chosen.clear();
        while mask != 0 {
            chosen.push(self.machine.moves[mask.trailing_zeros() as usize]);
            mask &= mask - 1;
        }
        Ok(Some((moves.len() - chosen.len()) as u32))
    }

    /// Adds the moves of a process.
    #[inline(always)]
    fn collect_moves_of(&mut self, pid: usize) -> Result<(), NeedsInterpreter> {
        let machine = &mut *self.machine;
        let process = machine.context.process(pid);
        let at = machine.context.location(process);
        let entry = machine.fast_paths.location(at);
        let mut mask = machine.enabled_mask(&entry, pid, process.offset);
        if mask == FAULT {
            mask = self.evaluate_guards(pid, at)?;
        }
        let location = &self.code.locations[at];
        if mask & location.special() != 0 {
            return self.collect_moves(pid, at, mask);
        }
        while mask != 0 {
            let transition = location.first + mask.trailing_zeros();
            mask &= mask - 1;
            self.machine.moves.push(CompiledMove { pid: pid as u8, transition, receiver: None });
        }
        Ok(())
    }
}
