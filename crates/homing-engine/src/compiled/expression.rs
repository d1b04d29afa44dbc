//! Expressions are translated into machine code.
//!
//! All values are 32-bit and wrap. Where evaluating an expression is a run-time error of the model, the function returns
//! [`super::translate::FAULT`], and the interpreter evaluates it in the same state.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use homing_ir::{BinaryOp, Cell, Expr, ProctypeId, UnaryOp};

use super::context::Context;
use super::runtime::RuntimeFunction;
use super::translate::{Address, Base, STATE, Translated, Translator, Unsupported};

impl Translator<'_, '_> {
    /// The value of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Translated<Value> {
        Ok(match expr {
            Expr::Const { value, .. } => self.int(*value),
            Expr::Var(var) => {
                if let Some(known) = self.channels.constant(self.model, expr) {
                    return Ok(self.int(known.id));
                }
                let (address, cell) = self.cell_address(var)?;
                self.load(address, cell)
            }
            Expr::Pid => self.shared(offset_of!(Context<'_>, pid)),
            Expr::ProcessCount => self.shared(offset_of!(Context<'_>, processes)),
            Expr::NewPid => {
                let processes = self.shared(offset_of!(Context<'_>, processes));
                self.builder.ins().iadd_imm_s(processes, -1)
            }
            Expr::Timeout => self.shared(offset_of!(Context<'_>, timeout)),
            Expr::Last => match self.layout.last_at {
                Some(at) => self.load(Address { base: Base::State, fixed: at, computed: None }, Cell::Byte),
                None => self.int(0),
            },
            Expr::Unary(UnaryOp::Negate, operand) => {
                let operand = self.expr(operand)?;
                self.builder.ins().ineg(operand)
            }
            Expr::Unary(UnaryOp::Complement, operand) => {
                let operand = self.expr(operand)?;
                self.builder.ins().bnot(operand)
            }
            Expr::Binary(op, left, right) if !is_condition(expr) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.arithmetic(*op, left, right)
            }
            Expr::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise)?,
            Expr::Length(channel) => self.length(channel)?,
            Expr::Computed { block, value, .. } => {
                self.block(block)?;
                self.expr(value)?
            }
            Expr::Checked(checked) => {
                let value = self.expr(&checked.value)?;
                self.check_range(value, checked.least, checked.greatest);
                value
            }
            Expr::Element { table, index } => self.constant_element(*table, index)?,
            Expr::RemoteLabel { proctype, pid, location, .. } if self.fixed(*proctype, pid.as_deref()).is_some() => {
                let at = self.fixed(*proctype, pid.as_deref()).expect("it was found");
                let address = Address { base: Base::State, fixed: at + self.layout.type_width, computed: None };
                let present = self.load_wide(address, self.layout.location_width);
                let is_there = self.builder.ins().icmp_imm_s(IntCC::Equal, present, i64::from(*location));
                self.truth(is_there)
            }
            Expr::RemoteVar { proctype, pid, var, indices } if self.fixed(*proctype, pid.as_deref()).is_some() => {
                let at = self.fixed(*proctype, pid.as_deref()).expect("it was found");
                let slot = self.layout.processes[proctype.index()].locals[var.index()];
                let address = Address { base: Base::State, fixed: at + slot.offset, computed: None };
                let dims = &self.model.proctype(*proctype).locals[var.index()].dims;
                let address = self.element_address(address, slot.cell, dims, indices)?;
                self.load(address, slot.cell)
            }
            _ if is_condition(expr) => {
                let holds = self.condition(expr)?;
                self.truth(holds)
            }
            _ if self.offered => return Err(Unsupported),
            _ => {
                let pointer = self.expr_pointer(expr);
                self.call(RuntimeFunction::Eval, &[pointer]).expect("it answers")
            }
        })
    }

    /// The offset of the process that a remote reference means, if it is the same in every state.
    fn fixed(&self, proctype: ProctypeId, pid: Option<&Expr>) -> Option<u32> {
        let types = self.layout.fixed.as_ref()?;
        let pid = match pid {
            Some(pid) => usize::try_from(pid.as_constant()?).ok()?,
            None => types.iter().position(|one| *one == proctype)?,
        };
        (types.get(pid) == Some(&proctype)).then(|| self.layout.fixed_offset(pid))
    }

    /// An element of a constant array. An index out of its range is a fault.
    fn constant_element(&mut self, table: u32, index: &Expr) -> Translated<Value> {
        let values = &self.model.tables[table as usize].values;
        let index = self.expr(index)?;
        let beyond = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, index, values.len() as i64);
        self.fault_if(beyond);
        let start = self.builder.ins().iconst(self.pointer, values.as_ptr() as i64);
        let offset = self.scaled(index, size_of::<i32>() as u32);
        let at = self.builder.ins().iadd(start, offset);
        Ok(self.builder.ins().load(types::I32, STATE, at, 0))
    }

    /// The truth of an expression as a condition: an 8-bit 0 or 1.
    pub fn condition(&mut self, expr: &Expr) -> Translated<Value> {
        Ok(match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.negation(operand)?,
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => self.lazy(left, right, *op)?,
            Expr::Binary(op, left, right) if comparison(*op).is_some() => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.builder.ins().icmp(comparison(*op).expect("it is one"), left, right)
            }
            Expr::Full(channel) => self.is_full(channel)?,
            Expr::NotFull(channel) => {
                let full = self.is_full(channel)?;
                self.builder.ins().icmp_imm_s(IntCC::Equal, full, 0)
            }
            Expr::Empty(channel) => {
                let length = self.length(channel)?;
                self.builder.ins().icmp_imm_s(IntCC::Equal, length, 0)
            }
            Expr::NotEmpty(channel) => {
                let length = self.length(channel)?;
                self.builder.ins().icmp_imm_s(IntCC::NotEqual, length, 0)
            }
            Expr::Poll { channel, args, anywhere } => self.poll(channel, args, *anywhere)?,
            _ => {
                let value = self.expr(expr)?;
                self.builder.ins().icmp_imm_s(IntCC::NotEqual, value, 0)
            }
        })
    }

    /// The contrary of a condition.
    fn negation(&mut self, expr: &Expr) -> Translated<Value> {
        if let Expr::Binary(op, left, right) = expr
            && let Some(code) = comparison(*op)
        {
            let (left, right) = (self.expr(left)?, self.expr(right)?);
            return Ok(self.builder.ins().icmp(code.complement(), left, right));
        }
        let value = if is_condition(expr) { self.condition(expr)? } else { self.expr(expr)? };
        Ok(self.builder.ins().icmp_imm_s(IntCC::Equal, value, 0))
    }

    /// What is right of `&&` or `||` is jumped over only if it could go wrong or is long: jumps are guessed wrongly.
    fn lazy(&mut self, left: &Expr, right: &Expr, op: BinaryOp) -> Translated<Value> {
        let left = self.condition(left)?;
        if is_harmless(right, 8) {
            let right = self.condition(right)?;
            return Ok(match op {
                BinaryOp::Or => self.builder.ins().bor(left, right),
                _ => self.builder.ins().band(left, right),
            });
        }
        let more = self.builder.create_block();
        let done = self.builder.create_block();
        self.builder.append_block_param(done, types::I8);
        match op {
            BinaryOp::Or => self.builder.ins().brif(left, done, &[left.into()], more, &[]),
            _ => self.builder.ins().brif(left, more, &[], done, &[left.into()]),
        };
        self.enter(more);
        let right = self.condition(right)?;
        self.builder.ins().jump(done, &[right.into()]);
        self.enter(done);
        Ok(self.builder.block_params(done)[0])
    }

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Translated<Value> {
        let condition = self.condition(condition)?;
        if is_harmless(then, 4) && is_harmless(otherwise, 4) {
            let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
            return Ok(self.builder.ins().select(condition, then, otherwise));
        }
        let (first, second, done) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(done, types::I32);
        self.builder.ins().brif(condition, first, &[], second, &[]);
        for (block, expr) in [(first, then), (second, otherwise)] {
            self.enter(block);
            let value = self.expr(expr)?;
            self.builder.ins().jump(done, &[value.into()]);
        }
        self.enter(done);
        Ok(self.builder.block_params(done)[0])
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let ins = self.builder.ins();
        match op {
            BinaryOp::Add => ins.iadd(left, right),
            BinaryOp::Subtract => ins.isub(left, right),
            BinaryOp::Multiply => ins.imul(left, right),
            BinaryOp::BitAnd => ins.band(left, right),
            BinaryOp::BitOr => ins.bor(left, right),
            BinaryOp::BitXor => ins.bxor(left, right),
            BinaryOp::ShiftLeft => ins.ishl(left, right),
            BinaryOp::ShiftRight => ins.sshr(left, right),
            _ => self.divide(op, left, right),
        }
    }

    /// A quotient or remainder. Division by zero is a fault, and so is that of the least `int` by -1, whose quotient is no `int`.
    fn divide(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, right, 0);
        self.fault_if(zero);
        let negates = self.builder.ins().icmp_imm_s(IntCC::Equal, right, -1);
        let is_least = self.builder.ins().icmp_imm_s(IntCC::Equal, left, i64::from(i32::MIN));
        let overflows = self.builder.ins().band(negates, is_least);
        self.fault_if(overflows);
        if op == BinaryOp::Remainder {
            return self.builder.ins().srem(left, right);
        }
        self.builder.ins().sdiv(left, right)
    }
}

fn comparison(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Less => IntCC::SignedLessThan,
        BinaryOp::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOp::Greater => IntCC::SignedGreaterThan,
        BinaryOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        BinaryOp::Equal => IntCC::Equal,
        BinaryOp::NotEqual => IntCC::NotEqual,
        _ => return None,
    })
}

