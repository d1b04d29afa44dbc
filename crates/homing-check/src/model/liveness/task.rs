//! What is searched for a property of infinite runs: the model with its propositions, and the claim that reads its runs.

use homing_core::{Violation, ViolationKind};
use homing_ir::{Expr, Formula, Lengths, Model, Observer, Reduced, StatementId, Steps};
use homing_ltl::{Claim, ClaimViolations, Strength, Unary};
use homing_search::ndfs::{Class, Region};

use super::super::search_task::{ModelReduction, reveal};
use super::formula;
use super::never::{ClaimError, Never};
use super::partial_order::NotReduced;
use crate::{Search, Sought};

/// A property of infinite runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// A formula that every run satisfies.
    Formula {
        /// As written, or its name.
        text: String,
        /// The formula.
        formula: Formula,
    },
    /// No run that a never claim of the model accepts; by its number.
    Never(usize),
    /// No cycle through an acceptance label.
    Acceptance,
    /// No cycle without a progress label.
    Progress,
}

/// A model that is prepared for a property of infinite runs.
#[derive(Clone, Debug)]
pub struct LivenessTask {
    /// The model, with the propositions of the claim.
    pub model: Model,
    /// The reduced copy, which is searched instead of the model; `None` for a plain search.
    pub reduced: Option<Reduced>,
    /// The property.
    pub liveness: Liveness,
    /// What reads the runs.
    pub claim: Claim,
    /// What reads the runs, with one acceptance set and accepting states, if that is another automaton.
    pub buchi: Option<Claim>,
    /// Why the property may read every state of a run, so that no step may be left out; `None` if it cannot tell runs apart that differ
    /// in how often a state is repeated.
    pub reads_every_state: Option<NotReduced>,
    /// A run that the claim accepts is known after finitely many steps.
    pub is_terminal: bool,
    /// The formula, over the propositions of the model.
    pub formula: Option<homing_ltl::Formula>,
    /// What is reported when the claim ends or fails.
    pub violations: ClaimViolations,
    /// What is reported when there is an accepting cycle.
    pub cycle: Violation,
    /// Of a never claim, by state and move: the statements of the move.
    pub(super) statements: Vec<Vec<Vec<StatementId>>>,
}

