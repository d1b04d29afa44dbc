//! A small model for the tests of this crate, and short ways to write its expressions.

use crate::{
    Action, ArgPattern, Automaton, BinaryOp, Cell, ChannelShape, Expr, Field, Init, InitValue, Location, Model, Place,
    Proctype, ProctypeId, Queueing, ReceiveFrom, Resets, Scalar, Scope, ShapeId, Start, Statement, StatementId,
    Transition, VarId, VarRef, Variable,
};

/// The process type `P`.
pub const P: ProctypeId = ProctypeId(0);

fn variable(name: &str, scalar: Scalar, dims: &[u32]) -> Variable {
    let index_after = vec![1; dims.len()];
    let (name, dims) = (name.to_owned(), dims.to_vec());
    Variable {
        name,
        scalar,
        cell: Cell::Byte,
        dims,
        index_after,
        least_indices: Vec::new(),
        hidden: false,
        range: None,
        place: Place::default(),
    }
}

/// `byte x, y, a[3]; chan c = [2] of { byte }, r = [0] of { byte }; active proctype P(chan k) { byte l, m, b[2]; … }` with
/// a straight line of statements.
pub fn straight(actions: Vec<Action>) -> Model {
    let transition = |(at, _): (usize, &Action)| Transition {
        statement: StatementId(at as u32),
        target: if at + 1 == actions.len() { 0 } else { at as u32 + 2 },
        atomic: false,
        escape: 0,
        merged: false,
        resets: Resets::default(),
    };
    let transitions = actions.iter().enumerate().map(transition);
    let locations = transitions.map(|to| Location { transitions: vec![to], ..Location::default() });
    let locations: Vec<Location> = std::iter::once(Location::default()).chain(locations).collect();
    let place = Place::default();
    let end = locations.len() as u32 - 1;
    let statements = actions.into_iter().map(|action| Statement { action, place }).collect();
    let shape = |name: &str, capacity| ChannelShape {
        name: name.to_owned(),
        capacity,
        fields: vec![Field { scalar: Scalar::Byte, cell: Cell::Byte }],
    };
    let channel = |var, shape| Init { var: VarId(var), cells: 0..1, value: InitValue::Channel(ShapeId(shape)) };
    let proctype = Proctype {
        name: "P".to_owned(),
        locals: vec![
            variable("k", Scalar::Chan, &[]),
            variable("l", Scalar::Byte, &[]),
            variable("m", Scalar::Byte, &[]),
            variable("b", Scalar::Byte, &[2]),
        ],
        params: 1,
        inits: Vec::new(),
        provided: None,
        deterministic: false,
        automaton: Automaton { statements, locations, start: 1, end, ..Automaton::default() },
        place,
    };
    Model {
        globals: vec![
            variable("x", Scalar::Byte, &[]),
            variable("y", Scalar::Byte, &[]),
            variable("a", Scalar::Byte, &[3]),
            variable("c", Scalar::Chan, &[]),
            variable("r", Scalar::Chan, &[]),
        ],
        inits: vec![channel(3, 0), channel(4, 1)],
        shapes: vec![shape("c", 2), shape("r", 0)],
        proctypes: vec![proctype],
        start: vec![Start { proctype: P, priority: 1 }],
        ..Model::default()
    }
}

/// A variable of the model.
pub fn var(name: &str) -> VarRef {
    let (scope, var) = match name {
        "x" => (Scope::Global, 0),
        "y" => (Scope::Global, 1),
        "c" => (Scope::Global, 3),
        "r" => (Scope::Global, 4),
        "k" => (Scope::Local, 0),
        "l" => (Scope::Local, 1),
        "m" => (Scope::Local, 2),
        _ => panic!("there is no scalar `{name}`"),
    };
    VarRef { scope, var: VarId(var), indices: Vec::new() }
}

/// An element of `a`.
pub fn element(index: Expr) -> VarRef {
    VarRef { scope: Scope::Global, var: VarId(2), indices: vec![index] }
}

/// The value of a variable.
pub fn value(name: &str) -> Expr {
    Expr::Var(var(name))
}

/// A number.
pub fn number(value: i32) -> Expr {
    Expr::constant(value)
}

/// An operation.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// `target = value`
pub fn assign(target: VarRef, value: Expr) -> Action {
    Action::Assign { target, value }
}

/// `channel!value`
pub fn send(channel: &str, message: Expr) -> Action {
    Action::Send { channel: value(channel), args: vec![message], queueing: Queueing::Last }
}

/// `channel?args`
pub fn receive(channel: &str, args: Vec<ArgPattern>) -> Action {
    Action::Receive { channel: value(channel), args, from: ReceiveFrom { anywhere: false, keep: false } }
}
