//! Wraps and unwraps many files: each must have the same bytes afterwards, and in between
//! everything outside the entries must be unchanged.
use proptest::prelude::*;

use super::record::FileRecord;
use super::{
    Document, FileSyntax, Launch, Login, Unwrap, Wrapper, check_round_trip, launch, splice, unwrap, wrap,
};
use crate::{BareUrl, Servers, Syntax};

fn wrapper() -> Wrapper {
    Wrapper { program: "/opt/o \"v\"/overt".to_owned(), state_dir: None }
}

/// Wraps every server that can be wrapped. Returns the changed file and its record.
fn wrapped(document: &Document) -> (Document, FileRecord) {
    let mut edits = Vec::new();
    for entry in document.entries() {
        if let Ok(launch) = launch(&entry.node, BareUrl::Http) {
            let login = |_: &str| Login::None;
            edits.extend(wrap(document, entry, &launch, &wrapper(), &login).unwrap_or_default());
        }
    }
    let mut record = FileRecord::default();
    record.add(&edits);
    (splice(document, edits).unwrap().document, record)
}

fn unwrapped(document: &Document, record: &FileRecord) -> Document {
    let mut edits = Vec::new();
    for entry in document.entries() {
        match unwrap(document, entry, record.of(&entry.id)) {
            Unwrap::Exact(made) | Unwrap::ByShape(made) => edits.extend(made),
            Unwrap::NotWrapped => {}
            other => panic!("{other:?}"),
        }
    }
    splice(document, edits).unwrap().document
}

fn document(text: &str, syntax: Syntax) -> Document {
    Document::parse(text.to_owned(), syntax, Servers::Anywhere).unwrap()
}

#[track_caller]
fn check(text: &str, syntax: Syntax, expected: &str) {
    check_in(text, syntax, Servers::Anywhere, expected);
}

#[track_caller]
fn check_in(text: &str, syntax: Syntax, servers: Servers, expected: &str) {
    let original = Document::parse(text.to_owned(), syntax, servers).unwrap();
    let (changed, record) = wrapped(&original);
    assert_eq!(changed.text(), expected);
    let (again, _) = wrapped(&changed);
    assert_eq!(again.text(), changed.text(), "wrapping twice changes nothing more");
    assert_eq!(unwrapped(&changed, &record).text(), text);
}

#[test]
fn layout_and_comments_stay() {
    check(
        "{ // x\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"np\\u0078\", // y\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"-y\",\r\n\t\t\t],\r\n\t\t},\r\n\t},\r\n}",
        Syntax::Json,
        "{ // x\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"/opt/o \\\"v\\\"/overt\", // y\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"run\", \"--name\", \"a\", \"--\", \"np\\u0078\",\r\n\t\t\t\t\"-y\",\r\n\t\t\t],\r\n\t\t},\r\n\t},\r\n}",
    );
    check(
        r#"{"servers":{"a":{"command":"x","env":{"K":"${input:k}"}},"b":{"command":"y","args":[ /* n */ "1"]},"c":{"args":[],"command":"z"}},"inputs":[]}"#,
        Syntax::Json,
        r#"{"servers":{"a":{"command":"/opt/o \"v\"/overt", "args": ["run", "--name", "a", "--", "x"],"env":{"K":"${input:k}"}},"b":{"command":"/opt/o \"v\"/overt","args":["run", "--name", "b", "--", "y", /* n */ "1"]},"c":{"args":["run", "--name", "c", "--", "z"],"command":"/opt/o \"v\"/overt"}},"inputs":[]}"#,
    );
    check(
        "{\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"npx\", \"x\"]}}}\n",
        Syntax::Json,
        "{\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"/opt/o \\\"v\\\"/overt\", \"run\", \"--name\", \"a\", \"--\", \"npx\", \"x\"]}}}\n",
    );
}

#[test]
fn addresses_become_commands_and_headers_variables() {
    check(
        "{\"servers\": {\n  \"a\": {\n    \"type\": \"http\",\n    \"url\": \"https://x/mcp\",\n    \"headers\": { \"Authorization\": \"Bearer ${input:t}\" }, // t\n    \"timeout\": 3\n  }\n}}",
        Syntax::Json,
        "{\"servers\": {\n  \"a\": {\n    \"type\": \"stdio\",\n    \"command\": \"/opt/o \\\"v\\\"/overt\",\n    \"args\": [\"run\", \"--name\", \"a\", \"--header-env\", \"Authorization=OVERT_HEADER_AUTHORIZATION\", \"https://x/mcp\"],\n    \"env\": { \"OVERT_HEADER_AUTHORIZATION\": \"Bearer ${input:t}\" }, // t\n    \"timeout\": 3\n  }\n}}",
    );
}

