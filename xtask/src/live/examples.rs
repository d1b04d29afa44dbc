//! SPIN's examples with properties of infinite runs: pan's and homing's verdicts, lengths and counts, as a table.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use homing_ir::Model;
use homing_promela::preprocess::Options;

use super::Question;
use super::answer::{self, LiveResult};
use super::comparison::lasso_of;
use super::lasso::{Closing, Expected, Lasso};
use super::lengths::Lengths;
use super::translation;
use crate::examples::{Cost, models, unpacked, without_comments};
use crate::process;
use crate::spin::{Answer, Cycles, ErrorKind, LiveFacts, LiveQuestion, Spin, source};

/// Examples that pan takes long for.
const SLOW: [&str; 5] = ["p337.pftp.ses.pml", "p347.pftp.ses5.pml", "ex_6.pml", "leader.pml", "leader_pre.pml"];

/// Which examples are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    All,
    /// Those that pan decides within seconds.
    Quick,
}

/// A property of a model, and how pan is asked about it.
struct Property {
    /// For `homing check`.
    name: String,
    cycles: Cycles,
    /// The claim, for pan.
    claim: Option<String>,
    is_formula: bool,
}

/// What the model states about infinite runs.
fn stated(model: &Model) -> Vec<Property> {
    let property =
        |name: &str, cycles, claim, is_formula| Property { name: name.to_owned(), cycles, claim, is_formula };
    let formulas = model.formulas.iter().map(|formula| &formula.name);
    let mut stated: Vec<Property> =
        formulas.map(|name| property(name, Cycles::Acceptance, Some(name.clone()), true)).collect();
    if !model.claims.is_empty() || model.has_label(|labels| labels.accept) {
        let claim = model.claims.first().map(|claim| claim.name.clone());
        stated.push(property("acceptance", Cycles::Acceptance, claim, false));
    }
    if model.has_label(|labels| labels.progress) {
        stated.push(property("progress", Cycles::NonProgress, None, false));
    }
    stated
}

/// Prints the table as Markdown. True if no verdict or count differs and no lasso of homing is longer.
pub fn report(dir: &Path, extent: Extent, spin: &Spin, homing: &Path, cost: &Cost) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    writeln!(out, "`spin -a -o1 -o2 -o3`, `pan -a -E` or `pan -l -E` with -DNOREDUCE; at most {} MB and", cost.memory)?;
    writeln!(
        out,
        "{} s for a search. Lengths count the program's statements, the cycle once.",
        cost.timeout.as_secs()
    )?;
    writeln!(out, "Counts are states stored, visited and matched, homing's by `--plain --search ndfs`.\n")?;
    writeln!(out, "| model | property | pan | homing | lengths | pan's counts | homing's counts | |")?;
    writeln!(out, "|---|---|---|---|--:|--:|--:|---|")?;
    let mut table = Table { spin, homing, cost, agree: true, lengths: Lengths::default(), left_out: Vec::new() };
    for file in models(dir)? {
        let name = file.strip_prefix(dir).unwrap_or(&file).display().to_string();
        if extent == Extent::Quick && SLOW.iter().any(|slow| file.ends_with(slow)) {
            table.left_out.push((name, "takes long".to_owned()));
            continue;
        }
        for row in table.rows(&name, &file)? {
            writeln!(out, "{row}")?;
        }
        out.flush()?;
    }
    writeln!(out, "\n{}\n\nLeft out:\n", table.lengths)?;
    for (name, reason) in &table.left_out {
        writeln!(out, "- {name}: {reason}")?;
    }
    Ok(table.agree)
}

struct Table<'a> {
    spin: &'a Spin,
    homing: &'a Path,
    cost: &'a Cost,
    agree: bool,
    lengths: Lengths,
    left_out: Vec<(String, String)>,
}

