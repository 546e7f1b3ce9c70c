//! Limits on a call: size, time and rate. Combining two takes the smaller of each.
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::finding::{Findings, Pointer};
use crate::members::Members;
use crate::rate::RateLimit;

/// What a call may use. `None` means that this source sets no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Size of the arguments as JSON.
    pub argument_bytes: Option<u64>,
    /// Size of the result as JSON.
    pub result_bytes: Option<u64>,
    pub time: Option<Duration>,
    pub rate: Option<RateLimit>,
}

impl Limits {
    /// Combines both limits.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        Self {
            argument_bytes: least(self.argument_bytes, other.argument_bytes),
            result_bytes: least(self.result_bytes, other.result_bytes),
            time: least(self.time, other.time),
            rate: match (self.rate, other.rate) {
                (Some(one), Some(two)) => Some(slower(one, two)),
                (one, two) => one.or(two),
            },
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn read(members: &mut Members<'_, '_>) -> Self {
        let limits = Self {
            argument_bytes: members.integer("argument_bytes"),
            result_bytes: members.integer("result_bytes"),
            time: members.number("seconds").and_then(|seconds| time(seconds, members)),
            rate: members.text("rate").and_then(|text| rate(&text, members)),
        };
        members.unknown(crate::finding::Severity::Error);
        limits
    }

    /// Reports each limit that allows more than the other's, at this place of a document.
    pub(super) fn widens(&self, of: &Self, at: &Pointer, findings: &mut Findings) {
        let mut larger = |name: &str, is_larger: bool, most: Option<String>| {
            if is_larger {
                let most = most.unwrap_or_default();
                findings.error(
                    at.join(name),
                    format!("is more than the limit in force, `{most}`"),
                    format!("use at most `{most}`, or leave it out"),
                );
            }
        };
        let is_more =
            |new: Option<u64>, old: Option<u64>| matches!((new, old), (Some(new), Some(old)) if new > old);
        let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes.to_string());
        larger("argument_bytes", is_more(self.argument_bytes, of.argument_bytes), bytes(of.argument_bytes));
        larger("result_bytes", is_more(self.result_bytes, of.result_bytes), bytes(of.result_bytes));
        let is_longer = matches!((self.time, of.time), (Some(new), Some(old)) if new > old);
        larger("seconds", is_longer, of.time.map(|time| time.as_secs_f64().to_string()));
        let is_faster = matches!((self.rate, of.rate), (Some(new), Some(old)) if is_faster(new, old));
        larger("rate", is_faster, of.rate.map(|rate| rate.to_string()));
    }

    /// Writes the limits as in the document.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        let members = [
            ("argument_bytes", self.argument_bytes.map(|bytes| json!(bytes))),
            ("result_bytes", self.result_bytes.map(|bytes| json!(bytes))),
            ("seconds", self.time.map(|time| json!(time.as_secs_f64()))),
            ("rate", self.rate.map(|rate| json!(rate))),
        ];
        for (name, value) in members {
            object.extend(value.map(|value| (name.to_owned(), value)));
        }
        Value::Object(object)
    }
}

fn least<T: Ord>(one: Option<T>, two: Option<T>) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}

/// Returns a rate that is no faster than either in any window: `10/minute` and `100/hour` give
/// `10/hour`. A single limit can't express both, so the result is stricter.
fn slower(one: RateLimit, two: RateLimit) -> RateLimit {
    RateLimit { calls: one.calls.min(two.calls), per: one.per.max(two.per) }
}

/// Returns whether the new rate allows more calls in the window of the old one.
fn is_faster(new: RateLimit, old: RateLimit) -> bool {
    let windows = (old.per.duration().as_secs() / new.per.duration().as_secs()).max(1);
    u64::from(new.calls.get()) * windows > u64::from(old.calls.get())
}

fn time(seconds: f64, members: &mut Members<'_, '_>) -> Option<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    if time.is_none() {
        members.error("seconds", "is not a time that a call can take", "write a number of seconds above 0");
    }
    time
}

fn rate(text: &str, members: &mut Members<'_, '_>) -> Option<RateLimit> {
    let rate = RateLimit::parse(text);
    if rate.is_none() {
        members.error(
            "rate",
            "is not a rate",
            "write a number of calls per unit of time, such as `10/minute`",
        );
    }
    rate
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Combining two rates exceeds neither of them, both in the burst and in the calls that become
    /// available afterwards.
    #[test]
    fn pol_13_two_rates_are_never_faster_than_one_of_them() {
        let rates = ["3/minute", "4000/day", "1/second", "100/hour", "7/minute", "1/day"];
        let rates = rates.map(|rate| RateLimit::parse(rate).unwrap());
        let share = |rate: RateLimit| rate.per.duration() / rate.calls.get();
        for one in rates {
            for two in rates {
                let both = slower(one, two);
                for each in [one, two] {
                    assert!(both.calls <= each.calls && share(both) >= share(each), "{one} {two}: {both}");
                    assert!(!is_faster(both, each), "{one} {two}: {both}");
                }
            }
        }
    }
}
