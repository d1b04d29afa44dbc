//! Statements executed in the same step as the one before them, because no other process can see the difference.
//!
//! A statement is absorbed if it never blocks, is the only way out of its location, and reads and writes only variables
//! that belong to its process: it commutes with all steps of other processes, so no run to an error is lost when it is
//! executed at once (Lipton 1975: it is a left mover and a right mover). Others could still see where the process stands.
//! They see it by a remote reference to the location that it leaves early or reaches early, by `enabled`, `pc_value` and
//! `_last`, and by a rendezvous: [`crate::rendezvous`] says where it matters that a receiver does not wait yet.
//! A statement that fails ends the run in which it is executed, so the engines do not execute it early either.
//! `docs/soundness.md` has the argument and a model for each condition. SPIN merges the same statements under more
//! conditions (`homing-promela`'s `lower/merge.rs`), and some more that can be seen: the creation of a process.
//!
//! Lengths. Absorbed statements are executed at once, but a run to an error of another process need not have them. So they
//! are counted when the process moves on: a location has a number of statements that are [pending](Location::pending)
//! there. It has to be the same on every path to the location. Where paths differ the least is pending and the rest counts
//! at once; lengths are then upper bounds.

use homing_core::Condition;

use crate::{
    AccessSets, Automaton, Guard, Model, Object, Observed, ProctypeId, Rendezvous, Scope, Update, VarId, VarRef,
};

/// What the lengths of paths through a reduced model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// The least numbers of statements of the original.
    Exact,
    /// No less than those.
    Bounds,
}

/// Which statements are absorbed.
pub struct Absorption {
    /// By process type and location: whether the statement there is absorbed. None for a type without such statements.
    absorbed: Vec<Option<Vec<bool>>>,
    rendezvous: Rendezvous,
}

impl Absorption {
    /// Finds what can be absorbed.
    pub fn find(model: &Model, accesses: &AccessSets, observed: &Observed) -> Self {
        let rendezvous = Rendezvous::in_model(model, accesses);
        // a sender of high priority that waits for its receiver stops the others: where each stands can be seen
        let is_seen = model.features.priorities && rendezvous.exists();
        if is_seen || !Condition::AbsorbControl.is_met(!observed.control) {
            return Absorption { absorbed: vec![None; model.proctypes.len()], rendezvous };
        }
        let missed = rendezvous.missed(model);
        let owners = owners(model, accesses, observed);
        let ids = (0..).map(ProctypeId);
        let absorbed = ids.zip(&model.proctypes).map(|(id, proctype)| {
            if !Condition::AbsorbProvided.is_met(proctype.provided.is_none()) {
                return None;
            }
            let automaton = &proctype.automaton;
            let is_own = |var: &VarRef| match var.scope {
                Scope::Local => !observed.local(id, var.var),
                Scope::Global => owners[var.var.index()] == Some(id),
                Scope::Scratch => true,
            };
            let is_seen_leaving = |at: usize| !Condition::AbsorbLeaving.is_met(!observed.location(id, at as u32));
            let is_seen_reaching = |at: usize| {
                automaton.locations[at].transitions.iter().any(|to| {
                    let is_tested = to.target > 0 && observed.location(id, to.target);
                    let begins_to_wait = rendezvous.may_wait(automaton, automaton.location(to.target), &missed);
                    !Condition::AbsorbReaching.is_met(!is_tested) || begins_to_wait
                })
            };
            let can_be = |at: usize| {
                is_absorbable(automaton, accesses, id, at, &is_own) && !is_seen_leaving(at) && !is_seen_reaching(at)
            };
            Some((0..automaton.locations.len()).map(can_be).collect())
        });
        let absorbed = absorbed.collect();
        Absorption { absorbed, rendezvous }
    }

    /// Marks the transitions that continue with an absorbed statement, and counts what is pending.
    pub fn mark(self, model: &mut Model) -> Lengths {
        let defers = model.features.defers();
        let mut lengths = Lengths::Exact;
        for (proctype, absorbed) in model.proctypes.iter_mut().zip(self.absorbed) {
            let Some(mut absorbed) = absorbed else { continue };
            let automaton = &mut proctype.automaton;
            open_cycles(automaton, &mut absorbed);
            let chains = chains(automaton, &absorbed);
            mark(automaton, &absorbed, &self.rendezvous);
            let arrivals = arrivals(automaton, &chains);
            lengths = lengths.and(count(automaton, &chains, &arrivals, defers));
        }
        lengths
    }
}

impl Lengths {
    fn and(self, other: Lengths) -> Lengths {
        if self == other { self } else { Lengths::Bounds }
    }
}

