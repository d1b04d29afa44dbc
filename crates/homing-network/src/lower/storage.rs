//! Where the cells of a network's variables are: variables of the intermediate form, one for each field of a record.

use homing_ir::{Cell, Expr, Init, InitValue, Place, Scalar, Scope, VarId, Variable};

use super::Lowering;
use crate::network::{Network, Process, Type};

/// What became of a variable of the network.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Where its parts are; scratch cells for a meta variable.
    pub scope: Scope,
    /// The first part.
    pub first: u32,
}

/// What became of all variables.
#[derive(Debug, Default)]
pub struct Storage {
    pub globals: Vec<Slot>,
    /// By process.
    pub locals: Vec<Vec<Slot>>,
    /// By process, the variables of its process type.
    pub process_variables: Vec<Vec<Variable>>,
    /// By process, what they hold at first.
    pub process_inits: Vec<Vec<Init>>,
    /// The meta variables, with the values that they have at the beginning of each step.
    pub meta: Vec<(VarId, u32, i32)>,
    /// The scratch variables of functions.
    pub frames: Vec<Option<u32>>,
}

/// The scratch variable for values that an evaluation keeps.
pub const TEMPORARY: u32 = 0;
/// The scratch variable for what `select` and quantifiers bind outside of functions.
pub const BOUND: u32 = 1;

impl Lowering<'_> {
    /// Lays out all variables.
    pub(super) fn lay_out(&mut self) {
        let network = self.network;
        self.model.scratch = vec![cells("temporary", 0), cells("bound", 0)];
        self.storage.frames = vec![None; network.functions.len()];
        for global in &network.globals {
            let place = self.place(global.span);
            let slot = if global.meta {
                self.add_meta(&global.name, &global.type_, &global.initial, place)
            } else {
                let first = self.model.globals.len() as u32;
                self.model.globals.extend(parts(&global.name, &global.type_, place));
                self.model.inits.extend(inits(first, &global.type_, &global.initial));
                Slot { scope: Scope::Global, first }
            };
            self.storage.globals.push(slot);
        }
        for process in &network.processes {
            self.lay_out_process(network, process);
        }
    }

    fn lay_out_process(&mut self, network: &Network, process: &Process) {
        let (mut slots, mut variables, mut initial, mut cell) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for local in &network.templates[process.template.index()].locals {
            let place = self.place(local.span);
            let cells = local.type_.cells() as usize;
            let values = &process.locals[cell..cell + cells];
            cell += cells;
            slots.push(if local.meta {
                self.add_meta(&local.name, &local.type_, values, place)
            } else {
                let first = variables.len() as u32;
                variables.extend(parts(&local.name, &local.type_, place));
                initial.extend(inits(first, &local.type_, values));
                Slot { scope: Scope::Local, first }
            });
        }
        self.storage.locals.push(slots);
        self.storage.process_variables.push(variables);
        self.storage.process_inits.push(initial);
    }

    fn add_meta(&mut self, name: &str, type_: &Type, values: &[i32], place: Place) -> Slot {
        let first = self.model.scratch.len() as u32;
        self.model.scratch.extend(parts(name, type_, place));
        for (at, value) in values.iter().enumerate() {
            let (part, indices) = locate(type_, at as u32, &[]);
            let cell = linear(&self.model.scratch[(first + part) as usize], &indices);
            self.storage.meta.push((VarId(first + part), cell, *value));
        }
        Slot { scope: Scope::Scratch, first }
    }

    /// The scratch variable with the frame of a function.
    pub(super) fn frame_of(&mut self, function: usize) -> u32 {
        let declared = &self.network.functions[function];
        *self.storage.frames[function].get_or_insert_with(|| {
            self.model.scratch.push(cells(&declared.name, declared.frame));
            self.model.scratch.len() as u32 - 1
        })
    }
}

/// A row of scratch cells without a range.
fn cells(name: &str, count: u32) -> Variable {
    Variable {
        name: name.to_owned(),
        scalar: Scalar::Int,
        cell: Cell::Int,
        dims: vec![count],
        index_after: vec![1],
        least_indices: Vec::new(),
        hidden: false,
        range: None,
        place: Place::default(),
    }
}

