//! Random plans of changes to a small tree, held against a model of it: what the file server says
//! is done is done and nothing else, what it refuses leaves everything as it was, and the last
//! change can be undone.
#![no_main]
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use overt_layers::setting::{DeclaredSettings, Origin, SettingValue, SettingValues};
use overt_servers::files::{FileServer, Options, settings};
use overt_wire::json::Limits;
use overt_wire::{Exchange, Handler, Message, NoClient, Principal, Session};
use serde_json::{Value, json};

/// Changes in one plan.
const MOST_STEPS: usize = 24;

/// Path to content; none for a folder.
type Tree = BTreeMap<String, Option<String>>;

fuzz_target!(|bytes: &[u8]| {
    let place = std::env::temp_dir().join(format!("overt-fuzz-files-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(place.join("root")).expect("a folder for the plan");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(play(&place, bytes));
    let _ = std::fs::remove_dir_all(&place);
});

async fn play(place: &Path, bytes: &[u8]) {
    let root = place.join("root");
    let handler = serve(&root, place.join("journal"));
    let mut model = Tree::new();
    // The trees before each change that can still be undone, with its name.
    let mut past: Vec<(String, Tree)> = Vec::new();
    for step in bytes.chunks_exact(4).take(MOST_STEPS) {
        let (one, other) = (path(step[1]), path(step[2]));
        let flag = step[3] & 1 == 1;
        let content = ["", "a", "aa", "ab\n", "b\nc\n"][usize::from(step[3] / 2) % 5];
        let (tool, arguments, wanted) = match step[0] % 9 {
            0 => write(&model, &one, content, "overwrite", flag),
            1 => write(&model, &one, content, "append", flag),
            2 => write(&model, &one, content, "prepend", flag),
            3 => write(&model, &one, content, "create", flag),
            4 => (
                "edit_file",
                json!({"path": one, "edits": [{"find": "a", "replace": content}]}),
                edited(&model, &one, content),
            ),
            5 => (
                "create_directory",
                json!({"path": one, "create_parents": flag}),
                grown(&model, &one, flag, None),
            ),
            6 => ("move_file", json!({"from": one, "to": other}), carried(&model, &one, &other, true)),
            7 => ("copy_file", json!({"from": one, "to": other}), carried(&model, &one, &other, false)),
            _ if flag && !past.is_empty() => {
                let (change, before) = past.pop().expect("there is one");
                ("revert_change", json!({ "change": change }), Some(before))
            }
            _ => {
                let recursive = step[3] & 2 == 2;
                (
                    "delete_file",
                    json!({"path": one, "recursive": recursive}),
                    deleted(&model, &one, recursive),
                )
            }
        };
        let shown = call(&handler, tool, arguments.clone(), json!({"preview": true})).await;
        assert_eq!(read(&root), model, "a preview changed something: {tool} {arguments}");
        let answer = call(&handler, tool, arguments.clone(), json!({})).await;
        let is_done = answer["result"]["isError"].is_null() && answer["error"].is_null();
        assert_eq!(is_done, wanted.is_some(), "{tool} {arguments} on {model:?}: {answer}");
        assert_eq!(
            shown["result"]["isError"].is_null(),
            is_done,
            "the preview said otherwise: {tool} {arguments}"
        );
        if let Some(next) = wanted {
            let change =
                answer["result"]["structuredContent"]["change"].as_str().expect("it has a name").to_owned();
            let before = std::mem::replace(&mut model, next);
            if tool != "revert_change" {
                past.push((change, before));
            }
        }
        assert_eq!(read(&root), model, "{tool} {arguments}");
    }
}

fn serve(root: &Path, journal: PathBuf) -> Arc<dyn Handler> {
    let declared = Arc::new(DeclaredSettings::new(settings()).expect("they are right"));
    let mut given = overt_layers::setting::SourceValues::default();
    given.set("durability", SettingValue::Text("rename".to_owned()), Origin::Default);
    let values = SettingValues::defaults(declared).over(given);
    let options = Options { journal: Some(journal), ..Options::new(vec![root.to_owned()], values) };
    let server = FileServer::open(&options).expect("the root is there");
    overt_layers::open(server.endpoint().expect("it is declared rightly"))
}

async fn call(handler: &Arc<dyn Handler>, tool: &str, arguments: Value, mut meta: Value) -> Value {
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let text = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let message = Message::parse(text.into_bytes(), &Limits::default()).expect("we wrote it");
    let session = Session::of_connection("fuzz".into(), Principal::local(), Arc::new(NoClient));
    let exchange =
        Exchange::new(message, session, Arc::new(NoClient)).unwrap_or_else(|_| panic!("we wrote it"));
    let reply = handler.call(exchange).await.expect("every call is answered");
    serde_json::from_str(reply.text()).expect("an answer is JSON")
}

/// One to three names of three.
fn path(byte: u8) -> String {
    let name = |number: u8| ["x", "y", "z"][usize::from(number % 3)];
    let names = [name(byte), name(byte / 3), name(byte / 9)];
    names[..usize::from(byte / 27) % 3 + 1].join("/")
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

/// Whether the folder of a path is there.
fn has_parent(model: &Tree, path: &str) -> bool {
    parent(path).is_none_or(|parent| model.get(parent) == Some(&None))
}

fn inside<'a>(model: &'a Tree, path: &str) -> impl Iterator<Item = (&'a String, &'a Option<String>)> {
    let (own, beneath) = (path.to_owned(), format!("{path}/"));
    model.iter().filter(move |(path, _)| **path == own || path.starts_with(&beneath))
}

fn write(
    model: &Tree,
    path: &str,
    content: &str,
    mode: &str,
    create_parents: bool,
) -> (&'static str, Value, Option<Tree>) {
    let arguments = json!({"path": path, "content": content, "mode": mode, "create_parents": create_parents});
    let wanted = match model.get(path) {
        Some(None) => None,
        Some(Some(_)) if mode == "create" => None,
        Some(Some(old)) => {
            let new = match mode {
                "append" => format!("{old}{content}"),
                "prepend" => format!("{content}{old}"),
                _ => content.to_owned(),
            };
            let mut next = model.clone();
            next.insert(path.to_owned(), Some(new));
            Some(next)
        }
        None => grown(model, path, create_parents, Some(content)),
    };
    ("write_file", arguments, wanted)
}

/// Something that was not there, with the folders on the way.
fn grown(model: &Tree, path: &str, create_parents: bool, content: Option<&str>) -> Option<Tree> {
    if model.contains_key(path) || !(create_parents || has_parent(model, path)) {
        return None;
    }
    let mut next = model.clone();
    let mut above = parent(path);
    while let Some(folder) = above {
        match model.get(folder) {
            Some(None) => break,
            Some(Some(_)) => return None,
            None => drop(next.insert(folder.to_owned(), None)),
        }
        above = parent(folder);
    }
    next.insert(path.to_owned(), content.map(str::to_owned));
    Some(next)
}

fn edited(model: &Tree, path: &str, replace: &str) -> Option<Tree> {
    let old = model.get(path)?.as_ref()?;
    if old.matches('a').count() != 1 {
        return None;
    }
    let mut next = model.clone();
    next.insert(path.to_owned(), Some(old.replace('a', replace)));
    Some(next)
}

fn carried(model: &Tree, from: &str, to: &str, takes: bool) -> Option<Tree> {
    if !model.contains_key(from)
        || model.contains_key(to)
        || !has_parent(model, to)
        || to.starts_with(&format!("{from}/"))
    {
        return None;
    }
    let mut next = model.clone();
    for (path, content) in inside(model, from) {
        if takes {
            next.remove(path);
        }
        next.insert(format!("{to}{}", &path[from.len()..]), content.clone());
    }
    Some(next)
}

fn deleted(model: &Tree, path: &str, recursive: bool) -> Option<Tree> {
    let gone: Vec<_> = inside(model, path).map(|(path, _)| path.clone()).collect();
    if gone.is_empty() || (gone.len() > 1 && !recursive) {
        return None;
    }
    let mut next = model.clone();
    next.retain(|path, _| !gone.contains(path));
    Some(next)
}

/// What is on the disk.
fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it is there") {
            let path = entry.expect("it can be listed").path();
            let name =
                path.strip_prefix(root).expect("it is inside").to_str().expect("we named it").to_owned();
            if path.is_dir() {
                tree.insert(name, None);
                folders.push(path);
            } else {
                tree.insert(name, Some(std::fs::read_to_string(&path).expect("it is text")));
            }
        }
    }
    tree
}
