//! Python's view of characters, as far as the reference needs it.
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory as Category;

/// Python's `str.isalnum` for one character: a letter or a number of any script. Unlike in Rust,
/// marks don't count.
pub(super) fn is_alphanumeric(c: char) -> bool {
    matches!(
        category(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
            | Category::DecimalNumber
            | Category::LetterNumber
            | Category::OtherNumber
    )
}

/// Python's `str.strip`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}'))
}

/// Python's `repr` of a string.
pub(super) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => out.extend(['\\', c]),
            _ if is_printable(c) => out.push(c),
            _ => match u32::from(c) {
                code @ 0..=0xFF => out.push_str(&format!("\\x{code:02x}")),
                code @ 0x100..=0xFFFF => out.push_str(&format!("\\u{code:04x}")),
                code => out.push_str(&format!("\\U{code:08x}")),
            },
        }
    }
    out.push(quote);
    out
}

/// Python's `str.isprintable` for one character.
fn is_printable(c: char) -> bool {
    c == ' '
        || !matches!(
            category(c),
            Category::Control
                | Category::Format
                | Category::Surrogate
                | Category::PrivateUse
                | Category::Unassigned
                | Category::LineSeparator
                | Category::ParagraphSeparator
                | Category::SpaceSeparator
        )
}

fn category(c: char) -> Category {
    CodePointMapData::<Category>::new().get(c)
}
