//! Narrows a value by a policy: the result is the most that both allow. If no value is set,
//! everything is allowed.
use std::collections::BTreeSet;

use super::read::Fault;
use super::{Clients, Kind, List, Narrowing, Setting, SettingValue};
use overt_policy::rate::RateLimit;
use overt_policy::scope::Scope;

/// Returns the meet. It depends neither on order nor on repetition, and allows no more than `held`.
pub(super) fn meet(setting: &Setting, held: Option<&SettingValue>, asked: &SettingValue) -> SettingValue {
    let Some(held) = held else { return asked.clone() };
    match (setting.narrows, held, asked) {
        (Narrowing::Min, SettingValue::Number(a), SettingValue::Number(b)) => SettingValue::Number(*a.min(b)),
        (Narrowing::Min, SettingValue::Time(a), SettingValue::Time(b)) => SettingValue::Time(*a.min(b)),
        (Narrowing::Min, SettingValue::Text(a), SettingValue::Text(b)) => {
            SettingValue::Text(if rank(setting, a) <= rank(setting, b) { a.clone() } else { b.clone() })
        }
        (Narrowing::Min, SettingValue::Rates(a), SettingValue::Rates(b)) => {
            let mut both = a.clone();
            for (per, calls) in b {
                both.entry(*per).and_modify(|least| *least = (*least).min(*calls)).or_insert(*calls);
            }
            SettingValue::Rates(both)
        }
        (Narrowing::Off, SettingValue::Flag(a), SettingValue::Flag(b)) => SettingValue::Flag(*a && *b),
        (Narrowing::On, SettingValue::Flag(a), SettingValue::Flag(b)) => SettingValue::Flag(*a || *b),
        (Narrowing::Union, SettingValue::List(a), SettingValue::List(b)) => SettingValue::List(a | b),
        (Narrowing::All, SettingValue::Lists(a), SettingValue::Lists(b)) => SettingValue::Lists(a | b),
        (Narrowing::All, SettingValue::Regions(a), SettingValue::Regions(b)) => {
            SettingValue::Regions(a.meet(b))
        }
        // Nothing can change it, or the kinds differ, which no declaration allows.
        _ => held.clone(),
    }
}

/// Returns why `asked` would allow more than `held`. Returns `None` unless that is certain: the
/// meet allows no more in any case.
pub(super) fn wider(setting: &Setting, held: Option<&SettingValue>, asked: &SettingValue) -> Option<Fault> {
    let wider = |fix: String| {
        let asked = asked.to_text(setting.kind);
        Some(Fault { problem: format!("`{asked}` allows more than what is in force"), fix })
    };
    let Some(held) = held else {
        return match setting.narrows {
            Narrowing::Never => Some(unchangeable()),
            Narrowing::All if setting.clients == Clients::Narrow => sweeping(asked),
            _ => None,
        };
    };
    let at_most = || format!("ask for at most `{}`", held.to_text(setting.kind));
    match (setting.narrows, held, asked) {
        (Narrowing::Never, _, _) if held == asked => None,
        (Narrowing::Never, _, _) => Some(unchangeable()),
        (Narrowing::Off, SettingValue::Flag(false), SettingValue::Flag(true)) => {
            wider("it can only be switched off".to_owned())
        }
        (Narrowing::On, SettingValue::Flag(true), SettingValue::Flag(false)) => {
            wider("it can only be switched on".to_owned())
        }
        (Narrowing::Min, SettingValue::Number(a), SettingValue::Number(b)) if b > a => wider(at_most()),
        (Narrowing::Min, SettingValue::Time(a), SettingValue::Time(b)) if b > a => wider(at_most()),
        (Narrowing::Min, SettingValue::Text(a), SettingValue::Text(b))
            if rank(setting, b) > rank(setting, a) =>
        {
            wider(at_most())
        }
        (Narrowing::Min, SettingValue::Rates(_), SettingValue::Rates(_)) => {
            let held = held.rates();
            let is_idle = |rate: &RateLimit| held.iter().any(|held| never_reached(*rate, *held));
            if asked.rates().iter().any(is_idle) { wider(at_most()) } else { None }
        }
        (Narrowing::All, SettingValue::Lists(held), SettingValue::Lists(asked)) => {
            let outside = asked.iter().flatten().find(|item| is_outside(setting.kind, item, held))?;
            Some(Fault {
                problem: format!("`{outside}` allows more than what is in force"),
                fix: "name only what is allowed already".to_owned(),
            })
        }
        _ => None,
    }
}

/// Reports scopes that an absent list does not allow (SCP-13).
fn sweeping(asked: &SettingValue) -> Option<Fault> {
    let SettingValue::Lists(lists) = asked else { return None };
    let is_sweeping = |text: &&String| Scope::parse(text).is_ok_and(|scope| scope.is_sweeping());
    let outside = lists.iter().flatten().find(is_sweeping)?;
    Some(Fault {
        problem: format!("`{outside}` allows more than what is in force"),
        fix: "name what it is for, such as `write:file`".to_owned(),
    })
}

fn unchangeable() -> Fault {
    Fault { problem: "can't be changed here".to_owned(), fix: "remove it".to_owned() }
}

/// Returns the position of a word in the declaration. An unknown word counts as the strictest.
fn rank(setting: &Setting, word: &str) -> usize {
    match setting.kind {
        Kind::Choice(words) => words.iter().position(|known| *known == word).unwrap_or(0),
        _ => 0,
    }
}

/// Returns whether `held` keeps calls below `rate` at all times.
fn never_reached(rate: RateLimit, held: RateLimit) -> bool {
    let (wide, narrow) = (rate.per.duration().as_secs(), held.per.duration().as_secs());
    let windows = wide.div_ceil(narrow);
    u64::from(rate.calls.get()) > u64::from(held.calls.get()).saturating_mul(windows)
}

/// Returns whether an entry of an allow-list certainly allows something that one of the lists in
/// force does not.
fn is_outside(kind: Kind, item: &str, held: &BTreeSet<List>) -> bool {
    held.iter().any(|list| match kind {
        Kind::Scopes => match Scope::parse(item) {
            Ok(asked) => {
                !list.iter().filter_map(|scope| Scope::parse(scope).ok()).any(|scope| scope.covers(&asked))
            }
            Err(_) => true,
        },
        Kind::Globs => !is_inside_globs(item, list),
        _ => !list.contains(item),
    })
}

/// Returns whether the list may match everything that a pattern matches. A pattern without
/// wildcards is one name, which is looked up; among the others, only those that match everything
/// are certain.
fn is_inside_globs(item: &str, list: &List) -> bool {
    let is_everything = |glob: &str| matches!(glob, "**" | "**/*");
    if list.contains(item) || list.iter().any(|glob| is_everything(glob)) {
        return true;
    }
    if is_everything(item) {
        return false;
    }
    if item.contains(['*', '?', '[', '{', '\\']) {
        return true;
    }
    let matches = |glob: &String| {
        let glob = globset::GlobBuilder::new(glob).literal_separator(true).build();
        glob.is_ok_and(|glob| glob.compile_matcher().is_match(item))
    };
    list.iter().any(matches)
}
