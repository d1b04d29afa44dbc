//! The properties of a labelled transition system.

use homing_lts::{Lts, Pattern, PatternError, Property};

/// A property of a labelled transition system that cannot be decided.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyProblem {
    #[error(
        "the property `{0}` does not apply to a labelled transition system; it has deadlock and 'action:PATTERN', where PATTERN is a \
         label, with * for any text, or a regular expression as in action:/^send/"
    )]
    Unknown(String),
    #[error("`{name}`: {error}")]
    Pattern { name: String, error: PatternError },
}

/// A property, by the name that it has on the command line.
pub struct Named {
    pub name: String,
    pub property: Property,
    /// The pattern of an action.
    pub pattern: Option<Pattern>,
    pub warnings: Vec<String>,
}

/// The prefix of properties that forbid actions.
pub const ACTION: &str = "action:";

/// The names of the properties to decide: those that were picked, or that there is no deadlock.
pub fn names(picked: &[String]) -> Vec<String> {
    if picked.is_empty() { vec!["deadlock".to_owned()] } else { picked.to_vec() }
}

/// The properties to decide, each once.
pub fn chosen(picked: &[String], lts: &Lts) -> Result<Vec<Named>, PropertyProblem> {
    let mut properties: Vec<Named> = Vec::new();
    for name in names(picked) {
        let property = named(&name, lts)?;
        if !properties.iter().any(|other| other.name == property.name) {
            properties.push(property);
        }
    }
    Ok(properties)
}

/// `safety` is what it is for other models, errors of finite runs that the model itself states: these are deadlocks.
fn named(name: &str, lts: &Lts) -> Result<Named, PropertyProblem> {
    if let "deadlock" | "safety" = name {
        let property = Property::no_deadlock(lts);
        return Ok(Named { name: name.to_owned(), property, pattern: None, warnings: Vec::new() });
    }
    let Some(text) = name.strip_prefix(ACTION) else { return Err(PropertyProblem::Unknown(name.to_owned())) };
    let text = text.trim_start();
    let pattern = Pattern::parse(text).map_err(|error| PropertyProblem::Pattern { name: name.to_owned(), error })?;
    let found = pattern.among(lts.labels());
    let mut warnings = Vec::new();
    if found.is_empty() {
        warnings.push(format!("no label of the file matches the pattern {text}"));
    }
    Ok(Named { name: format!("{ACTION}{text}"), property: Property::Action(found), pattern: Some(pattern), warnings })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(picked: &[&str]) -> Result<Vec<(String, usize)>, String> {
        let lts = homing_lts::structures::diamond(3);
        let picked: Vec<String> = picked.iter().map(|&name| name.to_owned()).collect();
        let named = chosen(&picked, &lts).map_err(|problem| problem.to_string())?;
        Ok(named.into_iter().map(|named| (named.name, named.warnings.len())).collect())
    }

    #[test]
    fn deadlock_is_the_default_and_actions_are_patterns() {
        let entry = |name: &str, warnings| (name.to_owned(), warnings);
        assert_eq!(names(&[]), Ok(vec![entry("deadlock", 0)]));
        let picked = ["action: report(*)", "deadlock", "action:report(*)", "action:nothing"];
        let expected = vec![entry("action:report(*)", 0), entry("deadlock", 0), entry("action:nothing", 1)];
        assert_eq!(names(&picked), Ok(expected));
        assert!(names(&["progress"]).is_err_and(|message| message.contains("does not apply")));
        assert!(names(&["action:"]).is_err_and(|message| message.contains("empty")));
    }
}
