//! What a model declares: the names a statement can use.

/// A type whose values are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned(usize),
    /// An index into [`SymbolTable::mtypes`].
    Mtype(usize),
}

/// What general statements may do with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Free,
    /// A loop counter (a write could make the loop endless), or a formal that stands for an expression.
    ReadOnly,
    /// Hidden from the state: reading it would make the counts depend on the order of the search.
    WriteOnly,
}

/// A number that can be named: a scalar, an element of an array, a field of a record.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The spelling up to the index, or all of it: `x`, `r.f`, `a[`.
    pub before: String,
    /// The length of the array, if an index is to be put in.
    pub length: Option<usize>,
    /// The spelling after the index: `]`, `].f`.
    pub after: String,
    pub ty: Type,
    pub access: Access,
}

impl Variable {
    pub fn scalar(name: impl Into<String>, ty: Type) -> Variable {
        Variable { before: name.into(), length: None, after: String::new(), ty, access: Access::Free }
    }

    pub fn array(name: &str, length: usize, ty: Type) -> Variable {
        Variable { before: format!("{name}["), length: Some(length), after: "]".into(), ty, access: Access::Free }
    }

    pub fn with_access(self, access: Access) -> Variable {
        Variable { access, ..self }
    }
}

#[derive(Clone, Debug)]
pub struct MtypeSet {
    /// None is the unnamed set.
    pub name: Option<String>,
    pub constants: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Scalar(Type),
    Array(Type, usize),
    /// An index into [`SymbolTable::records`].
    Record(usize),
}

/// A typedef.
#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub fields: Vec<(String, FieldKind)>,
}

/// A variable of a typedef, as a whole.
#[derive(Clone, Debug)]
pub struct RecordVariable {
    pub name: String,
    pub record: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageField {
    Scalar(Type),
    /// A channel of that signature.
    Channel(usize),
    Record(usize),
}

/// Channels with equal signature are interchangeable.
#[derive(Clone, Debug)]
pub struct Signature {
    /// 0 is rendezvous.
    pub capacity: usize,
    pub fields: Vec<MessageField>,
    /// Into a field for a bit only 0 and 1 are sent.
    pub true_bits: bool,
}

impl Signature {
    /// True if a variable of type `ty` holds all that comes in a field of type `field`. pan undoes a receive by putting the
    /// value of the variable back into the message: what the variable cannot hold would be lost.
    pub fn fits(&self, field: Type, ty: Type) -> bool {
        match (field, ty) {
            (Type::Mtype(left), Type::Mtype(right)) => left == right,
            (Type::Mtype(_), _) | (_, Type::Mtype(_)) => false,
            (Type::Bit | Type::Bool, _) if self.true_bits => true,
            (_, Type::Bit | Type::Bool | Type::Unsigned(_)) => false,
            (Type::Short, _) => matches!(ty, Type::Short | Type::Int),
            (Type::Int, _) => ty == Type::Int,
            _ => true,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Channel {
    /// `c`, `cs[1]`, a parameter, a local.
    pub name: String,
    pub signature: usize,
}

#[derive(Clone, Debug)]
pub enum Parameter {
    Scalar(String, Type),
    Channel(String, usize),
    Record(String, usize),
}

/// What other processes refer to.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// None is init.
    pub name: Option<String>,
    /// Instances at the start.
    pub active: usize,
    pub parameters: Vec<Parameter>,
    /// The pid of the first instance, if it is active.
    pub first_pid: Option<usize>,
    /// For each statement at the top level its label, if any.
    pub labels: Vec<Option<String>>,
    /// Declared at the head of the body, with their declarations.
    pub locals: Vec<(Variable, String)>,
}

impl Proctype {
    pub fn is_run(&self) -> bool {
        self.active == 0
    }
}

/// An inline or a macro with parameters.
#[derive(Clone, Debug)]
pub struct Callable {
    pub name: String,
    /// The first argument is assigned to, the second (if it takes two) is an expression.
    pub arguments: usize,
}

/// The constructs a model concentrates on: a model with everything would be too large to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// Nothing blocks for long: such models seldom deadlock, so that other errors, or none, get their turn.
    pub non_blocking: bool,
    pub rendezvous: bool,
    pub buffered: bool,
    pub channel_array: bool,
    pub channel_message: bool,
    pub channel_parameter: bool,
    pub local_channel: bool,
    pub record: bool,
    pub record_message: bool,
    pub mtype: bool,
    pub run: bool,
    pub unless: bool,
    pub timeout: bool,
    pub d_step: bool,
    pub atomic: bool,
    pub inline: bool,
    pub macros: bool,
    pub remote: bool,
    pub provided: bool,
    pub priority: bool,
    pub trace: bool,
    pub hidden: bool,
    pub last: bool,
    pub loops: bool,
}

/// All declarations of a model.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    pub features: Features,
    pub mtypes: Vec<MtypeSet>,
    pub records: Vec<Record>,
    pub record_variables: Vec<RecordVariable>,
    pub signatures: Vec<Signature>,
    pub channels: Vec<Channel>,
    pub variables: Vec<Variable>,
    /// Global arrays, for `for (i in a)`.
    pub arrays: Vec<(String, usize)>,
    pub proctypes: Vec<Proctype>,
    pub inlines: Vec<Callable>,
    pub macros: Vec<Callable>,
}

impl SymbolTable {
    /// `byte x`, `unsigned x : 3`, `mtype:fruit x`, with ` = value` if there is one.
    pub fn declaration(&self, name: &str, ty: Type, value: &str) -> String {
        let value = if value.is_empty() { String::new() } else { format!(" = {value}") };
        match ty {
            Type::Unsigned(bits) => format!("unsigned {name} : {bits}{value}"),
            other => format!("{} {name}{value}", self.type_name(other)),
        }
    }

