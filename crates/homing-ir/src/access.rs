//! Access sets: what each statement reads and writes, derived once and used by every reduction.
//!
//! An access set is symbolic: an index or a channel is an expression of the process that executes the statement. Who needs
//! to know the cell or the channel evaluates the expression in a state, or assumes the whole variable and every channel.
//! The accesses of a set are listed in the order in which they happen, as far as one can change what another means: in
//! `c?i,a[i]` the index of the second write is the value of the first.
//!
//! Everything a process can share with another is an [`Object`]. Two statements of different processes are independent if
//! neither writes an object that the other accesses. Of a buffered channel the two ends are apart: [`ChannelOp::ends`] says
//! which operation accesses which end, and in which states. What a process listens to at a location is not a matter of
//! one statement: see [`listened_channels`].

use crate::derivation::Derivation;
use crate::{
    Action, Automaton, ChannelOp, Expr, Guard, InitValue, Location, Model, Proctype, ProctypeId, Scope, Side,
    StatementId, VarId, VarRef,
};

/// What a statement accesses, as a term over expressions of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object<'m> {
    /// A cell of a global variable, or of a local of the process itself.
    Cell(&'m VarRef),
    /// The messages of a channel, by an operation that accesses one or both of its ends.
    Queue {
        /// The channel.
        channel: &'m Expr,
        /// What is done with it.
        op: ChannelOp,
    },
    /// Which processes exist: `_nr_pr` reads it, the end of a process writes it.
    Processes,
    /// All that a new process of this type may access.
    Creation(ProctypeId),
    /// The channels that the process created and that end with it.
    OwnChannels,
    /// Whether another process stands at a location.
    RemoteLocation {
        /// Of this type.
        proctype: ProctypeId,
        /// The process; without one, the first of its type.
        pid: Option<&'m Expr>,
        /// The location.
        location: u32,
    },
    /// A local variable of another process.
    RemoteVariable {
        /// Of this type.
        proctype: ProctypeId,
        /// The process; without one, the first of its type.
        pid: Option<&'m Expr>,
        /// The variable.
        var: VarId,
    },
    /// Where a process stands: `pc_value`.
    Position(&'m Expr),
    /// Whether a process has an executable statement: `enabled`.
    Enabledness(&'m Expr),
    /// Whether some process stands at a progress label: `np_`.
    Progress,
    /// The process that moved last: `_last`.
    LastMover,
    /// The priorities of processes.
    Priorities,
    /// Whether no process can move: `timeout`.
    Timeout,
}

/// What a value that is read is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'m> {
    /// It decides what happens: a condition, an index, a channel, a message, an assertion, a parameter.
    Needed,
    /// It is printed, and used for nothing else.
    Printed,
    /// It is computed and dropped.
    Dropped,
    /// It is stored there, and used for nothing else.
    StoredIn(&'m VarRef),
}

/// How an object is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind<'m> {
    /// The value is read.
    Read {
        /// What for.
        purpose: Purpose<'m>,
        /// The value decides whether the computation it is a part of fails. Of no meaning where the purpose is
        /// [`Purpose::Needed`].
        decides_failure: bool,
    },
    /// The object is changed.
    Write {
        /// The value need not be stored: no failure is lost with the store, or the failure can be computed without it.
        is_droppable: bool,
    },
}

/// One access of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'m> {
    /// What is accessed.
    pub object: Object<'m>,
    /// How.
    pub kind: AccessKind<'m>,
}

impl<'m> Access<'m> {
    /// Whether the object is changed.
    pub fn is_write(&self) -> bool {
        matches!(self.kind, AccessKind::Write { .. })
    }

    /// The global variable whose cell is accessed.
    pub fn global(&self) -> Option<&'m VarRef> {
        self.variable(Scope::Global)
    }

    /// The local variable whose cell is accessed.
    pub fn local(&self) -> Option<&'m VarRef> {
        self.variable(Scope::Local)
    }

    fn variable(&self, scope: Scope) -> Option<&'m VarRef> {
        match self.object {
            Object::Cell(var) if var.scope == scope => Some(var),
            _ => None,
        }
    }
}

