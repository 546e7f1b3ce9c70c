//! Rust source in the form that the checks need: comments and literals blanked, test items marked,
//! lines kept.

/// One source file.
#[derive(Debug)]
pub(crate) struct Code {
    lines: Vec<Line>,
}

#[derive(Debug)]
pub(crate) struct Line {
    /// The line without comments and without the content of literals.
    pub(crate) text: String,
    /// Whether the line belongs to a `#[cfg(test)]` item.
    pub(crate) test: bool,
}

impl Code {
    pub(crate) fn read(source: &str) -> Self {
        let blanked = blank(source);
        let mut lines: Vec<Line> =
            blanked.lines().map(|text| Line { text: text.to_owned(), test: false }).collect();
        mark_tests(&mut lines);
        Self { lines }
    }

    /// Returns the lines with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        self.lines.iter().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// Returns the number of lines without tests.
    pub(crate) fn length(&self) -> usize {
        self.lines.iter().filter(|line| !line.test).count()
    }
}

/// Replaces comments and the content of string and character literals with spaces.
fn blank(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            'r' if !ends_in_word(&out) && raw_hashes(rest).is_some() => raw_string(rest),
            '\'' => character(rest),
            _ => 0,
        };
        if end == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        out.extend(rest[..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the number of `#` of a raw string at the start of `text`, or `None` if `text` does not
/// start with a raw string.
fn raw_hashes(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.bytes().take_while(|b| *b == b'#').count();
    after[hashes..].starts_with('"').then_some(hashes)
}

fn raw_string(text: &str) -> usize {
    let hashes = raw_hashes(text).unwrap_or(0);
    let open = hashes + 2;
    let close = format!("\"{}", "#".repeat(hashes));
    text[open..].find(&close).map_or(text.len(), |at| open + at + close.len())
}

/// Returns the length of a character literal, or 0 for a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            text[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 3)
        }
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

/// Marks every item after a `#[cfg(test)]`, up to its closing brace or semicolon.
fn mark_tests(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        if !lines[at].text.trim_start().starts_with("#[cfg(test)]") {
            at += 1;
            continue;
        }
        let mut depth = 0usize;
        let mut done = false;
        while at < lines.len() && !done {
            let text = lines[at].text.replacen("#[cfg(test)]", "", 1);
            for c in text.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                done |= depth == 0 && (c == '}' || c == ';');
            }
            lines[at].test = true;
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        for (source, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x\"y", 'z', '\'', '\u{1F}')"#, "f(      ,    ,     ,         )"),
            ("let s = r#\"a \" b\"#; t", "let s =           ; t"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("bar\"x\"", "bar   "),
        ] {
            assert_eq!(blank(source), expected, "{source}");
        }
    }

    #[test]
    fn tests_are_marked_and_not_counted() {
        let source = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() { x.y(); }\n}\nfn c() {}\n#[cfg(test)]\nmod more;\nfn d() {}\n";
        let code = Code::read(source);
        let tests: Vec<usize> =
            code.lines().filter(|(_, line)| line.test).map(|(number, _)| number).collect();
        assert_eq!(tests, [3, 4, 5, 6, 8, 9]);
        assert_eq!(code.length(), 4);
    }
}
