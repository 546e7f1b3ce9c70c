//! `overt fs`: who may do what. The operator's settings, a client's configuration, a call's policy,
//! and a person's grants.
use serde_json::{Value, json};

use crate::fs::{real, serve, text, two_folders};
use crate::peer::Peer;
use crate::support::file;

/// H-15, B-23: a client's configuration overrides flags, environment and file, but it can only
/// narrow the limits of the server.
#[test]
fn h_15_b_23_a_client_narrows_and_never_widens() {
    let place = two_folders();
    std::fs::create_dir(place.path().join("root/sub")).unwrap();
    file(&place.path().join("root/sub"), "b.txt", "in sub\n");
    let [root, sub, outside] = ["root", "root/sub", "outside"].map(|name| real(&place, name));
    let read = json!({ "path": "a.txt" });
    let inner = json!({ "path": format!("{sub}/b.txt") });

    // Of the roots, only the inner folder is left, whatever else there is.
    let mut client = serve(&place, &[], &json!({ "roots": [sub] }));
    assert_eq!(text(&client.call("read_file", &inner)), "in sub\n");
    client.call("read_file", &read);
    assert!(client.was_refused(), "{}", client.last);
    client.end();

    // Patterns are added to those of the operator.
    let mut client = serve(&place, &["--hidden", "sub"], &json!({ "hidden": ["a.txt"] }));
    for path in [&read, &inner] {
        client.call("read_file", path);
        assert!(client.was_refused(), "{}", client.last);
    }
    client.end();

    // A configuration that would allow more is refused, with the place of the error.
    let wider = [
        json!({ "roots": [outside] }),
        json!({ "roots": ["/"] }),
        json!({ "roots": [root, outside] }),
        json!({ "allow": ["read:file"] }),
        json!({ "allow_all": true }),
        json!({ "hardlinks": "allow" }),
    ];
    for configuration in wider {
        let client = serve(&place, &[], &configuration);
        assert_eq!(
            client.handshake["error"]["data"]["kind"], "configuration_expansion",
            "{configuration} {}",
            client.handshake
        );
        client.end();
    }
    let client = serve(&place, &["--read-only"], &json!({ "read_only": false }));
    assert_eq!(client.handshake["error"]["data"]["kind"], "configuration_expansion", "{}", client.handshake);
    client.end();
    for key in ["grantable", "sandbox", "require_sandbox", "allow_special", "compat", "journal_max_bytes"] {
        let client = serve(&place, &[], &json!({ key: Value::Null }));
        assert_eq!(
            client.handshake["error"]["data"]["kind"], "configuration_invalid",
            "{key} {}",
            client.handshake
        );
        client.end();
    }
}

/// H-15: a client over stdio replaces settings that are not limits, as the strongest of all
/// sources.
#[test]
fn h_15_a_client_replaces_what_is_no_boundary() {
    let place = two_folders();
    file(&place.path().join("root"), "long.txt", &"0123456789\n".repeat(20));
    let read = json!({ "path": "long.txt" });
    let length = |flags: &[&str], configuration: &Value| {
        let mut client = serve(&place, flags, configuration);
        let length = text(&client.call("read_file", &read)).len();
        client.end();
        length
    };
    let small = length(&["--read-max-bytes", "50"], &Value::Null);
    assert!(small < 100, "{small}");
    assert!(length(&[], &Value::Null) >= 220);
    assert!(length(&["--read-max-bytes", "50"], &json!({ "read_max_bytes": 1000 })) >= 220);
    assert_eq!(length(&[], &json!({ "read_max_bytes": 50 })), small);
}

