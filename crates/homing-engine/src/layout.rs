//! The layout of a state: where its processes, variables and channels are.
//!
//! ```text
//! hidden globals | number of processes, _last, monitor | globals | global channels | process 0 | its channels | process 1 …
//! ```
//! The processes of an automata network never change: there is no number of processes, and a process has no type.
//!
//! A process is its type, its location, its priority (if the model has priorities) and its locals. A channel is its
//! length and its slots, the unused ones zero; a rendezvous channel takes no bytes. Processes are added and removed at the
//! end, so the length of a state depends on the types of its processes, and two states are equal iff their bytes are.

use homing_ir::{Action, Cell, ChannelShape, Init, InitValue, Model, Proctype, ProctypeId, ShapeId, Variable};

/// Where the cells of a variable are.
#[derive(Clone, Copy, Debug)]
pub struct VarSlot {
    /// From the start of its scope: of the state for globals, of the process for locals.
    pub offset: u32,
    pub cell: Cell,
}

/// Where a field of a message is in its slot.
#[derive(Clone, Debug)]
pub struct FieldSlot {
    pub offset: u32,
    pub cell: Cell,
}

/// How the channels of a shape are laid out: their length, then their slots.
#[derive(Clone, Debug)]
pub struct ShapeLayout {
    pub capacity: u32,
    /// The bytes of the length.
    pub length_width: u32,
    /// The bytes of a slot.
    pub slot_size: u32,
    pub fields: Vec<FieldSlot>,
    /// The bytes of a whole channel.
    pub size: u32,
    /// The first shape with the same layout.
    pub class: u32,
}

impl ShapeLayout {
    fn is_like(&self, other: &ShapeLayout) -> bool {
        let cells = |shape: &ShapeLayout| shape.fields.iter().map(|field| field.cell).collect::<Vec<Cell>>();
        self.capacity == other.capacity && cells(self) == cells(other)
    }
}

/// How the processes of a type are laid out: type, location, priority, locals, then the channels they create.
#[derive(Clone, Debug)]
pub struct ProcessLayout {
    pub locals: Vec<VarSlot>,
    /// The bytes of a process without its channels.
    pub size: u32,
    /// The channels that a process creates, in order.
    pub channels: Vec<ShapeId>,
    /// The bytes of these channels.
    pub channels_size: u32,
}

/// The layout of the states of a model.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The bytes of hidden variables.
    pub hidden_prefix: u32,
    /// The offset of the number of processes: one byte; none if it never changes.
    pub count_at: Option<u32>,
    /// The offset of `_last`: one byte.
    pub last_at: Option<u32>,
    /// The offset of the location of the trace automaton: two bytes.
    pub monitor_at: Option<u32>,
    pub globals: Vec<VarSlot>,
    /// The offset of the first global channel.
    pub channels_at: u32,
    /// The global channels, in order.
    pub channels: Vec<ShapeId>,
    /// Processes are created by `run`. If not, a pid always belongs to a process of the same type.
    pub grows: bool,
    /// The types of the processes by pid, if they are the same in every state: those of a network.
    pub fixed: Option<Vec<ProctypeId>>,
    /// The offset of process 0.
    pub processes_at: u32,
    /// By shape.
    pub shapes: Vec<ShapeLayout>,
    /// By process type.
    pub processes: Vec<ProcessLayout>,
    /// The bytes of the type of a process; 0 if processes never change.
    pub type_width: u32,
    /// The bytes of the location of a process.
    pub location_width: u32,
    /// The offset of the priority of a process from the start of the process: one byte.
    pub priority_at: Option<u32>,
    /// The first place of each scratch variable, and the number of all at the end. They are no part of the state.
    pub scratch: Vec<u32>,
}

