//! Names with indices and fields: what they refer to.

use std::sync::Arc;

use super::scope::{Symbol, nearest};
use super::{Reported, Res, Resolver};
use crate::ast::{self, ExprKind as Syntax, Ident};
use crate::diagnostic::Diagnostic;
use crate::network::{
    Base, BindingTarget, ChannelBase, Expr, ExprKind, Index, LocalId, LocationId, Place, ProcessId, ProcessRef, Range,
    ReferenceId, RemoteBase, Type, ValueId,
};
use crate::source::Span;

/// What a name with indices and fields refers to.
pub enum Designator {
    Place {
        place: Place,
        constant: bool,
    },
    Number(i32, Type),
    Channel(ChannelPlace),
    /// A process, in a query.
    Process(ProcessRef),
    /// Whether a process is in a location.
    AtLocation(ProcessRef, LocationId),
}

/// A channel or an array of them.
pub struct ChannelPlace {
    pub base: ChannelBase,
    /// Added to the number of the first channel.
    pub offset: u32,
    pub index: Vec<Index>,
    /// The bounds of the indices that are not given.
    pub shape: Vec<Range>,
    pub span: Span,
}

impl Resolver<'_> {
    pub(super) fn designator(&mut self, ast: &ast::Expr) -> Res<Designator> {
        match &ast.kind {
            Syntax::Name(name) => self.named(name, ast.span),
            Syntax::Index(array, index) => {
                let array = self.designator(array)?;
                self.element(array, index, ast.span)
            }
            Syntax::Field(record, field) => {
                let record = self.designator(record)?;
                self.field(record, field, ast.span)
            }
            Syntax::Call(process, arguments) => self.family_member(process, arguments, ast.span),
            _ => self.error(ast.span, "expected a variable"),
        }
    }

    fn named(&mut self, name: &Arc<str>, span: Span) -> Res<Designator> {
        let Some(symbol) = self.scopes.find(name).cloned() else { return self.unknown_name(name, span) };
        let place = |base, type_, constant| {
            let place = Place { base, offset: 0, index: Vec::new(), type_, span };
            Ok(Designator::Place { place, constant })
        };
        match symbol {
            Symbol::Number(value, type_) => Ok(Designator::Number(value, type_)),
            Symbol::Constant(id) => {
                let type_ = self.network.constants[id.index()].type_.clone();
                place(Base::Constant(id), type_, true)
            }
            Symbol::Global(id) => place(Base::Global(id), self.network.globals[id.index()].type_.clone(), false),
            Symbol::Local(id) => {
                let type_ = self.current_plan().template.locals[id.index()].type_.clone();
                place(Base::Local(id), type_, false)
            }
            Symbol::Value(id) => {
                let type_ = self.current_plan().template.values[id.index()].type_.clone();
                place(Base::Value(id), type_, true)
            }
            Symbol::Reference { id, constant } => {
                let type_ = self.current_plan().template.references[id.index()].type_.clone();
                place(Base::Reference(id), type_, constant)
            }
            Symbol::Bound { binding, type_ } => {
                let (base, constant) = match binding.target {
                    BindingTarget::Global(id) => (Base::Global(id), false),
                    BindingTarget::Constant(id) => (Base::Constant(id), true),
                };
                let place = Place { base, offset: binding.offset, index: Vec::new(), type_, span };
                Ok(Designator::Place { place, constant })
            }
            Symbol::Frame { offset, .. } if offset < self.frame.floor => {
                self.error(span, "the value must be known before the model runs")
            }
            Symbol::Frame { offset, type_, constant } => place(Base::Frame(offset), type_, constant),
            Symbol::FrameReference { number, type_, constant } => place(Base::FrameReference(number), type_, constant),
            Symbol::Channel(id) => {
                let shape = self.network.channels[id.index()].shape.clone();
                let base = ChannelBase::Global(id);
                Ok(Designator::Channel(ChannelPlace { base, offset: 0, index: Vec::new(), shape, span }))
            }
            Symbol::ChannelParameter(id) => {
                let shape = self.current_plan().template.channels[id.index()].shape.clone();
                let base = ChannelBase::Parameter(id);
                Ok(Designator::Channel(ChannelPlace { base, offset: 0, index: Vec::new(), shape, span }))
            }
            Symbol::BoundChannel { number, shape } => {
                let (id, channel) = self.network.channel_of(number);
                let (base, offset) = (ChannelBase::Global(id), number - channel.first);
                Ok(Designator::Channel(ChannelPlace { base, offset, index: Vec::new(), shape, span }))
            }
            Symbol::Template(_) | Symbol::Instance(_) if self.in_query => self.process_named(name, span),
            Symbol::Template(_) | Symbol::Instance(_) => {
                self.error(span, format!("`{name}` is a template, not a variable"))
            }
            Symbol::Type(_) => self.error(span, format!("`{name}` is a type, not a variable")),
            Symbol::Function(_) | Symbol::OpenFunction => {
                self.error(span, format!("`{name}` is a function: call it with `{name}()`"))
            }
            Symbol::Location => {
                let message = format!("`{name}` is a location; a location can be tested in a query only");
                self.error(span, message)
            }
            Symbol::Refused => Err(Reported),
        }
    }

    pub(super) fn unknown_name<T>(&mut self, name: &str, span: Span) -> Res<T> {
        let help = nearest(name, self.scopes.names()).map(|near| format!("did you mean `{near}`?"));
        self.diagnostics.push(Diagnostic { help, ..Diagnostic::error(span, format!("there is no `{name}`")) });
        Err(Reported)
    }

    fn element(&mut self, array: Designator, index: &ast::Expr, span: Span) -> Res<Designator> {
        match array {
            Designator::Place { mut place, constant } => {
                let Type::Array { low, length, element } = place.type_ else {
                    return self.error(place.span, format!("{} has no elements", place.type_));
                };
                let stride = element.cells();
                self.add_index(
                    index,
                    Range { low, high: range_end(low, length) },
                    stride,
                    &mut place.offset,
                    &mut place.index,
                )?;
                place.type_ = *element;
                place.span = span;
                Ok(Designator::Place { place, constant })
            }
            Designator::Channel(mut channel) => {
                if channel.shape.is_empty() {
                    return self.error(channel.span, "the channel has no elements");
                }
                let range = channel.shape.remove(0);
                let stride = channel.shape.iter().map(|range| range.len()).product();
                self.add_index(index, range, stride, &mut channel.offset, &mut channel.index)?;
                channel.span = span;
                Ok(Designator::Channel(channel))
            }
            Designator::Number(..) | Designator::AtLocation(..) => self.error(span, "a single value has no elements"),
            Designator::Process(_) => self.error(span, "a process has no elements; write `P(i)`"),
        }
    }

    /// Adds an index to the constant part if it is known and in range, else to the others.
    fn add_index(
        &mut self,
        index: &ast::Expr,
        range: Range,
        stride: u32,
        offset: &mut u32,
        indices: &mut Vec<Index>,
    ) -> Res<()> {
        let (expr, _) = self.value(index)?;
        match expr.kind {
            ExprKind::Constant(value) if (range.low..=range.high).contains(&value) => {
                *offset += (i64::from(value) - i64::from(range.low)) as u32 * stride;
            }
            _ => indices.push(Index { expr, low: range.low, length: range.len(), stride }),
        }
        Ok(())
    }

    fn field(&mut self, record: Designator, field: &Ident, span: Span) -> Res<Designator> {
        match record {
            Designator::Place { mut place, constant } => {
                let Type::Record(fields) = place.type_ else {
                    return self.error(field.span, format!("{} has no fields", place.type_));
                };
                let Some(at) = fields.iter().position(|(name, _)| *name == field.name) else {
                    let help = nearest(&field.name, fields.iter().map(|(name, _)| &**name));
                    let help = help.map(|near| format!("did you mean `{near}`?"));
                    let diagnostic = Diagnostic::error(field.span, format!("there is no field `{}`", field.name));
                    self.diagnostics.push(Diagnostic { help, ..diagnostic });
                    return Err(Reported);
                };
                place.offset += fields[..at].iter().map(|(_, type_)| type_.cells()).sum::<u32>();
                place.type_ = fields[at].1.clone();
                place.span = span;
                Ok(Designator::Place { place, constant })
            }
            Designator::Process(process) => self.member(process, field, span),
            Designator::Number(..) | Designator::AtLocation(..) => {
                self.error(field.span, "a single value has no fields")
            }
            Designator::Channel(_) => self.error(field.span, "a channel has no fields"),
        }
    }

    /// A process without parameters.
    fn process_named(&mut self, name: &Arc<str>, span: Span) -> Res<Designator> {
        match self.families.get(name) {
            Some(family) if family.ranges.is_empty() => {
                Ok(Designator::Process(ProcessRef { first: family.first, index: Vec::new() }))
            }
            Some(family) => {
                let parameters = family.ranges.len();
                self.error(span, format!("`{name}` has {parameters} parameters: write `{name}(…)`"))
            }
            None => self.error(span, format!("`{name}` is not in the `system` line")),
        }
    }

    /// `P(i)` in a query.
    fn family_member(&mut self, process: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Res<Designator> {
        let Syntax::Name(name) = &process.kind else { return self.error(span, "expected a variable") };
        let is_process = matches!(self.scopes.find(name), Some(Symbol::Template(_) | Symbol::Instance(_)));
        if !is_process || !self.in_query {
            return self.error(span, "the result of a function has no elements and no fields here");
        }
        let Some(family) = self.families.get(name).cloned() else {
            return self.error(process.span, format!("`{name}` is not in the `system` line"));
        };
        if family.ranges.len() != arguments.len() {
            let message = format!("`{name}` has {} parameters, {} are given", family.ranges.len(), arguments.len());
            return self.error(span, message);
        }
        let mut stride = family.ranges.iter().map(|range| range.len()).product::<u32>();
        if stride == 0 {
            return self.error(span, format!("there is no process `{name}`"));
        }
        let (mut offset, mut index) = (0, Vec::new());
        for (argument, range) in arguments.iter().zip(&family.ranges) {
            stride /= range.len();
            self.add_index(argument, *range, stride, &mut offset, &mut index)?;
        }
        Ok(Designator::Process(ProcessRef { first: ProcessId(family.first.0 + offset), index }))
    }

    /// `P.location` or `P.variable` in a query.
    fn member(&mut self, process: ProcessRef, name: &Ident, span: Span) -> Res<Designator> {
        let template = self.network.template_of(process.first);
        if let Some(at) = template.locations.iter().position(|location| location.name == name.name) {
            return Ok(Designator::AtLocation(process, LocationId(at as u32)));
        }
        let of = |values: &[crate::network::Value]| {
            let at = values.iter().position(|value| value.name == name.name)?;
            Some((at as u32, values[at].type_.clone()))
        };
        let local = template.locals.iter().position(|local| local.name == name.name);
        let found = local
            .map(|at| (RemoteBase::Local(LocalId(at as u32)), template.locals[at].type_.clone()))
            .or_else(|| of(&template.values).map(|(at, type_)| (RemoteBase::Value(ValueId(at)), type_)))
            .or_else(|| of(&template.references).map(|(at, type_)| (RemoteBase::Reference(ReferenceId(at)), type_)));
        let Some((base, type_)) = found else {
            let names = template.locations.iter().map(|location| &*location.name);
            let names = names.chain(template.locals.iter().map(|local| &*local.name));
            let help = nearest(&name.name, names).map(|near| format!("did you mean `{near}`?"));
            let message = format!("template `{}` has no location or variable `{}`", template.name, name.name);
            self.diagnostics.push(Diagnostic { help, ..Diagnostic::error(name.span, message) });
            return Err(Reported);
        };
        if !process.index.is_empty() && !self.is_uniform(&process, base, &type_) {
            let message = format!("the type of `{}` depends on the process", name.name);
            let help = "name the process by constants: `P(0)`, not `P(i)`";
            self.diagnostics.push(Diagnostic::error(span, message).help(help));
            return Err(Reported);
        }
        let base = Base::Remote(Box::new((process, base)));
        Ok(Designator::Place { place: Place { base, offset: 0, index: Vec::new(), type_, span }, constant: true })
    }

    /// Whether a variable has the same type in all processes of a family.
    fn is_uniform(&self, process: &ProcessRef, base: RemoteBase, type_: &Type) -> bool {
        let last: u32 = process.index.iter().map(|index| (index.length - 1) * index.stride).sum();
        (process.first.0..=process.first.0 + last).all(|id| {
            let template = self.network.template_of(ProcessId(id));
            let found = match base {
                RemoteBase::Local(id) => template.locals.get(id.index()).map(|local| &local.type_),
                RemoteBase::Value(id) => template.values.get(id.index()).map(|value| &value.type_),
                RemoteBase::Reference(id) => template.references.get(id.index()).map(|value| &value.type_),
            };
            found == Some(type_)
        })
    }

    /// The value of a place with one cell; known if it is a constant.
    pub(super) fn read(&self, place: Place) -> Expr {
        let span = place.span;
        let kind = match place.base {
            Base::Constant(id) if place.index.is_empty() => {
                ExprKind::Constant(self.network.constants[id.index()].values[place.offset as usize])
            }
            _ => ExprKind::Read(place),
        };
        Expr { kind, span }
    }
}

fn range_end(low: i32, length: u32) -> i32 {
    (i64::from(low) + i64::from(length) - 1) as i32
}
