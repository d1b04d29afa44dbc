//! No text makes the front-end panic, hang or overflow the stack: a hang is a test that does not end. A model is accepted, or refused
//! with a message; one that is accepted can be started.

mod corpus;
mod dice;

use std::ops::ControlFlow;
use std::thread;

use dice::Dice;
use homing_core::{Selection, TransitionSystem};
use homing_engine::Interpreter;
use homing_ir::Model;
use homing_promela::preprocess::Options;
use homing_promela::{Reading, read};

/// Reads a text on the small stack of a test; what is accepted is started.
fn survive(what: &str, text: String) -> Reading {
    let reading = read("m.pml", text, &Options::default());
    let refused = reading.diagnostics.has_errors();
    assert_ne!(reading.model.is_some(), refused, "{what}: accepted and wrong, or refused without a reason");
    if let Some(model) = &reading.model {
        thread::scope(|scope| {
            // the interpreter recurses on expressions, and its users give it the stack for that
            let start = thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, || expand(model));
            start.expect("a thread").join().unwrap_or_else(|_| panic!("{what}: cannot be started"));
        });
    }
    reading
}

/// Executes some steps of the initial state.
fn expand(model: &Model) {
    let Ok(interpreter) = Interpreter::new(model) else { return };
    let initial = interpreter.initial();
    let mut steps = 0;
    interpreter.for_each_step(&initial, Selection::All, |_| {
        steps += 1;
        if steps < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
}

fn refused(what: &str, text: String, message: &str) {
    let reading = survive(what, text);
    let messages: Vec<&str> = reading.diagnostics.messages().iter().map(|entry| entry.message.as_str()).collect();
    assert!(messages.iter().any(|found| found.contains(message)), "{what}: {messages:?}");
}

fn accepted(what: &str, text: String) {
    let reading = survive(what, text);
    assert!(reading.model.is_some(), "{what}: {:?}", reading.diagnostics.messages());
}

/// A model around statements.
fn init(statements: &str) -> String {
    format!("byte x; byte a[3]; chan c = [2] of {{ byte }};\ninit {{ {statements} }}\n")
}

fn nested(open: &str, inside: &str, close: &str, depth: usize) -> String {
    format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
}

/// One piece for each number, joined.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

#[test]
fn random_bytes() {
    let mut dice = Dice::new(1);
    for _ in 0..500 {
        let bytes: Vec<u8> = (0..dice.below(2000)).map(|_| dice.below(256) as u8).collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        survive(&format!("{text:?}"), text);
    }
}

const PIECES: &str = "active proctype init never trace notrace ltl typedef inline mtype chan byte bit bool short int \
    unsigned pid hidden show local if fi do od :: :: -> -> ; ; ; else break goto skip atomic d_step unless for select in \
    assert printf printm run of priority provided len full empty nfull nempty timeout np_ enabled pc_value get_priority \
    set_priority eval return xr xs true false c_code c_expr D_proctype _pid _nr_pr _last _ _priority x y a c p P T f L M \
    0 1 2 255 99999999999 'a' \"s\" \" ' { } { } ( ) ( ) [ ] , . .. : @ = = == != < > <= >= << >> + ++ - -- * / % & && | \
    || ^ ~ ! !! ? ?? [] <> U V W X # \\ $";

const BEGINNINGS: [&str; 4] = [
    "",
    "byte x, y, a[3]; chan c = [1] of { byte }; inline f(p) { p }\nactive proctype P(byte p) {\n",
    "typedef T { byte x; int y[2] }; T p; mtype = { L, M }; chan c = [0] of { T };\ninit {\n do :: ",
    "byte x, y; init { skip }\nltl { ",
];

#[test]
fn random_tokens() {
    let pieces: Vec<&str> = PIECES.split_whitespace().collect();
    let mut dice = Dice::new(2);
    for _ in 0..3000 {
        let mut text = dice.one_of(&BEGINNINGS).to_owned();
        for _ in 0..dice.below(80) {
            text.push_str(dice.one_of(&pieces));
            text.push_str(dice.one_of(&[" ", " ", " ", "\n"]));
        }
        survive(&text.clone(), text);
    }
}

/// The text cut into words, numbers, blanks and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let kind = |c: char| if c.is_alphanumeric() || c == '_' { 1 } else { i32::from(c.is_whitespace()) * 2 };
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let kind = kind(c);
        if at > start && (kind == 0 || kind != last) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = kind;
    }
    pieces.push(&text[start..]);
    pieces
}

