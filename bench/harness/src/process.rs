//! CPU time and memory of processes, read from `/proc`.

use std::time::Duration;

/// Returns the user and system time of the processes so far, without that of their children. The
/// resolution is one clock tick.
pub(crate) fn cpu(pids: &[u32]) -> Duration {
    let ticks: u64 = pids.iter().filter_map(|pid| ticks(*pid)).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// The scheduling times of all threads of a process so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scheduled {
    /// Time on a CPU.
    pub(crate) worked: Duration,
    /// Time during which a thread could run, but no CPU was free.
    pub(crate) waited: Duration,
}

pub(crate) fn scheduled(pid: u32) -> Scheduled {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.fold(Scheduled::default(), |sum, thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let mut times = text.split_whitespace().filter_map(|field| field.parse().ok());
        let mut next = || Duration::from_nanos(times.next().unwrap_or(0));
        Scheduled { worked: sum.worked + next(), waited: sum.waited + next() }
    })
}

/// Resident memory of a process tree, in MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) now: f64,
    /// The peak of each process, added up.
    pub(crate) most: f64,
}

pub(crate) fn memory(pid: u32) -> Memory {
    let pids = tree(pid);
    let sum = |field: &str| pids.iter().filter_map(|pid| kibibytes(*pid, field)).sum::<f64>() / 1024.0;
    Memory { now: sum("VmRSS:"), most: sum("VmHWM:") }
}

fn kibibytes(pid: u32, field: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(field))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// Kills a child that was not waited for yet, so that its id can't belong to another process.
pub(crate) fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

/// Returns utime plus stime of all threads, including those that have ended.
fn ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, so count the fields after it.
    let (_, fields) = stat.rsplit_once(") ")?;
    Some(fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum())
}

/// Returns the process and its descendants.
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
