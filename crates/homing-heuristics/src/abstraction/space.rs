//! The cells of a model: what its states are made of, and the values that each can have.
//!
//! A cell is the location of a process, an element of a variable, or the contents of a channel. Which values it can have is found
//! by executing all statements on all values known so far (`explore.rs`). A cell with too many values is not tracked: its value is
//! unknown to every statement, which only adds behaviour.

use std::ops::Range;

use homing_core::State;
use homing_engine::Reader;
use homing_ir::print::cell_name;
use homing_ir::{Cell, Expr, Init, InitValue, Model, ProctypeId, Scalar, Scope, ShapeId, VarId, Variable};

use super::domain::Domain;
use super::processes::Processes;

/// An index into [`Space::cells`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The location of a process that is yet to be created.
pub const NOT_BEGUN: i32 = -2;

/// The location of a process that has ended.
pub const GONE: i32 = -1;

/// The most values of a cell that is tracked.
const MOST_VALUES: usize = 256;

/// The most contents of a channel that is tracked.
const MOST_CONTENTS: usize = 500;

/// What a cell is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The location of a process.
    Location,
    /// An element of a variable.
    Element {
        /// How it is stored.
        cell: Cell,
        /// Its declared type.
        scalar: Scalar,
        /// The values that it may have; others are run-time errors.
        range: Option<(i32, i32)>,
    },
    /// The contents of the channel with this index.
    Channel(usize),
}

/// A cell.
#[derive(Clone, Debug)]
pub struct CellInfo {
    /// How it is named in descriptions.
    pub name: String,
    pub kind: Kind,
    /// The process that it belongs to.
    pub owner: Option<usize>,
    /// Where it is in a state.
    pub bytes: Range<usize>,
    pub domain: Domain,
    /// How many of its values the task that is executed knows of: each execution of a task has to know the same.
    pub visible: u32,
    /// Whether its values are known.
    pub is_tracked: bool,
    /// How often its domain has grown.
    pub version: u32,
}

/// A channel.
#[derive(Clone, Debug)]
pub struct ChannelInfo {
    pub shape: ShapeId,
    /// The process that it belongs to, and ends with.
    pub owner: Option<usize>,
    /// Its contents; none of a rendezvous channel.
    pub cell: Option<CellId>,
}

/// The cells of a model.
#[derive(Clone, Debug)]
pub struct Space<'m> {
    pub model: &'m Model,
    pub processes: Processes,
    /// The conditions whose violation is an error.
    pub conditions: Vec<&'m Expr>,
    pub cells: Vec<CellInfo>,
    /// By number, from 1.
    pub channels: Vec<ChannelInfo>,
    /// The first cell of each global.
    globals: Vec<u32>,
    /// By process: the first cell of each local.
    locals: Vec<Vec<u32>>,
    /// How many values were looked at since the last restart.
    pub work: u64,
}

impl<'m> Space<'m> {
    /// The cells, each with its initial value.
    pub fn of(model: &'m Model, processes: Processes, conditions: Vec<&'m Expr>) -> Self {
        let mut reader = Reader::new(model);
        reader.load(&processes.complete);
        let (cells, channels, globals, locals) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut space = Space { model, processes, conditions, cells, channels, globals, locals, work: 0 };
        for pid in 0..space.processes.len() {
            let name = format!("{}:{pid}", model.proctype(reader.proctype(pid)).name);
            space.add(name, Kind::Location, Some(pid), reader.location_bytes(pid));
        }
        for (var, variable) in (0..).map(VarId).zip(&model.globals) {
            let first = space.add_variable(&reader, None, var, variable);
            space.globals.push(first);
        }
        for pid in 0..space.processes.len() {
            let locals = (0..).map(VarId).zip(&model.proctype(reader.proctype(pid)).locals);
            let first = locals.map(|(var, variable)| space.add_variable(&reader, Some(pid), var, variable)).collect();
            space.locals.push(first);
        }
        space.add_channels(&reader, None, &model.inits);
        for pid in 0..space.processes.len() {
            space.add_channels(&reader, Some(pid), &model.proctype(reader.proctype(pid)).inits);
        }
        space
    }

    fn add(&mut self, name: String, kind: Kind, owner: Option<usize>, bytes: Range<usize>) -> CellId {
        let (domain, visible, version) = (Domain::default(), 0, 0);
        self.cells.push(CellInfo { name, kind, owner, bytes, domain, visible, is_tracked: true, version });
        CellId(self.cells.len() as u32 - 1)
    }

    fn add_variable(&mut self, reader: &Reader<'_>, owner: Option<usize>, var: VarId, variable: &Variable) -> u32 {
        let scope = if owner.is_some() { Scope::Local } else { Scope::Global };
        let (offset, cell) = reader.slot(owner.unwrap_or(0), scope, var);
        let first = self.cells.len() as u32;
        for element in 0..variable.cells() {
            let at = offset + element * cell.width();
            let process = owner.map_or(String::new(), |pid| format!("{}:{pid}.", self.type_of(pid).name));
            let kind = Kind::Element { cell, scalar: variable.scalar, range: variable.range };
            let id = self.add(format!("{process}{}", cell_name(variable, element)), kind, owner, at..at + cell.width());
            // hidden variables do not distinguish states, so that a state has no value of them
            self.cells[id.index()].is_tracked = !variable.hidden;
        }
        first
    }

    fn add_channels(&mut self, reader: &Reader<'_>, owner: Option<usize>, inits: &[Init]) {
        for init in inits {
            let InitValue::Channel(shape) = init.value else { continue };
            for _ in init.cells.clone() {
                let number = self.channels.len() as i32 + 1;
                let view = reader.channel(number).expect("all channels exist");
                let name = format!("{} ({number})", self.model.shape(shape).name);
                let kind = Kind::Channel(self.channels.len());
                let cell = (view.capacity > 0).then(|| self.add(name, kind, owner, view.bytes));
                self.channels.push(ChannelInfo { shape, owner, cell });
            }
        }
    }

