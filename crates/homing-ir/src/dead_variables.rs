//! Which local variables can still matter at each location: backward data flow, as in any compiler book.
//!
//! SPIN forgets a dead local at some statements only (`spin -a` without `-o1`). Here a dead one is zero at every location,
//! so that two states which differ in it are one, whatever way led to them. What only goes into a variable that is itself
//! dead, or into `printf`, does not count as read, unless computing it can be an error.
//!
//! An array is dead where no way leads to a read of any of its elements: writing one leaves the others as they are.

use homing_core::Condition;

use crate::{
    Access, AccessKind, AccessSet, AccessSets, Block, BlockNode, Model, Observed, ProctypeId, Purpose, Resets, Scalar,
    Scope, Update, VarId, VarRef,
};

/// A set of locals.
type Live = Vec<bool>;

/// The largest array that is looked at: setting one to zero takes a part of the time of a step.
const MOST_BYTES: usize = 1024;

/// What every transition of a process type sets to zero.
pub struct DeadVariables {
    /// As [`crate::Automaton::start_resets`].
    at_start: Vec<VarId>,
    /// By location and transition.
    after: Vec<Vec<Resets>>,
    /// As [`crate::Automaton::resets`].
    lists: Vec<Vec<VarId>>,
}

impl DeadVariables {
    /// What is dead where, by process type.
    pub fn of(model: &Model, accesses: &AccessSets, observed: &Observed) -> Vec<Self> {
        let ids = (0..model.proctypes.len() as u32).map(ProctypeId);
        ids.map(|id| Flow::new(model, accesses, observed, id).dead()).collect()
    }

    /// Makes every transition forget what is dead after it, and every process begin without what is dead at its start.
    pub fn reset(dead: Vec<Self>, model: &mut Model) {
        for (proctype, dead) in model.proctypes.iter_mut().zip(dead) {
            let automaton = &mut proctype.automaton;
            for (location, after) in automaton.locations.iter_mut().zip(dead.after) {
                for (transition, resets) in location.transitions.iter_mut().zip(after) {
                    transition.resets = resets;
                }
            }
            automaton.resets = dead.lists;
            automaton.start_resets = dead.at_start;
        }
    }
}

/// The data flow of a process type.
struct Flow<'a, 'm> {
    model: &'m Model,
    proctype: ProctypeId,
    /// By local: whether it is looked at here at all. Channels are not: SPIN keeps them too.
    tracked: Vec<bool>,
    /// By statement.
    statements: Vec<Step<'a, 'm>>,
}

/// A statement, as data flows through it.
enum Step<'a, 'm> {
    Plain(&'a AccessSet<'m>),
    Block(&'m Block, Vec<AccessSet<'m>>, Vec<AccessSet<'m>>),
}

impl<'a, 'm> Flow<'a, 'm> {
    fn new(model: &'m Model, accesses: &'a AccessSets<'m>, observed: &Observed, proctype: ProctypeId) -> Self {
        let locals = &model.proctype(proctype).locals;
        let is_tracked = |(at, var): (usize, &crate::Variable)| {
            let is_observed = observed.local(proctype, VarId(at as u32));
            let is_small = var.dims.is_empty() || var.cells() * var.cell.width() <= MOST_BYTES;
            is_small && var.scalar != Scalar::Chan && Condition::DeadObserved.is_met(!is_observed)
        };
        let statements = model.proctype(proctype).automaton.statements.iter();
        let of_action = |action| AccessSet::of_action(model, Some(proctype), action);
        let steps = statements.zip(&accesses.proctype(proctype).statements).map(|(statement, accesses)| {
            let Update::Block(block) = statement.action.update() else { return Step::Plain(accesses) };
            let nodes = block.nodes.iter().map(|node| match node {
                BlockNode::Do { action, .. } => of_action(action),
                BlockNode::Select { .. } | BlockNode::Fail { .. } | BlockNode::Exit => AccessSet::default(),
            });
            let guards = block.guards.iter().map(|guard| AccessSet::of_guard(model, Some(proctype), guard));
            Step::Block(block, nodes.collect(), guards.collect())
        });
        let tracked = locals.iter().enumerate().map(is_tracked).collect();
        Flow { model, proctype, tracked, statements: steps.collect() }
    }

