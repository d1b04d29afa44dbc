//! Systems and estimates written as functions.

use std::ops::ControlFlow;

use homing_core::{
    Estimate, Estimated, Guarantee, Selected, Selection, State, Step, TransitionSystem, Violation, ViolationKind,
};

/// A system whose states are arrays of bytes and whose steps are listed by a function.
///
/// The function is given a state and the list that it adds the steps of that state to, in the same order each time. Every step has
/// cost 1 and a name, its action; actions of one state differ. A state without steps is no error, unless
/// [`deadlocks_are_errors`](Rules::deadlocks_are_errors).
///
/// ```
/// use homing_check::{Checker, Rules, Unwatched, Verdict};
///
/// // two processes that read, add and write without a lock: [x, place and register of each]
/// let lost_update = Rules::new([0; 5], |&[x, p, a, q, b], steps| {
///     match p {
///         0 => steps.to("P reads", [x, 1, x, q, b]),
///         1 => steps.to("P writes", [a + 1, 2, a, q, b]),
///         _ => {}
///     }
///     match q {
///         0 => steps.to("Q reads", [x, p, a, 1, x]),
///         1 => steps.to("Q writes", [b + 1, p, a, 2, b]),
///         _ if p == 2 && x != 2 => steps.error("end", "an update is lost"),
///         _ => {}
///     }
/// });
/// let report = Checker::new(lost_update).run(&mut Unwatched);
/// assert_eq!((report.verdict, report.path.map(|path| path.length)), (Verdict::Violated, Some(4)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rules<const N: usize, A, F> {
    initial: [u8; N],
    list: F,
    /// The action of the error that a state without steps is.
    deadlock: Option<A>,
}

impl<const N: usize, A, F> Rules<N, A, F>
where
    A: Copy + Send,
    F: Fn(&[u8; N], &mut Steps<'_, N, A>),
{
    /// A system that begins in `initial` and has the steps that `list` lists.
    pub fn new(initial: [u8; N], list: F) -> Self {
        Rules { initial, list, deadlock: None }
    }

    /// The same system, in which a state without steps is an error; a path to it ends with `action`, at cost 0.
    ///
    /// ```
    /// use homing_check::{Checker, Rules, Unwatched, Verdict};
    ///
    /// // two processes take two forks one after the other, in different orders
    /// let forks = Rules::new([0, 0], |&[p, q], steps| {
    ///     let (left, right) = (p > 0 || q == 2, q > 0 || p == 2);
    ///     match p {
    ///         0 if !left => steps.to("P takes left", [1, q]),
    ///         1 if !right => steps.to("P takes right", [2, q]),
    ///         2 => steps.to("P puts both", [0, q]),
    ///         _ => {}
    ///     }
    ///     match q {
    ///         0 if !right => steps.to("Q takes right", [p, 1]),
    ///         1 if !left => steps.to("Q takes left", [p, 2]),
    ///         2 => steps.to("Q puts both", [p, 0]),
    ///         _ => {}
    ///     }
    /// });
    /// assert_eq!(Checker::new(forks).run(&mut Unwatched).verdict, Verdict::Holds);
    /// let report = Checker::new(forks.deadlocks_are_errors("nothing moves")).run(&mut Unwatched);
    /// let path = report.path.expect("a path to the deadlock");
    /// assert_eq!(path.actions, ["Q takes right", "P takes left", "nothing moves"]);
    /// assert!(path.shortest && path.length == 2);
    /// ```
    #[must_use]
    pub fn deadlocks_are_errors(self, action: A) -> Self {
        Rules { deadlock: Some(action), ..self }
    }
}

/// The list of the steps of a state.
pub struct Steps<'a, const N: usize, A> {
    visit: &'a mut dyn FnMut(Step<'_, A>) -> ControlFlow<()>,
    ordinal: u32,
    is_over: bool,
}

impl<const N: usize, A> Steps<'_, N, A> {
    /// Adds a step to a state.
    pub fn to(&mut self, action: A, state: [u8; N]) {
        self.add(Step::to(action, self.ordinal, &state));
    }

    /// Says that the state whose steps are listed is an error; a path to it ends with `action`, at cost 0.
    pub fn error(&mut self, action: A, message: &str) {
        self.violation(action, ViolationKind::Assertion, message);
    }

    fn violation(&mut self, action: A, kind: ViolationKind, message: &str) {
        let violation = Violation { kind, message: message.to_owned(), place: None, process: None };
        self.add(Step::violating(action, self.ordinal, 0, violation));
    }

    fn add(&mut self, step: Step<'_, A>) {
        if !self.is_over {
            self.is_over = (self.visit)(step).is_break();
            self.ordinal += 1;
        }
    }
}

impl<const N: usize, A, F> TransitionSystem for Rules<N, A, F>
where
    A: Copy + Send,
    F: Fn(&[u8; N], &mut Steps<'_, N, A>),
{
    type Action = A;

    fn initial(&self) -> Box<State> {
        Box::new(self.initial)
    }

    fn for_each_step(
        &self,
        state: &State,
        selection: Selection,
        mut visit: impl FnMut(Step<'_, A>) -> ControlFlow<()>,
    ) -> Selected {
        if selection.is_stubborn() {
            return Selected::NotReduced;
        }
        let state = state.try_into().expect("a state of this system");
        let mut steps = Steps { visit: &mut visit, ordinal: 0, is_over: false };
        (self.list)(state, &mut steps);
        if let (0, Some(action)) = (steps.ordinal, self.deadlock) {
            steps.violation(action, ViolationKind::InvalidEndState, "deadlock: no step is possible");
        }
        Selected::ALL
    }
}

/// An estimate that is a function of the state.
///
/// ```
/// use homing_check::{Estimate, EstimateBy, Guarantee};
///
/// let mut missing = EstimateBy::new(Guarantee::Consistent, |state| Some(3 - u32::from(state[0])));
/// assert_eq!(missing.distance(&[1]), Some(2.into()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EstimateBy<F> {
    guarantee: Guarantee,
    distance: F,
}

impl<F: FnMut(&State) -> Option<u32>> EstimateBy<F> {
    /// An estimate that computes `distance`, where `None` asserts that no error is reachable. What is claimed of a path relies on the
    /// guarantee.
    pub fn new(guarantee: Guarantee, distance: F) -> Self {
        EstimateBy { guarantee, distance }
    }
}

impl<F: FnMut(&State) -> Option<u32>> Estimate for EstimateBy<F> {
    fn distance(&mut self, state: &State) -> Option<Estimated> {
        (self.distance)(state).map(Estimated::from)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}