#[test]
fn mutilated_models() {
    let mut dice = Dice::new(3);
    for (path, text) in corpus::models() {
        survive(&path, text.clone());
        let whole = pieces(&text);
        for round in 0..24 {
            let mut mutant = whole.clone();
            for _ in 0..1 + round / 6 {
                let (at, other) = (dice.below(mutant.len()), dice.below(mutant.len()));
                match dice.below(5) {
                    0 => mutant.truncate(at + 1),
                    1 => drop(mutant.remove(at)),
                    2 => mutant.insert(other, mutant[at]),
                    3 => mutant.swap(at, other),
                    _ => mutant[at] = mutant[other],
                }
                if mutant.is_empty() {
                    mutant.push("");
                }
            }
            let text = mutant.concat();
            survive(&format!("{path}, mutilated:\n{text}\n"), text);
        }
    }
}

#[test]
fn deep_nesting() {
    let deep = "nested more than 4000 levels deep";
    for (open, inside, close) in [
        ("x = ", "1", ""),
        ("{", "skip", "}"),
        ("if :: ", "skip", " fi"),
        ("do :: ", "break", " od"),
        ("atomic { ", "skip", " }"),
        ("d_step { ", "skip", " }"),
        ("for (x : 1 .. 2) { ", "skip", " }"),
        ("{ skip unless ", "skip", " }"),
        ("{ ", "skip", " unless skip }"),
        ("L: ", "skip", ""),
    ] {
        refused(open, init(&nested(open, inside, close, 10_000)), if open == "x = " { "expected" } else { deep });
        survive(open, init(&nested(open, inside, close, 3_900)));
        survive(open, init(&nested(open, inside, "", 10_000)));
    }
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("- ", "1", ""),
        ("~", "x", ""),
        ("! ", "x", ""),
        ("a[", "0", "]"),
        ("(x -> 1 : ", "2", ")"),
        ("enabled(", "0", ")"),
        ("run P(", "0", ")"),
        ("c?[eval(", "0", ")]"),
    ] {
        let text = |depth| init(&format!("x = {}", nested(open, inside, close, depth)));
        refused(open, text(100_000), deep);
        survive(open, text(3_900));
        survive(open, init(&format!("x = {}", open.repeat(10_000))));
    }
    refused("receive", init(&format!("c?{}", nested("x(", "x", ")", 10_000))), deep);
    refused("formula", format!("{}ltl {{ {} }}", init("skip"), nested("[](", "x", ")", 10_000)), deep);
    survive("fields", init(&format!("x{} = 1", ".x".repeat(100_000))));
    refused("unless", init(&nested("{ x++; ", "x--", " } unless { x == 3 }", 200)), "nested more than 100 levels deep");
    accepted("unless", init(&nested("{ x++; ", "x--", " } unless { x == 3 }", 50)));
}

#[test]
fn high_expressions() {
    accepted("a sum", init(&format!("x = 1{}", " + x".repeat(3_900))));
    accepted("sums in a sum", init(&format!("x = {}", nested("(", "x", &format!("{})", " + x".repeat(100)), 35))));
    let high = "more than 4000 operators";
    refused("a sum", init(&format!("x = 1{}", " + x".repeat(100_000))), high);
    refused("sums", init(&format!("x = {}", nested("(", "x", &format!("{})", " + x".repeat(3_000)), 60))), high);
    refused("choices", init(&format!("x = {}", nested("(x -> 1 : ", "x", " + x + x + x)", 1_500))), high);
    let indices = nested("a[", "x", &format!("{}]", " + x".repeat(1_000)), 60);
    refused("indices", init(&format!("x = {indices}")), high);
}

#[test]
fn inlines() {
    let chain = |count: usize, body: fn(usize) -> String| {
        let rest = each(count, |at| format!("inline f{}() {{ {} }}\n", at + 1, body(at)));
        format!("byte x;\ninline f0() {{ skip }}\n{rest}init {{ f{count}() }}\n")
    };
    accepted("a chain", chain(1_000, |at| format!("f{at}()")));
    refused("a long chain", chain(10_000, |at| format!("f{at}()")), "nested more than");
    accepted("doubled", chain(10, |at| format!("f{at}(); f{at}()")));
    refused("doubled", chain(40, |at| format!("f{at}(); f{at}()")), "the inlines of this model make it too large");
    refused("mutual", "inline f() { g() }\ninline g() { f() }\ninit { f() }".to_owned(), "inline `f` calls itself");
    let grow = each(12, |at| match at {
        0 => "inline f0(p) { skip }\n".to_owned(),
        _ => format!("inline f{at}(p) {{ f{}(p + p + p + p + p + p + p + p) }}\n", at - 1),
    });
    refused("arguments", format!("{grow}init {{ f11(1) }}"), "more than 4000 operators");
    let params: Vec<String> = (0..3_000).map(|at| format!("p{at}")).collect();
    let (params, args) = (params.join(", "), vec!["1"; 3_000].join(", "));
    let body = "p2999; ".repeat(3_000);
    accepted("parameters", format!("inline f({params}) {{ {body} }}\ninit {{ f({args}); f({args}) }}"));
}

