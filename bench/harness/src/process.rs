//! What a process and its children cost, read from `/proc`.

use std::time::Duration;

/// User and system time of the process tree so far, in steps of a clock tick.
pub(crate) fn cpu(pid: u32) -> Duration {
    let ticks: u64 = tree(pid).into_iter().filter_map(ticks).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// utime, stime, and those of children that were waited for.
fn ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, so the fields are counted from behind it.
    let (_, fields) = stat.rsplit_once(") ")?;
    Some(fields.split(' ').skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum())
}

/// The process and its descendants.
fn tree(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        let lists: Vec<String> = threads
            .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
            .collect();
        found.extend(
            lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse::<u32>().ok()),
        );
        next += 1;
    }
    found
}
