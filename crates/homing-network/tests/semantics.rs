//! Each rule of the semantics, on networks of a few states.

mod lowered;

use homing_network::explorer::{Exploration, Limits, Verdict};
use homing_network::{Format, Input, RuntimeErrorKind};

/// What the explorer finds; the intermediate form has to mean the same.
#[track_caller]
fn explored(text: &str, queries: &[&str]) -> Exploration {
    let input = Input::new("model.xta", text, Format::Xta);
    let input = queries.iter().fold(input, |input, query| input.query(*query));
    lowered::compare(&input, Limits::default()).expect("there is no limit")
}

/// Checks that a network reaches what each query asks for (`Some` length) or not.
#[track_caller]
fn check(text: &str, expected: &[(&str, Option<u32>)]) {
    let queries: Vec<String> = expected.iter().map(|(condition, _)| format!("E<> {condition}")).collect();
    let found = explored(text, &queries.iter().map(String::as_str).collect::<Vec<_>>());
    for ((condition, length), answer) in expected.iter().zip(&found.queries) {
        assert_eq!(answer.length, *length, "{condition}: {:?}", found.nearest_error);
    }
}

/// One process that goes from A to B by an edge with these labels.
fn one_edge(declarations: &str, labels: &str) -> String {
    format!("{declarations} process P() {{ state A, B; init A; trans A -> B {{ {labels} }}; }} system P;")
}

/// Checks the values of expressions after one step that assigns them to `x`.
#[track_caller]
fn check_value(declarations: &str, expression: &str, value: i32) {
    let text = one_edge(&format!("int x; {declarations}"), &format!("assign x = {expression};"));
    check(&text, &[(&format!("P.B and x == {value}"), Some(1))]);
}

#[track_caller]
fn check_error(text: &str, length: u32, kind: &RuntimeErrorKind) {
    let found = explored(text, &[]);
    assert_eq!(found.nearest_error.map(|(length, error)| (length, error.kind)), Some((length, kind.clone())));
}

#[test]
fn a_binary_channel_needs_two_processes() {
    let text = "chan c; process P() { state A, B; init A; trans A -> B { sync c!; }, A -> B { sync c?; }; } system P;";
    assert_eq!(explored(text, &[]).states, 1, "a process does not meet itself");
    let text = "chan c; process P() { state A, B; init A; trans A -> B { sync c!; }; }
                process Q() { state A, B; init A; trans A -> B { sync c?; }; } system P, Q;";
    check(text, &[("P.B and Q.B", Some(1)), ("P.B and Q.A", None), ("deadlock", Some(1))]);
}

#[test]
fn a_committed_location_is_left_first() {
    let text = "int n; process P() { state A, B, C; commit B; init A; trans A -> B { }, B -> C { assign n = 1; }; }
                process Q() { state A, B; init A; trans A -> B { assign n = n + 2; }; } system P, Q;";
    check(text, &[("P.B and n == 2", Some(2)), ("P.B and n == 0", Some(1)), ("n == 3", Some(3))]);
    let text = "chan c; process P() { state A, B; commit A; init A; trans A -> B { sync c?; }; }
                process Q() { state A, B; init A; trans A -> B { sync c!; }; }
                process R() { state A, B; init A; trans A -> B { }; } system P, Q, R;";
    check(text, &[("P.B and Q.B and R.A", Some(1)), ("R.B and P.A", None), ("R.B", Some(2))]);
}

#[test]
fn two_committed_processes_interleave() {
    let text = "int n; process P(const int k) { state A, B; commit A; init A; trans A -> B { assign n = 2 * n + k; }; }
                P0 = P(0); P1 = P(1); system P0, P1;";
    check(text, &[("n == 1 and P0.B", Some(2)), ("n == 2", Some(2))]);
}

#[test]
fn urgent_has_no_effect_without_clocks() {
    let text = "urgent chan c; process P() { state A, B; urgent A; init A; trans A -> B { sync c!; }; }
                process Q() { state A, B; init A; trans A -> B { sync c?; }; }
                process R() { state A, B; init A; trans A -> B { }; } system P, Q, R;";
    assert_eq!(explored(text, &[]).states, 4);
}

