//! The messages for typical mistakes: the text, the line, and the help. One mistake is one message.

use std::fs;
use std::path::Path;

use homing_promela::diagnostic::{Diagnostic, Severity};
use homing_promela::preprocess::Options;
use homing_promela::{Reading, read};

/// The line, a part of the message, and a part of the help (or of a note) of each error.
type Expected = (u32, &'static str, &'static str);

fn errors(reading: &Reading) -> impl Iterator<Item = &Diagnostic> {
    reading.diagnostics.messages().iter().filter(|message| message.severity == Severity::Error)
}

/// Everything a message says beyond its first sentence.
fn advice(message: &Diagnostic) -> String {
    let notes = message.notes.iter().map(|note| note.text.as_str());
    let parts: Vec<&str> = std::iter::once(&*message.label).chain(notes).chain(message.help.as_deref()).collect();
    parts.join(" / ")
}

#[track_caller]
fn check(text: &str, expected: &[Expected]) {
    let reading = read("m.pml", text.to_owned(), &Options::default());
    assert_eq!(reading.model.is_some(), expected.is_empty(), "{text}");
    let line = |message: &Diagnostic| message.span.map_or(0, |span| reading.sources.line(span));
    let reported: Vec<_> = errors(&reading).map(|error| (line(error), error.message.clone(), advice(error))).collect();
    let right = reported.len() == expected.len()
        && reported.iter().zip(expected).all(|((line, message, advice), (expected_line, part, help))| {
            line == expected_line && message.contains(part) && advice.contains(help)
        });
    assert!(right, "{text}\n--- expected\n{expected:#?}\n--- reported\n{reported:#?}");
}

/// The same for statements on a line of their own, the third, among some declarations.
#[track_caller]
fn check_statement(statement: &str, message: &'static str, advice: &'static str) {
    let declarations = "typedef T { byte alpha; byte beta }; T t; byte x, count, a[3]; inline g(p) { p = 1 }";
    let text = format!(
        "{declarations}\nchan c = [1] of {{ byte }}; init {{\n{statement}\n}}\nproctype P(byte p) {{ Loop: skip }}\n"
    );
    check(&text, &[(3, message, advice)]);
}

#[test]
fn names() {
    check_statement("do :: x == 1 -> brek :: else od", "`brek` is not declared", "did you mean `break`?");
    check_statement("x = tru", "`tru` is not declared", "did you mean `true`?");
    check_statement("Q[1]@Loop", "there is no process type `Q`", "define it with");
    check_statement("cuont = 1", "`cuont` is not declared", "did you mean `count`?");
    check_statement("zebra = 1; zebra = 2", "`zebra` is not declared", "declare it before its first use");
    check_statement("x = BLUE", "`BLUE` is not declared", "mtype = { BLUE }");
    check_statement("{ byte y; y = 1 }; y = 2", "`y` is not declared", "only known inside its block");
    check_statement("t.alhpa = 1", "`T` has no field `alhpa`", "did you mean `alpha`?");
    check_statement("goto lop; loop: skip", "there is no label `lop`", "did you mean `loop`?");
    check_statement("goto nowhere", "there is no label `nowhere`", "put `nowhere:` in front of the statement");
    check_statement("run Q(1)", "there is no process type `Q`", "define it with `proctype Q");
    check_statement("P@Lop", "`P` has no label `Lop`", "did you mean `Loop`?");
    check_statement("h(1)", "there is no inline `h`", "an inline must be defined before it is called");
    check_statement("gg(x)", "there is no inline `gg`", "an inline must be defined");
    check_statement("prinft(\"\")", "there is no inline `prinft`", "did you mean `printf`?");
    check_statement("P(1)", "there is no inline `P`", "start it with `run P(…)`");
    check_statement("Count = 1", "`Count` is not declared", "did you mean `count`?");
    check("init { x = 1 }\nbyte x;\n", &[(1, "`x` is not declared", "move the declaration above")]);
    check("proctype P() { byte y; skip }\ninit { y = 1 }\n", &[(2, "`y` is not declared", "only known inside")]);
    check("proctype Worker() { skip }\ninit { run Wroker() }\n", &[(2, "no process type `Wroker`", "`Worker`")]);
    check("proctype P() { byte y; skip }\ninit { P:z == 1 }\n", &[(2, "`P` has no variable `z`", "")]);
    check("init { P@L }\n", &[(1, "there is no process type `P`", "")]);
}

