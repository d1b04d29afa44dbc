//! A static analysis of the channels that variables hold.
//!
//! The channels of a global `chan` that no statement writes to are constants. For other variables the layout is guessed from
//! where their values come from; compiled code checks the guess each time.

use std::collections::{BTreeSet, HashMap, HashSet};

use homing_ir::{
    Action, ArgPattern, BlockNode, Expr, Init, InitValue, Model, ProctypeId, Scalar, Scope, ShapeId, VarId, VarRef,
};

use crate::layout::Layout;

/// A global channel that a variable, or a cell of an array, always holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantChannel {
    pub id: i32,
    pub shape: ShapeId,
    /// Its offset in every state.
    pub offset: u32,
}

/// A variable that can hold channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Holder {
    /// None for a global variable.
    proctype: Option<ProctypeId>,
    var: VarId,
}

/// Where the value of a channel variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Holder(Holder),
    /// The fields of messages, all in one.
    Messages,
}

/// The channels that the variables of a model may hold.
pub struct Channels {
    /// By global variable, then by cell; none for a variable that is written.
    cells: Vec<Vec<Option<ConstantChannel>>>,
    /// The layouts of the channels that a variable may hold.
    classes: HashMap<Source, BTreeSet<u32>>,
}

impl Channels {
    pub fn of(model: &Model, layout: &Layout) -> Self {
        let mut cells: Vec<Vec<Option<ConstantChannel>>> =
            model.globals.iter().map(|variable| vec![None; variable.cells()]).collect();
        let mut flow = Flow { model, edges: Vec::new(), written: HashSet::new() };
        flow.model();
        let mut id = 0;
        let mut offset = layout.channels_at;
        for init in &model.inits {
            let InitValue::Channel(shape) = init.value else { continue };
            for cell in init.cells.clone() {
                id += 1;
                if !flow.written.contains(&init.var) {
                    cells[init.var.index()][cell as usize] = Some(ConstantChannel { id, shape, offset });
                }
                offset += layout.shapes[shape.index()].size;
            }
        }
        Channels { classes: classes(model, layout, &flow.edges), cells }
    }

    /// The channel that is the value of an expression in every state.
    pub fn constant(&self, model: &Model, expr: &Expr) -> Option<ConstantChannel> {
        let Expr::Var(VarRef { scope: Scope::Global, var, indices }) = expr else { return None };
        let dims = &model.globals[var.index()].dims;
        let mut cell = 0;
        for (index, &length) in indices.iter().zip(dims) {
            let index = u32::try_from(index.as_constant()?).ok().filter(|index| *index < length)?;
            cell = cell * length + index;
        }
        self.cells[var.index()][cell as usize]
    }

    /// The first channel of an array whose channels are constants of one shape, one after the other.
    pub fn array(&self, var: &VarRef) -> Option<ConstantChannel> {
        if var.scope != Scope::Global || var.indices.is_empty() {
            return None;
        }
        let cells = &self.cells[var.var.index()];
        let first = (*cells.first()?)?;
        let follows =
            |at: usize| cells[at].is_some_and(|cell| cell.shape == first.shape && cell.id == first.id + at as i32);
        (1..cells.len()).all(follows).then_some(first)
    }

    /// The number of cells of a global variable.
    pub fn elements(&self, var: &VarRef) -> usize {
        self.cells[var.var.index()].len()
    }

    /// The layouts that the channel of an expression is guessed to have: the first shape of each. `None` without a guess.
    pub fn expected(&self, proctype: ProctypeId, expr: &Expr) -> Option<&BTreeSet<u32>> {
        let Expr::Var(var) = expr else { return None };
        let proctype = (var.scope == Scope::Local).then_some(proctype);
        self.classes.get(&Source::Holder(Holder { proctype, var: var.var }))
    }
}

/// The layouts of the channels that each source may hold: those of its initial values, propagated along the edges to a
/// fixpoint.
fn classes(model: &Model, layout: &Layout, edges: &[(Source, Source)]) -> HashMap<Source, BTreeSet<u32>> {
    let mut classes: HashMap<Source, BTreeSet<u32>> = HashMap::new();
    let scopes =
        model.proctypes.iter().enumerate().map(|(at, proctype)| (Some(ProctypeId(at as u32)), &proctype.inits));
    for (proctype, inits) in scopes.chain([(None, &model.inits)]) {
        for Init { var, value, .. } in inits {
            if let InitValue::Channel(shape) = value {
                let holder = Source::Holder(Holder { proctype, var: *var });
                classes.entry(holder).or_default().insert(layout.shapes[shape.index()].class);
            }
        }
    }
    loop {
        let mut is_new = false;
        for (from, to) in edges {
            let Some(more) = classes.get(from).cloned() else { continue };
            let held = classes.entry(*to).or_default();
            let before = held.len();
            held.extend(more);
            is_new |= held.len() > before;
        }
        if !is_new {
            return classes;
        }
    }
}

