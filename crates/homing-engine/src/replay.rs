//! A path executed again, statement by statement.

use std::ops::ControlFlow;

use homing_core::{Arrival, Description, Standing, State, Step, Violation};
use homing_ir::print::{Printer, cell_name};
use homing_ir::{Place, ProctypeId, Scalar, Variable};

use crate::interpreter::{Executing, Recorder};
use crate::layout::VarSlot;
use crate::work::Work;
use crate::{Interpreter, StepIndex};

/// One executed statement.
#[derive(Clone, Debug)]
pub struct Executed {
    pub pid: u8,
    pub proctype: ProctypeId,
    pub place: Place,
    /// The statement as SPIN would print it.
    pub text: String,
    /// SPIN's number of the transition.
    pub id: u32,
}

/// A path that was executed again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// One entry for each statement that counts for the path's length.
    pub statements: Vec<Executed>,
    pub violation: Violation,
    /// The state from which the last step, the failing one, was taken.
    pub last: Box<State>,
}

/// Why a path could not be executed again: a bug in homing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The step that has no counterpart, counted from 0.
    pub step: usize,
    pub reason: String,
}

/// Keeps the statements of the run under way, and those of the step that was asked for.
struct Picking {
    wanted: StepIndex,
    run: Vec<Executing>,
    picked: Option<Picked>,
}

/// Keeps the statements of the run under way.
struct Listing(Vec<Executing>);

impl Recorder for Listing {
    const RECORDS: bool = true;

    fn record(&mut self, executing: Executing) {
        self.0.push(executing);
    }

    fn rewind(&mut self, statements: usize) {
        self.0.truncate(statements);
    }
}

struct Picked {
    statements: Vec<Executing>,
    arrival: Result<Box<State>, Violation>,
}

impl Recorder for Picking {
    const RECORDS: bool = true;

    fn record(&mut self, executing: Executing) {
        self.run.push(executing);
    }

    fn rewind(&mut self, statements: usize) {
        self.run.truncate(statements);
    }
}

