//! Evaluation of constants and initial values.

use super::expression::Kind;
use super::{Reported, Res, Resolver};
use crate::ast::{self, Initialiser};
use crate::evaluate::{Machine, Owner, RuntimeError, RuntimeErrorKind, in_range};
use crate::network::{Expr, ExprKind, Type};
use crate::source::Span;

impl Resolver<'_> {
    /// The value of an expression that must be constant.
    pub(super) fn constant_value(&mut self, ast: &ast::Expr) -> Res<i32> {
        let next = self.frame.next;
        let value = self.constant_expr(ast).and_then(|expr| self.evaluate(&expr));
        self.frame.next = next; // cells of its quantifiers
        value
    }

    /// An expression that must not read variables of a frame around it.
    pub(super) fn constant_expr(&mut self, ast: &ast::Expr) -> Res<Expr> {
        let (floor, writes) = (self.frame.floor, std::mem::take(&mut self.writes));
        self.frame.floor = self.frame.next;
        let expr = self.value(ast);
        self.frame.floor = floor;
        let changes = self.writes.state || self.writes.references;
        self.writes = writes;
        let (expr, _) = expr?;
        if changes {
            return self.error(ast.span, "a constant cannot change variables");
        }
        Ok(expr)
    }

    /// Evaluates a constant expression.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Res<i32> {
        if let ExprKind::Constant(value) = expr.kind {
            return Ok(value);
        }
        let machine = Machine::constant(&self.network, Owner::NONE);
        let value = machine.with_frame(&[], self.frame.next).value(expr);
        value.or_else(|error| self.not_evaluated(error))
    }

    /// Reports an error of an evaluation, or asks for the template to be resolved for each process.
    pub(super) fn not_evaluated<T>(&mut self, error: RuntimeError) -> Res<T> {
        if error.kind == RuntimeErrorKind::NotConstant {
            if self.specialise.is_some() {
                self.specialise = Some(true);
                return Err(Reported);
            }
            return self.error(error.span, "the value must be known before the model runs");
        }
        self.error(error.span, error.kind.to_string())
    }

    /// One expression for each cell of an initialiser.
    pub(super) fn initial_cells(&mut self, type_: &Type, initial: Option<&Initialiser>) -> Res<Vec<Expr>> {
        let nowhere = Span { file: crate::source::FileId(0), start: 0, end: 0 };
        let constant = |value| Expr { kind: ExprKind::Constant(value), span: nowhere };
        let Some(initial) = initial else {
            return Ok(type_.default_cells().into_iter().map(constant).collect());
        };
        match (type_, initial) {
            (Type::Array { length, element, .. }, Initialiser::List { items, span }) => {
                if items.len() != *length as usize {
                    let message = format!("the array has {length} elements, but {} values are given", items.len());
                    return self.error(*span, message);
                }
                let mut cells = Vec::new();
                for (name, item) in items {
                    if let Some(name) = name {
                        return self.error(name.span, "elements of an array have no names");
                    }
                    cells.extend(self.initial_cells(element, Some(item))?);
                }
                Ok(cells)
            }
            (Type::Record(fields), Initialiser::List { items, span }) => {
                if items.len() != fields.len() {
                    let message =
                        format!("the record has {} fields, but {} values are given", fields.len(), items.len());
                    return self.error(*span, message);
                }
                let mut cells = vec![None; fields.len()];
                for (at, (name, item)) in items.iter().enumerate() {
                    let at = match name {
                        None => at,
                        Some(name) => match fields.iter().position(|(field, _)| *field == name.name) {
                            Some(at) => at,
                            None => return self.error(name.span, format!("there is no field `{}`", name.name)),
                        },
                    };
                    cells[at] = Some(self.initial_cells(&fields[at].1, Some(item))?);
                }
                match cells.into_iter().collect::<Option<Vec<_>>>() {
                    Some(cells) => Ok(cells.into_iter().flatten().collect()),
                    None => self.error(*span, "a field is given twice"),
                }
            }
            (_, Initialiser::List { span, .. }) => self.error(*span, "a single value cannot be given as a list"),
            (Type::Array { .. } | Type::Record(_), Initialiser::Value(value)) => self.copied_cells(type_, value),
            (_, Initialiser::Value(value)) => {
                let (expr, kind) = self.value(value)?;
                self.check_kind(kind, type_, value.span)?;
                Ok(vec![expr])
            }
        }
    }

    /// The cells of a constant array or record.
    fn copied_cells(&mut self, type_: &Type, value: &ast::Expr) -> Res<Vec<Expr>> {
        let (operand, found) = self.operand(value)?;
        if !found.is_like(type_) {
            return self.error(value.span, format!("expected {type_}, found {found}"));
        }
        let machine = Machine::constant(&self.network, Owner::NONE);
        let cells = machine.with_frame(&[], self.frame.next).operand(&operand);
        let cells = cells.or_else(|error| self.not_evaluated(error))?;
        Ok(cells.into_iter().map(|cell| Expr { kind: ExprKind::Constant(cell), span: value.span }).collect())
    }

    /// The values of cells, checked against their types.
    pub(super) fn constant_cells(&mut self, cells: &[Expr], type_: &Type) -> Res<Vec<i32>> {
        let mut values = Vec::with_capacity(cells.len());
        for (cell, cell_type) in cells.iter().zip(type_.cell_types()) {
            let value = self.evaluate(cell)?;
            values.push(in_range(cell_type, value, cell.span).or_else(|error| self.not_evaluated(error))?);
        }
        Ok(values)
    }

    /// Checks that a value can be stored in a cell of the type.
    pub(super) fn check_kind(&mut self, kind: Kind, type_: &Type, span: Span) -> Res<()> {
        let expected = Kind::of(type_);
        match (kind, expected) {
            (Kind::Number, Some(Kind::Number)) => Ok(()),
            (Kind::Scalar(found), Some(Kind::Scalar(set))) if found == set => Ok(()),
            (_, None) => self.error(span, format!("a single value cannot be assigned to {type_}")),
            _ => self.error(span, format!("the value does not belong to {type_}")),
        }
    }
}
