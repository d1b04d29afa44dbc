//! What is not supported is refused by name, and errors are reported with their places.

use homing_network::diagnostic::Severity;
use homing_network::{Format, Input, Reading, Refusal, read};

fn reading(text: &str) -> Reading {
    read(&Input::new("m.xta", text, Format::Xta))
}

/// The errors of a reading, each with its place before it and its help after it.
fn errors(reading: &Reading) -> Vec<String> {
    messages(reading, Severity::Error)
}

fn messages(reading: &Reading, severity: Severity) -> Vec<String> {
    let messages = reading.diagnostics.messages().iter().filter(|message| message.severity == severity);
    messages
        .map(|message| {
            let place = message.span.map_or(String::new(), |span| {
                let place = reading.sources.place(span);
                format!("{}:{} `{}` ", place.line, place.column, reading.sources.text(span))
            });
            let help = message.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
            format!("{place}{}{help}", message.message)
        })
        .collect()
}

/// Checks the errors of a model: each row is part of one, in order.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let reading = reading(text);
    let found = errors(&reading);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "expected {expected}\nfound {found}");
    }
    assert!(reading.network.is_none());
}

const SYSTEM: &str = "process P() { state A; init A; } system P;";

/// Checks the errors of declarations.
#[track_caller]
fn check_declarations(declarations: &str, expected: &[&str]) {
    check(&format!("{declarations} {SYSTEM}"), expected);
}

/// Checks the errors of the labels of an edge.
#[track_caller]
fn check_edge(declarations: &str, labels: &str, expected: &[&str]) {
    let text = format!("{declarations} process P() {{ state A; init A; trans A -> A {{ {labels} }}; }} system P;");
    check(&text, expected);
}

#[test]
fn constructs_of_declarations_are_refused_by_name() {
    for (declaration, message) in [
        ("clock x;", "1:1 `clock` clocks are not supported"),
        ("hybrid clock x;", "clocks are not supported"),
        ("double d;", "1:1 `double` `double` variables are not supported"),
        ("string s;", "`string` variables are not supported"),
        ("chan priority a < b;", "priorities of channels are not supported"),
        ("import \"lib.so\" { int f(); };", "1:1 `import` imports of libraries are not supported"),
        ("dynamic T(int i);", "dynamic templates are not supported"),
        ("before_update { x = 1 }", "`before_update` blocks are not supported"),
        ("after_update { x = 1 }", "`after_update` blocks are not supported"),
        ("progress { x; }", "progress measures are not supported"),
        ("IO P { a?, b! }", "declarations of inputs and outputs (`IO`) are not supported"),
        ("int x = 1.5;", "1:9 `1.5` numbers with a fraction are not supported"),
        ("int f(int n) { return f(n - 1); }", "1:23 `f` recursive functions are not supported"),
        ("void f() { switch (1) { } }", "`switch` statements are not supported"),
        ("void f() { while (true) { break; } }", "`break` statements are not supported"),
        ("int f() { return abs(-1); }", "built-in functions like `abs` are not supported"),
        (
            "const N 5;",
            "a constant without a type is the syntax before UPPAAL 4 | write `const int N`, with `=` before a value",
        ),
        ("const N = 5;", "a constant without a type is the syntax before UPPAAL 4"),
    ] {
        check_declarations(declaration, &[message]);
    }
}

#[test]
fn constructs_of_edges_are_refused_by_name() {
    for (labels, message) in [
        ("sync c;", "`c` synchronisations without `!` or `?` (CSP style) are not supported | write `!`"),
        (
            "guard x > 0, x < 3;",
            "`,` a comma in a guard is the syntax before UPPAAL 4 | write `and` instead of the comma",
        ),
        ("guard x' == 1;", "rates of clocks are not supported"),
    ] {
        check_edge("chan c; int x;", labels, &[message]);
    }
    check(
        "int x; process P() { state A { x < 3, x > 0 }; init A; } system P;",
        &["a comma in an invariant is the syntax"],
    );
    let text = "process P(chan c; const n) { state A; init A; } system P;";
    check(
        text,
        &["parameters separated by `;` are the syntax before UPPAAL 4", "a constant without a type is the syntax"],
    );
    check(
        "process P() { state A; init A; } process Q() { state A; init A; } system P < Q;",
        &["`<` priorities of processes are not supported"],
    );
}

