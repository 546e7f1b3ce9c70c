//! What a call changes, for people to look at: texts, contents that are not text, and whole
//! folders.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;

use super::review;
use overt_layers::seal::Digester;

/// One thing that changes.
#[derive(Debug, Clone)]
pub struct Change {
    pub(super) label: String,
    /// What it was called before, or what it is a copy of.
    pub(super) from: Option<String>,
    /// Lines before the texts that it has, where it has only parts of them.
    pub(super) lines_before: usize,
    pub(super) what: ChangeKind,
}

/// What happens to the file or folder.
#[derive(Debug, Clone)]
pub(super) enum ChangeKind {
    Created(Body),
    Edited {
        before: Body,
        after: Body,
    },
    Deleted(Body),
    /// The same content under another name.
    Moved(Body),
    Copied(Body),
}

/// What happens, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Created,
    Edited,
    Deleted,
    Moved,
    Copied,
}

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
    seen: Digester,
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

/// How many bytes of two texts are compared at a time to find what they share.
const MOST_TRIMMED: usize = 1 << 20;

impl Change {
    /// Something that was not there. The label says what it is to people, such as a path.
    pub fn created(label: impl Into<String>, after: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Created(after.into()))
    }

    /// Something that will be different.
    pub fn edited(label: impl Into<String>, before: impl Into<Body>, after: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Edited { before: before.into(), after: after.into() })
    }

    /// A text that will be different, with what both sides share left out but for a few lines: a
    /// small change of a large text holds little of it.
    pub fn edited_text(label: impl Into<String>, before: &str, after: &str) -> Self {
        let (lines_before, before, after) = review::parts_that_differ(before, after);
        Self::edited_part(label, lines_before, before, after)
    }

    /// The part of a text that will be different. Both sides begin after so many lines that they
    /// share, and end with the text or with a line.
    pub fn edited_part(label: impl Into<String>, lines_before: usize, before: &str, after: &str) -> Self {
        Self { lines_before, ..Self::edited(label, before, after) }
    }

    /// Something that will be gone.
    pub fn deleted(label: impl Into<String>, before: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Deleted(before.into()))
    }

    /// An empty folder that was not there.
    pub fn folder(label: impl Into<String>) -> Self {
        Self::created(label, Tree::new())
    }

    /// The same content under another name than before.
    pub fn moved(from: impl Into<String>, label: impl Into<String>, what: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Moved(what.into())).moved_from(from)
    }

    /// The same content once more, under a name that was not there.
    pub fn copied(from: impl Into<String>, label: impl Into<String>, what: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Copied(what.into())).moved_from(from)
    }

    /// What is edited was called otherwise before.
    #[must_use]
    pub fn moved_from(self, label: impl Into<String>) -> Self {
        Self { from: Some(label.into()), ..self }
    }

    fn of(label: impl Into<String>, what: ChangeKind) -> Self {
        Self { label: label.into(), from: None, lines_before: 0, what }
    }

    /// This change, with texts that differ in more than so many bytes shown by their sizes and
    /// digests: to compare them line by line takes many times their size.
    #[must_use]
    pub fn at_most(self, bytes: usize) -> Self {
        let differing = match (self.sides().0.and_then(Body::text), self.sides().1.and_then(Body::text)) {
            (Some(before), Some(after)) if before.len() + after.len() > bytes => {
                review::differing(before, after)
            }
            (before, after) => before.map_or(0, str::len) + after.map_or(0, str::len),
        };
        if differing <= bytes {
            return self;
        }
        let what = match self.what {
            ChangeKind::Created(after) => ChangeKind::Created(after.without_text()),
            ChangeKind::Edited { before, after } => {
                ChangeKind::Edited { before: before.without_text(), after: after.without_text() }
            }
            ChangeKind::Deleted(before) => ChangeKind::Deleted(before.without_text()),
            ChangeKind::Moved(body) => ChangeKind::Moved(body.without_text()),
            ChangeKind::Copied(body) => ChangeKind::Copied(body.without_text()),
        };
        Self { what, lines_before: 0, ..self }
    }

    /// What there is afterwards, or was before if nothing is left.
    pub(super) fn body(&self) -> &Body {
        match &self.what {
            ChangeKind::Created(body)
            | ChangeKind::Edited { after: body, .. }
            | ChangeKind::Deleted(body)
            | ChangeKind::Moved(body)
            | ChangeKind::Copied(body) => body,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match (&self.what, &self.from) {
            (ChangeKind::Created(_), _) => Kind::Created,
            (ChangeKind::Deleted(_), _) => Kind::Deleted,
            (ChangeKind::Copied(_), _) => Kind::Copied,
            (ChangeKind::Moved(_), _) | (ChangeKind::Edited { .. }, Some(_)) => Kind::Moved,
            (ChangeKind::Edited { .. }, None) => Kind::Edited,
        }
    }

    /// What there was and what there will be, as far as both differ.
    pub(super) fn sides(&self) -> (Option<&Body>, Option<&Body>) {
        match &self.what {
            ChangeKind::Created(after) => (None, Some(after)),
            ChangeKind::Edited { before, after } => (Some(before), Some(after)),
            ChangeKind::Deleted(before) => (Some(before), None),
            ChangeKind::Moved(what) | ChangeKind::Copied(what) => (Some(what), Some(what)),
        }
    }

    /// The bytes of its texts that have to be looked at closely: all of them for a digest, and what
    /// differs to compare them.
    pub(super) fn weight(&self, is_digested: bool) -> usize {
        let texts = self.sides();
        let (before, after) = (texts.0.and_then(Body::text), texts.1.and_then(Body::text));
        let whole = before.map_or(0, str::len) + after.map_or(0, str::len);
        match (before, after) {
            (Some(before), Some(after)) if !is_digested && whole <= MOST_TRIMMED => {
                review::differing(before, after)
            }
            _ => whole,
        }
    }

    /// Everything about it goes into the digest of a plan.
    pub(super) fn digest_into(&self, digester: &mut Digester) {
        digester.part(self.kind().word());
        digester.part(&self.label);
        digester.part(if self.from.is_some() { "from" } else { "" });
        digester.part(self.from.as_deref().unwrap_or_default());
        if self.lines_before > 0 {
            digester.part(&self.lines_before.to_string());
        }
        let (before, after) = self.sides();
        for side in [before, after] {
            match side.map(|body| &body.0) {
                None => digester.part("nothing"),
                Some(Inner::Text(text)) => {
                    digester.part("text");
                    digester.part(text);
                }
                Some(Inner::Blob(blob)) => {
                    digester.part("blob");
                    digester.part(&blob.bytes.to_string());
                    digester.part(blob.media_type.as_deref().unwrap_or_default());
                    digester.part(blob.digest.as_deref().unwrap_or_default());
                }
                Some(Inner::Tree(tree)) => {
                    digester.part("tree");
                    digester.part(&tree.seen.clone().finish());
                }
            }
        }
    }
}