#[test]
fn separators_and_braces() {
    check_statement("x = 1 x = 2", "expected `;` or `}`, found `x`", "is a `;` missing in front of it?");
    check_statement("if :: x -> x = 2 :: else fi x = 4", "expected `;` or `}`, found `x`", "is a `;` missing");
    check_statement("x = (1 + 2; x = 3", "expected `)`, found `;`", "");
    check_statement("x = 1 + 2); x = 3", "expected `;` or `}`, found `)`", "");
    check_statement("a[1 = 3", "expected `]`, found `=`", "");
    check_statement("if x -> x = 1 :: else fi", "expected `::` and the first option, found `x`", "if :: condition");
    check_statement("if : x -> x = 1 : else fi", "expected `::` and the first option, found `:`", "begin with `::`");
    check_statement("if fi", "expected `::` and the first option, found `fi`", "");
    check_statement("do :: x -> break fi", "`fi` cannot end a `do`", "expected `od`");
    check_statement("if :: x -> skip od", "`od` cannot end an `if`", "expected `fi`");
    check_statement("do :: if :: x -> skip od", "expected `;`, `::` or `fi`, found `od`", "selection that begins here");
    check_statement("x = 1; fi; x = 2", "`fi` without an `if`", "is its beginning missing above?");
    check_statement("x = 1 :: x = 2", "`::` outside of `if` and `do`", "is its beginning missing above?");
    check_statement("{ }", "this block is empty", "write `skip`");
    check_statement("if :: x :: fi", "this option is empty", "write `skip`");
    check_statement("x = 1; unless { x == 2 }", "expected a statement, found `unless`", "no `;` stands in front");
    check("byte x;\ninit {\n do\n :: x -> x++\n}\n", &[(5, "expected `;`, `::` or `od`, found `}`", "begins here")]);
    check("byte x;\ninit {\n x = 1;\n", &[(4, "expected `}`, found the end of the model", "begins here")]);
    check("byte x;\ninit {\n x = 1\n}\n}\n", &[(5, "this `}` closes nothing", "one too many")]);
    check("byte x;\ninit\n x = 1\n}\n", &[(2, "expected `{`, found `x`", "expected `{` after this")]);
    check(
        "byte x;\nproctype P() {\n x = 1;\n\nproctype Q() {\n x = 2\n}\ninit { skip }\n",
        &[(5, "expected a statement, found `proctype`", "the block that begins here is still open")],
    );
    check("init {\n proctype P() { skip }\n}\n", &[(2, "expected a statement, found `proctype`", "")]);
    check("byte a[2] = { 1, 2 }, b;\ninit { skip }\n", &[(1, "found `,`", "a declaration ends after a `}`")]);
}

#[test]
fn numbers_of_arguments() {
    check_statement("run P()", "`P` takes 1 argument, not 0", "defined here");
    check_statement("run P(1, 2)", "`P` takes 1 argument, not 2", "defined here");
    check_statement("run P;", "expected `(` and the arguments of `P`", "write `run P(…)`");
    check_statement("g(x, x)", "inline `g` takes 1 argument, not 2", "defined here");
    check_statement("c!1, 2", "2 values are sent", "");
    check_statement("skip()", "expected `;` or `}`, found `(`", "`skip` has no arguments");
    check("proctype P(byte a, byte b) { skip }\ninit { run P(1, 2) }\n", &[(1, "a type after a `,`", "write `;`")]);
    check("proctype P(a, b) { skip }\ninit { skip }\n", &[(1, "there is no type `a`", "write `byte a`")]);
    check("proctype P { skip }\ninit { skip }\n", &[(1, "expected `(` and the parameters", "proctype P() { … }")]);
    check("init() { skip }\n", &[(1, "expected `{`, found `(`", "`init` has no parameters")]);
    check("#define F(a, b) a\nbyte x;\ninit { x = F(1) }\n", &[(3, "the macro `F` takes 2 arguments", "defined here")]);
}

