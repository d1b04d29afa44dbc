//! d_step: one guard, and then nothing that can block or choose.

use super::builder::{Builder, Place};
use super::channel::Form;
use super::symbols::{MessageField, Type};
use super::tree::{Block, Choice, Expr, Stmt};

impl Builder<'_> {
    /// The first statement is mostly a condition, an assignment or a buffered receive. (Beside a rendezvous channel pan runs
    /// others even in the middle of a handshake; and of a selection it forgets the options that start otherwise.)
    pub fn d_step(&mut self, place: Place) -> Stmt {
        self.marks.add("d_step");
        let body = self.scoped(|builder| {
            let mut body = builder.opening(place);
            for _ in 0..builder.rng.between(1, 3) {
                let next = builder.certain(place, 1);
                body.push(next);
            }
            // spin's C has a hole if a loop ends the d_step and another d_step ends at the same place.
            if matches!(body.last(), Some(Stmt::For(..) | Stmt::Choice(..))) {
                body.push(builder.assignment(place));
            }
            body
        });
        Stmt::Block(Block::DStep, body)
    }

    fn opening(&mut self, place: Place) -> Vec<Stmt> {
        match self.rng.below(6) {
            0 => vec![Stmt::condition(self.condition())],
            1 => match self.exchange() {
                Some(statements) => statements,
                None => vec![Stmt::condition(self.condition())],
            },
            2 => vec![self.decided(place, 1)],
            3 if !self.symbols.has_rendezvous() => vec![self.assertion()],
            _ => vec![self.assignment(place)],
        }
    }

    /// A receive whose success the first statement ensures, and a send into the room it leaves.
    fn exchange(&mut self) -> Option<Vec<Stmt>> {
        let channel = self.buffered_channel()?;
        let carries_channels =
            matches!(self.symbols.signatures[channel.signature].fields[..], [MessageField::Channel(_)]);
        if carries_channels {
            return None;
        }
        self.marks.add("d_step with channel");
        Some(match self.rng.below(3) {
            0 => vec![Stmt::text(format!("nfull({})", channel.name)), self.send_to(&channel)],
            1 => vec![self.send_to(&channel)],
            // spin writes wrong C for `?<>` and `??<>` as a guard.
            _ => {
                let form = *self.rng.pick(&[Form::Take, Form::TakeAny]);
                vec![self.receive_in(form, &channel)]
            }
        })
    }

    /// A statement that always can be executed and has one outcome.
    fn certain(&mut self, place: Place, depth: usize) -> Stmt {
        match self.rng.below(10) {
            0 if depth > 0 => self.decided(place, depth - 1),
            1 if depth > 0 && !self.symbols.features.priority => self.counted(place),
            2 => self.assertion(),
            3 => self.skip(),
            _ => self.assignment(place),
        }
    }

    /// An if that has an else.
    fn decided(&mut self, place: Place, depth: usize) -> Stmt {
        self.marks.add("d_step with choice");
        self.marks.add("else");
        let mut options: Vec<Vec<Stmt>> = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            let guard = Stmt::condition(self.condition());
            options.push(vec![guard, self.certain(place, depth.saturating_sub(1))]);
        }
        options.push(vec![Stmt::text("else")]);
        Stmt::Choice(Choice::If, options)
    }

    fn counted(&mut self, place: Place) -> Stmt {
        self.marks.add("d_step with loop");
        let counter = self.counter();
        let bound = self.rng.between(0, 2);
        let mut body = vec![self.certain(place, 0)];
        if self.rng.chance(30) {
            let target = self.plain_target(|ty| !matches!(ty, Type::Mtype(_)));
            if let Some((target, _)) = target {
                body.push(Stmt::assign(target, Expr::atom(counter.clone())));
            }
        }
        Stmt::For(vec![format!("{counter} : 0 .. {bound}").into()], body)
    }
}
