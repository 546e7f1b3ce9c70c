//! The changes of a call, for people to review: what happens to each file or folder, and its
//! content before and after.
use overt_layers::content_digest::ContentDigester;
use schemars::JsonSchema;
use serde::Serialize;

use super::body::{Body, Tree};
use super::review;

/// One thing that changes.
#[derive(Debug, Clone)]
pub struct Change {
    pub(super) label: String,
    /// The earlier name, or the source of a copy.
    pub(super) from: Option<String>,
    /// The number of lines before the texts, if the change has only parts of them.
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

/// Two texts of up to this many bytes are compared directly to find out how much differs. Larger
/// texts count in full, so that a thread compares them.
const MOST_TRIMMED: usize = 1 << 20;

impl Change {
    /// A new file, or other content that did not exist before. The label names it for people, such
    /// as its path.
    pub fn created(label: impl Into<String>, after: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Created(after.into()))
    }

    /// Existing content that will change.
    pub fn edited(label: impl Into<String>, before: impl Into<Body>, after: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Edited { before: before.into(), after: after.into() })
    }

    /// A text that will change. The common beginning and end of both sides are left out, except for
    /// a few lines, so that a small change of a large text needs little memory.
    pub fn edited_text(label: impl Into<String>, before: &str, after: &str) -> Self {
        let (lines_before, before, after) = review::parts_that_differ(before, after);
        Self::edited_part(label, lines_before, before, after)
    }

    /// The part of a text that will change. Both sides begin after the same `lines_before` lines,
    /// and end at the end of the text or of a line.
    pub fn edited_part(label: impl Into<String>, lines_before: usize, before: &str, after: &str) -> Self {
        Self { lines_before, ..Self::edited(label, before, after) }
    }

    /// Content that will be deleted.
    pub fn deleted(label: impl Into<String>, before: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Deleted(before.into()))
    }

    /// A new, empty folder.
    pub fn folder(label: impl Into<String>) -> Self {
        Self::created(label, Tree::new())
    }

    /// Content that will be moved from another name and stays the same.
    pub fn moved(from: impl Into<String>, label: impl Into<String>, what: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Moved(what.into())).moved_from(from)
    }

    /// A copy of content under a new name.
    pub fn copied(from: impl Into<String>, label: impl Into<String>, what: impl Into<Body>) -> Self {
        Self::of(label, ChangeKind::Copied(what.into())).moved_from(from)
    }

    /// Sets the name that the content had before, or that it is a copy of.
    #[must_use]
    pub fn moved_from(self, label: impl Into<String>) -> Self {
        Self { from: Some(label.into()), ..self }
    }

    fn of(label: impl Into<String>, what: ChangeKind) -> Self {
        Self { label: label.into(), from: None, lines_before: 0, what }
    }

    /// Replaces the texts by their sizes and digests if they differ in more than `bytes` bytes. To
    /// compare texts line by line takes many times their size in memory.
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

    /// Returns the content after the change, or before it if the change deletes the content.
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

    /// Returns the content before and after the change. Both are the same for a move or a copy.
    pub(super) fn sides(&self) -> (Option<&Body>, Option<&Body>) {
        match &self.what {
            ChangeKind::Created(after) => (None, Some(after)),
            ChangeKind::Edited { before, after } => (Some(before), Some(after)),
            ChangeKind::Deleted(before) => (Some(before), None),
            ChangeKind::Moved(what) | ChangeKind::Copied(what) => (Some(what), Some(what)),
        }
    }

    /// Returns how many bytes of the texts have to be processed: all of them for a digest or for
    /// large texts, otherwise only the parts that differ.
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

    /// Adds everything about the change to the digest of a plan.
    pub(super) fn digest_into(&self, digester: &mut ContentDigester) {
        digester.part(self.kind().word());
        digester.part(&self.label);
        digester.part(if self.from.is_some() { "from" } else { "" });
        digester.part(self.from.as_deref().unwrap_or_default());
        if self.lines_before > 0 {
            digester.part(&self.lines_before.to_string());
        }
        let (before, after) = self.sides();
        for side in [before, after] {
            match side {
                None => digester.part("nothing"),
                Some(body) => body.digest_into(digester),
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fs_34_a_digest_is_of_every_entry_and_fingerprint() {
        let digest = |last: &str, fingerprint: &str| {
            let mut tree = Tree::new();
            (0..2_000).for_each(|number| tree.file(format!("f{number}"), 1));
            tree.file(last, 1);
            tree.add_fingerprint(fingerprint);
            let mut digester = ContentDigester::default();
            Change::deleted("d", tree).digest_into(&mut digester);
            digester.finish()
        };
        assert_eq!(digest("a", "1"), digest("a", "1"));
        assert_ne!(digest("a", "1"), digest("b", "1"));
        assert_ne!(digest("a", "1"), digest("a", "2"));
    }
}
