//! What is searched for one property: the model with the invariant of the property, and its reduced copy.

use homing_ir::{Invariant, Model, Reduced};

use super::property::Safety;

/// A model that is prepared for one property.
#[derive(Debug)]
pub struct SearchTask {
    /// The model.
    pub model: Model,
    /// The reduced copy, which is searched instead of the model; `None` for a [plain](ModelReduction::None) search.
    pub reduced: Option<Reduced>,
    /// The property.
    pub safety: Safety,
}

/// Whether a reduced copy of a model is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelReduction {
    /// A copy with fewer states, and with hidden variables that are read as part of the state.
    #[default]
    Reduced,
    /// The model itself, with hidden variables left out of the state.
    None,
}

impl SearchTask {
    /// Prepares the model for a property.
    pub fn new(mut model: Model, safety: Safety, reduction: ModelReduction) -> Self {
        let reduced = (reduction == ModelReduction::Reduced).then(|| {
            reveal(&mut model);
            Reduced::of(&model)
        });
        SearchTask { model, reduced, safety }
    }

    /// Prepares the model for the property that a condition holds in every state.
    pub fn of_invariant(mut model: Model, invariant: Invariant, reduction: ModelReduction) -> Self {
        model.add_invariant(invariant);
        Self::new(model, Safety::Invariant, reduction)
    }

    /// The model that is searched: the reduced copy if there is one.
    pub fn searched(&self) -> &Model {
        self.reduced.as_ref().map_or(&self.model, |reduced| &reduced.model)
    }
}

/// Makes hidden variables that are read part of the state, so that states that differ in them are distinguished.
pub fn reveal(model: &mut Model) {
    for var in model.hidden_but_read() {
        model.globals[var.index()].hidden = false;
    }
}
