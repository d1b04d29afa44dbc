//! The encoding of an `.xml` file: the one that its byte order mark or its declaration says.

use std::path::Path;

use homing_network::Format;

use super::load::format;
use crate::cli::Language;

/// The bytes of a file in UTF-8, if it is an `.xml` file in another encoding that is known. The bytes of every other file stay as they are:
/// what is not UTF-8 is reported when they become a text.
pub fn in_utf8(path: &Path, language: Option<Language>, bytes: Vec<u8>) -> Vec<u8> {
    match format(path, language) {
        Some(Format::Xml) => decoded(&bytes).map_or(bytes, String::into_bytes),
        _ => bytes,
    }
}

/// The text of an `.xml` file that is not in UTF-8.
fn decoded(bytes: &[u8]) -> Option<String> {
    match bytes {
        [0xff, 0xfe, ..] => return utf_16(bytes, u16::from_le_bytes),
        [0xfe, 0xff, ..] => return utf_16(bytes, u16::from_be_bytes),
        [b'<', 0, ..] => return utf_16(bytes, u16::from_le_bytes),
        [0, b'<', ..] => return utf_16(bytes, u16::from_be_bytes),
        _ => {}
    }
    match declared(bytes)?.to_ascii_lowercase().as_str() {
        "iso-8859-1" | "iso_8859-1" | "latin1" | "latin-1" | "l1" => {
            Some(bytes.iter().map(|&byte| char::from(byte)).collect())
        }
        "windows-1252" | "cp1252" => Some(bytes.iter().map(|&byte| windows_1252(byte)).collect()),
        _ => None,
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

/// The encoding in the declaration that the file begins with.
fn declared(bytes: &[u8]) -> Option<&str> {
    let end = bytes.windows(2).position(|two| two == b"?>")?;
    let head = str::from_utf8(&bytes[..end]).ok()?;
    let after = head.strip_prefix("<?xml")?.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    after[1..].split_once(quote).map(|(name, _)| name)
}

/// The characters of the bytes from 0x80 to 0x9f; those that have none are controls, as in ISO-8859-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_in_the_encoding_that_it_declares() {
        let read = |bytes: &[u8]| String::from_utf8(in_utf8(Path::new("m.xml"), None, bytes.to_vec()));
        let head = |name: &str| format!("<?xml version=\"1.0\" encoding = '{name}'?><nta>").into_bytes();
        let with = |name: &str, more: &[u8]| [head(name), more.to_vec()].concat();
        for (bytes, end) in [
            (with("ISO-8859-1", b"\xe9"), "é"),
            (with("latin1", b"\xff"), "ÿ"),
            (with("Windows-1252", b"\x80\xe9"), "€é"),
            (with("utf-8", "é".as_bytes()), "é"),
        ] {
            assert!(read(&bytes).expect("UTF-8").ends_with(end), "{end}");
        }
        assert!(read(&with("utf-8", b"\xe9")).is_err(), "reported as any other file that is not in UTF-8");
        let text = "<?xml encoding=\"UTF-16\"?><nta>é</nta>";
        let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        assert_eq!(read(&units(u16::to_le_bytes)).as_deref(), Ok(text));
        let marked = [vec![0xfe, 0xff], units(u16::to_be_bytes)].concat();
        assert_eq!(read(&marked), Ok(format!("\u{feff}{text}")));
    }

    #[test]
    fn other_files_stay_as_they_are() {
        let bytes = b"<?xml encoding='latin1'?>\xe9".to_vec();
        assert_eq!(in_utf8(Path::new("m.xta"), None, bytes.clone()), bytes);
        assert_ne!(in_utf8(Path::new("-"), Some(Language::Xml), bytes.clone()), bytes);
    }
}