    /// The type of a process.
    pub fn type_of(&self, pid: usize) -> &'m homing_ir::Proctype {
        self.model.proctype(self.proctype(pid))
    }

    /// The number of the type of a process.
    pub fn proctype(&self, pid: usize) -> ProctypeId {
        self.processes.types[pid]
    }

    /// The location of a process.
    pub fn location(&self, pid: usize) -> CellId {
        CellId(pid as u32)
    }

    /// A cell of a global, or of a local of a process.
    pub fn element(&self, pid: usize, scope: Scope, var: VarId, element: u32) -> CellId {
        match scope {
            Scope::Global => CellId(self.globals[var.index()] + element),
            Scope::Local => CellId(self.locals[pid][var.index()] + element),
            Scope::Scratch => unreachable!("scratch cells are no part of the state"),
        }
    }

    pub fn cell(&self, id: CellId) -> &CellInfo {
        &self.cells[id.index()]
    }

    /// The cells that belong to a process, without its location.
    pub fn cells_of(&self, pid: usize) -> Vec<CellId> {
        let all = (0..self.cells.len() as u32).map(CellId);
        all.filter(|id| self.cell(*id).owner == Some(pid) && *id != self.location(pid)).collect()
    }

    /// The number of a value of a cell, which is added if it is new. None if the cell has too many values.
    pub fn number(&mut self, id: CellId, value: &[i32]) -> Option<u32> {
        let cell = &mut self.cells[id.index()];
        let before = cell.domain.len();
        let number = cell.domain.number(value);
        let most = match cell.kind {
            Kind::Location => usize::MAX,
            Kind::Element { .. } => MOST_VALUES,
            Kind::Channel(_) => MOST_CONTENTS,
        };
        if cell.domain.len() > before {
            cell.version += 1;
        }
        (cell.domain.len() <= most).then_some(number)
    }

    /// Lets the next task know of all values that were found.
    pub fn reveal(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.visible = cell.domain.len() as u32);
    }

    /// Makes a cell one whose value is not tracked, and lets all others have their initial values only.
    pub fn restart_without(&mut self, dropped: Option<CellId>) {
        if let Some(id) = dropped {
            self.cells[id.index()].is_tracked = false;
        }
        self.work = 0;
        for id in (0..self.cells.len() as u32).map(CellId) {
            let initially = self.initially(id);
            let cell = &mut self.cells[id.index()];
            (cell.domain, cell.version) = (Domain::default(), 0);
            cell.domain.number(&initially);
        }
    }

    /// The bytes that a value of a cell has in a state; none for a location that is none.
    pub fn encoded(&self, id: CellId, value: &[i32]) -> Option<Vec<u8>> {
        let cell = self.cell(id);
        let width = cell.bytes.len();
        match &cell.kind {
            Kind::Location => (value[0] >= 0).then(|| value[0].to_le_bytes()[..width].to_vec()),
            Kind::Element { .. } => Some(value[0].to_le_bytes()[..width].to_vec()),
            Kind::Channel(channel) => {
                let shape = self.model.shape(self.channels[*channel].shape);
                let slot: usize = shape.fields.iter().map(|field| field.cell.width()).sum();
                let length_width = width - slot * shape.capacity as usize;
                let length = value.len() / shape.fields.len().max(1);
                let mut bytes = (length as u32).to_le_bytes()[..length_width].to_vec();
                for (number, field) in value.iter().zip(shape.fields.iter().cycle()) {
                    bytes.extend_from_slice(&number.to_le_bytes()[..field.cell.width()]);
                }
                bytes.resize(width, 0);
                Some(bytes)
            }
        }
    }

    /// The content of a cell whose process exists in a state.
    pub fn decoded(&self, id: CellId, state: &State) -> Vec<i32> {
        let cell = self.cell(id);
        let number = |bytes: &[u8]| {
            let mut wide = [0; 4];
            wide[..bytes.len()].copy_from_slice(bytes);
            i32::from_le_bytes(wide)
        };
        let bytes = &state[cell.bytes.clone()];
        match &cell.kind {
            Kind::Location => vec![number(bytes)],
            Kind::Element { cell, .. } => vec![cell.truncate(number(bytes))],
            Kind::Channel(channel) => {
                let shape = self.model.shape(self.channels[*channel].shape);
                let slot: usize = shape.fields.iter().map(|field| field.cell.width()).sum();
                let length_width = bytes.len() - slot * shape.capacity as usize;
                let length = number(&bytes[..length_width]) as usize;
                let mut at = length_width;
                let fields = shape.fields.iter().cycle().take(length * shape.fields.len());
                let content = fields.map(|field| {
                    at += field.cell.width();
                    field.cell.truncate(number(&bytes[at - field.cell.width()..at]))
                });
                content.collect()
            }
        }
    }

    /// The initial content of a cell.
    pub fn initially(&self, id: CellId) -> Vec<i32> {
        match self.cell(id).owner {
            Some(pid) if pid >= self.processes.started => match self.cell(id).kind {
                Kind::Location => vec![NOT_BEGUN],
                _ => self.absent(id).to_vec(),
            },
            _ => self.decoded(id, &self.processes.initial),
        }
    }

    /// The value that a cell has where its process does not exist.
    pub fn absent(&self, id: CellId) -> &'static [i32] {
        if matches!(self.cell(id).kind, Kind::Channel(_)) { &[] } else { &[0] }
    }
}
