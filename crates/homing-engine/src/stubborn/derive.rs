//! The access sets of single statements as terms, from those of the intermediate form ([`homing_ir::AccessSet`]).

use homing_core::Condition;
use homing_ir::{
    Access, AccessSet, AccessSets, Action, ArgPattern, BinaryOp, ChannelOp, Expr, Location, Model, Object, ProctypeId,
    Queueing, Scope, Side, VarRef, conjuncts,
};

use super::access::{Accesses, BOTH, END, Ends, FRONT, Mode, ObjectSet, Objects, PROCESSES, TAGS};
use super::known::{Knowledge, Known, Locals, local};
use super::term::{Term, TermSet, What};

/// Where a statement is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// It begins a step: a step that cannot be taken is not taken.
    First,
    /// It continues a step, or something else happens if it cannot be executed: whether it can is read.
    Inside,
}

/// What a statement accesses.
#[derive(Clone, Default)]
pub struct StatementAccess {
    pub set: TermSet,
    /// The locals of the process that it writes.
    pub written: Locals,
    /// It writes a local that has no bit.
    pub writes_others: bool,
    /// The processes that it creates.
    pub creates: Vec<ProctypeId>,
}

/// Whether two processes meet in an operation on a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum Meeting {
    /// The channel is a buffered one.
    Never,
    /// The channel with this number decides.
    By(Known),
    /// The process does not know the channel.
    Unknown,
}

/// What is read by those who observe the processes of a model.
pub struct Observers<'a> {
    pub invariants: AccessSet<'a>,
    /// The trace that is followed.
    pub trace: AccessSet<'a>,
}

impl<'a> Observers<'a> {
    pub fn of(model: &'a Model) -> Self {
        let invariants = model.invariants.iter().map(|invariant| &invariant.expr);
        let mut read_by_trace: Vec<&Expr> = Vec::new();
        if let Some(monitor) = &model.monitor {
            read_by_trace.extend(monitor.sends.iter().chain(&monitor.receives));
            for statement in &monitor.automaton.statements {
                if let Action::Event { channel, args, .. } = &statement.action {
                    read_by_trace.push(channel);
                    args.iter().for_each(|arg| arg.for_each_expr(&mut |expr| read_by_trace.push(expr)));
                }
            }
        }
        Observers {
            invariants: AccessSet::of_exprs(model, None, invariants),
            trace: AccessSet::of_exprs(model, None, read_by_trace),
        }
    }

    /// Whether it is read that no process can move.
    pub fn read_timeout(&self) -> bool {
        self.iter().any(|access| access.object == Object::Timeout)
    }

    /// All that they access.
    pub fn iter(&self) -> impl Iterator<Item = &Access<'a>> {
        self.invariants.iter().chain(self.trace.iter())
    }
}

/// What the derivation needs to know of a model.
pub struct Derivation<'a> {
    pub knowledge: Knowledge<'a>,
    pub sets: AccessSets<'a>,
    pub objects: Objects,
    /// There are rendezvous channels.
    pub has_rendezvous: bool,
    /// What partners compare and offer in a rendezvous, and what their `provided` clauses read.
    pub offered: Accesses,
    /// What the invariants of the model read.
    watched: ObjectSet,
    /// What the trace that is followed reads besides how far it is.
    by_trace: ObjectSet,
    /// The constants that messages over rendezvous channels begin with.
    tags: Vec<i32>,
}

/// An invariant or a trace has no variables of its own, so that any process type will do to evaluate what it reads.
const ANY_TYPE: ProctypeId = ProctypeId(0);

impl<'a> Derivation<'a> {
    pub fn new(knowledge: Knowledge<'a>, sets: AccessSets<'a>, observers: &Observers<'a>) -> Self {
        let has_rendezvous = knowledge.layout.shapes.iter().any(|shape| shape.capacity == 0);
        let tags = tags(knowledge);
        let accesses = sets.iter().chain(observers.iter());
        let objects = Objects::of(knowledge.model, knowledge.is_written, tags.len(), accesses);
        let offered = Accesses::default();
        let mut derivation =
            Derivation { knowledge, sets, objects, has_rendezvous, offered, watched: 0, by_trace: 0, tags };
        derivation.watched = derivation.read_by(&observers.invariants);
        derivation.by_trace = derivation.read_by(&observers.trace);
        derivation.offered = derivation.compute_offered();
        derivation
    }

    /// What an observer of the processes reads, in whatever state.
    fn read_by(&self, observer: &AccessSet<'_>) -> ObjectSet {
        let mut access = StatementAccess::default();
        observer.iter().for_each(|one| self.add(ANY_TYPE, one, Setting::First, &mut access));
        access.set.widened(&self.objects).accesses.read
    }

