//! What the processes of a model do: skeletons with random statements in their gaps.

use crate::generate::tree::{Block, Choice, Stmt};

use super::models::Maker;
use super::statements::Scope;
use super::themes::Theme;

/// The skeleton of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sends inside an atomic sequence.
    Sender,
    /// Statements of its own, then a receive that begins an atomic sequence.
    Receiver,
    /// Sends in a loop inside an atomic sequence.
    LoopSender,
    /// Receives in a loop inside an atomic sequence, and goes on when a condition holds.
    LoopReceiver,
    /// Passes on what it receives, in one atomic sequence.
    Relay,
    /// Anything.
    Free,
}

impl Maker {
    pub fn role(&mut self, role: Role, scope: &Scope) -> Vec<Stmt> {
        match role {
            Role::Sender => self.sender(scope),
            Role::Receiver => self.receiver(scope),
            Role::LoopSender => self.loop_sender(scope),
            Role::LoopReceiver => self.loop_receiver(scope),
            Role::Relay => self.relay(scope),
            Role::Free => self.free(scope),
        }
    }

    fn sender(&mut self, scope: &Scope) -> Vec<Stmt> {
        let inside = scope.inside();
        let mut body = self.front(scope);
        let mut sequence = self.beginning(&inside, 60);
        sequence.extend(self.signal(90, "1"));
        sequence.extend(self.noise(&inside, 1));
        if self.traits.long && self.rng.chance(50) {
            sequence.extend(self.counter());
        }
        if sequence.is_empty() {
            sequence.push(Stmt::text("skip"));
        }
        let send = self.send(&inside);
        sequence.push(if self.rng.chance(25) {
            let option = [vec![send], self.noise(&inside, 1)].concat();
            let other = if self.rng.chance(50) { Stmt::text("else") } else { self.opening(&inside) };
            Stmt::Choice(Choice::If, vec![option, vec![other]])
        } else {
            self.maybe_end(send, 50)
        });
        sequence.extend(self.signal(30, "0"));
        sequence.extend(self.noise(&inside, 2));
        let atomic = self.rng.chance(85);
        body.extend(self.wrapped(sequence, atomic));
        body.extend(self.back(scope));
        body
    }

    fn receiver(&mut self, scope: &Scope) -> Vec<Stmt> {
        let inside = scope.inside();
        let mut body = self.front(scope);
        if self.theme == Theme::Absorbed || self.rng.chance(50) {
            body.push(if self.coherent { Stmt::text("go = 1") } else { self.global_assignment() });
            for _ in 0..self.rng.between(0, 2) {
                body.push(self.local());
            }
        }
        if self.traits.d_step && self.rng.chance(50) {
            body.push(Stmt::text("skip"));
            body.push(self.d_step(scope));
            body.extend(self.back(scope));
            return body;
        }
        let mut sequence = vec![self.receive(&inside)];
        sequence.extend(self.signal(75, "0"));
        sequence.extend(self.noise(&inside, 2));
        if self.rng.chance(15) {
            sequence.extend(self.statement(&inside, 1));
        }
        let atomic = self.rng.chance(80);
        body.extend(self.wrapped(sequence, atomic));
        body.extend(self.back(scope));
        body
    }

    fn loop_sender(&mut self, scope: &Scope) -> Vec<Stmt> {
        let inside = scope.inside();
        let mut body = self.front(scope);
        let mut sequence = self.beginning(&inside, 35);
        sequence.extend(self.signal(90, "1"));
        if self.traits.long && self.rng.chance(90) {
            sequence.extend(self.counter());
        }
        let mut options = vec![self.exchange(&inside, Stmt::text("d?_"), Maker::send)];
        if self.rng.chance(if self.theme == Theme::LongRun { 30 } else { 65 }) {
            let guard = if self.rng.chance(60) { vec![] } else { vec![self.guard(&inside)] };
            options.push([guard, vec![Stmt::text("break")]].concat());
        }
        if self.rng.chance(15) {
            options.push(vec![self.opening(&inside), Stmt::text("break")]);
        }
        if sequence.is_empty() {
            sequence.push(Stmt::text("skip"));
        }
        let choice = Stmt::Choice(Choice::Do, options);
        sequence.push(self.maybe_end(choice, 50));
        sequence.extend(self.signal(80, "0"));
        sequence.extend(self.noise(&inside, 1));
        body.extend(self.wrapped(sequence, true));
        body.extend(self.back(scope));
        body
    }