/// The variables that a variable becomes: one for each field of records, with a dimension for each array it is in.
fn parts(name: &str, type_: &Type, place: Place) -> Vec<Variable> {
    let mut found = Vec::new();
    let empty = Variable { name: name.to_owned(), dims: Vec::new(), index_after: Vec::new(), place, ..cells("", 0) };
    add_parts(empty, 1, type_, &mut found);
    found
}

fn add_parts(mut part: Variable, names: u32, type_: &Type, found: &mut Vec<Variable>) {
    match type_ {
        Type::Array { low, length, element } => {
            part.dims.push(*length);
            part.index_after.push(names);
            part.least_indices.push(*low);
            add_parts(part, names, element, found);
        }
        Type::Record(fields) => {
            for (name, field) in fields {
                let part = Variable { name: format!("{}.{name}", part.name), ..part.clone() };
                add_parts(part, names + 1, field, found);
            }
        }
        Type::Int { .. } | Type::Bool | Type::Scalar { .. } => {
            let (low, high) = type_.range().unwrap_or((i32::MIN, i32::MAX));
            part.cell = Cell::for_range(low, high);
            part.scalar = match part.cell {
                _ if *type_ == Type::Bool => Scalar::Bit,
                Cell::Byte => Scalar::Byte,
                Cell::SignedByte | Cell::Short => Scalar::Short,
                Cell::Bits(_) | Cell::Int => Scalar::Int,
            };
            part.range = Some((low, high));
            found.push(part);
        }
    }
}

/// The number of parts of a type.
fn part_count(type_: &Type) -> u32 {
    match type_ {
        Type::Array { element, .. } => part_count(element),
        Type::Record(fields) => fields.iter().map(|(_, field)| part_count(field)).sum(),
        Type::Int { .. } | Type::Bool | Type::Scalar { .. } => 1,
    }
}

/// An index of a place: what it is multiplied with, and the bounds it is tested against.
#[derive(Clone, Debug)]
pub struct Indexed {
    pub expr: Expr,
    pub low: i32,
    pub length: u32,
    pub stride: u32,
}

/// The part of a variable that a single cell belongs to, and its indices there. `offset` is the part of the place that is known;
/// `indices` are those that are not, from the outer arrays to the inner ones. An index belongs to the first array with its bounds and
/// its stride: two such arrays have one element each, and then it does not matter.
pub fn locate(type_: &Type, mut offset: u32, mut indices: &[Indexed]) -> (u32, Vec<Position>) {
    let (mut part, mut found, mut type_) = (0, Vec::new(), type_);
    loop {
        match type_ {
            Type::Array { low, length, element } => {
                let stride = element.cells();
                match indices.split_first() {
                    Some((first, rest)) if (first.low, first.length, first.stride) == (*low, *length, stride) => {
                        found.push(Position::Computed(first.clone()));
                        indices = rest;
                    }
                    _ => {
                        found.push(Position::Known(offset / stride.max(1)));
                        offset %= stride.max(1);
                    }
                }
                type_ = element;
            }
            Type::Record(fields) => {
                let mut next = None;
                for (_, field) in fields {
                    if offset < field.cells() {
                        next = Some(field);
                        break;
                    }
                    offset -= field.cells();
                    part += part_count(field);
                }
                match next {
                    Some(field) => type_ = field,
                    None => return (part.saturating_sub(1), found), // a record without cells has no values
                }
            }
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } => return (part, found),
        }
    }
}

/// An index of a part.
#[derive(Clone, Debug)]
pub enum Position {
    /// Counted from 0.
    Known(u32),
    Computed(Indexed),
}

/// The cell of a variable with known indices.
fn linear(variable: &Variable, indices: &[Position]) -> u32 {
    indices.iter().zip(&variable.dims).fold(0, |cell, (index, dim)| match index {
        Position::Known(index) => cell * dim + index,
        Position::Computed(_) => cell * dim,
    })
}

/// Initial values that are not zero.
fn inits(first: u32, type_: &Type, values: &[i32]) -> Vec<Init> {
    let variables = parts("", type_, Place::default());
    let init = |(at, value): (usize, &i32)| {
        let (part, indices) = locate(type_, at as u32, &[]);
        let cell = linear(&variables[part as usize], &indices);
        let value = InitValue::Value(Expr::constant(*value));
        Init { var: VarId(first + part), cells: cell..cell + 1, value }
    };
    values.iter().enumerate().filter(|(_, value)| **value != 0).map(init).collect()
}
