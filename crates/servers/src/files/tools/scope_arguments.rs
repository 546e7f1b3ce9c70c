//! Turns the arguments of a call into those that scopes are made of: paths are absolute, links in
//! the name of a root are resolved, and a missing path is the default root. This never fails. Text
//! that can't be a path becomes the default root, because the tool then touches nothing and reports
//! what is wrong.
use std::sync::Arc;

use overt_settings::SettingValues;
use overt_toolbox::ToolError;
use serde_json::Value;

use super::super::FileServer;
use super::super::access::{AbsolutePath, Roots};
use super::super::error::FileError;

/// The function for [`Tool::scope_arguments`](overt_toolbox::Tool::scope_arguments). `names` are
/// the tool's arguments that are paths or lists of paths.
pub(crate) fn scope_arguments(
    server: &Arc<FileServer>,
    names: &'static [&'static str],
) -> impl Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync + 'static {
    let roots = Arc::clone(&server.roots);
    move |arguments, settings| {
        let served = roots.served_in(settings);
        let Value::Object(members) = arguments else { return arguments.clone() };
        // Scopes need only the paths. Content that is to be written may be as long as a message.
        let paths = names.iter().map(|name| {
            let mut argument = members.get(*name).cloned().unwrap_or_default();
            make_absolute(&mut argument, &roots, &served);
            ((*name).to_owned(), argument)
        });
        Value::Object(paths.collect())
    }
}

/// Returns the error for a denied call that names a path outside of every root that is served under
/// the settings of the call (D-20, G-19).
pub(crate) fn outside(
    roots: &Roots,
    arguments: &Value,
    settings: Option<&SettingValues>,
) -> Option<ToolError> {
    const NAMES: [&str; 6] = ["path", "paths", "from", "to", "source", "destination"];
    let served = roots.served_in(settings);
    let is_outside =
        |text: &str| roots.absolute(text, &served).is_ok_and(|path| !is_reached(&path, roots, &served));
    let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
    let objects = std::iter::once(arguments).chain(edits);
    let named = objects.flat_map(|object| NAMES.iter().filter_map(|name| object.get(name)));
    let mut texts = named.flat_map(|value| match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    texts.find(|text| is_outside(text)).map(|text| FileError::outside_of(&served, text).into())
}

fn make_absolute(argument: &mut Value, roots: &Roots, served: &[AbsolutePath]) {
    let absolute = match argument {
        Value::Array(items) => {
            // Paths that can't even be granted are refused by the tool, one by one. They must not
            // make the others fail (I-10). Neither must those that could be, beside any that need
            // no grant.
            match items.iter().any(|item| may_be_reached(item, roots, served)) {
                true => items.retain(|item| may_be_reached(item, roots, served)),
                false => items.retain(|item| may_be_granted(item, roots, served)),
            }
            items.iter_mut().for_each(|item| make_absolute(item, roots, served));
            if items.is_empty() {
                items.push(roots.default_of(served).as_str().into());
            }
            return;
        }
        Value::String(text) => roots.absolute(text, served).ok(),
        _ => None,
    };
    *argument = absolute.as_ref().unwrap_or(roots.default_of(served)).as_str().into();
}

fn may_be_granted(item: &Value, roots: &Roots, served: &[AbsolutePath]) -> bool {
    let path = item.as_str().and_then(|text| roots.absolute(text, served).ok());
    path.is_some_and(|path| roots.may_be_granted(&path))
}

/// Whether the item is in a folder that is served or can be granted, or is not a path at all.
fn may_be_reached(item: &Value, roots: &Roots, served: &[AbsolutePath]) -> bool {
    let path = item.as_str().and_then(|text| roots.absolute(text, served).ok());
    path.is_none_or(|path| is_reached(&path, roots, served))
}

/// Whether a path is in a served folder, or in one that can be granted.
fn is_reached(path: &AbsolutePath, roots: &Roots, served: &[AbsolutePath]) -> bool {
    served.iter().any(|folder| folder.inner(path).is_some())
        || (roots.is_reached(path) && !roots.is_in_root(path))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    /// B-06: a root that was given as a link is the folder that the link leads to.
    #[test]
    fn b_06_paths_become_absolute_and_real() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap().join("real");
        let link = real.with_file_name("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let roots = Roots::open(std::slice::from_ref(&link), &[]).unwrap();
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
            make_absolute(&mut argument, &roots, roots.paths());
            assert_eq!(argument, wanted, "{given}");
        }
    }
}
