//! Makes untrusted text safe to show.
use std::fmt::{self, Write as _};

/// Shows an untrusted string: control, bidirectional and invisible characters appear as `\u{…}`
/// instead of acting on the terminal. Line breaks are escaped too, so that one string stays one
/// line.
#[derive(Debug, Clone, Copy)]
pub struct Untrusted<'a>(pub &'a str);

/// Shows untrusted text of several lines. Line breaks and tabs are kept.
#[derive(Debug, Clone, Copy)]
pub struct UntrustedLines<'a>(pub &'a str);

/// Returns the error and its causes on one line.
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}

impl fmt::Display for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| show(f, c))
    }
}

impl fmt::Display for UntrustedLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\n' | '\t' => f.write_char(c),
            _ => show(f, c),
        })
    }
}

fn show(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    if is_deceptive(c) { write!(f, "\\u{{{:x}}}", c as u32) } else { f.write_char(c) }
}

/// Whether a character is invisible or changes how the text around it is shown.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}