/// By global: the process type that alone accesses it, if that has one process.
fn owners(model: &Model, accesses: &AccessSets, observed: &Observed) -> Vec<Option<ProctypeId>> {
    let mut created = vec![0; model.proctypes.len()];
    model.start.iter().for_each(|start| created[start.proctype.index()] += 1);
    // by global: the only type that accesses it so far; an error if there are two
    let mut users: Vec<Result<Option<ProctypeId>, ()>> = vec![Ok(None); model.globals.len()];
    for (id, proctype) in (0..).map(ProctypeId).zip(accesses.proctypes()) {
        for access in proctype.iter() {
            if let Object::Creation(new) = access.object {
                created[new.index()] = 2; // perhaps as many times as it likes
            }
            if let Some(var) = access.global() {
                let user = &mut users[var.var.index()];
                *user = match *user {
                    Ok(None) => Ok(Some(id)),
                    Ok(Some(known)) if known == id => Ok(Some(id)),
                    _ => Err(()),
                };
            }
        }
    }
    let owner = |(var, user): (u32, Result<Option<ProctypeId>, ()>)| {
        let user = user.ok().flatten()?;
        (created[user.index()] == 1 && !observed.global(VarId(var))).then_some(user)
    };
    (0..).zip(users).map(owner).collect()
}

fn is_absorbable(
    automaton: &Automaton,
    accesses: &AccessSets,
    proctype: ProctypeId,
    at: usize,
    is_own: &impl Fn(&VarRef) -> bool,
) -> bool {
    let location = &automaton.locations[at];
    let [transition] = location.transitions[..] else { return false };
    debug_assert!(transition.escape == 0, "where there is an escape there is something to escape from");
    let action = &automaton.statement(transition.statement).action;
    let never_blocks = matches!(action.guard(), Guard::Always);
    let is_local = matches!(
        action.update(),
        Update::Nothing | Update::Assign { .. } | Update::Drop(_) | Update::Print(_) | Update::Assert(_)
    );
    let set = accesses.statement(proctype, transition.statement);
    let is_private = set.iter().all(|access| matches!(access.object, Object::Cell(var) if is_own(var)));
    never_blocks
        && is_local
        && Condition::AbsorbPrivate.is_met(is_private)
        && Condition::AbsorbLabel.is_met(location.labels.is_empty())
        // an atomic sequence that begins here continues to what others can see
        && Condition::AbsorbAtomic.is_met(!transition.atomic)
}

/// A loop of absorbed statements would never come to an end: one of each loop is not absorbed.
fn open_cycles(automaton: &Automaton, absorbed: &mut [bool]) {
    let mut done = vec![0; absorbed.len()];
    for start in 0..absorbed.len() {
        let mut at = start;
        while absorbed[at] && done[at] == 0 {
            done[at] = start + 1;
            at = automaton.locations[at].transitions[0].target as usize;
        }
        if absorbed[at] && done[at] == start + 1 {
            absorbed[at] = false;
        }
    }
}

/// What is absorbed from a location on.
#[derive(Clone, Copy, Debug)]
struct Chain {
    length: u32,
    end: u32,
}

/// By location. Each chain is that of the next location and one more statement, so all take linear time.
fn chains(automaton: &Automaton, absorbed: &[bool]) -> Vec<Chain> {
    let mut chains: Vec<Option<Chain>> = vec![None; absorbed.len()];
    let mut open = Vec::new();
    for start in 0..absorbed.len() {
        let mut at = start as u32;
        while absorbed[at as usize] && chains[at as usize].is_none() {
            open.push(at);
            at = automaton.location(at).transitions[0].target;
        }
        let mut chain = chains[at as usize].unwrap_or(Chain { length: 0, end: at });
        chains[at as usize] = Some(chain);
        while let Some(before) = open.pop() {
            chain.length += 1;
            chains[before as usize] = Some(chain);
        }
    }
    chains.into_iter().map(|chain| chain.expect("every location was a start")).collect()
}

/// Marks the transitions that continue with an absorbed statement. The sender of a rendezvous does not: the receiver may.
fn mark(automaton: &mut Automaton, absorbed: &[bool], rendezvous: &Rendezvous) {
    let statements = &automaton.statements;
    for transition in automaton.locations.iter_mut().flat_map(|location| &mut location.transitions) {
        let sends = rendezvous.may_send(&statements[transition.statement.index()].action);
        let stops = transition.atomic || !Condition::AbsorbSender.is_met(!sends);
        transition.merged = !stops && absorbed[transition.target as usize];
    }
}

