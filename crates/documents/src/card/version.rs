//! Versions of tools: their form and their order.
use std::cmp::Ordering;

/// Returns whether the text is a version: three numbers, optionally followed by `-` or `+` and a
/// text of one line.
pub(crate) fn is_version(text: &str) -> bool {
    let (core, rest) = split(text);
    let numbers: Vec<&str> = core.split('.').collect();
    let are_numbers = numbers.iter().all(|number| !number.is_empty() && is_number(number));
    numbers.len() == 3
        && are_numbers
        && rest.is_none_or(|rest| rest.len() > 1 && !rest.contains(['\n', '\r', '\u{2028}', '\u{2029}']))
}

/// Compares semantic versions. The part after `+` is ignored.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a_core, a_rest) = split(a);
    let (b_core, b_rest) = split(b);
    by_parts(a_core, b_core).then_with(|| match (before_release(a_rest), before_release(b_rest)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => by_parts(a, b),
    })
}

fn split(text: &str) -> (&str, Option<&str>) {
    match text.find(['-', '+']) {
        Some(at) => (&text[..at], Some(&text[at..])),
        None => (text, None),
    }
}

/// Returns the pre-release part: `rc.1` for `-rc.1+build`.
fn before_release(rest: Option<&str>) -> Option<&str> {
    rest?.strip_prefix('-').map(|rest| rest.split('+').next().unwrap_or_default())
}

fn by_parts(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (is_number(a), is_number(b)) {
                (true, true) => {
                    // Numbers may have any length, and the longer one is greater.
                    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
                    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
                }
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_three_numbers() {
        for text in [
            "1.4.0",
            "0.0.0",
            "10.20.30-rc.1",
            "1.0.0+build",
            "1.0.0-",
            "1.0",
            "v1.0.0",
            "1.0.0.0",
            "1..0",
            "1.0.0 ",
            "",
        ] {
            let valid = ["1.4.0", "0.0.0", "10.20.30-rc.1", "1.0.0+build"].contains(&text);
            assert_eq!(is_version(text), valid, "{text}");
        }
    }

    #[test]
    fn the_newer_of_two_is_greater() {
        let order = [
            "0.9.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "99999999999999999999999.0.0",
        ];
        for (index, a) in order.iter().enumerate() {
            for (other, b) in order.iter().enumerate() {
                assert_eq!(compare(a, b), index.cmp(&other), "{a} {b}");
            }
        }
        assert_eq!(compare("1.0.0+a", "1.0.0+b"), Ordering::Equal);
    }
}
