//! Resolves the server that a command line names: a URL, a command, one of our own servers, or an
//! entry of another program's file.
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use overt_transport::client::{Command, Environment, HttpTarget, Proxies, Target};
use overt_transport::guardian::Guardian;

use super::env_file::{self, EnvFileError};
use super::header;
use super::mcp_json::{self, McpJsonError};
use super::project::working_directory;
use super::{Env, auth, included_server, program};
use crate::args::TargetArgs;
use crate::error::{CommandError, user_error};

fn no_target() -> CommandError {
    user_error("no server to talk to").hinted(TARGETS)
}

fn not_a_target(word: &str) -> CommandError {
    let error = user_error(format!("`{word}` is not a target"));
    if looks_like_host(word) {
        error.hinted(format!("did you mean `http://{word}`?"))
    } else if Path::new(word).is_absolute() || Path::new(word).exists() {
        let here = if word.contains('/') { "" } else { "./" };
        error.hinted(format!("to start it as a server, write it after `--`: `-- {here}{word}`"))
    } else {
        error.hinted(TARGETS)
    }
}

fn two_servers(first: &str, second: &str) -> CommandError {
    user_error(format!("two servers are given: {first} and {second}")).hinted("give one of them")
}

/// The error for an option that the server has no use for.
pub(super) fn wrong_option(option: &str, needs: &str) -> CommandError {
    user_error(format!("`{option}` needs a server that is {needs}"))
}

const TARGETS: &str = "a target is a URL such as `https://example.com/mcp`, `--mcp-json FILE NAME`, a command after `--`, or `fs` for \
                       the files here";
const HOW_TO_SET: &str = "`--env NAME=VALUE` sets one";

/// Whether a word can only be a URL.
pub(super) fn is_url(word: &str) -> bool {
    let scheme = word.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Whether a word alone names a server: a URL, or one of our own servers.
pub(crate) fn is_target_word(word: &str) -> bool {
    is_url(word) || included_server::is_own(word)
}

/// The only argument of this program when it runs as the guardian of servers that another process
/// started.
pub(crate) const GUARDIAN_ARGUMENT: &str = "--guard-process-groups";

/// Which variables of our environment a program that we start gets (UP-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherit {
    /// All except our own settings, because the user who started us could have started the program
    /// too.
    All,
    /// A short list, because clients connect over a network.
    Harmless,
}

/// Returns the one server that the command line names. `url` is the positional argument that should
/// hold a URL.
pub(super) fn resolve(
    args: &TargetArgs,
    url: Option<&str>,
    inherit: Inherit,
    env: &Env,
) -> Result<Target, CommandError> {
    let inherit = if args.inherit_env { Inherit::All } else { inherit };
    let command = args.command.first().map(|program| format!("`-- {}`", program.to_string_lossy()));
    let named = [
        url.map(|url| format!("`{url}`")),
        args.mcp_json.as_ref().map(|_| "`--mcp-json`".to_owned()),
        command,
    ];
    let mut named = named.into_iter().flatten();
    if let (Some(first), Some(second)) = (named.next(), named.next()) {
        return Err(two_servers(&first, &second));
    }
    let mut target = if let Some(name) = url.filter(|word| included_server::is_own(word)) {
        Target::Command(included_server::command(name, environment(inherit, env), env))
    } else if let Some(url) = url {
        if !is_url(url) {
            return Err(not_a_target(url));
        }
        Target::Http(HttpTarget::new(url))
    } else if let Some(values) = &args.mcp_json {
        from_file(values, environment(inherit, env), env)?
    } else if let Some((program, rest)) = args.command.split_first() {
        let env = environment(inherit, env);
        Target::Command(Command { args: rest.to_vec(), env, ..Command::new(program) })
    } else {
        return Err(no_target());
    };
    match &mut target {
        Target::Command(command) => adjust_command(command, args, env)?,
        Target::Http(http) => adjust_http(http, args, env)?,
        // No argument produces this target.
        Target::Streams(_) => {}
    }
    Ok(target)
}

