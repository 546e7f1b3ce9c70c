//! Each row of the table, with every spelling of its path, and what members mean.
use super::*;
use crate::{ALL, ConfigFile, Servers, Syntax};

fn at(path: &str) -> Vec<GuardedFile> {
    GuardedFile::at(&PathNames::of(path))
}

/// Returns `free`, `ask`, or why the change is refused: the strictest of what the table says.
fn judged(path: &str, before: Content<'_>, after: Content<'_>) -> String {
    let mut verdict = "free".to_owned();
    for file in at(path) {
        match file.judge(before, after) {
            Judgement::Refuse(why) => return why.to_string(),
            Judgement::Ask => "ask".clone_into(&mut verdict),
        }
    }
    verdict
}

fn text(text: &str) -> Content<'_> {
    Content::Bytes(text.as_bytes())
}

/// A path that the pattern matches.
fn example(pattern: &str) -> String {
    pattern.replace("/**", "/x/y").replace('*', "any")
}

/// Other spellings that some file system takes for the same path.
fn spellings(path: &str) -> Vec<String> {
    vec![
        format!("/home/me/site/{path}"),
        format!("/home/me/site/{}", path.to_uppercase()),
        format!("/x/{}", path.replace('s', "ſ").replace('k', "\u{212a}")),
        format!("/x/{}", path.replace('/', ". /")),
        format!("/x/{}", path.replace('.', "\u{200c}.")),
        format!("/x/{path}. "),
        format!("/x/{path}::$DATA"),
    ]
}

#[test]
fn v_05_each_row_guards_its_files() {
    for row in ROWS {
        assert_eq!(row.path, row.path.to_lowercase(), "a pattern is in lower case");
        let path = example(row.path);
        for path in spellings(&path) {
            let found = at(&path);
            assert!(found.iter().any(|file| file.what == row.what), "{path}: {found:?}");
            let verdict = judged(&path, Content::Unknown, Content::Unknown);
            match row.rule {
                Rule::Closed => assert_eq!(verdict, "it decides what runs without asking", "{path}"),
                Rule::Members(..) => assert!(verdict.contains("can't read all of it"), "{path}: {verdict}"),
                Rule::Asks => assert_ne!(verdict, "free", "{path}"),
            }
        }
        // A name that only begins or ends alike is another file.
        let mut names: Vec<String> = path.split('/').map(str::to_owned).collect();
        if let (Some(last), false) = (names.last_mut(), row.path.ends_with("/**")) {
            last.push_str("-old");
            let other = names.join("/");
            assert!(at(&other).iter().all(|file| file.what != row.what), "{other}");
        }
        // A link at any folder on the way leads there.
        let folder = row.path.strip_suffix("/**").unwrap_or(row.path);
        for (end, _) in folder.match_indices('/') {
            let link = format!("/x/{}", example(&folder[..end]).to_uppercase());
            assert!(GuardedFile::beneath_link(&PathNames::of(&link)).is_some(), "{link}");
        }
    }
}

#[test]
fn v_05_each_member_of_each_row_is_refused_and_others_are_asked_about() {
    for row in ROWS {
        let Rule::Members(syntax, members) = row.rule else { continue };
        let path = example(row.path);
        for member in members {
            let names: Vec<String> = member.iter().map(|name| name.replace('*', "any")).collect();
            let with = written(syntax, &names, "1");
            let changed = written(syntax, &names, "2");
            for (before, after) in [
                (Content::Absent, text(&with)),
                (text(&with), text(&changed)),
                (text(&with), Content::Absent),
                (text(&with), text("")),
            ] {
                let verdict = judged(&path, before, after);
                assert!(verdict.contains(&format!("`{}", names[0])), "{path} {names:?}: {verdict}");
            }
            let (one, two) = (beside(syntax, &with, "1"), beside(syntax, &with, "2"));
            assert_eq!(judged(&path, text(&one), text(&two)), "ask", "{path} {names:?}");
        }
    }
}

#[test]
fn v_05_each_file_of_a_client_is_guarded() {
    for (client, file) in ALL.iter().flat_map(|client| client.files.iter().map(move |file| (client, file))) {
        let ConfigFile { path, syntax, servers, .. } = file;
        let with = match servers {
            Servers::Member(name) => written(*syntax, &[(*name).to_owned(), "s".to_owned()], "1"),
            _ => written(*syntax, &["mcpServers".to_owned(), "s".to_owned()], "1"),
        };
        for path in spellings(path) {
            let verdict = judged(&path, Content::Absent, text(&with));
            assert!(verdict.contains("starts servers"), "{}: {path}: {verdict}", client.name);
            let free = beside(*syntax, &with, "1");
            assert_eq!(judged(&path, text(&with), text(&free)), "ask", "{}: {path}", client.name);
        }
    }
}

