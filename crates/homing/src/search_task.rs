//! What is searched for a property: the model, with the invariant that is asked for, and its reduced copy.

use homing_ir::{Invariant, Model, Reduced};
use homing_promela::read_condition;

use crate::cli::{ModelArgs, SearchArgs};
use crate::error::Error;
use crate::input::{self, Loaded};
use crate::property::{Property, Safety, Unsupported};

/// A model, as far as one property is concerned.
#[derive(Debug)]
pub struct SearchTask {
    pub model: Model,
    /// What is searched instead of the model.
    pub reduced: Option<Reduced>,
    pub safety: Safety,
}

impl SearchTask {
    /// Or why there is none: the property is one that this version does not decide.
    pub fn new(
        loaded: &Loaded,
        args: &ModelArgs,
        options: &SearchArgs,
        property: &Property,
    ) -> Result<Result<Self, Unsupported>, Error> {
        let mut model = loaded.model.clone();
        let safety = match property {
            Property::Safety(safety) => *safety,
            Property::Invariant(text) => {
                model.add_invariant(invariant(loaded, args, text)?);
                Safety::Invariant
            }
            Property::Unsupported(beyond) => return Ok(Err(beyond.clone())),
        };
        if !options.plain {
            input::reveal(&mut model);
        }
        let reduced = (!options.plain).then(|| Reduced::of(&model));
        Ok(Ok(SearchTask { model, reduced, safety }))
    }

    /// What is searched.
    pub fn searched(&self) -> &Model {
        self.reduced.as_ref().map_or(&self.model, |reduced| &reduced.model)
    }
}

/// The invariant that a text means to the model.
pub fn invariant(loaded: &Loaded, args: &ModelArgs, text: &str) -> Result<Invariant, Error> {
    let Loaded { model, source, .. } = loaded;
    let expr = read_condition(model, &source.name, &source.text, &args.options(), text)
        .map_err(|error| Error::Invariant { text: text.to_owned(), reason: error.to_string() })?;
    Ok(Invariant { text: text.to_owned(), expr })
}
