//! Rate limits: a number of calls per unit of time, written `1000/hour` (D-12). They are parsed
//! values, so that a limiter can enforce what the documents say.
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::word::{StringEnum, string_enum};

string_enum! {
    pub enum Per {
        Second = "second",
        Minute = "minute",
        Hour = "hour",
        Day = "day",
    }
}

/// A number of calls per unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateLimit {
    pub calls: NonZeroU32,
    pub per: Per,
}

impl RateLimit {
    pub fn parse(text: &str) -> Option<Self> {
        let (calls, per) = text.trim().split_once('/')?;
        Some(Self { calls: calls.trim().parse().ok()?, per: Per::parse(per.trim())? })
    }

    /// Returns the rate that allows least; `None` if there is none.
    pub fn strictest(rates: impl IntoIterator<Item = Self>) -> Option<Self> {
        rates.into_iter().min_by_key(Self::calls_per_day)
    }

    /// Returns the calls per day at this rate. Fewer is stricter.
    pub fn calls_per_day(&self) -> u64 {
        u64::from(self.calls.get()) * (Per::Day.duration().as_secs() / self.per.duration().as_secs())
    }
}

impl Per {
    pub fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3600,
            Self::Day => 86_400,
        })
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.calls, self.per)
    }
}

impl serde::Serialize for RateLimit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
