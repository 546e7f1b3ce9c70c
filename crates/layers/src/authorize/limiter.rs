//! Rate limits: for each caller and tool, and for all callers. A burst of the whole amount is
//! allowed. After a burst, a call passes whenever its share of the period has elapsed.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use overt_policy::rate::RateLimit;
use overt_wire::Principal;

/// A rate limit together with what it counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Bucket {
    pub(super) rate: RateLimit,
    pub(super) owner: BucketOwner,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum BucketOwner {
    AllClients,
    Each { principal: Principal, tool: String },
}

/// The buckets that one use counts against.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    /// The limits of all clients, which no client can change.
    pub(super) common: Vec<Bucket>,
    /// The limits that the client sets for itself.
    pub(super) own: Vec<Bucket>,
}

/// A use that is counted in every one of its buckets. Dropping it uncounts the use, unless
/// [`keep`](Self::keep) was called because the use happens.
#[derive(Debug)]
#[must_use = "a charge that is dropped is given back"]
pub(super) struct Charge<'a> {
    limiter: &'a Limiter,
    buckets: &'a [Bucket],
}

/// Stores when each bucket will be empty again.
#[derive(Debug)]
pub(super) struct Limiter {
    empty_at: Mutex<HashMap<Bucket, Instant>>,
}

/// A rate limit is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RateExceeded {
    pub(super) rate: RateLimit,
    pub(super) retry_after: Duration,
}

/// The most buckets that are kept. Empty buckets are removed first; if none is empty, a new one is
/// refused. The limits that clients set for themselves have a separate limiter, so that no client
/// can fill this one.
const MOST_BUCKETS: usize = 10_000;

impl Limiter {
    pub(super) fn new() -> Self {
        Self { empty_at: Mutex::new(HashMap::new()) }
    }

    /// Checks that every bucket has room for one more call. Counts nothing.
    pub(super) fn check(&self, buckets: &[Bucket], now: Instant) -> Result<(), RateExceeded> {
        if buckets.is_empty() {
            return Ok(());
        }
        room(&self.empty_at.lock().unwrap_or_else(PoisonError::into_inner), buckets, now)
    }

    /// Reverts the counting of a use.
    fn give_back(&self, buckets: &[Bucket]) {
        let mut empty_at = self.empty_at.lock().unwrap_or_else(PoisonError::into_inner);
        for bucket in buckets {
            if let Some(until) = empty_at.get_mut(bucket) {
                *until = until.checked_sub(share(bucket.rate)).unwrap_or(*until);
            }
        }
    }

    /// Counts a use in every bucket, or in none if one is full.
    pub(super) fn charge<'a>(
        &'a self,
        buckets: &'a [Bucket],
        now: Instant,
    ) -> Result<Charge<'a>, RateExceeded> {
        if buckets.is_empty() {
            return Ok(Charge { limiter: self, buckets });
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
        Ok(Charge { limiter: self, buckets })
    }
}

impl Charge<'_> {
    /// The use happens, so it stays counted.
    pub(super) fn keep(mut self) {
        self.buckets = &[];
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        if !self.buckets.is_empty() {
            self.limiter.give_back(self.buckets);
        }
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

/// Returns the part of the period that one call uses up.
fn share(rate: RateLimit) -> Duration {
    rate.per.duration() / rate.calls.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(rate: &str, tool: &str) -> Bucket {
        let owner = BucketOwner::Each { principal: Principal::local(), tool: tool.into() };
        Bucket { rate: RateLimit::parse(rate).unwrap(), owner }
    }

    #[test]
    fn d_32_a_burst_passes_and_then_one_at_a_time() {
        let (limiter, start) = (Limiter::new(), Instant::now());
        let each = [bucket("3/minute", "a")];
        let counts = |buckets: &[Bucket], now| limiter.charge(buckets, now).map(Charge::keep);
        for _ in 0..3 {
            counts(&each, start).unwrap();
        }
        let refused = counts(&each, start).unwrap_err();
        assert_eq!(refused.retry_after, Duration::from_secs(20));
        assert!(counts(&each, start + Duration::from_secs(19)).is_err());
        counts(&each, start + Duration::from_secs(20)).unwrap();
        assert!(counts(&each, start + Duration::from_secs(20)).is_err());
        // Another tool has its own bucket.
        counts(&[bucket("3/minute", "b")], start).unwrap();
        // After a quiet time, another burst of the same size is allowed.
        let later = start + Duration::from_secs(3600);
        assert_eq!((0..10).filter(|_| counts(&each, later).is_ok()).count(), 3);
    }

    #[test]
    fn what_one_bucket_refuses_costs_no_other() {
        let (limiter, now) = (Limiter::new(), Instant::now());
        let (wide, narrow) = (bucket("5/minute", "wide"), bucket("1/minute", "narrow"));
        let both = [wide.clone(), narrow];
        let counts = |buckets: &[Bucket]| limiter.charge(buckets, now).map(Charge::keep).is_ok();
        assert!(counts(&both));
        for _ in 0..10 {
            assert!(!counts(&both));
        }
        assert_eq!((0..10).filter(|_| counts(std::slice::from_ref(&wide))).count(), 4);
    }

    #[test]
    fn a_charge_that_is_dropped_costs_nothing() {
        let (limiter, now, each) = (Limiter::new(), Instant::now(), [bucket("2/minute", "a")]);
        limiter.charge(&each, now).unwrap().keep();
        let pending = limiter.charge(&each, now).unwrap();
        // A charge counts as long as it is undecided.
        assert!(limiter.charge(&each, now).is_err());
        drop(pending);
        limiter.charge(&each, now).unwrap().keep();
        assert!(limiter.charge(&each, now).is_err());
    }
}
