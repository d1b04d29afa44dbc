//! Places in source files as links that a terminal follows (OSC 8).

use std::fmt::Write;
use std::path::Path;

/// The text, as a link to a line of a file; the text alone if there is no such file.
pub fn link(text: &str, file: &str, line: u32) -> String {
    match Path::new(file).canonicalize() {
        Ok(path) => format!("\x1b]8;;file://{}#{line}\x1b\\{text}\x1b]8;;\x1b\\", escaped(&path.display().to_string())),
        Err(_) => text.to_owned(),
    }
}

/// A path as part of a URI.
fn escaped(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(byte.into());
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_link_to_its_file() {
        let shown = link("Cargo.toml:3", "Cargo.toml", 3);
        assert!(
            shown.starts_with("\x1b]8;;file:///") && shown.ends_with("\x1b\\Cargo.toml:3\x1b]8;;\x1b\\"),
            "{shown:?}"
        );
        assert!(shown.contains("/Cargo.toml#3\x1b"), "{shown:?}");
        assert_eq!(link("m.pml:3", "no such file", 3), "m.pml:3");
        assert_eq!(escaped("/a b/ü.pml"), "/a%20b/%C3%BC.pml");
    }
}