    /// Whether a set changes what an invariant reads.
    pub fn is_watched(&self, set: &TermSet) -> bool {
        let widened = set.widened(&self.objects);
        (widened.is_everything && self.watched != 0 || widened.accesses.changes() & self.watched != 0)
            && !Condition::StubbornInvariant.is_off()
    }

    /// Adds to what a step accesses that invariants are evaluated after it, if it changes what they read.
    pub fn add_invariants(&self, now: &mut TermSet) {
        if self.is_watched(now) {
            now.add_fixed(Accesses::of(self.watched, Mode::Read));
        }
    }

    /// What the `provided` clause of a process type reads.
    pub fn provided(&self, proctype: ProctypeId) -> TermSet {
        let clause = &self.knowledge.model.proctype(proctype).provided;
        clause.as_ref().map_or_else(TermSet::default, |clause| self.reads_of(proctype, clause))
    }

    /// A process that comes to a location, or leaves it, changes what remote references to it see.
    pub fn position(&self, location: u32) -> Accesses {
        let seen = if Condition::StubbornRemote.is_off() { 0 } else { self.objects.remote_location(location) };
        Accesses::of(seen, Mode::Written)
    }

    /// Those of the bits of an end of a rendezvous channel that stand for messages of a side: all, if it takes or offers any.
    pub fn tagged(&self, end: u8, side: Side<'_>) -> u8 {
        let at = first_constant(side).and_then(|first| self.tags.iter().position(|tag| *tag == first));
        let bits = at.map_or(FRONT, |at| 1 << (at as u32 % TAGS));
        end & (bits | bits << TAGS)
    }

    /// What an action accesses.
    pub fn statement(&self, proctype: ProctypeId, action: &Action, setting: Setting) -> StatementAccess {
        let mut access = StatementAccess::default();
        match action {
            Action::Condition(condition) if setting == Setting::First => {
                for conjunct in conjuncts(condition) {
                    self.test(proctype, conjunct, &mut access);
                }
            }
            Action::Assign { target, value } if is_counter(target, value) && target.scope == Scope::Global => {
                let indices = AccessSet::of_exprs(self.knowledge.model, Some(proctype), &target.indices);
                indices.iter().for_each(|one| self.add(proctype, one, setting, &mut access));
                self.add_cell(proctype, target, Mode::Counted, &mut access);
            }
            action => {
                let set = AccessSet::of_action(self.knowledge.model, Some(proctype), action);
                let setting = if action.block().is_some() { Setting::Inside } else { setting };
                if action.block().is_some() {
                    // what a value identifies may have changed before it is used
                    set.iter().for_each(|one| self.note_written(one, &mut access));
                }
                set.iter().for_each(|one| self.add(proctype, one, setting, &mut access));
            }
        }
        access
    }

    /// What decides whether an action can be executed, as something else happens if it cannot.
    pub fn guard(&self, proctype: ProctypeId, action: &Action) -> TermSet {
        let mut access = StatementAccess::default();
        let set = AccessSet::of_guard(self.knowledge.model, Some(proctype), action);
        set.iter().for_each(|one| self.add(proctype, one, Setting::Inside, &mut access));
        for one in action.synchronisations() {
            self.add_channel(proctype, one.channel, (Ends::reading(BOTH), Ends::reading(BOTH)), &mut access);
            access.set.add_fixed(if self.has_rendezvous { self.offered } else { Accesses::default() });
        }
        access.set
    }

    /// What is done with a channel.
    pub fn channel(&self, proctype: ProctypeId, channel: &Expr, buffered: Ends, rendezvous: Ends) -> TermSet {
        let mut access = StatementAccess::default();
        self.add_channel(proctype, channel, (buffered, rendezvous), &mut access);
        access.set
    }

    /// A process that comes to a location, or leaves it, changes who waits at a rendezvous channel.
    pub fn presence(&self, proctype: ProctypeId, location: &Location) -> TermSet {
        let mut access = StatementAccess::default();
        if !self.has_rendezvous || Condition::StubbornArrival.is_off() {
            return access.set;
        }
        let automaton = &self.knowledge.model.proctype(proctype).automaton;
        let actions = location.transitions.iter().map(|transition| &automaton.statement(transition.statement).action);
        for one in actions.flat_map(Action::synchronisations) {
            let side = match one.side {
                Side::Receive(_) => FRONT,
                Side::Send(_) => END,
            };
            let side = self.tagged(side, one.side);
            self.add_channel(proctype, one.channel, (Ends::NONE, Ends::counting(side)), &mut access);
        }
        access.set
    }

