//! The meaning of plain scalars in the core schema of YAML 1.2, and the strings that every reader
//! understands without quotes.
use overt_wire::text::is_deceptive;
use serde_json::{Number, Value};

/// Returns the value of a plain scalar, or `None` for a number that JSON can't represent.
pub(super) fn meaning(text: &str) -> Option<Value> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_float_word(text) => return None,
        _ => match number(text) {
            Some(number) => Value::Number(number?),
            None => Value::String(text.to_owned()),
        },
    })
}

/// Returns whether readers of both YAML 1.1 and 1.2 read these characters, unquoted in block style,
/// as this string.
pub(super) fn is_plain(text: &str) -> bool {
    // Words that some readers take for a boolean, a null or a number. Other numbers begin with a
    // digit, a sign or a dot.
    const WORDS: [&str; 12] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"];
    let Some(first) = text.chars().next() else { return false };
    let starts_well = first.is_ascii_alphabetic() || (first.is_alphabetic() && !first.is_ascii());
    starts_well
        && !text.ends_with([' ', ':'])
        && !["---", ": ", " #"].iter().any(|marker| text.contains(marker))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
        && text.chars().all(is_plain_char)
}

/// Returns whether the character may be written without an escape.
pub(super) fn is_printable(c: char) -> bool {
    !is_deceptive(c) && !matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

fn is_plain_char(c: char) -> bool {
    match c {
        _ if c.is_ascii_alphanumeric() => true,
        ' ' | '-' | '_' | '.' | '/' | '+' | ',' | ';' | ':' | '\'' | '(' | ')' | '@' | '=' | '!' | '?'
        | '$' | '#' => true,
        _ => !c.is_ascii() && is_printable(c),
    }
}

fn is_float_word(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// Returns `None` for a text that is not a number, and `Some(None)` for a number that JSON can't
/// represent.
fn number(text: &str) -> Option<Option<Number>> {
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let exponent_ok = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    if !has_digits || !all_digits(whole) || !all_digits(fraction) || !exponent_ok {
        return None;
    }
    if mantissa == whole && exponent.is_none() {
        if let Ok(number) = text.parse::<i64>() {
            return Some(Some(number.into()));
        }
        if let Ok(number) = text.parse::<u64>() {
            return Some(Some(number.into()));
        }
    }
    Some(text.parse::<f64>().ok().and_then(Number::from_f64))
}

fn radix(digits: &str, radix: u32) -> Option<Option<Number>> {
    let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    valid.then(|| u64::from_str_radix(digits, radix).ok().map(Number::from))
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
