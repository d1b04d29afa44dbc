//! The benchmark from end to end, on one small model. Needs `spin` and `gcc`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use xtask::bench::{self, Interrupt, Plan, Runner, Set};

const SET: &str = r#"
    baseline = "spin-O0"
    spin = [{ name = "spin-O0", compile = ["-O0"] }]
    [[homing]]
    name = "bfs"
    flags = ["--search", "bfs"]
    [[homing]]
    name = "sideways"
    flags = ["--search", "sideways"]
    [[model]]
    name = "philosophers"
    file = "models/philosophers-shared.pml"
    define = ["N=10"]
    quick = ["N=4"]
    depth = 1_000_000
    hash_bits = 20
    [[model]]
    name = "not asked for"
    example = "none.pml"
    depth = 1
    hash_bits = 1
    "#;

fn plan(out: &Path) -> Plan {
    Plan {
        set: Set::parse(SET).expect("a set"),
        models: Some(vec!["philosophers".to_string(), "start".to_string()]),
        runs: 1,
        quick: true,
        project: Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        examples: PathBuf::new(),
        out: out.to_path_buf(),
        command: "cargo xtask bench --quick".to_string(),
    }
}

fn runner() -> Runner {
    Runner {
        homing: PathBuf::from(env!("CARGO_BIN_EXE_homing")),
        timeout: Duration::from_secs(60),
        memory: 500,
        property: None,
        interrupt: Interrupt::never(),
    }
}

#[test]
fn a_quick_benchmark_leaves_a_folder() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench");
    let _ = fs::remove_dir_all(&out);
    let mut printed = Vec::new();
    assert!(bench::run(&plan(&out), &runner(), &mut printed).expect("it runs"), "the work was the same");
    let read = |name| fs::read_to_string(out.join(name)).expect("a file");

    let raw = read("raw.csv");
    let rows: Vec<Vec<&str>> = raw.lines().map(|line| line.split(',').collect()).collect();
    let figures = |variant| {
        let mut of_variant = rows.iter().filter(|row| row[0] == "philosophers" && row[2] == variant);
        let (Some(row), None) = (of_variant.next(), of_variant.next()) else { panic!("not one row of {variant}") };
        assert_eq!((row[1], row[3], row[17]), ("N=4", "1", "complete"));
        row[11..14].to_vec()
    };
    assert_eq!(figures("spin-O0"), figures("bfs"));
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{raw}");

    let table = read("table.md");
    assert_eq!(table.as_bytes(), printed);
    assert!(table.contains("Not in this homing: sideways.") && table.contains("## philosophers N=4"), "{table}");
    assert!(table.contains("| bfs | 1 | ") && !table.contains("differs"), "{table}");
    assert!(table.contains("on a model of ten lines: "), "{table}");
    assert!(read("machine.txt").contains("command: cargo xtask bench --quick\n"));

    let again = bench::run(&plan(&out), &runner(), &mut io::sink()).expect_err("what was measured is not overwritten");
    assert!(again.to_string().contains("raw.csv"), "{again}");
}

#[test]
fn unknown_names_are_reported() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench_names");
    let mut plan = plan(&out);
    plan.models = Some(vec!["philosopher".to_string()]);
    let error = bench::run(&plan, &runner(), &mut io::sink()).expect_err("no such model").to_string();
    assert!(error.contains("no model `philosopher`; known are philosophers, not asked for, small, start"), "{error}");
    plan.models = Some(vec!["not asked for".to_string()]);
    plan.quick = false;
    let error = bench::run(&plan, &runner(), &mut io::sink()).expect_err("no such file").to_string();
    assert!(error.contains("none.pml: no such model"), "{error}");
    assert!(!out.exists(), "nothing was begun");
}
