//! The lines of a file, read in pieces.

use std::io::Read;

use memchr::memchr_iter;

use super::error::{Problem, ReadError};

/// The bytes that are read at a time.
pub const CHUNK: usize = 256 << 10;

/// The longest line.
const LONGEST: usize = 16 << 20;

/// The lines of a file. Blanks at both ends of a line, its end, and empty lines are left out.
pub struct Lines<R> {
    input: R,
    count: u64,
}

impl<R: Read> Lines<R> {
    pub fn new(input: R) -> Self {
        Lines { input, count: 0 }
    }

    /// How many lines were read, empty ones included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Visits the lines that are not empty, up to the first that has a problem.
    pub fn for_each(&mut self, mut visit: impl FnMut(&[u8]) -> Result<(), Problem>) -> Result<(), ReadError> {
        // the beginning of a line whose end has not been read is at the front of the buffer
        let (mut buffer, mut filled) = (vec![0; CHUNK], 0);
        loop {
            let read = match self.input.read(&mut buffer[filled..]) {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.here(Problem::Unreadable(error))),
            };
            if read == 0 {
                return if filled == 0 { Ok(()) } else { self.visit(&buffer[..filled], &mut visit) };
            }
            let (mut start, end) = (0, filled + read);
            for newline in memchr_iter(b'\n', &buffer[filled..end]) {
                let newline = filled + newline;
                self.visit(&buffer[start..newline], &mut visit)?;
                start = newline + 1;
            }
            buffer.copy_within(start..end, 0);
            filled = end - start;
            if filled > LONGEST {
                return Err(self.here(Problem::LongLine(LONGEST)));
            }
            if filled == buffer.len() {
                buffer.resize(2 * filled, 0);
            }
        }
    }

    #[inline]
    fn visit(&mut self, line: &[u8], visit: &mut impl FnMut(&[u8]) -> Result<(), Problem>) -> Result<(), ReadError> {
        self.count += 1;
        let line = if self.count == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
        match trimmed(line) {
            [] => Ok(()),
            line => visit(line).map_err(|problem| ReadError { line: self.count, problem }),
        }
    }

    /// A problem with the line that comes next.
    fn here(&self, problem: Problem) -> ReadError {
        ReadError { line: self.count + 1, problem }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a byte separates tokens.
#[inline]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The line without blanks at both ends.
#[inline]
pub fn trimmed(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., last] = line
        && is_blank(*last)
    {
        line = rest;
    }
    while let [first, rest @ ..] = line
        && is_blank(*first)
    {
        line = rest;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Dripping<'a>(&'a [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let some = self.1.min(self.0.len()).min(buffer.len());
            buffer[..some].copy_from_slice(&self.0[..some]);
            self.0 = &self.0[some..];
            Ok(some)
        }
    }

    #[test]
    fn lines_do_not_depend_on_the_pieces() {
        let text = b"\xef\xbb\xbf one\r\n\n\t \ntwo three \t\nfour";
        for piece in 1..text.len() + 1 {
            let mut lines = Lines::new(Dripping(text, piece));
            let mut seen = Vec::new();
            let done = lines.for_each(|line| {
                seen.push(String::from_utf8_lossy(line).into_owned());
                Ok(())
            });
            assert!(done.is_ok() && lines.count() == 5, "{piece}");
            assert_eq!(seen, ["one", "two three", "four"], "{piece}");
        }
    }

    #[test]
    fn long_lines_are_read_and_endless_ones_refused() {
        let long = vec![b'x'; 3 * CHUNK];
        let mut length = 0;
        Lines::new(&long[..])
            .for_each(|line| {
                length = line.len();
                Ok(())
            })
            .expect("a line");
        assert_eq!(length, long.len());
        let endless = Lines::new(std::io::repeat(b'x')).for_each(|_| Ok(()));
        assert!(matches!(endless, Err(ReadError { line: 1, problem: Problem::LongLine(_) })));
    }
}
