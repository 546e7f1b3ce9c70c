//! Writes text in Markdown so that other people's text can't pass for ours. It prevents forged
//! headings, fences and front matter, invisible characters, and texts that are too long (CARD-06).
use overt_wire::text::{Untrusted, is_deceptive};
use serde_json::Value;

/// The most characters of one line of a list.
pub(crate) const LINE: usize = 300;
/// The most characters of a full description.
pub(crate) const BLOCK: usize = 4000;

/// Returns the author's text as one line. Spaces and line breaks become single spaces, and
/// invisible characters are removed.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut between = false;
    for c in text.chars() {
        if c.is_whitespace() {
            between = length > 0;
        } else if matches!(c, '!'..='~') || !is_deceptive(c) {
            if between {
                out.push(' ');
            }
            out.push(c);
            length += 1 + usize::from(between);
            between = false;
        }
        if length > most {
            return shorten(&out, most);
        }
    }
    out
}

/// Returns each text as one line, without empty ones.
pub(crate) fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| line(text, LINE)).filter(|text| !text.is_empty()).collect()
}

/// Returns the name of a tool. Invisible characters are written out, so that no two names look
/// alike.
pub(crate) fn name(text: &str) -> String {
    line(&Untrusted(text).to_string(), 128)
}

/// Returns one line of a server's text, with its markup escaped.
pub(crate) fn foreign_line(text: &str, most: usize) -> String {
    escape(&line(text, most))
}

/// Returns a server's text of several lines as a quotation.
pub(crate) fn quotation(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|text| foreign_line(text, BLOCK)).collect();
    let mut out = String::new();
    let mut room = BLOCK;
    for line in collapse_blank(&lines) {
        let shown = shorten(line, room);
        room = room.saturating_sub(shown.chars().count());
        out.push_str(if shown.is_empty() { ">" } else { "> " });
        out.push_str(&shown);
        out.push('\n');
        if room == 0 {
            break;
        }
    }
    out
}

/// An open fence: its character and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: char,
    count: usize,
}

/// Returns the fence that is open after a line.
pub(crate) fn next_fence(open: Option<Fence>, line: &str) -> Option<Fence> {
    let start = line.trim_start_matches(' ');
    let Some(mark @ ('`' | '~')) = start.chars().next().filter(|_| line.len() - start.len() < 4) else {
        return open;
    };
    let rest = start.trim_start_matches(mark);
    let count = start.len() - rest.len();
    match open {
        // Backticks that other backticks follow on the same line are inline code.
        None if count >= 3 && !(mark == '`' && rest.contains('`')) => Some(Fence { mark, count }),
        Some(fence) if mark == fence.mark && count >= fence.count && rest.trim().is_empty() => None,
        other => other,
    }
}

/// Returns the author's Markdown for use inside a section: headings above the third level are
/// lowered, fences are closed, and invisible characters are removed.
pub(crate) fn block(text: &str) -> String {
    let mut out = String::new();
    let mut fence = None;
    for raw in shorten(text, BLOCK).lines() {
        let shown: String = raw.chars().filter(|c| *c == '\t' || !is_deceptive(*c)).collect();
        let shown = shown.trim_end();
        let before = fence;
        fence = next_fence(before, shown);
        match (before, fence) {
            (None, None) => out.push_str(&inside(shown)),
            // A comment in a script is not a heading, but a reader that only looks at the start of
            // lines would take it for one.
            (Some(_), Some(_)) if shown.starts_with('#') => out.push_str(&format!(" {shown}")),
            _ => out.push_str(shown),
        }
        out.push('\n');
    }
    if let Some(Fence { mark, count }) = fence {
        out.extend(std::iter::repeat_n(mark, count));
        out.push('\n');
    }
    out.trim_matches('\n').to_owned() + "\n"
}

/// Removes invisible characters, and keeps line breaks.
pub(crate) fn visible(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !is_deceptive(*c)).collect()
}

/// Changes a heading of the first or second level, so that the line stays inside the section.
fn inside(line: &str) -> String {
    let start = line.trim_start_matches(' ');
    let level = start.chars().take_while(|c| *c == '#').count();
    let underlines = |mark: char| !start.is_empty() && start.trim_end().chars().all(|c| c == mark);
    match level {
        _ if line.len() - start.len() > 3 => line.to_owned(),
        1 | 2 => format!("{}{start}", "#".repeat(3 - level)),
        _ if underlines('=') || underlines('-') => format!("\\{start}"),
        _ => line.to_owned(),
    }
}

/// Returns the text between backticks; backticks inside become quotes.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", line(text, LINE).replace('`', "'"))
}

/// Returns a one-line paragraph of the author's text, which does not begin a block.
pub(crate) fn paragraph(text: &str) -> String {
    let begins = if begins_block(text) { "\\" } else { "" };
    format!("{begins}{text}\n")
}

/// Returns a value in a fence of its own, or `None` if it is too long to be useful.
pub(crate) fn json_fence(value: &Value) -> Option<String> {
    let text = json_text(value);
    (text.len() <= BLOCK).then(|| format!("```json\n{text}\n```\n"))
}

/// Returns JSON text in which invisible characters are escaped, which does not change its meaning.
pub(crate) fn json_text(value: &Value) -> String {
    let mut out = String::new();
    for c in format!("{value:#}").chars() {
        if c != '\n' && is_deceptive(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            kept.trim_end().to_owned() + "…"
        }
        None => text.to_owned(),
    }
}

/// Escapes the beginning of a block, an HTML tag, a link or an image. Also escapes backslashes, so
/// that a backslash in the text can't undo our escape.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && text[digits..].starts_with(['.', ')']);
    if begins_block(text) {
        out.push('\\');
    }
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        let is_markup = match c {
            '<' | '[' => true,
            // Before any other character, a backslash is already literal.
            '\\' => rest.as_str().chars().next().is_none_or(|next| next.is_ascii_punctuation()),
            _ => numbered && at == digits,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Reverses [`escape`].
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let escaped = rest.next_if(|next| c == '\\' && next.is_ascii_punctuation());
        out.push(escaped.unwrap_or(c));
    }
    out
}

fn begins_block(text: &str) -> bool {
    text.starts_with(['#', '>', '-', '+', '*', '=', '~', '|', ':']) || text.starts_with("```")
}

/// Returns the lines with at most one blank line in a row, and without blank lines at the ends.
fn collapse_blank(lines: &[String]) -> impl Iterator<Item = &str> {
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    let lines = &lines[first..last];
    lines
        .iter()
        .enumerate()
        .filter(|(index, line)| !line.is_empty() || !lines[index - 1].is_empty())
        .map(|(_, line)| line.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CARD-06.
    #[test]
    fn card_06_a_backslash_undoes_no_escape() {
        for (text, wanted) in [
            (r"[a](b) <i>", r"\[a](b) \<i>"),
            (r"\[a](b) \<i>", r"\\\[a](b) \\\<i>"),
            (r"\\[a](b) \\<i>", r"\\\\\[a](b) \\\\\<i>"),
            (r"# \# a", r"\# \\# a"),
            (r"1. a", r"1\. a"),
            (r"C:\Users\x and \", r"C:\Users\x and \\"),
        ] {
            assert_eq!(foreign_line(text, LINE), wanted);
            assert_eq!(unescape(wanted), text);
        }
    }
}
