//! How much a model may hold. From a state of many megabytes no search gets far, so what is larger is a slip of the pen;
//! without a limit it would fill the memory before the error could be reported.

use homing_ir::{ChannelShape, Init, InitValue, Proctype, VarId, Variable};

use super::symbols::{Declared, Type, cell_of};
use super::{Lowered, Lowering};
use crate::ast::VarInit;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// How many bytes a state may have: the global variables, the channels, and the processes that are there from the start.
/// SPIN's verifier has room for 1024 unless it is compiled for more.
const MOST_BYTES: u64 = 1 << 24;

/// How many processes, and how many channels, can exist at a time: they have numbers of one byte, as in SPIN.
pub(super) const MOST_AT_A_TIME: usize = 255;

/// How many scalar variables, or arrays of them, all declarations of a model may come to.
const MOST_VARIABLES: u64 = 1 << 20;

/// How many values a message may have, or a process be started with.
const MOST_VALUES: u64 = 1 << 16;

/// How many initial values a variable may have: each element of an array of records has its own.
const MOST_INITS: u64 = 1 << 20;

/// How deep records may be nested in records.
const MOST_NESTED: u32 = 200;

/// What a variable, a field or a value of a type comes to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub bytes: u64,
    /// Scalar variables, or arrays of them.
    pub leaves: u32,
    /// Scalars, as they are sent in a message.
    pub values: u64,
    /// Initial values.
    pub inits: u64,
    /// Records inside each other.
    pub depth: u32,
}

impl Extent {
    /// Both together.
    pub fn and(self, other: Extent) -> Extent {
        Extent {
            bytes: self.bytes.saturating_add(other.bytes),
            leaves: self.leaves.saturating_add(other.leaves),
            values: self.values.saturating_add(other.values),
            inits: self.inits.saturating_add(other.inits),
            depth: self.depth.max(other.depth),
        }
    }
}

