//! Random models with a property of infinite runs: few variables with few values, processes that mostly run for ever.
//!
//! What SPIN refuses is avoided by construction: labels at the head of an option or a sequence, `else` beside sends and
//! receives, options that do nothing.

use std::fmt;
use std::str::FromStr;

use crate::generate::Model;
use crate::generate::creation::late_partner;
use crate::generate::rng::Rng;
use crate::generate::tree::{Block, Choice, Expr, Item, Parentheses, Process, Separator, Stmt, Style};

use super::statements::Scope;

/// What makes a run an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A never claim.
    Never,
    /// Labels `accept` in processes.
    Accept,
    /// Labels `progress` in processes.
    Progress,
    /// A formula of linear temporal logic.
    Ltl,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Never, Kind::Accept, Kind::Progress, Kind::Ltl];

    /// The name on the command line of `cargo xtask live`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Never => "never",
            Kind::Accept => "accept",
            Kind::Progress => "progress",
            Kind::Ltl => "ltl",
        }
    }

    /// The property for `homing check`.
    pub fn property(self) -> &'static str {
        match self {
            Kind::Never | Kind::Accept => "acceptance",
            Kind::Progress => "progress",
            Kind::Ltl => FORMULA,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| format!("no kind of property: {text}"))
    }
}

/// The name of the formula.
pub const FORMULA: &str = "p";

/// A process that never blocks: a model that has it cannot stop.
pub const CLOCK: &str = "bit tick; active proctype Clock() { do :: tick = 1 - tick od }";

/// A model with its property.
#[derive(Clone, Debug)]
pub struct LiveModel {
    pub seed: u64,
    pub kind: Kind,
    pub model: Model,
}

/// The model of a seed, with a property of one of `kinds`.
///
/// # Panics
/// If `kinds` is empty.
pub fn live(seed: u64, kinds: &[Kind]) -> LiveModel {
    let mut rng = Rng::new(seed ^ 0x11fe_11fe_11fe);
    let kind = *rng.pick(kinds);
    let features = Features::random(&mut rng, kind);
    let mut maker = Maker { rng, kind, features, labels: 0, places: Vec::new(), pids: usize::from(features.clock) };
    LiveModel { seed, kind, model: maker.model() }
}

/// What occurs in a model.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// The rendezvous channel `c`.
    pub rendezvous: bool,
    /// The buffered channel `q`.
    pub buffered: bool,
    /// [`CLOCK`].
    pub clock: bool,
    /// Short-lived processes `R`, started by others.
    pub run: bool,
    /// All processes are started by `init`, which then ends.
    pub by_init: bool,
    pub timeout: bool,
    pub d_step: bool,
    pub unless: bool,
    /// Assertions in processes.
    pub asserts: bool,
    /// A process waits, and fairness decides.
    pub waits: bool,
    pub processes: usize,
    /// A partner at a rendezvous is created late.
    pub creates: bool,
    /// Conditions of the claim guard against errors: an index is used only where it is in range.
    pub guards_errors: bool,
}

impl Features {
    fn random(rng: &mut Rng, kind: Kind) -> Features {
        let labels_only = matches!(kind, Kind::Accept | Kind::Progress);
        let mut features = Features {
            rendezvous: rng.chance(50),
            buffered: rng.chance(50),
            clock: rng.chance(if kind == Kind::Progress { 35 } else { 12 }),
            run: rng.chance(7),
            by_init: rng.chance(10),
            timeout: rng.chance(7),
            d_step: rng.chance(12),
            unless: rng.chance(6),
            asserts: labels_only && rng.chance(8),
            waits: rng.chance(25),
            processes: rng.weighted(&[(15, 1), (50, 2), (30, 3), (5, 4)]),
            creates: false,
            guards_errors: matches!(kind, Kind::Ltl | Kind::Never) && rng.chance(15),
        };
        features.creates = features.rendezvous && rng.chance(24);
        if features.creates {
            features.processes = rng.below(3); // few, or others hide what its creation changes
        }
        features
    }
}

