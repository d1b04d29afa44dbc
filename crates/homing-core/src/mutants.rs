//! The conditions under which the reductions are sound, each with a switch that turns it off for a mutation test.
//!
//! `docs/soundness.md` states why each condition is needed. `cargo xtask mutants` builds the tests with the feature
//! `mutants`, turns off one condition after the other by the variable `HOMING_MUTANT`, and expects that a test fails each
//! time. Without the feature the switches do not exist: a condition is what its expression says.

/// A condition of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Absorption: no process asks where another stands, whether it is enabled, or which one moved last.
    AbsorbControl,
    /// Absorption: the process has no `provided` clause.
    AbsorbProvided,
    /// Absorption: the statement uses only variables that no other process uses.
    AbsorbPrivate,
    /// Absorption: the location has no label with a meaning.
    AbsorbLabel,
    /// Absorption: the statement does not begin an atomic sequence.
    AbsorbAtomic,
    /// Absorption: no remote reference tests the location that the process would leave early.
    AbsorbLeaving,
    /// Absorption: no remote reference tests the location that the process would reach early.
    AbsorbReaching,
    /// Absorption: a receiver does not wait early where an `else` tells that no receiver waits.
    AbsorbMissedByElse,
    /// Absorption: a receiver does not wait early where a send in an escape gives way to something else.
    AbsorbMissedByEscape,
    /// Absorption: a receiver does not wait early where a sender would lose control of its atomic sequence.
    AbsorbMissedByAtomic,
    /// Absorption: the sender of a rendezvous does not continue after it.
    AbsorbSender,
    /// Absorption: a statement that fails is not executed early.
    AbsorbFault,
    /// Dead variables: no other process, claim or `provided` clause reads the variable.
    DeadObserved,
    /// Dead variables: what decides whether an expression fails is read, even if its value is not used.
    DeadFailure,
    /// Dead variables: a write of one element of an array leaves the others as they are.
    DeadElements,
    /// Unread variables: no invariant, claim or trace reads the variable.
    UnreadObserved,
    /// Unread variables: what decides whether an expression fails is read.
    UnreadFailure,
    /// Unread variables: an index that can be out of range is still computed.
    UnreadIndex,
    /// Unread variables: a `provided` clause reads its variables.
    UnreadProvided,
    /// Unread variables: initial values of locals read their variables.
    UnreadInitial,
    /// Runs through atomic sequences: a point of a run includes the process that has control.
    RunControl,
    /// Runs through atomic sequences: a run that is cut off is reported.
    RunCutOff,
    /// Sleep sets: steps that access a common object, which one of them writes, are dependent.
    SleepDependent,
    /// Sleep sets: which processes wait at a rendezvous receive is an object of its own.
    SleepListening,
    /// Sleep sets: a rendezvous that has a second receiver now is not in the sleep set.
    SleepPartners,
    /// Sleep sets: no step sleeps once a step has failed.
    SleepFailure,
    /// Sleep sets: an index that the step itself changes is not that of the state before.
    SleepIndex,
    /// Stubborn sets: what a process may do after its next step counts.
    StubbornLater,
    /// Stubborn sets: what can make a disabled transition of the set executable is in the set.
    StubbornDisabled,
    /// Stubborn sets: a send makes a receive from an empty channel executable.
    StubbornEmpty,
    /// Stubborn sets: a process that comes to a rendezvous, or leaves it, changes who waits there.
    StubbornArrival,
    /// Stubborn sets: all that a run through an atomic sequence passes is part of its step.
    StubbornRun,
    /// Stubborn sets: whether a message can be sent decides where a run through an atomic sequence stops.
    StubbornInside,
    /// Stubborn sets: an `else`, and what is beside an escape, reads the guards of the others.
    StubbornAlternatives,
    /// Stubborn sets: a variable that the process still writes does not identify what it accesses later.
    StubbornFrozen,
    /// Stubborn sets: a step back to the same location that writes a local variable moves its process.
    StubbornLoop,
    /// Stubborn sets: what a new process may do is part of what its creator may do.
    StubbornCreation,
    /// Stubborn sets: a new process may wait at a rendezvous at once.
    StubbornCreatedPresence,
    /// Stubborn sets: a channel of a new process may have the number of one that is gone.
    StubbornCreatedChannel,
    /// Stubborn sets: which channels are rendezvous channels can be different where another process has created them.
    StubbornShapes,
    /// Stubborn sets: a process goes on after a rendezvous if a partner waits or can come.
    StubbornPartners,
    /// Stubborn sets: where shortest paths are kept, all that can fail is in the set.
    StubbornSeeds,
    /// Stubborn sets: a process changes what others see of its location and its variables.
    StubbornRemote,
    /// Stubborn sets: each transition of a process reads its `provided` clause.
    StubbornProvided,
    /// Stubborn sets: each transition of a deterministic process reads the guards of the others, because two executable ones are an error.
    StubbornDeterministic,
    /// Stubborn sets: messages that a trace follows depend on each other.
    StubbornTrace,
    /// Stubborn sets: an invariant is evaluated after each step that changes what it reads.
    StubbornInvariant,
    /// Stubborn sets: all steps are taken where one of the set fails.
    StubbornFailure,
    /// Stubborn sets: from every state a state can be reached that was expanded in full.
    StubbornSettle,
    /// Stubborn sets in a search for cycles: no enabled step of a proper set is visible to the property.
    StubbornVisible,
    /// Stubborn sets in a search for cycles: each cycle has a state that is expanded in full.
    StubbornCycle,
    /// Cycles: statements are not absorbed where a claim counts steps.
    CycleSteps,
    /// Cycles: locations with labels that a cycle has to visit or avoid are observed.
    CycleLabels,
    /// Cycles: what propositions read is observed.
    CyclePropositions,
    /// Cycles: a run that ends is continued by its last state.
    CycleStutter,
    /// Cycles: only steps that no accepting cycle of the claim has are left out of the recorded graph.
    CycleTransient,
    /// Cycles: a claim that begins in an end state has ended.
    CycleClaimEnd,
    /// Weak fairness: a process that cannot move need not.
    FairIdle,
    /// Weak fairness: both sides of a rendezvous move.
    FairPartner,
    /// Strong fairness: what is left of a component without the states that are unfair is searched too.
    FairSplit,
    /// Nested search: a second search is left out only if others have visited all successors of the state.
    NestedAllRed,
    /// Randomised storing: a second search is cut at a state that is not known only if it is accepting.
    StoringAccepting,
    /// Recent-state cache: an entry stands for a state only if its whole key is equal.
    CacheKey,
}

