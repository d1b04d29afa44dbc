//! The cause of an error as lines of text.

use std::collections::{BTreeMap, HashSet};

use homing_engine::Waiting;

use super::cause::{Cause, CauseKind, Writer};
use super::deadlock::{Deadlock, Missed, Wait};
use super::why::Why;

/// How many lines the causes take if not all are wanted.
const MOST_LINES: usize = 20;

/// How many lines of these explain how a process came to where it waits.
const MOST_ARRIVAL_LINES: usize = 6;

/// How many processes of a circle are named if not all are wanted.
const MOST_IN_CIRCLE: usize = 6;

/// How many processes that wait are listed if not all are wanted.
const MOST_WAITING: usize = 8;

impl Why {
    /// The cause as lines of text; if there are many, those that are farthest away are left out, unless `all` are wanted.
    pub fn lines(&self, all: bool) -> Vec<String> {
        let mut lines: Vec<String> = self.summary.iter().cloned().collect();
        put(&self.causes, &mut lines, 0, if all { usize::MAX } else { MOST_LINES });
        self.deadlock.put(&mut lines, all);
        lines
    }
}

/// Appends at most `most` lines about causes, from this level of indentation on.
fn put(causes: &[Cause], lines: &mut Vec<String>, level: usize, most: usize) {
    let shown = nearest(causes, most);
    causes.iter().for_each(|cause| cause.put(lines, level, &shown));
}

/// The causes that are nearest to the error, at most `most` of them, by address. A value that was only passed on is as near as
/// what it was passed on to, and a guard is farther away than the data: a chain of messages is followed to its origin before
/// guards are listed. The writes of a counter are listed all or not at all.
fn nearest(causes: &[Cause], most: usize) -> HashSet<*const Cause> {
    let mut shown = HashSet::new();
    let mut open: BTreeMap<(usize, usize, usize), &Cause> = BTreeMap::new(); // by rank, depth, and order of discovery
    let mut found = 0;
    for cause in causes {
        open.insert((0, 0, found), cause);
        found += 1;
    }
    while let Some(((rank, depth, _), cause)) = open.pop_first() {
        let writes = cause.causes.iter().filter(|inside| inside.kind == CauseKind::Write).count();
        if cause.kind != CauseKind::Write {
            if shown.len() >= most {
                break;
            }
            shown.insert(std::ptr::from_ref(cause));
        }
        let are_shown = shown.len().saturating_add(writes) <= most;
        let is_data = |cause: &Cause| !matches!(cause.kind, CauseKind::Guard | CauseKind::Later);
        let data = cause.causes.iter().filter(|inside| is_data(inside)).count();
        for inside in &cause.causes {
            let is_write = inside.kind == CauseKind::Write;
            if is_write && !are_shown {
                continue;
            }
            if is_write {
                shown.insert(std::ptr::from_ref(inside));
            }
            let farther = match inside.kind {
                CauseKind::Later => false, // it explains the guard
                CauseKind::Guard => data > 0,
                _ => data > 1,
            };
            open.insert((rank + usize::from(farther), depth + 1, found), inside);
            found += 1;
        }
    }
    shown
}

impl Cause {
    fn put(&self, lines: &mut Vec<String>, level: usize, shown: &HashSet<*const Cause>) {
        if !shown.contains(&std::ptr::from_ref(self)) {
            return;
        }
        lines.push(format!("{:indent$}{}", "", self.text(shown), indent = 2 * level));
        self.causes.iter().for_each(|cause| cause.put(lines, level + 1, shown));
    }

