//! The properties of a network.

use homing_check::model::Safety;
use homing_network::RefusedQuery;

use crate::input::Queries;
use crate::property::Property;

/// The prefix of properties that are queries.
pub const QUERY: &str = "query:";

/// A property that a network does not have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkProperty {
    #[error(
        "the property `{0}` does not apply to a network of automata; available: deadlock, safety, assertions and 'query:TEXT', where \
         TEXT is a query such as E<> P.a or A[] x < 3"
    )]
    Unknown(String),
    #[error("`{0}` has no text after the colon; write a query there")]
    Nothing(String),
}

/// The properties to decide: those that were picked, each once, or the queries; without any, that there is no deadlock.
pub fn chosen(picked: &[String], queries: &Queries) -> Result<Vec<Property>, NetworkProperty> {
    let asked = queries.stated.iter().map(|query| (query.number, Property::Query(query.text.clone())));
    let mut all_queries: Vec<_> =
        asked.chain(queries.refused.iter().map(|one| (one.number, refused(one, picked.is_empty())))).collect();
    all_queries.sort_by_key(|(number, _)| *number);
    let all_queries = all_queries.into_iter().map(|(_, query)| query);
    let mut all: Vec<Property> = Vec::new();
    let mut add = |property: Property| {
        if !all.contains(&property) {
            all.push(property);
        }
    };
    if picked.is_empty() {
        all_queries.for_each(&mut add);
        if all.is_empty() {
            all.push(Property::Safety(Safety::Deadlock));
        }
        return Ok(all);
    }
    for name in picked {
        match name.as_str() {
            "deadlock" => add(Property::Safety(Safety::Deadlock)),
            "safety" => add(Property::Safety(Safety::All)),
            "assertions" => add(Property::Safety(Safety::Assertions)),
            _ => match name.strip_prefix(QUERY).map(str::trim) {
                Some("") => return Err(NetworkProperty::Nothing(name.clone())),
                Some(_) => {}
                None => return Err(NetworkProperty::Unknown(name.clone())),
            },
        }
    }
    if let Some(name) = picked.iter().find(|name| name.starts_with(QUERY)) {
        if queries.stated.is_empty() && queries.refused.is_empty() {
            return Err(NetworkProperty::Nothing(name.clone()));
        }
        all_queries.for_each(&mut add);
    }
    Ok(all)
}

/// A query that is not decided, with what is wrong with it and where it is, if it is in a file.
fn refused(query: &RefusedQuery, is_in_a_file: bool) -> Property {
    let RefusedQuery { number, text, file, line, refusal, reason } = query;
    let place = if is_in_a_file { format!(" (query {number}, {file}:{line})") } else { String::new() };
    Property::Refused { text: text.clone(), refusal: *refusal, reason: format!("{reason}{place}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_queries_and_deadlock() {
        let queries = Queries::default();
        let picked = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            chosen(&names, &queries).map(|all| all.iter().map(Property::name).collect::<Vec<_>>())
        };
        assert_eq!(picked(&[]), Ok(vec!["deadlock".to_owned()]));
        assert_eq!(picked(&["safety", "deadlock", "safety"]), Ok(vec!["safety".to_owned(), "deadlock".to_owned()]));
        assert_eq!(picked(&["query: "]), Err(NetworkProperty::Nothing("query: ".to_owned())));
        assert_eq!(picked(&["progress"]), Err(NetworkProperty::Unknown("progress".to_owned())));
    }
}
