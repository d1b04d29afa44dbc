//! Statements executed in the same step as the one before them, because nobody else can tell.
//!
//! A statement is absorbed if it never blocks, is the only way out of its location, and reads and writes nothing but what
//! belongs to its process: it commutes with everything that others do, so no run to an error is lost when it comes at once
//! (Lipton 1975: it moves both ways). SPIN merges the same statements under more conditions (`homing-promela`'s
//! `lower/merge.rs`), and some more that can be told: the creation of a process.
//!
//! Lengths. Absorbed statements are executed at once, but a run to an error of somebody else need not have them. So they
//! are counted when the process moves on: a location has a number of statements that are [pending](Location::pending)
//! there. It has to be the same whichever way led there. Where ways differ the least is pending and the rest counts at
//! once; lengths are then upper bounds.

use crate::{
    Action, Automaton, Expr, InitValue, Model, Observed, Proctype, ProctypeId, Rendezvous, Scope, Transition, VarId,
    VarRef,
};

/// What the lengths of paths through a reduced model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// The least numbers of statements of the original.
    Exact,
    /// No less than those.
    Bounds,
}

/// Marks what is absorbed.
pub fn absorb(model: &mut Model, observed: &Observed) -> Lengths {
    if observed.control {
        return Lengths::Exact;
    }
    let defers = model.features.defers();
    let rendezvous = Rendezvous::in_model(model);
    let is_missed = rendezvous.is_missed(model);
    let owners = owners(model, observed);
    let mut lengths = Lengths::Exact;
    for at in 0..model.proctypes.len() {
        let id = ProctypeId(at as u32);
        let proctype = &mut model.proctypes[at];
        if proctype.provided.is_some() {
            continue;
        }
        let is_own = |var: &VarRef| match var.scope {
            Scope::Local => !observed.local(id, var.var),
            Scope::Global => owners[var.var.index()] == Some(id),
        };
        let automaton = &mut proctype.automaton;
        // where it counts that nobody waits for a message, one does not wait before it is its turn
        let begins_to_wait = |at: usize| {
            let behind = |transition: &Transition| automaton.location(transition.target);
            is_missed && automaton.locations[at].transitions.iter().any(|to| rendezvous.may_wait(automaton, behind(to)))
        };
        let can_be = |at: usize| {
            is_absorbable(automaton, at, &is_own) && !observed.location(id, at as u32) && !begins_to_wait(at)
        };
        let mut absorbed: Vec<bool> = (0..automaton.locations.len()).map(can_be).collect();
        open_cycles(automaton, &mut absorbed);
        let chains: Vec<Chain> = (0..absorbed.len()).map(|at| chain(automaton, &absorbed, at)).collect();
        mark(automaton, &absorbed, &rendezvous);
        let arrivals = arrivals(automaton, &chains);
        lengths = lengths.and(count(automaton, &chains, &arrivals, defers));
    }
    lengths
}

impl Lengths {
    fn and(self, other: Lengths) -> Lengths {
        if self == other { self } else { Lengths::Bounds }
    }
}

/// By global: the process type that alone uses it, if that has one process.
fn owners(model: &Model, observed: &Observed) -> Vec<Option<ProctypeId>> {
    let mut created = vec![0; model.proctypes.len()];
    model.start.iter().for_each(|start| created[start.proctype.index()] += 1);
    for statement in model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements) {
        statement.action.for_each_inside(&mut |action| {
            if let Action::Run { proctype, .. } = action {
                created[proctype.index()] = 2; // perhaps as many times as it likes
            }
        });
    }
    let used: Vec<Vec<bool>> = model.proctypes.iter().map(|proctype| used_by(proctype, model.globals.len())).collect();
    let owner = |var: usize| {
        let mut users = (0..used.len()).filter(|&at| used[at][var]);
        match (users.next(), users.next()) {
            (Some(user), None) if created[user] == 1 && !observed.global(VarId(var as u32)) => {
                Some(ProctypeId(user as u32))
            }
            _ => None,
        }
    };
    (0..model.globals.len()).map(owner).collect()
}

/// By global: whether processes of the type read or write it.
fn used_by(proctype: &Proctype, globals: usize) -> Vec<bool> {
    let mut used = vec![false; globals];
    let mut look = |expr: &Expr| {
        expr.walk(&mut |inner| {
            if let Expr::Var(var) = inner
                && var.scope == Scope::Global
            {
                used[var.var.index()] = true;
            }
        });
    };
    proctype.provided.iter().for_each(&mut look);
    for init in &proctype.inits {
        if let InitValue::Value(value) = &init.value {
            look(value);
        }
    }
    for statement in &proctype.automaton.statements {
        statement.action.for_each_expr(&mut look);
    }
    for statement in &proctype.automaton.statements {
        statement.action.for_each_target(&mut |target| {
            if target.scope == Scope::Global {
                used[target.var.index()] = true;
            }
        });
    }
    used
}

fn is_absorbable(automaton: &Automaton, at: usize, is_own: &impl Fn(&VarRef) -> bool) -> bool {
    let location = &automaton.locations[at];
    let [transition] = location.transitions[..] else { return false };
    let action = &automaton.statement(transition.statement).action;
    let never_blocks = match action {
        Action::Assign { target, .. } => is_own(target),
        Action::Skip(_) | Action::Discard(_) | Action::Assert(_) | Action::Print { .. } | Action::PrintMtype(_) => true,
        _ => false,
    };
    let mut private = true;
    action.for_each_expr(&mut |expr| {
        expr.walk(&mut |inner| {
            private &= match inner {
                Expr::Var(var) => is_own(var),
                Expr::Const { .. } | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => true,
                _ => false,
            };
        });
    });
    // an atomic sequence that begins here goes on to what others can see
    never_blocks && private && location.labels.is_empty() && transition.escape == 0 && !transition.atomic
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

fn chain(automaton: &Automaton, absorbed: &[bool], at: usize) -> Chain {
    let mut chain = Chain { length: 0, end: at as u32 };
    while absorbed[chain.end as usize] {
        chain = Chain { length: chain.length + 1, end: automaton.location(chain.end).transitions[0].target };
    }
    chain
}

/// The sender of a rendezvous does not go on.
fn mark(automaton: &mut Automaton, absorbed: &[bool], rendezvous: &Rendezvous) {
    let statements = &automaton.statements;
    for transition in automaton.locations.iter_mut().flat_map(|location| &mut location.transitions) {
        let stops = transition.atomic || rendezvous.may_send(&statements[transition.statement.index()].action);
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
            // inside an atomic sequence nobody stands where the process can always go on
            let passes = transition.atomic && chains[chain.end as usize].length > 0;
            if !passes {
                let arrival = &mut arrivals[chain.end as usize];
                let (least, most) = arrival.unwrap_or((chain.length, chain.length));
                *arrival = Some((least.min(chain.length), most.max(chain.length)));
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
