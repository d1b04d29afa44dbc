//! Expressions: every operator, but no division by zero, no shift out of range, no index out of range.

use super::builder::Builder;
use super::symbols::Type;
use super::tree::Expr;

/// Values at which types wrap around or change sign.
const CORNERS: [&str; 9] = ["7", "127", "128", "255", "256", "32767", "65535", "65536", "2147483647"];

impl Builder<'_> {
    /// Any number.
    pub fn number(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.chance(30) {
            return self.leaf();
        }
        match self.rng.below(12) {
            0..=3 => {
                self.marks.add("arithmetic");
                let operator = *self.rng.pick(&["+", "-", "*", "+", "-"]);
                Expr::binary(self.number(depth - 1), operator, self.number(depth - 1))
            }
            4 => {
                self.marks.add("division");
                let operator = *self.rng.pick(&["/", "%"]);
                Expr::binary(self.number(depth - 1), operator, self.divisor())
            }
            5 => {
                self.marks.add("shift");
                let operator = *self.rng.pick(&["<<", ">>"]);
                Expr::binary(self.number(depth - 1), operator, self.distance())
            }
            6 => {
                self.marks.add("bit operation");
                let operator = *self.rng.pick(&["&", "|", "^"]);
                Expr::binary(self.number(depth - 1), operator, self.number(depth - 1))
            }
            7 => {
                self.marks.add("unary");
                let operator = *self.rng.pick(&["-", "~", "!"]);
                Expr::unary(operator, self.number(depth - 1))
            }
            8 | 9 => {
                self.marks.add("conditional expression");
                Expr::Conditional(Box::new([self.condition(), self.number(depth - 1), self.number(depth - 1)]))
            }
            _ => self.condition(),
        }
    }

    fn divisor(&mut self) -> Expr {
        if self.rng.chance(70) {
            return Expr::atom(self.rng.between(1, 5).to_string());
        }
        // 1 to 4, whatever the operand
        Expr::binary(Expr::binary(self.leaf(), "&", Expr::atom("3")), "+", Expr::atom("1"))
    }

    fn distance(&mut self) -> Expr {
        if self.rng.chance(70) {
            return Expr::atom(self.rng.below(9).to_string());
        }
        Expr::binary(self.leaf(), "&", Expr::atom("7"))
    }

    fn leaf(&mut self) -> Expr {
        match self.rng.below(20) {
            0..=4 => self.constant(),
            5 => {
                self.marks.add("_pid");
                Expr::atom("_pid")
            }
            6 => {
                self.marks.add("_nr_pr");
                Expr::atom("_nr_pr")
            }
            7 => match self.channel(|_, _| true) {
                Some(channel) => {
                    self.marks.add("len");
                    Expr::atom(format!("len({})", channel.name))
                }
                None => self.constant(),
            },
            8 if self.symbols.features.last => {
                self.marks.add("_last");
                Expr::atom("_last")
            }
            _ => self.source(|ty| !matches!(ty, Type::Mtype(_))).unwrap_or_else(|| Expr::atom("1")),
        }
    }

    pub fn constant(&mut self) -> Expr {
        match self.rng.below(20) {
            0 => {
                self.marks.add("wrap-around constant");
                Expr::atom(*self.rng.pick(&CORNERS))
            }
            1 => Expr::unary("-", Expr::atom(self.rng.between(1, 3).to_string())),
            2 => Expr::atom(*self.rng.pick(&["true", "false"])),
            _ => Expr::atom(self.rng.below(4).to_string()),
        }
    }

    /// A truth value; may have any operator inside but no channel predicate, no poll and no remote reference.
    pub fn condition(&mut self) -> Expr {
        match self.rng.below(13) {
            0..=6 => self.comparison(),
            7 => {
                self.marks.add("logical operation");
                let operator = *self.rng.pick(&["&&", "||"]);
                Expr::binary(self.comparison(), operator, self.comparison())
            }
            8 => {
                self.marks.add("unary");
                Expr::unary("!", self.comparison())
            }
            9 => self.source(|ty| matches!(ty, Type::Bit | Type::Bool)).unwrap_or_else(|| self.comparison()),
            10 | 11 => self.mtype_comparison().unwrap_or_else(|| self.comparison()),
            _ => {
                self.marks.add("comparison");
                let operator = self.comparison_operator();
                Expr::binary(self.number(1), operator, self.number(1))
            }
        }
    }

    fn comparison(&mut self) -> Expr {
        self.marks.add("comparison");
        let left = match self.rng.below(6) {
            0 => self.number(1),
            _ => self.source(|ty| !matches!(ty, Type::Mtype(_))).unwrap_or_else(|| Expr::atom("_nr_pr")),
        };
        let operator = self.comparison_operator();
        Expr::binary(left, operator, Expr::atom(self.rng.below(4).to_string()))
    }

    fn comparison_operator(&mut self) -> &'static str {
        ["==", "!=", "<", "<=", ">", ">="][self.rng.below(6)]
    }

    fn mtype_comparison(&mut self) -> Option<Expr> {
        if self.symbols.mtypes.is_empty() {
            return None;
        }
        let set = self.rng.below(self.symbols.mtypes.len());
        let left = self.source(|ty| ty == Type::Mtype(set))?;
        let constant = self.rng.pick(&self.symbols.mtypes[set].constants).clone();
        let operator = *self.rng.pick(&["==", "!="]);
        Some(Expr::binary(left, operator, Expr::atom(constant)))
    }

    /// `c?[m]`: defined on buffered channels only. Not for the inside of expressions: in a model with rendezvous channels
    /// spin writes it into the C text without parentheses.
    fn poll(&mut self) -> Option<Expr> {
        let channel = self.buffered_channel().filter(|channel| self.is_numeric(channel))?;
        let pattern = self.pattern(&channel);
        let random = self.rng.chance(30);
        self.marks.add(if random { "random poll" } else { "poll" });
        Some(Expr::atom(format!("{}{}[{pattern}]", channel.name, if random { "??" } else { "?" })))
    }

    /// What a process can wait for: a condition, or a channel predicate, which SPIN takes at the top and beside && and ||
    /// only.
    pub fn guard(&mut self) -> Expr {
        match self.rng.below(11) {
            0 | 1 => self.channel_predicate().unwrap_or_else(|| self.condition()),
            2 | 3 => {
                let about_channel = if self.rng.chance(50) { self.poll() } else { self.channel_predicate() };
                match about_channel {
                    Some(predicate) if self.rng.chance(50) => {
                        let operator = *self.rng.pick(&["&&", "||"]);
                        Expr::binary(predicate, operator, self.comparison())
                    }
                    Some(predicate) => predicate,
                    None => self.condition(),
                }
            }
            4 | 5 => self.remote_condition().unwrap_or_else(|| self.condition()),
            _ => self.condition(),
        }
    }

    fn channel_predicate(&mut self) -> Option<Expr> {
        let channel = self.channel(|_, _| true)?;
        let predicate = *self.rng.pick(&["empty", "nempty", "full", "nfull"]);
        self.marks.add(predicate);
        Some(Expr::atom(format!("{predicate}({})", channel.name)))
    }

    /// Refers to an active process by its pid, in models that run no other: so the pid is never one of another type.
    fn remote_condition(&mut self) -> Option<Expr> {
        let me = self.me.filter(|&me| me > 0 && self.symbols.features.remote)?;
        let other = &self.symbols.proctypes[self.rng.below(me)]; // it must be declared above
        let (name, first_pid) = (other.name.as_ref()?, other.first_pid?);
        let pid = first_pid + self.rng.below(other.active.max(1));
        let reference = if other.active == 1 && self.rng.chance(30) { name.clone() } else { format!("{name}[{pid}]") };
        let labels: Vec<&String> = other.labels.iter().flatten().collect();
        let scalars: Vec<&String> = other
            .locals
            .iter()
            .filter(|(variable, _)| variable.length.is_none() && !matches!(variable.ty, Type::Mtype(_)))
            .map(|(variable, _)| &variable.before)
            .collect();
        if !scalars.is_empty() && self.rng.chance(50) {
            self.marks.add("remote variable");
            let variable = Expr::atom(format!("{reference}:{}", self.rng.pick(&scalars)));
            let operator = self.comparison_operator();
            return Some(Expr::binary(variable, operator, Expr::atom(self.rng.below(4).to_string())));
        }
        if labels.is_empty() {
            return None;
        }
        self.marks.add("remote label");
        let at = Expr::atom(format!("{reference}@{}", self.rng.pick(&labels)));
        Some(if self.rng.chance(30) { Expr::unary("!", at) } else { at })
    }
}