#[test]
fn addresses_of_other_clients_become_commands_too() {
    check(
        r#"{"mcp":{"a":{"type":"remote","url":"https://x/mcp","headers":{"X-Key":"{env:K}"},"enabled":true}}}"#,
        Syntax::Json,
        r#"{"mcp":{"a":{"type":"local","command": ["/opt/o \"v\"/overt", "run", "--name", "a", "--header-env", "X-Key=OVERT_HEADER_X_KEY", "https://x/mcp"],"environment":{"OVERT_HEADER_X_KEY":"{env:K}"},"enabled":true}}}"#,
    );
    check(
        r#"{"mcpServers":{"a":{"httpUrl":"http://localhost:1/mcp","trust":false}}}"#,
        Syntax::Json,
        r#"{"mcpServers":{"a":{"command": "/opt/o \"v\"/overt", "args": ["run", "--name", "a", "http://localhost:1/mcp"],"trust":false}}}"#,
    );
}

#[test]
fn toml_keeps_its_line_ends_and_comments() {
    check(
        "\u{feff}model = \"x\" # é\r\n\r\n[mcp_servers.a]\r\ncommand = 'npx' # c\r\nargs = [\r\n  \"-y\", # d\r\n]\r\n[mcp_servers.b]\r\n  command = \"uvx\"\r\n  startup_timeout_sec = 10\r\n[mcp_servers]\r\nc = { command = \"z\" }\r\n",
        Syntax::Toml,
        "\u{feff}model = \"x\" # é\r\n\r\n[mcp_servers.a]\r\ncommand = \"/opt/o \\\"v\\\"/overt\" # c\r\nargs = [\r\n  \"run\", \"--name\", \"a\", \"--\", 'npx',\r\n  \"-y\", # d\r\n]\r\n[mcp_servers.b]\r\n  command = \"/opt/o \\\"v\\\"/overt\"\r\n  args = [\"run\", \"--name\", \"b\", \"--\", \"uvx\"]\r\n  startup_timeout_sec = 10\r\n[mcp_servers]\r\nc = { command = \"/opt/o \\\"v\\\"/overt\", args = [\"run\", \"--name\", \"c\", \"--\", \"z\"] }\r\n",
    );
}

#[test]
fn yaml_keeps_its_layout() {
    check_in(
        "extensions:\n  a: # first\n    type: stdio\n    cmd: npx  # run\n    args:\n    - -y\n    - 'x: y'\n    envs: {}\n  b:\n    cmd: uvx\n    args: [c]\n    timeout: 300\n  builtin:\n    type: builtin\n  c:\n    cmd: \"z\"\n",
        Syntax::Yaml,
        Servers::Member("extensions"),
        "extensions:\n  a: # first\n    type: stdio\n    cmd: \"/opt/o \\\"v\\\"/overt\"  # run\n    args:\n    - \"run\"\n    - \"--name\"\n    - \"a\"\n    - \"--\"\n    - \"npx\"\n    - -y\n    - 'x: y'\n    envs: {}\n  b:\n    cmd: \"/opt/o \\\"v\\\"/overt\"\n    args: [\"run\", \"--name\", \"b\", \"--\", \"uvx\", c]\n    timeout: 300\n  builtin:\n    type: builtin\n  c:\n    cmd: \"/opt/o \\\"v\\\"/overt\"\n    args: [\"run\", \"--name\", \"c\", \"--\", \"z\"]\n",
    );
    check_in(
        "name: mine\r\nmcpServers:\r\n  - name: a\r\n    command: npx\r\n    args:\r\n      - -y\r\n  - command: uvx\r\n    name: b\r\n",
        Syntax::Yaml,
        Servers::Member("mcpServers"),
        "name: mine\r\nmcpServers:\r\n  - name: a\r\n    command: \"/opt/o \\\"v\\\"/overt\"\r\n    args:\r\n      - \"run\"\r\n      - \"--name\"\r\n      - \"a\"\r\n      - \"--\"\r\n      - \"npx\"\r\n      - -y\r\n  - command: \"/opt/o \\\"v\\\"/overt\"\r\n    args: [\"run\", \"--name\", \"b\", \"--\", \"uvx\"]\r\n    name: b\r\n",
    );
}

#[test]
fn an_entry_is_unwrapped_without_a_record_by_its_shape() {
    let text = "{\"mcpServers\":{\"a\":{\"command\":\"npx\",\"args\":[\n  \"-y\",\n  \"x\"\n]}}}";
    let (changed, _) = wrapped(&document(text, Syntax::Json));
    assert_eq!(unwrapped(&changed, &FileRecord::default()).text(), text);
}

