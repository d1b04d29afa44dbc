//! Expressions become machine code.
//!
//! All values are 32-bit and wrap. Where an expression has no meaning the function returns [`FAULT`]: the interpreter then
//! looks at the same state and finds out what is wrong.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable as Register};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use homing_ir::{BinaryOp, Cell, Expr, Model, ProctypeId, Scope, UnaryOp, VarRef, Variable};

use super::channels::Channels;
use super::context::Context;
use super::generate::HELPERS;
use super::touches::Things;
use crate::layout::{Layout, VarSlot};

/// What a compiled function returns when it gives up.
pub const FAULT: u64 = 1 << 63;

/// This part of the language is left to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

pub type Translated<T> = Result<T, Unsupported>;

/// The functions that compiled code calls, in the order of the table in [`super::generate`].
#[derive(Clone, Copy)]
pub enum Helper {
    CanSend,
    Send,
    FindMessage,
    LoadMessage,
    RemoveMessage,
    Length,
    IsFull,
    Offer,
    Eval,
    Run,
    End,
}

/// A place in the state: a fixed distance from the start of the state or of the process, and perhaps one that only the
/// run tells.
#[derive(Clone, Copy)]
pub struct Spot {
    pub of_process: bool,
    pub fixed: u32,
    /// As wide as a pointer.
    pub moving: Option<Value>,
}

impl Spot {
    /// So many bytes further.
    pub fn plus(self, bytes: u32) -> Spot {
        Spot { fixed: self.fixed + bytes, ..self }
    }
}

/// A function under way.
pub struct Translator<'t, 'f> {
    pub model: &'t Model,
    pub layout: &'t Layout,
    pub channels: &'t Channels,
    pub things: &'t Things,
    pub proctype: ProctypeId,
    pub builder: FunctionBuilder<'f>,
    pub module: &'t mut JITModule,
    pub helpers: &'t [FuncId; HELPERS],
    /// Those that this function calls.
    pub imported: [Option<FuncRef>; HELPERS],
    pub pointer: Type,
    pub context: Value,
    /// The bytes of the state.
    pub bytes: Value,
    /// Where the process begins in them, and its address.
    pub frame: Value,
    pub process: Value,
    /// The end of the log.
    pub log: Register,
    /// How many records were translated.
    pub records: usize,
    /// A message is on offer while this is evaluated, which the length of its channel tells.
    pub offered: bool,
    /// Where a fault leads.
    pub faulty: Block,
}

/// Accesses to the context.
const SHARED: MemFlagsData = MemFlagsData::trusted();
/// Accesses to the state, where nothing is aligned.
pub const STATE: MemFlagsData = MemFlagsData::new().with_notrap();

impl Translator<'_, '_> {
    pub fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    pub fn truth(&mut self, condition: Value) -> Value {
        self.builder.ins().uextend(types::I32, condition)
    }

