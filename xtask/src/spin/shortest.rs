//! The length of a shortest trail.
//!
//! `pan -i` lowers the depth limit to the length of each trail it finds. Compiled with -DREACH it visits a state again when
//! it comes to it on a shorter way, so nothing within the limit is missed, with one exception: pan does not look for
//! invalid end states in the last two depths it may reach. A trail to one that is one step shorter than the last one found
//! is thus overlooked. Hence assertions (`-E`) and invalid end states (`-A`) are searched apart, and the latter once more
//! with a limit raised by that one step, until nothing shorter turns up.
//!
//! -DREACH changes the counts, which is why this needs a compilation of its own, from the same `pan.c`. (-o1 and -o2 widen
//! the state by values no later step depends on: they cannot change the length of a shortest trail.)

use std::io;

use super::{COMPILE, PanReport, Session};
use crate::process::Ending;

/// The binary compiled for this.
const BINARY: &str = "pan_reach";

impl Session<'_> {
    /// `known` is the length of some trail. None if a limit stopped the search.
    pub(super) fn shortest_length(&self, known: u64) -> io::Result<Option<u64>> {
        if !self.compile(BINARY, &[&COMPILE[..], &["-DREACH"]].concat())?.ending.is_success() {
            return Ok(None);
        }
        let mut best = known;
        for ignored in ["-E", "-A"] {
            // Two more steps let pan look into the last state.
            let Some(found) = self.bounded(best + 2, &["-i", ignored])? else { return Ok(None) };
            best = found.reduced_to.map_or(best, |length| length.min(best));
        }
        while best > 0 {
            // Finds an invalid end state after at most best - 1 steps, or none.
            let Some(found) = self.bounded(best + 1, &["-c1", "-A"])? else { return Ok(None) };
            match found.messages.first() {
                Some(message) if message.depth + 1 < best as i64 => best = (message.depth + 1).max(0) as u64,
                _ => break,
            }
        }
        Ok(Some(best))
    }

    /// None if a limit other than the depth was hit.
    fn bounded(&self, depth: u64, flags: &[&str]) -> io::Result<Option<PanReport>> {
        let limit = format!("-m{depth}");
        let mut arguments = flags.to_vec();
        arguments.push(&limit);
        let run = self.pan(BINARY, &arguments)?;
        let report = PanReport::parse(&run.stdout).filter(|report| !report.out_of_memory);
        Ok(report.filter(|_| run.ending != Ending::TimedOut))
    }
}
