//! No text makes the preprocessor panic, hang, or use memory without bound.

use homing_promela::diagnostic::{Diagnostics, Severity};
use homing_promela::preprocess::{Options, preprocess};
use homing_promela::source::SourceMap;
use homing_promela::token::TokenKind;

/// The number of tokens before the end, and the first error.
fn run(text: String) -> (usize, String) {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let main = sources.add_file("model.pml".to_owned(), text);
    let tokens = preprocess(main, &Options::default(), &mut sources, &mut diagnostics);
    assert_eq!(tokens.last().map(|token| &token.kind), Some(&TokenKind::End));
    let error = diagnostics.messages().iter().find(|message| message.severity == Severity::Error);
    (tokens.len() - 1, error.map(|error| error.message.clone()).unwrap_or_default())
}

/// Macros of which each names the one before twice.
fn doubling(first: &str, last: usize) -> String {
    let mut text = format!("#define a0 {first}\n");
    for number in 0..last {
        text.push_str(&format!("#define a{} a{number} a{number}\n", number + 1));
    }
    text
}

fn too_large(name: &str) -> String {
    format!("expanding the macro `{name}` makes the model too large")
}

#[test]
fn bombs_of_macros_are_defused() {
    assert_eq!(run(doubling("x", 60) + "b a60"), (1, too_large("a60")));
    assert_eq!(run(doubling("", 60) + "b\n#if a60\n#endif"), (1, too_large("a60")));
    assert_eq!(run(doubling("x", 16) + "a16"), (1 << 16, String::new()));
}

#[test]
fn bombs_of_calls_are_defused() {
    let calls = |macros: &str, argument: &str| format!("{macros}b {}{argument}{}", "f(".repeat(60), ")".repeat(60));
    assert_eq!(run(calls("#define f(x) x x\n", "y")), (1, too_large("f")));
    assert_eq!(run(calls("#define s(x) #x\n#define f(x) s(x)\n", "\"\\\"\"")), (1, too_large("f")));
    assert_eq!(run(calls("#define p(x,y) x##y\n#define q(x) p(x,x)\n#define f(x) q(x)\n", "y")), (1, too_large("f")));
}

#[test]
fn nested_calls_are_bounded() {
    let nested = |depth: usize| format!("#define f(x) x\nb {}y{}", "f(".repeat(depth), ")".repeat(depth));
    assert_eq!(run(nested(200)), (2, String::new()));
    assert_eq!(run(nested(300)), (1, "calls of the macro `f` nest too deep".to_owned()));
    assert_eq!(run(nested(100_000)).0, 1);
    let open = "#define f(x) x\n".to_owned() + &"f(".repeat(100_000);
    assert_eq!(run(open).1, "the arguments of the macro `f` are not closed");
}

#[test]
fn long_chains_of_macros_need_no_stack() {
    let mut chain = String::new();
    for number in 0..100_000 {
        chain.push_str(&format!("#define a{number} a{}\n", number + 1));
    }
    assert_eq!(run(chain + "a0 a0"), (2, String::new()));
}

#[test]
fn garbage_is_survived() {
    const PIECES: [&str; 40] = [
        "#",
        "##",
        "\n#define ",
        "\n#undef ",
        "\n#if ",
        "\n#ifdef ",
        "\n#elif ",
        "\n#else\n",
        "\n#endif\n",
        "\n#include ",
        "f",
        "g",
        "x",
        "__VA_ARGS__",
        "...",
        "__LINE__",
        "__FILE__",
        "defined",
        "(",
        ")",
        ",",
        "(",
        ")",
        " ",
        " ",
        "\n",
        "\\\n",
        "\r",
        "\r\n",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "\\",
        "1",
        "é",
        "\u{0}",
        "!",
        "?",
    ];
    let mut random = fastrand::Rng::with_seed(1);
    let mut next = |bound: usize| random.usize(..bound);
    for _ in 0..3000 {
        let mut text = "#define f(x) x x #x g\n#define g(x,...) f(x) x##x , ## __VA_ARGS__\n".to_owned();
        for _ in 0..next(60) {
            text.push_str(PIECES[next(PIECES.len())]);
        }
        run(text);
    }
}

#[test]
fn long_texts_take_linear_time() {
    const TIMES: usize = 100_000;
    let pieces = [
        "'\n",
        "\"",
        "\\",
        "\\ ",
        "\\\n",
        "/*",
        "/**/",
        "#\n",
        "#if 0\n",
        "#endif\n",
        "\r",
        "#foo\n",
        "(",
        "#error\n",
        "9",
        "#warning\n",
        "99999999999999999999 ",
        "\u{feff}",
    ];
    for piece in pieces {
        let long = piece.repeat(TIMES);
        run(format!("#define f(x) x\nf({long}"));
        run(format!("#if {long}\n#endif"));
        run(long);
    }
}
