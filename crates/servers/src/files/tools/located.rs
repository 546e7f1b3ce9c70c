//! What the paths in a call's arguments stand for, to whoever grants and denies scopes: whole, links in the name of a root
//! resolved, and the default root where nothing was said. Never fails: what can't be a path stands for the default root, because the
//! tool touches nothing and says what is wrong with it.
use std::sync::Arc;

use overt_policy::setting::Values;
use overt_toolbox::ToolError;
use serde_json::Value;

use super::super::FileServer;
use super::super::error::FileError;
use super::super::space::Space;

/// For [`Tool::located`](overt_toolbox::Tool::located): `names` are the arguments of the tool that are paths, or lists of them.
pub(crate) fn located(
    server: &Arc<FileServer>,
    names: &'static [&'static str],
) -> impl Fn(&Value, Option<&Values>) -> Value + Send + Sync + 'static {
    let space = Arc::clone(&server.space);
    move |arguments, _| {
        let Value::Object(members) = arguments else { return arguments.clone() };
        // Scopes are made of paths alone; what is to be written may be as long as a message.
        let whole = names.iter().map(|name| {
            let mut argument = members.get(*name).cloned().unwrap_or_default();
            make_whole(&mut argument, &space);
            ((*name).to_owned(), argument)
        });
        Value::Object(whole.collect())
    }
}

/// What a client whose call is denied is told: a path in its arguments is in no root (D-20, G-19).
pub(crate) fn outside(space: &Space, arguments: &Value) -> Option<ToolError> {
    const NAMES: [&str; 6] = ["path", "paths", "from", "to", "source", "destination"];
    let is_outside = |text: &str| space.whole(text).is_ok_and(|path| !space.is_reached(&path));
    let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
    let objects = std::iter::once(arguments).chain(edits);
    let named = objects.flat_map(|object| NAMES.iter().filter_map(|name| object.get(name)));
    let mut texts = named.flat_map(|value| match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    texts.find(|text| is_outside(text)).map(|text| FileError::outside(text).into())
}

fn make_whole(argument: &mut Value, space: &Space) {
    let whole = match argument {
        Value::Array(items) => {
            // What can't even be granted is refused by the tool, one by one: it does not refuse the others (I-10).
            items.retain(|item| is_reached(item, space));
            items.iter_mut().for_each(|item| make_whole(item, space));
            if items.is_empty() {
                items.push(space.default_root().as_str().into());
            }
            return;
        }
        Value::String(text) => space.whole(text).ok(),
        _ => None,
    };
    *argument = whole.as_ref().unwrap_or(space.default_root()).as_str().into();
}

/// Whether it is in a folder that is served or can be granted, or no path at all.
fn is_reached(item: &Value, space: &Space) -> bool {
    item.as_str().and_then(|text| space.whole(text).ok()).is_none_or(|path| space.is_reached(&path))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    /// B-06: a root that was written as a link is the folder that it leads to.
    #[test]
    fn b_06_paths_become_whole_and_real() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap().join("real");
        let link = real.with_file_name("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let space = Space::open(std::slice::from_ref(&link), &[]).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        for (given, wanted) in [
            (json!("a/../b"), json!(text(&real.join("b")))),
            (json!(text(&link.join("x"))), json!(text(&real.join("x")))),
            (json!(null), json!(text(&real))),
            (json!(["a", "/etc/../b"]), json!([text(&real.join("a"))])),
            (json!(["/b"]), json!([text(&real)])),
            (json!(""), json!(text(&real))),
            (json!("a\0b"), json!(text(&real))),
            (json!(7), json!(text(&real))),
            (json!({ "path": "a" }), json!(text(&real))),
        ] {
            let mut argument = given.clone();
            make_whole(&mut argument, &space);
            assert_eq!(argument, wanted, "{given}");
        }
    }
}