impl Condition {
    /// All conditions, by the names that `HOMING_MUTANT` takes.
    pub const ALL: [(&'static str, Condition); 63] = [
        ("absorb-control", Condition::AbsorbControl),
        ("absorb-provided", Condition::AbsorbProvided),
        ("absorb-private", Condition::AbsorbPrivate),
        ("absorb-label", Condition::AbsorbLabel),
        ("absorb-atomic", Condition::AbsorbAtomic),
        ("absorb-leaving", Condition::AbsorbLeaving),
        ("absorb-reaching", Condition::AbsorbReaching),
        ("absorb-missed-by-else", Condition::AbsorbMissedByElse),
        ("absorb-missed-by-escape", Condition::AbsorbMissedByEscape),
        ("absorb-missed-by-atomic", Condition::AbsorbMissedByAtomic),
        ("absorb-sender", Condition::AbsorbSender),
        ("absorb-fault", Condition::AbsorbFault),
        ("dead-observed", Condition::DeadObserved),
        ("dead-failure", Condition::DeadFailure),
        ("dead-elements", Condition::DeadElements),
        ("unread-observed", Condition::UnreadObserved),
        ("unread-failure", Condition::UnreadFailure),
        ("unread-index", Condition::UnreadIndex),
        ("unread-provided", Condition::UnreadProvided),
        ("unread-initial", Condition::UnreadInitial),
        ("run-control", Condition::RunControl),
        ("run-cut-off", Condition::RunCutOff),
        ("sleep-dependent", Condition::SleepDependent),
        ("sleep-listening", Condition::SleepListening),
        ("sleep-partners", Condition::SleepPartners),
        ("sleep-failure", Condition::SleepFailure),
        ("sleep-index", Condition::SleepIndex),
        ("stubborn-later", Condition::StubbornLater),
        ("stubborn-disabled", Condition::StubbornDisabled),
        ("stubborn-empty", Condition::StubbornEmpty),
        ("stubborn-arrival", Condition::StubbornArrival),
        ("stubborn-run", Condition::StubbornRun),
        ("stubborn-inside", Condition::StubbornInside),
        ("stubborn-alternatives", Condition::StubbornAlternatives),
        ("stubborn-frozen", Condition::StubbornFrozen),
        ("stubborn-loop", Condition::StubbornLoop),
        ("stubborn-creation", Condition::StubbornCreation),
        ("stubborn-created-presence", Condition::StubbornCreatedPresence),
        ("stubborn-created-channel", Condition::StubbornCreatedChannel),
        ("stubborn-shapes", Condition::StubbornShapes),
        ("stubborn-partners", Condition::StubbornPartners),
        ("stubborn-seeds", Condition::StubbornSeeds),
        ("stubborn-remote", Condition::StubbornRemote),
        ("stubborn-provided", Condition::StubbornProvided),
        ("stubborn-deterministic", Condition::StubbornDeterministic),
        ("stubborn-trace", Condition::StubbornTrace),
        ("stubborn-invariant", Condition::StubbornInvariant),
        ("stubborn-failure", Condition::StubbornFailure),
        ("stubborn-settle", Condition::StubbornSettle),
        ("stubborn-visible", Condition::StubbornVisible),
        ("stubborn-cycle", Condition::StubbornCycle),
        ("cycle-steps", Condition::CycleSteps),
        ("cycle-labels", Condition::CycleLabels),
        ("cycle-propositions", Condition::CyclePropositions),
        ("cycle-stutter", Condition::CycleStutter),
        ("cycle-transient", Condition::CycleTransient),
        ("cycle-claim-end", Condition::CycleClaimEnd),
        ("fair-idle", Condition::FairIdle),
        ("fair-partner", Condition::FairPartner),
        ("fair-split", Condition::FairSplit),
        ("nested-all-red", Condition::NestedAllRed),
        ("storing-accepting", Condition::StoringAccepting),
        ("cache-key", Condition::CacheKey),
    ];

    /// Whether the reduction may proceed: if the condition is met, or if it is the one that is turned off.
    #[inline(always)]
    pub fn is_met(self, met: bool) -> bool {
        met || self.is_off()
    }

    /// Whether the condition is turned off.
    #[inline(always)]
    pub fn is_off(self) -> bool {
        cfg!(feature = "mutants") && switched_off() == Some(self)
    }
}

/// The condition that `HOMING_MUTANT` names.
#[inline(never)]
fn switched_off() -> Option<Condition> {
    static OFF: std::sync::OnceLock<Option<Condition>> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| {
        let name = std::env::var("HOMING_MUTANT").ok()?;
        let known = Condition::ALL.iter().find(|(known, _)| *known == name);
        Some(known.unwrap_or_else(|| panic!("HOMING_MUTANT={name} names no condition")).1)
    })
}
