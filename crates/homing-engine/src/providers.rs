//! Who could let a blocked process move: what its statement needs, and the processes whose code can still do that.
//!
//! What a process can still do is over-approximated by the statements that are reachable in its automaton: that no process
//! can do something is certain, that one can is not.

use std::collections::{HashSet, VecDeque};

use homing_ir::{Action, ArgPattern, Expr, Model, ProctypeId, Scope, VarId, VarRef};

use crate::data_flow::Source;
use crate::effect::CellRef;
use crate::eval::View;
use crate::player::Player;

/// What has to happen before a statement is executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Another value of one of these cells.
    Change(Vec<CellRef>),
    /// A send to this channel; for a buffered one, a message in it.
    Send(i32),
    /// A receive from this channel; for a buffered one, room in it.
    Receive(i32),
    /// The end of the process that was started last.
    End(u8),
}

/// A process that could do what another one needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    pub pid: u8,
    /// How many statements away it is in its code.
    pub distance: u32,
}

impl Player<'_, '_> {
    /// What a blocked statement of a process needs; `None` if that is nothing that another process could do.
    pub fn need(&self, pid: usize, action: &Action) -> Option<Need> {
        let view = self.view(pid, true);
        match action {
            Action::Condition(guard) => {
                let sources = view.sources(guard);
                let is_cell = |source: &Source| matches!(source, Source::Cell(_));
                let cells: Vec<CellRef> = sources.iter().copied().filter_map(shared_cell).collect();
                (sources.iter().all(is_cell) && !cells.is_empty()).then_some(Need::Change(cells))
            }
            Action::Send { channel, .. } => view.eval(channel).ok().map(Need::Receive),
            Action::Receive { channel, .. } => view.eval(channel).ok().map(Need::Send),
            Action::DStep(block) => block.guards.iter().find_map(|guard| self.need(pid, guard)),
            Action::End => Some(Need::End(self.processes() as u8 - 1)),
            _ => None,
        }
    }

    /// The processes other than `pid` whose code can still do what `action`, its blocked statement, needs.
    pub fn providers(&self, pid: usize, need: &Need, action: &Action) -> Vec<Provider> {
        if let Need::End(youngest) = need {
            return vec![Provider { pid: *youngest, distance: 0 }];
        }
        let written = Written::of(self.engine.model);
        let wanted = Wanted { need, action, waiting: self.view(pid, true), written: &written };
        let others = (0..self.processes()).filter(|other| *other != pid);
        let provider = |other: usize| {
            let distance = self.distance(other, &wanted)?;
            Some(Provider { pid: other as u8, distance })
        };
        let mut found: Vec<Provider> = others.filter_map(provider).collect();
        found.sort_by_key(|provider| provider.distance);
        found
    }

    /// Whether the code of a process type surely has a send that `action`, the blocked statement of `pid`, needs: to a channel
    /// that does not depend on the locals of the process.
    pub fn is_done_by_type(&self, pid: usize, need: &Need, action: &Action, proctype: ProctypeId) -> bool {
        let (written, Need::Send(channel)) = (Written::of(self.engine.model), need) else { return false };
        let wanted = Wanted { need, action, waiting: self.view(pid, true), written: &written };
        let mut statements = self.engine.model.proctype(proctype).automaton.statements.iter();
        statements.any(|statement| wanted.is_sent_by(&statement.action, *channel, proctype))
    }

    /// Whether a process can come back to where it stands.
    pub fn is_in_loop(&self, pid: usize) -> bool {
        let automaton = &self.engine.model.proctype(self.view(pid, true).proctype()).automaton;
        let start = self.location(pid);
        let targets =
            |location: u32| automaton.location(location).transitions.iter().map(|transition| transition.target);
        let mut open: Vec<u32> = targets(start).collect();
        let mut seen = HashSet::new();
        while let Some(location) = open.pop() {
            if location == start {
                return true;
            }
            if location > 0 && seen.insert(location) {
                open.extend(targets(location));
            }
        }
        false
    }

    /// How many statements a process is away from one that does what is wanted; `None` if it has none.
    fn distance(&self, pid: usize, wanted: &Wanted<'_>) -> Option<u32> {
        let view = self.view(pid, true);
        let mut open = VecDeque::from([(view.proctype(), self.location(pid), Some(view), 0)]);
        let mut seen = HashSet::new();
        while let Some((proctype, location, view, distance)) = open.pop_front() {
            if location == 0 || !seen.insert((proctype, location)) {
                continue;
            }
            let automaton = &self.engine.model.proctype(proctype).automaton;
            for transition in &automaton.location(location).transitions {
                let action = &automaton.statement(transition.statement).action;
                if wanted.is_done_by(action, proctype, view) {
                    return Some(distance);
                }
                if let Action::Run { proctype, .. } = action {
                    // the parameters are not known yet
                    let start = self.engine.model.proctype(*proctype).automaton.start;
                    open.push_back((*proctype, start, None, distance + 1));
                }
                open.push_back((proctype, transition.target, view, distance + 1));
            }
        }
        None
    }
}

