//! Calls: functions are inlined. They are not recursive, so that each needs one frame for all of its calls.

use homing_ir::Expr;

use super::address::Address;
use super::builder::{Activation, Builder, Exit, Res, Stop, scratch, temporary};
use crate::network::{Argument, Call, Function, Operand, Passing, Statement, Type};

impl<'a> Builder<'_, 'a> {
    /// The value of a call that returns a single one.
    pub fn call_value(&mut self, call: &'a Call) -> Res<Expr> {
        if self.is_plain() {
            return self.plain_call(call);
        }
        let first = self.call(call)?;
        Ok(match self.function(call).result {
            Some(_) => Expr::Var(temporary(first)),
            None => Expr::constant(0),
        })
    }

    fn function(&self, call: &Call) -> &'a Function {
        &self.lowering.network.functions[call.function.index()]
    }

    /// A function that is one `return` of a single value, with arguments that can be repeated and left out.
    fn plain_call(&mut self, call: &'a Call) -> Res<Expr> {
        let function = self.function(call);
        let ([Statement::Return(Some(Operand::Value(value)))], Some(type_)) = (&function.body[..], &function.result)
        else {
            return Err(Stop::NotPlain);
        };
        let (mut known, mut references) = (Vec::new(), Vec::new());
        for (argument, parameter) in call.arguments.iter().zip(&function.parameters) {
            match (argument, parameter.passing) {
                (Argument::Value(Operand::Value(expr)), Passing::Value { offset }) => {
                    let value = self.value(expr)?;
                    let value = self.in_range(&parameter.type_, value, &parameter.name);
                    if !is_simple(&value) {
                        return Err(Stop::NotPlain);
                    }
                    known.push((offset, value));
                }
                (Argument::Reference(place), _) => {
                    let address = self.address(place)?;
                    if !address.is_fixed() {
                        return Err(Stop::NotPlain);
                    }
                    references.push(address);
                }
                _ => return Err(Stop::NotPlain),
            }
        }
        let frame = self.lowering.frame_of(call.function.index());
        self.activations.push(Activation { frame, known, references, exit: None });
        let value = self.value(value);
        self.activations.pop();
        Ok(self.in_range(type_, value?, &function.name))
    }

    /// Inlines a function. Its result is in temporary cells from the returned one on.
    pub fn call(&mut self, call: &'a Call) -> Res<u32> {
        if self.is_plain() {
            return Err(Stop::NotPlain);
        }
        let function = self.function(call);
        let frame = self.lowering.frame_of(call.function.index());
        let (mut values, mut references) = (Vec::new(), Vec::new());
        for (argument, parameter) in call.arguments.iter().zip(&function.parameters) {
            match (argument, parameter.passing) {
                (Argument::Value(operand), Passing::Value { offset }) => {
                    let cells = self.operand(operand)?.into_iter().zip(parameter.type_.cell_types());
                    for (cell, (value, type_)) in cells.enumerate() {
                        let value = self.in_range(type_, value, &parameter.name);
                        values.push((offset + cell as u32, self.keep(value)?));
                    }
                }
                (Argument::Reference(place), _) => references.push(self.reference(place)?),
                (Argument::Value(_), Passing::Reference { .. }) => {
                    unreachable!("arguments are passed as the function declares it")
                }
            }
        }
        for (cell, value) in values {
            self.assign(scratch(frame, Expr::constant(cell as i32)), value, call.span)?;
        }
        let result = self.temporaries(function.result.as_ref().map_or(0, Type::cells));
        let label = self.label();
        let exit = Exit { label, result, type_: function.result.as_ref(), name: &function.name };
        self.activations.push(Activation { frame, known: Vec::new(), references, exit: Some(exit) });
        let body = function.body.iter().try_for_each(|statement| self.statement(statement));
        self.activations.pop();
        body?;
        if function.result.is_some() {
            let message = format!("the function `{}` ends without `return`", function.name);
            self.fail(message, function.span)?;
        }
        self.put(label);
        Ok(result)
    }

    fn reference(&mut self, place: &'a crate::network::Place) -> Res<Address<'a>> {
        let address = self.address(place)?;
        self.pinned(address)
    }

    fn statement(&mut self, statement: &'a Statement) -> Res<()> {
        match statement {
            Statement::Evaluate(expr) => self.effect(expr),
            Statement::Reset { offset, values } => {
                let frame = self.activation().frame;
                for (at, value) in values.iter().enumerate() {
                    let cell = scratch(frame, Expr::constant(*offset as i32 + at as i32));
                    self.assign(cell, Expr::constant(*value), self.span)?;
                }
                Ok(())
            }
            Statement::Block(statements) => statements.iter().try_for_each(|statement| self.statement(statement)),
            Statement::If { condition, then, otherwise } => {
                let (other, end) = (self.label(), self.label());
                let holds = self.value(condition)?;
                self.unless(holds, other, condition.span)?;
                self.statement(then)?;
                if let Some(otherwise) = otherwise {
                    self.jump(end)?;
                    self.put(other);
                    self.statement(otherwise)?;
                } else {
                    self.put(other);
                }
                self.put(end);
                Ok(())
            }
            Statement::While { condition, body, next } => {
                let (again, end) = (self.label(), self.label());
                self.put(again);
                let holds = self.value(condition)?;
                self.unless(holds, end, condition.span)?;
                self.statement(body)?;
                if let Some(next) = next {
                    self.effect(next)?;
                }
                self.jump(again)?;
                self.put(end);
                Ok(())
            }
            Statement::DoWhile { body, condition } => {
                let (again, end) = (self.label(), self.label());
                self.put(again);
                self.statement(body)?;
                let holds = self.value(condition)?;
                self.unless(holds, end, condition.span)?;
                self.jump(again)?;
                self.put(end);
                Ok(())
            }
            Statement::Iterate { offset, range, body, span } => {
                self.for_each_value(*offset, *range, *span, |builder| builder.statement(body))
            }
            Statement::Return(value) => self.return_(value.as_ref()),
        }
    }

    fn return_(&mut self, value: Option<&'a Operand>) -> Res<()> {
        let exit = self.activation().exit.clone().unwrap_or_else(|| unreachable!("`return` is in a function"));
        if let (Some(operand), Some(type_)) = (value, exit.type_) {
            let values = self.operand(operand)?;
            for ((cell, value), type_) in values.into_iter().enumerate().zip(type_.cell_types()) {
                let value = self.in_range(type_, value, exit.name);
                self.assign(temporary(exit.result + cell as u32), value, self.span)?;
            }
        }
        self.jump(exit.label)
    }
}

/// Whether evaluating the value again, or not at all, makes no difference.
fn is_simple(value: &Expr) -> bool {
    match value {
        Expr::Const { .. } => true,
        Expr::Var(var) => var.indices.iter().all(|index| index.as_constant().is_some()),
        _ => false,
    }
}
