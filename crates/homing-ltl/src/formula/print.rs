//! Formulas as text, in the syntax of SPIN's inline `ltl` blocks.

use std::fmt;

use super::{Binary, Formula, Node, Unary};

/// How tightly a text binds; a text is put into parentheses where its context binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implication,
    Or,
    And,
    Until,
    Comparison,
    Unary,
    Operand,
}

impl Formula {
    /// The text of the formula in the syntax of SPIN's inline `ltl` blocks, with no more parentheses than needed to
    /// read the same formula back. A name that is an expression, such as `x == 1`, is put into parentheses where
    /// necessary.
    pub fn display<'a, S: AsRef<str>>(&'a self, names: &'a [S]) -> impl fmt::Display + 'a {
        Named { formula: self, name: move |index: u32| names[index as usize].as_ref().to_owned() }
    }
}

/// Propositions are `p0`, `p1`, ...
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Named { formula: self, name: |index| format!("p{index}") }.fmt(f)
    }
}

struct Named<'a, N> {
    formula: &'a Formula,
    name: N,
}

/// A piece of text that is still to be printed.
enum Piece {
    /// The subformula that ends at this node, in a context of this level.
    Subformula(usize, Level),
    Text(&'static str),
}

impl<N: Fn(u32) -> String> fmt::Display for Named<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let nodes = self.formula.nodes();
        let starts = starts(nodes);
        let mut pieces = vec![Piece::Subformula(nodes.len() - 1, Level::Implication)];
        while let Some(piece) = pieces.pop() {
            let (at, context) = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Subformula(at, context) => (at, context),
            };
            let needs_parentheses = self.level(nodes[at]) < context;
            if needs_parentheses {
                f.write_str("(")?;
                pieces.push(Piece::Text(")"));
            }
            match nodes[at] {
                Node::True => f.write_str("true")?,
                Node::False => f.write_str("false")?,
                Node::Proposition(index) => f.write_str(&(self.name)(index))?,
                Node::Unary(operator) => {
                    f.write_str(unary(operator))?;
                    pieces.push(Piece::Subformula(at - 1, Level::Unary));
                }
                Node::Binary(operator) => {
                    let (text, left, right) = binary(operator);
                    pieces.push(Piece::Subformula(at - 1, right));
                    pieces.push(Piece::Text(text));
                    pieces.push(Piece::Subformula(starts[at - 1] - 1, left));
                }
            }
        }
        Ok(())
    }
}

impl<N: Fn(u32) -> String> Named<'_, N> {
    fn level(&self, node: Node) -> Level {
        match node {
            Node::True | Node::False => Level::Operand,
            Node::Proposition(index) if is_operand(&(self.name)(index)) => Level::Operand,
            Node::Proposition(_) => Level::Comparison,
            Node::Unary(_) => Level::Unary,
            Node::Binary(Binary::And) => Level::And,
            Node::Binary(Binary::Or) => Level::Or,
            Node::Binary(Binary::Implies | Binary::Equivalent) => Level::Implication,
            Node::Binary(Binary::Until | Binary::Release | Binary::WeakUntil) => Level::Until,
        }
    }
}

/// Where the subformula that ends at each node begins.
fn starts(nodes: &[Node]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let start = match node {
            Node::True | Node::False | Node::Proposition(_) => at,
            Node::Unary(_) => starts[at - 1],
            Node::Binary(_) => starts[starts[at - 1] - 1],
        };
        starts.push(start);
    }
    starts
}

fn unary(operator: Unary) -> &'static str {
    match operator {
        Unary::Not => "!",
        Unary::Next => "X ",
        Unary::Always => "[] ",
        Unary::Eventually => "<> ",
    }
}

/// The text of an operator and the levels of its operands. All operators are left-associative.
fn binary(operator: Binary) -> (&'static str, Level, Level) {
    match operator {
        Binary::Implies => (" -> ", Level::Implication, Level::Or),
        Binary::Equivalent => (" <-> ", Level::Implication, Level::Or),
        Binary::Or => (" || ", Level::Or, Level::And),
        Binary::And => (" && ", Level::And, Level::Until),
        Binary::Until => (" U ", Level::Until, Level::Comparison),
        Binary::Release => (" V ", Level::Until, Level::Comparison),
        Binary::WeakUntil => (" W ", Level::Until, Level::Comparison),
    }
}

/// Whether a proposition needs no parentheses in any context: a name with its indices, fields and arguments, or one
/// pair of parentheses around all.
pub(crate) fn is_operand(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut nested = text.chars().map(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c, depth)
    });
    if text.starts_with('(') {
        let end = nested.position(|(_, depth)| depth == 0);
        return end.is_some_and(|end| end + 1 == text.chars().count());
    }
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | ':' | '?' | ']' | ')');
    nested.all(|(c, depth)| depth > 0 || is_of_name(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_only_where_needed() {
        let [p, q, r] = [0, 1, 2].map(Formula::proposition);
        for (formula, expected) in [
            (p.clone().implies(q.clone()).implies(r.clone()), "p -> q -> r"),
            (p.clone().implies(q.clone().implies(r.clone())), "p -> (q -> r)"),
            (p.clone().or(q.clone().and(r.clone())), "p || q && r"),
            (p.clone().or(q.clone()).and(r.clone()), "(p || q) && r"),
            (p.clone().until(q.clone()).until(r.clone()), "p U q U r"),
            (p.clone().until(q.clone().weak_until(r.clone())), "p U (q W r)"),
            (p.clone().eventually().always().next(), "X [] <> p"),
            ((!(p.clone().and(q.clone()))).release(!q.clone()), "!(p && q) V !q"),
            (p.clone().equivalent(Formula::truth()).and(Formula::falsity()), "(p <-> true) && false"),
            (p.until(q).always(), "[] (p U q)"),
        ] {
            assert_eq!(formula.display(&["p", "q", "r"]).to_string(), expected);
        }
    }

    #[test]
    fn propositions_that_are_expressions() {
        let p = Formula::proposition(0);
        for (name, expected) in [
            ("x == 1", "!(x == 1) && x == 1 U x == 1"),
            ("a[i + 1].b", "!a[i + 1].b && a[i + 1].b U a[i + 1].b"),
            ("P@l", "!P@l && P@l U P@l"),
            ("len(q)", "!len(q) && len(q) U len(q)"),
            ("(a + b)", "!(a + b) && (a + b) U (a + b)"),
            ("(a) + (b)", "!((a) + (b)) && (a) + (b) U (a) + (b)"),
        ] {
            let formula = (!p.clone()).and(p.clone().until(p.clone()));
            assert_eq!(formula.display(&[name]).to_string(), expected);
        }
    }
}
