//! `overt policy`: checks files and explains calls.
use std::path::Path;

use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{Script, by_person, file, overt, report, run_with_stdin};

pub(crate) const TOOLS: &str = r#"[{"name":"write_file","description":"Writes.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"annotations":{"readOnlyHint":false}},{"name":"read_file","description":"Reads.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}},"annotations":{"readOnlyHint":true}}]"#;

pub(crate) const MANIFEST: &str = r#"
[server]
name = "scripted"
description = "Keeps files. Use when files are read or written."

[tools.write_file]
effect = "mutating"
scopes = ["write:file:{path}"]
intent_template = "Write {path}"

[tools.read_file]
effect = "read"
scopes = ["read:file:{path}"]
"#;

/// A file with mistakes of every kind.
pub(crate) const WRONG: &str = r#"[settings]
allow = ["read", "READ"]

[policy]
tools.allow = ["read_*"]
tools.dney = ["x"]
scopes.deny = ["write:file:../x"]

[[rules]]
id = "all"
action = "deny"

[[rules]]
id = "keys"
action = "approve"
when = { secrets = true, colour = "\u001b[31m" }
"#;

fn check(arguments: &[&str], at: &Path) -> CommandOutput {
    report(&overt().current_dir(at).args(["policy", "check"]).args(arguments).output().unwrap())
}

fn explain(arguments: &[&str]) -> CommandOutput {
    Script::with_tools(TOOLS).run(&[&["policy", "explain"], arguments].concat())
}

