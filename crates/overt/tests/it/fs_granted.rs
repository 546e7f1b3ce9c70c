//! `overt fs` outside of its roots: refused with what to ask for, asked, and served by a worker for
//! as long as the person's yes holds.
use overt_testkit::person::revoking;
use std::path::{Path, PathBuf};

use overt_layers::grants::GrantLifetime;
use overt_state::grants::SqliteStore;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::fs::{real, text, two_folders};
use crate::support::{file, overt, wait_until};

/// A server for the folder `root` whose client asks its person, and the questions of the last call.
struct Asked {
    place: TempDir,
    state: TempDir,
    client: Client,
    /// What the person answers; the questions were these.
    answers: &'static str,
    questions: Vec<Value>,
}

impl Asked {
    fn start(answers: &'static str, words: &[&str]) -> Self {
        Self::in_place(two_folders(), answers, words)
    }

    fn in_place(place: TempDir, answers: &'static str, words: &[&str]) -> Self {
        let state = TempDir::new().unwrap();
        let mut command = overt();
        command.env("OVERT_STATE_DIR", state.path());
        command.args(["fs", "--trust-quick-answers"]).args(words).current_dir(place.path().join("root"));
        let client = Client::greeting("test", &json!({ "elicitation": {} }), command);
        Self { place, state, client, answers, questions: Vec::new() }
    }

    fn outside(&self, name: &str) -> String {
        format!("{}/{name}", real(&self.place, "outside"))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call_with(tool, arguments, &json!({}))
    }

    /// Makes a call and answers its questions.
    fn call_with(&mut self, tool: &str, arguments: &Value, meta: &Value) -> Value {
        self.questions.clear();
        self.client.send("tools/call", &json!({ "name": tool, "arguments": arguments, "_meta": meta }));
        loop {
            let message = self.client.next_message();
            if message["method"] == "elicitation/create" {
                let content = json!({ "decision": self.answers });
                let answer = json!({ "action": "accept", "content": content });
                self.client.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }));
                self.questions.push(message["params"].clone());
            } else if message.get("method").is_none() {
                self.client.last = message.clone();
                return message;
            }
        }
    }

    fn store(&self) -> SqliteStore {
        SqliteStore::open(self.state.path()).unwrap()
    }
}

fn code(reply: &Value) -> &str {
    reply["result"]["_meta"]["dev.overt/error"]["code"].as_str().unwrap_or("none")
}

fn requested(reply: &Value) -> &Value {
    &reply["result"]["_meta"]["requested_scopes"]
}

/// The processes whose command line ends with this word and that run for this state folder's
/// server, which is their ancestor.
pub(crate) fn helpers(server: u32, word: &str) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let descends = |mut pid: u32| loop {
        match parent(pid) {
            Some(above) if above == server => return true,
            Some(above) if above > 1 => pid = above,
            _ => return false,
        }
    };
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|part| part == word.as_bytes()) && descends(*pid)
    })
    .collect()
}

/// H-22: without any flag, a call outside of the roots is refused with the scopes to ask for, the
/// narrowest first, and nothing of the file is told.
#[test]
fn h_22_what_is_outside_is_refused_with_what_to_ask_for() {
    let place = two_folders();
    let mut client = crate::fs::serve(&place, &[], &Value::Null);
    let outside = real(&place, "outside");
    for (name, is_there) in [("a.txt", true), ("none.txt", false)] {
        let reply = client.call("read_file", &json!({ "path": format!("{outside}/{name}") }));
        assert_eq!(code(&reply), "PERMISSION_NOT_GRANTED", "{is_there}: {reply}");
        assert!(!reply.to_string().contains("in outside"), "{reply}");
        let scopes = requested(&reply).as_array().unwrap_or_else(|| panic!("{reply}"));
        assert_eq!(scopes[0], format!("read:file:{outside}/{name}"), "{reply}");
        let wider = &reply["result"]["_meta"]["dev.overt/wider-scopes"];
        assert_eq!(*wider, json!([format!("read:file:{outside}")]), "{reply}");
    }
    client.end();
    for refused in [vec!["--no-grants"], vec!["--max-grantable", "read:file:/nowhere"]] {
        let mut client = crate::fs::serve(&place, &refused, &Value::Null);
        let reply = client.call("read_file", &json!({ "path": format!("{outside}/a.txt") }));
        assert_eq!((code(&reply), requested(&reply)), ("PATH_OUTSIDE_ROOT", &Value::Null), "{refused:?}");
        client.end();
    }
}

