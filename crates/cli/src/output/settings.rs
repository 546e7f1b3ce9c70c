//! Formats settings with their values and the sources of the values, as a table and as JSON.
use overt_settings::{Origin, SettingValue, SettingValues};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::report::Report;
use super::safe::one_line;
use super::style::{DIM, NAME, PLAIN};
use super::table::{Cell, Table};

/// A table with a row for each setting.
fn settings_text(values: &SettingValues, width: Option<usize>) -> String {
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

/// The answer of `--show-settings`: each setting with its value or null, and the source of the
/// value.
#[derive(Debug)]
pub(crate) struct SettingsReport<'a>(pub(crate) &'a SettingValues);

#[derive(Debug, Serialize)]
struct SettingData<'a> {
    value: Option<Value>,
    from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<&'a str>,
}

impl<'a> SettingData<'a> {
    fn of(held: Option<&SettingValue>, origin: &'a Origin) -> Self {
        let value = held.map(SettingValue::to_json);
        let from = |from| Self { value: None, from, file: None, line: None, variable: None, flag: None };
        let data = match origin {
            Origin::Default => from("default"),
            Origin::File { path, line } => Self { file: Some(path), line: *line, ..from("file") },
            Origin::Environment(name) => Self { variable: Some(name), ..from("environment") },
            Origin::Flag(name) => Self { flag: Some(name), ..from("flag") },
            Origin::Client => from("client"),
            Origin::Policy(_) => from("policy"),
        };
        Self { value, ..data }
    }
}

impl Serialize for SettingsReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings =
            self.0.iter().map(|(setting, held, origin)| (setting.key, SettingData::of(held, origin)));
        serializer.collect_map(settings)
    }
}

impl Report for SettingsReport<'_> {
    fn text(&self, width: Option<usize>) -> String {
        settings_text(self.0, width)
    }
}
