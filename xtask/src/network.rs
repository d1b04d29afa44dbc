//! `cargo xtask network`: prints a generated network of automata with its query.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use homing_network::generate::{Arbiter, Variant, arbiter, hanoi, philosophers, random_system};
use homing_network::random_networks::random_network;

/// A network, and the format in which it is printed.
#[derive(Clone, Debug, Args)]
pub struct NetworkArgs {
    #[command(subcommand)]
    pub kind: Kind,
    /// The format
    #[arg(long, global = true, value_enum, default_value_t = Format::Xta)]
    pub format: Format,
    /// Print the query alone: the contents of a file beside an .xta file
    #[arg(long, global = true)]
    pub queries: bool,
}

/// The format of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text, without the query
    Xta,
    /// XML, with the query
    Xml,
}

/// A generated network ([DFP-06], section 6).
#[derive(Clone, Debug, Subcommand)]
pub enum Kind {
    /// An arbiter tree with 2^HEIGHT clients
    Arbiter {
        #[arg(value_parser = clap::value_parser!(u32).range(1..=16))]
        height: u32,
        /// The clients that must not work at the same time [default: one in each half of the tree]
        #[arg(long, value_name = "CLIENT,CLIENT", value_delimiter = ',', num_args = 2)]
        pair: Option<Vec<u32>>,
        /// The client that releases what it does not hold
        #[arg(long, default_value_t = 0)]
        faulty: u32,
    },
    /// Towers of Hanoi
    Hanoi {
        #[arg(value_parser = clap::value_parser!(u32).range(1..=12))]
        disks: u32,
        #[arg(long, value_enum, default_value_t = HanoiVariant::B)]
        variant: HanoiVariant,
    },
    /// A random system of so many PROCESSES without data, whose error is reachable
    Random {
        #[arg(value_parser = clap::value_parser!(u32).range(2..=16))]
        processes: u32,
        seed: u64,
    },
    /// A random network with data, functions and broadcast, as the tests use
    Data { seed: u64 },
    /// Dining philosophers
    Philosophers {
        #[arg(value_parser = clap::value_parser!(u32).range(2..=100))]
        count: u32,
    },
    /// Write the networks of the paper's tables to a folder, in both formats: A2 to A6, H4 to H8, R5 to R10
    Benchmarks {
        folder: PathBuf,
        /// How many random systems of each size
        #[arg(long, default_value_t = 15)]
        systems: u64,
    },
}

/// How a disk asks those above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HanoiVariant {
    /// A request is taken only where it is granted
    A,
    /// A request can be refused
    B,
    /// The smallest disk moves by itself
    C,
}

/// Prints the network, or writes the files of the benchmarks.
pub fn print(args: &NetworkArgs, mut output: impl Write) -> io::Result<()> {
    let network = match &args.kind {
        Kind::Arbiter { height, pair, faulty } => {
            let tree = Arbiter::new(*height);
            let pair = pair.as_ref().map_or(tree.pair, |pair| (pair[0], pair[1]));
            arbiter(Arbiter { pair, faulty: *faulty, ..tree })
        }
        Kind::Hanoi { disks, variant: HanoiVariant::A } => hanoi(*disks, Variant::A),
        Kind::Hanoi { disks, variant: HanoiVariant::B } => hanoi(*disks, Variant::B),
        Kind::Hanoi { disks, variant: HanoiVariant::C } => hanoi(*disks, Variant::C),
        Kind::Random { processes, seed } => random_system(*processes as usize, *seed),
        Kind::Data { seed } => random_network(*seed),
        Kind::Philosophers { count } => philosophers(*count),
        Kind::Benchmarks { folder, systems } => return write_benchmarks(folder, *systems),
    };
    let text = match (args.queries, args.format) {
        (true, _) => network.to_queries(),
        (false, Format::Xta) => network.to_xta(),
        (false, Format::Xml) => network.to_xml(),
    };
    match output.write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Writes an `.xta` file, a `.q` file and an `.xml` file for each benchmark.
fn write_benchmarks(folder: &Path, systems: u64) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let trees = (2..=6).map(|height| (format!("A{height}"), arbiter(Arbiter::new(height))));
    let towers = (4..=8).map(|disks| (format!("H{disks}"), hanoi(disks, Variant::B)));
    let random = (5..=10).flat_map(|processes| {
        (0..systems).map(move |seed| (format!("R{processes}-{seed}"), random_system(processes, seed)))
    });
    for (name, network) in trees.chain(towers).chain(random) {
        fs::write(folder.join(format!("{name}.xta")), network.to_xta())?;
        fs::write(folder.join(format!("{name}.q")), network.to_queries())?;
        fs::write(folder.join(format!("{name}.xml")), network.to_xml())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_printed_in_both_formats() {
        let printed = |format, queries| {
            let kind = Kind::Arbiter { height: 2, pair: Some(vec![1, 3]), faulty: 0 };
            let mut text = Vec::new();
            print(&NetworkArgs { kind, format, queries }, &mut text).expect("a vector takes all");
            String::from_utf8(text).expect("it is text")
        };
        assert!(printed(Format::Xta, false).contains("system Owner, Arbiter0"));
        assert!(printed(Format::Xml, false).contains("Client1.working and Client3.working"));
        assert_eq!(printed(Format::Xta, true).trim(), "E<> Client1.working and Client3.working");
    }

    /// `cargo xtask network benchmarks bench/networks --systems 1` writes them.
    #[test]
    fn the_files_of_the_benchmarks_are_those_that_are_generated() {
        let scratch = tempfile::tempdir().expect("a folder");
        write_benchmarks(scratch.path(), 1).expect("it can be written to");
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/networks");
        let names = |folder: &Path| {
            let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            entries.collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(names(&kept), names(scratch.path()));
        for name in names(&kept) {
            let text = |folder: &Path| fs::read_to_string(folder.join(&name)).expect("a file");
            assert!(text(&kept) == text(scratch.path()), "{} is another one", name.display());
        }
    }
}