/// H-18, H-19: the policy of a call narrows. A policy that would widen is an error and nothing
/// runs.
#[test]
fn h_18_h_19_the_policy_of_a_call_narrows() {
    let place = two_folders();
    std::fs::create_dir(place.path().join("root/sub")).unwrap();
    file(&place.path().join("root/sub"), "b.txt", "in sub\n");
    let [root, sub, outside] = ["root", "root/sub", "outside"].map(|name| real(&place, name));
    let mut client = serve(&place, &[], &Value::Null);
    let policy = |roots: Value| json!({ "policy": { "roots": roots } });
    // (policy, whether `a.txt` and `sub/b.txt` can be read)
    let table = [
        (json!([root]), true, true),
        (json!([sub]), false, true),
        (json!([{ "path": root, "deny": ["/a.txt"] }]), false, true),
        (json!([{ "path": root, "deny": ["*.txt"] }]), false, false),
        (json!([{ "path": root, "deny": ["**/*.txt"] }]), false, false),
        (json!([{ "path": root, "allow": ["a.txt"] }]), true, false),
        (json!([{ "path": root, "immutable": ["**"] }]), true, true),
        (json!([{ "path": root, "blocked": true }]), false, false),
        (json!([root, { "path": sub, "blocked": true }]), true, false),
        (json!([]), false, false),
    ];
    for (roots, outer, inner) in table {
        for (path, expected) in [("a.txt", outer), ("sub/b.txt", inner)] {
            // A relative path would begin in the narrowed root.
            let path = format!("{root}/{path}");
            client.call_with("read_file", &json!({ "path": path }), &policy(roots.clone()));
            assert_eq!(!client.was_refused(), expected, "{roots} {path}: {}", client.last);
        }
    }
    let immutable = policy(json!([{ "path": root, "immutable": ["**"] }]));
    client.call_with("write_file", &json!({ "path": "new.txt", "content": "x" }), &immutable);
    assert!(client.was_refused() && !place.path().join("root/new.txt").exists(), "{}", client.last);
    for roots in [json!([outside]), json!(["/"]), json!([root, outside]), json!([real(&place, "")])] {
        client.call_with("read_file", &json!({ "path": "a.txt" }), &policy(roots.clone()));
        assert_eq!(client.last["error"]["code"], -32602, "{roots}: {}", client.last);
    }
    // The next call is not affected.
    client.call("read_file", &json!({ "path": "a.txt" }));
    assert!(!client.was_refused());
    client.end();
}

/// H-15: with `--allow-client-config`, the client that started the server chooses its roots within
/// those of the operator's policy, before the walls go up. A later, different configuration is an
/// error.
#[test]
fn h_15_a_client_chooses_its_roots_within_the_ceiling() {
    let place = two_folders();
    let [top, root, outside] = ["", "root", "outside"].map(|name| real(&place, name));
    std::fs::create_dir(place.path().join("outside/in")).unwrap();
    std::os::unix::fs::symlink("/", place.path().join("outside/link")).unwrap();
    file(place.path(), "overt.toml", &format!("[policy]\nroots = [\"{outside}\"]\n"));
    let config = format!("{top}overt.toml");
    let chooses = ["--config", &config, "--allow-client-config"];
    let environment = |words: &[&str], configuration: &Value| {
        let mut words = words.to_vec();
        words.extend(["--durability", "rename"]);
        serve(&place, &words, configuration)
    };
    let mut client = environment(&chooses, &json!({ "roots": [outside] }));
    assert_eq!(
        text(&client.call("read_file", &json!({ "path": "a.txt" }))),
        "in outside\n",
        "{}",
        client.last
    );
    let roots = client.call("list_roots", &json!({}));
    let shown = &roots["result"]["structuredContent"];
    assert_eq!((&shown["roots"][0]["path"], &shown["sandbox"]), (&json!(outside), &json!("full")), "{roots}");
    client.call("read_file", &json!({ "path": format!("{root}/a.txt") }));
    assert!(client.was_refused(), "{}", client.last);
    client.end();
    for (words, roots) in [
        (&chooses[..], json!([root])),
        (&chooses, json!([top])),
        (&chooses, json!([outside, root])),
        (&chooses, json!([format!("{outside}/link")])),
        (&chooses, json!([format!("{outside}/none")])),
        (&chooses[..2], json!([outside])),
        (&["--allow-client-config"], json!([outside])),
    ] {
        let client = environment(words, &json!({ "roots": roots }));
        let kind = &client.handshake["error"]["data"]["kind"];
        assert_eq!(kind, "configuration_expansion", "{roots}: {}", client.handshake);
        client.end();
    }

    // In 2026-07-28 the first request has the configuration, and each later one its own.
    let mut command = crate::support::overt();
    let state = tempfile::TempDir::new().unwrap();
    command.arg("fs").args(chooses).env("OVERT_STATE_DIR", state.path()).current_dir(&root);
    let mut client = crate::client::Client::silent(command);
    let mut read = |roots: &Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "experimental": { "configuration": { "roots": roots } } },
            "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "1" },
        });
        let arguments = json!({ "path": format!("{outside}/a.txt") });
        client.ask("tools/call", &json!({ "name": "read_file", "arguments": arguments, "_meta": meta }))
    };
    assert_eq!(text(&read(&json!([outside]))), "in outside\n");
    let narrowed = read(&json!([format!("{outside}/in")]));
    assert_eq!(narrowed["result"]["isError"], true, "{narrowed}");
    let wider = read(&json!([top]));
    assert_eq!(wider["error"]["data"]["kind"], "configuration_expansion", "{wider}");
    assert_eq!(text(&read(&json!([outside]))), "in outside\n");
    client.end();
}

