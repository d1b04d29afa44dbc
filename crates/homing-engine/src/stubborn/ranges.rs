//! The values that variables can have, by an analysis of the process automata over intervals (Cousot & Cousot 1977): of a local
//! variable that is no array at each location, of others anywhere.
//!
//! A condition in front of a location bounds the locals that it compares. Bounds that keep growing are widened to those of the
//! type, so that the analysis ends.

use homing_ir::{
    Action, BinaryOp, Expr, Guard, InitValue, Interval, ProctypeId, Scope, Transition, Update, VarId, VarRef, hull,
};

use super::derive::conjuncts;
use super::known::Knowledge;

/// How often an interval grows before it is widened.
const GROWS: u8 = 4;

/// An interval that grows while the analysis goes on.
#[derive(Clone, Copy, Debug)]
struct Growing {
    values: Interval,
    grown: u8,
}

impl Growing {
    fn of(values: Interval) -> Self {
        Growing { values, grown: 0 }
    }

    /// Adds values; whether there are more than before. `most` are those of the type.
    fn add(&mut self, more: Interval, most: Interval) -> bool {
        let all = hull(self.values, more);
        if all == self.values {
            return false;
        }
        self.grown += 1;
        self.values = match self.grown {
            ..GROWS => all,
            _ => {
                let least = if all.0 < self.values.0 { most.0 } else { all.0 };
                (least, if all.1 > self.values.1 { most.1 } else { all.1 })
            }
        };
        true
    }
}

/// The values of the locals of a process at a location.
type Frame = Vec<Interval>;

/// The values of the variables of a model.
pub struct Ranges<'a> {
    knowledge: Knowledge<'a>,
    globals: Vec<Growing>,
    /// By process type and parameter: the values that it begins with; none if no such process is created.
    parameters: Vec<Vec<Option<Growing>>>,
    /// By process type and location, for those that are reached.
    frames: Vec<Vec<Option<Vec<Growing>>>>,
    /// By process type: the pids of its processes.
    pids: Vec<Interval>,
}

impl<'a> Ranges<'a> {
    pub fn of(knowledge: Knowledge<'a>) -> Self {
        let model = knowledge.model;
        let globals = model.globals.iter().zip(&knowledge.layout.globals).map(|(variable, slot)| {
            let cells = (0..variable.cells().max(1) as u32).map(|cell| {
                let at = slot.offset + cell * slot.cell.width() as u32;
                i64::from(knowledge.initial.read(at, slot.cell))
            });
            let values = cells.map(|value| (value, value)).reduce(hull);
            Growing::of(values.unwrap_or_else(|| slot.cell.range()))
        });
        let pids = (0..model.proctypes.len()).map(|id| {
            let mut own = model.start.iter().enumerate().filter(|(_, start)| start.proctype.index() == id);
            match (own.next(), own.next_back()) {
                _ if knowledge.layout.grows => (0, 255),
                (Some((first, _)), last) => (first as i64, last.map_or(first, |(last, _)| last) as i64),
                (None, _) => (0, 255),
            }
        });
        let mut ranges = Ranges {
            knowledge,
            globals: globals.collect(),
            parameters: model.proctypes.iter().map(|one| vec![None; one.params as usize]).collect(),
            frames: model.proctypes.iter().map(|one| vec![None; one.automaton.locations.len()]).collect(),
            pids: pids.collect(),
        };
        let mut is_started: Vec<bool> = vec![false; model.proctypes.len()];
        for start in &model.start {
            is_started[start.proctype.index()] = true;
            ranges.parameters[start.proctype.index()].fill(Some(Growing::of((0, 0)))); // no arguments are given
        }
        while ranges.pass(&mut is_started) {}
        ranges
    }

    /// Adds what one more statement from everywhere leads to; whether that is more than before.
    fn pass(&mut self, is_started: &mut [bool]) -> bool {
        let model = self.knowledge.model;
        let mut has_grown = false;
        for (at, proctype) in model.proctypes.iter().enumerate() {
            if !is_started[at] {
                continue;
            }
            let id = ProctypeId(at as u32);
            has_grown |= self.start(id);
            for (location, from) in proctype.automaton.locations.iter().enumerate() {
                let Some(frame) = self.frame(id, location as u32) else { continue };
                for transition in &from.transitions {
                    has_grown |= self.take(id, frame.clone(), *transition, is_started);
                }
            }
        }
        has_grown
    }

    /// The values of the locals at a location; none if no process comes there.
    pub fn frame(&self, id: ProctypeId, location: u32) -> Option<Frame> {
        let frame = self.frames[id.index()][location as usize].as_ref()?;
        Some(frame.iter().map(|one| one.values).collect())
    }

