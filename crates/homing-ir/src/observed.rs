//! What of a process others can observe: its variables and its location from outside, and what a claim or an invariant reads.

use homing_core::Condition;

use crate::{Access, AccessSet, AccessSets, Automaton, Model, Object, ProctypeId, VarId};

/// What is observed by another than the process itself. Reductions leave it alone.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Globals that a claim, a formula or an invariant reads.
    globals: Vec<bool>,
    /// By process type: locals that others read, or that its own `provided` clause does.
    locals: Vec<Vec<bool>>,
    /// By process type: locations that a remote reference may test.
    locations: Vec<Vec<bool>>,
    /// Some expression asks where a process stands, whether it can move, or which one moved last.
    pub control: bool,
}

impl Observed {
    /// Nothing of a model.
    fn nothing(model: &Model) -> Self {
        let locals = |proctype: &crate::Proctype| vec![false; proctype.locals.len()];
        let locations = |proctype: &crate::Proctype| vec![false; proctype.automaton.locations.len()];
        Observed {
            globals: vec![false; model.globals.len()],
            locals: model.proctypes.iter().map(locals).collect(),
            locations: model.proctypes.iter().map(locations).collect(),
            control: false,
        }
    }

    /// What a property of infinite runs observes: what propositions read and, where that is asked for, acceptance and progress labels.
    pub fn by_propositions(model: &Model) -> Self {
        let mut observed = Observed::nothing(model);
        let accesses = AccessSet::of_exprs(model, None, &model.propositions);
        observed.by_property(&accesses);
        if model.observes_labels || accesses.iter().any(|access| access.object == Object::Progress) {
            observed.by_labels(model);
        }
        observed
    }

    /// What is observed in a model.
    pub fn in_model(model: &Model, accesses: &AccessSets) -> Self {
        let mut observed = Observed { control: model.features.last, ..Observed::nothing(model) };
        accesses.iter().for_each(|access| observed.by_process(access));
        for (locals, proctype) in observed.locals.iter_mut().zip(accesses.proctypes()) {
            for var in proctype.provided.iter().filter_map(Access::local) {
                locals[var.var.index()] = true;
            }
        }
        for claim in &model.claims {
            observed.by_automaton(model, &claim.automaton);
        }
        if let Some(monitor) = &model.monitor {
            observed.by_automaton(model, &monitor.automaton);
            observed.by_property(&AccessSet::of_exprs(model, None, monitor.sends.iter().chain(&monitor.receives)));
        }
        let invariants = model.invariants.iter().map(|invariant| &invariant.expr);
        observed.by_property(&AccessSet::of_exprs(model, None, invariants));
        if !Condition::CyclePropositions.is_off() {
            observed.by_property(&AccessSet::of_exprs(model, None, &model.propositions));
        }
        if model.observes_labels && !Condition::CycleLabels.is_off() {
            observed.by_labels(model);
        }
        let propositions = model.formulas.iter().flat_map(|named| named.formula.propositions());
        observed.by_property(&AccessSet::of_exprs(model, None, propositions));
        observed
    }

    /// Whether a claim, a formula or an invariant reads a global variable.
    pub fn global(&self, var: VarId) -> bool {
        self.globals[var.index()]
    }

    /// Whether a local variable is read by another than the statements of its process.
    pub fn local(&self, proctype: ProctypeId, var: VarId) -> bool {
        self.locals[proctype.index()][var.index()]
    }

    /// Whether a remote reference may test a location.
    pub fn location(&self, proctype: ProctypeId, location: u32) -> bool {
        self.locations[proctype.index()][location as usize]
    }

    /// An access of a process.
    fn by_process(&mut self, access: &Access) {
        match access.object {
            Object::RemoteVariable { proctype, var, .. } => self.locals[proctype.index()][var.index()] = true,
            Object::RemoteLocation { proctype, pid, location } => {
                // a process that is named by its number may be of another type: then the numbers of locations are compared
                let is_seen = |id: usize| pid.is_some() || id == proctype.index();
                for (_, locations) in self.locations.iter_mut().enumerate().filter(|(id, _)| is_seen(*id)) {
                    locations.get_mut(location as usize).into_iter().for_each(|seen| *seen = true);
                }
            }
            Object::Enabledness(_) | Object::Position(_) | Object::LastMover => self.control = true,
            _ => {}
        }
    }

