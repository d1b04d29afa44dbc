//! Random formulas and words.

use fastrand::Rng;
use homing_ltl::{Binary, Formula, Lasso, Unary};

/// A formula with this number of operators and operands, over propositions below `propositions`.
#[allow(dead_code, reason = "not every test file makes formulas")]
pub fn formula(rng: &mut Rng, size: usize, propositions: u32) -> Formula {
    const UNARY: [Unary; 4] = [Unary::Not, Unary::Next, Unary::Always, Unary::Eventually];
    const BINARY: [Binary; 7] = [
        Binary::And,
        Binary::Or,
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::Implies,
        Binary::Equivalent,
    ];
    match size {
        0 | 1 => match rng.u32(..20) {
            0 => Formula::truth(),
            1 => Formula::falsity(),
            _ => Formula::proposition(rng.u32(..propositions)),
        },
        2 => Formula::unary(UNARY[rng.usize(..4)], formula(rng, 1, propositions)),
        _ if rng.u8(..5) < 2 => Formula::unary(UNARY[rng.usize(..4)], formula(rng, size - 1, propositions)),
        _ => {
            // equivalences are rare: they double what is below
            let operator = BINARY[rng.usize(..28) % if rng.u8(..5) == 0 { 7 } else { 5 }];
            let left = rng.usize(1..size - 1);
            let (a, b) = (formula(rng, left, propositions), formula(rng, size - 1 - left, propositions));
            Formula::binary(operator, a, b)
        }
    }
}

/// A word over propositions below `propositions`. Letters are repeated often, so that `U` and `G` are tested.
pub fn word(rng: &mut Rng, propositions: u32) -> Lasso {
    let (stem, cycle) = (rng.usize(..6), rng.usize(1..6));
    let mut letters = |length: usize| {
        let random = |rng: &mut Rng| rng.u64(..) & ((1 << propositions) - 1);
        let mut last = random(rng);
        let mut letters = Vec::with_capacity(length);
        for _ in 0..length {
            match rng.u8(..4) {
                0 => {}
                1 => last ^= 1 << rng.u32(..propositions),
                _ => last = random(rng),
            }
            letters.push(last);
        }
        letters
    };
    Lasso { stem: letters(stem), cycle: letters(cycle) }
}
