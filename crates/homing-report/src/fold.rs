//! Folding: loops of one process, atomic runs and steps that do not matter become one line.

use crate::story::{StoryChange, StoryLine, ends};

/// The longest block of statements that is recognised when it is repeated.
const LONGEST_BLOCK: usize = 12;

/// The widest statement of a folded line.
const WIDEST: usize = 60;

/// As many of the last lines stay whatever they are.
const LAST: usize = 3;

/// The lines folded, about `most` of them.
pub fn folded(lines: &[StoryLine], cycle_start: Option<usize>, most: usize) -> Vec<StoryLine> {
    let (stem, cycle) =
        lines.split_at(lines.partition_point(|line| cycle_start.is_none_or(|start| line.last <= start)));
    let mut all = atomic_runs(&loops(stem));
    all.extend(atomic_runs(&loops(cycle)));
    for line in all.iter_mut().filter(|line| line.runs.is_some()) {
        line.changes.retain(|change| !change.name.contains("):")); // the arguments of a call are in its text
    }
    if all.len() <= most {
        return all;
    }
    if all.iter().any(|line| line.needed) {
        let tail = all.len().saturating_sub(LAST);
        let is_kept = |at: usize| at >= tail || all[at].needed;
        // a single line between two that are kept takes no more room than the note that it was left out
        let is_single = |at: usize| at > 0 && is_kept(at - 1) && is_kept(at + 1);
        let kept = (0..all.len()).filter(|at| is_kept(*at) || is_single(*at)).map(|at| all[at].clone());
        all = kept.collect();
    }
    let (head, tail) = ends(all.len(), Some(most));
    if tail > 0 {
        all.drain(head..all.len() - tail);
    }
    all
}

/// Folds blocks that a process repeats without a pause.
fn loops(lines: &[StoryLine]) -> Vec<StoryLine> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match longest_loop(&lines[at..]) {
            Some((block, times)) => {
                all.push(repeated(&lines[at..at + block * times], block, times));
                at += block * times;
            }
            None => {
                all.push(lines[at].clone());
                at += 1;
            }
        }
    }
    all
}

/// The length of the block that is repeated here and how many times it comes, if it is worth folding.
fn longest_loop(lines: &[StoryLine]) -> Option<(usize, usize)> {
    let process = &lines.first()?.step.process;
    let foldable = |line: &&StoryLine| line.step.process == *process && line.notes.is_empty();
    let alike = |line: &StoryLine| !line.needed || line.runs.is_some();
    let length = lines.iter().take_while(foldable).count();
    let mut best = None;
    for block in 1..=LONGEST_BLOCK.min(length / 2) {
        let equal = (block..length).take_while(|&at| lines[at].key == lines[at - block].key).count();
        let times = 1 + equal / block;
        let whole = &lines[..block * times];
        let starts = whole.iter().any(|line| line.runs.is_some());
        let worth = times >= 3 || (times == 2 && block >= 3);
        let better = best.is_none_or(|(block, times)| block * times < whole.len());
        if worth && better && (starts || whole.iter().all(alike)) {
            best = Some((block, times));
        }
    }
    best
}

fn repeated(lines: &[StoryLine], block: usize, times: usize) -> StoryLine {
    let mut started: Vec<&str> = lines[..block].iter().filter_map(|line| line.runs.as_deref()).collect();
    started.dedup();
    let text = match started[..] {
        [] => format!("{} (x {times})", joined(&lines[..block])),
        ref all => format!("runs {} x {times}", all.join(", ")),
    };
    let mut line = merged(lines, text);
    if !started.is_empty() {
        line.changes.clear(); // counters of a set-up loop
    }
    line
}

/// Folds what a process executes in one atomic run.
fn atomic_runs(lines: &[StoryLine]) -> Vec<StoryLine> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let rest = &lines[at + 1..];
        let same = |line: &&StoryLine| line.continues && line.step.process == lines[at].step.process;
        let mut count = 1 + rest.iter().take_while(same).count();
        while count > 1 && joined(&lines[at..at + count]).chars().count() > WIDEST {
            count -= 1;
        }
        let run = &lines[at..at + count];
        all.push(if count == 1 { run[0].clone() } else { merged(run, joined(run)) });
        at += count;
    }
    all
}

