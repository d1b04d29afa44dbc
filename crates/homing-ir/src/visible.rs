//! Visible transitions: those that can change what a property of infinite runs reads of a state.
//!
//! The property reads the propositions of the model and, where that is asked for, whether a process stands at an acceptance or
//! progress label. A transition that changes nothing of that is invisible ([CGP-99], ch. 10): a formula that is
//! stutter-invariant cannot tell a run with it from one without.

use homing_core::Condition;

use crate::{Access, AccessSet, AccessSets, Action, Automaton, Model, Object, Observed, ProctypeId};

/// Which transitions of a model are visible.
#[derive(Clone, Debug)]
pub struct Visible {
    /// By process type and location: a flag for each transition.
    transitions: Vec<Vec<Vec<bool>>>,
}

impl Visible {
    /// The visible transitions of a model. A transition counts with all that the process does in the same step.
    pub fn in_model(model: &Model) -> Self {
        let (accesses, read) = (AccessSets::of(model), ReadByProperty::of(model));
        let types = (0..model.proctypes.len()).map(|at| ProctypeId(at as u32));
        let transitions = types.map(|id| {
            let automaton = &model.proctype(id).automaton;
            let mut visible = read.transitions(automaton, id, &accesses);
            spread(automaton, |at| read.hands_over(model, automaton, at), &mut visible);
            visible
        });
        Visible { transitions: transitions.collect() }
    }

    /// Whether a transition of a location is visible.
    pub fn transition(&self, proctype: ProctypeId, location: u32, nth: usize) -> bool {
        self.transitions[proctype.index()][location as usize][nth]
    }
}

/// Marks transitions after which the process goes on in the same step to a visible one, or to one by which another process may take over.
fn spread(automaton: &Automaton, hands_over: impl Fn(u32) -> bool, visible: &mut [Vec<bool>]) {
    // by location: the transitions after which the process goes on there
    let mut before: Vec<Vec<(usize, usize)>> = vec![Vec::new(); automaton.locations.len()];
    for (at, location) in automaton.locations.iter().enumerate() {
        for (nth, transition) in location.transitions.iter().enumerate() {
            if transition.atomic || transition.merged {
                before[transition.target as usize].push((at, nth));
            }
        }
    }
    let is_seen = |at: usize| visible[at].contains(&true) || hands_over(at as u32);
    let mut open: Vec<usize> = (0..before.len()).filter(|&at| !before[at].is_empty() && is_seen(at)).collect();
    while let Some(at) = open.pop() {
        for (from, nth) in std::mem::take(&mut before[at]) {
            visible[from][nth] = true;
            open.push(from);
        }
    }
}

/// What a property reads of a state.
struct ReadByProperty {
    observed: Observed,
    /// The messages of some channel.
    queues: bool,
    /// How many processes there are, or something of a process: it counts whether that exists.
    processes: bool,
    /// Something that every step can change.
    everything: bool,
}

impl ReadByProperty {
    fn of(model: &Model) -> Self {
        let propositions = AccessSet::of_exprs(model, None, &model.propositions);
        let mut read = ReadByProperty {
            observed: Observed::by_propositions(model),
            queues: false,
            processes: model.observes_labels,
            everything: false,
        };
        for access in propositions.iter() {
            match access.object {
                Object::Cell(_) => {}
                Object::Queue { .. } => read.queues = true,
                Object::Processes
                | Object::Progress
                | Object::RemoteLocation { .. }
                | Object::RemoteVariable { .. } => read.processes = true,
                Object::Creation(_)
                | Object::OwnChannels
                | Object::Position(_)
                | Object::Enabledness(_)
                | Object::LastMover
                | Object::Priorities
                | Object::Timeout => read.everything = true,
            }
        }
        read
    }

