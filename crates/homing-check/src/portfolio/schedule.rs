//! Whose turn it is: shares the work among the main search of a portfolio and the other members.
//!
//! Work is counted in transitions, each as much as it costs, and not in time: so a run is the same every time, and for any number of
//! threads of the main search. A turn is due when the main search has done so much work; its watch gives the turns that are due, and
//! the last ones before the main search ends.

use homing_core::{End, Progress, Stop, Watch};

/// The work of a transition of the main search, which knows no estimate and packs its states.
const MAIN: u64 = 2;

/// The work of the main search before the first turn: small models are decided by then.
const FIRST: u64 = 1 << 16;

/// The work of a turn.
const TURN: u64 = 1 << 12;

/// As long as no member makes progress, the main search does so many times the work of all others together: where there is no error,
/// the portfolio takes little more time than the main search alone.
const RATIO: u64 = 8;

/// The same while a member makes progress.
const PROMISING_RATIO: u64 = 2;

/// A member makes progress as long as its last gain is no more work ago than it had done by then, or no more than this.
const PATIENCE: u64 = 1 << 14;

/// A member that makes progress has so many times the share of one that does not.
const PROMISING_WEIGHT: u64 = 8;

/// A turn of a member.
pub(crate) struct Turn {
    /// How it ended, if it did.
    pub end: Option<End>,
    /// The work done.
    pub work: u64,
    /// It came nearer to an error than ever, by its estimate.
    pub gains: bool,
}

/// Lets a member do some work.
pub(crate) type Advance<'a> = &'a mut dyn FnMut(usize, u64) -> Turn;

/// Something that is done when the main search has taken long.
pub(crate) struct Late<'a> {
    /// The work of the main search by then.
    pub after: u64,
    /// Prepares a member; whether there is one.
    pub prepare: &'a mut dyn FnMut() -> bool,
    /// Which one.
    pub member: usize,
    /// The work of its head start.
    pub head_start: u64,
}

/// The members of a portfolio beside the main search, and the watch of that.
pub(crate) struct Schedule<'a> {
    watch: &'a mut dyn Watch,
    advance: Advance<'a>,
    late: Option<Late<'a>>,
    members: Vec<Standing>,
    /// The next turn is due when the main search has done so much work.
    due: u64,
    /// The work of the main search in its stages that are over.
    before: u64,
    /// The work of the main search in this stage.
    now: u64,
}

/// How a member stands.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    takes_part: bool,
    end: Option<End>,
    work: u64,
    /// Its work when it last came nearer to an error than ever.
    gained: Option<u64>,
    /// Its work since the head start, divided by its weight: the least has the next turn.
    charged: u64,
}

impl Standing {
    fn is_promising(&self) -> bool {
        self.gained.is_some_and(|gained| self.work - gained <= gained.max(PATIENCE))
    }
}

impl<'a> Schedule<'a> {
    /// So many members; if there is a late one, it takes no part until then.
    pub fn new(watch: &'a mut dyn Watch, members: usize, advance: Advance<'a>, late: Option<Late<'a>>) -> Self {
        Schedule {
            watch,
            advance,
            late,
            members: vec![Standing { takes_part: true, ..Standing::default() }; members],
            due: FIRST,
            before: 0,
            now: 0,
        }
    }

    /// A member takes no part, unless it is a late one that is prepared.
    pub fn leave_out(&mut self, nth: usize) {
        self.members[nth].takes_part = false;
    }

    /// The member that has decided. One that hit its own limits has not.
    pub fn winner(&self) -> Option<usize> {
        self.members.iter().position(|member| member.end.is_some_and(has_decided))
    }

    /// How the members ended.
    pub fn ends(&self) -> Vec<Option<End>> {
        self.members.iter().map(|member| member.end).collect()
    }

    /// Gives a member a turn, unless it or the search is over; whether it gained.
    pub fn give(&mut self, nth: usize, work: u64) -> bool {
        if self.winner().is_some() || !self.members[nth].takes_part || self.members[nth].end.is_some() {
            return false;
        }
        let Turn { end, work, gains } = (self.advance)(nth, work);
        let member = &mut self.members[nth];
        (member.end, member.work) = (end, member.work + work);
        if gains {
            member.gained = Some(member.work);
        }
        gains
    }

