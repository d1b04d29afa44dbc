//! Formulas of `ltl` blocks: how they are read, printed back, and what the reductions know of them.

use homing_ir::print::Printer;
use homing_ir::{Formula, Model, Reduced, Transition};
use homing_promela::preprocess::Options;

const WORLD: &str = "mtype = { red, green }; byte x, y, z, a[2]; chan c = [2] of { byte };\n\
    active [2] proctype P() { byte l; x == 0; l = 1; L: x = l }\n";

fn read(text: &str) -> Model {
    let reading = homing_promela::read("m.pml", text.to_owned(), &Options::default());
    reading.model.unwrap_or_else(|| panic!("{text}: {:?}", reading.diagnostics.messages()))
}

fn formula(text: &str) -> (Model, Formula) {
    let model = read(&format!("{WORLD}ltl f {{ {text} }}\n"));
    let formula = model.formulas[0].formula.clone();
    (model, formula)
}

fn printed(text: &str) -> String {
    let (model, formula) = formula(text);
    Printer { model: &model, proctype: None }.formula(&formula)
}

/// SPIN's precedences: `->` and `<->` bind weakest, then `||`, `&&`, `U W V`, all grouping to the left; `[] <> X !` bind
/// tightest.
#[test]
fn precedences_are_those_of_spin() {
    for (written, grouped) in [
        ("x -> y -> z", "((x -> y) -> z)"),
        ("x -> y || z && x", "(x -> (y || (z && x)))"),
        ("x <-> y -> z", "((x <-> y) -> z)"),
        ("x && y U z", "(x && (y U z))"),
        ("x U y W z V x", "(((x U y) W z) V x)"),
        ("[] x U y", "([](x) U y)"),
        ("[] <> X ! x && y", "([](<>(X (!(x)))) && y)"),
        ("[] (x == 2)", "[]((x==2))"),
        ("x == 1 U y + 1 > z", "((x==1) U ((y+1)>z))"),
        ("always eventually x implies y until z", "([](<>(x)) -> (y U z))"),
        ("! (x && y)", "!((x && y))"),
    ] {
        assert_eq!(printed(written), grouped, "{written}");
    }
}

/// What is printed can be read, and means the same.
#[test]
fn printed_formulas_can_be_read() {
    for written in [
        "[] (x -> <> y) && (x U (y V z)) || ! X x W y",
        "<> (x == green) -> [] (len(c) < 2 && a[x] == 1)",
        "[] P@L && P[1]@L -> P[x + 1]:l == 2",
        "[] (x * y > 1) || c?[1]",
        "<> (_nr_pr == 1) && ! timeout && enabled(1)",
    ] {
        let again = printed(written);
        assert_eq!(formula(&again).1, formula(written).1, "{written}: {again}");
    }
}

#[test]
fn an_error_has_its_place() {
    for (text, message) in [("[] x == 2", "a temporal operator inside a condition"), ("[] w", "`w` is not declared")] {
        let reading = homing_promela::read("m.pml", format!("{WORLD}\nltl f {{ {text} }}\n"), &Options::default());
        let of_blocks = reading.refused.iter().flat_map(|refused| &refused.errors);
        let error = reading.diagnostics.messages().iter().chain(of_blocks).next().expect("an error");
        assert!(error.message.contains(message), "{text}: {}", error.message);
        let span = error.span.expect("a place");
        assert_eq!(reading.sources.line(span), 4, "{text}");
    }
}

/// The transitions of `P` that continue at once with the next statement, and those that forget a local.
fn reduced(formula: &str) -> (usize, usize) {
    let Reduced { model, .. } = Reduced::of(&read(&format!("{WORLD}{formula}")));
    let automaton = &model.proctypes[0].automaton;
    let count = |is_it: &dyn Fn(&Transition) -> bool| {
        automaton.locations.iter().flat_map(|location| &location.transitions).filter(|to| is_it(to)).count()
    };
    (count(&|to| to.merged), count(&|to| !automaton.resets(to).is_empty()))
}

/// Variables and labels of a formula are not reduced away.
#[test]
fn reductions_know_what_a_formula_reads() {
    let read_nowhere = "byte g; active [2] proctype P() { g = 1 }";
    let writes_g = |formula: &str| {
        let model = Reduced::of(&read(&format!("{read_nowhere} {formula}"))).model;
        let statements = model.proctypes[0].automaton.statements.iter();
        statements.filter(|one| matches!(one.action, homing_ir::Action::Assign { .. })).count()
    };
    assert_eq!((writes_g(""), writes_g("ltl f { [] (g < 2) }")), (0, 1));

    let (absorbs, forgets) = reduced("");
    assert!(absorbs > 0 && forgets > 0, "{absorbs} {forgets}");
    assert_eq!(reduced("ltl f { [] (y < 2) }"), (absorbs, forgets), "it reads something else");
    assert_eq!(reduced("ltl f { <> P@L }"), (0, forgets), "no process comes to L early");
    assert_eq!(reduced("ltl f { [] (P[0]:l < 2) }"), (0, 0), "the local is observed");
}
