//! Formats settings with their values and the sources of the values, as a table and as JSON.
use overt_policy::setting::{Origin, SettingValues};
use overt_wire::json::{JsonBuf, Object};

use super::safe::one_line;
use super::style::{DIM, NAME, PLAIN};
use super::table::{Cell, Table};

/// A table with a row for each setting.
pub(crate) fn settings_text(values: &SettingValues, width: Option<usize>) -> String {
    let mut table = Table::new(vec!["SETTING", "VALUE", "FROM"]);
    for (setting, held, origin) in values.iter() {
        let (text, style) = match held {
            Some(held) => (one_line(&held.to_text(setting.kind)), PLAIN),
            None => ("-".to_owned(), DIM),
        };
        let from = if *origin == Origin::Default { DIM } else { PLAIN };
        table.row(vec![
            Cell::new(setting.key.to_owned(), NAME),
            Cell::new(text, style),
            Cell::new(one_line(&origin.to_string()), from),
        ]);
    }
    table.render(width)
}

/// An object with a member for each setting: its value or null, and the source of the value.
pub(crate) fn settings_json(values: &SettingValues) -> JsonBuf {
    let members = values.iter().fold(Object::new(), |object, (setting, held, origin)| {
        let entry = Object::new().value("value", &held.map(overt_policy::setting::SettingValue::to_json));
        let entry = match origin {
            Origin::Default => entry.string("from", "default"),
            Origin::File { path, line } => {
                entry.string("from", "file").string("file", path).maybe("line", *line)
            }
            Origin::Environment(name) => entry.string("from", "environment").string("variable", name),
            Origin::Flag(name) => entry.string("from", "flag").string("flag", name),
            Origin::Client => entry.string("from", "client"),
            Origin::Policy(_) => entry.string("from", "policy"),
        };
        object.json(setting.key, entry.finish().as_json())
    });
    members.finish()
}
