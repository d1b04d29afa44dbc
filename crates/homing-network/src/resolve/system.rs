//! The `system` line: templates and instances become processes.

use std::sync::Arc;

use super::designator::Designator;
use super::expression::Kind;
use super::scope::Symbol;
use super::template::{ParameterPlan, Plan, TemplateState};
use super::{Reported, Res, Resolver};
use crate::ast::{self, Ident, Item, Name, Parameter};
use crate::evaluate::{Machine, Owner, in_range};
use crate::network::{
    Base, Binding, BindingTarget, ChannelBase, Constant, ConstantId, Process, ProcessId, Range, TemplateId, Type,
};
use crate::source::Span;

/// The largest number of processes.
const MOST_PROCESSES: usize = 1 << 16;

/// A process, or the processes for all values of the parameters that are left open.
#[derive(Clone, Debug)]
pub struct Family {
    pub first: ProcessId,
    pub ranges: Vec<Range>,
}

/// An argument of a process.
#[derive(Clone, Debug)]
pub enum ArgumentValue {
    Cells {
        values: Vec<i32>,
        type_: Type,
        span: Span,
    },
    Variable {
        binding: Binding,
        type_: Type,
        span: Span,
    },
    /// The number of the first channel.
    Channel {
        number: u32,
        shape: Vec<Range>,
        span: Span,
    },
}

impl ArgumentValue {
    fn span(&self) -> Span {
        match self {
            ArgumentValue::Cells { span, .. }
            | ArgumentValue::Variable { span, .. }
            | ArgumentValue::Channel { span, .. } => *span,
        }
    }
}

impl<'a> Resolver<'a> {
    /// Makes the processes of the `system` line.
    pub(super) fn system(&mut self, system: &ast::System) {
        for name in &system.processes {
            if self.families.contains_key(&name.name) {
                let _ = self.error::<()>(name.span, format!("`{}` is twice in the `system` line", name.name));
                continue;
            }
            let first = ProcessId(self.network.processes.len() as u32);
            if let Ok(ranges) = self.family(name) {
                self.families.insert(Arc::clone(&name.name), Family { first, ranges });
            }
        }
    }

    /// Checks what can be checked before an instance is used.
    pub(super) fn check_instance(&mut self, instance: &ast::Instance) -> Res<()> {
        let (_, parameters) = self.template_named(&instance.template)?;
        if parameters.len() != instance.arguments.len() {
            let (expected, given) = (parameters.len(), instance.arguments.len());
            let message = format!("`{}` has {expected} parameters, {given} are given", instance.template.name);
            return self.error(instance.span, message);
        }
        Ok(())
    }

    /// The template or instance with a name: its item and its parameters.
    fn template_named(&mut self, name: &Ident) -> Res<(usize, &'a [Parameter])> {
        let at = match self.scopes.find(&name.name) {
            Some(Symbol::Template(at) | Symbol::Instance(at)) => *at,
            Some(Symbol::Refused) => return Err(Reported),
            Some(_) => return self.error(name.span, format!("`{}` is not a template", name.name)),
            None => return self.unknown_name(&name.name, name.span),
        };
        let document = self.document;
        match &document.items[at] {
            Item::Template(template) => Ok((at, &template.parameters)),
            Item::Instance(instance) => Ok((at, &instance.parameters)),
            Item::Declaration(_) => Err(Reported),
        }
    }