impl LivenessTask {
    /// Prepares the model for a property.
    pub fn new(mut model: Model, liveness: Liveness, reduction: ModelReduction) -> Result<Self, ClaimError> {
        let violation =
            |kind, message: &str| Violation { kind, message: message.to_owned(), place: None, process: None };
        let end = violation(ViolationKind::ClaimEnd, "the never claim has ended: a run that it forbids was observed");
        let mut violations = ClaimViolations { end, failures: Vec::new() };
        let accepted = violation(ViolationKind::AcceptanceCycle, "acceptance cycle");
        model.formulas.clear();
        let mut reads_every_state = None;
        let (mut statements, mut buchi, mut formula_read, mut is_terminal) = (Vec::new(), None, None, false);
        let (claim, cycle) = match &liveness {
            Liveness::Formula { text, formula } => {
                model.claims.clear();
                let (formula, fails) = formula::with_whole_conditions(formula, &Observer::of(&model));
                let numbered = formula::numbered(&mut model, &formula);
                let negated = homing_ltl::Formula::unary(Unary::Not, numbered.clone());
                let (generalised, with_states) =
                    (homing_ltl::translate(&negated)?, homing_ltl::translate_to_buchi(&negated)?);
                // a claim that ends where the other goes round has shorter errors, and they are found as errors are
                let is_stronger = generalised.strength() > with_states.strength();
                // where a proposition can fail, the automaton decides whether that matters: it is one for all searches
                let generalised = if is_stronger || fails { with_states.clone() } else { generalised };
                is_terminal = generalised.strength() == Strength::Terminal;
                buchi = Some(Claim::of_automaton(&with_states, true)?);
                let is_invariant = homing_ltl::is_stutter_invariant(&numbered).unwrap_or(false);
                reads_every_state = (!is_invariant).then_some(NotReduced::Next).or(fails.then_some(NotReduced::Fails));
                formula_read = Some(numbered);
                violations.end.message = format!("{text} cannot be fulfilled any more");
                let cycle =
                    violation(ViolationKind::AcceptanceCycle, &format!("{text} is not fulfilled by this cycle"));
                (Claim::of_automaton(&generalised, true)?, cycle)
            }
            &Liveness::Never(number) => {
                let kept = model.claims.swap_remove(number);
                model.claims = vec![kept];
                let never = Never::of(&mut model, 0)?;
                violations.failures = never.failures;
                statements = never.statements;
                reads_every_state = Some(NotReduced::NeverClaim);
                model.observes_labels |= never.claim.counts_labels || never.claim.non_progress.is_some();
                (never.claim, accepted)
            }
            Liveness::Acceptance => {
                model.claims.clear();
                model.observes_labels = true;
                (Claim::of_labels(), accepted)
            }
            Liveness::Progress => {
                model.claims.clear();
                model.observes_labels = true;
                model.add_proposition(&Expr::NonProgress);
                (Claim::of_non_progress(), violation(ViolationKind::NonProgressCycle, "non-progress cycle"))
            }
        };
        if model.observes_timeout() {
            reads_every_state = Some(NotReduced::Timeout); // whether nothing can move is asked of each state by itself
        }
        let reduced = (reduction == ModelReduction::Reduced).then(|| {
            reveal(&mut model);
            let steps = if reads_every_state.is_some() { Steps::Count } else { Steps::MayJoin };
            Reduced::for_cycles(&model, steps)
        });
        let formula = formula_read;
        Ok(LivenessTask {
            model,
            reduced,
            liveness,
            claim,
            buchi,
            reads_every_state,
            is_terminal,
            formula,
            violations,
            cycle,
            statements,
        })
    }

    /// What is searched for: a run that the claim accepts is known after finitely many steps, or not.
    pub fn sought(&self) -> Sought {
        let Claim { counts_labels, accepting, .. } = &self.claim;
        // a never claim without acceptance labels accepts nothing but its end
        let only_ends = matches!(self.liveness, Liveness::Never(_)) && !counts_labels && !accepting.contains(&true);
        if self.is_terminal || only_ends { Sought::Prefix } else { Sought::Cycle }
    }

    /// The same property of the model with its hidden variables as a part of the state.
    pub(super) fn revealed(&self) -> Self {
        let mut task = self.clone();
        let reduced = task.reduced.iter_mut().flat_map(|reduced| &mut reduced.model.globals);
        task.model.globals.iter_mut().chain(reduced).for_each(|global| global.hidden = false);
        task
    }

    /// Whether the lengths of paths through the searched model are those of the original.
    pub(super) fn has_exact_lengths(&self) -> bool {
        self.reduced.as_ref().is_none_or(|reduced| reduced.lengths == Lengths::Exact)
    }

    /// The claim that a search runs: nested searches need accepting states.
    pub(super) fn claim_for(&self, search: Search) -> &Claim {
        match (&self.buchi, search) {
            (Some(buchi), Search::Ndfs | Search::RandomDfs | Search::Indfs | Search::AStarIndfs) => buchi,
            _ => &self.claim,
        }
    }

    /// By state of the claim: its component, and which cycles of that are accepting. Where labels of processes count, any may be.
    pub(super) fn regions(claim: &Claim) -> Vec<Region> {
        claim
            .components()
            .into_iter()
            .map(|(component, accepting)| Region {
                component,
                class: match accepting {
                    _ if claim.counts_labels => Class::P,
                    Some(true) => Class::F,
                    Some(false) => Class::N,
                    None => Class::P,
                },
            })
            .collect()
    }

    /// The model that is searched: the reduced copy if there is one.
    pub fn searched(&self) -> &Model {
        self.reduced.as_ref().map_or(&self.model, |reduced| &reduced.model)
    }
}
