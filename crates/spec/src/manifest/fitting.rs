//! Takes out of a declaration what is wrong beside the running server. For what a server declares about itself: nobody here
//! can correct it, and no document may say it (D-31).
use serde_json::Value;

use super::fields::to_value;
use super::read::read;
use crate::Description;
use crate::finding::{Finding, Findings, Pointer, Severity};
use crate::live::Live;
use crate::members::Members;
use crate::record::Declaration;

/// What fits the server, and why the rest was taken out. Of a tool either everything stays or nothing: what is left of a
/// record that contradicts itself could be less careful than the whole.
pub fn fitting(said: &Declaration, live: &Live) -> (Declaration, Findings) {
    let (_, findings) = Description::join(said, live.clone());
    let whole = to_value(said);
    let wrong = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let wrong: Vec<(Pointer, Finding)> = wrong
        .map(|finding| (taken_with(&finding.at), finding))
        // What is missing can't be taken out.
        .filter(|(at, _)| whole.pointer(at.as_str()).is_some_and(|value| value != ""))
        .collect();
    let mut places: Vec<&Pointer> = wrong.iter().map(|(at, _)| at).collect();
    places.dedup();
    let mut rest = whole.clone();
    // From the last to the first: taking an entry out of a list moves those behind it.
    places.into_iter().rev().for_each(|at| take(&mut rest, at));
    let members =
        Members::of(&rest, Pointer::root(), &mut Findings::default()).map(|mut members| read(&mut members));
    let mut taken = Findings::default();
    wrong.into_iter().for_each(|(_, finding)| taken.add(finding));
    (members.unwrap_or_default(), taken)
}

/// What goes if something is wrong here: the place itself, or the tool that it belongs to.
fn taken_with(at: &Pointer) -> Pointer {
    let steps: Vec<String> = at.steps().collect();
    match steps.as_slice() {
        [kind, tool, _, ..] if kind == "tools" => Pointer::root().join(kind).join(tool),
        _ => at.clone(),
    }
}

fn take(value: &mut Value, at: &Pointer) {
    let (Some(parent), Some(last)) = (at.parent(), at.steps().last()) else { return };
    match value.pointer_mut(parent.as_str()) {
        Some(Value::Object(members)) => {
            members.shift_remove(&last);
        }
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::live::{LiveTool, ServerInfo};
    use crate::record::{AccessLevel, Effect, Requires, ServerRecord, ToolRecord, Urls};

    fn live() -> Live {
        let tool = |name: &str| LiveTool {
            name: name.to_owned(),
            title: None,
            description: None,
            input_schema: json!({"type": "object"}),
            output_schema: None,
            hints: crate::record::Hints::default(),
            error_codes: None,
            definition: Value::Null,
        };
        let info = ServerInfo { name: "files".to_owned(), ..ServerInfo::default() };
        Live { info, tools: vec![tool("read_file"), tool("delete_all")], ..Live::default() }
    }

    #[test]
    fn what_is_wrong_goes_and_nothing_else() {
        let mut said = Declaration {
            server: ServerRecord {
                name: Some("Files!".to_owned()),
                access_level: Some(AccessLevel::Read),
                urls: Urls {
                    cli: Some("javascript:alert(1)".to_owned()),
                    web: Some("https://example.com/".to_owned()),
                    ..Urls::default()
                },
                requires: Requires {
                    env: ["A B", "TOKEN", "C=1"].map(String::from).to_vec(),
                    ..Requires::default()
                },
                license: Some("MIT".to_owned()),
                ..ServerRecord::new("Reads files. Use when there are some.")
            },
            ..Declaration::default()
        };
        let wrong = ToolRecord {
            side_effects: vec!["deletes".to_owned()],
            category: Some("x".to_owned()),
            ..ToolRecord::new(Effect::Read)
        };
        said.tools.insert("read_file".to_owned(), wrong);
        said.tools.insert("delete_all".to_owned(), ToolRecord::new(Effect::Destructive));
        said.tools.insert("gone".to_owned(), ToolRecord::new(Effect::Read));
        let (fits, taken) = fitting(&said, &live());
        let places: Vec<&str> = taken.iter().map(|finding| finding.at.as_str()).collect();
        assert_eq!(
            places,
            [
                "/server/name",
                "/server/urls/cli",
                "/server/requires/env/0",
                "/server/requires/env/2",
                "/tools/gone",
                "/tools/read_file/side_effects",
                "/server/access_level",
            ]
        );
        said.server.name = None;
        said.server.urls.cli = None;
        said.server.requires.env = vec!["TOKEN".to_owned()];
        said.server.access_level = None;
        said.tools.shift_remove("gone");
        said.tools.shift_remove("read_file");
        assert_eq!(fits, said);
        assert_eq!(fitting(&fits, &live()), (fits, Findings::default()));
    }
}
