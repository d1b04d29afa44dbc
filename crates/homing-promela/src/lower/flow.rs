//! Control flow as SPIN builds it: elements, strung together in sequences.
//!
//! Every statement becomes an element, numbered in the order in which it is complete: the statements inside a selection
//! before the selection itself. Selections and loops have further elements for their joins. The numbers are those of
//! `pan -d` and of trail files, and which elements are control states of their own (and so are counted, and stand in a
//! trail) depends on this structure; so it is built the same way, step by step.

use std::collections::HashSet;
use std::sync::Arc;

use homing_ir::{Action, Place};

use super::labels::{Label, LabelTable};
use super::symbols::BlockPath;
use crate::ast::Name;
use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SequenceId(pub u32);

/// The target of a `break`: the loop it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExitId(pub u32);

#[derive(Clone, Debug)]
pub enum Jump {
    /// `goto`, with the block it stands in.
    Label {
        name: Name,
        block: Arc<BlockPath>,
        span: Span,
    },
    Break(ExitId),
}

/// What an element stands for.
#[derive(Clone, Debug)]
pub enum Node {
    Basic(Action),
    /// `skip`, `true`, `1`
    Skip,
    Else,
    Goto(Jump),
    /// The join after a selection, or before a loop.
    Join,
    /// The join after a loop.
    Break,
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    DStep(SequenceId),
    Block(SequenceId),
    /// The end of the process.
    End,
}

/// Inside an atomic sequence, not its last step.
pub const ATOMIC: u8 = 1;
/// The last step of an atomic sequence.
pub const ATOMIC_LAST: u8 = 2;
/// Inside a `d_step`.
pub const IN_D_STEP: u8 = 4;
/// Written to the transition tables.
pub const DONE: u8 = 8;
/// Its label is referred to from another process.
pub const REMOTE: u8 = 16;

#[derive(Clone, Debug)]
pub struct Element {
    pub node: Node,
    pub next: Option<ElementId>,
    /// The options of a selection; the main sequence and the escape of an `unless`.
    pub options: Vec<SequenceId>,
    /// Escapes that apply here, outermost first.
    pub escapes: Vec<SequenceId>,
    pub status: u8,
    /// The number within the process type.
    pub number: u32,
    /// The number within the model.
    pub serial: u32,
    pub place: Place,
    pub span: Span,
    /// The `d_step` it was written in, by the serial number at which that began.
    pub d_step: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element as written, before joins were appended.
    pub extent: Option<ElementId>,
}

/// A statement whose parts are built but which has no element yet.
pub struct Built {
    pub kind: BuiltKind,
    pub place: Place,
    pub span: Span,
}

pub enum BuiltKind {
    Plain(Node),
    If(Vec<SequenceId>),
    Do(Vec<SequenceId>, ExitId),
    Unless(SequenceId, SequenceId),
    Label(Name, Arc<BlockPath>, Box<Built>),
}

/// The control flow of one process type.
#[derive(Debug, Default)]
pub struct Flow {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    pub labels: LabelTable,
    /// The loops: SPIN's number of each in the model, and the join after it.
    pub exits: Vec<(u32, Option<ElementId>)>,
    open: Vec<SequenceId>,
    /// The next number within the process type.
    pub next_number: u32,
    /// The serial number at which the `d_step` being built began.
    pub d_step: Option<u32>,
    /// The whole body.
    pub body: Option<SequenceId>,
    /// Which escapes every state of a sequence can be left through already.
    escaped: HashSet<(SequenceId, SequenceId)>,
}

/// Why a sequence cannot stand as it is.
pub enum FlowError {
    DuplicateLabel(Span, Span),
    DuplicateElse(Span),
}

