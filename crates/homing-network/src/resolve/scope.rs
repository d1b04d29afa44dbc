//! Names and what they stand for.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast::{Ident, Name};
use crate::network::{
    Binding, ChannelId, ChannelParameterId, ConstantId, FunctionId, GlobalId, LocalId, Range, ReferenceId, Type,
    ValueId,
};
use crate::source::Span;

use super::types::Declared;

#[derive(Clone, Debug)]
pub enum Symbol {
    Type(Declared),
    /// A constant with a single value.
    Number(i32, Type),
    /// A constant array or record.
    Constant(ConstantId),
    Global(GlobalId),
    Local(LocalId),
    /// A constant of the process.
    Value(ValueId),
    Reference {
        id: ReferenceId,
        constant: bool,
    },
    /// A parameter of a partial instance that stands for a variable.
    Bound {
        binding: Binding,
        type_: Type,
    },
    Frame {
        offset: u32,
        type_: Type,
        constant: bool,
    },
    FrameReference {
        number: u32,
        type_: Type,
        constant: bool,
    },
    Channel(ChannelId),
    ChannelParameter(ChannelParameterId),
    /// A parameter of a partial instance that stands for a channel, with the number of the first one.
    BoundChannel {
        number: u32,
        shape: Vec<Range>,
    },
    Function(FunctionId),
    /// A function whose body is being read.
    OpenFunction,
    /// The place of the item.
    Template(usize),
    /// The place of the item.
    Instance(usize),
    Location,
    /// Its declaration has an error, which is reported: uses are not.
    Refused,
}

#[derive(Debug)]
struct Entry {
    symbol: Symbol,
    span: Span,
    /// When it was declared.
    order: u32,
}

/// The scopes from the outermost to the innermost. The outermost one is that of the network.
#[derive(Debug)]
pub struct Scopes {
    scopes: Vec<HashMap<Name, Entry>>,
    declared: u32,
    /// Names of the network that were declared later are not visible.
    visible: u32,
    /// What every network can use. Its own declarations hide them.
    predefined: HashMap<&'static str, Symbol>,
}

impl Default for Scopes {
    fn default() -> Self {
        Scopes { scopes: vec![HashMap::new()], declared: 0, visible: u32::MAX, predefined: predefined() }
    }
}

impl Scopes {
    pub fn push(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn pop(&mut self) {
        self.scopes.pop();
    }

    /// How many names have been declared.
    pub fn declared(&self) -> u32 {
        self.declared
    }

    /// Hides the names of the network declared after so many; the limit before is returned.
    pub fn set_visible(&mut self, declared: u32) -> u32 {
        std::mem::replace(&mut self.visible, declared)
    }

    /// Adds a name to the innermost scope, or gives the place of its declaration there.
    pub fn declare(&mut self, name: &Ident, symbol: Symbol) -> Result<(), Span> {
        let entry = Entry { symbol, span: name.span, order: self.declared };
        self.declared += 1;
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        match scope.get(&name.name) {
            Some(before) => Err(before.span),
            None => {
                scope.insert(Arc::clone(&name.name), entry);
                Ok(())
            }
        }
    }

    /// Replaces what a name of the innermost scope stands for.
    pub fn replace(&mut self, name: &str, symbol: Symbol) {
        if let Some(entry) = self.scopes.last_mut().and_then(|scope| scope.get_mut(name)) {
            entry.symbol = symbol;
        }
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        let inner = self.scopes[1..].iter().rev().find_map(|scope| scope.get(name));
        let outer = self.scopes[0].get(name).filter(|entry| entry.order < self.visible);
        inner.or(outer).map(|entry| &entry.symbol).or_else(|| self.predefined.get(name))
    }

    /// All names that can be used here, without order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let visible = |entry: &Entry| entry.order < self.visible;
        let outer = self.scopes[0].iter().filter(move |(_, entry)| visible(entry));
        let declared = outer.chain(self.scopes[1..].iter().flatten()).map(|(name, _)| &**name);
        declared.chain(self.predefined.keys().copied())
    }
}

/// The types and constants that UPPAAL declares for integers of 8, 16 and 32 bits.
fn predefined() -> HashMap<&'static str, Symbol> {
    let ranges = [
        ("int8_t", i8::MIN.into(), i8::MAX.into()),
        ("uint8_t", 0, u8::MAX.into()),
        ("int16_t", i16::MIN.into(), i16::MAX.into()),
        ("uint16_t", 0, u16::MAX.into()),
        ("int32_t", i32::MIN, i32::MAX),
    ];
    let types = ranges.map(|(name, low, high)| (name, Symbol::Type(Declared::Data(Type::Int { low, high }))));
    let numbers = [
        ("INT8_MIN", i8::MIN.into()),
        ("INT8_MAX", i8::MAX.into()),
        ("UINT8_MAX", u8::MAX.into()),
        ("INT16_MIN", i16::MIN.into()),
        ("INT16_MAX", i16::MAX.into()),
        ("UINT16_MAX", u16::MAX.into()),
        ("INT32_MIN", i32::MIN),
        ("INT32_MAX", i32::MAX),
    ];
    let numbers = numbers.map(|(name, value)| (name, Symbol::Number(value, Type::WIDE)));
    types.into_iter().chain(numbers).collect()
}

/// The name that may have been meant: the nearest by edit distance, at most a third of the word's length away; of
/// several the first in the alphabet.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = wrong.chars().count();
    if letters > 64 {
        return None;
    }
    let limit = (letters / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wrong && candidate.len().abs_diff(wrong.len()) <= 4 * limit)
        .filter_map(|candidate| {
            if candidate.eq_ignore_ascii_case(wrong) {
                return Some((0, candidate));
            }
            let distance = strsim::osa_distance(wrong, candidate);
            (distance <= limit && letters > 2).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        assert_eq!(nearest("cuont", ["mount", "count"]), Some("count"));
        assert_eq!(nearest("X", ["y", "x"]), Some("x"));
        assert_eq!(nearest("y", ["x", "z"]), None);
    }
}
