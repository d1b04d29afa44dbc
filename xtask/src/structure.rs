//! `cargo xtask structure`: prints a generated system on which searches can be compared.

use std::io::{self, BufWriter, Write};

use clap::{Subcommand, ValueEnum};
use homing_lts::structures::{
    Counters, FunnelOrder, Philosophers, Rule, back_loop, components, diamond, explicit, funnel,
};
use homing_lts::{Lts, TooLarge, write};

/// A structure, with its size.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Structure {
    /// A diamond: WIDTH² states; the states in its widest part report
    Diamond {
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        width: u32,
    },
    /// A path of N + 1 steps to a deadlock, with a way back from each state
    BackLoop {
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        n: u32,
    },
    /// COUNT complete graphs of SIZE states, each with one exit
    Components {
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        count: u32,
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        size: u32,
    },
    /// SOURCES states that lead to one, beside a state that leads to OTHERS
    Funnel {
        #[arg(value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
        others: u32,
        #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        sources: u32,
        /// Whether the sources come before the other state or after it
        #[arg(long, value_enum, default_value_t = Order::Last)]
        order: Order,
    },
    /// COUNT dining philosophers with one deadlock
    Philosophers {
        #[arg(value_parser = clap::value_parser!(u8).range(2..=200))]
        count: u8,
        /// Print a model in Promela
        #[arg(long)]
        promela: bool,
    },
    /// COUNT counters of so many VALUES, all of which are to reach the greatest one
    Counters {
        #[arg(value_parser = clap::value_parser!(u8).range(1..=200))]
        count: u8,
        #[arg(value_parser = clap::value_parser!(u8).range(1..=255))]
        values: u8,
        /// Print a model in Promela
        #[arg(long)]
        promela: bool,
    },
}

/// The order of a funnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// The sources come first.
    First,
    /// The sources come last.
    Last,
}

/// More states are not listed.
const MOST_STATES: u128 = 50_000_000;

/// Prints the structure, in the `.aut` format unless Promela is asked for. A reader that closed the pipe has read enough.
pub fn print(structure: Structure, output: impl Write) -> io::Result<()> {
    match print_all(structure, output) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

fn print_all(structure: Structure, output: impl Write) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    let lts = match structure {
        Structure::Diamond { width } => diamond(width),
        Structure::BackLoop { n } => back_loop(n),
        Structure::Components { count, size } => components(count, size),
        Structure::Funnel { others, sources, order: Order::First } => funnel(others, sources, FunnelOrder::First),
        Structure::Funnel { others, sources, order: Order::Last } => funnel(others, sources, FunnelOrder::Last),
        Structure::Philosophers { count, promela: true } => {
            return output.write_all(Philosophers(count).promela().as_bytes());
        }
        Structure::Counters { count, values, promela: true } => {
            return output.write_all(Counters { count, values }.promela().as_bytes());
        }
        // the number of states grows by 3.3 with each philosopher
        Structure::Philosophers { count, .. } if count > 13 => return Err(too_large()),
        Structure::Philosophers { count, .. } => listed(&Philosophers(count))?,
        Structure::Counters { count, values, .. } => {
            let counters = Counters { count, values };
            counters.states().filter(|&states| states <= MOST_STATES).ok_or_else(too_large)?;
            listed(&counters)?
        }
    };
    write(&lts, output)
}

fn listed(rule: &impl Rule) -> io::Result<Lts> {
    explicit(rule).map_err(|error: TooLarge| io::Error::other(error))
}

fn too_large() -> io::Error {
    io::Error::other("there are too many states to list; --promela prints a model of them")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(structure: Structure) -> String {
        let mut text = Vec::new();
        print(structure, &mut text).expect("it can be printed");
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn headers_have_the_sizes_of_the_paper() {
        for (structure, header) in [
            (Structure::Diamond { width: 10 }, "des (0,190,100)\n"),
            (Structure::BackLoop { n: 9 }, "des (0,56,47)\n"),
            (Structure::Components { count: 5, size: 5 }, "des (0,110,31)\n"),
            (Structure::Funnel { others: 5, sources: 2, order: Order::First }, "des (0,11,10)\n"),
            (Structure::Philosophers { count: 5, promela: false }, "des (0,1250,392)\n"),
            (Structure::Counters { count: 2, values: 3, promela: false }, "des (0,18,9)\n"),
        ] {
            assert!(printed(structure).starts_with(header), "{structure:?}");
        }
        assert!(printed(Structure::Philosophers { count: 5, promela: true }).contains("#define N 5"));
        let counters = |promela| print(Structure::Counters { count: 8, values: 32, promela }, Vec::new());
        assert!(counters(true).is_ok() && counters(false).is_err());
    }
}
