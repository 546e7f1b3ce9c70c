//! A hundred spellings of denied and allowed URIs, read through `overt run` from three servers that
//! read URIs differently; and our canonical form compared with Node's.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::case::{self, Case};
use super::servers;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// A server, a resource that may be read, and one that may not.
struct Subject {
    name: &'static str,
    command: Vec<OsString>,
    allowed: String,
    denied: String,
    /// A text that only the denied resource contains.
    canary: String,
}

pub(crate) fn cases(repo: &Repo) -> Result<Vec<Case>, Failure> {
    let dir = repo.out.join("uris");
    for (folder, text) in [("open", "open text"), ("secret", CANARY)] {
        fs::create_dir_all(dir.join(folder)).map_err(Failure::file("make", &dir))?;
        let file = dir.join(folder).join("a.txt");
        fs::write(&file, text).map_err(Failure::file("write", &file))?;
    }
    let uri = |folder: &str| format!("file://{}/{folder}/a.txt", dir.display());
    let files = |name, program: &PathBuf, script: &str| {
        let paths = ["open", "secret"].map(|folder| OsString::from(dir.join(folder).join("a.txt")));
        let mut command = vec![OsString::from(program), repo.root.join(script).into()];
        command.extend(paths);
        Subject { name, command, allowed: uri("open"), denied: uri("secret"), canary: CANARY.to_owned() }
    };
    let everything = Subject {
        name: "server-everything",
        command: vec![repo.node().into(), servers::everything(repo).into(), "stdio".into()],
        allowed: "demo://resource/dynamic/text/1".to_owned(),
        denied: "demo://resource/dynamic/text/77".to_owned(),
        canary: "Resource 77".to_owned(),
    };
    let subjects = [
        files("Node", &repo.node(), "tools/peers/uri_server.mjs"),
        files("Python", &repo.python(), "tools/peers/uri_server.py"),
        everything,
    ];
    let mut cases: Vec<Case> = subjects
        .iter()
        .flat_map(|subject| [false, true].map(|lists| spelled(repo, subject, lists)))
        .collect();
    cases.push(beside_node(repo));
    Ok(cases)
}

/// The name of every server in scopes.
const NAME: &str = "server-under-test";
const CANARY: &str = "CANARY-OF-THE-DENIED-FILE";

/// Returns the case that reads all spellings. The denied resource must not be read in any spelling;
/// the allowed one must be read.
fn spelled(repo: &Repo, subject: &Subject, lists: bool) -> Case {
    let name = format!("URIs, {}{}", subject.name, if lists { ", listed first" } else { "" });
    let denied = subject.denied.clone();
    let plain = [&subject.allowed].into_iter().cloned();
    let uris: Vec<String> = plain.chain(spellings(&denied)).chain(spellings(&subject.allowed)).collect();
    let dir = repo.out.join(format!("{}-state", name.replace([' ', ','], "-")));
    let config = repo.out.join(format!("{}.toml", name.replace([' ', ','], "-")));
    let rules =
        [("list", format!("[policy.resources]\ndeny = [{denied:?}]\n")), ("scope", scope_rule(&denied))];
    let servers = config.with_extension("json");
    let words: Vec<_> = subject.command.iter().map(|word| word.to_string_lossy()).collect();
    let entry = json!({ "mcpServers": { NAME: { "command": words[0], "args": words[1..] } } });
    let (allowed, canary, repo) = (subject.allowed.clone(), subject.canary.clone(), repo.clone());
    Case::new(name.clone(), move || {
        let (mut refused, mut read) = (0, 0);
        for (rule, text) in &rules {
            let _ = fs::remove_dir_all(&dir);
            fs::write(&config, text).map_err(Failure::file("write", &config))?;
            fs::write(&servers, entry.to_string()).map_err(Failure::file("write", &servers))?;
            let job = Job::new(&repo, &format!("peer {name} {rule}"), repo.python())
                .arg(repo.root.join("tools/peers/uris.py"))
                .args([if lists { "list" } else { "nolist" }, &json!(uris).to_string()])
                .args(run(&repo, &dir, &config, &servers));
            for seen in case::json(&job)?.as_array().into_iter().flatten() {
                let (uri, text) = (case::text(&seen[0]), case::text(&seen[1]));
                if text.contains(&canary) {
                    return Err(Failure::new(format!("denied by {rule}, and read as {uri:?}")));
                }
                if uri == allowed && seen[1].is_null() {
                    return Err(Failure::new(format!("`{uri}` is not read: {}", seen[2])));
                }
                refused += usize::from(seen[1].is_null());
                read += usize::from(!seen[1].is_null());
            }
        }
        Ok(format!(
            "{} spellings by two rules: {refused} refused, {read} of what is allowed read",
            uris.len() - 1
        ))
    })
}

