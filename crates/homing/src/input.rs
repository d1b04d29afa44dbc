//! Reads the model.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use homing_ir::Model;
use homing_promela::source::SourceMap;
use rapidhash::v3::rapidhash_v3;

use crate::cli::{Language, ModelArgs};
use crate::console::Console;
use crate::diagnostics;
use crate::error::Error;

/// A model, with its source and a hash that identifies it.
#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    /// A hash of its text, its included files and the macros defined on the command line.
    pub hash: String,
    pub source: Input,
}

/// Reads the model of the command line. Its errors are printed, its warnings too unless `quiet`.
pub fn load(args: &ModelArgs, quiet: bool, console: &Console) -> Result<Loaded, Error> {
    let input = read(&args.path, args.input)?;
    let reading = match args.input {
        None | Some(Language::Promela) => homing_promela::read(&input.name, input.text.clone(), &args.options()),
    };
    let paint = console.message_paint;
    console.message(&diagnostics::render(&reading.diagnostics, &reading.sources, !quiet, paint));
    let hash = hash(&reading.sources, args);
    match (reading.model, reading.diagnostics.error_count()) {
        (Some(model), _) => Ok(Loaded { model, hash, source: input }),
        (None, 0) => Err(Error::Bug(format!("{} was refused without a reason", input.name))),
        (None, errors) => Err(Error::Model { name: input.name, errors }),
    }
}

fn hash(sources: &SourceMap, args: &ModelArgs) -> String {
    let mut all = String::new();
    for (name, value) in &args.define {
        all.push_str(&format!("-D{name}={}\n", value.as_deref().unwrap_or("1")));
    }
    for file in sources.files() {
        all.push_str(&file.text);
        all.push('\0');
    }
    format!("{:016x}", rapidhash_v3(all.as_bytes()))
}

/// The text of a model and its name in messages.
#[derive(Debug)]
pub struct Input {
    pub name: String,
    pub text: String,
}

/// Reads the file `path`, or standard input if it is `-`. The extension determines the language unless one is given.
fn read(path: &Path, language: Option<Language>) -> Result<Input, Error> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|source| Error::Unreadable { path: "standard input".into(), source })?;
        return text("<stdin>".to_owned(), bytes);
    }
    let unreadable = |source| Error::Unreadable { path: path.to_owned(), source };
    if fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Err(Error::Folder { path: path.to_owned() });
    }
    let known = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)));
    if language.is_none() && !known {
        return Err(Error::Ending { path: path.to_owned() });
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    text(path.display().to_string(), bytes)
}

/// The extensions of Promela models.
const ENDINGS: [&str; 4] = ["pml", "prom", "promela", "spin"];

fn text(name: String, bytes: Vec<u8>) -> Result<Input, Error> {
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(Error::Binary { name, offset });
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let line = 1 + bytes[..offset].iter().filter(|&&byte| byte == b'\n').count();
            return Err(Error::NotUtf8 { name, offset, byte: bytes[offset], line });
        }
    };
    if text.trim().is_empty() {
        return Err(Error::Empty { name });
    }
    Ok(Input { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_utf_8_without_nul() {
        let read = |bytes: &[u8]| text("m.pml".to_owned(), bytes.to_vec()).map(|input| input.text);
        assert_eq!(read("init { skip } /* \u{e9} */".as_bytes()).ok().as_deref(), Some("init { skip } /* \u{e9} */"));
        let Err(Error::NotUtf8 { offset, byte, line, .. }) = read(b"x\n\nab\xff") else { panic!("accepted") };
        assert_eq!((offset, byte, line), (5, 0xff, 3));
        assert!(matches!(read(b"ab\0c"), Err(Error::Binary { offset: 2, .. })));
        assert!(matches!(read(b" \n\t"), Err(Error::Empty { .. })));
    }
}
