//! The tables in docs/describe.md list the fields that a manifest may have.
use std::collections::{BTreeMap, BTreeSet};

use overt_documents::manifest::Manifest;
use overt_settings::toml_file::FileError;

/// A heading of the documentation, and a manifest with an unknown field in the table that it
/// describes.
const TABLES: [(&str, &str); 11] = [
    ("[server]", "[server]\nzzz = 1"),
    ("[server.urls]", "[server.urls]\nzzz = 1"),
    ("[server.requires]", "[server.requires]\nzzz = 1"),
    ("[server.invocation]", "[server.invocation]\nzzz = 1"),
    ("[[server.troubleshooting]]", "[[server.troubleshooting]]\nzzz = 1"),
    ("[[server.errors]]", "[[server.errors]]\nzzz = 1"),
    ("[server.audit]", "[server.audit]\nzzz = 1"),
    ("[tools.NAME]", "[server]\n[tools.x]\nzzz = 1"),
    ("[[tools.NAME.examples]]", "[server]\n[[tools.x.examples]]\nzzz = 1"),
    ("[[tools.NAME.errors]]", "[server]\n[[tools.x.errors]]\nzzz = 1"),
    ("[resources.\"URI\"]", "[server]\n[resources.x]\nzzz = 1"),
];

#[test]
fn docs_list_every_field_of_every_table() {
    let code: BTreeMap<String, BTreeSet<String>> =
        TABLES.iter().map(|(heading, manifest)| ((*heading).to_owned(), known(manifest))).collect();
    assert_eq!(documented(), code);
}

/// Returns the fields that the reader lists when it finds an unknown one.
fn known(manifest: &str) -> BTreeSet<String> {
    let Err(FileError::Wrong { findings }) = Manifest::parse(manifest) else {
        panic!("`zzz` is a field:\n{manifest}");
    };
    let fix = findings.into_iter().find(|(_, finding)| finding.at.as_str().ends_with("/zzz")).unwrap().1.fix;
    fix.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut heading = String::new();
    for line in include_str!("../../../../docs/describe.md").lines() {
        if let Some(title) = line.strip_prefix("### `") {
            heading = title.trim_end_matches('`').to_owned();
        } else if line.starts_with("## ") {
            heading.clear();
        } else if let (Some(cell), false) = (line.strip_prefix("| `"), heading.is_empty()) {
            let name = cell.split('`').next().unwrap_or_default();
            tables.entry(heading.clone()).or_default().insert(name.to_owned());
        }
    }
    tables
}
