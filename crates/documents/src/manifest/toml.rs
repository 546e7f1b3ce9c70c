//! The lines of a manifest that people read: fields, comments, and offers to fill in. Other
//! people's text can neither leave its string or comment nor hide anything in it.
use std::fmt::Write as _;

use overt_wire::text::Untrusted;
use serde_json::Value;

use super::fields::Fields;
use super::write::{inline, key};

/// A TOML text that is written line by line.
#[derive(Debug, Default)]
pub(super) struct Toml {
    text: String,
}

impl Toml {
    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Adds a comment for each line of the text.
    pub(super) fn comment(&mut self, text: &str) {
        for line in text.lines() {
            let _ = writeln!(self.text, "{}", format!("# {}", Untrusted(line)).trim_end());
        }
    }

    /// Adds the head of a table, such as `[tools."a b"]`.
    pub(super) fn table(&mut self, path: &[&str]) {
        let keys: Vec<String> = path.iter().map(|name| key(name)).collect();
        let _ = writeln!(self.text, "[{}]", keys.join("."));
    }

    /// Adds a field, with a comment on why it has this value.
    pub(super) fn field(&mut self, name: &str, value: &Value, why: &str) {
        let why = if why.is_empty() { String::new() } else { format!(" # {}", Untrusted(why)) };
        let _ = writeln!(self.text, "{} = {}{why}", key(name), inline(value));
    }

    /// Adds a field to fill in, as a line that is commented out.
    pub(super) fn offer(&mut self, name: &str, value: &str, rest: &str) {
        let rest = if rest.is_empty() { String::new() } else { format!(" # {rest}") };
        let _ = writeln!(self.text, "# {name} = {value}{rest}");
    }

    /// Adds all fields that have a value.
    pub(super) fn fields(&mut self, fields: &Fields) {
        for (name, value) in fields {
            if let Some(value) = value {
                self.field(name, value, "");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn card_06_nobody_s_text_leaves_its_place() {
        let mut toml = Toml::default();
        toml.comment("one\u{202e}\r\n[server]\nname = 1\u{1b}");
        toml.table(&["tools", "a\"]\nx"]);
        toml.field("effect", &json!("a\"\n\u{200b}\\"), "says\nso");
        assert_eq!(
            toml.finish(),
            r#"# one\u{202e}
# [server]
# name = 1\u{1b}
[tools."a\"]\nx"]
effect = "a\"\n\U0000200B\\" # says\u{a}so
"#
        );
    }
}
