//! The way back from a state of a level, in eight bytes a state: the states of a path are found by executing its steps again.

use std::ops::ControlFlow;

use homing_core::{Cost, Selection, Target, TransitionSystem};

use super::candidates::{Link, Slot};

/// The links of all levels.
#[derive(Default)]
pub(crate) struct Witness {
    links: Vec<Link>,
    /// Where each level begins.
    levels: Vec<usize>,
}

impl Witness {
    pub fn add_level(&mut self, level: &[Slot]) {
        self.levels.push(self.links.len());
        self.links.extend(level.iter().map(|slot| slot.link));
    }

    /// How many levels there are.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Which steps lead from the initial state to a slot of the last level.
    fn ordinals(&self, slot: u32) -> Vec<u32> {
        let mut at = slot as usize;
        let mut ordinals: Vec<u32> = self.levels[1..]
            .iter()
            .rev()
            .map(|&level| {
                let Link { parent, ordinal } = self.links[level + at];
                at = parent as usize;
                ordinal
            })
            .collect();
        ordinals.reverse();
        ordinals
    }

    /// The actions and the length of the path to a slot of the last level. None if the stop token of the system is set.
    ///
    /// # Panics
    /// If a state does not show the same steps again.
    pub fn path<T: TransitionSystem>(&self, system: &T, slot: u32) -> Option<(Vec<T::Action>, Cost)> {
        let ordinals = self.ordinals(slot);
        let (mut actions, mut length) = (Vec::with_capacity(ordinals.len()), 0);
        let (mut s, mut next) = (system.initial().into_vec(), Vec::new());
        for ordinal in ordinals {
            let (mut taken, mut is_stopped) = (None, false);
            system.patiently(|| {
                system.for_each_step(&s, Selection::All, |step| {
                    is_stopped |= step.is_stop();
                    match step.target {
                        Target::State(target) if step.ordinal == ordinal => {
                            next.clear();
                            next.extend_from_slice(target);
                            taken = Some((step.action, step.cost));
                            ControlFlow::Break(())
                        }
                        _ => ControlFlow::Continue(()),
                    }
                })
            });
            if is_stopped {
                return None;
            }
            let (action, cost) = taken.expect("a state shows the same steps each time");
            actions.push(action);
            length += cost;
            std::mem::swap(&mut s, &mut next);
        }
        Some((actions, length))
    }

    /// The bytes it takes.
    pub fn memory(&self) -> u64 {
        (self.links.capacity() * size_of::<Link>() + self.levels.capacity() * size_of::<usize>()) as u64
    }
}
