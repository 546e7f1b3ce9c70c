//! `overt describe`.
use std::fs;

use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{Script, file, report};

const TOOLS: &str = r#"[{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where it is"}},"required":["path"]},"annotations":{"readOnlyHint":true}},{"name":"delete_file","description":"Deletes a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}},"annotations":{"destructiveHint":true}}]"#;

pub(crate) const MANIFEST: &str = r#"[server]
name = "files"
description = "Reads and deletes files. Use when the user asks for a file."
when_to_use = ["read a file"]

[tools.read_file]
effect = "read"

[tools.delete_file]
effect = "destructive"
reversible = false
"#;

pub(crate) fn files() -> Script {
    Script::with_tools(TOOLS)
}

/// Runs `overt describe` against the scripted server, in a directory of its own.
fn describe(server: &Script, directory: &TempDir, arguments: &[&str]) -> CommandOutput {
    let arguments: Vec<&str> = [&["describe"], arguments].concat();
    report(&server.overt(&arguments).current_dir(directory.path()).output().unwrap())
}

/// The user's configuration and a manifest may have the same file name.
#[test]
fn a_configuration_is_not_taken_for_a_manifest() {
    let (server, here) = (files(), TempDir::new().unwrap());
    let without = describe(&server, &here, &["--as", "json"]);
    let configuration =
        "[settings]\nallow = [\"read\"]\n\n[[servers.files]]\ntrust = \"changes\"\ncommand = [\"x\"]\n";
    fs::write(here.path().join("overt.toml"), configuration).unwrap();
    let said = describe(&server, &here, &["--as", "json"]);
    let note =
        "`overt.toml` of this directory configures Overt and is not a manifest, so it is not used here\n";
    assert!(said.contains(note), "{said}");
    assert_eq!(said.replace(note, ""), *without);
    snapshot!(describe(&server, &here, &["--as", "json", "--manifest", "overt.toml"]), @"
    exit 2
    --- stderr
    error: `overt.toml` configures Overt; it is not the manifest of a server

    hint: `overt describe --init --out FILE` writes a first manifest; `overt policy check overt.toml` checks a configuration
    ");
}

/// A gap that several tools share is reported once.
#[test]
fn what_several_tools_lack_is_one_line() {
    let (server, here) = (files(), TempDir::new().unwrap());
    fs::write(
        here.path().join("overt.toml"),
        "[server]\ndescription = \"Serves files. Use when a task needs one.\"\n",
    )
    .unwrap();
    let said = describe(&server, &here, &["--as", "card"]).exits(2, &["`--as card` can't be made"]);
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("error: /tools/")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("/tools/*")), "{said}");
}

