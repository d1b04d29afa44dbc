//! What the command line refuses: exit code 2, a message with the remedy, nothing on standard output.

mod program;

use program::Folder;

/// Runs homing and expects a refusal whose message contains all the `parts`.
#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], parts: &[&str]) {
    let ran = folder.homing(arguments).ends_with(2);
    assert_eq!(ran.stdout, "", "nothing on standard output");
    for part in parts {
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
}

#[test]
fn files_that_are_no_models() {
    let folder = Folder::new("files_that_are_no_models")
        .file("empty.pml", " \n")
        .file("binary.pml", b"\x7fELF\0\0")
        .file("latin1.pml", b"init {\n\tskip /* caf\xe9 */\n}\n")
        .file("network.ta", "process P() { }")
        .file("lts.bcg", "des (0, 0, 1)")
        .file("m.pml.trail", "-2:1:-2\n");
    std::fs::create_dir(folder.path.join("dir.pml")).expect("a folder");

    refused(&folder, &["check", "missing.pml"], &["missing.pml", "No such file"]);
    refused(&folder, &["check", "missing.xyz"], &["missing.xyz", "No such file"]);
    refused(&folder, &["check", "empty.pml/inner.pml"], &["cannot read empty.pml/inner.pml"]);
    refused(&folder, &["check", "dir.pml"], &["dir.pml", "folder"]);
    refused(&folder, &["check", "empty.pml"], &["empty.pml", "empty", "proctype"]);
    refused(&folder, &["check", "binary.pml"], &["binary.pml", "NUL", "offset 4"]);
    folder.homing(&["check", "latin1.pml"]).ends_with(0);
    refused(
        &folder,
        &["check", "network.ta"],
        &["networks of automata in this format (.ta) are not implemented yet", "--input promela"],
    );
    refused(
        &folder,
        &["check", "lts.bcg"],
        &["labelled transition systems in this format (.bcg) are not implemented yet"],
    );
    refused(&folder, &["check", "m.pml.trail"], &["homing replay MODEL m.pml.trail"]);
}

#[test]
fn any_other_file_is_promela() {
    let mut folder = Folder::new("any_other_file_is_promela");
    for name in ["model", "m.pm", "m.pr", "m.prm", "m.txt", "m.PML", "two.dots.x"] {
        folder = folder.file(name, "init { assert(false) }");
        folder.homing(&["check", name]).ends_with(1);
        folder.homing(&[name]).ends_with(1);
    }
    folder.homing(&["--quiet", "model", "--search", "bfs"]).ends_with(1);
    folder.homing(&["-DN=1", "m.txt"]).ends_with(1);
    refused(&folder, &["missing.pml"], &["missing.pml", "No such file"]);
    refused(&folder, &["chek", "m.txt.no"], &["chek"]);
    let ran = folder.homing_with_input(&["-"], "init { skip } */\n").ends_with(0);
    assert!(ran.stderr.contains("this `*/` closes no comment"), "{}", ran.stderr);
}

#[test]
fn flags_that_mean_nothing() {
    let folder = Folder::new("flags_that_mean_nothing").file("m.pml", "init { skip }");
    refused(&folder, &["check"], &["MODEL"]);
    refused(&folder, &["check", "m.pml", "--fast"], &["--fast"]);
    refused(&folder, &["check", "m.pml", "--search", "quick"], &["quick", "auto, dfs, bfs"]);
    refused(&folder, &["check", "m.pml", "--search", "dfs", "--threads", "2"], &["--threads 2", "--search bfs"]);
    refused(&folder, &["check", "m.pml", "--threads", "0"], &["--threads"]);
    refused(&folder, &["check", "m.pml", "--bits", "1G"], &["--bits", "--store bitstate"]);
    refused(&folder, &["check", "m.pml", "--store", "bitstate", "--bits", "few"], &["--bits", "512M"]);
    refused(&folder, &["check", "m.pml", "--engine", "quick"], &["compiled, interpreted"]);
    refused(&folder, &["check", "m.pml", "--search", "dfs", "-j2"], &["--threads 2"]);
    refused(&folder, &["check", "m.pml", "--input", "ada"], &["promela"]);
    refused(&folder, &["check", "m.pml", "--memory", "4"], &["--memory", "4G"]);
    refused(&folder, &["check", "m.pml", "--timeout", "soon"], &["--timeout", "30s"]);
    refused(&folder, &["check", "m.pml", "--max-states", "many"], &["--max-states"]);
    refused(&folder, &["check", "m.pml", "-D", "1x"], &["1x"]);
    refused(&folder, &["check", "m.pml", "--quiet", "--verbose"], &["--quiet", "--verbose"]);
    refused(&folder, &["ltl", "[] p", "--format", "svg"], &["never, hoa, dot, json"]);
    refused(&folder, &[], &["check"]);
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new("completions_and_manual_pages");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.homing(&["completions", shell]).ends_with(0).stdout;
        assert!(script.contains("all-errors") && script.contains("simulate"), "{shell}");
    }
    let page = folder.homing(&["man"]).ends_with(0).stdout;
    assert!(page.contains(".TH homing 1") && page.contains("check"), "{page}");
    let page = folder.homing(&["man", "check"]).ends_with(0).stdout;
    assert!(page.contains(".TH homing-check 1") && page.contains("shortest"), "{page}");
    refused(&folder, &["man", "chek"], &["unknown command `chek`", "did you mean `check`?"]);
    refused(&folder, &["completions", "tcsh"], &["tcsh", "bash"]);
}

