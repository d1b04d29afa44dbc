//! Random models of processes that are created, are passed channels of each other, and end in every order.

use xtask::generate::rng::Rng;

/// The text of a model.
pub fn processes(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let types = rng.between(1, 2);
    let mut model = format!(
        "byte x; chan g = [{}] of {{ byte }}; chan mail = [{}] of {{ chan }}; typedef Box {{ byte f; chan c }}\n",
        rng.below(3),
        rng.below(2)
    );
    if rng.chance(30) {
        model += &format!("active proctype A() {{ chan a; byte v; mail?a; {} }}\n", body(&mut rng, 3, "a"));
    }
    let is_nested = rng.chance(30);
    for at in 0..types {
        let own = if rng.chance(40) { format!("chan own = [{}] of {{ byte }}; ", rng.below(3)) } else { String::new() };
        let child = if is_nested && at == 0 { "run Last(a); " } else { "" };
        let shown = match rng.below(3) {
            _ if own.is_empty() => "",
            0 => "mail!own; ",
            1 => "own!1; ",
            _ => "",
        };
        let provided = if rng.chance(10) { " provided (x < 2)" } else { "" };
        let body = body(&mut rng, 4, "a");
        model += &format!("proctype W{at}(chan a; byte n){provided} {{ byte v; {own}{child}{shown}{body} }}\n");
    }
    if is_nested {
        model += &format!("proctype Last(chan a) {{ byte v; {} }}\n", body(&mut rng, 2, "a"));
    }
    model + &creator(&mut rng, types)
}

/// Statements of a process that knows a channel.
fn body(rng: &mut Rng, most: usize, channel: &str) -> String {
    let count = rng.below(most + 1);
    let statements: Vec<String> = (0..count)
        .map(|_| {
            let statement = rng.word(&[
                "A?v",
                "A?v",
                "A!1",
                "A!2",
                "A!x",
                "A?1",
                "x++",
                "x = v",
                "x == 1",
                "g?v",
                "g!1",
                "g?x",
                "assert(x < 2)",
                "assert(v != 2)",
                "mail?A",
                "mail!A",
                "_nr_pr < 3",
                "len(A) == 0",
                "nempty(A)",
                "if :: A?v :: else -> x = 2 fi",
                "if :: A?1 -> x = 2 :: A?2 -> skip :: x == 2 fi",
                "if :: A!1; A!1 :: x = 1; x = 2; x = 0; assert(x == 1) fi",
                "atomic { A?v; x = v }",
                "atomic { A!1; g!2 }",
                "skip; d_step { x == 0 -> x = 1 }",
                "do :: A?v :: x == 1 -> break od",
                "do :: A?v -> A!v :: break od",
                "{ A?v; x = 1 } unless { x == 2 }",
                "timeout -> x = 1",
                "if :: A?[1] -> x = 1 :: A?? 2 :: g?v fi",
                "if :: _nr_pr == 2 -> assert(false) :: else fi",
            ]);
            let label = if rng.chance(8) { format!("end{}: ", rng.below(1_000_000)) } else { String::new() };
            label + &statement.replace('A', channel)
        })
        .collect();
    if statements.is_empty() { "skip".to_owned() } else { statements.join("; ") }
}

/// The process that makes channels, creates others, and goes on or ends.
fn creator(rng: &mut Rng, types: usize) -> String {
    let channels = rng.between(1, 2);
    let mut text = String::from("init { byte v; Box box; ");
    for at in 0..channels {
        text += &format!("chan c{at} = [{}] of {{ byte }}; ", rng.below(3));
    }
    let names: Vec<String> = (0..channels).map(|at| format!("c{at}")).collect();
    let run = |rng: &mut Rng| {
        let name = if rng.chance(15) { "box.c" } else { rng.pick(&names).as_str() };
        format!("run W{}({name}, {})", rng.below(types), rng.below(3))
    };
    if rng.chance(30) {
        text += "box.c = c0; ";
    }
    let count = rng.between(1, 3);
    let runs: Vec<String> = (0..count).map(|_| run(rng)).collect();
    text += &match rng.below(6) {
        0 | 1 => runs.join("; "),
        2 | 3 => format!("atomic {{ {} }}", runs.join("; ")),
        4 => format!("do :: v < 2 -> {}; v++ :: v == 2 -> break od", runs[0]),
        _ => runs.join("; x < 2; "),
    };
    text += "; ";
    if rng.chance(60) {
        let channel = rng.pick(&names).clone();
        text += &format!("{}; ", body(rng, 3, &channel));
    }
    text + "}\n"
}
