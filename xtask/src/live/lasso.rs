//! Trails with a cycle, and SPIN's simulator as the judge of them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::process;

/// A trail in SPIN's format, cut where the cycle begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// As it was read.
    text: String,
    /// With the lines before the first step.
    stem: Vec<String>,
    /// None for a run that ends.
    cycle: Option<Vec<String>>,
    /// The steps of process 0 are those of a claim.
    has_claim: bool,
}

impl Lasso {
    pub fn parse(trail: &str) -> Lasso {
        let mut lasso = Lasso { text: trail.to_owned(), stem: Vec::new(), cycle: None, has_claim: false };
        // homing adds a comment with the violated formula
        for line in trail.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line == "-1:-1:-1" {
                lasso.cycle = Some(Vec::new());
            } else {
                lasso.has_claim |= line.starts_with("-2:");
                lasso.cycle.as_mut().unwrap_or(&mut lasso.stem).push(line.to_owned());
            }
        }
        lasso
    }

    /// The number of statements of the program, the cycle once.
    pub fn length(&self) -> u64 {
        self.stem.iter().chain(self.cycle.iter().flatten()).filter(|line| self.is_program(line)).count() as u64
    }

    /// The trail without steps of the program after the last one of the claim: pan writes a step that was not taken after
    /// the step by which a claim ends.
    pub fn until_claim(mut self) -> Lasso {
        while self.has_claim && self.stem.last().is_some_and(|line| self.is_program(line)) {
            self.stem.pop();
        }
        self.text = self.with_rounds(1);
        self
    }

    /// The same run with the cycle once more before it begins.
    pub fn unrolled(&self) -> Option<Lasso> {
        let cycle = self.cycle.clone()?;
        let stem = [self.stem.clone(), cycle.clone()].concat();
        Some(Lasso { stem, cycle: Some(cycle), ..self.clone() })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn has_cycle(&self) -> bool {
        self.cycle.is_some()
    }

    /// The program's steps as numbers of processes and statements, and how many of them come before the cycle.
    pub fn program(&self) -> (Vec<(u8, u32)>, Option<usize>) {
        let parse = |lines: &[String]| -> Vec<(u8, u32)> {
            let steps = lines.iter().filter(|line| self.is_program(line)).filter_map(|line| {
                let mut fields = line.split(':').skip(1);
                let (pid, id) = (fields.next()?.parse::<u8>().ok()?, fields.next()?.parse().ok()?);
                Some((pid - u8::from(self.has_claim), id))
            });
            steps.collect()
        };
        let (mut steps, cycle) = (parse(&self.stem), self.cycle.as_ref().map(|cycle| parse(cycle)));
        let start = cycle.as_ref().map(|_| steps.len());
        steps.extend(cycle.unwrap_or_default());
        (steps, start)
    }

    fn is_program(&self, line: &str) -> bool {
        let mut fields = line.split(':');
        let is_step = fields.next().is_some_and(|step| !step.starts_with('-'));
        is_step && !(self.has_claim && fields.next() == Some("0"))
    }

    /// Whether the cycle has a statement of the program; in others nothing moves but the claim.
    fn moves(&self) -> bool {
        self.cycle.iter().flatten().any(|line| self.is_program(line))
    }

    /// Plays the trail in SPIN's simulator: what is wrong with it, if anything.
    pub fn complaint(&self, model: &Path, expected: Expected) -> io::Result<Option<String>> {
        let whole = Played::by_spin(model, &self.text)?;
        if whole.complaint.is_some() {
            return Ok(whole.complaint);
        }
        Ok(match expected {
            Expected::Assertion if !whole.assertion => Some("in SPIN no assertion fails".to_owned()),
            Expected::ClaimEnd if !whole.claim_ends => Some("in SPIN the claim is not at its end".to_owned()),
            Expected::Cycle(_) if self.cycle.is_none() => Some("the trail has no cycle".to_owned()),
            Expected::Cycle(_) if !whole.starts_cycle => Some("SPIN shows no start of the cycle".to_owned()),
            Expected::Cycle(closing) if self.moves() => self.unclosed(model, &whole, closing)?,
            _ => None,
        })
    }

    /// How the cycle does not lead back to where it began.
    fn unclosed(&self, model: &Path, whole: &Played, closing: Closing) -> io::Result<Option<String>> {
        match closing {
            Closing::Exact => {
                let before = Played::by_spin(model, &self.with_rounds(0))?;
                let Some(complaint) = differing(&before.last, &whole.last) else { return Ok(None) };
                // the values of dead variables may be others before the first round
                let twice = Played::by_spin(model, &self.with_rounds(2))?;
                let is_closed = twice.complaint.is_none() && differing(&whole.last, &twice.last).is_none();
                Ok((!is_closed).then_some(complaint))
            }
            Closing::UpToDeadVariables => {
                let thrice = Played::by_spin(model, &self.with_rounds(3))?;
                let places =
                    |played: &Played| played.last.clone().into_iter().filter(|(name, _)| is_process(name)).collect();
                Ok(thrice.complaint.clone().or_else(|| differing(&places(whole), &places(&thrice))))
            }
        }
    }

    /// The trail with its cycle so many times.
    fn with_rounds(&self, rounds: usize) -> String {
        let mut lines = self.stem.clone();
        if let (Some(cycle), 1..) = (&self.cycle, rounds) {
            lines.push("-1:-1:-1".to_owned());
            (0..rounds).for_each(|_| lines.extend(cycle.iter().cloned()));
        }
        lines.join("\n")
    }
}