/// The data flow of channels between variables.
struct Flow<'m> {
    model: &'m Model,
    edges: Vec<(Source, Source)>,
    /// Global variables that are written after their initialisation.
    written: HashSet<VarId>,
}

impl Flow<'_> {
    fn model(&mut self) {
        let model = self.model;
        self.inits(None, &model.inits);
        for (at, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            self.inits(Some(id), &proctype.inits);
            for statement in &proctype.automaton.statements {
                self.action(id, &statement.action);
            }
        }
    }

    fn inits(&mut self, proctype: Option<ProctypeId>, inits: &[Init]) {
        for Init { var, value, .. } in inits {
            if let InitValue::Value(value) = value {
                self.connect(proctype, value, Source::Holder(Holder { proctype, var: *var }));
            }
        }
    }

    fn action(&mut self, proctype: ProctypeId, action: &Action) {
        match action {
            Action::Assign { target, value } => self.write(proctype, target, Some(value)),
            Action::Send { args, .. } => {
                args.iter().for_each(|arg| self.connect(Some(proctype), arg, Source::Messages))
            }
            Action::Receive { args, .. } => {
                for arg in args {
                    if let ArgPattern::Bind(target) = arg {
                        self.write(proctype, target, None);
                    }
                }
            }
            Action::Run { proctype: new, args, store, .. } => {
                for (at, arg) in args.iter().enumerate() {
                    let holder = Holder { proctype: Some(*new), var: VarId(at as u32) };
                    self.connect(Some(proctype), arg, Source::Holder(holder));
                }
                if let Some((target, value)) = store {
                    self.write(proctype, target, Some(value));
                }
            }
            Action::DStep(block) => {
                for node in &block.nodes {
                    if let BlockNode::Do { action, .. } = node {
                        self.action(proctype, action);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the flow of an assignment to a variable: of a value, or (`None`) of a field of a message.
    fn write(&mut self, proctype: ProctypeId, target: &VarRef, value: Option<&Expr>) {
        let owner = (target.scope == Scope::Local).then_some(proctype);
        if self.model.variable(owner, target.scope, target.var).scalar != Scalar::Chan {
            return;
        }
        if target.scope == Scope::Global {
            self.written.insert(target.var);
        }
        let holder = Source::Holder(Holder { proctype: owner, var: target.var });
        match value {
            Some(value) => self.connect(Some(proctype), value, holder),
            None => self.edges.push((Source::Messages, holder)),
        }
    }

    /// Adds the flow from the variables that a value may come from.
    fn connect(&mut self, proctype: Option<ProctypeId>, value: &Expr, to: Source) {
        match value {
            Expr::Var(var) => {
                let owner = if var.scope == Scope::Local { proctype } else { None };
                if self.model.variable(owner, var.scope, var.var).scalar == Scalar::Chan {
                    self.edges.push((Source::Holder(Holder { proctype: owner, var: var.var }), to));
                }
            }
            Expr::Conditional(_, then, otherwise) => {
                self.connect(proctype, then, to);
                self.connect(proctype, otherwise, to);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn a_channel_is_constant_unless_its_variable_is_written() {
        let model = model(
            "chan a = [1] of { byte }; chan b[3] = [0] of { byte }; chan w = [2] of { short };
             init { chan l; l = w; w = a; a!1 }
             proctype P(chan p) { p!1 }
             proctype Q() { run P(b[0]); run P(b[1]) }",
        );
        let layout = Layout::new(&model);
        let channels = Channels::of(&model, &layout);
        let global = |var: u32, indices: &[i32]| VarRef {
            scope: Scope::Global,
            var: VarId(var),
            indices: indices.iter().map(|index| Expr::constant(*index)).collect(),
        };
        let id = |var: VarRef| channels.constant(&model, &Expr::Var(var)).map(|channel| channel.id);
        assert_eq!([id(global(0, &[])), id(global(1, &[2])), id(global(2, &[]))], [Some(1), Some(4), None]);
        assert_eq!(channels.array(&global(1, &[0])).map(|first| first.id), Some(2));
        assert_eq!(channels.array(&global(0, &[])), None, "no array");
        let class = |shape: u32| layout.shapes[shape as usize].class;
        let local = Expr::Var(VarRef { scope: Scope::Local, var: VarId(0), indices: Vec::new() });
        let expected = |proctype: u32| channels.expected(ProctypeId(proctype), &local).cloned();
        let of_shape = |channel: u32| {
            model.inits.iter().filter_map(move |init| match init.value {
                InitValue::Channel(shape) if init.var == VarId(channel) => Some(class(shape.0)),
                _ => None,
            })
        };
        let parameter = model.proctypes.iter().position(|proctype| proctype.name == "P").expect("it is there") as u32;
        let main = model.proctypes.iter().position(|proctype| proctype.name == ":init:").expect("it is there") as u32;
        assert_eq!(expected(parameter), Some(of_shape(1).collect()), "what the calls pass");
        assert_eq!(expected(main), Some(of_shape(0).chain(of_shape(2)).collect()), "what flows through w");
    }
}
