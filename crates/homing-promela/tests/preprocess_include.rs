//! `#include`, on files of a folder made for each test.

use std::fs;
use std::path::{Path, PathBuf};

use homing_promela::diagnostic::Diagnostics;
use homing_promela::preprocess::{Options, preprocess};
use homing_promela::source::SourceMap;
use homing_promela::token::TokenKind;

/// A fresh folder with these files in it.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("preprocess_include").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder for test files can be made");
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder)).expect("a folder for a test file can be made");
        fs::write(path, content).expect("a test file can be written");
    }
    folder
}

/// The tokens of `main.pml`, those that start a line after `/`, and the messages.
fn read(folder: &Path, main: &str, include_dirs: &[&str]) -> (String, Diagnostics, SourceMap) {
    let include_dirs = include_dirs.iter().map(|dir| folder.join(dir)).collect();
    let options = Options { include_dirs, ..Options::default() };
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let name = folder.join("main.pml").display().to_string();
    let main = sources.add_file(name, main.to_owned());
    let tokens = preprocess(main, &options, &mut sources, &mut diagnostics);
    let mut texts = Vec::new();
    for token in tokens.iter().filter(|token| token.kind != TokenKind::End) {
        let line = if token.newline_before { "/" } else { "" };
        texts.push(format!("{line}{}", token.kind.to_string().trim_matches('`')));
    }
    (texts.join(" "), diagnostics, sources)
}

fn check(folder: &Path, main: &str, include_dirs: &[&str], expected: &str) {
    let (tokens, diagnostics, _) = read(folder, main, include_dirs);
    assert_eq!(tokens, expected, "{main}");
    assert!(diagnostics.messages().is_empty(), "{:?}", diagnostics.messages());
}

/// The first error: its message, its help or else its label, and its notes.
fn first_error(folder: &Path, main: &str) -> (String, String, Vec<String>) {
    let (_, diagnostics, _) = read(folder, main, &[]);
    let first = diagnostics.messages().first().expect("there is an error");
    let notes = first.notes.iter().map(|note| note.text.clone()).collect();
    (first.message.clone(), first.help.clone().unwrap_or(first.label.clone()).into(), notes)
}

#[test]
fn files_are_found() {
    let folder = folder(
        "found",
        &[
            ("a.h", b"#define A 1\nin_a /* no line end */"),
            ("sub/b.h", b"#include \"c.h\"\nin_b\n"),
            ("sub/c.h", b"sub_c"),
            ("inc/c.h", b"inc_c"),
            ("inc/only.h", b"only"),
            ("sub/a.h", b"sub_a"),
        ],
    );
    check(&folder, "x\n#include \"a.h\"\nA y", &[], "/x /in_a /1 y");
    check(&folder, "#include \"sub/b.h\"\n", &[], "/sub_c /in_b");
    check(&folder, "#include \"c.h\"\n#include <c.h> // twice\n", &["inc", "sub"], "/inc_c /inc_c");
    check(&folder, "#include \"c.h\"\n", &["sub", "inc"], "/sub_c");
    check(&folder, "#include \"a.h\"\n#include <a.h>\n", &["sub"], "/in_a /sub_a");
    check(&folder, "#define FILE \"a.h\"\n#include FILE\n", &[], "/in_a");
    check(&folder, "#define FILE <only.h>\n#include FILE\n", &["inc"], "/only");
    check(&folder, "#if 0\n#include \"nothing\"\n#endif\nx", &[], "/x");
}

#[test]
fn a_file_is_read_once_and_included_often() {
    let folder = folder(
        "often",
        &[
            ("a.h", b"a\n"),
            ("once.h", b"#pragma once\nonce\n"),
            ("guard.h", b"#ifndef G\n#define G\n#include \"guard.h\"\nguard\n#endif\n"),
        ],
    );
    let (tokens, _, sources) = read(&folder, "#include \"a.h\"\n#include \"./a.h\"\n", &[]);
    assert_eq!((tokens.as_str(), sources.files().len()), ("/a /a", 2));
    check(&folder, "#include \"once.h\"\n#include \"once.h\"\n", &[], "/once");
    check(&folder, "#include \"guard.h\"\n#include \"guard.h\"\n", &[], "/guard");
}

