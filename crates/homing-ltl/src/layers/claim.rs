//! Claims: automata in the form in which a product runs them.

use homing_core::{Condition, PartialLetter, Violation};

use crate::scc::Components;
use crate::{Automaton, Letters, SccClass};

/// What observes the runs of a system: an automaton that reads the letters of its states and moves once for each step.
///
/// A Büchi automaton of a formula is one, and so is a never claim of a model: its moves have an order, and it can end.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The state that it begins in.
    pub initial: u16,
    /// Its moves out of each state, in order.
    pub moves: Vec<Vec<ClaimMove>>,
    /// The states at which every step is in the first acceptance set.
    pub accepting: Vec<bool>,
    /// The number of acceptance sets.
    pub sets: u32,
    /// The labels of the system count too: a state with an accepting label is accepting.
    pub counts_labels: bool,
    /// The proposition that no process makes progress, `np_`: it does not hold where nothing moves.
    pub non_progress: Option<u32>,
    /// By state: conditions that are evaluated there besides those of its moves: of a move with several guards, one after the other,
    /// each part up to a guard.
    pub evaluated: Vec<Vec<Letters>>,
    /// By state: its strongly connected component, if that may have an accepting cycle.
    cyclic: Vec<Option<u32>>,
    /// By state, for few propositions: its moves for each letter, as ranges of `chosen`.
    table: Option<Table>,
}

/// A move of a claim.
#[derive(Clone, Debug)]
pub struct ClaimMove {
    /// The letters with which it can be made.
    pub letters: Letters,
    /// The acceptance sets that it is in, a bit for each.
    pub acceptance: u32,
    /// Where it leads.
    pub target: ClaimTarget,
}

/// Where a move of a claim leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimTarget {
    /// To a state.
    State(u16),
    /// To its end, or to where it accepts every word: the run that was read is an error, however it goes on.
    End,
    /// An assertion of the claim fails; the number is that of its violation.
    Failure(u16),
}

/// The moves for each state and letter.
#[derive(Clone, Debug)]
struct Table {
    propositions: usize,
    first: Vec<u32>,
    chosen: Vec<(ClaimTarget, u32)>,
}

/// The most propositions for which there is a table.
const MOST_IN_TABLE: usize = 10;

impl Claim {
    /// A claim with these moves, in which no state is accepting.
    pub fn new(initial: u16, sets: u32, propositions: usize, moves: Vec<Vec<ClaimMove>>) -> Self {
        let accepting = vec![false; moves.len()];
        let table = Table::of(&moves, propositions);
        let mut claim = Claim {
            initial,
            moves,
            accepting,
            sets,
            counts_labels: false,
            non_progress: None,
            evaluated: Vec::new(),
            cyclic: Vec::new(),
            table,
        };
        claim.cyclic = claim.find_cyclic();
        claim
    }

    /// The same claim, for which the labels of the system count too.
    #[must_use]
    pub fn with_labels(mut self) -> Self {
        self.counts_labels = true;
        self.cyclic = self.find_cyclic();
        self
    }

    /// By state: its component, if a cycle of that can be in all acceptance sets. Where the labels of the system count every cycle
    /// can.
    fn find_cyclic(&self) -> Vec<Option<u32>> {
        let Components { of, count } = self.scc();
        let mut met: Vec<Option<u32>> = vec![None; count]; // of the moves inside each component
        for (state, options) in self.moves.iter().enumerate() {
            for option in options {
                if let ClaimTarget::State(target) = option.target
                    && of[usize::from(target)] == of[state]
                {
                    let met = &mut met[of[state]];
                    *met = Some(met.unwrap_or(0) | option.acceptance);
                }
            }
        }
        let all = ((1u64 << self.sets) - 1) as u32;
        let accepts = |component: usize| met[component].is_some_and(|met| self.counts_labels || met == all);
        of.iter().map(|&component| accepts(component).then_some(component as u32)).collect()
    }

    /// The strongly connected components of its states.
    fn scc(&self) -> Components {
        let targets = |options: &Vec<ClaimMove>| -> Vec<usize> {
            let states = options.iter().filter_map(|option| match option.target {
                ClaimTarget::State(target) => Some(usize::from(target)),
                ClaimTarget::End | ClaimTarget::Failure(_) => None,
            });
            states.collect()
        };
        let targets: Vec<Vec<usize>> = self.moves.iter().map(targets).collect();
        Components::new(self.moves.len(), |state, at| targets[state].get(at).copied())
    }

    /// Whether a move between two states is on no cycle that can be accepting.
    #[inline]
    pub(crate) fn is_transient(&self, from: u16, to: u16) -> bool {
        let component = self.cyclic[usize::from(from)];
        component.is_none() || component != self.cyclic[usize::from(to)] || Condition::CycleTransient.is_off()
    }

    /// The claim that is always in its one state: the labels of the system decide which cycles are accepting.
    pub fn of_labels() -> Self {
        let stay = ClaimMove { letters: Letters::all(0), acceptance: 0, target: ClaimTarget::State(0) };
        Claim::new(0, 1, 0, vec![vec![stay]]).with_labels()
    }