#[test]
fn macros() {
    let doubling = each(60, |at| format!("#define m{} m{at} m{at}\n", at + 1));
    refused("doubled", format!("#define m0 skip;\n{doubling}init {{ m60 }}"), "makes the model too large");
    accepted("doubled", format!("#define m0 skip;\n{doubling}init {{ m10 skip }}"));
    let calls = format!("#define f(p) p p\ninit {{ {} }}", nested("f(", "skip;", ")", 100));
    refused("calls", calls, "makes the model too large");
    refused("sums", format!("#define m0 x +\n{doubling}{}", init("x = m20 1")), "more than 4000 operators");
}

#[test]
fn huge_numbers_and_declarations() {
    accepted("numbers", init("x = 99999999999999999999999999; x = 4294967296; a[2147483648] = -2147483648"));
    for (text, message) in [
        ("byte b[2000000000];", "takes 1 gigabytes"),
        ("byte b[2000000000] = 1;", "takes 1 gigabytes"),
        ("byte b[2000000000] = { 1, 2 };", "takes 1 gigabytes"),
        ("int b[2147483647];", "takes 7 gigabytes"),
        ("byte b[4294967295];", "an array cannot have -1 elements"),
        ("chan d[2000000000] = [0] of { byte };", "takes 1 gigabytes"),
        ("chan d = [2147483647] of { byte };", "channel `d` takes 1 gigabytes"),
        ("chan d = [2147483647] of { int, int, int, int };", "channel `d` takes 31 gigabytes"),
        ("chan d = [2147483648] of { byte };", "a channel cannot hold -2147483648 messages"),
        ("typedef R { byte y[1000000000] }; chan d = [2] of { R };", "more than 65536 values"),
        ("typedef R { byte y[10000000] }; chan d = [2] of { R };", "more than 65536 values"),
        ("typedef R { byte y[65536] }; R r[65536];", "`r` takes 4 gigabytes"),
        ("byte b0[9000000]; byte b1[9000000];", "a state of this model takes 17 megabytes"),
        ("active [100] proctype Q() { byte b[200000]; skip }", "a state of this model takes 19 megabytes"),
        ("active [256] proctype Q() { skip }", "at most 255 processes"),
    ] {
        refused(text, format!("{text} {}", init("skip")), message);
    }
    refused("a local", init("byte b[2000000000]; skip"), "takes 1 gigabytes");
    refused(
        "a sent record",
        format!("typedef R {{ byte y[1000000] }}; R r; {}", init("c!r")),
        "more than 65536 values",
    );

    let arrays = each(6, |at| match at {
        0 => "typedef R0 { byte y[100] = 1 };".to_owned(),
        _ => format!("typedef R{at} {{ R{} y[100] }};", at - 1),
    });
    refused("10^12 cells", format!("{arrays} R5 r; {}", init("skip")), "`r` takes 931 gigabytes");
    accepted("10^6 cells", format!("{arrays} R2 r; {}", init("r.y[99].y[99].y[99] = 2")));
    let fields = each(40, |at| match at {
        0 => "typedef R0 { byte y; byte z };".to_owned(),
        _ => format!("typedef R{at} {{ R{0} y; R{0} z }};", at - 1),
    });
    refused("2^40 fields", format!("{fields} R39 r; {}", init("skip")), "`r` takes 1024 gigabytes");
    refused("2^23 fields", format!("{fields} R22 r; {}", init("skip")), "more than 1048576 variables");
    refused("2^17 values", format!("{fields} R16 r; {}", init("c!r")), "more than 65536 values");
    let deep = each(5_000, |at| match at {
        0 => "typedef R0 { byte y };".to_owned(),
        _ => format!("typedef R{at} {{ R{} y }};\n", at - 1),
    });
    refused("records in records", format!("{deep} R4999 r; {}", init("skip")), "records nested more than");
}