    /// Whether processes meet in an operation on a channel.
    pub fn meeting(&self, proctype: ProctypeId, channel: &Expr) -> Meeting {
        if !self.has_rendezvous {
            return Meeting::Never;
        }
        match self.knowledge.of(proctype, channel) {
            Some((Known::Constant(id), _)) => {
                let Knowledge { initial, layout, .. } = self.knowledge;
                match initial.channel(layout, id) {
                    Ok((_, shape)) if shape.capacity > 0 => Meeting::Never,
                    _ => Meeting::By(Known::Constant(id)),
                }
            }
            Some((known, _)) => Meeting::By(known),
            None => Meeting::Unknown,
        }
    }

    /// The partners without which a transition cannot be taken, because it is one side of a rendezvous. None if it may be something
    /// else, or if the process does not know the channel.
    pub fn partners(&self, proctype: ProctypeId, action: &Action) -> Option<TermSet> {
        let sync = action.synchronisation()?;
        let Meeting::By(_) = self.meeting(proctype, sync.channel) else { return None };
        let end = match sync.side {
            Side::Send(_) => FRONT,
            Side::Receive(_) => END,
        };
        let partners = Ends::reading(self.tagged(end, sync.side));
        Some(self.channel(proctype, sync.channel, Ends::NONE, partners))
    }

    /// A test: a part of a condition that does nothing but look at one channel reads the end by which it can become false.
    fn test(&self, proctype: ProctypeId, test: &Expr, access: &mut StatementAccess) {
        let (channel, end) = match test {
            Expr::NotEmpty(channel) | Expr::Full(channel) | Expr::Poll { channel, .. } => (channel, FRONT),
            Expr::Empty(channel) | Expr::NotFull(channel) => (channel, END),
            _ => {
                let set = AccessSet::of_expr(self.knowledge.model, Some(proctype), test);
                set.iter().for_each(|one| self.add(proctype, one, Setting::First, access));
                return;
            }
        };
        let mut parts: Vec<&Expr> = Vec::new();
        test.for_each_part(&mut |part| parts.push(part));
        for part in parts {
            let set = AccessSet::of_expr(self.knowledge.model, Some(proctype), part);
            set.iter().for_each(|one| self.add(proctype, one, Setting::First, access));
        }
        self.add_channel(proctype, channel, (Ends::reading(end), Ends::NONE), access);
    }

    fn add(&self, proctype: ProctypeId, one: &Access<'_>, setting: Setting, access: &mut StatementAccess) {
        match one.object {
            Object::Cell(var) if var.scope == Scope::Global => {
                let mode = if one.is_write() { Mode::Written } else { Mode::Read };
                self.add_cell(proctype, var, mode, access);
            }
            Object::Cell(var) if one.is_write() && !Condition::StubbornRemote.is_off() => {
                let seen = self.objects.remote_variable(proctype, var.var);
                access.set.add_fixed(Accesses::of(seen, Mode::Written));
            }
            Object::Cell(_) => {}
            Object::Queue { channel, op } => {
                if one.is_write() {
                    self.add_event(access);
                }
                let inside = setting == Setting::Inside && !Condition::StubbornInside.is_off();
                let buffered = buffered_ends(op, inside);
                let rendezvous =
                    if inside && op.is_write() { Ends { read: BOTH, counted: BOTH, written: 0 } } else { Ends::NONE };
                self.add_channel(proctype, channel, (buffered, rendezvous), access);
                let moves_another = inside && matches!(op, ChannelOp::Send(_)) && self.has_rendezvous;
                if moves_another && self.meeting(proctype, channel) != Meeting::Never {
                    self.add_moving(proctype, channel, access);
                }
            }
            Object::Processes => {
                let mode = if one.is_write() { Mode::Counted } else { Mode::Read };
                access.set.add_fixed(Accesses::of(PROCESSES, mode));
            }
            Object::Creation(created) => self.add_creation(created, access),
            Object::OwnChannels => access.set.add_fixed(self.objects.any_channel(Ends::writing(BOTH))),
            // `timeout` is false for as long as some process can move.
            Object::Timeout => {}
            // who is looked at, and whether it exists, depends on which processes there are
            Object::RemoteLocation { location, .. } => {
                let seen = self.objects.remote_location(location) | PROCESSES;
                access.set.add_fixed(Accesses::of(seen, Mode::Read));
            }
            Object::RemoteVariable { proctype, var, .. } => {
                let seen = self.objects.remote_variable(proctype, var) | PROCESSES;
                access.set.add_fixed(Accesses::of(seen, Mode::Read));
            }
            // These are in no model that is reduced.
            Object::Position(_)
            | Object::Enabledness(_)
            | Object::Progress
            | Object::LastMover
            | Object::Priorities => access.set.is_everything = true,
        }
        self.note_written(one, access);
    }

