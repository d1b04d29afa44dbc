//! Expressions become machine code.
//!
//! All values are 32-bit and wrap. Where an expression has no meaning the context's fault is set and the function
//! returns 0: the interpreter then looks at the same state and finds out what is wrong.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use homing_ir::{BinaryOp, Cell, Expr, Model, ProctypeId, Scope, UnaryOp, VarRef, Variable};

use super::channels::KnownChannels;
use super::context::Context;
use crate::layout::{Layout, VarSlot};

/// This part of the language is left to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

pub type Translated<T> = Result<T, Unsupported>;

/// The functions that compiled code calls.
#[derive(Clone, Copy)]
pub struct Helpers {
    pub can_send: FuncRef,
    pub send: FuncRef,
    pub find_message: FuncRef,
    pub load_message: FuncRef,
    pub remove_message: FuncRef,
    pub length: FuncRef,
    pub is_full: FuncRef,
    pub note: FuncRef,
}

/// A function under way.
pub struct Translator<'t, 'f> {
    pub model: &'t Model,
    pub layout: &'t Layout,
    pub known: &'t KnownChannels,
    pub proctype: ProctypeId,
    pub builder: FunctionBuilder<'f>,
    pub helpers: Helpers,
    pub pointer: Type,
    pub context: Value,
    /// The bytes of the state.
    pub bytes: Value,
    /// Where the process begins in them.
    pub frame: Value,
    /// Where a fault leads.
    pub faulty: Block,
}

impl Translator<'_, '_> {
    pub fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    fn truth(&mut self, condition: Value) -> Value {
        self.builder.ins().uextend(types::I32, condition)
    }

    /// Gives up if `condition` holds.
    pub fn fault_if(&mut self, condition: Value) {
        let on = self.builder.create_block();
        self.builder.ins().brif(condition, self.faulty, &[], on, &[]);
        self.builder.switch_to_block(on);
        self.builder.seal_block(on);
    }

    /// Gives up if a helper has.
    pub fn fault_if_helper_did(&mut self) {
        let at = std::mem::offset_of!(Context, fault) as i32;
        let fault = self.builder.ins().load(types::I32, MemFlagsData::trusted(), self.context, at);
        self.fault_if(fault);
    }

    pub fn call(&mut self, helper: FuncRef, arguments: &[Value]) -> Option<Value> {
        let mut all = vec![self.context];
        all.extend_from_slice(arguments);
        let call = self.builder.ins().call(helper, &all);
        self.builder.inst_results(call).first().copied()
    }

    pub fn field_address(at: usize) -> i32 {
        (std::mem::offset_of!(Context, fields) + 4 * at) as i32
    }

    pub fn set_field(&mut self, at: usize, value: Value) {
        self.builder.ins().store(MemFlagsData::trusted(), value, self.context, Self::field_address(at));
    }

    pub fn field(&mut self, at: usize) -> Value {
        self.builder.ins().load(types::I32, MemFlagsData::trusted(), self.context, Self::field_address(at))
    }