/// What a statement accesses.
#[derive(Clone, Debug, Default)]
pub struct AccessSet<'m> {
    pub(crate) accesses: Vec<Access<'m>>,
    pub(crate) may_block: bool,
    pub(crate) may_fail: bool,
}

impl<'m> AccessSet<'m> {
    /// What an action accesses that a process of the type executes; of a `d_step` all that may be accessed inside it. A claim
    /// or monitor has no process type.
    pub fn of_action(model: &'m Model, proctype: Option<ProctypeId>, action: &'m Action) -> Self {
        let mut derivation = Derivation::new(model, proctype);
        derivation.action(action);
        derivation.set.may_block = !matches!(action.guard(), Guard::Always);
        derivation.set
    }

    /// What decides whether an action can be executed. The channel of a synchronisation is among it, its partners are not.
    pub fn of_guard(model: &'m Model, proctype: Option<ProctypeId>, action: &'m Action) -> Self {
        let mut derivation = Derivation::new(model, proctype);
        derivation.guard(action);
        derivation.set.may_block = !matches!(action.guard(), Guard::Always);
        derivation.set
    }

    /// What an expression reads.
    pub fn of_expr(model: &'m Model, proctype: Option<ProctypeId>, expr: &'m Expr) -> Self {
        let mut derivation = Derivation::new(model, proctype);
        derivation.read(expr, Purpose::Needed);
        derivation.set
    }

    /// What several expressions read.
    pub fn of_exprs(model: &'m Model, proctype: Option<ProctypeId>, exprs: impl IntoIterator<Item = &'m Expr>) -> Self {
        let mut derivation = Derivation::new(model, proctype);
        exprs.into_iter().for_each(|expr| derivation.read(expr, Purpose::Needed));
        derivation.set
    }

    /// The accesses in order.
    pub fn iter(&self) -> impl Iterator<Item = &Access<'m>> {
        self.accesses.iter()
    }

    /// The variables that are written.
    pub fn written_variables(&self) -> impl Iterator<Item = &'m VarRef> {
        self.accesses.iter().filter(|access| access.is_write()).filter_map(|access| match access.object {
            Object::Cell(var) => Some(var),
            _ => None,
        })
    }

    /// Whether there are states in which the statement cannot be executed.
    pub fn may_block(&self) -> bool {
        self.may_block
    }

    /// Whether the statement can fail: an assertion, or what has no meaning. False only if that is plain to see.
    pub fn may_fail(&self) -> bool {
        self.may_fail
    }
}

/// The access sets of a process type.
#[derive(Clone, Debug)]
pub struct ProctypeAccess<'m> {
    /// By [`StatementId`].
    pub statements: Vec<AccessSet<'m>>,
    /// Of its `provided` clause.
    pub provided: AccessSet<'m>,
    /// Of the initial values of its locals.
    pub inits: AccessSet<'m>,
}

impl<'m> ProctypeAccess<'m> {
    fn of(model: &'m Model, id: ProctypeId, proctype: &'m Proctype) -> Self {
        let statements = proctype.automaton.statements.iter();
        let values = proctype.inits.iter().filter_map(|init| match &init.value {
            InitValue::Value(value) => Some(value),
            InitValue::Channel(_) => None,
        });
        ProctypeAccess {
            statements: statements.map(|one| AccessSet::of_action(model, Some(id), &one.action)).collect(),
            provided: AccessSet::of_exprs(model, Some(id), &proctype.provided),
            inits: AccessSet::of_exprs(model, Some(id), values),
        }
    }

    /// All accesses of processes of the type.
    pub fn iter(&self) -> impl Iterator<Item = &Access<'m>> {
        let sets = self.statements.iter().chain([&self.provided, &self.inits]);
        sets.flat_map(AccessSet::iter)
    }
}

/// The access sets of a model.
#[derive(Clone, Debug)]
pub struct AccessSets<'m> {
    proctypes: Vec<ProctypeAccess<'m>>,
    globals: usize,
}

impl<'m> AccessSets<'m> {
    /// Derives the access sets of all statements of a model.
    pub fn of(model: &'m Model) -> Self {
        let ids = (0..).map(ProctypeId);
        let proctypes = ids.zip(&model.proctypes).map(|(id, proctype)| ProctypeAccess::of(model, id, proctype));
        AccessSets { proctypes: proctypes.collect(), globals: model.globals.len() }
    }

