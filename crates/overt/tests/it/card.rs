//! `overt card`: checks, makes and compares cards in files and of servers.
use std::path::Path;

use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{Script, file, overt, report, run_with_stdin};

/// A valid card of level 3, until the middle of June 2026.
pub(crate) const CARD: &str = r#"{"tool_card_version":"0.1","tool":{"server_id":"billing","name":"look-up","version":"1.4.0","mcp_server_uri":"https://billing.example.com/mcp","description":"Looks up an invoice."},"schema":{"input_schema_inline":{"type":"object","properties":{"id":{"type":"string"}}}},"safety":{"side_effect_class":"read","external_systems":["payments"],"reversible":true,"rate_limited":true,"pii_exposure":"low","secrets_exposure":"none","human_approval_required":false,"refusal_modes":["cross_tenant_access"]},"tested_with":[{"llm":"m-1","provider":"Maker","test_suite_uri":"https://eval.example.com/s","pass_rate":0.98,"tested_at":"2026-03-15T10:00:00Z"}],"audit":{"log_uri":"https://audit.example.com/l","retention_days":365}}"#;

fn card(arguments: &[&str], at: &Path) -> CommandOutput {
    report(&overt().current_dir(at).arg("card").args(arguments).output().unwrap())
}

/// Returns the card with some of its text replaced.
pub(crate) fn changed(replaced: &[(&str, &str)]) -> String {
    replaced.iter().fold(CARD.to_owned(), |card, (old, new)| {
        assert!(card.contains(old), "{old}");
        card.replace(old, new)
    })
}

