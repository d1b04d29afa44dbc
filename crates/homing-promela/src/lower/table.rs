//! From control flow to the transition tables that SPIN's verifier runs on.
//!
//! First every element writes its row: a plain statement one transition, a selection or block a list of ways in. Then
//! selections at the head of options are folded into one list, each way in is replaced by the first step after it, and
//! escapes are put in front. What remains are the locations and transitions of the automaton.

use homing_ir::{
    Action, Automaton, ControlState, Labels, Location, Merging, Place, Resets, SpinNumbering, SpinStatement, Statement,
    StatementId, Transition,
};

use super::flow::{ATOMIC, ATOMIC_LAST, DONE, ElementId, Flow, Jump, Node, Sequence, SequenceId};
use super::hunt::{LONGEST_CHAIN, circle};
use super::written::written;
use super::{block, merge};
use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// One transition of a row. A way into a selection has no element: it is not executed itself.
#[derive(Clone, Debug)]
struct Row {
    element: Option<ElementId>,
    target: u32,
    atomic: bool,
    serial: u32,
    /// The first states of the escapes that apply, outermost first.
    escapes: Vec<u32>,
    escape: u32,
}

/// The row of a control state: a plain step, or the ways into what a selection or block contains.
#[derive(Clone, Debug)]
enum Entry {
    Step(Row),
    Choice { ways: Vec<u32> },
}

pub(super) struct Tables<'f> {
    flow: &'f mut Flow,
    /// By control state; 0 is not used.
    entries: Vec<Option<Entry>>,
    labels: Vec<Labels>,
    places: Vec<Place>,
    /// States that need not be reached by themselves.
    exempt: Vec<bool>,
    maps_to: Vec<u32>,
    /// By element.
    merging: Vec<Merging>,
}

type Lowered<T> = Result<T, Diagnostic>;

/// The automaton of a body.
pub(super) fn automaton(flow: &mut Flow, policy: merge::Policy, sources: &SourceMap) -> Lowered<Automaton> {
    let body = flow.body.expect("a body was built");
    tie_loose_ends(flow);
    let states = flow.next_number as usize;
    let mut tables = Tables {
        entries: vec![None; states],
        labels: vec![Labels::default(); states],
        places: vec![Place::default(); states],
        exempt: vec![false; states],
        maps_to: vec![0; states],
        merging: Vec::new(),
        flow,
    };
    for label in tables.flow.labels.iter() {
        let number = tables.flow.element(label.element).number as usize;
        tables.labels[number].merge(Labels {
            end: label.name.starts_with("end"),
            accept: label.name.starts_with("accept"),
            progress: label.name.starts_with("progress"),
            danger: label.name.starts_with("danger"),
        });
    }
    tables.merging = merge::find(tables.flow, policy);
    tables.write_sequence(body)?;
    let first = tables.flow.sequence(body).first.expect("a body has an end");
    let start = tables.flow.hunt(first, tables.flow.element(first).status)?;
    let start = tables.flow.element(start).number;
    let last = tables.flow.sequence(body).last.expect("a body has an end");
    let end = tables.flow.element(last).number;
    tables.labels[end as usize].end = true;
    tables.fold(start, end, sources)
}

/// Links the last step of each block to what follows the block.
fn tie_loose_ends(flow: &mut Flow) {
    for at in (0..flow.elements.len() as u32).rev() {
        let element = flow.element(ElementId(at));
        let (Node::Atomic(body) | Node::Block(body) | Node::DStep(body)) = element.node else { continue };
        let mut next = element.next;
        if next.is_none() {
            continue;
        }
        while let Some(id) = next
            && matches!(flow.element(id).node, Node::Join)
        {
            next = flow.element(id).next;
        }
        let Some(last) = flow.sequence(body).last else { continue };
        match flow.element(last).next {
            None => flow.element_mut(last).next = next,
            // A remote reference can have put a jump after the last step: then that is the last.
            Some(behind) if matches!(flow.element(behind).node, Node::Goto(_)) => {
                flow.sequence_mut(body).last = Some(behind);
            }
            Some(_) => {}
        }
    }
}

