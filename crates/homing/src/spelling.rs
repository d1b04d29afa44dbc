//! Suggestions for a name that does not exist.

/// The known name nearest to `name`, if it is near enough.
pub fn nearest(name: &str, known: &[String]) -> Option<String> {
    let distance = |candidate: &String| strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase());
    let nearest = known.iter().min_by_key(|candidate| distance(candidate))?;
    (distance(nearest) <= name.chars().count().div_ceil(3)).then(|| nearest.clone())
}

/// The suggestion as text to follow the name; empty if there is none.
pub fn hint(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}