    /// By location: whether the statement of each transition changes what is read, or the process comes to or leaves a location
    /// that is.
    fn transitions(&self, automaton: &Automaton, id: ProctypeId, accesses: &AccessSets<'_>) -> Vec<Vec<bool>> {
        let is_read = |location: u32| self.observed.location(id, location);
        let locations = automaton.locations.iter().enumerate().map(|(at, location)| {
            let visible = location.transitions.iter().map(|transition| {
                let written = accesses.statement(id, transition.statement);
                let is_visible = self.everything
                    || written.iter().any(|access| access.is_write() && self.is_changed_by(id, access))
                    || is_read(at as u32)
                    || is_read(transition.target);
                !Condition::StubbornVisible.is_met(!is_visible)
            });
            visible.collect()
        });
        locations.collect()
    }

    /// Whether a process that goes on from a location inside a step can meet another in a rendezvous, which may go on instead: what that
    /// one does is not known here.
    fn hands_over(&self, model: &Model, automaton: &Automaton, at: u32) -> bool {
        let reads_something = !model.propositions.is_empty() || model.observes_labels;
        let meets = |action: &Action| action.synchronisations().next().is_some();
        let transitions = &automaton.location(at).transitions;
        reads_something
            && !Condition::StubbornVisible.is_off()
            && model.shapes.iter().any(|shape| shape.capacity == 0)
            && transitions.iter().any(|transition| meets(&automaton.statement(transition.statement).action))
    }

    fn is_changed_by(&self, id: ProctypeId, access: &Access<'_>) -> bool {
        match access.object {
            Object::Queue { .. } => self.queues,
            Object::Processes | Object::Creation(_) | Object::OwnChannels => self.processes || self.queues,
            _ => {
                access.global().is_some_and(|var| self.observed.global(var.var))
                    || access.local().is_some_and(|var| self.observed.local(id, var.var))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{P, assign, number, receive, send, straight, value, var};
    use crate::{Expr, VarId};

    /// Which of `x = 1; l = 1; c!1; c?_; -end-` are visible to a proposition.
    fn visible(proposition: Option<Expr>, change: impl Fn(&mut Model)) -> Vec<bool> {
        let assigned = [assign(var("x"), number(1)), assign(var("l"), number(1))];
        let mut model = straight(
            assigned.into_iter().chain([send("c", number(1)), receive("c", Vec::new()), Action::End]).collect(),
        );
        change(&mut model);
        proposition.iter().for_each(|proposition| _ = model.add_proposition(proposition));
        let visible = Visible::in_model(&model);
        (1..=5).map(|at| visible.transition(P, at, 0)).collect()
    }

    #[test]
    fn a_transition_is_visible_that_writes_what_is_read() {
        let unchanged = |_: &mut Model| {};
        let length = Expr::Length(Box::new(value("c")));
        let remote = Expr::RemoteVar { proctype: P, pid: None, var: VarId(1), indices: Vec::new() };
        let label = |pid| Expr::RemoteLabel { proctype: P, pid, location: 2, label: "L".into() };
        for (proposition, expected) in [
            (None, [false; 5]),
            (Some(value("y")), [false; 5]),
            (Some(value("x")), [true, false, false, false, false]),
            (Some(length), [false, false, true, true, true]),
            (Some(remote), [false, true, false, false, true]),
            (Some(label(None)), [true, true, false, false, true]),
            (Some(Expr::ProcessCount), [false, false, false, false, true]),
            (Some(Expr::Last), [true; 5]),
            (Some(Expr::Timeout), [true; 5]),
        ] {
            assert_eq!(visible(proposition.clone(), unchanged), expected, "{proposition:?}");
        }
    }

    #[test]
    fn labels_and_the_rest_of_a_step_count() {
        let labels = |model: &mut Model| {
            model.observes_labels = true;
            model.proctypes[0].automaton.locations[3].labels.accept = true;
        };
        assert_eq!(visible(None, labels), [false, true, true, false, true]);
        let atomic = |model: &mut Model| model.proctypes[0].automaton.locations[1].transitions[0].atomic = true;
        let local = Expr::RemoteVar { proctype: P, pid: None, var: VarId(1), indices: Vec::new() };
        assert_eq!(visible(Some(local), atomic), [true, true, false, false, true]);
        let before_send = |model: &mut Model| model.proctypes[0].automaton.locations[2].transitions[0].atomic = true;
        assert_eq!(visible(Some(value("y")), before_send), [false, true, false, false, false], "a receiver may go on");
    }
}
