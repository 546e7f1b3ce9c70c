//! Files with environment variables, as `--env-file` and VS Code's `envFile` name them:
//! `NAME=VALUE` per line.
use std::path::{Path, PathBuf};

use super::source::{self, ReadError};
use crate::error::Diagnostic;

/// A file with variables cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EnvFileError {
    #[error(transparent)]
    Read(ReadError),
    #[error("line {line} of `{}` {problem}", path.display())]
    Line { path: PathBuf, line: usize, problem: &'static str },
}

impl Diagnostic for EnvFileError {
    fn hint(&self) -> Option<String> {
        let Self::Line { .. } = self else { return None };
        Some("a line is `NAME=VALUE`, `NAME=\"VALUE\"` or `# a comment`".to_owned())
    }
}

/// Returns the variables of a file, in order.
pub(super) fn read(path: &Path) -> Result<Vec<(String, String)>, EnvFileError> {
    let text = source::read(path).map_err(EnvFileError::Read)?;
    let wrong = |line, problem| EnvFileError::Line { path: path.to_owned(), line, problem };
    let lines = text.strip_prefix('\u{feff}').unwrap_or(&text).lines();
    let variables = lines.enumerate().map(|(at, line)| parse(line).map_err(|problem| wrong(at + 1, problem)));
    variables.filter_map(Result::transpose).collect()
}

/// Parses one line. `None` for an empty line or a comment.
fn parse(line: &str) -> Result<Option<(String, String)>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').ok_or("has no `=`")?;
    let name = name.trim();
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '\0') {
        return Err("has no valid name before `=`");
    }
    let value = unquote(value.trim())?;
    if value.contains('\0') {
        return Err("has a NUL character in its value");
    }
    Ok(Some((name.to_owned(), value)))
}

fn unquote(value: &str) -> Result<String, &'static str> {
    let unclosed = "has a quote that is not closed; values of several lines are not supported";
    if let Some(rest) = value.strip_prefix('\'') {
        return rest.split_once('\'').map(|(inside, _)| inside.to_owned()).ok_or(unclosed);
    }
    let Some(rest) = value.strip_prefix('"') else {
        // A comment begins after a space or a tab; a `#` inside a word is part of the value.
        let end = value.find(" #").or_else(|| value.find("\t#")).unwrap_or(value.len());
        return Ok(value[..end].trim_end().to_owned());
    };
    let mut out = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(out),
            '\\' => match chars.next().ok_or(unclosed)? {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                c @ ('"' | '\\' | '$') => out.push(c),
                c => out.extend(['\\', c]),
            },
            c => out.push(c),
        }
    }
    Err(unclosed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_other_programs_read_them() {
        for (line, name, value) in [
            ("A=b", "A", "b"),
            ("export A = b c  ", "A", "b c"),
            ("A=", "A", ""),
            ("A=b=c#d # comment", "A", "b=c#d"),
            (r#"A="b # \"c\"\n" # comment"#, "A", "b # \"c\"\n"),
            (r"A='b \n $c'", "A", r"b \n $c"),
            (r#"A="C:\dir""#, "A", r"C:\dir"),
        ] {
            assert_eq!(parse(line), Ok(Some((name.to_owned(), value.to_owned()))), "{line}");
        }
        assert!(parse("  ").unwrap().is_none() && parse("# A=b").unwrap().is_none());
        for wrong in ["A", "=b", "A B=c", "A=\"b", "A='b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
