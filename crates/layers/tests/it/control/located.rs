//! Scopes made from the paths that arguments stand for, and scopes that only the tool can know:
//! where a path has led.
use overt_layers::record::{Effect, ToolRecord};
use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::{Action, Scope};
use overt_toolbox::{Content, Context, Server, Tool, ToolError, Toolbox};
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Ran, code, is_done};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Open {
    #[serde(default)]
    path: Option<String>,
}

/// `open` reads beneath `/r`. The name `link` leads to `/r/real`, `leak` to `/x/secret`.
fn client(era: Era, base: &[&str], denied: &[&str]) -> Client {
    let scopes = |list: &[&str]| list.iter().map(|scope| Scope::parse(scope).unwrap()).collect();
    let authority = Authority { base: scopes(base), denied: scopes(denied), ..Authority::careful() };
    let open = Tool::content("open", "Opens it.", |input: Open, context: Context| async move {
        let path = whole(input.path.as_deref());
        let real = path.replace("/r/link", "/r/real").replace("/r/leak", "/x/secret");
        match context.allows(&Scope::of_path(Action::Read, "file", &real), true) {
            true => Ok(vec![Content::text("done")]),
            false => Err(ToolError::new("it leads elsewhere").code("ELSEWHERE")),
        }
    })
    .declare(ToolRecord { scopes: vec!["read:file:{path}".to_owned()], ..ToolRecord::new(Effect::Read) })
    .scope_arguments(|arguments, _| json!({ "path": whole(arguments["path"].as_str()) }));
    let toolbox = Toolbox::new(Server::new("files", "1.0.0", "Only for tests.")).tool(open).build().unwrap();
    let handler = overt_layers::build(toolbox, Control::new(PolicySnapshot::new(authority)));
    Client::on(handler, Ran::default(), era, "session", json!({}))
}

fn whole(path: Option<&str>) -> String {
    match path {
        None => "/r".to_owned(),
        Some(path) if path.starts_with('/') => path.to_owned(),
        Some(path) => format!("/r/{path}"),
    }
}

async fn call(client: &Client, arguments: Value) -> Value {
    client.send("tools/call", json!({ "name": "open", "arguments": arguments })).await
}

#[tokio::test]
async fn a_relative_path_needs_the_scope_of_the_place_it_stands_for() {
    for era in ERAS {
        let client = client(era, &["read:file:/r"], &[]);
        for inside in [json!({}), json!({ "path": "a" }), json!({ "path": "/r/a" })] {
            assert!(is_done(&call(&client, inside.clone()).await), "{inside}");
        }
        let outside = call(&client, json!({ "path": "/x/a" })).await;
        assert_eq!(code(&outside), "PERMISSION_NOT_GRANTED");
        // The narrowest scope, and the folder around it as the wider choice.
        let meta = &outside["result"]["_meta"];
        assert_eq!(meta["requested_scopes"], json!(["read:file:/x/a"]));
        assert_eq!(meta["dev.overt/wider-scopes"], json!(["read:file:/x"]));
    }
}

/// FS-02 for scopes: what was allowed is the name, and what is opened is decided again.
#[tokio::test]
async fn where_a_path_leads_is_decided_too() {
    for era in ERAS {
        let wide = client(era, &["read:file:/r"], &[]);
        assert!(is_done(&call(&wide, json!({ "path": "link" })).await));
        assert_eq!(code(&call(&wide, json!({ "path": "leak" })).await), "ELSEWHERE");
        let denied = client(era, &["read:file:/r"], &["read:file:/r/real"]);
        assert_eq!(code(&call(&denied, json!({ "path": "link" })).await), "ELSEWHERE");
        assert!(is_done(&call(&denied, json!({ "path": "other" })).await));
    }
}

/// The policy of a call counts for where the path leads as for the path.
#[tokio::test]
async fn a_policy_holds_for_where_a_path_leads() {
    for era in ERAS {
        let client = client(era, &["read:file:/r"], &[]);
        let params = |path: &str| {
            json!({ "name": "open", "arguments": { "path": path },
                    "_meta": { "policy": { "scopes": { "deny": ["read:file:/r/real"] } } } })
        };
        assert_eq!(code(&client.send("tools/call", params("link")).await), "ELSEWHERE");
        assert!(is_done(&client.send("tools/call", params("other")).await));
    }
}

#[tokio::test]
async fn a_name_that_no_scope_can_have_needs_its_folder() {
    for (path, scope) in [
        ("/", "read:file:/"),
        ("/a/b c", "read:file:/a/b c"),
        ("/a/*", "read:file:/a"),
        ("/a/x*y/z", "read:file:/a"),
        ("/a/new\nline", "read:file:/a"),
    ] {
        assert_eq!(Scope::of_path(Action::Read, "file", path).to_string(), scope);
        assert_eq!(Scope::parse(scope), Ok(Scope::of_path(Action::Read, "file", path)));
    }
    let deep = Scope::of_path(Action::Read, "file", &"/a".repeat(500));
    assert!(Scope::parse(&deep.to_string()).is_ok(), "it is cut to what a scope can hold");
}
