//! Which cards `overt card check` reads.
use std::path::{Path, PathBuf};

use super::{Connection, Env, target};
use crate::args::CheckCardArgs;
use crate::error::{CommandError, user_error};

/// The cards to check.
#[derive(Debug)]
pub(crate) enum Cards {
    /// Cards in these files and directories.
    In(Vec<PathBuf>),
    /// Cards of this server.
    Of(Box<Connection>),
}

impl Cards {
    pub(crate) fn resolve(args: &CheckCardArgs, env: &Env) -> Result<Self, CommandError> {
        let url = |word: &Path| word.to_str().filter(|word| target::is_url(word)).map(str::to_owned);
        let has_target = args.target.mcp_json.is_some() || !args.target.command.is_empty();
        match args.words.as_slice() {
            [] if has_target => Ok(Self::Of(Box::new(Connection::resolve(&args.target, None, env)?))),
            [] => Err(user_error("no card is named").hinted("name a file, a directory, `-` or a server")),
            [word] if url(word).is_some() => {
                Ok(Self::Of(Box::new(Connection::resolve(&args.target, url(word).as_deref(), env)?)))
            }
            words => match words.iter().find(|word| url(word).is_none()) {
                Some(file) if has_target || words.iter().any(|word| url(word).is_some()) => {
                    Err(file_and_server(file))
                }
                Some(_) => Ok(Self::In(words.to_vec())),
                // Two servers are named.
                None => Err(file_and_server(&words[1])),
            },
        }
    }
}

fn file_and_server(file: &Path) -> CommandError {
    user_error(format!("`{}` and a server are given", file.display()))
        .hinted("check the cards in files and those of a server one after the other")
}