    pub fn expr(&mut self, expr: &Expr) -> Translated<Value> {
        Ok(match expr {
            Expr::Const { value, .. } => self.int(*value),
            Expr::Var(var) => {
                if let Some(known) = self.known.find(self.model, expr) {
                    return Ok(self.int(known.id));
                }
                let (address, cell) = self.address(var)?;
                self.load(address, cell)
            }
            Expr::Pid => self.context_field(std::mem::offset_of!(Context, pid)),
            Expr::ProcessCount => self.context_field(std::mem::offset_of!(Context, processes)),
            Expr::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                match op {
                    UnaryOp::Not => {
                        let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, operand, 0);
                        self.truth(zero)
                    }
                    UnaryOp::Negate => self.builder.ins().ineg(operand),
                    UnaryOp::Complement => self.builder.ins().bnot(operand),
                }
            }
            Expr::Binary(BinaryOp::And, left, right) => self.lazy(left, right, BinaryOp::And)?,
            Expr::Binary(BinaryOp::Or, left, right) => self.lazy(left, right, BinaryOp::Or)?,
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.binary(*op, left, right)
            }
            Expr::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise)?,
            Expr::Length(channel) => self.ask(self.helpers.length, channel)?,
            Expr::Full(channel) => self.ask(self.helpers.is_full, channel)?,
            Expr::NotFull(channel) => {
                let full = self.ask(self.helpers.is_full, channel)?;
                self.builder.ins().bxor_imm_s(full, 1)
            }
            Expr::Empty(channel) => {
                let length = self.ask(self.helpers.length, channel)?;
                let empty = self.builder.ins().icmp_imm_s(IntCC::Equal, length, 0);
                self.truth(empty)
            }
            Expr::NotEmpty(channel) => {
                let length = self.ask(self.helpers.length, channel)?;
                let full = self.builder.ins().icmp_imm_s(IntCC::NotEqual, length, 0);
                self.truth(full)
            }
            _ => return Err(Unsupported),
        })
    }

    fn context_field(&mut self, offset: usize) -> Value {
        self.builder.ins().load(types::I32, MemFlagsData::trusted(), self.context, offset as i32)
    }

    fn ask(&mut self, helper: FuncRef, channel: &Expr) -> Translated<Value> {
        let id = self.expr(channel)?;
        let answer = self.call(helper, &[id]).expect("it answers");
        self.fault_if_helper_did();
        Ok(answer)
    }

    /// A condition of one bit's width.
    pub fn condition(&mut self, expr: &Expr) -> Translated<Value> {
        let value = self.expr(expr)?;
        Ok(self.builder.ins().icmp_imm_s(IntCC::NotEqual, value, 0))
    }

    fn lazy(&mut self, left: &Expr, right: &Expr, op: BinaryOp) -> Translated<Value> {
        let left = self.condition(left)?;
        let more = self.builder.create_block();
        let done = self.builder.create_block();
        self.builder.append_block_param(done, types::I32);
        let decided = self.int(i32::from(op == BinaryOp::Or));
        match op {
            BinaryOp::Or => self.builder.ins().brif(left, done, &[decided.into()], more, &[]),
            _ => self.builder.ins().brif(left, more, &[], done, &[decided.into()]),
        };
        self.builder.switch_to_block(more);
        self.builder.seal_block(more);
        let right = self.condition(right)?;
        let right = self.truth(right);
        self.builder.ins().jump(done, &[right.into()]);
        self.builder.switch_to_block(done);
        self.builder.seal_block(done);
        Ok(self.builder.block_params(done)[0])
    }

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Translated<Value> {
        let condition = self.condition(condition)?;
        let (first, second, done) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(done, types::I32);
        self.builder.ins().brif(condition, first, &[], second, &[]);
        for (block, expr) in [(first, then), (second, otherwise)] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let value = self.expr(expr)?;
            self.builder.ins().jump(done, &[value.into()]);
        }
        self.builder.switch_to_block(done);
        self.builder.seal_block(done);
        Ok(self.builder.block_params(done)[0])
    }

    fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let comparison = match op {
            BinaryOp::Less => Some(IntCC::SignedLessThan),
            BinaryOp::LessEqual => Some(IntCC::SignedLessThanOrEqual),
            BinaryOp::Greater => Some(IntCC::SignedGreaterThan),
            BinaryOp::GreaterEqual => Some(IntCC::SignedGreaterThanOrEqual),
            BinaryOp::Equal => Some(IntCC::Equal),
            BinaryOp::NotEqual => Some(IntCC::NotEqual),
            _ => None,
        };
        if let Some(comparison) = comparison {
            let holds = self.builder.ins().icmp(comparison, left, right);
            return self.truth(holds);
        }
        if let BinaryOp::Divide | BinaryOp::Remainder = op {
            return self.divide(op, left, right);
        }
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
            _ => unreachable!("translated above"),
        }
    }

    /// In 64 bits, where the least number divided by -1 has a result, which then wraps.
    fn divide(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, right, 0);
        self.fault_if(zero);
        let left = self.builder.ins().sextend(types::I64, left);
        let right = self.builder.ins().sextend(types::I64, right);
        let wide = match op {
            BinaryOp::Divide => self.builder.ins().sdiv(left, right),
            _ => self.builder.ins().srem(left, right),
        };
        self.builder.ins().ireduce(types::I32, wide)
    }

    /// The offset of a cell from the start of the state.
    pub fn offset(&mut self, var: &VarRef) -> Translated<(Value, Cell)> {
        let (variable, slot): (&Variable, VarSlot) = match var.scope {
            Scope::Global => (&self.model.globals[var.var.index()], self.layout.globals[var.var.index()]),
            Scope::Local => {
                let locals = &self.layout.processes[self.proctype.index()].locals;
                (&self.model.proctype(self.proctype).locals[var.var.index()], locals[var.var.index()])
            }
        };
        let mut offset = self.int(slot.offset as i32);
        if !var.indices.is_empty() {
            let mut linear = None;
            for (index, &length) in var.indices.iter().zip(&variable.dims) {
                let index = self.expr(index)?;
                let beyond = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, index, i64::from(length));
                self.fault_if(beyond);
                linear = Some(match linear {
                    None => index,
                    Some(before) => {
                        let scaled = self.builder.ins().imul_imm_s(before, i64::from(length));
                        self.builder.ins().iadd(scaled, index)
                    }
                });
            }
            let linear = linear.expect("there is an index");
            let scaled = self.builder.ins().imul_imm_s(linear, slot.cell.width() as i64);
            offset = self.builder.ins().iadd(offset, scaled);
        }
        if var.scope == Scope::Local {
            offset = self.builder.ins().iadd(offset, self.frame);
        }
        Ok((offset, slot.cell))
    }

    fn address(&mut self, var: &VarRef) -> Translated<(Value, Cell)> {
        let (offset, cell) = self.offset(var)?;
        Ok((self.at(offset), cell))
    }

    /// The address of a place in the state.
    pub fn at(&mut self, offset: Value) -> Value {
        let offset = self.builder.ins().uextend(self.pointer, offset);
        self.builder.ins().iadd(self.bytes, offset)
    }

    fn load(&mut self, address: Value, cell: Cell) -> Value {
        let flags = MemFlagsData::trusted();
        let ins = self.builder.ins();
        match (cell, cell.width()) {
            (Cell::Short, _) => ins.sload16(types::I32, flags, address, 0),
            (_, 1) => ins.uload8(types::I32, flags, address, 0),
            (_, 2) => ins.uload16(types::I32, flags, address, 0),
            _ => ins.load(types::I32, flags, address, 0),
        }
    }

    /// Writes a value, as much of it as the cell has room for, and notes what was there.
    pub fn store(&mut self, offset: Value, cell: Cell, value: Value) {
        let width = self.int(cell.width() as i32);
        self.call(self.helpers.note, &[offset, width]);
        let value = match cell {
            Cell::Bits(bits) if bits < 32 => self.builder.ins().band_imm_s(value, (1i64 << bits) - 1),
            _ => value,
        };
        let address = self.at(offset);
        let flags = MemFlagsData::trusted();
        match cell.width() {
            1 => self.builder.ins().istore8(flags, value, address, 0),
            2 => self.builder.ins().istore16(flags, value, address, 0),
            _ => self.builder.ins().store(flags, value, address, 0),
        };
    }
}
