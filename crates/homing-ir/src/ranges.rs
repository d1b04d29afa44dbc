//! The values that variables can have, by an analysis of the process automata over intervals (Cousot & Cousot 1977): of a local
//! variable that is no array at each location, of others anywhere.
//!
//! A condition in front of a location bounds the locals that it compares. Bounds that keep growing are widened to those of the
//! type, so that the analysis ends. What is received is what is sent (`messages.rs`).

use crate::messages::Messages;
use crate::{
    Action, ArgPattern, BinaryOp, ChannelShape, Expr, Guard, InitValue, Interval, Model, ProctypeId, Scope, ShapeId,
    Transition, Update, VarId, VarRef, hull,
};

/// How often an interval grows before it is widened.
const GROWS: u8 = 4;

/// An interval that grows while the analysis goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growing {
    pub(crate) values: Interval,
    grown: u8,
}

impl Growing {
    pub(crate) fn of(values: Interval) -> Self {
        Growing { values, grown: 0 }
    }

    /// Adds values; whether there are more than before. `most` are those of the type.
    pub(crate) fn add(&mut self, more: Interval, most: Interval) -> bool {
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
pub type Frame = Vec<Interval>;

/// The values of the variables of a model.
pub struct Ranges<'m> {
    model: &'m Model,
    /// The channels that were declared globally, by their numbers from 1.
    channels: Vec<ShapeId>,
    globals: Vec<Growing>,
    messages: Messages<'m>,
    /// By process type and parameter: the values that it begins with; none if no such process is created.
    parameters: Vec<Vec<Option<Growing>>>,
    /// By process type and location, for those that are reached.
    frames: Vec<Vec<Option<Vec<Growing>>>>,
    /// By process type: the pids of its processes.
    pids: Vec<Interval>,
}

impl<'m> Ranges<'m> {
    /// Analyses a model.
    pub fn of(model: &'m Model) -> Self {
        let creates = |action: &Action| {
            let mut creates = false;
            action.for_each_inside(&mut |inner| creates |= matches!(inner, Action::Run { .. }));
            creates
        };
        let mut statements = model.proctypes.iter().flat_map(|one| &one.automaton.statements);
        let grows = statements.any(|statement| creates(&statement.action));
        let pids = (0..model.proctypes.len()).map(|id| {
            let mut own = model.start.iter().enumerate().filter(|(_, start)| start.proctype.index() == id);
            match (own.next(), own.next_back()) {
                _ if grows => (0, 255),
                (Some((first, _)), last) => (first as i64, last.map_or(first, |(last, _)| last) as i64),
                (None, _) => (0, 255),
            }
        });
        let mut ranges = Ranges {
            model,
            channels: Vec::new(),
            messages: Messages::of(model),
            globals: vec![Growing::of((0, 0)); model.globals.len()],
            parameters: model.proctypes.iter().map(|one| vec![None; one.params as usize]).collect(),
            frames: model.proctypes.iter().map(|one| vec![None; one.automaton.locations.len()]).collect(),
            pids: pids.collect(),
        };
        ranges.initialise();
        let mut is_started: Vec<bool> = vec![false; model.proctypes.len()];
        for start in &model.start {
            is_started[start.proctype.index()] = true;
            ranges.parameters[start.proctype.index()].fill(Some(Growing::of((0, 0)))); // no arguments are given
        }
        while ranges.pass(&mut is_started) {}
        ranges
    }

    /// The globals have their initial values, which are computed in the order of their declarations.
    fn initialise(&mut self) {
        let mut given: Vec<(usize, Option<Interval>)> = vec![(0, None); self.globals.len()];
        for init in &self.model.inits {
            let values = match &init.value {
                InitValue::Value(value) => self.initial(value, self.most(None, Scope::Global, init.var)),
                InitValue::Channel(shape) => {
                    let first = self.channels.len() as i64 + 1;
                    self.channels.extend(std::iter::repeat_n(*shape, init.cells.len()));
                    (first, self.channels.len() as i64)
                }
            };
            let (cells, all) = &mut given[init.var.index()];
            *cells += init.cells.len();
            *all = Some(all.map_or(values, |all| hull(all, values)));
            let known = &mut self.globals[init.var.index()].values;
            *known = hull(*known, values);
        }
        for ((known, variable), (cells, all)) in self.globals.iter_mut().zip(&self.model.globals).zip(given) {
            // no cell is left at 0
            if let Some(all) = all.filter(|_| cells >= variable.cells()) {
                known.values = all;
            }
        }
    }

    /// The values of the initial value of a global, as they are stored.
    fn initial(&self, value: &Expr, most: Interval) -> Interval {
        let values = self.model.interval(value, &|leaf| match leaf {
            Expr::Var(var) if var.scope == Scope::Global => Some(self.globals[var.var.index()].values),
            _ => None,
        });
        values.filter(|values| most.0 <= values.0 && values.1 <= most.1).unwrap_or(most)
    }