/// Writes a file with one member.
fn written(syntax: Syntax, names: &[String], value: &str) -> String {
    let quoted = |name: &String| overt_wire::json::quote(name);
    match syntax {
        Syntax::Toml => {
            format!("{} = {value}\n", names.iter().map(quoted).collect::<Vec<_>>().join("."))
        }
        Syntax::Json | Syntax::Yaml => {
            let open: String = names.iter().map(|name| format!("{{{}: ", quoted(name))).collect();
            format!("{open}{value}{}", "}".repeat(names.len()))
        }
    }
}

/// Adds another member to such a file.
fn beside(syntax: Syntax, file: &str, value: &str) -> String {
    match syntax {
        Syntax::Toml => format!("other = {value}\n{file}"),
        Syntax::Json | Syntax::Yaml => format!("{{\"other\": {value}, {}", &file[1..]),
    }
}

#[test]
fn v_05_ordinary_files_are_free() {
    for path in [
        "/home/me/site/src/main.rs",
        "/home/me/site/.gitignore",
        "/home/me/site/.github/workflows/ci.yml",
        "/home/me/site/.vscode/extensions.json",
        "/home/me/site/.claude/CLAUDE.md",
        "/home/me/site/settings.json",
        "/home/me/site/mcp.json.md",
        "/home/me/site/hooks/use-state.ts",
        "/home/me/site/config/git.rs",
        "/home/me/site/tasks.json",
        "/home/me/site/package.json",
        "/home/me/site/.env",
    ] {
        assert_eq!(judged(path, Content::Unknown, Content::Unknown), "free", "{path}");
        assert!(GuardedFile::beneath_link(&PathNames::of(path)).is_none(), "{path}");
    }
    assert!(GuardedFile::beneath_link(&PathNames::of("/x/src")).is_none());
}

#[test]
fn v_05_members_are_compared_as_a_client_could_read_them() {
    let servers = r#"{"mcpServers":{"a":{"command":"x"}}}"#;
    let wanted = "`mcpServers` in it starts servers or permits tools";
    for (path, before, after, verdict) in [
        // Layout and comments are no change of a member.
        (".mcp.json", servers, "{ // c\n \"mcpServers\": {\"a\": {\"command\": \"x\",},}, }", "ask"),
        // Of two members with one name, clients take either.
        (".mcp.json", servers, r#"{"mcpServers":{"b":1},"mcpServers":{"a":{"command":"x"}}}"#, wanted),
        (".mcp.json", servers, r#"{"MCPSERVERS":{},"mcpServers":{"a":{"command":"x"}}}"#, "`MCPSERVERS`"),
        (".mcp.json", servers, "{\"mcp\\u0053ervers\":{\"a\":{\"command\":\"y\"}}}", wanted),
        (".mcp.json", servers, "{", "can't read all of it"),
        (".mcp.json", "{", servers, "can't read all of it"),
        (".claude.json", r#"{"projects":{"/p":{"x":1}}}"#, r#"{"projects":{"/p":{"x":2}}}"#, "ask"),
        (".claude.json", "{}", r#"{"projects":{"/p":{"mcpServers":{}}}}"#, "`projects./p.mcpServers`"),
        (".vscode/settings.json", r#"{"editor.tabSize":2}"#, r#"{"editor.tabSize":4}"#, "ask"),
        (".vscode/settings.json", "{}", r#"{"chat.tools.global.autoApprove":true}"#, "`chat.tools.global"),
        (".continue/config.yaml", "a: 1\n", "a: 2\n", "ask"),
        // What an alias stands for is elsewhere in the file.
        (".continue/config.yaml", "x: &s [1]\nmcpServers: *s\n", "x: &s [2]\nmcpServers: *s\n", "`*`"),
    ] {
        let said = judged(path, text(before), text(after));
        assert!(said.contains(verdict), "{path}: {before} -> {after}: {said}");
    }
    assert_eq!(
        judged(".mcp.json", Content::Bytes(b"\xff"), text("{}")),
        judged(".mcp.json", text("{"), text("{}"))
    );
}
