//! References to variables, elements and fields.

use homing_ir::{Expr, Scalar, Scope, VarId, VarRef};

use super::symbols::{Declared, Type};
use super::{Lowered, Lowering};
use crate::ast;
use crate::diagnostic::Diagnostic;
use crate::spelling::nearest;

/// What a reference means.
pub(super) enum Resolved {
    Scalar(VarRef, Scalar),
    /// A whole record (an element, if in an array).
    Record {
        scope: Scope,
        base: u32,
        indices: Vec<Expr>,
        record: usize,
    },
}

impl Lowering<'_> {
    pub(super) fn resolve(&mut self, var: &ast::VarRef) -> Lowered<Resolved> {
        let symbol = self.find_variable(&var.parts[0].name)?;
        let mut at: Declared = symbol.declared.clone();
        let mut leaf = symbol.base;
        let mut indices = Vec::new();
        for (depth, part) in var.parts.iter().enumerate() {
            if depth > 0 {
                let field = self.field(&at, &part.name)?;
                leaf += field.offset;
                at = field.declared;
            }
            match (&part.index, at.length) {
                (Some(index), Some(length)) => {
                    let index = self.expression(index)?;
                    if let Some(value) = index.as_constant()
                        && !(0..i64::from(length)).contains(&i64::from(value))
                    {
                        self.diagnostics.push(Diagnostic::warning(
                            part.name.span,
                            format!("index {value} is out of range: `{}` has {length} elements", at.name),
                        ));
                    }
                    indices.push(index);
                }
                (None, None) => {}
                (None, Some(_)) => {
                    return Err(self.report(
                        Diagnostic::error(part.name.span, format!("`{}` is an array: an index is missing", at.name))
                            .note(at.span, "it is declared here")
                            .help(format!("write `{}[…]`", at.name)),
                    ));
                }
                (Some(index), None) => {
                    if self.expression(index)?.as_constant() != Some(0) {
                        return Err(self.report(
                            Diagnostic::error(
                                part.name.span,
                                format!("`{}` is not an array and cannot be indexed", at.name),
                            )
                            .note(at.span, "it is declared here"),
                        ));
                    }
                }
            }
        }
        let scope = symbol.scope;
        Ok(match at.ty {
            Type::Scalar(scalar) => Resolved::Scalar(VarRef { scope, var: VarId(leaf), indices }, scalar),
            Type::Record(record) => Resolved::Record { scope, base: leaf, indices, record },
        })
    }

    fn field(&mut self, of: &Declared, name: &ast::Ident) -> Lowered<super::symbols::FieldSymbol> {
        let Type::Record(record) = of.ty else {
            return Err(self.report(
                Diagnostic::error(name.span, format!("`{}` has no fields", of.name))
                    .note(of.span, "it is declared here, and not of a type made with `typedef`"),
            ));
        };
        let record = &self.records[record];
        if let Some(field) = record.fields.iter().find(|field| field.declared.name == name.name) {
            return Ok(field.clone());
        }
        let there = record.span;
        let mut diagnostic = Diagnostic::error(name.span, format!("`{}` has no field `{}`", record.name, name.name))
            .note(there, "the type is defined here");
        if let Some(near) = nearest(&name.name, record.fields.iter().map(|field| &*field.declared.name)) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        Err(self.report(diagnostic))
    }

    /// The scalars of a record, in order, each element of an array by itself: how a record is sent, received or passed.
    pub(super) fn record_cells(
        &mut self,
        scope: Scope,
        base: u32,
        indices: &[Expr],
        record: usize,
        span: crate::source::Span,
    ) -> Lowered<Vec<(VarRef, Scalar)>> {
        self.limit_values(self.records[record].extent.values, span)?;
        let mut cells = Vec::new();
        for field in self.records[record].fields.clone() {
            let leaf = base + field.offset;
            match (field.declared.ty, field.declared.length) {
                (Type::Record(inner), None) => cells.extend(self.record_cells(scope, leaf, indices, inner, span)?),
                (Type::Record(_), Some(_)) => {
                    return Err(self.report(Diagnostic::error(
                        span,
                        format!("an array of records (`{}`) cannot be passed or sent", field.declared.name),
                    )));
                }
                (Type::Scalar(scalar), None) => {
                    cells.push((VarRef { scope, var: VarId(leaf), indices: indices.to_vec() }, scalar));
                }
                (Type::Scalar(scalar), Some(length)) => {
                    for at in 0..length {
                        let mut indices = indices.to_vec();
                        indices.push(Expr::constant(at as i32));
                        cells.push((VarRef { scope, var: VarId(leaf), indices }, scalar));
                    }
                }
            }
        }
        Ok(cells)
    }

    /// A reference that must be a scalar.
    pub(super) fn scalar(&mut self, var: &ast::VarRef) -> Lowered<(VarRef, Scalar)> {
        match self.resolve(var)? {
            Resolved::Scalar(var, scalar) => Ok((var, scalar)),
            Resolved::Record { record, .. } => {
                let fields: Vec<String> =
                    self.records[record].fields.iter().map(|field| format!("`{}`", field.declared.name)).collect();
                Err(self.report(
                    Diagnostic::error(var.span, "a whole record cannot be used here")
                        .help(format!("name one of its fields: {}", fields.join(", "))),
                ))
            }
        }
    }

    /// A reference that must be a channel.
    pub(super) fn channel(&mut self, var: &ast::VarRef) -> Lowered<Expr> {
        let (reference, scalar) = self.scalar(var)?;
        if scalar != Scalar::Chan {
            let name = &var.parts.last().expect("a reference has a name").name.name;
            return Err(self.report(
                Diagnostic::error(var.span, format!("`{name}` is not a channel"))
                    .help(format!("a channel is declared as in `chan {name} = [1] of {{ byte }}`")),
            ));
        }
        Ok(Expr::Var(reference))
    }
}
