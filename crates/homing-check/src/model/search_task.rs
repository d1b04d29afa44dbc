//! What is searched for one property: the model with the invariant of the property, and its reduced copy.

use std::sync::OnceLock;

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
    /// A reduced copy in which lengths are exact, once it is needed.
    exact: OnceLock<Reduced>,
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
        // a network has no reductions
        let reduced = (reduction == ModelReduction::Reduced && !model.features.network).then(|| {
            reveal(&mut model);
            Reduced::of(&model)
        });
        SearchTask { model, reduced, safety, exact: OnceLock::new() }
    }

    /// Prepares the model for the property that a condition holds in every state.
    pub fn of_invariant(mut model: Model, invariant: Invariant, reduction: ModelReduction) -> Self {
        model.add_invariant(invariant);
        Self::new(model, Safety::Invariant, reduction)
    }

    /// Whether the property is a query of a network, which a state decides.
    pub(super) fn is_query(&self) -> bool {
        self.safety == Safety::Invariant && self.model.features.network
    }

    /// The same property of the model without reductions.
    pub(super) fn plain(&self) -> Self {
        SearchTask { model: self.model.clone(), reduced: None, safety: self.safety, exact: OnceLock::new() }
    }

    /// The model in which the lengths of paths are measured: a reduced copy with exact lengths, unless the search is plain.
    pub(super) fn measured(&self) -> &Model {
        match self.reduced {
            None => &self.model,
            Some(_) => &self.exact.get_or_init(|| Reduced::with_exact_lengths(&self.model)).model,
        }
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