    /// The processes of one name in the `system` line, and the values of the parameters that are left open.
    fn family(&mut self, name: &Ident) -> Res<Vec<Range>> {
        let (at, parameters) = self.template_named(name)?;
        let mut open = Vec::new();
        for parameter in parameters {
            open.push(self.open_parameter(name, parameter)?);
        }
        let ranges: Vec<Range> = open.iter().map(|(range, _)| *range).collect();
        let count = ranges.iter().try_fold(1usize, |count, range| count.checked_mul(range.len() as usize));
        if count.is_none_or(|count| count + self.network.processes.len() > MOST_PROCESSES) {
            return self.error(name.span, format!("there are more than {MOST_PROCESSES} processes"));
        }
        if count == Some(0) {
            return Ok(ranges);
        }
        let mut values: Vec<i32> = ranges.iter().map(|range| range.low).collect();
        loop {
            let argument = |(value, (_, type_)): (&i32, &(Range, Type))| ArgumentValue::Cells {
                values: vec![*value],
                type_: type_.clone(),
                span: name.span,
            };
            let arguments = values.iter().zip(&open).map(argument).collect();
            let process = if values.is_empty() {
                Arc::clone(&name.name)
            } else {
                let list: Vec<String> = values.iter().map(i32::to_string).collect();
                format!("{}({})", name.name, list.join(",")).into()
            };
            self.instantiate(at, arguments, &process, name.span)?;
            // The last parameter varies fastest.
            let Some(last) = (0..values.len()).rev().find(|&at| values[at] < ranges[at].high) else {
                return Ok(ranges);
            };
            values[last] += 1;
            for at in last + 1..values.len() {
                values[at] = ranges[at].low;
            }
        }
    }

    fn open_parameter(&mut self, name: &Ident, parameter: &Parameter) -> Res<(Range, Type)> {
        let is_unbounded = matches!(parameter.type_.kind, ast::TypeKind::Int(None) | ast::TypeKind::Chan);
        if parameter.by_reference || is_unbounded || !parameter.dimensions.is_empty() {
            let message = format!(
                "`{}` needs an argument for its parameter `{}`: only bounded integers and scalars can be left open",
                name.name, parameter.name.name
            );
            return self.error(name.span, message);
        }
        self.enumerated(&parameter.type_)
    }

    /// Makes a process of a template or instance.
    fn instantiate(&mut self, at: usize, arguments: Vec<ArgumentValue>, name: &Name, span: Span) -> Res<()> {
        let document = self.document;
        match &document.items[at] {
            Item::Template(template) => self.process(at, template, arguments, name, span),
            Item::Instance(instance) => {
                self.scopes.push();
                let target = self.bind_instance(instance, arguments);
                self.scopes.pop();
                let (target, arguments) = target?;
                self.instantiate(target, arguments, name, span)
            }
            Item::Declaration(_) => Err(Reported),
        }
    }

    /// The arguments that an instance gives to its template.
    fn bind_instance(
        &mut self,
        instance: &'a ast::Instance,
        arguments: Vec<ArgumentValue>,
    ) -> Res<(usize, Vec<ArgumentValue>)> {
        for (parameter, argument) in instance.parameters.iter().zip(arguments) {
            let symbol = match argument {
                ArgumentValue::Cells { .. } => {
                    let type_ = self.data_type(&parameter.type_, &parameter.dimensions)?;
                    let values = self.argument_cells(&argument, &type_)?;
                    // A scalar keeps the set of its argument.
                    self.constant_symbol(&parameter.name.name, type_, values)
                }
                ArgumentValue::Variable { binding, type_, .. } => Symbol::Bound { binding, type_ },
                ArgumentValue::Channel { number, shape, .. } => Symbol::BoundChannel { number, shape },
            };
            self.declare(&parameter.name, symbol)?;
        }
        let (target, parameters) = self.template_named(&instance.template)?;
        let mut bound = Vec::new();
        for (argument, parameter) in instance.arguments.iter().zip(parameters) {
            bound.push(self.argument(argument, parameter)?);
        }
        Ok((target, bound))
    }