    /// Goes on in a block of its own.
    pub fn enter(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// Gives up if `condition` holds.
    pub fn fault_if(&mut self, condition: Value) {
        let on = self.builder.create_block();
        self.builder.ins().brif(condition, self.faulty, &[], on, &[]);
        self.enter(on);
    }

    /// Calls a helper and gives up if it does.
    pub fn call(&mut self, helper: Helper, arguments: &[Value]) -> Option<Value> {
        self.end_log();
        let mut all = vec![self.context];
        all.extend_from_slice(arguments);
        let at = helper as usize;
        let (module, builder, id) = (&mut *self.module, &mut self.builder, self.helpers[at]);
        let function = *self.imported[at].get_or_insert_with(|| module.declare_func_in_func(id, builder.func));
        let call = self.builder.ins().call(function, &all);
        let answer = self.builder.inst_results(call).first().copied();
        if let Helper::Send | Helper::RemoveMessage | Helper::Run | Helper::End = helper {
            self.records += 1;
            self.begin_log();
        }
        let fault = self.shared(offset_of!(Context<'_>, fault));
        self.fault_if(fault);
        answer
    }

    /// The address of an expression, for a helper.
    fn address_of(&mut self, expr: &Expr) -> Value {
        self.builder.ins().iconst(self.pointer, std::ptr::from_ref(expr) as i64)
    }

    /// A number of the context.
    pub fn shared(&mut self, offset: usize) -> Value {
        self.builder.ins().load(types::I32, SHARED, self.context, offset as i32)
    }

    pub fn set_shared(&mut self, offset: usize, value: Value) {
        self.builder.ins().store(SHARED, value, self.context, offset as i32);
    }

    pub fn shared_pointer(&mut self, offset: usize) -> Value {
        self.builder.ins().load(self.pointer, SHARED, self.context, offset as i32)
    }

    fn field_offset(at: usize) -> usize {
        offset_of!(Context<'_>, fields) + 4 * at
    }

    pub fn set_field(&mut self, at: usize, value: Value) {
        self.set_shared(Self::field_offset(at), value);
    }

    pub fn field(&mut self, at: usize) -> Value {
        self.shared(Self::field_offset(at))
    }

    pub fn expr(&mut self, expr: &Expr) -> Translated<Value> {
        Ok(match expr {
            Expr::Const { value, .. } => self.int(*value),
            Expr::Var(var) => {
                if let Some(known) = self.channels.constant(self.model, expr) {
                    return Ok(self.int(known.id));
                }
                let (spot, cell) = self.spot(var)?;
                self.load(spot, cell)
            }
            Expr::Pid => self.shared(offset_of!(Context<'_>, pid)),
            Expr::ProcessCount => self.shared(offset_of!(Context<'_>, processes)),
            Expr::NewPid => {
                let processes = self.shared(offset_of!(Context<'_>, processes));
                self.builder.ins().iadd_imm_s(processes, -1)
            }
            Expr::Timeout => self.shared(offset_of!(Context<'_>, timeout)),
            Expr::Last => match self.layout.last_at {
                Some(at) => self.load(Spot { of_process: false, fixed: at, moving: None }, Cell::Byte),
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
            _ if is_condition(expr) => {
                let holds = self.condition(expr)?;
                self.truth(holds)
            }
            _ if self.offered => return Err(Unsupported),
            _ => {
                let address = self.address_of(expr);
                self.call(Helper::Eval, &[address]).expect("it answers")
            }
        })
    }

    /// A condition of one bit's width.
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

    /// Division by zero is an error, and so is that of the least number by -1: its quotient is no `int`.
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

    /// Where a cell is.
    pub fn spot(&mut self, var: &VarRef) -> Translated<(Spot, Cell)> {
        let (variable, slot): (&Variable, VarSlot) = match var.scope {
            Scope::Global => (&self.model.globals[var.var.index()], self.layout.globals[var.var.index()]),
            Scope::Local => {
                let locals = &self.layout.processes[self.proctype.index()].locals;
                (&self.model.proctype(self.proctype).locals[var.var.index()], locals[var.var.index()])
            }
        };
        let spot = Spot { of_process: var.scope == Scope::Local, fixed: slot.offset, moving: None };
        let (fixed, moving) = self.element(&variable.dims, &var.indices)?;
        let width = slot.cell.width() as u32;
        let moving = moving.map(|moving| self.scaled(moving, width));
        Ok((Spot { moving, ..spot.plus(fixed * width) }, slot.cell))
    }

    /// A number times a size, as wide as a pointer.
    pub fn scaled(&mut self, number: Value, size: u32) -> Value {
        let wide = self.builder.ins().uextend(self.pointer, number);
        if size == 1 { wide } else { self.builder.ins().imul_imm_s(wide, i64::from(size)) }
    }

    /// Which element of an array some indices mean: a fixed number, or one that only the run tells.
    pub fn element(&mut self, dims: &[u32], indices: &[Expr]) -> Translated<(u32, Option<Value>)> {
        let (mut fixed, mut moving) = (0, None);
        for (index, &length) in indices.iter().zip(dims) {
            if let Some(value) = index.as_constant()
                && (0..i64::from(length)).contains(&i64::from(value))
            {
                fixed = fixed * length + value as u32;
                moving = moving.map(|moving| self.builder.ins().imul_imm_s(moving, i64::from(length)));
                continue;
            }
            let index = self.expr(index)?;
            let beyond = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, index, i64::from(length));
            self.fault_if(beyond);
            fixed *= length;
            moving = Some(match moving {
                None => index,
                Some(before) => {
                    let scaled = self.builder.ins().imul_imm_s(before, i64::from(length));
                    self.builder.ins().iadd(scaled, index)
                }
            });
        }
        Ok((fixed, moving))
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

/// Whether the value is 0 or 1, and translated as a condition.
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

/// Whether evaluating it in vain does no harm: it cannot fail, and has few parts.
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