    fn loop_receiver(&mut self, scope: &Scope) -> Vec<Stmt> {
        let inside = scope.inside();
        let mut body = self.front(scope);
        let mut sequence = match self.rng.below(3) {
            0 => vec![Stmt::text("skip")],
            1 => vec![Stmt::text("go = 1")],
            _ => vec![self.small(&inside)],
        };
        let mut options = vec![self.exchange(&inside, Stmt::text("d!1"), Maker::receive)];
        for _ in 0..self.rng.between(1, 2) {
            let (guard, middle) = if self.coherent {
                let seen = if self.rng.chance(60) { vec![Stmt::text("y = 1")] } else { self.noise(&inside, 1) };
                let guard = if self.rng.chance(80) { Stmt::text("x == 1") } else { self.guard(&inside) };
                (guard, seen)
            } else {
                (self.guard(&inside), self.noise(&inside, 1))
            };
            options.push([vec![guard], middle, vec![Stmt::text("break")]].concat());
        }
        if self.rng.chance(15) {
            options.push([vec![self.opening(&inside)], self.noise(&inside, 1)].concat());
        }
        let at = self.rng.below(options.len());
        options.swap(0, at);
        let choice = Stmt::Choice(Choice::Do, options);
        sequence.push(self.maybe_end(choice, 70));
        sequence.extend(self.noise(&inside, 1));
        body.push(Stmt::Block(Block::Atomic, sequence));
        if self.rng.chance(60) {
            body.push(if self.coherent { Stmt::text("assert(y == 0)") } else { self.assertion() });
        }
        body.extend(self.back(scope));
        body
    }

    fn relay(&mut self, scope: &Scope) -> Vec<Stmt> {
        let inside = scope.inside();
        let mut body = self.front(scope);
        let mut sequence = vec![Stmt::text(self.rng.word(&["c?l", "c?_", "c?1"]))];
        sequence.extend(self.signal(50, "0"));
        sequence.extend(self.noise(&inside, 1));
        let onward = if self.traits.second_channel { "d!1" } else { "c!1" };
        sequence.push(self.maybe_end(Stmt::text(onward), 50));
        sequence.extend(self.signal(50, "0"));
        sequence.extend(self.noise(&inside, 1));
        if self.rng.chance(30) {
            let leave = vec![self.guard(&inside), Stmt::text("break")];
            sequence = vec![Stmt::text("skip"), Stmt::Choice(Choice::Do, vec![sequence, leave])];
        }
        body.extend(self.wrapped(sequence, true));
        body.extend(self.back(scope));
        body
    }

    /// The option of a loop that sends or receives, and perhaps waits for the other side or answers it.
    fn exchange(&mut self, scope: &Scope, reply: Stmt, make: fn(&mut Maker, &Scope) -> Stmt) -> Vec<Stmt> {
        let first = make(self, scope);
        let replies = self.replies && self.rng.chance(85);
        let reply = if replies { vec![reply] } else { Vec::new() };
        let noise = if self.coherent && self.rng.chance(60) { Vec::new() } else { self.noise(scope, 1) };
        [vec![first], noise, reply].concat()
    }

    /// The guard of a sequence, in so many percent of cases.
    fn beginning(&mut self, scope: &Scope, percent: usize) -> Vec<Stmt> {
        if !self.rng.chance(percent) {
            return Vec::new();
        }
        vec![if self.coherent && self.rng.chance(80) { Stmt::text("go == 1") } else { self.guard(scope) }]
    }

    /// A statement where the process may end, in so many percent of cases.
    fn maybe_end(&mut self, statement: Stmt, percent: usize) -> Stmt {
        if self.rng.chance(percent) { Stmt::Labelled(self.end_label(), Box::new(statement)) } else { statement }
    }

    fn free(&mut self, scope: &Scope) -> Vec<Stmt> {
        self.sequence(scope, 2, 4, 2)
    }

    /// Statements before the one that matters.
    fn front(&mut self, scope: &Scope) -> Vec<Stmt> {
        let mut front = self.noise(scope, 2);
        if self.rng.chance(if self.coherent { 5 } else { 15 }) {
            front.extend(self.statement(scope, 1));
        }
        front
    }

    /// Statements after the one that matters.
    fn back(&mut self, scope: &Scope) -> Vec<Stmt> {
        let mut back = self.noise(scope, 2);
        if self.rng.chance(if self.coherent { 5 } else { 10 }) {
            back.extend(self.statement(scope, 1));
        }
        back
    }

    /// A sequence in an atomic block or as it is; where it begins the process may mostly end.
    fn wrapped(&mut self, sequence: Vec<Stmt>, atomic: bool) -> Vec<Stmt> {
        let mut made = if atomic { vec![Stmt::Block(Block::Atomic, sequence)] } else { sequence };
        if self.rng.chance(60) {
            let first = Box::new(made[0].clone());
            made[0] = Stmt::Labelled(self.end_label(), first);
        }
        if self.rng.chance(12) {
            let mut option = made.clone();
            if let Stmt::Labelled(_, inner) = option[0].clone() {
                option[0] = *inner;
            }
            let choice = Stmt::Choice(Choice::Do, vec![option]);
            made = vec![Stmt::Labelled(self.end_label(), Box::new(choice))];
        }
        made
    }
}
