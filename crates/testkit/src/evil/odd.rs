//! Unusual but valid messages, made from a seed, so that both sides of a test can make the same
//! ones.
use std::fmt::Write as _;

/// A generator of unusual JSON. The same seed gives the same results.
#[derive(Debug)]
pub struct Odd(u64);

/// Numbers that most parsers change.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1.10",
    "1e2",
    "1E+2",
    "1e-7",
    "1e400",
    "-1e-400",
    "0.1000000000000000055511151231257827",
    "123456789012345678901234567890",
    "-9223372036854775809",
    "9007199254740993",
    "0e0",
    "2.5E-0003",
];

/// Strings that most writers write differently.
const STRINGS: &[&str] = &[
    r#""""#,
    r#""\u0041\u00e9""#,
    r#""\/slash/""#,
    r#""\ud83d\ude00""#,
    "\"😀é\u{2028}\u{feff}\"",
    r#""\b\f\n\r\t\"\\""#,
    r#""\u0000\u001f""#,
    r#""$id""#,
    r#""</script>""#,
    r#""\u005cn""#,
    "\"\u{7f}\u{85}\"",
    r#""null""#,
];

const NAMES: &[&str] =
    &["", "__proto__", "constructor", "résumé", "a b", "\\u0061", "$ref", "Content", "\u{202e}", "0"];

impl Odd {
    pub fn new(seed: u64) -> Self {
        // The state must not be zero, because it would stay zero. The factor separates neighbouring
        // seeds.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a notification that is sent to every client.
    pub fn notification(&mut self) -> String {
        let params = [("level", "\"emergency\"".to_owned()), ("data", self.value(3))];
        let params = self.object(&params, 2);
        self.object(
            &[
                ("jsonrpc", "\"2.0\"".to_owned()),
                ("method", "\"notifications/message\"".to_owned()),
                ("params", params),
            ],
            1,
        )
    }

    /// Returns an answer to a tool call with this `id`.
    pub fn answer(&mut self, id: &str, modern: bool) -> String {
        let outcome =
            if self.below(8) == 0 { ("error", self.error()) } else { ("result", self.result(modern)) };
        self.object(&[("jsonrpc", "\"2.0\"".to_owned()), ("id", id.to_owned()), outcome], 1)
    }

    fn result(&mut self, modern: bool) -> String {
        let item = [("type", STRINGS[self.below(STRINGS.len())].to_owned()), ("text", self.value(1))];
        let item = self.object(&item, 2);
        let space = self.space();
        let mut members = vec![("content", format!("[{space}{item}{space}]"))];
        if modern {
            members.push(("resultType", "\"complete\"".to_owned()));
        }
        if self.below(2) == 0 {
            let vendor = [("vendor.example/key", self.value(2))];
            members.push(("_meta", self.object(&vendor, 1)));
        }
        if self.below(3) == 0 {
            members.push(("structuredContent", self.object(&[], 2)));
        }
        self.object(&members, 2)
    }

    fn error(&mut self) -> String {
        let data = self.value(2);
        self.object(
            &[("code", "-31999".to_owned()), ("message", "\"odd\\u0021\"".to_owned()), ("data", data)],
            1,
        )
    }

    /// Returns an object with these members and up to `more` odd ones, in any order, with any white
    /// space.
    fn object(&mut self, members: &[(&str, String)], more: usize) -> String {
        let mut all: Vec<String> =
            members.iter().map(|(name, value)| self.member(&format!("\"{name}\""), value)).collect();
        for number in 0..self.below(more + 1) {
            // The number makes names unique, because duplicate member names are rightly rejected.
            let name = format!("\"{}x{number}\"", NAMES[self.below(NAMES.len())]);
            let value = self.value(2);
            let member = self.member(&name, &value);
            all.insert(self.below(all.len() + 1), member);
        }
        for index in (1..all.len()).rev() {
            let other = self.below(index + 1);
            all.swap(index, other);
        }
        format!("{{{}{}}}", all.join(","), self.space())
    }

    fn member(&mut self, name: &str, value: &str) -> String {
        format!("{}{name}{}:{}{value}{}", self.space(), self.space(), self.space(), self.space())
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 | 1 => NUMBERS[self.below(NUMBERS.len())].to_owned(),
            2 | 3 => STRINGS[self.below(STRINGS.len())].to_owned(),
            4 => ["null", "true", "false"][self.below(3)].to_owned(),
            5 => {
                let mut array = format!("[{}", self.space());
                for index in 0..self.below(4) {
                    let comma = if index == 0 { "" } else { "," };
                    let _ = write!(array, "{comma}{}{}", self.space(), self.value(depth - 1));
                }
                array + "]"
            }
            _ => {
                let mut members = String::new();
                for number in 0..self.below(3) {
                    let comma = if number == 0 { "" } else { "," };
                    let name = format!("\"{}{number}\"", NAMES[self.below(NAMES.len())]);
                    let value = self.value(depth - 1);
                    let _ = write!(members, "{comma}{}", self.member(&name, &value));
                }
                format!("{{{members}}}")
            }
        }
    }

    /// Returns white space without a line break.
    fn space(&mut self) -> &'static str {
        ["", "", "", " ", "\t", "  \t "][self.below(6)]
    }

    /// Returns a number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_messages_are_valid_and_the_same_for_the_same_seed() {
        let limits = overt_wire::json::Limits::default();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..500 {
            let make = || {
                let mut odd = Odd::new(seed);
                [odd.notification(), odd.answer("7", seed % 2 == 0)]
            };
            let texts = make();
            assert_eq!(texts, make());
            for text in texts {
                let message = overt_wire::Message::parse(text.clone().into_bytes(), &limits);
                assert!(message.is_ok(), "{text}: {:?}", message.err());
                seen.insert(text);
            }
        }
        assert!(seen.len() > 900, "only {} different ones", seen.len());
    }
}
