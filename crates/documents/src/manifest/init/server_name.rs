//! Names of servers that every document takes.

/// Whether every document takes this as a name.
pub(super) fn is_name(name: &str) -> bool {
    name.len() <= 64 && name == name_of(name)
}

/// The nearest name that every document takes: lower case words joined by hyphens, the first of
/// them no digit.
pub(super) fn name_of(name: &str) -> String {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let joined = words.join("-");
    let joined = joined.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    let short = joined[..joined.len().min(64)].trim_end_matches('-');
    if short.is_empty() { "mcp-server".to_owned() } else { short.to_owned() }
}
