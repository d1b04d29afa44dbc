//! Names and types: what a model declares, and where it can be seen.

use std::collections::HashMap;
use std::sync::Arc;

use homing_ir::{Cell, Scalar, Scope};

use super::size::Extent;
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
    pub extent: Extent,
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

/// A block inside the blocks around it: where a label or a jump stands.
#[derive(Debug)]
pub struct BlockPath {
    /// No other block of the body has it.
    pub number: u32,
    around: Option<Arc<BlockPath>>,
}

impl BlockPath {
    /// The numbers of the block and those around it, innermost first.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(self), |block| block.around.as_deref()).map(|block| block.number)
    }
}

/// The blocks open at a place of a body. A name is seen from its declaration to the end of its block, and in the blocks
/// inside; SPIN forbids to declare it again there.
#[derive(Debug, Default)]
pub struct Blocks {
    open: Vec<(Arc<BlockPath>, Vec<Name>)>,
    /// No name is declared twice in blocks inside each other.
    symbols: HashMap<Name, Symbol>,
    next: u32,
}

impl Blocks {
    pub fn enter(&mut self) {
        let around = self.open.last().map(|(block, _)| Arc::clone(block));
        self.open.push((Arc::new(BlockPath { number: self.next, around }), Vec::new()));
        self.next += 1;
    }

    pub fn leave(&mut self) {
        for name in self.open.pop().map(|(_, names)| names).into_iter().flatten() {
            self.symbols.remove(&name);
        }
    }

    /// The innermost block.
    pub fn path(&self) -> Arc<BlockPath> {
        Arc::clone(&self.open.last().expect("a body has a block").0)
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    /// Declares a name in the innermost block.
    pub fn declare(&mut self, symbol: Symbol) {
        let name = symbol.declared.name.clone();
        self.open.last_mut().expect("a body has a block").1.push(name.clone());
        self.symbols.insert(name, symbol);
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(|name| &**name)
    }
}
