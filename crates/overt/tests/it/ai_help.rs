//! `--ai-help` prints the guide for agents, whatever else is wrong.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use overt_documents::front_matter::{Access, FrontMatter};

use crate::output::snapshot;
use crate::support::{overt, report, run};

#[test]
fn d_24_the_program_explains_itself_to_agents() {
    let output = overt().arg("--ai-help").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    // D-25, X-21: the guide has every member that any of the three forms requires.
    let (front, body) = FrontMatter::parse(&text).unwrap();
    assert_eq!((front.name.as_str(), front.spec_version.as_str()), ("overt", "0.2.0"));
    assert!(front.subcommand_help && front.access_level == Access::Full);
    assert!(front.description.contains("Use when the user"), "{}", front.description);
    for member in ["cli-url: none\n", "api-url: none\n", "web-url: none\n", "mcp-url: none\n"] {
        assert!(text.contains(member), "{member}");
    }
    let lines: Vec<&str> = body.lines().filter(|line| line.starts_with(['#', '>'])).collect();
    let above: Vec<&str> = lines.iter().filter(|line| !line.starts_with("###")).copied().collect();
    snapshot!(above.join("\n"), @"
    # Overt
    > See, approve, record and undo what AI agents do with their tools
    ## When to Use
    ## Quick Reference
    ## Installation
    ## Which Server
    ## Authentication
    ## Output Formats
    ## Error Handling
    ## Command Reference
    ## Rate Limits and Time
    ## Alternative Access Methods
    ## Best Practices
    ## Troubleshooting
    ");
    let (use_it, rest) = body.split_once("\nDo NOT use `overt` for:\n").expect("what it is not for");
    assert!(use_it.contains("\nUse `overt` to:\n") && !use_it.contains("## Quick Reference"));
    let quick = rest.split("\n## ").nth(1).unwrap();
    let operations = quick.lines().filter(|line| line.starts_with("- `overt ")).count();
    assert!(quick.starts_with("Quick Reference") && (10..=30).contains(&operations), "{quick}");
    assert!(!quick.contains("### More"), "a command has no group in `words.rs`: {quick}");
}

#[test]
fn d_27_a_command_explains_itself_without_front_matter() {
    snapshot!(run(&["completions", "--ai-help"]), @"
    exit 0
    --- stdout
    # overt completions

    > Print a completion script for a shell

    Targets, authorization, output and exit codes are the same for all commands: `overt --ai-help` explains them.

    ## Usage

    ```text
    overt completions [OPTIONS] <SHELL>
    ```

    ## Arguments

    - `<SHELL>`. One of `bash`, `elvish`, `fish`, `powershell`, `zsh`. Required.

    ## Options

    - `--ai-help` — Print help for AI agents, as Markdown
    - `-h, --help` — Print help (see a summary with '-h')

    ## Examples

    ```sh
    overt completions bash > ~/.local/share/bash-completion/completions/overt
    ```
    ");
}

#[test]
fn d_35_it_works_whatever_else_is_wrong() {
    let guide = run(&["--ai-help"]);
    assert!(guide.starts_with("exit 0\n--- stdout\n---\nname: overt\n"), "{guide}");
    for alias in ["--llm-help", "--agent-help", "--machine-help"] {
        assert_eq!(run(&[alias]), guide, "{alias}");
    }
    let list = run(&["list", "--ai-help"]);
    for arguments in [
        &["list", "--ai-help", "--no-such-option"][..],
        &["--ai-help", "list"],
        &["list", "--mcp-json", "/nonexistent/mcp.json", "x", "--ai-help"],
        &["list", "--token-file", "/nonexistent", "not a url", "--ai-help", "--protocol", "1999-01-01"],
        &["list", "--format", "xml", "--ai-help", "--", "no-such-program"],
    ] {
        assert_eq!(run(arguments), list, "{arguments:?}");
    }
    let mut broken = overt();
    broken.env_clear().env("OVERT_LOG", "=,=").env("OVERT_STATE_DIR", "").env("COLUMNS", "x");
    broken.env("MCP", OsStr::from_bytes(b"\xff\xfe")).arg("--ai-help").current_dir(Path::new("/"));
    assert_eq!(report(&broken.output().unwrap()), guide);
}

#[test]
fn what_belongs_to_a_server_is_not_for_us() {
    let got = run(&["list", "--", "/nonexistent/program", "--ai-help"]);
    assert!(got.starts_with("exit 3") || got.starts_with("exit 2"), "{got}");
}

#[test]
fn d_35_help_manual_and_completions_mention_it() {
    for arguments in [&["--help"][..], &["-h"], &["list", "-h"], &["pins", "diff", "--help"]] {
        let help = run(arguments);
        assert!(help.contains("--ai-help"), "{help}");
        assert!(!help.contains("--llm-help"), "{help}");
    }
    assert!(run(&[]).contains("--ai-help"));
    let page = run(&["man"]);
    assert!(page.contains("ai\\-help"), "{page}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&["completions", shell]).contains("ai-help"), "{shell}");
    }
}