impl Layout {
    pub fn new(model: &Model) -> Layout {
        let shapes = shape_layouts(model);
        let hidden: u32 = model.globals.iter().filter(|var| var.hidden).map(size_of).sum();
        let mut at = hidden;
        let mut take = |bytes: u32| {
            at += bytes;
            at - bytes
        };
        let fixed = model.features.network.then(|| model.start.iter().map(|start| start.proctype).collect());
        let count_at = (!model.features.network).then(|| take(1));
        let last_at = model.features.last.then(|| take(1));
        let monitor_at = model.monitor.as_ref().map(|_| take(2));
        let mut hidden_at = 0;
        let mut globals = Vec::with_capacity(model.globals.len());
        for var in &model.globals {
            let size = size_of(var);
            let offset = if var.hidden {
                hidden_at += size;
                hidden_at - size
            } else {
                take(size)
            };
            globals.push(VarSlot { offset, cell: var.cell });
        }
        let channels = created_channels(&model.inits);
        let channels_at = take(channels.iter().map(|shape| shapes[shape.index()].size).sum());
        let processes_at = take(0);
        let type_width = match model.proctypes.len() {
            _ if model.features.network => 0,
            0..=256 => 1,
            _ => 2,
        };
        let most_locations =
            model.proctypes.iter().map(|proctype| proctype.automaton.locations.len()).max().unwrap_or(0);
        let location_width = match most_locations {
            0..=256 => 1,
            257..=65_536 => 2,
            _ => 4,
        };
        let priority_at = model.features.priorities.then_some(type_width + location_width);
        let head = type_width + location_width + u32::from(priority_at.is_some());
        let processes = model.proctypes.iter().map(|proctype| process_layout(proctype, head, &shapes)).collect();
        let statements = model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements);
        let grows = statements.into_iter().any(|statement| matches!(statement.action, Action::Run { .. }));
        Layout {
            hidden_prefix: hidden,
            count_at,
            last_at,
            monitor_at,
            globals,
            channels_at,
            channels,
            grows,
            fixed,
            processes_at,
            shapes,
            processes,
            type_width,
            location_width,
            priority_at,
            scratch: scratch_layout(model),
        }
    }
}

/// Where the cells of scratch variables begin, and their number.
fn scratch_layout(model: &Model) -> Vec<u32> {
    let mut cells = 0;
    let mut first: Vec<u32> = Vec::with_capacity(model.scratch.len() + 1);
    for variable in &model.scratch {
        first.push(cells);
        cells += variable.cells() as u32;
    }
    first.push(cells);
    first
}

impl Layout {
    /// The offset of a process that is in every state.
    pub fn fixed_offset(&self, pid: usize) -> u32 {
        let before = self.fixed.iter().flatten().take(pid).map(|proctype| &self.processes[proctype.index()]);
        self.processes_at + before.map(|process| process.size + process.channels_size).sum::<u32>()
    }

    /// The number of scratch cells.
    pub fn scratch_cells(&self) -> usize {
        self.scratch.last().map_or(0, |cells| *cells as usize)
    }
}

/// The bytes of a variable.
fn size_of(var: &Variable) -> u32 {
    (var.cells() * var.cell.width()) as u32
}

/// The layout of a process of a type, whose locals begin after `head` bytes.
fn process_layout(proctype: &Proctype, head: u32, shapes: &[ShapeLayout]) -> ProcessLayout {
    let mut size = head;
    let locals = proctype.locals.iter().map(|var| {
        size += size_of(var);
        VarSlot { offset: size - size_of(var), cell: var.cell }
    });
    let locals = locals.collect();
    let channels = created_channels(&proctype.inits);
    let channels_size = channels.iter().map(|shape| shapes[shape.index()].size).sum();
    ProcessLayout { locals, size, channels, channels_size }
}

/// The layouts of the channel shapes of a model, those that are alike in the class of the first.
fn shape_layouts(model: &Model) -> Vec<ShapeLayout> {
    let mut shapes: Vec<ShapeLayout> = model.shapes.iter().map(shape_layout).collect();
    for at in 0..shapes.len() {
        let first = shapes.iter().position(|shape| shape.is_like(&shapes[at])).expect("it is like itself");
        shapes[at].class = first as u32;
    }
    shapes
}

