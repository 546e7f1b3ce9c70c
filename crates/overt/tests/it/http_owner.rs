//! HTTP on loopback serves its own user, and other users only with a token (A-11).
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::http::canned;
use crate::output::{CommandOutput, snapshot};
use crate::support::{Running, Script, overt, report, run, wait_until};

/// `overt fs` over HTTP.
struct Served {
    dir: TempDir,
    url: String,
    _server: Running,
}

/// A user id that this machine need not know, and that is not `nobody`.
const OTHER_USER: u32 = 54_321;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"other","version":"1"}}}"#;

impl Served {
    #[expect(clippy::print_stdout, reason = "says what this machine can't check")]
    fn start(address: &str) -> Option<Self> {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let mut command = overt();
        command.env("OVERT_STATE_DIR", dir.path().join("state")).args(["fs", "--http", address]).arg(&root);
        let log = dir.path().join("log");
        let file = std::fs::File::create(&log).unwrap();
        let server = Running(command.stdout(Stdio::null()).stderr(file).spawn().unwrap());
        let mut url = None;
        wait_until("the server listens or fails", || {
            let text = std::fs::read_to_string(&log).unwrap();
            url = text.split("listening on ").nth(1).and_then(|rest| rest.lines().next()).map(str::to_owned);
            url.is_some() || text.contains("error:")
        });
        let Some(url) = url else {
            println!("NOT CHECKED HERE: this machine has no {address}");
            return None;
        };
        Some(Self { dir, url, _server: server })
    }

    fn token(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.dir.path().join("state")).arg("token").args(arguments);
        report(&command.output().unwrap())
    }

    fn new_token(&self) -> String {
        let said = self.token(&["create", "--name", "ada"]);
        said.split_once(r#""token":""#).unwrap().1.split('"').next().unwrap().to_owned()
    }

    fn post(&self, user: Option<u32>, headers: &[&str]) -> String {
        let more = headers.iter().flat_map(|header| ["-H", header]);
        let fixed = [
            "-d",
            INITIALIZE,
            "-H",
            "content-type: application/json",
            "-H",
            "accept: application/json, text/event-stream",
        ];
        curl(user, &fixed.into_iter().chain(more).chain([self.url.as_str()]).collect::<Vec<_>>())
    }
}

/// Returns the status line, the headers and the body, requested as this user.
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this is somebody else's client")]
fn curl(user: Option<u32>, arguments: &[&str]) -> String {
    let mut command = match user {
        None => Command::new("curl"),
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()]);
            command.arg("curl");
            command
        }
    };
    let output = command
        .env_remove("http_proxy")
        .args(["-sS", "-i", "--noproxy", "*", "--max-time", "10"])
        .args(arguments)
        .output();
    let output = output.unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        .replace('\r', "")
}

/// Returns whether this test can act as another user.
#[expect(clippy::print_stdout, reason = "says what this machine can't check")]
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this looks for a tool")]
fn can_be_another() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    let is_there = |tool: &str| Command::new(tool).arg("--version").stdout(Stdio::null()).status().is_ok();
    let can = is_root && is_there("setpriv") && is_there("curl");
    if !can {
        println!("NOT CHECKED HERE: it takes root, `setpriv` and `curl` to be another user");
    }
    can
}

