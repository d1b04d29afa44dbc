//! Reads what `pan` prints.

/// What an error message of pan is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    Assertion,
    InvalidEndState,
    /// An array index out of range. pan goes on, with whatever it found in memory.
    ArrayIndex,
    /// The trace or notrace automaton of the model.
    Trace,
    /// Of acceptance, or a run that ends in an accepting state.
    AcceptanceCycle,
    NonProgressCycle,
    /// The end of a never claim, or one of its end states, was reached.
    ClaimEnd,
    /// Everything else; pan stops at once.
    Fatal,
}

/// `pan:1: assertion violated (x<2) (at depth 13)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorMessage {
    pub kind: ErrorKind,
    pub text: String,
    pub depth: i64,
}

impl ErrorMessage {
    fn parse(line: &str) -> Option<ErrorMessage> {
        let (number, rest) = line.strip_prefix("pan:")?.split_once(": ")?;
        number.parse::<u64>().ok()?;
        let (text, depth) = rest.trim_end().strip_suffix(')')?.rsplit_once(" (at depth ")?;
        let kind = if text.starts_with("assertion violated - invalid array index") {
            ErrorKind::ArrayIndex
        } else if text.starts_with("assertion violated") {
            ErrorKind::Assertion
        } else if text.starts_with("invalid end state") {
            ErrorKind::InvalidEndState
        } else if text.starts_with("event_trace error") {
            ErrorKind::Trace
        } else if text.starts_with("acceptance cycle") || text.starts_with("accept stutter") {
            ErrorKind::AcceptanceCycle
        } else if text.starts_with("non-progress cycle") {
            ErrorKind::NonProgressCycle
        } else if text.starts_with("end state in claim reached") {
            ErrorKind::ClaimEnd
        } else {
            ErrorKind::Fatal
        };
        Some(ErrorMessage { kind, text: text.to_string(), depth: depth.parse().ok()? })
    }
}

/// A control state no run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachedState {
    pub file: String,
    pub line: u32,
    pub state: u32,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub process: String,
    pub states: Vec<UnreachedState>,
}

/// The summary of one run of pan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PanReport {
    pub errors: u64,
    pub stored: u64,
    /// States stored and states that the nested search entered; equal to `stored` without one.
    pub visited: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth_reached: u64,
    pub vector_bytes: u64,
    /// Of the states and the table that finds them, without the stack of the search.
    pub store_bytes: u64,
    /// In the order of printing. pan leaves out a message that equals the one before, so this can be fewer than `errors`.
    pub messages: Vec<ErrorMessage>,
    /// A path was cut off at the depth limit: the counts mean nothing.
    pub depth_limit_hit: bool,
    pub out_of_memory: bool,
    /// False when pan stopped early, also at the first error as requested.
    pub completed: bool,
    /// The length of the shortest trail so far, as `pan -i` announces it after each error.
    pub reduced_to: Option<u64>,
    pub unreached: Vec<Unreached>,
}

/// What pan says when it has no more memory, perhaps on a line that it had begun: `pan: resizing hashtable to -w22.. `.
const OUT_OF_MEMORY: [&str; 2] = ["pan: reached -DMEMLIM bound", "pan: out of memory"];

/// The lines about memory that belong to the store: its states, and its table, exact or of bits.
const STORE_MEMORY: [&str; 3] =
    ["actual memory usage for states", "memory used for hash table", "memory used for hash array"];