impl Flow {
    pub fn new() -> Self {
        Flow { next_number: 1, ..Flow::default() }
    }

    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0 as usize]
    }

    pub fn element_mut(&mut self, id: ElementId) -> &mut Element {
        &mut self.elements[id.0 as usize]
    }

    pub fn sequence(&self, id: SequenceId) -> &Sequence {
        &self.sequences[id.0 as usize]
    }

    pub fn sequence_mut(&mut self, id: SequenceId) -> &mut Sequence {
        &mut self.sequences[id.0 as usize]
    }

    pub fn open(&mut self) {
        let id = SequenceId(self.sequences.len() as u32);
        self.sequences.push(Sequence::default());
        self.open.push(id);
    }

    /// Ends the sequence opened last.
    pub fn close(&mut self) -> SequenceId {
        let id = self.open.pop().expect("a sequence is open");
        let sequence = self.sequence_mut(id);
        sequence.extent = sequence.last;
        id
    }

    pub fn is_empty(&self, id: SequenceId) -> bool {
        self.sequence(id).first.is_none()
    }

    /// The label in front of the first element of a sequence.
    pub fn first_label(&self, id: SequenceId) -> Option<&Label> {
        self.labels.of(self.sequence(id).first?).next()
    }

    pub fn new_exit(&mut self, number: &mut u32) -> ExitId {
        self.exits.push((*number, None));
        *number += 1;
        ExitId(self.exits.len() as u32 - 1)
    }

    /// The elements from one to another, along their links.
    pub fn chain(&self, first: Option<ElementId>, last: Option<ElementId>) -> Vec<ElementId> {
        let mut chain = Vec::new();
        let mut at = first;
        while let Some(id) = at {
            chain.push(id);
            if Some(id) == last {
                break;
            }
            at = self.element(id).next;
        }
        chain
    }

    fn create(&mut self, node: Node, place: Place, span: Span, serial: &mut u32) -> ElementId {
        // A d_step's own element belongs to it as well: jumping to it is jumping into it.
        let d_step = match node {
            Node::DStep(body) => self.sequence(body).first.and_then(|first| self.element(first).d_step),
            _ => self.d_step,
        };
        self.elements.push(Element {
            node,
            next: None,
            options: Vec::new(),
            escapes: Vec::new(),
            status: 0,
            number: self.next_number,
            serial: *serial,
            place,
            span,
            d_step,
        });
        self.next_number += 1;
        *serial += 1;
        ElementId(self.elements.len() as u32 - 1)
    }

    /// Appends a statement to the sequence opened last.
    pub fn add(&mut self, built: Built, serial: &mut u32) -> Result<(), FlowError> {
        let open = *self.open.last().expect("a sequence is open");
        let mut labels = Vec::new();
        let mut built = built;
        while let BuiltKind::Label(name, block, inner) = built.kind {
            labels.push((name, block, built.span));
            built = *inner;
        }
        let (place, span) = (built.place, built.span);
        let plain = matches!(built.kind, BuiltKind::Plain(_));
        let element = match built.kind {
            BuiltKind::Plain(node) => self.create(node, place, span, serial),
            BuiltKind::If(options) => self.add_selection(Node::If, options, None, place, span, serial)?,
            BuiltKind::Do(options, exit) => self.add_selection(Node::Do, options, Some(exit), place, span, serial)?,
            BuiltKind::Unless(main, escape) => self.add_unless(main, escape, place, span, serial),
            BuiltKind::Label(..) => unreachable!("labels were taken off"),
        };
        for (name, block, span) in labels.into_iter().rev() {
            if let Err(twice) = self.labels.add(Label { name, block, element, span }) {
                return Err(FlowError::DuplicateLabel(span, twice.span));
            }
        }
        if plain {
            self.append(element, open, serial);
        }
        Ok(())
    }

    fn append(&mut self, element: ElementId, to: SequenceId, serial: &mut u32) {
        if matches!(self.element(element).node, Node::Goto(_)) && self.has_special_label(element) {
            // A jump takes no step in general, so a label that means something gets a step to stand on.
            let (place, span) = (self.element(element).place, self.element(element).span);
            let skip = self.create(Node::Skip, place, span, serial);
            self.labels.shift_last(element, skip);
            self.link(skip, to);
        }
        self.link(element, to);
    }

    fn link(&mut self, element: ElementId, to: SequenceId) {
        match self.sequence(to).last {
            None => self.sequence_mut(to).first = Some(element),
            Some(last) => self.element_mut(last).next = Some(element),
        }
        self.sequence_mut(to).last = Some(element);
    }

    fn has_special_label(&self, element: ElementId) -> bool {
        let special = |name: &str| ["accept", "end", "progress"].iter().any(|prefix| name.starts_with(prefix));
        self.labels.of(element).any(|label| special(&label.name))
    }

    pub fn has_label(&self, element: ElementId) -> bool {
        self.labels.of(element).next().is_some()
    }

    fn add_selection(
        &mut self,
        node: Node,
        mut options: Vec<SequenceId>,
        exit: Option<ExitId>,
        place: Place,
        span: Span,
        serial: &mut u32,
    ) -> Result<ElementId, FlowError> {
        let open = *self.open.last().expect("a sequence is open");
        let head = self.create(node, place, span, serial);
        let mut join = self.create(Node::Join, place, span, serial);
        // `else` moves to the end of its selection.
        let is_else = |flow: &Flow, option: SequenceId| {
            flow.sequence(option).first.is_some_and(|first| matches!(flow.element(first).node, Node::Else))
        };
        let elses: Vec<usize> = (0..options.len()).filter(|&at| is_else(self, options[at])).collect();
        if elses.len() > 1 {
            let second = self.sequence(options[elses[1]]).first.expect("it begins with else");
            return Err(FlowError::DuplicateElse(self.element(second).span));
        }
        if let Some(&at) = elses.first() {
            let option = options.remove(at);
            options.push(option);
        }
        for &option in &options {
            self.link(join, option);
        }
        self.element_mut(head).options = options;
        if let Some(exit) = exit {
            self.link(join, open);
            join = self.create(Node::Break, place, span, serial);
            self.exits[exit.0 as usize].1 = Some(join);
        }
        self.link(head, open);
        self.link(join, open);
        Ok(head)
    }

    fn add_unless(
        &mut self,
        main: SequenceId,
        escape: SequenceId,
        place: Place,
        span: Span,
        serial: &mut u32,
    ) -> ElementId {
        let open = *self.open.last().expect("a sequence is open");
        let head = self.create(Node::Unless, place, span, serial);
        let join = self.create(Node::Join, place, span, serial);
        self.element_mut(head).options = vec![main, escape];
        self.link(join, main);
        self.link(join, escape);
        self.attach_escape(main, escape);
        self.link(head, open);
        self.link(join, open);
        head
    }

    /// Lets every state of a sequence be left through an escape.
    fn attach_escape(&mut self, main: SequenceId, escape: SequenceId) {
        if !self.escaped.insert((main, escape)) {
            return; // it was reached from another of its states
        }
        let Sequence { first, extent, .. } = *self.sequence(main);
        for element in self.chain(first, extent) {
            self.attach_escape_to(element, escape);
        }
    }

    fn attach_escape_to(&mut self, element: ElementId, escape: SequenceId) {
        if self.element(element).escapes.contains(&escape) {
            return;
        }
        // An outer escape also leaves the inner ones.
        for inner in self.element(element).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.element_mut(element).escapes.insert(0, escape);
        match self.element(element).node.clone() {
            Node::Unless => {
                let main = self.element(element).options[0];
                self.attach_escape(main, escape);
            }
            Node::If | Node::Do => {
                for option in self.element(element).options.clone() {
                    self.attach_escape(option, escape);
                }
            }
            // Only the guard of a d_step can be left.
            Node::DStep(body) => {
                if let Some(first) = self.sequence(body).first {
                    self.attach_escape_to(first, escape);
                }
            }
            Node::Atomic(body) | Node::Block(body) => self.attach_escape(body, escape),
            _ => {}
        }
    }

    /// Marks the steps of an atomic sequence, or of a `d_step` with `extra`.
    pub fn make_atomic(&mut self, body: SequenceId, extra: u8) {
        let Sequence { first, last, .. } = *self.sequence(body);
        self.mark_atomic(first, last, extra); // also what is inside
        let mut body = body;
        loop {
            let Some(last) = self.sequence(body).last else { return };
            match self.element(last).node {
                Node::Block(inner) | Node::Atomic(inner) => body = inner,
                Node::Unless => body = self.element(last).options[0],
                _ => {
                    let status = &mut self.element_mut(last).status;
                    *status = (*status & !ATOMIC) | ATOMIC_LAST;
                    return;
                }
            }
        }
    }

    fn mark_atomic(&mut self, first: Option<ElementId>, last: Option<ElementId>, extra: u8) {
        for id in self.chain(first, last) {
            self.element_mut(id).status |= ATOMIC | extra;
            let inner = match self.element(id).node {
                Node::Atomic(body) | Node::Block(body) => Some(body),
                Node::DStep(body) if extra != 0 => Some(body),
                _ => None,
            };
            if let Some(body) = inner {
                self.element_mut(id).node = Node::Block(body);
                let Sequence { first, last, .. } = *self.sequence(body);
                self.mark_atomic(first, last, extra);
            }
            for option in self.element(id).options.clone() {
                let Sequence { first, last, .. } = *self.sequence(option);
                self.mark_atomic(first, last, extra);
            }
        }
    }

    /// Drops all but the first of several skips in a row from the options of a selection, as SPIN does.
    pub fn prune_skips(&mut self, options: &[SequenceId]) {
        for &option in options {
            let Sequence { first, last, extent } = *self.sequence(option);
            let mut before: Option<ElementId> = None;
            let mut in_a_row = 0;
            for id in self.chain(first, None) {
                let prints = matches!(self.element(id).node, Node::Basic(Action::Print { .. } | Action::PrintMtype(_)));
                let skips = prints || matches!(self.element(id).node, Node::Skip);
                if !skips || self.has_label(id) {
                    in_a_row = 0;
                } else {
                    in_a_row += 1;
                    let ends = [first, last, extent].contains(&Some(id));
                    if in_a_row > 1 && !prints && !ends {
                        let next = self.element(id).next;
                        self.element_mut(id).status |= DONE;
                        if let Some(before) = before {
                            self.element_mut(before).next = next;
                        }
                        continue;
                    }
                }
                before = Some(id);
            }
        }
    }

    /// Makes the label's element a step of its own if it is a jump: a remote reference needs a state to look at.
    pub fn make_visible(&mut self, label: usize, serial: &mut u32) {
        let id = self.labels.get(label).element;
        let element = self.element(id).clone();
        self.element_mut(id).status |= REMOTE;
        if !matches!(element.node, Node::Goto(_)) {
            return;
        }
        // As in SPIN the jump itself belongs to no atomic sequence and has no escape.
        let outside = Element { status: 0, escapes: Vec::new(), ..element };
        self.elements.push(Element { number: self.next_number, serial: *serial, ..outside });
        self.next_number += 1;
        *serial += 1;
        let jump = ElementId(self.elements.len() as u32 - 1);
        self.element_mut(id).node = Node::Skip;
        self.element_mut(id).next = Some(jump);
    }

    /// Where a jump leads, if its target exists.
    pub fn jump_target(&self, jump: &Jump) -> Option<ElementId> {
        match jump {
            Jump::Label { name, block, .. } => {
                self.labels.find(name, block).map(|label| self.labels.get(label).element)
            }
            Jump::Break(exit) => self.exits[exit.0 as usize].1,
        }
    }
}
