//! Writes a system in the `.aut` format.

use std::io::{self, Write};

use crate::lts::{Edge, Lts};

/// Writes a system in the `.aut` format, with its labels in quotes. [`read`](crate::read) reads the same system.
pub fn write(lts: &Lts, mut output: impl Write) -> io::Result<()> {
    writeln!(output, "des ({},{},{})", lts.initial(), lts.edge_count(), lts.states())?;
    let mut text = Vec::with_capacity(1 << 16);
    for source in 0..lts.states() {
        for Edge { label, target, .. } in lts.edges(source) {
            write!(text, "({source},\"")?;
            text.extend_from_slice(lts.labels().text(label));
            writeln!(text, "\",{target})")?;
        }
        if text.len() > 1 << 15 {
            output.write_all(&text)?;
            text.clear();
        }
    }
    output.write_all(&text)?;
    output.flush()
}
