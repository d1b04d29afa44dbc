//! What is searched for one property: the model with the invariant of the property, and its reduced copy.

use homing_ir::{Invariant, Model, Reduced};
use homing_promela::read_condition;

use crate::cli::{ModelArgs, SearchArgs};
use crate::error::Error;
use crate::input::{self, Loaded};
use crate::property::{Property, Safety, Unsupported};

/// The model of one property.
#[derive(Debug)]
pub struct SearchTask {
    pub model: Model,
    /// The reduced copy, which is searched instead of the model; `None` with `--plain`.
    pub reduced: Option<Reduced>,
    pub safety: Safety,
}

impl SearchTask {
    /// Prepares the model for a property; the inner error is a property that this version does not decide.
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

    /// The model that is searched: the reduced copy if there is one.
    pub fn searched(&self) -> &Model {
        self.reduced.as_ref().map_or(&self.model, |reduced| &reduced.model)
    }
}

/// Reads the text of an invariant in the scope of the model.
pub fn invariant(loaded: &Loaded, args: &ModelArgs, text: &str) -> Result<Invariant, Error> {
    let Loaded { model, source, .. } = loaded;
    let expr = read_condition(model, &source.name, &source.text, &args.options(), text)
        .map_err(|error| Error::Invariant { text: text.to_owned(), reason: error.to_string() })?;
    Ok(Invariant { text: text.to_owned(), expr })
}