/// A place or a variable of a process that exists in every state: claims may refer to it.
#[derive(Clone, Debug)]
pub struct Referable {
    /// The name of the process.
    pub process: String,
    pub pid: usize,
    /// A label that claims may refer to; none for the local variable.
    pub label: Option<String>,
}

pub struct Maker {
    pub rng: Rng,
    pub kind: Kind,
    pub features: Features,
    /// Labels given so far: their names are distinct in the whole model.
    pub labels: usize,
    pub places: Vec<Referable>,
    /// The number of processes before the next one.
    pub pids: usize,
}

impl Maker {
    fn model(&mut self) -> Model {
        let Features { clock, run, by_init, processes, waits, creates, .. } = self.features;
        let mut items = self.declarations();
        if clock {
            items.push(Item::Text(CLOCK.to_owned()));
        }
        for at in 0..processes {
            items.push(self.process(at));
        }
        if run {
            items.push(self.short_lived());
        }
        if by_init {
            items.push(self.init());
        }
        if waits {
            items.extend(self.waiting());
            items.extend(self.waited());
        }
        match self.kind {
            _ if waits => {}
            Kind::Ltl if creates => items.push(self.about_missed()),
            Kind::Never => items.push(self.never()),
            Kind::Ltl => items.push(self.ltl()),
            Kind::Accept | Kind::Progress => {}
        }
        if creates {
            let effect = match self.kind {
                Kind::Accept => "accept_missed: missed = 1; missed = 0",
                Kind::Progress => "progress_missed: missed = 1; missed = 0",
                Kind::Never | Kind::Ltl => "missed = 1",
            };
            items.extend(late_partner(&mut self.rng, effect));
        }
        let parentheses = *self.rng.pick(&[Parentheses::All, Parentheses::Needed]);
        Model { style: Style { separator: Separator::Semicolon, parentheses }, items }
    }

    fn declarations(&mut self) -> Vec<Item> {
        let mut lines = vec!["byte x;".to_owned(), "byte y;".to_owned(), "bit b;".to_owned()];
        if self.features.run {
            lines.push("byte started;".to_owned());
        }
        if self.features.guards_errors {
            lines.push("bit a[2];".to_owned());
        }
        if self.features.rendezvous {
            lines.push("chan c = [0] of { bit };".to_owned());
        }
        if self.features.buffered {
            lines.push(format!("chan q = [{}] of {{ bit }};", self.rng.between(1, 2)));
        }
        lines.into_iter().map(Item::Text).collect()
    }

    fn process(&mut self, at: usize) -> Item {
        let by_init = self.features.by_init;
        let name = format!("P{at}");
        let twins = !by_init && self.rng.chance(6);
        let mut scope = Scope::of_process(at);
        scope.gotos = self.rng.chance(12);
        let first = self.places.len();
        let (body, endless) = self.body(&scope);
        // a reference to a process that does not exist has no meaning, and of two instances SPIN takes one
        if !endless || by_init || twins {
            self.places.truncate(first);
        } else {
            let pid = self.pids;
            self.places[first..].iter_mut().for_each(|place| place.pid = pid);
            self.places.push(Referable { process: name.clone(), pid, label: None });
        }
        let active = if by_init { 0 } else { 1 + usize::from(twins) };
        self.pids += active;
        Item::Process(Process {
            name: Some(name),
            active,
            parameters: String::new(),
            priority: None,
            provided: None,
            body,
        })
    }