    /// Adds what one more statement from everywhere leads to; whether that is more than before.
    fn pass(&mut self, is_started: &mut [bool]) -> bool {
        let model = self.model;
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
        let proctype = self.model.proctype(id);
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
        let most: Frame = self.model.proctype(id).locals.iter().map(|variable| variable.cell.range()).collect();
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
        let automaton = &self.model.proctype(id).automaton;
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
            Update::Enqueue { channel, args, .. } => {
                for shape in self.shapes(id, &before, channel, args.len()) {
                    let values: Vec<_> = args.iter().map(|arg| self.interval(id, &before, arg)).collect();
                    has_grown |= self.messages.send(shape, values.into_iter());
                }
            }
            Update::Dequeue { channel, args, .. } => {
                let shapes = self.shapes(id, &before, channel, args.len());
                let Some(fields) = self.messages.received(&shapes) else { return has_grown }; // nothing is sent
                for (arg, values) in args.iter().zip(fields) {
                    if let ArgPattern::Bind(target) = arg {
                        let most = self.most(Some(id), target.scope, target.var);
                        let fits = most.0 <= values.0 && values.1 <= most.1;
                        has_grown |= self.store(id, &mut after, target, if fits { values } else { most });
                    }
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

    /// The shapes of the channels that an expression can mean, of those whose messages have so many fields.
    fn shapes(&self, id: ProctypeId, frame: &Frame, channel: &Expr, fields: usize) -> Vec<ShapeId> {
        let mut shapes = self.messages.shapes(fields);
        let known = 1..=self.channels.len() as i64;
        if let Some((least, greatest)) = self.interval(id, frame, channel)
            && known.contains(&least)
            && known.contains(&greatest)
        {
            let meant = &self.channels[least as usize - 1..greatest as usize];
            shapes.retain(|shape| meant.contains(shape));
        }
        shapes
    }

    /// What a `d_step` writes or sends may have any value of its type; so may the parameters of processes that are created inside.
    fn store_anything(&mut self, id: ProctypeId, after: &mut Frame, action: &Action, is_started: &mut [bool]) -> bool {
        let mut has_grown = false;
        action.for_each_target(&mut |target| {
            let most = self.most(Some(id), target.scope, target.var);
            has_grown |= self.store(id, after, target, most);
        });
        action.for_each_inside(&mut |inner| {
            if let Action::Send { args, .. } = inner {
                for shape in self.messages.shapes(args.len()) {
                    has_grown |= self.messages.send(shape, args.iter().map(|_| None));
                }
            }
            if let Action::Run { proctype, .. } = inner {
                has_grown |= !std::mem::replace(&mut is_started[proctype.index()], true);
                for at in 0..self.model.proctype(*proctype).params {
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
    pub(crate) fn most(&self, id: Option<ProctypeId>, scope: Scope, var: VarId) -> Interval {
        self.model.variable(id, scope, var).cell.range()
    }

    /// The values of an expression as they are stored: one that does not fit is cut to any value of the type.
    fn stored(&self, id: ProctypeId, frame: &Frame, value: &Expr, most: Interval) -> Interval {
        self.interval(id, frame, value).filter(|values| most.0 <= values.0 && values.1 <= most.1).unwrap_or(most)
    }

    /// The values of an expression of a process whose locals have the values of the frame.
    pub fn interval(&self, id: ProctypeId, frame: &Frame, expr: &Expr) -> Option<Interval> {
        self.model.interval(expr, &|leaf| match leaf {
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
        is_fit: impl Fn(&ChannelShape) -> bool,
    ) -> bool {
        self.interval(id, frame, channel).is_some_and(|(least, greatest)| {
            let known = 1..=self.channels.len() as i64;
            let is_channel = |number: i64| is_fit(self.model.shape(self.channels[number as usize - 1]));
            known.contains(&least) && known.contains(&greatest) && (least..=greatest).all(is_channel)
        })
    }

    /// Whether the indices of a reference are within their bounds.
    pub fn fits(&self, id: ProctypeId, frame: &Frame, target: &VarRef) -> bool {
        let dims = &self.model.variable(Some(id), target.scope, target.var).dims;
        target.indices.iter().zip(dims).all(|(index, &dim)| {
            self.interval(id, frame, index).is_some_and(|(least, greatest)| least >= 0 && greatest < i64::from(dim))
        })
    }
}

/// The parts of a condition that have to hold together, in their order.
pub fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    let (mut all, mut open) = (Vec::new(), vec![condition]);
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => open.extend([&**right, &**left]),
            other => all.push(other),
        }
    }
    all
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
