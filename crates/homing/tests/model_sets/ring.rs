//! Random processes that know their channels by parameters, as in a ring or a pipe: what they access depends on the
//! run.

use std::fmt::Write;

use fastrand::Rng;

fn pick<'a>(random: &mut Rng, those: &[&'a str]) -> &'a str {
    those[random.usize(..those.len())]
}

/// The text of a model, which may be refused.
pub fn ring(random: &mut Rng) -> String {
    let mut capacity = || pick(random, &["1", "2", "2", "0"]);
    let capacities = [capacity(), capacity()];
    let mut text = "typedef T { bit f; bit g[2]; chan h };\nbit x, y; bit a[3]; T t[2];\n".to_owned();
    _ = writeln!(text, "chan q[3] = [{}] of {{ byte }};\nchan r = [{}] of {{ byte }};", capacities[0], capacities[1]);
    text += "chan g = [1] of { byte };\nchan u = [2] of { byte };\nchan n = [1] of { chan };\n";
    _ = writeln!(
        text,
        "chan s = [2] of {{ byte, byte }};\nchan z = [{}] of {{ byte }};",
        pick(random, &["0", "0", "1"])
    );
    let short = pick(random, &["o!1", "skip", "o?l", "l = 1; x = l", "l = _nr_pr; assert(l < 6)", "n!o"]);
    _ = writeln!(text, "proctype S(chan o) {{ byte l; {short} }}");
    let own = &["n!own; own?l; o!l", "own!1; own?l; n!own", "o!1; own!1; n!own; l = 1", "run S(own); own?l"];
    _ = writeln!(text, "proctype L(chan o) {{ byte l; chan own = [1] of {{ byte }}; {} }}", pick(random, own));
    let valued = pick(random, &["assert(l == 0)", "x = 1 - l", "z!l", "z?l", "skip"]);
    _ = writeln!(text, "proctype V() {{ byte l = x; byte m = l; {valued} }}");
    let mut labels = 0;
    for name in ["P", "Q"] {
        let body = if random.bool() {
            statements(random, 2, &mut labels)
        } else {
            let last = if random.bool() { ":: break" } else { "" };
            format!("do :: {} :: {} {last} od", statements(random, 2, &mut labels), statements(random, 1, &mut labels))
        };
        let kind = if random.u8(..24) == 0 { "D_proctype" } else { "proctype" };
        _ = writeln!(text, "{kind} {name}(chan i; chan o) {{ bit l, m; chan w = g; {body} }}");
    }
    if random.u8(..3) == 0 {
        let body = statements(random, 1, &mut labels);
        _ = writeln!(text, "active [2] proctype A() {{ bit l, m; chan w = g; chan i = r; chan o = u; {body} }}");
    }
    _ = writeln!(text, "init {{ {} }}", runs(random));
    text
}

fn runs(random: &mut Rng) -> String {
    let channel = |random: &mut Rng| pick(random, &["q[0]", "q[1]", "q[2]", "g", "u", "r"]);
    let mut runs = String::new();
    if random.bool() {
        runs += pick(random, &["g!1; ", "u!1; u!0; ", "s!1,0; ", "x = 1; ", "t[0].h = g; ", "t[0].h = u; u!1; "]);
    }
    runs += "run P(q[0], q[1])";
    for _ in 0..random.usize(1..=2) {
        _ = write!(runs, "; run {}({}, {})", pick(random, &["P", "Q", "Q"]), channel(random), channel(random));
    }
    if random.u8(..4) > 0 { format!("atomic {{ {runs} }}") } else { runs }
}

fn statements(random: &mut Rng, depth: usize, labels: &mut usize) -> String {
    let all: Vec<String> = (0..random.usize(1..=3)).map(|_| statement(random, depth, labels)).collect();
    all.join("; ")
}

