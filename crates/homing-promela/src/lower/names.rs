//! What a name means; and if it means nothing, why that may be.

use std::collections::{HashMap, HashSet};

use super::symbols::Symbol;
use super::{Lowered, Lowering, Reported};
use crate::ast::{Decl, Ident, Name, Program, Unit};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling::nearest;

/// Names that are no use where they are asked for.
#[derive(Default)]
pub(super) struct Strays {
    /// Every global variable of the model, also those declared further down.
    globals: HashMap<Name, Span>,
    /// Local variables seen so far, wherever they are.
    locals: HashMap<Name, Span>,
    /// Names about which enough was said: their declaration is wrong, or they were missed before.
    reported: HashSet<Name>,
}

impl Strays {
    pub fn new(program: &Program) -> Self {
        let mut strays = Strays::default();
        for unit in &program.units {
            if let Unit::Decl(decl) = unit {
                strays.globals.extend(decl.vars.iter().map(|var| (var.name.name.clone(), var.name.span)));
            }
        }
        strays
    }

    /// A process type begins: what was missed in another may be missed here as well.
    pub fn enter(&mut self) {
        self.reported.retain(|name| self.globals.contains_key(name));
    }

    pub fn saw_local(&mut self, name: &Name, span: Span) {
        self.locals.insert(name.clone(), span);
    }
}

/// Words of the language that can stand where a variable can.
const OPERANDS: [&str; 6] = ["break", "else", "false", "skip", "timeout", "true"];

impl Lowering<'_> {
    /// The variable a name means, with a suggestion if there is none.
    pub(super) fn find_variable(&mut self, ident: &Ident) -> Lowered<Symbol> {
        let local = self.process.as_ref().and_then(|process| process.blocks.find(&ident.name));
        if let Some(symbol) = local.or_else(|| self.globals.get(&ident.name)) {
            return Ok(symbol.clone());
        }
        if !self.strays.reported.insert(ident.name.clone()) {
            return Err(Reported); // before
        }
        let name = &ident.name;
        let near = {
            let locals = self.process.iter().flat_map(|process| process.blocks.names());
            let others = self.globals.keys().chain(self.mtypes.keys()).map(|name| &**name);
            nearest(name, locals.chain(others).chain(OPERANDS))
        };
        let diagnostic = Diagnostic::error(ident.span, format!("`{name}` is not declared"));
        let diagnostic = if let Some(&span) = self.strays.globals.get(name) {
            diagnostic.note(span, "it is declared here").help("move the declaration above the first use")
        } else if let Some(&span) = self.strays.locals.get(name) {
            diagnostic
                .note(span, "this one is only known inside its block")
                .help("declare it outside of all process types to use it everywhere")
        } else if let Some(near) = near {
            diagnostic.help(format!("did you mean `{near}`?"))
        } else if self.proctypes.contains_key(name) {
            diagnostic.help("it is a process type, not a variable")
        } else if name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
            diagnostic.help(format!("declare it with `mtype = {{ {name} }}`, or as a macro with `#define {name} 1`"))
        } else {
            diagnostic.help(format!("declare it before its first use, for instance with `byte {name}`"))
        };
        Err(self.report(diagnostic))
    }

    /// Declarations that are wrong: their names are known, but no more is said about them.
    pub(super) fn forgive<T>(&mut self, decl: &Decl, lowered: Lowered<T>) -> Lowered<T> {
        if lowered.is_err() {
            self.strays.reported.extend(decl.vars.iter().map(|var| var.name.name.clone()));
        }
        lowered
    }
}