    /// The statements of a process, and whether it never ends.
    fn body(&mut self, scope: &Scope) -> (Vec<Stmt>, bool) {
        let mut body = vec![Stmt::text("byte l")];
        let form = self.rng.below(100);
        let before = if form < 60 { 0 } else { self.rng.between(1, 2) };
        let mut gotos = false;
        for at in 0..before {
            let inside = Scope { gotos, ..scope.clone() };
            let statement = self.statement(&inside, 1);
            gotos |= scope.gotos && at == 0 && matches!(statement, Stmt::Simple(_) | Stmt::Choice(..));
            let entry = gotos && at == 0;
            body.push(if entry { Stmt::Labelled("again".to_owned(), Box::new(statement)) } else { statement });
        }
        // in the initial state pan takes np_ for true
        if let (Kind::Never, Some(Stmt::Labelled(label, first))) = (self.kind, body.get(1))
            && label.starts_with("progress")
        {
            body[1] = (**first).clone();
        }
        let scope = Scope { gotos, ..scope.clone() };
        if (88..).contains(&form) {
            for _ in 0..self.rng.below(3) {
                body.push(self.statement(&scope, 1));
            }
            return (body, false);
        }
        let endless = form < 78;
        let mut options = self.options(&scope, 2, false);
        if !endless {
            options.push(vec![self.guard(), Stmt::text("break")]);
        }
        let choice = Stmt::Choice(Choice::Do, options);
        body.push(self.maybe_labelled(choice, &scope));
        if !endless {
            for _ in 0..self.rng.below(3) {
                body.push(self.statement(&scope, 1));
            }
        }
        (body, endless)
    }

    /// A process that others start, and that ends.
    fn short_lived(&mut self) -> Item {
        let scope = Scope { gotos: false, runs: false, ..Scope::of_process(usize::MAX) };
        let mut body = vec![Stmt::text("byte l")];
        let first = self.places.len();
        for _ in 0..self.rng.between(1, 2) {
            body.push(self.statement(&scope, 0));
        }
        self.places.truncate(first);
        Item::Process(Process {
            name: Some("R".to_owned()),
            active: 0,
            parameters: String::new(),
            priority: None,
            provided: None,
            body,
        })
    }

    /// A formula about what happens where a partner has not been created yet.
    fn about_missed(&mut self) -> Item {
        let missed = |value: &str| Expr::binary(Expr::atom("missed"), "==", Expr::atom(value));
        let formula = match self.rng.below(3) {
            0 => Expr::unary("[] ", missed("0")),
            1 => Expr::unary("<> ", missed("1")),
            _ => Expr::unary("[] ", Expr::binary(missed("0"), "||", self.value_test())),
        };
        Item::Ltl { name: FORMULA.to_owned(), formula }
    }

    fn init(&mut self) -> Item {
        let runs: Vec<Stmt> = (0..self.features.processes).map(|at| Stmt::text(format!("run P{at}()"))).collect();
        let body = if self.rng.chance(70) { vec![Stmt::Block(Block::Atomic, runs)] } else { runs };
        Item::Process(Process {
            name: None,
            active: 1,
            parameters: String::new(),
            priority: None,
            provided: None,
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use homing_promela::preprocess::Options;

    use super::*;

    #[test]
    fn a_seed_is_a_model() {
        assert!((0..50).all(|seed| live(seed, &Kind::ALL).model == live(seed, &Kind::ALL).model));
        assert_ne!(live(1, &Kind::ALL).model, live(2, &Kind::ALL).model);
    }

    #[test]
    fn models_are_read_and_every_kind_occurs() {
        let models: Vec<LiveModel> = (0..400).map(|seed| live(seed, &Kind::ALL)).collect();
        for LiveModel { seed, model, .. } in &models {
            let text = model.to_string();
            let read = homing_promela::read("model.pml", text.clone(), &Options::default());
            assert!(read.model.is_some(), "seed {seed}:\n{text}");
        }
        let kinds: BTreeSet<Kind> = models.iter().map(|live| live.kind).collect();
        assert_eq!(kinds.len(), Kind::ALL.len());
        for word in [
            "run Late", "never {", "ltl p {", "accept", "progress", "@", ":l", "np_", "timeout", "run R", "init",
            "else", "Waiter",
        ] {
            assert!(models.iter().any(|live| live.model.to_string().contains(word)), "{word}");
        }
    }
}
