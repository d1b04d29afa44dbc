//! Where control continues: the step that is reached at an element, past jumps and joins.

use super::flow::{ATOMIC, ElementId, Flow, Jump, Node};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// SPIN gives up on longer chains of jumps; a chain that long is a circle.
pub(super) const LONGEST_CHAIN: u32 = 500;

type Lowered<T> = Result<T, Diagnostic>;

impl Flow {
    pub fn target_of(&self, jump: &Jump, from: ElementId) -> Lowered<ElementId> {
        let target = self.jump_target(jump).ok_or_else(|| undefined_label(self, jump, from))?;
        self.forbid_jump_into_d_step(from, target)?;
        Ok(target)
    }

    pub fn forbid_jump_into_d_step(&self, from: ElementId, to: ElementId) -> Lowered<()> {
        let (from, to) = (self.element(from), self.element(to));
        if from.d_step == to.d_step {
            return Ok(());
        }
        Err(Diagnostic::error(from.span, "this jump leads into a d_step")
            .note(to.span, "the d_step is here")
            .help("put a `skip` in front of the d_step and jump to that"))
    }

    /// The first step of an option or block: joins and `unless` are passed through.
    pub fn hunt_start(&self, from: ElementId) -> Lowered<ElementId> {
        let mut at = from;
        for _ in 0..LONGEST_CHAIN {
            let element = self.element(at);
            at = match (&element.node, element.next) {
                (Node::Join, Some(next)) => next,
                (Node::Unless, _) => self.first_of_main(at),
                _ => return Ok(at),
            };
        }
        Err(circle(self.element(from).span))
    }

    fn first_of_main(&self, unless: ElementId) -> ElementId {
        let main = self.element(unless).options[0];
        self.sequence(main).first.expect("an unless has a main sequence")
    }

    /// The control state that is reached at an element: jumps and joins take no step. But inside an atomic sequence a
    /// way out of it is a state of its own, because control can be lost there.
    pub fn hunt(&self, from: ElementId, status: u8) -> Lowered<ElementId> {
        let mut at = from;
        for _ in 0..LONGEST_CHAIN {
            let element = self.element(at);
            let next = match &element.node {
                Node::Goto(jump) => {
                    let target = self.target_of(jump, at)?;
                    if target == at {
                        return Err(circle(element.span));
                    }
                    target
                }
                Node::Join | Node::Break => match element.next {
                    Some(next) => next,
                    None => return Ok(at),
                },
                Node::Unless => self.hunt(self.first_of_main(at), status)?,
                _ => return Ok(at),
            };
            if status & ATOMIC != 0 && self.element(next).status & ATOMIC == 0 {
                return Ok(at);
            }
            at = next;
        }
        Err(circle(self.element(from).span))
    }
}

pub(super) fn undefined_label(flow: &Flow, jump: &Jump, from: ElementId) -> Diagnostic {
    let Jump::Label { name, span, .. } = jump else {
        return Diagnostic::error(flow.element(from).span, "`break` out of nothing");
    };
    let diagnostic = Diagnostic::error(*span, format!("there is no label `{name}` in this process type"));
    match crate::spelling::nearest(name, flow.labels.iter().map(|label| &*label.name)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!("put `{name}:` in front of the statement to jump to")),
    }
}

pub(super) fn circle(span: Span) -> Diagnostic {
    Diagnostic::error(
        span,
        format!("jumps lead around in a circle, or on for more than {LONGEST_CHAIN}, without a step"),
    )
    .help("put a statement such as `skip` on the way")
}
