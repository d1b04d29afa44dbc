//! A syntax tree as text again: parsing it yields the same tree.

use std::fmt::Write;

use crate::ast::{
    BinaryOp, Decl, Expr, ExprKind, ForRange, Number, Probe, Program, ReceiveArg, SelectForm, Sequence, Stmt, StmtKind,
    TypeName, UnaryOp, Unit, VarDecl, VarInit, VarPart, VarRef, Visibility,
};

/// A whole model.
pub fn program(program: &Program) -> String {
    let mut printer = Printer::default();
    for unit in &program.units {
        printer.unit(unit);
    }
    printer.text
}

/// A temporal formula.
pub fn formula(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr);
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    indent: usize,
}

macro_rules! put {
    ($printer:expr, $($arg:tt)*) => { write!($printer.text, $($arg)*).expect("a string takes all") };
}

impl Printer {
    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push('\t');
        }
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(proctype) => {
                if let Some(active) = &proctype.active {
                    put!(self, "active ");
                    if let Some(count) = &active.count {
                        put!(self, "[");
                        self.expr(count);
                        put!(self, "] ");
                    }
                }
                put!(
                    self,
                    "{} {}(",
                    if proctype.deterministic { "D_proctype" } else { "proctype" },
                    proctype.name.name
                );
                for (at, param) in proctype.params.iter().enumerate() {
                    put!(self, "{}", if at > 0 { "; " } else { "" });
                    self.decl(param);
                }
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
            Unit::Init(init) => {
                put!(self, "init");
                self.priority(init.priority);
                put!(self, " ");
                self.block(&init.body);
            }
            Unit::Never(never) => {
                put!(self, "never ");
                if let Some(name) = &never.name {
                    put!(self, "{} ", name.name);
                }
                self.block(&never.body);
            }
            Unit::Trace(trace) => {
                put!(self, "{} ", if trace.negated { "notrace" } else { "trace" });
                self.block(&trace.body);
            }
            Unit::Ltl(ltl) => {
                put!(self, "ltl ");
                if let Some(name) = &ltl.name {
                    put!(self, "{} ", name.name);
                }
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
                for (at, field) in typedef.fields.iter().enumerate() {
                    put!(self, "{}", if at > 0 { "; " } else { "" });
                    self.decl(field);
                }
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

    fn priority(&mut self, priority: Option<Number>) {
        if let Some(priority) = priority {
            put!(self, " priority {}", priority.value as u32);
        }
    }

    fn decl(&mut self, decl: &Decl) {
        put!(
            self,
            "{}",
            match decl.visibility {
                Visibility::Plain => "",
                Visibility::Hidden => "hidden ",
                Visibility::Show => "show ",
                Visibility::Local => "local ",
            }
        );
        self.type_name(&decl.ty);
        for (at, var) in decl.vars.iter().enumerate() {
            put!(self, "{}", if at > 0 { ", " } else { " " });
            self.var_decl(var);
        }
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
                for (at, field) in fields.iter().enumerate() {
                    put!(self, "{}", if at > 0 { ", " } else { "" });
                    self.type_name(field);
                }
                put!(self, " }}");
            }
        }
    }

    fn block(&mut self, body: &Sequence) {
        put!(self, "{{");
        self.steps(body);
        self.line();
        put!(self, "}}");
    }

    fn steps(&mut self, sequence: &Sequence) {
        self.indent += 1;
        for (at, step) in sequence.steps.iter().enumerate() {
            put!(self, "{}", if at > 0 { ";" } else { "" });
            self.line();
            self.stmt(step);
        }
        self.indent -= 1;
    }

    fn options(&mut self, open: &str, options: &[Sequence], close: &str) {
        put!(self, "{open}");
        for option in options {
            self.line();
            put!(self, "::");
            self.steps(option);
        }
        self.line();
        put!(self, "{close}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Exclusive { send, channels } => {
                put!(self, "{} ", if *send { "xs" } else { "xr" });
                for (at, channel) in channels.iter().enumerate() {
                    put!(self, "{}", if at > 0 { ", " } else { "" });
                    self.var(channel);
                }
            }
            StmtKind::Label(label, inner) => {
                put!(self, "{}: ", label.name);
                self.stmt(inner);
            }
            StmtKind::Assign(var, value) => {
                self.var(var);
                put!(self, " = ");
                self.expr(value);
            }
            StmtKind::Increment(var) => {
                self.var(var);
                put!(self, "++");
            }
            StmtKind::Decrement(var) => {
                self.var(var);
                put!(self, "--");
            }
            StmtKind::Send { channel, sorted, args } => {
                self.var(channel);
                put!(self, "{}", if *sorted { "!!" } else { "!" });
                self.list(args);
            }
            StmtKind::Receive { channel, anywhere, keep, args } => {
                self.var(channel);
                put!(self, "{}{}", if *anywhere { "??" } else { "?" }, if *keep { "<" } else { "" });
                self.receive_args(args);
                put!(self, "{}", if *keep { ">" } else { "" });
            }
            StmtKind::Assert(condition) => {
                put!(self, "assert(");
                self.expr(condition);
                put!(self, ")");
            }
            StmtKind::Print { format, args } => {
                put!(self, "printf({format}");
                for arg in args {
                    put!(self, ", ");
                    self.expr(arg);
                }
                put!(self, ")");
            }
            StmtKind::PrintMtype(value) => {
                put!(self, "printm(");
                self.expr(value);
                put!(self, ")");
            }
            StmtKind::SetPriority(pid, priority) => {
                put!(self, "set_priority(");
                self.expr(pid);
                put!(self, ", ");
                self.expr(priority);
                put!(self, ")");
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Else => put!(self, "else"),
            StmtKind::Break => put!(self, "break"),
            StmtKind::Goto(label) => put!(self, "goto {}", label.name),
            StmtKind::If(options) => self.options("if", options, "fi"),
            StmtKind::Do(options) => self.options("do", options, "od"),
            StmtKind::Atomic(body) => {
                put!(self, "atomic ");
                self.block(body);
            }
            StmtKind::DStep(body) => {
                put!(self, "d_step ");
                self.block(body);
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Unless(main, escape) => {
                self.stmt(main);
                put!(self, " unless ");
                self.stmt(escape);
            }
            StmtKind::For { var, range, body } => {
                put!(self, "for (");
                self.var(var);
                match range {
                    ForRange::Values(from, to) => {
                        put!(self, " : ");
                        self.expr(from);
                        put!(self, " .. ");
                        self.expr(to);
                    }
                    ForRange::Elements(over) => {
                        put!(self, " in ");
                        self.var(over);
                    }
                }
                put!(self, ") ");
                self.block(body);
            }
            StmtKind::Select { var, from, to, form } => {
                put!(self, "select (");
                self.var(var);
                put!(self, " : ");
                // Numbers in parentheses are not taken for plain ones.
                let general = *form == SelectForm::General;
                put!(self, "{}", if general { "(" } else { "" });
                self.expr(from);
                put!(self, "{} .. ", if general { ")" } else { "" });
                self.expr(to);
                put!(self, ")");
            }
        }
    }

    fn list(&mut self, exprs: &[Expr]) {
        for (at, expr) in exprs.iter().enumerate() {
            put!(self, "{}", if at > 0 { ", " } else { "" });
            self.expr(expr);
        }
    }

    fn receive_args(&mut self, args: &[ReceiveArg]) {
        for (at, arg) in args.iter().enumerate() {
            put!(self, "{}", if at > 0 { ", " } else { "" });
            match arg {
                ReceiveArg::Var(var) => self.var(var),
                ReceiveArg::Eval(value) => {
                    put!(self, "eval(");
                    self.expr(value);
                    put!(self, ")");
                }
                ReceiveArg::Number(number) => put!(self, "{}", number.value),
            }
        }
    }

    fn var(&mut self, var: &VarRef) {
        for (at, part) in var.parts.iter().enumerate() {
            put!(self, "{}", if at > 0 { "." } else { "" });
            self.var_part(part);
        }
    }

    fn var_part(&mut self, part: &VarPart) {
        put!(self, "{}", part.name.name);
        if let Some(index) = &part.index {
            put!(self, "[");
            self.expr(index);
            put!(self, "]");
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            // A number that was too large for 32 bits reads back as what it became.
            ExprKind::Number(value) => put!(self, "{}", *value as u32),
            ExprKind::Var(var) => self.var(var),
            ExprKind::Unary(op, operand) => {
                put!(
                    self,
                    "{}",
                    match op {
                        UnaryOp::Not => "!",
                        UnaryOp::Negate => "-",
                        UnaryOp::Complement => "~",
                        UnaryOp::Always => "[]",
                        UnaryOp::Eventually => "<>",
                        UnaryOp::Next => "X ",
                    }
                );
                put!(self, "(");
                self.expr(operand);
                put!(self, ")");
            }
            ExprKind::Binary(op, left, right) => {
                put!(self, "(");
                self.expr(left);
                put!(self, " {} ", operator(*op));
                self.expr(right);
                put!(self, ")");
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                put!(self, "(");
                self.expr(condition);
                put!(self, " -> ");
                self.expr(then);
                put!(self, " : ");
                self.expr(otherwise);
                put!(self, ")");
            }
            ExprKind::Run { proctype, args, priority } => {
                put!(self, "run {}(", proctype.name);
                self.list(args);
                put!(self, ")");
                self.priority(*priority);
            }
            ExprKind::Length(channel) => self.call_on("len", channel),
            ExprKind::Probe(probe, channel) => {
                let name = match probe {
                    Probe::Full => "full",
                    Probe::Empty => "empty",
                    Probe::NotFull => "nfull",
                    Probe::NotEmpty => "nempty",
                };
                self.call_on(name, channel);
            }
            ExprKind::Poll { channel, anywhere, args } => {
                self.var(channel);
                put!(self, "{}[", if *anywhere { "??" } else { "?" });
                self.receive_args(args);
                put!(self, "]");
            }
            ExprKind::Timeout => put!(self, "timeout"),
            ExprKind::NonProgress => put!(self, "np_"),
            ExprKind::Enabled(pid) => self.call("enabled", pid),
            ExprKind::PcValue(pid) => self.call("pc_value", pid),
            ExprKind::PriorityOf(pid) => self.call("get_priority", pid),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote(&proctype.name, pid.as_deref());
                put!(self, "@{}", label.name);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                self.remote(&proctype.name, pid.as_deref());
                put!(self, ":");
                self.var_part(var);
            }
        }
    }

    fn remote(&mut self, proctype: &str, pid: Option<&Expr>) {
        put!(self, "{proctype}");
        if let Some(pid) = pid {
            put!(self, "[");
            self.expr(pid);
            put!(self, "]");
        }
    }

    fn call(&mut self, name: &str, arg: &Expr) {
        put!(self, "{name}(");
        self.expr(arg);
        put!(self, ")");
    }

    fn call_on(&mut self, name: &str, channel: &VarRef) {
        put!(self, "{name}(");
        self.var(channel);
        put!(self, ")");
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Arithmetic(op) => homing_ir::print::operator(op),
        BinaryOp::Until => "U",
        BinaryOp::WeakUntil => "W",
        BinaryOp::Release => "V",
        BinaryOp::Implies => "->",
        BinaryOp::Equivalent => "<->",
    }
}
