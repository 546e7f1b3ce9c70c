//! The canonical text of a JSON value (RFC 8785). Spellings that differ in white space, member
//! order, or the form of strings and numbers have the same text. Different values have different
//! texts.
use overt_wire::json::{Json, quote};

/// Returns the canonical text of a value (RFC 8785). RFC 8785 would round a number to a double, but
/// this keeps all its digits: a reader with larger numbers would see the change, so the digest must
/// change too.
pub fn canonical(value: Json<'_>) -> String {
    let mut out = String::with_capacity(value.as_str().len());
    push(&mut out, value);
    out
}

/// Appends the canonical text of a value. Checked text nests at most 128 levels deep, so recursion
/// is safe.
pub(super) fn push(out: &mut String, value: Json<'_>) {
    if value.is_object() {
        push_members(out, value, |out, _, value| push(out, value));
    } else if value.is_array() {
        out.push('[');
        for (index, element) in value.elements().enumerate() {
            if index > 0 {
                out.push(',');
            }
            push(out, element);
        }
        out.push(']');
    } else if let Some(text) = value.string() {
        out.push_str(&quote(&text));
    } else if value.is_number() {
        out.push_str(&number(value.as_str()));
    } else {
        out.push_str(value.as_str());
    }
}

/// Appends the members of an object in canonical order. `push_value` writes each value.
pub(super) fn push_members(
    out: &mut String,
    object: Json<'_>,
    push_value: impl Fn(&mut String, &str, Json<'_>),
) {
    let mut members: Vec<_> = object.members().map(|(key, value)| (key.name(), value)).collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (name, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&quote(&name));
        out.push(':');
        push_value(out, &name, value);
    }
    out.push('}');
}

/// Returns a number as ECMAScript would write it, made from the digits of its token.
fn number(token: &str) -> String {
    let (sign, rest) = token.strip_prefix('-').map_or(("", token), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    // An exponent that does not fit an `i64` stays as it was written.
    let Ok(exponent) = exponent.parse::<i64>() else { return token.to_ascii_lowercase() };
    let lengths = i64::try_from(whole.len()).and_then(|whole| Ok((whole, i64::try_from(leading)?)));
    let Ok((whole, leading)) = lengths else { return token.to_ascii_lowercase() };
    // The position of the decimal point, counted from before the first digit.
    let Some(point) = exponent.checked_add(whole - leading) else { return token.to_ascii_lowercase() };
    let unsigned = match (usize::try_from(point), point) {
        (Ok(point), 1..=21) if point >= digits.len() => {
            format!("{digits}{}", "0".repeat(point - digits.len()))
        }
        (Ok(point), 1..=21) => format!("{}.{}", &digits[..point], &digits[point..]),
        (_, -5..=0) => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{first}{dot}{rest}e{:+}", point - 1)
        }
    };
    format!("{sign}{unsigned}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(canonical(Json::parse(text).unwrap()), expected, "{text}");
    }

    #[test]
    fn members_are_sorted_and_strings_have_one_spelling() {
        check(r#" { "b" : [ ] , "a" : { } } "#, r#"{"a":{},"b":[]}"#);
        check(
            r#"["\u0061\/\u000A\u001F\u007f\u20ac\ud83d\ude00\"\\"]"#,
            "[\"a/\\n\\u001f\u{7f}€😀\\\"\\\\\"]",
        );
        // Sorted by UTF-16 units: U+1F600 (d83d…) comes before U+FB33, although its code point is
        // larger.
        check(
            "{\"\u{fb33}\":1,\"😀\":2,\"\u{20ac}\":3,\"1\":4}",
            "{\"1\":4,\"\u{20ac}\":3,\"😀\":2,\"\u{fb33}\":1}",
        );
        check("[true,false,null]", "[true,false,null]");
    }

    /// The examples of RFC 8785, appendix B, in other spellings.
    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        for (text, expected) in [
            ("0.0", "0"),
            ("-0", "0"),
            ("-0e7", "0"),
            ("5E-324", "5e-324"),
            ("-0.5e-323", "-5e-324"),
            ("1.7976931348623157E308", "1.7976931348623157e+308"),
            ("9007199254740992.0", "9007199254740992"),
            ("-9.007199254740992e15", "-9007199254740992"),
            ("295147905179352830000", "295147905179352830000"),
            ("9.999999999999997e22", "9.999999999999997e+22"),
            ("100000000000000000000000", "1e+23"),
            ("999999999999999.9e6", "999999999999999900000"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("0.000001", "0.000001"),
            ("0.0000009", "9e-7"),
            ("333333333.33333329", "333333333.33333329"),
            ("1.50", "1.5"),
            ("100", "100"),
            ("0.00012300e2", "0.0123"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn no_digit_is_lost() {
        check("12345678901234567890", "12345678901234567890");
        check("1234567890123456789012345", "1.234567890123456789012345e+24");
        check("1e400", "1e+400");
        check("1E99999999999999999999", "1e99999999999999999999");
        assert_ne!(number("9007199254740993"), number("9007199254740992"));
    }
}