#[test]
fn queries_of_other_kinds_are_refused_by_name() {
    for (query, message) in [
        ("A<> P.A", "1:1 `A` `A<>` queries are not supported | supported are `E<> p` and `A[] p`"),
        ("E[] P.A", "`E[]` queries are not supported"),
        ("P.A --> P.A", "1:5 `-->` `-->` queries are not supported"),
        ("sup: x", "`sup` queries are not supported"),
        ("inf{P.A}: x", "`inf` queries are not supported"),
        ("bounds: x", "`bounds` queries are not supported"),
        ("Pr[<=5](<> P.A)", "`Pr` queries are not supported"),
        ("simulate [<=5] {x}", "`simulate` queries are not supported"),
        ("control: A[] P.A", "`control` queries are not supported"),
        ("strategy s = control: A<> P.A", "`strategy` queries are not supported"),
        ("A[] P.A under s", "`under` queries are not supported"),
    ] {
        let reading = read(&Input::new("m.xta", SYSTEM, Format::Xta).query(query).query("E<> P.A"));
        let found = messages(&reading, Severity::Warning);
        assert!(found.len() == 1 && found[0].contains(message), "{query}: {found:?}");
        assert_eq!(errors(&reading), [""; 0], "{query}");
        let refused: Vec<&str> = reading.refused.iter().map(|refused| refused.text.as_str()).collect();
        assert_eq!(refused, [query], "the others are decided");
        assert_eq!(reading.network.expect("a network").queries.len(), 1, "{query}");
    }
}

/// What says how likely or how late something is leaves the possible steps as they are.
#[test]
fn rates_and_probabilities_are_ignored_with_a_warning() {
    let edge = "<transition><source ref=\"a\"/><target ref=\"a\"/>";
    let location = "<template><name>P</name><location id=\"a\"><name>A</name>";
    let end = "<init ref=\"a\"/></template><system>system P;</system>";
    for (reading, warning) in [
        (reading("process P() { state A { ; 5 }; init A; } system P;"), "the exponential rate is ignored"),
        (
            reading("process P() { state A; init A; trans A -> A { probability 3; }; } system P;"),
            "the probability is ignored",
        ),
        (
            xml(&format!("{location}<label kind=\"exponentialrate\">3</label></location>{end}")),
            "the exponential rate is ignored",
        ),
        (
            xml(&format!("{location}</location>{edge}<label kind=\"probability\">1</label></transition>{end}")),
            "the probability is ignored",
        ),
    ] {
        assert_eq!(errors(&reading), [""; 0]);
        let found = messages(&reading, Severity::Warning);
        assert!(found.len() == 1 && found[0].contains(warning), "{found:?}");
        assert!(reading.network.is_some());
    }
}

#[test]
fn clocks_and_syntax_errors_are_named_together() {
    let text = "clock x; process P() { clock y; state A; init A; trans A -> A { guard x >; }; } system P;";
    check(text, &["1:1 `clock` clocks", "1:24 `clock` clocks", "expected an expression"]);
}

/// One faulty query does not keep the others from being decided.
#[test]
fn a_faulty_query_of_a_file_is_refused_alone() {
    let rows = [
        ("E<> nosuch == 1", Refusal::Invalid, "there is no `nosuch`"),
        ("E<> P.A +", Refusal::Invalid, "expected an expression"),
        ("P.A", Refusal::Invalid, "a query begins with"),
        ("E<> x == 1.5", Refusal::Unsupported, "numbers with a fraction"),
    ];
    for (query, refusal, reason) in rows {
        let queries = format!("A[] P.A\n{query}\nE<> P.A\n");
        let input = Input::new("m.xta", format!("int x; {SYSTEM}"), Format::Xta).query_file("m.q", queries);
        let mut reading = read(&input);
        let lowered = reading.lower();
        let refused = &reading.refused[..];
        assert_eq!(refused.len(), 1, "{query}: {:?}", messages(&reading, Severity::Warning));
        assert_eq!((refused[0].number, refused[0].line, refused[0].refusal), (2, 2, refusal), "{query}");
        assert!(refused[0].reason.contains(reason) && refused[0].text == query, "{:?}", refused[0]);
        let numbers: Vec<u32> = lowered.expect("it is lowered").queries.iter().map(|one| one.number).collect();
        assert_eq!(numbers, [1, 3], "the others are decided");
        assert_eq!(errors(&reading), [""; 0], "{query}");
    }
}

