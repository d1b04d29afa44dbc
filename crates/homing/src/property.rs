//! The properties of a model.

use homing_check::model::Safety;
use homing_ir::Model;
use homing_network::Refusal;
use homing_promela::RefusedFormula;

use crate::spelling::{hint, nearest};

/// A property that can be named with `--property`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    Safety(Safety),
    /// A condition that must hold in every state.
    Invariant(String),
    /// A property of infinite runs.
    Infinite(Infinite),
    /// A query of a network.
    Query(String),
    /// An `ltl` block that is wrong, and why.
    Invalid {
        name: String,
        reason: String,
    },
    /// A query of a network that is faulty or not supported.
    Refused {
        text: String,
        refusal: Refusal,
        reason: String,
    },
}

/// Properties of infinite runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infinite {
    Progress,
    /// A never claim, or acceptance labels.
    Acceptance,
    /// An `ltl` block, by name.
    Named(String),
    Formula(String),
}

/// A property that the model does not have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    #[error("unknown property `{name}`{}; available: {}, 'ltl:FORMULA' and 'invariant:EXPR'", hint(.near), .known.join(", "))]
    Unknown { name: String, near: Option<String>, known: Vec<String> },
    #[error(
        "`{name}` is a property of every model and an ltl block of this one; write ltl:{name} for the block, builtin:{name} for the \
         other"
    )]
    Ambiguous { name: String },
    #[error("`{name}` has no text after the colon; write a formula or a condition there")]
    Nothing { name: String },
}

impl Property {
    /// The name in the output, and in `--property`.
    pub fn name(&self) -> String {
        match self {
            Property::Safety(Safety::All) => "safety".to_owned(),
            Property::Safety(Safety::Assertions) => "assertions".to_owned(),
            Property::Safety(Safety::Deadlock) => "deadlock".to_owned(),
            Property::Safety(Safety::Invariant) => "invariant".to_owned(),
            Property::Invariant(expr) => format!("invariant:{expr}"),
            Property::Infinite(Infinite::Progress) => "progress".to_owned(),
            Property::Infinite(Infinite::Acceptance) => "acceptance".to_owned(),
            Property::Infinite(Infinite::Named(name)) | Property::Invalid { name, .. } => {
                if is_reserved(name) {
                    format!("{LTL}{name}")
                } else {
                    name.clone()
                }
            }
            Property::Infinite(Infinite::Formula(formula)) => format!("ltl:{formula}"),
            Property::Query(text) | Property::Refused { text, .. } => format!("query:{text}"),
        }
    }

    fn parse(name: &str, model: &Model, refused: &[RefusedFormula]) -> Result<Property, PropertyError> {
        let blocks: Vec<Property> = Property::blocks(model, refused).collect();
        let block = |name: &str| blocks.iter().find(|block| block.name().trim_start_matches(LTL) == name).cloned();
        let (builtin, is_builtin) = name.strip_prefix(BUILTIN).map_or((name, false), |rest| (rest, true));
        if let Some(property) = RESERVED.iter().find(|property| property.name() == builtin) {
            return match block(name) {
                Some(_) if !is_builtin => Err(PropertyError::Ambiguous { name: name.to_owned() }),
                _ => Ok(property.clone()),
            };
        }
        if let Some(property) = block(name).or_else(|| block(name.strip_prefix(LTL)?.trim())) {
            return Ok(property);
        }
        let formula = |text| Property::Infinite(Infinite::Formula(text));
        for (prefix, property) in [(LTL, formula as fn(String) -> Property), ("invariant:", Property::Invariant as _)] {
            if let Some(rest) = name.strip_prefix(prefix) {
                let rest = rest.trim();
                return if rest.is_empty() {
                    Err(PropertyError::Nothing { name: name.to_owned() })
                } else {
                    Ok(property(rest.to_owned()))
                };
            }
        }
        let known: Vec<String> = RESERVED.iter().chain(&blocks).map(Property::name).collect();
        Err(PropertyError::Unknown { name: name.to_owned(), near: nearest(name, &known), known })
    }

    /// The `ltl` blocks of a model, those that are wrong last.
    fn blocks(model: &Model, refused: &[RefusedFormula]) -> impl Iterator<Item = Property> {
        let named = model.formulas.iter().map(|formula| Property::Infinite(Infinite::Named(formula.name.clone())));
        named.chain(refused.iter().map(|refused| {
            let reason = refused.errors.first().map_or_else(String::new, |error| match &error.help {
                Some(help) => format!("{}; {help}", error.message),
                None => error.message.clone(),
            });
            Property::Invalid { name: refused.name.clone(), reason }
        }))
    }

    /// Everything that the model states.
    fn stated(model: &Model, refused: &[RefusedFormula]) -> Vec<Property> {
        let mut stated = vec![Property::Safety(Safety::All)];
        stated.extend(Property::blocks(model, refused));
        if !model.claims.is_empty() || model.has_label(|labels| labels.accept) {
            stated.push(Property::Infinite(Infinite::Acceptance));
        }
        if model.has_label(|labels| labels.progress) {
            stated.push(Property::Infinite(Infinite::Progress));
        }
        stated
    }
}

/// The prefix of a formula, or of the name of a block.
const LTL: &str = "ltl:";

