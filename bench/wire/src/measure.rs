//! Times several candidates on the same input, alternating, so that a slow moment of the machine
//! affects all of them. It counts the processor time of this thread, so that other work on the
//! machine hardly matters.
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Seconds per call of each candidate, with one entry for each round.
pub(crate) struct Times(Vec<Vec<f64>>);

/// A function to measure. One call handles one message.
pub(crate) type Candidate<'a> = Box<dyn Fn() + 'a>;

/// Runs all candidates in every round, each for about `slice`.
pub(crate) fn interleaved(candidates: &[Candidate<'_>], rounds: usize, slice: Duration) -> Times {
    let calls: Vec<u32> = candidates.iter().map(|candidate| calls_in(candidate, slice)).collect();
    let mut times = vec![Vec::with_capacity(rounds); candidates.len()];
    for _ in 0..rounds {
        for (index, candidate) in candidates.iter().enumerate() {
            times[index].push(time(candidate, calls[index]));
        }
    }
    Times(times)
}

impl Times {
    /// The median time of one call, in seconds.
    pub(crate) fn median(&self, candidate: usize) -> f64 {
        median(self.0[candidate].clone())
    }

    /// Returns how many times as fast as `base` the candidate is: the median of the rounds' ratios.
    pub(crate) fn ratio(&self, base: usize, candidate: usize) -> f64 {
        let pairs = self.0[base].iter().zip(&self.0[candidate]);
        median(pairs.map(|(base, own)| base / own).collect())
    }
}

/// Returns how many calls fit in the slice. Also warms up caches and the allocator.
fn calls_in(candidate: &Candidate<'_>, slice: Duration) -> u32 {
    let mut calls = 1;
    loop {
        let spent = time(candidate, calls) * f64::from(calls);
        if spent >= slice.as_secs_f64() || calls >= 1 << 24 {
            return calls;
        }
        calls *= 2;
    }
}

fn time(candidate: &Candidate<'_>, calls: u32) -> f64 {
    let start = processor_seconds();
    for _ in 0..calls {
        candidate();
    }
    (processor_seconds() - start) / f64::from(calls)
}

fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
