//! Reads a value from JSON and reports everything that is wrong with it.
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::kind::{LONGEST, MOST_ITEMS, parse_bytes, parse_time};
use super::{Kind, List, Setting, SettingValue};
use crate::region::{Regions, check_pattern};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::{brief, kind as what};
use overt_policy::rate::RateLimit;
use overt_policy::scope::Scope;

/// An error in one value, in the form of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub problem: String,
    /// What is valid.
    pub fix: String,
}

impl Setting {
    /// Returns `None` and adds findings if the value is invalid for this setting.
    pub(super) fn read(&self, value: &Value, at: &Pointer, findings: &mut Findings) -> Option<SettingValue> {
        if self.kind == Kind::Regions {
            let mut wrong = Findings::default();
            let regions = Regions::read(value, at, &mut wrong);
            let is_right = wrong.is_empty() && !value.is_null();
            if value.is_null() {
                wrong.error(at.clone(), "is null", self.write());
            }
            findings.extend(wrong);
            return is_right.then(|| SettingValue::Regions(regions));
        }
        if self.kind.is_list() {
            return self.read_list(value, at, findings);
        }
        match self.read_one(value) {
            Ok(held) => Some(held),
            Err(fault) => {
                findings.error(at.clone(), fault.problem, fault.fix);
                None
            }
        }
    }

    fn read_one(&self, value: &Value) -> Result<SettingValue, Fault> {
        match (self.kind, value) {
            (Kind::Flag, Value::Bool(flag)) => Ok(SettingValue::Flag(*flag)),
            (Kind::Integer { .. } | Kind::Bytes { .. }, Value::Number(number)) => {
                match number.as_u64() {
                    Some(number) => self.number(number),
                    None => Err(self
                        .fault(format!("`{}` is not a whole number, 0 or more", brief(&number.to_string())))),
                }
            }
            (Kind::Duration { .. }, Value::Number(number)) => {
                match number.as_u64() {
                    Some(seconds) => self.time(Duration::from_secs(seconds)),
                    None => Err(self
                        .fault(format!("`{}` is not a whole number of seconds", brief(&number.to_string())))),
                }
            }
            (
                Kind::Bytes { .. } | Kind::Duration { .. } | Kind::Text | Kind::Choice(_) | Kind::Rate,
                Value::String(text),
            ) => self.one_of_text(text),
            (_, other) => Err(self.fault(format!("is {}", what(other)))),
        }
    }

    /// Reads a value that is not a list from text, which may come from JSON, a flag or a variable.
    pub(super) fn one_of_text(&self, text: &str) -> Result<SettingValue, Fault> {
        if text.len() > LONGEST {
            return Err(self.fault(format!("is longer than {LONGEST} bytes")));
        }
        let not_a = |name: &str| self.fault(format!("`{}` is not a {name}", brief(text)));
        match self.kind {
            Kind::Bytes { .. } => {
                parse_bytes(text).ok_or_else(|| not_a("size")).and_then(|bytes| self.number(bytes))
            }
            Kind::Duration { .. } => {
                parse_time(text).ok_or_else(|| not_a("time")).and_then(|time| self.time(time))
            }
            Kind::Choice(words) if words.contains(&text) => Ok(SettingValue::Text(text.to_owned())),
            Kind::Choice(_) => Err(self.fault(format!("`{}` is not one of its values", brief(text)))),
            Kind::Rate => {
                let rate = RateLimit::parse(text).ok_or_else(|| not_a("rate"))?;
                Ok(SettingValue::Rates(BTreeMap::from([(rate.per, rate.calls)])))
            }
            _ => Ok(SettingValue::Text(text.to_owned())),
        }
    }

    pub(super) fn number(&self, number: u64) -> Result<SettingValue, Fault> {
        match self.kind {
            Kind::Integer { min, max } | Kind::Bytes { min, max } if (min..=max).contains(&number) => {
                Ok(SettingValue::Number(number))
            }
            _ => Err(self.fault(format!("`{number}` is out of bounds"))),
        }
    }

    fn time(&self, time: Duration) -> Result<SettingValue, Fault> {
        match self.kind {
            Kind::Duration { min, max } if (min..=max).contains(&time) => Ok(SettingValue::Time(time)),
            _ => Err(self.fault("is out of bounds".to_owned())),
        }
    }

    fn read_list(&self, value: &Value, at: &Pointer, findings: &mut Findings) -> Option<SettingValue> {
        let Value::Array(items) = value else {
            findings.error(at.clone(), format!("must be a list, but is {}", what(value)), self.write());
            return None;
        };
        if items.len() > MOST_ITEMS {
            let fix = format!("write at most {MOST_ITEMS}");
            findings.error(at.clone(), format!("has {} entries", items.len()), fix);
            return None;
        }
        let mut list = List::new();
        let mut is_whole = true;
        for (index, item) in items.iter().enumerate() {
            let read = match item {
                Value::String(text) => self.item(text),
                other => Err(self.fault(format!("is {}", what(other)))),
            };
            match read {
                Ok(item) => _ = list.insert(item),
                Err(fault) => {
                    is_whole = false;
                    findings.error(at.index(index), fault.problem, fault.fix);
                }
            }
        }
        is_whole.then(|| self.list(list))
    }

    /// Returns one entry of a list in the form in which it is stored.
    pub(super) fn item(&self, text: &str) -> Result<String, Fault> {
        if text.is_empty() || text.len() > LONGEST {
            return Err(self.fault(format!("is empty or longer than {LONGEST} bytes")));
        }
        match self.kind {
            Kind::Scopes => match Scope::parse(text) {
                Ok(scope) => Ok(scope.to_string()),
                Err(error) => Err(self.fault(format!("`{}` is not a scope: {error}", brief(text)))),
            },
            Kind::Globs => match check_pattern(text) {
                Ok(()) => Ok(text.to_owned()),
                Err(problem) => Err(self.fault(problem)),
            },
            _ => Ok(text.to_owned()),
        }
    }

    pub(super) fn list(&self, list: List) -> SettingValue {
        if self.is_allow_list() {
            SettingValue::Lists(BTreeSet::from([list]))
        } else {
            SettingValue::List(list)
        }
    }

    fn write(&self) -> String {
        format!("write {}", self.kind.example())
    }

    pub(super) fn fault(&self, problem: String) -> Fault {
        Fault { problem, fix: self.write() }
    }
}