/// H-18, G-19: a root that a configuration or a policy has narrowed to a folder is a root like any
/// other: relative paths begin there, `list_roots` shows it, and a refusal names it.
#[test]
fn h_18_g_19_a_narrowed_root_is_a_usable_root() {
    let place = two_folders();
    let root = place.path().join("root");
    std::fs::create_dir_all(root.join("sub/deep")).unwrap();
    file(&root.join("sub"), "b.txt", "in sub\n");
    file(&root.join("sub/deep"), "c.txt", "in deep\n");
    let [sub, deep] = ["root/sub", "root/sub/deep"].map(|name| real(&place, name));
    let content = |reply: &Value| reply["result"]["structuredContent"].clone();
    let check = |peer: &mut Peer, meta: &Value, here: &[&str], inner: &str| {
        let way = peer.way();
        let roots = content(&peer.call("list_roots", json!({}), meta.clone()));
        let listed: Vec<&str> =
            roots["roots"].as_array().unwrap().iter().map(|root| root["path"].as_str().unwrap()).collect();
        assert_eq!(listed, here, "{way:?} {meta}");
        for (index, root) in roots["roots"].as_array().unwrap().iter().enumerate() {
            assert_eq!(root["default"], index == 0, "{way:?} {roots}");
            assert_eq!([&root["readable"], &root["writable"]], [true, true], "{way:?} {roots}");
        }
        let read = peer.call("read_file", json!({ "path": inner }), meta.clone());
        assert!(text(&read).starts_with("in "), "{way:?} {read}");
        for (tool, arguments) in [
            ("list_directory", json!({})),
            ("find_files", json!({ "pattern": "*.txt" })),
            ("search_files", json!({ "pattern": "in" })),
        ] {
            let found = peer.call(tool, arguments, meta.clone());
            assert!(
                found.to_string().contains(inner) && found["result"]["isError"] != true,
                "{way:?} {found}"
            );
        }
        let refused = peer.call("read_file", json!({ "path": "../../a.txt" }), meta.clone());
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        assert!(text(&refused).contains(here[0]) && text(&refused).contains("list_roots"), "{refused}");
        assert!(text(&refused).ends_with("[PATH_OUTSIDE_ROOT]"), "{refused}");
        let both = json!({ "paths": ["../../a.txt", inner] });
        let read = content(&peer.call("read_multiple_files", both, meta.clone()));
        assert_eq!([&read["failed"], &read["count"]], [1, 1], "I-10: {way:?} {read}");
        let gone = peer.call("delete_file", json!({ "path": here[0], "recursive": true }), meta.clone());
        assert!(gone["result"]["isError"] == true && root.join("sub/deep/c.txt").exists(), "{way:?} {gone}");
    };
    let narrow = json!({ "roots": [sub] });
    let nested = json!({ "policy": { "roots": [sub, { "path": deep, "default": true }] } });
    let nowhere = json!({ "policy": { "roots": [] } });
    Peer::in_each(&root, &["fs", "--approval-wait", "0"], &Value::Null, |peer| {
        check(peer, &json!({ "policy": { "roots": [sub] } }), &[&sub], "b.txt");
        check(peer, &nested, &[&deep, &sub], "c.txt");
        let roots = content(&peer.call("list_roots", json!({}), nowhere.clone()));
        assert_eq!(roots["roots"], json!([]), "{roots}");
        // The next call has the operator's root again.
        let read = peer.call("read_file", json!({ "path": "a.txt" }), json!({}));
        assert_eq!(text(&read), "in root\n");
    });
    Peer::in_each(&root, &["fs", "--approval-wait", "0"], &narrow, |peer| {
        check(peer, &json!({}), &[&sub], "b.txt");
        check(peer, &json!({ "policy": { "roots": [deep] } }), &[&deep], "c.txt");
    });
}

