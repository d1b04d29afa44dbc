//! Reading of files and pipes that may never end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a model, a formula or an automaton.
pub const MOST_OF_MODEL: u64 = 32 << 20;

/// The most bytes of a trail.
pub const MOST_OF_TRAIL: u64 = 256 << 20;

/// The bytes that are read at a time.
const CHUNK: u64 = 1 << 16;

/// Reads a file that has at most so many bytes.
pub fn file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    all(File::open(path)?, most)
}

/// Reads the text of a model, a formula or an automaton.
pub fn text(input: impl Read) -> io::Result<String> {
    String::from_utf8(all(input, MOST_OF_MODEL)?).map_err(|_| io::Error::other("it is not a UTF-8 text"))
}

/// Reads a text of at most so many bytes. What comes after a NUL byte is not read: no text has one.
pub fn all(mut input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        if input.by_ref().take(CHUNK).read_to_end(&mut bytes)? == 0 || bytes[before..].contains(&0) {
            return Ok(bytes);
        }
        if bytes.len() as u64 > most {
            let problem = format!("it is longer than {} megabytes; give a smaller file", most >> 20);
            return Err(io::Error::other(problem));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused() {
        let error = all(io::repeat(b'y'), 3 << 20).expect_err("it never ends");
        assert_eq!(error.to_string(), "it is longer than 3 megabytes; give a smaller file");
        assert!(all(io::repeat(0), 3 << 20).expect("a beginning").len() <= CHUNK as usize);
        let text = vec![b'y'; 3 << 20];
        assert_eq!(all(&text[..], 3 << 20).expect("it ends"), text);
    }
}