impl Interpreter<'_> {
    /// Executes the path again from the initial state. The last action must show a violation, the others must not.
    pub fn replay(&self, actions: &[StepIndex]) -> Result<Replay, ReplayError> {
        let mut state = homing_core::TransitionSystem::initial(self);
        let mut statements = Vec::new();
        for (step, &wanted) in actions.iter().enumerate() {
            let error = |reason: &str| ReplayError { step, reason: reason.to_owned() };
            let picked = self.pick(&state, wanted).ok_or_else(|| error("there is no such step"))?;
            statements.extend(picked.statements.iter().map(|executing| self.executed(executing)));
            match (picked.arrival, step + 1 == actions.len()) {
                (Ok(target), false) => state = target,
                (Err(violation), true) => return Ok(Replay { statements, violation, last: state }),
                (Ok(_), true) => return Err(error("the last step shows no violation")),
                (Err(_), false) => return Err(error("a step in the middle shows a violation")),
            }
        }
        Err(ReplayError { step: 0, reason: "the path is empty".to_owned() })
    }

    fn pick(&self, state: &State, wanted: StepIndex) -> Option<Picked> {
        let mut picking = Picking { wanted, run: Vec::new(), picked: None };
        self.expand(state, &mut picking, |step, picking| {
            if step.action == picking.wanted {
                let arrival = match step.arrival {
                    Arrival::State(target) => Ok(target.into()),
                    Arrival::Violation(violation) => Err(violation),
                    Arrival::CutOff => return ControlFlow::Break(()),
                };
                let mut statements = std::mem::take(&mut picking.run);
                statements.truncate(step.cost as usize);
                picking.picked = Some(Picked { statements, arrival });
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        picking.picked
    }

    fn executed(&self, executing: &Executing) -> Executed {
        let statement = self.model.proctype(executing.proctype).automaton.statement(executing.statement);
        let printer = Printer { model: self.model, proctype: Some(executing.proctype) };
        Executed {
            pid: executing.pid,
            proctype: executing.proctype,
            place: statement.place,
            text: printer.action(&statement.action),
            id: statement.id,
        }
    }

    /// Shows `visit` each step out of a state, in the order of [`homing_core::TransitionSystem::for_each_step`], with
    /// the statements it is made of. There can be a million of them: each becomes text when it is asked for.
    pub fn for_each_step_in_words(
        &self,
        state: &State,
        mut visit: impl FnMut(Step<'_, StepIndex>, &mut dyn ExactSizeIterator<Item = Executed>) -> ControlFlow<()>,
    ) {
        self.expand(state, &mut Listing(Vec::new()), |step, Listing(run)| {
            let statements = &run[..run.len().min(step.cost as usize)];
            visit(step, &mut statements.iter().map(|executing| self.executed(executing)))
        });
    }

    /// The values of a state, one line each: globals, then processes with their location and locals, then channels with
    /// their contents.
    pub fn describe(&self, state: &State) -> Vec<String> {
        let Description { globals: mut lines, processes } = self.description(state);
        for Standing { process, place, location, locals } in processes {
            lines.push(format!("{process} at {place} (state {location})"));
            lines.extend(locals.into_iter().map(|local| format!("    {local}")));
        }
        lines
    }

    /// The values of a state, by whom they belong to.
    pub fn description(&self, state: &State) -> Description {
        let mut work = Work::default();
        work.load(&self.layout, state);
        let mut description = Description::default();
        for (variable, slot) in self.model.globals.iter().zip(&self.layout.globals) {
            self.describe_variable(&work, 0, variable, *slot, &mut description.globals);
        }
        for pid in 0..work.processes.len() {
            let frame = work.processes[pid];
            let proctype = self.model.proctype(frame.proctype);
            let location = work.location(&self.layout, pid);
            let place = self.source_place(proctype.automaton.location(location).place);
            let mut locals = Vec::new();
            let slots = &self.layout.processes[frame.proctype.index()].locals;
            for (variable, slot) in proctype.locals.iter().zip(slots) {
                self.describe_variable(&work, frame.offset, variable, *slot, &mut locals);
            }
            description.processes.push(Standing { process: self.process_name(&work, pid), place, location, locals });
        }
        description
    }

    fn describe_variable(&self, work: &Work, start: u32, variable: &Variable, slot: VarSlot, lines: &mut Vec<String>) {
        for cell in 0..variable.cells() {
            let offset = start + slot.offset + (cell * slot.cell.width()) as u32;
            let value = work.read(offset, slot.cell);
            let name = cell_name(variable, cell);
            let value = match variable.scalar {
                Scalar::Chan => self.describe_channel(work, value),
                scalar => self.describe_value(scalar, value),
            };
            lines.push(format!("{name} = {value}"));
        }
    }

    fn describe_value(&self, scalar: Scalar, value: i32) -> String {
        let set = match scalar {
            Scalar::Mtype(Some(set)) => self.model.mtypes.get(set as usize),
            Scalar::Mtype(None) => self.model.mtypes.iter().find(|set| set.name.is_none()),
            _ => None,
        };
        let name = set.and_then(|set| set.names.get((value as usize).wrapping_sub(1)));
        name.cloned().unwrap_or_else(|| value.to_string())
    }

    fn describe_channel(&self, work: &Work, id: i32) -> String {
        let Ok(channel) = work.channel(&self.layout, id) else { return format!("channel {id}") };
        let shape = &self.model.shapes[channel.0.shape as usize];
        if shape.capacity == 0 {
            return format!("channel {id} (rendezvous)");
        }
        let message = |slot: u32| {
            let fields = shape.fields.iter().enumerate();
            let fields: Vec<String> =
                fields.map(|(at, field)| self.describe_value(field.scalar, work.field(channel, slot, at))).collect();
            format!("[{}]", fields.join(","))
        };
        let messages: Vec<String> = (0..work.length(channel)).map(message).collect();
        format!("channel {id} ({}/{}) {}", messages.len(), shape.capacity, messages.concat()).trim_end().to_owned()
    }
}