impl PanReport {
    /// None if `stdout` has no summary: pan did not start, or died.
    pub fn parse(stdout: &str) -> Option<PanReport> {
        let mut report = PanReport { completed: true, ..PanReport::default() };
        let (mut has_errors, mut has_stored) = (false, false);
        for line in stdout.lines() {
            if let Some(message) = ErrorMessage::parse(line) {
                report.messages.push(message);
            } else if line.starts_with("error: max search depth too small") {
                report.depth_limit_hit = true;
            } else if line.starts_with("Warning: Search not completed") {
                report.completed = false;
            } else if OUT_OF_MEMORY.iter().any(|words| line.contains(words)) {
                report.out_of_memory = true;
            } else if let Some(length) = line.strip_prefix("pan: reducing search depth to ") {
                report.reduced_to = length.trim().parse().ok();
            } else if let Some(rest) = line.strip_prefix("State-vector ") {
                report.vector_bytes = leading_count(rest).unwrap_or(0);
                report.depth_reached = after(line, "depth reached ").unwrap_or(0);
                report.errors = after(line, "errors: ")?;
                has_errors = true;
            } else if STORE_MEMORY.iter().any(|words| line.contains(words)) {
                report.store_bytes += leading_megabytes(line)?;
            } else if line.contains(" states, stored") {
                report.stored = leading_count(line)?;
                report.visited = after(line, "(").unwrap_or(report.stored);
                has_stored = true;
            } else if line.contains(" states, matched") {
                report.matched = leading_count(line)?;
            } else if line.contains(" transitions (= ") {
                report.transitions = leading_count(line)?;
            } else if line.ends_with(" atomic steps") {
                report.atomic_steps = leading_count(line)?;
            } else if let Some(process) = line.strip_prefix("unreached in ") {
                let process = process.strip_prefix("proctype ").unwrap_or(process);
                report.unreached.push(Unreached { process: process.to_string(), states: Vec::new() });
            } else if let Some(state) = line.strip_prefix('\t').and_then(unreached_state) {
                report.unreached.last_mut()?.states.push(state);
            }
        }
        if report.visited > report.stored && report.transitions > report.matched {
            report.visited = report.transitions - report.matched; // large numbers of visited states are printed rounded
        }
        (has_errors && has_stored).then_some(report)
    }
}

/// `a.pml:4, state 5, "-end-"`
fn unreached_state(text: &str) -> Option<UnreachedState> {
    let (place, rest) = text.split_once(", state ")?;
    let (file, line) = place.rsplit_once(':')?;
    let (state, text) = rest.split_once(", ").unwrap_or((rest, ""));
    Some(UnreachedState {
        file: file.to_string(),
        line: line.parse().ok()?,
        state: state.parse().ok()?,
        text: text.trim_matches('"').to_string(),
    })
}

fn after(line: &str, key: &str) -> Option<u64> {
    line.split_once(key).and_then(|(_, rest)| leading_count(rest))
}

/// The number at the start. pan prints counts as `%9.8g`: beyond 99,999,999 they come as `1.2345679e+08`, rounded.
fn leading_count(text: &str) -> Option<u64> {
    let word = text.trim_start().split([' ', ',']).next()?;
    let value: f64 = word.parse().ok()?;
    (value >= 0.0).then_some(value as u64)
}

/// The megabytes at the start of a line, in bytes.
fn leading_megabytes(line: &str) -> Option<u64> {
    let megabytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some((megabytes * f64::from(1 << 20)) as u64)
}