    /// A message is sent or received, which the trace of the model follows.
    fn add_event(&self, access: &mut StatementAccess) {
        if self.knowledge.model.monitor.is_some() && !Condition::StubbornTrace.is_off() {
            access.set.add_fixed(Accesses::of(self.objects.trace(), Mode::Written));
            access.set.add_fixed(Accesses::of(self.by_trace, Mode::Read));
        }
    }

    /// The step creates a process: its initial values are computed, it comes to its first location, where it may wait at a rendezvous
    /// channel, its channels have numbers that those of a process that has ended may have had, and all that it may do follows.
    fn add_creation(&self, created: ProctypeId, access: &mut StatementAccess) {
        let mut initial = StatementAccess::default();
        let inits = &self.sets.proctype(created).inits;
        inits.iter().for_each(|one| self.add(created, one, Setting::Inside, &mut initial));
        access.set.add_set(&self.objects, &initial.set, Locals::MAX);
        if !Condition::StubbornCreatedPresence.is_off() {
            let automaton = &self.knowledge.model.proctype(created).automaton;
            let start = automaton.location(automaton.start);
            access.set.add_set(&self.objects, &self.presence(created, start), Locals::MAX);
        }
        if !self.knowledge.layout.processes[created.index()].channels.is_empty()
            && !Condition::StubbornCreatedChannel.is_off()
        {
            access.set.add_fixed(self.objects.any_channel(Ends::writing(BOTH)));
        }
        access.set.add_fixed(Accesses::of(PROCESSES, Mode::Written));
        access.creates.push(created);
    }

    fn note_written(&self, one: &Access<'_>, access: &mut StatementAccess) {
        if let Some(var) = one.local().filter(|_| one.is_write()) {
            match local(var.var.index()) {
                Some(bit) => access.written |= bit,
                None => access.writes_others = true,
            }
        }
    }

    /// A cell of a global variable. One that no statement writes is no object.
    fn add_cell(&self, proctype: ProctypeId, var: &VarRef, mode: Mode, access: &mut StatementAccess) {
        let Some(cells) = self.objects.cells_of(var.var) else { return };
        let what = What::Cell { cells, mode };
        let dims = &self.knowledge.model.globals[var.var.index()].dims;
        let known = self.knowledge.of_indices(proctype, var).filter(|(_, locals)| locals & access.written == 0);
        match known {
            Some(_) if var.fits(dims) => {
                let indices = var.indices.iter().zip(dims);
                let cell = indices.fold(0, |cell, (index, dim)| cell * dim + index.as_constant().unwrap_or(0) as u32);
                access.set.add_fixed(Accesses::of(self.objects.cell(cells.0 + cell), mode));
            }
            Some((indices, locals)) => {
                access.set.add(&self.objects, Term { index: Known::Linear(indices), locals, what });
            }
            None => access.set.add_fixed(what.widened(&self.objects).accesses),
        }
    }

    /// An operation on a channel, as one on a buffered and as one on a rendezvous channel.
    fn add_channel(
        &self,
        proctype: ProctypeId,
        channel: &Expr,
        (buffered, rendezvous): (Ends, Ends),
        access: &mut StatementAccess,
    ) {
        let rendezvous = if self.has_rendezvous { rendezvous } else { Ends::NONE };
        if buffered == Ends::NONE && rendezvous == Ends::NONE {
            return;
        }
        self.add_what(proctype, channel, What::Channel { buffered, rendezvous, moves_another: false }, access);
    }

    /// A send in the middle of a step that may be a rendezvous.
    fn add_moving(&self, proctype: ProctypeId, channel: &Expr, access: &mut StatementAccess) {
        let (buffered, rendezvous) = (Ends::NONE, Ends::NONE);
        self.add_what(proctype, channel, What::Channel { buffered, rendezvous, moves_another: true }, access);
    }

    fn add_what(&self, proctype: ProctypeId, channel: &Expr, what: What, access: &mut StatementAccess) {
        match self.knowledge.of(proctype, channel).filter(|(_, locals)| locals & access.written == 0) {
            Some((index, locals)) => access.set.add(&self.objects, Term { index, locals, what }),
            None => {
                let widened = what.widened(&self.objects);
                access.set.add_fixed(widened.accesses);
                access.set.is_everything |= widened.is_everything;
            }
        }
    }