/// H-22, H-23: the person is asked; a yes for this call serves this call, and the next one asks
/// again.
#[test]
fn h_23_a_yes_for_one_call_serves_it_and_no_other() {
    let mut asked = Asked::start("once", &[]);
    let read = json!({ "path": asked.outside("a.txt") });
    for _ in 0..2 {
        let reply = asked.call("read_file", &read);
        assert_eq!(text(&reply), "in outside\n", "{reply}");
        assert_eq!(asked.questions.len(), 1, "{:?}", asked.questions);
        assert!(asked.questions[0]["message"].as_str().unwrap().contains("a.txt"));
    }
    // Paths outside are shown in full, as the client must write them.
    assert_eq!(asked.client.last["result"]["structuredContent"]["path"], asked.outside("a.txt"));
    let new = asked.outside("new.txt");
    let reply = asked.call("write_file", &json!({ "path": new, "content": "new\n" }));
    assert_eq!((code(&reply), asked.questions.len()), ("none", 1), "{reply}");
    assert_eq!(std::fs::read_to_string(&new).unwrap(), "new\n");
    // What deletes is shown with its plan too, once the person let the server look.
    let reply = asked.call("delete_file", &json!({ "path": new }));
    assert_eq!((code(&reply), asked.questions.len()), ("none", 2), "{reply}");
    assert!(!Path::new(&new).exists());
    asked.answers = "no";
    let reply = asked.call("read_file", &read);
    assert!(reply["result"]["isError"] == true && !reply.to_string().contains("in outside"), "{reply}");
    wait_until("the workers ended", || helpers(asked.client.running.0.id(), "--serve-grant").is_empty());
    asked.client.end();
}

