//! The last state of a run, reduced to what differs from the initial one.

use homing_core::{Description, ProcessDescription, Valued};

/// How many processes are listed.
const MOST_PROCESSES: usize = 8;

/// The lines of the values that differ from the initial ones; elements of an array that are equal are one line.
pub(super) fn changed(initial: &Description, last: &Description) -> Vec<String> {
    let is_new = |valued: &&Valued| !initial.globals.contains(valued);
    let globals: Vec<&Valued> = last.globals.iter().filter(is_new).collect();
    let mut lines = ranges(&globals);
    let process = |(pid, process): (usize, &ProcessDescription)| {
        let before = initial.processes.get(pid).filter(|before| before.process == process.process);
        let is_new = |valued: &&Valued| match before {
            Some(before) => !before.locals.contains(valued),
            None => valued.value != "0",
        };
        let locals = ranges(&process.locals.iter().filter(is_new).collect::<Vec<_>>());
        let locals = if locals.is_empty() { String::new() } else { format!("  {}", locals.join(", ")) };
        let place = process.name.clone().unwrap_or_else(|| process.place.to_string());
        format!("{} at {place}{locals}", process.process)
    };
    lines.extend(last.processes.iter().enumerate().map(process).take(MOST_PROCESSES));
    if last.processes.len() > MOST_PROCESSES {
        lines.push(format!("({} more processes)", last.processes.len() - MOST_PROCESSES));
    }
    lines
}

/// The values as text, those of consecutive elements that are equal as `a[0..3] = 1`.
fn ranges(values: &[&Valued]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < values.len() {
        let first = values[at];
        let same = |(step, valued): &(usize, &&Valued)| {
            let element = split(&first.name).zip(split(&valued.name));
            valued.value == first.value
                && element.is_some_and(|((stem, from), (other, index))| stem == other && index == from + step + 1)
        };
        let more = values[at + 1..].iter().enumerate().take_while(same).count();
        lines.push(match split(&first.name) {
            Some((stem, from)) if more > 1 => format!("{stem}[{from}..{}] = {}", from + more, first.value),
            _ => first.to_string(),
        });
        at += if more > 1 { more + 1 } else { 1 };
    }
    lines
}

/// The name and the index of an element of an array.
fn split(name: &str) -> Option<(&str, usize)> {
    let (stem, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((stem, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use homing_core::SourcePlace;

    use super::*;

    fn values(text: &[(&str, &str)]) -> Vec<Valued> {
        text.iter().map(|(name, value)| Valued { name: (*name).to_owned(), value: (*value).to_owned() }).collect()
    }

    #[test]
    fn only_what_changed_is_listed() {
        let process = |locals: &[(&str, &str)]| ProcessDescription {
            process: "P(0)".to_owned(),
            place: SourcePlace { file: "m.pml".to_owned(), line: 4 },
            name: None,
            location: 3,
            locals: values(locals),
        };
        let initial = Description {
            globals: values(&[("x", "0"), ("y", "7"), ("a[0]", "0"), ("a[1]", "0"), ("a[2]", "0")]),
            processes: vec![process(&[("t", "1"), ("u", "2")])],
        };
        let last = Description {
            globals: values(&[("x", "1"), ("y", "7"), ("a[0]", "5"), ("a[1]", "5"), ("a[2]", "5")]),
            processes: vec![process(&[("t", "1"), ("u", "3")])],
        };
        assert_eq!(changed(&initial, &last), ["x = 1", "a[0..2] = 5", "P(0) at m.pml:4  u = 3"]);
    }
}
