//! Where everything is in a state.
//!
//! ```text
//! hidden globals | processes, last mover, monitor | globals | global channels | process 0 | its channels | process 1 …
//! ```
//! A process is its type, its location, its priority (if the model has priorities) and its locals. A channel is its
//! length and its slots, the unused ones zero; a rendezvous channel takes no room. Processes come and go at the end, so
//! a state has as many bytes as it has processes to hold, and equal states are equal bytes.

use homing_ir::{Action, Cell, ChannelShape, Init, InitValue, Model, ShapeId, Variable};

/// The cells of a variable.
#[derive(Clone, Copy, Debug)]
pub struct VarSlot {
    /// From the start of its scope: of the state for globals, of the process for locals.
    pub offset: u32,
    pub cell: Cell,
}

#[derive(Clone, Debug)]
pub struct FieldSlot {
    pub offset: u32,
    pub cell: Cell,
}

#[derive(Clone, Debug)]
pub struct ShapeLayout {
    pub capacity: u32,
    /// Bytes of the length in front of the slots.
    pub length_width: u32,
    pub slot_size: u32,
    pub fields: Vec<FieldSlot>,
    /// Of the whole channel.
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

#[derive(Clone, Debug)]
pub struct ProcessLayout {
    pub locals: Vec<VarSlot>,
    /// Without its channels.
    pub size: u32,
    /// The channels it creates, in order.
    pub channels: Vec<ShapeId>,
    pub channels_size: u32,
}

#[derive(Clone, Debug)]
pub struct Layout {
    /// Bytes of hidden variables.
    pub hidden_prefix: u32,
    pub count_at: u32,
    pub last_at: Option<u32>,
    /// The location of the trace automaton: two bytes.
    pub monitor_at: Option<u32>,
    pub globals: Vec<VarSlot>,
    pub channels_at: u32,
    pub channels: Vec<ShapeId>,
    /// Processes are created by `run`. If not, a pid is always that of a process of the same type.
    pub grows: bool,
    /// Where process 0 begins.
    pub processes_at: u32,
    pub shapes: Vec<ShapeLayout>,
    pub processes: Vec<ProcessLayout>,
    /// Bytes of a process's type and location.
    pub type_width: u32,
    pub location_width: u32,
    /// Where in a process its priority is.
    pub priority_at: Option<u32>,
}

impl Layout {
    pub fn new(model: &Model) -> Layout {
        let mut shapes: Vec<ShapeLayout> = model.shapes.iter().map(shape_layout).collect();
        for at in 0..shapes.len() {
            let first = shapes.iter().position(|shape| shape.is_like(&shapes[at])).expect("it is like itself");
            shapes[at].class = first as u32;
        }
        let hidden: u32 = model.globals.iter().filter(|var| var.hidden).map(size_of).sum();
        let mut at = hidden;
        let mut take = |bytes: u32| {
            at += bytes;
            at - bytes
        };
        let count_at = take(1);
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

        let type_width = if model.proctypes.len() <= 256 { 1 } else { 2 };
        let most_locations =
            model.proctypes.iter().map(|proctype| proctype.automaton.locations.len()).max().unwrap_or(0);
        let location_width = match most_locations {
            0..=256 => 1,
            257..=65_536 => 2,
            _ => 4,
        };
        let priority_at = model.features.priorities.then_some(type_width + location_width);
        let head = type_width + location_width + u32::from(priority_at.is_some());
        let processes = model
            .proctypes
            .iter()
            .map(|proctype| {
                let mut size = head;
                let locals = proctype.locals.iter().map(|var| {
                    size += size_of(var);
                    VarSlot { offset: size - size_of(var), cell: var.cell }
                });
                let locals = locals.collect();
                let channels = created_channels(&proctype.inits);
                let channels_size = channels.iter().map(|shape| shapes[shape.index()].size).sum();
                ProcessLayout { locals, size, channels, channels_size }
            })
            .collect();
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
            processes_at,
            shapes,
            processes,
            type_width,
            location_width,
            priority_at,
        }
    }
}

fn size_of(var: &Variable) -> u32 {
    (var.cells() * var.cell.width()) as u32
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
