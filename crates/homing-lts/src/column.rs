//! Columns of edges, which take no more room than the file has edges.

use crate::labels::LabelId;

/// The labels of edges: two bytes each as long as there are at most 2^16 labels, four bytes after that.
#[derive(Clone, Debug)]
pub(crate) enum LabelColumn {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Default for LabelColumn {
    fn default() -> Self {
        LabelColumn::Narrow(Vec::new())
    }
}

impl LabelColumn {
    #[inline]
    pub fn get(&self, at: usize) -> LabelId {
        match self {
            LabelColumn::Narrow(labels) => LabelId(u32::from(labels[at])),
            LabelColumn::Wide(labels) => LabelId(labels[at]),
        }
    }

    /// Adds a label; `most` edges are expected in all.
    #[inline]
    pub fn push(&mut self, label: LabelId, most: u64) {
        match self {
            LabelColumn::Narrow(labels) => match u16::try_from(label.0) {
                Ok(narrow) => push(labels, narrow, most),
                Err(_) => {
                    let mut wide: Vec<u32> = Vec::with_capacity(labels.len() + 1);
                    wide.extend(labels.iter().map(|&label| u32::from(label)));
                    push(&mut wide, label.0, most);
                    *self = LabelColumn::Wide(wide);
                }
            },
            LabelColumn::Wide(labels) => push(labels, label.0, most),
        }
    }

    /// A column of so many labels, to be [set](LabelColumn::set).
    pub fn of_length(length: usize, labels: usize) -> Self {
        if labels <= 1 << 16 { LabelColumn::Narrow(vec![0; length]) } else { LabelColumn::Wide(vec![0; length]) }
    }

    pub fn set(&mut self, at: usize, label: LabelId) {
        match self {
            LabelColumn::Narrow(labels) => labels[at] = label.0 as u16,
            LabelColumn::Wide(labels) => labels[at] = label.0,
        }
    }

    pub fn memory(&self) -> u64 {
        match self {
            LabelColumn::Narrow(labels) => 2 * labels.capacity() as u64,
            LabelColumn::Wide(labels) => 4 * labels.capacity() as u64,
        }
    }
}

/// Adds an item to a vector that is expected to have `most` items in the end. The header of a file is not trusted: the vector
/// doubles its room as usual, but not beyond `most`, so that nothing is left over in the end.
#[inline]
pub(crate) fn push<T>(items: &mut Vec<T>, item: T, most: u64) {
    if items.len() == items.capacity() {
        let left = most.saturating_sub(items.len() as u64);
        let more = (items.len() as u64).clamp(64, left.max(64)) as usize;
        items.reserve_exact(more);
    }
    items.push(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_wide_when_there_are_many() {
        let mut column = LabelColumn::default();
        let labels = [0, 65_535, 65_536, 3];
        labels.iter().for_each(|&label| column.push(LabelId(label), 4));
        assert!(matches!(&column, LabelColumn::Wide(_)));
        assert!(labels.iter().enumerate().all(|(at, &label)| column.get(at) == LabelId(label)));
    }

    #[test]
    fn nothing_is_reserved_beyond_what_is_expected() {
        let mut items = Vec::new();
        (0..1000).for_each(|item| push(&mut items, item, 1000));
        assert_eq!(items.capacity(), 1000);
        let mut promised = Vec::new();
        (0..10).for_each(|item| push(&mut promised, item, u64::MAX));
        assert!(promised.capacity() < 100, "the header alone reserves nothing");
    }
}