/// What SPIN has to show when it plays a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Cycle(Closing),
    /// A failing assertion.
    Assertion,
    /// The claim at its end.
    ClaimEnd,
    /// Nothing in particular.
    Run,
}

/// What a cycle leads back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The state where it began, or that after the first round: dead variables may have other values before.
    Exact,
    /// That state up to variables without effect, which a reduced search does not store: the cycle can be repeated, with
    /// the same places of processes.
    UpToDeadVariables,
}

/// What SPIN's simulator prints when it plays a trail.
#[derive(Debug, Default, PartialEq)]
struct Played {
    starts_cycle: bool,
    assertion: bool,
    claim_ends: bool,
    complaint: Option<String>,
    /// The last state: variables with their values, processes with their places.
    last: BTreeMap<String, String>,
}

impl Played {
    fn by_spin(model: &Path, trail: &str) -> io::Result<Played> {
        let folder = model.parent().unwrap_or(Path::new("."));
        fs::write(folder.join("played.trail"), format!("{trail}\n"))?;
        let name = model.file_name().unwrap_or_default().to_string_lossy();
        let arguments = ["-t", "-k", "played.trail", "-p", "-g", "-l", &*name];
        let run = process::run(Path::new("spin"), &arguments, folder, Duration::from_secs(60))?;
        Ok(Played::parse(&run.stdout))
    }

    fn parse(output: &str) -> Played {
        let mut played = Played::default();
        let mut ended = false;
        for line in output.lines() {
            played.starts_cycle |= line.contains("START OF CYCLE");
            played.assertion |= line.contains("Error: assertion violated");
            played.claim_ends |= line.contains("proc  - (") && line.contains("<valid end state>");
            let wrong =
                ["no matching stmnt", "invalid statement", "stop error", "(?)", "transition failed", "no process"];
            if !ended && wrong.iter().any(|complaint| line.contains(complaint)) {
                played.complaint.get_or_insert(format!("SPIN says: {}", line.trim()));
            } else if line.starts_with("spin: trail ends after ") {
                ended = true;
            } else if ended {
                played.last.extend(entry(line));
            }
        }
        if !ended {
            played.complaint.get_or_insert("SPIN does not play the trail to its end".to_owned());
        }
        played
    }
}

/// `x = 1`, or `2: proc 1 (P:1) m.pml:3 (state 7)`, whose first number counts the steps.
fn entry(line: &str) -> Option<(String, String)> {
    if let Some((name, value)) = line.trim().split_once(" = ") {
        return Some((name.to_owned(), value.to_owned()));
    }
    let (_, process) = line.split_once("proc ")?;
    let (pid, place) = process.trim().split_once(' ')?;
    Some((format!("proc {pid}"), place.to_owned()))
}

fn is_process(name: &str) -> bool {
    name.starts_with("proc ")
}

/// The first difference between two states.
fn differing(first: &BTreeMap<String, String>, second: &BTreeMap<String, String>) -> Option<String> {
    let names = first.keys().chain(second.keys());
    let differ = |name: &&String| first.get(*name) != second.get(*name);
    names.clone().find(differ).map(|name| {
        let value = |of: &BTreeMap<String, String>| of.get(name).cloned().unwrap_or_else(|| "absent".to_owned());
        format!("the cycle does not close: {name} is {} before it, {} after it", value(first), value(second))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_the_claim_do_not_count() {
        let lasso = Lasso::parse("-2:2:-2\n-4:-4:-4\n1:0:9\n2:1:3\n-1:-1:-1\n3:0:9\n4:2:1\n");
        assert_eq!((lasso.length(), lasso.moves()), (2, true));
        assert!(!Lasso::parse("-2:1:-2\n1:0:9\n2:1:3\n-1:-1:-1\n3:0:9\n").moves());
        assert_eq!(Lasso::parse("1:0:9\n2:1:3\n# violates formula:p\n").length(), 2);
    }

    #[test]
    fn reads_the_last_state() {
        let output = "  <<<<<START OF CYCLE>>>>>\n  1:\tproc  0 (C:1) b.pml:2 (state 1)\t[t = (1-t)]\n\t\tt = 1\nspin: trail \
                      ends after 1 steps\n#processes: 2\n\t\tx = 0\n\t\tt = 1\n  1:\tproc  1 (P:1) b.pml:3 (state \
                      7)\n\t\tP(1):l = 0\n  1:\tproc  0 (C:1) b.pml:2 (state 2)\n2 processes created\n";
        let played = Played::parse(output);
        assert!(played.starts_cycle && played.complaint.is_none());
        let names: Vec<&str> = played.last.keys().map(String::as_str).collect();
        assert_eq!(names, ["P(1):l", "proc 0", "proc 1", "t", "x"]);
        let mut other = played.last.clone();
        assert_eq!(differing(&played.last, &other), None);
        other.remove("x");
        assert!(differing(&played.last, &other).is_some_and(|words| words.contains("x is 0 before it, absent")));
    }
}
