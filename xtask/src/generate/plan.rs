//! Decides what a model declares, before any statement is made.

use super::coverage::Marks;
use super::rng::Rng;
use super::symbols::{
    Access, Callable, Channel, Features, FieldKind, MessageField, MtypeSet, Record, RecordVariable, Signature,
    SymbolTable, Type, Variable,
};
use super::tree::Item;

/// The declarations of a new model: as names for statements, and as items to print.
pub fn declarations(rng: &mut Rng, marks: &mut Marks) -> (SymbolTable, Vec<Item>) {
    let features = features(rng);
    let mut planner =
        Planner { rng, marks, symbols: SymbolTable { features, ..SymbolTable::default() }, items: Vec::new() };
    planner.macros();
    planner.mtypes();
    planner.records();
    planner.signatures();
    planner.channels();
    planner.variables();
    planner.record_variables();
    planner.inlines();
    (planner.symbols, planner.items)
}

fn features(rng: &mut Rng) -> Features {
    let has_channels = rng.chance(75);
    let buffered = has_channels && rng.chance(65);
    let rendezvous = has_channels && (!buffered || rng.chance(35));
    let record = rng.chance(25);
    let run = rng.chance(40);
    // Priorities exclude rendezvous, and local variables: pan takes the last byte of a process with a priority for padding.
    let priority = !rendezvous && rng.chance(6);
    Features {
        non_blocking: rng.chance(55),
        rendezvous,
        buffered,
        channel_array: has_channels && rng.chance(15),
        channel_message: has_channels && !priority && rng.chance(15),
        channel_parameter: has_channels && run && !priority && rng.chance(40),
        local_channel: has_channels && !priority && rng.chance(15),
        record,
        record_message: record && has_channels && rng.chance(40),
        mtype: rng.chance(35),
        run,
        unless: rng.chance(25),
        timeout: rng.chance(15),
        d_step: rng.chance(30),
        atomic: rng.chance(55),
        inline: rng.chance(20),
        macros: rng.chance(15),
        remote: !run && rng.chance(35),
        provided: rng.chance(6),
        priority,
        trace: buffered && rng.chance(12),
        hidden: rng.chance(6),
        last: rng.chance(4),
        loops: !priority && rng.chance(50),
    }
}

struct Planner<'a> {
    rng: &'a mut Rng,
    marks: &'a mut Marks,
    symbols: SymbolTable,
    items: Vec<Item>,
}