/// By location: how many statements were absorbed just before a process stands there, at least and at most; none if none
/// ever stands there.
fn arrivals(automaton: &Automaton, chains: &[Chain]) -> Vec<Option<(u32, u32)>> {
    let mut arrivals: Vec<Option<(u32, u32)>> = vec![None; chains.len()];
    let mut followed = vec![false; chains.len()];
    let mut waiting = vec![automaton.start];
    arrivals[automaton.start as usize] = Some((0, 0));
    while let Some(at) = waiting.pop() {
        if at == 0 || std::mem::replace(&mut followed[at as usize], true) {
            continue;
        }
        for transition in &automaton.location(at).transitions {
            let chain = if transition.merged {
                chains[transition.target as usize]
            } else {
                Chain { length: 0, end: transition.target }
            };
            waiting.push(chain.end);
            // inside an atomic sequence no process stands where it can always continue
            let passes = transition.atomic && chains[chain.end as usize].length > 0;
            if !passes {
                let target = &mut arrivals[chain.end as usize];
                let (least, most) = target.unwrap_or((chain.length, chain.length));
                *target = Some((least.min(chain.length), most.max(chain.length)));
            }
        }
    }
    arrivals
}

fn count(automaton: &mut Automaton, chains: &[Chain], arrivals: &[Option<(u32, u32)>], defers: bool) -> Lengths {
    let mut lengths = Lengths::Exact;
    let pending = |at: u32| if defers { arrivals[at as usize].map_or(0, |(least, _)| least) } else { 0 };
    for (at, location) in automaton.locations.iter_mut().enumerate() {
        location.pending = pending(at as u32);
        location.deferred = chains[at].length > 0 && chains[at].length <= pending(chains[at].end);
        if arrivals[at].is_some_and(|(_, most)| most > location.pending) {
            lengths = Lengths::Bounds;
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assign, number, receive, send, straight, value, var};
    use crate::{Action, Expr, Start};

    /// Which statements of a straight line continue at once with the next.
    fn continues(model: &Model) -> (Vec<bool>, Lengths) {
        let accesses = AccessSets::of(model);
        let observed = Observed::in_model(model, &accesses);
        let mut reduced = model.clone();
        let lengths = Absorption::find(model, &accesses, &observed).mark(&mut reduced);
        let locations = &reduced.proctypes[0].automaton.locations;
        (locations.iter().flat_map(|location| &location.transitions).map(|to| to.merged).collect(), lengths)
    }

    /// Two processes of the type: globals are shared.
    fn twice(actions: Vec<Action>) -> Model {
        let mut model = straight(actions);
        model.start.push(Start { proctype: ProctypeId(0), priority: 1 });
        model
    }

    #[test]
    fn private_statements_are_absorbed() {
        for (second, is_absorbed) in [
            (Action::Skip("skip".into()), true),
            (assign(var("l"), number(1)), true),
            (Action::Assert(value("l")), true),
            (Action::PrintMtype(Expr::Pid), true),
            (assign(var("x"), number(1)), false),
            (assign(var("l"), value("x")), false),
            (Action::Discard(Expr::ProcessCount), false),
            (Action::Discard(Expr::Length(Box::new(value("c")))), false),
            (Action::Condition(value("l")), false),
            (Action::Else, false),
            (Action::SetOwnPriority(number(1)), false),
            (send("c", number(1)), false),
            (receive("c", Vec::new()), false),
        ] {
            let what = format!("{second:?}");
            let model = twice(vec![Action::Condition(value("x")), second, Action::End]);
            assert_eq!(continues(&model).0, [is_absorbed, false, false], "{what}");
        }
        let alone = straight(vec![Action::Condition(value("x")), assign(var("x"), number(1)), Action::End]);
        assert_eq!(continues(&alone).0, [true, false, false], "one process has the global for itself");
    }

    #[test]
    fn a_location_keeps_its_state_if_it_matters() {
        let plain = || twice(vec![Action::Condition(value("x")), assign(var("l"), number(1)), Action::End]);
        assert!(continues(&plain()).0[0]);
        let mut labelled = plain();
        labelled.proctypes[0].automaton.locations[2].labels.progress = true;
        let mut atomic = plain();
        atomic.proctypes[0].automaton.locations[2].transitions[0].atomic = true;
        let mut provided = plain();
        provided.proctypes[0].provided = Some(value("x"));
        let mut watched = plain();
        watched.features.last = true;
        for model in [labelled, atomic, provided, watched] {
            assert_eq!(continues(&model).0, [false; 3]);
        }
    }

    #[test]
    fn a_loop_of_absorbed_statements_is_opened() {
        let mut model =
            twice(vec![Action::Condition(value("x")), assign(var("l"), number(1)), assign(var("m"), number(1))]);
        model.proctypes[0].automaton.locations[3].transitions[0].target = 2;
        let (found, _) = continues(&model);
        assert_eq!(found.iter().filter(|absorbs| **absorbs).count(), 1, "{found:?}");
    }
}
