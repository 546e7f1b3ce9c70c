//! Splits a Markdown file into its front matter and its body.
use overt_policy::finding::{Findings, Pointer};

/// The parts of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitText<'a> {
    /// The text between the two lines of three hyphens; `None` if the file does not begin with such
    /// a line.
    pub front: Option<&'a str>,
    /// The rest of the file.
    pub body: &'a str,
    /// The line of the file on which the body begins, counted from 1.
    pub body_line: usize,
}

/// Splits the text. If there is front matter, it begins on line 2 of the file.
pub fn split(text: &str) -> Result<SplitText<'_>, Findings> {
    let mut findings = Findings::default();
    if text.starts_with('\u{FEFF}') {
        let fix = "remove it: readers of front matter do not expect it";
        findings.error(Pointer::root(), "begins with a byte order mark", fix);
        return Err(findings);
    }
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return Ok(SplitText { front: None, body: text, body_line: 1 });
    };
    let start = first.len();
    let mut end = start;
    for (index, line) in lines.enumerate() {
        if is_fence(line) {
            let body = &text[end + line.len()..];
            return Ok(SplitText { front: Some(&text[start..end]), body, body_line: index + 3 });
        }
        end += line.len();
    }
    findings.error(Pointer::root(), "has front matter that does not end", "write a line `---` after it");
    Err(findings)
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}