/// The number of steps in a trail file: markers have a negative first field.
pub fn trail_length(trail: &str) -> u64 {
    trail.lines().filter(|line| !line.is_empty() && !line.starts_with('-')).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "pan:1: assertion violated (x<2) (at depth 13)
pan:2: invalid end state (at depth 13)

(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
	never claim         	- (not selected)
	assertion violations	+
	cycle checks       	- (disabled by -DSAFETY)
	invalid end states	+

State-vector 28 byte, depth reached 14, errors: 2
       12 states, stored
        3 states, matched
       15 transitions (= stored+matched)
        7 atomic steps
hash conflicts:         0 (resolved)

Stats on memory usage (in Megabytes):
    0.001	equivalent memory usage for states (stored*(State-vector + overhead))
    1.500	actual memory usage for states
    2.000	memory used for hash table (-w18)
    4.578	memory used for DFS stack (-m100000)
    8.078	total actual memory usage

unreached in proctype A
	(0 of 10 states)
unreached in init
	dir/a.pml:4, state 5, \"-end-\"
	dir/a.pml:6, state 9, \"c?x,y\"
	(2 of 5 states)

pan: elapsed time 0 seconds
";

    #[test]
    fn reads_a_full_report() {
        let report = PanReport::parse(FULL).expect("a report");
        assert_eq!((report.errors, report.stored, report.matched, report.transitions), (2, 12, 3, 15));
        assert_eq!((report.atomic_steps, report.depth_reached, report.vector_bytes), (7, 14, 28));
        assert_eq!(report.store_bytes, 7 << 19);
        assert!(report.completed && !report.depth_limit_hit && !report.out_of_memory);
        assert_eq!(
            report.messages,
            [
                ErrorMessage { kind: ErrorKind::Assertion, text: "assertion violated (x<2)".into(), depth: 13 },
                ErrorMessage { kind: ErrorKind::InvalidEndState, text: "invalid end state".into(), depth: 13 },
            ]
        );
    }

    #[test]
    fn reads_unreached_states() {
        let report = PanReport::parse(FULL).expect("a report");
        assert_eq!(report.unreached.len(), 2);
        assert_eq!((report.unreached[0].process.as_str(), report.unreached[0].states.len()), ("A", 0));
        let last = &report.unreached[1].states[1];
        assert_eq!((last.file.as_str(), last.line, last.state, last.text.as_str()), ("dir/a.pml", 6, 9, "c?x,y"));
    }

    #[test]
    fn an_assertion_may_contain_the_words_of_the_suffix() {
        let line = "pan:1: assertion violated ((a==1)) (at depth -1)";
        let message = ErrorMessage::parse(line).expect("a message");
        assert_eq!((message.text.as_str(), message.depth), ("assertion violated ((a==1))", -1));
    }

    #[test]
    fn tells_the_kinds_apart() {
        let rows = [
            ("assertion violated - invalid array index", ErrorKind::ArrayIndex),
            ("event_trace error (no matching event)", ErrorKind::Trace),
            ("block in d_step seq, line 4", ErrorKind::Fatal),
            ("ref to uninitialized chan name (sending)", ErrorKind::Fatal),
            ("acceptance cycle", ErrorKind::AcceptanceCycle),
            ("accept stutter", ErrorKind::AcceptanceCycle),
            ("non-progress cycle", ErrorKind::NonProgressCycle),
            ("end state in claim reached", ErrorKind::ClaimEnd),
        ];
        for (text, kind) in rows {
            let message = ErrorMessage::parse(&format!("pan:1: {text} (at depth 0)")).expect("a message");
            assert_eq!(message.kind, kind, "{text}");
        }
    }

    #[test]
    fn notices_limits() {
        let text = "error: max search depth too small\npan: resizing hashtable to -w22.. pan: reached -DMEMLIM bound\n\
                    Warning: Search not completed\n\
                    State-vector 28 byte, depth reached 9, errors: 0\n 1.2345679e+08 states, stored\n";
        let report = PanReport::parse(text).expect("a report");
        assert!(report.depth_limit_hit && report.out_of_memory && !report.completed);
        assert_eq!(report.stored, 123_456_790);
    }

    #[test]
    fn the_last_reduction_is_the_shortest_length() {
        let text = "pan: reducing search depth to 17\npan: reducing search depth to 9\n\
                    State-vector 8 byte, depth reached 9, errors: 2\n 3 states, stored\n";
        assert_eq!(PanReport::parse(text).and_then(|r| r.reduced_to), Some(9));
    }

    #[test]
    fn the_states_of_a_nested_search_are_read() {
        let text = "State-vector 20 byte, depth reached 9, errors: 0\n       12 states, stored (18 visited)\n";
        assert_eq!(PanReport::parse(text).map(|r| (r.stored, r.visited)), Some((12, 18)));
        let rounded = "State-vector 20 byte, depth reached 9, errors: 0\n  5418081 states, stored (1.08362e+07 visited)\n \
                       38468880 states, matched\n 49305042 transitions (= visited+matched)\n";
        assert_eq!(PanReport::parse(rounded).map(|r| r.visited), Some(10_836_162));
        let text = "State-vector 20 byte, depth reached 9, errors: 0\n       12 states, stored\n";
        assert_eq!(PanReport::parse(text).map(|r| (r.stored, r.visited)), Some((12, 12)));
    }

    #[test]
    fn a_crash_has_no_report() {
        assert_eq!(PanReport::parse("pan:1: assertion violated x (at depth 3)\n"), None);
    }

    #[test]
    fn markers_are_not_steps() {
        assert_eq!(trail_length("-2:2:-2\n-4:-4:-4\n1:0:1\n2:0:3\n"), 2);
    }
}