fn statement(random: &mut Rng, depth: usize, labels: &mut usize) -> String {
    if depth > 0 && random.u8(..5) < 2 {
        return compound(random, depth, labels);
    }
    let (here, value, channel) = (variable(random), value(random), channel(random));
    match random.u8(..23) {
        0..=2 => format!("{channel}{}{value}", pick(random, &["!", "!", "!!"])),
        3..=5 => {
            let bound = pick(random, &["l", "m", "x", "a[l]", "_", "1", "eval(m)", "eval(x)", "t[0].f"]);
            format!("{channel}{}{bound}", pick(random, &["?", "?", "??"]))
        }
        6 => format!("{}?<{}>", pick(random, &["i", "g", "u"]), pick(random, &["l", "x", "1"])),
        7 | 8 => format!("{here} = {value}"),
        9 => format!("{} = {}", pick(random, &["l", "m", "x"]), test(random)),
        10 => test(random),
        11 => format!("assert({})", test(random)),
        12 => format!("a[{}] = {value}", index(random)),
        13 => format!("q[{}]{}", index(random), pick(random, &["!1", "!l", "?l", "?m", "?1"])),
        14 => format!("if :: {channel}{} :: else -> {here} = 1 fi", pick(random, &["!1", "?l"])),
        15 => pick(random, &["n!i", "n!o", "n?w", "n?w; w?l", "n?w; w!1", "w = o", "t[0].h = o", "n!g"]).to_owned(),
        16 => pick(random, &["s!l,m", "s?eval(l),m", "s??1,m", "s!!m,l", "s?<l,m>", "s?l,a[l]", "s?[1,0]"]).to_owned(),
        17 => pick(random, &["l = _nr_pr % 2", "assert(_nr_pr < 5)", "l = 1 / m", "a[l + 2] = 1"]).to_owned(),
        18 => pick(random, &["z!1", "z?l", "if :: z!l :: else -> m = 1 fi", "if :: z?l :: x = 1 fi"]).to_owned(),
        19 => pick(random, &["l = 1 - l", "m = 1 - m", "skip", "select (l : 0 .. 1)", "printf(\"%d\", x)"]).to_owned(),
        20 => pick(random, &["run L(o)", "run S(i)", "run S(o)", "l = run S(u)", "run V()"]).to_owned(),
        21 => pick(random, &["timeout", "timeout -> x = 1", "timeout -> assert(l == 0)"]).to_owned(),
        _ => pick(
            random,
            &[
                "atomic { i?l; m = empty(i) }",
                "atomic { o!1; m = full(o) }",
                "atomic { i?l; a[len(i)] = 1 }",
                "atomic { i?_; m = i?[1] }",
                "atomic { o!l; q[len(o)]!1 }",
            ],
        )
        .to_owned(),
    }
}

/// A statement that others are inside of.
fn compound(random: &mut Rng, depth: usize, labels: &mut usize) -> String {
    let inner = statements(random, depth - 1, labels);
    let simple = statement(random, 0, labels);
    match random.u8(..12) {
        0..=2 => {
            let last = match random.u8(..6) {
                0 | 1 => format!(" :: else -> {simple}"),
                2 => format!(" :: timeout -> {simple}"),
                _ => String::new(),
            };
            format!("if :: {inner} :: {}{last} fi", statements(random, depth - 1, labels))
        }
        3..=5 => format!("atomic {{ {inner} }}"),
        6 => {
            let rest = ["x = l", "m = a[l]", "t[l].f = 1", "if :: x == 1 -> y = 1 :: else -> x = 1 fi"];
            format!("d_step {{ l = 1 - l; {} }}", pick(random, &rest))
        }
        7 => {
            let first = ["i?l", "o!1", "a[l] = 1", "nempty(i)", "x == 1", "if :: i?l :: o!1 fi"];
            format!("d_step {{ {}; m = l }}", pick(random, &first))
        }
        8 => format!("{{ {inner} }} unless {{ {simple} }}"),
        9 => format!("do :: {simple} :: {}; break od", statement(random, 0, labels)),
        10 => {
            *labels += 1;
            let back = format!("if :: {} -> goto L{labels} :: else fi", test(random));
            if random.bool() {
                format!("L{labels}: {simple}; {back}")
            } else {
                format!("atomic {{ skip; L{labels}: {simple}; l = 1 - l }}; {back}")
            }
        }
        _ => format!("for (l : 0 .. 1) {{ {} }}", pick(random, &["a[l] = m", "q[l]!1", "i?m", "x = l"])),
    }
}

fn variable(random: &mut Rng) -> &'static str {
    pick(random, &["l", "m", "x", "y", "a[l]", "a[x]", "t[1].f", "t[m].g[1]", "t[0].g[l]"])
}

fn value(random: &mut Rng) -> &'static str {
    pick(random, &["0", "1", "l", "m", "x", "1 - l", "a[m]", "t[0].f", "(x -> l : m)", "_pid % 2"])
}

fn index(random: &mut Rng) -> &'static str {
    pick(random, &["l", "m", "x", "1", "a[l]", "len(i)", "y", "len(g)"])
}

fn channel(random: &mut Rng) -> &'static str {
    let all = ["i", "o", "i", "o", "i", "o", "g", "r", "q[l]", "q[x]", "q[a[0]]", "q[1]", "u", "t[0].h", "w"];
    pick(random, &all)
}

fn test(random: &mut Rng) -> String {
    let channel = pick(random, &["i", "o", "g", "u"]);
    match random.u8(..9) {
        0 => format!("empty({channel})"),
        1 => format!("nempty({channel})"),
        2 => format!("full({channel})"),
        3 => format!("nfull({channel})"),
        4 => format!("{channel}?[1]"),
        5 => format!("{channel}??[1]"),
        6 => format!("(len({channel}) == 1)"),
        7 => format!("(x == {})", pick(random, &["0", "1", "l"])),
        _ => format!("(l == {})", pick(random, &["0", "1", "m", "a[1]"])),
    }
}
