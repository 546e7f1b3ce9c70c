//! A scripted child process: a few lines of POSIX shell with just enough JSON-RPC.
use std::ffi::OsString;

use overt_transport::client::{Command, Environment, Target};

/// Shell functions for scripts: `next` reads a request into `line` and `id`; `result` and `error`
/// answer it.
const PRELUDE: &str = r#"
next() { read -r line || exit 0; id=${line#*\"id\":}; id=${id%%,*}; }
result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
error() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no"}}\n' "$id" "$1"; }
greet() { next; result '{"protocolVersion":"2025-11-25","capabilities":{}}'; read -r line; }
legacy() { next; error -32601; greet; }
"#;

/// A server that runs a script. `arguments` are `$1`, `$2` and so on.
pub(super) fn server(script: &str, arguments: &[&str]) -> Target {
    Target::Command(command(script, arguments, Environment::empty().with("PATH", "/usr/bin:/bin")))
}

pub(super) fn command(script: &str, arguments: &[&str], env: Environment) -> Command {
    let mut args: Vec<OsString> = vec!["-c".into(), format!("{PRELUDE}{script}").into(), "server".into()];
    args.extend(arguments.iter().map(OsString::from));
    Command { args, env, ..Command::new("/bin/sh") }
}
