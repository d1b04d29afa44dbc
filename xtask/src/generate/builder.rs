//! The maker of one process body: what it can name at the moment, and the rules it is under.

use super::coverage::Marks;
use super::rng::Rng;
use super::symbols::{Access, Channel, RecordVariable, SymbolTable, Type, Variable};
use super::tree::{Expr, Stmt};

/// The rules where a statement is made.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Inside atomic: loops must end, jumps go forward.
    pub atomic: bool,
    /// The statement may run any number of times: variables must stay in a small range.
    pub repeats: bool,
    /// A break has a loop to leave.
    pub breakable: bool,
    /// How deep compound statements may still nest.
    pub depth: usize,
    /// The index of the top-level statement it is part of.
    pub top: usize,
    /// Inside unless, where another unless is a nested one.
    pub in_unless: bool,
}

impl Place {
    pub fn deeper(self) -> Place {
        Place { depth: self.depth.saturating_sub(1), ..self }
    }
}

pub struct Builder<'a> {
    pub rng: &'a mut Rng,
    pub marks: &'a mut Marks,
    pub symbols: &'a SymbolTable,
    /// The process being made, as an index into the symbol table; None for an inline.
    pub me: Option<usize>,
    /// Names in scope: the globals, then locals, innermost last.
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub records: Vec<RecordVariable>,
    /// Declarations that have to go to the head of the body.
    pub head: Vec<Stmt>,
    /// Numbers fresh names.
    pub fresh: usize,
}

impl<'a> Builder<'a> {
    pub fn new(rng: &'a mut Rng, marks: &'a mut Marks, symbols: &'a SymbolTable, me: Option<usize>) -> Builder<'a> {
        Builder {
            rng,
            marks,
            symbols,
            me,
            variables: symbols.variables.clone(),
            channels: symbols.channels.clone(),
            records: symbols.record_variables.clone(),
            head: Vec::new(),
            fresh: 0,
        }
    }

    pub fn fresh_name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        match self.me {
            Some(me) => format!("{stem}{me}_{}", self.fresh),
            None => format!("{stem}_{}", self.fresh),
        }
    }

    /// A variable that only the loop it is made for writes, declared at the head of the body.
    pub fn counter(&mut self) -> String {
        let name = self.fresh_name("i");
        self.head.push(Stmt::text(format!("byte {name}")));
        self.variables.push(Variable::scalar(&name, Type::Byte).with_access(Access::ReadOnly));
        name
    }

    /// A number to write, with its type; the index, if any, is within range whatever the state.
    pub fn target(&mut self) -> Option<(Expr, Type)> {
        let candidates: Vec<Variable> =
            self.variables.iter().filter(|variable| variable.access != Access::ReadOnly).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let variable = self.rng.pick(&candidates).clone();
        let spelling = self.spell(&variable, 1);
        // To undo a step pan computes the index a second time. In `a[a[0]] = 1` it is another one by then.
        let depends_on_itself = format!("{spelling:?}").matches(&variable.before).count() > 1;
        let spelling = if depends_on_itself { self.spell(&variable, 0) } else { spelling };
        Some((spelling, variable.ty))
    }

    /// A number to write that can also be read, with constant index.
    pub fn plain_target(&mut self, accept: impl Fn(Type) -> bool) -> Option<(Expr, Type)> {
        let candidates: Vec<Variable> = self
            .variables
            .iter()
            .filter(|variable| variable.access == Access::Free && accept(variable.ty))
            .cloned()
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let variable = self.rng.pick(&candidates).clone();
        Some((self.spell(&variable, 0), variable.ty))
    }

    /// A number to read.
    pub fn source(&mut self, accept: impl Fn(Type) -> bool) -> Option<Expr> {
        let variable = self.readable(accept)?;
        Some(self.spell(&variable, 1))
    }

    /// A number to read, with constant index.
    pub fn plain_source(&mut self, accept: impl Fn(Type) -> bool) -> Option<Expr> {
        let variable = self.readable(accept)?;
        Some(self.spell(&variable, 0))
    }

    fn readable(&mut self, accept: impl Fn(Type) -> bool) -> Option<Variable> {
        let candidates: Vec<Variable> = self
            .variables
            .iter()
            .filter(|variable| variable.access != Access::WriteOnly && accept(variable.ty))
            .cloned()
            .collect();
        (!candidates.is_empty()).then(|| self.rng.pick(&candidates).clone())
    }

    /// `depth` limits the expression used as index; 0 asks for a constant.
    fn spell(&mut self, variable: &Variable, depth: usize) -> Expr {
        let Some(length) = variable.length else {
            return Expr::atom(&variable.before);
        };
        let index = if depth == 0 || self.rng.chance(60) {
            Expr::atom(self.rng.below(length).to_string())
        } else {
            // Lengths are powers of two, and a mask makes no negative number.
            Expr::binary(self.number(depth - 1), "&", Expr::atom((length - 1).to_string()))
        };
        Expr::within(&variable.before, index, &variable.after)
    }

    /// Channels that are (or are not) rendezvous and pass a test.
    pub fn channel(&mut self, accept: impl Fn(&SymbolTable, &Channel) -> bool) -> Option<Channel> {
        let candidates: Vec<Channel> =
            self.channels.iter().filter(|channel| accept(self.symbols, channel)).cloned().collect();
        (!candidates.is_empty()).then(|| self.rng.pick(&candidates).clone())
    }

    pub fn buffered_channel(&mut self) -> Option<Channel> {
        self.channel(|symbols, channel| !symbols.is_rendezvous(channel))
    }

    /// Runs `make` and forgets the names it declared.
    pub fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let lengths = (self.variables.len(), self.channels.len(), self.records.len());
        let made = make(self);
        self.variables.truncate(lengths.0);
        self.channels.truncate(lengths.1);
        self.records.truncate(lengths.2);
        made
    }
}