#[test]
fn what_was_edited_since_is_told_apart() {
    let text = r#"{"mcpServers":{"a":{"command":"npx","args":["x"],"env":{}}}}"#;
    let (changed, record) = wrapped(&document(text, Syntax::Json));
    // A change elsewhere in the entry stays, and the rest is restored.
    let elsewhere = document(&changed.text().replace("\"env\":{}", "\"env\":{\"A\":\"1\"}"), Syntax::Json);
    assert_eq!(
        unwrapped(&elsewhere, &record).text(),
        r#"{"mcpServers":{"a":{"command":"npx","args":["x"],"env":{"A":"1"}}}}"#
    );
    let edited = document(&changed.text().replace("\"x\"", "\"y\""), Syntax::Json);
    let entry = &edited.entries()[0];
    let Unwrap::Edited { before, now, .. } = unwrap(&edited, entry, record.of(&entry.id)) else {
        panic!("it was edited")
    };
    assert!(before.contains("[\"x\"]") && now.contains("\"y\""), "{before} {now}");
}

/// Generates whitespace and comments between two tokens.
fn gap() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => Just(" ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just("/* \"a\": { */".to_owned()),
        1 => Just("// ], } é\n".to_owned()),
    ];
    prop::collection::vec(pieces, 0..3).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("npx".to_owned()),
        Just("--".to_owned()),
        Just("${workspaceFolder}/x".to_owned()),
        "[a-z\"\\\\ é{}\\[\\],:/*-]{0,6}",
    ]
    .prop_map(|text| overt_wire::json::quote(&text))
}

/// Writes members or elements with gaps, and sometimes with a trailing comma.
fn list(items: Vec<String>, gaps: &[String], trailing: bool, brackets: (&str, &str)) -> String {
    let gap = |index: usize| gaps[index % gaps.len()].as_str();
    let mut out = brackets.0.to_owned();
    let last = items.len();
    for (index, item) in items.into_iter().enumerate() {
        out.push_str(gap(index));
        out.push_str(&item);
        out.push_str(gap(index + 1));
        if index + 1 < last || trailing {
            out.push(',');
        }
    }
    out.push_str(gap(last));
    out + brackets.1
}

fn entry() -> impl Strategy<Value = String> {
    let arguments = prop::option::of(prop::collection::vec(text(), 0..4));
    let gaps = prop::collection::vec(gap(), 1..5);
    (text(), arguments, gaps, any::<bool>(), any::<bool>(), 0..6usize).prop_map(
        |(command, arguments, gaps, trailing, reversed, kind)| {
            let mut members = match kind {
                0 => {
                    vec!["\"url\": \"https://x/mcp\"".to_owned(), "\"headers\": {\"A-b\": \"c\"}".to_owned()]
                }
                1 => vec!["\"settings\": {}".to_owned()],
                2 => vec![format!("\"command\": [{command}, \"x\"]")],
                _ => vec![format!("\"command\":{}{command}", gaps[0])],
            };
            if let (Some(arguments), 3..) = (arguments, kind) {
                members.push(format!("\"args\": {}", list(arguments, &gaps, trailing, ("[", "]"))));
            }
            members.push("\"unknown\": [1, {\"command\": \"x\"}]".to_owned());
            if reversed {
                members.reverse();
            }
            list(members, &gaps, trailing, ("{", "}"))
        },
    )
}

fn file() -> impl Strategy<Value = String> {
    let names = prop_oneof![Just("\"a\"".to_owned()), Just("\"b\"".to_owned()), text()];
    let servers = prop::collection::vec((names, entry()), 0..5);
    let table = prop_oneof![Just("mcpServers"), Just("servers"), Just("context_servers")];
    (servers, prop::collection::vec(gap(), 1..5), any::<bool>(), any::<bool>(), table).prop_map(
        |(servers, gaps, trailing, mark, table)| {
            let servers = servers.into_iter().map(|(name, entry)| format!("{name}:{entry}")).collect();
            let servers = list(servers, &gaps, trailing, ("{", "}"));
            let members = vec![
                "\"inputs\": [{\"id\": \"t\"}]".to_owned(),
                format!("\"{table}\":{servers}"),
                "\"n\": -1.5e3".to_owned(),
            ];
            let mark = if mark { "\u{feff}" } else { "" };
            format!("{mark}{}{}{}", gaps[0], list(members, &gaps, trailing, ("{", "}")), gaps[0])
        },
    )
}

