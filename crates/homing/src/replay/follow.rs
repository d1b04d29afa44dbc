//! `--values NAME`: selects the variables whose changes are printed.

use homing_core::{Description, Valued};
use homing_engine::Change;
use homing_ir::Model;

use crate::error::Error;
use crate::spelling::nearest;

/// The selected variables: those named, or all.
#[derive(Debug)]
pub struct Follow {
    names: Vec<String>,
}

impl Follow {
    /// Fails if the model has no such variable. A name selects the variable in all processes with all elements and
    /// fields; `Phil(2):x` and `a[3]` select one.
    pub fn new(names: &[String], model: &Model) -> Result<Self, Error> {
        let locals = model.proctypes.iter().flat_map(|proctype| &proctype.locals);
        let known: Vec<&str> = model.globals.iter().chain(locals).map(|variable| variable.name.as_str()).collect();
        for name in names {
            let (_, bare) = split(name);
            let stem = stem(bare);
            if !known.iter().any(|known| self::stem(known) == stem) {
                let known: Vec<String> = known.iter().map(|known| (*known).to_owned()).collect();
                let near = nearest(stem, &known);
                return Err(Error::NoVariable { name: name.clone(), near });
            }
        }
        Ok(Follow { names: names.to_vec() })
    }

    pub fn all(&self) -> bool {
        self.names.is_empty()
    }

    pub fn has(&self, change: &Change) -> bool {
        self.wants(change.owner.as_deref(), &change.name)
    }

    /// The selected variables among the values of a state.
    pub fn among(&self, values: &Description) -> Vec<Valued> {
        let mut list: Vec<Valued> =
            values.globals.iter().filter(|valued| self.wants(None, &valued.name)).cloned().collect();
        for process in &values.processes {
            let wanted = process.locals.iter().filter(|valued| self.wants(Some(&process.process), &valued.name));
            list.extend(wanted.map(|Valued { name, value }| Valued {
                name: format!("{}:{name}", process.process),
                value: value.clone(),
            }));
        }
        list
    }

    fn wants(&self, owner: Option<&str>, name: &str) -> bool {
        self.all()
            || self.names.iter().any(|wanted| {
                let (process, bare) = split(wanted);
                let part = name.strip_prefix(bare).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']));
                part && (process.is_none() || process == owner)
            })
    }
}

/// `Phil(2):x` is the local x of Phil(2).
fn split(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once(':') {
        Some((process, bare)) => (Some(process), bare),
        None => (None, name),
    }
}

/// The name without elements and fields.
fn stem(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_all_its_parts() {
        let follow = |name: &str| Follow { names: vec![name.to_owned()] };
        assert!(follow("a").wants(None, "a[3]") && follow("a").wants(Some("P(0)"), "a.b"));
        assert!(!follow("a").wants(None, "ab"));
        assert!(follow("P(0):a").wants(Some("P(0)"), "a") && !follow("P(0):a").wants(Some("P(1)"), "a"));
        assert!(follow("a[1]").wants(None, "a[1].x") && !follow("a[1]").wants(None, "a[2].x"));
        assert!(Follow { names: Vec::new() }.wants(None, "x"));
    }
}
