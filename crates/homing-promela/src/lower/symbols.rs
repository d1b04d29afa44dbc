//! Names and types: what a model declares, and where it can be seen.

use std::collections::HashMap;

use homing_ir::{Cell, Scalar, Scope};

use crate::ast::{Name, VarInit};
use crate::source::Span;

/// The type of a variable or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Scalar(Scalar),
    /// A `typedef`, by its number.
    Record(usize),
}

impl Type {
    pub fn is_chan(self) -> bool {
        self == Type::Scalar(Scalar::Chan)
    }
}

/// A variable or a field: its type and, for an array, its length.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: Name,
    pub span: Span,
    pub ty: Type,
    pub length: Option<u32>,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct FieldSymbol {
    pub declared: Declared,
    pub init: Option<VarInit>,
    /// How many scalar variables come before it in the record.
    pub offset: u32,
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Record {
    pub name: Name,
    pub span: Span,
    pub fields: Vec<FieldSymbol>,
    /// How many scalar variables (of any dimension) it comes to.
    pub leaves: u32,
}

/// A declared variable: from `base` on, its scope has one variable for each scalar in it.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub declared: Declared,
    pub scope: Scope,
    pub base: u32,
    /// The channel declared with it, for `for (x in channel)`.
    pub channel: Option<ChannelDecl>,
}

#[derive(Clone, Debug)]
pub struct ChannelDecl {
    pub capacity: u32,
    /// The record that is its only field type, if that is so.
    pub record: Option<usize>,
}

/// How a value of the type is kept. SPIN keeps single bits and `unsigned` as bit fields, but arrays of bits as bytes,
/// and hidden ones in a byte.
pub fn cell_of(scalar: Scalar, array: bool, hidden: bool) -> Cell {
    match scalar {
        Scalar::Bit if !array => Cell::Bits(1),
        Scalar::Unsigned(_) if hidden => Cell::Byte,
        Scalar::Unsigned(width) => Cell::Bits(width),
        Scalar::Bit | Scalar::Byte | Scalar::Mtype(_) | Scalar::Chan => Cell::Byte,
        Scalar::Short => Cell::Short,
        Scalar::Int => Cell::Int,
    }
}

/// The blocks open at a place of a body. A name is seen from its declaration to the end of its block, and in the blocks
/// inside; SPIN forbids to declare it again there.
#[derive(Debug, Default)]
pub struct Blocks {
    open: Vec<(u32, HashMap<Name, Symbol>)>,
    next: u32,
}

impl Blocks {
    pub fn enter(&mut self) {
        self.open.push((self.next, HashMap::new()));
        self.next += 1;
    }

    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// The numbers of the open blocks, outermost first: where a label or a jump stands.
    pub fn path(&self) -> Vec<u32> {
        self.open.iter().map(|(number, _)| *number).collect()
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.open.iter().rev().find_map(|(_, names)| names.get(name))
    }

    /// Declares a name in the innermost block.
    pub fn declare(&mut self, symbol: Symbol) {
        let block = self.open.last_mut().expect("a body has a block");
        block.1.insert(symbol.declared.name.clone(), symbol);
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.open.iter().flat_map(|(_, names)| names.keys().map(|name| &**name))
    }
}
