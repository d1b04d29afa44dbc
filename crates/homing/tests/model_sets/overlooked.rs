//! Models in which one dependency of a step is easily overlooked.

/// Each with what is overlooked: the violation occurs in one order of steps only.
pub const DEPENDENCIES: &[(&str, &str)] = &[
    (
        "an atomic sequence stops where there is no message",
        "chan c = [1] of { byte }; byte x, y;
         active proctype R() { x == 1; assert(y == 1) }
         active proctype P() { c!1 }
         active proctype Q() { byte l; atomic { x = 1; c?l; y = 1 } }",
    ),
    (
        "so does one where a channel is full",
        "chan c = [1] of { byte }; byte x, y;
         active proctype R() { x == 1; assert(y == 1) }
         active proctype P() { byte l; c?l }
         active proctype Q() { c!1; atomic { x = 1; c!2; y = 1 } }",
    ),
    (
        "else looks at a channel",
        "chan c = [1] of { byte }; byte x;
         active proctype P() { c!1 }
         active proctype Q() { byte l; if :: c?l :: else -> assert(false) fi }",
    ),
    (
        "so does an escape",
        "chan c = [1] of { byte };
         active proctype P() { c!1 }
         active proctype Q() { byte l; { l = 1; assert(false) } unless { c?l } }",
    ),
    (
        "a variable takes another channel",
        "chan c = [2] of { byte }; chan d = [2] of { byte };
         proctype P() { byte l; c?l; assert(l == 1) }
         proctype Q(chan k) { byte l; k = c; k?l; c!2; k?l }
         init { atomic { c!1; run P(); run Q(d) } }",
    ),
    (
        "a channel comes in a message",
        "chan c = [2] of { byte }; chan m = [1] of { chan };
         active proctype P() { byte l; c?l; assert(l == 1) }
         active proctype Q() { chan k; byte l; m?k; k?l; c!2; c!2 }
         init { c!1; m!c }",
    ),
    (
        "a process comes that was not there",
        "byte x;
         active proctype P() { byte l; l = x; assert(l == 0) }
         active proctype Q() { byte l; l = 1; run N() }
         proctype N() { x = 1 }",
    ),
    (
        "who was there is counted",
        "active proctype Q() { byte n; n = _nr_pr; assert(n == 2) }
         active proctype P() { skip }",
    ),
    (
        "a process takes its channels with it",
        "chan m = [1] of { chan };
         active proctype Q() { chan k; byte l; m?k; k!1; assert(false) }
         active proctype P() { chan c = [1] of { byte }; m!c }",
    ),
    (
        "a process tests the location of another",
        "active proctype Q() { assert(!P@there) }
         active proctype P() { byte l; l = 1; there: l = 2; l = 3 }",
    ),
    (
        "an element of an array",
        "byte a[4], i = 2;
         active proctype Q() { a[i] = 1; a[1] = 1 }
         active proctype P() { byte l; i = 1; l = a[2]; assert(l == 0) }
         active proctype R() { byte l; l = a[2] + a[1]; assert(l != 1) }",
    ),
    (
        "a process loops and others wait forever",
        "byte x;
         active proctype P() { byte l; do :: l = 1 - l od }
         active proctype Q() { x = 1; assert(false) }",
    ),
    (
        "timeout waits for all",
        "chan c = [1] of { byte };
         active proctype P() { byte l; l = 1; l = 2; c!l }
         active proctype Q() { byte l; if :: c?l :: timeout -> assert(false) fi; timeout -> assert(l == 0) }",
    ),
    (
        "a message is searched for after others",
        "chan c = [3] of { byte };
         active proctype P() { c!1; c!2 }
         active proctype Q() { byte l; if :: c??2 -> assert(false) :: c?l fi }",
    ),
    (
        "messages are sorted",
        "chan c = [3] of { byte };
         active proctype P() { c!!2; c!!1 }
         active proctype Q() { byte l; c?l; assert(l == 1) }",
    ),
    (
        "a step goes on with a channel that it has changed",
        "chan c = [2] of { byte }; bool go;
         active proctype P() { byte l; go; atomic { c?l; assert(empty(c)) } }
         active proctype Q() { go; c!2 }
         init { atomic { c!1; go = true } }",
    ),
    (
        "or sends to one that it has made full",
        "chan c = [2] of { byte }; bool go;
         active proctype P() { go; atomic { c!2; assert(full(c)) } }
         active proctype Q() { byte l; go; c?l }
         init { atomic { c!1; go = true } }",
    ),
    (
        "what is in a channel tells an element",
        "chan c = [2] of { byte }; bool go; byte a[3];
         active proctype P() { byte l; go; atomic { c?l; a[len(c)] = 1 } }
         active proctype Q() { go; assert(a[0] == 1) }
         init { atomic { c!1; go = true } }",
    ),
    (
        "and another channel",
        "chan c = [2] of { byte }; chan q[2] = [1] of { byte }; bool go;
         active proctype P() { byte l; go; atomic { c?l; q[len(c)]!1 } }
         active proctype Q() { go; assert(len(q[0]) == 1) }
         init { atomic { c!1; go = true } }",
    ),
    (
        "a variable tells who is listened to",
        "chan q[2] = [0] of { byte }; byte x;
         active proctype P() { byte l; l = 1; q[x]?l }
         active proctype X() { x = 1 }
         active proctype R() { x == 1; if :: q[1]!5 :: else -> assert(false) fi }",
    ),
    (
        "and so does a channel that another sets",
        "chan c = [0] of { byte }; chan d = [0] of { byte }; chan k;
         active proctype P() { byte l; l = 1; k?l }
         active proctype X() { k = d }
         active proctype R() { k == d; if :: d!5 :: else -> assert(false) fi }",
    ),
    (
        "an initial value looks at another process",
        "active proctype P() { byte l; l = 1; l = 2; l = 3 }
         proctype N() { byte n = P:l; assert(n != 1) }
         active proctype M() { run N() }",
    ),
    (
        "a deterministic process becomes ambiguous",
        "byte x, y;
         active D_proctype P() { if :: x == 0 -> skip :: y == 1 -> skip fi }
         active proctype Q() { y = 1 }",
    ),
    (
        "also beside a step that does not move it",
        "chan c = [1] of { byte }; byte y;
         active D_proctype P() { do :: c!1 :: y == 1 od }
         active proctype Q() { y = 1 }",
    ),
    (
        "and while another process runs for ever",
        "byte y = 1;
         active D_proctype P() { byte l; l = 1; if :: l == 1 -> l = 2 :: y == 1 -> l = 3 fi; y = 2 }
         active proctype R() { byte l; do :: l = 1 - l od }",
    ),
    (
        "or does so after a step of its own",
        "byte y;
         active D_proctype P() { byte l; l = 1; if :: l == 1 -> l = 2 :: y == 1 -> l = 3 fi }
         active proctype Q() { byte l; l = 1; y = 1; y = 0 }",
    ),
    (
        "or in the middle of an atomic sequence",
        "byte y;
         active D_proctype P() { byte l; atomic { l = 1; if :: l == 1 -> l = 2 :: y == 1 -> l = 3 fi } }
         active proctype Q() { y = 1; y = 0 }",
    ),
    (
        "a clause stops its process wherever it is",
        "bool go = true;
         active proctype P() provided (go) { byte l; l = 1; l = 2; l = 3 }
         active proctype Q() { go = false }",
    ),
    (
        "and lets it go on while others wait",
        "bool go; byte x;
         active proctype P() provided (go) { x == 0; assert(false) }
         active proctype Q() { x = 1; go = true }
         active proctype R() { byte l; l = 1; x = 0 }",
    ),
    (
        "a clause keeps a receiver away",
        "chan r = [0] of { byte }; bool go;
         active proctype P() provided (go) { byte l; r?l }
         active proctype Q() { if :: r!1 -> assert(false) :: else fi }
         active proctype S() { byte l; l = 1; go = true }",
    ),
    (
        "the youngest process waits for its clause",
        "bool go; byte x;
         active proctype P() { go = true; x = 1 }
         active proctype Q() provided (go) { skip }
         active proctype R() provided (!go) { x == 1; assert(false) }",
    ),
    (
        "a clause is a reason besides those that a choice is kept for",
        "byte x = 1, m, n, z; bool go = true;
         active proctype P() provided (go) { atomic { x == 0; z = n } }
         active proctype Q() { do :: atomic { m < 4 -> x = 1 - x; m++ } od }
         active proctype R() { do :: atomic { n < 4 -> go = !go; n++ } od }",
    ),
    (
        "a variable of another process is seen",
        "active proctype P() { byte l; l = 1; l = 2; l = 3 }
         active proctype Q() { P:l == 1; assert(false) }",
    ),
    (
        "by its number",
        "active proctype P() { byte l; l = 1; l = 2; l = 3 }
         active proctype Q() { byte n; n = 0; P[n]:l == 1; assert(false) }",
    ),
    (
        "a location of another type is seen by its number",
        "active proctype Q() { byte l; l = 1; here: l = 2; l = 3; l = 4 }
         active proctype P() { byte l; l = 1; l = 2; Q[0]@here; Q[1]@here -> assert(false) }",
    ),
    (
        "whether a process that is looked at exists",
        "active proctype Q() { byte l; l = 1; N@here; assert(false) }
         active proctype P() { byte l; l = 1; run N() }
         proctype N() { here: skip }",
    ),
    (
        "a process that is looked at has ended",
        "active proctype Q() { (!P@here) -> assert(false) }
         active proctype P() { here: false }
         active proctype R() { byte l; l = 1 }",
    ),
    (
        "a trace follows messages in their order",
        "chan a = [1] of { byte }; chan b = [1] of { byte };
         trace { a!1; b!1 }
         active proctype P() { a!1 }
         active proctype Q() { b!1 }",
    ),
    (
        "also after other steps",
        "chan a = [1] of { byte }; chan b = [1] of { byte };
         notrace { b!1; a!1 }
         active proctype P() { byte l; l = 1; a!1 }
         active proctype Q() { byte l; l = 1; b!1 }",
    ),
    (
        "also over rendezvous channels",
        "chan a = [0] of { byte }; chan b = [0] of { byte };
         trace { a!1; b!1 }
         active proctype P() { a!1 }
         active proctype Q() { b!1 }
         active proctype R() { a?1 }
         active proctype S() { b?1 }",
    ),
    (
        "a rendezvous takes two",
        "chan c = [0] of { byte }; byte x;
         active proctype P() { c!1 }
         active proctype Q() { byte l; if :: c?l -> x = 1 :: l = 1; assert(x == 1) fi }
         active proctype R() { byte l; if :: c?l :: l = 2 fi; assert(x == 1) }",
    ),
];

