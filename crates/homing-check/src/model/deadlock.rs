//! Why no process can move: who waits for whom, and what no process will ever do.

use homing_engine::{Blocked, Need, Player, Waiting};
use homing_ir::{Action, ProctypeId};
use homing_report::DefinitionId;

use super::cause::{Cause, Writer};
use super::data_flow::{DataFlow, Object};

/// Why no process can move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deadlock {
    /// Processes of which each waits for the next, and the last for the first; none if there is no such circle.
    pub circle: Vec<String>,
    /// By process, in their order: what its statements wait for.
    pub waits: Vec<Wait>,
}

/// What a process that cannot move waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The process, and its statements.
    pub waiting: Waiting,
    /// The line of the call, if the statements are in an inline.
    pub call: Option<u32>,
    /// By statement.
    pub statements: Vec<WaitsFor>,
    /// How the process came here: the last guard that has to do with other processes, and what it depends on.
    pub causes: Vec<Cause>,
    /// Advice for a process that waits in a loop like a server.
    pub hint: Option<String>,
}

/// What a statement waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitsFor {
    /// The statements that made it wait: the last writes of what its condition reads.
    pub since: Vec<Writer>,
    /// The process that is likely to do what it needs, if one could.
    pub provider: Option<u8>,
    /// No process will ever do what it needs.
    pub never: Option<String>,
    /// Processes whose code sends what it needs, and which terminated without that.
    pub missed: Vec<Missed>,
}

/// A process that terminated and did not send what another one waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Such as `Worker(2)`.
    pub process: String,
    /// The last statement of the process that could have blocked: it led the process past the send.
    pub after: Option<Writer>,
}

/// Finds out who waits for whom; `player` is in a state in which no process can move.
pub(super) fn deadlock(flow: &DataFlow, player: &Player<'_, '_>) -> Deadlock {
    let waits: Vec<Wait> = player.waiting().into_iter().map(|waiting| wait(flow, player, waiting)).collect();
    Deadlock { circle: circle(&waits), waits }
}

fn wait(flow: &DataFlow, player: &Player<'_, '_>, waiting: Waiting) -> Wait {
    let pid = waiting.pid as usize;
    let proctype = player.proctype_of(waiting.pid).expect("a process that waits exists");
    let statements: Vec<WaitsFor> =
        waiting.statements.iter().map(|blocked| waits_for(flow, player, (pid, proctype), blocked)).collect();
    let never_moves = !statements.is_empty() && statements.iter().all(|one| one.never.is_some());
    let receives = waiting.statements.iter().all(|blocked| is_receive(action(player, proctype, blocked)));
    let is_missed = statements.iter().any(|one| !one.missed.is_empty()); // it waits for something, it does not serve
    let serves = !waiting.may_end && never_moves && receives && !is_missed && player.is_in_loop(pid);
    let hint =
        serves.then(|| format!("if waiting here is fine, put an `end` label in front of line {}", waiting.place.line));
    let automaton = &player.engine().model().proctype(proctype).automaton;
    let written = waiting.statements.first().and_then(|blocked| automaton.written(blocked.statement));
    let call = written.and_then(|written| written.call.as_ref()).map(|call| call.place.line);
    Wait { waiting, call, statements, causes: Vec::new(), hint }
}

fn action<'p>(player: &'p Player<'_, '_>, proctype: ProctypeId, blocked: &Blocked) -> &'p Action {
    &player.engine().model().proctype(proctype).automaton.statement(blocked.statement).action
}

fn is_receive(action: &Action) -> bool {
    matches!(action, Action::Receive { .. })
}

fn waits_for(
    flow: &DataFlow,
    player: &Player<'_, '_>,
    (pid, proctype): (usize, ProctypeId),
    blocked: &Blocked,
) -> WaitsFor {
    let action = action(player, proctype, blocked);
    let Some(need) = player.need(pid, action) else { return WaitsFor::default() };
    let providers = player.providers(pid, &need, action);
    let (since, last) = match &need {
        Need::Change(cells) => {
            let written = cells.iter().filter_map(|cell| flow.graph.known(&Object::Cell(*cell, None)));
            let steps: Vec<usize> = written.filter_map(|id| flow.graph.get(id).step).collect();
            let last = steps.iter().max().map(|step| flow.statements[step - 1].pid);
            (steps.into_iter().map(|step| Writer::of(flow, player, step)).collect(), last)
        }
        Need::Send(channel) => (Vec::new(), flow.last_sender.get(channel).copied()),
        Need::Receive(channel) => (Vec::new(), flow.last_receiver.get(channel).copied()),
        Need::End(_) => (Vec::new(), None),
    };
    let recent = providers.iter().find(|provider| Some(provider.pid) == last);
    let provider = recent.or(providers.first()).map(|provider| provider.pid);
    let never = provider.is_none().then(|| match &need {
        Need::Change(cells) => {
            let names: Vec<String> = cells.iter().map(|cell| player.cell_label(*cell, None, 0).0).collect();
            format!("no process will ever change {}", names.join(" or "))
        }
        Need::Send(channel) => format!("no process will ever send this on {}", player.channel_label(*channel)),
        Need::Receive(channel) => format!("no process will ever receive from {}", player.channel_label(*channel)),
        Need::End(_) => String::new(),
    });
    let missed = match need {
        Need::Send(channel) if never.is_some() => missed(flow, player, (pid, channel), action),
        _ => Vec::new(),
    };
    WaitsFor { since, provider, never, missed }
}

/// The processes that terminated without the send to `channel` for which `action` of process `pid` waits.
fn missed(flow: &DataFlow, player: &Player<'_, '_>, (pid, channel): (usize, i32), action: &Action) -> Vec<Missed> {
    let need = Need::Send(channel);
    let could = |proctype: ProctypeId| player.is_done_by_type(pid, &need, action, proctype);
    let after = |guard: Option<DefinitionId>| {
        let step = guard.and_then(|guard| flow.graph.get(guard).step);
        step.map(|step| Writer::of(flow, player, step))
    };
    let gone = flow.ended.iter().filter(|ended| !ended.sent.contains(&channel) && could(ended.proctype));
    let gone = gone.map(|ended| {
        let process = player.engine().actor(flow.statements[ended.step - 1]);
        Missed { process, after: after(ended.guard) }
    });
    // those that wait for younger processes to end
    let at_end = player.waiting().into_iter().filter(|other| {
        let has_ended = other.statements.iter().all(|blocked| blocked.text == "-end-");
        let proctype = player.proctype_of(other.pid);
        has_ended && proctype.is_some_and(could) && !flow.sent_by(other.pid).contains(&channel)
    });
    let at_end = at_end.map(|other| Missed { after: after(flow.last_guard(other.pid)), process: other.process });
    gone.chain(at_end).collect()
}

/// Follows the first process that must not wait to the one that it waits for, and so on, until one comes again.
fn circle(waits: &[Wait]) -> Vec<String> {
    let next = |at: usize| waits[at].statements.iter().find_map(|one| one.provider).map(usize::from);
    let stuck = waits.iter().position(|wait| !wait.waiting.may_end);
    let mut path: Vec<usize> = Vec::new();
    let mut at = stuck;
    while let Some(process) = at.filter(|process| *process < waits.len()) {
        if let Some(first) = path.iter().position(|passed| *passed == process) {
            let names = path[first..].iter().map(|process| waits[*process].waiting.process.clone());
            return if path.len() - first > 1 { names.collect() } else { Vec::new() };
        }
        path.push(process);
        at = next(process);
    }
    Vec::new()
}