#[test]
fn blank_queries_and_comments_are_skipped() {
    let queries = "<queries><query><formula></formula></query><query><formula>// none</formula></query>\
                   <query><formula>E&lt;&gt; P.A\nand\n</formula></query><query><formula>E&lt;&gt; P.A</formula></query></queries>";
    let location = "<template><name>P</name><location id=\"a\"><name>A</name></location><init ref=\"a\"/></template>";
    let reading = xml(&format!("{location}<system>system P;</system>{queries}"));
    assert_eq!(reading.refused.len(), 1, "a formula of several lines is one query: {:?}", reading.refused);
    assert_eq!(reading.network.expect("a network").queries.len(), 1);
}

#[test]
fn queries_with_errors_refuse_the_model_where_they_are_given_by_name() {
    for (query, message) in [
        ("E<> P.B", "template `P` has no location or variable `B`"),
        ("E<> Q.A", "1:5 `Q` there is no `Q`"),
        ("E<> P", "a process is not a value"),
        ("P.A", "a query begins with `E<>` or `A[]`"),
        ("E<> P.A P.A", "expected the end of the query, found `P`"),
        ("E<>", "expected an expression, found the end of the text"),
    ] {
        let reading = read(&Input::new("m.xta", SYSTEM, Format::Xta).query(query));
        let found = errors(&reading);
        assert!(found.len() == 1 && found[0].contains(message), "{query}: {found:?}");
    }
}

#[test]
fn queries_are_separated_by_lines() {
    let queries = "/* first */\nE<> P.A and \\\n not deadlock\n// second\nA[] P.A\n\nA[] P.A or\n deadlock\n";
    let reading = read(&Input::new("m.xta", SYSTEM, Format::Xta).query_file("m.q", queries));
    let texts: Vec<String> = reading.network.expect("a network").queries.into_iter().map(|query| query.text).collect();
    assert_eq!(texts, ["E<> P.A and not deadlock", "A[] P.A", "A[] P.A or deadlock"]);
}

#[test]
fn all_errors_of_a_file_are_reported() {
    check(
        "int x = ; int y = 2 +; bool ok; void f() { x = ; y = 3 } process P() { state A, ; init A; } int z[; system P;",
        &["1:9 ", "1:22 ", "1:48 ", "1:56 ", "1:81 ", "1:99 "],
    );
    check(
        "int x = y; process P() { state A; init A; trans A -> B { guard z; assign w = 1, x = v; }, C -> A { sync x!; }; } system P, Q;",
        &[
            "`y` there is no `y`",
            "`B` there is no location `B`",
            "`z` there is no `z`",
            "`w`",
            "`v`",
            "`C`",
            "`Q` there is no `Q`",
        ],
    );
}

#[test]
fn a_refused_variable_is_reported_once() {
    check_edge("clock x; int n;", "guard x > 3; assign x = 0, n = x;", &["clocks are not supported"]);
}

