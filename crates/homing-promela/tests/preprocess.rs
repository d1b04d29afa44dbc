//! What the preprocessor makes of a text. The expected tokens and line ends are those that `gcc -std=gnu99 -E -x c`
//! 12.2 printed for the same text, blank lines and columns aside.

use homing_promela::diagnostic::{Diagnostics, Severity};
use homing_promela::preprocess::{Options, preprocess};
use homing_promela::source::{ExpansionId, ExpansionKind, SourceMap};
use homing_promela::token::{Token, TokenKind};

struct Run {
    sources: SourceMap,
    diagnostics: Diagnostics,
    tokens: Vec<Token>,
}

fn run_with(text: &str, options: &Options) -> Run {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let main = sources.add_file("model.pml".to_owned(), text.to_owned());
    let tokens = preprocess(main, options, &mut sources, &mut diagnostics);
    assert_eq!(tokens.last().map(|token| &token.kind), Some(&TokenKind::End));
    Run { sources, diagnostics, tokens }
}

fn run(text: &str) -> Run {
    run_with(text, &Options::default())
}

impl Run {
    /// The tokens, with a line end or a blank before each.
    fn text(&self) -> String {
        let mut text = String::new();
        for token in &self.tokens {
            text.push(if token.newline_before { '\n' } else { ' ' });
            match &token.kind {
                TokenKind::Name(name) => text.push_str(name),
                TokenKind::Number(value) => text.push_str(&value.to_string()),
                TokenKind::Char(value) => text.push_str(&format!("'{value}'")),
                TokenKind::Str(string) => text.push_str(string),
                TokenKind::Punct(punct) => text.push_str(punct.text()),
                TokenKind::Stray(c) => text.push(*c),
                TokenKind::Misquoted(what) => text.push_str(&format!("<{what:?}>")),
                TokenKind::End => {}
            }
        }
        text.trim().to_owned()
    }

    /// The errors and warnings as `line: message`.
    fn messages(&self) -> Vec<String> {
        let line = |span| self.sources.line(span);
        let all = self.diagnostics.messages().iter();
        all.map(|message| format!("{}: {}", message.span.map_or(0, line), message.message)).collect()
    }
}

/// Checks a text that has nothing wrong with it.
fn check(text: &str, expected: &str) {
    let run = run(text);
    assert_eq!(run.text(), expected, "{text}");
    assert_eq!(run.messages(), [""; 0], "{text}");
}