impl Tables<'_> {
    fn write_sequence(&mut self, sequence: SequenceId) -> Lowered<()> {
        let mut at = self.flow.sequence(sequence).first;
        while let Some(id) = at {
            if self.flow.element(id).status & DONE == 0 {
                self.flow.element_mut(id).status |= DONE;
                self.write(id)?;
            }
            if self.flow.sequence(sequence).last == Some(id) {
                break;
            }
            at = self.flow.element(id).next;
        }
        Ok(())
    }

    fn write(&mut self, id: ElementId) -> Lowered<()> {
        let (number, place) = (self.flow.element(id).number as usize, self.flow.element(id).place);
        self.places[number] = place;
        match self.flow.element(id).node.clone() {
            Node::Unless => self.write_sequence(self.flow.element(id).options[0]),
            Node::If | Node::Do => {
                let options = self.flow.element(id).options.clone();
                let mut ways = Vec::new();
                for &option in &options {
                    let first = self.flow.sequence(option).first.expect("an option has a step");
                    self.exempt(first);
                    let entry = self.flow.hunt_start(first)?;
                    if !self.is_dead(entry) {
                        ways.push(self.flow.element(entry).number);
                    }
                }
                self.entries[number] = Some(Entry::Choice { ways });
                options.into_iter().try_for_each(|option| self.write_sequence(option))
            }
            Node::Atomic(body) | Node::Block(body) => {
                let entry = self.open_block(id, body)?;
                let ways = vec![self.flow.element(entry).number];
                self.entries[number] = Some(Entry::Choice { ways });
                self.write_sequence(body)
            }
            Node::DStep(body) => {
                self.open_block(id, body)?;
                self.write_step(id)?;
                let first = self.flow.sequence(body).first.expect("a d_step has a step");
                let number = self.flow.element(first).number as usize;
                self.exempt[number] = false;
                Ok(())
            }
            _ => self.write_step(id),
        }
    }

    /// Prepares the body of a block; returns the element its execution begins with.
    fn open_block(&mut self, id: ElementId, body: SequenceId) -> Lowered<ElementId> {
        self.patch_jumps(body)?;
        let Sequence { first, last, .. } = *self.flow.sequence(body);
        let first = first.expect("a block has a step");
        self.exempt(first);
        let entry = self.flow.hunt_start(first)?;
        if let Some(last) = last {
            let next = self.flow.element(id).next;
            self.flow.element_mut(last).next = next;
        }
        Ok(entry)
    }

    /// A jump out of an atomic sequence ends it, a jump from its end into another continues with that.
    fn patch_jumps(&mut self, sequence: SequenceId) -> Lowered<()> {
        let Sequence { first, extent, .. } = *self.flow.sequence(sequence);
        for id in self.flow.chain(first, extent) {
            if let Node::Goto(jump) = self.flow.element(id).node.clone() {
                let target = self.flow.target_of(&jump, id)?;
                let inside = self.flow.element(target).status & (ATOMIC | ATOMIC_LAST) != 0;
                let status = &mut self.flow.element_mut(id).status;
                if *status & (ATOMIC | ATOMIC_LAST) != 0 && !inside {
                    *status = (*status & !ATOMIC) | ATOMIC_LAST;
                }
                if *status & ATOMIC_LAST != 0 && inside {
                    *status = (*status & !ATOMIC_LAST) | ATOMIC;
                }
            } else {
                for option in self.flow.element(id).options.clone() {
                    self.patch_jumps(option)?;
                }
            }
        }
        Ok(())
    }

    fn write_step(&mut self, id: ElementId) -> Lowered<()> {
        let element = self.flow.element(id);
        let (number, status, serial) = (element.number, element.status, element.serial);
        let target = match element.node.clone() {
            Node::Goto(jump) => {
                let label = self.flow.target_of(&jump, id)?;
                let target = self.flow.hunt(label, status)?;
                self.flow.forbid_jump_into_d_step(id, target)?;
                Some(target)
            }
            _ => match element.next {
                Some(next) => Some(self.flow.hunt(next, status)?),
                None => None,
            },
        };
        if matches!(self.flow.element(id).node, Node::Else | Node::Join | Node::Goto(_) | Node::Break | Node::Skip) {
            self.exempt(id);
        }
        let escapes = if matches!(self.flow.element(id).node, Node::Join) {
            Vec::new()
        } else {
            self.flow.element(id).escapes.clone()
        };
        let mut escape_states = Vec::new();
        for &escape in &escapes {
            let first = self.flow.sequence(escape).first.expect("an escape has a step");
            let first = self.flow.hunt(first, status)?;
            let first = self.flow.element(first).number;
            self.exempt[first as usize] = true;
            escape_states.push(first);
        }
        self.entries[number as usize] = Some(Entry::Step(Row {
            element: Some(id),
            target: target.map_or(0, |target| self.flow.element(target).number),
            atomic: status & ATOMIC != 0,
            serial,
            escapes: escape_states,
            escape: 0,
        }));
        escapes.into_iter().try_for_each(|escape| self.write_sequence(escape))
    }

    fn exempt(&mut self, id: ElementId) {
        let number = self.flow.element(id).number as usize;
        self.exempt[number] = true;
    }

    /// An option after a constant 0 does not exist, unless an escape leads out of it.
    fn is_dead(&self, id: ElementId) -> bool {
        let element = self.flow.element(id);
        let never = matches!(&element.node, Node::Basic(Action::Condition(guard)) if guard.as_constant() == Some(0));
        never && element.escapes.is_empty()
    }

    /// Folds choices into lists of steps and puts escapes in front.
    fn fold(mut self, start: u32, end: u32, sources: &SourceMap) -> Lowered<Automaton> {
        self.flatten_choices()?;
        let mut rows: Vec<Vec<Row>> = (0..self.entries.len()).map(|state| self.row(state)).collect();
        self.prepend_escapes(&mut rows);
        for (state, row) in rows.iter().enumerate() {
            if let [row] = &row[..]
                && self.labels[state].end
                && row.element.is_some_and(|id| matches!(self.flow.element(id).node, Node::Join))
            {
                self.labels[row.target as usize].end = true;
            }
        }
        self.finish(rows, start, end, sources)
    }

    /// The steps of a state: its own, or the first after each way into it.
    fn row(&mut self, state: usize) -> Vec<Row> {
        let ways = match &self.entries[state] {
            None => return Vec::new(),
            Some(Entry::Step(row)) => return vec![row.clone()],
            Some(Entry::Choice { ways }) => ways.clone(),
        };
        if let Some(&first) = ways.first() {
            self.places[state] = self.places[first as usize];
        }
        let mut rows = Vec::with_capacity(ways.len());
        for way in ways {
            let Some(Entry::Step(row)) = self.entries[way as usize].clone() else { continue };
            self.exempt[way as usize] = true;
            self.pass_labels(row.target, way, state);
            rows.push(row);
        }
        rows
    }

    /// A choice that leads to a choice becomes one list, until none does.
    fn flatten_choices(&mut self) -> Lowered<()> {
        for _ in 0..LONGEST_CHAIN {
            let mut changed = false;
            for state in 1..self.entries.len() {
                let Some(Entry::Choice { ways }) = &self.entries[state] else { continue };
                let nested = |way: u32| match &self.entries[way as usize] {
                    Some(Entry::Choice { ways }) if !ways.is_empty() => Some(ways.clone()),
                    _ => None,
                };
                if !ways.iter().any(|&way| nested(way).is_some()) {
                    continue;
                }
                let mut flat = Vec::new();
                let mut labels = Vec::new();
                for &way in ways {
                    match nested(way) {
                        None => {
                            flat.push(way);
                            labels.push((way, way));
                        }
                        Some(inner) => {
                            changed = true;
                            labels.extend(inner.iter().map(|&target| (target, way)));
                            flat.extend(inner);
                        }
                    }
                }
                for (target, through) in labels {
                    self.pass_labels(target, through, state);
                }
                self.entries[state] = Some(Entry::Choice { ways: flat });
            }
            if !changed {
                return Ok(());
            }
        }
        let span = self.flow.elements.first().map(|element| element.span).expect("there is a body");
        Err(circle(span))
    }

    /// Labels of a state that was folded away stand on the state after it.
    fn pass_labels(&mut self, target: u32, through: u32, from: usize) {
        let labels = self.labels[through as usize];
        self.labels[target as usize].merge(labels);
        self.maps_to[from] = target;
    }

    /// Puts the first steps of its escapes in front of each state's own. Within one escape the order is reversed, as
    /// SPIN has it. The order of states matters, too: an escape that itself can be left is copied with what was put in
    /// front of it so far.
    fn prepend_escapes(&self, rows: &mut [Vec<Row>]) {
        for state in 1..rows.len() {
            let own: Vec<Vec<u32>> = rows[state].iter().map(|row| row.escapes.clone()).collect();
            for escapes in own {
                for &escape in escapes.iter().rev() {
                    for row in rows[escape as usize].clone() {
                        if rows[state].iter().any(|known| known.serial == row.serial) {
                            continue;
                        }
                        rows[state].insert(0, Row { escape, ..row });
                    }
                }
            }
        }
    }

    fn finish(self, rows: Vec<Vec<Row>>, start: u32, end: u32, sources: &SourceMap) -> Lowered<Automaton> {
        let (mut statements, mut numbers, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let mut ids: Vec<Option<StatementId>> = vec![None; self.flow.elements.len()];
        let mut locations = Vec::with_capacity(rows.len());
        for (state, row) in rows.iter().enumerate() {
            let mut transitions = Vec::with_capacity(row.len());
            for row in row {
                let Some(element) = row.element else { continue };
                let slot = element.0 as usize;
                if ids[slot].is_none() {
                    ids[slot] = Some(StatementId(statements.len() as u32));
                    let action = self.action(element)?;
                    let merging = self.merging[slot];
                    let element = self.flow.element(element);
                    texts.push(written(sources, element, &action));
                    statements.push(Statement { action, place: element.place });
                    numbers.push(SpinStatement { state: element.number, id: element.serial, merging });
                }
                let statement = ids[slot].expect("just made");
                let Row { target, atomic, escape, .. } = *row;
                let (merged, resets) = (false, Resets::default());
                transitions.push(Transition { statement, target, atomic, escape, merged, resets });
            }
            let (labels, place) = (self.labels[state], self.places[state]);
            locations.push(Location { transitions, labels, place, ..Location::default() });
        }
        let spin = SpinNumbering { statements: numbers, states: self.control_states() };
        Ok(Automaton { statements, locations, start, end, spin, written: texts, ..Automaton::default() })
    }

    fn control_states(&self) -> Vec<ControlState> {
        (1..self.entries.len())
            .filter(|&state| self.entries[state].is_some())
            .map(|state| ControlState {
                state: state as u32,
                place: self.places[state],
                exempt: self.exempt[state],
                maps_to: self.maps_to[state],
            })
            .collect()
    }

    fn action(&self, id: ElementId) -> Lowered<Action> {
        Ok(match &self.flow.element(id).node {
            Node::Basic(action) => action.clone(),
            Node::Skip => Action::Skip("(1)".into()),
            Node::Else => Action::Else,
            Node::Goto(Jump::Label { name, .. }) => Action::Skip(format!("goto {name}").into()),
            Node::Goto(Jump::Break(exit)) => {
                Action::Skip(format!("goto :b{}", self.flow.exits[exit.0 as usize].0).into())
            }
            Node::Join => Action::Skip(".(goto)".into()),
            Node::Break => Action::Skip("break".into()),
            Node::End => Action::End,
            Node::DStep(body) => Action::DStep(block::lower(self.flow, *body, id)?),
            node @ (Node::If | Node::Do | Node::Unless | Node::Atomic(_) | Node::Block(_)) => {
                unreachable!("not a step: {node:?}")
            }
        })
    }
}
