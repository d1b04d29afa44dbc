//! Places of variables: which variable of the intermediate form a cell is, and its indices there.

use homing_ir::{BinaryOp, CheckedRole, Expr, ProctypeId, VarId, VarRef};

use super::arithmetic::{self, Range};
use super::builder::{Builder, Res, Stop, scratch};
use super::counted_from;
use super::storage::{Indexed, Position, Slot, locate};
use crate::network::{Base, Binding, BindingTarget, Index, Place, ProcessId, ProcessRef, RemoteBase, Type};

/// Cells of a variable.
#[derive(Clone, Debug)]
pub struct Address<'a> {
    root: Root<'a>,
    offset: u32,
    indices: Vec<Indexed>,
}

/// The variable of an address.
#[derive(Clone, Debug)]
enum Root<'a> {
    /// A variable that is split into parts; of another process in a query.
    Variable { slot: Slot, type_: &'a Type, remote: Option<ProcessId>, name: &'a str },
    /// A row of scratch cells, from this one on.
    Frame { variable: u32, first: u32 },
    /// A constant array or record.
    Constant { name: &'a str, values: &'a [i32] },
    /// A single value that is known.
    Known(Expr),
}

impl<'a> Builder<'_, 'a> {
    /// The cells of a place, its indices evaluated as far as they need statements.
    pub fn address(&mut self, place: &'a Place) -> Res<Address<'a>> {
        if !self.is_plain()
            && let Some(address) = self.plainly(|builder| builder.address(place))?
        {
            return Ok(address);
        }
        let indices = self.indices(&place.index)?;
        let (root, offset, outer) = self.root(&place.base)?;
        let indices = outer.into_iter().chain(indices).collect();
        Ok(Address { root, offset: offset + place.offset, indices })
    }

    /// Indices in the order of the text. If one needs statements, those before it are kept.
    pub fn indices(&mut self, indices: &'a [Index]) -> Res<Vec<Indexed>> {
        let mut found = Vec::with_capacity(indices.len());
        for Index { expr, low, length, stride } in indices {
            let value = self.value(expr)?;
            let expr = if self.is_plain() { value } else { self.keep(value)? };
            found.push(Indexed { expr, low: *low, length: *length, stride: *stride });
        }
        Ok(found)
    }

    /// The address with indices that stay the same whatever is executed next, and that are tested now.
    pub fn pinned(&mut self, address: Address<'a>) -> Res<Address<'a>> {
        let Address { root, offset, indices } = address;
        let mut kept = Vec::with_capacity(indices.len());
        for index in indices {
            let name = root.name().to_owned();
            let checked = self.checked_index(&index, &name);
            kept.push(Indexed { expr: self.keep(checked)?, ..index });
        }
        Ok(Address { root, offset, indices: kept })
    }

    /// The variable, with what a reference adds to offset and indices.
    fn root(&mut self, base: &'a Base) -> Res<(Root<'a>, u32, Vec<Indexed>)> {
        let root = match base {
            Base::Global(id) => self.global(id.index()),
            Base::Constant(id) => self.constant(id.index()),
            Base::Local(id) => {
                let owner = self.owner()?;
                self.local(owner, id.index(), None)
            }
            Base::Value(id) => {
                let owner = self.owner()?;
                self.process_value(owner, id.index())
            }
            Base::Reference(id) => {
                let owner = self.owner()?;
                return Ok(self.bound(self.lowering.network.processes[owner.index()].references[id.index()]));
            }
            Base::Frame(first) => {
                let activation = self.activation();
                match activation.known.iter().rev().find(|(cell, _)| cell == first) {
                    Some((_, value)) => Root::Known(value.clone()),
                    None => Root::Frame { variable: activation.frame, first: *first },
                }
            }
            Base::FrameReference(number) => {
                let Address { root, offset, indices } = self.activation().references[*number as usize].clone();
                return Ok((root, offset, indices));
            }
            Base::Remote(remote) => match self.single_process(&remote.0)? {
                Some(process) => return self.remote_root(process, remote.1),
                None if self.is_plain() => return Err(Stop::NotPlain),
                None => {
                    let message = "the array or record of a process is used whose parameters are not known";
                    return Ok(self.lowering.refuse(self.span, message.to_owned())?);
                }
            },
        };
        Ok((root, 0, Vec::new()))
    }

    fn owner(&mut self) -> Res<ProcessId> {
        match self.process {
            Some(process) => Ok(process),
            None => {
                let message = "a variable of a process is used outside of it".to_owned();
                Ok(self.lowering.refuse(self.span, message)?)
            }
        }
    }

    fn global(&self, id: usize) -> Root<'a> {
        let global = &self.lowering.network.globals[id];
        if global.meta && !self.is_update {
            return Root::Constant { name: &global.name, values: &global.initial };
        }
        let slot = self.lowering.storage.globals[id];
        Root::Variable { slot, type_: &global.type_, remote: None, name: &global.name }
    }

    fn constant(&self, id: usize) -> Root<'a> {
        let constant = &self.lowering.network.constants[id];
        Root::Constant { name: &constant.name, values: &constant.values }
    }

    fn process_value(&self, process: ProcessId, id: usize) -> Root<'a> {
        let network = self.lowering.network;
        let name = &network.template_of(process).values[id].name;
        Root::Constant { name, values: &network.processes[process.index()].values[id] }
    }

    fn local(&self, process: ProcessId, id: usize, remote: Option<ProcessId>) -> Root<'a> {
        let network = self.lowering.network;
        let locals = &network.template_of(process).locals;
        let local = &locals[id];
        if local.meta && !self.is_update {
            let first: usize = locals[..id].iter().map(|local| local.type_.cells() as usize).sum();
            let cells = first..first + local.type_.cells() as usize;
            return Root::Constant { name: &local.name, values: &network.processes[process.index()].locals[cells] };
        }
        let slot = self.lowering.storage.locals[process.index()][id];
        Root::Variable { slot, type_: &local.type_, remote, name: &local.name }
    }

    fn bound(&self, Binding { target, offset }: Binding) -> (Root<'a>, u32, Vec<Indexed>) {
        let root = match target {
            BindingTarget::Global(id) => self.global(id.index()),
            BindingTarget::Constant(id) => self.constant(id.index()),
        };
        (root, offset, Vec::new())
    }

    fn remote_root(&mut self, process: ProcessId, base: RemoteBase) -> Res<(Root<'a>, u32, Vec<Indexed>)> {
        let root = match base {
            RemoteBase::Local(id) => self.local(process, id.index(), Some(process)),
            RemoteBase::Value(id) => self.process_value(process, id.index()),
            RemoteBase::Reference(id) => {
                return Ok(self.bound(self.lowering.network.processes[process.index()].references[id.index()]));
            }
        };
        Ok((root, 0, Vec::new()))
    }

    /// The process, if its parameters are known and in their ranges.
    fn single_process(&mut self, process: &'a ProcessRef) -> Res<Option<ProcessId>> {
        let choices = self.processes(process)?;
        Ok(match &choices[..] {
            [(condition, process)] if condition.as_constant().is_some_and(|holds| holds != 0) => Some(*process),
            _ => None,
        })
    }

    /// The processes that can be meant, each with the condition under which it is.
    pub fn processes(&mut self, process: &'a ProcessRef) -> Res<Vec<(Expr, ProcessId)>> {
        let indices = self.indices(&process.index)?;
        let mut choices = vec![(Expr::constant(1), process.first)];
        for index in &indices {
            let value = self.checked_index(index, "process");
            let mut longer = Vec::new();
            for (condition, first) in &choices {
                for number in 0..index.length {
                    let is_it = Expr::constant(index.low.wrapping_add(number as i32));
                    let is_it = arithmetic::binary(BinaryOp::Equal, value.clone(), is_it);
                    if is_it.as_constant() == Some(0) {
                        continue;
                    }
                    let condition = arithmetic::binary(BinaryOp::And, condition.clone(), is_it);
                    longer.push((condition, ProcessId(first.0 + number * index.stride)));
                    self.charge(1)?;
                }
            }
            choices = longer;
        }
        Ok(choices)
    }

    /// The value of a single cell that a place of one of several processes names.
    pub fn remote_value(&mut self, place: &'a Place, remote: &'a (ProcessRef, RemoteBase)) -> Res<Expr> {
        let choices = self.processes(&remote.0)?;
        let indices = self.indices(&place.index)?;
        // where no condition holds, the test of the last one has failed
        let mut value = Expr::constant(0);
        for (condition, process) in choices.into_iter().rev() {
            let (root, offset, outer) = self.remote_root(process, remote.1)?;
            let indices = outer.into_iter().chain(indices.iter().cloned()).collect();
            let address = Address { root, offset: offset + place.offset, indices };
            let read = self.read(&address, 0)?;
            self.charge(arithmetic::size(&read))?;
            value = arithmetic::conditional(condition, read, value);
        }
        Ok(value)
    }

    /// An index that is tested against the bounds of its array.
    pub fn checked_index(&self, index: &Indexed, name: &str) -> Expr {
        let greatest = index.low.wrapping_add(index.length as i32).wrapping_sub(1);
        self.checked(index.expr.clone(), &Range { least: index.low, greatest, role: CheckedRole::Index, name })
    }

    /// A value that is tested against a range.
    pub fn checked(&self, value: Expr, range: &Range<'_>) -> Expr {
        let locals = self.process.map_or(&[][..], |process| &self.lowering.storage.process_variables[process.index()]);
        arithmetic::checked(value, range, &self.lowering.model, locals)
    }

    /// The sum of an offset and indices, each tested.
    pub fn flat(&self, offset: u32, indices: &[Indexed], name: &str) -> Expr {
        let mut sum = Expr::constant(offset as i32);
        for index in indices {
            let number = counted_from(self.checked_index(index, name), index.low);
            let cells = arithmetic::binary(BinaryOp::Multiply, number, Expr::constant(index.stride as i32));
            sum = arithmetic::binary(BinaryOp::Add, sum, cells);
        }
        sum
    }

    /// The value of the cell with a number.
    pub fn read(&mut self, address: &Address<'a>, cell: u32) -> Res<Expr> {
        let offset = address.offset + cell;
        Ok(match &address.root {
            Root::Known(value) => value.clone(),
            Root::Constant { name, values } => {
                let index = self.flat(offset, &address.indices, name);
                match index.as_constant().and_then(|index| values.get(index as usize)) {
                    Some(value) => Expr::constant(*value),
                    None => self.lowering.element(name, values, index),
                }
            }
            Root::Variable { remote: Some(process), slot, type_, name } => {
                let (part, positions) = locate(type_, offset, &address.indices);
                Expr::RemoteVar {
                    proctype: ProctypeId(process.0),
                    pid: Some(Box::new(Expr::constant(process.0 as i32))),
                    var: VarId(slot.first + part),
                    indices: self.positions(positions, name),
                }
            }
            Root::Variable { .. } | Root::Frame { .. } => Expr::Var(self.cell(address, cell)?),
        })
    }

    /// The cell with a number, for a store.
    pub fn cell(&mut self, address: &Address<'a>, cell: u32) -> Res<VarRef> {
        let offset = address.offset + cell;
        match &address.root {
            Root::Frame { variable, first } => {
                let cell = self.flat(first + offset, &address.indices, "array");
                Ok(scratch(*variable, cell))
            }
            Root::Variable { remote: None, slot: Slot { scope, first }, type_, name } => {
                let (part, positions) = locate(type_, offset, &address.indices);
                let indices = self.positions(positions, name);
                Ok(VarRef { scope: *scope, var: VarId(first + part), indices })
            }
            Root::Variable { .. } | Root::Constant { .. } | Root::Known(_) => {
                Ok(self.lowering.refuse(self.span, "a constant is assigned to".to_owned())?)
            }
        }
    }

    /// The indices of a part. The engine tests those of arrays that begin at 0.
    fn positions(&self, positions: Vec<Position>, name: &str) -> Vec<Expr> {
        let index = |position: Position| match position {
            Position::Known(index) => Expr::constant(index as i32),
            Position::Computed(index) if index.low == 0 && index.expr.as_constant().is_none() => index.expr,
            Position::Computed(index) => counted_from(self.checked_index(&index, name), index.low),
        };
        positions.into_iter().map(index).collect()
    }
}

impl Address<'_> {
    /// Whether values that are stored are tested by the variable itself.
    pub fn tests_values(&self) -> bool {
        matches!(self.root, Root::Variable { .. })
    }

    /// Whether all indices are known.
    pub fn is_fixed(&self) -> bool {
        self.indices.iter().all(|index| index.expr.as_constant().is_some())
    }
}

impl<'a> Root<'a> {
    fn name(&self) -> &'a str {
        match self {
            Root::Variable { name, .. } | Root::Constant { name, .. } => name,
            Root::Frame { .. } | Root::Known(_) => "array",
        }
    }
}
