//! The names that a template may assign to. A parameter by value that is none of them is a constant of the process.

use std::collections::HashSet;
use std::sync::Arc;

use crate::ast::{Declaration, Expr, ExprKind, Name, Statement, Template};

/// The names of variables that are assigned to, or passed to functions, which may assign to them.
pub fn assigned_names(template: &Template) -> HashSet<Name> {
    let mut names = HashSet::new();
    for declaration in &template.declarations {
        if let Declaration::Function(function) = declaration {
            function.body.iter().for_each(|statement| in_statement(statement, &mut names));
        }
    }
    for edge in &template.edges {
        edge.update.iter().chain(&edge.guard).for_each(|expr| in_expr(expr, &mut names));
    }
    names
}

/// Adds the variable of a name with indices and fields.
fn root(expr: &Expr, names: &mut HashSet<Name>) {
    match &expr.kind {
        ExprKind::Name(name) => {
            names.insert(Arc::clone(name));
        }
        ExprKind::Index(inner, _) | ExprKind::Field(inner, _) => root(inner, names),
        _ => {}
    }
}

fn in_expr(expr: &Expr, names: &mut HashSet<Name>) {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Deadlock | ExprKind::Name(_) => {}
        ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
            in_expr(left, names);
            in_expr(right, names);
        }
        ExprKind::Field(inner, _) | ExprKind::Unary(_, inner) => in_expr(inner, names),
        ExprKind::Call(_, arguments) => {
            for argument in arguments {
                root(argument, names);
                in_expr(argument, names);
            }
        }
        ExprKind::Conditional(parts) => parts.iter().for_each(|part| in_expr(part, names)),
        ExprKind::Assign(_, target, value) => {
            root(target, names);
            in_expr(target, names);
            in_expr(value, names);
        }
        ExprKind::Step { target, .. } => {
            root(target, names);
            in_expr(target, names);
        }
        ExprKind::Quantified { body, .. } => in_expr(body, names),
    }
}

fn in_statement(statement: &Statement, names: &mut HashSet<Name>) {
    match statement {
        Statement::Empty | Statement::Typedef { .. } | Statement::Return { value: None, .. } => {}
        Statement::Declaration(variable) => {
            if let Some(crate::ast::Initialiser::Value(value)) = &variable.initial {
                in_expr(value, names);
            }
        }
        Statement::Expression(expr) | Statement::Return { value: Some(expr), .. } => in_expr(expr, names),
        Statement::Block(statements) => statements.iter().for_each(|statement| in_statement(statement, names)),
        Statement::If { condition, then, otherwise } => {
            in_expr(condition, names);
            in_statement(then, names);
            otherwise.iter().for_each(|otherwise| in_statement(otherwise, names));
        }
        Statement::While { condition, body } | Statement::DoWhile { body, condition } => {
            in_expr(condition, names);
            in_statement(body, names);
        }
        Statement::For { first, condition, next, body } => {
            first.iter().chain(condition).chain(next).for_each(|expr| in_expr(expr, names));
            in_statement(body, names);
        }
        Statement::Iterate { body, .. } => in_statement(body, names),
    }
}