/// What bash offers after `line`, with the script that homing prints.
fn completed_by_bash(folder: &Folder, line: &[&str]) -> Vec<String> {
    let words: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (line.last().expect("a word"), line.get(line.len() - 2).expect("two words"));
    let script = format!(
        ". ./script.bash; COMP_WORDS=({}); COMP_CWORD={}; _homing homing '{last}' '{before}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        line.len() - 1
    );
    let bash = std::process::Command::new("bash").args(["--norc", "-c", &script]).current_dir(&folder.path).output();
    let bash = bash.expect("bash starts");
    assert_eq!(String::from_utf8_lossy(&bash.stderr), "", "{script}");
    String::from_utf8_lossy(&bash.stdout).lines().map(str::to_owned).collect()
}

/// The values of an option are completed, not files.
#[test]
fn values_are_completed() {
    let folder = Folder::new("values_are_completed").file("file.pml", "init { skip }");
    let script = folder.homing(&["completions", "bash"]).ends_with(0).stdout;
    let folder = folder.file("script.bash", script);
    for (line, expected) in [
        (&["check", "m.pml", "--search", "b"][..], &["bfs", "best-first", "beam"][..]),
        (&["check", "--heuristic", "fsm"], &["fsm-max", "fsm-sum"]),
        (
            &["check", "--store", ""],
            &["auto", "exact", "tree", "compact", "bitstate", "random-dynamic", "random-static"],
        ),
        (&["check", "--format", ""], &["text", "json", "github", "sarif", "junit"]),
        (&["check", "--fairness", ""], &["none", "weak", "strong"]),
        (&["check", "--combine", ""], &["sum", "max"]),
        (&["check", "--por", ""], &["on", "off"]),
        (&["check", "--engine", ""], &["compiled", "interpreted"]),
        (&["check", "--color", "a"], &["auto", "always"]),
        (&["check", "--progress", "n"], &["never"]),
        (&["check", "--input", ""], &["promela", "aut", "xta", "xml"]),
        (&["check", "--property", "a"], &["assertions", "acceptance", "action:"]),
        (&["compare", "--heuristic", "a"], &["auto", "active", "abstraction"]),
        (&["ltl", "--format", ""], &["never", "hoa", "dot", "json"]),
        (&["check", "--trail", "f"], &["file.pml"]),
    ] {
        let line = [&["homing"], line].concat();
        assert_eq!(completed_by_bash(&folder, &line), expected, "{line:?}");
    }
}

#[test]
fn a_misspelled_value_is_suggested() {
    let folder = Folder::new("misspelled-value").file("m.pml", "init { skip }");
    for (option, given, near) in [
        ("--search", "bsf", "bfs"),
        ("--heuristic", "fsm-mx", "fsm-max"),
        ("--store", "bitsate", "bitstate"),
        ("--format", "jnuit", "junit"),
        ("--fairness", "week", "weak"),
        ("--input", "promla", "promela"),
    ] {
        let expected =
            [format!("'{given}'"), format!("a similar value exists: '{near}'"), "possible values:".to_owned()];
        refused(&folder, &["check", "m.pml", option, given], &expected.each_ref().map(String::as_str));
    }
    refused(&folder, &["compare", "m.pml", "--search", "dfs,bsf"], &["a similar value exists: 'bfs'"]);
    refused(&folder, &["check", "m.pml", "--bfs"], &["bfs is a value of --search: --search bfs"]);
    refused(&folder, &["check", "m.pml", "--weak"], &["--fairness weak"]);
}

#[test]
fn help_and_version() {
    let folder = Folder::new("help_and_version");
    let help = folder.homing(&["check", "--help"]).ends_with(0).stdout;
    for part in ["Examples:", "homing check dining.pml", "Exit codes:", "130", "--property", "--timeout", "-D"] {
        assert!(help.contains(part), "{part:?} is not in\n{help}");
    }
    let sections: Vec<&str> = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    let expected = [
        "Arguments:",
        "Options:",
        "Model:",
        "Property:",
        "Search:",
        "Heuristic:",
        "Store:",
        "Limits:",
        "Output:",
        "Development:",
        "Examples:",
        "Exit codes:",
    ];
    assert_eq!(sections, expected, "{help}");
    let commands = folder.homing(&["--help"]).ends_with(0).stdout;
    assert!(commands.contains("check") && commands.contains("compare") && commands.contains("ltl"), "{commands}");
    let version = folder.homing(&["--version"]).ends_with(0).stdout;
    assert_eq!(version, format!("homing {}\n", env!("CARGO_PKG_VERSION")));
}

/// A command with a typo is not taken for a model.
#[test]
fn a_misspelled_command_is_reported() {
    let folder = Folder::new("misspelled-command").file("m.pml", "init { skip }");
    let ran = folder.homing(&["chekc", "m.pml"]).ends_with(2);
    assert!(ran.stderr.contains("unrecognized subcommand 'chekc'") && ran.stderr.contains("'check'"), "{}", ran.stderr);
}

/// Options are listed under what they are about.
#[test]
fn help_is_grouped() {
    let folder = Folder::new("grouped-help");
    for (command, option) in
        [("replay", "--diff"), ("simulate", "--seed"), ("graph", "--max-states"), ("compare", "--markdown")]
    {
        let help = folder.homing(&[command, "-h"]).ends_with(0).stdout;
        let (before, model) = help.split_once("\nModel:\n").expect("a group for the model");
        let model = model.split("\n\n").next().unwrap_or_default();
        assert!(before.contains(option) && !model.contains(option), "{help}");
    }
    let help = folder.homing(&["replay", "-h"]).ends_with(0).stdout;
    let arguments = help.split("\n\n").find(|part| part.starts_with("Arguments:")).unwrap_or_default();
    assert!(arguments.contains("[TRAIL]"), "{help}");
}
