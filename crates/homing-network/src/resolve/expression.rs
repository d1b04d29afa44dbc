//! Expressions with a value.

use super::designator::Designator;
use super::scope::Symbol;
use super::{Res, Resolver};
use crate::ast::{self, BinaryOp, ExprKind as Syntax, StepValue, UnaryOp};
use crate::evaluate::apply;
use crate::network::{Argument, Base, Call, Expr, ExprKind, FunctionId, Operand, Passing, Place, Type};
use crate::source::Span;

/// What a single value is. Integers and truth values convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    Scalar(u32),
}

impl Kind {
    /// The kind of a type with one cell.
    pub fn of(type_: &Type) -> Option<Kind> {
        match type_ {
            Type::Int { .. } | Type::Bool => Some(Kind::Number),
            Type::Scalar { set, .. } => Some(Kind::Scalar(*set)),
            Type::Array { .. } | Type::Record(_) => None,
        }
    }
}

/// Functions that the language has built in and homing does not.
const BUILT_IN: &[&str] = &[
    "abs", "fabs", "fmod", "fma", "pow", "sqrt", "floor", "ceil", "round", "random", "fint", "spawn", "exit", "numOf",
];

impl Resolver<'_> {
    /// An expression with a single value.
    pub(super) fn value(&mut self, ast: &ast::Expr) -> Res<(Expr, Kind)> {
        let span = ast.span;
        let number = |kind| Ok((Expr { kind, span }, Kind::Number));
        match &ast.kind {
            Syntax::Number(value) => number(ExprKind::Constant(*value)),
            Syntax::Bool(value) => number(ExprKind::Constant(i32::from(*value))),
            Syntax::Deadlock if self.in_query => number(ExprKind::Deadlock),
            Syntax::Deadlock => self.error(span, "`deadlock` can be used in a query only"),
            Syntax::Name(_) | Syntax::Index(..) | Syntax::Field(..) => self.read_designator(ast),
            Syntax::Call(callee, arguments) => {
                let (call, result) = self.call(callee, arguments, span)?;
                match result.as_ref().map(Kind::of) {
                    Some(Some(kind)) => Ok((Expr { kind: ExprKind::Call(call), span }, kind)),
                    Some(None) => self.error(span, "the function returns an array or record, not a single value"),
                    None => self.error(span, "the function is `void`: it has no value"),
                }
            }
            Syntax::Unary(operator, operand) => {
                let operand = self.number(operand)?;
                number(fold_unary(*operator, operand))
            }
            Syntax::Binary(operator @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                self.comparison(*operator, left, right, span)
            }
            Syntax::Binary(operator, left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                number(fold_binary(*operator, left?, right?, span))
            }
            Syntax::Conditional(parts) => {
                let condition = self.number(&parts[0])?;
                let ((then, kind), (otherwise, other)) = (self.value(&parts[1])?, self.value(&parts[2])?);
                if kind != other {
                    return self.error(span, "the values of `?:` have different types");
                }
                Ok((Expr { kind: ExprKind::Conditional(Box::new([condition, then, otherwise])), span }, kind))
            }
            Syntax::Assign(operator, target, value) => self.assignment(*operator, target, value, span),
            Syntax::Step { target, operator, value } => {
                let target = self.target(target)?;
                let Some(Kind::Number) = Kind::of(&target.type_) else {
                    return self.error(span, "`++` and `--` need an integer");
                };
                let one = Box::new(Expr { kind: ExprKind::Constant(1), span });
                number(ExprKind::Assign { target, operator: Some(*operator), value: one, result: *value })
            }
            Syntax::Quantified { quantifier, variable, type_, body } => {
                let (range, type_) = self.enumerated(type_)?;
                let offset = self.allocate(1);
                self.scopes.push();
                let declared = self.declare(variable, Symbol::Frame { offset, type_, constant: true });
                let body = declared.and_then(|()| self.number(body));
                self.scopes.pop();
                let body = Box::new(body?);
                number(ExprKind::Quantified { quantifier: *quantifier, offset, range, body })
            }
        }
    }

    /// An expression whose value is an integer or a truth value.
    pub(super) fn number(&mut self, ast: &ast::Expr) -> Res<Expr> {
        match self.value(ast)? {
            (expr, Kind::Number) => Ok(expr),
            (_, Kind::Scalar(_)) => self.error(ast.span, "scalars can be assigned and compared only"),
        }
    }

    /// An expression without effects.
    pub(super) fn pure_number(&mut self, ast: &ast::Expr, what: &str) -> Res<Expr> {
        let before = std::mem::take(&mut self.writes);
        let expr = self.number(ast);
        let changes = self.writes.state || self.writes.references;
        self.writes = before;
        let expr = expr?;
        if changes {
            return self.error(ast.span, format!("{what} cannot change variables"));
        }
        Ok(expr)
    }

    /// Reserves cells of the frame.
    pub(super) fn allocate(&mut self, cells: u32) -> u32 {
        let offset = self.frame.next;
        self.frame.next += cells;
        offset
    }

    fn read_designator(&mut self, ast: &ast::Expr) -> Res<(Expr, Kind)> {
        let span = ast.span;
        match self.designator(ast)? {
            Designator::Number(value, type_) => {
                let kind = Kind::of(&type_).unwrap_or(Kind::Number);
                Ok((Expr { kind: ExprKind::Constant(value), span }, kind))
            }
            Designator::Place { place, .. } => match Kind::of(&place.type_) {
                Some(kind) => Ok((self.read(place), kind)),
                None => self.error(span, format!("expected a single value, found {}", place.type_)),
            },
            Designator::AtLocation(process, location) => {
                Ok((Expr { kind: ExprKind::AtLocation { process, location }, span }, Kind::Number))
            }
            Designator::Channel(_) => self.error(span, "a channel is not a value"),
            Designator::Process(_) => {
                self.error(span, "a process is not a value: name a location or variable of it, `P.location`")
            }
        }
    }

    /// An expression with one or more cells.
    pub(super) fn operand(&mut self, ast: &ast::Expr) -> Res<(Operand, Type)> {
        match &ast.kind {
            Syntax::Name(_) | Syntax::Index(..) | Syntax::Field(..) => match self.designator(ast)? {
                Designator::Place { place, .. } if Kind::of(&place.type_).is_none() => {
                    let type_ = place.type_.clone();
                    return Ok((Operand::Cells(place), type_));
                }
                Designator::Place { place, .. } => {
                    let type_ = place.type_.clone();
                    return Ok((Operand::Value(self.read(place)), type_));
                }
                _ => {}
            },
            Syntax::Call(callee, arguments) => {
                let (call, result) = self.call(callee, arguments, ast.span)?;
                return match result {
                    Some(type_) if Kind::of(&type_).is_none() => Ok((Operand::Call(call), type_)),
                    Some(type_) => Ok((Operand::Value(Expr { kind: ExprKind::Call(call), span: ast.span }), type_)),
                    None => self.error(ast.span, "the function is `void`: it has no value"),
                };
            }
            _ => {}
        }
        let (expr, kind) = self.value(ast)?;
        let type_ = match kind {
            Kind::Number => Type::WIDE,
            Kind::Scalar(set) => Type::Scalar { set, size: i32::MAX },
        };
        Ok((Operand::Value(expr), type_))
    }

    fn comparison(&mut self, operator: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Res<(Expr, Kind)> {
        let (left, right) = (self.operand(left), self.operand(right));
        let ((left, left_type), (right, right_type)) = (left?, right?);
        let kind = match (left, right) {
            (Operand::Value(left), Operand::Value(right)) => {
                if Kind::of(&left_type) != Kind::of(&right_type) {
                    return self.error(span, "values of different types are compared");
                }
                fold_binary(operator, left, right, span)
            }
            (left, right) if left_type.is_like(&right_type) => {
                let same = ExprKind::Same { left: Box::new(left), right: Box::new(right) };
                if operator == BinaryOp::Equal { same } else { fold_unary(UnaryOp::Not, Expr { kind: same, span }) }
            }
            _ => return self.error(span, format!("{left_type} is compared with {right_type}")),
        };
        Ok((Expr { kind, span }, Kind::Number))
    }

    /// The variable that is assigned to.
    fn target(&mut self, ast: &ast::Expr) -> Res<Place> {
        match self.designator(ast)? {
            Designator::Place { place, constant: false } => {
                self.note_write(&place);
                Ok(place)
            }
            Designator::Place { .. } | Designator::Number(..) => {
                self.error(ast.span, "a constant cannot be assigned to")
            }
            _ => self.error(ast.span, "expected a variable"),
        }
    }

    fn note_write(&mut self, place: &Place) {
        match place.base {
            Base::Frame(_) => {}
            Base::FrameReference(_) => self.writes.references = true,
            _ => self.writes.state = true,
        }
    }

    fn assignment(
        &mut self,
        operator: Option<BinaryOp>,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Res<(Expr, Kind)> {
        let target_span = target.span;
        let target = self.target(target);
        let operand = self.operand(value);
        let (target, (operand, type_)) = (target?, operand?);
        let Some(kind) = Kind::of(&target.type_) else {
            if operator.is_some() {
                return self.error(span, format!("{} is not a number", target.type_));
            }
            if !target.type_.is_like(&type_) {
                return self.error(span, format!("{type_} cannot be assigned to {}", target.type_));
            }
            return Ok((Expr { kind: ExprKind::Copy { target, source: Box::new(operand) }, span }, Kind::Number));
        };
        let Operand::Value(expr) = operand else {
            return self.error(span, format!("{type_} cannot be assigned to {}", target.type_));
        };
        let found = Kind::of(&type_).unwrap_or(Kind::Number);
        self.check_kind(found, &target.type_, value.span)?;
        if operator.is_some() && kind != Kind::Number {
            return self.error(target_span, "scalars can be assigned and compared only");
        }
        let value = Box::new(expr);
        Ok((Expr { kind: ExprKind::Assign { target, operator, value, result: StepValue::New }, span }, kind))
    }

    /// A call, with the type of its result.
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Res<(Call, Option<Type>)> {
        let Syntax::Name(name) = &callee.kind else { return self.error(callee.span, "only functions can be called") };
        let function = match self.scopes.find(name) {
            Some(Symbol::Function(id)) => *id,
            Some(Symbol::OpenFunction) => return self.unsupported(callee.span, "recursive functions"),
            Some(Symbol::Refused) => return Err(super::Reported),
            Some(Symbol::Template(_) | Symbol::Instance(_)) if self.in_query => {
                return self
                    .error(span, "a process is not a value: name a location or variable of it, `P(0).location`");
            }
            Some(_) => return self.error(callee.span, format!("`{name}` is not a function")),
            None if BUILT_IN.contains(&&**name) => {
                return self.unsupported(callee.span, &format!("built-in functions like `{name}`"));
            }
            None => return self.unknown_name(name, callee.span),
        };
        let parameters = self.network.functions[function.index()].parameters.clone();
        if parameters.len() != arguments.len() {
            let message = format!("`{name}` has {} parameters, {} are given", parameters.len(), arguments.len());
            return self.error(span, message);
        }
        let mut resolved = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&parameters) {
            resolved.push(match parameter.passing {
                Passing::Value { .. } => {
                    let (operand, type_) = self.operand(argument)?;
                    match &operand {
                        Operand::Value(_) => {
                            let kind = Kind::of(&type_).unwrap_or(Kind::Number);
                            self.check_kind(kind, &parameter.type_, argument.span)?;
                        }
                        _ if type_.is_like(&parameter.type_) => {}
                        _ => {
                            let message = format!("expected {}, found {type_}", parameter.type_);
                            return self.error(argument.span, message);
                        }
                    }
                    Argument::Value(operand)
                }
                Passing::Reference { .. } => {
                    Argument::Reference(self.reference(function, argument, &parameter.type_)?)
                }
            });
        }
        let effects = self.effects[function.index()];
        self.writes.state |= effects.state;
        let result = self.network.functions[function.index()].result.clone();
        Ok((Call { function, arguments: resolved, span }, result))
    }

    /// An argument by reference. What the function may write to, must be a variable of the same type.
    fn reference(&mut self, function: FunctionId, argument: &ast::Expr, type_: &Type) -> Res<Place> {
        let writes = self.effects[function.index()].references;
        match self.designator(argument)? {
            Designator::Place { place, constant } if !constant || !writes => {
                if place.type_ != *type_ {
                    let message = format!("a reference to {type_} cannot refer to {}", place.type_);
                    return self.error(argument.span, message);
                }
                if writes {
                    self.note_write(&place);
                }
                Ok(place)
            }
            Designator::Place { .. } => self.error(argument.span, "a constant cannot be passed as a reference"),
            _ => self.error(argument.span, "expected a variable: the parameter is a reference"),
        }
    }

    /// Expressions that are executed for their effects.
    pub(super) fn update(&mut self, ast: &ast::Expr) -> Res<Expr> {
        if let Syntax::Call(callee, arguments) = &ast.kind {
            let (call, _) = self.call(callee, arguments, ast.span)?;
            return Ok(Expr { kind: ExprKind::Call(call), span: ast.span });
        }
        Ok(self.value(ast)?.0)
    }
}

/// A negation or minus, evaluated if the operand is known.
fn fold_unary(operator: UnaryOp, operand: Expr) -> ExprKind {
    match (operator, &operand.kind) {
        (UnaryOp::Not, ExprKind::Constant(value)) => ExprKind::Constant(i32::from(*value == 0)),
        (UnaryOp::Minus, ExprKind::Constant(value)) => ExprKind::Constant(value.wrapping_neg()),
        _ => ExprKind::Unary(operator, Box::new(operand)),
    }
}

/// An operation, evaluated if both operands are known and it does not fail.
fn fold_binary(operator: BinaryOp, left: Expr, right: Expr, span: Span) -> ExprKind {
    if let (ExprKind::Constant(left), ExprKind::Constant(right)) = (&left.kind, &right.kind)
        && let Ok(value) = apply(operator, *left, *right, span)
    {
        return ExprKind::Constant(value);
    }
    ExprKind::Binary(operator, Box::new(left), Box::new(right))
}
