//! Finds the differences between two definitions of a tool, member by member, and short enough for
//! a question. Omissions are marked. The text is not escaped yet.
use overt_wire::json::Json;
use serde::{Deserialize, Serialize};

use super::canonical;

/// A member that differs between two definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberChange {
    pub name: String,
    /// The old value. `None` if the member was added.
    pub was: Option<String>,
    /// The new value. `None` if the member was removed.
    pub now: Option<String>,
}

/// Characters of unchanged text to show on each side of a difference.
const CONTEXT: usize = 60;
/// The most characters of one text to show.
const LONGEST: usize = 400;

/// Returns the members that differ, those of the earlier definition first.
pub fn changed_members(was: Json<'_>, now: Json<'_>) -> Vec<MemberChange> {
    // `Json::get` cannot tell null from an absent member.
    let value = |definition: Json<'_>, name: &str| {
        definition.members().find(|(key, _)| key.name() == name).map(|(_, value)| member_text(value))
    };
    let added = now.members().filter(|(key, _)| value(was, &key.name()).is_none());
    let names = was.members().chain(added).map(|(key, _)| key.name().into_owned());
    names
        .filter_map(|name| {
            let (was, now) = (value(was, &name), value(now, &name));
            (was != now).then(|| {
                let (was, now) = around_difference(was, now);
                MemberChange { name, was, now }
            })
        })
        .collect()
}

/// Returns a string's content, or the canonical JSON of any other value.
fn member_text(value: Json<'_>) -> String {
    value.string().map_or_else(|| canonical(value), std::borrow::Cow::into_owned)
}

/// Removes most of the common beginning and end of both texts.
fn around_difference(was: Option<String>, now: Option<String>) -> (Option<String>, Option<String>) {
    let (Some(was), Some(now)) = (&was, &now) else {
        let short = |text: Option<String>| text.map(|text| cut(&text.chars().collect::<Vec<_>>()));
        return (short(was), short(now));
    };
    let (was, now): (Vec<char>, Vec<char>) = (was.chars().collect(), now.chars().collect());
    let same_start = was.iter().zip(&now).take_while(|(one, other)| one == other).count();
    let rest = was.len().min(now.len()) - same_start;
    let same_end =
        was.iter().rev().zip(now.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    let (from, to) = (same_start.saturating_sub(CONTEXT), same_end.saturating_sub(CONTEXT));
    let mark = |left_out: usize| if left_out > 0 { "…" } else { "" };
    let part =
        |text: &[char]| Some(format!("{}{}{}", mark(from), cut(&text[from..text.len() - to]), mark(to)));
    (part(&was), part(&now))
}

/// Shortens a text that is too long and marks the omission.
fn cut(text: &[char]) -> String {
    if text.len() <= LONGEST {
        return text.iter().collect();
    }
    let (head, tail) = (&text[..LONGEST / 2], &text[text.len() - LONGEST / 2..]);
    let (head, tail): (String, String) = (head.iter().collect(), tail.iter().collect());
    format!("{head} … {} more characters … {tail}", text.len() - LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(was: &str, now: &str) -> Vec<(String, Option<String>, Option<String>)> {
        let changes = changed_members(Json::parse(was).unwrap(), Json::parse(now).unwrap());
        changes.into_iter().map(|MemberChange { name, was, now }| (name, was, now)).collect()
    }

    #[test]
    fn every_member_that_differs_is_named() {
        let was = r#"{"name":"read","description":"Reads.","title":"Read","annotations":{"b":1,"a":2}}"#;
        let now = r#"{"name":"read","description":"Reads and sends.","annotations":{"a":3,"b":1},"x":null}"#;
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            changes(was, now),
            [
                ("description".to_owned(), text("Reads."), text("Reads and sends.")),
                ("title".to_owned(), text("Read"), None),
                ("annotations".to_owned(), text(r#"{"a":2,"b":1}"#), text(r#"{"a":3,"b":1}"#)),
                ("x".to_owned(), None, text("null")),
            ]
        );
        assert_eq!(changes(was, was), []);
    }

    /// A change in the middle of a long text is shown without the text around it.
    #[test]
    fn the_difference_is_shown_wherever_it_is() {
        let padding = "same words ".repeat(200);
        let of = |middle: &str| format!(r#"{{"description":"{padding}{middle}{padding}"}}"#);
        let changes = changes(&of("reads"), &of("SENDS"));
        let (_, Some(was), Some(now)) = &changes[0] else { panic!("{changes:?}") };
        assert!(was.contains("reads") && now.contains("SENDS"), "{changes:?}");
        assert!(was.starts_with('…') && was.ends_with('…') && was.chars().count() < 200, "{was}");
        let long = self::changes(r#"{"description":""}"#, &of("x"));
        let (_, _, Some(now)) = &long[0] else { panic!("{long:?}") };
        assert!(now.contains("more characters") && now.chars().count() < 500, "{now}");
    }
}
