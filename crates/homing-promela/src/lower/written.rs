//! The user's text of statements, for showing.

use homing_ir::{Action, Call, Expr, Place, Written};

use super::flow::Element;
use crate::source::{ExpansionId, ExpansionKind, SourceMap, Span};

/// The widest text of a `d_step` and of a call.
const WIDEST: usize = 60;

/// What the user wrote for a statement.
pub(super) fn written(sources: &SourceMap, element: &Element, action: &Action) -> Written {
    let call = call(sources, element.span.via);
    let text = if call.is_none() { text(sources, element.span, action) } else { None };
    Written { text: text.map(String::into_boxed_str), call }
}

/// The text of the span, if it is that of the statement: steps of a `for` have the span of the whole loop, a
/// declaration that of the name, and all statements of a macro that of its use.
fn text(sources: &SourceMap, span: Span, action: &Action) -> Option<String> {
    let source = sources.text(span);
    let text = one_line(source);
    let is_loop = ["for", "select"]
        .iter()
        .any(|word| text.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('(')));
    if text.is_empty() || is_loop || is_inside_macro(sources, span) {
        return None;
    }
    let is_its_own = match action {
        Action::Assign { .. } | Action::Discard(_) | Action::SetOwnPriority(_) => {
            !text.starts_with("return") && (text.contains('=') || text.ends_with("++") || text.ends_with("--"))
        }
        Action::Run { store: Some(_), .. } => text.contains('='),
        Action::Run { store: None, .. } => text.contains("run"),
        Action::Skip(shown) => &**shown != ".(goto)",
        Action::End | Action::Else | Action::Event { .. } => false,
        // the condition of a `for` has the span of its variable
        Action::Condition(condition) => matches!(condition, Expr::Var(_) | Expr::Const { .. }) || !is_name(&text),
        Action::DStep(_) => return Some(shortened(&text)),
        _ => true,
    };
    is_its_own.then_some(text)
}

fn is_name(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Whether the text of the span is the use of a macro and no more: then it may stand for several statements.
fn is_inside_macro(sources: &SourceMap, span: Span) -> bool {
    let Some(expansion) = sources.expansion(span.via) else { return false };
    let text = sources.text(span).trim_start();
    let after = text.strip_prefix(&*expansion.name).map(str::trim_start);
    expansion.kind == ExpansionKind::Macro && after.is_some_and(|rest| rest.is_empty() || closes_at_end(rest))
}

/// Whether a text is one pair of parentheses with what is between them.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return letter == ')' && at + 1 == text.len();
        }
    }
    false
}

/// The outermost call of an inline through which a text came.
fn call(sources: &SourceMap, via: ExpansionId) -> Option<Call> {
    let mut found = None;
    let mut at = via;
    while let Some(expansion) = sources.expansion(at) {
        at = match expansion.kind {
            ExpansionKind::Inline => {
                let span = expansion.other;
                let place = Place { file: span.file.0, line: sources.line(span) };
                found = Some(Call { text: shortened(&one_line(sources.text(span))).into(), place });
                span.via // of a call inside the body of another inline
            }
            ExpansionKind::Macro => expansion.parent,
        };
    }
    found
}

/// A text without comments, with single blanks instead of line ends and other blanks.
fn one_line(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        plain.push_str(&rest[..at]);
        plain.push(' ');
        let comment = &rest[at..];
        let end = match comment.starts_with("/*") {
            true => comment.find("*/").map(|end| end + 2),
            false => comment.find('\n'),
        };
        rest = end.map_or("", |end| &comment[end..]);
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(WIDEST - 3).collect();
    format!("{}...", head.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_line_ends_are_left_out() {
        assert_eq!(one_line("x =  1 /* why */ +\n  2 // end\n"), "x = 1 + 2");
        assert_eq!(one_line("d_step {\n  x++; // up\n  y--\n}"), "d_step { x++; y-- }");
        assert_eq!(one_line("x /* open"), "x");
    }

    #[test]
    fn a_call_ends_with_its_parenthesis() {
        assert!(closes_at_end("(a, f(b))") && !closes_at_end("(a) > (b)") && !closes_at_end(" > 1"));
        assert_eq!(shortened("x"), "x");
        assert!(shortened(&"ab ".repeat(40)).ends_with("..."));
    }
}