/// H-22, H-23: access outside the roots is refused with the scopes to request. A grant is valid for
/// its call only.
#[test]
fn h_22_h_23_what_is_outside_needs_a_grant() {
    let place = two_folders();
    let [root, outside] = ["root", "outside"].map(|name| real(&place, name));
    let elsewhere = json!({ "path": format!("{outside}/a.txt") });
    let scope = format!("read:file:{outside}/a.txt");
    let asked = |reply: &Value| {
        let found = [&reply["result"]["_meta"], &reply["error"]["data"]["_meta"], &reply["error"]["data"]];
        found.iter().map(|place| place["requested_scopes"].clone()).find(|scopes| !scopes.is_null())
    };
    let grantable = ["--grantable", &outside, "--trust-grants"];
    let mut client = serve(&place, &grantable, &Value::Null);
    let refused = client.call("read_file", &elsewhere);
    assert!(client.was_refused() && !refused.to_string().contains("in outside"), "{refused}");
    let scopes = asked(&refused).unwrap_or_else(|| panic!("{refused}"));
    assert!(scopes.to_string().contains(&scope), "{scopes}");
    for granted in [json!(scope), json!([scope]), json!([format!("read:file:{outside}")])] {
        let reply = client.call_with("read_file", &elsewhere, &json!({ "granted_scopes": granted }));
        assert_eq!(text(&reply), "in outside\n", "{granted} {reply}");
        client.call("read_file", &elsewhere);
        assert!(client.was_refused(), "a grant outlived its call: {}", client.last);
    }
    // The grant covers exactly its scope.
    client.call_with(
        "write_file",
        &json!({ "path": format!("{outside}/new.txt"), "content": "x" }),
        &json!({ "granted_scopes": scope }),
    );
    assert!(client.was_refused() && !place.path().join("outside/new.txt").exists(), "{}", client.last);
    // If a policy names roots, nothing outside them can be granted, even if they are the
    // roots in force.
    for roots in [json!([{ "path": root, "deny": ["x"] }]), json!([root]), json!([{ "path": root }])] {
        let bounded = json!({ "granted_scopes": scope, "policy": { "roots": roots } });
        let reply = client.call_with("read_file", &elsewhere, &bounded);
        assert!(client.was_refused() && asked(&reply).is_none(), "{roots}: {reply}");
    }
    client.end();

    // The same holds everywhere if no folder is named. With `--no-grants` nobody can grant access.
    // Without `--trust-grants` a client's claims don't count.
    let mut client = serve(&place, &["--trust-grants"], &Value::Null);
    assert!(asked(&client.call("read_file", &elsewhere)).is_some(), "{}", client.last);
    let reply = client.call_with("read_file", &elsewhere, &json!({ "granted_scopes": scope }));
    assert_eq!(text(&reply), "in outside\n", "{reply}");
    let other = json!({ "path": format!("{outside}/new.txt"), "content": "x" });
    client.call_with("write_file", &other, &json!({ "granted_scopes": scope }));
    assert!(client.was_refused() && !place.path().join("outside/new.txt").exists(), "{}", client.last);
    client.end();
    let mut client = serve(&place, &["--trust-grants", "--no-grants"], &Value::Null);
    let reply = client.call_with("read_file", &elsewhere, &json!({ "granted_scopes": scope }));
    assert!(client.was_refused() && asked(&reply).is_none(), "{reply}");
    client.end();
    let mut client = serve(&place, &["--grantable", &outside], &Value::Null);
    client.call_with("read_file", &elsewhere, &json!({ "granted_scopes": scope }));
    assert!(client.was_refused(), "{}", client.last);
    client.end();
}

/// With `--read-only`, nothing changes a file, whatever is granted.
#[test]
fn read_only_changes_nothing() {
    let place = two_folders();
    let outside = real(&place, "outside");
    let mut client = serve(&place, &["--read-only", "--trust-grants", "--grantable", &outside], &Value::Null);
    let granted = json!({ "granted_scopes": ["write:file"] });
    for path in ["new.txt".to_owned(), format!("{outside}/new.txt")] {
        client.call_with("write_file", &json!({ "path": path, "content": "x" }), &granted);
        assert!(client.was_refused(), "{}", client.last);
    }
    assert!(!place.path().join("root/new.txt").exists() && !place.path().join("outside/new.txt").exists());
    assert_eq!(text(&client.call("read_file", &json!({ "path": "a.txt" }))), "in root\n");
    client.end();
}
