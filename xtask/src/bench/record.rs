//! One measurement, and the file of all measurements.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The counts of a full search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub errors: u64,
}

/// A search that finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Searched {
    pub counts: Counts,
    pub depth: u64,
    /// The bytes of states and index, as the program reports them.
    pub store_bytes: u64,
    /// The bytes in use by the store per state, without empty entries and the data of the search, if reported.
    pub used_per_state: Option<f64>,
}

impl Searched {
    /// The figures that homing reports of a search.
    pub fn by_homing(result: &crate::homing::CheckResult) -> Self {
        let stats = &result.stats;
        Searched {
            counts: Counts { states: stats.states, transitions: stats.transitions, errors: result.errors.unwrap_or(0) },
            depth: stats.max_depth,
            store_bytes: stats.memory_bytes.unwrap_or(0),
            used_per_state: stats.stored_bytes_per_state,
        }
    }
}

/// One run from the source to the verdict. Times are in seconds; generation and compilation are part of homing's search
/// time.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub model: String,
    pub size: String,
    pub variant: String,
    pub run: u32,
    pub generate: f64,
    pub compile: f64,
    /// Wall clock of pan, or of homing from its start to its end.
    pub search: f64,
    /// User time of the same process.
    pub user: f64,
    pub system: f64,
    pub peak_bytes: u64,
    /// The figures, or why the search did not finish.
    pub outcome: Result<Searched, String>,
}

impl Record {
    pub fn to_verdict(&self) -> f64 {
        self.generate + self.compile + self.search
    }
}

/// `raw.csv`. Each line is written before the next run begins.
pub struct RawFile(File);

impl RawFile {
    pub fn create(path: &Path) -> io::Result<RawFile> {
        let mut file = File::create_new(path)?;
        writeln!(
            file,
            "model,size,variant,run,generate_s,compile_s,search_s,to_verdict_s,user_s,system_s,peak_bytes,\
             states,transitions,errors,depth,store_bytes,used_bytes_per_state,outcome"
        )?;
        Ok(RawFile(file))
    }

    pub fn add(&mut self, record: &Record) -> io::Result<()> {
        self.0.write_all(line(record).as_bytes())
    }
}

fn line(record: &Record) -> String {
    let Record { model, size, variant, run, .. } = record;
    let seconds = [record.generate, record.compile, record.search, record.to_verdict(), record.user, record.system];
    let mut fields = vec![quoted(model), quoted(size), quoted(variant), run.to_string()];
    fields.extend(seconds.map(|time| format!("{time:.6}")));
    fields.push(record.peak_bytes.to_string());
    match &record.outcome {
        Ok(Searched { counts, depth, store_bytes, used_per_state }) => {
            let numbers = [counts.states, counts.transitions, counts.errors, *depth, *store_bytes];
            fields.extend(numbers.map(|number| number.to_string()));
            fields.push(used_per_state.map_or(String::new(), |bytes| format!("{bytes:.3}")));
            fields.push("complete".to_string());
        }
        Err(why) => {
            fields.extend([const { String::new() }; 6]);
            fields.push(quoted(why));
        }
    }
    fields.join(",") + "\n"
}

/// A field of a CSV file (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_every_field() {
        let counts = Counts { states: 5, transitions: 8, errors: 0 };
        let mut record = Record {
            model: "m".into(),
            size: "N=3, W=2".into(),
            variant: "spin-O2".into(),
            run: 2,
            generate: 0.25,
            compile: 1.0,
            search: 0.5,
            user: 0.4,
            system: 0.1,
            peak_bytes: 4096,
            outcome: Ok(Searched { counts, depth: 7, store_bytes: 99, used_per_state: Some(10.5) }),
        };
        assert_eq!(
            line(&record),
            "m,\"N=3, W=2\",spin-O2,2,0.250000,1.000000,0.500000,1.750000,0.400000,0.100000,4096,5,8,0,7,99,10.500,complete\n"
        );
        record.outcome = Err("more than 3 s".into());
        assert!(line(&record).ends_with(",4096,,,,,,,more than 3 s\n"));
    }

    #[test]
    fn quotes_only_what_needs_it() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
    }
}
