//! Where a path leads in the model. Links are followed as the kernel does beneath a root.
use super::tree::{Tree, What};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Led {
    /// To an entry at this path. The root itself is the empty path.
    To(String),
    /// To a free name.
    Nowhere,
    /// Out of the root, in a circle, or through something that is not a folder.
    Astray,
}

/// The kernel's limit.
const MOST_LINKS: usize = 40;

/// Follows every link, including the last one.
pub(super) fn follow(tree: &Tree, path: &str) -> Led {
    let mut left: Vec<String> =
        path.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let mut at: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(part) = left.pop() {
        match part.as_str() {
            "." => continue,
            ".." => {
                if at.pop().is_none() {
                    return Led::Astray;
                }
                continue;
            }
            _ => at.push(part),
        }
        match tree.get(&at.join("/")).map(|node| &node.what) {
            None => return Led::Nowhere,
            Some(What::Folder) => {}
            Some(What::File(_)) if left.is_empty() => {}
            Some(What::File(_)) => return Led::Astray,
            Some(What::Link(target)) => {
                links += 1;
                if links > MOST_LINKS || target.starts_with('/') {
                    return Led::Astray;
                }
                at.pop();
                left.extend(target.split('/').rev().map(str::to_owned));
            }
        }
    }
    Led::To(at.join("/"))
}

/// Resolves a name in a folder. Links in the folder's path are followed, a link at the name is not.
pub(super) fn name(tree: &Tree, path: &str) -> Led {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match follow(tree, folder) {
        Led::To(folder) if is_folder(tree, &folder) => Led::To(join(&folder, name)),
        Led::To(_) => Led::Astray,
        other => other,
    }
}

/// Resolves a file that is to be changed. A link leads to its target.
pub(super) fn file(tree: &Tree, path: &str) -> Option<String> {
    let Led::To(key) = name(tree, path) else { return None };
    let key = match tree.get(&key).map(|node| &node.what) {
        Some(What::Link(_)) => match follow(tree, path) {
            Led::To(key) => key,
            _ => return None,
        },
        _ => key,
    };
    matches!(tree.get(&key)?.what, What::File(_)).then_some(key)
}

/// Returns the outermost missing path on the way, and the names inside it. `None` if the path
/// exists or can't be created.
pub(super) fn missing(tree: &Tree, path: &str) -> Option<(String, Vec<String>)> {
    let parts: Vec<&str> = path.split('/').collect();
    for end in (1..=parts.len()).rev() {
        match name(tree, &parts[..end].join("/")) {
            Led::To(key) if tree.contains_key(&key) => return None,
            Led::To(key) => return Some((key, parts[end..].iter().map(|part| (*part).to_owned()).collect())),
            Led::Nowhere => {}
            Led::Astray => return None,
        }
    }
    None
}

pub(super) fn is_folder(tree: &Tree, key: &str) -> bool {
    key.is_empty() || tree.get(key).is_some_and(|node| node.what == What::Folder)
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