#[test]
fn a_broadcast_takes_all_receivers_that_are_ready() {
    let text = "broadcast chan b; int n; process S() { state A, B; init A; trans A -> B { sync b!; }; }
                process R(const int k) { state A, B, C; init A;
                trans A -> B { guard n >= k; sync b?; }, A -> C { guard n >= k; sync b?; }; }
                R0 = R(0); R1 = R(0); R2 = R(1); system S, R0, R1, R2;";
    let found = explored(text, &["E<> S.B and R0.A"]);
    assert_eq!((found.states, found.transitions), (5, 4), "all combinations of the two receivers");
    assert_eq!(found.queries[0].length, None, "no receiver is left out");
    check(text, &[("R0.B and R1.C and R2.A", Some(1))]);
}

#[test]
fn a_broadcast_without_receivers_is_not_blocked() {
    check(&one_edge("broadcast chan b;", "sync b!;"), &[("P.B", Some(1))]);
    check(&one_edge("broadcast chan b;", "sync b?;"), &[("P.B", None)]);
}

#[test]
fn a_broadcast_is_blocked_by_an_invariant_of_a_receiver() {
    let text = "broadcast chan b; int n; process S() { state A, B; init A; trans A -> B { sync b!; assign n = 1; }; }
                process R() { state A, B { n == 0 }; init A; trans A -> B { sync b?; }; } system S, R;";
    check(text, &[("S.B", None), ("deadlock", Some(0))]);
}

#[test]
fn the_sender_updates_first_then_receivers_in_the_order_of_the_system() {
    let template = "process R(const int k) { state A, B; init A; trans A -> B { sync b?; assign n = 10 * n + k; }; }";
    let sender = "process S() { state A, B; init A; trans A -> B { sync b!; assign n = 1; }; }";
    let system = "R2 = R(2); R3 = R(3); system R3, S, R2;";
    check(&format!("broadcast chan b; int n; {template} {sender} {system}"), &[("n == 132", Some(1))]);
    let system = "R2 = R(2); system R2, S;";
    check(&format!("chan b; int n; {template} {sender} {system}"), &[("n == 12", Some(1))]);
}

#[test]
fn guards_are_evaluated_in_the_state_that_is_left() {
    let text = "chan c; int n; process S() { state A, B; init A; trans A -> B { sync c!; assign n = 1; }; }
                process R() { state A, B; init A; trans A -> B { guard n == 1; sync c?; }; } system S, R;";
    check(text, &[("S.B", None)]);
}

#[test]
fn updates_are_sequential() {
    check(&one_edge("int x = 1, y = 2;", "assign x = y, y = x;"), &[("x == 2 and y == 2", Some(1))]);
}

#[test]
fn select_chooses_every_value() {
    let text =
        one_edge("int[0,9] x; int[0,9] y;", "select i : int[1,3], j : int[0,1]; guard i != 2; assign x = i, y = j;");
    let found = explored(&text, &["E<> x == 3 and y == 1", "E<> x == 2"]);
    assert_eq!((found.states, found.transitions), (5, 4));
    assert_eq!((found.queries[0].length, found.queries[1].length), (Some(1), None));
    // The chosen name hides a variable.
    check(&one_edge("int i = 7, x;", "select i : int[0,0]; assign x = i + 1;"), &[("x == 1 and i == 7", Some(1))]);
}

#[test]
fn invariants_forbid_steps() {
    let text = "int[0,9] n; process P() { state A { n < 3 }; init A; trans A -> A { assign n++; }; } system P;";
    let found = explored(text, &["E<> n == 2", "A[] n < 3", "E<> deadlock"]);
    assert_eq!(found.states, 3);
    let verdicts: Vec<Verdict> = found.queries.iter().map(|answer| answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Satisfied; 3]);
}

#[test]
fn an_initial_state_against_an_invariant_is_an_error() {
    let text = "int n = 5; process P() { state A { n < 3 }; init A; } system P;";
    check_error(text, 0, &RuntimeErrorKind::InitialInvariant);
}

