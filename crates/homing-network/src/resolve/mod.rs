//! The syntax tree to a [`Network`]: names resolved, types checked, constants evaluated, processes instantiated.
//!
//! A template is resolved where it stands, with its parameters as [`Value`](crate::network::Value)s, and shared by its
//! processes. If a type or range in it depends on a parameter, it is resolved again for each process, with the
//! parameters as constants.

mod assigned;
mod constant;
mod designator;
mod expression;
mod function;
mod query;
mod scope;
mod system;
mod template;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast::{self, Declaration, Document, Ident, Item, Name, RefusedQuery};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::network::{Channel, ChannelId, ConstantId, Global, GlobalId, Network};
use crate::source::{SourceMap, Span};
use scope::{Scopes, Symbol};
use system::Family;
use template::{Plan, TemplateState};
use types::Declared;

/// An error that was reported.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Res<T> = Result<T, Reported>;

/// The largest number of cells of all variables together.
const MOST_CELLS: usize = 1 << 22;
/// The largest number of channels.
const MOST_CHANNELS: u32 = 1 << 22;

/// Resolves a model; `None` after errors, which are reported. A faulty query is one only if the queries must be right (`strict`); otherwise
/// it is added to `refused`.
pub fn resolve(
    document: &Document,
    strict: bool,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
    refused: &mut Vec<RefusedQuery>,
) -> Option<Network> {
    let mut resolver = Resolver {
        document,
        sources,
        diagnostics: std::mem::take(diagnostics),
        network: Network::default(),
        scopes: Scopes::default(),
        templates: HashMap::new(),
        families: HashMap::new(),
        effects: Vec::new(),
        frame: Frame::default(),
        writes: Effects::default(),
        specialise: None,
        scalar_sets: 0,
        plan: None,
        cells: 0,
        in_query: false,
    };
    resolver.document();
    if !resolver.diagnostics.has_errors() {
        refused.extend(resolver.queries(&document.queries, strict));
    }
    *diagnostics = resolver.diagnostics;
    (!diagnostics.has_errors()).then_some(resolver.network)
}

/// What an expression or a function changes, apart from its own frame.
#[derive(Clone, Copy, Debug, Default)]
struct Effects {
    /// Variables of the network or of the process.
    state: bool,
    /// What parameters by reference refer to.
    references: bool,
}

/// The frame that is being laid out.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    next: u32,
    /// Cells before this one have no value while constants are evaluated.
    floor: u32,
}

struct Resolver<'a> {
    document: &'a Document,
    sources: &'a SourceMap,
    diagnostics: Diagnostics,
    network: Network,
    scopes: Scopes,
    /// By the place of their items.
    templates: HashMap<usize, TemplateState>,
    families: HashMap<Name, Family>,
    /// By function.
    effects: Vec<Effects>,
    frame: Frame,
    writes: Effects,
    /// While a template is resolved for all of its processes: whether that is impossible.
    specialise: Option<bool>,
    scalar_sets: u32,
    /// The template that is being resolved.
    plan: Option<Plan>,
    cells: usize,
    in_query: bool,
}

impl<'a> Resolver<'a> {
    fn document(&mut self) {
        let document = self.document;
        for (at, item) in document.items.iter().enumerate() {
            if self.diagnostics.is_full() {
                return;
            }
            match item {
                Item::Declaration(declaration) => {
                    let _ = self.global_declaration(declaration);
                }
                Item::Template(template) => {
                    if self.declare(&template.name, Symbol::Template(at)).is_ok() {
                        self.shared_template(at, template);
                    }
                }
                Item::Instance(instance) => {
                    let checked = self.check_instance(instance);
                    let symbol = checked.map_or(Symbol::Refused, |()| Symbol::Instance(at));
                    let _ = self.declare(&instance.name, symbol);
                }
            }
        }
        match &document.system {
            Some(system) => self.system(system),
            None => self
                .diagnostics
                .push(Diagnostic::global("there is no `system` line").help("name the processes: `system P, Q;`")),
        }
    }

    fn global_declaration(&mut self, declaration: &'a Declaration) -> Res<()> {
        match declaration {
            Declaration::Typedef { name, type_, dimensions } => self.typedef(name, type_, dimensions),
            Declaration::Function(function) => self.function(function),
            Declaration::Variable(variable) => {
                let symbol = self.global_variable(variable);
                self.declare(&variable.name, symbol.unwrap_or(Symbol::Refused))
            }
        }
    }

    fn typedef(&mut self, name: &Ident, type_: &ast::TypeExpr, dimensions: &[ast::Dimension]) -> Res<()> {
        let symbol = match self.declared_type(type_, dimensions) {
            Ok(declared) => Symbol::Type(declared),
            Err(Reported) => Symbol::Refused,
        };
        self.declare(name, symbol)
    }