#[test]
fn names_and_types_are_checked() {
    for (declarations, labels, message) in [
        ("int count;", "assign cuont = 1;", "`cuont` there is no `cuont` | did you mean `count`?"),
        ("int x, x;", "", "`x` `x` is declared twice"),
        ("const int N = 1;", "assign N = 2;", "`N` a constant cannot be assigned to"),
        ("const int N;", "", "the constant `N` has no value"),
        ("int n; int a[n];", "", "the value must be known before the model runs"),
        ("int a[2] = { 1 };", "", "the array has 2 elements, but 1 values are given"),
        ("struct { int a; } s = { 1, 2 };", "", "the record has 1 fields, but 2 values are given"),
        ("int[0,3] x = 4;", "", "the value 4 is out of the range 0 to 3"),
        ("int[3,0] x;", "", "no value is in the range 3 to 0 of the variable"),
        ("int a[-1];", "", "an array cannot have -1 elements"),
        ("int a[1000000][1000000];", "", "the type has more than"),
        ("chan c;", "assign c = 1;", "expected a variable"),
        ("chan c; int x;", "assign x = c;", "a channel is not a value"),
        ("chan c[2];", "sync c!;", "this is an array of channels: an index is missing"),
        ("int x;", "sync x!;", "expected a channel"),
        ("int x;", "guard x = 1;", "a guard cannot change variables"),
        ("int x; bool f() { x = 1; return true; }", "guard f();", "a guard cannot change variables"),
        ("chan c[2]; int x;", "sync c[x++]!;", "the index of a channel cannot change variables"),
        ("struct { int a; } s;", "assign s.b = 1;", "`b` there is no field `b`"),
        ("struct { int a; } s; int x;", "assign x = s;", "cannot be assigned to int"),
        ("int x;", "assign x[0] = 1;", "int has no elements"),
        ("int a[2]; int b[3];", "assign a = b;", "int[3] cannot be assigned to int[2]"),
        ("int f(int v) { return v; } int x;", "assign x = f();", "`f` has 1 parameters, 0 are given"),
        ("void f(int &v) { v = 1; }", "assign f(3);", "expected a variable"),
        (
            "const int K = 1; void f(int &v) { v = 1; }",
            "assign f(K);",
            "expected a variable: the parameter is a reference",
        ),
        ("void f(int &v) { v = 1; } int[0,3] x;", "assign f(x);", "a reference to int cannot refer to int[0,3]"),
        ("typedef scalar[2] S; S s; int x;", "assign x = s;", "the value does not belong to int"),
        ("int f() { return; }", "", "`return` needs a value here"),
        ("void f() { return 1; }", "", "a `void` function returns no value"),
        ("", "select i : int; guard i > 0;", "the integers need bounds here"),
        ("int x;", "select i : int[0,x];", "the value must be known before the model runs"),
        ("", "select i : int[0,3]; assign i = 1;", "a constant cannot be assigned to"),
        ("", "select i : int[0,65536];", "the edge chooses among more than 65536 values"),
        ("struct { } s;", "", "the record has no fields"),
        ("int a[int[-2000000000,2000000000]][0];", "", "the type has more than"),
        ("inx x;", "", "`inx` there is no type `inx` | did you mean `int`?"),
        ("int x = 1 / 0;", "", "1 is divided by zero"),
        ("int x;", "guard deadlock;", "`deadlock` can be used in a query only"),
        ("int x;", "guard A;", "`A` is a location; a location can be tested in a query only"),
        ("int state;", "", "expected a name, found the keyword `state`"),
        ("int x = 99999999999;", "", "the number does not fit 32 bits"),
        ("int x; /* open", "", "the comment is not closed"),
    ] {
        let text = format!("{declarations} process P() {{ state A; init A; trans A -> A {{ {labels} }}; }} system P;");
        let found = errors(&reading(&text));
        assert!(found.iter().any(|found| found.contains(message)), "{text}\n{found:#?}");
    }
}

#[test]
fn processes_are_checked() {
    let template = "int x; process P(int &r, const int k) { state A; init A; }";
    for (system, message) in [
        ("system P;", "`P` needs an argument for its parameter `r`"),
        ("P1 = P(x); system P1;", "`P` has 2 parameters, 1 are given"),
        ("P1 = P(1, 2); system P1;", "expected a variable: the parameter is a reference"),
        ("P1 = P(x, x); system P1;", "the value must be known before the model runs"),
        ("P1 = Q(x, 1); system P1;", "there is no `Q`"),
        ("P1 = P(x, 1); system P1, P1;", "`P1` is twice in the `system` line"),
        ("P1 = P1(x); system P1;", "there is no `P1`"),
        ("", "there is no `system` line"),
        ("system P(x, 1);", "arguments cannot be given in the `system` line"),
    ] {
        let found = errors(&reading(&format!("{template} {system}")));
        assert!(found.len() == 1 && found[0].contains(message), "{system}: {found:?}");
    }
    check("process P() { state A; } system P;", &["template `P` has no initial location"]);
    check("process P() { state A, A; init A; } system P;", &["`A` is declared twice"]);
    check("process P() { int A; state A; init A; } system P;", &["`A` is declared twice"]);
    check("process P(const int[0,99999] i) { state A; init A; } system P;", &["there are more than 65536 processes"]);
}

/// Nesting and chains that would overflow the stack are refused.
#[test]
fn deep_models_are_refused() {
    let deep = 100_000;
    for expression in [
        "(".repeat(deep),
        "-".repeat(deep),
        "!".repeat(deep),
        format!("1{}", " + 1".repeat(deep)),
        format!("1{}", " ? 1 : 1".repeat(deep)),
        format!("x{}", "[0]".repeat(deep)),
        "forall (i : int[0,1]) ".repeat(deep),
        format!("x{}", " = x".repeat(deep)),
    ] {
        let found = errors(&reading(&format!("int x; int y = {expression}; {SYSTEM}")));
        assert!(found.iter().any(|found| found.contains("nested deeper than 1000 levels")), "{:?}", &found[..1]);
    }
    for body in ["{".repeat(deep), "if (x) ".repeat(deep), "struct { ".repeat(deep)] {
        let found = errors(&reading(&format!("int x; void f() {{ {body} }} {SYSTEM}")));
        assert!(found.iter().any(|found| found.contains("nested deeper than 1000 levels")), "{:?}", &found[..1]);
    }
    let nested = format!("<nta>{}{}</nta>", "<a>".repeat(deep), "</a>".repeat(deep));
    assert!(read(&Input::new("m.xml", nested, Format::Xml)).network.is_none());
    let chain = format!("int x = 1{}; {SYSTEM}", " + 1".repeat(900));
    assert!(reading(&chain).network.is_some());
}