impl Planner<'_> {
    fn text(&mut self, text: impl Into<String>) {
        self.items.push(Item::Text(text.into()));
    }

    fn macros(&mut self) {
        if !self.symbols.features.macros {
            return;
        }
        self.marks.add("#define");
        let limit = self.rng.between(1, 3);
        self.text(format!("#define LIMIT {limit}"));
        self.symbols.variables.push(Variable::scalar("LIMIT", Type::Byte).with_access(Access::ReadOnly));
        if self.rng.chance(60) {
            self.marks.add("macro with argument");
            self.text("#define BUMP(v) v = (v + 1) % (LIMIT + 1)");
            self.symbols.macros.push(Callable { name: "BUMP".into(), arguments: 1 });
        }
        if self.rng.chance(50) {
            self.marks.add("#if");
            self.text("#if LIMIT > 1\nbyte chosen = LIMIT;\n#else\nshort chosen = -1;\n#endif");
            self.symbols.variables.push(Variable::scalar("chosen", Type::Byte));
        }
    }

    fn mtypes(&mut self) {
        if !self.symbols.features.mtype {
            return;
        }
        self.marks.add("mtype");
        let names = ["req", "ack", "nak"];
        let count = self.rng.between(2, 3);
        let mut constants: Vec<String> = names[..count].iter().map(ToString::to_string).collect();
        self.text(format!("mtype = {{ {} }};", constants.join(", ")));
        if self.rng.chance(20) {
            self.text("mtype = { late };");
            constants.push("late".into());
        }
        self.symbols.mtypes.push(MtypeSet { name: None, constants });
        if self.rng.chance(40) {
            self.marks.add("named mtype");
            let constants: Vec<String> = ["apple", "pear", "plum"].map(String::from).to_vec();
            self.text(format!("mtype:fruit = {{ {} }};", constants.join(", ")));
            self.symbols.mtypes.push(MtypeSet { name: Some("fruit".into()), constants });
        }
    }

    fn records(&mut self) {
        if !self.symbols.features.record {
            return;
        }
        self.marks.add("typedef");
        for k in 0..self.rng.between(1, 2) {
            let mut fields = Vec::new();
            for f in 0..self.rng.between(1, 3) {
                let ty = self.scalar_type();
                let nests = k > 0 && f == 0 && self.rng.chance(60);
                let kind = if nests {
                    self.marks.add("nested record");
                    FieldKind::Record(self.rng.below(k))
                } else if self.rng.chance(25) && !matches!(ty, Type::Unsigned(_)) {
                    self.marks.add("array in record");
                    FieldKind::Array(ty, 2)
                } else {
                    FieldKind::Scalar(ty)
                };
                fields.push((format!("f{f}"), kind));
            }
            let record = Record { name: format!("T{k}"), fields };
            let lines: Vec<String> = record.fields.iter().map(|(name, kind)| self.field(name, *kind)).collect();
            self.text(format!("typedef {} {{ {} }};", record.name, lines.join("; ")));
            self.symbols.records.push(record);
        }
    }

    fn field(&mut self, name: &str, kind: FieldKind) -> String {
        match kind {
            FieldKind::Scalar(ty) if self.rng.chance(20) => {
                let value = self.value_of(ty);
                self.symbols.declaration(name, ty, &value)
            }
            FieldKind::Scalar(ty) => self.symbols.declaration(name, ty, ""),
            FieldKind::Array(ty, length) => self.symbols.declaration(&format!("{name}[{length}]"), ty, ""),
            FieldKind::Record(record) => format!("{} {name}", self.symbols.records[record].name),
        }
    }

    fn signatures(&mut self) {
        let features = self.symbols.features;
        if features.rendezvous {
            self.marks.add("rendezvous");
            let fields = self.message();
            self.add_signature(0, fields);
        }
        if features.buffered {
            self.marks.add("buffered channel");
            let fields = self.message();
            let capacity = self.rng.between(1, 3);
            self.add_signature(capacity, fields);
        }
        let sendable: Vec<usize> = (0..self.symbols.records.len()).filter(|&r| self.symbols.is_sendable(r)).collect();
        if features.record_message && !sendable.is_empty() {
            self.marks.add("record in message");
            let record = *self.rng.pick(&sendable);
            let mut fields = vec![MessageField::Record(record)];
            if self.rng.chance(30) {
                fields.push(MessageField::Scalar(Type::Byte));
            }
            let capacity = self.rng.between(1, 2);
            self.add_signature(capacity, fields);
        }
        if features.channel_message {
            self.marks.add("channel in message");
            let carried = self.rng.below(self.symbols.signatures.len());
            let fields = vec![MessageField::Channel(carried)];
            let capacity = self.rng.below(3);
            self.add_signature(capacity, fields);
        }
    }

    fn add_signature(&mut self, capacity: usize, fields: Vec<MessageField>) {
        let true_bits = self.rng.chance(70);
        self.symbols.signatures.push(Signature { capacity, fields, true_bits });
    }

    fn message(&mut self) -> Vec<MessageField> {
        let count = self.rng.weighted(&[(6, 1), (4, 2), (1, 3)]);
        let scalar = |planner: &mut Self| match planner.scalar_type() {
            Type::Unsigned(_) => Type::Byte, // no such message field
            ty => ty,
        };
        let mut fields: Vec<MessageField> = (0..count).map(|_| MessageField::Scalar(scalar(self))).collect();
        if self.symbols.features.mtype && self.rng.chance(60) {
            fields[0] = MessageField::Scalar(Type::Mtype(self.rng.below(self.symbols.mtypes.len())));
        }
        fields
    }

    fn channels(&mut self) {
        for signature in 0..self.symbols.signatures.len() {
            let Signature { capacity, fields, .. } = self.symbols.signatures[signature].clone();
            let types: Vec<String> = fields.iter().map(|field| self.symbols.message_type(*field)).collect();
            let kind = format!("[{capacity}] of {{ {} }}", types.join(", "));
            let name = format!("c{signature}");
            if self.symbols.features.channel_array && self.rng.chance(60) {
                self.marks.add("channel array");
                self.text(format!("chan {name}[2] = {kind};"));
                for k in 0..2 {
                    self.symbols.channels.push(Channel { name: format!("{name}[{k}]"), signature });
                }
            } else {
                self.text(format!("chan {name} = {kind};"));
                self.symbols.channels.push(Channel { name, signature });
            }
        }
    }

    fn variables(&mut self) {
        for k in 0..self.rng.between(1, 3) {
            let (name, ty) = (format!("g{k}"), self.scalar_type());
            let value = if self.rng.chance(40) { self.value_of(ty) } else { String::new() };
            let prefix = match self.rng.below(20) {
                0 => {
                    self.marks.add("show");
                    "show "
                }
                1 => {
                    self.marks.add("local keyword");
                    "local "
                }
                _ => "",
            };
            self.text(format!("{prefix}{};", self.symbols.declaration(&name, ty, &value)));
            self.symbols.variables.push(Variable::scalar(name, ty));
        }
        if self.rng.chance(30) {
            self.array();
        }
        if self.symbols.features.hidden {
            self.marks.add("hidden");
            let ty = *self.rng.pick(&[Type::Byte, Type::Short, Type::Int]); // SPIN refuses hidden bits
            self.text(format!("hidden {};", self.symbols.declaration("h0", ty, "")));
            self.symbols.variables.push(Variable::scalar("h0", ty).with_access(Access::WriteOnly));
        }
    }

    fn array(&mut self) {
        self.marks.add("array");
        let ty = match self.scalar_type() {
            Type::Unsigned(_) => Type::Byte, // no arrays of unsigned
            ty => ty,
        };
        let length = *self.rng.pick(&[2, 4]);
        let list = || (0..length).map(|k| (k % 3).to_string()).collect::<Vec<_>>().join(", ");
        let is_number = matches!(ty, Type::Byte | Type::Short | Type::Int);
        let value = match self.rng.below(3) {
            0 if is_number => {
                self.marks.add("array initialiser");
                format!("{{ {} }}", list())
            }
            1 => self.value_of(ty),
            _ => String::new(),
        };
        self.text(format!("{};", self.symbols.declaration(&format!("a0[{length}]"), ty, &value)));
        self.symbols.variables.push(Variable::array("a0", length, ty));
        self.symbols.arrays.push(("a0".into(), length));
    }

    fn record_variables(&mut self) {
        for record in 0..self.symbols.records.len() {
            let name = format!("r{record}");
            let type_name = self.symbols.records[record].name.clone();
            if self.rng.chance(20) {
                self.marks.add("record array");
                self.text(format!("{type_name} {name}[2];"));
                let element = RecordVariable { name: format!("{name}[1]"), record };
                self.symbols.variables.extend(self.symbols.fields_of(&element));
                self.symbols.record_variables.push(element);
            } else {
                self.text(format!("{type_name} {name};"));
                let variable = RecordVariable { name, record };
                self.symbols.variables.extend(self.symbols.fields_of(&variable));
                self.symbols.record_variables.push(variable);
            }
        }
    }

    fn inlines(&mut self) {
        if self.symbols.features.inline {
            self.marks.add("inline");
            let arguments = self.rng.between(1, 2);
            if arguments == 2 {
                self.marks.add("inline with two arguments");
            }
            self.symbols.inlines.push(Callable { name: "apply".into(), arguments });
        }
    }

    fn scalar_type(&mut self) -> Type {
        scalar_type(self.rng, self.marks, &self.symbols)
    }

    fn value_of(&mut self, ty: Type) -> String {
        value_of(self.rng, &self.symbols, ty)
    }
}

