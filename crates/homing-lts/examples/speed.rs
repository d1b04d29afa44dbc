//! Measures the reader: `cargo run --release -p homing-lts --example speed [EDGES]`.
//!
//! Writes a random system to memory, reads it back plain, compressed and with its lines in random order, and prints the speed in
//! megabytes of text a second of processor time, and the bytes that the system takes for an edge.

use std::io::Write;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use homing_lts::{Lts, read};

fn main() {
    let edges = std::env::args().nth(1).map_or(10_000_000, |text| text.parse().expect("a number of edges"));
    let (header, lines) = generated(edges);
    let text = joined(&header, &lines);
    let megabytes = text.len() as f64 / 1e6;
    println!("{edges} edges, {megabytes:.0} MB of text");
    let plain = timed("plain", megabytes, &text);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&text).expect("memory");
    let compressed = encoder.finish().expect("memory");
    println!("compressed to {:.0} MB", compressed.len() as f64 / 1e6);
    assert!(timed("gzip", megabytes, &compressed) == plain, "the same system");
    drop(text);
    let mut shuffled = lines;
    fastrand::Rng::with_seed(1).shuffle(&mut shuffled);
    timed("out of order", megabytes, &joined(&header, &shuffled));
}

fn timed(name: &str, megabytes: f64, text: &[u8]) -> Lts {
    let mut best = f64::INFINITY;
    let mut lts = None;
    for _ in 0..3 {
        let (start, before) = (Instant::now(), cpu_seconds());
        lts = Some(read(text).expect("a system"));
        let elapsed = start.elapsed().as_secs_f64();
        best = best.min(before.zip(cpu_seconds()).map_or(elapsed, |(before, after)| after - before));
    }
    let lts = lts.expect("three runs");
    let bytes = lts.memory() - 4 * (u64::from(lts.states()) + 1);
    println!(
        "{name}: {best:.3} s, {:.0} MB/s; {:.2} bytes an edge beside 4 a state",
        megabytes / best,
        bytes as f64 / lts.edge_count() as f64
    );
    lts
}

/// The seconds that this thread has run, where the system reports them: other work on the machine does not count.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// The header and the lines of a random system with four edges a state and labels with data.
fn generated(edges: usize) -> (String, Vec<Box<str>>) {
    let mut random = fastrand::Rng::with_seed(0);
    let states = (edges / 4).max(1);
    let line = |edge: usize| {
        let (label, target) = (random.usize(0..1000), random.usize(0..states));
        format!("({},\"action{}(d{}, true)\",{target})\n", (edge / 4).min(states - 1), label / 10, label % 10).into()
    };
    let lines: Vec<Box<str>> = (0..edges).map(line).collect();
    (format!("des (0,{edges},{states})\n"), lines)
}

fn joined(header: &str, lines: &[Box<str>]) -> Vec<u8> {
    let mut text = header.as_bytes().to_vec();
    lines.iter().for_each(|line| text.extend_from_slice(line.as_bytes()));
    text
}
