//! The preprocessor.

use std::path::PathBuf;

use crate::diagnostic::Diagnostics;
use crate::source::{FileId, SourceMap};
use crate::token::Token;

/// What the command line adds to a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME[=VALUE]`, in order.
    pub defines: Vec<(String, Option<String>)>,
    /// `-I DIR`, searched in order after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
}

/// Turns the file `main` into tokens, ending with [`crate::token::TokenKind::End`]. What is wrong goes to `diagnostics`;
/// the tokens are then still fit to be parsed for further errors.
pub fn preprocess(
    main: FileId,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let _ = (main, options, sources, diagnostics);
    Vec::new()
}