#[test]
fn cards_in_files_are_checked_all_at_once() {
    let here = TempDir::new().unwrap();
    std::fs::create_dir(here.path().join("cards")).unwrap();
    file(here.path(), "cards/look-up.json", CARD);
    file(here.path(), "cards/index.json", "{}");
    file(here.path(), "cards/readme.md", "no card");
    let aliens = [
        (r#""retention_days":365"#, r#""log_locations":["x"]"#),
        (r#""pii_exposure":"low""#, r#""pii_exposure":"some","\u001b[31mred":1"#),
        (r#""side_effect_class":"read""#, r#""side_effect_class":"destructive""#),
    ];
    file(here.path(), "cards/bad.json", &changed(&aliens));
    file(here.path(), "cards/broken.json", "{");
    snapshot!(card(&["check", "cards", "--today", "2026-07-01", "--format", "text"], here.path()), @r"
    exit 1
    --- stdout
    cards/bad.json: no valid card, counts as destructive
      error /safety/pii_exposure: `some` is not one of its values; use `none`, `low`, `medium` or `high`
      error /safety/human_approval_required: is `false`, but the tool is destructive; write `true`, or another `side_effect_class` if nothing can be destroyed
      error /safety/\u{1b}[31mred: is not known; remove it; known here: `side_effect_class`, `external_systems`, `reversible`, `rate_limited`, `pii_exposure`, `secrets_exposure`, `human_approval_required`, `refusal_modes`
      error /audit/log_locations: is not known; write `log_uri`, one URI
    cards/broken.json: no valid card, counts as destructive
      error /: is not a JSON document: the JSON text ends too early; write a JSON object
    cards/look-up.json: level 2, read
    --- stderr
    1 of 3 cards are valid and at level 1 or above
    ");
}

#[test]
fn a_level_is_demanded_for_a_day() {
    let here = TempDir::new().unwrap();
    file(here.path(), "c.json", CARD);
    let level = |today: &str| {
        card(&["check", "c.json", "--level", "3", "--today", today, "--format", "text"], here.path())
    };
    snapshot!(level("2026-06-13"), @"
    exit 0
    --- stdout
    c.json: level 3, read
    --- stderr
    1 of 1 cards are valid and at level 3 or above
    ");
    snapshot!(level("2026-06-14"), @"
    exit 1
    --- stdout
    c.json: level 2, read
      error /tested_with: the newest test is 91 days old, too old for level 3; test it with a model; a test counts for 90 days
    --- stderr
    0 of 1 cards are valid and at level 3 or above
    ");
    file(here.path(), "c.json", &changed(&[(r#","refusal_modes":["cross_tenant_access"]"#, "")]));
    snapshot!(card(&["check", "c.json", "--level", "2", "--format", "text"], here.path()), @"
    exit 1
    --- stdout
    c.json: level 1, read
      error /safety/refusal_modes: is missing, which level 2 needs; list when the tool refuses, or write `[]` if it never does
    --- stderr
    0 of 1 cards are valid and at level 2 or above
    ");
}

/// X-24: a card without an audit section is valid in seed mode.
#[test]
fn a_card_without_audit_is_fine_in_seed_mode() {
    let here = TempDir::new().unwrap();
    let audit = r#","audit":{"log_uri":"https://audit.example.com/l","retention_days":365}"#;
    let text = changed(&[(audit, "")]);
    let check = |mode: &str| {
        let mut command = overt();
        command.current_dir(here.path()).args([
            "card",
            "check",
            "-",
            "--today",
            "2026-07-01",
            "--format",
            "text",
            "--mode",
            mode,
        ]);
        run_with_stdin(&mut command, &text)
    };
    snapshot!(check("seed"), @"
    exit 0
    --- stdout
    standard input: level 2, read
      note /audit: is missing; say where calls are recorded, with `log_uri` and `retention_days`
    --- stderr
    1 of 1 cards are valid and at level 1 or above
    ");
    snapshot!(check("strict"), @"
    exit 1
    --- stdout
    standard input: no valid card, counts as destructive
      error /audit: is missing; say where calls are recorded, with `log_uri` and `retention_days`
    --- stderr
    0 of 1 cards are valid and at level 1 or above
    ");
}

/// D-30: a secret in a card is found, but not repeated in the output.
#[test]
fn a_secret_in_a_card_is_found_and_not_shown() {
    let here = TempDir::new().unwrap();
    let secret = ["ghp", "q7Zr2LmX0vT9bKc4WnYs8HdJ"].join("_");
    file(
        here.path(),
        "c.json",
        &changed(&[("Looks up an invoice.", &secret), ("https://audit.example.com/l", "http://10.1.2.3/l")]),
    );
    snapshot!(card(&["check", "c.json", "--today", "2026-07-01", "--format", "text"], here.path()), @"
    exit 1
    --- stdout
    c.json: level 2, read
      error /tool/description: holds a key of GitHub, which must not be published; remove it, and use a placeholder such as `<token>` or the name of an environment variable
      error /audit/log_uri: holds an address of a private network, which must not be published; remove it, or use a public address or `example.com`
    --- stderr
    0 of 1 cards are valid and at level 1 or above
    ");
}

#[test]
fn mistakes_on_the_command_line_are_explained() {
    let here = TempDir::new().unwrap();
    std::fs::create_dir(here.path().join("empty")).unwrap();
    file(here.path(), "c.json", CARD);
    snapshot!(card(&["check"], here.path()), @"
    exit 2
    --- stderr
    error: no card is named

    hint: name a file, a directory, `-` or a server
    ");
    snapshot!(card(&["check", "nowhere.json"], here.path()), @"
    exit 2
    --- stderr
    error: failed to read `nowhere.json`
      caused by: No such file or directory (os error 2)
    ");
    snapshot!(card(&["check", "empty"], here.path()), @"
    exit 2
    --- stderr
    error: the directory `empty` has no card

    hint: a card is a file whose name ends with `.json`
    ");
    snapshot!(card(&["check", "c.json", "http://localhost:1/mcp"], here.path()), @"
    exit 2
    --- stderr
    error: `c.json` and a server are given

    hint: check the cards in files and those of a server one after the other
    ");
    snapshot!(card(&["check", "c.json", "--today", "tomorrow"], here.path()), @"
    exit 2
    --- stderr
    error: invalid value 'tomorrow' for '--today <DATE>': not a date; write one such as `2026-05-08`

    For more information, try '--help'.
    ");
    snapshot!(card(&["diff", "empty", "c.json"], here.path()), @"
    exit 2
    --- stderr
    error: `empty` is a directory, and `c.json` is none

    hint: compare two files, or two directories
    ");
}

/// C-13, C-16: breaking changes are shown and fail.
#[test]
fn breaking_changes_are_shown_and_fail() {
    let here = TempDir::new().unwrap();
    file(here.path(), "old.json", CARD);
    let worse = [
        ("Looks up an invoice.", "Looks up an invoice, and pays it."),
        (r#""side_effect_class":"read""#, r#""side_effect_class":"external""#),
        (r#"["payments"]"#, r#"["payments","evil\u001b[31m\u202e"]"#),
        (r#""retention_days":365"#, r#""retention_days":30"#),
    ];
    file(here.path(), "new.json", &changed(&worse));
    snapshot!(card(&["diff", "old.json", "new.json", "--format", "text"], here.path()), @r#"
    exit 1
    --- stdout
    new.json
      change /tool/description: the description changed
        was "Looks up an invoice."
        is  "Looks up an invoice, and pays it."
      breaking /safety/side_effect_class: the class of side effects is graver
        was "read"
        is  "external"
      breaking /safety/external_systems: an external system is new
        is  "evil\u001b[31m\u{202e}"
      error /tool/version: the class of side effects changed without a newer version
        was "1.4.0"
        is  "1.4.0"
      breaking /audit/retention_days: the audit log is kept for a shorter time
        was 365
        is  30
    --- stderr
    4 changes are breaking
    "#);
    file(here.path(), "new.json", &changed(&[("an invoice", "one invoice")]));
    snapshot!(card(&["diff", "old.json", "new.json"], here.path()), @r#"
    exit 0
    --- stdout
    {"cards":[{"source":"new.json","changes":[{"weight":"change","at":"/tool/description","what":"the description changed","was":"Looks up an invoice.","is":"Looks up one invoice."}]}]}
    "#);
    snapshot!(card(&["diff", "old.json", "old.json", "--format", "text"], here.path()), @"
    exit 0
    --- stderr
    nothing changed
    ");
    file(here.path(), "new.json", "{}");
    snapshot!(card(&["diff", "old.json", "new.json"], here.path()), @r#"
    exit 2
    --- stderr
    error: `new.json` is not a valid card
        error: /tool_card_version: is missing; write `"0.1"`
        error: /tool: is missing; write an object
        error: /schema: is missing; write an object
        error: /safety: is missing; write an object
        note: /audit: is missing; say where calls are recorded, with `log_uri` and `retention_days`

    hint: `overt card check --mode seed` says the same of every card
    "#);
}

#[test]
fn directories_are_compared_by_file_name() {
    let here = TempDir::new().unwrap();
    std::fs::create_dir(here.path().join("old")).unwrap();
    std::fs::create_dir(here.path().join("new")).unwrap();
    file(here.path(), "old/same.json", CARD);
    file(here.path(), "new/same.json", CARD);
    file(here.path(), "old/gone.json", CARD);
    file(here.path(), "new/added.json", CARD);
    snapshot!(card(&["diff", "old", "new", "--format", "text"], here.path()), @"
    exit 1
    --- stdout
    gone.json
      breaking /: the card is gone
    added.json
      change /: the card is new
    --- stderr
    1 change is breaking
    ");
}

/// A server with two tools, one of which has a card.
pub(crate) fn server(card: &str) -> Script {
    server_with_hints(card, "{}")
}

fn server_with_hints(card: &str, hints: &str) -> Script {
    let tools = r#"{"tools":[{"name":"look-up","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":HINTS},{"name":"../other","inputSchema":{"type":"object"}}]}"#;
    let tools = tools.replace("HINTS", hints);
    let contents = format!(
        r#"{{"contents":[{{"uri":"overt://cards/look-up","text":{}}}]}}"#,
        overt_wire::json::quote(card)
    );
    Script::with_hello(r#"{"tools":{},"resources":{}}"#).result("tools/list", &tools).on(
        "resources/read",
        &format!(
            "case $line in *cards/look-up*) answer {} ;; *) fail '{{\"code\":-32002,\"message\":\"no\"}}' ;; esac",
            crate::support::quoted(&contents)
        ),
    )
}

#[test]
fn the_cards_of_a_server_are_held_against_its_tools() {
    let check = ["card", "check", "--format", "text", "--today", "2026-06-01"];
    snapshot!(server(CARD).run(&check), @"
    exit 1
    --- stdout
    overt://cards/look-up: level 3, read
    overt://cards/~2E.~2Fother: no valid card, counts as destructive
      error /: the server has no card of the tool; declare what the card needs in a manifest, and serve it with `overt run --manifest`
    --- stderr
    1 of 2 cards are valid and at level 1 or above
    ");
    let another = changed(&[("look-up", "lookup"), (r#"{"id":{"type":"string"}}"#, "{}")]);
    snapshot!(server(&another).run(&check), @"
    exit 1
    --- stdout
    overt://cards/look-up: level 3, read
      error /tool/name: is not the name of the tool; write `look-up`
      error /schema/input_schema_inline: is not the schema that the server lists; make the card anew
    overt://cards/~2E.~2Fother: no valid card, counts as destructive
      error /: the server has no card of the tool; declare what the card needs in a manifest, and serve it with `overt run --manifest`
    --- stderr
    0 of 2 cards are valid and at level 1 or above
    ");
    snapshot!(Script::with_tools("[]").run(&check), @"
    exit 2
    --- stderr
    error: the server offers no tools, so there are no cards
    ");
}

/// C-14: a card that is less careful than the hints of its tool is wrong, whichever hint that is.
#[test]
fn c_14_a_card_is_held_against_both_hints() {
    let check = |effect: &str, hints: &str| {
        let class = format!(r#""side_effect_class":"{effect}""#);
        let server = server_with_hints(&changed(&[(r#""side_effect_class":"read""#, &class)]), hints);
        let text = server.run(&["card", "check", "--format", "text", "--today", "2026-06-01"]);
        let about_effect = text.lines().filter(|line| line.contains("/safety/side_effect_class"));
        about_effect.map(str::trim).collect::<Vec<_>>().join("\n")
    };
    let not_read = check("read", r#"{"readOnlyHint":false}"#);
    snapshot!(not_read, @"error /safety/side_effect_class: is `read`, but the server says `readOnlyHint: false`; use `mutating`, `external` or `destructive`");
    for effect in ["read", "mutating", "external"] {
        let expected = format!(
            "error /safety/side_effect_class: is `{effect}`, but the server says `destructiveHint: true`; use `destructive`, or correct the server's hints"
        );
        assert_eq!(check(effect, r#"{"destructiveHint":true}"#), expected);
    }
    let careful = check("mutating", r#"{"readOnlyHint":true}"#);
    snapshot!(careful, @"warning /safety/side_effect_class: is `mutating`, but the server says `readOnlyHint: true`; clients are shown the more careful one, which is this; if it is meant, there is nothing to do");
    assert_eq!(check("read", r#"{"readOnlyHint":true}"#), "");
    assert_eq!(check("mutating", r#"{"readOnlyHint":false,"destructiveHint":false}"#), "");
}

#[test]
fn cards_are_made_from_a_manifest_and_the_server() {
    let here = TempDir::new().unwrap();
    let manifest = r#"[server]
name = "billing"
description = "Invoices. Use when the user asks for an invoice."

[tools.look-up]
effect = "read"
pii_exposure = "low"
secrets_exposure = "none"
refusal_modes = []
"#;
    let path = file(here.path(), "overt.toml", manifest);
    let tool = r#"[{"name":"look-up","description":"Looks up an invoice.","inputSchema":{"type":"object"}}]"#;
    let server = Script::with_tools(tool);
    snapshot!(server.run(&["card", "build", "--manifest", &path, "--tool", "look-up"]), @r#"
    exit 0
    --- stdout
    {
      "tool_card_version": "0.1",
      "tool": {
        "server_id": "billing",
        "name": "look-up",
        "version": "1.2.3",
        "mcp_server_uri": "overt:stdio/billing",
        "description": "Looks up an invoice."
      },
      "schema": {
        "input_schema_inline": {
          "type": "object"
        }
      },
      "safety": {
        "side_effect_class": "read",
        "reversible": true,
        "rate_limited": false,
        "pii_exposure": "low",
        "secrets_exposure": "none",
        "human_approval_required": false,
        "refusal_modes": []
      },
      "audit": {}
    }
    "#);
    let out = here.path().to_string_lossy().into_owned();
    server.run(&["card", "build", "--manifest", &path, "--out", &out, "--format", "text"]).succeeds();
    snapshot!(card(&["check", "cards", "--format", "text", "--level", "2"], here.path()), @"
    exit 0
    --- stdout
    cards/look-up.json: level 2, read
      note /audit/log_uri: is missing; say where calls are recorded, if they are
    --- stderr
    1 of 1 cards are valid and at level 2 or above
    ");
    file(here.path(), "overt.toml", &manifest.replace("pii_exposure = \"low\"\n", ""));
    snapshot!(server.run(&["card", "build", "--manifest", &path]), @"
    exit 2
    --- stderr
    error: `--as card` can't be made
        error: /tools/look-up/pii_exposure: is not declared; declare `pii_exposure`: how much about people a call may give away, `none`, `low`, `medium` or `high`

    hint: declare what is missing in a manifest; `overt describe --init` writes a first one
    ");
}

/// An entry that is not a regular file can't be a card, whatever its name. Reading a pipe would
/// block forever.
#[test]
fn a_directory_of_cards_may_hold_other_things() {
    let here = TempDir::new().unwrap();
    file(here.path(), "look-up.json", CARD);
    std::fs::create_dir(here.path().join("more.json")).unwrap();
    let pipe = here.path().join("pipe.json");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    card(&["check", "."], here.path()).exits(0, &["look-up"]);
}