#[test]
fn a_first_manifest_is_printed_or_written() {
    let (server, here) = (files(), TempDir::new().unwrap());
    snapshot!(describe(&server, &here, &["--init"]), @r#"
    exit 0
    --- stdout
    # This manifest declares what the server is and what its tools do. `overt describe` makes every document from it and from
    # the running server. `overt describe --init` wrote this first version. The fields that a `guessed` list names are guesses,
    # or claims of the server, and are in no document until you confirm them: check the value, correct it, and remove its name
    # from the list. Lines that are commented out are optional.

    [server]
    # What it does and when to use it, with a phrase such as "Use when".
    description = "scripted, an MCP server. Use when the user asks to read a file, to delete a file." # guessed from its name, its description and its tools
    # Each completes: use this server when the user asks to …
    when_to_use = ["read a file", "delete a file"] # guessed from the tools' descriptions and names
    # not_for = ["editing images (use an image server)"] # what it is not for, and what is better
    # repository = "https://example.com/someone/server"
    # install = { npm = "@someone/server" } # or `pip`, `docker`, `cargo`, `brew`
    # license = "MIT"
    # categories = ["files"]
    # registry_name = "io.github.someone/server" # for server.json
    guessed = ["description", "when_to_use"]

    # Reads a file.
    [tools.read_file]
    effect = "read" # claimed by its hint `readOnlyHint: true`
    # category = "files"
    # reversible = false # with `reverse_method` if another tool undoes it
    # refusal_modes = [] # when it refuses by design; empty: it never does
    # pii_exposure = "none" | "low" | "medium" | "high"
    # secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"
    guessed = ["effect"]

    # Deletes a file.
    [tools.delete_file]
    effect = "destructive" # claimed by its hint `destructiveHint: true`
    # category = "files"
    # reversible = false # with `reverse_method` if another tool undoes it
    # refusal_modes = [] # when it refuses by design; empty: it never does
    # pii_exposure = "none" | "low" | "medium" | "high"
    # secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"
    guessed = ["effect"]
    "#);
    snapshot!(describe(&server, &here, &["--init", "--out", "overt.toml"]), @"
    exit 0
    --- stderr
    wrote overt.toml; check what is `guessed` in it, then run this command again with `--manifest overt.toml` in place of `--init --out overt.toml`
    ");
    snapshot!(describe(&server, &here, &["--init", "--out", "overt.toml"]), @"
    exit 2
    --- stderr
    error: `overt.toml` is there already

    hint: choose another file, or leave `--out` away to see the manifest
    ");
    snapshot!(describe(&server, &here, &[]), @"
    exit 2
    --- stderr
    using the manifest `overt.toml` of this directory
    error: the manifest `overt.toml` is not confirmed yet
        line 8: /server/description: is not confirmed; check the value, then remove its name from the list `guessed` of this table

    hint: `overt describe --init` guessed these fields; Overt uses only what you confirm
    ");
    let run = server
        .overt(&["run", "--audit", "off", "--pin", "off", "--manifest", "overt.toml"])
        .current_dir(here.path())
        .output()
        .unwrap();
    snapshot!(report(&run), @"
    exit 2
    --- stderr
    error: the manifest `overt.toml` is not confirmed yet
        line 8: /server/description: is not confirmed; check the value, then remove its name from the list `guessed` of this table

    hint: `overt describe --init` guessed these fields; Overt uses only what you confirm
    ");
    // H-38: once a person has confirmed all guesses, the next step works as printed.
    let manifest = here.path().join("overt.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let confirmed: Vec<&str> = text.lines().filter(|line| !line.starts_with("guessed = ")).collect();
    fs::write(&manifest, confirmed.join("\n")).unwrap();
    let described = describe(&server, &here, &["--manifest", "overt.toml"]);
    assert!(described.starts_with("exit 0\n") && described.contains("**may destroy data**"), "{described}");
}

/// H-38: hints are only claims, and a tool that reaches outside through an argument does not count
/// as a read.
#[test]
fn h_38_a_first_manifest_guesses_carefully() {
    let here = TempDir::new().unwrap();
    let server = Script::with_tools(
        r#"[{"name":"get_page","description":"Gets a page.","inputSchema":{"type":"object","properties":{"url":{"type":"string"}}},"annotations":{"readOnlyHint":true}}]"#,
    );
    let text = describe(&server, &here, &["--init"]);
    let effect = text.lines().find(|line| line.starts_with("effect")).unwrap_or_default();
    snapshot!(effect, @"effect = \"external\" # guessed from its argument `url`; `read` claimed by its hint `readOnlyHint: true`");
}

/// H-34: an example value in a server's own text does not prevent documents about the server.
#[test]
fn h_34_a_secret_in_the_server_s_own_text_is_redacted_with_a_warning() {
    let here = TempDir::new().unwrap();
    // Looks like a key, but is not one.
    let planted = ["ghp_", "aZ4kQ9mB2xV7nL1pR8sT", "5wY3cE6dF0gH"].concat();
    let server =
        Script::with_tools(&TOOLS.replace("Reads a file.", &format!("Reads a file with {planted}.")));
    file(here.path(), "overt.toml", MANIFEST);
    for arguments in [&["--as", "all", "--out", "docs"][..], &[], &["--init"], &["--as", "json"]] {
        let report = describe(&server, &here, arguments);
        assert!(report.starts_with("exit 0\n") && !report.contains(&planted), "{report}");
        let warning = "warning: tool `read_file`: its own text holds a key of GitHub; the documents have `[redacted]` instead";
        assert!(report.contains(warning), "{report}");
    }
    let help = fs::read_to_string(here.path().join("docs/ai-help.md")).unwrap();
    assert!(help.contains("Reads a file with \\[redacted]."), "{help}");
    let cost = describe(&server, &here, &["--as", "cost"]);
    assert!(cost.starts_with("exit 0\n") && !cost.contains("warning"), "{cost}");
}

#[test]
fn a_manifest_makes_the_help() {
    let (server, here) = (files(), TempDir::new().unwrap());
    file(here.path(), "overt.toml", MANIFEST);
    snapshot!(describe(&server, &here, &[]), @r#"
    exit 0
    --- stdout
    ---
    name: files
    description: Reads and deletes files. Use when the user asks for a file.
    spec-url: https://github.com/visionik/dashdash
    spec-version: "0.2.0"
    subcommand-help: false
    access-level: interact
    cli-url: none
    api-url: none
    web-url: none
    mcp-url: none
    ---

    # files

    > Reads and deletes files

    ## When to Use

    Use this MCP server when the user asks to:

    - read a file

    ## Quick Reference

    - `read_file` — Reads a file
    - `delete_file` — Deletes a file

    ## Tool Reference

    ### `read_file`

    > Reads a file.

    **Effect:** reads only

    **Parameters:**

    - `path` (required, string): Where it is

    ### `delete_file`

    > Deletes a file.

    **Effect:** **may destroy data**; **ask the person before each call**; can't be undone

    **Parameters:**

    - `path` (optional, string)
    --- stderr
    using the manifest `overt.toml` of this directory
    "#);
    snapshot!(describe(&server, &here, &["--section", "when-to-use", "--quiet"]), @"
    exit 0
    --- stdout
    ## When to Use

    Use this MCP server when the user asks to:

    - read a file
    ");
    snapshot!(describe(&server, &here, &["--section", "quick", "--quiet"]), @"
    exit 2
    --- stderr
    error: no section `quick`; did you mean `quick-reference`? available: `quick-reference`, `when-to-use`, `tool-reference`
    ");
    snapshot!(describe(&server, &here, &["--section", "quickReference", "--as", "json", "-q"]), @r#"
    exit 0
    --- stdout
    {
      "metadata": {
        "name": "files",
        "description": "Reads and deletes files. Use when the user asks for a file.",
        "specVersion": "0.2.0",
        "specUrl": "https://github.com/visionik/dashdash",
        "title": "files",
        "summary": "Reads and deletes files",
        "accessLevel": "interact",
        "alternativeAccess": {
          "cliUrl": null,
          "apiUrl": null,
          "webUrl": null
        },
        "mcpUrl": null
      },
      "sections": {
        "quickReference": [
          {
            "category": null,
            "operations": [
              {
                "name": "read_file",
                "description": "Reads a file"
              },
              {
                "name": "delete_file",
                "description": "Deletes a file"
              }
            ]
          }
        ]
      },
      "contentType": "application/json"
    }
    "#);
    snapshot!(describe(&server, &here, &["--as", "ai-help", "--section", "when-to-use", "--format", "json", "-q"]), @r###"
    exit 0
    --- stdout
    {"documents":[{"path":"ai-help-when-to-use.md","mediaType":"text/markdown","text":"## When to Use\n\nUse this MCP server when the user asks to:\n\n- read a file\n"}]}
    "###);
}

#[test]
fn without_a_manifest_the_server_speaks_for_itself() {
    let here = TempDir::new().unwrap();
    snapshot!(describe(&files(), &here, &["--section", "when-to-use"]), @"
    exit 0
    --- stdout
    ## When to Use

    An MCP server that calls itself `scripted`.
    --- stderr
    warning: there is no manifest, and the server declares nothing about itself; `overt describe --init` writes a first manifest
    ");
    let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1.2.3"},"dashdash":{"specVersion":"0.2.0","identity":{"name":"files","description":"Reads files. Use when the user asks for one.","emoji":7},"accessLevel":"everything","unknown":[]}}"#;
    let server = Script::empty()
        .on("server/discover", r#"fail '{"code":-32601,"message":"method not found"}'"#)
        .result("initialize", hello)
        .result("tools/list", r#"{"tools":[{"name":"read_file","inputSchema":{"type":"object"},"dashdash":{"operationType":"read","category":"files","examples":"none"}}]}"#);
    snapshot!(describe(&server, &here, &["--section", "when-to-use"]), @"
    exit 0
    --- stdout
    ## When to Use

    Reads files. Use when the user asks for one.
    --- stderr
    warning: the dashdash of the server is not read whole: /identity/emoji: must be a string, but is a number; write a string
    warning: the dashdash of the server is not read whole: /accessLevel: `everything` is not one of its values; use `none`, `browse`, `read`, `interact` or `full`
    warning: the dashdash of the server is not read whole: /alternativeAccess: is missing; write an object with `cliUrl`, `apiUrl` and `webUrl`
    warning: the dashdash of tool `read_file` is not read whole: /examples: must be a list, but is a string; write a list
    ");
    snapshot!(describe(&server, &here, &["--init", "-q"]), @r#"
    exit 0
    --- stdout
    # This manifest declares what the server is and what its tools do. `overt describe` makes every document from it and from
    # the running server. `overt describe --init` wrote this first version. The fields that a `guessed` list names are guesses,
    # or claims of the server, and are in no document until you confirm them: check the value, correct it, and remove its name
    # from the list. Lines that are commented out are optional.

    [server]
    # As the server declares it.
    name = "files"
    description = "Reads files. Use when the user asks for one."
    # Not declared by the server:
    # Each completes: use this server when the user asks to …
    when_to_use = ["read file"] # guessed from the tools' descriptions and names
    # not_for = ["editing images (use an image server)"] # what it is not for, and what is better
    # repository = "https://example.com/someone/server"
    # install = { npm = "@someone/server" } # or `pip`, `docker`, `cargo`, `brew`
    # license = "MIT"
    # categories = ["files"]
    # registry_name = "io.github.someone/server" # for server.json
    guessed = ["when_to_use"]

    [tools.read_file]
    # As the server declares it.
    effect = "read"
    category = "files"
    # Not declared by the server:
    # reversible = false # with `reverse_method` if another tool undoes it
    # refusal_modes = [] # when it refuses by design; empty: it never does
    # pii_exposure = "none" | "low" | "medium" | "high"
    # secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"
    guessed = ["effect"]
    "#);
}

/// Overt's own servers publish everything that is declared in one resource. If that can't be read,
/// it is treated as absent.
#[test]
fn a_server_that_tells_everything_is_described_whole() {
    let here = TempDir::new().unwrap();
    let server = |manifest: &str| {
        let text = manifest.replace('\n', "\\n").replace('"', "\\\"");
        Script::with_hello(
            r#"{"tools":{},"extensions":{"dev.overt/disclosure":{"manifest":"overt://manifest"}}}"#,
        )
        .result("tools/list", &format!(r#"{{"tools":{TOOLS}}}"#))
        .result(
            "resources/read",
            &format!(r#"{{"contents":[{{"uri":"overt://manifest","mimeType":"application/toml","text":"{text}"}}]}}"#),
        )
    };
    snapshot!(describe(&server(MANIFEST), &here, &["--section", "when-to-use"]), @"
    exit 0
    --- stdout
    ## When to Use

    Use this MCP server when the user asks to:

    - read a file
    ");
    let broken = |manifest: &str| {
        let report = describe(&server(manifest), &here, &["--section", "when-to-use"]);
        assert!(report.contains("An MCP server that calls itself `scripted`."), "{report}");
        report.split_once("--- stderr\n").unwrap().1.lines().next().unwrap().to_owned()
    };
    snapshot!(broken("[server"), @"warning: the manifest that the server itself has can't be read: line 1: unclosed table, expected `]`");
    snapshot!(broken("[server]\ndescription = 1\n"), @"warning: the manifest that the server itself has can't be read: line 2: /server/description: must be a string, but is a number; write a string");
    snapshot!(broken("[server]\n[tools.absent]\n"), @"warning: left out of what the server declares: /tools/absent: the server has no such tool; it has `delete_file`, `read_file`");
}

/// D-31: the server is described without its manifest, whatever is in the manifest's place.
#[test]
fn a_manifest_that_a_server_only_names_is_no_failure() {
    let here = TempDir::new().unwrap();
    let capabilities =
        r#"{"tools":{},"extensions":{"dev.overt/disclosure":{"manifest":"overt://manifest"}}}"#;
    let server = || Script::with_hello(capabilities).result("tools/list", &format!(r#"{{"tools":{TOOLS}}}"#));
    for (server, why) in [
        (server().on("resources/read", r#"fail '{"code":-32002,"message":"no"}'"#), "the server refused: no"),
        (server().result("resources/read", "{}"), "it has no text"),
        (server().result("resources/read", r#"{"contents":[{"text":7}]}"#), "it has no text"),
    ] {
        let report = describe(&server, &here, &["--section", "when-to-use"]);
        assert!(report.starts_with("exit 0\n"), "{report}");
        let warning = format!("the manifest that the server itself has can't be read: {why}");
        assert!(report.contains(&warning), "{report}");
    }
}

/// CARD-06, D-31: a server's claims about itself are data. Wrong ones are left out, and none
/// becomes Markdown.
#[test]
fn card_06_what_a_server_claims_is_checked_before_it_is_told() {
    let here = TempDir::new().unwrap();
    let said = r#"{"specVersion":"0.2.0","identity":{"name":"files","description":"Use when <img src=x> [click](http://evil.example/)"},"accessLevel":"read","alternativeAccess":{"cliUrl":"javascript:alert(1)","apiUrl":null,"webUrl":"https://example.com/"},"requires":{"env":["A B","TOKEN"]}}"#;
    let hello = format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"scripted","version":"1.2.3"}},"dashdash":{said}}}"#
    );
    let server = Script::empty()
        .on("server/discover", r#"fail '{"code":-32601,"message":"method not found"}'"#)
        .result("initialize", &hello)
        .result("tools/list", r#"{"tools":[{"name":"delete_all","description":"Deletes all.","inputSchema":{"type":"object"},"dashdash":{"operationType":"read"},"annotations":{"readOnlyHint":false}}]}"#);
    snapshot!(describe(&server, &here, &[]), @r#"
    exit 0
    --- stdout
    ---
    name: files
    description: "Use when <img src=x> [click](http://evil.example/)"
    spec-url: https://github.com/visionik/dashdash
    spec-version: "0.2.0"
    subcommand-help: false
    access-level: interact
    cli-url: none
    api-url: none
    web-url: https://example.com/
    mcp-url: none
    requires:
      env:
        - TOKEN
    ---

    # files

    > Use when \<img src=x> \[click](http://evil.example/)

    ## When to Use

    Use when \<img src=x> \[click](http://evil.example/)

    ## Quick Reference

    - `delete_all` — Deletes all

    ## Authentication

    - Environment variables: `TOKEN`

    ## Tool Reference

    ### `delete_all`

    > Deletes all.

    **Parameters:** none

    ## Alternative Access Methods

    - **Web:** https://example.com/
    --- stderr
    warning: the dashdash of the server is not read whole: /alternativeAccess/cliUrl: is not a URL; write an absolute URL such as `https://example.com/docs`
    warning: left out of what the server declares: /server/requires/env/0: is not the name of an environment variable; write the name alone, such as `API_KEY`, never its value
    warning: left out of what the server declares: /tools/delete_all/effect: is `read`, but the server says `readOnlyHint: false`; use `mutating`, `external` or `destructive`
    warning: left out of what the server declares: /server/access_level: is `read`, but the tool `delete_all` changes things; use `interact` or `full`, or leave it out: it follows from the tools
    "#);
}

#[test]
fn what_contradicts_the_server_is_refused_with_its_line() {
    let (server, here) = (files(), TempDir::new().unwrap());
    let wrong =
        MANIFEST.replace("\"destructive\"", "\"read\"").replace("[tools.read_file]", "[tools.raed_file]");
    file(here.path(), "wrong.toml", &wrong);
    snapshot!(describe(&server, &here, &["--manifest", "wrong.toml"]), @"
    exit 2
    --- stderr
    error: the manifest `wrong.toml` does not fit the server
        line 6: /tools/raed_file: the server has no such tool; it has `delete_file`, `read_file`
        line 10: /tools/delete_file/effect: is `read`, but the server says `destructiveHint: true`; use `destructive`, or correct the server's hints
    ");
    file(here.path(), "unknown.toml", "[server]\ndescripton = 1\n[tools.x]\neffect = \"evil\"\n");
    snapshot!(describe(&server, &here, &["--manifest", "unknown.toml"]), @"
    exit 2
    --- stderr
    error: failed to read the manifest `unknown.toml`
      caused by: line 2: /server/descripton: is not known; did you mean `description`?
        line 4: /tools/x/effect: `evil` is not one of its values; use `read`, `mutating`, `external` or `destructive`

    hint: docs/describe.md has the format; `overt describe --init` writes a first one
    ");
    snapshot!(describe(&server, &here, &["--manifest", "absent.toml"]), @"
    exit 2
    --- stderr
    error: failed to read `absent.toml`
      caused by: No such file or directory (os error 2)
    ");
    // Looks like a key, but is not one.
    let planted = ["ghp_", "aZ4kQ9mB2xV7nL1pR8sT", "5wY3cE6dF0gH"].concat();
    file(here.path(), "secret.toml", &MANIFEST.replace("read a file", &planted));
    snapshot!(describe(&server, &here, &["--manifest", "secret.toml"]), @"
    exit 2
    --- stderr
    error: failed to read the manifest `secret.toml`
      caused by: line 4: /server/when_to_use/0: holds a key of GitHub, which must not be published; remove it, and use a placeholder such as `<token>` or the name of an environment variable

    hint: docs/describe.md has the format; `overt describe --init` writes a first one
    ");
}

#[test]
fn standard_output_takes_one_document() {
    let (server, here) = (files(), TempDir::new().unwrap());
    let facts = "reversible = false\npii_exposure = \"low\"\nsecrets_exposure = \"none\"\n";
    let manifest = MANIFEST.replace("reversible = false\n", "");
    let manifest = manifest.replace("effect = \"read\"\n", &format!("effect = \"read\"\n{facts}")) + facts;
    fs::write(here.path().join("overt.toml"), manifest).unwrap();
    snapshot!(describe(&server, &here, &["--as", "card"]), @"
    exit 2
    --- stderr
    using the manifest `overt.toml` of this directory
    error: standard output takes one document, and these are 3: cards/read_file.json, cards/delete_file.json, cards/index.json

    hint: `--out DIR` writes all into a directory, `--format json` prints all, and `--tool NAME` chooses a card
    ");
}

/// Many tools that lack the same facts are all counted, and displace no other finding.
#[test]
fn every_tool_of_a_large_server_is_counted() {
    let tools: Vec<String> = (0..197)
        .map(|index| {
            format!(
                r#"{{"name":"read_{index}","description":"Reads a file.","inputSchema":{{"type":"object"}}}}"#
            )
        })
        .collect();
    let (server, here) = (Script::with_tools(&format!("[{}]", tools.join(","))), TempDir::new().unwrap());
    let effects: String =
        (0..197).map(|index| format!("[tools.read_{index}]\neffect = \"read\"\n")).collect();
    let head =
        "[server]\nname = \"files\"\ndescription = \"Reads files. Use when the user asks for a file.\"\n";
    fs::write(here.path().join("overt.toml"), format!("{head}{effects}")).unwrap();
    let said = describe(&server, &here, &["--as", "all", "--out", "docs"]);
    for field in ["pii_exposure", "secrets_exposure"] {
        assert!(said.contains(&format!("/tools/*/{field} (197 tools): ")), "{field}: {said}");
    }
    assert!(said.contains("/server/registry_name: "), "{said}");
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let (server, here) = (files(), TempDir::new().unwrap());
    snapshot!(describe(&server, &here, &["--as", "all"]), @"
    exit 2
    --- stderr
    error: `--as all` makes many documents

    hint: `--out DIR` writes them into a directory, `--format json` prints them as one object
    ");
    snapshot!(describe(&server, &here, &["--as", "skill", "--section", "x"]), @"
    exit 2
    --- stderr
    error: `--section` has no meaning for `--as skill`

    hint: `ai-help` and `json` have sections
    ");
    snapshot!(describe(&server, &here, &["--as", "llms", "--tool", "x"]), @"
    exit 2
    --- stderr
    error: `--tool` has no meaning for `--as llms`

    hint: `card` and `dashdash` have a document for each tool
    ");
    snapshot!(describe(&server, &here, &["--as", "cost", "--out", "x"]), @"
    exit 2
    --- stderr
    error: `--out` has no meaning for `--as cost`

    hint: it measures what the server says; redirect standard output to keep it
    ");
    snapshot!(describe(&server, &here, &["--as", "dashdash", "--tool", "raed_file"]), @"
    exit 2
    --- stderr
    warning: there is no manifest, and the server declares nothing about itself; `overt describe --init` writes a first manifest
    error: the server has no tool `raed_file`; did you mean `read_file`? available: `read_file`, `delete_file`
    ");
}

#[test]
fn documents_are_written_once_and_checked_later() {
    let (server, here) = (files(), TempDir::new().unwrap());
    file(here.path(), "overt.toml", MANIFEST);
    let all = ["--as", "all", "--out", "docs", "--quiet"];
    assert_eq!(describe(&server, &here, &all), "exit 0");
    assert_eq!(describe(&server, &here, &all), "exit 0", "what is there already is left as it is");
    snapshot!(describe(&server, &here, &["--check", "docs"]), @"
    exit 0
    --- stderr
    using the manifest `overt.toml` of this directory
    7 documents as the manifest and the server have it
    ");
    let help = here.path().join("docs/ai-help.md");
    let text = fs::read_to_string(&help).unwrap();
    fs::write(&help, text.replace("read a file", "read\u{1b}[31m a file")).unwrap();
    snapshot!(describe(&server, &here, &["--check", "docs", "-q"]), @r#"
    exit 1
    --- stdout
    differs docs/ai-help.md
    --- docs/ai-help.md
    +++ from the manifest and the server
    @@ -20,5 +20,5 @@
     Use this MCP server when the user asks to:

    -- read\u{1b}[31m a file
    +- read a file

     ## Quick Reference
    "#);
    snapshot!(describe(&server, &here, &["--check", "docs/ai-help.md", "-q", "--format", "json"]), @r#"
    exit 1
    --- stdout
    {"missing":[],"surplus":[],"changed":[{"path":"docs/ai-help.md","diff":"@@ -20,5 +20,5 @@\n Use this MCP server when the user asks to:\n \n-- read\u001b[31m a file\n+- read a file\n \n ## Quick Reference\n"}],"undeclaredTools":[],"guesses":[]}
    "#);
    snapshot!(describe(&server, &here, &all), @"
    exit 2
    --- stderr
    error: `docs/ai-help.md` is there and is not what would be written

    hint: `--force` replaces it; `--check` shows what differs
    ");
    snapshot!(describe(&server, &here, &["--as", "ai-help", "--out", "docs", "--force", "--format", "json", "-q"]), @r#"
    exit 0
    --- stdout
    {"documents":[{"path":"ai-help.md","fate":"replaced"}]}
    "#);
    fs::remove_file(&help).unwrap();
    snapshot!(describe(&server, &here, &["--check", "docs", "-q"]), @"
    exit 1
    --- stdout
    missing docs/ai-help.md
    ");
}

/// Neither a link in the directory nor the name of a tool makes Overt write outside it.
#[test]
fn nothing_is_written_outside_of_the_directory() {
    let (server, here) = (files(), TempDir::new().unwrap());
    file(here.path(), "overt.toml", MANIFEST);
    fs::create_dir_all(here.path().join("docs")).unwrap();
    std::os::unix::fs::symlink("../elsewhere.md", here.path().join("docs/ai-help.md")).unwrap();
    snapshot!(describe(&server, &here, &["--out", "docs", "--force", "-q"]), @"
    exit 2
    --- stderr
    error: `docs/ai-help.md` is a symbolic link, and may lead anywhere

    hint: remove it, or choose another directory
    ");
    assert!(!here.path().join("elsewhere.md").exists());
}

#[test]
fn the_cost_is_counted_from_what_the_server_says() {
    let (server, here) = (files(), TempDir::new().unwrap());
    snapshot!(describe(&server, &here, &["--as", "cost"]), @r#"
    exit 0
    --- stdout
    openai: 79 o200k_base tokens (356 bytes)
      {"type":"function","function":{"name":…,"description":…,"parameters":<inputSchema>}}
    anthropic: 67 o200k_base tokens (298 bytes)
      {"name":…,"description":…,"input_schema":<inputSchema>}

      TOOL         OPENAI TOKENS  BYTES  ANTHROPIC TOKENS  BYTES
      read_file    45             200    39                171
      delete_file  34             156    28                127
      (all)        79             356    67                298

    Most expensive descriptions
      TOOL         TOKENS  BYTES
      read_file    4       13
      delete_file  4       15

    note: a tool is counted by itself, as minified JSON in the shape of the provider's requests; a total is the sum of the tools and the instructions
    note: how a provider lays tools out before a model is not public, so the real number differs a little
    note: current Claude models have no public tokenizer: only the provider's own count is exact for them
    "#);
}

/// D-31: a list that the server fails to return is left out, and nothing else.
#[test]
fn a_list_that_fails_is_left_out() {
    let here = TempDir::new().unwrap();
    let fails = r#"fail '{"code":-32603,"message":"boom"}'"#;
    let server = Script::with_hello(r#"{"tools":{},"prompts":{}}"#)
        .result("tools/list", &format!(r#"{{"tools":{TOOLS}}}"#))
        .on("prompts/list", fails);
    file(here.path(), "overt.toml", MANIFEST);
    describe(&server, &here, &["--as", "llms"]).exits(0, &["the prompts are left out"]);
}
