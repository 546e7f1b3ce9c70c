//! The short name of a server in scopes and the audit log, derived from the arguments.
use super::project::working_directory;

use overt_operator::server_name::{of_command, of_url};
use overt_policy::scope;

use crate::args::TargetArgs;

/// The name in the file, the host, or the name of the program.
pub(super) fn name(args: &TargetArgs, url: Option<&str>) -> String {
    if let Some(url) = url {
        return of_url(url);
    }
    if let Some(name) = args.mcp_json.as_ref().and_then(|words| words.last()) {
        return scope::kind_of(&name.to_string_lossy());
    }
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let folder = args.cwd.clone().or_else(working_directory);
    scope::kind_of(&of_command(&words, folder.as_deref()))
}
