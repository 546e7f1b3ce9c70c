//! The value of a setting, in memory and as JSON or text.
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::{Value, json};

use super::Kind;
use super::kind::{bytes_text, time_text};
use crate::region::Regions;
use overt_policy::rate::{Per, RateLimit};

/// Strings without order and without duplicates.
pub type List = BTreeSet<String>;

/// How an empty list is shown to people.
pub const NOTHING: &str = "(none)";

/// The value of a setting. Values that differ only in order are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    Flag(bool),
    /// A number, or a number of bytes.
    Number(u64),
    Time(Duration),
    /// A text, or one of a choice of words.
    Text(String),
    /// Limits that apply all at once, at most one for each unit of time.
    Rates(BTreeMap<Per, NonZeroU32>),
    List(List),
    /// Lists that apply all at once: something is allowed if each of them allows it.
    Lists(BTreeSet<List>),
    Regions(Regions),
}

/// A Rust type in which a setting can be read.
pub trait FromSettingValue: Sized {
    /// Returns `None` if the setting has another kind of value.
    fn from_value(held: &SettingValue) -> Option<Self>;

    /// Returns the value if nothing is set.
    fn unset() -> Option<Self> {
        None
    }
}

impl SettingValue {
    /// Writes the value as JSON. Several lists that apply side by side become a list of lists.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Flag(flag) => json!(flag),
            Self::Number(number) => json!(number),
            Self::Time(time) => json!(time_text(*time)),
            Self::Text(text) => json!(text),
            Self::Rates(_) => {
                let rates: Vec<String> = self.rates().iter().map(ToString::to_string).collect();
                if let [rate] = &rates[..] { json!(rate) } else { json!(rates) }
            }
            Self::List(list) => json!(list),
            Self::Regions(regions) => regions.to_json(),
            Self::Lists(lists) => match lists.first() {
                Some(only) if lists.len() == 1 => json!(only),
                _ => json!(lists),
            },
        }
    }

    /// Formats the value for people, on one line.
    pub fn to_text(&self, kind: Kind) -> String {
        let list = |list: &List| list.iter().cloned().collect::<Vec<_>>().join(", ");
        match (self, kind) {
            (Self::Flag(flag), _) => flag.to_string(),
            (Self::Number(bytes), Kind::Bytes { .. }) => bytes_text(*bytes),
            (Self::Number(number), _) => number.to_string(),
            (Self::Time(time), _) => time_text(*time),
            (Self::Text(text), _) => text.clone(),
            (Self::Rates(_), _) => {
                self.rates().iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
            }
            (Self::List(items), _) if items.is_empty() => NOTHING.to_owned(),
            (Self::List(items), _) => list(items),
            (Self::Regions(regions), _) => regions.to_json().to_string(),
            (Self::Lists(lists), _) => {
                let shown = |items: &List| if items.is_empty() { NOTHING.to_owned() } else { list(items) };
                lists.iter().map(shown).collect::<Vec<_>>().join(" and ")
            }
        }
    }

    /// Returns the rates; empty for any other kind of value.
    pub fn rates(&self) -> Vec<RateLimit> {
        let Self::Rates(rates) = self else { return Vec::new() };
        rates.iter().map(|(per, calls)| RateLimit { calls: *calls, per: *per }).collect()
    }
}

macro_rules! from_value {
    ($($kind:ty: $pattern:pat => $value:expr, $unset:expr;)*) => {$(
        impl FromSettingValue for $kind {
            fn from_value(held: &SettingValue) -> Option<Self> {
                match held {
                    $pattern => Some($value),
                    _ => None,
                }
            }

            fn unset() -> Option<Self> {
                $unset
            }
        }
    )*};
}

from_value! {
    bool: SettingValue::Flag(flag) => *flag, Some(false);
    u64: SettingValue::Number(number) => *number, None;
    Duration: SettingValue::Time(time) => *time, None;
    String: SettingValue::Text(text) => text.clone(), None;
    List: SettingValue::List(list) => list.clone(), Some(List::new());
    BTreeSet<List>: SettingValue::Lists(lists) => lists.clone(), Some(BTreeSet::new());
    Regions: SettingValue::Regions(regions) => regions.clone(), Some(Regions::top());
    Vec<RateLimit>: held @ SettingValue::Rates(_) => held.rates(), Some(Vec::new());
}

impl<T: FromSettingValue> FromSettingValue for Option<T> {
    fn from_value(held: &SettingValue) -> Option<Self> {
        T::from_value(held).map(Some)
    }

    fn unset() -> Option<Self> {
        Some(None)
    }
}
