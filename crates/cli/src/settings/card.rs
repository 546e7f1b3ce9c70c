//! What `overt card` was told.
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use overt_documents::card::{Level, Mode};
use overt_wire::rfc3339;

use super::{Connection, DescribeSettings, Env, OutputSettings, target};
use crate::args::{CardArgs, CardCommand, CheckCardArgs};
use crate::failure::{Complaint, Failure};

#[derive(Debug)]
pub(crate) struct CardSettings {
    pub(crate) output: OutputSettings,
    pub(crate) task: CardTask,
}

#[derive(Debug)]
pub(crate) enum CardTask {
    Check(Cards, Demand),
    /// As `overt describe` does it.
    Build(Box<DescribeSettings>),
    Diff {
        old: PathBuf,
        new: PathBuf,
    },
}

/// Which cards.
#[derive(Debug)]
pub(crate) enum Cards {
    /// In these files and directories.
    In(Vec<PathBuf>),
    /// Of this server.
    Of(Box<Connection>),
}

/// What is demanded of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    pub(crate) level: Level,
    pub(crate) mode: Mode,
    pub(crate) today: Date,
}

/// The words of the command line don't say which cards.
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

impl CardSettings {
    pub(crate) fn resolve(args: CardArgs, env: &Env) -> Result<Self, Failure> {
        Ok(match args.command {
            CardCommand::Check(args) => {
                let today = args.today.unwrap_or_else(today);
                let demand = Demand { level: args.level, mode: args.mode, today };
                Self {
                    output: OutputSettings::resolve(&args.output, env),
                    task: CardTask::Check(Cards::resolve(&args, env)?, demand),
                }
            }
            CardCommand::Build(args) => {
                let settings = DescribeSettings::resolve(&args.describe(), env)?;
                Self { output: settings.output, task: CardTask::Build(Box::new(settings)) }
            }
            CardCommand::Diff(args) => Self {
                output: OutputSettings::resolve(&args.output, env),
                task: CardTask::Diff { old: args.old, new: args.new },
            },
        })
    }
}

impl Cards {
    fn resolve(args: &CheckCardArgs, env: &Env) -> Result<Self, Failure> {
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
                // Two servers.
                None => Err(CardError::FileAndServer(words[1].clone()).into()),
            },
        }
    }
}

fn today() -> Date {
    rfc3339::date_of(Timestamp::now())
}
