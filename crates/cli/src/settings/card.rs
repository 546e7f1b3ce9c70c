//! Which cards `overt card check` reads.
use std::path::{Path, PathBuf};

use super::{Connection, Env, target};
use crate::args::CheckCardArgs;
use crate::failure::{Complaint, Failure};

/// The cards to check.
#[derive(Debug)]
pub(crate) enum Cards {
    /// Cards in these files and directories.
    In(Vec<PathBuf>),
    /// Cards of this server.
    Of(Box<Connection>),
}

/// The command line does not say which cards to check.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CardError {
    #[error("no card is named")]
    Nothing,
    #[error("`{}` and a server are given", .0.display())]
    FileAndServer(PathBuf),
}

impl Complaint for CardError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nothing => "name a file, a directory, `-` or a server".to_owned(),
            Self::FileAndServer(_) => {
                "check the cards in files and those of a server one after the other".to_owned()
            }
        })
    }
}

impl Cards {
    pub(crate) fn resolve(args: &CheckCardArgs, env: &Env) -> Result<Self, Failure> {
        let url = |word: &Path| word.to_str().filter(|word| target::is_url(word)).map(str::to_owned);
        let has_target = args.target.mcp_json.is_some() || !args.target.command.is_empty();
        match args.words.as_slice() {
            [] if has_target => Ok(Self::Of(Box::new(Connection::resolve(&args.target, None, env)?))),
            [] => Err(CardError::Nothing.into()),
            [word] if url(word).is_some() => {
                Ok(Self::Of(Box::new(Connection::resolve(&args.target, url(word).as_deref(), env)?)))
            }
            words => match words.iter().find(|word| url(word).is_none()) {
                Some(file) if has_target || words.iter().any(|word| url(word).is_some()) => {
                    Err(CardError::FileAndServer(file.clone()).into())
                }
                Some(_) => Ok(Self::In(words.to_vec())),
                // Two servers are named.
                None => Err(CardError::FileAndServer(words[1].clone()).into()),
            },
        }
    }
}
