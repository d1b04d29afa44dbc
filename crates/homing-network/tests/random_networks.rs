//! Random networks: both formats give the same network, and mutated files are read and lowered, or refused, without a panic.

use homing_core::{Purpose, Seed, Stream};
use homing_network::explorer::{Limits, explore};
use homing_network::generate::{NetworkText, Variant, hanoi, philosophers};
use homing_network::random_networks::random_network;
use homing_network::{Format, Input, read};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

#[test]
fn both_formats_give_the_same_network() {
    let networks = number("HOMING_NETWORKS", 200);
    let (mut states, mut failing, mut deadlocked, mut reached) = (0, 0, 0, 0);
    for seed in 0..networks {
        let text = random_network(seed);
        let [xta, xml] = [Format::Xta, Format::Xml].map(|format| {
            let reading = read(&text.to_input(format));
            let messages: Vec<&str> = reading.diagnostics.messages().iter().map(|it| it.message.as_str()).collect();
            reading.network.unwrap_or_else(|| panic!("seed {seed}, {format:?}: {messages:?}\n{}", text.to_xta()))
        });
        assert_eq!(format!("{xta:#?}"), format!("{xml:#?}"), "seed {seed}");
        let limits = Limits { states: 5_000 };
        let (one, other) = (explore(&xta, limits), explore(&xml, limits));
        assert_eq!(format!("{one:?}"), format!("{other:?}"), "seed {seed}");
        states += one.states;
        failing += usize::from(one.errors > 0);
        deadlocked += usize::from(one.deadlocks > 0);
        reached += usize::from(one.queries[0].length.is_some_and(|length| length > 0));
    }
    // The networks are of use only if they reach something, and in different ways.
    let networks = networks as usize;
    println!("{states} states; {failing} with errors, {deadlocked} with deadlocks, {reached} with a witness");
    assert!(states > 20 * networks, "{states} states");
    assert!((networks / 10..networks).contains(&failing), "{failing} with errors");
    assert!((networks / 10..networks).contains(&deadlocked), "{deadlocked} with deadlocks");
    assert!((networks / 10..networks).contains(&reached), "{reached} with a witness");
}

/// Pieces of text that lead to rare paths of the reader.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    ".",
    "!",
    "?",
    "=",
    "<",
    ">",
    "-",
    "->",
    "&",
    "*/",
    "/*",
    "//",
    "\\\n",
    "0",
    "-1",
    "2147483647",
    "99999999999",
    "1.5",
    "\"",
    "'",
    "ä",
    "\u{0}",
    "int",
    "const",
    "chan",
    "struct {",
    "typedef",
    "forall (i : int[0,3])",
    "process",
    "system",
    "state",
    "trans",
    "commit",
    "init",
    "select",
    "guard",
    "sync",
    "assign",
    "return",
    "if (",
    "for (",
    "while (",
    "deadlock",
    "x",
    "arr",
    "p",
    "T0",
    "T0(",
    "id",
    "idx",
    "scalar[2]",
    "E<>",
    "A[]",
    "-->",
    "&lt;",
    "&amp;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "<template>",
    "</template>",
    "<label kind=\"guard\">",
    "</label>",
    "id=\"id0\"",
    "clock c;",
    "int[0,1000000] big[1000000];",
    "/ 0",
    "[1000000]",
    "void f() { f(); }",
    "while (true) ;",
];

/// Replaces a word by another one of the text: many of these mutants are read, or fail in a late stage.
fn replace_word(text: &str, stream: &mut Stream) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.char_indices().filter(|(at, c)| is_word(*c) && !text[..*at].ends_with(is_word));
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let word = |start: usize| &text[start..start + text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start)];
    if starts.is_empty() {
        return text.to_owned();
    }
    let mut pick = || starts[stream.below(starts.len() as u64) as usize];
    let (at, other) = (pick(), pick());
    format!("{}{}{}", &text[..at], word(other), &text[at + word(at).len()..])
}

fn mutate(text: &str, stream: &mut Stream) -> String {
    if stream.chance(0.5) {
        return replace_word(text, stream);
    }
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=stream.below(4) {
        let at = stream.below(bytes.len() as u64 + 1) as usize;
        let end = (at + stream.below(12) as usize).min(bytes.len());
        match stream.below(5) {
            0 => drop(bytes.splice(at..end, [])),
            1 => drop(bytes.splice(at..at, [stream.below(256) as u8])),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = stream.below(bytes.len() as u64 + 1) as usize;
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let piece = PIECES[stream.below(PIECES.len() as u64) as usize];
                drop(bytes.splice(at..if stream.chance(0.5) { at } else { end }, piece.bytes()));
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_files_never_panic() {
    let mutations = number("HOMING_MUTATIONS", 2000);
    let mut texts: Vec<NetworkText> = (0..20).map(random_network).collect();
    texts.extend([hanoi(3, Variant::B), philosophers(3)]);
    let mut read_well = 0;
    for mutation in 0..mutations {
        let mut stream = Seed::of_run(mutation, 1).stream(Purpose::Order);
        let text = &texts[stream.below(texts.len() as u64) as usize];
        let (file, format) = match stream.below(2) {
            0 => (text.to_xta(), Format::Xta),
            _ => (text.to_xml(), Format::Xml),
        };
        let mut input = Input::new("mutated", mutate(&file, &mut stream), format);
        if stream.chance(0.5) {
            input = input.query_file("mutated.q", mutate(&text.to_queries(), &mut stream));
        }
        let mut reading = read(&input);
        let lowered = reading.lower();
        assert!(lowered.is_some() || reading.diagnostics.has_errors(), "mutation {mutation}: not lowered and no error");
        for message in reading.diagnostics.messages() {
            if let Some(span) = message.span {
                let _ = (reading.sources.place(span).to_string(), reading.sources.text(span));
            }
        }
        match reading.network {
            None => assert!(reading.diagnostics.has_errors(), "mutation {mutation}: no network and no error"),
            Some(network) => {
                read_well += 1;
                if mutation % 10 == 0 {
                    explore(&network, Limits { states: 50 });
                }
            }
        }
    }
    println!("{read_well} of {mutations} are read");
    assert!(read_well > mutations / 100 && read_well < mutations, "{read_well} of {mutations} are read");
}