#[test]
fn declared_twice() {
    check("byte x;\nint x;\ninit { x = 1 }\n", &[(2, "`x` is declared twice", "first declared here")]);
    check("byte x;\ninit {\n byte x; x = 1 }\n", &[(3, "`x` is declared twice", "first declared here")]);
    check("typedef T { byte a; int a }\nT t;\ninit { t.a = 1 }\n", &[(1, "field `a` is declared twice", "first")]);
    check("typedef T { byte a }\ntypedef T { byte b }\ninit { skip }\n", &[(2, "type `T` is defined twice", "first")]);
    check("proctype P() { skip }\nproctype P() { skip }\ninit { skip }\n", &[(2, "`P` is defined twice", "first")]);
    check("proctype P(byte a; int a) { a = 1 }\ninit { run P(1, 2) }\n", &[(1, "`a` is declared twice", "first")]);
    check("inline f() { skip }\ninline f() { skip }\ninit { f() }\n", &[(2, "inline `f` is defined twice", "first")]);
    check("mtype = { A, B, A };\ninit { skip }\n", &[(1, "`A` is declared twice in this mtype", "leave one")]);
    check("mtype = { A };\nbyte A;\ninit { skip }\n", &[(2, "`A` is a constant of an mtype already", "another name")]);
    check("byte P;\nproctype P() { skip }\ninit { skip }\n", &[(1, "the name of a process type", "another name")]);
    check("init { skip }\nltl p { true }\nltl p { false }\n", &[(3, "two ltl formulas named `p`", "name of its own")]);
    check_statement("L: skip; L: skip", "this label is defined twice", "first defined here");
    check_statement(
        "if :: else -> skip :: else -> x = 1 fi",
        "this selection has an `else` already",
        "there can be one",
    );
}

#[test]
fn types() {
    check_statement("c = 3", "a number cannot be assigned to a channel", "write `!` instead of `=`");
    check_statement("x!1", "`x` is not a channel", "chan x = [1] of { byte }");
    check_statement("x = c + 1", "channel `c` cannot be computed with", "`len(c)`");
    check_statement("x.f = 1", "`x` has no fields", "it is declared here");
    check_statement("x[2] = 1", "`x` is not an array and cannot be indexed", "it is declared here");
    check_statement("a = 1", "`a` is an array: an index is missing", "write `a[…]`");
    check_statement("t = 1", "a whole record cannot be used here", "name one of its fields: `alpha`, `beta`");
    check_statement("_pid = 1", "`_pid` cannot be assigned", "");
    check_statement("x = _", "`_` has no value", "use a variable of your own");
    check_statement("float y; y = 1", "`float` has no meaning in Promela", "Promela has no fractions");
    check_statement("Mesage m; skip", "there is no type `Mesage`", "those defined with `typedef`");
    check_statement("x = \"text\"", "expected an expression, found a string", "first argument of `printf`");
    check("flaot x;\ninit { skip }\n", &[(1, "there is no type `flaot`", "`byte`")]);
    check("boool x;\ninit { skip }\n", &[(1, "there is no type `boool`", "did you mean `bool`?")]);
    check("integer x;\ninit { skip }\n", &[(1, "there is no type `integer`", "use `int`")]);
    check("T t;\ntypedef T { byte a }\ninit { skip }\n", &[(1, "there is no type `T`", "above this place")]);
    check("unsigned x;\ninit { skip }\n", &[(1, "an `unsigned` needs a width", "unsigned x : 8")]);
    check("byte x : 3;\ninit { skip }\n", &[(1, "only an `unsigned` can have a width", "unsigned x : 3")]);
    check("byte a[2][3];\ninit { skip }\n", &[(1, "expected `;`, found `[`", "an array has one dimension")]);
    check("byte a[0];\ninit { skip }\n", &[(1, "an array cannot have 0 elements", "")]);
    check("byte a[2000000000];\ninit { skip }\n", &[(1, "`a` takes 1 gigabytes", "16 megabytes")]);
    check("chan c = [1] of { Foo };\ninit { skip }\n", &[(1, "there is no type `Foo`", "")]);
    check("mtype = { RED };\ninit { RED = 1 }\n", &[(2, "`RED` is a constant of an mtype", "assign to a variable")]);
    check("mtype = RED;\ninit { skip }\n", &[(1, "expected `{` and the names", "mtype = { NAME, NAME }")]);
    check(
        "mtype:color = { RED };\nmtype:fruit = { PLUM };\nmtype:color x;\ninit { x = PLUM }\n",
        &[(4, "`PLUM` is of mtype:fruit, not of mtype:color", "")],
    );
}