/// Returns settings that deny the resource by a scope.
fn scope_rule(denied: &str) -> String {
    let scope = match denied.strip_prefix("file://") {
        Some(path) => format!("read:file:{path}"),
        None => format!("read:{NAME}:{denied}"),
    };
    format!("[settings]\ndeny = [{scope:?}]\n")
}

fn run(repo: &Repo, state: &Path, config: &Path, servers: &Path) -> Vec<OsString> {
    let mut words = repo.overt_in(state);
    words.extend([
        "run".into(),
        "--config".into(),
        config.into(),
        "--mcp-json".into(),
        servers.into(),
        NAME.into(),
    ]);
    words
}

/// Returns spellings of the same URI, and strings that some servers take for it.
fn spellings(uri: &str) -> Vec<String> {
    let (scheme, rest) = uri.split_once("://").unwrap_or((uri, ""));
    let (folder, name) = rest.rsplit_once('/').unwrap_or(("", rest));
    let escaped = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let first = |text: &str| {
        let (first, rest) = text.split_at(text.char_indices().nth(1).map_or(text.len(), |(at, _)| at));
        format!("{}{rest}", escaped(first))
    };
    let (last_folder, above) = folder.rsplit_once('/').map_or((folder, ""), |(above, last)| (last, above));
    let mut all: BTreeSet<String> = BTreeSet::new();
    let whole = |path: &str| format!("{scheme}://{path}");
    all.insert(uri.to_owned());
    for scheme in [scheme.to_ascii_uppercase(), scheme[..1].to_ascii_uppercase() + &scheme[1..]] {
        all.insert(format!("{scheme}://{rest}"));
    }
    for blank in
        [" ", "\t", "\n", "\r", "\r\n", "\0", "\u{1}", "\u{b}", "\u{c}", "\u{a0}", "\u{feff}", "\u{2028}"]
    {
        all.insert(format!("{blank}{uri}"));
        all.insert(format!("{uri}{blank}"));
        all.insert(format!("{scheme}{blank}://{rest}"));
        all.insert(whole(&format!("{folder}/{blank}{name}")));
    }
    for path in [
        format!("{folder}/./{name}"),
        format!("{folder}/x/../{name}"),
        format!("{folder}/%2e/{name}"),
        format!("{folder}/x/%2e%2E/{name}"),
        format!("{folder}/x/.%2e/{name}"),
        format!("{folder}//{name}"),
        format!("{folder}/{name}/"),
        format!("{folder}/{name}//"),
        format!("{folder}/{name}/."),
        format!("{folder}/{name}?"),
        format!("{folder}/{name}?x=1"),
        format!("{folder}/{name}#"),
        format!("{folder}/{name}#x"),
        format!("{folder}/{name};x"),
        format!("{folder}/{}", first(name)),
        format!("{folder}/{}", escaped(name)),
        format!("{folder}/{}", escaped(name).to_ascii_uppercase()),
        format!("{folder}/{}", escaped(&escaped(name))),
        format!("{above}/{}/{name}", first(last_folder)),
        format!("{above}/{}/{name}", escaped(last_folder)),
        format!("{above}/{}/{name}", last_folder.to_ascii_uppercase()),
        format!("{folder}%2f{name}"),
        format!("{folder}%2F{name}"),
        format!("{folder}%252f{name}"),
        format!("{folder}%5c{name}"),
        format!("{folder}\\{name}"),
        format!("{folder}/x\\..\\{name}"),
        format!("{folder}/{name}%00"),
        format!("{folder}/{name}%20"),
        format!("{folder}/{name}%0a"),
        format!("{folder}/%00/../{name}"),
        rest.replace('/', "\\"),
        rest.replace('/', "//"),
        format!("/{rest}"),
        format!("//{rest}"),
        rest.to_ascii_uppercase(),
        format!("me@{rest}"),
        format!("me:pw@{rest}"),
        format!("localhost{rest}"),
        format!("LOCALHOST{rest}"),
        format!("127.0.0.1{rest}"),
        format!("x/../{rest}"),
        format!("./{rest}"),
        format!("{folder}/{name}%"),
        format!("{folder}/{name}%zz"),
        format!("{folder}/{}", name.replace('.', "%2e")),
        format!("{folder}/{}", name.replace('a', "\u{ff41}")),
        format!("{folder}/{}", name.replace('7', "\u{ff17}")),
    ] {
        all.insert(whole(&path));
    }
    for other in [
        format!("{scheme}:{rest}"),
        format!("{scheme}:/{rest}"),
        format!("{scheme}:///{rest}"),
        format!("{scheme}:////{rest}"),
        format!("{scheme}:\\\\{rest}"),
        format!("{scheme}:/\\{rest}"),
        format!("{scheme}:{}", rest.trim_start_matches('/')),
        rest.to_owned(),
        format!("url:{uri}"),
        format!("<{uri}>"),
        format!("{scheme}%3a//{rest}"),
        format!("{}://{rest}", first(scheme)),
        format!("vscode-{uri}"),
    ] {
        all.insert(other);
    }
    all.into_iter().collect()
}

