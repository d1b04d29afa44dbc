//! The cause of an error as lines of text.

use homing_engine::Waiting;

use super::deadlock::{Deadlock, Wait};
use super::why::{Cause, CauseKind, Why, Writer};

/// How many lines the causes take if not all are wanted.
const MOST_LINES: usize = 16;

/// How many processes of a circle are named if not all are wanted.
const MOST_IN_CIRCLE: usize = 6;

/// How many processes that wait are listed if not all are wanted.
const MOST_WAITING: usize = 8;

impl Why {
    /// The cause as lines of text; the deepest causes are left out if there are many, unless `all` are wanted.
    pub fn lines(&self, all: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let deepest = if all { usize::MAX } else { self.depth_that_fits() };
        self.causes.iter().for_each(|cause| cause.put(&mut lines, 0, deepest));
        self.deadlock.put(&mut lines, all);
        lines
    }

    /// The greatest depth at which the causes fit on the screen; 2 if none does.
    fn depth_that_fits(&self) -> usize {
        let lines = |deepest: usize| {
            let mut lines = Vec::new();
            self.causes.iter().for_each(|cause| cause.put(&mut lines, 0, deepest));
            lines.len()
        };
        let most = self.causes.iter().map(Cause::depth).max().unwrap_or(0);
        (2..=most).take_while(|depth| lines(*depth) <= MOST_LINES).last().unwrap_or(2)
    }
}

impl Cause {
    /// The levels of causes from this one on.
    fn depth(&self) -> usize {
        1 + self.causes.iter().map(Cause::depth).max().unwrap_or(0)
    }

    fn put(&self, lines: &mut Vec<String>, level: usize, deepest: usize) {
        lines.push(format!("{:indent$}{}", "", self.text(), indent = 2 * level));
        if level + 1 < deepest {
            self.causes.iter().for_each(|cause| cause.put(lines, level + 1, deepest));
        }
    }

    fn text(&self) -> String {
        let Cause { kind, text, value, writer, causes } = self;
        let value = value.as_deref().unwrap_or("not defined");
        let by = writer.as_ref().map(Writer::to_string).unwrap_or_default();
        match kind {
            CauseKind::Expression if self.value.is_none() => format!("{text} cannot be evaluated"),
            CauseKind::Expression => format!("{text} is {value}"),
            CauseKind::Variable if writer.is_some() => format!("{text} = {value}  ({by})"),
            CauseKind::Variable if causes.iter().any(|cause| cause.kind == CauseKind::Write) => {
                format!("{text} = {value}, written by")
            }
            CauseKind::Variable => format!("{text} = {value}  (initial value)"),
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
        order.iter().take(most).for_each(|wait| wait.put(lines));
        if most < order.len() {
            lines.push(format!("({} more processes wait)", order.len() - most));
        }
    }
}

impl Wait {
    fn put(&self, lines: &mut Vec<String>) {
        let Waiting { process, place, may_end, statements, .. } = &self.waiting;
        if *may_end && statements.iter().all(|blocked| blocked.text == "-end-") {
            lines.push(format!("{process} has terminated"));
            return;
        }
        let may_end = if *may_end { " (valid end state)" } else { "" };
        lines.push(format!("{process} waits at {place}{may_end}"));
        for (blocked, waits_for) in statements.iter().zip(&self.statements) {
            let since: Vec<String> = waits_for.steps.iter().map(|step| format!("step {step}")).collect();
            let since = if since.is_empty() { String::new() } else { format!("  ({})", since.join(", ")) };
            lines.push(format!("  {}  blocked: {}{since}", blocked.text, blocked.reason));
            lines.extend(waits_for.never.iter().map(|never| format!("    {never}")));
        }
        lines.extend(self.hint.iter().map(|hint| format!("  hint: {hint}")));
    }
}