fn xml(body: &str) -> Reading {
    read(&Input::new("m.xml", format!("<nta>\n{body}\n</nta>"), Format::Xml))
}

#[test]
fn places_in_xml_name_template_label_and_both_lines() {
    let reading = xml(
        "<declaration>int x;</declaration>\n<template><name>P</name><location id=\"id0\"/><init ref=\"id0\"/>\n\
        <transition><source ref=\"id0\"/><target ref=\"id0\"/>\n<label kind=\"guard\">x &lt; 3 and\n  x &gt; 1 and yy</label>\
        </transition></template>\n<system>system P;</system>",
    );
    let message = &reading.diagnostics.messages()[0];
    let span = message.span.expect("a place");
    assert_eq!(reading.sources.place(span).to_string(), "m.xml:6:16 (template P, guard, line 2)");
    assert_eq!((message.message.as_str(), reading.sources.text(span)), ("there is no `yy`", "yy"));
}

#[test]
fn odd_xml_is_read() {
    let reading = read(&Input::new(
        "m.xml",
        "\u{feff}<?xml version=\"1.0\"?>\n<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'x.dtd'>\n<nta>\
         <declaration><![CDATA[const int k = 1; int x, y; bool b = k < 3 && true;]]></declaration>\r\n\
         <template><name> P </name><parameter></parameter><declaration/>\
         <location id=\"id0\"><name></name><label kind=\"invariant\"/></location>\
         <location id=\"id1\"><name>_id0</name><label kind=\"comments\">?!</label></location><init ref=\"id0\"/>\
         <transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\"></label>\
         <label kind=\"assignment\">x=0,\r\ny=1</label><nail x=\"1\" y=\"2\"/></transition></template>\
         <system>system P;</system><queries><query><formula/><comment/></query>\
         <query><formula>E&lt;&gt; P._id0 &amp;&amp; y == 1</formula></query></queries></nta>",
        Format::Xml,
    ));
    let network = reading.network.unwrap_or_else(|| panic!("{:?}", reading.diagnostics.messages()));
    assert_eq!(&*network.templates[0].locations[0].name, "_id0_", "an invented name does not clash");
    assert_eq!(network.queries[0].text, "E<> P._id0 && y == 1");
    let found = homing_network::explorer::explore(&network, homing_network::explorer::Limits::default());
    assert_eq!((found.states, found.queries[0].length), (2, Some(1)));
}

#[test]
fn xml_that_is_wrong_is_reported() {
    let start = "<template><name>P</name><location id=\"a\"><name>A</name></location>";
    let end = "<init ref=\"a\"/></template><system>system P;</system>";
    for (middle, message) in [
        ("<location id=\"b\"><name>A</name></location>", "`A` is declared twice"),
        ("<location id=\"a\"><name>B</name></location>", "the id `a` is used twice"),
        ("<location id=\"b\"><name>2x</name></location>", "`2x` is not a name"),
        ("<transition><source ref=\"a\"/><target ref=\"z\"/></transition>", "there is no location with the id `z`"),
        ("<transition><source ref=\"a\"/></transition>", "no source or no target"),
        (
            "<transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">1 1</label></transition>",
            "expected the end of the label, found `1`",
        ),
        (
            "<transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"assignment\">spawn Q()</label></transition>",
            "dynamic templates are not supported",
        ),
        ("</template><lsc/><template>", "live sequence charts are not supported"),
    ] {
        let found = errors(&xml(&format!("{start}{middle}{end}")));
        assert!(found.iter().any(|found| found.contains(message)), "{middle}: {found:?}");
    }
    let found = errors(&read(&Input::new("m.xml", "<nta>\n<template>\n</nta>", Format::Xml)));
    assert!(found[0].starts_with("3:") && found[0].contains("not well-formed XML"), "{found:?}");
    let found = errors(&read(&Input::new("m.xml", "<html/>", Format::Xml)));
    assert!(found[0].contains("the root element is `html`, not `nta`"), "{found:?}");
}
