//! Templates: parameters, declarations, locations and edges.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::assigned::assigned_names;
use super::designator::Designator;
use super::scope::Symbol;
use super::system::ArgumentValue;
use super::types::Declared;
use super::{Reported, Res, Resolver};
use crate::ast::{self, Declaration, Ident, Name};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::evaluate::{Machine, Owner, RuntimeErrorKind};
use crate::network::{
    Base, ChannelParameter, ChannelParameterId, Condition, Edge, Expr, ExprKind, Local, LocalId, Location, LocationId,
    Place, Range, ReferenceId, Select, Sync, Template, TemplateId, Type, Value, ValueId,
};

/// The largest number of combinations that the `select` of an edge has.
const MOST_CHOICES: u32 = 1 << 16;

/// A template with what is needed to make processes of it.
#[derive(Debug)]
pub struct Plan {
    pub template: Template,
    pub parameters: Vec<ParameterPlan>,
    /// Constants that depend on parameters, in their order.
    pub derived: Vec<(ValueId, Vec<Expr>)>,
    /// Channels that each process has of its own.
    pub own_channels: Vec<OwnChannel>,
    /// The size of the frame that initial values need.
    pub frame: u32,
}

/// What becomes of an argument.
#[derive(Clone, Copy, Debug)]
pub enum ParameterPlan {
    Value(ValueId),
    Reference(ReferenceId),
    Channel(ChannelParameterId),
}

#[derive(Debug)]
pub struct OwnChannel {
    pub name: Ident,
    pub broadcast: bool,
    pub urgent: bool,
    pub shape: Vec<Range>,
    pub id: ChannelParameterId,
}

/// How processes of a template are made.
#[derive(Debug)]
pub enum TemplateState {
    /// All share it. The id is given by the first process.
    Shared { plan: Box<Plan>, id: Option<TemplateId> },
    /// It is resolved for each, with the names of the network that it can use.
    Specialised { visible: u32 },
    /// It has errors.
    Failed,
}

