//! Servers that require a token: tokens from variables and files, logging in and out.
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use overt_testkit::oauth::{Habits, World, agree};
use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{file, overt, quoted, report, run, run_with_stdin, wait_until};

/// The binary with its own state folder.
fn at(state: &TempDir) -> Command {
    let mut command = overt();
    command.env("OVERT_STATE_DIR", state.path());
    command
}

fn run_at(state: &TempDir, arguments: &[&str]) -> CommandOutput {
    report(&at(state).args(arguments).output().unwrap())
}

/// Logs in as a person who agrees, and returns the output after the address.
pub(crate) fn login(state: &TempDir, arguments: &[&str]) -> String {
    let mut command = at(state);
    command.args(["login", "--no-browser"]).args(arguments).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.trim_start().starts_with("http") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "an address is printed");
    }
    let page = agree(line.trim(), |address| address).unwrap();
    assert!(page.contains("You are logged in"), "{page}");
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{rest}");
    rest
}

#[test]
fn a_token_comes_from_a_variable_or_a_file() {
    let world = World::start(Habits::default());
    let directory = TempDir::new().unwrap();
    let token = world.issue("basic");
    let path = file(directory.path(), "token", &format!("{token}\n"));
    let mut command = overt();
    command.args(["list", &world.url, "--token-env", "TOKEN"]).env("TOKEN", &token);
    report(&command.output().unwrap()).succeeds();
    run(&["call", &world.url, "narrow", "--token-file", &path]).succeeds();
    world.revoke_access();
    let mut command = overt();
    command.args(["list", &world.url, "--token-env", "TOKEN"]).env("TOKEN", &token);
    snapshot!(report(&command.output().unwrap()), @"
    exit 3
    --- stderr
    error: `http://127.0.0.1:[PORT]/mcp` answered with HTTP status 401

    hint: the server wants another authorization: `--token-env VAR` or `--token-file FILE` pass a token, `overt login` asks for one
    ");
}

#[test]
fn wrong_options_are_refused_without_showing_a_value() {
    let url = "http://127.0.0.1:1/mcp";
    snapshot!(run(&["list", url, "--token-env", "NOT_SET"]), @"
    exit 2
    --- stderr
    error: the environment variable `NOT_SET` of `--token-env` is not set

    hint: export it first: `export NOT_SET=…`
    ");
    let mut command = overt();
    command.args(["list", url, "--token-env", "TOKEN"]).env("TOKEN", "two w0rds");
    snapshot!(report(&command.output().unwrap()), @"
    exit 2
    --- stderr
    error: the token of `--token-env` can't be used
      caused by: the token is empty or has characters that no token has
    ");
    snapshot!(run(&["list", url, "--header", "authorization: x", "--oauth"]), @"
    exit 2
    --- stderr
    error: `--oauth` and a header `Authorization` can't be used together

    hint: give one of them
    ");
    snapshot!(run(&["list", "--oauth", "--", "true"]), @"
    exit 2
    --- stderr
    error: `--oauth` needs a server that is reached over HTTP
    ");
    snapshot!(run(&["list", url, "--oauth-flow", "client-credentials"]), @"
    exit 2
    --- stderr
    error: client credentials need the id and the secret of a client

    hint: name them with `--oauth-client-id` and `--oauth-client-secret-env`
    ");
    snapshot!(run(&["login", "--", "true"]), @"
    exit 2
    --- stderr
    error: `overt login` needs a server that is reached over HTTP
    ");
}

#[test]
fn a_login_is_kept_used_and_forgotten() {
    let world = World::start(Habits::default());
    let state = TempDir::new().unwrap();
    snapshot!(run_at(&state, &["list", &world.url]), @"
    exit 3
    --- stderr
    error: no authorization for `http://127.0.0.1:[PORT]/mcp`
      caused by: nobody has logged in to `http://127.0.0.1:[PORT]/mcp` yet

    hint: `overt login http://127.0.0.1:[PORT]/mcp` logs in; a token that you have already goes into `--token-env VAR` or `--token-file FILE`
    ");
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "nothing is written for that");

    let said = login(&state, &[&world.url]);
    insta::with_settings!({filters => vec![(r"/[^ \n]*/auth/\w+", "[STATE]/auth/[KEY]"), (r":\d+", ":[PORT]")]}, {
        insta::assert_snapshot!(said, @"
        logged in to 127.0.0.1:[PORT] for basic
        the tokens are in [STATE]/auth/[KEY].json
        ");
    });
    run_at(&state, &["list", &world.url]).succeeds();
    run_at(&state, &["call", &world.url, "narrow"]).succeeds();
    run_at(&state, &["call", &world.url, "wide"]).exits(3, &["the scopes `wide`"]);

    login(&state, &[&world.url, "--oauth-scope", "basic", "--oauth-scope", "wide"]);
    run_at(&state, &["call", &world.url, "wide"]).succeeds();

    snapshot!(run_at(&state, &["logout", &world.url]), @"
    exit 0
    --- stderr
    logged out of 127.0.0.1:[PORT]
    ");
    snapshot!(run_at(&state, &["logout", &world.url]), @"
    exit 0
    --- stderr
    there were no tokens for 127.0.0.1:[PORT]
    ");
    run_at(&state, &["list", &world.url]).exits(3, &[]);
}

#[test]
fn up_16_the_browser_gets_the_address_as_one_argument() {
    let world = World::start(Habits::default());
    let state = TempDir::new().unwrap();
    let seen = state.path().join("seen");
    let script = format!("#!/bin/sh\nprintf '%s %s' \"$#\" \"$1\" > {}\n", quoted(&seen.to_string_lossy()));
    let program = file(state.path(), "xdg-open", &script);
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = at(&state);
    let path = format!("{}:{}", state.path().display(), std::env::var_os("PATH").unwrap().to_string_lossy());
    command.args(["login", &world.url]).env("DISPLAY", ":0").env("PATH", path);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let read = || std::fs::read_to_string(&seen).unwrap_or_default();
    wait_until("the browser is opened", || read().contains("state="));
    let text = read();
    let address = text.strip_prefix("1 ").expect("one argument");
    agree(address, |address| address).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn run_uses_tokens_and_asks_nobody() {
    let world = World::start(Habits::default());
    let state = TempDir::new().unwrap();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#;
    let request = format!("{request}\n");
    let without = run_with_stdin(
        at(&state).args(["run", "--allow-all", "--audit", "off", &world.url]).env("DISPLAY", ":0"),
        &request,
    );
    assert!(without.contains(r#""error":"#) && without.contains("overt login"), "{without}");
    assert_eq!(world.count("/authorize"), 0);
    login(&state, &[&world.url]);
    let with =
        run_with_stdin(at(&state).args(["run", "--allow-all", "--audit", "off", &world.url]), &request);
    assert!(with.contains(r#""name":"narrow""#), "{with}");
    for secret in world.secrets() {
        assert!(!with.contains(&secret) && !without.contains(&secret));
    }
}

#[test]
fn no_token_shows_up_in_the_log() {
    let world = World::start(Habits::default());
    let state = TempDir::new().unwrap();
    login(&state, &[&world.url]);
    world.revoke_access();
    let mut command = at(&state);
    command
        .args(["call", &world.url, "narrow", "-v"])
        .env("OVERT_LOG", "trace,hyper=trace,reqwest=trace,rmcp=trace,rustls=trace");
    let text = report(&command.output().unwrap()).exits(0, &["refused; trying"]);
    for secret in world.secrets() {
        assert!(!text.contains(&secret), "{secret}: {text}");
    }
}