/// Returns the server that a command or an entry of a file names, without the settings that matter
/// only for talking to it.
pub(super) fn resolve_for_start(
    mcp_json: Option<&[OsString]>,
    command: &[OsString],
    cwd: Option<&Path>,
    env: &Env,
) -> Result<Target, CommandError> {
    let mut target = match (mcp_json, command.split_first()) {
        (Some(_), Some((program, _))) => {
            let command = format!("`-- {}`", program.to_string_lossy());
            return Err(two_servers("`--mcp-json`", &command));
        }
        (Some(values), None) => from_file(values, environment(Inherit::All, env), env)?,
        (None, Some((program, rest))) => {
            let env = environment(Inherit::All, env);
            Target::Command(Command { args: rest.to_vec(), env, ..Command::new(program) })
        }
        (None, None) => return Err(no_target()),
    };
    if let Target::Command(command) = &mut target {
        if let Some(cwd) = cwd {
            command.cwd = Some(cwd.to_owned());
        }
        command.found = find_program(command);
    }
    Ok(target)
}

fn from_file(values: &[OsString], base: Environment, env: &Env) -> Result<Target, CommandError> {
    let [path, name] = values else { return Err(no_target()) };
    let name = name.to_str().ok_or_else(|| user_error("the NAME after `--mcp-json FILE` is not UTF-8"))?;
    mcp_json::target(Path::new(path), name, base, env).map_err(|error: McpJsonError| error.into())
}

/// The environment of a child, before the variables that were set for it.
fn environment(inherit: Inherit, env: &Env) -> Environment {
    match inherit {
        Inherit::All => Environment::inherited_from(env.all()),
        Inherit::Harmless => Environment::harmless_of(env.all()),
    }
}

fn adjust_command(command: &mut Command, args: &TargetArgs, env: &Env) -> Result<(), CommandError> {
    for (option, given) in
        [("--header", !args.headers.is_empty()), ("--header-env", !args.header_env.is_empty())]
    {
        if given {
            return Err(wrong_option(option, "reached over HTTP"));
        }
    }
    if let Some(option) = args.auth.first_option() {
        return Err(wrong_option(option, "reached over HTTP"));
    }
    for path in &args.env_files {
        for (name, value) in env_file::read(path).map_err(|error: EnvFileError| CommandError::from(error))? {
            command.env = std::mem::take(&mut command.env).with_configured(name, value);
        }
    }
    for variable in &args.env {
        let (name, value) = match variable.split_once('=') {
            Some(("", _)) => {
                return Err(user_error(format!("`--env {variable}` has no name")).hinted(HOW_TO_SET));
            }
            Some((name, value)) => (name, OsString::from(value)),
            None => {
                let value = env.variable(variable).ok_or_else(|| {
                    user_error(format!("`--env {variable}` passes on a variable that is not set here"))
                        .hinted(HOW_TO_SET)
                })?;
                (variable.as_str(), value.to_owned())
            }
        };
        command.env = std::mem::take(&mut command.env).with_configured(name, value);
    }
    if let Some(cwd) = &args.cwd {
        command.cwd = Some(cwd.clone());
    }
    command.found = find_program(command);
    command.guardian = Some(Guardian::new(Env::own_executable(), GUARDIAN_ARGUMENT));
    Ok(())
}

/// The file that the command starts, resolved in the command's working directory.
pub(super) fn find_program(command: &Command) -> Option<PathBuf> {
    let here = working_directory()?;
    program::find(command, &command.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd)))
}

fn adjust_http(http: &mut HttpTarget, args: &TargetArgs, env: &Env) -> Result<(), CommandError> {
    let given = [
        ("--env", !args.env.is_empty()),
        ("--env-file", !args.env_files.is_empty()),
        ("--inherit-env", args.inherit_env),
        ("--cwd", args.cwd.is_some()),
    ];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(wrong_option(option, "started as a command"));
    }
    let headers = header::from_options(&args.headers, &args.header_env, env)?;
    // An option replaces a header from the file.
    http.headers.retain(|(name, _)| !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)));
    http.headers.extend(headers);
    http.proxies = Proxies::from_variables(|name| env.get(name));
    http.credentials = auth::credentials(&args.auth, http, env)?;
    Ok(())
}

/// Whether a word looks like a URL without its scheme, such as `localhost:3001/mcp`.
fn looks_like_host(word: &str) -> bool {
    let host = word.split('/').next().unwrap_or_default();
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let has_path = word.len() > host.len();
    !name.is_empty()
        && (is_port || (has_path && (name == "localhost" || name.contains('.')) && !name.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_forgotten_schemes_are_told_apart() {
        assert!(is_url("https://example.com/mcp") && is_url("HTTP://x"));
        assert!(!is_url("ws://x") && !is_url("echo") && !is_url("C:\\x"));
        assert!(looks_like_host("localhost:3001/mcp") && looks_like_host("example.com/mcp"));
        assert!(!looks_like_host("echo") && !looks_like_host("./server.py") && !looks_like_host("dir/file"));
    }
}