#[test]
fn a_missing_file_is_looked_for_in_the_folders() {
    let folder = folder("missing", &[("dir/x", b"")]);
    let here = folder.display();
    let (message, help, _) = first_error(&folder, "#include \"nothing.h\"\n");
    assert_eq!(message, "there is no file `nothing.h` to include");
    assert_eq!(help, format!("searched in `{here}`; add folders with `-I`"));
    assert_eq!(first_error(&folder, "#include \"dir\"\n").0, "there is no file `dir` to include");
    let (_, help, _) = first_error(&folder, "#include <nothing.h>\n");
    assert_eq!(help, "`<...>` is looked for only in the folders given with `-I`, and there are none");
    let (tokens, diagnostics, _) = read(&folder, "a\n#include \"nothing.h\" b\nc", &[]);
    assert_eq!((tokens.as_str(), diagnostics.error_count()), ("/a /c", 1));
}

#[test]
fn only_text_is_included() {
    let folder = folder("text", &[("nul", b"ab\0c"), ("latin", b"/* \xe9 */ abc\n")]);
    check(&folder, "#include \"latin\"", &[], "/abc");
    let (message, label, _) = first_error(&folder, "#include \"nul\"");
    assert_eq!(message, format!("`{}` is not a text file", folder.join("nul").display()));
    assert_eq!(label, "the byte at offset 2 is a NUL");
    #[cfg(unix)]
    assert_eq!(first_error(&folder, "#include \"/dev/zero\"").1, "it is not a plain file");
}

#[test]
fn what_is_open_ends_with_its_file() {
    let files: [(&str, &[u8]); 4] =
        [("if.h", b"#if 1\na\n"), ("call.h", b"F(1\n"), ("name.h", b"F\n"), ("end.h", b"#endif\n")];
    let folder = folder("open", &files);
    let message = |main: &str| first_error(&folder, main).0;
    assert_eq!(message("#include \"if.h\"\n#endif\n"), "this conditional is not closed");
    assert_eq!(message("#if 1\n#include \"end.h\"\n#endif\n"), "`#endif` without an `#if` before it in this file");
    assert_eq!(message("#define F(x) x\n#include \"call.h\"\n)"), "the arguments of the macro `F` are not closed");
    assert_eq!(message("#define F(x) x\nF(\n#include \"if.h\"\n)"), "`#include` inside the arguments of a macro call");
    check(&folder, "#define F(x) x\n#include \"name.h\"\n(1)", &[], "/F /( 1 )");
}

#[test]
fn includes_without_end_are_stopped() {
    let folder = folder(
        "cycle",
        &[
            ("self.h", b"x\n#include \"self.h\"\n#include \"self.h\"\n"),
            ("a.h", b"#include \"b.h\"\n"),
            ("b.h", b"#include \"c.h\"\n"),
            ("c.h", b"#include \"a.h\"\n"),
        ],
    );
    assert_eq!(first_error(&folder, "#include \"self.h\"\n").0, "`self.h` includes itself without end");
    let (message, help, notes) = first_error(&folder, "#include \"a.h\"\n");
    assert!(message.ends_with("includes itself without end"), "{message}");
    assert!(help.contains("#pragma once"), "{help}");
    assert_eq!(notes.len(), 2, "the chain without the include at fault: {notes:?}");
}

#[test]
fn includes_that_double_or_nest_too_deep_are_stopped() {
    let mut files = vec![("deep210".to_owned(), "bottom".to_owned()), ("twice40".to_owned(), "x".to_owned())];
    for number in 0..210 {
        files.push((format!("deep{number}"), format!("#include \"deep{}\"\n", number + 1)));
    }
    for number in 0..40 {
        files.push((format!("twice{number}"), format!("#include \"twice{0}\"\n#include \"twice{0}\"\n", number + 1)));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let folder = folder("deep", &files);
    let (message, label, notes) = first_error(&folder, "#include \"deep0\"\n");
    assert_eq!((message.as_str(), label.as_str()), ("includes nest too deep", "more than 200 files deep"));
    assert_eq!(notes.last().map(String::as_str), Some("and so on, 190 times more"));
    check(&folder, "#include \"deep11\"\n", &[], "/bottom");
    assert_eq!(first_error(&folder, "#include \"twice0\"\n").0, "the model includes too much text");
}