#[test]
fn a_11_our_own_user_needs_no_token_and_another_user_does() {
    if !can_be_another() {
        return;
    }
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Some(served) = Served::start(address) else { continue };
        let own = served.post(None, &[]);
        assert!(own.starts_with("HTTP/1.1 200"), "{address}: {own}");
        for other in [OTHER_USER, 65_534] {
            let refused = served.post(Some(other), &[]);
            assert!(refused.starts_with("HTTP/1.1 401"), "{address}: {refused}");
            assert!(refused.contains("\nwww-authenticate: Bearer realm=\"overt\"\n"), "{refused}");
            assert!(refused.contains("overt token create"), "{refused}");
        }
        let token = served.new_token();
        let bearer = format!("authorization: Bearer {token}");
        assert!(served.post(Some(OTHER_USER), &[&bearer]).starts_with("HTTP/1.1 200"));
        let wrong = format!("authorization: Bearer {token}x");
        assert!(served.post(Some(OTHER_USER), &[&wrong]).starts_with("HTTP/1.1 401"));
        assert!(served.post(None, &[&wrong]).starts_with("HTTP/1.1 401"), "a wrong token is refused");
        assert!(served.post(None, &[&bearer]).starts_with("HTTP/1.1 200"));
        assert!(served.token(&["list"]).contains(r#""name":"ada""#));
        served.token(&["revoke", "ada"]).succeeds();
        assert!(served.post(Some(OTHER_USER), &[&bearer]).starts_with("HTTP/1.1 401"), "revoked at once");
    }
}

#[test]
fn a_11_documents_and_preflights_need_no_token_and_nothing_else_passes() {
    if !can_be_another() {
        return;
    }
    let Some(served) = Served::start("127.0.0.1:0") else { return };
    let (other, url) = (Some(OTHER_USER), served.url.as_str());
    let base = url.strip_suffix("/mcp").unwrap();
    let card = curl(other, &[&format!("{base}/llms.txt")]);
    assert!(card.starts_with("HTTP/1.1 200"), "{card}");
    let origin = format!("origin: {base}");
    let preflight =
        curl(other, &["-X", "OPTIONS", "-H", &origin, "-H", "access-control-request-method: POST", url]);
    assert!(preflight.starts_with("HTTP/1.1 204"), "{preflight}");
    for method in ["GET", "DELETE", "PUT", "HEAD"] {
        let refused = match method {
            "HEAD" => curl(other, &["-I", url]),
            _ => curl(
                other,
                &["-X", method, "-H", "accept: text/event-stream", "-H", "mcp-session-id: x", url],
            ),
        };
        assert!(refused.starts_with("HTTP/1.1 401"), "{method}: {refused}");
    }
    let evil = served.post(other, &["origin: http://evil.example"]);
    assert!(evil.starts_with("HTTP/1.1 403"), "the page is refused before anything else: {evil}");
}

#[test]
fn http_06_tokens_are_made_listed_and_revoked() {
    let dir = TempDir::new().unwrap();
    let token = |arguments: &[&str]| {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", dir.path()).env("OVERT_FORMAT", "text").arg("token").args(arguments);
        report(&command.output().unwrap())
    };
    assert!(token(&["list"]).contains("there are no tokens"));
    let made = token(&["create", "--name", "build \u{1b}[2J server"]);
    let text = made.split("--- stdout\n").nth(1).unwrap().lines().next().unwrap().to_owned();
    assert!(text.starts_with("overt_") && text.len() > 40 && made.contains("shown once"), "{made}");
    token(&["create", "--name", "build \u{1b}[2J server"]).exits(2, &["`overt token revoke "]);
    let list = token(&["list"]);
    assert!(list.contains("build") && !list.contains('\u{1b}') && !list.contains(&text), "{list}");
    token(&["revoke", "biuld"]).exits(2, &["no token"]);
    let id = list.lines().nth(3).unwrap().split_whitespace().next().unwrap().to_owned();
    token(&["revoke", &id]).succeeds();
    assert!(token(&["list"]).contains("there are no tokens"));
}

/// A server that is reached by its address may belong to another person, so the error names no
/// command of Overt.
#[test]
fn what_needs_approval_over_http_is_for_the_owner_of_the_server() {
    let tools = r#"[{"name":"change","inputSchema":{"type":"object"}}]"#;
    let server = Script::with_tools(tools).result("tools/call", r#"{"content":[]}"#);
    let [program, script] = server.command();
    let dir = TempDir::new().unwrap();
    let log = dir.path().join("log");
    let mut command = overt();
    command.env("OVERT_STATE_DIR", dir.path().join("state"));
    command.args(["run", "--http", "127.0.0.1:0", "--", &program, &script]);
    let file = std::fs::File::create(&log).unwrap();
    let _server = Running(command.stdout(Stdio::null()).stderr(file).spawn().unwrap());
    let mut url = None;
    wait_until("the server listens", || {
        let text = std::fs::read_to_string(&log).unwrap();
        url = text.split("listening on ").nth(1).and_then(|rest| rest.lines().next()).map(str::to_owned);
        url.is_some()
    });
    snapshot!(run(&["call", &url.clone().unwrap(), "change", "--format", "text"]), @"
    exit 1
    --- stderr
    tool error: `change` needs approval, and without a terminal nobody can be asked; nothing was done

    hint: the owner of the server must allow it: at the server, `overt grants pending` shows the question and the command that answers it
    ");
    let mut wrong = overt();
    wrong.args(["list", &url.unwrap(), "--token-env", "BAD"]).env("BAD", "overt_wrong");
    snapshot!(report(&wrong.output().unwrap()), @"
    exit 3
    --- stderr
    error: no authorization for `http://127.0.0.1:[PORT]/mcp`
      caused by: the server does not accept the token

    hint: ask the owner of the server for another one (`overt token create`)
    ");
}

/// Overt's own server supports no login, so `overt login` would not help.
#[test]
fn without_a_token_only_a_token_is_named() {
    const REFUSAL: &str =
        "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer realm=\"overt\"\r\ncontent-length: 0\r\n\r\n";
    let dir = TempDir::new().unwrap();
    let said = |arguments: &[&str]| {
        let mut command = overt();
        report(&command.env("OVERT_STATE_DIR", dir.path()).args(arguments).output().unwrap())
    };
    snapshot!(said(&["list", &canned(REFUSAL).0]), @"
    exit 3
    --- stderr
    error: no authorization for `http://127.0.0.1:[PORT]/mcp`
      caused by: `http://127.0.0.1:[PORT]/mcp` has no login: it accepts the tokens that its owner makes

    hint: ask the owner of the server for a token (`overt token create`), and pass it with `--token-env VAR` or `--token-file FILE`
    ");
    snapshot!(said(&["login", &canned(REFUSAL).0]), @"
    exit 3
    --- stderr
    error: `http://127.0.0.1:[PORT]/mcp` has no login: it accepts the tokens that its owner makes

    hint: ask the owner of the server for a token (`overt token create`), and pass it with `--token-env VAR` or `--token-file FILE`
    ");
}

/// If a server refuses the user's own credentials, the message in its answer is shown.
#[test]
fn the_message_of_an_error_is_shown_and_not_its_json() {
    const REFUSAL: &str = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 76\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"who are you?\"}}";
    let said = run(&["list", &canned(REFUSAL).0, "--header", "authorization: Bearer x"]);
    assert!(said.contains("answered with HTTP status 401: who are you?\n"), "{said}");
}