/// Generates an entry of Goose in the layouts that YAML has.
fn yaml_entry() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("npx".to_owned()),
        Just("-y".to_owned()),
        Just("\"a: b # é\"".to_owned()),
        Just("'it''s'".to_owned()),
        Just("\"q\\\"\\u00e9\"".to_owned()),
        "[a-z./@-]{1,8}",
    ];
    let comment = prop_oneof![Just(""), Just(" # it's \"x\": ["), Just("  ")];
    let words = prop::collection::vec(word.clone(), 0..4);
    (word, words, comment, 0..4usize, any::<bool>()).prop_map(|(command, words, comment, form, last)| {
        let words = match form {
            0 => String::new(),
            1 => format!("    args: [{}]{comment}\n", words.join(", ")),
            _ if words.is_empty() => "    args: []\n".to_owned(),
            indent => {
                let indent = " ".repeat(indent * 2);
                let items: String = words.iter().map(|word| format!("{indent}- {word}{comment}\n")).collect();
                format!("    args:{comment}\n{items}")
            }
        };
        let command = format!("    cmd: {command}{comment}\n");
        let (first, second) = if last { (words, command) } else { (command, words) };
        format!("{comment}\n{first}    type: stdio\n{second}    envs:\n      A: 'b'\n")
    })
}

proptest! {
    #[test]
    fn any_yaml_file_is_the_same_after_wrapping_and_unwrapping(
        entries in prop::collection::vec(yaml_entry(), 0..4),
        crlf in any::<bool>(),
    ) {
        let entries = entries.iter().enumerate().map(|(number, entry)| format!("  s{number}:{entry}"));
        let text = format!("mode: é\nextensions:\n{}last: [1]\n", entries.collect::<String>());
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let Ok(original) = Document::parse(text.clone(), Syntax::Yaml, Servers::Member("extensions")) else {
            return Err(TestCaseError::reject("not YAML"));
        };
        let (changed, record) = wrapped(&original);
        let restored = unwrapped(&changed, &record);
        prop_assert_eq!(restored.text(), text.as_str());
    }

    #[test]
    fn any_yaml_text_is_read_or_refused(text in "[a-z:\\-\\[\\]{}'\"#,&*|>?! é\n]{0,60}") {
        let _ = Document::parse(text, Syntax::Yaml, Servers::Anywhere);
    }

    #[test]
    fn any_file_is_the_same_after_wrapping_and_unwrapping(text in file()) {
        let original = document(&text, Syntax::Json);
        let (changed, record) = wrapped(&original);
        for (before, after) in original.entries().iter().zip(changed.entries()) {
            let before = launch(&before.node, BareUrl::Http);
            if let (Ok(Launch::Program(before)), Ok(Launch::Wrapped(after))) =
                (&before, launch(&after.node, BareUrl::Http))
            {
                let start = after.words.len() - before.words.len();
                prop_assert_eq!(&after.words[start..], &before.words[..]);
                prop_assert_eq!(after.words[start - 1], "--");
            }
        }
        let restored = unwrapped(&changed, &record);
        prop_assert_eq!(restored.text(), text.as_str());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}\",:/*\\\\ntrue0-9é\\n -]{0,60}") {
        if let Ok(document) = Document::parse(text.clone(), Syntax::Json, Servers::Anywhere) {
            let (changed, record) = wrapped(&document);
            let restored = unwrapped(&changed, &record);
            prop_assert_eq!(restored.text(), text.as_str());
        }
    }
}

/// The seeds of the fuzz target.
const SEEDS: [&str; 6] = [
    include_str!("../../../../fuzz/seeds/client_file/mcp.json"),
    include_str!("../../../../fuzz/seeds/client_file/list.json"),
    include_str!("../../../../fuzz/seeds/client_file/projects.json"),
    include_str!("../../../../fuzz/seeds/client_file/codex.toml"),
    include_str!("../../../../fuzz/seeds/client_file/goose.yaml"),
    include_str!("../../../../fuzz/seeds/client_file/continue.yaml"),
];

/// Generates a damage: a position, a length to remove, and a text to insert.
fn damage() -> impl Strategy<Value = (usize, usize, String)> {
    let pieces = [
        "", "\"", "{", "}", "[", "]", ",", ":", "\n", "  ", "#", "//", "'", "\\", "é", "\u{feff}", "---\n",
        "&a ", "*a",
    ];
    let words =
        ["\"command\": \"x\",", "args: [y]\n", "command = \"z\"\n", "\"url\": \"https://x\",", "null"];
    let piece = prop::sample::select([&pieces[..], &words[..]].concat()).prop_map(str::to_owned);
    (0..400_usize, 0..12_usize, piece)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Checks what the fuzz target checks, for files that are almost valid.
    #[test]
    fn a_damaged_file_is_refused_or_comes_back(
        seed in 0..SEEDS.len(),
        damages in prop::collection::vec(damage(), 0..4),
    ) {
        let mut text = SEEDS[seed].to_owned();
        for (at, length, piece) in damages {
            let start = text.floor_char_boundary(at.min(text.len()));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, &piece);
        }
        for syntax in [FileSyntax::Json, FileSyntax::Toml, FileSyntax::Yaml] {
            prop_assert_eq!(check_round_trip(&text, syntax), Ok(()), "{:?}: {:?}", syntax, text);
        }
    }
}
