//! A sentence never lets a value look like something else, never drops a part of the call, and
//! never hides one value behind another (A-07, A-08, H-34).
use serde_json::{Value, json};

use super::render;
use crate::{argument_lines, fallback};

#[test]
fn a_07_values_are_quoted_and_cannot_end_their_quotes() {
    for (value, wanted) in [
        (json!("notes.txt"), r#"Delete "notes.txt""#),
        (json!("tmp and nothing else"), r#"Delete "tmp and nothing else""#),
        (json!(r#"a" to "b"#), r#"Delete "a\" to \"b""#),
        (json!(r"a\"), r#"Delete "a\\""#),
        (json!(r#"a\" b"#), r#"Delete "a\\\" b""#),
        (json!("a\u{201d} or \u{ff02}b"), r#"Delete "a\u{201d} or \u{ff02}b""#),
        (json!(""), r#"Delete """#),
        (json!(" a  "), r#"Delete " a  ""#),
        (json!("# tidy up\nrm -rf /"), r##"Delete "# tidy up\nrm -rf /""##),
        (json!("a\tb\rc\u{a0}d"), r#"Delete "a\tb\rc\u{a0}d""#),
        // A value can't imitate a cut.
        (json!("a…b"), r#"Delete "a\u{2026}b""#),
        (json!("a\u{202e}txt.exe"), r#"Delete "a\u{202e}txt.exe""#),
        (json!("a\u{1b}[2Jb\u{200b}\u{feff}"), r#"Delete "a\u{1b}[2Jb\u{200b}\u{feff}""#),
        (json!(r"\u{202e}"), r#"Delete "\\u{202e}""#),
        (json!(1.5), "Delete 1.5"),
        (json!(false), "Delete false"),
        (json!("false"), r#"Delete "false""#),
        (json!(["a", 1]), r#"Delete "a", 1"#),
        (json!({"a\"b": "c\"d"}), r#"Delete {"a\"b": "c\"d"}"#),
    ] {
        assert_eq!(render("Delete {path}", &json!({"path": value})), wanted);
        let shown = wanted.strip_prefix("Delete ").unwrap();
        if !value.is_array() {
            assert_eq!(fallback("t", &json!({"a": value})), format!("call t with a={shown}"));
            assert_eq!(argument_lines(&json!({"a": value})), [format!("a: {shown}")]);
        }
    }
    // The text of a template is the server's and is not quoted, but invisible characters are shown.
    assert_eq!(render("\u{202e}Read\u{7}", &json!({})), r"\u{202e}Read\u{7}");
}

#[test]
fn a_07_an_element_that_lacks_a_member_is_shown() {
    let edit = "Edit[ {edits.find} -> {edits.replace}]";
    for (template, arguments, wanted) in [
        (
            edit,
            json!({"edits": [{"find": "x", "replace": "y"}, {"replace": "z"}]}),
            r#"Edit "x" -> "y", (no find) -> "z""#,
        ),
        (edit, json!({"edits": [{"find": "x"}]}), r#"Edit "x" -> (no replace)"#),
        (edit, json!({"edits": [{}]}), "Edit (no find) -> (no replace)"),
        (edit, json!({"edits": [{"find": null, "replace": "z"}]}), r#"Edit null -> "z""#),
        (edit, json!({"edits": []}), "Edit"),
        (edit, json!({"edits": [{"path": "a"}]}), "Edit"),
        (
            edit,
            json!({"edits": [{"path": "a"}, {}]}),
            "Edit (no find) -> (no replace), (no find) -> (no replace)",
        ),
        (edit, json!({"edits": [{"find": null, "replace": null}]}), "Edit null -> null"),
        // A path that no element of the list has does not count as missing.
        ("Edit[ {path}][ {edits.path}]", json!({"path": "a", "edits": [{"find": "x"}]}), r#"Edit "a""#),
        (
            "Edit[ {path}][ {edits.path}]",
            json!({"edits": [{"path": "a"}, {"find": "x"}]}),
            r#"Edit "a", (no path)"#,
        ),
        // Of two lists side by side, the longer one is shown to its end.
        ("[{a} to {b}]", json!({"a": [1, 2], "b": ["x"]}), r#"1 to "x", 2 to (no b)"#),
        ("[{a} to {b}]", json!({"a": 1}), "1 to (no b)"),
        ("Read {p.path}", json!({"p": [{"path": 1}, {}]}), "Read 1, (no path)"),
        ("Tag[ {t}]", json!({"t": [null, "x", []]}), r#"Tag null, "x", []"#),
        ("[{a} [in {b}]]", json!({"b": "B"}), r#"(no a) in "B""#),
        ("[{a.odd name} {b}]", json!({"b": 1}), r#"(no "odd name") 1"#),
    ] {
        assert_eq!(render(template, &arguments), wanted, "{template} with {arguments}");
    }
}

#[test]
fn a_07_what_is_left_out_is_counted() {
    let many: Vec<String> = (0..100).map(|n| format!("file {n}")).collect();
    let objects: Vec<Value> = many.iter().map(|name| json!({"name": name})).collect();
    for (template, arguments) in [
        ("Read {a}", json!({"a": many})),
        ("Read[ {a}]", json!({"a": many})),
        ("Read {a.name}", json!({"a": objects})),
        ("Read[ {a.name}]", json!({"a": objects})),
    ] {
        let shown = render(template, &arguments);
        assert!(shown.starts_with(r#"Read "file 0", "file 1", "file 2", "#), "{shown}");
        let listed = shown.matches("\"file ").count();
        assert!(shown.ends_with(&format!(", … and {} more", 100 - listed)), "{shown}");
        assert!(listed >= 12, "{shown}");
    }
    for (tool_arguments, wanted) in [
        (json!({"a": vec![1; 100]}), "… and 60 more]"),
        (json!({"a": {"b": vec![json!(null); 41]}}), "… and 1 more]}"),
    ] {
        assert!(fallback("t", &tool_arguments).ends_with(wanted), "{}", fallback("t", &tool_arguments));
        assert!(argument_lines(&tool_arguments)[0].contains(" more]"), "{tool_arguments}");
    }
    // Elements beyond the limit are counted too: the last one may have what the others lack.
    let mut padded: Vec<Value> = vec![json!({}); 5000];
    padded.push(json!({"b": "y"}));
    for template in ["{a.b}", "[{a.b}]"] {
        let shown = render(template, &json!({"a": padded}));
        let marked = shown.matches("(no b)").count();
        assert!(shown.ends_with(&format!("(no b), … and {} more", 5001 - marked)), "{shown}");
    }
}

#[test]
fn a_07_cuts_are_in_the_middle_and_marked() {
    let long = format!("/home/ada/{}/final/name.txt", "very/long/".repeat(200));
    let shown = render("Delete {path}, for good", &json!({"path": long}));
    assert!(shown.starts_with(r#"Delete "/home/ada/very/long/"#), "{shown}");
    assert!(shown.ends_with(r#"/final/name.txt", for good"#), "{shown}");
    assert_eq!((shown.matches('…').count(), shown.chars().count()), (1, 500), "{shown}");
    // Neither a character nor an escape is divided.
    for (character, unit) in [
        ("é", "é"),
        ("𝔘", "𝔘"),
        ("\n", r"\n"),
        ("\"", r#"\""#),
        ("\\", r"\\"),
        ("\u{202e}", r"\u{202e}"),
        ("\u{e0001}", r"\u{e0001}"),
    ] {
        for pad in 0..10 {
            let value = format!("{}{}", "x".repeat(pad), character.repeat(1000));
            let shown = render("{a}", &json!({"a": value}));
            let inside = shown.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap();
            let (head, tail) = inside.split_once('…').unwrap();
            assert_eq!(head.trim_start_matches('x').replace(unit, ""), "", "{shown}");
            assert_eq!(tail.replace(unit, ""), "", "{shown}");
        }
    }
    // Both ends are visible at any length.
    for middle in ["x".repeat(1000), "x".repeat(100_000), " ".repeat(100_000), "é".repeat(50_000)] {
        let shown = render("{a}", &json!({"a": format!("begin{middle}end")}));
        assert!(shown.starts_with("\"begin") && shown.ends_with("end\"") && shown.contains('…'), "{shown}");
    }
    // The text of a template is cut before a value is.
    let shown = render(&format!("Do {} {{path}}", "nothing ".repeat(100)), &json!({"path": "/etc/passwd"}));
    assert!(shown.ends_with("nothing \"/etc/passwd\"") && shown.contains('…'), "{shown}");
}

#[test]
fn a_07_the_blank_at_the_beginning_of_a_group_is_kept() {
    for (template, arguments, wanted) in [
        (
            "Search for {pattern}[ in {path}]",
            json!({"pattern": "one", "path": "a.txt"}),
            r#"Search for "one" in "a.txt""#,
        ),
        ("Search for {pattern}[ in {path}]", json!({"pattern": "one"}), r#"Search for "one""#),
        ("Read[ {paths}]", json!({"paths": ["a", "b"]}), r#"Read "a", "b""#),
        ("Read [{paths} ] now", json!({"paths": [1, 2]}), "Read 1, 2 now"),
        ("{a}[ and[ then] {b}]", json!({"a": 1, "b": 2}), "1 and then 2"),
    ] {
        assert_eq!(render(template, &arguments), wanted, "{template}");
    }
}

#[test]
fn a_08_no_argument_pushes_another_out_of_view() {
    let mut arguments = serde_json::Map::new();
    for n in 1..=6 {
        arguments.insert(format!("note{n}"), json!("x".repeat(270)));
    }
    arguments.insert("path".to_owned(), json!("/home/ada/final/name.txt"));
    let arguments = Value::Object(arguments);
    let shown = fallback("write", &arguments);
    assert!(shown.ends_with(r#", path="/home/ada/final/name.txt""#), "{shown}");
    assert!((490..=500).contains(&shown.chars().count()), "{shown}");
    assert!((1..=6).all(|n| shown.contains(&format!(r#"note{n}="x"#))), "{shown}");
    let template = "[{note1}] [{note2}] [{note3}] [{note4}] [{note5}] [{note6}] to {path}";
    assert!(render(template, &arguments).ends_with(r#"to "/home/ada/final/name.txt""#));
    // Also within one argument, and next to a long list.
    let within = json!({"call": {"pad": "x".repeat(9000), "list": vec!["y".repeat(300); 500], "path": "/a"}});
    for shown in [render("Do {call}", &within), fallback("t", &within), argument_lines(&within)[0].clone()] {
        assert!(shown.contains(r#""path": "/a""#), "{shown}");
    }
    // More arguments than a line can name are counted.
    let many: serde_json::Map<String, Value> =
        (0..60).map(|n| (format!("argument{n}"), json!("x".repeat(100)))).collect();
    let shown = fallback("t", &Value::Object(many));
    let named = shown.matches("argument").count() - 1;
    assert!(named > 10 && shown.ends_with(&format!(", … and {} more arguments", 60 - named)), "{shown}");
}

#[test]
fn a_08_each_argument_has_a_line() {
    let long = format!("/home/{}/name.txt", "x".repeat(1000));
    let lines = argument_lines(&json!({
        "path": long, "a b": 1, "names": ["Ada", "Charles"], "password": "hunter2", "deep": {"token": "t", "n": null},
    }));
    assert!(lines[0].starts_with(r#"path: "/home/xxx"#), "{}", lines[0]);
    assert!(lines[0].ends_with(r#"xxx/name.txt" (818 characters left out)"#), "{}", lines[0]);
    assert_eq!(
        lines[1..],
        [
            r#""a b": 1"#,
            r#"names: ["Ada", "Charles"]"#,
            "password: ***",
            r#"deep: {"token": ***, "n": null}"#
        ]
    );
    let many: serde_json::Map<String, Value> = (0..53).map(|n| (format!("a{n}"), json!(n))).collect();
    let lines = argument_lines(&Value::Object(many));
    assert_eq!(
        (lines.len(), lines[49].as_str(), lines[50].as_str()),
        (51, "a49: 49", "… and 3 more arguments")
    );
    assert_eq!(argument_lines(&json!(null)), [""; 0]);
    assert_eq!(argument_lines(&json!(["a"])), [r#"["a"]"#]);
}

#[test]
fn h_34_secrets_are_hidden_by_name_and_by_form_and_identifiers_are_shown() {
    let key = ["ghp_", "Zq7Xv2Lk9Rt4Bm1Ns8Wd5Hc3Yf6Gj0PaQeUo"].concat();
    for (template, arguments, wanted) in [
        ("Delete {record_key}", json!({"record_key": "r-17"}), r#"Delete "r-17""#),
        ("Delete {fileKey}", json!({"fileKey": "a1"}), r#"Delete "a1""#),
        ("Delete {issue_key}", json!({"issue_key": key}), r#"Delete "***""#),
        (
            "Log in as {user} with {password}",
            json!({"user": "u", "password": "hunter22"}),
            r#"Log in as "u" with ***"#,
        ),
        ("Use {api_key.value}", json!({"api_key": {"value": 5}}), "Use ***"),
        ("Use {auth}", json!({"auth": null}), "Use {auth}"),
        ("Use {auth}", json!({"auth": true}), "Use true"),
        ("Send {body}", json!({"body": {"token": "x", "n": 1}}), r#"Send {"token": ***, "n": 1}"#),
        ("Run {command}", json!({"command": format!("push {key} now")}), r#"Run "push *** now""#),
        ("Open {url}", json!({"url": "http://localhost:3000/a"}), r#"Open "http://localhost:3000/a""#),
    ] {
        assert_eq!(render(template, &arguments), wanted, "{template}");
    }
    let arguments = json!({"password": "x", "k": key, key.clone(): 1});
    assert_eq!(fallback("login", &arguments), r#"call login with password=***, k="***", "***"=1"#);
    // The ends of a long text are searched for secrets too.
    let block =
        format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", "Zq7Xv2Lk9Rt4".repeat(1000));
    for text in [format!("{}{block}", "x ".repeat(20_000)), format!("{} {key}", "x ".repeat(20_000)), block] {
        let shown = render("{a}", &json!({"a": text}));
        assert!(shown.contains("***") || shown.contains('…'), "{shown}");
        assert!(!shown.contains("Zq7Xv2"), "{shown}");
    }
}