#[test]
fn values_out_of_range_are_errors() {
    let text = "int[0,2] n; process P() { state A; init A; trans A -> A { assign n++; }; } system P;";
    check_error(text, 2, &RuntimeErrorKind::OutOfRange { value: 3, low: 0, high: 2 });
    // without a state that decides the query, a run-time error is what violates it
    assert_eq!(explored(text, &["A[] n < 3"]).queries[0].verdict, Verdict::NotSatisfied);
    check_error(
        &one_edge("int n = 32767;", "assign n++;"),
        0,
        &RuntimeErrorKind::OutOfRange { value: 32768, low: -32768, high: 32767 },
    );
    check_error(
        &one_edge("void f(int[0,3] v) { }", "assign f(4);"),
        0,
        &RuntimeErrorKind::OutOfRange { value: 4, low: 0, high: 3 },
    );
    check_error(
        &one_edge("int n; int[0,3] f() { return n - 1; }", "assign n = f();"),
        0,
        &RuntimeErrorKind::OutOfRange { value: -1, low: 0, high: 3 },
    );
}

#[test]
fn a_state_with_a_run_time_error_is_no_deadlock() {
    for labels in ["assign x = 1 / x;", "guard 1 / x == 1;"] {
        let found = explored(&one_edge("int x;", labels), &["E<> deadlock"]);
        assert_eq!((found.states, found.deadlocks, found.errors), (1, 0, 1), "{labels}");
        assert_eq!(found.queries[0].verdict, Verdict::NotSatisfied, "{labels}");
    }
}

#[test]
fn indices_out_of_range_are_errors() {
    let index = RuntimeErrorKind::Index { value: 3, low: 0, length: 3 };
    check_error(&one_edge("int a[3]; int i = 3;", "assign a[i] = 1;"), 0, &index);
    check_error(&one_edge("int a[3]; int i = 3;", "guard a[i] == 0;"), 0, &index);
    check_error(&one_edge("chan c[3]; int i = 3;", "sync c[i]!;"), 0, &index);
    let index = RuntimeErrorKind::Index { value: 0, low: 2, length: 3 };
    check_error(&one_edge("int a[int[2,4]]; int i;", "assign a[i] = 1;"), 0, &index);
}

#[test]
fn division_by_zero_and_odd_shifts_are_errors() {
    check_error(&one_edge("int x;", "assign x = 7 / x;"), 0, &RuntimeErrorKind::DivisionByZero { dividend: 7 });
    check_error(&one_edge("int x;", "guard 7 % x == 1;"), 0, &RuntimeErrorKind::DivisionByZero { dividend: 7 });
    check_error(&one_edge("int x = -1;", "assign x = 1 << x;"), 0, &RuntimeErrorKind::Shift { bits: -1 });
}

#[test]
fn a_decided_condition_is_not_evaluated_further() {
    let text = one_edge("int x; int a[1];", "guard x == 0 or 1 / x > 0; assign x = (x != 0 && a[x - 1] > 0) ? 1 : 2;");
    check(&text, &[("x == 2", Some(1))]);
    assert_eq!(explored(&text, &[]).errors, 0);
}

#[test]
fn endless_functions_are_errors() {
    let text = one_edge("void f() { while (true) { } }", "assign f();");
    check_error(&text, 0, &RuntimeErrorKind::Endless);
    let text = one_edge("int x; int f() { if (x > 0) return 1; }", "assign x = f();");
    check_error(&text, 0, &RuntimeErrorKind::NoResult);
}

#[test]
fn operators_have_their_precedence() {
    for (expression, value) in [
        ("2 + 3 * 4 - 1", 13),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 <? 3 >? 5", 5),
        ("1 | 6 & 3 ^ 1", 3),
        ("1 << 2 + 1", 8),
        ("2 < 3 == true", 1),
        ("true or false and false", 1),
        ("not true or true", 1),
        ("(false imply false) imply false", 0),
        ("true or true imply false", 0),
        ("true xor true", 0),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("forall (i : int[0,3]) i < 4 and i >= 0", 1),
        ("exists (i : int[0,3]) i == 4", 0),
        ("sum (i : int[1,4]) i * i", 30),
        ("1 + sum (i : int[1,3]) i + 1", 10),
        ("sum (i : int[1,0]) 1", 0),
        ("2000000000 + 2000000000 < 0", 1),
    ] {
        check_value("", expression, value);
    }
}

