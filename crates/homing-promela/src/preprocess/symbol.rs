//! Interned spellings of names, numbers and strings.

use std::collections::HashMap;
use std::sync::Arc;

/// A spelling in a [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Symbol(u32);

impl Symbol {
    pub const DEFINED: Symbol = Symbol(0);
    pub const VA_ARGS: Symbol = Symbol(1);

    /// The number of the symbol; numbers are dense from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

pub(super) struct Symbols {
    symbols: HashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Symbols {
    pub fn new() -> Self {
        let mut symbols = Symbols { symbols: HashMap::new(), texts: Vec::new() };
        assert_eq!(symbols.intern("defined"), Symbol::DEFINED);
        assert_eq!(symbols.intern("__VA_ARGS__"), Symbol::VA_ARGS);
        symbols
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.symbols.insert(text, symbol);
        symbol
    }

    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_symbol() {
        let mut symbols = Symbols::new();
        let (a, b) = (symbols.intern("a"), symbols.intern("b"));
        assert_ne!(a, b);
        assert_eq!(symbols.intern("a"), a);
        assert_eq!(&**symbols.text(b), "b");
    }
}
