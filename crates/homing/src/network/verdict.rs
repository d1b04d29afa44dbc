//! What a search says about a query: a state that decides it is a witness of `E<>` and a counterexample of `A[]`.

use homing_check::Verdict;
use homing_check::model::PropertyResult;
use homing_core::ViolationKind;
use homing_network::network::PathQuantifier;

/// The result of a query. A run-time error violates every query.
pub fn judged(mut result: PropertyResult, quantifier: PathQuantifier) -> PropertyResult {
    let decides = result.counterexample.as_ref().is_some_and(|found| found.violation.kind == ViolationKind::Invariant);
    if let Some(found) = result.counterexample.as_mut().filter(|_| decides) {
        let query = found.violation.message.trim_start_matches("decides ").to_owned();
        let role = if quantifier == PathQuantifier::Possibly { "a witness of" } else { "a counterexample to" };
        found.violation.message = format!("{role} {query}");
    }
    if quantifier == PathQuantifier::Possibly {
        result.verdict = match result.verdict {
            Verdict::Violated if decides => Verdict::Holds,
            Verdict::Holds => Verdict::Violated,
            verdict => verdict,
        };
    }
    result
}

#[cfg(test)]
mod tests {
    use homing_check::model::Counterexample;
    use homing_core::Violation;

    use super::*;

    #[test]
    fn a_state_decides_each_quantifier_in_its_own_way() {
        let found = |kind| {
            let violation = Violation { kind, message: "decides E<> p".to_owned(), place: None, process: None };
            PropertyResult {
                counterexample: Some(Counterexample::at_the_start(violation)),
                ..PropertyResult::new("query:E<> p".to_owned(), Verdict::Violated)
            }
        };
        let none = || PropertyResult::new("query:E<> p".to_owned(), Verdict::Holds);
        for (result, possibly, invariantly) in [
            (found as fn(_) -> _, Verdict::Holds, Verdict::Violated),
            (|_| PropertyResult::new("query:E<> p".to_owned(), Verdict::Holds), Verdict::Violated, Verdict::Holds),
        ] {
            assert_eq!(judged(result(ViolationKind::Invariant), PathQuantifier::Possibly).verdict, possibly);
            assert_eq!(judged(result(ViolationKind::Invariant), PathQuantifier::Invariantly).verdict, invariantly);
        }
        for quantifier in [PathQuantifier::Possibly, PathQuantifier::Invariantly] {
            assert_eq!(judged(found(ViolationKind::RuntimeError), quantifier).verdict, Verdict::Violated);
        }
        assert_eq!(judged(none(), PathQuantifier::Possibly).verdict, Verdict::Violated);
        let witness = judged(found(ViolationKind::Invariant), PathQuantifier::Possibly);
        assert_eq!(witness.counterexample.expect("a path").violation.message, "a witness of E<> p");
    }
}