/// Invariants that are violated in one order of the steps only, each with the model.
pub const INVARIANTS: &[(&str, &str)] = &[
    ("x == 0 || y == 0", "byte x, y; active proctype P() { x = 1; x = 0 } active proctype Q() { y = 1; y = 0 }"),
    ("x < 2", "byte x; active [2] proctype P() { x++; x-- }"),
    (
        "!(P@there && Q@there)",
        "active proctype P() { byte l; l = 1; there: l = 2; l = 3 } active proctype Q() { byte l; l = 1; there: l = 2; l = 3 }
         init { P@there; Q@there }",
    ),
    (
        "P:l != 1 || x == 0",
        "byte x; active proctype P() { byte l; l = 1; l = 2; l = 3 } active proctype Q() { x = 1; x = 0 }
         init { P:l == 9 }",
    ),
    ("len(c) + len(d) < 2", "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype P() { byte l; c!1; c?l } active proctype Q() { byte l; d!1; d?l }"),
    ("_nr_pr > 1 || x != 1", "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { byte l; l = 1 }"),
    (
        "x == 0 || y == 0",
        "byte x, y; active proctype P() { byte l; do :: l = 1 - l od } active proctype Q() { x = 1; x = 0 }
         active proctype R() { byte l; l = 1; y = 1; y = 0 }",
    ),
    ("8 / (x + y - 1) > 0", "byte x = 1, y = 1; active proctype P() { x = 0; x = 2 } active proctype Q() { y = 2; y = 1 }"),
];