    fn text(&self, shown: &HashSet<*const Cause>) -> String {
        let Cause { kind, text, value, writer, causes } = self;
        let value = value.as_deref().unwrap_or("not defined");
        let by = writer.as_ref().map(Writer::to_string).unwrap_or_default();
        match kind {
            CauseKind::Expression if self.value.is_none() => format!("{text} cannot be evaluated"),
            CauseKind::Expression => format!("{text} is {value}"),
            CauseKind::Variable if writer.is_some() => format!("{text} = {value}  ({by})"),
            CauseKind::Variable => match causes.iter().rfind(|cause| cause.kind == CauseKind::Write) {
                None => format!("{text} = {value}  (initial value)"),
                Some(last) if shown.contains(&std::ptr::from_ref(last)) => format!("{text} = {value}, written by"),
                Some(last) => {
                    let by = last.writer.as_ref().map(Writer::to_string).unwrap_or_default();
                    format!("{text} = {value}  ({by})")
                }
            },
            CauseKind::Write => format!("{by}  ({text} = {value})"),
            CauseKind::Lost => format!("lost: {text} = {value}  ({by}), overwritten"),
            CauseKind::Message => format!("{value} was sent to {text}  ({by})"),
            CauseKind::Contents => format!("{text} was changed by {by}"),
            CauseKind::Location if self.value.is_none() => format!("{text} moved  ({by})"),
            CauseKind::Location if writer.is_some() => format!("{text} is {value}  ({by})"),
            CauseKind::Location => format!("{text} is {value}  (initial state)"),
            CauseKind::Guard => format!("after {by}"),
            CauseKind::Later => format!("only later {text} = {value}  ({by})"),
        }
    }
}

impl std::fmt::Display for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {}, {}: {}", self.step, self.process, self.statement)
    }
}

impl std::fmt::Display for Missed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} could have, but terminated without it", self.process)?;
        self.after.as_ref().map_or(Ok(()), |after| write!(f, "  (after {after})"))
    }
}

impl Deadlock {
    /// The circle, and the processes that wait; only the first few of many unless `all` are wanted.
    fn put(&self, lines: &mut Vec<String>, all: bool) {
        if let [first, .., _] = &self.circle[..] {
            let most = if all { self.circle.len() } else { MOST_IN_CIRCLE };
            let mut names: Vec<&str> = self.circle.iter().take(most).map(String::as_str).collect();
            if most < self.circle.len() {
                names.push("...");
            }
            names.push(first);
            lines.push(format!("circle of waiting: {}", names.join(" -> ")));
        }
        let most = if all { self.waits.len() } else { MOST_WAITING };
        // those in the circle first, then others that must not wait
        let mut order: Vec<&Wait> = self.waits.iter().collect();
        let rank = |wait: &&Wait| (!self.circle.contains(&wait.waiting.process), wait.waiting.may_end);
        order.sort_by_key(rank);
        let mut room = if all { usize::MAX } else { MOST_LINES };
        for wait in order.iter().take(most) {
            let before = lines.len();
            wait.put(lines, room.min(if all { usize::MAX } else { MOST_ARRIVAL_LINES }));
            room = room.saturating_sub(lines.len() - before);
        }
        if most < order.len() {
            lines.push(format!("({} more processes wait)", order.len() - most));
        }
    }
}

impl Wait {
    /// `most` is the number of lines about how the process came here.
    fn put(&self, lines: &mut Vec<String>, most: usize) {
        let Waiting { process, place, may_end, statements, .. } = &self.waiting;
        if *may_end && !statements.is_empty() && statements.iter().all(|blocked| blocked.text == "-end-") {
            lines.push(format!("{process} has terminated"));
            return;
        }
        let may_end = if *may_end { " (valid end state)" } else { "" };
        let place = match self.call {
            Some(line) => format!("{}:{line}>{}", place.file, place.line),
            None => place.to_string(),
        };
        lines.push(format!("{process} waits at {place}{may_end}"));
        if statements.is_empty() {
            lines.push("  every guard is constant and never true".to_owned());
        }
        for (blocked, waits_for) in statements.iter().zip(&self.statements) {
            let since: Vec<String> = waits_for.since.iter().map(Writer::to_string).collect();
            let since = if since.is_empty() { String::new() } else { format!("  ({})", since.join("; ")) };
            lines.push(format!("  {}  blocked: {}{since}", blocked.text, blocked.reason));
            lines.extend(waits_for.never.iter().map(|never| format!("    {never}")));
            lines.extend(waits_for.missed.iter().map(|missed| format!("    {missed}")));
        }
        put(&self.causes, lines, 1, most);
        lines.extend(self.hint.iter().map(|hint| format!("  hint: {hint}")));
    }
}