    fn dead(&self) -> DeadVariables {
        let live = self.solve();
        let automaton = &self.model.proctype(self.proctype).automaton;
        let dead = |location: u32, is_set: &dyn Fn(usize) -> bool| -> Vec<VarId> {
            let is_dead = |&var: &usize| self.tracked[var] && !live[location as usize][var] && is_set(var);
            (0..self.tracked.len()).filter(is_dead).map(|var| VarId(var as u32)).collect()
        };
        let mut lists: Vec<Vec<VarId>> = Vec::new();
        let after = automaton.locations.iter().enumerate().map(|(from, location)| {
            let resets = location.transitions.iter().map(|transition| {
                if transition.target == 0 {
                    return Resets::default();
                }
                let step = &self.statements[transition.statement.index()];
                let list = dead(transition.target, &|var| live[from][var] || step.writes(VarId(var as u32)));
                if list.is_empty() {
                    return Resets::default();
                }
                let at = lists.iter().position(|known| *known == list).unwrap_or(lists.len());
                if at == lists.len() {
                    lists.push(list);
                }
                Resets(at as u32 + 1)
            });
            resets.collect()
        });
        let after = after.collect();
        DeadVariables { at_start: dead(automaton.start, &|_| true), after, lists }
    }

    /// By location, what is live there.
    fn solve(&self) -> Vec<Live> {
        let automaton = &self.model.proctype(self.proctype).automaton;
        let mut live = vec![vec![false; self.tracked.len()]; automaton.locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (at, location) in automaton.locations.iter().enumerate().rev() {
                for transition in &location.transitions {
                    let mut before = match transition.target {
                        0 => vec![false; self.tracked.len()],
                        target => live[target as usize].clone(),
                    };
                    match &self.statements[transition.statement.index()] {
                        Step::Plain(accesses) => self.pass(accesses, &mut before),
                        Step::Block(block, nodes, guards) => self.pass_block(block, nodes, guards, &mut before),
                    }
                    changed |= join(&mut live[at], &before);
                }
            }
        }
        live
    }

    /// From what is live after a statement to what is live before it.
    fn pass(&self, accesses: &AccessSet, live: &mut Live) {
        let mut is_stored = true;
        for access in accesses.iter().filter(|access| access.is_write()) {
            if let Some(target) = access.local().filter(|target| self.tracks(target)) {
                let is_whole = target.indices.is_empty();
                let after = &mut live[target.var.index()];
                is_stored = *after;
                *after &= !Condition::DeadElements.is_met(is_whole);
            }
        }
        for access in accesses.iter() {
            if let Some(var) = access.local().filter(|var| self.tracks(var))
                && is_read(access, is_stored)
            {
                live[var.var.index()] = true;
            }
        }
    }

    fn pass_block(&self, block: &Block, nodes: &[AccessSet], guards: &[AccessSet], behind: &mut Live) {
        let mut live = vec![vec![false; self.tracked.len()]; block.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (at, node) in block.nodes.iter().enumerate().rev() {
                let mut before = vec![false; self.tracked.len()];
                match node {
                    BlockNode::Fail { .. } => {}
                    BlockNode::Exit => before.clone_from(behind),
                    BlockNode::Do { next, .. } => {
                        before.clone_from(&live[next.0 as usize]);
                        self.pass(&nodes[at], &mut before);
                    }
                    BlockNode::Select { options, .. } => {
                        for option in options {
                            join(&mut before, &live[option.0 as usize]);
                        }
                    }
                }
                changed |= join(&mut live[at], &before);
            }
        }
        behind.clone_from(&live[block.entry.0 as usize]);
        for var in guards.iter().flat_map(AccessSet::iter).filter_map(Access::local) {
            behind[var.var.index()] |= self.tracks(var);
        }
    }