    /// Processes of the type begin.
    fn start(&mut self, id: ProctypeId) -> bool {
        let proctype = self.knowledge.model.proctype(id);
        let parameters = self.parameters[id.index()].iter().zip(&proctype.locals);
        let mut frame: Frame =
            parameters.map(|(one, variable)| one.map_or(variable.cell.range(), |one| one.values)).collect();
        frame.resize(proctype.locals.len(), (0, 0));
        for init in &proctype.inits {
            let most = self.most(Some(id), Scope::Local, init.var);
            let values = match &init.value {
                InitValue::Value(value) => self.stored(id, &frame, value, most),
                InitValue::Channel(_) => most,
            };
            let var = init.var.index();
            frame[var] = if proctype.locals[var].dims.is_empty() { values } else { hull(frame[var], values) };
        }
        for var in &proctype.automaton.start_resets {
            frame[var.index()] = hull(frame[var.index()], (0, 0));
        }
        self.arrive(id, proctype.automaton.start, &frame)
    }

    fn arrive(&mut self, id: ProctypeId, location: u32, frame: &Frame) -> bool {
        let most: Frame =
            self.knowledge.model.proctype(id).locals.iter().map(|variable| variable.cell.range()).collect();
        let known = &mut self.frames[id.index()][location as usize];
        let Some(known) = known else {
            *known = Some(frame.iter().copied().map(Growing::of).collect());
            return true;
        };
        let all = known.iter_mut().zip(frame).zip(most);
        all.fold(false, |has_grown, ((one, values), most)| one.add(*values, most) | has_grown)
    }

    /// A process takes a transition.
    fn take(&mut self, id: ProctypeId, frame: Frame, transition: Transition, is_started: &mut [bool]) -> bool {
        let automaton = &self.knowledge.model.proctype(id).automaton;
        let action = &automaton.statement(transition.statement).action;
        let mut after = match action.guard() {
            Guard::Condition(condition) => self.given(id, frame, condition),
            _ => frame,
        };
        let before = after.clone();
        let mut has_grown = false;
        match action.update() {
            Update::Assign { target, value } => {
                let values = self.stored(id, &before, value, self.most(Some(id), target.scope, target.var));
                has_grown |= self.store(id, &mut after, target, values);
            }
            Update::Create { proctype, args, store } => {
                has_grown |= !std::mem::replace(&mut is_started[proctype.index()], true);
                for (at, arg) in args.iter().enumerate() {
                    let most = self.most(Some(proctype), Scope::Local, VarId(at as u32));
                    let values = self.stored(id, &before, arg, most);
                    has_grown |= self.pass_argument(proctype, at, values);
                }
                if let Some((target, value)) = store {
                    let values = self.stored(id, &before, value, self.most(Some(id), target.scope, target.var));
                    has_grown |= self.store(id, &mut after, target, values);
                }
            }
            _ => has_grown |= self.store_anything(id, &mut after, action, is_started),
        }
        if let Some(resets) = transition.resets.0.checked_sub(1) {
            for var in &automaton.resets[resets as usize] {
                after[var.index()] = hull(after[var.index()], (0, 0));
            }
        }
        has_grown | self.arrive(id, transition.target, &after)
    }

    /// What a receive or a `d_step` writes may have any value of its type; so may the parameters of processes that are created inside.
    fn store_anything(&mut self, id: ProctypeId, after: &mut Frame, action: &Action, is_started: &mut [bool]) -> bool {
        let mut has_grown = false;
        action.for_each_target(&mut |target| {
            let most = self.most(Some(id), target.scope, target.var);
            has_grown |= self.store(id, after, target, most);
        });
        action.for_each_inside(&mut |inner| {
            if let Action::Run { proctype, .. } = inner {
                has_grown |= !std::mem::replace(&mut is_started[proctype.index()], true);
                for at in 0..self.knowledge.model.proctype(*proctype).params {
                    let most = self.most(Some(*proctype), Scope::Local, VarId(at));
                    has_grown |= self.pass_argument(*proctype, at as usize, most);
                }
            }
        });
        has_grown
    }

    /// A process is created with an argument.
    fn pass_argument(&mut self, created: ProctypeId, at: usize, values: Interval) -> bool {
        let most = self.most(Some(created), Scope::Local, VarId(at as u32));
        match &mut self.parameters[created.index()][at] {
            Some(known) => known.add(values, most),
            unknown => {
                *unknown = Some(Growing::of(values));
                true
            }
        }
    }

