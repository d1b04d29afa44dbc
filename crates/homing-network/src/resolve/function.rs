//! Functions and their statements.

use std::sync::Arc;

use super::scope::Symbol;
use super::types::Declared;
use super::{Reported, Res, Resolver};
use crate::ast::{self, Ident, Statement as Syntax};
use crate::network::{
    Base, Expr, ExprKind, Function, FunctionId, FunctionParameter, Operand, Passing, Place, Statement, StepValue, Type,
};

use super::expression::Kind;

/// The largest number of cells of the variables of a function.
const MOST_FRAME_CELLS: u32 = 1 << 20;

impl Resolver<'_> {
    pub(super) fn function(&mut self, ast: &ast::Function) -> Res<()> {
        self.declare(&ast.name, Symbol::OpenFunction)?;
        let frame = std::mem::take(&mut self.frame);
        let writes = std::mem::take(&mut self.writes);
        self.scopes.push();
        let function = self.function_parts(ast);
        self.scopes.pop();
        let effects = std::mem::replace(&mut self.writes, writes);
        self.frame = frame;
        let symbol = match function {
            Ok(function) => {
                let pure = !effects.state && !effects.references;
                self.network.functions.push(Function { pure, ..function });
                self.effects.push(effects);
                Symbol::Function(FunctionId(self.network.functions.len() as u32 - 1))
            }
            Err(Reported) => Symbol::Refused,
        };
        self.scopes.replace(&ast.name.name, symbol);
        Ok(())
    }

    fn function_parts(&mut self, ast: &ast::Function) -> Res<Function> {
        let result = match self.declared_type(&ast.result, &[]) {
            Ok(Declared::Data(type_)) => Ok(Some(type_)),
            Ok(Declared::Void) => Ok(None),
            Ok(Declared::Channel { .. }) => self.error(ast.result.span, "a function cannot return a channel"),
            Err(Reported) => Err(Reported),
        };
        let mut references = 0;
        let mut parameters = Vec::new();
        let mut failed = false;
        for parameter in &ast.parameters {
            match self.function_parameter(parameter, &mut references) {
                Ok(parameter) => parameters.push(parameter),
                Err(Reported) => {
                    failed = true;
                    let _ = self.scopes.declare(&parameter.name, Symbol::Refused);
                }
            }
        }
        let expected = result.as_ref().ok().cloned().flatten();
        // The variables of the body are in a scope of their own; they can hide parameters.
        self.scopes.push();
        let body = self.statements(&ast.body, expected.as_ref());
        self.scopes.pop();
        let (result, body) = (result?, body?);
        if failed {
            return Err(Reported);
        }
        if self.frame.next > MOST_FRAME_CELLS {
            return self.error(ast.name.span, format!("the variables have more than {MOST_FRAME_CELLS} cells"));
        }
        let (name, span, frame) = (Arc::clone(&ast.name.name), ast.name.span, self.frame.next);
        Ok(Function { name, parameters, references, result, frame, body, pure: false, span })
    }

    fn function_parameter(&mut self, ast: &ast::Parameter, references: &mut u32) -> Res<FunctionParameter> {
        let type_ = self.data_type(&ast.type_, &ast.dimensions)?;
        let constant = ast.type_.prefix.constant;
        let (passing, symbol) = if ast.by_reference {
            let number = *references;
            *references += 1;
            let symbol = Symbol::FrameReference { number, type_: type_.clone(), constant };
            (Passing::Reference { number }, symbol)
        } else {
            let offset = self.allocate(type_.cells());
            (Passing::Value { offset }, Symbol::Frame { offset, type_: type_.clone(), constant })
        };
        self.declare(&ast.name, symbol)?;
        Ok(FunctionParameter { name: Arc::clone(&ast.name.name), type_, passing })
    }

    /// Statements one after the other; all errors in them are reported.
    fn statements(&mut self, asts: &[Syntax], result: Option<&Type>) -> Res<Vec<Statement>> {
        let statements: Vec<Res<Statement>> = asts.iter().map(|ast| self.statement(ast, result)).collect();
        statements.into_iter().collect()
    }

    fn statement(&mut self, ast: &Syntax, result: Option<&Type>) -> Res<Statement> {
        let body = |resolver: &mut Self, ast: &Syntax| resolver.statement(ast, result).map(Box::new);
        Ok(match ast {
            Syntax::Empty => Statement::Block(Vec::new()),
            Syntax::Expression(expression) => Statement::Evaluate(self.update(expression)?),
            Syntax::Declaration(variable) => {
                let declared = self.local_variable(variable);
                let symbol = declared.as_ref().map_or(Symbol::Refused, |(symbol, _)| symbol.clone());
                self.declare(&variable.name, symbol)?;
                declared?.1
            }
            Syntax::Typedef { name, type_, dimensions } => {
                self.typedef(name, type_, dimensions)?;
                Statement::Block(Vec::new())
            }
            Syntax::Block(statements) => {
                self.scopes.push();
                let statements = self.statements(statements, result);
                self.scopes.pop();
                Statement::Block(statements?)
            }
            Syntax::If { condition, then, otherwise } => {
                let (condition, then) = (self.number(condition), body(self, then));
                let otherwise = otherwise.as_ref().map(|otherwise| body(self, otherwise)).transpose();
                Statement::If { condition: condition?, then: then?, otherwise: otherwise? }
            }
            Syntax::While { condition, body: ast } => {
                let (condition, body) = (self.number(condition), body(self, ast));
                Statement::While { condition: condition?, body: body?, next: None }
            }
            Syntax::DoWhile { body: ast, condition } => {
                let (body, condition) = (body(self, ast), self.number(condition));
                Statement::DoWhile { body: body?, condition: condition? }
            }
            Syntax::For { first, condition, next, body: ast } => {
                let first = first.as_ref().map(|first| self.update(first)).transpose()?;
                let condition = match condition {
                    Some(condition) => self.number(condition)?,
                    None => return self.error(self.for_span(next.as_ref(), ast), "the `for` loop has no condition"),
                };
                let next = next.as_ref().map(|next| self.update(next)).transpose()?;
                let body = body(self, ast)?;
                let head = first.map(Statement::Evaluate);
                Statement::Block(head.into_iter().chain([Statement::While { condition, body, next }]).collect())
            }
            Syntax::Iterate { variable, type_, body: ast } => self.iteration(variable, type_, ast, result)?,
            Syntax::Return { value: None, span } => match result {
                Some(_) => return self.error(*span, "`return` needs a value here"),
                None => Statement::Return(None),
            },
            Syntax::Return { value: Some(value), span } => {
                let (operand, type_) = self.operand(value)?;
                match (result, &operand) {
                    (None, _) => return self.error(*span, "a `void` function returns no value"),
                    (Some(result), Operand::Value(_)) => {
                        self.check_kind(Kind::of(&type_).unwrap_or(Kind::Number), result, value.span)?;
                    }
                    (Some(result), _) if type_.is_like(result) => {}
                    (Some(result), _) => {
                        return self.error(value.span, format!("expected {result}, found {type_}"));
                    }
                }
                Statement::Return(Some(operand))
            }
        })
    }

    fn for_span(&self, next: Option<&ast::Expr>, body: &Syntax) -> crate::source::Span {
        let of_body = match body {
            Syntax::Expression(expression) => Some(expression.span),
            Syntax::Return { span, .. } => Some(*span),
            _ => None,
        };
        let nowhere = crate::source::Span { file: crate::source::FileId(0), start: 0, end: 0 };
        next.map(|next| next.span).or(of_body).unwrap_or(nowhere)
    }

    fn iteration(
        &mut self,
        variable: &Ident,
        type_: &ast::TypeExpr,
        body: &Syntax,
        result: Option<&Type>,
    ) -> Res<Statement> {
        let (range, type_) = self.enumerated(type_)?;
        let offset = self.allocate(1);
        self.scopes.push();
        let declared = self.declare(variable, Symbol::Frame { offset, type_, constant: true });
        let body = declared.and_then(|()| self.statement(body, result));
        self.scopes.pop();
        Ok(Statement::Iterate { offset, range, body: Box::new(body?), span: variable.span })
    }

    /// A variable of a function: its cells are reset whenever its declaration is executed.
    fn local_variable(&mut self, ast: &ast::Variable) -> Res<(Symbol, Statement)> {
        let span = ast.name.span;
        let type_ = self.data_type(&ast.type_, &ast.dimensions)?;
        if ast.type_.prefix.constant && ast.initial.is_none() {
            return self.error(span, format!("the constant `{}` has no value", ast.name.name));
        }
        let offset = self.allocate(type_.cells());
        if self.frame.next > MOST_FRAME_CELLS {
            return self.error(span, format!("the variables have more than {MOST_FRAME_CELLS} cells"));
        }
        let reset = Statement::Reset { offset, values: type_.default_cells() };
        let mut statements = vec![reset];
        if let Some(initial) = &ast.initial {
            statements.extend(self.local_initialiser(offset, &type_, initial, span)?);
        }
        let symbol = Symbol::Frame { offset, type_, constant: ast.type_.prefix.constant };
        Ok((symbol, Statement::Block(statements)))
    }

    fn local_initialiser(
        &mut self,
        offset: u32,
        type_: &Type,
        initial: &ast::Initialiser,
        span: crate::source::Span,
    ) -> Res<Vec<Statement>> {
        if let (None, ast::Initialiser::Value(value)) = (type_.range(), initial) {
            let (source, found) = self.operand(value)?;
            if !found.is_like(type_) {
                return self.error(value.span, format!("expected {type_}, found {found}"));
            }
            let target = Place { base: Base::Frame(offset), offset: 0, index: Vec::new(), type_: type_.clone(), span };
            let kind = ExprKind::Copy { target, source: Box::new(source) };
            return Ok(vec![Statement::Evaluate(Expr { kind, span: value.span })]);
        }
        let cells = self.initial_cells(type_, Some(initial))?;
        let assign = |(at, (value, cell)): (usize, (Expr, &Type))| {
            let base = Base::Frame(offset);
            let target = Place { base, offset: at as u32, index: Vec::new(), type_: cell.clone(), span };
            let value_span = value.span;
            let kind = ExprKind::Assign { target, operator: None, value: Box::new(value), result: StepValue::New };
            Statement::Evaluate(Expr { kind, span: value_span })
        };
        Ok(cells.into_iter().zip(type_.cell_types()).enumerate().map(assign).collect())
    }

    /// Lays out the frame of an edge, a condition or a query.
    pub(super) fn with_frame<T>(&mut self, resolve: impl FnOnce(&mut Self) -> T) -> (T, u32) {
        let frame = std::mem::take(&mut self.frame);
        let writes = std::mem::take(&mut self.writes);
        let resolved = resolve(self);
        let size = self.frame.next;
        self.frame = frame;
        self.writes = writes;
        (resolved, size)
    }
}
