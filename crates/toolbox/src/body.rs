//! What there is before or after a change: a text, content that is not shown as text, or a folder
//! with everything in it.
use overt_layers::content_digest::{ContentDigest, ContentDigester};

/// What there is, or was: a text, a [`Blob`], or a [`Tree`].
#[derive(Debug, Clone)]
pub struct Body(pub(super) Inner);

#[derive(Debug, Clone)]
pub(super) enum Inner {
    Text(String),
    Blob(Blob),
    Tree(Tree),
}

/// Content that is not shown line by line: bytes that are not text, or a text that is too large to
/// be shown. People see how large it is, of what kind, and its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub(super) bytes: u64,
    pub(super) media_type: Option<String>,
    pub(super) digest: Option<String>,
}

/// A folder with everything in it. It counts all that it is told and keeps the first thousand
/// entries, so it costs the same for a hundred thousand files.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(super) entries: Vec<TreeEntry>,
    pub(super) files: u64,
    pub(super) folders: u64,
    /// Links, and whatever else is neither file nor folder.
    pub(super) others: u64,
    pub(super) bytes: u64,
    /// Of all entries, those that are not kept too.
    seen: ContentDigester,
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

/// Entries that a tree keeps.
const MOST_ENTRIES: usize = 1_000;

impl Body {
    /// A text by its size and digest; everything else as it is.
    pub(super) fn without_text(self) -> Self {
        match self.0 {
            Inner::Text(text) => Blob::of(text.as_bytes()).media_type("text/plain").into(),
            other => Self(other),
        }
    }

    /// What is compared line by line.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.0 {
            Inner::Text(text) => Some(text),
            Inner::Blob(_) | Inner::Tree(_) => None,
        }
    }

    /// Everything about it goes into the digest of a plan.
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
                digester.part(&tree.seen.finish().to_base64());
            }
        }
    }
}

impl Blob {
    /// A number of bytes, of which nothing more is known.
    pub fn new(bytes: u64) -> Self {
        Self { bytes, media_type: None, digest: None }
    }

    /// These bytes, with their digest.
    pub fn of(content: &[u8]) -> Self {
        Self::with_digest(content.len() as u64, ContentDigest::of(content))
    }

    /// A number of bytes with this digest, as [`of`](Self::of) would have it.
    pub fn with_digest(bytes: u64, digest: ContentDigest) -> Self {
        Self::new(bytes).digest(digest.to_string())
    }

    /// Such as `image/png`.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: Some(media_type.into()), ..self }
    }

    /// With the name of its kind in front: `blake3-…`.
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
            seen: ContentDigester::default(),
        }
    }

    /// A file in it. Paths begin at the folder; the caller adds them in an order that is the same
    /// each time, because the plan is bound to it.
    pub fn file(&mut self, path: impl Into<String>, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.push(TreeEntry { path: path.into(), kind: EntryKind::File, bytes });
    }

    /// A folder in it.
    pub fn folder(&mut self, path: impl Into<String>) {
        self.folders += 1;
        self.push(TreeEntry { path: path.into(), kind: EntryKind::Folder, bytes: 0 });
    }

    /// A link, or something else that is neither file nor folder.
    pub fn other(&mut self, path: impl Into<String>) {
        self.others += 1;
        self.push(TreeEntry { path: path.into(), kind: EntryKind::Other, bytes: 0 });
    }

    /// What tells whether an entry is still the same, such as its identity and the time of its last
    /// change: the plan no longer holds when it differs. It is not shown.
    pub fn saw(&mut self, fingerprint: &str) {
        self.seen.part(fingerprint);
    }

    /// How many entries are counted and not kept.
    pub(super) fn left_out(&self) -> u64 {
        (self.files + self.folders + self.others).saturating_sub(self.entries.len() as u64)
    }

    fn push(&mut self, entry: TreeEntry) {
        self.seen.part(entry.kind.word());
        self.seen.part(&entry.path);
        self.seen.part(&entry.bytes.to_string());
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
    /// A folder ends with a slash.
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