fn shared_cell(source: Source) -> Option<CellRef> {
    match source {
        Source::Cell(cell) if cell.owner.is_none() => Some(cell),
        _ => None,
    }
}

/// The variables that some statement writes.
struct Written {
    globals: HashSet<VarId>,
    locals: HashSet<(ProctypeId, VarId)>,
}

impl Written {
    fn of(model: &Model) -> Self {
        let mut written = Written { globals: HashSet::new(), locals: HashSet::new() };
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            for statement in &proctype.automaton.statements {
                statement.action.for_each_target(&mut |target| match target.scope {
                    Scope::Global => drop(written.globals.insert(target.var)),
                    Scope::Local => drop(written.locals.insert((id, target.var))),
                    Scope::Scratch => {}
                });
            }
        }
        written
    }

    /// Whether the value of an expression is the same from now on: it reads only what is never written.
    fn is_fixed(&self, expr: &Expr, proctype: ProctypeId) -> bool {
        let mut fixed = true;
        expr.walk(&mut |part| {
            fixed &= match part {
                Expr::Const { .. } | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => true,
                Expr::Var(var) if var.scope == Scope::Global => !self.globals.contains(&var.var),
                Expr::Var(var) => !self.locals.contains(&(proctype, var.var)),
                _ => false,
            };
        });
        fixed
    }
}

/// What a statement is looked for that does it.
struct Wanted<'a> {
    need: &'a Need,
    /// The statement that is blocked, and the process that it belongs to.
    action: &'a Action,
    waiting: View<'a>,
    written: &'a Written,
}

impl Wanted<'_> {
    /// Whether a statement can do it; `view` is that of its process, if the process exists.
    fn is_done_by(&self, action: &Action, proctype: ProctypeId, view: Option<View<'_>>) -> bool {
        let mut done = false;
        action.for_each_inside(&mut |inside| {
            done |= match (self.need, inside) {
                (Need::Send(wanted), Action::Send { channel, args, .. }) => {
                    self.may_be(channel, *wanted, proctype, view) && self.may_match(args)
                }
                (Need::Receive(wanted), Action::Receive { channel, .. }) => {
                    self.may_be(channel, *wanted, proctype, view)
                }
                _ => false,
            };
        });
        if let Need::Change(cells) = self.need {
            action.for_each_target(&mut |target| {
                done |= cells.iter().any(|cell| self.may_write(target, *cell, proctype, view));
            });
        }
        done
    }

    /// Whether a statement sends what is wanted to a channel that is the same for all processes.
    fn is_sent_by(&self, action: &Action, wanted: i32, proctype: ProctypeId) -> bool {
        let mut sent = false;
        action.for_each_inside(&mut |inside| {
            let Action::Send { channel, args, .. } = inside else { return };
            let mut is_global = self.written.is_fixed(channel, proctype);
            channel.walk(&mut |part| {
                is_global &= !matches!(part, Expr::Pid) && !matches!(part, Expr::Var(var) if var.scope == Scope::Local);
            });
            sent |= is_global && self.waiting.eval(channel).is_ok_and(|id| id == wanted) && self.may_match(args);
        });
        sent
    }

    /// Whether a channel can have the number that is wanted.
    fn may_be(&self, channel: &Expr, wanted: i32, proctype: ProctypeId, view: Option<View<'_>>) -> bool {
        match view.filter(|_| self.written.is_fixed(channel, proctype)) {
            Some(view) => view.eval(channel).map_or(true, |id| id == wanted),
            None => true,
        }
    }

    fn may_write(&self, target: &VarRef, cell: CellRef, proctype: ProctypeId, view: Option<View<'_>>) -> bool {
        if target.scope != Scope::Global || target.var != cell.var {
            return false;
        }
        let fixed = target.indices.iter().all(|index| self.written.is_fixed(index, proctype));
        match view.filter(|_| fixed) {
            Some(view) => view.cell_ref(target).is_none_or(|found| found == cell),
            None => true,
        }
    }

    /// Whether a message of these values can be what the blocked receive waits for: no constant of it differs.
    fn may_match(&self, args: &[Expr]) -> bool {
        let Action::Receive { args: patterns, .. } = self.action else { return true };
        patterns.iter().zip(args).all(|(pattern, arg)| match (pattern, arg.as_constant()) {
            (ArgPattern::Match { value, .. }, Some(sent)) => self.waiting.eval(value).map_or(true, |want| want == sent),
            _ => true,
        })
    }
}
