//! What a random model of the soak aims at: its theme, and the constructs that it contains.

use crate::generate::rng::Rng;

/// What a model aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Theme {
    /// Statements of a process in front of its receive, while a sender waits inside an atomic sequence.
    Absorbed,
    /// Atomic sequences that hand control over, in loops and with choices.
    Handover,
    /// Handover after a run through an atomic sequence of about 64 statements.
    LongRun,
    /// Control goes through three processes.
    Chain,
    /// Channels by parameter, in arrays, variables and messages.
    Channels,
    /// `else`, `timeout`, `unless`, `provided`, and priorities beside sends.
    Escapes,
    /// `d_step`, also with the receive of a rendezvous as its guard.
    DStep,
    /// Processes that end and are created again.
    Rebirth,
    /// Labels and variables of other processes, in tests of both signs.
    Remote,
    /// The same in small models, with `provided` clauses, deterministic process types and traces.
    Observers,
    /// Process types that create channels of different kinds.
    Owners,
    /// Channels that processes pass on to those that they create before they end.
    Passed,
    /// Structures with initial values and channels, declared in all kinds of places.
    Records,
    /// Division by zero and indices out of range in statements that are merged.
    Faults,
    /// Variables that are hidden, never read, or dead.
    Unread,
    /// `_nr_pr`, `_last`, `enabled`, `pc_value`.
    Special,
    /// Buffered channels, looked at inside atomic sequences.
    Buffered,
    /// Beside processes that count alone: enough states for the partial-order reduction to begin.
    Wide,
    /// Anything.
    Mixed,
}

impl Theme {
    /// Themes with models of their own: the last of each so many seeds.
    pub const BY_SEED: [(u64, Theme); 4] =
        [(0, Theme::Owners), (5, Theme::Records), (9, Theme::Passed), (13, Theme::Passed)];

    /// One theme of [`Theme::BY_SEED`] for each remainder of a seed divided by this.
    pub const PERIOD: u64 = 16;

    /// The other themes, with how often each is chosen.
    pub const ALL: [(usize, Theme); 16] = [
        (10, Theme::Absorbed),
        (12, Theme::Handover),
        (10, Theme::LongRun),
        (8, Theme::Chain),
        (9, Theme::Channels),
        (9, Theme::Escapes),
        (6, Theme::DStep),
        (7, Theme::Rebirth),
        (8, Theme::Remote),
        (10, Theme::Observers),
        (6, Theme::Faults),
        (6, Theme::Unread),
        (5, Theme::Special),
        (7, Theme::Buffered),
        (6, Theme::Wide),
        (8, Theme::Mixed),
    ];
}

/// What a model contains besides assignments, conditions, and sends and receives of a rendezvous.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    pub second_channel: bool,
    /// The capacity of the second channel.
    pub capacity: usize,
    pub array: bool,
    pub parameter: bool,
    pub message: bool,
    pub unless: bool,
    pub timeout: bool,
    pub provided: bool,
    pub priority: bool,
    pub d_step: bool,
    pub run: bool,
    pub own_channel: bool,
    pub remote: bool,
    pub faults: bool,
    pub hidden: bool,
    pub unread: bool,
    pub special: bool,
    pub long: bool,
}

impl Traits {
    /// The constructs of a model with this theme.
    pub fn of_theme(theme: Theme, rng: &mut Rng) -> Traits {
        let mixed = matches!(theme, Theme::Mixed | Theme::Wide);
        let mut on = |percent: usize, own: bool| if own { true } else { rng.chance(if mixed { 25 } else { percent }) };
        let channels = theme == Theme::Channels;
        let escapes = theme == Theme::Escapes;
        let mut traits = Traits {
            second_channel: on(35, matches!(theme, Theme::Chain | Theme::Buffered)),
            capacity: 0,
            array: on(0, false),
            parameter: on(8, false),
            message: on(0, false),
            unless: on(3, false),
            timeout: on(3, false),
            provided: on(2, false),
            priority: false,
            d_step: on(6, theme == Theme::DStep),
            run: on(3, theme == Theme::Rebirth),
            own_channel: false,
            remote: on(6, theme == Theme::Remote),
            faults: on(4, theme == Theme::Faults),
            hidden: on(0, false),
            unread: on(15, theme == Theme::Unread),
            special: on(3, theme == Theme::Special),
            long: on(5, theme == Theme::LongRun),
        };
        if channels {
            traits.parameter = rng.chance(50);
            traits.array = rng.chance(50);
            traits.message = rng.chance(50);
        }
        if escapes {
            traits.unless = rng.chance(40);
            traits.timeout = rng.chance(35);
            traits.provided = rng.chance(20);
            traits.priority = rng.chance(20);
        }
        if theme == Theme::Unread {
            traits.hidden = rng.chance(40);
        }
        traits.capacity = match theme {
            Theme::Buffered => rng.between(1, 2),
            Theme::Chain => 0,
            _ => rng.weighted(&[(6, 0), (3, 1), (1, 2)]),
        };
        traits.own_channel = traits.run && rng.chance(30);
        if traits.run || traits.parameter {
            traits.remote = false; // a name without a number means the first process of a type
        }
        traits
    }
}