/// The statements one after the other; a call of an inline is named once.
fn joined(lines: &[StoryLine]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let same_call = at > 0 && line.step.call.is_some() && lines[at - 1].step.call == line.step.call;
        texts.push(if same_call || at == 0 { line.step.statement.clone() } else { line.step.statement_text() });
    }
    texts.join("; ")
}

/// One line for several.
fn merged(lines: &[StoryLine], statement: String) -> StoryLine {
    let mut line = lines[0].clone();
    let is_wide = statement.chars().count() > WIDEST + 12;
    line.step.statement =
        if is_wide { format!("{}...", statement.chars().take(WIDEST).collect::<String>()) } else { statement };
    line.last = lines[lines.len() - 1].last;
    line.needed = lines.iter().any(|line| line.needed);
    line.notes = lines.iter().flat_map(|line| line.notes.clone()).collect();
    line.changes = net_changes(lines);
    line
}

/// What is different after the lines from before.
fn net_changes(lines: &[StoryLine]) -> Vec<StoryChange> {
    let mut net: Vec<StoryChange> = Vec::new();
    for change in lines.iter().flat_map(|line| &line.changes) {
        match net.iter_mut().find(|known| known.name == change.name) {
            Some(known) => known.after.clone_from(&change.after),
            None => net.push(change.clone()),
        }
    }
    net.retain(|change| change.before != change.after);
    net
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line for each letter, by process 0; upper case: needed, `r` starts a process, `-` continues an atomic run.
    fn lines(letters: &str) -> Vec<StoryLine> {
        let mut lines = Vec::new();
        let mut continues = false;
        for letter in letters.chars() {
            if letter == '-' {
                continues = true;
                continue;
            }
            let number = lines.len() + 1;
            let mut line = StoryLine { first: number, last: number, key: letter as u64, ..StoryLine::default() };
            line.step.statement = letter.to_string();
            line.needed = letter.is_uppercase();
            line.runs = (letter == 'r').then(|| "Node".to_owned());
            line.continues = std::mem::take(&mut continues);
            line.changes =
                vec![StoryChange { name: "n".into(), before: (number - 1).to_string(), after: number.to_string() }];
            lines.push(line);
        }
        lines
    }

    fn texts(lines: &[StoryLine]) -> Vec<String> {
        lines.iter().map(|line| format!("{}-{} {}", line.first, line.last, line.step.statement)).collect()
    }

    #[test]
    fn loops_are_folded() {
        let folded = folded(&lines("irjirjirjxyabab"), None, 99);
        assert_eq!(texts(&folded)[..3], ["1-9 runs Node x 3", "10-10 x", "11-11 y"]);
        assert_eq!(folded.len(), 7, "twice two statements are not worth it");
        let counted = super::folded(&lines("ababab"), None, 99);
        assert_eq!(texts(&counted), ["1-6 a; b (x 3)"]);
        assert_eq!(counted[0].changes, [StoryChange { name: "n".into(), before: "0".into(), after: "6".into() }]);
    }

    #[test]
    fn what_the_error_depends_on_is_not_folded_into_a_loop() {
        assert_eq!(folded(&lines("AAAA"), None, 99).len(), 4);
    }

    #[test]
    fn atomic_runs_are_one_line() {
        assert_eq!(texts(&folded(&lines("ab-c-de"), None, 99)), ["1-1 a", "2-4 b; c; d", "5-5 e"]);
    }

    #[test]
    fn a_cycle_begins_with_a_line_of_its_own() {
        assert_eq!(texts(&folded(&lines("aaaaaa"), Some(3), 99)), ["1-3 a (x 3)", "4-6 a (x 3)"]);
    }

    #[test]
    fn what_does_not_matter_is_left_out_first() {
        let kept = folded(&lines("abCdefGhijklm"), None, 6);
        assert_eq!(texts(&kept), ["3-3 C", "7-7 G", "11-11 k", "12-12 l", "13-13 m"]);
        assert_eq!(folded(&lines("abcdefghij"), None, 4).len(), 4);
    }
}
