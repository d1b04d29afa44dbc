//! `homing simulate`: random runs, and interactive runs in a terminal.

mod program;
#[cfg(unix)]
mod terminal;

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use program::{Folder, Ran};

/// Runs of many kinds: two processes that race to a rendezvous, one that prints.
const RACE: &str = "\
chan c = [0] of { byte };
byte won, laps;
proctype Runner(byte id) {
	byte steps;
	do
	:: steps < 3 -> steps++
	:: steps == 3 -> break
	od;
	c!id
}
init {
	atomic { run Runner(1); run Runner(2) };
	c?won;
	printf(\"%d won\\n\", won);
	c?_;
	laps = 1
}
";

const ENDLESS: &str = "byte x;\nactive proctype P() { do :: x++ :: x-- od }\n";

fn model(test: &str, text: &str) -> Folder {
    Folder::new(&format!("simulate_{test}")).file("m.pml", text)
}

#[track_caller]
fn simulate(folder: &Folder, code: i32, arguments: &[&str]) -> Ran {
    folder.homing(&[&["simulate", "m.pml"], arguments].concat()).ends_with(code)
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(squeezed.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn a_seed_is_a_run() {
    let folder = model("seed", RACE);
    let run = |seed: &str| simulate(&folder, 0, &["--seed", seed]).stdout;
    assert_eq!(run("1"), run("1"));
    assert_eq!(run("0"), simulate(&folder, 0, &[]).stdout);
    let runs: Vec<String> = (0..8).map(|seed| run(&seed.to_string())).collect();
    assert!(runs.iter().any(|other| *other != runs[0]));
    for winner in ["> 1 won", "> 2 won"] {
        assert!(runs.iter().any(|run| run.contains(winner)), "{winner}");
    }
    has(&runs[3], &["Runner(1) starts", "c!id", "laps: 0 -> 1", "the run ends without an error", "seed 3", "laps = 1"]);
}

#[test]
fn what_the_model_prints() {
    let text = "mtype = { go };\nactive proctype P() { printf(\"a\"); printf(\"b %e\\n\", go); printm(go) }\n";
    assert_eq!(simulate(&model("prints", text), 0, &["--quiet"]).stdout, "ab go\ngo");
    let won = simulate(&model("prints_race", RACE), 0, &["--quiet"]).stdout;
    assert!(won == "1 won\n" || won == "2 won\n", "{won}");
}

#[test]
fn so_many_steps() {
    let folder = model("steps", ENDLESS);
    for steps in ["0", "1", "25"] {
        let shown = simulate(&folder, 0, &["--steps", steps]).stdout;
        assert_eq!(
            shown.lines().filter(|line| line.contains(" P(0) ") && !line.contains(" at ")).count().to_string(),
            steps,
            "{shown}"
        );
        has(&shown, &[&format!("after {steps} statement"), "the run can continue"]);
    }
}

#[test]
fn errors_on_the_way() {
    for (name, text, parts) in [
        (
            "assertion",
            "byte x;\nactive proctype P() { x = 2; assert(x == 3); x = 4 }\n",
            &["x = 2 (step 1, P(0): x = 2)"][..],
        ),
        ("deadlock", "chan c = [1] of { bit };\nactive proctype P() { c?1 }\n", &["invalid end state", "c is empty"]),
        ("runtime", "byte x;\nactive proctype P() { x = 1 / x }\n", &["division by zero", "after 1 statement"]),
    ] {
        let folder = model(&format!("errors_{name}"), text);
        has(&simulate(&folder, 1, &[]).stdout, parts);
        simulate(&folder, 1, &["--quiet", "--trail", "t.trail"]);
        folder.homing(&["replay", "m.pml", "t.trail"]).ends_with(1);
    }
    let folder = model("errors_start", "byte a[2]; byte i = 2; byte x = a[i];\ninit { skip }\n");
    has(&simulate(&folder, 2, &[]).stderr, &["no initial state", "index 2"]);
    has(&simulate(&folder, 2, &["--seed", "x"]).stderr, &["--seed"]);
}

#[test]
fn runs_are_kept_as_trails() {
    for (name, text, steps) in [("race", RACE, "1000"), ("endless", ENDLESS, "40")] {
        let folder = model(&format!("kept_{name}"), text);
        let lines = |text: &str| -> Vec<String> {
            let words = |line: &str| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
            text.lines().filter(|line| line.contains(" m.pml:") && !line.contains(" at ")).map(words).collect()
        };
        let run = lines(&simulate(&folder, 0, &["--steps", steps]).stdout);
        for trail in ["t.trail", "t.json"] {
            let ran = simulate(&folder, 0, &["--steps", steps, "--trail", trail]);
            has(&ran.stderr, &[&format!("trail written to {trail}")]);
            // the trail states that it ends without an error
            let shown = folder.homing(&["replay", "m.pml", trail, "--as-found"]).ends_with(0).stdout;
            assert_eq!(lines(&shown), run, "{name}, {trail}");
            has(&shown, &["the run ends without an error"]);
        }
        has(&simulate(&folder, 2, &["--trail", "missing/t"]).stderr, &["cannot write missing/t"]);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_with_what_there_is() {
    let folder = model("interrupt", ENDLESS);
    let mut command = folder.command(&["simulate", "m.pml", "--steps", "1000000000", "--trail", "t.trail"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("homing starts");
    child.stdout.as_mut().expect("a pipe").read_exact(&mut [0; 100]).expect("steps");
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    let ran = Ran::of(child.wait_with_output().expect("homing ends")).ends_with(130);
    has(&ran.stdout, &["the run ends without an error", "final state"]);
    folder.homing(&["replay", "m.pml", "t.trail", "--quiet"]).ends_with(0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_an_interactive_run() {
    let folder = model("interrupted_session", ENDLESS);
    let mut command = folder.command(&["simulate", "m.pml", "-i"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("homing starts");
    child.stdin.as_mut().expect("a pipe").write_all(b"r 3\n").expect("homing reads");
    let (mut shown, mut byte) = (String::new(), [0]);
    while !(shown.contains("move 3,") && shown.ends_with("> ")) {
        child.stdout.as_mut().expect("a pipe").read_exact(&mut byte).expect("output");
        shown.push(char::from(byte[0]));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    let _open = child.stdin.take(); // the end of the input would be another way to end
    let ran = Ran::of(child.wait_with_output().expect("homing ends")).ends_with(130);
    has(&ran.stderr, &["the run was saved in m.pml.interrupted.trail"]);
    folder.homing(&["replay", "m.pml", "m.pml.interrupted.trail", "--quiet"]).ends_with(0);
}

#[test]
fn commands_from_a_pipe() {
    let folder = model("pipe", "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n");
    let shown = folder.homing_with_input(&["simulate", "m.pml", "-i"], "1\n\n").ends_with(1).stdout;
    has(&shown, &["1 P(0) m.pml:2 x = 1 x: 0 -> 1", "assertion violated: x == 2", "b goes back"]);
    folder.homing_with_input(&["simulate", "m.pml", "-i"], "1\n1\nb\n").ends_with(0);
    folder.homing_with_input(&["simulate", "m.pml", "-i"], "").ends_with(0);
    folder.homing(&["simulate", "m.pml", "-i", "--trail", "t"]).ends_with(2);
}

#[cfg(unix)]
mod by_hand {
    use super::*;
    use terminal::Terminal;

    const COUNT: &str = "\
byte x, y;
active proctype P() {
	do
	:: x < 5 -> x++
	:: y = x
	od
}
";

    fn start(test: &str, text: &str) -> (Folder, Terminal) {
        let folder = model(&format!("by_hand_{test}"), text);
        let mut terminal = Terminal::start(&folder, &["simulate", "m.pml", "-i"]);
        let greeting = terminal.prompt();
        has(&greeting, &["h lists the commands", "move 0, statement 0"]);
        (folder, terminal)
    }

    #[test]
    fn choose_and_go_back_and_forth() {
        let (_, mut terminal) = start("choose", COUNT);
        has(&terminal.asks("1"), &["1 P(0) m.pml:4 x < 5", "move 1, statement 1", "1 P(0) m.pml:4 x++"]);
        has(&terminal.asks("1"), &["x: 0 -> 1", "move 2,", "1 P(0) m.pml:4 x < 5 2 P(0) m.pml:5 y = x"]);
        has(&terminal.asks("2"), &["y: 0 -> 1", "move 3,"]);
        has(&terminal.asks("b 2"), &["move 1 of 3, statement 1"]);
        has(&terminal.asks("v"), &["x = 0", "y = 0", "P(0) at m.pml:4"]);
        has(&terminal.asks("f"), &["move 2 of 3"]);
        has(&terminal.asks("f 9"), &["move 3, statement 3"]);
        has(&terminal.asks("v"), &["x = 1", "y = 1"]);
        has(&terminal.asks("j 0"), &["move 0 of 3"]);
        has(&terminal.asks("j 4"), &["the run has only 3 moves"]);
        has(&terminal.asks("b"), &["move 0 of 3"]);
        has(&terminal.asks("j 2"), &["move 2 of 3"]);
        // another move: undone moves are discarded
        has(&terminal.asks("1"), &["x < 5", "move 3, statement 3"]);
        has(&terminal.asks("l"), &["1 P(0) m.pml:4 x < 5 2 P(0) m.pml:4 x++ 3 P(0) m.pml:4 x < 5"]);
        terminal.types("q");
        assert_eq!(terminal.end().0, Some(0));
    }

    #[test]
    fn watch_and_go_on_until() {
        let (_, mut terminal) = start("watch", COUNT);
        has(&terminal.asks("w x * 10 + y"), &["watch 1: x * 10 + y = 0"]);
        has(&terminal.asks("w x == y"), &["watch 1: x * 10 + y = 0", "watch 2: x == y = true"]);
        terminal.asks("1");
        has(&terminal.asks("1"), &["watch 1: x * 10 + y = 10", "watch 2: x == y = false"]);
        has(&terminal.asks("2"), &["watch 1: x * 10 + y = 11", "watch 2: x == y = true"]);
        let left = terminal.asks("w- 1");
        has(&left, &["watch 1: x == y = true"]);
        assert!(!left.contains("x * 10"), "{left}");
        has(&terminal.asks("w- 7"), &["there is no watch 7"]);
        has(&terminal.asks("u x == 4"), &["x: 3 -> 4"]);
        has(&terminal.asks("v"), &["x = 4"]);
        has(&terminal.asks("r 3"), &["move"]);
        has(&terminal.asks("w P[0]@nowhere"), &["nowhere"]);
        has(&terminal.asks("u x =="), &["expected"]);
        has(&terminal.asks("w z"), &["z"]);
        terminal.types("quit");
        assert_eq!(terminal.end().0, Some(0));
    }

    #[test]
    fn save_and_replay() {
        let (folder, mut terminal) = start("save", "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 1) }\n");
        terminal.asks("1");
        has(&terminal.asks("s some run.trail"), &["saved 1 statement in some run.trail"]);
        has(&terminal.asks("s missing/t"), &["cannot write missing/t"]);
        terminal.asks("1");
        has(&terminal.asks("1"), &["assertion violated: x == 1", "b goes back"]);
        has(&terminal.asks("s t.json"), &["saved 3 statements in t.json"]);
        // the end of the input ends the run, which is in an error
        terminal.press("\u{4}");
        assert_eq!(terminal.end().0, Some(1));
        folder.homing(&["replay", "m.pml", "some run.trail"]).ends_with(0);
        folder.homing(&["replay", "m.pml", "t.json"]).ends_with(1);
        assert!(fs::read_to_string(folder.path.join("t.json")).expect("the trail").contains("\"assertion\""));
    }

    #[test]
    fn what_is_no_command() {
        let (_, mut terminal) = start("wrong", COUNT);
        for (line, parts) in [
            ("0", &["there is no move 0; choose 1 to 2"][..]),
            ("3", &["there is no move 3; choose 1 to 2"]),
            ("99999999999999999999999", &["is not a command"]),
            ("x", &["`x` is not a command; h lists the commands"]),
            ("b x", &["`x` is not a number"]),
            ("j", &["`j` needs a number"]),
            ("w", &["`w` needs an expression"]),
            ("s", &["`s` needs a file"]),
            ("", &[]),
            ("l", &["no move was taken yet"]),
            ("h", &["take move 3", "quit"]),
        ] {
            has(&terminal.asks(line), parts);
        }
        has(&terminal.asks("1"), &["move 1, statement 1"]);
        terminal.press("\u{4}");
        assert_eq!(terminal.end().0, Some(0));
    }

    #[test]
    fn nothing_can_happen_any_more() {
        let (_, mut terminal) =
            start("end", "chan c = [0] of { bit };\nactive proctype P() { c!1 }\nactive proctype Q() { c?1; c?1 }\n");
        has(&terminal.asks("1"), &["1 P(0) m.pml:2 c!1 2 Q(1) m.pml:3 c?1", "move 1, statement 2"]);
        has(
            &terminal.asks("r 5"),
            &["invalid end state", "Q(1) waits at m.pml:3 c?1 blocked: no process is ready to send on c"],
        );
        has(&terminal.asks("1"), &["no move is enabled here; b goes back"]);
        has(&terminal.asks("b"), &["move 0 of 1"]);
        terminal.types("q");
        assert_eq!(terminal.end().0, Some(0));
    }
}

/// A run that never satisfies the condition of `u` is taken back; one that fails before it is not.
#[test]
fn a_condition_that_does_not_come_true() {
    let text = "byte x; active proctype P() { do :: x < 9 -> x++ :: x == 9 -> break od; assert(x != 9) }";
    let shown = |input: &str| model("until", text).homing_with_input(&["simulate", "m.pml", "-i"], input).stdout;
    let ended = model("until-end", "byte x; active proctype P() { do :: x < 9 -> x++ :: x == 9 -> break od }");
    let ended = ended.homing_with_input(&["simulate", "m.pml", "-i"], "r 4\nu x == 20\nf\nq\n").ends_with(0).stdout;
    has(
        &ended,
        &["did not become true in 16 random moves, where the run ended", "move 4 of 20, statement 4", "move 5 of 20"],
    );
    has(&shown("u x == 20\nq\n"), &["an error occurred before the condition became true", "x = 9"]);
    has(&shown("u x == 3\nq\n"), &["x: 2 -> 3", "move 6, statement 6"]);
}

#[test]
fn an_empty_line_takes_the_only_move() {
    let folder = model("only", "byte x; active proctype P() { x = 1; if :: x = 2 :: x = 3 fi }");
    let shown = folder.homing_with_input(&["simulate", "m.pml", "-i"], "\n\n\nq\n").stdout;
    has(&shown, &["x: 0 -> 1", "move 1, statement 1"]);
    assert!(!shown.contains("move 2"), "{shown}");
}

#[test]
fn a_session_begins_with_a_trail() {
    let folder = model("begins", "byte x; active proctype P() { x = 1; x = 2; x = 3; assert(x == 4) }");
    folder.homing(&["check", "m.pml", "--quiet"]).ends_with(1);
    let session = |more: &[&str], input: &str| {
        folder
            .homing_with_input(&[&["simulate", "m.pml", "-i", "m.pml.trail"], more].concat(), input)
            .ends_with(0)
            .stdout
    };
    has(&session(&[], "f\nq\n"), &["move 0 of 4", "move 1 of 4, statement 1"]);
    has(&session(&["--from", "3"], "v\nq\n"), &["move 2 of 4, statement 2", "x = 2"]);
    has(&folder.homing(&["simulate", "m.pml", "m.pml.trail"]).ends_with(2).stderr, &["--interactive"]);
    let other = model("begins-other", "byte x; active proctype P() { x = 1 }").file("t.trail", "1:0:1\n2:0:9\n");
    let ran = other.homing_with_input(&["simulate", "m.pml", "-i", "t.trail"], "").ends_with(2);
    has(&ran.stderr, &["t.trail does not match the model"]);
}

#[test]
fn an_unknown_process_type_is_named() {
    let folder = model("unknown-type", "active proctype Sender() { byte data; data = 1 }");
    let shown =
        folder.homing_with_input(&["simulate", "m.pml", "-i"], "w Snder:data == 1\nw Sender[0]:data\nq\n").stdout;
    has(&shown, &["`Snder` is no process type of the model (did you mean `Sender`?); it has Sender", "watch 1"]);
}