    /// The value of an argument: constant, or the variable or channel itself.
    fn argument(&mut self, ast: &ast::Expr, parameter: &Parameter) -> Res<ArgumentValue> {
        let span = ast.span;
        let is_name = matches!(ast.kind, ast::ExprKind::Name(_) | ast::ExprKind::Index(..) | ast::ExprKind::Field(..));
        if is_name {
            match self.designator(ast)? {
                Designator::Channel(channel) => {
                    let offset = Machine::constant(&self.network, Owner::NONE)
                        .with_frame(&[], self.frame.next)
                        .index_sum(&channel.index);
                    let offset = channel.offset + offset.or_else(|error| self.not_evaluated(error))?;
                    let ChannelBase::Global(id) = channel.base else {
                        return self.error(span, "the channel must be one of the network");
                    };
                    let number = self.network.channels[id.index()].first + offset;
                    return Ok(ArgumentValue::Channel { number, shape: channel.shape, span });
                }
                Designator::Place { place, constant } if parameter.by_reference => {
                    let machine = Machine::constant(&self.network, Owner::NONE);
                    let offset = machine.with_frame(&[], self.frame.next).offset(&place);
                    let offset = offset.or_else(|error| self.not_evaluated(error))?;
                    let target = match place.base {
                        Base::Global(id) => BindingTarget::Global(id),
                        Base::Constant(id) => BindingTarget::Constant(id),
                        _ => return self.error(span, "a reference refers to a variable of the network"),
                    };
                    if constant && !parameter.type_.prefix.constant {
                        return self.error(span, "a constant cannot be passed as a reference");
                    }
                    return Ok(ArgumentValue::Variable {
                        binding: Binding { target, offset },
                        type_: place.type_,
                        span,
                    });
                }
                _ => {}
            }
        }
        let (operand, type_) = self.operand(ast)?;
        let machine = Machine::constant(&self.network, Owner::NONE);
        let values = machine.with_frame(&[], self.frame.next).operand(&operand);
        let values = values.or_else(|error| self.not_evaluated(error))?;
        if !parameter.by_reference {
            return Ok(ArgumentValue::Cells { values, type_, span });
        }
        if !parameter.type_.prefix.constant {
            return self.error(span, "expected a variable: the parameter is a reference");
        }
        let constant = Constant { name: Arc::clone(&parameter.name.name), type_: type_.clone(), values };
        self.network.constants.push(constant);
        let target = BindingTarget::Constant(ConstantId(self.network.constants.len() as u32 - 1));
        Ok(ArgumentValue::Variable { binding: Binding { target, offset: 0 }, type_, span })
    }

    /// The cells of an argument by value, checked against the type of the parameter.
    pub(super) fn argument_cells(&mut self, argument: &ArgumentValue, type_: &Type) -> Res<Vec<i32>> {
        let ArgumentValue::Cells { values, type_: found, span } = argument else {
            return self.error(argument.span(), format!("expected a value of {type_}, found a channel"));
        };
        if let (Some(kind), [value]) = (Kind::of(found), &values[..]) {
            self.check_kind(kind, type_, *span)?;
            let value = in_range(type_, *value, *span).or_else(|error| self.not_evaluated(error))?;
            return Ok(vec![value]);
        }
        if !found.is_like(type_) {
            return self.error(*span, format!("expected {type_}, found {found}"));
        }
        let cells = values.iter().zip(type_.cell_types()).map(|(value, cell)| in_range(cell, *value, *span));
        cells.collect::<Result<_, _>>().or_else(|error| self.not_evaluated(error))
    }

    fn process(
        &mut self,
        at: usize,
        ast: &'a ast::Template,
        arguments: Vec<ArgumentValue>,
        name: &Name,
        span: Span,
    ) -> Res<()> {
        match self.templates.remove(&at) {
            Some(TemplateState::Shared { plan, id }) => {
                let id = id.unwrap_or_else(|| self.add_template(&plan));
                let bound = self.bind(&plan, id, &arguments, name, span);
                self.templates.insert(at, TemplateState::Shared { plan, id: Some(id) });
                bound
            }
            Some(TemplateState::Specialised { visible }) => {
                self.templates.insert(at, TemplateState::Specialised { visible });
                let before = self.scopes.set_visible(visible);
                let plan = self.template(ast, Some(&arguments));
                self.scopes.set_visible(before);
                let plan = plan?;
                let id = self.add_template(&plan);
                self.bind(&plan, id, &arguments, name, span)
            }
            Some(TemplateState::Failed) => {
                self.templates.insert(at, TemplateState::Failed);
                Err(Reported)
            }
            None => Err(Reported),
        }
    }

