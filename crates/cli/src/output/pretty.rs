//! Formats JSON with line breaks for people. Order, numbers and strings stay as the server wrote
//! them.
use overt_wire::json::Json;

use super::safe;

/// Formats the value on several lines, indented by two spaces per level.
pub(crate) fn pretty(value: Json<'_>) -> String {
    let mut out = String::new();
    push(&mut out, value, 0);
    out
}

fn push(out: &mut String, value: Json<'_>, level: usize) {
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    let mut count = 0;
    let mut next = |out: &mut String| {
        out.push_str(if count == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(level + 1));
        count += 1;
    };
    if value.is_object() {
        out.push(open);
        for (key, member) in value.members() {
            next(out);
            out.push_str(&scalar(&overt_wire::json::quote(&key.name())));
            out.push_str(": ");
            push(out, member, level + 1);
        }
    } else if value.is_array() {
        out.push(open);
        for element in value.elements() {
            next(out);
            push(out, element, level + 1);
        }
    } else {
        return out.push_str(&safe::json(value));
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    }
    out.push(close);
}

/// The text of a string token, safe to print.
fn scalar(token: &str) -> String {
    Json::parse(token).map(safe::json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_text() {
        let json =
            Json::parse(r#"{"b":1.0,"a":[],"c":{"\u0061":[12345678901234567890,{}]},"d":"x\ny"}"#).unwrap();
        assert_eq!(
            pretty(json),
            "{\n  \"b\": 1.0,\n  \"a\": [],\n  \"c\": {\n    \"a\": [\n      12345678901234567890,\n      {}\n    ]\n  },\n  \"d\": \"x\\ny\"\n}"
        );
    }
}
