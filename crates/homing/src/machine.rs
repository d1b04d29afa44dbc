//! The memory of the machine.

use std::fs;

/// The default memory limit where the system does not report how much is free: what nearly every machine has.
const UNREPORTED: u64 = 2 << 30;

/// The default memory limit, so that a model that is too large ends in a verdict `unknown` instead of being killed by the system, or
/// slowing it down.
pub fn default_memory() -> u64 {
    let granted = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    limit(fs::read_to_string("/proc/meminfo").ok().as_deref(), granted)
}

/// Three quarters of the free memory, by Linux's meminfo and the limit of the control group.
fn limit(meminfo: Option<&str>, granted: Option<u64>) -> u64 {
    let free = meminfo.and_then(available);
    free.map_or(UNREPORTED, |free| free.min(granted.unwrap_or(u64::MAX)) / 4 * 3)
}

/// The memory of this process that is in the memory of the machine, in bytes. `None` where the system does not report it.
pub fn resident() -> Option<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * page_size())
}

#[cfg(unix)]
fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

#[cfg(not(unix))]
fn page_size() -> u64 {
    4096
}

/// `MemAvailable` of Linux's meminfo, in bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_limit() {
        assert_eq!(limit(Some("MemAvailable: 4096 kB\n"), None), 3 << 20);
        assert_eq!(limit(Some("MemAvailable: 4096 kB\n"), Some(1 << 20)), 3 << 18);
        assert_eq!((limit(None, None), limit(Some("MemTotal: 24 kB\n"), Some(1))), (UNREPORTED, UNREPORTED));
    }

    #[test]
    fn available_memory_is_read_off() {
        assert_eq!(available("MemTotal:  24 kB\nMemAvailable:   3 kB\nCached: 1 kB\n"), Some(3072));
        assert_eq!(available("MemTotal:  24 kB\n"), None);
        assert_eq!(available("MemAvailable: much kB\n"), None);
    }
}
