//! Declarations: variables, records and channels.

use std::collections::HashMap;

use homing_ir::{
    Cell, ChannelShape, Expr, Field, Init, InitValue, ProctypeId, Scalar, Scope, ShapeId, VarId, Variable,
};

use super::size::Extent;
use super::symbols::{ChannelDecl, Declared, FieldSymbol, Record, Symbol, Type, cell_of};
use super::{Lowered, Lowering};
use crate::ast::{self, Decl, Name, TypeName, Typedef, VarDecl, VarInit, Visibility};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn typedef(&mut self, typedef: &Typedef) -> Lowered<()> {
        let name = &typedef.name;
        if let Some(&record) = self.records_by_name.get(&name.name) {
            let there = self.records[record].span;
            return Err(self.report(
                Diagnostic::error(name.span, format!("type `{}` is defined twice", name.name))
                    .note(there, "first defined here"),
            ));
        }
        let mut fields: Vec<FieldSymbol> = Vec::new();
        let mut known: HashMap<Name, Span> = HashMap::new();
        let mut extent = Extent::default();
        let mut result = Ok(());
        for decl in &typedef.fields {
            for var in &decl.vars {
                match self.field_of(decl, var, &mut known, extent) {
                    Ok(field) => {
                        extent = extent.and(self.extent_of(&field.declared, field.init.as_ref()));
                        fields.push(field);
                    }
                    Err(reported) => result = Err(reported),
                }
            }
        }
        // One that is wrong is a type all the same.
        self.records_by_name.insert(name.name.clone(), self.records.len());
        self.records.push(Record { name: name.name.clone(), span: name.span, fields, extent });
        result
    }

    /// A field after others that come to `before`.
    fn field_of(
        &mut self,
        decl: &Decl,
        var: &VarDecl,
        known: &mut HashMap<Name, Span>,
        before: Extent,
    ) -> Lowered<FieldSymbol> {
        let declared = self.declared(decl, var)?;
        if let Some(there) = known.insert(declared.name.clone(), declared.span) {
            return Err(self.report(
                Diagnostic::error(declared.span, format!("field `{}` is declared twice", declared.name))
                    .note(there, "first declared here"),
            ));
        }
        if decl.visibility == Visibility::Hidden {
            return Err(self.report(
                Diagnostic::error(declared.span, "only global variables can be hidden")
                    .help("write `hidden` in front of the variable of this type"),
            ));
        }
        self.check_init_of_record(&declared, var.init.as_ref())?;
        if let Some(VarInit::Value(value)) = &var.init {
            self.forbid_variables(value)?;
        }
        Ok(FieldSymbol { declared, init: var.init.clone(), offset: before.leaves })
    }

    /// Fields are initialised with constants alone, as in SPIN.
    fn forbid_variables(&mut self, value: &ast::Expr) -> Lowered<()> {
        match &value.kind {
            ast::ExprKind::Number(_) => Ok(()),
            ast::ExprKind::Var(var) if self.mtypes.contains_key(&var.parts[0].name.name) => Ok(()),
            ast::ExprKind::Unary(_, operand) => self.forbid_variables(operand),
            ast::ExprKind::Binary(_, left, right) => {
                self.forbid_variables(left)?;
                self.forbid_variables(right)
            }
            ast::ExprKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().try_for_each(|part| self.forbid_variables(part))
            }
            _ => Err(self.report(
                Diagnostic::error(value.span, "the initial value of a field has to be a constant")
                    .help("assign the field where the variable is used"),
            )),
        }
    }

    /// The type and length of a variable, checked.
    fn declared(&mut self, decl: &Decl, var: &VarDecl) -> Lowered<Declared> {
        let mut ty = self.type_of(&decl.ty)?;
        if let Some(width) = var.width {
            if !matches!(decl.ty, TypeName::Unsigned) {
                return Err(self.report(
                    Diagnostic::error(width.span, "only an `unsigned` can have a width")
                        .help(format!("write `unsigned {} : {}`", var.name.name, width.value)),
                ));
            }
            if !(1..32).contains(&width.value) {
                return Err(self.report(Diagnostic::error(width.span, "the width must be between 1 and 31")));
            }
            ty = Type::Scalar(Scalar::Unsigned(width.value as u8));
        } else if matches!(decl.ty, TypeName::Unsigned) {
            return Err(self.report(
                Diagnostic::error(var.name.span, "an `unsigned` needs a width")
                    .help(format!("write `unsigned {} : 8`, or use `byte`", var.name.name)),
            ));
        }
        let length = match &var.length {
            None => None,
            Some(length) => Some(self.array_length(length)?),
        };
        Ok(Declared { name: var.name.name.clone(), span: var.name.span, ty, length })
    }

    fn type_of(&mut self, ty: &TypeName) -> Lowered<Type> {
        Ok(Type::Scalar(match ty {
            TypeName::Bit => Scalar::Bit,
            TypeName::Byte => Scalar::Byte,
            TypeName::Short => Scalar::Short,
            TypeName::Int => Scalar::Int,
            // The width comes with the variable.
            TypeName::Unsigned => Scalar::Unsigned(16),
            TypeName::Chan => Scalar::Chan,
            TypeName::Mtype(set) => Scalar::Mtype(match set {
                None => None,
                Some(set) => Some(self.mtype_set(Some(&set.name), set.span)?),
            }),
            TypeName::User(name) => {
                let Some(&record) = self.records_by_name.get(&name.name) else {
                    return Err(self.report(Diagnostic::error(name.span, format!("there is no type `{}`", name.name))));
                };
                return Ok(Type::Record(record));
            }
        }))
    }

    fn array_length(&mut self, length: &ast::Expr) -> Lowered<u32> {
        let value = self.constant_or_initial(length)?;
        match u32::try_from(value) {
            Ok(length @ 1..) => Ok(length),
            _ => Err(self.report(Diagnostic::error(length.span, format!("an array cannot have {value} elements")))),
        }
    }

    /// A constant, or (SPIN's exception) the initial value of a variable.
    pub(super) fn constant_or_initial(&mut self, expr: &ast::Expr) -> Lowered<i32> {
        if let ast::ExprKind::Var(var) = &expr.kind
            && let [part] = &var.parts[..]
            && part.index.is_none()
            && !self.mtypes.contains_key(&part.name.name)
        {
            let symbol = self.find_variable(&part.name)?;
            let value = self.initial_value(&symbol);
            // SPIN takes 8 where there is no positive initial value.
            let value = if value > 0 { value } else { 8 };
            self.diagnostics.push(Diagnostic::warning(
                expr.span,
                format!("the size is taken from the initial value of `{}`: {value}", part.name.name),
            ));
            return Ok(value);
        }
        self.constant(expr)
    }

    fn initial_value(&self, symbol: &Symbol) -> i32 {
        let inits: Vec<&Init> = match (symbol.scope, &self.process) {
            (Scope::Local, Some(process)) => process.inits.iter().collect(),
            _ => self.global_inits.iter().map(|(_, init)| init).collect(),
        };
        let value = inits.iter().find(|init| init.var.0 == symbol.base).map(|init| &init.value);
        match value {
            Some(InitValue::Value(Expr::Const { value, .. })) => *value,
            _ => 0,
        }
    }

    pub(super) fn global(&mut self, decl: &Decl) -> Lowered<()> {
        let mut result = Ok(());
        for var in &decl.vars {
            result = result.and(self.global_variable(decl, var));
        }
        result
    }

    fn global_variable(&mut self, decl: &Decl, var: &VarDecl) -> Lowered<()> {
        let declared = self.declared(decl, var)?;
        self.forbid_redeclaration(&declared.name, declared.span)?;
        let hidden = decl.visibility == Visibility::Hidden;
        if hidden && declared.ty == Type::Scalar(Scalar::Bit) {
            return Err(
                self.report(Diagnostic::error(declared.span, "a bit cannot be hidden").help("make it a `byte`"))
            );
        }
        if hidden && declared.ty.is_chan() {
            return Err(self.report(Diagnostic::error(declared.span, "a channel cannot be hidden")));
        }
        self.limit_variable(&declared, var.init.as_ref())?;
        let rank = rank(declared.ty);
        let mut symbol =
            Symbol { scope: Scope::Global, base: self.model.globals.len() as u32, channel: None, declared };
        let variables = self.variables_of(&symbol.declared, hidden);
        if decl.visibility == Visibility::Local {
            self.sharing.local.extend((symbol.base..).map(VarId).take(variables.len()));
        }
        self.model.globals.extend(variables);
        let inits = self.inits_of(&mut symbol, var.init.as_ref())?;
        self.global_inits.extend(inits.into_iter().map(|init| (rank, init)));
        self.globals.insert(symbol.declared.name.clone(), symbol);
        Ok(())
    }

    /// A name means one thing: locals may not hide globals, nor inner locals outer ones.
    pub(super) fn forbid_redeclaration(&mut self, name: &ast::Name, span: Span) -> Lowered<()> {
        let local = self.process.as_ref().and_then(|process| process.blocks.find(name));
        if let Some(symbol) = local.or_else(|| self.globals.get(name)) {
            let there = symbol.declared.span;
            return Err(self.report(
                Diagnostic::error(span, format!("`{name}` is declared twice")).note(there, "first declared here"),
            ));
        }
        if self.mtypes.contains_key(name) {
            return Err(self.report(
                Diagnostic::error(span, format!("`{name}` is a constant of an mtype already"))
                    .help("choose another name"),
            ));
        }
        if let Some(&id) = self.proctypes.get(name)
            && !self.comes_later(id)
        {
            return Err(self.report(
                Diagnostic::error(span, format!("`{name}` is the name of a process type")).help("choose another name"),
            ));
        }
        if matches!(&**name, "_" | "_pid" | "_nr_pr" | "_last" | "_p" | "_priority") {
            return Err(self.report(Diagnostic::error(span, format!("`{name}` is predefined"))));
        }
        Ok(())
    }

    /// Whether a process type is defined below the process that is being lowered, whose variables may have its name.
    fn comes_later(&self, id: ProctypeId) -> bool {
        self.finished[id.index()].is_none() && self.process.as_ref().is_some_and(|process| process.id != Some(id))
    }

    /// The scalar variables that a declaration comes to.
    pub(super) fn variables_of(&self, declared: &Declared, hidden: bool) -> Vec<Variable> {
        let mut variables = Vec::new();
        let shape = Shape { name: declared.name.to_string(), parts: 0, dims: Vec::new(), index_after: Vec::new() };
        self.collect_variables(declared, shape, hidden, &mut variables);
        variables
    }

    fn collect_variables(&self, declared: &Declared, mut shape: Shape, hidden: bool, variables: &mut Vec<Variable>) {
        shape.parts += 1;
        if let Some(length) = declared.length {
            shape.dims.push(length);
            shape.index_after.push(shape.parts);
        }
        match declared.ty {
            Type::Scalar(scalar) => variables.push(Variable {
                name: shape.name,
                scalar,
                cell: cell_of(scalar, declared.length.is_some(), hidden),
                dims: shape.dims,
                index_after: shape.index_after,
                least_indices: Vec::new(),
                hidden,
                range: None,
                place: self.place(declared.span),
            }),
            Type::Record(record) => {
                for field in &self.records[record].fields {
                    let mut inner = shape.clone();
                    inner.name = format!("{}.{}", shape.name, field.declared.name);
                    self.collect_variables(&field.declared, inner, hidden, variables);
                }
            }
        }
    }

    /// What a variable (and the fields in it) is initialised with.
    pub(super) fn inits_of(&mut self, symbol: &mut Symbol, init: Option<&VarInit>) -> Lowered<Vec<Init>> {
        let mut inits = Vec::new();
        if let Some(VarInit::Channel { .. }) = init {
            symbol.channel = Some(self.channel_decl(init)?);
        }
        let declared = symbol.declared.clone();
        self.check_init_of_record(&declared, init)?;
        self.collect_inits(&declared, symbol.base, 0, init, &mut inits)?;
        Ok(inits)
    }

    /// SPIN accepts an initial value for a whole record and forgets it. Channels and lists for a single record are
    /// refused: its C code does not compile, or it says so itself.
    fn check_init_of_record(&mut self, declared: &Declared, init: Option<&VarInit>) -> Lowered<()> {
        let (Type::Record(_), Some(init)) = (declared.ty, init) else { return Ok(()) };
        let span = match init {
            VarInit::Value(value) => {
                self.forbid_run(value)?;
                self.expression(value)?;
                value.span
            }
            VarInit::List(values) if declared.length.is_some() => {
                values.iter().try_for_each(|value| self.constant(value).map(drop))?;
                values.first().map_or(declared.span, |first| first.span.to(values[values.len() - 1].span))
            }
            VarInit::List(_) | VarInit::Channel { .. } => {
                return Err(self.report(
                    Diagnostic::error(declared.span, "a record cannot be initialised as a whole")
                        .help("initialise the fields in the typedef, or assign them"),
                ));
            }
        };
        let name = &declared.name;
        self.diagnostics.push(
            Diagnostic::warning(span, format!("the initial value of the record `{name}` has no effect"))
                .label("the fields keep the initial values of the typedef")
                .help("initialise the fields in the typedef, or assign them"),
        );
        Ok(())
    }

    fn channel_decl(&mut self, init: Option<&VarInit>) -> Lowered<ChannelDecl> {
        let Some(VarInit::Channel { capacity, fields, .. }) = init else { unreachable!("called for channels") };
        let capacity = self.constant(capacity)?.max(0) as u32;
        let record = match &fields[..] {
            [TypeName::User(name)] => self.records_by_name.get(&name.name).copied(),
            _ => None,
        };
        Ok(ChannelDecl { capacity, record })
    }

    /// `prefix` is the linear index of the records the variable is in.
    fn collect_inits(
        &mut self,
        declared: &Declared,
        base: u32,
        prefix: u32,
        init: Option<&VarInit>,
        inits: &mut Vec<Init>,
    ) -> Lowered<()> {
        let length = declared.length.unwrap_or(1);
        match declared.ty {
            Type::Record(record) => {
                if self.records[record].extent.inits == 0 {
                    return Ok(());
                }
                for at in 0..length {
                    for field in self.records[record].fields.clone() {
                        let inner = prefix * length + at;
                        self.collect_inits(&field.declared, base + field.offset, inner, field.init.as_ref(), inits)?;
                    }
                }
                Ok(())
            }
            Type::Scalar(scalar) => {
                let Some(init) = init else { return Ok(()) };
                let first = prefix * length;
                let all = first..first + length;
                let var = VarId(base);
                match init {
                    VarInit::Value(value) => {
                        self.forbid_run(value)?;
                        self.check_mtype_assignment(declared.span, scalar, value)?;
                        self.forbid_channel_arithmetic(value)?;
                        let lowered = self.expression(value)?;
                        self.warn_of_overflow(declared, value.span, &lowered);
                        inits.push(Init { var, cells: all, value: InitValue::Value(lowered) });
                    }
                    VarInit::List(values) => {
                        if declared.length.is_none() {
                            return Err(self.report(
                                Diagnostic::error(declared.span, format!("`{}` is not an array", declared.name))
                                    .help("a list can only initialise an array"),
                            ));
                        }
                        // A list that is too short is continued with its last value.
                        for (at, value) in (0..length).zip(values) {
                            let last = at as usize + 1 == values.len();
                            let cells = first + at..first + if last { length } else { at + 1 };
                            let constant = Expr::constant(self.constant(value)?);
                            self.warn_of_overflow(declared, value.span, &constant);
                            inits.push(Init { var, cells, value: InitValue::Value(constant) });
                        }
                    }
                    VarInit::Channel { capacity, fields, span } => {
                        if scalar != Scalar::Chan {
                            return Err(
                                self.report(Diagnostic::error(*span, format!("`{}` is not a channel", declared.name)))
                            );
                        }
                        let shape = self.channel_shape(&declared.name, capacity, fields)?;
                        inits.push(Init { var, cells: all, value: InitValue::Channel(shape) });
                    }
                }
                Ok(())
            }
        }
    }

    /// Warns of an initial value that its variable cannot hold.
    pub(super) fn warn_of_overflow(&mut self, declared: &Declared, span: Span, value: &Expr) {
        let (Type::Scalar(scalar), Some(value)) = (declared.ty, value.as_constant()) else { return };
        let stored = cell_of(scalar, declared.length.is_some(), false).truncate(value);
        if stored != value && !matches!(scalar, Scalar::Mtype(_) | Scalar::Chan) {
            let name = &declared.name;
            self.diagnostics.push(
                Diagnostic::warning(span, format!("{value} overflows `{name}`: {stored} is stored"))
                    .code("overflow")
                    .help("choose a wider type, or write the value that is meant"),
            );
        }
    }

    fn channel_shape(&mut self, name: &str, capacity: &ast::Expr, types: &[TypeName]) -> Lowered<ShapeId> {
        let size = self.constant(capacity)?;
        let Ok(size) = u32::try_from(size) else {
            return Err(self.report(Diagnostic::error(capacity.span, format!("a channel cannot hold {size} messages"))));
        };
        let mut scalars = Vec::new();
        for ty in types {
            let ty = self.type_of(ty)?;
            if let Type::Record(record) = ty {
                self.limit_values(self.records[record].extent.values, capacity.span)?;
            }
            self.message_scalars(ty, capacity.span, &mut scalars)?;
            self.limit_values(scalars.len() as u64, capacity.span)?;
        }
        // SPIN keeps bits of a message as bits, unless the message is a single bit.
        let alone = scalars.len() == 1;
        let fields = scalars
            .into_iter()
            .map(|scalar| {
                let cell = if scalar == Scalar::Bit && !alone { Cell::Bits(1) } else { cell_of(scalar, true, false) };
                Field { scalar, cell }
            })
            .collect();
        let shape = ChannelShape { name: name.to_owned(), capacity: size, fields };
        self.limit_channel(&shape, capacity.span)?;
        self.model.shapes.push(shape);
        Ok(ShapeId(self.model.shapes.len() as u32 - 1))
    }

    /// The scalars that a message field of the type comes to.
    fn message_scalars(&mut self, ty: Type, span: Span, scalars: &mut Vec<Scalar>) -> Lowered<()> {
        match ty {
            Type::Scalar(Scalar::Unsigned(_)) => {
                Err(self.report(Diagnostic::error(span, "an `unsigned` cannot be part of a message")))
            }
            Type::Scalar(scalar) => {
                scalars.push(scalar);
                Ok(())
            }
            Type::Record(record) => {
                for field in self.records[record].fields.clone() {
                    if matches!(field.declared.ty, Type::Record(_)) && field.declared.length.is_some() {
                        return Err(
                            self.report(Diagnostic::error(span, "an array of records cannot be part of a message"))
                        );
                    }
                    for _ in 0..field.declared.length.unwrap_or(1) {
                        self.message_scalars(field.declared.ty, span, scalars)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// A parameter or local variable: the variables it comes to are added to the process.
    pub(super) fn local_symbol(&mut self, decl: &Decl, var: &VarDecl) -> Lowered<Symbol> {
        let declared = self.declared(decl, var)?;
        self.forbid_redeclaration(&declared.name, declared.span)?;
        if decl.visibility == Visibility::Hidden {
            return Err(self.report(Diagnostic::error(declared.span, "only global variables can be hidden")));
        }
        self.limit_variable(&declared, var.init.as_ref())?;
        self.strays.saw_local(&declared.name, declared.span);
        let variables = self.variables_of(&declared, false);
        let process = self.process.as_mut().expect("inside a process type");
        let base = process.locals.len() as u32;
        process.locals.extend(variables);
        Ok(Symbol { declared, scope: Scope::Local, base, channel: None })
    }
}

/// SPIN initialises globals in this order of types.
fn rank(ty: Type) -> u8 {
    match ty {
        Type::Scalar(Scalar::Unsigned(_)) => 0,
        Type::Scalar(Scalar::Bit) => 1,
        Type::Scalar(Scalar::Byte) => 2,
        Type::Scalar(Scalar::Chan) => 3,
        Type::Scalar(Scalar::Mtype(_)) => 4,
        Type::Scalar(Scalar::Short) => 5,
        Type::Scalar(Scalar::Int) => 6,
        Type::Record(_) => 7,
    }
}

/// The name and dimensions gathered on the way to a scalar.
#[derive(Clone)]
struct Shape {
    name: String,
    parts: u32,
    dims: Vec<u32>,
    index_after: Vec<u32>,
}
