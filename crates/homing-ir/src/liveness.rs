//! Which local variables can still matter at each location: backward data flow, as in any compiler book.
//!
//! SPIN forgets a dead local at some statements only (`spin -a` without `-o1`). Here a dead one is zero at every location,
//! so that two states which differ in it are one, whatever way led to them. What only goes into a variable that is itself
//! dead, or into `printf`, does not count as read, unless computing it can be an error.

use homing_core::Condition;

use crate::observed::{deciding_parts, idle_exprs};
use crate::{
    Action, ArgPattern, Block, BlockNode, Expr, Model, Observed, ProctypeId, Resets, Scalar, Scope, VarId, VarRef,
};

/// A set of locals.
type Live = Vec<bool>;

/// Makes every transition forget what is dead behind it, and every process begin without what is dead at its start.
pub fn reset_dead(model: &mut Model, observed: &Observed) {
    for at in 0..model.proctypes.len() {
        let flow = Flow::new(model, observed, ProctypeId(at as u32));
        let live = flow.solve();
        let (tracked, automaton) = (flow.tracked, &mut model.proctypes[at].automaton);
        let dead = |location: u32, set: &dyn Fn(usize) -> bool| -> Vec<VarId> {
            let vars = (0..tracked.len()).filter(|&var| tracked[var] && !live[location as usize][var] && set(var));
            vars.map(|var| VarId(var as u32)).collect()
        };
        automaton.start_resets = dead(automaton.start, &|_| true);
        let statements = &automaton.statements;
        let mut lists = Vec::new();
        for (from, location) in automaton.locations.iter_mut().enumerate() {
            for transition in &mut location.transitions {
                if transition.target == 0 {
                    continue;
                }
                let action = &statements[transition.statement.index()].action;
                let is_set = |var: usize| live[from][var] || writes(action, VarId(var as u32));
                let list = dead(transition.target, &is_set);
                if !list.is_empty() {
                    let at = lists.iter().position(|known| *known == list).unwrap_or(lists.len());
                    if at == lists.len() {
                        lists.push(list);
                    }
                    transition.resets = Resets(at as u32 + 1);
                }
            }
        }
        automaton.resets = lists;
    }
}

/// The data flow of a process type.
struct Flow<'m> {
    model: &'m Model,
    proctype: ProctypeId,
    /// By local: whether it is looked at here at all. Channels are not: SPIN keeps them too.
    tracked: Vec<bool>,
}

impl<'m> Flow<'m> {
    fn new(model: &'m Model, observed: &Observed, proctype: ProctypeId) -> Self {
        let locals = &model.proctype(proctype).locals;
        let is_tracked = |(at, var): (usize, &crate::Variable)| {
            let is_observed = observed.local(proctype, VarId(at as u32));
            var.dims.is_empty() && var.scalar != Scalar::Chan && Condition::DeadObserved.is_met(!is_observed)
        };
        Flow { model, proctype, tracked: locals.iter().enumerate().map(is_tracked).collect() }
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
                    self.pass(&automaton.statement(transition.statement).action, &mut before);
                    changed |= join(&mut live[at], &before);
                }
            }
        }
        live
    }

    /// From what is live behind the action to what is live in front of it.
    fn pass(&self, action: &Action, live: &mut Live) {
        match action {
            Action::Print { .. } | Action::PrintMtype(_) | Action::Discard(_) => {
                for expr in idle_exprs(action) {
                    self.read_if_it_can_fail(expr, live);
                }
            }
            Action::Assign { target, value } => self.write(target, value, live),
            Action::Run { args, store, .. } => {
                if let Some((target, value)) = store {
                    self.write(target, value, live);
                }
                args.iter().for_each(|arg| self.read(arg, live));
            }
            Action::Receive { args, .. } => {
                for arg in args {
                    if let ArgPattern::Bind(target) = arg {
                        self.kill(target, live);
                    }
                }
                action.for_each_expr(&mut |expr| self.read(expr, live));
            }
            Action::DStep(block) => self.pass_block(block, live),
            _ => action.for_each_expr(&mut |expr| self.read(expr, live)),
        }
    }

    fn pass_block(&self, block: &Block, behind: &mut Live) {
        let mut live = vec![vec![false; self.tracked.len()]; block.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (at, node) in block.nodes.iter().enumerate().rev() {
                let mut before = vec![false; self.tracked.len()];
                match node {
                    BlockNode::Exit => before.clone_from(behind),
                    BlockNode::Do { action, next, .. } => {
                        before.clone_from(&live[next.0 as usize]);
                        self.pass(action, &mut before);
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
        for guard in &block.guards {
            guard.for_each_expr(&mut |expr| self.read(expr, behind));
        }
    }

    fn write(&self, target: &VarRef, value: &Expr, live: &mut Live) {
        let is_dead = self.tracks(target) && !live[target.var.index()];
        self.kill(target, live);
        if is_dead {
            self.read_if_it_can_fail(value, live);
        } else {
            self.read(value, live);
        }
        target.indices.iter().for_each(|index| self.read(index, live));
    }

    fn kill(&self, target: &VarRef, live: &mut Live) {
        if self.tracks(target) {
            live[target.var.index()] = false;
        }
    }

    fn read_if_it_can_fail(&self, expr: &Expr, live: &mut Live) {
        if !Condition::DeadFailure.is_off() {
            deciding_parts(expr, self.model, Some(self.proctype), &mut |part| self.read(part, live));
        }
    }

    fn read(&self, expr: &Expr, live: &mut Live) {
        expr.walk(&mut |inner| {
            if let Expr::Var(var) = inner
                && self.tracks(var)
            {
                live[var.var.index()] = true;
            }
        });
    }

    fn tracks(&self, var: &VarRef) -> bool {
        var.scope == Scope::Local && self.tracked[var.var.index()]
    }
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

/// Whether the action can write the local.
fn writes(action: &Action, var: VarId) -> bool {
    let mut writes = false;
    action.for_each_target(&mut |target| writes |= target.scope == Scope::Local && target.var == var);
    writes
}