#[test]
fn files_are_told_everything_at_once() {
    let here = TempDir::new().unwrap();
    file(here.path(), "overt.toml", WRONG);
    file(here.path(), "good.json", r#"[{"effect":"read"},{"limits":{"rate":"10/minute"}}]"#);
    file(here.path(), "odd.json", r#"{"tools":{"allow":["a"],"deny":["a"]},"scopes":{"allow":[]}}"#);
    file(here.path(), "broken.toml", "[policy");
    file(here.path(), "broken.json", "{");
    let files = ["overt.toml", "good.json", "odd.json", "broken.toml", "broken.json", "--format", "text"];
    snapshot!(check(&files, here.path()), @"
    exit 1
    --- stdout
    overt.toml: can't be used
      error line 2: /settings/allow/1: `READ` is not a scope: `READ` is not an action; a scope begins with `read`, `write` or `execute`; write scopes such as `read`, `write:file` or `write:file:/a/b`
      error line 6: /policy/tools/dney: is not known; did you mean `deny`?
      error line 7: /policy/scopes/deny/0: `write:file:../x` is not a scope: `.` and `..` can't be components; write the path that is meant (at byte 11); write one such as `write:file:/a`
      warning line 13: /rules/1: rule `keys` has no effect: rule `all` denies all that it matches; remove it, or narrow the other one
      error line 16: /rules/1/when/colour: is not known; remove it; known here: `effect_at_least`, `reversible`, `pii_at_least`, `secrets`, `server`, `tool`, `declared`
    good.json: good
    odd.json: can be used, but look at it
      warning /tools/allow/0: `a` is denied anyway; remove it here, or there
      warning /scopes/allow: is empty, so no tool can be called; leave it out to allow everything
    broken.toml: can't be used
      error line 1: /: is not TOML: unclosed table, expected `]`; correct the file
    broken.json: can't be used
      error /: is not a JSON document: the JSON text ends too early; write a JSON object
    --- stderr
    2 of 5 files can be used
    ");
    snapshot!(check(&["odd.json"], here.path()), @r#"
    exit 0
    --- stdout
    {"files":[{"file":"odd.json","ok":true,"findings":[{"severity":"warning","at":"/tools/allow/0","problem":"`a` is denied anyway","fix":"remove it here, or there"},{"severity":"warning","at":"/scopes/allow","problem":"is empty, so no tool can be called","fix":"leave it out to allow everything"}]}]}
    "#);
    let stdin = run_with_stdin(overt().args(["policy", "check", "-", "--format", "text"]), r#"{"tool":{}}"#);
    snapshot!(stdin, @"
    exit 1
    --- stdout
    -: can't be used
      error /tool: is not known; did you mean `tools`?
    --- stderr
    0 of 1 file can be used
    ");
}

#[test]
fn a_call_is_explained_and_not_made() {
    let script = Script::with_tools(TOOLS);
    let asked = script.run(&["policy", "explain", "write_file", "path=/a/b", "--format", "text"]);
    snapshot!(asked, @r#"
    exit 1
    --- stdout
    call write_file with path="/a/b"
    effect: not declared, so counts as destructive
    needs a person's approval
    * base       needs_approval it needs `write:server-sh:write_file`, which is not allowed without asking
    needs: write:server-sh:write_file
    to be granted: write:server-sh:write_file
    to change it: a person grants it, or start with `--allow write:server-sh:write_file`
    the call would ask you; your answer can hold for one call, for the session, or always in this project
    "#);
    assert!(!script.received().contains("tools/call"));
    let named =
        script.run(&["policy", "explain", "write_file", "path=/a/b", "--name", "notes", "--format", "text"]);
    assert!(named.contains("\nneeds: write:notes:write_file\n"), "{named}");
    snapshot!(explain(&["read_file", "path=/a", "--format", "text"]), @r#"
    exit 1
    --- stdout
    call read_file with path="/a"
    effect: not declared, so counts as destructive
    needs a person's approval
    * base       needs_approval it needs `execute:server-sh:read_file`, which is not allowed without asking
    needs: execute:server-sh:read_file
    to be granted: execute:server-sh:read_file
    to change it: a person grants it, or start with `--allow execute:server-sh:read_file`
    the call would ask you how far you trust the server, once; with `changes` it would run
    "#);
}

#[test]
fn what_is_declared_counts() {
    let here = TempDir::new().unwrap();
    let manifest = file(here.path(), "overt.toml", MANIFEST);
    let with = |more: &[&str]| {
        explain(
            &[&["write_file", "path=/srv/a/b", "--manifest", &manifest, "--format", "text"], more].concat(),
        )
    };
    snapshot!(with(&[]), @r#"
    exit 1
    --- stdout
    Write "/srv/a/b"
    effect: declared mutating
    needs a person's approval
    * base       needs_approval it needs `write:file:/srv/a/b`, which is not allowed without asking
    needs: write:file:/srv/a/b
    to be granted: write:file:/srv/a/b, write:file:/srv/a
    to change it: a person grants it, or start with `--allow write:file:/srv/a/b`
    the call would ask you; your answer can hold for one call, for the session, or always in this project
    "#);
    snapshot!(with(&["--grant", "write:file:/srv/a"]), @r#"
    exit 0
    --- stdout
    Write "/srv/a/b"
    effect: declared mutating
    allowed
      base       needs_approval it needs `write:file:/srv/a/b`, which is not allowed without asking
    * grant      allow          a person granted it
    needs: write:file:/srv/a/b
    "#);
    snapshot!(with(&["--allow", "write:file", "--deny", "write:file:/srv/a/b/c"]), @r#"
    exit 1
    --- stdout
    Write "/srv/a/b"
    effect: declared mutating
    denied
    * base       deny           it needs `write:file:/srv/a/b`, of which the operator denies something
      base       allow          all that it needs is allowed without asking
    needs: write:file:/srv/a/b
    to change it: start without that `--deny`
    no answer and no grant passes a deny
    "#);
}

#[test]
fn policies_of_the_operator_and_of_the_call_are_layers() {
    let here = TempDir::new().unwrap();
    let manifest = file(here.path(), "m.toml", MANIFEST);
    let config = file(
        here.path(),
        "c.toml",
        "\
[policy]
scopes.allow = [\"read\", \"write:file:/srv\"]

[[rules]]
id = \"ask\"
action = \"approve\"
when = { effect_at_least = \"mutating\" }
reason = \"somebody should look\"
",
    );
    let narrow = file(
        here.path(),
        "narrow.json",
        r#"{"arguments":{"write_*":{"properties":{"path":{"pattern":"^/srv/b"}}}}}"#,
    );
    let with = |more: &[&str]| {
        explain(
            &[&["write_file", "path=/srv/a", "--manifest", &manifest, "--config", &config], more].concat(),
        )
    };
    snapshot!(with(&["--allow-all"]), @r#"
    exit 1
    --- stdout
    {"server":"server-sh","tool":"write_file","effect":"mutating","declared":true,"basis":"declared","intent":"Write \"/srv/a\"","verdict":"needs_approval","error":false,"decided_by":{"layer":"rules","verdict":"needs_approval","why":"rule `ask`: somebody should look","at":"/0","change":"a person agrees, or change the rule","rule":"ask"},"layers":[{"layer":"ceiling","verdict":"allow","why":"nothing in this policy is against it","at":""},{"layer":"base","verdict":"allow","why":"all that it needs is allowed without asking","at":""},{"layer":"rules","verdict":"needs_approval","why":"rule `ask`: somebody should look","at":"/0","change":"a person agrees, or change the rule","rule":"ask"}],"needed_scopes":["write:file:/srv/a"],"missing_scopes":["write:file:/srv/a"],"requested_scopes":["write:file:/srv/a","write:file:/srv"],"limits":{},"would_change":["the call would ask you; your answer can hold for one call, for the session, or always in this project"]}
    "#);
    snapshot!(with(&["--policy", &narrow, "--format", "text"]), @r#"
    exit 1
    --- stdout
    Write "/srv/a"
    effect: declared mutating
    denied
      ceiling    allow          nothing in this policy is against it
    * call       deny           the arguments are not as they must be: `/path`: it does not match "^/srv/b"
      base       needs_approval it needs `write:file:/srv/a`, which is not allowed without asking
      rules      needs_approval rule `ask`: somebody should look
    needs: write:file:/srv/a
    to change it: change the arguments, or the constraint
    no answer and no grant passes a deny
    "#);
    // POL-24: fields of the settings count here as they do in `overt run`.
    let small = file(here.path(), "small.json", r#"{"max_argument_bytes":5}"#);
    let denied = with(&["--policy", &small]);
    assert!(denied.contains(r#""verdict":"deny""#) && denied.contains("5"), "{denied}");
}

/// A-24: the explanation takes grants and trust into account, and says what would change the
/// verdict.
#[test]
fn a_24_grants_and_trust_are_explained() {
    let script = Script::with_tools(TOOLS);
    let state = TempDir::new().unwrap();
    let overt_with = |arguments: &[&str]| {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", state.path()).current_dir(state.path()).args(arguments);
        report(&by_person(&mut command))
    };
    let explain = |arguments: &[&str]| {
        let mut command = script.overt(&[&["policy", "explain"], arguments].concat());
        command.env("OVERT_STATE_DIR", state.path()).current_dir(state.path());
        report(&command.output().unwrap())
    };
    explain(&["write_file", "path=/a"])
        .exits(1, &[r#""verdict":"needs_approval""#, "the call would ask you"]);
    // A call makes the server known.
    let mut call = overt();
    call.current_dir(state.path()).args(["call", "read_file", "--json", "{}", "--", "env"]);
    call.arg(format!("OVERT_STATE_DIR={}", state.path().display()));
    call.arg(env!("CARGO_BIN_EXE_overt")).args(["run", "--"]).args(script.command());
    call.output().unwrap();

    let scope = "write:server-sh:write_file";
    let allow =
        ["grants", "allow", "--server", "server-sh", "--tool", "write_file", "--scope", scope, "--always"];
    overt_with(&allow).succeeds();
    explain(&["write_file", "path=/a"]).exits(0, &[r#""grant":"g-1""#, "overt grants revoke g-1"]);
    overt_with(&["grants", "revoke", "g-1"]).succeeds();
    assert!(explain(&["write_file", "path=/a"]).contains(r#""verdict":"needs_approval""#));

    explain(&["read_file"]).exits(1, &["how far you trust the server"]);
    overt_with(&["trust", "server-sh"]).succeeds();
    explain(&["read_file"]).exits(0, &[r#""trust":"changes""#]);
    overt_with(&["trust", "server-sh", "everything"]).succeeds();
    explain(&["read_file"]).exits(1, &["overt trust server-sh#"]);
    overt_with(&["trust", "server-sh", "nothing"]).succeeds();
    explain(&["write_file", "path=/a"]).succeeds();
    explain(&["write_file", "path=/a", "--deny", "write"])
        .exits(1, &["no answer and no grant passes a deny"]);
}
