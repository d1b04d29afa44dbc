//! Conditions and formulas given from outside of a model: watched expressions, invariants, `ltl:` properties.

use homing_ir::{Action, Expr, Formula, Model};

use crate::Reading;
use crate::diagnostic::Diagnostic;
use crate::preprocess::Options;

/// Why a condition cannot be read for a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    #[error("{0}")]
    Wrong(String),
    #[error("it refers to a label that the model itself does not refer to from outside")]
    HiddenLabel,
}

/// Why a formula cannot be parsed for a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FormulaError {
    /// What is wrong with it.
    pub message: String,
    /// Where in the text, in bytes.
    pub at: Option<usize>,
    /// What can be done.
    pub help: Option<String>,
}

/// The name of the `ltl` block as which a formula is read.
const BLOCK: &str = "homing_formula";

/// Reads a formula for `model`, which was read from the same text, as if it stood in an `ltl` block of the model. Returns the model
/// as it is with that block: a label that is referred to may need a location of its own.
pub fn read_formula(
    model: &Model,
    name: &str,
    text: &str,
    options: &Options,
    formula: &str,
) -> Result<(Formula, Model), FormulaError> {
    let formula = formula.replace(['\n', '\r'], " ");
    let before = format!("{text}\nltl {BLOCK} {{ ");
    let asked = format!("{before}{formula} }}\n");
    let Reading { model: read, diagnostics, refused, .. } = crate::read(name, asked, options);
    let wrong = || {
        let itself = refused.iter().filter(|refused| refused.name == BLOCK).flat_map(|refused| &refused.errors);
        let Some(first) = diagnostics.errors().chain(itself).next() else {
            return FormulaError { message: "it is not a formula".to_owned(), at: None, help: None };
        };
        let at = first.span.and_then(|span| (span.start as usize).checked_sub(before.len()));
        let at = at.map(|at| at.min(formula.len()));
        // the brace after the formula is not the user's
        let is_at_end = at == Some(formula.len());
        let message =
            if is_at_end { first.message.replace("`}`", "the end of the formula") } else { first.message.clone() };
        FormulaError { message, at, help: first.help.clone().map(String::from) }
    };
    let mut read = read.ok_or_else(wrong)?;
    let found = read.formulas.iter().position(|known| known.name == BLOCK).ok_or_else(wrong)?;
    if read.formulas.len() != model.formulas.len() + 1 || read.claims.len() != model.claims.len() {
        return Err(wrong());
    }
    let formula = read.formulas.remove(found).formula;
    Ok((formula, read))
}

/// Whether the automata of two readings have the same locations: a label that is referred to may need a location of its own.
fn same_shape(read: &Model, model: &Model) -> bool {
    let shape = |model: &Model| -> Vec<(usize, u32)> {
        let automata = model.proctypes.iter().map(|proctype| &proctype.automaton);
        automata.map(|automaton| (automaton.locations.len(), automaton.start)).collect()
    };
    shape(read) == shape(model)
}

/// The name of the claim as which a condition is read.
const CLAIM: &str = "homing_condition";