/// Whether an expression is translated as a condition: its value is 0 or 1.
fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(UnaryOp::Not, _)
        | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..)
        | Expr::Full(_)
        | Expr::NotFull(_)
        | Expr::Empty(_)
        | Expr::NotEmpty(_)
        | Expr::Poll { .. } => true,
        Expr::Binary(op, ..) => comparison(*op).is_some(),
        _ => false,
    }
}

/// Whether an expression may be evaluated even if its value is not needed: it cannot fail, and has at most `parts` nodes.
pub fn is_harmless(expr: &Expr, parts: usize) -> bool {
    let mut count = 0;
    let mut harmless = true;
    expr.walk(&mut |part| {
        count += 1;
        harmless &= match part {
            Expr::Const { .. } | Expr::Pid | Expr::ProcessCount | Expr::Timeout | Expr::Last => true,
            Expr::Var(var) => var.indices.is_empty(),
            Expr::Unary(..) => true,
            Expr::Binary(op, ..) => !matches!(op, BinaryOp::Divide | BinaryOp::Remainder),
            _ => false,
        };
    });
    harmless && count <= parts
}

#[cfg(test)]
mod tests {
    use homing_ir::Action;

    use super::*;
    use crate::compiled::testing::{agree, code, model};

    #[test]
    fn expressions_have_the_values_that_the_interpreter_computes() {
        for expr in [
            "a + b * c - a / b % 5",
            "~a ^ (b | 6) & (a << 3) >> 1",
            "-b + (a < b) + (a <= b) + (a > b) + (a >= b) + (a == b) + (a != b)",
            "(a && !b) + (c || a)",
            "(a > b -> a : b) + (c -> v[a] : v[1])", // v[a] is not evaluated
            "(c && v[a]) + (b || v[a])",
            "v[b] + v[b - 1] * 300",
            "s + u + t",
            "len(q) + _pid + _nr_pr",
            "(full(q) || empty(q) || nfull(q) && nempty(q) && q?[7])",
            "a / c",
            "a % c",
            "least / (c - 1)",
            "v[a]",
            "v[c - 1]",
        ] {
            let text = format!(
                "int a = 100, b = 3, c, r, least = -2147483647 - 1; byte v[4]; short s = -3; unsigned u : 3 = 5; bool t = 1;
                 chan q = [2] of {{ byte }};
                 init {{ v[2] = 9; q!7; r = {expr} }}"
            );
            agree(&text);
            let compiled = code(&model(&text));
            let effects = compiled.transitions.iter().filter(|transition| transition.effect.is_some()).count();
            assert_eq!(effects, 4, "{expr}: the three statements and the end are compiled");
        }
    }

    #[test]
    fn an_expression_is_harmless_if_it_cannot_fail_and_is_small() {
        for (expr, expected) in [("a + 1", true), ("a + b + c", false), ("a / b", false), ("v[1]", false), ("!a", true)]
        {
            let model = model(&format!("int a, b, c; byte v[4]; init {{ a = {expr} }}"));
            let Action::Assign { value, .. } = &model.proctypes[0].automaton.statements[0].action else {
                panic!("the first statement is the assignment")
            };
            assert_eq!(is_harmless(value, 4), expected, "{expr}");
        }
    }
}