    fn tracks(&self, var: &VarRef) -> bool {
        var.scope == Scope::Local && self.tracked[var.var.index()]
    }
}

impl Step<'_, '_> {
    /// Whether the statement can write the local.
    fn writes(&self, var: VarId) -> bool {
        let is_it = |target: &VarRef| target.scope == Scope::Local && target.var == var;
        match self {
            Step::Plain(accesses) => accesses.written_variables().any(is_it),
            Step::Block(_, nodes, _) => nodes.iter().flat_map(AccessSet::written_variables).any(is_it),
        }
    }
}

/// Whether a value is read, if what it may only be stored in is live or not. What decides whether the computation fails is.
fn is_read(access: &Access, is_stored: bool) -> bool {
    let AccessKind::Read { purpose, decides_failure } = access.kind else { return false };
    let is_used = match purpose {
        Purpose::Needed => true,
        Purpose::Printed | Purpose::Dropped => false,
        Purpose::StoredIn(_) => is_stored,
    };
    is_used || decides_failure && !Condition::DeadFailure.is_off()
}

/// Adds a set to another. Whether that changed it.
fn join(to: &mut Live, from: &Live) -> bool {
    let mut changed = false;
    for (to, from) in to.iter_mut().zip(from) {
        changed |= *from && !*to;
        *to |= *from;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assign, binary, number, receive, straight, value, var};
    use crate::{Action, ArgPattern, BinaryOp};

    /// The names of the locals that are forgotten at the start, and after each statement of a straight line.
    fn forgotten(actions: Vec<Action>) -> Vec<String> {
        let model = straight(actions);
        let accesses = AccessSets::of(&model);
        let observed = Observed::in_model(&model, &accesses);
        let mut reduced = model.clone();
        DeadVariables::reset(DeadVariables::of(&model, &accesses, &observed), &mut reduced);
        let proctype = &reduced.proctypes[0];
        let names = |vars: &[VarId]| vars.iter().map(|var| &*proctype.locals[var.index()].name).collect::<String>();
        let transitions = proctype.automaton.locations.iter().flat_map(|location| &location.transitions);
        let after = transitions.map(|transition| names(proctype.automaton.resets(transition)));
        std::iter::once(names(&proctype.automaton.start_resets)).chain(after).collect()
    }

    #[test]
    fn locals_die_after_their_last_read() {
        let divided = |left, right| binary(BinaryOp::Divide, left, right);
        let shown = |value| Action::Print { format: "\"%d\"".into(), args: vec![value] };
        for (actions, expected) in [
            (vec![assign(var("l"), number(1)), assign(var("x"), value("l")), Action::End], ["lm", "", "l", ""]),
            // what is only stored in a dead variable, or printed, is dead
            (vec![assign(var("l"), value("x")), assign(var("m"), value("l")), Action::End], ["lm", "l", "m", ""]),
            (vec![assign(var("l"), value("x")), shown(value("l")), Action::End], ["lm", "l", "", ""]),
            // unless it decides whether the computation fails
            (
                vec![assign(var("l"), value("x")), assign(var("m"), divided(value("x"), value("l"))), Action::End],
                ["lm", "", "lm", ""],
            ),
            // a receive writes before it is read again
            (
                vec![receive("c", vec![ArgPattern::Bind(var("l"))]), Action::Condition(value("l")), Action::End],
                ["lm", "", "l", ""],
            ),
            (vec![Action::Condition(value("m")), assign(var("x"), value("m")), Action::End], ["l", "", "m", ""]),
        ] {
            let what = format!("{actions:?}");
            assert_eq!(forgotten(actions), expected, "{what}");
        }
    }
}
