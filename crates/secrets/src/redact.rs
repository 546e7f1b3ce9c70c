//! Removes the secrets from a message. They are found by structure, not in the raw text, so that
//! everything else keeps its bytes.
use std::borrow::Cow;
use std::ops::Range;

use overt_wire::json::{Json, quote};

use super::{HIDDEN, hide, is_secret_name};

/// The bytes that are kept of a long string, if strings are cut.
const KEPT_OF_STRING: usize = 1 << 10;

/// Whether long strings are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strings {
    Whole,
    Cut,
}

/// Returns the text of the value with every secret replaced by `[redacted]`.
pub fn redact(value: Json<'_>, strings: Strings) -> String {
    let mut redactor = Redactor { text: value.as_str(), changes: Vec::new(), strings };
    redactor.visit(value, JsonRole::Data);
    redactor.finish()
}

struct Redactor<'a> {
    text: &'a str,
    /// The replacements, in the order of the text.
    changes: Vec<(Range<usize>, String)>,
    strings: Strings,
}

/// The role of a JSON value: data, or a schema that describes properties.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonRole {
    Data,
    /// In a JSON Schema, `password` is a described property and not a password.
    Schema,
}

impl<'a> Redactor<'a> {
    fn visit(&mut self, value: Json<'a>, place: JsonRole) {
        if let Some(string) = value.string() {
            self.string(value, &string);
        } else if value.is_array() {
            value.elements().for_each(|element| self.visit(element, place));
        } else if value.is_object() {
            self.object(value, place);
        }
    }

    fn object(&mut self, object: Json<'a>, place: JsonRole) {
        // A secret in a name that is written with escapes has no position of its own in the text.
        let hidden = |name: &Cow<'_, str>| matches!((name, hide(name)), (Cow::Owned(_), Cow::Owned(_)));
        if object.members().any(|(key, _)| hidden(&key.name())) {
            return self.replace(object.as_str(), quote(HIDDEN));
        }
        let mut hidden_names = 0;
        for (key, value) in object.members() {
            let name = key.name();
            if let (Cow::Borrowed(written), Cow::Owned(shown)) = (&name, hide(&name)) {
                hidden_names += 1;
                // Two equal names would make the object invalid.
                let shown = if hidden_names == 1 { shown } else { format!("{shown} {hidden_names}") };
                let shown = quote(&shown);
                self.replace(written, shown[1..shown.len() - 1].to_owned());
            }
            self.member(&name, value, place);
        }
    }

    fn member(&mut self, name: &str, value: Json<'a>, place: JsonRole) {
        let place = if is_schema(name) { JsonRole::Schema } else { place };
        if !is_secret_name(name) {
            return self.visit(value, place);
        }
        let holds_more = value.is_object() || value.is_array();
        match (holds_more, place) {
            (true, JsonRole::Schema) => self.visit(value, place),
            (true, JsonRole::Data) => self.replace(value.as_str(), quote(HIDDEN)),
            // Booleans and null are not secrets.
            (false, _) if value.is_string() || value.is_number() => {
                self.replace(value.as_str(), quote(HIDDEN));
            }
            (false, _) => {}
        }
    }

    fn string(&mut self, value: Json<'a>, string: &str) {
        let shown = hide(string);
        if self.strings == Strings::Cut && shown.len() > KEPT_OF_STRING {
            let kept = shown.floor_char_boundary(KEPT_OF_STRING);
            let text = format!("{}… [{} bytes cut]", &shown[..kept], shown.len() - kept);
            self.replace(value.as_str(), quote(&text));
        } else if let Cow::Owned(shown) = shown {
            self.replace(value.as_str(), quote(&shown));
        }
    }

    fn replace(&mut self, part: &str, new: String) {
        // Every part is a slice of the text, so its address gives its position.
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        self.changes.push((start..start + part.len(), new));
    }

    fn finish(self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut copied = 0;
        for (range, new) in self.changes {
            out.push_str(&self.text[copied..range.start]);
            out.push_str(&new);
            copied = range.end;
        }
        out.push_str(&self.text[copied..]);
        out
    }
}