    fn add_template(&mut self, plan: &Plan) -> TemplateId {
        self.network.templates.push(plan.template.clone());
        TemplateId(self.network.templates.len() as u32 - 1)
    }

    /// Makes the process: arguments, then constants that depend on them, then initial values.
    fn bind(
        &mut self,
        plan: &Plan,
        template: TemplateId,
        arguments: &[ArgumentValue],
        name: &Name,
        span: Span,
    ) -> Res<()> {
        let (mut values, mut references) = (Vec::new(), Vec::new());
        let mut channels = vec![0; plan.template.channels.len()];
        for (parameter, argument) in plan.parameters.iter().zip(arguments) {
            match (*parameter, argument) {
                (ParameterPlan::Value(id), argument) => {
                    values.push(self.argument_cells(argument, &plan.template.values[id.index()].type_)?);
                }
                (ParameterPlan::Reference(id), ArgumentValue::Variable { binding, type_, span }) => {
                    let expected = &plan.template.references[id.index()].type_;
                    let is_constant = matches!(binding.target, BindingTarget::Constant(_));
                    if expected != type_ && !(is_constant && expected.is_like(type_)) {
                        return self.error(*span, format!("a reference to {expected} cannot refer to {type_}"));
                    }
                    references.push(*binding);
                }
                (ParameterPlan::Channel(id), ArgumentValue::Channel { number, shape, span }) => {
                    let lengths = |shape: &[Range]| shape.iter().map(|range| range.len()).collect::<Vec<u32>>();
                    if lengths(shape) != lengths(&plan.template.channels[id.index()].shape) {
                        return self.error(*span, "the arrays of channels have different sizes");
                    }
                    channels[id.index()] = *number;
                }
                (ParameterPlan::Channel(_), argument) => return self.error(argument.span(), "expected a channel"),
                (ParameterPlan::Reference(_), argument) => {
                    return self.error(argument.span(), "expected a variable: the parameter is a reference");
                }
            }
        }
        for (id, cells) in &plan.derived {
            let type_ = &plan.template.values[id.index()].type_;
            let derived = self.process_cells(plan, cells, type_, &values, &references)?;
            values.push(derived);
        }
        for own in &plan.own_channels {
            let full: Name = format!("{name}.{}", own.name.name).into();
            let id = self.add_channel(&full, own.broadcast, own.urgent, own.shape.clone(), own.name.span)?;
            channels[own.id.index()] = self.network.channels[id.index()].first;
        }
        let mut locals = Vec::new();
        for local in &plan.template.locals {
            self.count_cells(&local.type_, local.span)?;
            locals.extend(self.process_cells(plan, &local.initial, &local.type_, &values, &references)?);
        }
        if self.network.processes.len() >= MOST_PROCESSES {
            return self.error(span, format!("there are more than {MOST_PROCESSES} processes"));
        }
        self.network.processes.push(Process { name: Arc::clone(name), template, values, references, channels, locals });
        Ok(())
    }

    fn process_cells(
        &mut self,
        plan: &Plan,
        cells: &[crate::network::Expr],
        type_: &Type,
        values: &[Vec<i32>],
        references: &[Binding],
    ) -> Res<Vec<i32>> {
        let mut evaluated = Vec::with_capacity(cells.len());
        for (cell, cell_type) in cells.iter().zip(type_.cell_types()) {
            let owner = Owner { values, references, process: None };
            let value = Machine::constant(&self.network, owner).with_frame(&[], plan.frame).value(cell);
            let value = value.and_then(|value| in_range(cell_type, value, cell.span));
            evaluated.push(value.or_else(|error| self.not_evaluated(error))?);
        }
        Ok(evaluated)
    }
}
