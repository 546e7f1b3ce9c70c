//! Latencies, their quantiles, and the line of JSON that a measurement prints.

use std::fmt;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Samples {
    nanoseconds: Vec<u64>,
}

/// The outcome of one measurement.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) latencies: Samples,
    /// Answers that were not the echo of their call.
    pub(crate) bad: usize,
    /// Calls that were never answered.
    pub(crate) lost: usize,
    /// Answers that no call was waiting for: duplicates, or answers with an unknown id.
    pub(crate) stray: usize,
    pub(crate) wall: Duration,
    /// CPU time of the server, without its children.
    pub(crate) cpu: Option<Duration>,
}

impl Samples {
    pub(crate) fn push(&mut self, latency: Duration) {
        self.nanoseconds.push(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn clear(&mut self) {
        self.nanoseconds.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.nanoseconds.len()
    }

    /// Returns quantiles in milliseconds, by nearest rank.
    pub(crate) fn quantiles<const N: usize>(&self, wanted: [f64; N]) -> [f64; N] {
        let mut sorted = self.nanoseconds.clone();
        sorted.sort_unstable();
        wanted.map(|quantile| {
            let rank = (sorted.len() as f64 * quantile).ceil() as usize;
            sorted.get(rank.max(1) - 1).map_or(f64::NAN, |nanoseconds| *nanoseconds as f64 / 1e6)
        })
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.latencies.len();
        let [p50, p99] = self.latencies.quantiles([0.5, 0.99]);
        let per_second = calls as f64 / self.wall.as_secs_f64();
        write!(f, r#"{{"calls":{calls},"bad":{},"lost":{},"stray":{},"#, self.bad, self.lost, self.stray)?;
        write!(f, r#""per_second":{per_second:.1},"#)?;
        write!(f, r#""p50_ms":{p50:.4},"p99_ms":{p99:.4}"#)?;
        if let Some(cpu) = self.cpu {
            write!(f, r#","cpu_us":{:.3}"#, cpu.as_secs_f64() * 1e6 / calls.max(1) as f64)?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let mut samples = Samples::default();
        (1..=100).rev().for_each(|ms| samples.push(Duration::from_millis(ms)));
        assert_eq!(samples.quantiles([0.0, 0.5, 0.99, 1.0]), [1.0, 50.0, 99.0, 100.0]);
    }
}