/// The prefix that tells a property of every model from a block with its name.
pub const BUILTIN: &str = "builtin:";

fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|property| property.name() == name)
}

const RESERVED: [Property; 5] = [
    Property::Safety(Safety::All),
    Property::Safety(Safety::Assertions),
    Property::Safety(Safety::Deadlock),
    Property::Infinite(Infinite::Progress),
    Property::Infinite(Infinite::Acceptance),
];

/// The properties to decide: those that were picked, each once, or everything that the model states.
pub fn chosen(picked: &[String], model: &Model, refused: &[RefusedFormula]) -> Result<Vec<Property>, PropertyError> {
    if picked.is_empty() {
        return Ok(Property::stated(model, refused));
    }
    let mut properties = Vec::new();
    for name in picked {
        let property = Property::parse(name, model, refused)?;
        if !properties.contains(&property) {
            properties.push(property);
        }
    }
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use homing_ir::{Automaton, Claim, Expr, Formula, Labels, Location, NamedFormula, Place, Proctype};

    use super::*;

    fn model(formulas: &[&str], labels: Labels) -> Model {
        let formula = |name: &&str| NamedFormula {
            name: (*name).to_owned(),
            formula: Formula::Proposition(Expr::constant(1)),
            place: Place::default(),
        };
        let location = Location { labels, ..Location::default() };
        let proctype = Proctype {
            name: "P".to_owned(),
            locals: Vec::new(),
            params: 0,
            inits: Vec::new(),
            provided: None,
            deterministic: false,
            automaton: Automaton { locations: vec![location], ..Automaton::default() },
            place: Place::default(),
        };
        Model { formulas: formulas.iter().map(formula).collect(), proctypes: vec![proctype], ..Model::default() }
    }

    fn names(picked: &[&str], model: &Model) -> Result<Vec<String>, PropertyError> {
        let picked: Vec<String> = picked.iter().map(|&name| name.to_owned()).collect();
        chosen(&picked, model, &[]).map(|properties| properties.iter().map(Property::name).collect())
    }

    #[test]
    fn by_default_everything_the_model_states() {
        assert_eq!(names(&[], &model(&[], Labels::default())).unwrap(), ["safety"]);
        let labels = Labels { accept: true, progress: true, ..Labels::default() };
        assert_eq!(names(&[], &model(&["p", "q"], labels)).unwrap(), ["safety", "p", "q", "acceptance", "progress"]);
        let mut claimed = model(&[], Labels::default());
        claimed.claims.push(Claim {
            number: 0,
            name: "never_0".to_owned(),
            automaton: Automaton::default(),
            place: Place::default(),
        });
        assert_eq!(names(&[], &claimed).unwrap(), ["safety", "acceptance"]);
    }

    #[test]
    fn picked_ones_come_in_their_order_and_once() {
        let model = model(&["p"], Labels::default());
        let picked = ["deadlock", "p", "ltl: [] p", "safety", "deadlock", "invariant:x < 3"];
        assert_eq!(names(&picked, &model).unwrap(), ["deadlock", "p", "ltl:[] p", "safety", "invariant:x < 3"]);
    }

    #[test]
    fn a_block_may_have_the_name_of_a_property() {
        let model = model(&["safety", "p"], Labels::default());
        assert_eq!(names(&[], &model).unwrap(), ["safety", "ltl:safety", "p"]);
        assert_eq!(names(&["ltl:safety", "builtin:safety"], &model).unwrap(), ["ltl:safety", "safety"]);
        assert_eq!(names(&["ltl: p", "p", "builtin:progress"], &model).unwrap(), ["p", "progress"]);
        assert_eq!(names(&["safety"], &model).unwrap_err(), PropertyError::Ambiguous { name: "safety".to_owned() });
        assert!(names(&["builtin:p"], &model).is_err());
    }

    #[test]
    fn a_block_that_is_wrong_is_a_property() {
        let refused = [RefusedFormula { name: "deadlock".to_owned(), errors: Vec::new() }];
        let model = model(&["p"], Labels::default());
        let names = |picked: &[&str]| -> Vec<String> {
            let picked: Vec<String> = picked.iter().map(|&name| name.to_owned()).collect();
            chosen(&picked, &model, &refused).expect("properties").iter().map(Property::name).collect()
        };
        assert_eq!(names(&[]), ["safety", "p", "ltl:deadlock"]);
        assert_eq!(names(&["ltl:deadlock"]), ["ltl:deadlock"]);
    }

    #[test]
    fn unknown_names_get_a_hint() {
        let model = model(&["mutex", "live"], Labels::default());
        let message = names(&["mutx"], &model).unwrap_err().to_string();
        assert_eq!(
            message,
            "unknown property `mutx` (did you mean `mutex`?); available: safety, assertions, deadlock, progress, \
             acceptance, mutex, live, 'ltl:FORMULA' and 'invariant:EXPR'"
        );
        let message = names(&["Deadlocks"], &model).unwrap_err().to_string();
        assert!(message.contains("did you mean `deadlock`?"), "{message}");
        let message = names(&["xyz"], &model).unwrap_err().to_string();
        assert!(!message.contains("did you mean"), "{message}");
        assert_eq!(
            names(&["ltl: "], &model).unwrap_err().to_string(),
            "`ltl: ` has no text after the colon; write a formula or a condition there"
        );
    }
}
