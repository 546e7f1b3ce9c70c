//! The content before or after a change: a text, content that is not shown as text, or a folder
//! with everything in it.
use overt_layers::content_digest::{ContentDigest, ContentDigester};

/// Content before or after a change: a text, a [`Blob`], or a [`Tree`].
#[derive(Debug, Clone)]
pub struct Body(pub(super) Inner);

#[derive(Debug, Clone)]
pub(super) enum Inner {
    Text(String),
    Blob(Blob),
    Tree(Tree),
}

/// Content that is not shown line by line: binary data, or a text that is too large to show. People
/// see its size, its media type and its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub(super) bytes: u64,
    pub(super) media_type: Option<String>,
    pub(super) digest: Option<String>,
}

/// A folder with everything in it. It counts all entries and keeps the first thousand, so its size
/// in memory is bounded even for a hundred thousand files.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(super) entries: Vec<TreeEntry>,
    pub(super) files: u64,
    pub(super) folders: u64,
    /// Links, and anything else that is neither a file nor a folder.
    pub(super) others: u64,
    pub(super) bytes: u64,
    /// Digests all entries, including those that are not kept.
    fingerprints: ContentDigester,
}

#[derive(Debug, Clone)]
pub(super) struct TreeEntry {
    pub(super) path: String,
    pub(super) kind: EntryKind,
    pub(super) bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Other,
}

/// The most entries that a tree keeps.
const MOST_ENTRIES: usize = 1_000;

impl Body {
    /// Replaces a text by its size and digest. Other content stays as it is.
    pub(super) fn without_text(self) -> Self {
        match self.0 {
            Inner::Text(text) => Blob::of(text.as_bytes()).media_type("text/plain").into(),
            other => Self(other),
        }
    }

    /// Returns the text, which is compared line by line. `None` for other content.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.0 {
            Inner::Text(text) => Some(text),
            Inner::Blob(_) | Inner::Tree(_) => None,
        }
    }

    /// Adds everything about the content to the digest of a plan.
    pub(super) fn digest_into(&self, digester: &mut ContentDigester) {
        match &self.0 {
            Inner::Text(text) => {
                digester.part("text");
                digester.part(text);
            }
            Inner::Blob(blob) => {
                digester.part("blob");
                digester.part(&blob.bytes.to_string());
                digester.part(blob.media_type.as_deref().unwrap_or_default());
                digester.part(blob.digest.as_deref().unwrap_or_default());
            }
            Inner::Tree(tree) => {
                digester.part("tree");
                digester.part(&tree.fingerprints.finish().to_base64());
            }
        }
    }
}

impl Blob {
    /// Content of this size in bytes, about which nothing else is known.
    pub fn new(bytes: u64) -> Self {
        Self { bytes, media_type: None, digest: None }
    }

    /// Describes these bytes by their length and digest.
    pub fn of(content: &[u8]) -> Self {
        Self::with_digest(content.len() as u64, ContentDigest::of(content))
    }

    /// Content of this size in bytes with a known digest, as [`of`](Self::of) computes it.
    pub fn with_digest(bytes: u64, digest: ContentDigest) -> Self {
        Self::new(bytes).digest(digest.to_string())
    }

    /// Sets the media type, such as `image/png`.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: Some(media_type.into()), ..self }
    }

    /// Sets the digest, with its algorithm as a prefix: `blake3-…`.
    #[must_use]
    pub fn digest(self, digest: impl Into<String>) -> Self {
        Self { digest: Some(digest.into()), ..self }
    }
}

impl Tree {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            files: 0,
            folders: 0,
            others: 0,
            bytes: 0,
            fingerprints: ContentDigester::default(),
        }
    }

    /// Adds a file. Paths are relative to the folder. The caller adds entries in the same order
    /// each time, because the plan's digest depends on the order.
    pub fn file(&mut self, path: impl Into<String>, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.push(TreeEntry { path: path.into(), kind: EntryKind::File, bytes });
    }

    /// Adds a folder.
    pub fn folder(&mut self, path: impl Into<String>) {
        self.folders += 1;
        self.push(TreeEntry { path: path.into(), kind: EntryKind::Folder, bytes: 0 });
    }

    /// Adds a link, or anything else that is neither a file nor a folder.
    pub fn other(&mut self, path: impl Into<String>) {
        self.others += 1;
        self.push(TreeEntry { path: path.into(), kind: EntryKind::Other, bytes: 0 });
    }

    /// Adds a fingerprint that shows whether an entry is unchanged, such as its identity and
    /// modification time. The plan no longer holds when the fingerprint differs. It is not shown to
    /// people.
    pub fn add_fingerprint(&mut self, fingerprint: &str) {
        self.fingerprints.part(fingerprint);
    }

    /// Returns the number of entries that are counted but not kept.
    pub(super) fn left_out(&self) -> u64 {
        (self.files + self.folders + self.others).saturating_sub(self.entries.len() as u64)
    }

    fn push(&mut self, entry: TreeEntry) {
        self.fingerprints.part(entry.kind.word());
        self.fingerprints.part(&entry.path);
        self.fingerprints.part(&entry.bytes.to_string());
        if self.entries.len() < MOST_ENTRIES {
            self.entries.push(entry);
        }
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl TreeEntry {
    /// Returns the path as lists show it: a folder ends with a slash.
    pub(super) fn path_in_list(&self) -> String {
        let slash = if self.kind == EntryKind::Folder { "/" } else { "" };
        format!("{}{slash}", self.path)
    }
}

impl EntryKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "directory",
            Self::Other => "other",
        }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self(Inner::Text(text))
    }
}

impl From<&String> for Body {
    fn from(text: &String) -> Self {
        Self(Inner::Text(text.clone()))
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self(Inner::Text(text.to_owned()))
    }
}

impl From<Blob> for Body {
    fn from(blob: Blob) -> Self {
        Self(Inner::Blob(blob))
    }
}

impl From<Tree> for Body {
    fn from(tree: Tree) -> Self {
        Self(Inner::Tree(tree))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_counts_everything_and_keeps_a_thousand() {
        let mut tree = Tree::new();
        for number in 0..100_000 {
            tree.file(format!("f{number}"), 2);
        }
        tree.folder("sub");
        tree.other("link");
        assert_eq!((tree.files, tree.folders, tree.others, tree.bytes), (100_000, 1, 1, 200_000));
        assert_eq!((tree.entries.len(), tree.left_out()), (MOST_ENTRIES, 99_002));
    }
}
