//! Amounts of memory and time, as options and as text.

use std::time::Duration;

/// A number of bits, such as `512M`, `8G` or a plain number.
pub fn bits(text: &str) -> Result<u64, String> {
    let bits = number(text).map(|bits| bits as u64).or_else(|| memory(text).ok());
    let usable = 64..=1u64 << 45;
    bits.filter(|bits| usable.contains(bits))
        .ok_or_else(|| "give a number from 64 to 32T, such as 512M or 8G".to_owned())
}

/// The bytes of `4G`, `500M`, `64K`; units are powers of 1024.
pub fn memory(text: &str) -> Result<u64, String> {
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let upper = text.to_ascii_uppercase();
    let bare = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
    units
        .iter()
        .find_map(|(unit, shift)| Some(number(bare.strip_suffix(unit)?)? * f64::from(2u32).powi(*shift)))
        .filter(|bytes| *bytes < u64::MAX as f64)
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "give a number with a unit, such as 500M or 4G".to_owned())
}

/// The time of `500ms`, `30s`, `5m`, `1h`.
pub fn time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    units
        .iter()
        .find_map(|(unit, seconds)| Some(number(text.strip_suffix(unit)?)? * seconds))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "give a number with a unit, such as 500ms, 30s, 5m or 1h".to_owned())
}

/// Bytes as an option takes them, to the next smaller mebibyte.
pub fn memory_option(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{}K", bytes >> 10),
        mebibytes if mebibytes % 1024 == 0 => format!("{}G", mebibytes / 1024),
        mebibytes => format!("{mebibytes}M"),
    }
}

/// A time as an option takes it.
pub fn time_option(time: Duration) -> String {
    match (time.subsec_millis(), time.as_secs()) {
        (0, seconds) if seconds > 0 && seconds % 60 == 0 => format!("{}m", seconds / 60),
        (0, seconds) => format!("{seconds}s"),
        _ => format!("{}ms", time.as_millis()),
    }
}

/// A decimal number, without sign or exponent.
fn number(text: &str) -> Option<f64> {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    if text.chars().all(digits) { text.parse().ok() } else { None }
}

/// A number of bytes with a unit.
pub fn show_memory(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bits() {
        assert_eq!((bits("8G"), bits("1000"), bits("64")), (Ok(8 << 30), Ok(1000), Ok(64)));
        for wrong in ["", "63", "33T", "-1", "many"] {
            assert!(bits(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_of_memory() {
        assert_eq!(memory("4G"), Ok(4 << 30));
        assert_eq!(memory("500M"), Ok(500 << 20));
        assert_eq!(memory("1.5k"), Ok(1536));
        assert_eq!(memory("2MiB"), Ok(2 << 20));
        assert_eq!(memory("0M"), Ok(0));
        for wrong in ["", "4", "G", "-1G", "4X", "4 G", "1e3M", "99999999999T", "1.2.3M", "NaNM"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_of_time() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(time("0s"), Ok(Duration::ZERO));
        for wrong in ["", "30", "s", "-1s", "1d", "1 s", "infs", "99999999999999999999999h"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_as_options_take_them() {
        for text in ["3G", "1500M", "64K"] {
            assert_eq!(memory(text).map(memory_option).as_deref(), Ok(text));
        }
        for text in ["90s", "2m", "1500ms", "0s"] {
            assert_eq!(time(text).map(time_option).as_deref(), Ok(text));
        }
    }

    #[test]
    fn bytes_for_people() {
        assert_eq!(show_memory(512), "0.5 KiB");
        assert_eq!(show_memory(812_345), "793.3 KiB");
        assert_eq!(show_memory(5 << 30), "5.0 GiB");
    }
}
