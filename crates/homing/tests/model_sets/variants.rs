//! Variants of models, with what the generator of random models writes seldom or never: deterministic process types, `provided` clauses
//! and invariants, over globals and over what remote references see.

use fastrand::Rng;
use homing_ir::{BinaryOp, Expr, Invariant, Model, ProctypeId, Scalar, Scope, UnaryOp, VarId, VarRef};

/// A variant of a model.
pub fn variant(rng: &mut Rng, model: &Model) -> Model {
    let mut model = model.clone();
    let kinds = rng.u8(1..8);
    if kinds & 1 != 0 {
        model.proctypes.iter_mut().for_each(|proctype| proctype.deterministic |= rng.bool());
    }
    if kinds & 2 != 0 {
        let at = rng.usize(..model.proctypes.len());
        model.proctypes[at].provided = Some(condition(rng, &model));
    }
    if kinds & 4 != 0 {
        let expr = match rng.u8(..3) {
            0 => condition(rng, &model),
            1 => binary(BinaryOp::Or, condition(rng, &model), condition(rng, &model)),
            _ => not(binary(BinaryOp::And, condition(rng, &model), condition(rng, &model))),
        };
        model.add_invariant(Invariant { text: "a random one".to_owned(), expr });
    }
    model
}

/// A condition over what every process can see.
fn condition(rng: &mut Rng, model: &Model) -> Expr {
    let atom = match rng.u8(..6) {
        0 => remote_label(rng, model),
        1 => remote_variable(rng, model),
        2 => Some(binary(BinaryOp::Less, Expr::ProcessCount, Expr::constant(rng.i32(1..5)))),
        _ => None,
    };
    let atom = atom.or_else(|| global(rng, model)).unwrap_or_else(|| Expr::constant(1));
    if rng.bool() { not(atom) } else { atom }
}

fn global(rng: &mut Rng, model: &Model) -> Option<Expr> {
    let vars: Vec<VarId> = (0..model.globals.len() as u32).map(VarId).collect();
    let is_number =
        |var: &&VarId| !model.globals[var.index()].hidden && model.globals[var.index()].scalar != Scalar::Chan;
    let vars: Vec<VarId> = vars.iter().filter(is_number).copied().collect();
    let var = vars.get(rng.usize(..vars.len().max(1))).copied()?;
    let indices = model.globals[var.index()].dims.iter().map(|&dim| Expr::constant(rng.u32(..dim) as i32)).collect();
    let value = Expr::Var(VarRef { scope: Scope::Global, var, indices });
    Some(binary(BinaryOp::Equal, value, Expr::constant(rng.i32(..3))))
}

/// A process type that is not created by others, so that a first one always exists.
fn proctype(rng: &mut Rng, model: &Model) -> ProctypeId {
    model.start[rng.usize(..model.start.len())].proctype
}

fn remote_label(rng: &mut Rng, model: &Model) -> Option<Expr> {
    let proctype = proctype(rng, model);
    let location = rng.u32(..model.proctype(proctype).automaton.locations.len() as u32);
    Some(Expr::RemoteLabel { proctype, pid: None, location, label: "L".into() })
}

fn remote_variable(rng: &mut Rng, model: &Model) -> Option<Expr> {
    let proctype = proctype(rng, model);
    let locals = &model.proctype(proctype).locals;
    let var = locals.iter().position(|local| local.dims.is_empty() && local.scalar != Scalar::Chan)?;
    let value = Expr::RemoteVar { proctype, pid: None, var: VarId(var as u32), indices: Vec::new() };
    Some(binary(BinaryOp::Equal, value, Expr::constant(rng.i32(..3))))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

fn not(expr: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(expr))
}
