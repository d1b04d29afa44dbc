//! Texts that fit into a number of columns. A character counts as one column.

/// `text` on one line: line breaks and characters that XML does not allow become blanks.
pub(crate) fn on_one_line(text: &str) -> String {
    let is_bad = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    let line: String = text.chars().map(|c| if is_bad(c) { ' ' } else { c }).collect();
    line.trim().to_owned()
}

pub(crate) fn columns(text: &str) -> usize {
    text.chars().count()
}

/// `text` in at most `room` columns, cut off at the end.
pub(crate) fn cut(text: &str, room: usize) -> String {
    let text = on_one_line(text);
    if columns(&text) <= room {
        return text;
    }
    let Some(kept) = room.checked_sub(1) else { return String::new() };
    let kept: String = text.chars().take(kept).collect();
    format!("{}…", kept.trim_end())
}

/// `text` in at most `room` columns, cut off at the front: of a long path the file and the line matter.
pub(crate) fn cut_front(text: &str, room: usize) -> String {
    let text = on_one_line(text);
    let length = columns(&text);
    if length <= room {
        return text;
    }
    let Some(kept) = room.checked_sub(1) else { return String::new() };
    let kept: String = text.chars().skip(length - kept).collect();
    format!("…{}", kept.trim_start())
}

/// A name in at most `room` columns. Of `Philosopher(12)` the number, which distinguishes the lanes, is kept:
/// `Philo…(12)`.
pub(crate) fn cut_name(name: &str, room: usize) -> String {
    let name = on_one_line(name);
    match name.rfind('(') {
        Some(at) if columns(&name) > room && columns(&name[at..]) + 2 <= room => {
            cut(&name[..at], room - columns(&name[at..])) + &name[at..]
        }
        _ => cut(&name, room),
    }
}

/// `text` in lines of at most `room` columns, broken at blanks where possible; within a word that is longer than a
/// line, after a comma if there is one.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in on_one_line(paragraph).split_whitespace() {
            if !line.is_empty() && columns(&line) + 1 + columns(word) > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            for c in word.chars() {
                if columns(&line) == room {
                    let after_comma = line.rfind(',').map_or(line.len(), |comma| comma + 1);
                    let rest = line.split_off(after_comma);
                    lines.push(std::mem::replace(&mut line, rest));
                }
                line.push(c);
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

/// `99000` as `99,000`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut() {
        assert_eq!(cut("x = 1", 5), "x = 1");
        assert_eq!(cut("x = 10", 5), "x =…");
        assert_eq!(cut("a\nb", 5), "a b");
        assert_eq!(cut("ab", 0), "");
        assert_eq!(cut_front("models/phil.pml:17", 12), "…phil.pml:17");
        assert_eq!(cut_name("Philosopher(12)", 10), "Philo…(12)");
        assert_eq!(cut_name("P(123456789)", 5), "P(12…");
        assert_eq!(cut_name("P(1)", 5), "P(1)");
    }

    #[test]
    fn lines_break_at_blanks_or_where_they_must() {
        assert_eq!(wrap("wait for it", 8), ["wait for", "it"]);
        assert_eq!(wrap("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrap("q?drop,eval(owner)", 12), ["q?drop,", "eval(owner)"]);
        assert_eq!(wrap("one\ntwo", 80), ["one", "two"]);
        assert!(wrap("", 8).is_empty());
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([7, 999, 1_000, 1_234_567].map(grouped), ["7", "999", "1,000", "1,234,567"]);
    }
}
