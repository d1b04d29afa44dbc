//! Labels of the HOA format: Boolean expressions over the numbers of propositions.

use std::collections::HashMap;

use super::scan::{Kind, Scanner};
use crate::letters::Letters;
use crate::text::ReadError;

/// An operator that waits for its right operand, or an open parenthesis; in the order of precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pending {
    Parenthesis,
    Or,
    And,
    Not,
}

/// Reads an expression up to a token that cannot continue it.
pub fn read(
    scanner: &mut Scanner,
    propositions: usize,
    aliases: &HashMap<String, Letters>,
) -> Result<Letters, ReadError> {
    let mut operands: Vec<Letters> = Vec::new();
    let mut operators: Vec<Pending> = Vec::new();
    loop {
        while let Some(token) = scanner.take_if(|kind| matches!(kind, Kind::Symbol('!' | '('))) {
            let is_negation = token.kind == Kind::Symbol('!');
            operators.push(if is_negation { Pending::Not } else { Pending::Parenthesis });
        }
        operands.push(operand(scanner, propositions, aliases)?);
        while operators.contains(&Pending::Parenthesis) && scanner.take_if(|kind| *kind == Kind::Symbol(')')).is_some()
        {
            reduce(&mut operands, &mut operators, Pending::Or);
            operators.pop();
        }
        let next = match scanner.peek().map(|token| &token.kind) {
            Some(Kind::Symbol('&')) => Pending::And,
            Some(Kind::Symbol('|')) => Pending::Or,
            _ => break,
        };
        scanner.next("an operator")?;
        reduce(&mut operands, &mut operators, next);
        operators.push(next);
    }
    reduce(&mut operands, &mut operators, Pending::Or);
    if !operators.is_empty() {
        scanner.expect(')')?;
    }
    Ok(operands.pop().expect("the value of the expression"))
}

fn operand(
    scanner: &mut Scanner,
    propositions: usize,
    aliases: &HashMap<String, Letters>,
) -> Result<Letters, ReadError> {
    let token = scanner.next("a proposition")?;
    match token.kind {
        Kind::Name("t") => Ok(Letters::all(propositions)),
        Kind::Name("f") => Ok(Letters::empty(propositions)),
        Kind::Number(index) if index < propositions => Ok(Letters::proposition(propositions, index)),
        Kind::Number(index) => {
            let message = format!("there is no proposition {index}; the header declares {propositions}");
            Err(ReadError { line: token.line, message })
        }
        Kind::Alias(name) => {
            let message = format!("the alias @{name} is not defined before");
            aliases.get(name).cloned().ok_or(ReadError { line: token.line, message })
        }
        _ => Err(token.unexpected("a proposition")),
    }
}

/// Applies the operators after the last open parenthesis that bind at least as tightly as `least`.
fn reduce(operands: &mut Vec<Letters>, operators: &mut Vec<Pending>, least: Pending) {
    while let Some(operator) = operators.pop_if(|operator| *operator >= least) {
        let right = operands.pop().expect("an operand for each operator");
        let result = match operator {
            Pending::Not => right.not(),
            Pending::And => operands.pop().expect("an operand for each operator").and(&right),
            Pending::Or => operands.pop().expect("an operand for each operator").or(&right),
            Pending::Parenthesis => unreachable!("it binds less tightly than any operator"),
        };
        operands.push(result);
    }
}