#[test]
fn names_of_temporal_operators_are_names() {
    // `A` is a location of the process, which hides a constant.
    check_value("const int E = 2, U = 3, W = 4, R = 5;", "E + U + W + R", 14);
}

#[test]
fn functions_have_locals_loops_and_results() {
    for (body, value) in [
        ("int s; int i; for (i = 0; i < 4; i++) s += i; return s;", 6),
        ("int s = 1; for (i : int[1,3]) { int t = s; s = t * i; } return s;", 6),
        ("int s; do { s += 2; } while (s < 5); return s;", 6),
        ("int s = 9; while (s > 6) { s--; } return s;", 6),
        ("int a[3] = { 1, 2, 3 }; int b[3]; b = a; a[0] = 9; return b[0] + b[1] + b[2];", 6),
        ("if (false) return 1; else if (true) { return 6; } return 2;", 6),
        ("int s = 5; { int s = 1; s++; } return s + 1;", 6),
        ("const int k = 3; int s; for (i : int[1,3]) { int fresh; fresh += i; s += fresh; } return s;", 6),
    ] {
        check_value(&format!("int f() {{ {body} }}"), "f()", value);
    }
}

#[test]
fn parameters_are_copies_or_aliases() {
    let functions = "void set(int &v, int a[2], int &b[2]) { v = 1; a[0] = 2; b[1] = 3; }";
    let text = one_edge(&format!("int x; int a[2]; int b[2]; {functions}"), "assign set(x, a, b);");
    check(&text, &[("x == 1 and a[0] == 0 and b[1] == 3", Some(1))]);
    let text = "int x, y; process P(int &r, const int k) { state A, B; init A; trans A -> B { assign r = k; }; }
                P1 = P(x, 1); P2 = P(y, 2); system P1, P2;";
    check(text, &[("x == 1 and y == 2", Some(2)), ("x == 2", None)]);
    let text =
        "int a[3]; process P(int &r) { state A, B; init A; trans A -> B { assign r = 5; }; } P1 = P(a[2]); system P1;";
    check(text, &[("a[2] == 5 and a[0] == 0 and P1.r == 5", Some(1))]);
    let text = "process P(int v) { state A; init A; trans A -> A { guard v < 3; assign v++; }; } P1 = P(1); system P1;";
    check(text, &[("P1.v == 3", Some(2))]);
}

#[test]
fn constants_are_evaluated() {
    check_value("const int N = 2; const int T[N + 1] = { 1, N, N * 4 };", "T[2] + T[1]", 10);
    check_value("const int K = 3; int f(int v) { return v * K; } const int L = f(4);", "L", 12);
    let text = "const struct { int a; int b[2]; } S = { 1, { 2, 3 } }; int x, i = 1;";
    check(&one_edge(text, "assign x = S.a + S.b[i];"), &[("x == 4", Some(1))]);
}

#[test]
fn records_are_copied_by_assignment() {
    let text = "typedef struct { int a; bool on; } r_t; r_t r = { 1, true }, s; ";
    check(&one_edge(text, "assign s = r, r.a = 2;"), &[("s.a == 1 and s.on and r.a == 2 and r != s", Some(1))]);
    let text = "typedef struct { int a; } r_t; r_t r; r_t f(r_t v) { v.a = 3; return v; }";
    check(&one_edge(text, "assign r = f(r);"), &[("r.a == 3", Some(1))]);
    check(&one_edge("int a[2][2]; int i = 1;", "assign a[0][1] = 7, a[i] = a[0];"), &[("a[1][1] == 7", Some(1))]);
}

#[test]
fn a_variable_without_a_value_has_0_or_its_lower_bound() {
    let text = one_edge("int[2,5] a; int[-3,-1] b; int[-1,1] c; bool d;", "");
    check(&text, &[("a == 2 and b == -3 and c == 0 and d == false", Some(0))]);
}

#[test]
fn truth_values_are_0_or_1() {
    check(&one_edge("bool d; int x;", "assign d = 5, x = d + 1;"), &[("x == 2 and d == true", Some(1))]);
}

