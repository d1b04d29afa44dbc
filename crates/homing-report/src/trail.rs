//! SPIN's trail files.
//!
//! One line `step:pid:transition` for each statement; lines that begin with a negative number are marks: `-4` for
//! statement merging, `-2` for a claim (whose pid is then 0, all others are one higher), `-1` for the start of a cycle.

use std::fmt::Write;

/// A run, as SPIN writes it to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// One line can stand for several statements.
    pub merged: bool,
    /// A claim takes part as pid 0: SPIN's number of it.
    pub claim: Option<i32>,
    /// The index of the first entry of the cycle that ends the run; their number if nothing moves for ever.
    pub cycle_start: Option<usize>,
    pub entries: Vec<Entry>,
    /// The trail ends in no error.
    pub unfinished: bool,
    /// The invariant that is violated in the last state, if that is the error.
    pub invariant: Option<String>,
    /// The query of a network that the last state decides.
    pub query: Option<String>,
    /// The formula that no continuation of the run fulfils, or its name, if that is the error.
    pub formula: Option<String>,
}

/// One line: a process and the statement it executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As written; with a claim, one more than the process's own number.
    pub pid: u32,
    /// SPIN's number of the transition.
    pub id: u32,
}

/// Why a text is no trail file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TrailError {
    pub line: usize,
    pub reason: String,
}

/// Written after the last step of a run that ends in no error. SPIN stops reading here.
const UNFINISHED: &str = "# no error at the end";

/// Written after the last step of a run that violates an invariant, which is not part of the model.
const INVARIANT: &str = "# violates invariant:";

/// Written after the last step of a run that decides a query of a network: as a witness, or as a counterexample.
const QUERY: &str = "# decides query:";

/// Written after the last step of a run after which a formula cannot be fulfilled any more.
const FORMULA: &str = "# violates formula:";

const MERGED: i64 = -4;
const CLAIM: i64 = -2;
const CYCLE: i64 = -1;

impl Trail {
    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(12 * self.entries.len());
        let mut mark = |number: i64, middle: i64| {
            writeln!(text, "{number}:{middle}:{number}").expect("a string takes all");
        };
        if let Some(claim) = self.claim {
            mark(CLAIM, i64::from(claim));
        }
        if self.merged {
            mark(MERGED, MERGED);
        }
        for (at, Entry { pid, id }) in self.entries.iter().enumerate() {
            if self.cycle_start == Some(at) {
                text.push_str("-1:-1:-1\n");
            }
            writeln!(text, "{}:{pid}:{id}", at + 1).expect("a string takes all");
        }
        if self.cycle_start == Some(self.entries.len()) {
            text.push_str("-1:-1:-1\n"); // nothing moves any more
        }
        if self.unfinished {
            text.push_str(UNFINISHED);
            text.push('\n');
        }
        if let Some(invariant) = &self.invariant {
            writeln!(text, "{INVARIANT}{invariant}").expect("a string takes all");
        }
        if let Some(query) = &self.query {
            writeln!(text, "{QUERY}{query}").expect("a string takes all");
        }
        if let Some(formula) = &self.formula {
            let formula = formula.replace(['\n', '\r'], " ");
            writeln!(text, "{FORMULA}{formula}").expect("a string takes all");
        }
        text
    }

    /// Reads the text of a file. Steps have to be numbered from 1 without a gap, so that a missing line is noticed.
    pub fn parse(text: &str) -> Result<Trail, TrailError> {
        let mut trail = Trail::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            let error = |reason: String| TrailError { line: at + 1, reason };
            if line == UNFINISHED {
                trail.unfinished = true;
                break;
            }
            if let Some(invariant) = line.strip_prefix(INVARIANT) {
                trail.invariant = Some(invariant.trim().to_owned());
                break;
            }
            if let Some(query) = line.strip_prefix(QUERY) {
                trail.query = Some(query.trim().to_owned());
                break;
            }
            if let Some(formula) = line.strip_prefix(FORMULA) {
                trail.formula = Some(formula.trim().to_owned());
                break;
            }
            if line.is_empty() {
                continue;
            }
            let (step, pid, id) = numbers(line)
                .ok_or_else(|| error(format!("expected `step:pid:transition`, found `{}`", shortened(line))))?;
            match step {
                MERGED => trail.merged = true,
                CLAIM => trail.claim = Some(pid as i32),
                CYCLE => trail.cycle_start = Some(trail.entries.len()),
                -8..=-5 => {
                    return Err(error(
                        "the verifier tried the processes in another order; only it can replay this".into(),
                    ));
                }
                1.. => {
                    let expected = trail.entries.len() as i64 + 1;
                    if step != expected {
                        return Err(error(format!("step {step} follows step {}", expected - 1)));
                    }
                    let part = |value: i64| {
                        u32::try_from(value)
                            .map_err(|_| error(format!("{value} is neither a process nor a transition")))
                    };
                    trail.entries.push(Entry { pid: part(pid)?, id: part(id)? });
                }
                _ => return Err(error(format!("a step is numbered from 1, not {step}"))),
            }
        }
        Ok(trail)
    }
}

fn numbers(line: &str) -> Option<(i64, i64, i64)> {
    let mut parts = line.split(':').map(|part| part.parse::<i64>().ok());
    let triple = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(triple)
}

fn shortened(line: &str) -> String {
    let mut short: String = line.chars().take(40).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let entries = vec![Entry { pid: 1, id: 7 }, Entry { pid: 0, id: 3 }, Entry { pid: 2, id: 12 }];
        let plain = Trail { entries, ..Trail::default() };
        assert_eq!(plain.to_text(), "1:1:7\n2:0:3\n3:2:12\n");
        let marked = Trail {
            merged: true,
            claim: Some(0),
            cycle_start: Some(1),
            unfinished: true,
            entries: plain.entries.clone(),
            invariant: None,
            query: None,
            formula: None,
        };
        let formula = Trail { formula: Some("[] p".to_owned()), ..plain.clone() };
        let invariant = Trail { invariant: Some("x < 3 && y".to_owned()), ..plain.clone() };
        assert!(marked.to_text().starts_with("-2:0:-2\n-4:-4:-4\n1:1:7\n-1:-1:-1\n2:0:3\n"), "{}", marked.to_text());
        let query = Trail { query: Some("E<> P.a and x > 1".to_owned()), ..plain.clone() };
        for trail in [Trail::default(), plain, marked, invariant, query, formula] {
            assert_eq!(Trail::parse(&trail.to_text()), Ok(trail));
        }
    }

    #[test]
    fn what_is_no_trail_is_refused_with_its_line() {
        for (text, line, reason) in [
            ("1:0:1\nhello\n", 2, "found `hello`"),
            ("1:0:1\n2:0", 2, "found `2:0`"),
            ("1:0:1\n3:0:2\n", 2, "step 3 follows step 1"),
            ("1:-3:1\n", 1, "-3 is neither"),
            ("0:0:1\n", 1, "numbered from 1"),
            ("-5:0:0\n", 1, "another order"),
            ("1:2:3:4\n", 1, "expected"),
            ("99999999999999999999:1:1\n", 1, "expected"),
        ] {
            let error = Trail::parse(text).expect_err(text);
            assert!(error.line == line && error.reason.contains(reason), "{text}: {error}");
        }
    }
}