fn is_schema(name: &str) -> bool {
    matches!(name, "inputSchema" | "outputSchema" | "requestedSchema" | "configSchema")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The planted secret, of which nothing may be left.
    const PLANTED: &str = "hunter2-planted";

    fn redacted(text: &str) -> String {
        redact(Json::parse(text).unwrap(), Strings::Whole)
    }

    #[test]
    fn planted_secrets_are_gone_wherever_they_are() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.hunter2-planted.c2ln";
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"password":"§"}}}"#,
            r#"{"params":{"arguments":{"deep":[{"er":{"API_KEY":"§"}}]}}}"#,
            r#"{"params":{"_meta":{"Authorization":"Bearer §"}}}"#,
            r#"{"params":{"headers":[{"Authorization":"§"}]}}"#,
            r#"{"params":{"p\u0061ssword":"§"}}"#,
            r#"{"params":{"credentials":{"user":"u","nested":["§"]}}}"#,
            r#"{"params":{"requestState":"§"}}"#,
            r#"{"result":{"requestState":"§","resultType":"input_required"}}"#,
            r#"{"result":{"_meta":{"Mcp-Session-Id":"§"}}}"#,
            r#"{"result":{"content":[{"type":"text","text":"the Authorization: Bearer § is it"}]}}"#,
            r#"{"result":{"content":[{"type":"text","text":"{\"token\": \"§\"}"}]}}"#,
            r#"{"result":{"structuredContent":{"secretValue":["§"]}}}"#,
            r#"{"result":{"content":[{"text":"https://user:§@host/x?y=z"}]}}"#,
            r#"{"result":{"contents":[{"uri":"https://host/x?api_key=§"}]}}"#,
            r#"{"error":{"code":1,"message":"bad password: §"}}"#,
            r#"{"error":{"code":1,"message":"no","data":{"cookie":"§"}}}"#,
            r#"{"text":"-----BEGIN PRIVATE KEY-----\nP\n-----END PRIVATE KEY-----"}"#,
            r#"{"text":"sk-§-0123456789"}"#,
            r#"{"sk-§-0123456789":1}"#,
            r#"{"a":{"sk-\u0050-§-0123456789":1}}"#,
            r#"{"text":"¤"}"#,
            r#"{"inputSchema":{"properties":{"password":{"default":"sk-§-0123456789"}}}}"#,
            r#"{"inputSchema":{"properties":{"password":"§"}}}"#,
        ] {
            let text = text.replace('¤', jwt).replace('§', PLANTED);
            let shown = redacted(&text);
            assert!(!shown.contains(PLANTED), "{shown}");
            assert!(shown.contains(HIDDEN), "{shown}");
            assert!(Json::parse(&shown).is_ok(), "{shown}");
        }
    }

    #[test]
    fn names_that_are_taken_out_stay_different() {
        let shown = redacted(r#"{"sk-aaaaaaaaaaaaaaaaaaaaaa":1,"sk-bbbbbbbbbbbbbbbbbbbbbb":2}"#);
        assert_eq!(shown, r#"{"[redacted]":1,"[redacted] 2":2}"#);
    }

    #[test]
    fn numbers_are_secrets_too_where_the_name_says_so() {
        assert_eq!(redacted(r#"{"pin":1234,"n":5}"#), r#"{"pin":"[redacted]","n":5}"#);
        assert_eq!(redacted(r#"{"secret":true,"token":null}"#), r#"{"secret":true,"token":null}"#);
    }

    #[test]
    fn everything_else_keeps_its_bytes() {
        for text in [
            r#"{ "a" : 1.0e5 , "b":"\u00e9\/" ,"progressToken":7, "maxTokens": 100}"#,
            r#"{"tools":[{"inputSchema":{"type":"object","properties":{"password":{"type":"string"}}}}]}"#,
            r#"[1,2,[],{},"",null,true,-0]"#,
        ] {
            assert_eq!(redacted(text), text);
        }
        assert_eq!(
            redacted(r#"{ "a" : 1.0e5 , "token" :  "x" ,"b":"\u00e9" }"#),
            r#"{ "a" : 1.0e5 , "token" :  "[redacted]" ,"b":"\u00e9" }"#
        );
    }

    #[test]
    fn long_strings_are_cut_when_asked() {
        let text = format!(r#"{{"short":"x","long":"{}"}}"#, "é".repeat(5000));
        let cut = redact(Json::parse(&text).unwrap(), Strings::Cut);
        assert!(
            cut.len() < 2000 && cut.contains("… [8976 bytes cut]") && cut.contains(r#""short":"x""#),
            "{cut}"
        );
        assert_eq!(redact(Json::parse(&text).unwrap(), Strings::Whole), text);
    }

    /// Builds texts from random pieces of secrets: the output is always valid JSON.
    #[test]
    fn no_text_makes_it_stumble() {
        const PIECES: [&str; 24] = [
            "password",
            "token",
            "=",
            ":",
            "\"",
            "'",
            "\\",
            " ",
            "é",
            "\u{202e}",
            "://",
            "@",
            "/",
            "-----BEGIN ",
            "PRIVATE KEY",
            "-----",
            "-----END",
            "Bearer ",
            "basic",
            "sk-aaaaaaaaaaaaaaaaaaaa",
            "eyJ.aaaaaaaaaaaaaaaaaa",
            ".",
            "&",
            "\n",
        ];
        let mut state = 1_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        for _ in 0..5000 {
            let text: String = (0..next(12)).map(|_| PIECES[next(PIECES.len())]).collect();
            let json =
                format!(r#"{{{}:[{}],"x":{}}}"#, quote(&format!("{text}!")), quote(&text), quote(&text));
            for strings in [Strings::Whole, Strings::Cut] {
                let shown = redact(Json::parse(&json).unwrap(), strings);
                assert!(Json::parse(&shown).is_ok(), "{json} became {shown}");
            }
        }
    }
}