#[test]
fn families_have_a_process_for_each_value() {
    let text = "typedef int[0,2] id_t; int n; process P(const id_t i, const int[1,2] j) { int v = 10 * i + j; state A, B; init A;
                trans A -> B { assign n = v; }; } system P;";
    let found = explored(
        text,
        &["E<> n == 21 and P(2,1).B and P(2,1).v == 21", "E<> exists (i : id_t) P(i,2).B", "E<> P(1,1).i == 1"],
    );
    assert_eq!(
        (found.queries[0].length, found.queries[1].length, found.queries[2].length),
        (Some(1), Some(1), Some(0))
    );
}

#[test]
fn partial_instances_pass_parameters_on() {
    let text = "int a[3]; process P(int &r, const int k, chan &c) { state A, B; init A; trans A -> B { sync c!; assign r = k; }; }
                process Q(chan &c) { state A, B; init A; trans A -> B { sync c?; }; } chan ch[2];
                R(const int[0,1] i) = P(a[i + 1], 2 * i + 1, ch[i]); Q1 = Q(ch[1]); system R, Q1;";
    check(text, &[("a[2] == 3 and R(1).B and R(0).A", Some(1)), ("R(0).B", None)]);
}

#[test]
fn a_template_whose_types_depend_on_parameters_is_resolved_for_each_process() {
    let text = "process P(const int n) { int a[n]; int[0,n] s; state A, B; init A;
                trans A -> B { select i : int[1,n]; guard forall (k : int[0,n-1]) a[k] == 0; assign a[i - 1] = i, s = i; }; }
                P1 = P(1); P3 = P(3); system P1, P3;";
    let found = explored(text, &["E<> P3.a[2] == 3 and P1.s == 1"]);
    assert_eq!((found.states, found.errors, found.queries[0].length), (8, 0, Some(2)));
}

#[test]
fn channels_of_a_process_are_its_own() {
    let text =
        "process P() { chan c; broadcast chan b; state A, B, C; init A; trans A -> B { sync c!; }, A -> C { sync b!; },
                A -> B { sync c?; }; } P1 = P(); P2 = P(); system P1, P2;";
    check(text, &[("P1.B", None), ("P1.C and P2.C", Some(2))]);
}

#[test]
fn scalars_are_compared_and_enumerated() {
    let text = "typedef scalar[3] S; S last; bool used[S]; process P(const S me) { state A, B; init A;
                trans A -> B { guard !used[me]; assign used[me] = true, last = me; }; } system P;";
    let found = explored(text, &["E<> forall (s : S) used[s]", "E<> exists (s : S) s == last and P(s).B"]);
    assert_eq!((found.queries[0].length, found.queries[1].length), (Some(3), Some(1)));
}

#[test]
fn meta_variables_are_no_part_of_the_state() {
    let text =
        "meta int t; int x; process P() { state A; init A; trans A -> A { assign t = 5, x = t - 5; }; } system P;";
    assert_eq!(explored(text, &[]).states, 1);
}

#[test]
fn branch_points_are_choices() {
    let text =
        "int x; process P() { state A, B, C; branchpoint D; init A; trans A -> D { guard x == 0; assign x = 1; },
                D -> B { probability 3; }, D -> C { assign x = x + 1; probability 1; }; } system P;";
    check(text, &[("P.B and x == 1", Some(1)), ("P.C and x == 2", Some(1))]);
}

#[test]
fn an_edge_without_a_source_has_that_of_the_edge_before() {
    let text = "process P() { state A, B, C; init A; trans A -> B { }, -> C { }, B -> A { }; } system P;";
    check(text, &[("P.C", Some(1)), ("deadlock", Some(1))]);
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let counter = "int n; int next() { n++; return n; } int[0,9] low(int[0,9] v) { return v; }";
    check_value(counter, "n * 100 + next() * 10 + n", 11);
    check_value(counter, "next() * 100 + next() * 10 + next()", 123);
    check_value(counter, "next() - (next() - next())", 2);
    check_value(counter, "low(next()) + 10 * low(next() + low(next()))", 51);
    check_value(counter, "n++ * 100 + n * 10 + ++n", 12);
    check_value(counter, "(n = 5) * 10 + n", 55);
    check_value(counter, "false && next() == 1 || n == 0 ? 7 : 8", 7);
    check_value(counter, "(n == 0 imply next() == 1) ? n : 9", 1);
    check_value(counter, "next() == 2 ? next() : n + 5", 6);
    check_value(counter, "next() <? n + 3", 1);
    check_value(counter, "next() >? n + 3 * n", 4);
    check_value("int a[3] = { 1, 2, 0 }; int i;", "a[a[a[i++]]] + i", 1);
    check_value("int a[3] = { 1, 2, 0 };", "a[(a[0] = 2)]", 0);
}