    /// Gives the turns that are due.
    fn catch_up(&mut self, progress: &Progress) {
        let now = progress.transitions * MAIN;
        if now < self.now / 2 {
            self.before += std::mem::take(&mut self.now); // another stage, whose figures begin anew
        }
        self.now = self.now.max(now);
        let done = self.before + self.now;
        while self.due <= done && self.winner().is_none() {
            if let Some(late) = self.late.take_if(|late| late.after <= self.due) {
                self.begin_late(late);
                continue;
            }
            let waiting =
                self.members.iter().enumerate().filter(|(_, member)| member.takes_part && member.end.is_none());
            let Some((nth, _)) = waiting.min_by_key(|(nth, member)| (member.charged, *nth)) else {
                // nothing is left to do but what comes late
                self.due = self.late.as_ref().map_or(u64::MAX, |late| late.after);
                continue;
            };
            self.give_due(nth);
        }
    }

    /// Gives the member its turn that is due.
    fn give_due(&mut self, nth: usize) {
        let before = self.members[nth].work;
        self.give(nth, TURN);
        let member = &mut self.members[nth];
        let work = (member.work - before).max(1);
        let (weight, ratio) = if member.is_promising() { (PROMISING_WEIGHT, PROMISING_RATIO) } else { (1, RATIO) };
        member.charged += work * PROMISING_WEIGHT / weight;
        self.due += work * ratio;
    }

    fn begin_late(&mut self, Late { prepare, member, head_start, .. }: Late<'a>) {
        if prepare() {
            let charged = self.members.iter().filter(|other| other.takes_part).map(|other| other.charged).min();
            self.members[member] = Standing { takes_part: true, charged: charged.unwrap_or(0), ..Standing::default() };
            self.give(member, head_start);
        }
    }
}

impl Watch for Schedule<'_> {
    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        if let Some(stop) = self.watch.look(progress) {
            return Some(stop);
        }
        self.catch_up(progress);
        self.winner().map(|_| Stop::Superseded)
    }

    fn before_end(&mut self, progress: &Progress) -> Option<Stop> {
        self.catch_up(progress);
        self.winner().map(|_| Stop::Superseded)
    }

    fn after_cut_off(&mut self, progress: &Progress) -> Option<Stop> {
        self.watch.after_cut_off(progress)
    }
}

/// Whether a search that ended like this has decided.
fn has_decided(end: End) -> bool {
    matches!(end, End::Found | End::Exhausted)
}

#[cfg(test)]
mod tests {
    use homing_core::Unwatched;

    use super::*;

    /// The work of each member, in the order of their turns, when the main search is looked at after so many transitions each time. Members
    /// whose numbers are in `gain` always come nearer to an error.
    fn turns(members: usize, gain: &[usize], looks: &[u64]) -> Vec<(usize, u64)> {
        let mut given = Vec::new();
        let mut advance = |nth: usize, work: u64| {
            given.push((nth, work));
            Turn { end: None, work, gains: gain.contains(&nth) }
        };
        let mut unwatched = Unwatched;
        let mut schedule = Schedule::new(&mut unwatched, members, &mut advance, None);
        for &transitions in looks {
            let stop = schedule.before_end(&Progress { transitions, ..Progress::default() });
            assert_eq!(stop, None, "no member has decided");
        }
        given
    }

    fn of(nth: usize, turns: &[(usize, u64)]) -> u64 {
        turns.iter().filter(|(member, _)| *member == nth).map(|(_, work)| work).sum()
    }

    #[test]
    fn members_have_their_share_of_the_work() {
        let given = turns(3, &[], &[1 << 22]);
        let shares = [0, 1, 2].map(|nth| of(nth, &given));
        let share = ((MAIN << 22) - FIRST) / RATIO / 3;
        assert!(shares.iter().all(|&work| work.abs_diff(share) <= TURN), "{shares:?}, and a third is {share}");
    }

    #[test]
    fn a_member_that_gains_has_most_of_a_greater_share() {
        let given = turns(2, &[1], &[1 << 22]);
        let (idle, promising) = (of(0, &given), of(1, &given));
        assert!(promising.abs_diff(idle * PROMISING_WEIGHT) <= PROMISING_WEIGHT * TURN, "{idle}, {promising}");
        let charged = idle * RATIO + promising * PROMISING_RATIO;
        assert!(charged.abs_diff((MAIN << 22) - FIRST) <= RATIO * TURN, "{idle}, {promising}");
    }

    #[test]
    fn turns_depend_on_what_the_main_search_has_done_in_the_end() {
        let once = turns(2, &[1], &[200_000]);
        assert!(once.len() > 10);
        assert_eq!(turns(2, &[1], &[1, 7, 50_000, 50_001, 199_999, 200_000]), once);
    }

    #[test]
    fn the_stages_of_a_main_search_add_up() {
        let stages = turns(2, &[], &[1, 60_000, 100_000, 1, 40_000, 100_000]);
        assert_eq!(stages, turns(2, &[], &[200_000]));
    }
}
