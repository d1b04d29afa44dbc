//! Random models that aim at the reductions: few variables with few values, short processes, and in each model one or two of
//! the constructs whose combination with atomic sequences, merged statements and partial orders is delicate.

use crate::generate::Model;
use crate::generate::creation::late_partner;
use crate::generate::rng::Rng;
use crate::generate::tree::{Block, Choice, Expr, Item, Parentheses, Process, Separator, Stmt, Style};

use super::observers::observers;
use super::owners::owners;
use super::passed::passed;
use super::records::records;
use super::roles::Role;
use super::statements::{Channel, Scope};
use super::themes::{Theme, Traits};

/// A model with its theme.
#[derive(Clone, Debug)]
pub struct Aimed {
    pub seed: u64,
    pub theme: Theme,
    pub model: Model,
    pub spin: SpinJudges,
}

/// Which share of the models with a theme SPIN judges, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpinJudges {
    /// The reference explorer reads models as homing does, so only SPIN can find that they are read wrongly.
    All,
    /// As many as the plan says.
    Some,
    /// Channels of processes that end are used: SPIN continues with another channel of the same number.
    None,
}

/// The model of a seed.
pub fn aimed(seed: u64) -> Aimed {
    let mut rng = Rng::new(seed ^ 0x50a4_50a4_50a4);
    let by_seed = Theme::BY_SEED.iter().find(|(remainder, _)| seed % Theme::PERIOD == *remainder);
    let theme = by_seed.map_or_else(|| rng.weighted(&Theme::ALL), |(_, theme)| *theme);
    let special = match theme {
        Theme::Owners => Some((owners(&mut rng), SpinJudges::None)),
        Theme::Passed => Some((passed(&mut rng), SpinJudges::Some)),
        Theme::Records => Some((records(&mut rng), SpinJudges::All)),
        Theme::Observers => Some((observers(&mut rng).0, SpinJudges::Some)),
        _ => None,
    };
    if let Some((model, spin)) = special {
        return Aimed { seed, theme, model, spin };
    }
    let traits = Traits::of_theme(theme, &mut rng);
    let coherent = rng.chance(if theme == Theme::LongRun { 85 } else { 60 });
    let loops = matches!(theme, Theme::Handover | Theme::LongRun);
    let replies = loops && traits.second_channel && traits.capacity == 0 && rng.chance(50);
    let mut maker = Maker { rng, traits, theme, coherent, replies, labels: 0, processes: 0 };
    let model = maker.model();
    let spin = if traits.own_channel { SpinJudges::None } else { SpinJudges::Some };
    Aimed { seed, theme, model, spin }
}

pub struct Maker {
    pub rng: Rng,
    pub traits: Traits,
    pub theme: Theme,
    /// The variables have roles: `x` is 1 while a message is being passed, `y` records that it was seen, and `go`
    /// starts the processes. So an assertion about `x` or `y` depends mainly on which states other processes can
    /// observe.
    pub coherent: bool,
    /// A receiver in a loop answers over the second channel, so that control comes back.
    pub replies: bool,
    /// Labels given so far: their names are distinct in the whole model.
    pub labels: usize,
    /// The number of processes to refer to.
    pub processes: usize,
}

impl Maker {
    fn model(&mut self) -> Model {
        let roles = self.roles();
        self.processes = roles.len();
        let mut items: Vec<Item> = self.declarations().into_iter().map(Item::Text).collect();
        if self.traits.run {
            items.push(Item::Process(self.short_lived()));
        }
        let by_init = self.traits.parameter;
        let mut runs = Vec::new();
        for (at, role) in roles.iter().enumerate() {
            let parameters = if by_init { "chan k".to_owned() } else { String::new() };
            if by_init {
                let channel = self.channel_argument();
                runs.push(Stmt::text(format!("run P{at}({channel})")));
            }
            let body = self.body(*role, at, by_init);
            items.push(self.process(format!("P{at}"), usize::from(!by_init), parameters, body));
        }
        if self.theme == Theme::Wide {
            for at in 0..2 {
                items.push(Item::Text(format!("byte v{at};")));
                items.push(self.counting(at));
            }
        }
        let observer = self.observer();
        if by_init {
            let mut body = vec![Stmt::Block(Block::Atomic, runs)];
            body.extend(observer);
            items.push(Item::Process(Process {
                name: None,
                active: 1,
                parameters: String::new(),
                priority: None,
                provided: None,
                body,
            }));
        } else if !observer.is_empty() {
            let at = if self.rng.chance(70) { items.len() } else { items.len() - roles.len() };
            items.insert(at, self.process("O".to_owned(), 1, String::new(), observer));
        }
        if self.theme == Theme::Rebirth && !self.traits.priority && self.rng.chance(50) {
            let effect = *self.rng.pick(&["x = 1", "missed = 1", "assert(x == 0)", "assert(b2 == 1)", "assert(false)"]);
            items.extend(late_partner(&mut self.rng, effect));
        }
        let style = Style { separator: Separator::Semicolon, parentheses: Parentheses::Needed };
        Model { style, items }
    }