#[test]
fn quantifiers_over_many_values_are_the_same_as_over_few() {
    check_value("int a[200];", "sum (i : int[0,199]) i % 7", 594);
    check_value("int a[200];", "forall (i : int[0,199]) a[i] == 0", 1);
    check_value("int a[200];", "exists (i : int[1,199]) i * i == 144", 1);
    check_value("int a[200];", "exists (i : int[0,199]) forall (j : int[0,99]) a[j] == i + 1", 0);
    check_value("int f(int k) { return sum (i : int[1,3]) i * k; }", "f(3)", 18);
}

#[test]
fn references_are_evaluated_when_the_function_is_called() {
    let text = "int i = 1; int a[3] = { 5, 6, 7 }; void set(int &v) { i = 2; v = 9; }
                void twice(int &v, int &w) { v = v + 1; w = w * 2; }
                int get(int &v) { return v; }";
    let edge = |update: &str| one_edge(text, &format!("assign {update};"));
    check(&edge("set(a[i])"), &[("P.B and a[1] == 9 and a[2] == 7 and i == 2", Some(1))]);
    check(&edge("twice(a[0], a[0])"), &[("a[0] == 12", Some(1))]);
    check(&edge("i = get(a[i])"), &[("i == 6", Some(1))]);
    check_error(&edge("set(a[i + 2])"), 0, &RuntimeErrorKind::Index { value: 3, low: 0, length: 3 });
}

#[test]
fn arrays_and_records_are_passed_returned_and_compared() {
    let text =
        "typedef struct { int[0,9] v; bool on; } cell; typedef cell row[2]; row a = { { 1, true }, { 2, false } }, b;
                row turned(row r) { row s; s[0] = r[1]; s[1] = r[0]; return s; }
                int i;";
    let edge = |update: &str| one_edge(text, &format!("assign {update};"));
    check(&edge("b = turned(a)"), &[("b[0].v == 2 and b[1].on and not b[0].on", Some(1)), ("a == b", None)]);
    check(&edge("b = turned(turned(a))"), &[("a == b", Some(1)), ("a != b", Some(0))]);
    check(&edge("a[i] = a[1 - i]"), &[("a[0] == a[1] and a[0].v == 2", Some(1))]);
    check(&edge("i = (turned(a) == a ? 1 : 2)"), &[("i == 2", Some(1))]);
    check_error(&edge("a[i + 1].v = a[i + 1].v + 8"), 0, &RuntimeErrorKind::OutOfRange { value: 10, low: 0, high: 9 });
}

#[test]
fn queries_name_processes_by_values_that_are_not_known() {
    let text = "int[0,2] turn; process P(const int[0,2] id) { int n = id * 10; state A, B; init A;
                trans A -> B { guard turn == id; assign turn = (id + 1) % 3, n++; }; } system P;";
    check(
        text,
        &[
            ("P(turn).B", Some(3)),
            ("P(turn).n == 10 and P(0).B", Some(1)),
            ("P(turn + 1).n == 20 and turn == 1", Some(1)),
        ],
    );
}

/// UPPAAL declares types and constants for integers of 8, 16 and 32 bits; a declaration of the network hides them.
#[test]
fn predefined_types_and_constants() {
    check_value("uint16_t high = 40000;", "high > INT16_MAX ? high - UINT16_MAX - 1 : high", -25536);
    check_value("int32_t big = INT32_MAX;", "big - 2147483640", 7);
    check_value("const int8_t low = INT8_MIN;", "low + INT8_MAX + UINT8_MAX + INT16_MIN", -32514);
    check_value("typedef int[0,3] int8_t; const int INT8_MAX = 5; int8_t t = 3;", "INT8_MAX + t", 8);
    let text = one_edge("uint8_t x = UINT8_MAX;", "assign x++;");
    check_error(&text, 0, &RuntimeErrorKind::OutOfRange { value: 256, low: 0, high: 255 });
}
