//! Sizes that are smaller under Miri, which is several hundred times slower: the same code runs, on smaller tables.

/// A size of a table, or a number of its entries.
pub(crate) const fn size(normal: usize, under_miri: usize) -> usize {
    if cfg!(miri) { under_miri } else { normal }
}