#[test]
fn many_of_everything() {
    let steps = |count, piece: fn(usize) -> String| init(&format!("{} skip", each(count, piece)));
    accepted("labels", steps(70_000, |at| format!("L{at}: skip;\n")));
    accepted("labels in blocks", steps(10_000, |_| "{ skip; L: skip; goto L };".to_owned()));
    accepted("gotos", steps(10_000, |at| format!("L{at}: x++; goto L{};\n", at * 7919 % 10_000)));
    accepted("statements", steps(100_000, |_| "x++;".to_owned()));
    accepted("atomic blocks", steps(5_000, |_| "atomic { x++; x-- };".to_owned()));
    accepted("d_steps", steps(5_000, |_| "d_step { x++; x-- };".to_owned()));
    accepted("escapes", steps(5_000, |_| "{ x++; x-- } unless { x == 3 };".to_owned()));
    accepted("late locals", steps(10_000, |at| format!("byte v{at} = 1; ")));
    let long = "x++;".repeat(5_000);
    accepted("a long escape", init(&format!("{{ {{ {long} }} unless {{ x == 1; {long} }} }} unless {{ x == 2 }}")));
    let options = |count, piece: fn(usize) -> String| init(&format!("do {} od", each(count, piece)));
    accepted("options", options(10_000, |at| format!(":: x == {} -> x++ ", at % 256)));
    let jumps = each(2_000, |at| format!("L{at}: goto L{}; ", at + 1));
    let chain = format!("d_step {{ x++; if {} fi; {jumps} L2000: skip }}", ":: x -> goto L0 ".repeat(2_000));
    accepted("jumps inside a d_step", init(&chain));

    accepted("variables", each(10_000, |at| format!("byte v{at} = {};\n", at % 200)) + &init("skip"));
    accepted("types", each(10_000, |at| format!("typedef T{at} {{ byte y }}; T{at} t{at};\n")) + &init("skip"));
    accepted("sets", each(10_000, |at| format!("mtype:s{at} = {{ a{at}, b{at} }};\n")) + &init("skip"));
    accepted("process types", each(300, |at| format!("proctype P{at}() {{ skip }}\n")) + &init("skip"));
    survive("processes", each(300, |at| format!("active proctype P{at}() {{ skip }}\n")));
    survive("channels", each(300, |at| format!("chan c{at} = [0] of {{ byte }};\n")) + "init { skip }");
    let params: Vec<String> = (0..5_000).map(|at| format!("byte v{at}")).collect();
    let run = init(&format!("run P({})", vec!["1"; 5_000].join(", ")));
    accepted("parameters", format!("proctype P({}) {{ skip }}\n{run}", params.join("; ")));
    accepted("formulas", each(2_000, |at| format!("ltl p{at} {{ [] (x < 3) }}\n")) + &init("skip"));
    accepted("claims", each(1_000, |at| format!("never p{at} {{ do :: skip od }}\n")) + &init("skip"));

    let undeclared = each(30, |at| format!("wrong{at} = 1; "));
    refused("names", each(30_000, |at| format!("byte right{at};\n")) + &init(&undeclared), "`wrong0` is not declared");
    refused("values", init(&format!("c!{}", vec!["1"; 100_000].join(", "))), "more than 65536 values");
    refused("errors", init(&"x = ; ".repeat(100_000)), "expected an expression");
    refused("errors", init(&"y = 1; ".repeat(100_000)), "`y` is not declared");
}

#[test]
fn ten_megabytes() {
    const SIZE: usize = 10_000_000;
    let garbage = |letters: &str| {
        let mut dice = Dice::new(4);
        let letters: Vec<char> = letters.chars().collect();
        (0..SIZE).map(|_| letters[dice.below(letters.len())]).collect::<String>()
    };
    survive("garbage", garbage("abcdefghijklmnopqrstuvwxyz0123456789{}()[];:=!?<>+-*/&|^~ \n\t\"'#@.,"));
    survive("a line of garbage", garbage("abcdefghij0123456789{}()[];:=!?<>+-*/&|^~ @.,"));
    survive("braces", "{}".repeat(SIZE / 2));
    survive("a name", "a".repeat(SIZE));
    survive("a comment", format!("/*{}", " ".repeat(SIZE)));
    survive("a string", init(&format!("printf(\"{}", "a".repeat(SIZE))));
}