impl Table<'_> {
    fn rows(&mut self, name: &str, file: &Path) -> io::Result<Vec<String>> {
        let scratch = tempfile::tempdir()?;
        let model = source::copy(&unpacked(file, scratch.path())?, scratch.path())?;
        let text = String::from_utf8_lossy(&fs::read(&model)?).into_owned();
        let read = homing_promela::read(&model.to_string_lossy(), text, &Options::default());
        let Some(read) = read.model else {
            self.left_out.push((name.to_owned(), "not read by homing".to_owned()));
            return Ok(Vec::new());
        };
        let mut rows = Vec::new();
        for property in stated(&read) {
            rows.extend(self.row(name, &model, &property)?);
        }
        Ok(rows)
    }

    /// None if SPIN does not decide the property.
    fn row(&mut self, name: &str, model: &Path, property: &Property) -> io::Result<Option<String>> {
        let facts = match self.ask(model, property)? {
            Answer::Searched(facts) => facts,
            Answer::Refused(why) | Answer::TooBig(why) | Answer::Crashed(why) => {
                self.left_out.push((format!("{name}, {}", property.name), format!("SPIN: {why}")));
                return Ok(None);
            }
        };
        let (mut remarks, mut lengths, mut own_counts) = (Vec::new(), String::new(), String::new());
        let violated = facts.report.errors > 0;
        let answer = self.check(model, property, &[])?;
        let homing = match &answer {
            Ok(result) => result.verdict.clone(),
            Err((_, why)) => why.clone(),
        };
        if homing != if violated { "violated" } else { "holds" } {
            remarks.push("**verdict differs**".to_owned());
        }
        if let (Ok(result), true) = (&answer, violated) {
            lengths = self.compare_lassos(model, result, &facts, &mut remarks)?;
        }
        let report = &facts.report;
        let counts = (report.stored, report.visited, report.matched);
        let counts =
            if property.is_formula && !violated { self.counts_of_claim(model, property)? } else { Some(counts) };
        if let (Some(counts), false) = (counts, violated) {
            own_counts = self.compare_counts(model, property, counts, &mut remarks)?;
        }
        self.agree &= remarks.is_empty();
        let pan = report.messages.first().map_or("holds", |error| error.text.as_str()).replace('|', "\\|");
        let pan_counts = counts.filter(|_| !violated).map_or_else(String::new, slashed);
        let remarks = remarks.join(", ");
        Ok(Some(format!(
            "| {name} | {} | {pan} | {homing} | {lengths} | {pan_counts} | {own_counts} | {remarks} |",
            property.name
        )))
    }

    /// Asks pan. A failing assertion of the program is no violation of a property of infinite runs, but pan stops there.
    fn ask(&self, model: &Path, property: &Property) -> io::Result<Answer<LiveFacts>> {
        let question = |ignores_assertions| LiveQuestion {
            cycles: property.cycles,
            fair: false,
            ignores_assertions,
            claim: property.claim.as_deref(),
        };
        let answer = self.spin.ask_cycles_file(model, question(false))?;
        let fails = matches!(&answer, Answer::Searched(facts)
            if facts.report.messages.iter().any(|message| message.kind == ErrorKind::Assertion));
        if fails && !property.is_formula { self.spin.ask_cycles_file(model, question(true)) } else { Ok(answer) }
    }

    /// pan's counts with the never claim that homing makes of a formula.
    fn counts_of_claim(&self, model: &Path, property: &Property) -> io::Result<Option<(u64, u64, u64)>> {
        let text = without_comments(&String::from_utf8_lossy(&fs::read(model)?));
        let Ok(claimed) = translation::with_claim(self.homing, &text, &property.name)? else { return Ok(None) };
        let file = model.with_file_name("claimed.pml");
        fs::write(&file, claimed)?;
        let question = LiveQuestion { cycles: property.cycles, fair: false, ignores_assertions: false, claim: None };
        Ok(match self.spin.ask_cycles_file(&file, question)? {
            Answer::Searched(facts) => Some((facts.report.stored, facts.report.visited, facts.report.matched)),
            Answer::Refused(_) | Answer::TooBig(_) | Answer::Crashed(_) => None,
        })
    }

    fn check(
        &self,
        model: &Path,
        property: &Property,
        flags: &[&str],
    ) -> io::Result<Result<LiveResult, (Question, String)>> {
        let folder = model.parent().unwrap_or(Path::new("."));
        let name = model.file_name().unwrap_or_default().to_string_lossy();
        let (memory, timeout) = (format!("{}M", self.cost.memory), format!("{}s", self.cost.timeout.as_secs()));
        let mut arguments = vec!["check", &*name, "--property", &property.name, "--json"];
        arguments.extend(["--memory", &memory, "--timeout", &timeout]);
        arguments.extend(flags);
        let limit = self.cost.timeout + Duration::from_secs(30);
        Ok(answer::understand(&process::run(self.homing, &arguments, folder, limit)?))
    }

    /// The lengths of both lassos; plays homing's in SPIN.
    fn compare_lassos(
        &mut self,
        model: &Path,
        result: &LiveResult,
        facts: &LiveFacts,
        remarks: &mut Vec<String>,
    ) -> io::Result<String> {
        let (Some(trail), Some(pan)) = (&result.trail, lasso_of(facts)) else { return Ok(String::new()) };
        let pan = pan.length();
        if trail.length > pan {
            remarks.push("**longer**".to_owned());
        }
        self.lengths.add(trail.length, pan);
        let text = fs::read_to_string(format!("{}.trail", model.display()))?;
        let expected = if result.is_cycle() { Expected::Cycle(Closing::UpToDeadVariables) } else { Expected::Run };
        if let Some(complaint) = Lasso::parse(&text).complaint(model, expected)? {
            remarks.push(format!("**{complaint}**"));
        }
        let shortest = if trail.shortest { " (shortest)" } else { "" };
        Ok(format!("{pan} / {}{shortest}", trail.length))
    }

    /// homing's counts of a nested depth-first search without reductions.
    fn compare_counts(
        &self,
        model: &Path,
        property: &Property,
        pan: (u64, u64, u64),
        remarks: &mut Vec<String>,
    ) -> io::Result<String> {
        let result = match self.check(model, property, &["--plain", "--search", "ndfs"])? {
            Ok(result) if result.verdict == "holds" => result,
            Ok(result) => {
                remarks.push("**ndfs differs**".to_owned());
                return Ok(result.verdict);
            }
            Err((_, why)) => {
                remarks.push("**ndfs fails**".to_owned());
                return Ok(why);
            }
        };
        let stats = &result.stats;
        let own = (stats.states, stats.transitions - stats.matched, stats.matched);
        if own != pan {
            remarks.push("**counts differ**".to_owned());
        }
        Ok(slashed(own))
    }
}

fn slashed((stored, visited, matched): (impl Display, impl Display, impl Display)) -> String {
    format!("{stored} / {visited} / {matched}")
}
