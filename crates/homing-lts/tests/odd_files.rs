//! Files as tools write them, and as accidents leave them: each is read as a whole, or refused with the line.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use homing_lts::{Lts, ReadError, read, write};

fn read_text(text: &str) -> Result<Lts, ReadError> {
    read(text.as_bytes())
}

/// The initial state, and the edges of all states.
fn listed(lts: &Lts) -> (u32, Vec<(u32, String, u32)>) {
    let text = |label| String::from_utf8_lossy(lts.labels().text(label)).into_owned();
    let of = |state| lts.edges(state).map(move |edge| (state, text(edge.label), edge.target));
    (lts.initial(), (0..lts.states()).flat_map(of).collect())
}

#[test]
fn odd_files_are_read() {
    let edge = |from, label: &str, to| (from, label.to_owned(), to);
    let both = vec![edge(0, "a", 1), edge(1, "b", 0)];
    for (text, initial, edges) in [
        ("des (0,2,2)\n(0,\"a\",1)\n(1,\"b\",0)\n", 0, &both),
        ("des(0,2,2)\n(0,a,1)\n(1,b,0)", 0, &both),
        ("\n\ndes (0, 2, 2)\r\n\r\n(0, \"a\", 1)\r\n \t(1, \"b\", 0) \t\r\n\n", 0, &both),
        ("des (0,2,2)            \n(1,\"b\",0)\n(0,\"a\",1)\n", 0, &both),
        ("\u{feff}des\t(1,2,2)\n(0,\"a\",1)\n(1,b,0)\n", 1, &both),
        ("des (0,0,1)\n", 0, &vec![]),
        ("des (7,1,9)\n(8,\"x, (y)\",8)\n", 7, &vec![edge(8, "x, (y)", 8)]),
        ("des (0,3,2)\n(0,i,1)\n(0,i,1)\n(0,tau,1)\n", 0, &vec![edge(0, "i", 1), edge(0, "i", 1), edge(0, "tau", 1)]),
        ("des (0,1,1)\n(0,\"\",0)\n", 0, &vec![edge(0, "", 0)]),
        ("des (0,1,1)\n(0,\"G !1 !\"text\"\",0)\n", 0, &vec![edge(0, "G !1 !\"text\"", 0)]),
    ] {
        let lts = read_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(listed(&lts), (initial, edges.clone()), "{text}");
    }
}

#[test]
fn other_files_are_refused_with_the_line() {
    for (text, line, message) in [
        ("", 1, "empty"),
        ("\n \n", 2, "empty"),
        ("hello\n", 1, "expected the header"),
        ("\ndes (0,1)\n", 2, "expected the header"),
        ("des (0,0,0)          \n(0,\"a\",1)\n", 1, "interrupted"),
        ("des (2,0,2)\n", 1, "there is no state 2"),
        ("des (0,2,2)\n(0,\"a\",1)\n", 2, "after 1 of 2 transitions"),
        ("des (0,2,2)\n(0,\"a\",1)\n(1,\"b\"", 3, "ends early"),
        ("des (0,1,2)\n(0,\"a\",1)\n\n(1,\"b\",0)\n", 4, "one more"),
        ("des (0,1,2)\n(0,\"a\",2)\n", 2, "there is no state 2"),
        ("des (0,1,2)\n(3,\"a\",0)\n", 2, "there is no state 3"),
        ("des (0,1,2)\n(0,\"a\",99999999999)\n", 2, "there is no state 99999999999"),
        ("des (0,1,2)\n(0,\"a\",1 1/2 0)\n", 2, "probabilistic"),
        ("des (0 1/3 1,1,2)\n(0,\"a\",1)\n", 1, "probabilistic"),
        ("des (0,1,18446744073709551615)\n(0,\"a\",1)\n", 1, "more than 4294967295 states"),
        ("des (0,1,18446744073709551616)\n(0,\"a\",1)\n", 1, "too large"),
        ("des (0,18446744073709551615,2)\n(0,\"a\",1)\n", 2, "after 1 of 18446744073709551615"),
        ("des (0,1,4294967295)\n(4294967294,\"a\",1)\n", 2, "too large a number for so few transitions"),
        ("des (0,1,2)\n(0,\"a,1)\n", 2, "no closing one"),
        ("des (0,1,2)\nx\n", 2, "expected a transition"),
    ] {
        let error = read_text(text).map(|lts| listed(&lts)).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_kept() {
    let text = b"des (0,2,2)\n(0,\"caf\xe9\",1)\n(1,\"b\",0)\n";
    let lts = read(&text[..]).expect("labels are bytes");
    assert_eq!(lts.labels().text(homing_lts::LabelId(0)), b"caf\xe9");
    let mut written = Vec::new();
    write(&lts, &mut written).expect("memory");
    assert_eq!(written, text);
}

fn compressed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn gzip_is_recognised_by_its_bytes() {
    let text = b"des (0,2,2)\n(0,\"a\",1)\n(1,\"b\",0)\n";
    let plain = read(&text[..]).expect("a system");
    assert_eq!(read(&compressed(text)[..]).expect("one member"), plain);
    let several: Vec<u8> = text.chunks(7).flat_map(compressed).collect();
    assert_eq!(read(&several[..]).expect("several members"), plain);
}

#[test]
fn damaged_compressed_files_are_refused() {
    let text: Vec<u8> = b"des (0,2,2)\n(0,\"a\",1)\n(1,\"b\",0)\n".to_vec();
    let whole = compressed(&text);
    for length in 2..whole.len() {
        assert!(read(&whole[..length]).is_err(), "cut off after {length} of {} bytes", whole.len());
    }
    let cut = read(&whole[..whole.len() - 4]).expect_err("cut off").to_string();
    assert!(cut.contains("ends early"), "{cut}");
    let mut wrong_checksum = whole.clone();
    let at = whole.len() - 8;
    wrong_checksum[at] ^= 1;
    let wrong = read(&wrong_checksum[..]).expect_err("a wrong checksum").to_string();
    assert!(wrong.contains("damaged"), "{wrong}");
    let mut trailing = whole;
    trailing.extend_from_slice(b"garbage");
    assert!(read(&trailing[..]).is_err());
}
