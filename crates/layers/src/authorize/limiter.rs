//! Limits of calls per unit of time, for each caller and tool and for all. A burst of the whole
//! amount is fine; after it a call is let through whenever its share of the time has passed.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use overt_policy::rate::RateLimit;

/// What a limit is counted for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Bucket {
    pub(super) rate: RateLimit,
    pub(super) owner: BucketOwner,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum BucketOwner {
    AllClients,
    Each { principal: String, tool: String },
}

/// The time at which each bucket is empty again.
#[derive(Debug)]
pub(super) struct Limiter {
    empty_at: Mutex<HashMap<Bucket, Instant>>,
}

/// A limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RateExceeded {
    pub(super) rate: RateLimit,
    pub(super) retry_after: Duration,
}

/// Buckets that are kept. Empty ones go first; if none is empty, a new one is refused. What clients
/// limit themselves by is counted in a limiter of its own, so that no client fills this one.
const MOST_BUCKETS: usize = 10_000;

impl Limiter {
    pub(super) fn new() -> Self {
        Self { empty_at: Mutex::new(HashMap::new()) }
    }

    /// Whether every bucket has one left. Takes none.
    pub(super) fn check(&self, buckets: &[Bucket], now: Instant) -> Result<(), RateExceeded> {
        if buckets.is_empty() {
            return Ok(());
        }
        room(&self.empty_at.lock().unwrap_or_else(PoisonError::into_inner), buckets, now)
    }

    /// Puts back what a call took that did not go out.
    pub(super) fn give_back(&self, buckets: &[Bucket]) {
        let mut empty_at = self.empty_at.lock().unwrap_or_else(PoisonError::into_inner);
        for bucket in buckets {
            if let Some(until) = empty_at.get_mut(bucket) {
                *until = until.checked_sub(share(bucket.rate)).unwrap_or(*until);
            }
        }
    }

    /// Takes one from every bucket, or none of any.
    pub(super) fn take(&self, buckets: &[Bucket], now: Instant) -> Result<(), RateExceeded> {
        if buckets.is_empty() {
            return Ok(());
        }
        let mut empty_at = self.empty_at.lock().unwrap_or_else(PoisonError::into_inner);
        room(&empty_at, buckets, now)?;
        if empty_at.len() + buckets.len() > MOST_BUCKETS {
            empty_at.retain(|_, until| *until > now);
        }
        let is_new = |bucket: &&Bucket| !empty_at.contains_key(*bucket);
        if let Some(bucket) =
            buckets.iter().find(is_new).filter(|_| empty_at.len() + buckets.len() > MOST_BUCKETS)
        {
            return Err(RateExceeded { rate: bucket.rate, retry_after: bucket.rate.per.duration() });
        }
        for bucket in buckets {
            let until = empty_at.entry(bucket.clone()).or_insert(now);
            *until = (*until).max(now) + share(bucket.rate);
        }
        Ok(())
    }
}

fn room(empty_at: &HashMap<Bucket, Instant>, buckets: &[Bucket], now: Instant) -> Result<(), RateExceeded> {
    for bucket in buckets {
        let until = empty_at.get(bucket).copied().unwrap_or(now).max(now);
        let over = (until + share(bucket.rate)).saturating_duration_since(now + bucket.rate.per.duration());
        if !over.is_zero() {
            return Err(RateExceeded { rate: bucket.rate, retry_after: over });
        }
    }
    Ok(())
}

/// The time that one call takes up.
fn share(rate: RateLimit) -> Duration {
    rate.per.duration() / rate.calls.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(rate: &str, tool: &str) -> Bucket {
        let owner = BucketOwner::Each { principal: "local".into(), tool: tool.into() };
        Bucket { rate: RateLimit::parse(rate).unwrap(), owner }
    }

    #[test]
    fn d_32_a_burst_passes_and_then_one_at_a_time() {
        let (limiter, start) = (Limiter::new(), Instant::now());
        let each = [bucket("3/minute", "a")];
        for _ in 0..3 {
            limiter.take(&each, start).unwrap();
        }
        let refused = limiter.take(&each, start).unwrap_err();
        assert_eq!(refused.retry_after, Duration::from_secs(20));
        assert!(limiter.take(&each, start + Duration::from_secs(19)).is_err());
        limiter.take(&each, start + Duration::from_secs(20)).unwrap();
        assert!(limiter.take(&each, start + Duration::from_secs(20)).is_err());
        // Another tool has its own.
        limiter.take(&[bucket("3/minute", "b")], start).unwrap();
        // After a quiet time it is a burst again, and no more than that.
        let later = start + Duration::from_secs(3600);
        assert_eq!((0..10).filter(|_| limiter.take(&each, later).is_ok()).count(), 3);
    }

    #[test]
    fn what_one_bucket_refuses_costs_no_other() {
        let (limiter, now) = (Limiter::new(), Instant::now());
        let (wide, narrow) = (bucket("5/minute", "wide"), bucket("1/minute", "narrow"));
        let both = [wide.clone(), narrow];
        limiter.take(&both, now).unwrap();
        for _ in 0..10 {
            assert!(limiter.take(&both, now).is_err());
        }
        assert_eq!((0..10).filter(|_| limiter.take(std::slice::from_ref(&wide), now).is_ok()).count(), 4);
    }
}
