//! A whole model: its data, its process types and what it states about itself.

use crate::{Access, AccessKind, AccessSet, AccessSets, Automaton, Expr, NamedFormula, Place, Purpose, Scope, VarId};

/// An index into [`Model::proctypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProctypeId(pub u32);

impl ProctypeId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index into [`Model::shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

impl ShapeId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The declared type of a variable or message field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bit` and `bool`
    Bit,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned`, of so many bits
    Unsigned(u8),
    /// Of the set with this index in [`Model::mtypes`], if one is known.
    Mtype(Option<u16>),
    /// `chan`
    Chan,
}

/// How a value is kept. SPIN keeps single bits as one bit, but arrays of bits as bytes, so this does not follow from the
/// declared type alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// The low bits of an unsigned value.
    Bits(u8),
    /// 8 bits, unsigned.
    Byte,
    /// 8 bits, signed.
    SignedByte,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
}

impl Cell {
    /// The value that is read back after `value` was stored.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Cell::Bits(width) => value & (((1u64 << width) - 1) as i32),
            Cell::Byte => i32::from(value as u8),
            Cell::SignedByte => i32::from(value as i8),
            Cell::Short => i32::from(value as i16),
            Cell::Int => value,
        }
    }

    /// The narrowest cell for values between two.
    pub fn for_range(least: i32, greatest: i32) -> Cell {
        match (least, greatest) {
            (0.., ..=255) => Cell::Byte,
            (0.., ..=65_535) => Cell::Bits(16),
            (-128.., ..=127) => Cell::SignedByte,
            (-32_768.., ..=32_767) => Cell::Short,
            _ => Cell::Int,
        }
    }

    /// Bytes it takes.
    pub fn width(self) -> usize {
        match self {
            Cell::Bits(0..=8) | Cell::Byte | Cell::SignedByte => 1,
            Cell::Bits(9..=16) | Cell::Short => 2,
            Cell::Bits(_) | Cell::Int => 4,
        }
    }
}

/// A scalar variable, or an array of any number of dimensions. The fields of records are variables of their own.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As written, with the path of fields: `msg.header.seq`.
    pub name: String,
    /// Its declared type.
    pub scalar: Scalar,
    /// How each of its cells is kept.
    pub cell: Cell,
    /// For each index its bound; for a name `a[2].b[3]` it is `[2, 3]`.
    pub dims: Vec<u32>,
    /// Behind how many fields of `name` each index stands: for `a[2].b[3]`, after 1 and after 2.
    pub index_after: Vec<u32>,
    /// For each index its least value, where it is not 0 for all: how elements are shown. Indices of expressions count from 0.
    pub least_indices: Vec<i32>,
    /// Not part of the state's identity.
    pub hidden: bool,
    /// The least and the greatest value that may be stored; of Promela none, where values are cut to the width of the cell.
    pub range: Option<(i32, i32)>,
    /// Where it is declared.
    pub place: Place,
}

impl Variable {
    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.dims.iter().map(|&dim| dim as usize).product()
    }

    /// What is added to an index that counts from 0 to show it.
    pub fn least_index(&self, dimension: usize) -> i32 {
        self.least_indices.get(dimension).copied().unwrap_or(0)
    }
}

/// What a variable holds at the start.
#[derive(Clone, Debug)]
pub struct Init {
    /// The variable.
    pub var: VarId,
    /// The cells it sets.
    pub cells: std::ops::Range<u32>,
    /// What they are set to.
    pub value: InitValue,
}

/// What a cell is set to at the start.
#[derive(Clone, Debug)]
pub enum InitValue {
    /// Evaluated for each cell when the process (or the system) starts, in order of declaration.
    Value(Expr),
    /// A new channel for each cell.
    Channel(ShapeId),
}

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its declared type.
    pub scalar: Scalar,
    /// How it is kept.
    pub cell: Cell,
}

/// The capacity and message format of a channel declaration.
#[derive(Clone, Debug)]
pub struct ChannelShape {
    /// The variable it was declared with.
    pub name: String,
    /// 0 for a rendezvous channel.
    pub capacity: u32,
    /// The fields of its messages.
    pub fields: Vec<Field>,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// `:init:` for init.
    pub name: String,
    /// Parameters first.
    pub locals: Vec<Variable>,
    /// How many of the locals are parameters.
    pub params: u32,
    /// Initial values of locals that are not zero, in order of declaration.
    pub inits: Vec<Init>,
    /// A condition without which none of its processes moves.
    pub provided: Option<Expr>,
    /// `D_proctype`: two executable statements at a time are an error.
    pub deterministic: bool,
    /// Its control.
    pub automaton: Automaton,
    /// Where it is defined.
    pub place: Place,
}

/// A process that exists from the start.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Its type.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// A `trace` or `notrace` automaton: it follows the sends and receives on the channels it mentions.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// A `notrace`: matching all of it is the error.
    pub negated: bool,
    /// Its control: the statements are [`crate::Action::Event`]s.
    pub automaton: Automaton,
    /// The channels whose sends it follows.
    pub sends: Vec<Expr>,
    /// The channels whose receives it follows.
    pub receives: Vec<Expr>,
}

/// A never claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// SPIN's number of it in a trail: the process types, claims and traces before it in the source are counted.
    pub number: u32,
    /// Its control.
    pub automaton: Automaton,
    /// Where it is written.
    pub place: Place,
}

/// A condition that every state has to meet.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// As written.
    pub text: String,
    /// Over what is visible to all processes.
    pub expr: Expr,
}

/// The names of an mtype declaration; the value of a name is its index + 1.
#[derive(Clone, Debug)]
pub struct MtypeSet {
    /// None for plain `mtype`.
    pub name: Option<String>,
    /// In the order of their values.
    pub names: Vec<String>,
}

/// A constant array.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its elements, all dimensions in one.
    pub values: Vec<i32>,
}

/// What a model makes use of, and what therefore belongs to its state or to the test of a move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// `_last` is mentioned: it is part of the state.
    pub last: bool,
    /// Priorities are used: they restrict who may move and are part of the state.
    pub priorities: bool,
    /// Some process tests `timeout`.
    pub timeout: bool,
    /// It is an automata network: a step has length 1 however many processes it moves, and locations can be committed.
    pub network: bool,
}

impl Features {
    /// Whether a statement that no other process can notice may be left out where its process does not move on. With
    /// `timeout` or priorities others wait for a process that can move.
    pub fn defers(self) -> bool {
        !self.timeout && !self.priorities
    }
}

/// A model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// File names, by [`Place::file`].
    pub sources: Vec<String>,
    /// The sets of symbolic constants.
    pub mtypes: Vec<MtypeSet>,
    /// By [`VarId`].
    pub globals: Vec<Variable>,
    /// Initial values of globals that are not zero, in the order SPIN computes them.
    pub inits: Vec<Init>,
    /// By [`ShapeId`].
    pub shapes: Vec<ChannelShape>,
    /// By [`ProctypeId`].
    pub proctypes: Vec<Proctype>,
    /// The processes that exist from the start, by pid.
    pub start: Vec<Start>,
    /// Its `trace` or `notrace`.
    pub monitor: Option<Monitor>,
    /// Its never claims.
    pub claims: Vec<Claim>,
    /// What the model states about its runs.
    pub formulas: Vec<NamedFormula>,
    /// What is asked of all states, besides what the model states itself.
    pub invariants: Vec<Invariant>,
    /// The conditions that an automaton reads in every state, by number.
    pub propositions: Vec<Expr>,
    /// Cycles are asked for that visit, or avoid, locations with acceptance or progress labels: where a process stands matters.
    pub observes_labels: bool,
    /// What it makes use of.
    pub features: Features,
    /// Cells of computations, no part of the state, by [`VarId`].
    pub scratch: Vec<Variable>,
    /// Constant arrays that are read by an index.
    pub tables: Vec<Table>,
    /// The names of the channels of a network, by number: `c`, `c[1]`.
    pub signals: Vec<String>,
}

impl Model {
    /// Whether a proposition is about `timeout`: that no process can move.
    pub fn observes_timeout(&self) -> bool {
        mentions_timeout(&self.propositions)
    }

    /// Whether an invariant is about `timeout`, which is true where no step is possible. Only queries of networks are.
    pub fn asks_for_deadlock(&self) -> bool {
        mentions_timeout(self.invariants.iter().map(|invariant| &invariant.expr))
    }

    /// Asks that a condition holds in every state. What the condition mentions becomes a part of the state.
    pub fn add_invariant(&mut self, invariant: Invariant) {
        self.mention(&invariant.expr);
        self.invariants.push(invariant);
    }

    /// Adds a condition that an automaton reads in every state, unless it is there already: its number. What it mentions becomes a
    /// part of the state.
    pub fn add_proposition(&mut self, expr: &Expr) -> u32 {
        if let Some(known) = self.propositions.iter().position(|known| known == expr) {
            return known as u32;
        }
        self.mention(expr);
        self.propositions.push(expr.clone());
        self.propositions.len() as u32 - 1
    }

    /// Makes what an expression mentions a part of the state.
    fn mention(&mut self, expr: &Expr) {
        expr.walk(&mut |part| match part {
            Expr::Last => self.features.last = true,
            Expr::PriorityOf(_) => self.features.priorities = true,
            _ => {}
        });
    }

    /// Whether the `provided` clause of a process type can tell that its process is offered a message over a rendezvous channel: in SPIN
    /// the clause of a receiver is evaluated while the message is in the channel.
    pub fn provided_sees_offers(&self, proctype: &Proctype) -> bool {
        let has_rendezvous = self.shapes.iter().any(|shape| shape.capacity == 0);
        let mut looks_at_channels = false;
        proctype.provided.iter().for_each(|clause| {
            clause.walk(&mut |part| {
                looks_at_channels |= matches!(
                    part,
                    Expr::Length(_)
                        | Expr::Full(_)
                        | Expr::Empty(_)
                        | Expr::NotFull(_)
                        | Expr::NotEmpty(_)
                        | Expr::Poll { .. }
                );
            });
        });
        has_rendezvous && looks_at_channels
    }

    /// A process type.
    pub fn proctype(&self, id: ProctypeId) -> &Proctype {
        &self.proctypes[id.index()]
    }

    /// A channel shape.
    pub fn shape(&self, id: ShapeId) -> &ChannelShape {
        &self.shapes[id.index()]
    }

    /// A variable of the globals, of the scratch cells, or of the locals of `proctype`.
    pub fn variable(&self, proctype: Option<ProctypeId>, scope: Scope, var: VarId) -> &Variable {
        match (scope, proctype) {
            (Scope::Local, Some(id)) => &self.proctype(id).locals[var.index()],
            (Scope::Scratch, _) => &self.scratch[var.index()],
            _ => &self.globals[var.index()],
        }
    }

    /// The hidden variables whose values can decide how a run continues: SPIN leaves them out of the state all the same.
    pub fn hidden_but_read(&self) -> Vec<VarId> {
        if !self.globals.iter().any(|global| global.hidden) {
            return Vec::new();
        }
        let mut read = vec![false; self.globals.len()];
        let accesses = AccessSets::of(self);
        let observers = self.invariants.iter().map(|invariant| &invariant.expr).chain(&self.propositions);
        let observers = AccessSet::of_exprs(self, None, observers);
        let is_read = |access: &&Access| match access.kind {
            AccessKind::Read { purpose, .. } => purpose != Purpose::Printed,
            AccessKind::Write { .. } => false,
        };
        for var in accesses.iter().chain(observers.iter()).filter(is_read).filter_map(Access::global) {
            read[var.var.index()] = true;
        }
        let vars = (0..self.globals.len() as u32).map(VarId);
        vars.filter(|var| self.globals[var.index()].hidden && read[var.index()]).collect()
    }

    /// Whether some process type has a label of the kind.
    pub fn has_label(&self, kind: impl Fn(crate::Labels) -> bool) -> bool {
        self.proctypes.iter().flat_map(|proctype| &proctype.automaton.locations).any(|location| kind(location.labels))
    }

    /// Whether an acceptance label stands at the last statement of an atomic sequence. The process is never seen there, but SPIN's
    /// verifier takes the label into account, unlike one in the middle of a sequence, which it calls invisible.
    pub fn has_acceptance_at_the_end_of_atomic(&self) -> bool {
        self.proctypes.iter().any(|proctype| {
            let locations = &proctype.automaton.locations;
            let inside = locations.iter().flat_map(|location| &location.transitions).filter(|taken| taken.atomic);
            inside.map(|taken| &locations[taken.target as usize]).any(|location| {
                location.labels.accept && location.transitions.iter().any(|transition| !transition.atomic)
            })
        })
    }
}

fn mentions_timeout<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> bool {
    let mut mentions = false;
    exprs.into_iter().for_each(|expr| expr.walk(&mut |part| mentions |= matches!(part, Expr::Timeout)));
    mentions
}