    /// What the messages offered over rendezvous channels, what they are compared with, and the `provided` clauses of those who wait there
    /// read.
    fn compute_offered(&self) -> Accesses {
        let mut offered = TermSet::default();
        if !self.has_rendezvous {
            return offered.fixed;
        }
        for (at, proctype) in self.knowledge.model.proctypes.iter().enumerate() {
            let id = ProctypeId(at as u32);
            for statement in &proctype.automaton.statements {
                for one in statement.action.synchronisations() {
                    if self.meeting(id, one.channel) != Meeting::Never {
                        offered.add_set(&self.objects, &self.message(id, one.side), Locals::MAX);
                        if !Condition::StubbornProvided.is_off() {
                            offered.add_set(&self.objects, &self.provided(id), Locals::MAX);
                        }
                    }
                }
            }
        }
        Accesses { read: offered.fixed.read, ..Accesses::default() }
    }

    /// What one side of a message reads.
    pub fn message(&self, proctype: ProctypeId, side: Side<'_>) -> TermSet {
        let mut all = TermSet::default();
        let mut add = |expr: &Expr| all.add_set(&self.objects, &self.reads_of(proctype, expr), 0);
        match side {
            Side::Send(args) => args.iter().for_each(add),
            Side::Receive(args) => args.iter().for_each(|arg| arg.for_each_expr(&mut add)),
        }
        all
    }

    /// What an expression reads.
    pub fn reads_of(&self, proctype: ProctypeId, expr: &Expr) -> TermSet {
        let mut access = StatementAccess::default();
        let set = AccessSet::of_expr(self.knowledge.model, Some(proctype), expr);
        set.iter().for_each(|one| self.add(proctype, one, Setting::First, &mut access));
        access.set
    }
}

/// The constant that a message begins with, or that its first field is compared with.
fn first_constant(side: Side<'_>) -> Option<i32> {
    match side {
        Side::Send(args) => args.first().and_then(Expr::as_constant),
        Side::Receive(args) => match args.first() {
            Some(ArgPattern::Match { value, .. }) => value.as_constant(),
            _ => None,
        },
    }
}

/// The constants that messages of the model begin with, as far as every rendezvous channel has room for them.
fn tags(knowledge: Knowledge<'_>) -> Vec<i32> {
    let shapes = || knowledge.layout.shapes.iter().filter(|shape| shape.capacity == 0);
    let fits =
        |tag: &i32| shapes().all(|shape| shape.fields.first().is_none_or(|field| field.cell.truncate(*tag) == *tag));
    let statements = knowledge.model.proctypes.iter().flat_map(|proctype| &proctype.automaton.statements);
    let sides = statements.flat_map(|statement| statement.action.synchronisations()).map(|one| one.side);
    let mut tags: Vec<i32> = sides.filter_map(first_constant).filter(fits).collect();
    tags.sort_unstable();
    tags.dedup();
    if shapes().next().is_some() { tags } else { Vec::new() }
}

/// What an operation does with a buffered channel. A message that can be sent is put at the end, one that can be received is
/// taken at the front, whatever happens at the other end; a test in an expression reads both.
fn buffered_ends(op: ChannelOp, inside: bool) -> Ends {
    let decides = if inside { Ends::reading(BOTH) } else { Ends::NONE };
    match op {
        ChannelOp::Send(Queueing::Last) => Ends::writing(END).and(decides),
        ChannelOp::Send(Queueing::Sorted) => Ends::writing(BOTH),
        ChannelOp::Receive(from) if from.keep => Ends::reading(FRONT).and(decides),
        ChannelOp::Receive(_) => Ends::writing(FRONT).and(decides),
        ChannelOp::Length | ChannelOp::Empty | ChannelOp::Full | ChannelOp::Poll { .. } => Ends::reading(BOTH),
    }
}

/// Whether an assignment adds a constant to its target.
fn is_counter(target: &VarRef, value: &Expr) -> bool {
    let is_target = |expr: &Expr| matches!(expr, Expr::Var(var) if var == target);
    match value {
        Expr::Binary(BinaryOp::Add, left, right) => {
            is_target(left) && right.as_constant().is_some() || is_target(right) && left.as_constant().is_some()
        }
        Expr::Binary(BinaryOp::Subtract, left, right) => is_target(left) && right.as_constant().is_some(),
        _ => false,
    }
}
