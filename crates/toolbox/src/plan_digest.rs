//! The digest of a plan, which binds a preview and an approval to the call that follows.
use overt_layers::content_digest::ContentDigester;
use serde_json::Value;

use super::change::Change;

/// Returns the digest that binds a preview to its call: the same tool, arguments, contents before
/// and after, and fingerprints. It does not depend on the process, because a client may restart the
/// server for each call.
pub(super) fn digest(tool: &str, arguments: &Value, changes: &[Change], seen: &ContentDigester) -> String {
    let mut canonical = String::new();
    write_canonical(arguments, &mut canonical);
    let mut digester = ContentDigester::default();
    for part in ["plan", tool, &canonical, &seen.finish().to_base64()] {
        digester.part(part);
    }
    changes.iter().for_each(|change| change.digest_into(&mut digester));
    digester.finish().to_string()
}

/// Writes the members sorted by name: a client may write them in another order each time.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in members {
                out.push_str(&overt_wire::json::quote(name));
                out.push(':');
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::body::{Blob, Tree};
    use super::*;

    fn digest(tool: &str, arguments: &Value, changes: &[Change]) -> String {
        super::digest(tool, arguments, changes, &ContentDigester::default())
    }

    #[test]
    fn a_digest_is_about_tool_arguments_and_contents() {
        let arguments = json!({"a": 1, "b": {"x": [1, 2], "y": null}});
        let change = Change::edited("n", "old", "new");
        let same = digest("t", &arguments, std::slice::from_ref(&change));
        let other_order = json!({"b": {"y": null, "x": [1, 2]}, "a": 1});
        assert_eq!(digest("t", &other_order, std::slice::from_ref(&change)), same);
        let with = |change: Change| digest("t", &arguments, &[change]);
        for other in [
            digest("u", &arguments, std::slice::from_ref(&change)),
            digest("t", &json!({"a": 1}), std::slice::from_ref(&change)),
            digest("t", &json!({"a": 1, "b": {"x": [2, 1], "y": null}}), std::slice::from_ref(&change)),
            digest("t", &arguments, &[]),
            with(Change::edited("m", "old", "new")),
            with(Change::edited("n", "older", "new")),
            with(Change::edited("n", "old", "newer")),
            with(Change::created("n", "new")),
            with(Change::moved("old", "n", "new")),
            with(Change::edited("n", Blob::of(b"old"), Blob::of(b"new"))),
            with(change.clone().moved_from("m")),
            digest("t", &arguments, &[change.clone(), change]),
        ] {
            assert_ne!(other, same);
        }
        assert_ne!(with(Change::created("n", "")), with(Change::deleted("n", "")));
        assert_ne!(with(Change::created("n", "")), with(Change::folder("n")));
        assert_ne!(with(Change::moved("m", "n", Tree::new())), with(Change::copied("m", "n", Tree::new())));
        assert_ne!(
            with(Change::created("n", Blob::new(1).digest("sha256-a"))),
            with(Change::created("n", Blob::new(1).digest("sha256-b")))
        );
    }
}
