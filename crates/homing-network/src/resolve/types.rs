//! Types of declarations.

use super::scope::Symbol;
use super::{Reported, Res, Resolver};
use crate::ast::{self, Dimension, ExprKind, Prefix, TypeExpr, TypeKind};
use crate::network::{Range, Type};
use crate::source::Span;

/// What a declaration declares.
#[derive(Clone, Debug)]
pub enum Declared {
    Data(Type),
    Channel { broadcast: bool, urgent: bool, shape: Vec<Range> },
    Void,
}

impl Resolver<'_> {
    /// The type of a declaration with the sizes of its arrays; the first size is the outermost.
    pub(super) fn declared_type(&mut self, type_: &TypeExpr, dimensions: &[Dimension]) -> Res<Declared> {
        let base = self.type_of(type_);
        let ranges: Vec<Res<Range>> = dimensions.iter().map(|dimension| self.dimension(dimension)).collect();
        let ranges: Vec<Range> = ranges.into_iter().collect::<Res<_>>()?;
        match base? {
            Declared::Void if ranges.is_empty() => Ok(Declared::Void),
            Declared::Void => self.error(type_.span, "an array of `void` has no elements"),
            Declared::Channel { broadcast, urgent, shape } => {
                let shape = ranges.into_iter().chain(shape).collect();
                Ok(Declared::Channel { broadcast, urgent, shape })
            }
            Declared::Data(element) => {
                let array = |element, range: &Range| Type::Array {
                    low: range.low,
                    length: range.len(),
                    element: Box::new(element),
                };
                let whole = ranges.iter().rev().fold(element, array);
                if whole.checked_cells().is_none() {
                    let message = format!("the type has more than {} cells", Type::MOST_CELLS);
                    return self.error(type_.span, message);
                }
                Ok(Declared::Data(whole))
            }
        }
    }

    /// A type of values.
    pub(super) fn data_type(&mut self, type_: &TypeExpr, dimensions: &[Dimension]) -> Res<Type> {
        match self.declared_type(type_, dimensions)? {
            Declared::Data(data) => Ok(data),
            Declared::Channel { .. } => self.error(type_.span, "a channel is not a value"),
            Declared::Void => self.error(type_.span, "`void` is not a type of values"),
        }
    }

    fn type_of(&mut self, type_: &TypeExpr) -> Res<Declared> {
        let Prefix { urgent, broadcast, constant, .. } = type_.prefix;
        let is_channel = matches!(type_.kind, TypeKind::Chan | TypeKind::Named(_));
        if (urgent || broadcast) && !is_channel {
            return self.error(type_.span, "`urgent` and `broadcast` belong to channels");
        }
        Ok(match &type_.kind {
            TypeKind::Bool => Declared::Data(Type::Bool),
            TypeKind::Void => Declared::Void,
            TypeKind::Chan => Declared::Channel { broadcast, urgent, shape: Vec::new() },
            TypeKind::Clock => return self.unsupported(type_.span, "clocks"),
            TypeKind::Double => return self.unsupported(type_.span, "`double` variables"),
            TypeKind::String => return self.unsupported(type_.span, "`string` variables"),
            TypeKind::Int(None) => Declared::Data(if constant { Type::WIDE } else { Type::INT }),
            TypeKind::Int(Some(bounds)) => {
                let (low, high) = (self.constant_value(&bounds.0), self.constant_value(&bounds.1));
                Declared::Data(Type::Int { low: low?, high: high? })
            }
            TypeKind::Scalar(size) => {
                let value = self.constant_value(size)?;
                if value < 1 {
                    return self.error(size.span, format!("a scalar set of size {value} has no elements"));
                }
                self.scalar_sets += 1;
                Declared::Data(Type::Scalar { set: self.scalar_sets, size: value })
            }
            TypeKind::Struct(fields) if fields.is_empty() => return self.error(type_.span, "the record has no fields"),
            TypeKind::Struct(fields) => {
                let mut record = Vec::new();
                for field in fields {
                    let type_ = self.data_type(&field.type_, &field.dimensions)?;
                    if record.iter().any(|(name, _)| *name == field.name.name) {
                        return self
                            .error(field.name.span, format!("the field `{}` is declared twice", field.name.name));
                    }
                    record.push((field.name.name.clone(), type_));
                }
                Declared::Data(Type::Record(record))
            }
            TypeKind::Named(name) => match self.scopes.find(name) {
                Some(Symbol::Type(Declared::Channel { broadcast: known, urgent: hurried, shape })) => {
                    Declared::Channel {
                        broadcast: *known || broadcast,
                        urgent: *hurried || urgent,
                        shape: shape.clone(),
                    }
                }
                Some(Symbol::Type(declared)) => declared.clone(),
                Some(Symbol::Refused) => return Err(Reported),
                Some(_) => return self.error(type_.span, format!("`{name}` is not a type")),
                None => return self.unknown_type(name, type_.span),
            },
        })
    }

    fn unknown_type(&mut self, name: &str, span: Span) -> Res<Declared> {
        use crate::diagnostic::Diagnostic;
        let types = self.scopes.names().filter(|name| matches!(self.scopes.find(name), Some(Symbol::Type(_))));
        let help = super::scope::nearest(name, types.chain(["int", "bool", "chan", "scalar", "struct"]))
            .map(|near| format!("did you mean `{near}`?"));
        let diagnostic = Diagnostic::error(span, format!("there is no type `{name}`"));
        self.diagnostics.push(Diagnostic { help, ..diagnostic });
        Err(Reported)
    }

    /// The indices of an array: `[n]` has 0 to n - 1, `[T]` the values of the type.
    fn dimension(&mut self, dimension: &Dimension) -> Res<Range> {
        match dimension {
            Dimension::Type(type_) => self.value_range(type_),
            Dimension::Size(ast::Expr { kind: ExprKind::Name(name), span })
                if matches!(self.scopes.find(name), Some(Symbol::Type(_))) =>
            {
                let kind = TypeKind::Named(name.clone());
                self.value_range(&TypeExpr { prefix: Prefix::default(), kind, span: *span })
            }
            Dimension::Size(size) => {
                let value = self.constant_value(size)?;
                if value < 0 {
                    return self.error(size.span, format!("an array cannot have {value} elements"));
                }
                Ok(Range { low: 0, high: value - 1 })
            }
        }
    }

    /// The values of a type that has finitely many: for indices, `select` and quantifiers.
    pub(super) fn value_range(&mut self, type_: &TypeExpr) -> Res<Range> {
        match self.data_type(type_, &[])? {
            Type::Int { .. } if matches!(type_.kind, TypeKind::Int(None)) => {
                self.error(type_.span, "the integers need bounds here: `int[a,b]`")
            }
            data => match data.range() {
                Some((low, high)) => Ok(Range { low, high }),
                None => self.error(type_.span, "an array or record cannot be enumerated"),
            },
        }
    }

    /// The values of a type and the type itself, for a variable that takes them one after the other.
    pub(super) fn enumerated(&mut self, type_: &TypeExpr) -> Res<(Range, Type)> {
        let range = self.value_range(type_)?;
        Ok((range, self.data_type_again(type_)?))
    }

    /// Resolves a type a second time: a scalar set written in place must not become another one.
    fn data_type_again(&mut self, type_: &TypeExpr) -> Res<Type> {
        let sets = self.scalar_sets;
        if matches!(type_.kind, TypeKind::Scalar(_)) {
            self.scalar_sets -= 1;
        }
        let data = self.data_type(type_, &[]);
        self.scalar_sets = sets;
        data
    }
}
