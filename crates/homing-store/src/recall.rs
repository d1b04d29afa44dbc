//! What a store gives back of the states it holds, as a type: it decides what a search has to keep beside the store.

use homing_core::{State, StateId};

use crate::{LoadById, LoadByKey, Store};

/// How a search over the store `S` gets a state back, after it was generated and after it was stored.
pub trait Recall<S: Store>: Send + Sync {
    /// The key alone tells a state from all others that the store tells apart.
    const KEY_IDENTIFIES: bool;
    /// A generated state is kept with its bytes until it is looked up.
    const KEEPS_GENERATED: bool;
    /// A stored state is kept with its bytes and its key until it is expanded.
    const KEEPS_STORED: bool;

    /// A generated state becomes the parent of keys: by its key, or by its bytes in `state`, which holds them
    /// afterwards.
    fn load_generated(store: &S, cursor: &mut S::Cursor, key: S::Key, state: &mut Vec<u8>);

    /// A stored state becomes the parent of keys: by its id, or by its bytes and key if they were kept. Its bytes,
    /// which may be put into `buffer`.
    fn load_stored<'b>(
        store: &S,
        cursor: &mut S::Cursor,
        id: StateId,
        kept: Option<(&'b State, S::Key)>,
        buffer: &'b mut Vec<u8>,
    ) -> &'b State;
}

/// The store gives a state back for its key: keys are all that a search keeps.
#[derive(Debug)]
pub struct ByKey;

/// The store gives a state back for its id: bytes are kept until a state is stored.
#[derive(Debug)]
pub struct ById;

/// The store gives nothing back: bytes and keys are kept until a state is expanded.
#[derive(Debug)]
pub struct Nothing;

impl<S: LoadByKey> Recall<S> for ByKey {
    const KEY_IDENTIFIES: bool = true;
    const KEEPS_GENERATED: bool = false;
    const KEEPS_STORED: bool = false;

    #[inline]
    fn load_generated(store: &S, cursor: &mut S::Cursor, key: S::Key, state: &mut Vec<u8>) {
        store.load_by_key(cursor, key, state);
    }

    #[inline]
    fn load_stored<'b>(
        store: &S,
        cursor: &mut S::Cursor,
        id: StateId,
        _: Option<(&'b State, S::Key)>,
        buffer: &'b mut Vec<u8>,
    ) -> &'b State {
        store.load(cursor, id, buffer);
        buffer
    }
}

impl<S: LoadById> Recall<S> for ById {
    const KEY_IDENTIFIES: bool = false;
    const KEEPS_GENERATED: bool = true;
    const KEEPS_STORED: bool = false;

    #[inline]
    fn load_generated(store: &S, cursor: &mut S::Cursor, key: S::Key, state: &mut Vec<u8>) {
        store.set_parent(cursor, state, Some(key));
    }

    #[inline]
    fn load_stored<'b>(
        store: &S,
        cursor: &mut S::Cursor,
        id: StateId,
        _: Option<(&'b State, S::Key)>,
        buffer: &'b mut Vec<u8>,
    ) -> &'b State {
        store.load(cursor, id, buffer);
        buffer
    }
}

impl<S: Store> Recall<S> for Nothing {
    const KEY_IDENTIFIES: bool = true;
    const KEEPS_GENERATED: bool = true;
    const KEEPS_STORED: bool = true;

    #[inline]
    fn load_generated(store: &S, cursor: &mut S::Cursor, key: S::Key, state: &mut Vec<u8>) {
        store.set_parent(cursor, state, Some(key));
    }

    /// # Panics
    /// If the state was not kept.
    #[inline]
    fn load_stored<'b>(
        store: &S,
        cursor: &mut S::Cursor,
        _: StateId,
        kept: Option<(&'b State, S::Key)>,
        _: &'b mut Vec<u8>,
    ) -> &'b State {
        let (state, key) = kept.expect("a state that the store does not give back is kept until it is expanded");
        store.set_parent(cursor, state, Some(key));
        state
    }
}
