//! What the user wrote: a side table of an automaton, for showing.

use crate::{Automaton, Place, StatementId};

/// A statement as the user wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its text on one line; `None` where the text in the source is not that of one statement (macros, inlines, loops).
    pub text: Option<Box<str>>,
    /// The call of the inline that it stands in; of calls inside inlines the outermost.
    pub call: Option<Call>,
}

/// The call of an inline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its text, such as `lock(mutex)`.
    pub text: Box<str>,
    /// Where it is in the source.
    pub place: Place,
}

impl Automaton {
    /// What the user wrote for a statement, if the front end knows.
    pub fn written(&self, id: StatementId) -> Option<&Written> {
        self.written.get(id.index())
    }
}
