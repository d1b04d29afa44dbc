//! The text for the lexer: lines end with `\n` and nothing else, and lines that a backslash continues are joined
//! (translation phases 1 and 2 of C99, §5.1.1.2). Removed bytes are recorded, so that offsets in the clean text can be
//! mapped back to the file.

/// The text of a file without byte order mark, carriage returns and continued line ends.
pub(super) struct CleanText {
    text: String,
    removals: Vec<Removal>,
}

/// Bytes of the file that were removed just before the offset `at` of the clean text.
pub(super) struct Removal {
    pub at: u32,
    /// The number of bytes removed up to here, from the start of the file.
    pub total: u32,
    /// Whether they contained the end of a line.
    pub ends_line: bool,
}

impl CleanText {
    pub fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut clean = CleanText { text: String::with_capacity(source.len()), removals: Vec::new() };
        let mut done = 0; // up to here the source is copied or left out
        if source.starts_with('\u{feff}') {
            done = '\u{feff}'.len_utf8();
            clean.remove(done, false);
        }
        let mut at = done;
        while let Some(ahead) = bytes[at..].iter().position(|byte| matches!(byte, b'\r' | b'\\')) {
            let found = at + ahead;
            at = found + 1;
            if bytes[found] == b'\r' {
                // a lone carriage return ends a line too, as in gcc
                clean.text.push_str(&source[done..found]);
                clean.text.push('\n');
                if bytes.get(at) == Some(&b'\n') {
                    at += 1;
                    clean.remove(1, false);
                }
                done = at;
            } else if let Some(end) = end_of_splice(bytes, at) {
                clean.text.push_str(&source[done..found]);
                clean.remove(end - found, true);
                (at, done) = (end, end);
            }
        }
        clean.text.push_str(&source[done..]);
        clean
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The removals, in the order of their offsets.
    pub fn removals(&self) -> &[Removal] {
        &self.removals
    }

    fn remove(&mut self, bytes: usize, ends_line: bool) {
        let before = self.removals.last().map_or(0, |removal| removal.total);
        self.removals.push(Removal { at: self.text.len() as u32, total: before + bytes as u32, ends_line });
    }
}

/// The start of the next line, if there are only blanks from `at` to the end of this one: as gcc does, blanks may
/// follow the backslash. At the end of the file there is no next line, and the backslash stays.
fn end_of_splice(bytes: &[u8], at: usize) -> Option<usize> {
    let blanks = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c')).count();
    let end = at + blanks;
    match (bytes.get(end)?, bytes.get(end + 1)) {
        (b'\r', Some(b'\n')) => Some(end + 2),
        (b'\n' | b'\r', _) => Some(end + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(source: &str) -> (String, Vec<(u32, u32, bool)>) {
        let clean = CleanText::new(source);
        let removals = clean.removals.iter().map(|r| (r.at, r.total, r.ends_line)).collect();
        (clean.text, removals)
    }

    #[test]
    fn plain_text_stays() {
        assert_eq!(clean("a \\ b\n"), ("a \\ b\n".into(), vec![]));
        assert_eq!(clean("a \\"), ("a \\".into(), vec![]));
        assert_eq!(clean(""), (String::new(), vec![]));
    }

    #[test]
    fn continued_lines_are_joined() {
        assert_eq!(clean("a\\\nb"), ("ab".into(), vec![(1, 2, true)]));
        assert_eq!(clean("a\\ \t\r\nb\\\\\nc"), ("ab\\c".into(), vec![(1, 5, true), (3, 7, true)]));
    }

    #[test]
    fn every_line_end_is_one_newline() {
        assert_eq!(clean("a\r\nb\rc\n"), ("a\nb\nc\n".into(), vec![(2, 1, false)]));
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(clean("\u{feff}a"), ("a".into(), vec![(0, 3, false)]));
    }
}