impl Lowering<'_> {
    pub(super) fn extent_of(&self, declared: &Declared, init: Option<&VarInit>) -> Extent {
        let length = u64::from(declared.length.unwrap_or(1));
        match declared.ty {
            Type::Scalar(scalar) => Extent {
                bytes: length.saturating_mul(cell_of(scalar, declared.length.is_some(), false).width() as u64),
                leaves: 1,
                values: length,
                inits: match init {
                    None => 0,
                    Some(VarInit::List(values)) => values.len() as u64,
                    Some(_) => 1,
                },
                depth: 0,
            },
            Type::Record(record) => {
                let Extent { bytes, leaves, values, inits, depth } = self.records[record].extent;
                Extent {
                    bytes: bytes.saturating_mul(length),
                    leaves,
                    values: values.saturating_mul(length),
                    inits: inits.saturating_mul(length),
                    depth: depth + 1,
                }
            }
        }
    }

    /// Refuses a variable that is too large, or one too many.
    pub(super) fn limit_variable(&mut self, declared: &Declared, init: Option<&VarInit>) -> Lowered<()> {
        let extent = self.extent_of(declared, init);
        let (name, span) = (&declared.name, declared.span);
        self.limit_bytes(extent.bytes, span, || format!("`{name}`"))?;
        self.variables += u64::from(extent.leaves);
        let (message, help) = if extent.depth > MOST_NESTED {
            (
                format!("records nested more than {MOST_NESTED} levels deep"),
                "put fields of inner records into outer ones",
            )
        } else if self.variables > MOST_VARIABLES {
            let message = format!("the model has more than {MOST_VARIABLES} variables");
            (message, "the fields of records count, too: use arrays for what is alike")
        } else if extent.inits > MOST_INITS {
            let message = format!("`{name}` has more than {MOST_INITS} initial values");
            (message, "make the array smaller, or set the fields in a loop")
        } else {
            return Ok(());
        };
        Err(self.report(Diagnostic::error(span, message).help(help)))
    }

    fn limit_bytes(&mut self, bytes: u64, span: Span, what: impl Fn() -> String) -> Lowered<()> {
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        Err(self.report(
            Diagnostic::error(span, format!("{} takes {}", what(), amount(bytes)))
                .label(format!("a state can have {}", amount(MOST_BYTES)))
                .help("states are stored by the million: make it as small as the question allows"),
        ))
    }

    /// Refuses messages and arguments that come to too many values.
    pub(super) fn limit_values(&mut self, values: u64, span: Span) -> Lowered<()> {
        if values <= MOST_VALUES {
            return Ok(());
        }
        Err(self.report(
            Diagnostic::error(span, format!("this comes to more than {MOST_VALUES} values"))
                .help("send or pass an index instead of a whole array"),
        ))
    }

    pub(super) fn limit_channel(&mut self, shape: &ChannelShape, span: Span) -> Lowered<()> {
        self.limit_bytes(channel_bytes(shape), span, || format!("channel `{}`", shape.name))
    }

    /// Refuses a model whose initial state has more processes or channels than can exist. A run that creates too many later has an
    /// error there, as in SPIN.
    pub(super) fn limit_start(&mut self) {
        let model = &self.model;
        let declared = |init: &Init| match init.value {
            InitValue::Channel(_) => init.cells.len(),
            InitValue::Value(_) => 0,
        };
        let mut channels = 0;
        let too_many = model.inits.iter().find(|init| {
            channels += declared(init);
            channels > MOST_AT_A_TIME
        });
        let mut refused = too_many.map(|init| ("channels", self.span_of_global(init.var)));
        let mut counts = vec![0; model.proctypes.len()];
        model.start.iter().for_each(|start| counts[start.proctype.index()] += 1);
        let mut processes = 0;
        for ((proctype, finished), count) in model.proctypes.iter().zip(&self.finished).zip(counts) {
            processes += count;
            channels += count * proctype.inits.iter().map(declared).sum::<usize>();
            let what = if processes > MOST_AT_A_TIME { "processes" } else { "channels" };
            if refused.is_none() && processes.max(channels) > MOST_AT_A_TIME {
                refused = Some((what, finished.as_ref().map(|finished| finished.span)));
            }
        }
        let Some((what, span)) = refused else { return };
        let count = if what == "processes" { processes } else { channels };
        let message = format!("the initial state has {count} {what}, and at most {MOST_AT_A_TIME} can exist at a time");
        let diagnostic = match span {
            Some(span) => Diagnostic::error(span, message),
            None => Diagnostic::global(message),
        };
        self.report(diagnostic.help(format!("make the model smaller, so that it begins with fewer {what}")));
    }

    /// Where a global variable, or the one that it is a field of, is declared.
    fn span_of_global(&self, var: VarId) -> Option<Span> {
        let before = self.globals.values().filter(|symbol| symbol.base <= var.0);
        before.max_by_key(|symbol| symbol.base).map(|symbol| symbol.declared.span)
    }

    /// Refuses a model whose declarations are too large together.
    pub(super) fn limit_state(&mut self) {
        let model = &self.model;
        let channels = |inits: &[Init]| {
            let created = inits.iter().map(|init| match init.value {
                InitValue::Channel(shape) => channel_bytes(model.shape(shape)).saturating_mul(init.cells.len() as u64),
                InitValue::Value(_) => 0,
            });
            created.fold(0, u64::saturating_add)
        };
        let process = |proctype: &Proctype| data_bytes(&proctype.locals).saturating_add(channels(&proctype.inits));
        let globals = data_bytes(&model.globals).saturating_add(channels(&model.inits));
        let started = model.start.iter().map(|start| process(model.proctype(start.proctype)));
        let at_start = started.fold(globals, u64::saturating_add);
        let largest = model.proctypes.iter().map(process).max().unwrap_or(0);
        let total = at_start.max(globals.saturating_add(largest));
        if total > MOST_BYTES {
            self.report(
                Diagnostic::global(format!("a state of this model takes {}", amount(total)))
                    .help(format!("it can have {}: use smaller arrays and channels", amount(MOST_BYTES))),
            );
        }
    }
}

fn data_bytes(variables: &[Variable]) -> u64 {
    variables.iter().map(|var| (var.cells() * var.cell.width()) as u64).fold(0, u64::saturating_add)
}

fn channel_bytes(shape: &ChannelShape) -> u64 {
    let message: u64 = shape.fields.iter().map(|field| field.cell.width() as u64).sum();
    message.saturating_mul(u64::from(shape.capacity))
}

fn amount(bytes: u64) -> String {
    match bytes {
        u64::MAX => "more bytes than can be counted".to_owned(),
        0..0x10_0000 => format!("{bytes} bytes"),
        0x10_0000..0x4000_0000 => format!("{} megabytes", bytes >> 20),
        _ => format!("{} gigabytes", bytes >> 30),
    }
}