#[test]
fn control_flow() {
    check_statement("break", "`break` outside of a loop", "leaves the nearest `do`");
    check_statement("if :: x -> break fi", "`break` outside of a loop", "leaves the nearest `do`");
    check_statement(
        "atomic { L: skip; x = 1 }",
        "label `L` cannot stand in front of the first",
        "front of the `atomic`",
    );
    check_statement("L: byte y; y = 1", "label `L` stands in front of a declaration", "front of a statement");
    check_statement("L: goto L", "lead around in a circle", "put a statement such as `skip` on the way");
    check_statement("goto L; d_step { skip; L: skip }", "this jump leads into a d_step", "put a `skip` in front");
    check_statement("L: skip; d_step { skip; goto L }", "a jump out of a d_step", "use `atomic`");
    check_statement("d_step { run P(1) }", "`run` inside a d_step", "use `atomic`");
    check_statement("return 1", "`return` outside of an inline", "");
    check_statement("while (x < 3) { x++ }", "there is no inline `while`", "do :: condition");
    check_statement("if (x < 3) { x++ }", "expected `::` and the first option", "if :: condition");
    check_statement("for (x = 0; x < 3; x++) { skip }", "expected `:` and a range", "for (i : 0 .. 9)");
    check_statement("select (x = 1 .. 3)", "expected `:` and a range", "select (x : 0 .. 9)");
    check_statement("select (x : 3 .. 1)", "this range is empty: 3 is above 1", "select (x : 1 .. 3)");
}

#[test]
fn expressions() {
    check_statement("!full(c)", "`full` can only be joined by `&&` and `||`", "its negation is `nfull`");
    check_statement("x = empty(c) + 1", "`empty` can only be joined by", "compare `len` with a number");
    check_statement("!!x", "`!!` is the sorted send", "write `!(!x)`");
    check_statement("(x = 1)", "expected `)`, found `=`", "`==` compares");
    check_statement("if :: x && a[1] = 2 -> skip fi", "expected `;`, `::` or `fi`, found `=`", "`==` compares");
    check_statement("assert(x = 1)", "expected `)`, found `=`", "`==` compares");
    check_statement("x && -> skip", "expected an expression, found `->`", "");
    check_statement("x and count > 1", "expected `;` or `}`, found `and`", "write `&&`");
    check_statement("not x;", "`not` has no meaning in Promela", "write `!`");
    check_statement("x =< 1", "expected an expression, found `<`", "did you mean `<=`?");
    check_statement("x <> 1", "expected an expression, found `>`", "did you mean `!=`?");
    check_statement("x += 1", "expected an expression, found `=`", "there is no `+=`");
    check_statement("++x", "expected an expression, found `++`", "statements of their own");
    check_statement("x = x > 1 ? 2 : 3", "found `?`", "(condition -> value : value)");
    check_statement("x = 1.5", "found `.`", "numbers have no fractions");
    check_statement("x = 0x1f", "found `x1f`", "numbers are decimal");
    check_statement("x = 1 + g(2)", "found `(`", "`g` is an inline");
    check_statement("x = 1 + max(2)", "found `(`", "there are no functions in Promela");
    check_statement("(run P(1) > 0)", "`run` cannot be part of a condition", "x = run P()");
    check_statement("c!run P(1)", "`run` cannot be used here", "x = run P()");
    check_statement("[] (x == 0)", "expected an expression, found `[`", "ltl name { … }");
    check_statement("assert(x U count)", "expected `)`, found `U`", "ltl name { … }");
    check("byte x;\ninit { skip }\nltl { [] (x = 0) }\n", &[(3, "expected `)`, found `=`", "`==` compares")]);
    check("byte x;\ninit { skip }\nltl { G (x == 0) }\n", &[(3, "expected `}`, found `(`", "write `[]` or `always`")]);
    check(
        "byte x;\ninit { skip }\nltl p [] (x == 0)\n",
        &[(3, "expected `{` and the formula", "ltl name { formula }")],
    );
    check(
        "byte x;\ninit { skip }\nltl { (x == 0) --> <> (x == 1) }\n",
        &[(3, "expected `}`, found `->`", "`p --> q` of UPPAAL")],
    );
}

