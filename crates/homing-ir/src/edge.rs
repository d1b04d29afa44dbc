//! The three parts of an edge: what has to hold (guard), with which other edge it is taken (synchronisation), and what it
//! does (update).
//!
//! A statement of Promela is stored as one [`Action`], and most actions have one part that is not trivial: a condition is
//! a guard, an assignment an update. A send and a receive have all three. What decides about executability, partners and
//! effects looks at these views and not at the kind of statement, so that an edge of an automata network (a condition, a
//! channel, a block of assignments) is one more action and no special case elsewhere.

use crate::{Action, ArgPattern, Block, Expr, ProctypeId, Queueing, ReceiveFrom, Signal, VarRef};

/// What has to hold for an edge to be taken, apart from its synchronisation.
#[derive(Clone, Copy, Debug)]
pub enum Guard<'a> {
    /// Holds in every state.
    Always,
    /// Holds in no state: the action stands for an event that a monitor follows.
    Never,
    /// Holds if no transition before it in its location can be taken.
    Else,
    /// Holds if the expression is not zero.
    Condition(&'a Expr),
    /// Holds if the channel has room for a message, and for every rendezvous channel: there the partner decides.
    Room(&'a Expr),
    /// Holds if the channel has a message that matches, and for no rendezvous channel: there the sender moves both.
    Message {
        /// The channel.
        channel: &'a Expr,
        /// What the fields are compared with.
        args: &'a [ArgPattern],
        /// Which messages are compared.
        from: ReceiveFrom,
    },
    /// Holds if the guard of one of the actions does: the first statements of a `d_step` that begins with a selection. An
    /// `else` among them never holds.
    AnyOf(&'a [Action]),
    /// Holds if no process is younger.
    Youngest,
}

/// One side of a rendezvous. The edge is taken together with one of another process that has the other side, if the
/// channel is a rendezvous channel.
#[derive(Clone, Copy, Debug)]
pub struct Synchronisation<'a> {
    /// The channel.
    pub channel: &'a Expr,
    /// Which side.
    pub side: Side<'a>,
}

/// The side of a [`Synchronisation`].
#[derive(Clone, Copy, Debug)]
pub enum Side<'a> {
    /// Offers a message with these fields.
    Send(&'a [Expr]),
    /// Takes a message whose fields match.
    Receive(&'a [ArgPattern]),
}

/// What an edge does when it is taken.
#[derive(Clone, Copy, Debug)]
pub enum Update<'a> {
    /// The process moves on, and that is all.
    Nothing,
    /// Stores a value.
    Assign {
        /// Where.
        target: &'a VarRef,
        /// The value.
        value: &'a Expr,
    },
    /// Computes values and drops them.
    Drop(&'a [Expr]),
    /// Computes values and prints them.
    Print(&'a [Expr]),
    /// Fails if the condition does not hold.
    Assert(&'a Expr),
    /// Puts a message into a channel. Over a rendezvous channel the message goes to the receiver.
    Enqueue {
        /// The channel.
        channel: &'a Expr,
        /// The fields of the message.
        args: &'a [Expr],
        /// Where among the messages it is put.
        queueing: Queueing,
    },
    /// Takes a message from a channel, or from the sender.
    Dequeue {
        /// The channel.
        channel: &'a Expr,
        /// What becomes of the fields.
        args: &'a [ArgPattern],
        /// Which message it is, and whether it stays.
        from: ReceiveFrom,
    },
    /// Sets the priority of a process.
    SetPriority {
        /// The process; its own without one.
        pid: Option<&'a Expr>,
        /// The priority.
        priority: &'a Expr,
    },
    /// Creates a process.
    Create {
        /// Of which type.
        proctype: ProctypeId,
        /// The values of its parameters.
        args: &'a [Expr],
        /// What is stored afterwards, and where.
        store: Option<&'a (VarRef, Expr)>,
    },
    /// Executes a block of statements.
    Block(&'a Block),
    /// Ends the process.
    End,
    /// Nothing: a monitor follows sends or receives of this kind.
    Follow {
        /// The channel.
        channel: &'a Expr,
        /// What the fields are compared with.
        args: &'a [ArgPattern],
    },
}

impl Action {
    /// What has to hold for the action to be executed.
    #[inline]
    pub fn guard(&self) -> Guard<'_> {
        match self {
            Action::Skip(_)
            | Action::Assign { .. }
            | Action::Discard(_)
            | Action::SetOwnPriority(_)
            | Action::SetPriority { .. }
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::PrintMtype(_)
            | Action::Run { .. } => Guard::Always,
            Action::Else => Guard::Else,
            Action::Condition(condition) => Guard::Condition(condition),
            Action::Send { channel, .. } => Guard::Room(channel),
            Action::Receive { channel, args, from } => Guard::Message { channel, args, from: *from },
            Action::DStep(block) => match &block.guards[..] {
                [] => Guard::Always,
                [Action::Else] => Guard::Else,
                guards => Guard::AnyOf(guards),
            },
            Action::Edge(edge) => edge.guard.as_ref().map_or(Guard::Always, Guard::Condition),
            Action::End => Guard::Youngest,
            Action::Event { .. } => Guard::Never,
        }
    }

    /// The rendezvous that the action can be one side of. A `d_step` that begins with a selection can have several: see
    /// [`Action::synchronisations`].
    #[inline]
    pub fn synchronisation(&self) -> Option<Synchronisation<'_>> {
        match self {
            Action::Send { channel, args, .. } => Some(Synchronisation { channel, side: Side::Send(args) }),
            Action::Receive { channel, args, from } if !from.keep => {
                Some(Synchronisation { channel, side: Side::Receive(args) })
            }
            _ => None,
        }
    }

    /// All rendezvous that the action can be one side of. A `d_step` can begin with the receipt of a message; its sends
    /// over rendezvous channels are errors.
    pub fn synchronisations(&self) -> impl Iterator<Item = Synchronisation<'_>> {
        let guards = match self {
            Action::DStep(block) => &block.guards[..],
            _ => &[],
        };
        let first = guards.iter().filter_map(Action::synchronisation);
        self.synchronisation().into_iter().chain(first.filter(|first| matches!(first.side, Side::Receive(_))))
    }

    /// The synchronisation over a channel of a network that the action is one side of.
    #[inline]
    pub fn signal(&self) -> Option<&Signal> {
        match self {
            Action::Edge(edge) => edge.signal.as_ref(),
            _ => None,
        }
    }

    /// What the action does.
    #[inline]
    pub fn update(&self) -> Update<'_> {
        match self {
            Action::Skip(_) | Action::Else | Action::Condition(_) => Update::Nothing,
            Action::Assign { target, value } => Update::Assign { target, value },
            Action::Discard(value) => Update::Drop(std::slice::from_ref(value)),
            Action::Print { args, .. } => Update::Print(args),
            Action::PrintMtype(value) => Update::Print(std::slice::from_ref(value)),
            Action::SetOwnPriority(priority) => Update::SetPriority { pid: None, priority },
            Action::SetPriority { pid, priority } => Update::SetPriority { pid: Some(pid), priority },
            Action::Send { channel, args, queueing } => Update::Enqueue { channel, args, queueing: *queueing },
            Action::Receive { channel, args, from } => Update::Dequeue { channel, args, from: *from },
            Action::Assert(condition) => Update::Assert(condition),
            Action::Run { proctype, args, store, .. } => {
                Update::Create { proctype: *proctype, args, store: store.as_ref() }
            }
            Action::DStep(block) => Update::Block(block),
            Action::Edge(edge) => edge.update.as_ref().map_or(Update::Nothing, Update::Block),
            Action::End => Update::End,
            Action::Event { channel, args, .. } => Update::Follow { channel, args },
        }
    }

    /// Whether the action is executed where nothing before it in its location can be.
    pub fn is_else(&self) -> bool {
        matches!(self.guard(), Guard::Else)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assign, number, receive, send, value, var};
    use crate::{BlockNode, NodeId};

    /// The kinds of the three parts.
    fn parts(action: &Action) -> (String, String, String) {
        let kind = |shown: String| shown.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
        let synchronisations: Vec<String> =
            action.synchronisations().map(|one| kind(format!("{:?}", one.side))).collect();
        (kind(format!("{:?}", action.guard())), synchronisations.join(" "), kind(format!("{:?}", action.update())))
    }

    #[test]
    fn each_action_has_three_parts() {
        let kept = ReceiveFrom { anywhere: false, keep: true };
        let d_step = |guards: Vec<Action>| {
            Action::DStep(Block { nodes: vec![BlockNode::Exit], entry: NodeId(0), guards, line: 1 })
        };
        for (action, guard, synchronisation, update) in [
            (Action::Skip("skip".into()), "Always", "", "Nothing"),
            (Action::Else, "Else", "", "Nothing"),
            (Action::Condition(number(1)), "Condition", "", "Nothing"),
            (assign(var("x"), number(1)), "Always", "", "Assign"),
            (send("c", number(1)), "Room", "Send", "Enqueue"),
            (receive("c", Vec::new()), "Message", "Receive", "Dequeue"),
            (Action::Receive { channel: value("c"), args: Vec::new(), from: kept }, "Message", "", "Dequeue"),
            (Action::End, "Youngest", "", "End"),
            (Action::Event { send: true, channel: value("c"), args: Vec::new() }, "Never", "", "Follow"),
            (d_step(Vec::new()), "Always", "", "Block"),
            (d_step(vec![Action::Else]), "Else", "", "Block"),
            (d_step(vec![receive("c", Vec::new()), send("c", number(1))]), "AnyOf", "Receive", "Block"),
        ] {
            let expected = (guard.to_owned(), synchronisation.to_owned(), update.to_owned());
            assert_eq!(parts(&action), expected, "{action:?}");
        }
    }
}