fn shape_layout(shape: &ChannelShape) -> ShapeLayout {
    let mut slot_size = 0;
    let fields = shape
        .fields
        .iter()
        .map(|field| {
            slot_size += field.cell.width() as u32;
            FieldSlot { offset: slot_size - field.cell.width() as u32, cell: field.cell }
        })
        .collect();
    let length_width = match shape.capacity {
        0 => 0,
        1..=255 => 1,
        256..=65_535 => 2,
        _ => 4,
    };
    let size = length_width + shape.capacity * slot_size;
    ShapeLayout { capacity: shape.capacity, length_width, slot_size, fields, size, class: 0 }
}

/// The channels that initialisation creates, in order.
fn created_channels(inits: &[Init]) -> Vec<ShapeId> {
    let created = inits.iter().flat_map(|init| match init.value {
        InitValue::Channel(shape) => vec![shape; init.cells.len()],
        InitValue::Value(_) => Vec::new(),
    });
    created.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;
    use crate::testing::networks::{edge, network, variable};

    #[test]
    fn everything_has_a_place_of_its_own() {
        let model = model(
            "hidden int h; byte a; short b[2]; chan q = [2] of { byte, int };
             proctype P(byte x) { int y; chan c = [300] of { bit } }
             active proctype Q() { skip }",
        );
        let layout = Layout::new(&model);
        assert_eq!((layout.hidden_prefix, layout.count_at), (4, Some(4)), "hidden globals come first");
        let globals: Vec<u32> = layout.globals.iter().map(|slot| slot.offset).collect();
        assert_eq!(globals, [0, 5, 6, 10], "h, a, b, q");
        assert_eq!((layout.channels_at, layout.processes_at), (11, 11 + 1 + 2 * 5));
        let process = &layout.processes[0];
        let locals: Vec<u32> = process.locals.iter().map(|slot| slot.offset).collect();
        assert_eq!(locals, [2, 3, 7], "after type and location: x, y, c");
        assert_eq!((process.size, process.channels_size), (8, 2 + 300), "a long channel has two bytes of length");
    }

    #[test]
    fn a_process_of_a_network_is_its_location_and_its_variables() {
        let processes = vec![vec![(1, 2, edge("1!", None, None))], vec![(1, 2, edge("1?", None, None))]];
        let mut model = network(processes, |_, _, _| {});
        model.proctypes[0].locals.push(variable("y", vec![3], (-2, 5)));
        let layout = Layout::new(&model);
        assert_eq!((layout.count_at, layout.type_width, layout.location_width), (None, 0, 1));
        assert_eq!([layout.processes_at, layout.fixed_offset(1), layout.fixed_offset(2)], [1, 5, 6], "x, then both");
        let cells = [(-2, 5), (0, 255), (-200, 5), (0, 60_000), (-1, 255), (0, 1 << 16)];
        let widths = cells.map(|(least, greatest)| Cell::for_range(least, greatest).width());
        assert_eq!(widths, [1, 1, 2, 2, 2, 4]);
        for (least, greatest) in cells {
            let cell = Cell::for_range(least, greatest);
            assert_eq!([cell.truncate(least), cell.truncate(greatest)], [least, greatest]);
        }
    }

    #[test]
    fn shapes_of_the_same_layout_are_one_class() {
        let model = model(
            "chan a = [1] of { byte }; chan b = [1] of { mtype }; chan c = [2] of { byte }; chan d = [0] of { byte };
             mtype = { m } init { a!1 }",
        );
        let classes: Vec<u32> = Layout::new(&model).shapes.iter().map(|shape| shape.class).collect();
        assert_eq!(classes, [0, 0, 2, 3]);
    }
}