/// Reads a condition for `model`, which was read from the same text. As in a never claim it can refer to global
/// variables, `P[pid]:local`, `P[pid]@label`, and the macros of the model.
pub fn read_condition(
    model: &Model,
    name: &str,
    text: &str,
    options: &Options,
    condition: &str,
) -> Result<Expr, ConditionError> {
    let condition = condition.replace(['\n', '\r'], " ");
    if let Some(unbalanced) = unbalanced(&condition) {
        return Err(ConditionError::Wrong(unbalanced.to_owned()));
    }
    let asked = format!("{text}\nnever {CLAIM} {{ do :: ({condition}) od }}\n");
    let Reading { model: read, diagnostics, .. } = crate::read(name, asked, options);
    let wrong = || {
        ConditionError::Wrong(
            diagnostics.errors().next().map_or_else(|| "it is not an expression".to_owned(), one_line),
        )
    };
    let read = read.ok_or_else(wrong)?;
    let claim = read.claims.iter().find(|claim| claim.name == CLAIM).ok_or_else(wrong)?;
    let mut conditions = claim.automaton.statements.iter().filter_map(|statement| match &statement.action {
        Action::Condition(expr) => Some(expr.clone()),
        _ => None,
    });
    let mut others = claim.automaton.statements.iter().map(|statement| &statement.action);
    let is_skip = others.all(|action| matches!(action, Action::Skip(_) | Action::End));
    let expr = match (conditions.next(), conditions.next()) {
        (Some(expr), None) => expr,
        (None, _) if is_skip => Expr::constant(1), // `true` is `skip` as a statement
        _ => return Err(wrong()),
    };
    if read.claims.len() != model.claims.len() + 1 {
        return Err(wrong());
    }
    if !same_shape(&read, model) {
        return Err(ConditionError::HiddenLabel);
    }
    let mut is_of_claims = false;
    expr.walk(&mut |part| is_of_claims |= matches!(part, Expr::NonProgress));
    if is_of_claims {
        return Err(ConditionError::Wrong("`np_` can only be used in a never claim".to_owned()));
    }
    match of_a_process(&expr) {
        Some(name) => {
            Err(ConditionError::Wrong(format!("`{name}` has no value here: no process evaluates a condition")))
        }
        None => Ok(expr),
    }
}

/// A message in one line: the name that was meant stands in parentheses, other advice after a semicolon.
fn one_line(diagnostic: &Diagnostic) -> String {
    let message = &diagnostic.message;
    match diagnostic.help.as_deref() {
        None => message.clone(),
        Some(help) if help.starts_with("did you mean") => format!("{message} ({help})"),
        Some(help) => format!("{message}; {help}"),
    }
}

/// What is wrong with the parentheses of a condition. It is read between parentheses, which one too many would close.
fn unbalanced(condition: &str) -> Option<&'static str> {
    let (mut open, mut quote) = (0, None);
    for c in condition.chars() {
        match (c, quote) {
            (c, Some(begun)) => quote = (c != begun).then_some(begun),
            ('\'' | '"', None) => quote = Some(c),
            ('(', None) => open += 1,
            (')', None) if open == 0 => return Some("a `)` has no matching `(`"),
            (')', None) => open -= 1,
            _ => {}
        }
    }
    (open > 0).then_some("a `(` has no matching `)`")
}

/// An operand that has a value only for the process that evaluates it.
fn of_a_process(expr: &Expr) -> Option<&'static str> {
    let mut found = None;
    expr.walk(&mut |part| match part {
        Expr::Pid => found = Some("_pid"),
        Expr::OwnPriority => found = Some("_priority"),
        Expr::Timeout => found = Some("timeout"),
        _ => {}
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "#define big (x > 3)\nbyte x;\nactive proctype P() { byte y; do :: y = x od }\n";

    fn read(condition: &str) -> Result<Expr, ConditionError> {
        let options = Options::default();
        let model = crate::read("m.pml", MODEL.to_owned(), &options).model.expect("a model");
        read_condition(&model, "m.pml", MODEL, &options, condition)
    }

    #[test]
    fn conditions_see_what_claims_see() {
        for condition in ["x == 3", "big && x < 7", "P[0]:y > 1", "_nr_pr", "x"] {
            assert!(read(condition).is_ok(), "{condition}: {:?}", read(condition));
        }
    }

    #[test]
    fn wrong_conditions_are_reported() {
        let Err(ConditionError::Wrong(message)) = read("z > 1") else { panic!("accepted") };
        assert!(message.contains("`z`"), "{message}");
        for condition in ["_pid == 0", "!timeout", "_priority == 1"] {
            let Err(ConditionError::Wrong(message)) = read(condition) else { panic!("accepted: {condition}") };
            assert!(message.contains("no process evaluates"), "{message}");
        }
        for condition in
            ["", "x >", "x = 3", "run P()", "x) od } never { do :: (x", "x == 0) || (x <= 2", "np_", "x && !np_"]
        {
            assert!(read(condition).is_err(), "{condition}");
        }
        assert!(read("(x == 0) || (x != ')')").is_ok());
    }
}
