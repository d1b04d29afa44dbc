//! Statements, executed on all values of the cells that they read and write.

use homing_ir::{Action, ArgPattern, Block, BlockNode, Cell, Expr, Guard, Queueing, ReceiveFrom, Scope, Side, VarRef};

use super::evaluate::{Pattern, may_fail};
use super::pure::find;
use super::space::{CellId, Kind};
use super::trial::{Offer, Stopped, Trial, Value};

/// The most statements of a block.
const LONGEST_BLOCK: u32 = 10_000;

/// Values that are not known are enumerated if a cell of this type has no more.
const FEW_VALUES: i64 = 16;

impl Trial<'_, '_> {
    /// Whether an action is executable by itself. A send over a rendezvous channel counts as executable.
    pub fn is_executable(&mut self, action: &Action) -> Result<bool, Stopped> {
        match action.guard() {
            Guard::Always => Ok(true),
            Guard::Never | Guard::Else => Ok(false),
            Guard::Condition(condition) => self.holds(condition),
            Guard::Room(channel) => {
                let index = self.channel(channel)?;
                let shape = self.space.model.shape(self.space.channels[index].shape);
                let most = shape.capacity as usize * shape.fields.len();
                let Some(cell) = self.space.channels[index].cell else { return Ok(true) };
                match self.observe(cell, |content| content.len() < most) {
                    Some(has_room) => Ok(has_room),
                    None => Ok(self.choose(2) == 0),
                }
            }
            Guard::Message { channel, args, from } => {
                let index = self.channel(channel)?;
                if self.space.channels[index].cell.is_none() {
                    return if from.keep { Err(Stopped::Fault) } else { Ok(false) };
                }
                let pattern = self.pattern(index, args)?;
                self.has_message(index, &pattern, from.anywhere)
            }
            Guard::AnyOf(actions) => {
                for action in actions {
                    if self.is_executable(action)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Guard::Youngest => {
                let next = self.pid + 1;
                Ok(next >= self.space.processes.len() || !self.is_alive(next))
            }
        }
    }

    /// The rendezvous channel that an action sends to.
    pub fn rendezvous(&mut self, action: &Action) -> Result<Option<usize>, Stopped> {
        let Some(synchronisation) = action.synchronisation() else { return Ok(None) };
        let Side::Send(_) = synchronisation.side else { return Ok(None) };
        let index = self.channel(synchronisation.channel)?;
        Ok(self.space.channels[index].cell.is_none().then_some(index))
    }

    /// The message that a send over a rendezvous channel offers.
    pub fn offer_of(&mut self, action: &Action, channel: usize) -> Result<Offer, Stopped> {
        let Action::Send { args, .. } = action else { return Err(Stopped::Blocked) };
        let message = self.message(channel, args)?;
        let fields = &self.space.model.shape(self.space.channels[channel].shape).fields;
        let cut = message.into_iter().zip(fields).map(|(value, field)| value.map(|value| field.cell.truncate(value)));
        Ok(Offer { channel, message: cut.collect() })
    }

    /// Whether an action receives a message that is on offer.
    pub fn takes(&mut self, action: &Action, offer: &Offer) -> Result<bool, Stopped> {
        for synchronisation in action.synchronisations() {
            let Side::Receive(args) = synchronisation.side else { continue };
            if self.eval(synchronisation.channel)?.is_some_and(|number| number != offer.channel as i32 + 1) {
                continue;
            }
            let pattern = self.pattern(offer.channel, args)?;
            let mut is_certain = true;
            let matches = pattern.iter().zip(&offer.message).all(|(pattern, field)| match (pattern, field) {
                (Pattern::Anything, _) => true,
                (Pattern::Value(wanted), Some(field)) => wanted == field,
                (Pattern::Unknown, _) | (Pattern::Value(_), None) => {
                    is_certain = false;
                    true
                }
            });
            if matches && (is_certain || self.choose(2) == 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Executes an action that is executable, without moving the process on.
    pub fn execute(&mut self, action: &Action) -> Result<(), Stopped> {
        match action {
            Action::Skip(_) | Action::Else | Action::Condition(_) | Action::Event { .. } | Action::End => Ok(()),
            Action::Print { args, .. } => args.iter().try_for_each(|arg| self.drop_value(arg)),
            Action::PrintMtype(value) | Action::Discard(value) => self.drop_value(value),
            Action::Assign { target, value } => self.assign(target, value),
            Action::Send { channel, args, queueing } => self.send(channel, args, *queueing),
            Action::Receive { channel, args, from } => self.receive(channel, args, *from),
            Action::Assert(condition) => {
                if !self.holds(condition)? && self.choose(2) == 0 {
                    return Err(Stopped::Assertion);
                }
                Ok(())
            }
            Action::Run { proctype, args, store, .. } => {
                args.iter().try_for_each(|arg| self.drop_value(arg))?;
                let child = self.create(*proctype)?;
                match store {
                    Some((target, Expr::NewPid)) => self.store(target, Some(child as i32)),
                    Some((target, _)) => self.store(target, None),
                    None => Ok(()),
                }
            }
            Action::DStep(block) => self.block(block),
            Action::Edge(edge) => edge.update.as_ref().map_or(Ok(()), |update| self.block(update)),
            Action::SetOwnPriority(_) | Action::SetPriority { .. } => {
                Err(Stopped::Refused("it uses priorities".to_owned()))
            }
        }
    }

    /// Evaluates an expression whose value is dropped: only that it may fail counts.
    pub fn drop_value(&mut self, expr: &Expr) -> Result<(), Stopped> {
        if may_fail(expr) { self.eval(expr).map(|_| ()) } else { Ok(()) }
    }

    fn assign(&mut self, target: &VarRef, value: &Expr) -> Result<(), Stopped> {
        if let Some((pure, Some(read))) = self.pure(value)
            && let Some(variable) = self.variable(target)
            && let Some(element) = self.constant_index(variable, &target.indices)
            && target.scope != Scope::Scratch
            && self.space.element(self.pid, target.scope, target.var, element) == read
            && let Kind::Element { cell, range, .. } = self.space.cell(read).kind
        {
            // what is written depends on nothing else: all values are followed together
            let fits = |value: i32| range.is_none_or(|(least, most)| (least..=most).contains(&value));
            let is_stored = |content: &[i32]| pure.eval(content).is_ok_and(fits);
            if self.observe(read, is_stored) == Some(false) {
                return Err(Stopped::Fault);
            }
            let after = |content: &[i32]| vec![cell.truncate(pure.eval(content).unwrap_or(0))];
            return self.update(read, after);
        }
        let value = self.eval(value)?;
        self.store(target, value)
    }

    /// Stores a value.
    pub fn store(&mut self, target: &VarRef, value: Value) -> Result<(), Stopped> {
        if target.scope == Scope::Scratch {
            let place = self.scratch_place(target)?;
            self.check_range(self.space.model.scratch[target.var.index()].range, value)?;
            self.scratch.insert(place, value);
            return Ok(());
        }
        let id = self.cell(target)?;
        let Kind::Element { cell, range, .. } = self.space.cell(id).kind else { unreachable!("a variable") };
        self.check_range(range, value)?;
        match value {
            Some(value) => self.write(id, &[cell.truncate(value)]),
            None => self.store_unknown(id),
        }
    }

    /// Fails if a value is outside of a range, and also if it may be.
    fn check_range(&mut self, range: Option<(i32, i32)>, value: Value) -> Result<(), Stopped> {
        let Some((least, most)) = range else { return Ok(()) };
        let fails = value.map_or_else(|| self.choose(2) == 0, |value| !(least..=most).contains(&value));
        if fails { Err(Stopped::Fault) } else { Ok(()) }
    }

    /// Stores a value that is not known: any that fits, if these are few.
    fn store_unknown(&mut self, id: CellId) -> Result<(), Stopped> {
        if !self.space.cell(id).is_tracked {
            return Ok(());
        }
        let Kind::Element { cell, range, scalar } = self.space.cell(id).kind else { unreachable!("a variable") };
        let (least, most) = match (scalar, range) {
            (homing_ir::Scalar::Chan, _) => (0, self.space.channels.len() as i32),
            (_, Some(range)) => range,
            (_, None) => span(cell),
        };
        let values = i64::from(most) - i64::from(least) + 1;
        if values > FEW_VALUES && scalar != homing_ir::Scalar::Chan {
            return Err(Stopped::Untracked(id));
        }
        let value = least + self.choose(values as usize) as i32;
        self.write(id, &[value])
    }

    /// The values of the fields of a message, before they are cut to the width of the fields.
    fn message(&mut self, channel: usize, args: &[Expr]) -> Result<Vec<Value>, Stopped> {
        let fields = self.space.model.shape(self.space.channels[channel].shape).fields.len();
        let message: Vec<Value> = args.iter().map(|arg| self.eval(arg)).collect::<Result<_, _>>()?;
        if message.len() == fields { Ok(message) } else { Err(Stopped::Fault) }
    }

    /// Puts a message into a buffered channel.
    fn send(&mut self, channel: &Expr, args: &[Expr], queueing: Queueing) -> Result<(), Stopped> {
        let index = self.channel(channel)?;
        let message = self.message(index, args)?;
        let Some(cell) = self.space.channels[index].cell else { return Err(Stopped::Fault) };
        if !self.space.cell(cell).is_tracked {
            return Ok(());
        }
        let shape = self.space.model.shape(self.space.channels[index].shape);
        let mut given = Vec::new();
        for (value, field) in message.into_iter().zip(&shape.fields) {
            given.push(match value {
                Some(value) => value,
                None => self.any_of(field.cell).ok_or(Stopped::Untracked(cell))?,
            });
        }
        let cut: Vec<i32> = given.iter().zip(&shape.fields).map(|(value, field)| field.cell.truncate(*value)).collect();
        let most = shape.capacity as usize * shape.fields.len();
        if self.observe(cell, |content| content.len() < most) == Some(false) {
            return Err(Stopped::Blocked);
        }
        self.update(cell, |content| {
            // messages are compared before they are cut to the width of their fields, as SPIN does
            let after = content.chunks(cut.len()).position(|held| given.iter().lt(held.iter()));
            let slot = match queueing {
                Queueing::Sorted => after.unwrap_or(content.len() / cut.len()),
                Queueing::Last => content.len() / cut.len(),
            };
            let mut longer = content.to_vec();
            longer.splice(slot * cut.len()..slot * cut.len(), cut.iter().copied());
            longer
        })
    }

    /// Any value of a type that has few.
    fn any_of(&mut self, cell: Cell) -> Value {
        let (least, most) = span(cell);
        let values = i64::from(most) - i64::from(least) + 1;
        (values <= FEW_VALUES).then(|| least + self.choose(values as usize) as i32)
    }

    /// Receives the message on offer, or from a buffered channel.
    fn receive(&mut self, channel: &Expr, args: &[ArgPattern], from: ReceiveFrom) -> Result<(), Stopped> {
        let index = self.channel(channel)?;
        if let Some(offer) = self.offer.take() {
            return if args.len() == offer.message.len() {
                self.bind(args, &offer.message)
            } else {
                Err(Stopped::Fault)
            };
        }
        let pattern = self.pattern(index, args)?;
        let Some(cell) = self.space.channels[index].cell else { return Err(Stopped::Fault) };
        let fields = &self.space.model.shape(self.space.channels[index].shape).fields;
        if args.len() != fields.len() {
            return Err(Stopped::Fault);
        }
        if !self.space.cell(cell).is_tracked {
            let mut message = Vec::new();
            for (field, pattern) in fields.iter().zip(&pattern) {
                let any = pattern.value().or_else(|| self.any_of(field.cell));
                message.push(any);
            }
            return self.bind(args, &message);
        }
        let width = fields.len();
        let wanted: Vec<Value> = pattern.iter().map(|field| field.value()).collect();
        // which message of several matches a value that is not known is not known either
        let capacity = self.space.model.shape(self.space.channels[index].shape).capacity as usize;
        let is_open = from.anywhere && pattern.contains(&Pattern::Unknown);
        let slot = is_open.then(|| self.choose(capacity));
        let place = |content: &[i32]| match slot {
            Some(slot) => (slot < content.len() / width).then_some(slot),
            None => find(content, width, &wanted, from.anywhere),
        };
        let message =
            self.observe(cell, |content| place(content).map(|slot| content[slot * width..(slot + 1) * width].to_vec()));
        let Some(message) = message.expect("the channel is tracked") else { return Err(Stopped::Blocked) };
        let message: Vec<Value> = message.into_iter().map(Some).collect();
        self.bind(args, &message)?;
        if from.keep {
            return Ok(());
        }
        self.update(cell, |content| {
            let mut shorter = content.to_vec();
            if let Some(slot) = place(content) {
                shorter.drain(slot * width..(slot + 1) * width);
            }
            shorter
        })
    }

    fn bind(&mut self, args: &[ArgPattern], message: &[Value]) -> Result<(), Stopped> {
        for (arg, value) in args.iter().zip(message) {
            if let ArgPattern::Bind(target) = arg {
                self.store(target, *value)?;
            }
        }
        Ok(())
    }

    /// Executes a block from its entry to its exit.
    pub fn block(&mut self, block: &Block) -> Result<(), Stopped> {
        let (mut at, mut is_checked) = (block.entry, false);
        loop {
            self.steps += 1;
            self.space.work += 1;
            if self.steps > LONGEST_BLOCK {
                return Err(Stopped::Refused("it has a d_step of very many statements".to_owned()));
            }
            match &block.nodes[at.0 as usize] {
                BlockNode::Exit => return Ok(()),
                BlockNode::Fail { .. } => return Err(Stopped::Fault),
                BlockNode::Do { action, next, .. } => {
                    if !is_checked && !self.is_executable_inside(action)? {
                        return Err(Stopped::Fault);
                    }
                    is_checked = false;
                    if self.rendezvous(action)?.is_some() {
                        return Err(Stopped::Fault);
                    }
                    self.execute(action)?;
                    at = *next;
                }
                BlockNode::Select { options, .. } => {
                    let mut chosen = None;
                    for option in options {
                        let is_executable = match &block.nodes[option.0 as usize] {
                            BlockNode::Do { action, .. } => self.is_executable_inside(action)?,
                            BlockNode::Select { .. } | BlockNode::Fail { .. } | BlockNode::Exit => true,
                        };
                        if is_executable {
                            chosen = Some(*option);
                            break;
                        }
                    }
                    at = chosen.ok_or(Stopped::Fault)?;
                    is_checked = true;
                }
            }
        }
    }

    /// Whether an action is executable inside a block. A message on offer is visible to receives alone.
    fn is_executable_inside(&mut self, action: &Action) -> Result<bool, Stopped> {
        match action.guard() {
            Guard::Else => Ok(true),
            Guard::Message { .. } if self.offer.is_some() => {
                let offer = self.offer.clone().expect("it was asked for");
                self.takes(action, &offer)
            }
            _ => {
                let offer = self.offer.take();
                let found = self.is_executable(action);
                self.offer = offer;
                found
            }
        }
    }
}

/// The least and the greatest number that a cell can hold.
fn span(cell: Cell) -> (i32, i32) {
    match cell {
        Cell::Bits(width) if width < 31 => (0, (1 << width) - 1),
        Cell::Byte => (0, 255),
        Cell::SignedByte => (i8::MIN.into(), i8::MAX.into()),
        Cell::Short => (i16::MIN.into(), i16::MAX.into()),
        Cell::Bits(_) | Cell::Int => (i32::MIN, i32::MAX),
    }
}