/// Returns the case that compares how Node reads our canonical forms with how it reads what was
/// sent.
fn beside_node(repo: &Repo) -> Case {
    let repo = repo.clone();
    let samples = [
        "file:///tmp/My Files/(a)!/b.txt",
        "file:///caf\u{e9}/%C3%A9/x",
        "demo://Host/Path/%41%2D%7e/%28",
        "https://Example.com:443/a/../b?q=%41%26#",
    ];
    let uris: Vec<String> =
        samples.iter().flat_map(|uri| spellings(uri)).chain(spellings("file:///secret/a.txt")).collect();
    Case::new("URIs, canonical beside Node's".to_owned(), move || {
        let given = repo.out.join("uris.json");
        fs::write(&given, json!(uris).to_string()).map_err(Failure::file("write", &given))?;
        let program = repo.example("canonical_uris");
        let ours = case::json(&Job::new(&repo, "peer canonical URIs", program).arg(&given))?;
        let node = |file: &Path| {
            case::json(
                &Job::new(&repo, "peer canonical URIs of Node", repo.node())
                    .arg(repo.root.join("tools/peers/canonical.mjs"))
                    .arg(file),
            )
        };
        let sent = node(&given)?;
        let canonical: Vec<Value> = ours.as_array().into_iter().flatten().map(|uri| uri[0].clone()).collect();
        let forms = repo.out.join("uris-canonical.json");
        fs::write(&forms, json!(canonical.iter().map(case::text).collect::<Vec<_>>()).to_string())
            .map_err(Failure::file("write", &forms))?;
        let again = node(&forms)?;
        let mut taken = 0;
        for (index, uri) in uris.iter().enumerate() {
            let (our, sent, again) = (&ours[index], &sent[index], &again[index]);
            if our.is_null() {
                continue;
            }
            taken += 1;
            let same = again[0] == our[0] && sent[1] == again[1] && our[1] == again[1];
            let same_path = our[1].is_null() || sent[1].as_str().map(names) == our[1].as_str().map(names);
            if !(same || same_path && again[0] == our[0]) {
                return Err(Failure::new(format!("{uri:?}: ours {our}, Node {sent}, Node of ours {again}")));
            }
        }
        Ok(format!("{taken} of {} taken, all read alike", uris.len()))
    })
}

/// Returns the names in a path, without empty ones.
fn names(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}
