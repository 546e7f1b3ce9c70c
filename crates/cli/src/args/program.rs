//! The program in clap's form. `--help` shows everything; `-h` shows what most people need, on one
//! screen.
use clap::{Arg, Command, CommandFactory as _};

use super::Cli;

/// Options that many commands share, by their heading: those that `-h` shows, by their ids.
const SHARED: [(&str, &[&str]); 7] = [
    ("Target options", &["mcp_json", "env", "from"]),
    ("Authorization options (URL targets)", &["token_env"]),
    ("Output options", &["format"]),
    ("File options", &["setting.read_only", "setting.hidden", "setting.immutable"]),
    ("Sandbox options", &[]),
    ("Control options", &["setting.allow", "setting.deny", "config"]),
    ("Observability options", &[]),
];

/// Options of single commands that few people need.
const RARE: [(&[&str], &[&str]); 9] = [
    (&["overt"], &["version"]),
    (
        &["fs", "run", "skills"],
        &["path", "allowed_hosts", "allowed_origins", "public_url", "max_timeout", "drain"],
    ),
    (&["run"], &["state_dir", "manifest", "pin", "share", "allow_unasked", "allow_secret_forms"]),
    (&["call"], &["replay", "plan", "review", "existing", "raw", "policy", "config", "manifest"]),
    (&["describe"], &["section", "tool", "audit", "existing", "check", "env"]),
    (&["describe", "install"], &["token_env"]),
    (&["allow"], &["tool", "scope", "passphrase", "wider"]),
    (&["query"], &["after", "before", "rule", "grant", "principal"]),
    (&["explain"], &["json", "policy"]),
];

/// Lines of examples that `-h` shows.
const MOST_EXAMPLES: usize = 2;
/// An example that is wider would be broken.
const WIDEST_EXAMPLE: usize = 80;

/// What a command that only logs in or out can't use: options of servers that are started, of other
/// ways to get a token, and of calls.
const NOT_FOR_LOGIN: [&str; 11] = [
    "command",
    "env",
    "env_files",
    "inherit_env",
    "cwd",
    "roots",
    "protocol",
    "token_env",
    "token_file",
    "oauth",
    "timeout",
];
/// What logging out does not need either.
const NOT_FOR_LOGOUT: [&str; 7] = [
    "oauth_flow",
    "oauth_client_id",
    "oauth_client_secret_env",
    "oauth_scopes",
    "oauth_port",
    "no_browser",
    "allow_private_auth",
];

/// Everything that can be typed. What a command takes only because it shares a list of options with
/// others is not in its help.
pub(crate) fn program() -> Command {
    Cli::command()
        .mut_subcommand("login", |login| login.mut_args(|arg| hidden(arg, &[&NOT_FOR_LOGIN])))
        .mut_subcommand("logout", |logout| {
            logout.mut_args(|arg| hidden(arg, &[&NOT_FOR_LOGIN, &NOT_FOR_LOGOUT]))
        })
}

/// The same with a `-h` that fits on a screen.
pub(crate) fn program_with_short_help() -> Command {
    shortened(program(), "")
}

fn hidden(arg: Arg, ids: &[&[&str]]) -> Arg {
    let is_hidden = ids.iter().any(|ids| ids.contains(&arg.get_id().as_str()));
    if is_hidden { arg.hide(true) } else { arg }
}

/// `above` is what is typed before the name of the command.
fn shortened(command: Command, above: &str) -> Command {
    let name = command.get_name().to_owned();
    let path = format!("{above}{name}");
    let all = command.get_after_help().map(ToString::to_string);
    let command = command
        .mut_args(|arg| if is_rare(&name, &arg) { arg.hide_short_help(true) } else { arg })
        .mut_subcommands(|inner| shortened(inner, &format!("{path} ")));
    let examples = all.as_deref().filter(|all| all.starts_with("Example")).map(first_examples);
    let more = format!("`{path} --help` shows everything (`--ai-help`: for agents).");
    let short = examples.map(|examples| format!("{examples}\n\n{more}")).unwrap_or(more);
    command.after_help(short).after_long_help(all.unwrap_or_default())
}

fn is_rare(command: &str, arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    let heading = arg.get_help_heading();
    let shared = SHARED.iter().find(|(shared, _)| Some(*shared) == heading);
    let is_listed = RARE.iter().any(|(commands, ids)| commands.contains(&command) && ids.contains(&id));
    // Authorization is the purpose of `overt login`, so its options are not rare there.
    let shared = shared.filter(|(heading, _)| command != "login" || !heading.starts_with("Authorization"));
    is_listed || shared.is_some_and(|(_, shown)| !shown.contains(&id))
}

/// The first lines that fit, up to the first empty one.
fn first_examples(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.is_empty());
    let lines = lines.filter(|line| line.len() <= WIDEST_EXAMPLE).take(1 + MOST_EXAMPLES);
    lines.collect::<Vec<_>>().join("\n")
}
