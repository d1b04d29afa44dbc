//! Channels that a variable always holds: those of a global `chan` that nothing writes to.

use std::collections::HashSet;

use homing_ir::{Action, ArgPattern, BlockNode, Expr, InitValue, Model, Scalar, Scope, ShapeId, VarId, VarRef};

use crate::layout::Layout;

/// A channel that is known before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub id: i32,
    pub shape: ShapeId,
    /// Where it is in a state.
    pub offset: u32,
}

/// The channels of the global variables that never hold another.
pub struct KnownChannels {
    /// By variable, then by element.
    cells: Vec<Vec<Option<Known>>>,
}

impl KnownChannels {
    pub fn of(model: &Model, layout: &Layout) -> Self {
        let mut cells: Vec<Vec<Option<Known>>> =
            model.globals.iter().map(|variable| vec![None; variable.cells()]).collect();
        let written = written_channels(model);
        let mut id = 0;
        let mut offset = layout.channels_at;
        for init in &model.inits {
            let InitValue::Channel(shape) = init.value else { continue };
            for cell in init.cells.clone() {
                id += 1;
                if !written.contains(&init.var) {
                    cells[init.var.index()][cell as usize] = Some(Known { id, shape, offset });
                }
                offset += layout.shapes[shape.index()].size;
            }
        }
        KnownChannels { cells }
    }

    /// The channel that an expression always means.
    pub fn find(&self, model: &Model, expr: &Expr) -> Option<Known> {
        let Expr::Var(VarRef { scope: Scope::Global, var, indices }) = expr else { return None };
        let dims = &model.globals[var.index()].dims;
        let mut cell = 0;
        for (index, &length) in indices.iter().zip(dims) {
            let index = u32::try_from(index.as_constant()?).ok().filter(|index| *index < length)?;
            cell = cell * length + index;
        }
        self.cells[var.index()][cell as usize]
    }
}

fn written_channels(model: &Model) -> HashSet<VarId> {
    let mut written = HashSet::new();
    for proctype in &model.proctypes {
        for statement in &proctype.automaton.statements {
            collect(&statement.action, &mut written);
        }
    }
    written.retain(|var| model.globals[var.index()].scalar == Scalar::Chan);
    written
}

fn collect(action: &Action, written: &mut HashSet<VarId>) {
    let mut write = |target: &VarRef| {
        if target.scope == Scope::Global {
            written.insert(target.var);
        }
    };
    match action {
        Action::Assign { target, .. } | Action::Run { store: Some((target, _)), .. } => write(target),
        Action::Receive { args, .. } => {
            for arg in args {
                if let ArgPattern::Bind(target) = arg {
                    write(target);
                }
            }
        }
        Action::DStep(block) => {
            for node in &block.nodes {
                if let BlockNode::Do { action, .. } = node {
                    collect(action, written);
                }
            }
        }
        _ => {}
    }
}