impl Body {
    /// A text by its size and digest; everything else as it is.
    fn without_text(self) -> Self {
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
}

impl Blob {
    /// A number of bytes, of which nothing more is known.
    pub fn new(bytes: u64) -> Self {
        Self { bytes, media_type: None, digest: None }
    }

    /// These bytes, with their digest.
    pub fn of(content: &[u8]) -> Self {
        let mut digester = Digester::default();
        digester.bytes(content);
        Self::new(content.len() as u64).digest(format!("sha256-{}", digester.finish()))
    }

    /// A number of bytes with this SHA-256, as [`of`](Self::of) would have it.
    pub fn with_sha256(bytes: u64, sha256: &[u8; 32]) -> Self {
        Self::new(bytes).digest(format!("sha256-{}", URL_SAFE_NO_PAD.encode(sha256)))
    }

    /// Such as `image/png`.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: Some(media_type.into()), ..self }
    }

    /// With the name of its kind in front: `sha256-…`.
    #[must_use]
    pub fn digest(self, digest: impl Into<String>) -> Self {
        Self { digest: Some(digest.into()), ..self }
    }
}

impl Tree {
    pub fn new() -> Self {
        Self { entries: Vec::new(), files: 0, folders: 0, others: 0, bytes: 0, seen: Digester::default() }
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

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Moved => "moved",
            Self::Copied => "copied",
        }
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

    #[test]
    fn fs_34_a_digest_is_of_every_entry_and_fingerprint() {
        let digest = |last: &str, fingerprint: &str| {
            let mut tree = Tree::new();
            (0..2_000).for_each(|number| tree.file(format!("f{number}"), 1));
            tree.file(last, 1);
            tree.saw(fingerprint);
            let mut digester = Digester::default();
            Change::deleted("d", tree).digest_into(&mut digester);
            digester.finish()
        };
        assert_eq!(digest("a", "1"), digest("a", "1"));
        assert_ne!(digest("a", "1"), digest("b", "1"));
        assert_ne!(digest("a", "1"), digest("a", "2"));
    }
}