    fn process(&mut self, name: String, active: usize, parameters: String, body: Vec<Stmt>) -> Item {
        let Traits { priority, provided, .. } = self.traits;
        let priority = (priority && self.rng.chance(50)).then(|| self.rng.between(1, 3));
        let provided = (provided && self.rng.chance(40)).then(|| self.global_test());
        Item::Process(Process { name: Some(name), active, parameters, priority, provided, body })
    }

    fn declarations(&mut self) -> Vec<String> {
        let traits = self.traits;
        let mut lines = vec!["byte x;".to_owned(), "byte y;".to_owned(), "byte go;".to_owned()];
        lines.push("chan c = [0] of { byte };".to_owned());
        let mut optional = |wanted: bool, line: String| {
            if wanted {
                lines.push(line);
            }
        };
        optional(traits.second_channel, format!("chan d = [{}] of {{ byte }};", traits.capacity));
        optional(traits.array, format!("chan q[2] = [{}] of {{ byte }};", self.rng.below(2)));
        optional(traits.message || traits.own_channel, format!("chan n = [{}] of {{ chan }};", self.rng.below(2)));
        optional(traits.hidden, "hidden byte h;".to_owned());
        optional(traits.unread, "byte u;".to_owned());
        optional(traits.faults, "byte a[2];".to_owned());
        optional(traits.long, "byte i;".to_owned());
        lines
    }

    /// What the processes of a model do.
    fn roles(&mut self) -> Vec<Role> {
        use Role::{Free, LoopReceiver, LoopSender, Receiver, Relay, Sender};
        let rng = &mut self.rng;
        let mut roles = match self.theme {
            Theme::Absorbed => vec![Receiver, Sender],
            Theme::LongRun => vec![
                rng.weighted(&[(8, LoopReceiver), (1, Receiver), (1, Free)]),
                rng.weighted(&[(8, LoopSender), (2, Sender)]),
            ],
            Theme::Handover => {
                let receiver = rng.weighted(&[(7, LoopReceiver), (2, Receiver), (1, Free)]);
                let sender = rng.weighted(&[(7, LoopSender), (3, Sender)]);
                vec![receiver, sender]
            }
            Theme::Chain => vec![*rng.pick(&[Receiver, LoopReceiver]), Relay, *rng.pick(&[Sender, LoopSender, Sender])],
            _ => (0..rng.between(2, 3))
                .map(|_| {
                    rng.weighted(&[
                        (4, Sender),
                        (4, Receiver),
                        (2, LoopSender),
                        (2, LoopReceiver),
                        (1, Relay),
                        (3, Free),
                    ])
                })
                .collect(),
        };
        if roles.len() < 3 && rng.chance(30) {
            roles.push(*rng.pick(&[Sender, Receiver, Free]));
        }
        let last = roles.len() - 1;
        roles.swap(0, rng.below(last + 1)); // pids decide about the order of steps
        roles
    }

    fn body(&mut self, role: Role, at: usize, parameter: bool) -> Vec<Stmt> {
        let mut channels = vec![Channel { name: "c".into(), capacity: 0 }];
        let traits = self.traits;
        if parameter {
            // The channel of the parameter is not known here: it counts as a rendezvous channel, the most frequent
            // case.
            channels = vec![Channel { name: "k".into(), capacity: 0 }, Channel { name: "c".into(), capacity: 0 }];
        }
        if traits.second_channel {
            channels.push(Channel { name: "d".into(), capacity: traits.capacity });
        }
        if traits.array {
            channels.extend(["q[0]", "q[1]"].map(|name| Channel { name: name.into(), capacity: 1 }));
        }
        let mut body = vec![Stmt::text("byte l")];
        if traits.message || traits.own_channel {
            body.push(Stmt::text("chan w = c"));
            channels.push(Channel { name: "w".into(), capacity: 0 });
        }
        let scope = Scope { process: at, channels, atomic: false };
        let mut statements = self.role(role, &scope);
        if traits.remote {
            let place = self.rng.below(statements.len());
            if !matches!(statements[place], Stmt::Labelled(..)) {
                let labelled = Stmt::Labelled("L".to_owned(), Box::new(statements[place].clone()));
                statements[place] = labelled;
            }
        }
        body.extend(statements);
        body
    }