/// Formulas that SPIN accepts, though they mean nothing: each is refused alone.
#[test]
fn formulas() {
    let check_formula = |formula: &str, message: &str, help: &str| {
        let text = format!(
            "byte x; chan c = [1] of {{ byte }};\ninit {{ skip }}\nltl wrong {{\n {formula} }}\nltl q {{ <> x }}\n"
        );
        let reading = read("m.pml", text, &Options::default());
        assert!(reading.model.is_some_and(|model| model.formulas.len() == 1), "{formula}");
        let [refused] = &reading.refused[..] else { panic!("{formula}: {:?}", reading.refused) };
        let [error] = &refused.errors[..] else { panic!("{formula}: {:?}", refused.errors) };
        let said = (error.message.as_str(), advice(error), error.span.map(|span| reading.sources.line(span)));
        assert!(said.0.contains(message) && said.1.contains(help) && said.2 == Some(4), "{formula}: {said:?}");
        assert_eq!(refused.name, "wrong");
    };
    check_formula("[]x & <>x", "`&` cannot join temporal formulas", "`&&`");
    check_formula("([]x) + 1", "a temporal operator inside a condition", "can only be joined by");
    check_formula("<> x == 1", "a temporal operator inside a condition", "write `<> (x == 1)`");
    check_formula("[] (x -> <> len(c) > 0)", "a temporal operator inside a condition", "write `<> (len(c) > 0)`");
    check_formula("! <> [] x != 2", "a temporal operator inside a condition", "write `! <> [] (x != 2)`");
    check_formula("always x < 2", "a temporal operator inside a condition", "write `always (x < 2)`");
    check_formula("x == <> x", "a temporal operator inside a condition", "can only be joined by");
    check_formula("(x U x) == 1", "a temporal operator inside a condition", "can only be joined by");
    // a name that is not known is an error of the model
    check("byte x;\ninit { skip }\nltl { <> y == 1 }\nltl { <> z }\n", &[(4, "`z` is not declared", "")]);
}

#[track_caller]
fn check_warning(text: &str, line: u32, message: &str) {
    let reading = read("m.pml", text.to_owned(), &Options::default());
    let said: Vec<_> = reading.diagnostics.messages().iter().map(|one| (one.span, one.message.as_str())).collect();
    assert!(reading.model.is_some(), "{text}: {said:?}");
    let [(Some(span), found)] = said[..] else { panic!("{text}: {said:?}") };
    assert!(found.contains(message) && reading.sources.line(span) == line, "{text}: {said:?}");
}

#[test]
fn values_that_do_not_fit() {
    check_warning("byte x;\nbyte y = 300;\ninit { x = y }\n", 2, "300 overflows `y`: 44 is stored");
    check_warning("byte y[2] = {\n1, 256 };\ninit { y[0] = 0 }\n", 2, "256 overflows `y`: 0 is stored");
    check_warning("typedef T {\nshort a = 70000 };\nT t[3];\ninit { T u; t[0].a = u.a }\n", 2, "4464 is stored");
    check_warning("init { skip;\nunsigned u : 3 = 9; u = 1 }\n", 2, "9 overflows `u`: 1 is stored");
    check_warning("typedef T { byte a };\nT t[2] = 255;\ninit { t[0].a = 1 }\n", 2, "has no effect");
    let fits = read(
        "m.pml",
        "bool a[2] = 3; int i = -7; byte b = 255; init { b = i + a[0] }\n".to_owned(),
        &Options::default(),
    );
    assert!(fits.model.is_some() && fits.diagnostics.messages().is_empty(), "{:?}", fits.diagnostics);
}

#[test]
fn channels_without_capacity() {
    let message = "`c` is never given a channel: no channel has a capacity";
    check("chan c;\ninit { c!1 }\n", &[(2, message, "chan c = [1] of { byte }")]);
    check("init {\nchan c;\nc!1, 2 }\n", &[(3, message, "nothing can be sent")]);
}

#[test]
fn words_and_characters() {
    check_statement("byte do; skip", "expected the name of a variable, found the keyword `do`", "choose another");
    check_statement("printf(\u{201c}hi\u{201d})", "expected a string", "write `\"`");
    check_statement("x == 1 \u{2192} x = 2", "found '\u{2192}'", "write `->`");
    check_statement("x = 1 $ 2", "found '$'", "has no meaning in Promela");
    check_statement("printf(\"hello);", "this string is not closed", "no second `\"` on the line");
    check_statement("x = 'a", "this character constant is not closed", "no second `'` on the line");
    check_statement("x = 'ab'", "this is not a character constant", "strings stand in double quotes");
    check_statement(
        "c_code { x = '\\x41'; y[0] = 0x1f; }; x = 2",
        "embedded C is not supported: `c_code`",
        "check this model with SPIN",
    );
    check_statement(
        "if :: c_expr { x > 1 } -> skip fi",
        "embedded C is not supported: `c_expr`",
        "express it in Promela",
    );
    check("c_decl { int x; }\ninit { skip }\n", &[(1, "embedded C is not supported: `c_decl`", "")]);
    check("byte len;\ninit { skip }\n", &[(1, "found the keyword `len`", "cannot be used as a name")]);
    check("active proctpye P() { skip }\n", &[(1, "expected `proctype`", "did you mean `proctype`?")]);
    check("main() { skip }\n", &[(1, "expected a declaration or a process type", "init { … }")]);
    check("x = 1;\ninit { skip }\n", &[(1, "expected a declaration or a process type", "statements stand in")]);
    check("byte x; #define N 3\ninit { skip }\n", &[(1, "found '#'", "has to be the first on its line")]);
    check("byte x;\n/* never closed\ninit { skip }\n", &[(2, "this comment is not closed", "`*/`")]);
    check("#defin N 3\ninit { skip }\n", &[(1, "`#defin` is not a directive", "did you mean `#define`?")]);
    check("# a model\ninit { skip }\n", &[(1, "`#a` is not a directive", "a comment is written")]);
    check("#ifdef A\ninit { skip }\n", &[(1, "this conditional is not closed", "`#endif`")]);
}