#[test]
fn line_ends_as_gcc_prints_them() {
    let rows = [
        ("a\nb c\n", "a\nb c"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\u{feff}a", "a"),
        // a comment over several lines
        ("a /* x \n y */ b\nc\n", "a\nb\nc"),
        ("a /* x */ b // c\nd", "a b\nd"),
        // continued lines: the joined text is one line for C, but not for what gcc prints
        ("a\\\nb c \\\n d\n", "ab\nc\nd"),
        ("x\\\n=F y\n", "x = F\ny"),
        ("a // foo \\ \n b\n c\n", "a\nc"),
        ("a \\", "a \\"),
        // calls over several lines
        ("#define F(x,y) [x y]\nF(a,\nb) c d\ne\n", "[ a b ]\nc d\ne"),
        ("#define F(x,y) [x y]\nz F(a,\n\n\nb) c d\ne\n", "z [ a b ]\nc d\ne"),
        ("#define F(x,y) [x y]\nF\n(a\n,\nb\n) c\n", "[ a b ]\nc"),
        ("#define F(x) x\nF(a\nb\nc)F(d\ne) f\ng", "a b c\nd e\nf\ng"),
        ("#define F(x) x\nF(1\n);a\n", "1\n; a"),
        ("#define F(x) {x}\n#define N 5\nF(a\n b \n N c N\n d) N e\n", "{ a b 5 c 5 d }\n5 e"),
        ("#define F(x) x\nq F(a) /* \n */ b F(\n c) /* \n\n */ d /*\n*/\n", "q a\nb c\nd"),
        // a name that is not called
        ("#define F(x,y) [x y]\nF\n\na\n", "F\na"),
        ("#define F(x) x\nF\n#define Z 1\n(3) q\n", "F\n( 3 ) q"),
        // empty expansions
        ("#define E\na\nE b\nE\nc E d\n", "a\nb\nc d"),
        ("#define E\na E\nb\n", "a\nb"),
        ("#define E()\na E(\n\n\n) b\nc\n", "a\nb\nc"),
        // directives
        ("a\n#define B\\\n 2\nB\n", "a\n2"),
        ("a\n# 12 \"file\"\n#line 30\n#ident \"x\"\n#pragma foo bar\n#\n b", "a\nb"),
        ("#define X 1 /* a\n b */ + 2\nX c", "1 + 2 c"),
        ("/* a\n */ # define X 1\nX # define", "1 # define"),
        ("#define F(x) x\nF(a\n#define Q 7\nQ\n#undef Q\nQ\n) b\n", "a Q Q\nb"),
        ("#define F(x) x\nF(a\n#if 0\nb\n#else\nc\n#endif\n) d\n", "a c\nd"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn macros() {
    let rows = [
        ("#define N 5\n0..N 0 .. N", "0 .. 5 0 .. 5"), // here gcc leaves the first N alone
        ("#define N\nN", ""),
        ("#define F (x) y\nF(z)", "( x ) y ( z )"),
        ("#define F() x\nF F() F ( )", "F x x"),
        ("#define F(a,b) <a|b>\nF(,) F((1,2),3) F(F(1,2),\"a,b\")", "< | > < ( 1 , 2 ) | 3 > < < 1 | 2 > | \"a,b\" >"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define f(x) x f(x)\nf(f(1))", "1 f ( 1 ) f ( 1 f ( 1 ) )"),
        ("#define f(a) a*g\n#define g f\nf(2)(9)", "2 * f ( 9 )"),
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"),
        ("#define H G ( x\n#define G(a) <a>\nH )", "< x >"),
        ("#define N 1\n#undef N\n#undef M\nN", "N"),
        ("#define N 1\n#define N 1\nN", "1"),
        ("#define X don't\n#if 0\nwon't \"\n#endif\na", "a"),
        // tokens that SPIN merges and C does not
        ("#define S(x) c!x\n#define R(x) c?x\nS(!b) R(?b) S( !b)", "c !! b c ?? b c !! b"),
        ("#define NOT !\n#define C :\nNOT!x NOT NOT C: a NOT/**/NOT", "!! x ! ! : : a ! !"),
        ("#define E\n#define F(x) x\n!E! ! E! !F()! F(!)F(!) F(! E)! !F(E !)", "!! ! ! !! !! ! ! ! !"),
        ("#define E -\n#define G >\nE- EG 1E 1G", "- - EG 1 E 1 G"),
        // variadic ones
        ("#define V(...) <__VA_ARGS__>\nV() V(a,b ,  c)", "< > < a , b , c >"),
        ("#define W(a...) <a>\nW(1,2)", "< 1 , 2 >"),
        ("#define E(f,...) p(f , ## __VA_ARGS__)\nE(1) E(1,) E(1,2,3)", "p ( 1 ) p ( 1 , ) p ( 1 , 2 , 3 )"),
        ("#define F(...) a, ## __VA_ARGS__\nF() F(,) F(1)", "a a , , a , 1"),
        // # and ##
        ("#define S(x) #x\nS( a  b /* c */ \"q\\\"\" + \n d ) S()", "\"a b \\\"q\\\\\\\"\\\" + d\"\n\"\""),
        ("#define S(x) #x\n#define T(x) S(x)\n#define N 5\nS(N) T(N) S('\\n')", "\"N\" \"5\" \"'\\\\n'\""),
        ("#define P(a,b) a##b\nP(1,x) P(x,1) P(-,>) P(+,) P(,) P(,z) P(a b,c d)", "1 x x1 -> + z a bc d"),
        ("#define P(a,b) a##b\n#define xy 7\n#define x 3\nP(x,y) P(x,x)", "7 xx"),
        // built-in ones
        ("#define L __LINE__\n#define F(x) x L\nL\nF(\n__LINE__) __FILE__", "3\n5 4\n\"model.pml\""),
        ("__COUNTER__ __COUNTER__ __STDC__", "0 1 1"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn conditionals() {
    let rows = [
        ("#if 2 > 1 ? 0 : 1\na\n#elif defined X || !defined(Y) \nb\n#else\nc\n#endif\n", "b"),
        ("#define D defined(X)\n#if D\na\n#else\nb\n#endif\n", "b"),
        ("#define X\n#ifdef X\na\n#else\nb\n#endif\n#ifndef X\nc\n#endif\nd", "a\nd"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif nonsense (\nd\n#endif", "c"),
        ("#if 0\n#error no\n#include \"no\"\n#nonsense\n# 'x\n#else\nok\n#endif\n", "ok"),
        ("#if 0\n/*\n#endif\n*/\n#endif\na", "a"),
        ("#define N 3\n#define F(x) (x + 1)\n#if F(N) == 4 && __LINE__ == 3\nok\n#endif", "ok"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn values() {
    check("0 007 2147483647", "0 7 2147483647");
    check(r"'a' '\n' '\\' '\0' ' '", "'97' '10' '92' '48' '32'");
    check("0x10 1_000", "0 x10 1 _000");
    check("$ ` \\ é # ##", "$ ` \\ é # # #");
    let run = run("4294967297 3000000000 99999999999999999999");
    assert_eq!(run.text(), "1 -1294967296 -1");
    let unfit = |bits| format!("1: the number does not fit into {bits} bits");
    assert_eq!(run.messages(), [unfit(32), unfit(32), unfit(64)]);
    assert!(!run.diagnostics.has_errors());
}

#[test]
fn spans_lead_to_the_use_and_to_the_definition() {
    let run = run("#define G(x) x+1\n#define F(y) G(y)\n  F( abc ) z\n");
    assert_eq!(run.text(), "abc + 1 z");
    let spans: Vec<_> = run.tokens.iter().map(|token| token.span).collect();
    let texts: Vec<_> = spans.iter().map(|span| run.sources.text(*span)).collect();
    assert_eq!(texts, ["abc", "F", "F", "z", ""]);
    assert_eq!(run.sources.line(spans[1]), 3);
    assert_eq!((spans[0].via, spans[3].via), (ExpansionId::NONE, ExpansionId::NONE));
    assert_eq!(spans[1].via, spans[2].via, "a call makes one entry");
    let inner = run.sources.expansion(spans[1].via).expect("`+` is out of a macro");
    assert_eq!((inner.kind, &*inner.name), (ExpansionKind::Macro, "G"));
    assert_eq!((run.sources.text(inner.other), run.sources.line(inner.other)), ("G", 1));
    let outer = run.sources.expansion(inner.parent).expect("G is called by a macro");
    assert_eq!((&*outer.name, outer.parent), ("F", ExpansionId::NONE));
}

#[test]
fn defines_from_the_command_line() {
    let define = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    let defines = vec![define("N", Some("3")), define("YES", None), define("F(x)", Some("x+x")), define("E", Some(""))];
    let run = run_with("N YES F(1) E\n#ifdef N\nok\n#endif", &Options { defines, ..Options::default() });
    assert_eq!(run.text(), "3 1 1 + 1\nok");
    assert_eq!(run.messages(), [""; 0]);
    let run = run_with("N\n*/ b", &Options { defines: vec![define("N", Some("*/ 7"))], ..Options::default() });
    assert_eq!(run.text(), "7\nb");
    assert_eq!(run.messages(), ["1: this `*/` closes no comment", "2: this `*/` closes no comment"]);
    let run = run_with("a", &Options { defines: vec![define("3x", None)], ..Options::default() });
    assert_eq!((run.text().as_str(), run.messages()), ("a", vec!["1: `#define` wants the name of a macro".to_owned()]));
}

#[test]
fn defines_that_the_model_does_not_read() {
    let run = |text: &str, other: &str| {
        let defines = vec![("SIZE".to_owned(), Some("3".to_owned()))];
        let other_texts = vec![other.to_owned()];
        run_with(text, &Options { defines, other_texts, ..Options::default() }).messages()
    };
    let unread = ["1: the model never uses the macro `SIZE`, which -D defines"];
    for text in ["a", "#define SIZ 3\nSIZ", "#undef SIZE\na", "#if 0\nSIZE\n#endif", "SIZEX"] {
        assert_eq!(run(text, "x < SIZES"), unread, "{text}");
    }
    for text in ["SIZE", "#ifdef SIZE\n#endif", "#ifndef SIZE\n#define SIZE 4\n#endif", "#if defined(SIZE)\n#endif"] {
        assert_eq!(run(text, ""), [""; 0], "{text}");
    }
    assert_eq!(run("#define SIZE 4\na", ""), ["1: the macro `SIZE` is defined a second time"]);
    assert_eq!(run("a", "x < SIZE"), [""; 0]);
}

#[test]
fn what_is_wrong_is_said() {
    let rows: [(&str, &[&str]); 28] = [
        ("#inlcude \"x\"", &["1: `#inlcude` is not a directive"]),
        ("# 'x", &["1: expected the name of a directive after `#`"]),
        ("a\n#error it's wrong", &["2: #error it's wrong"]),
        ("#warning mind the gap // here", &["1: #warning mind the gap"]),
        ("a\nb /* c\nd", &["2: this comment is not closed"]),
        ("#if 0\n/* c\n#endif", &["2: this comment is not closed", "1: this conditional is not closed"]),
        ("a\n#if 1\nb", &["2: this conditional is not closed"]),
        ("#endif", &["1: `#endif` without an `#if` before it in this file"]),
        ("#else", &["1: `#else` without an `#if` before it in this file"]),
        ("#elif 1", &["1: `#elif` without an `#if` before it in this file"]),
        ("#if 1\n#else\n#else\n#endif", &["3: `#else` after the `#else` of the same conditional"]),
        ("#if 0\n#else\n#elif 1\n#endif", &["3: `#elif` after the `#else` of the same conditional"]),
        ("#if\n#endif", &["1: `#if` without a condition"]),
        ("#if 1 2\n#endif", &["1: expected an operator in the condition, found `2`"]),
        ("#if defined\n#endif", &["1: `defined` wants the name of a macro"]),
        ("#if defined(A\n#endif", &["1: the `(` after `defined` is not closed"]),
        ("#define f(x) x\n#if f(\n#endif", &["2: the arguments of the macro `f` are not closed"]),
        ("#ifdef\n#endif", &["1: `#ifdef` without the name of a macro"]),
        ("#ifdef X Y\n#endif", &["1: `#ifdef` takes nothing more on its line"]),
        ("#if 1\n#endif Z", &["2: `#endif` takes nothing more on its line"]),
        ("#undef 3", &["1: `#undef` wants the name of a macro"]),
        ("#define X 1\n#define X 2", &["2: the macro `X` is defined a second time"]),
        ("#define __LINE__ 2", &["1: the macro `__LINE__` is defined a second time"]),
        ("#define F(a,b) x\nF(1,2,3)", &["2: the macro `F` takes 2 arguments, but is given 3"]),
        ("#define F(a) x\na F(1", &["2: the arguments of the macro `F` are not closed"]),
        ("#define P(a,b) a##b\nP(;,;)", &["2: `##` cannot join `;` and `;` into one token"]),
        ("#include", &["1: `#include` wants the name of a file"]),
        ("#include \"\"", &["1: `#include` with an empty file name"]),
    ];
    for (text, expected) in rows {
        assert_eq!(run(text).messages(), expected, "{text}");
    }
    let unknown = run("#inlcude \"x\"");
    assert_eq!(unknown.diagnostics.messages()[0].help.as_deref(), Some("did you mean `#include`?"));
    let redefined = run("#define X 1\n#define X 2");
    assert_eq!(redefined.diagnostics.messages()[0].severity, Severity::Warning);
    assert_eq!(redefined.diagnostics.messages()[0].notes.len(), 1);
}

#[test]
fn after_an_error_reading_goes_on() {
    assert_eq!(run("#foo\na\n#if (\nb\n#else\nc\n#endif\nd").text(), "a\nd");
    assert_eq!(run("#define F(a,b) x\nF(1) y").text(), "F y");
}

#[test]
fn wrong_quotes_are_left_to_the_parser() {
    check("\"abc\nx", "<OpenString>\nx");
    check("'a\nx", "<OpenChar>\nx");
    check("'ab' '' '\\12'", "<NoChar> <NoChar> <NoChar>");
    check("#define X don't\nX", "don <OpenChar>");
}