    /// The argument of a process that knows its channel by a parameter.
    fn channel_argument(&mut self) -> String {
        let mut names = vec!["c", "c"];
        if self.traits.second_channel {
            names.push("d");
        }
        if self.traits.array {
            names.extend(["q[0]", "q[1]"]);
        }
        (*self.rng.pick(&names)).to_owned()
    }

    /// A process that accesses only its own variable.
    fn counting(&mut self, at: usize) -> Item {
        let most = self.rng.between(8, 14);
        let up = vec![Stmt::text(format!("v{at} < {most}")), Stmt::text(format!("v{at}++"))];
        let choice = Stmt::Choice(Choice::Do, vec![up, vec![Stmt::text("else"), Stmt::text("break")]]);
        Item::Process(Process {
            name: Some(format!("W{at}")),
            active: 1,
            parameters: String::new(),
            priority: None,
            provided: None,
            body: vec![choice],
        })
    }

    /// A process type that others run.
    fn short_lived(&mut self) -> Process {
        let channels = vec![Channel { name: "k".into(), capacity: 0 }, Channel { name: "c".into(), capacity: 0 }];
        let scope = Scope { process: usize::MAX, channels, atomic: false };
        let mut body = vec![Stmt::text("byte l")];
        if self.traits.own_channel {
            body.push(Stmt::text(format!("chan own = [{}] of {{ byte }}", self.rng.below(2))));
            body.push(Stmt::text("n!own"));
        }
        for _ in 0..self.rng.between(1, 2) {
            body.extend(self.statement(&scope, 1));
        }
        Process { name: Some("S".into()), active: 0, parameters: "chan k".into(), priority: None, provided: None, body }
    }

    /// Statements that look at what others do; a few models have none.
    fn observer(&mut self) -> Vec<Stmt> {
        match self.rng.below(10) {
            0 => Vec::new(),
            1..=5 => vec![self.assertion()],
            6..=7 => {
                let end = Stmt::Labelled(self.end_label(), Box::new(Stmt::condition(self.global_test())));
                vec![end, self.assertion()]
            }
            8 => vec![Stmt::Block(Block::Atomic, vec![Stmt::condition(self.global_test()), self.assertion()])],
            _ => {
                let end = Stmt::Labelled(self.end_label(), Box::new(Stmt::condition(self.global_test())));
                vec![end, Stmt::text("go = 2"), self.assertion()]
            }
        }
    }

    /// An assertion of what is true at the start, and false in some states that others see only briefly or never.
    pub fn assertion(&mut self) -> Stmt {
        Stmt::Simple(vec!["assert(".into(), self.claim().into(), ")".into()])
    }

    fn claim(&mut self) -> Expr {
        if self.traits.remote && self.rng.chance(40) {
            return Expr::unary("!", self.remote_test(usize::MAX));
        }
        let test = |left: &str, operator, right: &str| Expr::binary(Expr::atom(left), operator, Expr::atom(right));
        let both = |left: Expr, right: Expr| Expr::unary("!", Expr::binary(left, "&&", right));
        let most = if self.coherent { 4 } else { 12 };
        match self.rng.below(most) {
            0 => test("x", "!=", "1"),
            1 if self.coherent => test("x", "!=", "1"),
            2 if self.coherent => test("y", "==", "0"),
            1 | 2 => test("x", "!=", "2"),
            3 => test("x", "==", "0"),
            4 => test("y", "==", "0"),
            5 => test("y", "!=", "1"),
            6 | 7 => test("y", "!=", "2"),
            8 => both(test("x", "==", "1"), test("y", "==", "1")),
            9 => both(test("x", "==", "2"), test("y", "==", "0")),
            10 => both(test("x", "==", "1"), test("go", "==", "1")),
            _ => both(test("y", "==", "1"), test("x", "==", "0")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::judge;
    use super::*;

    #[test]
    fn a_seed_is_a_model() {
        assert!((0..50).all(|seed| aimed(seed).model == aimed(seed).model));
        assert_ne!(aimed(1).model, aimed(2).model);
    }

    #[test]
    fn most_models_are_read_and_every_theme_occurs() {
        let models: Vec<Aimed> = (0..400).map(aimed).collect();
        let read = models.iter().filter(|aimed| judge::read(&aimed.model.to_string()).is_some()).count();
        assert!(read > 360, "{read} of {}", models.len());
        let themes: BTreeSet<Theme> = models.iter().map(|aimed| aimed.theme).collect();
        let all = Theme::ALL.map(|(_, theme)| theme).into_iter().chain(Theme::BY_SEED.map(|(_, theme)| theme));
        assert_eq!(themes, all.collect());
    }
}
