//! A cache of SPIN's answers, so that the same question needs no second compilation.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A folder of transcripts, one file each, named by a hash of all that determines the answer.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// None if it was never asked, or the file is not readable: the cache is a convenience, never an error.
    pub fn load<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let text = fs::read_to_string(self.file(key)).ok()?;
        serde_json::from_str(&text).ok()
    }

    pub fn save(&self, key: &str, transcript: &impl Serialize) {
        let Ok(text) = serde_json::to_string(transcript) else { return };
        // Written aside and renamed: another job may be reading.
        let file = self.file(key);
        let draft = file.with_extension(format!("{}.draft", std::process::id()));
        let written = fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))
            .and_then(|()| fs::write(&draft, text))
            .and_then(|()| fs::rename(&draft, &file));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(format!("{}.json", &key[2..]))
    }
}

/// A name for `parts` that differs whenever they do (FNV-1a, 128 bit: stable over machines and compiler versions;
/// resistance to attacks is not needed).
pub fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut feed = |byte: u8| {
        hash ^= u128::from(byte);
        hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    };
    for part in parts {
        part.bytes().for_each(&mut feed);
        feed(0); // ends the part: ("a", "b") is not ("ab", "")
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_every_part() {
        let keys = [key(["a", "b"]), key(["ab", ""]), key(["a", "c"]), key(["a"])];
        for (i, left) in keys.iter().enumerate() {
            assert!(keys[i + 1..].iter().all(|right| left != right));
        }
        assert_eq!(key(["a", "b"]), key(["a", "b"]));
    }
}