    /// For an unsigned the name without its width.
    pub fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Bit => "bit".into(),
            Type::Bool => "bool".into(),
            Type::Byte => "byte".into(),
            Type::Pid => "pid".into(),
            Type::Short => "short".into(),
            Type::Int => "int".into(),
            Type::Unsigned(_) => "unsigned".into(),
            Type::Mtype(set) => match &self.mtypes[set].name {
                Some(name) => format!("mtype:{name}"),
                None => "mtype".into(),
            },
        }
    }

    pub fn message_type(&self, field: MessageField) -> String {
        match field {
            MessageField::Scalar(ty) => self.type_name(ty),
            MessageField::Channel(_) => "chan".into(),
            MessageField::Record(record) => self.records[record].name.clone(),
        }
    }

    pub fn is_rendezvous(&self, channel: &Channel) -> bool {
        self.signatures[channel.signature].capacity == 0
    }

    pub fn has_rendezvous(&self) -> bool {
        self.signatures.iter().any(|signature| signature.capacity == 0)
    }

    /// True if a record of this type can be a parameter: SPIN refuses arrays inside.
    pub fn is_flat(&self, record: usize) -> bool {
        self.records[record].fields.iter().all(|(_, kind)| match kind {
            FieldKind::Scalar(_) => true,
            FieldKind::Array(..) => false,
            FieldKind::Record(inner) => self.is_flat(*inner),
        })
    }

    /// True if a record of this type can be a message field: SPIN refuses an unsigned inside.
    pub fn is_sendable(&self, record: usize) -> bool {
        self.records[record].fields.iter().all(|(_, kind)| match kind {
            FieldKind::Scalar(ty) | FieldKind::Array(ty, _) => !matches!(ty, Type::Unsigned(_)),
            FieldKind::Record(inner) => self.is_sendable(*inner),
        })
    }

    /// The numbers inside a record variable; of a nested array only one element.
    pub fn fields_of(&self, variable: &RecordVariable) -> Vec<Variable> {
        let mut found = Vec::new();
        for (field, kind) in &self.records[variable.record].fields {
            let name = format!("{}.{field}", variable.name);
            match kind {
                FieldKind::Scalar(ty) => found.push(Variable::scalar(name, *ty)),
                FieldKind::Array(ty, length) => found.push(Variable::array(&name, *length, *ty)),
                FieldKind::Record(record) => {
                    found.extend(self.fields_of(&RecordVariable { name, record: *record }));
                }
            }
        }
        found
    }
}
