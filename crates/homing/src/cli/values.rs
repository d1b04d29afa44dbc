//! Options that take one of several names: a shell completes them, and a name that is nearly right is suggested.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::spelling;

/// The names that an option takes, with their values.
pub type Names<T> = &'static [(&'static str, T)];

/// Parses one of several names.
#[derive(Clone)]
pub struct OneOf<T: 'static>(pub Names<T>);

impl<T: Copy + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, text: &OsStr) -> Result<T, Error> {
        let known = || self.0.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
        let name = text.to_string_lossy();
        if let Some((_, value)) = self.0.iter().find(|(known, _)| *known == name) {
            return Ok(*value);
        }
        // clap suggests by a measure that finds nothing near a short name such as bfs
        let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
        let option = option.map(ToString::to_string).unwrap_or_default();
        error.insert(ContextKind::InvalidArg, ContextValue::String(option));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(known()));
        if let Some(near) = spelling::nearest(&name, &known()) {
            error.insert(ContextKind::SuggestedValue, ContextValue::String(near));
        }
        error.insert(ContextKind::InvalidValue, ContextValue::String(name.into_owned()));
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|(name, _)| PossibleValue::new(*name))))
    }
}

/// Takes any text; a shell completes the given words, which are usual.
#[derive(Clone)]
pub struct AnyOr(pub &'static [&'static str]);

impl TypedValueParser for AnyOr {
    type Value = String;

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, text: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, option, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|word| PossibleValue::new(*word))))
    }
}