impl Resolver<'_> {
    pub(super) fn current_plan(&mut self) -> &mut Plan {
        self.plan.as_mut().expect("the names of a template are in scope only while it is resolved")
    }

    /// Resolves a template for all of its processes, if that is possible.
    pub(super) fn shared_template(&mut self, at: usize, ast: &ast::Template) {
        let mut messages = Diagnostics::default();
        messages.begin("semantics");
        let before = std::mem::replace(&mut self.diagnostics, messages);
        let marks = (self.network.functions.len(), self.network.constants.len(), self.scalar_sets);
        self.specialise = Some(false);
        let plan = self.template(ast, None);
        let specialise = self.specialise.take() == Some(true);
        let messages = std::mem::replace(&mut self.diagnostics, before);
        let state = if specialise {
            self.network.functions.truncate(marks.0);
            self.effects.truncate(marks.0);
            self.network.constants.truncate(marks.1);
            self.scalar_sets = marks.2;
            TemplateState::Specialised { visible: self.scopes.declared() }
        } else {
            messages.messages().iter().for_each(|message| self.diagnostics.push(message.clone()));
            match plan {
                Ok(plan) if !messages.has_errors() => TemplateState::Shared { plan: Box::new(plan), id: None },
                _ => TemplateState::Failed,
            }
        };
        self.templates.insert(at, state);
    }

    /// Resolves a template; with arguments its parameters are constants. All errors in it are reported.
    pub(super) fn template(&mut self, ast: &ast::Template, arguments: Option<&[ArgumentValue]>) -> Res<Plan> {
        let template = Template {
            name: Arc::clone(&ast.name.name),
            values: Vec::new(),
            references: Vec::new(),
            channels: Vec::new(),
            locals: Vec::new(),
            locations: Vec::new(),
            initial: LocationId(0),
            edges: Vec::new(),
        };
        self.plan =
            Some(Plan { template, parameters: Vec::new(), derived: Vec::new(), own_channels: Vec::new(), frame: 0 });
        let frame = std::mem::take(&mut self.frame);
        self.scopes.push();
        let resolved = self.template_parts(ast, arguments);
        self.scopes.pop();
        self.frame = frame;
        let plan = self.plan.take();
        resolved?;
        plan.ok_or(Reported)
    }

    fn template_parts(&mut self, ast: &ast::Template, arguments: Option<&[ArgumentValue]>) -> Res<()> {
        let assigned = assigned_names(ast);
        let mut failed = false;
        for (at, parameter) in ast.parameters.iter().enumerate() {
            let argument = arguments.and_then(|arguments| arguments.get(at));
            let symbol = self.template_parameter(parameter, &assigned, argument);
            failed |= symbol.is_err();
            failed |= self.declare(&parameter.name, symbol.unwrap_or(Symbol::Refused)).is_err();
        }
        for declaration in &ast.declarations {
            failed |= match declaration {
                Declaration::Typedef { name, type_, dimensions } => self.typedef(name, type_, dimensions).is_err(),
                Declaration::Function(function) => self.function(function).is_err(),
                Declaration::Variable(variable) => {
                    let symbol = self.template_variable(variable);
                    let is_wrong = symbol.is_err();
                    self.declare(&variable.name, symbol.unwrap_or(Symbol::Refused)).is_err() || is_wrong
                }
            };
        }
        self.current_plan().frame = self.frame.next;
        failed |= self.locations(ast).is_err();
        failed |= self.edges(ast).is_err();
        if failed { Err(Reported) } else { Ok(()) }
    }

    fn template_parameter(
        &mut self,
        ast: &ast::Parameter,
        assigned: &HashSet<Name>,
        argument: Option<&ArgumentValue>,
    ) -> Res<Symbol> {
        let name = Arc::clone(&ast.name.name);
        let constant = ast.type_.prefix.constant;
        let type_ = match self.declared_type(&ast.type_, &ast.dimensions)? {
            Declared::Void => return self.error(ast.type_.span, "a parameter cannot be `void`"),
            Declared::Channel { shape, .. } => {
                let plan = self.current_plan();
                let id = ChannelParameterId(plan.template.channels.len() as u32);
                plan.template.channels.push(ChannelParameter { name, shape });
                plan.parameters.push(ParameterPlan::Channel(id));
                return Ok(Symbol::ChannelParameter(id));
            }
            Declared::Data(type_) => type_,
        };
        if ast.by_reference {
            let plan = self.current_plan();
            let id = ReferenceId(plan.template.references.len() as u32);
            plan.template.references.push(Value { name, type_ });
            plan.parameters.push(ParameterPlan::Reference(id));
            return Ok(Symbol::Reference { id, constant });
        }
        let id = self.add_value(Arc::clone(&name), type_.clone());
        self.current_plan().parameters.push(ParameterPlan::Value(id));
        if !constant && assigned.contains(&name) {
            let cell = |(at, cell): (usize, &Type)| {
                let span = ast.name.span;
                let place =
                    Place { base: Base::Value(id), offset: at as u32, index: Vec::new(), type_: cell.clone(), span };
                Expr { kind: ExprKind::Read(place), span }
            };
            let initial = type_.cell_types().into_iter().enumerate().map(cell).collect();
            return Ok(Symbol::Local(self.add_local(&ast.name, type_, initial, false)));
        }
        match argument {
            Some(argument) => {
                let values = self.argument_cells(argument, &type_)?;
                Ok(self.constant_symbol(&name, type_, values))
            }
            None => Ok(Symbol::Value(id)),
        }
    }

    fn add_value(&mut self, name: Name, type_: Type) -> ValueId {
        let values = &mut self.current_plan().template.values;
        values.push(Value { name, type_ });
        ValueId(values.len() as u32 - 1)
    }

    fn add_local(&mut self, name: &Ident, type_: Type, initial: Vec<Expr>, meta: bool) -> LocalId {
        let local = Local { name: Arc::clone(&name.name), type_, initial, meta, span: name.span };
        let locals = &mut self.current_plan().template.locals;
        locals.push(local);
        LocalId(locals.len() as u32 - 1)
    }

    fn template_variable(&mut self, ast: &ast::Variable) -> Res<Symbol> {
        match self.declared_type(&ast.type_, &ast.dimensions)? {
            Declared::Void => self.error(ast.name.span, "a variable cannot be `void`"),
            Declared::Channel { broadcast, urgent, shape } => {
                self.refuse_initialiser(ast)?;
                let name = ast.name.clone();
                let plan = self.current_plan();
                let id = ChannelParameterId(plan.template.channels.len() as u32);
                plan.template.channels.push(ChannelParameter { name: Arc::clone(&name.name), shape: shape.clone() });
                plan.own_channels.push(OwnChannel { name, broadcast, urgent, shape, id });
                Ok(Symbol::ChannelParameter(id))
            }
            Declared::Data(type_) if ast.type_.prefix.constant => {
                let initial = self.required_initialiser(ast)?;
                let cells = self.initial_cells(&type_, Some(initial))?;
                if self.specialise.is_some() && self.depends_on_process(&cells) {
                    let id = self.add_value(Arc::clone(&ast.name.name), type_);
                    self.current_plan().derived.push((id, cells));
                    return Ok(Symbol::Value(id));
                }
                let values = self.constant_cells(&cells, &type_)?;
                Ok(self.constant_symbol(&ast.name.name, type_, values))
            }
            Declared::Data(type_) => {
                let initial = self.initial_cells(&type_, ast.initial.as_ref())?;
                let meta = ast.type_.prefix.meta;
                if meta {
                    self.warn_of_meta(&ast.name);
                }
                Ok(Symbol::Local(self.add_local(&ast.name, type_, initial, meta)))
            }
        }
    }

    /// Whether cells cannot be evaluated without a process.
    fn depends_on_process(&self, cells: &[Expr]) -> bool {
        cells.iter().any(|cell| {
            let machine = Machine::constant(&self.network, Owner::NONE);
            let value = machine.with_frame(&[], self.frame.next).value(cell);
            value.is_err_and(|error| error.kind == RuntimeErrorKind::NotConstant)
        })
    }

    fn locations(&mut self, ast: &ast::Template) -> Res<()> {
        let mut failed = false;
        for name in ast.locations.iter().filter(|location| !location.unnamed).map(|location| &location.name) {
            failed |= self.declare(name, Symbol::Location).is_err();
        }
        for location in &ast.locations {
            let invariant = location.invariant.as_ref().map(|invariant| {
                let (expr, frame) = self.with_frame(|resolver| resolver.pure_number(invariant, "an invariant"));
                expr.map(|expr| Condition { expr, frame })
            });
            let invariant = invariant.transpose().unwrap_or_else(|Reported| {
                failed = true;
                None
            });
            let resolved = Location {
                name: Arc::clone(&location.name.name),
                invariant,
                committed: location.committed,
                urgent: location.urgent,
                span: location.name.span,
            };
            self.current_plan().template.locations.push(resolved);
        }
        match &ast.initial {
            None => {
                let message = format!("template `{}` has no initial location", ast.name.name);
                self.error(ast.name.span, message)?;
            }
            Some(initial) => match ast.locations.iter().position(|location| location.name.name == initial.name) {
                Some(at) => self.current_plan().template.initial = LocationId(at as u32),
                None => self.error(initial.span, format!("there is no location `{}`", initial.name))?,
            },
        }
        if failed { Err(Reported) } else { Ok(()) }
    }

    fn edges(&mut self, ast: &ast::Template) -> Res<()> {
        let named = |(at, location): (usize, &ast::Location)| (Arc::clone(&location.name.name), LocationId(at as u32));
        let locations: HashMap<Name, LocationId> = ast.locations.iter().enumerate().map(named).collect();
        let is_branch_point = |name: &Ident| ast.branch_points.iter().any(|point| point.name == name.name);
        let mut failed = false;
        for edge in &ast.edges {
            if is_branch_point(&edge.source) {
                failed |= self.check_branch(edge, is_branch_point(&edge.target)).is_err();
                continue;
            }
            if let Some(span) = edge.probability {
                let message = "the probability is ignored: the edge does not begin at a branch point";
                self.diagnostics.push(Diagnostic::warning(span, message));
            }
            if !is_branch_point(&edge.target) {
                failed |= self.edge(edge, None, &locations).is_err();
                continue;
            }
            for branch in ast.edges.iter().filter(|branch| branch.source.name == edge.target.name) {
                failed |= self.edge(edge, Some(branch), &locations).is_err();
            }
        }
        if failed { Err(Reported) } else { Ok(()) }
    }

    /// Checks an edge out of a branch point: it has a target and an update.
    fn check_branch(&mut self, edge: &ast::Edge, leads_to_branch_point: bool) -> Res<()> {
        if leads_to_branch_point {
            return self.unsupported(edge.span, "branch points that lead to branch points");
        }
        if edge.guard.is_some() || edge.sync.is_some() || !edge.select.is_empty() {
            return self.error(edge.span, "an edge out of a branch point has an update only");
        }
        if let Some(span) = edge.probability {
            let message = "the weight of the branch is ignored: each branch is possible";
            self.diagnostics.push(Diagnostic::warning(span, message));
        }
        Ok(())
    }

    fn edge(&mut self, ast: &ast::Edge, branch: Option<&ast::Edge>, locations: &HashMap<Name, LocationId>) -> Res<()> {
        let mut location = |name: &Ident| match locations.get(&name.name) {
            Some(id) => Ok(*id),
            None => self.error(name.span, format!("there is no location `{}`", name.name)),
        };
        let source = location(&ast.source);
        let target = location(branch.map_or(&ast.target, |branch| &branch.target));
        self.scopes.push();
        let (labels, frame) = self.with_frame(|resolver| resolver.edge_labels(ast, branch));
        self.scopes.pop();
        let (source, target) = (source?, target?);
        let (select, guard, sync, update) = labels?;
        let edge = Edge { source, target, select, guard, sync, update, frame, span: ast.span };
        self.current_plan().template.edges.push(edge);
        Ok(())
    }

    #[allow(clippy::type_complexity, reason = "the four labels of an edge, named where they are used")]
    fn edge_labels(
        &mut self,
        ast: &ast::Edge,
        branch: Option<&ast::Edge>,
    ) -> Res<(Vec<Select>, Option<Expr>, Option<Sync>, Vec<Expr>)> {
        let mut failed = false;
        let mut select = Vec::new();
        for variable in &ast.select {
            // The cell is reserved even after an error: the next variable has the next one.
            let enumerated = self.enumerated(&variable.type_);
            let offset = self.allocate(1);
            let symbol = match enumerated {
                Ok((range, type_)) => {
                    select.push(Select { name: Arc::clone(&variable.name.name), range });
                    Symbol::Frame { offset, type_, constant: true }
                }
                Err(Reported) => {
                    failed = true;
                    Symbol::Refused
                }
            };
            failed |= self.declare(&variable.name, symbol).is_err();
        }
        let choices = select.iter().try_fold(1u32, |count, select| count.checked_mul(select.range.len()));
        if choices.is_none_or(|choices| choices > MOST_CHOICES) {
            let message = format!("the edge chooses among more than {MOST_CHOICES} values");
            return self.error(ast.select[0].name.span, message);
        }
        let guard = ast.guard.as_ref().map(|guard| self.pure_number(guard, "a guard")).transpose();
        let sync = ast.sync.as_ref().map(|sync| self.sync(sync)).transpose();
        let updates = ast.update.iter().chain(branch.into_iter().flat_map(|branch| &branch.update));
        let update: Vec<Res<Expr>> = updates.map(|update| self.update(update)).collect();
        let (guard, sync, update) = (guard?, sync?, update.into_iter().collect::<Res<Vec<Expr>>>()?);
        if failed { Err(Reported) } else { Ok((select, guard, sync, update)) }
    }

    fn sync(&mut self, ast: &ast::Sync) -> Res<Sync> {
        let before = std::mem::take(&mut self.writes);
        let channel = self.designator(&ast.channel);
        let changes = self.writes.state || self.writes.references;
        self.writes = before;
        let channel = match channel? {
            Designator::Channel(channel) => channel,
            _ => return self.error(ast.channel.span, "expected a channel"),
        };
        if changes {
            return self.error(ast.channel.span, "the index of a channel cannot change variables");
        }
        if !channel.shape.is_empty() {
            return self.error(ast.channel.span, "this is an array of channels: an index is missing");
        }
        let (base, offset, index) = (channel.base, channel.offset, channel.index);
        Ok(Sync { channel: base, offset, index, direction: ast.direction, span: ast.span })
    }
}