    /// The accesses of a claim, monitor, formula or invariant.
    fn by_property(&mut self, accesses: &AccessSet) {
        for access in accesses.iter() {
            self.by_process(access);
            if let Some(var) = access.global() {
                self.globals[var.var.index()] = true;
            }
        }
    }

    /// Acceptance and progress labels: whether a process stands at one.
    fn by_labels(&mut self, model: &Model) {
        for (locations, proctype) in self.locations.iter_mut().zip(&model.proctypes) {
            for (is_seen, location) in locations.iter_mut().zip(&proctype.automaton.locations) {
                *is_seen |= location.labels.accept || location.labels.progress;
            }
        }
    }

    fn by_automaton(&mut self, model: &Model, automaton: &Automaton) {
        for statement in &automaton.statements {
            self.by_property(&AccessSet::of_action(model, None, &statement.action));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{P, assign, number, straight, value, var};
    use crate::{Action, Expr, Formula, Invariant, NamedFormula, Place, TemporalUnary};

    fn observed(change: impl Fn(&mut Model)) -> Observed {
        let mut model = straight(vec![assign(var("x"), value("l")), assign(var("y"), number(1))]);
        change(&mut model);
        Observed::in_model(&model, &AccessSets::of(&model))
    }

    fn add_condition(model: &mut Model, expr: Expr) {
        model.proctypes[0].automaton.statements[1].action = Action::Condition(expr);
    }

    #[test]
    fn properties_observe_globals() {
        let globals = |observed: &Observed| [0, 1].map(|var| observed.global(VarId(var)));
        assert_eq!(globals(&observed(|_| {})), [false, false]);
        let invariant = |model: &mut Model| {
            model.add_invariant(Invariant { text: "y".to_owned(), expr: value("y") });
        };
        assert_eq!(globals(&observed(invariant)), [false, true]);
        let formula = |model: &mut Model| {
            let formula = Formula::unary(TemporalUnary::Always, Formula::Proposition(value("x")));
            model.formulas.push(NamedFormula { name: "f".to_owned(), formula, place: Place::default() });
        };
        assert_eq!(globals(&observed(formula)), [true, false]);
    }

    #[test]
    fn processes_observe_each_other() {
        let local = |observed: &Observed| [1, 2].map(|var| observed.local(P, VarId(var)));
        let remote = Expr::RemoteVar { proctype: P, pid: None, var: VarId(2), indices: Vec::new() };
        assert_eq!(local(&observed(|model| add_condition(model, remote.clone()))), [false, true]);
        assert_eq!(local(&observed(|model| model.proctypes[0].provided = Some(value("l")))), [true, false]);

        let label = Expr::RemoteLabel { proctype: P, pid: None, location: 2, label: "L".into() };
        let found = observed(|model| add_condition(model, label.clone()));
        assert_eq!([1, 2].map(|at| found.location(P, at)), [false, true]);
        assert!(!found.control);
        let other = |pid: Option<Expr>| {
            let found = observed(|model| {
                model.proctypes.push(model.proctypes[0].clone());
                let pid = pid.clone().map(Box::new);
                add_condition(model, Expr::RemoteLabel { proctype: P, pid, location: 2, label: "L".into() });
            });
            found.location(ProctypeId(1), 2)
        };
        assert_eq!([other(None), other(Some(number(1)))], [false, true], "a number may be that of another type");
        for expr in [Expr::Last, Expr::Enabled(Box::new(number(0))), Expr::Location(Box::new(number(0)))] {
            assert!(observed(|model| add_condition(model, expr.clone())).control, "{expr:?}");
        }
    }
}