    /// Whether it has one state and reads nothing.
    pub(crate) fn is_trivial(&self) -> bool {
        self.moves.len() == 1 && self.moves[0].len() == 1 && self.moves[0][0].letters.is_all()
    }

    /// SPIN's claim for non-progress cycles: at some time it guesses that there is no progress any more.
    pub fn of_non_progress() -> Self {
        let none = |target, acceptance| ClaimMove {
            letters: Letters::proposition(1, 0),
            acceptance,
            target: ClaimTarget::State(target),
        };
        let wait = ClaimMove { letters: Letters::all(1), acceptance: 0, target: ClaimTarget::State(0) };
        let claim = Claim::new(0, 1, 1, vec![vec![none(1, 0), wait], vec![none(1, 1)]]);
        Claim { accepting: vec![false, true], non_progress: Some(0), ..claim }
    }

    /// The claim that runs an automaton. If `ends` a move to a state from which every word is accepted is the end.
    ///
    /// # Errors
    /// If it has too many states.
    pub fn of_automaton(automaton: &Automaton, ends: bool) -> Result<Self, TooManyStates> {
        let count = automaton.states.len();
        u16::try_from(count).map_err(|_| TooManyStates(count))?;
        let classes = automaton.classes();
        let accepts_all: Vec<bool> =
            (0..count).map(|state| ends && classes.of(state) == SccClass::AcceptingAll).collect();
        let moves = automaton.states.iter().map(|edges| {
            let moves = edges.iter().map(|edge| ClaimMove {
                letters: edge.letters.clone(),
                acceptance: edge.marks,
                target: if accepts_all[edge.target] {
                    ClaimTarget::End
                } else {
                    ClaimTarget::State(edge.target as u16)
                },
            });
            moves.collect()
        });
        let accepting = (0..count).map(|state| automaton.is_accepting(state)).collect();
        let claim = Claim::new(automaton.initial as u16, automaton.sets, automaton.propositions, moves.collect());
        Ok(Claim { accepting, ..claim })
    }

    /// By state: the number of its strongly connected component, and whether all states of that are accepting, or none;
    /// `None` if some are and some are not.
    pub fn components(&self) -> Vec<(u32, Option<bool>)> {
        let Components { of, count } = self.scc();
        let mut accepting: Vec<Option<Option<bool>>> = vec![None; count];
        for (&component, &is_accepting) in of.iter().zip(&self.accepting) {
            accepting[component] = match accepting[component] {
                None => Some(Some(is_accepting)),
                Some(others) => Some(others.filter(|&others| others == is_accepting)),
            };
        }
        of.iter().map(|&component| (component as u32, accepting[component].flatten())).collect()
    }

    /// Whether a move out of a state can be made with a letter.
    pub(crate) fn can_move(&self, state: u16, letter: u64) -> bool {
        let mut can_move = false;
        self.for_each_move(state, letter, |_, _| can_move = true);
        can_move
    }

    /// The run-time error of a state in which some propositions have no value: that of the first one that a move out of the claim's
    /// state depends on. `None` if none does: then the moves are those with any completion of the letter.
    pub fn fault<'l>(&self, state: u16, letter: &'l PartialLetter) -> Option<&'l Violation> {
        let (state, undefined) = (usize::from(state), letter.undefined());
        let moves = self.moves[state].iter().map(|option| &option.letters);
        let mut read = self.evaluated.get(state).into_iter().flatten().chain(moves);
        let proposition = read.find_map(|letters| letters.contains_partial(letter.holds, undefined).err())?;
        Some(letter.fault(proposition))
    }

    /// Calls `visit` with the moves out of a state that can be made with a letter, in order.
    #[inline]
    pub(crate) fn for_each_move(&self, state: u16, letter: u64, mut visit: impl FnMut(ClaimTarget, u32)) {
        match &self.table {
            Some(table) => {
                let letter = letter as usize & ((1 << table.propositions) - 1);
                let at = (usize::from(state) << table.propositions) | letter;
                let range = table.first[at] as usize..table.first[at + 1] as usize;
                table.chosen[range].iter().for_each(|&(target, acceptance)| visit(target, acceptance));
            }
            None => {
                let can = self.moves[usize::from(state)].iter().filter(|option| option.letters.contains(letter));
                can.for_each(|option| visit(option.target, option.acceptance));
            }
        }
    }
}

impl Table {
    fn of(moves: &[Vec<ClaimMove>], propositions: usize) -> Option<Self> {
        if propositions > MOST_IN_TABLE || moves.len() << propositions > 1 << 20 {
            return None;
        }
        let (mut first, mut chosen) = (vec![0], Vec::new());
        for options in moves {
            for letter in 0..1u64 << propositions {
                let can = options.iter().filter(|option| option.letters.contains(letter));
                chosen.extend(can.map(|option| (option.target, option.acceptance)));
                first.push(chosen.len() as u32);
            }
        }
        Some(Table { propositions, first, chosen })
    }
}

/// An automaton has more states than a claim can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the automaton has {0} states, more than a claim can have")]
pub struct TooManyStates(pub usize);
