//! Sending and receiving.

use super::builder::{Builder, Place};
use super::symbols::{Channel, MessageField, Signature, Type};
use super::tree::{Expr, Piece, Stmt};

/// The kinds of receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `?`
    Take,
    /// `??`
    TakeAny,
    /// `?<>`
    Look,
    /// `??<>`
    LookAny,
}

impl Builder<'_> {
    /// None if there is no channel to send to.
    pub fn send(&mut self) -> Option<Stmt> {
        let channel = self.channel(|_, _| true)?;
        Some(self.send_to(&channel))
    }

    pub fn send_to(&mut self, channel: &Channel) -> Stmt {
        let Signature { fields, true_bits, .. } = self.symbols.signatures[channel.signature].clone();
        let sorted = !self.symbols.is_rendezvous(channel) && self.is_numeric(channel) && self.rng.chance(25);
        self.marks.add(if sorted { "sorted send" } else { "send" });
        let values: Vec<Piece> = fields
            .into_iter()
            .map(|field| match field {
                MessageField::Scalar(Type::Bit | Type::Bool) if true_bits => self.bit_value().into(),
                other => self.message_value(other),
            })
            .collect();
        let operator = if sorted { "!!" } else { "!" };
        let mut pieces = vec![Piece::from(format!("{}{operator}", channel.name))];
        pieces.extend(self.listed(values));
        Stmt::Simple(pieces)
    }

    /// `a,b,c` or `a(b,c)`.
    fn listed(&mut self, values: Vec<Piece>) -> Vec<Piece> {
        // Before a parenthesis only a plain constant or name is sure to be read as the tag.
        let tag_fits = matches!(&values[0], Piece::Expr(Expr::Atom(text)) if text.chars().all(char::is_alphanumeric));
        let tagged = tag_fits && values.len() > 1 && self.rng.chance(50);
        if tagged {
            self.marks.add("tag notation");
        }
        let last = values.len() - 1;
        let mut pieces = Vec::new();
        for (k, value) in values.into_iter().enumerate() {
            match k {
                0 => {}
                1 if tagged => pieces.push("(".into()),
                _ => pieces.push(",".into()),
            }
            pieces.push(value);
            if tagged && k == last {
                pieces.push(")".into());
            }
        }
        pieces
    }

    /// 0 or 1.
    fn bit_value(&mut self) -> Expr {
        if self.rng.chance(60) { Expr::atom(self.rng.below(2).to_string()) } else { self.condition() }
    }

    fn message_value(&mut self, field: MessageField) -> Piece {
        match field {
            MessageField::Scalar(Type::Mtype(set)) => {
                let constant = self.rng.pick(&self.symbols.mtypes[set].constants).clone();
                let variable = if self.rng.chance(30) { self.source(|ty| ty == Type::Mtype(set)) } else { None };
                variable.unwrap_or_else(|| Expr::atom(constant)).into()
            }
            MessageField::Scalar(_) if self.rng.chance(60) => {
                Expr::atom(self.rng.weighted(&[(5, 0), (5, 1), (4, 2), (1, 3), (1, 300)]).to_string()).into()
            }
            MessageField::Scalar(_) => self.number(1).into(),
            MessageField::Channel(signature) => {
                // Only channels that outlive every process: a local one dies with its owner.
                let carried: Vec<&Channel> =
                    self.symbols.channels.iter().filter(|channel| channel.signature == signature).collect();
                Piece::from(self.rng.pick(&carried).name.clone())
            }
            MessageField::Record(record) => {
                let named: Vec<String> =
                    self.records.iter().filter(|v| v.record == record).map(|v| v.name.clone()).collect();
                Piece::from(self.rng.pick(&named).clone())
            }
        }
    }

    /// True if all fields are numbers: then `!!`, `??` and constants make sense.
    pub fn is_numeric(&self, channel: &Channel) -> bool {
        let fields = &self.symbols.signatures[channel.signature].fields;
        fields.iter().all(|field| matches!(field, MessageField::Scalar(_)))
    }

    /// None if there is no channel to receive from. A received channel is used at once, hence possibly two statements.
    pub fn receive(&mut self, place: Place) -> Option<Vec<Stmt>> {
        let channel = self.channel(|_, _| true)?;
        Some(self.receive_from(&channel, place))
    }

    pub fn receive_from(&mut self, channel: &Channel, place: Place) -> Vec<Stmt> {
        if let [MessageField::Channel(signature)] = self.symbols.signatures[channel.signature].fields[..] {
            return self.receive_channel(channel, signature, place);
        }
        let plain = self.symbols.is_rendezvous(channel) || !self.is_numeric(channel);
        let others = [(12, Form::Take), (4, Form::TakeAny), (2, Form::Look), (1, Form::LookAny)];
        let form = if plain { Form::Take } else { self.rng.weighted(&others) };
        vec![self.receive_in(form, channel)]
    }

    /// Not for a channel of channels.
    pub fn receive_in(&mut self, form: Form, channel: &Channel) -> Stmt {
        let (open, close, construct) = match form {
            Form::Take => ("?", "", "receive"),
            Form::TakeAny => ("??", "", "random receive"),
            Form::Look => ("?<", ">", "peek"),
            Form::LookAny => ("??<", ">", "random peek"),
        };
        self.marks.add(construct);
        let fields = self.symbols.signatures[channel.signature].fields.clone();
        let mut targets: Vec<String> = Vec::new();
        let patterns: Vec<Piece> =
            fields.into_iter().map(|field| self.receive_field(channel, field, &mut targets)).collect();
        let mut pieces = vec![Piece::from(format!("{}{open}", channel.name))];
        pieces.extend(self.listed(patterns));
        pieces.push(close.into());
        Stmt::Simple(pieces)
    }

    fn receive_channel(&mut self, channel: &Channel, signature: usize, place: Place) -> Vec<Stmt> {
        self.marks.add("chan variable");
        self.marks.add("receive");
        let name = self.fresh_name("q");
        self.head.push(Stmt::text(format!("chan {name}")));
        let carried = Channel { name: name.clone(), signature };
        let mut statements = vec![Stmt::text(format!("{}?{name}", channel.name))];
        let carries_channels = matches!(self.symbols.signatures[signature].fields[..], [MessageField::Channel(_)]);
        if self.rng.chance(50) || carries_channels {
            statements.push(self.send_to(&carried));
        } else {
            statements.extend(self.receive_from(&carried, place));
        }
        statements
    }

    fn receive_field(&mut self, channel: &Channel, field: MessageField, targets: &mut Vec<String>) -> Piece {
        let scalar = match field {
            MessageField::Record(record) => {
                let named: Vec<String> =
                    self.records.iter().filter(|v| v.record == record).map(|v| v.name.clone()).collect();
                let name = self.rng.pick(&named).clone();
                targets.push(format!("{name}."));
                return Piece::from(name);
            }
            MessageField::Channel(_) => return "_".into(),
            MessageField::Scalar(ty) => ty,
        };
        let alone = self.symbols.signatures[channel.signature].fields.len() == 1;
        match self.rng.weighted(&[(8, 'v'), (2, '_'), (if alone { 2 } else { 4 }, 'c'), (2, 'e')]) {
            'v' => {
                let signature = self.symbols.signatures[channel.signature].clone();
                let target = self.plain_target(|ty| signature.fits(scalar, ty)).map(|(expr, _)| expr);
                // No part of the variables may be received twice: spin refuses it, or fails to undo it.
                match target.filter(|expr| !targets.iter().any(|other| spelling(expr).starts_with(other))) {
                    Some(expr) => {
                        if matches!(expr, Expr::Within(..)) {
                            self.marks.add("receive into array");
                        }
                        targets.push(spelling(&expr));
                        expr.into()
                    }
                    None => self.wildcard(),
                }
            }
            '_' => self.wildcard(),
            'c' => {
                self.marks.add("constant field");
                self.expected(scalar).into()
            }
            _ => {
                self.marks.add("eval");
                // No len: that of a rendezvous channel is 1 in the middle of a handshake, for pan at least.
                let value = match scalar {
                    Type::Mtype(_) => None,
                    _ => self.plain_source(|ty| !matches!(ty, Type::Mtype(_))),
                };
                // Nor a variable that the same statement receives into: to undo it pan computes the value a second time.
                let value = value.filter(|expr| !targets.iter().any(|other| spelling(expr).starts_with(other)));
                let value = value.unwrap_or_else(|| self.expected(scalar));
                targets.push(spelling(&value));
                Expr::within("eval(", value, ")").into()
            }
        }
    }

    fn wildcard(&mut self) -> Piece {
        self.marks.add("wildcard field");
        "_".into()
    }

    /// A constant that is likely in a message.
    fn expected(&mut self, ty: Type) -> Expr {
        match ty {
            Type::Mtype(set) => Expr::atom(self.rng.pick(&self.symbols.mtypes[set].constants).clone()),
            _ => Expr::atom(self.rng.below(3).to_string()),
        }
    }

    /// The fields of a poll.
    pub fn pattern(&mut self, channel: &Channel) -> String {
        let fields = self.symbols.signatures[channel.signature].fields.clone();
        let patterns: Vec<String> = fields
            .into_iter()
            .map(|field| match field {
                MessageField::Scalar(Type::Mtype(set)) => self.rng.pick(&self.symbols.mtypes[set].constants).clone(),
                MessageField::Scalar(_) if self.rng.chance(60) => self.rng.below(3).to_string(),
                _ => "_".into(),
            })
            .collect();
        patterns.join(",")
    }
}

/// The characters of a variable with constant index.
fn spelling(expr: &Expr) -> String {
    match expr {
        Expr::Within(before, inner, after) => format!("{before}{}{after}", spelling(inner)),
        Expr::Atom(text) => text.clone(),
        _ => String::new(),
    }
}
