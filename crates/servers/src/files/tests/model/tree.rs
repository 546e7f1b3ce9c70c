//! Everything in a folder, as it is on disk or in the model.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::super::super::access::is_ours;

/// Entries by their path within the folder.
pub(super) type Tree = BTreeMap<String, Node>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) what: What,
    /// `None` for a link, and for a new entry whose mode the system chooses.
    pub(super) mode: Option<u32>,
    /// An extended attribute, if the file system has them.
    pub(super) label: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    File(String),
    Link(String),
    Folder,
}

/// The name of the attribute.
pub(super) const LABEL: &str = "user.overt.model";

/// Reads the tree from disk, without the server's unfinished files.
pub(super) fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    read_into(root, "", &mut tree);
    tree
}

fn read_into(folder: &Path, inner: &str, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if is_ours(name) {
            continue;
        }
        let about = path.symlink_metadata().unwrap();
        let key = if inner.is_empty() { name.to_owned() } else { format!("{inner}/{name}") };
        let what = if about.is_symlink() {
            What::Link(fs::read_link(&path).unwrap().to_str().unwrap().to_owned())
        } else if about.is_dir() {
            What::Folder
        } else {
            What::File(String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned())
        };
        let is_link = about.is_symlink();
        let node = Node {
            mode: (!is_link).then_some(about.permissions().mode() & 0o7777),
            label: if is_link { None } else { label(&path) },
            what,
        };
        let is_folder = node.what == What::Folder;
        tree.insert(key.clone(), node);
        if is_folder {
            read_into(&path, &key, tree);
        }
    }
}

fn label(path: &Path) -> Option<Vec<u8>> {
    let mut value = [0; 16];
    let size = rustix::fs::getxattr(path, LABEL, &mut value).ok()?;
    Some(value[..size].to_vec())
}

/// Whether a tree is the wanted one. An entry without a wanted mode may have any mode.
pub(super) fn is_as_wanted(tree: &Tree, wanted: &Tree) -> bool {
    tree.len() == wanted.len()
        && tree.iter().zip(wanted).all(|((path, node), (other, want))| {
            let is_link = matches!(want.what, What::Link(_));
            path == other
                && node.what == want.what
                && node.label == want.label
                && (is_link || want.mode.is_none() || node.mode == want.mode)
        })
}

/// Returns the paths at which two trees differ.
pub(super) fn differing<'a>(one: &'a Tree, other: &'a Tree) -> Vec<&'a str> {
    let mut paths: Vec<&str> = one
        .iter()
        .filter(|(path, node)| other.get(*path) != Some(*node))
        .map(|(path, _)| path.as_str())
        .chain(other.keys().filter(|path| !one.contains_key(*path)).map(String::as_str))
        .collect();
    paths.sort_unstable();
    paths
}

/// Whether a path is the folder or in it.
pub(super) fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether any file contains this text.
pub(super) fn has_content(tree: &Tree, content: &str) -> bool {
    tree.values().any(|node| matches!(&node.what, What::File(text) if text.contains(content)))
}
