//! Help, versions, completions and manual pages.
use crate::output::snapshot;
use crate::support::{overt, report, run};

#[test]
fn the_program_introduces_itself() {
    snapshot!(run(&["--help"]), @"
    exit 0
    --- stdout
    See, approve, record and undo what AI agents do with their tools.

    Data goes to standard output, everything else to standard error. What a server says is escaped
    before it reaches a terminal.

    Agents: `overt --ai-help` explains the program, `overt COMMAND --ai-help` a command.

    Usage: overt [OPTIONS] <COMMAND>

    Commands:
      wrap         Put Overt in front of the servers that your clients use
      unwrap       Take Overt away from the servers that `overt wrap` wrapped
      doctor       Check that wrapped servers start and questions can be answered
      fs           Serve files: an MCP server that shows changes and can undo them
      list         List what a server offers: tools, resources, prompts, skills
      call         Call one tool of a server
      describe     Print documents about a server: help, skill, cards, registry
      card         Check Tool Cards, make them, and compare them
      skill        Check, start and install skills, and make them portable
      skills       Serve skills: an MCP server for the skills in some folders
      run          Stand in front of a server: clients talk to it through Overt
      policy       Check policies and rules, and explain what they decide
      watch        Answer calls that need your approval, as they arrive
      ui           Answer calls, and see what agents did, in the browser
      inspect      Try a server in the browser: its tools, resources and prompts
      forbid       Forbid a tool, a server or a path, whatever else allows it
      permit       Permit a tool, a server or a path without asking you
      grants       Answer calls that wait for you, and take back what was allowed
      trust        Decide how far you believe what a server says about its own tools
      passphrase   Set a passphrase with which you can answer without a terminal
      token        Make tokens with which other users reach your server over HTTP
      pins         See which definitions of tools changed, and accept them
      log          Show what agents did, the newest first
      undo         Take back what agents changed through `overt fs`
      audit        Check, search and export what was written down about calls
      login        Log in to a server that wants authorization, and keep the tokens
      logout       Forget the tokens for a server
      completions  Print a completion script for a shell
      man          Print the manual page of the program or of one of its commands
      help         Print this message or the help of the given subcommand(s)

    Options:
          --ai-help
              Print help for AI agents, as Markdown

      -V, --version
              Print version

      -h, --help
              Print help (see a summary with '-h')

    Exit codes:
      0    everything went well
      1    the tool answered that it failed, or a check or a comparison found something
      2    the command line, or a file that it names, is wrong
      3    a server failed or can't be reached, or only a person may do this
      4    an audit log has no end, and no process writes it: after a crash or a cut
      130  interrupted
    ");
    snapshot!(run(&["--version"]), @"
    exit 0
    --- stdout
    overt [VERSION]
    ");
}

#[test]
fn nothing_typed_shows_the_help_as_a_mistake() {
    assert!(run(&[]).starts_with("exit 2\n--- stderr\nSee, approve, record"));
}

#[test]
fn each_command_has_examples() {
    snapshot!(run(&["list", "-h"]), @"
    exit 0
    --- stdout
    List what a server offers: tools, resources, prompts, skills

    Usage: overt list [OPTIONS] <URL>
           overt list [OPTIONS] --mcp-json <FILE> <NAME>
           overt list [OPTIONS] -- <CMD> [ARG]...
           overt list [OPTIONS] fs

    Arguments:
      [URL]     Streamable HTTP endpoint of the server, or `fs` for the files here
      [CMD]...  The command that starts a stdio server, with its arguments

    Options:
          --kind <KIND>  What to list (repeatable) [default: all that the server declares] [possible
                         values: tools, resources, templates, prompts, skills, all]
      -l, --long         Show every entry in full as text: whole descriptions, each argument with its
                         type, all annotations
      -h, --help         Print help (see more with '--help')

    Output options:
          --format <FORMAT>  How to print the data [env: OVERT_FORMAT] [default: text] [possible values:
                             text, json]

    Target options:
          --mcp-json <FILE> <NAME>  Take the server NAME from FILE, a client's file with `mcpServers` or
                                    `servers`
          --env <NAME[=VALUE]>      Set a variable of a server that is a command; NAME alone passes on
                                    ours (repeatable)

    Authorization options (URL targets):
          --token-env <VAR>  Send the bearer token in the environment variable VAR

    Examples:
      overt list -- npx -y @modelcontextprotocol/server-everything
      overt list https://mcp.example.com/mcp --token-env MCP_TOKEN

    `overt list --help` shows everything (`--ai-help`: for agents).
    ");
    snapshot!(run(&["call", "-h"]), @r#"
    exit 0
    --- stdout
    Call one tool of a server

    Usage: overt call [OPTIONS] <URL> <TOOL> [NAME=VALUE]...
           overt call [OPTIONS] --mcp-json <FILE> <NAME> <TOOL> [NAME=VALUE]...
           overt call [OPTIONS] <TOOL> [NAME=VALUE]... -- <CMD> [ARG]...
           overt call [OPTIONS] fs <TOOL> [NAME=VALUE]...
           overt call --replay <FILE> <URL>

    Arguments:
      [CMD]...  The command that starts a stdio server, with its arguments

    Options:
          --json <JSON>    The whole arguments object: JSON text, `@FILE`, or `-` for standard input
          --preview        Only show what the call would change, as a diff; nothing is changed
          --out <PATH>     Save images, audio and other binary content to PATH: a file for one item, a
                           directory for several
          --grant <SCOPE>  Grant this for the call, such as `write:files:/notes` (repeatable)
      -h, --help           Print help (see more with '--help')

    Output options:
          --format <FORMAT>  How to print the data [env: OVERT_FORMAT] [default: text] [possible values:
                             text, json]

    Target options:
          --mcp-json <FILE> <NAME>  Take the server NAME from FILE, a client's file with `mcpServers` or
                                    `servers`
          --env <NAME[=VALUE]>      Set a variable of a server that is a command; NAME alone passes on
                                    ours (repeatable)

    Authorization options (URL targets):
          --token-env <VAR>  Send the bearer token in the environment variable VAR

    Examples:
      overt call fs write_file path=notes.txt content=hello --preview
      overt call get-sum a=2 b=3 -- npx -y @modelcontextprotocol/server-everything

    `overt call --help` shows everything (`--ai-help`: for agents).
    "#);
}

#[test]
fn unknown_commands_and_options_are_usage_mistakes() {
    snapshot!(run(&["lst"]), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'lst'

      tip: a similar subcommand exists: 'list'

    Usage: overt [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    snapshot!(run(&["list", "--frmat", "json"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--frmat' found

      tip: a similar argument exists: '--format'
      tip: to pass '--frmat' as a value, use '-- --frmat'

    Usage: overt list [OPTIONS] <URL>
           overt list [OPTIONS] --mcp-json <FILE> <NAME>
           overt list [OPTIONS] -- <CMD> [ARG]...
           overt list [OPTIONS] fs

    For more information, try '--help'.
    ");
    snapshot!(run(&["list", "--protocol", "2025", "http://x"]), @"
    exit 2
    --- stderr
    error: invalid value '2025' for '--protocol <VERSION>'
      [possible values: auto, 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05]

      tip: a similar value exists: '2025-03-26'

    For more information, try '--help'.
    ");
    snapshot!(run(&["list", "--timeout", "soon", "http://x"]), @"
    exit 2
    --- stderr
    error: invalid value 'soon' for '--timeout <TIME>': expected a time such as `500ms`, `30s` or `5m`

    For more information, try '--help'.
    ");
}

#[test]
fn trust_explains_itself() {
    snapshot!(run(&["trust", "--help"]), @"
    exit 0
    --- stdout
    Decide how far you believe what a server says about its own tools

    A server can say that a tool only reads. Overt can't check that, so you decide once for each server
    and project whether such a tool runs without asking you. A decision covers the definitions that you
    were shown; a tool that is new or changed asks. `overt trust` without a server lists your decisions.

    Usage: overt trust <SERVER> [LEVEL] [--project <DIR>|--no-project]
           overt trust <SERVER> --forget [--project <DIR>|--no-project]
           overt trust [--list]

    Arguments:
      [SERVER]
              The server, as `overt grants pending` names it: `notes#1a2b3c4d`, or `notes` if there is
              only one

      [LEVEL]
              How much you want to be asked [default: changes]

              Possible values:
              - everything: Ask for everything: every call asks
              - changes:    Ask for changes: a tool that says it only reads runs without asking
              - deletes:    Ask for deletes: what says it deletes nothing and stays on this machine runs
                without asking
              - nothing:    Ask for nothing: no call asks, and every call is recorded

    Options:
          --project <DIR>
              The project that the decision is for [default: the current folder]

          --no-project
              Decide about a server that is served over HTTP, where clients have no project

          --forget
              Take the decision back: the next call asks again

          --list
              List your decisions, as without a server

          --passphrase-stdin
              Read your passphrase from the first line of standard input, for scripts of yours without a
              terminal

          --ai-help
              Print help for AI agents, as Markdown

      -h, --help
              Print help (see a summary with '-h')

    Output options:
          --format <FORMAT>
              How to print the data [env: OVERT_FORMAT] [default: text]

              Possible values:
              - text: For people: tables and plain text, with other people's control characters escaped
              - json: For programs: the exact text of the server

      -v, --verbose...
              Also show what the server writes to its standard error, its log messages and our own (-vv:
              more)

      -q, --quiet
              Print data and errors, nothing else

    Examples:
      overt trust server-filesystem
      overt trust notes everything --project ~/site
      overt trust notes --forget
      overt trust --list
    ");
}

#[test]
fn grants_explain_themselves() {
    snapshot!(run(&["grants", "--help"]), @"
    exit 0
    --- stdout
    Answer calls that wait for you, and take back what was allowed

    A call that may change something needs your approval: in the client, if it can ask, or here. While
    `overt grants pending --watch` runs, calls wait for your answer. Otherwise a call is refused at
    once; a yes within ten minutes counts when the same call is made again. What is allowed for one call
    or a session ends with it; what is allowed always holds in its project until it is revoked.

    Usage: overt grants [OPTIONS] <COMMAND>

    Commands:
      list     List what is allowed beyond what is configured, and what is refused for good
      pending  Show the calls that wait for an answer
      show     Show everything about one question: all arguments, all changes that the call will make,
               and how to answer
      allow    Allow a call that waits, or allow a tool in advance
      deny     Deny a call that waits, or refuse a tool for good
      revoke   Take back what was allowed, from the next call of every running server on
      help     Print this message or the help of the given subcommand(s)

    Options:
          --ai-help
              Print help for AI agents, as Markdown

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      overt grants pending --watch
      overt grants show q-3
      overt grants allow q-3 --session
      overt grants allow q-3 q-5 --for 8h
      overt grants deny q-4 --never
      overt grants allow create_entities --server memory --project .
      overt grants allow write_file --folder ~/notes --for 8h
      overt grants revoke g-7
    ");
    snapshot!(run(&["grants", "allow", "-h"]), @"
    exit 0
    --- stdout
    Allow a call that waits, or allow a tool in advance

    Usage: overt grants allow <ID>... [--once|--session|--always] [OPTIONS]
           overt grants allow <TOOL> [--server <SERVER>] [--for <TIME>] [OPTIONS]

    Arguments:
      [ID|TOOL]...  The questions, as `overt grants pending` names them; or a tool, to allow it in
                    advance

    Options:
          --once               For this call with these arguments (the default)
          --session            Until the session of the client ends
          --always             Until it is revoked, in the project that asks
          --for <TIME>         For this long, in the project that asks: `30m`, `8h`, `7d`; with
                               `--session`, for this long at most [alias: --expires]
          --everywhere         In every project and every directory, not only in the one that asks; a
                               relative path in the server's command line may then mean another program
          --breadth <BREADTH>  Allow more than the call needs, if the question offers it: `overt grants
                               show` says what [possible values: call, folder, tool, server, reads]
          --dangerous          Confirm a very wide grant: a whole action, a whole kind, every path, or
                               every tool of a server, for good
      -h, --help               Print help (see more with '--help')

    In advance:
          --server <SERVER>  Its server, as `overt grants list` and `pending` name it: `files#1a2b3c4d`,
                             or `files` if there is only one [default: the one server that has such a
                             tool]
          --folder <DIR>     Only in this folder, for a server whose calls name files; may be repeated
          --project <DIR>    The project that it holds in [default: the current folder]

    Output options:
          --format <FORMAT>  How to print the data [env: OVERT_FORMAT] [default: text] [possible values:
                             text, json]

    `overt grants allow --help` shows everything (`--ai-help`: for agents).
    ");
}

#[test]
fn pins_explain_themselves() {
    snapshot!(run(&["pins", "--help"]), @"
    exit 0
    --- stdout
    See which definitions of tools changed, and accept them

    `overt run` remembers the tools of a server as they were when it saw them first. A tool that comes
    later, or is not what it was, waits for a decision: `accept` takes it as it is now, `keep` stays
    with what was accepted.

    Usage: overt pins [OPTIONS] <COMMAND>

    Commands:
      list    List the servers and tools that are remembered, and how each tool stands
      diff    Show what differs between the accepted definitions and those seen last; exit code 1 if
              anything does
      accept  Accept tools as they were seen last. What changed after `overt pins diff` showed it is not
              accepted
      keep    Stay with what was accepted and forget what else was seen
      forget  Forget a server: what it shows next is accepted as if it was seen for the first time
      help    Print this message or the help of the given subcommand(s)

    Options:
          --ai-help
              Print help for AI agents, as Markdown

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      overt pins list
      overt pins diff 5f0c2a91
      overt pins accept 5f0c2a91 search fetch
      overt pins accept --all -- npx -y @modelcontextprotocol/server-everything
    ");
    snapshot!(run(&["pins", "accept", "-h"]), @"
    exit 0
    --- stdout
    Accept tools as they were seen last. What changed after `overt pins diff` showed it is not accepted

    Usage: overt pins accept <SERVER> <TOOL|--all>...
           overt pins accept --mcp-json <FILE> <NAME> <TOOL|--all>...
           overt pins accept <TOOL|--all>... -- <CMD> [ARG]...

    Arguments:
      [CMD]...  The command that starts a stdio server, with its arguments

    Options:
          --passphrase-stdin  Read your passphrase from the first line of standard input, for scripts of
                              yours without a terminal
          --all               Every tool of the server that is new or changed
      -h, --help              Print help (see more with '--help')

    Server options:
          --mcp-json <FILE> <NAME>  The server NAME in FILE, a client's file with `mcpServers` or
                                    `servers`
          --cwd <DIR>               The directory in which the command is started, if `overt run` was
                                    told one

    `overt pins accept --help` shows everything (`--ai-help`: for agents).
    ");
    snapshot!(run(&["pins", "diff", "-h"]), @"
    exit 0
    --- stdout
    Show what differs between the accepted definitions and those seen last; exit code 1 if anything does

    Usage: overt pins diff [OPTIONS] [SERVER] [TOOL]...
           overt pins diff [OPTIONS] --mcp-json <FILE> <NAME> [TOOL]...
           overt pins diff [OPTIONS] [TOOL]... -- <CMD> [ARG]...

    Arguments:
      [CMD]...  The command that starts a stdio server, with its arguments

    Options:
      -h, --help  Print help (see more with '--help')

    Output options:
          --format <FORMAT>  How to print the data [env: OVERT_FORMAT] [default: text] [possible values:
                             text, json]

    Server options:
          --mcp-json <FILE> <NAME>  The server NAME in FILE, a client's file with `mcpServers` or
                                    `servers`
          --cwd <DIR>               The directory in which the command is started, if `overt run` was
                                    told one

    `overt pins diff --help` shows everything (`--ai-help`: for agents).
    ");
}

#[test]
fn completions_and_manual_pages_come_from_the_same_declarations() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        run(&["completions", shell]).exits(0, &["mcp-json"]);
    }
    run(&["man"]).exits(0, &[".TH overt 1"]);
    let page = run(&["man", "call"]);
    assert!(page.contains(".TH overt\\-call 1") || page.contains(".TH overt-call 1"), "{page}");
    snapshot!(run(&["man", "cal"]), @"
    exit 2
    --- stderr
    error: no command `cal`; did you mean `call`? available: `call`, `wrap`, `unwrap`, `doctor`, `fs`, `list`, `describe`, `card`, `skill`, `skills`, `run`, `policy`, `watch`, `ui`, `inspect`, `forbid`, `permit`, `grants`, `trust`, `passphrase` and 10 more
    ");
}

/// Returns the subcommands of a command, as its help lists them.
fn inside(path: &[String]) -> Vec<Vec<String>> {
    let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let help = run(&words);
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let names = list.lines().take_while(|line| !line.is_empty());
    let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(|name| [path, &[name.to_owned()]].concat()).collect()
}

/// Returns every command of the program, including subcommands.
fn all_commands() -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() {
        let more = inside(&all[at]);
        all.extend(more);
        at += 1;
    }
    all
}

#[test]
fn u_06_every_command_has_a_short_help_and_a_manual_page() {
    let all = all_commands();
    assert!(all.len() > 50, "{}", all.len());
    for path in all {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let short = report(&overt().args(&words).arg("-h").env("COLUMNS", "80").output().unwrap());
        let lines: Vec<&str> = short.lines().skip(2).collect();
        let count = lines.len();
        assert!(short.starts_with("exit 0") && count <= 40, "{count} lines: {short}");
        assert!(lines.iter().all(|line| line.len() <= 80), "{short}");
        let path = [&["overt"], &words[..]].concat().join(" ");
        let end = format!("`{path} --help` shows everything (`--ai-help`: for agents).");
        assert_eq!(lines.last().copied(), Some(end.as_str()), "{short}");
        let long = report(&overt().args(&words).arg("--help").env("COLUMNS", "80").output().unwrap());
        let usage = long.split("\nUsage: ").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
        assert!(usage.into_iter().all(|line| line.len() <= 80), "{long}");
        let page = run(&[&["man"], &words[..]].concat());
        let title = [&["overt"], &words[..]].concat().join("-");
        assert!(
            page.starts_with("exit 0") && page.replace('\\', "").contains(&format!(".TH {title} 1")),
            "{words:?}: {page}"
        );
    }
    snapshot!(run(&["man", "grants", "alow"]), @"
    exit 2
    --- stderr
    error: no command `alow`; did you mean `allow`? available: `allow`, `list`, `pending`, `show`, `deny`, `revoke`, `help`
    ");
    snapshot!(run(&["man", "call", "fs"]), @"
    exit 2
    --- stderr
    error: no command `fs`: `overt call` has no subcommands
    ");
}

#[test]
fn u_06_help_shows_what_applies() {
    snapshot!(run(&["run", "-h"]), @"
    exit 0
    --- stdout
    Stand in front of a server: clients talk to it through Overt

    Usage: overt run [OPTIONS] <URL>
           overt run [OPTIONS] --mcp-json <FILE> <NAME>
           overt run [OPTIONS] -- <CMD> [ARG]...

    Arguments:
      [URL]     Streamable HTTP endpoint of the server
      [CMD]...  The command that starts a stdio server, with its arguments

    Options:
          --name <NAME>  What the server is called in scopes, grants and the audit log; without it,
                         after its program or host
          --http <ADDR>  Serve clients over Streamable HTTP on this address, such as 127.0.0.1:[PORT];
                         port 0 takes a free one
      -h, --help         Print help (see more with '--help')

    Control options:
          --allow <SCOPE>  What is allowed without asking (repeatable) [env: OVERT_ALLOW] [default:
                           read]
          --deny <SCOPE>   What is refused, whatever else allows it (repeatable) [env: OVERT_DENY]
          --config <FILE>  Read settings, a policy that nothing passes, and rules from FILE (see
                           docs/settings.md). Read again on SIGHUP [env: OVERT_CONFIG]

    Target options:
          --mcp-json <FILE> <NAME>  Take the server NAME from FILE, a client's file with `mcpServers` or
                                    `servers`
          --env <NAME[=VALUE]>      Set a variable of a server that is a command; NAME alone passes on
                                    ours (repeatable)

    Authorization options (URL targets):
          --token-env <VAR>  Send the bearer token in the environment variable VAR

    Examples:
      overt run -- npx -y @modelcontextprotocol/server-everything
      overt run https://mcp.example.com/mcp --token-env MCP_TOKEN

    `overt run --help` shows everything (`--ai-help`: for agents).
    ");
    snapshot!(run(&["login", "-h"]), @"
    exit 0
    --- stdout
    Log in to a server that wants authorization, and keep the tokens

    Usage: overt login [OPTIONS] <URL>
           overt login [OPTIONS] --mcp-json <FILE> <NAME>

    Arguments:
      [URL]  Streamable HTTP endpoint of the server

    Options:
      -h, --help  Print help (see more with '--help')

    Target options:
          --mcp-json <FILE> <NAME>  Take the server NAME from FILE, a client's file with `mcpServers` or
                                    `servers`

    Authorization options (URL targets):
          --oauth-flow <FLOW>              How to get tokens: a person agrees in a browser, or we show a
                                           secret of our own [possible values: code, client-credentials]
          --oauth-client-id <ID>           The client that is registered with the authorization server
                                           [default: register one]
          --oauth-client-secret-env <VAR>  The environment variable with the secret of that client
          --oauth-scope <SCOPE>            Ask for this scope (repeatable) [default: what the server
                                           says it needs]
          --oauth-port <PORT>              The port of this machine to which the browser comes back
                                           [default: any]
          --no-browser                     Print the address of the authorization page and open no
                                           browser
          --allow-private-auth             Let the server name an authorization server on a private
                                           network

    Examples:
      overt login https://mcp.example.com/mcp
      overt login https://mcp.example.com/mcp --oauth-scope files.read --no-browser

    `overt login --help` shows everything (`--ai-help`: for agents).
    ");
    snapshot!(run(&["logout", "--help"]), @"
    exit 0
    --- stdout
    Forget the tokens for a server

    The tokens are removed from this machine. They stay valid until they expire, or until you revoke
    them at the authorization server.

    Usage: overt logout <URL>
           overt logout --mcp-json <FILE> <NAME>

    Arguments:
      [URL]
              Streamable HTTP endpoint of the server

    Options:
          --ai-help
              Print help for AI agents, as Markdown

      -h, --help
              Print help (see a summary with '-h')

    Target options:
          --mcp-json <FILE> <NAME>
              Take the server NAME from FILE, a client's file with `mcpServers` or `servers`

          --header <NAME: VALUE>
              Send this header with every request (URL targets). Secrets don't belong here: use
              --header-env

          --header-env <NAME=VAR>
              Send header NAME with the value of the environment variable VAR, which keeps it out of the
              process list
    ");
}

#[test]
fn the_reference_shows_the_same_exit_codes() {
    let manual = include_str!("../../../../docs/cli.md");
    let help = run(&["--help"]);
    let codes = help.split_once("Exit codes:\n").expect("the help lists them").1;
    let mut count = 0;
    for line in codes.lines().filter(|line| !line.trim().is_empty()) {
        let (code, meaning) = line.trim().split_once(' ').expect("a code and its meaning");
        assert!(manual.contains(&format!("| {code} | {} |", meaning.trim())), "{line}");
        count += 1;
    }
    assert_eq!(count, 6);
}
