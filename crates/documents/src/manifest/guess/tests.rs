//! Compares guesses with the effects that a person chose.
use std::collections::BTreeMap;

use overt_wire::json::JsonBuf;
use serde_json::{Map, Value, json};

use super::*;

/// Tools of public servers, or similar ones: name, arguments, hints (`r` read-only, `o` open
/// world), and the effect that a person chose. The sample was made by hand, to notice when a change
/// of the rules makes guesses worse.
const JUDGED: &str = include_str!("judged.txt");

fn tool(name: &str, arguments: &[&str], hints: Hints) -> LiveTool {
    let properties: Map<String, Value> =
        arguments.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let definition = JsonBuf::of(&json!({"name": name, "inputSchema": schema})).unwrap();
    LiveTool { hints, ..LiveTool::read(definition.as_json()).unwrap() }
}

/// Hints in this order: read-only, destructive, open world.
fn hints([read_only, destructive, open_world]: [Option<bool>; 3]) -> Hints {
    Hints { read_only, destructive, idempotent: None, open_world }
}

fn guess(tool: &LiveTool) -> String {
    effect(tool).map(|guess| format!("{}: {}", guess.effect, guess.reason)).unwrap_or_default()
}

#[test]
fn hints_are_claims_and_come_before_names() {
    let (yes, no) = (Some(true), Some(false));
    let table = [
        ("x", [None, None, None], ""),
        ("get_x", [None, None, None], "read: guessed from `get` in its name"),
        ("deleteFile", [None, None, None], "destructive: guessed from `delete` in its name"),
        ("get_and_delete_files", [None, None, None], "destructive: guessed from `delete` in its name"),
        ("check_then_purge", [None, None, None], "destructive: guessed from `purge` in its name"),
        ("copy_and_send", [None, None, None], "external: guessed from `send` in its name"),
        ("list_and_show", [None, None, None], "read: guessed from `list` in its name"),
        (
            "create_then_list",
            [no, None, None],
            "mutating: claimed by its hint `readOnlyHint: false`, and guessed from `create` in its name",
        ),
        ("add_issue", [None, None, yes], "external: guessed from `add` in its name"),
        ("find", [None, None, yes], "read: guessed from `find` in its name"),
        ("get_x", [None, yes, None], "destructive: claimed by its hint `destructiveHint: true`"),
        ("x", [yes, None, yes], "read: claimed by its hint `readOnlyHint: true`"),
        (
            "delete_x",
            [yes, no, None],
            "read: claimed by its hint `readOnlyHint: true`; but `delete` in its name suggests `destructive`",
        ),
        (
            "x",
            [yes, yes, None],
            "destructive: claimed by its hints, which contradict each other: read-only and destructive",
        ),
        ("get_x", [no, no, None], "mutating: claimed by its hint `destructiveHint: false`"),
        (
            "x",
            [no, no, yes],
            "external: claimed by its hints `destructiveHint: false` and `openWorldHint: true`",
        ),
        (
            "get_x",
            [no, None, None],
            "destructive: claimed by its hint `readOnlyHint: false`; without `destructiveHint` it may destroy something",
        ),
    ];
    for (name, given, expected) in table {
        assert_eq!(guess(&tool(name, &[], hints(given))), expected, "{name} {given:?}");
    }
}

/// H-38: a tool whose argument leads outside is never a read, whatever its name and its hints say.
#[test]
fn h_38_an_argument_that_leads_outside_is_no_read() {
    let reads = hints([Some(true), None, None]);
    assert_eq!(
        guess(&tool("get_page", &["url"], reads)),
        "external: guessed from its argument `url`; `read` claimed by its hint `readOnlyHint: true`"
    );
    assert_eq!(
        guess(&tool("list_issues", &["owner", "repo"], Hints::default())),
        "external: guessed from its argument `repo`; `read` guessed from `list` in its name"
    );
    assert_eq!(
        guess(&tool("x", &["webhook_url"], Hints::default())),
        "external: guessed from its argument `webhook_url`"
    );
    assert_eq!(
        guess(&tool("delete", &["url"], Hints::default())),
        "destructive: guessed from `delete` in its name"
    );
}

/// H-38: what a tool can destroy or write by an argument counts, whatever its name and hints say.
#[test]
fn h_38_an_argument_can_make_a_guess_only_worse() {
    let with = |name: &str, hints: Hints, properties: Value| {
        let definition = json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
        LiveTool { hints, ..LiveTool::read(JsonBuf::of(&definition).unwrap().as_json()).unwrap() }
    };
    let (reads, none) = (hints([Some(true), None, None]), Hints::default());
    let choice = json!({"url": {"type": "string"}, "mode": {"enum": ["list", "delete"]}});
    assert_eq!(
        guess(&with("git_tag", none, choice.clone())),
        "destructive: guessed from `delete` in the values of its argument `mode`; `mutating` guessed from `tag` in its name"
    );
    assert_eq!(
        guess(&with("dml_records", none, choice)),
        "destructive: guessed from `delete` in the values of its argument `mode`"
    );
    let flag = json!({"truncateFirst": {"type": "boolean"}});
    assert_eq!(
        guess(&with("import_table_data", none, flag)),
        "destructive: guessed from its argument `truncateFirst`; `mutating` guessed from `import` in its name"
    );
    let file = json!({"outputPath": {"type": "string"}});
    assert_eq!(
        guess(&with("x", reads, file.clone())),
        "mutating: guessed from its argument `outputPath`; `read` claimed by its hint `readOnlyHint: true`"
    );
    assert_eq!(guess(&with("x", none, file.clone())), "");
    assert_eq!(guess(&with("send_file", none, file)), "external: guessed from `send` in its name");
}

#[test]
fn without_a_verb_in_the_name_the_description_decides() {
    let with = |description: &str| LiveTool {
        description: Some(description.to_owned()),
        ..tool("docs", &[], Hints::default())
    };
    assert_eq!(
        guess(&with("Retrieves the docs. Deletes nothing.")),
        "read: guessed from `retrieve` in its description"
    );
    assert_eq!(guess(&with("The docs.")), "");
}

/// H-38: at least 90 % of the guesses are right.
#[test]
fn h_38_most_guesses_are_right() {
    let (mut right, mut total, mut wrong) = (0, 0, BTreeMap::new());
    for line in JUDGED.lines() {
        let [name, arguments, marks, judged] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let mark = |mark: char| marks.contains(mark).then_some(true);
        let arguments: Vec<&str> = arguments.split(',').filter(|name| !name.is_empty()).collect();
        let tool = tool(name, &arguments, hints([mark('r'), None, mark('o')]));
        let guess = effect(&tool).map(|guess| guess.effect.to_string()).unwrap_or_default();
        total += 1;
        if guess == judged {
            right += 1;
        } else {
            assert!(!(judged == "external" && guess == "read"), "{line}");
            wrong.insert(name, guess);
        }
    }
    assert!(right * 100 >= total * 90, "{right} of {total}; wrong: {wrong:#?}");
}