    fn store(&mut self, id: ProctypeId, after: &mut Frame, target: &VarRef, values: Interval) -> bool {
        let (var, most) = (target.var.index(), self.most(Some(id), target.scope, target.var));
        match target.scope {
            Scope::Global => self.globals[var].add(values, most),
            Scope::Scratch => false,
            Scope::Local if target.indices.is_empty() => {
                after[var] = values;
                false
            }
            Scope::Local => {
                after[var] = hull(after[var], values);
                false
            }
        }
    }

    /// The values of the type of a variable.
    fn most(&self, id: Option<ProctypeId>, scope: Scope, var: VarId) -> Interval {
        self.knowledge.model.variable(id, scope, var).cell.range()
    }

    /// The values of an expression as they are stored: one that does not fit is cut to any value of the type.
    fn stored(&self, id: ProctypeId, frame: &Frame, value: &Expr, most: Interval) -> Interval {
        self.interval(id, frame, value).filter(|values| most.0 <= values.0 && values.1 <= most.1).unwrap_or(most)
    }

    /// The values of an expression of a process whose locals have the values of the frame.
    pub fn interval(&self, id: ProctypeId, frame: &Frame, expr: &Expr) -> Option<Interval> {
        self.knowledge.model.interval(expr, &|leaf| match leaf {
            Expr::Var(var) => Some(match var.scope {
                Scope::Global => self.globals[var.var.index()].values,
                Scope::Local => frame[var.var.index()],
                Scope::Scratch => self.most(Some(id), var.scope, var.var),
            }),
            _ => Some(self.pids[id.index()]),
        })
    }

    /// The values of the locals if a condition holds.
    pub fn given(&self, id: ProctypeId, mut frame: Frame, condition: &Expr) -> Frame {
        for part in conjuncts(condition) {
            let Expr::Binary(op, left, right) = part else { continue };
            if let Some(mirrored) = mirrored(*op) {
                self.bound(id, &mut frame, (left, *op, right));
                self.bound(id, &mut frame, (right, mirrored, left));
            }
        }
        frame
    }

    /// Bounds a local variable by what it is compared with.
    fn bound(&self, id: ProctypeId, frame: &mut Frame, (left, op, right): (&Expr, BinaryOp, &Expr)) {
        let Expr::Var(VarRef { scope: Scope::Local, var, indices }) = left else { return };
        let Some((least, greatest)) = self.interval(id, frame, right).filter(|_| indices.is_empty()) else { return };
        let (low, high) = frame[var.index()];
        let bounded = match op {
            BinaryOp::Less => (low, high.min(greatest - 1)),
            BinaryOp::LessEqual => (low, high.min(greatest)),
            BinaryOp::Greater => (low.max(least + 1), high),
            BinaryOp::GreaterEqual => (low.max(least), high),
            BinaryOp::Equal => (low.max(least), high.min(greatest)),
            BinaryOp::NotEqual if least == greatest && low == least => (low + 1, high),
            BinaryOp::NotEqual if least == greatest && high == least => (low, high - 1),
            _ => return,
        };
        if bounded.0 <= bounded.1 {
            frame[var.index()] = bounded;
        } // else the condition never holds here
    }

    /// Whether every value of an expression is the number of a channel that was declared globally, for which `is_fit` holds. Such
    /// channels exist to the end of a run.
    pub fn are_channels(
        &self,
        id: ProctypeId,
        frame: &Frame,
        channel: &Expr,
        is_fit: impl Fn(&crate::layout::ShapeLayout) -> bool,
    ) -> bool {
        let Knowledge { layout, .. } = self.knowledge;
        self.interval(id, frame, channel).is_some_and(|(least, greatest)| {
            let known = 1..=layout.channels.len() as i64;
            let is_channel = |number: i64| is_fit(&layout.shapes[layout.channels[number as usize - 1].index()]);
            known.contains(&least) && known.contains(&greatest) && (least..=greatest).all(is_channel)
        })
    }

    /// Whether the indices of a reference are within their bounds.
    pub fn fits(&self, id: ProctypeId, frame: &Frame, target: &VarRef) -> bool {
        let dims = &self.knowledge.model.variable(Some(id), target.scope, target.var).dims;
        target.indices.iter().zip(dims).all(|(index, &dim)| {
            self.interval(id, frame, index).is_some_and(|(least, greatest)| least >= 0 && greatest < i64::from(dim))
        })
    }
}

/// The operator that compares in the other direction.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::Equal => BinaryOp::Equal,
        BinaryOp::NotEqual => BinaryOp::NotEqual,
        _ => return None,
    })
}
