//! The translator of one function: its state while instructions are appended, and the accesses to the context and to
//! variables that all translations use.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable as Register};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use homing_ir::{Cell, Expr, Model, ProctypeId, Scope, VarRef, Variable};

use super::access::ModelAccess;
use super::channels::Channels;
use super::context::Context;
use super::runtime::{RUNTIME_FUNCTIONS, RuntimeFunction};
use crate::layout::{Layout, VarSlot};

/// What a compiled function returns when it gives up.
pub const FAULT: u64 = 1 << 63;

/// What is translated cannot be compiled: it is left to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

pub type Translated<T> = Result<T, Unsupported>;

/// What an address is relative to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The start of the state.
    State,
    /// The start of the process whose code runs.
    Process,
    /// The start of the scratch cells, which are no part of the state.
    Scratch,
}

/// An address in the state: a base, a fixed offset, and perhaps one that is computed when the code runs.
#[derive(Clone, Copy)]
pub struct Address {
    pub base: Base,
    pub fixed: u32,
    /// As wide as a pointer.
    pub computed: Option<Value>,
}

impl Address {
    /// The address so many bytes after this one.
    pub fn plus(self, bytes: u32) -> Address {
        Address { fixed: self.fixed + bytes, ..self }
    }
}

/// The translation of one function.
pub struct Translator<'t, 'f> {
    pub model: &'t Model,
    pub layout: &'t Layout,
    pub channels: &'t Channels,
    pub accesses: &'t ModelAccess<'t>,
    pub proctype: ProctypeId,
    pub builder: FunctionBuilder<'f>,
    pub module: &'t mut JITModule,
    pub runtime: &'t [FuncId; RUNTIME_FUNCTIONS],
    /// The runtime functions that this function calls.
    pub imported: [Option<FuncRef>; RUNTIME_FUNCTIONS],
    pub pointer: Type,
    pub context: Value,
    /// The bytes of the state.
    pub bytes: Value,
    /// The offset of the process in them.
    pub frame: Value,
    /// The address of the process.
    pub process: Value,
    /// The end of the log.
    pub log: Register,
    /// The number of records that the function may append to the log.
    pub records: usize,
    /// A message is on offer while the function runs, which counts for the length of its channel.
    pub offered: bool,
    /// The block that gives up.
    pub faulty: Block,
}

/// Accesses to the context.
const SHARED: MemFlagsData = MemFlagsData::trusted();
/// Accesses to the state, where nothing is aligned.
pub const STATE: MemFlagsData = MemFlagsData::new().with_notrap();

impl Translator<'_, '_> {
    /// A 32-bit constant.
    pub fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    /// A condition as a 32-bit number.
    pub fn truth(&mut self, condition: Value) -> Value {
        self.builder.ins().uextend(types::I32, condition)
    }

    /// Continues in a block that no more jumps lead to.
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

