//! Truth tables: a bit for each letter.

/// The letters below 64 in which each of the first six propositions holds.
const COLUMNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The number of letters; at most twelve propositions.
pub fn letters(propositions: usize) -> u64 {
    1 << propositions
}

/// The bits of a word that stand for letters.
pub fn used(propositions: usize) -> u64 {
    if propositions >= 6 { u64::MAX } else { (1 << letters(propositions)) - 1 }
}

/// The number of words of a table.
pub fn words(propositions: usize) -> usize {
    1 << propositions.saturating_sub(6)
}

/// Word `at` of the table of a proposition.
pub fn column(index: usize, at: usize) -> u64 {
    match COLUMNS.get(index) {
        Some(column) => *column,
        None if at >> (index - 6) & 1 == 1 => u64::MAX,
        None => 0,
    }
}

/// The cofactor of a table of one word. A proposition above the sixth does not occur in one.
pub fn cofactor_in_word(word: u64, index: usize, value: bool) -> u64 {
    let Some(column) = COLUMNS.get(index) else { return word };
    let distance = 1 << index;
    if value {
        let half = word & column;
        half | half >> distance
    } else {
        let half = word & !column;
        half | half << distance
    }
}

/// The cofactor of a table.
pub fn cofactor(words: &[u64], index: usize, value: bool) -> Box<[u64]> {
    if index < COLUMNS.len() {
        return words.iter().map(|&word| cofactor_in_word(word, index, value)).collect();
    }
    let bit = 1 << (index - COLUMNS.len());
    let source = |at: usize| if value { at | bit } else { at & !bit };
    (0..words.len()).map(|at| words[source(at)]).collect()
}