    fn global_variable(&mut self, variable: &ast::Variable) -> Res<Symbol> {
        let name = &variable.name;
        match self.declared_type(&variable.type_, &variable.dimensions)? {
            Declared::Void => self.error(name.span, "a variable cannot be `void`"),
            Declared::Channel { broadcast, urgent, shape } => {
                self.refuse_initialiser(variable)?;
                Ok(Symbol::Channel(self.add_channel(&name.name, broadcast, urgent, shape, name.span)?))
            }
            Declared::Data(type_) if variable.type_.prefix.constant => {
                let initial = self.required_initialiser(variable)?;
                let cells = self.initial_cells(&type_, Some(initial))?;
                let values = self.constant_cells(&cells, &type_)?;
                Ok(self.constant_symbol(&name.name, type_, values))
            }
            Declared::Data(type_) => {
                self.count_cells(&type_, name.span)?;
                let cells = self.initial_cells(&type_, variable.initial.as_ref())?;
                let initial = self.constant_cells(&cells, &type_)?;
                let meta = variable.type_.prefix.meta;
                if meta {
                    self.warn_of_meta(name);
                }
                let global = Global { name: Arc::clone(&name.name), type_, initial, meta, span: name.span };
                self.network.globals.push(global);
                Ok(Symbol::Global(GlobalId(self.network.globals.len() as u32 - 1)))
            }
        }
    }

    fn warn_of_meta(&mut self, name: &Ident) {
        let message = format!("the meta variable `{}` has its initial value at the beginning of each step", name.name);
        self.diagnostics.push(Diagnostic::warning(name.span, message));
    }

    fn required_initialiser<'v>(&mut self, variable: &'v ast::Variable) -> Res<&'v ast::Initialiser> {
        match &variable.initial {
            Some(initial) => Ok(initial),
            None => self.error(variable.name.span, format!("the constant `{}` has no value", variable.name.name)),
        }
    }

    fn refuse_initialiser(&mut self, variable: &ast::Variable) -> Res<()> {
        match &variable.initial {
            Some(_) => self.error(variable.name.span, "a channel has no initial value"),
            None => Ok(()),
        }
    }

    /// A constant: a number, or the cells of an array or record.
    fn constant_symbol(&mut self, name: &Name, type_: crate::network::Type, values: Vec<i32>) -> Symbol {
        if type_.range().is_some() {
            return Symbol::Number(values[0], type_);
        }
        self.network.constants.push(crate::network::Constant { name: Arc::clone(name), type_, values });
        Symbol::Constant(ConstantId(self.network.constants.len() as u32 - 1))
    }

    fn add_channel(
        &mut self,
        name: &Name,
        broadcast: bool,
        urgent: bool,
        shape: Vec<crate::network::Range>,
        span: Span,
    ) -> Res<ChannelId> {
        let first = self.network.channels.last().map_or(0, |last| last.first + last.count);
        let count = shape.iter().try_fold(1u32, |count, range| count.checked_mul(range.len()));
        match count.and_then(|count| first.checked_add(count)) {
            Some(last) if last <= MOST_CHANNELS => {
                let channel = Channel { name: Arc::clone(name), broadcast, urgent, shape, first, count: last - first };
                self.network.channels.push(channel);
                Ok(ChannelId(self.network.channels.len() as u32 - 1))
            }
            _ => self.error(span, format!("there are more than {MOST_CHANNELS} channels")),
        }
    }

    /// Counts the cells of a variable; a network that cannot be stored is refused before memory runs out.
    fn count_cells(&mut self, type_: &crate::network::Type, span: Span) -> Res<()> {
        if let Some((low, high)) =
            type_.cell_types().iter().filter_map(|cell| cell.range()).find(|(low, high)| low > high)
        {
            return self.error(span, format!("no value is in the range {low} to {high} of the variable"));
        }
        self.cells += type_.cells() as usize;
        if self.cells > MOST_CELLS {
            return self.error(span, format!("the variables have more than {MOST_CELLS} cells"));
        }
        Ok(())
    }

    /// Adds a name to the innermost scope.
    fn declare(&mut self, name: &Ident, symbol: Symbol) -> Res<()> {
        match self.scopes.declare(name, symbol) {
            Ok(()) => Ok(()),
            Err(before) => {
                let diagnostic = Diagnostic::error(name.span, format!("`{}` is declared twice", name.name));
                self.diagnostics.push(diagnostic.note(before, "the first declaration"));
                Err(Reported)
            }
        }
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Res<T> {
        self.diagnostics.push(Diagnostic::error(span, message));
        Err(Reported)
    }

    fn unsupported<T>(&mut self, span: Span, construct: &str) -> Res<T> {
        self.diagnostics.push(Diagnostic::unsupported(span, construct));
        Err(Reported)
    }
}