    /// Calls a runtime function, and gives up if it sets the fault.
    pub fn call(&mut self, function: RuntimeFunction, arguments: &[Value]) -> Option<Value> {
        self.end_log();
        let mut all = vec![self.context];
        all.extend_from_slice(arguments);
        let at = function as usize;
        let (module, builder, id) = (&mut *self.module, &mut self.builder, self.runtime[at]);
        let imported = *self.imported[at].get_or_insert_with(|| module.declare_func_in_func(id, builder.func));
        let call = self.builder.ins().call(imported, &all);
        let answer = self.builder.inst_results(call).first().copied();
        if let RuntimeFunction::Send | RuntimeFunction::RemoveMessage | RuntimeFunction::Run | RuntimeFunction::End =
            function
        {
            self.records += 1;
            self.begin_log();
        }
        let fault = self.shared(offset_of!(Context<'_>, fault));
        self.fault_if(fault);
        answer
    }

    /// The address of an expression, for a runtime function.
    pub fn expr_pointer(&mut self, expr: &Expr) -> Value {
        self.builder.ins().iconst(self.pointer, std::ptr::from_ref(expr) as i64)
    }

    /// A 32-bit field of the context.
    pub fn shared(&mut self, offset: usize) -> Value {
        self.builder.ins().load(types::I32, SHARED, self.context, offset as i32)
    }

    /// Writes a 32-bit field of the context.
    pub fn set_shared(&mut self, offset: usize, value: Value) {
        self.builder.ins().store(SHARED, value, self.context, offset as i32);
    }

    /// A field of the context that is an address.
    pub fn shared_pointer(&mut self, offset: usize) -> Value {
        self.builder.ins().load(self.pointer, SHARED, self.context, offset as i32)
    }

    fn field_offset(at: usize) -> usize {
        offset_of!(Context<'_>, fields) + 4 * at
    }

    /// Writes a field of the message in the context.
    pub fn set_field(&mut self, at: usize, value: Value) {
        self.set_shared(Self::field_offset(at), value);
    }

    /// A field of the message in the context.
    pub fn field(&mut self, at: usize) -> Value {
        self.shared(Self::field_offset(at))
    }

    /// The address of the cell that a reference means, and how it is stored.
    pub fn cell_address(&mut self, var: &VarRef) -> Translated<(Address, Cell)> {
        let (variable, slot): (&Variable, VarSlot) = match var.scope {
            Scope::Scratch => {
                let slot = VarSlot { offset: 4 * self.layout.scratch[var.var.index()], cell: Cell::Int };
                (&self.model.scratch[var.var.index()], slot)
            }
            Scope::Global => (&self.model.globals[var.var.index()], self.layout.globals[var.var.index()]),
            Scope::Local => {
                let locals = &self.layout.processes[self.proctype.index()].locals;
                (&self.model.proctype(self.proctype).locals[var.var.index()], locals[var.var.index()])
            }
        };
        let address = Address {
            base: match var.scope {
                Scope::Global => Base::State,
                Scope::Local => Base::Process,
                Scope::Scratch => Base::Scratch,
            },
            fixed: slot.offset,
            computed: None,
        };
        let address = self.element_address(address, slot.cell, &variable.dims, &var.indices)?;
        Ok((address, slot.cell))
    }

    /// The address of an element of the array that begins at an address.
    pub fn element_address(
        &mut self,
        address: Address,
        cell: Cell,
        dims: &[u32],
        indices: &[Expr],
    ) -> Translated<Address> {
        let (fixed, computed) = self.element(dims, indices)?;
        let width = cell.width() as u32;
        let computed = computed.map(|computed| self.scaled(computed, width));
        Ok(Address { computed, ..address.plus(fixed * width) })
    }

    /// Gives up if a value is not between `least` and `greatest`.
    pub fn check_range(&mut self, value: Value, least: i32, greatest: i32) {
        let span = i64::from(greatest) - i64::from(least);
        let from_least = self.builder.ins().iadd_imm_s(value, -i64::from(least));
        if span < i64::from(u32::MAX) {
            let span = self.builder.ins().iconst(types::I32, i64::from(span as u32 as i32));
            let beyond = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, from_least, span);
            self.fault_if(beyond);
        }
    }

    /// A number times a size, as wide as a pointer.
    pub fn scaled(&mut self, number: Value, size: u32) -> Value {
        let wide = self.builder.ins().uextend(self.pointer, number);
        if size == 1 { wide } else { self.builder.ins().imul_imm_s(wide, i64::from(size)) }
    }

    /// The element of an array that indices mean: the sum of a fixed number and perhaps one that is computed.
    pub fn element(&mut self, dims: &[u32], indices: &[Expr]) -> Translated<(u32, Option<Value>)> {
        let (mut fixed, mut computed) = (0, None);
        for (index, &length) in indices.iter().zip(dims) {
            if let Some(value) = index.as_constant()
                && (0..i64::from(length)).contains(&i64::from(value))
            {
                fixed = fixed * length + value as u32;
                computed = computed.map(|computed| self.builder.ins().imul_imm_s(computed, i64::from(length)));
                continue;
            }
            let index = self.expr(index)?;
            let beyond = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, index, i64::from(length));
            self.fault_if(beyond);
            fixed *= length;
            computed = Some(match computed {
                None => index,
                Some(before) => {
                    let scaled = self.builder.ins().imul_imm_s(before, i64::from(length));
                    self.builder.ins().iadd(scaled, index)
                }
            });
        }
        Ok((fixed, computed))
    }
}
