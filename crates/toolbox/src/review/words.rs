//! Describes changes and content in words: size, media type, number of entries in a folder.
use super::super::body::{Blob, Body, Inner, Tree};
use super::super::change::Kind;
use super::diff::Diff;

/// Describes a change in one line: `src/app.ts +4 -3`,
/// `delete build/ (folder with 312 files, 4 folders, 1,234 bytes)`.
pub(super) fn summary(diff: &Diff<'_>) -> String {
    let change = diff.change;
    let counts = || match diff.is_text {
        true => format!("+{} -{}", diff.added, diff.removed),
        false => of(change.body()),
    };
    let label = &change.label;
    match (change.kind(), &change.from) {
        (Kind::Created, _) => format!("create {label} ({})", of(change.body())),
        (Kind::Edited, Some(from)) => format!("{from} -> {label} {}", counts()),
        (Kind::Edited, None) => format!("{label} {}", counts()),
        (Kind::Deleted, _) => format!("delete {label} ({})", of(change.body())),
        (Kind::Moved, from) => format!("move {} -> {label}", from.as_deref().unwrap_or_default()),
        (Kind::Copied, from) => format!("copy {} -> {label}", from.as_deref().unwrap_or_default()),
    }
}

/// Describes content in one line.
pub(super) fn of(body: &Body) -> String {
    match &body.0 {
        Inner::Text(text) => format!("text, {}", bytes(text.len() as u64)),
        Inner::Blob(blob) => of_blob(blob),
        Inner::Tree(tree) => of_tree(tree),
    }
}

fn of_blob(blob: &Blob) -> String {
    let parts = [Some(bytes(blob.bytes)), blob.media_type.clone(), blob.digest.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn of_tree(tree: &Tree) -> String {
    if tree.files + tree.folders + tree.others == 0 {
        return "empty folder".to_owned();
    }
    let mut parts = vec![counted(tree.files, "file"), counted(tree.folders, "folder")];
    if tree.others > 0 {
        parts.push(counted(tree.others, "other"));
    }
    format!("folder with {}, {}", parts.join(", "), bytes(tree.bytes))
}

pub(super) fn bytes(count: u64) -> String {
    counted(count, "byte")
}

/// Says how many entries are not shown.
pub(super) fn more(count: u64) -> String {
    format!("… and {} more", grouped(count))
}

/// Writes a count with its noun: `2 files`.
pub(super) fn counted(count: u64, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(count))
}

/// Groups digits: `12,345,678`.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_counts_are_words() {
        let blob = Blob::new(1_234_567).media_type("image/png").digest("sha256-x");
        assert_eq!(of(&blob.into()), "1,234,567 bytes, image/png, sha256-x");
        let mut tree = Tree::new();
        assert_eq!(of(&tree.clone().into()), "empty folder");
        tree.file("a", 1);
        tree.folder("b");
        tree.folder("c");
        assert_eq!(of(&tree.clone().into()), "folder with 1 file, 2 folders, 1 byte");
        tree.other("l");
        assert_eq!(of(&tree.into()), "folder with 1 file, 2 folders, 1 other, 1 byte");
    }
}
