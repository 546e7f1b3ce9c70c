//! The tokens of YAML, with the comments that the reference attaches to them. The reference fails
//! if two comments collide.
use super::failure::{Failure, Mark, Result};

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    StreamStart,
    StreamEnd,
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowMappingEnd,
    FlowEntry,
    BlockEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
    Comment,
}

/// A token. `text` is the value of a scalar, the name of an alias or anchor, or the name and
/// argument of a directive.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: Mark,
    pub(super) end: Mark,
    pub(super) text: String,
    /// Whether this is a scalar without quotes.
    pub(super) plain: bool,
    pub(super) comments: Option<Comments>,
}

/// Whether comments are attached before and after a token.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Comments {
    pub(super) after: bool,
    pub(super) before: bool,
}

// === impl Kind ===

impl Kind {
    /// Returns the name of the kind in messages.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::StreamStart => "<stream start>",
            Self::StreamEnd => "<stream end>",
            Self::Directive => "<directive>",
            Self::DocumentStart => "<document start>",
            Self::DocumentEnd => "<document end>",
            Self::BlockSequenceStart => "<block sequence start>",
            Self::BlockMappingStart => "<block mapping start>",
            Self::BlockEnd => "<block end>",
            Self::FlowSequenceStart => "[",
            Self::FlowMappingStart => "{",
            Self::FlowSequenceEnd => "]",
            Self::FlowMappingEnd => "}",
            Self::FlowEntry => ",",
            Self::BlockEntry => "-",
            Self::Key => "?",
            Self::Value => ":",
            Self::Alias => "<alias>",
            Self::Anchor => "<anchor>",
            Self::Tag => "<tag>",
            Self::Scalar => "<scalar>",
            Self::Comment => "<comment>",
        }
    }
}

// === impl Token ===

impl Token {
    pub(super) fn new(kind: Kind, start: Mark, end: Mark) -> Self {
        Self { kind, start, end, text: String::new(), plain: false, comments: None }
    }

    pub(super) fn with_text(kind: Kind, text: String, start: Mark, end: Mark) -> Self {
        Self { text, ..Self::new(kind, start, end) }
    }

    pub(super) fn add_comment_after(&mut self) {
        self.comments.get_or_insert_default().after = true;
    }

    pub(super) fn add_comments_before(&mut self) -> Result<()> {
        let comments = self.comments.get_or_insert_default();
        if comments.before {
            return Err(Failure::Crash("AssertionError"));
        }
        comments.before = true;
        Ok(())
    }

    /// Moves the comments of this token to the next one.
    pub(super) fn move_comments(&mut self, target: &mut Self) -> Result<()> {
        if matches!(target.kind, Kind::StreamEnd | Kind::DocumentStart) {
            return Ok(());
        }
        let Some(ours) = self.comments.take() else { return Ok(()) };
        let theirs = target.comments.get_or_insert_default();
        if ours.after && theirs.after || ours.before && theirs.before {
            return Err(Failure::Crash("NotImplementedError"));
        }
        theirs.after |= ours.after;
        theirs.before |= ours.before;
        Ok(())
    }
}