    /// Those of a process type.
    pub fn proctype(&self, id: ProctypeId) -> &ProctypeAccess<'m> {
        &self.proctypes[id.index()]
    }

    /// That of a statement.
    pub fn statement(&self, proctype: ProctypeId, statement: StatementId) -> &AccessSet<'m> {
        &self.proctypes[proctype.index()].statements[statement.index()]
    }

    /// Those of all process types, by [`ProctypeId`].
    pub fn proctypes(&self) -> impl Iterator<Item = &ProctypeAccess<'m>> {
        self.proctypes.iter()
    }

    /// All accesses of all processes.
    pub fn iter(&self) -> impl Iterator<Item = &Access<'m>> {
        self.proctypes.iter().flat_map(ProctypeAccess::iter)
    }

    /// By global variable: whether some statement writes it.
    pub fn written_globals(&self) -> Vec<bool> {
        let mut written = vec![false; self.globals];
        for access in self.iter().filter(|access| access.is_write()) {
            if let Some(var) = access.global() {
                written[var.var.index()] = true;
            }
        }
        written
    }
}

/// The channels of the receives in front of which a process stands at the location: where one is a rendezvous channel, a
/// process that comes to the location or leaves it changes who listens to it.
pub fn listened_channels<'m>(automaton: &'m Automaton, location: &'m Location) -> impl Iterator<Item = &'m Expr> {
    let actions = location.transitions.iter().map(|transition| &automaton.statement(transition.statement).action);
    let receives = actions.flat_map(Action::synchronisations);
    receives.filter(|one| matches!(one.side, Side::Receive(_))).map(|one| one.channel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::Printer;
    use crate::testing::{P, assign, binary, element, number, receive, send, straight, value, var};
    use crate::{ArgPattern, BinaryOp, Block, BlockNode, NodeId, Place, ReceiveFrom};

    /// The access set of an action, in words. A read of a value that is needed is `r`, one that is printed `p`, dropped `d`
    /// or stored `s`, with `!` if it decides whether the computation fails; a write is `w`, and `W` if it must stay.
    fn accesses(action: Action) -> String {
        let model = straight(vec![action]);
        let set = AccessSet::of_action(&model, Some(P), &model.proctypes[0].automaton.statements[0].action);
        in_words(&model, &set)
    }

    fn in_words(model: &Model, set: &AccessSet) -> String {
        let printer = Printer { model, proctype: Some(P) };
        let object = |object: Object| match object {
            Object::Cell(var) => printer.expr(&Expr::Var(var.clone())),
            Object::Queue { channel, op } => format!("{op:?} {}", printer.expr(channel)),
            other => format!("{other:?}"),
        };
        let kind = |access: &Access| match access.kind {
            AccessKind::Write { is_droppable } => if is_droppable { "w" } else { "W" }.to_owned(),
            AccessKind::Read { purpose: Purpose::Needed, .. } => "r".to_owned(),
            AccessKind::Read { purpose, decides_failure } => {
                let purpose = match purpose {
                    Purpose::Printed => "p",
                    Purpose::Dropped => "d",
                    _ => "s",
                };
                format!("{purpose}{}", if decides_failure { "!" } else { "" })
            }
        };
        let words: Vec<String> =
            set.iter().map(|access| format!("{} {}", kind(access), object(access.object))).collect();
        words.join(", ")
    }

    fn divided(left: Expr, right: Expr) -> Expr {
        binary(BinaryOp::Divide, left, right)
    }

    fn boxed(expr: Expr) -> Box<Expr> {
        Box::new(expr)
    }

    #[test]
    fn statements_read_and_write() {
        let match_x = ArgPattern::Match { value: value("x"), eval: true };
        let bind = |target: VarRef| ArgPattern::Bind(target);
        let run = |store| Action::Run { proctype: P, args: vec![value("y")], priority: None, store };
        for (action, expected) in [
            (Action::Skip("skip".into()), ""),
            (Action::Else, ""),
            (Action::Condition(value("x")), "r x"),
            (assign(var("x"), binary(BinaryOp::Add, value("x"), value("l"))), "s x, s l, w x"),
            (assign(element(value("l")), value("y")), "s y, r l, w a[l]"),
            (Action::Discard(value("x")), "d x"),
            (Action::PrintMtype(value("x")), "p x"),
            (Action::Print { format: "%d".into(), args: vec![value("x"), value("y")] }, "p x, p y"),
            (Action::Assert(value("x")), "r x"),
            (Action::SetOwnPriority(value("x")), "r x, W Priorities"),
            (Action::SetPriority { pid: value("x"), priority: value("y") }, "r x, r y, W Priorities"),
            (send("k", value("x")), "r x, r k, W Send(Last) k"),
            (
                receive("c", vec![bind(var("l")), match_x, ArgPattern::Ignore, bind(element(value("l")))]),
                "r c, W Receive(ReceiveFrom { anywhere: false, keep: false }) c, w l, r x, r l, W a[l]",
            ),
            (run(None), "r y, W Creation(ProctypeId(0))"),
            (run(Some((var("x"), Expr::NewPid))), "r y, W Creation(ProctypeId(0)), w x"),
            (run(Some((var("x"), divided(value("y"), value("l"))))), "r y, W Creation(ProctypeId(0)), s! y, s! l, W x"),
            (Action::End, "W Processes"),
        ] {
            let shown = format!("{action:?}");
            assert_eq!(accesses(action), expected, "{shown}");
        }
    }

    #[test]
    fn a_process_with_channels_takes_them_along() {
        let mut model = straight(vec![Action::End]);
        let init = crate::Init { var: VarId(0), cells: 0..1, value: InitValue::Channel(crate::ShapeId(0)) };
        model.proctypes[0].inits.push(init);
        let sets = AccessSets::of(&model);
        assert_eq!(in_words(&model, sets.statement(P, StatementId(0))), "W Processes, W OwnChannels");
    }

    #[test]
    fn expressions_read_more_than_variables() {
        let remote = |pid| Expr::RemoteVar { proctype: P, pid, var: VarId(1), indices: Vec::new() };
        for (expr, expected) in [
            (Expr::Pid, ""),
            (Expr::ProcessCount, "r Processes"),
            (Expr::Last, "r LastMover"),
            (Expr::OwnPriority, "r Priorities"),
            (Expr::PriorityOf(boxed(value("x"))), "r Priorities, r x"),
            (Expr::Timeout, "r Timeout"),
            (Expr::NonProgress, "r Progress"),
            (Expr::Length(boxed(value("c"))), "r Length c, r c"),
            (Expr::NotEmpty(boxed(value("c"))), "r Empty c, r c"),
            (Expr::NotFull(boxed(value("c"))), "r Full c, r c"),
            (
                Expr::Poll {
                    channel: boxed(value("c")),
                    args: vec![ArgPattern::Match { value: value("x"), eval: true }, ArgPattern::Bind(var("y"))],
                    anywhere: true,
                },
                "r Poll { anywhere: true } c, r c, r x",
            ),
            (remote(None), "r RemoteVariable { proctype: ProctypeId(0), pid: None, var: VarId(1) }"),
        ] {
            let shown = format!("{expr:?}");
            assert_eq!(accesses(Action::Condition(expr)), expected, "{shown}");
        }
        let label = Expr::RemoteLabel { proctype: P, pid: Some(boxed(value("x"))), location: 7, label: "L".into() };
        let shown = accesses(Action::Condition(label));
        assert!(
            shown.starts_with("r RemoteLocation") && shown.contains("location: 7") && shown.ends_with("r x"),
            "{shown}"
        );
        assert!(accesses(Action::Condition(Expr::Enabled(boxed(value("x"))))).starts_with("r Enabledness"));
        assert!(accesses(Action::Condition(Expr::Location(boxed(value("x"))))).starts_with("r Position"));
    }

    /// What decides whether a computation fails is marked, and nothing else.
    #[test]
    fn failures_are_decided_by_some_parts() {
        let index = |index| Expr::Var(element(index));
        let (x, y, l) = (|| value("x"), || value("y"), || value("l"));
        for (expr, expected) in [
            (binary(BinaryOp::Add, x(), y()), "s x, s y"),
            (divided(x(), y()), "s! x, s! y"),
            (divided(x(), number(2)), "s x"),
            (divided(x(), number(0)), "s! x"),
            (divided(x(), number(-1)), "s x"),
            (binary(BinaryOp::Add, x(), divided(y(), l())), "s x, s! y, s! l"),
            (index(number(1)), "s a[1]"),
            (index(number(3)), "s a[3]"),
            (index(x()), "s a[x], s! x"),
            (index(index(x())), "s a[a[x]], s! a[x], s! x"),
            (binary(BinaryOp::And, x(), y()), "s x, s y"),
            (binary(BinaryOp::And, x(), index(y())), "s! x, s a[y], s! y"),
            (binary(BinaryOp::Or, index(y()), x()), "s a[y], s! y, s x"),
            (Expr::Unary(crate::UnaryOp::Not, boxed(index(y()))), "s a[y], s! y"),
            (Expr::Conditional(boxed(x()), boxed(y()), boxed(l())), "s x, s y, s l"),
            (Expr::Conditional(boxed(x()), boxed(index(y())), boxed(l())), "s! x, s! a[y], s! y, s! l"),
            (Expr::Length(boxed(value("c"))), "s! Length c, s! c"),
        ] {
            let shown = format!("{expr:?}");
            assert_eq!(accesses(assign(var("m"), expr)), format!("{expected}, w m"), "{shown}");
        }
    }

    #[test]
    fn a_d_step_accesses_what_it_may() {
        let act = |action, next| BlockNode::Do { action, place: Place::default(), next: NodeId(next) };
        let nodes = vec![
            BlockNode::Exit,
            BlockNode::Select { options: vec![NodeId(2), NodeId(3)], place: Place::default() },
            act(Action::Condition(value("x")), 0),
            act(assign(var("y"), value("l")), 0),
        ];
        let guards = vec![Action::Condition(value("x"))];
        let block = Block { nodes, entry: NodeId(1), guards, line: 1 };
        assert_eq!(accesses(Action::DStep(block)), "r x, r x, s l, w y");
    }

    #[test]
    fn guards_read_what_decides() {
        for (action, expected) in [
            (assign(var("x"), value("y")), ""),
            (Action::Else, ""),
            (Action::Condition(value("x")), "r x"),
            (send("c", value("x")), "r c, r Full c, r x"),
            (
                receive("c", vec![ArgPattern::Bind(var("x")), ArgPattern::Match { value: value("y"), eval: true }]),
                "r c, r Poll { anywhere: false } c, r y",
            ),
            (Action::End, "r Processes"),
        ] {
            let model = straight(vec![action]);
            let action = &model.proctypes[0].automaton.statements[0].action;
            let set = AccessSet::of_guard(&model, Some(P), action);
            assert_eq!(in_words(&model, &set), expected, "{action:?}");
            let never_blocks = matches!(action, Action::Assign { .. });
            assert_eq!(set.may_block(), !never_blocks, "{action:?}");
        }
    }

    #[test]
    fn what_may_fail_is_known() {
        for (action, may_fail) in [
            (assign(var("x"), value("y")), false),
            (assign(element(number(2)), value("y")), false),
            (assign(element(number(3)), value("y")), true),
            (assign(element(value("l")), value("y")), true),
            (Action::Discard(divided(value("x"), value("y"))), true),
            (Action::Condition(value("x")), false),
            (Action::Assert(number(1)), true),
            (send("c", number(1)), true),
            (Action::End, false),
        ] {
            let model = straight(vec![action]);
            let action = &model.proctypes[0].automaton.statements[0].action;
            assert_eq!(AccessSet::of_action(&model, Some(P), action).may_fail(), may_fail, "{action:?}");
        }
    }

    #[test]
    fn receives_listen() {
        let kept = Action::Receive {
            channel: value("k"),
            args: Vec::new(),
            from: ReceiveFrom { anywhere: false, keep: true },
        };
        let model = straight(vec![receive("r", Vec::new()), send("r", number(1)), kept]);
        let automaton = &model.proctypes[0].automaton;
        let count = |at: u32| listened_channels(automaton, automaton.location(at)).count();
        assert_eq!([1, 2, 3].map(count), [1, 0, 0]);
    }
}
