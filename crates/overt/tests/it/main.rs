//! The binary as a user sees it: exit code, standard output, standard error.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod support; // runs the binary; scripted servers
mod peer; // a client in each era over each transport
mod output; // what a command printed
mod environment; // the folders of a test, a server, and the program in front of it
mod client; // a client of the binary over stdio
mod configured; // configurations of clients, behind overt run
mod help; // help, versions, completions, manual pages
mod ai_help; // `--ai-help`, the guide for agents
mod auth; // tokens, logging in and out
mod targets; // selecting a server: what is refused, and why
mod manifest_run; // overt run --manifest
mod settings; // overt run: settings from every source
mod mcp_json; // the configuration files of other programs
mod fs; // overt fs: what it serves, from which settings
mod seeds; // the five proposals, from outside
mod fs_control; // overt fs: permissions
mod fs_granted; // overt fs: what a person grants outside of the roots
mod fs_granted_races; // overt fs: the worker of a grant, raced, killed and revoked
mod fs_spawner; // overt fs: what starts workers, in front of a compromised server
mod fs_memory; // overt fs: the memory cost of large changes
mod fs_metadata; // overt fs: what it tells clients about itself
mod fs_sandbox; // overt fs: the sandbox
mod list; // overt list
mod arguments; // how words become a tool's arguments
mod call; // overt call: results in every form
mod manners; // results, questions and errors as a person sees them
mod save; // --out
mod card; // overt card
mod skill; // overt skill
mod skill_server; // the skills of servers
mod skills; // overt skills
mod describe; // overt describe
mod told; // what Overt's own servers tell about themselves
mod hostile; // servers that send terminal control sequences
mod lifecycle; // servers that die, hang or are not MCP servers; signals; pipes
mod preview; // previews of calls
mod questions; // questions of a server
mod terminal; // what a person sees: widths, colours, progress, questions
mod interruption; // Ctrl-C and SIGTERM at a terminal
mod serving; // overt run: its start, the cost of a flood, its end
mod audit; // overt audit
mod day; // fixtures for activity, undo and suggest: a file server and another server
mod activity; // overt log
mod undo; // overt undo
mod suggest; // overt policy suggest
mod audit_kill; // the audit log of overt run, killed again and again
mod task_records; // the audit record of a task behind overt run
mod grants; // overt grants
mod grants_run; // overt grants while a call waits behind overt run
mod grants_show; // overt grants show
mod grants_advance; // overt grants allow and deny, in advance and for good
mod trust; // overt trust
mod redefined; // a tool that changes after its server was trusted
mod watch; // overt watch in a pseudo terminal
mod watch_screen; // a pseudo terminal with a screen
mod contract; // answers of the page, as its TypeScript declares them
mod ui; // overt ui: the API of the page
mod inspect; // overt inspect: trying a server through the page
mod ui_large_changes; // overt ui: changes of 100 MB, shown and undone
mod inspect_targets; // overt inspect: servers over HTTP, with OAuth, that ask, with a configuration
mod seed; // a server that speaks the proposal of seed 002
mod ui_policy; // overt ui: what is allowed, and the user's own file
mod ui_servers; // overt ui: servers, their definitions and trust
mod answerer; // only a person answers
mod http_owner; // overt fs --http: the users that it serves
mod folder_choice; // the folder around a file, as a wider answer
mod forbid; // overt forbid, overt permit
mod pins; // overt pins
mod policy; // overt policy
mod guarded; // files that start programs, and servers that lost Overt
mod wrap; // overt wrap, overt unwrap, overt doctor
mod wrap_known; // a server that was wrapped and has not run yet
mod wrap_managed; // `overt wrap` where an administrator allows and denies servers
mod wrap_terminal; // the questions of overt wrap
mod projects; // grants in different projects
mod pins_run; // the pins of overt run
mod telemetry; // overt run: logs, the trace file, spans, health and metrics
mod http; // Streamable HTTP, in both eras
mod json; // `--format json` of every command, byte for byte
