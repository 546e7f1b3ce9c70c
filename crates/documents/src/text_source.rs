//! The origin of a text. An author may use Markdown within a line; a server's text is escaped
//! wherever Markdown is written (CARD-06). JSON documents contain both unchanged.
use crate::markdown::{BLOCK, LINE, block, foreign_line, line, paragraph, quotation};

/// The author of the declaration about a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextSource {
    /// The author of the manifest, or of the server's own code.
    #[default]
    Author,
    /// A third-party server that describes itself.
    Server,
}

/// One line of text, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedLine {
    /// The unescaped text, as JSON documents contain it.
    pub text: String,
    pub source: TextSource,
}

// === impl TextSource ===

impl TextSource {
    /// Returns one line in Markdown.
    pub(crate) fn line(self, text: &str, most: usize) -> String {
        match self {
            Self::Author => line(text, most),
            Self::Server => foreign_line(text, most),
        }
    }

    /// Returns lines in Markdown, without empty ones.
    pub(crate) fn lines(self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.line(text, LINE)).filter(|text| !text.is_empty()).collect()
    }

    /// Returns a paragraph of one line.
    pub(crate) fn paragraph(self, text: &str) -> String {
        match self {
            Self::Author => paragraph(text),
            Self::Server => foreign_line(text, BLOCK) + "\n",
        }
    }

    /// Returns several lines for use inside a section, or an empty text if there are none.
    pub(crate) fn block(self, text: &str) -> String {
        let shown = match self {
            Self::Author => block(text),
            Self::Server => quotation(text),
        };
        if shown == "\n" { String::new() } else { shown }
    }
}

// === impl SourcedLine ===

impl SourcedLine {
    pub(crate) fn new(text: &str, most: usize, source: TextSource) -> Self {
        Self { text: line(text, most), source }
    }

    pub(crate) fn markdown(&self) -> String {
        self.source.line(&self.text, BLOCK)
    }
}
