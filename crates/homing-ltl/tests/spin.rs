//! Against `spin -f` as another translator: its claims are read back, and must have the same language and no fewer
//! states. Nothing is compared where SPIN is not installed.

mod formula_sets;
mod random;

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use formula_sets::Row;
use homing_ltl::{Binary, Node, Unary, read_never, translate_over, translate_to_buchi};

/// SPIN does not finish some formulas in reasonable time.
const PATIENCE: Duration = Duration::from_millis(500);

/// The never claim of `spin -f`; `None` if it refuses the formula or takes too long.
fn claim(row: &Row) -> Option<String> {
    let formula = row.formula.display(&row.names).to_string();
    let parenthesised = fully_parenthesised(row);
    let folder = std::env::temp_dir().join(format!("homing-ltl-{}-{}", std::process::id(), row.name.replace('!', "n")));
    std::fs::create_dir_all(&folder).expect("a folder for SPIN's files");
    let mut child = Command::new("spin")
        .args(["-f", &parenthesised])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    let is_done = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let text = reader.join().expect("the reader ends").ok();
    let _ = std::fs::remove_dir_all(&folder);
    let text = text.filter(|text| is_done && text.contains("never"));
    if text.is_none() {
        println!("{}: no claim for {formula}", row.name);
    }
    text
}

/// The formula with parentheses around each operand, and without `W`: SPIN's precedences differ, and it has no `W`.
fn fully_parenthesised(row: &Row) -> String {
    let mut texts: Vec<String> = Vec::new();
    for &node in row.formula.nodes() {
        let text = match node {
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Proposition(index) => row.names[index as usize].clone(),
            Node::Unary(operator) => {
                let operand = texts.pop().expect("an operand");
                let symbol = match operator {
                    Unary::Not => "!",
                    Unary::Next => "X",
                    Unary::Always => "[]",
                    Unary::Eventually => "<>",
                };
                format!("({symbol} {operand})")
            }
            Node::Binary(operator) => {
                let right = texts.pop().expect("an operand");
                let left = texts.pop().expect("an operand");
                match operator {
                    Binary::And => format!("({left} && {right})"),
                    Binary::Or => format!("({left} || {right})"),
                    Binary::Implies => format!("({left} -> {right})"),
                    Binary::Equivalent => format!("({left} <-> {right})"),
                    Binary::Until => format!("({left} U {right})"),
                    Binary::Release => format!("({left} V {right})"),
                    Binary::WeakUntil => format!("(([] {left}) || ({left} U {right}))"),
                }
            }
        };
        texts.push(text);
    }
    texts.pop().expect("the formula")
}

#[test]
fn claims_of_spin_have_the_same_language_and_no_fewer_states() {
    let version = Command::new("spin").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.expect("SPIN is installed: it is the oracle");
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut compared, mut smaller, mut sums) = (0, 0, (0, 0));
    for row in formula_sets::rows().into_iter().filter(|row| !row.formula.has_next()) {
        let Some(claim) = claim(&row) else { continue };
        let read = read_never(&claim).unwrap_or_else(|error| panic!("{}: {error}\n{claim}", row.name));
        // states of the claim as they are written; the end of the claim is the state `accept_all`
        let states = claim.lines().filter(|line| line.starts_with("\tdo") || line.starts_with("\tif")).count()
            + usize::from(claim.contains("accept_all:"));
        let spin = read.over(&row.names).expect("the propositions of the formula");
        let own = translate_to_buchi(&row.formula).expect("small");
        let negation = translate_over(&!row.formula.clone(), row.names.len()).expect("small");
        assert_eq!(spin.common_word(&negation), None, "{}: SPIN accepts too much\n{claim}", row.name);
        // its claim is hard to complement: what SPIN must accept is checked on words
        let random = (0..100).map(|_| random::word(&mut rng, row.names.len().max(1) as u32));
        for word in own.accepted_word().into_iter().chain(random) {
            assert_eq!(spin.accepts(&word), word.satisfies(&row.formula), "{}: {word:?}\n{claim}", row.name);
        }
        assert!(own.states.len() <= states, "{}: {} states, SPIN has {states}\n{claim}", row.name, own.states.len());
        compared += 1;
        smaller += usize::from(own.states.len() < states);
        sums = (sums.0 + own.states.len(), sums.1 + states);
    }
    println!("{compared} compared, {smaller} smaller, states {sums:?}");
    assert!(compared > 100, "SPIN translated {compared} formulas");
}
