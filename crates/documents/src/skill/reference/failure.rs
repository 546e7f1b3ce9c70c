//! The errors of the reference when it can't read front matter, in its own words.
use std::fmt;

use super::unicode::quoted;

/// A place in the front matter. Index, line and column are counted from 0, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The reason why reading stopped.
#[derive(Debug)]
pub(super) enum Failure {
    /// An error that the reference reports.
    Yaml(Box<YamlError>),
    /// The reference ends with a Python exception of this kind and reports nothing.
    Crash(&'static str),
    /// The front matter exceeds our limits.
    Limit(String),
}

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// The reference's `MarkedYAMLError`.
#[derive(Debug)]
pub(super) struct YamlError {
    context: Option<String>,
    context_mark: Option<Mark>,
    problem: String,
    problem_mark: Mark,
}

/// An error together with the text to which its marks refer.
pub(super) struct LocatedError<'a> {
    pub(super) error: &'a YamlError,
    pub(super) text: &'a [char],
}

// === impl Failure ===

impl Failure {
    pub(super) fn at(problem: impl Into<String>, mark: Mark) -> Self {
        let (context, context_mark) = (None, None);
        Self::Yaml(Box::new(YamlError { context, context_mark, problem: problem.into(), problem_mark: mark }))
    }

    pub(super) fn within(
        context: impl Into<String>,
        context_mark: Option<Mark>,
        problem: impl Into<String>,
        problem_mark: Mark,
    ) -> Self {
        Self::Yaml(Box::new(YamlError {
            context: Some(context.into()),
            context_mark,
            problem: problem.into(),
            problem_mark,
        }))
    }

    /// Returns the error that `expected` was required, but the text has `found`.
    pub(super) fn expected(context: &str, start: Mark, expected: &str, found: char, mark: Mark) -> Self {
        let problem = format!("{expected}, but found {}", quoted(&found.to_string()));
        Self::within(context, Some(start), problem, mark)
    }
}

// === impl LocatedError ===

impl fmt::Display for LocatedError<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.error;
        let place = |mark: Mark| (mark.line, mark.column);
        if let Some(context) = &error.context {
            writeln!(out, "{context}")?;
        }
        if let Some(mark) = error.context_mark
            && place(mark) != place(error.problem_mark)
        {
            writeln!(out, "{}", self.located(mark))?;
        }
        write!(out, "{}\n{}", error.problem, self.located(error.problem_mark))
    }
}

impl LocatedError<'_> {
    /// Returns the line and column, the surrounding text, and a caret below the place.
    fn located(&self, mark: Mark) -> String {
        /// The most characters of the line on either side of the place.
        const SIDE: usize = 36;
        let ends_line = |c: char| matches!(c, '\0' | '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}');
        let (mut start, mut head) = (mark.index, "");
        while start > 0 && !ends_line(self.text[start - 1]) {
            start -= 1;
            if mark.index - start > SIDE {
                (head, start) = (" ... ", start + 5);
                break;
            }
        }
        let (mut end, mut tail) = (mark.index, "");
        while end < self.text.len() && !ends_line(self.text[end]) {
            end += 1;
            if end - mark.index > SIDE {
                (tail, end) = (" ... ", end - 5);
                break;
            }
        }
        let snippet: String = self.text[start..end].iter().collect();
        let caret = 4 + mark.index - start + head.len();
        let line = mark.line + 1;
        format!(
            "  in \"<unicode string>\", line {line}, column {}:\n    {head}{snippet}{tail}\n{:caret$}^ (line: {line})",
            mark.column + 1,
            ""
        )
    }
}
