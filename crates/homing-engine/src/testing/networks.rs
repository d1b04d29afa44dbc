//! Networks for tests, built from edges.

use homing_ir::{
    Action, Automaton, BinaryOp, Block, BlockNode, Cell, Edge, Expr, Features, Location, Model, NodeId, Place,
    Proctype, ProctypeId, Resets, Scalar, Scope, Signal, Start, Statement, StatementId, Transition, VarId, VarRef,
    Variable,
};

/// The variable `x`, from 0 to 3.
pub fn x() -> VarRef {
    VarRef { scope: Scope::Global, var: VarId(0), indices: Vec::new() }
}

pub fn is(value: i32) -> Expr {
    Expr::Binary(BinaryOp::Equal, Box::new(Expr::Var(x())), Box::new(Expr::constant(value)))
}

/// Multiplies `x` and adds to it.
pub fn update(factor: i32, more: i32) -> Block {
    let times = Expr::Binary(BinaryOp::Multiply, Box::new(Expr::Var(x())), Box::new(Expr::constant(factor)));
    let value = Expr::Binary(BinaryOp::Add, Box::new(times), Box::new(Expr::constant(more)));
    let action = Action::Assign { target: x(), value };
    let nodes = vec![BlockNode::Do { action, place: Place::default(), next: NodeId(1) }, BlockNode::Exit];
    Block { nodes, entry: NodeId(0), guards: Vec::new(), line: 1 }
}

/// An edge as a test writes it: `1?` receives over channel 1, `1!` sends, `1!!` sends to all.
pub fn edge(signal: &str, guard: Option<Expr>, update: Option<Block>) -> Edge {
    let signal = (!signal.is_empty()).then(|| {
        let number = signal.trim_end_matches(['!', '?']).parse().expect("a number");
        let (emits, broadcast) = (signal.contains('!'), signal.ends_with("!!") || signal.ends_with("??"));
        let channels = number as u32..number as u32 + 1;
        Signal { channel: Expr::constant(number), channels, emits, broadcast }
    });
    Edge { guard, signal, update }
}

/// A variable of one byte for each cell, if the range allows it.
pub fn variable(name: &str, dims: Vec<u32>, range: (i32, i32)) -> Variable {
    Variable {
        name: name.to_owned(),
        scalar: Scalar::Int,
        cell: Cell::for_range(range.0, range.1),
        index_after: vec![1; dims.len()],
        least_indices: Vec::new(),
        dims,
        hidden: false,
        range: Some(range),
        place: Place::default(),
    }
}

/// Processes with edges from location to location; all begin at location 1.
pub fn network(processes: Vec<Vec<(u32, u32, Edge)>>, mark: impl Fn(usize, u32, &mut Location)) -> Model {
    let mut model = Model {
        sources: vec!["m.xta".to_owned()],
        globals: vec![variable("x", Vec::new(), (0, 3))],
        features: Features { network: true, ..Features::default() },
        ..Model::default()
    };
    for (pid, edges) in processes.into_iter().enumerate() {
        let count = edges.iter().map(|(from, to, _)| *from.max(to)).max().unwrap_or(1).max(1);
        let mut automaton = Automaton { start: 1, ..Automaton::default() };
        automaton.locations = vec![Location::default(); count as usize + 1];
        for (from, to, edge) in edges {
            let statement = StatementId(automaton.statements.len() as u32);
            let action = Action::Edge(Box::new(edge));
            automaton.statements.push(Statement { action, place: Place::default() });
            let resets = Resets::default();
            let transition = Transition { statement, target: to, atomic: false, escape: 0, merged: false, resets };
            automaton.locations[from as usize].transitions.push(transition);
        }
        for (at, location) in automaton.locations.iter_mut().enumerate() {
            mark(pid, at as u32, location);
        }
        model.proctypes.push(Proctype {
            name: format!("P{pid}"),
            locals: Vec::new(),
            params: 0,
            inits: Vec::new(),
            provided: None,
            deterministic: false,
            automaton,
            place: Place::default(),
        });
        model.start.push(Start { proctype: ProctypeId(pid as u32), priority: 1 });
    }
    model
}