#[test]
fn inlines_and_includes() {
    check("inline f() {\n f()\n}\ninit { f() }\n", &[(2, "inline `f` calls itself", "use a loop")]);
    check("inline f() { g() }\ninline g() { f() }\ninit { f() }\n", &[(2, "inline `f` calls itself", "use a loop")]);
    check("inline f() { }\ninit { f(); f() }\n", &[(1, "this block is empty", "write `skip`")]);
    check("inline f() { y = 1 }\ninit { f(); f(); f() }\n", &[(1, "`y` is not declared", "")]);
    check("init { f() }\ninline f() { skip }\n", &[(1, "there is no inline `f`", "before it is called")]);
    check("#include \"no-such-file\"\ninit { x }\n", &[(1, "there is no file `no-such-file` to include", "`-I`")]);

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagnostics");
    fs::create_dir_all(&folder).expect("a folder for the test");
    fs::write(folder.join("a.h"), "#include \"b.h\"\n").expect("a file for the test");
    fs::write(folder.join("b.h"), "#include \"a.h\"\n").expect("a file for the test");
    let name = folder.join("m.pml").display().to_string();
    let reading = read(&name, "#include \"a.h\"\ninit { skip }\n".to_owned(), &Options::default());
    let reported: Vec<&Diagnostic> = errors(&reading).collect();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].message.contains("includes itself without end"), "{reported:?}");
    assert!(
        advice(reported[0]).contains("`#ifndef NAME`") && advice(reported[0]).contains("is included here"),
        "{reported:?}"
    );
}

#[test]
fn the_model_as_a_whole() {
    for text in ["", "byte x;\n", "proctype P() { skip }\n", "active [0] proctype P() { skip }\n"] {
        check(text, &[(0, "no process is started", "`init { … }`")]);
    }
}

#[test]
fn several_mistakes_are_all_reported_in_the_order_of_their_lines() {
    let syntax = "byte x;\nproctype P(byte a, byte b) {\n x = ;\n x == 1 y = 2;\n if :: x = = 3 -> skip fi;\n do od\n}\n\
        byte y = ;\nbyte z = ;\ninit {\n x++;\n x + ;\n run P(\n}\n";
    let expected: [Expected; 8] = [
        (2, "a type after a `,`", ""),
        (3, "expected an expression", ""),
        (4, "expected `;` or `}`, found `y`", ""),
        (5, "expected an expression, found `=`", ""),
        (6, "expected `::` and the first option", ""),
        (8, "expected an expression", ""),
        (9, "expected an expression", ""),
        (12, "expected an expression", ""),
    ];
    check(&syntax.replace(" run P(\n", ""), &expected);

    let names = "byte x;\ninit {\n y = 1;\n x.f = 2;\n run Q();\n z = 2;\n break;\n run P(1)\n}\n\
        proctype P() { goto nowhere }\nltl p { v == 1 }\nbyte a[0];\n";
    let expected: [Expected; 9] = [
        (3, "`y` is not declared", ""),
        (4, "`x` has no fields", ""),
        (5, "there is no process type `Q`", ""),
        (6, "`z` is not declared", ""),
        (7, "`break` outside of a loop", ""),
        (8, "`P` takes 0 arguments, not 1", ""),
        (10, "there is no label `nowhere`", ""),
        (11, "`v` is not declared", ""),
        (12, "an array cannot have 0 elements", ""),
    ];
    check(names, &expected);
}
