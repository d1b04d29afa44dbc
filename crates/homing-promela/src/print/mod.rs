//! Prints a syntax tree as a model text; parsing the text yields the same tree.

/// Appends formatted text to a printer.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => { write!($printer.text, $($arg)*).expect("a string takes all") };
}

mod expression;
mod statement;

use std::fmt::Write;

use crate::ast::{Decl, Ident, Number, Proctype, Program, TypeName, Unit, VarDecl, VarInit, Visibility};

/// The text of a whole model.
pub fn program(program: &Program) -> String {
    let mut printer = Printer::default();
    for unit in &program.units {
        printer.unit(unit);
    }
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    /// Begins a new line.
    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push('\t');
        }
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(proctype) => self.proctype(proctype),
            Unit::Init(init) => {
                put!(self, "init");
                self.priority(init.priority);
                put!(self, " ");
                self.block(&init.body);
            }
            Unit::Never(never) => {
                put!(self, "never ");
                self.optional_name(never.name.as_ref());
                self.block(&never.body);
            }
            Unit::Trace(trace) => {
                put!(self, "{} ", if trace.negated { "notrace" } else { "trace" });
                self.block(&trace.body);
            }
            Unit::Ltl(ltl) => {
                put!(self, "ltl ");
                self.optional_name(ltl.name.as_ref());
                put!(self, "{{ ");
                self.expr(&ltl.formula);
                put!(self, " }}");
            }
            Unit::Decl(decl) => {
                self.decl(decl);
                put!(self, ";");
            }
            Unit::Typedef(typedef) => {
                put!(self, "typedef {} {{ ", typedef.name.name);
                self.separated("; ", &typedef.fields, Self::decl);
                put!(self, " }}");
            }
            Unit::Mtype(mtype) => {
                put!(self, "mtype");
                if let Some(set) = &mtype.set {
                    put!(self, ":{}", set.name);
                }
                let names: Vec<&str> = mtype.names.iter().map(|name| &*name.name).collect();
                put!(self, " = {{ {} }};", names.join(", "));
            }
        }
        self.line();
    }

    fn proctype(&mut self, proctype: &Proctype) {
        if let Some(active) = &proctype.active {
            put!(self, "active ");
            if let Some(count) = &active.count {
                put!(self, "[");
                self.expr(count);
                put!(self, "] ");
            }
        }
        let keyword = if proctype.deterministic { "D_proctype" } else { "proctype" };
        put!(self, "{keyword} {}(", proctype.name.name);
        self.separated("; ", &proctype.params, Self::decl);
        put!(self, ")");
        self.priority(proctype.priority);
        if let Some(provided) = &proctype.provided {
            put!(self, " provided (");
            self.expr(provided);
            put!(self, ")");
        }
        put!(self, " ");
        self.block(&proctype.body);
    }

    fn optional_name(&mut self, name: Option<&Ident>) {
        if let Some(name) = name {
            put!(self, "{} ", name.name);
        }
    }

    /// Prints all items, with a separator between them.
    fn separated<T>(&mut self, separator: &str, items: &[T], print: impl Fn(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text.push_str(separator);
            }
            print(self, item);
        }
    }

    fn priority(&mut self, priority: Option<Number>) {
        if let Some(priority) = priority {
            put!(self, " priority {}", priority.value as u32);
        }
    }

    fn decl(&mut self, decl: &Decl) {
        let visibility = match decl.visibility {
            Visibility::Plain => "",
            Visibility::Hidden => "hidden ",
            Visibility::Show => "show ",
            Visibility::Local => "local ",
        };
        put!(self, "{visibility}");
        self.type_name(&decl.ty);
        put!(self, " ");
        self.separated(", ", &decl.vars, Self::var_decl);
    }

    fn type_name(&mut self, ty: &TypeName) {
        match ty {
            TypeName::Bit => put!(self, "bit"),
            TypeName::Byte => put!(self, "byte"),
            TypeName::Short => put!(self, "short"),
            TypeName::Int => put!(self, "int"),
            TypeName::Unsigned => put!(self, "unsigned"),
            TypeName::Mtype(None) => put!(self, "mtype"),
            TypeName::Mtype(Some(set)) => put!(self, "mtype:{}", set.name),
            TypeName::Chan => put!(self, "chan"),
            TypeName::User(name) => put!(self, "{}", name.name),
        }
    }

    fn var_decl(&mut self, var: &VarDecl) {
        put!(self, "{}", var.name.name);
        if let Some(width) = var.width {
            put!(self, " : {}", width.value as u32);
        }
        if let Some(length) = &var.length {
            put!(self, "[");
            self.expr(length);
            put!(self, "]");
        }
        match &var.init {
            None => {}
            Some(VarInit::Value(value)) => {
                put!(self, " = ");
                self.expr(value);
            }
            Some(VarInit::List(values)) => {
                put!(self, " = {{ ");
                self.list(values);
                put!(self, " }}");
            }
            Some(VarInit::Channel { capacity, fields, .. }) => {
                put!(self, " = [");
                self.expr(capacity);
                put!(self, "] of {{ ");
                self.separated(", ", fields, Self::type_name);
                put!(self, " }}");
            }
        }
    }
}
