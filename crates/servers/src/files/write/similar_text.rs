//! Finds text that differs from what was searched for only in whitespace, quotes, case or escapes.
//! Matches may be whole lines or parts of them.
use memchr::memmem;

/// What two texts may differ in and still match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    Blanks,
    Quotes,
    Case,
}

/// A part of the file that is similar to the text that was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SimilarText {
    /// The first line, from 0.
    pub(super) line: usize,
    pub(super) count: usize,
    /// How it differs, in words.
    pub(super) how: &'static str,
}

/// Largest text that is searched, in bytes.
const MOST_BYTES: usize = 4 << 20;
/// Shorter texts would match anywhere.
const LEAST_LETTERS: usize = 3;
/// Most places that are returned.
const MOST_PLACES: usize = 3;

/// Returns the matching places. Empty if there are none, or if the text is too large. Both texts
/// must use `\n` line breaks only.
pub(super) fn find(lines: &[&str], wanted: &str) -> Vec<SimilarText> {
    if lines.iter().map(|line| line.len() + 1).sum::<usize>() > MOST_BYTES {
        return Vec::new();
    }
    let escaped = wanted.replace('\n', "\\n").replace('\t', "\\t");
    let quoted = wanted.replace('"', "\\\"");
    let unescaped = unescaped(wanted);
    // A rewritten text that is `find` itself would repeat another attempt.
    let (unescaped, escaped, quoted) = (&*unescaped, &*escaped, &*quoted);
    let attempts: [(Option<&str>, Fold, &str); 6] = [
        (
            (unescaped != wanted).then_some(unescaped),
            Fold::Blanks,
            "has line breaks, tabs or quotes where `find` has a backslash and a letter",
        ),
        (Some(wanted), Fold::Blanks, "differs only in spaces, tabs, indentation or line breaks"),
        (Some(wanted), Fold::Quotes, "differs only in quotation marks or dashes, and perhaps in spaces"),
        (Some(wanted), Fold::Case, "differs only in upper and lower case, and perhaps in spaces"),
        (
            (escaped != wanted).then_some(escaped),
            Fold::Blanks,
            "has a backslash and a letter where `find` has a line break or tab",
        ),
        (
            (quoted != wanted).then_some(quoted),
            Fold::Blanks,
            "has a backslash before quotation marks, and `find` has none",
        ),
    ];
    for (wanted, fold, how) in attempts {
        let Some(wanted) = wanted else { continue };
        let found = places(lines, wanted, fold, how);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn places(lines: &[&str], wanted: &str, fold: Fold, how: &'static str) -> Vec<SimilarText> {
    let mut needle = String::new();
    fold_into(wanted, fold, &mut needle);
    if needle.chars().count() < LEAST_LETTERS {
        return Vec::new();
    }
    let (mut text, mut starts) = (String::new(), Vec::with_capacity(lines.len()));
    for line in lines {
        starts.push(text.len());
        fold_into(line, fold, &mut text);
    }
    let line_of = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let found = memmem::find_iter(text.as_bytes(), needle.as_bytes()).take(MOST_PLACES);
    found
        .map(|at| {
            let (first, last) = (line_of(at), line_of(at + needle.len() - 1));
            SimilarText { line: first, count: last - first + 1, how }
        })
        .collect()
}

/// Appends the letters that are compared.
fn fold_into(text: &str, fold: Fold, out: &mut String) {
    let letters = text.chars().filter(|letter| !letter.is_whitespace());
    match fold {
        Fold::Blanks => out.extend(letters),
        Fold::Quotes => out.extend(letters.map(plain)),
        Fold::Case => out.extend(letters.flat_map(char::to_lowercase)),
    }
}

/// Maps quotation marks and dashes that people and programs use alike to one letter.
fn plain(letter: char) -> char {
    match letter {
        '\'' | '`' | '"' | '‘' | '’' | '‚' | '‛' | '“' | '”' | '„' | '‟' | '′' | '″' | '«' | '»' => {
            '"'
        }
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        letter => letter,
    }
}

/// Replaces `\n`, `\t`, `\"`, `\'` and `\\` by the letters that they stand for.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let meant = match (letter, letters.peek()) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some(quote @ ('"' | '\'' | '\\'))) => Some(*quote),
            _ => None,
        };
        if meant.is_some() {
            letters.next();
        }
        out.push(meant.unwrap_or(letter));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, wanted: &str) -> Option<(usize, usize, &'static str)> {
        let lines: Vec<&str> = text.lines().collect();
        find(&lines, wanted).first().map(|alike| (alike.line, alike.count, alike.how))
    }

    /// I-15: changed quotes on short lines, a literal `\n`, partial lines and tabs.
    #[test]
    fn i_15_near_misses_are_found() {
        let text = "fn main() {\n\tlet a = 'x';\n\tprint(\"it’s\");\n\tlog(\"a\\tb\\n\");\n}\n";
        for (wanted, line, count, how) in [
            ("let a = \"x\"", 1, 1, "quotation marks"),
            ("\"it's\"", 2, 1, "quotation marks"),
            ("main() {\\n\\tlet a", 0, 2, "where `find` has a backslash"),
            ("a = 'x';\n    print", 1, 2, "spaces, tabs"),
            ("let a='x'", 1, 1, "spaces, tabs"),
            ("Let A = 'X'", 1, 1, "upper and lower case"),
            ("log(\"a\tb\n\")", 3, 1, "where `find` has a line break"),
        ] {
            let (at, lines, said) = found(text, wanted).unwrap_or_else(|| panic!("{wanted}"));
            assert_eq!((at, lines), (line, count), "{wanted}");
            assert!(said.contains(how), "{wanted}: {said}");
        }
        assert_eq!(found(text, "nothing like it"), None);
        assert_eq!(found(text, "\n\n"), None);
        assert_eq!(found(&"long line\n".repeat(1 << 20), "LONG"), None);
    }
}