/// A type for a variable; a number type most of the time.
pub fn scalar_type(rng: &mut Rng, marks: &mut Marks, symbols: &SymbolTable) -> Type {
    let unsigned = Type::Unsigned(rng.between(2, 4));
    let mtype = (if symbols.mtypes.is_empty() { 0 } else { 3 }, Type::Mtype(rng.below(symbols.mtypes.len().max(1))));
    let rows = [
        (2, Type::Bit),
        (2, Type::Bool),
        (6, Type::Byte),
        (1, Type::Pid),
        (2, Type::Short),
        (2, Type::Int),
        (2, unsigned),
        mtype,
    ];
    let ty = rng.weighted(&rows);
    marks.add(match ty {
        Type::Bit => "bit",
        Type::Bool => "bool",
        Type::Byte => "byte",
        Type::Pid => "pid",
        Type::Short => "short",
        Type::Int => "int",
        Type::Unsigned(_) => "unsigned",
        Type::Mtype(_) => "mtype",
    });
    ty
}

/// An initial value.
pub fn value_of(rng: &mut Rng, symbols: &SymbolTable, ty: Type) -> String {
    match ty {
        Type::Bit => rng.below(2).to_string(),
        Type::Bool => (*rng.pick(&["true", "false"])).to_string(),
        Type::Mtype(set) => rng.pick(&symbols.mtypes[set].constants).clone(),
        Type::Short | Type::Int if rng.chance(20) => "-1".into(),
        Type::Byte if rng.chance(10) => "255".into(),
        _ => rng.below(3).to_string(),
    }
}
