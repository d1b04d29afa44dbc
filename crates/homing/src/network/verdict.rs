//! What a search says about a query: a state that decides it is a witness of `E<>` and a counterexample of `A[]`.

use homing_check::model::{PropertyResult, RuntimeErrorBeside};
use homing_check::{Reason, Verdict};
use homing_core::ViolationKind;
use homing_network::network::PathQuantifier;

/// The result of a query. A state that decides it comes before a run-time error, which is reported beside it; without such a state a
/// run-time error violates every query. As long as it is not known whether there is such a state, a run-time error leaves `E<>` open,
/// and violates `A[]`: either way it does not hold.
pub fn judged(mut result: PropertyResult, quantifier: PathQuantifier) -> PropertyResult {
    let decides = result.counterexample.as_ref().is_some_and(|found| found.violation.kind == ViolationKind::Invariant);
    if let Some(found) = result.counterexample.as_mut().filter(|_| decides) {
        let query = found.violation.message.trim_start_matches("decides ").to_owned();
        let role = if quantifier == PathQuantifier::Possibly { "a witness of" } else { "a counterexample to" };
        found.violation.message = format!("{role} {query}");
    }
    match quantifier {
        PathQuantifier::Possibly => {}
        PathQuantifier::Invariantly => violate_by_runtime_error(&mut result),
    }
    result.warnings.extend(result.runtime_error.as_ref().map(|beside| warning(beside, result.verdict)));
    if quantifier == PathQuantifier::Possibly {
        result.verdict = match result.verdict {
            Verdict::Violated if decides => Verdict::Holds,
            Verdict::Holds => Verdict::Violated,
            verdict => verdict,
        };
    }
    result
}

/// Makes the run-time error the result of a query `A[] p` for which the search has not seen everything.
fn violate_by_runtime_error(result: &mut PropertyResult) {
    let Verdict::Unknown(reason) = result.verdict else { return };
    let path = result.runtime_error.as_mut().and_then(|beside| beside.counterexample.take());
    let Some(path) = path else { return };
    let cause = match reason {
        Reason::Stopped(stop) => format!(" ({})", stop.reason()),
        _ => String::new(),
    };
    result.warnings.push(format!(
        "the search ended early{cause}: a state that violates the query may be reachable as well, without a run-time error"
    ));
    (result.verdict, result.counterexample, result.runtime_error) = (Verdict::Violated, Some(*path), None);
}

/// What is said of a run-time error beside the result of a query.
fn warning(RuntimeErrorBeside { violation, counterexample }: &RuntimeErrorBeside, verdict: Verdict) -> String {
    let place = violation.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
    let process = violation.process.as_ref().map(|process| format!(" in {process}")).unwrap_or_default();
    let length = counterexample.as_ref().map(|found| {
        let unit = found.unit.word();
        format!(", after {} {unit}{}", found.length, if found.length == 1 { "" } else { "s" })
    });
    // an error in the condition of the query is none of the network
    let option = if violation.is_of_invariant() { "--all-errors" } else { "--property assertions" };
    let undecided = match verdict {
        Verdict::Unknown(_) => "; whether a state that decides the query is reachable, too, is not known",
        _ => "",
    };
    format!(
        "a run-time error is reachable, too: {violation}{place}{process}{}{undecided}; {option} shows it",
        length.unwrap_or_default()
    )
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
