//! Whose words they are: an author may write Markdown on one line, a server's words stand for themselves (CARD-06). Data holds
//! them as they are; they are escaped where Markdown is written.
use crate::markdown::{BLOCK, LINE, block, foreign_line, line, paragraph, quotation};

/// Who says what is declared about a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Voice {
    /// Whoever answers for the documents: in a manifest, or in the server's own code.
    #[default]
    Author,
    /// A server for which nobody answers.
    Server,
}

/// One line of somebody's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// As it stands in data.
    pub text: String,
    pub voice: Voice,
}

// === impl Voice ===

impl Voice {
    /// One line in Markdown.
    pub(crate) fn line(self, text: &str, most: usize) -> String {
        match self {
            Self::Author => line(text, most),
            Self::Server => foreign_line(text, most),
        }
    }

    /// Such lines; what is empty is left out.
    pub(crate) fn lines(self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.line(text, LINE)).filter(|text| !text.is_empty()).collect()
    }

    /// A paragraph of one line.
    pub(crate) fn paragraph(self, text: &str) -> String {
        match self {
            Self::Author => paragraph(text),
            Self::Server => foreign_line(text, BLOCK) + "\n",
        }
    }

    /// Several lines inside a section; empty if there are none.
    pub(crate) fn block(self, text: &str) -> String {
        let shown = match self {
            Self::Author => block(text),
            Self::Server => quotation(text),
        };
        if shown == "\n" { String::new() } else { shown }
    }
}

// === impl Words ===

impl Words {
    pub(crate) fn new(text: &str, most: usize, voice: Voice) -> Self {
        Self { text: line(text, most), voice }
    }

    pub(crate) fn markdown(&self) -> String {
        self.voice.line(&self.text, BLOCK)
    }
}