/// A yes for the session serves every call of the tool in its scope, one worker serves them, and
/// journal, plans and undo are those of the server. A grant that is revoked ends the worker.
#[test]
fn a_yes_for_the_session_serves_until_it_is_revoked() {
    let mut asked = Asked::start("session", &[]);
    let path = asked.outside("a.txt");
    let edit =
        |find: &str, replace: &str| json!({ "path": path, "edits": [{ "find": find, "replace": replace }] });
    let reply = asked.call("edit_file", &edit("in outside", "changed"));
    assert_eq!((code(&reply), asked.questions.len()), ("none", 1), "{reply}");
    let preview = asked.call_with("edit_file", &edit("changed", "again"), &json!({ "preview": true }));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "changed\n", "{preview}");
    let plan = &preview["result"]["_meta"]["dev.overt/plan"];
    assert!(plan.is_string() && preview.to_string().contains("again"), "{preview}");
    let bound = json!({ "dev.overt/plan": plan });
    let reply = asked.call_with("edit_file", &edit("changed", "again"), &bound);
    assert_eq!((code(&reply), asked.questions.len()), ("none", 0), "{reply}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "again\n");
    // A plan that no longer holds changes nothing.
    let reply = asked.call_with("edit_file", &edit("again", "more"), &bound);
    assert_eq!(code(&reply), "PLAN_CHANGED", "{reply}");
    let undo = asked.call("revert_change", &json!({ "path": path }));
    assert_eq!(code(&undo), "none", "{undo}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "changed\n");

    let server = asked.client.running.0.id();
    let roots = asked.call("list_roots", &json!({}));
    let granted = &roots["result"]["structuredContent"]["grantable"];
    assert!(granted.as_array().unwrap().iter().any(|entry| entry["path"] == path.as_str()), "{roots}");
    assert!(!helpers(server, "--serve-grant").is_empty());
    let store = asked.store();
    for grant in store.grants().unwrap() {
        assert!(store.revoke(&revoking(&grant)).unwrap());
    }
    wait_until("the workers ended", || helpers(server, "--serve-grant").is_empty());
    asked.answers = "no";
    let reply = asked.call("edit_file", &edit("changed", "x"));
    assert!(reply["result"]["isError"] == true && asked.questions.len() == 1, "{reply}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "changed\n");
    // The roots go on as before.
    assert_eq!(text(&asked.call("read_file", &json!({ "path": "a.txt" }))), "in root\n");
    // The spawner ends with the server, however it ends.
    let spawner = helpers(server, "--start-workers");
    assert_eq!(spawner.len(), 1);
    asked.client.running.0.kill().unwrap();
    asked.client.running.0.wait().unwrap();
    wait_until("the spawner ended", || !Path::new(&format!("/proc/{}/exe", spawner[0])).exists());
}

/// A change across the roots and a granted place is refused, and says which path is where. Between
/// two granted places it is made whole.
#[test]
fn a_change_across_workers_is_refused_or_whole() {
    let mut asked = Asked::start("once", &[]);
    let (here, there) = ("a.txt".to_owned(), asked.outside("b.txt"));
    for (tool, arguments) in [
        ("move_file", json!({ "from": here, "to": there })),
        ("copy_file", json!({ "from": there, "to": "c.txt" })),
        ("edit_file", json!({ "path": here, "edits": [{ "path": there, "find": "a", "replace": "b" }] })),
    ] {
        let reply = asked.call(tool, &arguments);
        assert_eq!((code(&reply), asked.questions.len()), ("PATH_OUTSIDE_ROOT", 0), "{tool}: {reply}");
        let said = text(&reply);
        assert!(said.contains("is inside the roots") && said.contains(&there), "{said}");
    }
    let third = asked.place.path().canonicalize().unwrap().join("third");
    std::fs::create_dir(&third).unwrap();
    let moved = third.join("moved.txt");
    let reply = asked.call("move_file", &json!({ "from": asked.outside("a.txt"), "to": moved }));
    assert_eq!(code(&reply), "none", "{reply}");
    assert_eq!(std::fs::read_to_string(moved).unwrap(), "in outside\n");
    asked.client.end();
}

/// What protects the grants themselves, what the kernel tells of itself, and links on the way are
/// not granted, whatever a person says.
#[test]
fn some_places_are_never_granted() {
    let mut asked = Asked::start("once", &[]);
    let state = asked.state.path().canonicalize().unwrap();
    let inside = state.join("grants/key").display().to_string();
    for path in [inside.as_str(), "/proc/self/environ", "/dev/null", "/"] {
        let reply = asked.call("read_file", &json!({ "path": path }));
        assert_eq!((code(&reply), asked.questions.len()), ("PATH_OUTSIDE_ROOT", 0), "{path}: {reply}");
    }
    let link = asked.place.path().canonicalize().unwrap().join("link");
    std::os::unix::fs::symlink(real(&asked.place, "outside"), &link).unwrap();
    let reply = asked.call("read_file", &json!({ "path": link.join("a.txt") }));
    assert_eq!(code(&reply), "PATH_NOT_ALLOWED", "{reply}");
    assert!(text(&reply).contains("leads through a link"), "{reply}");
    // A folder that is granted does not show the state folder inside it.
    let reply = asked
        .call("find_files", &json!({ "path": state.parent().unwrap(), "pattern": "key", "hidden": true }));
    assert!(code(&reply) == "none" && !reply.to_string().contains(&inside), "{reply}");
    asked.client.end();
}

/// The same flow in 2026-07-28: the question comes as a result, and the client sends the request
/// again with the answer, for this request and for the session.
#[test]
fn h_22_a_modern_client_is_asked_in_a_result() {
    let place = two_folders();
    let outside = real(&place, "outside");
    let state = TempDir::new().unwrap();
    let mut command = overt();
    command.env("OVERT_STATE_DIR", state.path());
    command.args(["fs", "--trust-quick-answers"]).current_dir(place.path().join("root"));
    let mut client = Client::silent(command);
    let meta = |capabilities: Value| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "1" },
        })
    };
    let call = |tool: &str, arguments: Value, capabilities: Value| json!({ "name": tool, "arguments": arguments, "_meta": meta(capabilities) });
    let read = json!({ "path": format!("{outside}/a.txt") });
    // A client that can't ask gets the refusal with what to ask for.
    let reply = client.ask("tools/call", &call("read_file", read.clone(), json!({})));
    assert_eq!(requested(&reply)[0], format!("read:file:{outside}/a.txt"), "{reply}");
    let form = || json!({ "elicitation": { "form": {} } });
    let mut answered = |tool: &str, arguments: &Value, decision: &str| {
        let params = call(tool, arguments.clone(), form());
        let asked = client.ask("tools/call", &params);
        if asked["result"]["resultType"] != "input_required" {
            return (asked, 0);
        }
        let requests = asked["result"]["inputRequests"].as_object().unwrap();
        let answer = json!({ "action": "accept", "content": { "decision": decision } });
        let answers: serde_json::Map<_, _> =
            requests.keys().map(|key| (key.clone(), answer.clone())).collect();
        let mut again = params;
        again["inputResponses"] = answers.into();
        again["requestState"] = asked["result"]["requestState"].clone();
        (client.ask("tools/call", &again), 1)
    };
    for _ in 0..2 {
        let (reply, questions) = answered("read_file", &read, "once");
        assert_eq!((text(&reply), questions), ("in outside\n", 1), "{reply}");
    }
    let edit = |find: &str, replace: &str| json!({ "path": format!("{outside}/a.txt"), "edits": [{ "find": find, "replace": replace }] });
    for (find, replace, expected) in [("in", "for", 1), ("for", "by", 0)] {
        let (reply, questions) = answered("edit_file", &edit(find, replace), "session");
        assert_eq!((code(&reply), questions), ("none", expected), "{reply}");
    }
    assert_eq!(std::fs::read_to_string(format!("{outside}/a.txt")).unwrap(), "by outside\n");
    client.end();
}

/// A yes for everything of the server is not one for every place.
#[test]
fn a_grant_for_the_tool_or_the_server_opens_nothing_outside() {
    let mut asked = Asked::start("session-server", &[]);
    file(&asked.place.path().join("root"), "gone.txt", "x");
    let reply = asked.call("delete_file", &json!({ "path": "gone.txt" }));
    assert_eq!(code(&reply), "none", "{reply}");
    assert_eq!(asked.questions.len(), 1);
    asked.answers = "no";
    let reply = asked.call("delete_file", &json!({ "path": asked.outside("a.txt") }));
    assert_eq!(asked.questions.len(), 1, "{reply}");
    assert!(PathBuf::from(asked.outside("a.txt")).exists());
    let grants = asked.store().grants().unwrap();
    assert!(grants.iter().any(|grant| grant.terms.lifetime == GrantLifetime::Session), "{grants:?}");
    asked.client.end();
}
