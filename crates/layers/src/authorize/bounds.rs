//! Limits on the rate and the duration of calls and reads.
use std::time::{Duration, Instant};

use overt_policy::rate::RateLimit;
use overt_policy::{Limits, Overlays, Subject};
use overt_wire::{ErrorObject, Exchange, Message, Principal};

use super::answers;
use super::effective::EffectivePolicy;
use super::layer::Authorize;
use super::limiter::{Bucket, BucketOwner, Buckets, Charge};
use crate::Endpoint;
use crate::permit::Permitted;

/// A use that is counted against all its limits, until it is dropped or kept.
#[must_use = "charges that are dropped are given back"]
pub(super) struct Charges<'a>([Charge<'a>; 2]);

impl Charges<'_> {
    /// The use happens, so it stays counted.
    pub(super) fn keep(self) {
        self.0.into_iter().for_each(Charge::keep);
    }
}

/// A call took longer than its limit.
#[derive(Debug)]
pub(super) struct CallTimeout(pub(super) Duration);

impl Authorize {
    /// Returns the buckets that one use counts against. A stricter policy of the request still
    /// counts against the limits of all clients.
    pub(super) fn buckets(
        &self,
        effective: &EffectivePolicy,
        principal: &Principal,
        subject: Subject<'_>,
        (name, declared): (&str, Option<RateLimit>),
        limits: &Limits,
    ) -> Buckets {
        let server = self.endpoint.description().rate_limit;
        let (common, own) = (&effective.before_policy.rates, &effective.snapshot.rates);
        if common.is_empty()
            && own.is_empty()
            && server.is_none()
            && declared.is_none()
            && limits.rate.is_none()
        {
            return Buckets::default();
        }
        let each = |tool: &str| BucketOwner::Each { principal: principal.clone(), tool: tool.to_owned() };
        let operators = limits.rate.and_then(|_| {
            let alone = effective.before_policy.authority.decide(subject, &Overlays::default(), &|_| true);
            alone.limits.rate
        });
        let bucket = |rate: &RateLimit, owner: BucketOwner| Bucket { rate: *rate, owner };
        let mut buckets: Vec<Bucket> = Vec::new();
        buckets.extend(common.all.iter().map(|rate| bucket(rate, BucketOwner::AllClients)));
        buckets.extend(common.each.iter().map(|rate| bucket(rate, each(name))));
        buckets.extend(server.iter().map(|rate| bucket(rate, each(""))));
        buckets.extend([declared, operators].iter().flatten().map(|rate| bucket(rate, each(name))));
        let mut wanted: Vec<Bucket> = Vec::new();
        let is_own = |rate: &&RateLimit| !common.all.contains(rate);
        wanted.extend(own.all.iter().filter(is_own).map(|rate| bucket(rate, each(""))));
        wanted.extend(own.each.iter().chain(&limits.rate).map(|rate| bucket(rate, each(name))));
        wanted.retain(|own| !buckets.contains(own));
        Buckets { common: once(&buckets), own: once(&wanted) }
    }

    /// Counts one use against all its limits, or against none if one is exceeded.
    pub(super) fn charge<'a>(
        &'a self,
        exchange: &Exchange,
        buckets: &'a Buckets,
    ) -> Result<Charges<'a>, ErrorObject> {
        let now = Instant::now();
        let common = self.limiter.charge(&buckets.common, now);
        let charged = common.and_then(|common| Ok([common, self.own_limits.charge(&buckets.own, now)?]));
        charged.map(Charges).map_err(|too_many| answers::too_many(exchange, too_many))
    }

    /// Passes the call to the endpoint, with a time limit if there is one.
    pub(super) async fn carry(
        &self,
        permitted: Permitted<Exchange>,
        time: Option<Duration>,
    ) -> Result<Option<Message>, CallTimeout> {
        let call = self.endpoint.call(permitted.into());
        match time {
            None => Ok(call.await),
            Some(time) => tokio::time::timeout(time, call).await.map_err(|_| CallTimeout(time)),
        }
    }
}

/// Removes duplicate buckets: two equal limits count once.
fn once(buckets: &[Bucket]) -> Vec<Bucket> {
    let mut all: Vec<Bucket> = Vec::with_capacity(buckets.len());
    for bucket in buckets {
        if !all.contains(bucket) {
            all.push(bucket.clone());
        }
    }
    all
}
