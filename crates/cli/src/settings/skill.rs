//! What `overt skill` was told.
use std::path::PathBuf;

use overt_documents::skill::Form;
use overt_documents::skill::check::Profile;
use overt_wire::skill::Sha256Digest;

use super::{Connection, Env, ExistingFile, OutputSettings, Verbosity};
use crate::args::{Format, SkillArgs, SkillCommand, SkillFormat, TargetArgs};
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) enum SkillSettings {
    Check(SkillCheck),
    Project(SkillProjection),
    New(NewSkill),
    Index(SkillIndex),
    Read(SkillRead),
    Install(SkillInstall),
}

#[derive(Debug)]
pub(crate) struct SkillCheck {
    pub(crate) directories: Vec<PathBuf>,
    /// None: every reader that a skill is meant for.
    pub(crate) profiles: Option<Vec<Profile>>,
    pub(crate) fix: bool,
    pub(crate) deny_warnings: bool,
    pub(crate) format: SkillFormat,
    pub(crate) verbosity: Verbosity,
}

#[derive(Debug)]
pub(crate) struct SkillProjection {
    pub(crate) directory: PathBuf,
    pub(crate) direction: Direction,
    pub(crate) out: Option<PathBuf>,
    pub(crate) output: OutputSettings,
}

/// From the source to the portable form, or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Project,
    Import,
}

#[derive(Debug)]
pub(crate) struct NewSkill {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) form: Form,
    pub(crate) directory: PathBuf,
    pub(crate) output: OutputSettings,
}

#[derive(Debug)]
pub(crate) struct SkillIndex {
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) existing: ExistingFile,
    pub(crate) output: OutputSettings,
}

#[derive(Debug)]
pub(crate) struct SkillRead {
    pub(crate) connection: Connection,
    pub(crate) output: OutputSettings,
    /// Of the SKILL.md.
    pub(crate) uri: String,
    pub(crate) path: String,
}

#[derive(Debug)]
pub(crate) struct SkillInstall {
    pub(crate) connection: Connection,
    pub(crate) output: OutputSettings,
    /// Of the SKILL.md.
    pub(crate) uri: String,
    /// The directory of the skill is made in this one.
    pub(crate) directory: PathBuf,
    pub(crate) approval: InstallApproval,
    pub(crate) existing: ExistingFile,
}

/// Who says that a skill may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallApproval {
    /// The person at the terminal.
    Ask,
    /// The command line, for a skill that no reader refuses.
    Yes,
    /// The command line, for this set of files.
    Expect(Sha256Digest),
    /// No approval: the plan is only shown.
    DryRun,
}

/// The largest message of a server from which a skill is taken: a file of 16 MiB in base64, and
/// what is around it.
const MOST_MESSAGE: usize = 24 << 20;

/// A server from which skills are taken.
fn source(target: &TargetArgs, from: Option<&str>, env: &Env) -> Result<Connection, Failure> {
    let mut connection = Connection::resolve(target, from, env)?;
    connection.limits.max_message_bytes = MOST_MESSAGE;
    Ok(connection)
}

impl SkillSettings {
    pub(crate) fn resolve(args: SkillArgs, env: &Env) -> Result<Self, Failure> {
        Ok(match args.command {
            SkillCommand::Read(args) => Self::Read(SkillRead {
                connection: source(&args.target, args.from.as_deref(), env)?,
                output: OutputSettings::resolve(&args.output, env),
                uri: args.uri,
                path: args.path,
            }),
            SkillCommand::Install(args) => Self::Install(SkillInstall {
                connection: source(&args.target, args.from.as_deref(), env)?,
                output: OutputSettings::resolve(&args.output, env),
                uri: args.uri,
                directory: args.dir,
                approval: match (args.dry_run, args.expect, args.yes) {
                    (true, ..) => InstallApproval::DryRun,
                    (false, Some(digest), _) => InstallApproval::Expect(digest),
                    (false, None, true) => InstallApproval::Yes,
                    (false, None, false) => InstallApproval::Ask,
                },
                existing: if args.replace { ExistingFile::Replace } else { ExistingFile::Keep },
            }),
            SkillCommand::Check(args) => {
                let mut profiles = args.profiles;
                profiles.sort_unstable();
                profiles.dedup();
                let default = match OutputSettings::format(None, env) {
                    Format::Text => SkillFormat::Text,
                    Format::Json => SkillFormat::Json,
                };
                Self::Check(SkillCheck {
                    directories: args.directories,
                    profiles: (!profiles.is_empty()).then_some(profiles),
                    fix: args.fix,
                    deny_warnings: args.deny_warnings,
                    format: args.format.unwrap_or(default),
                    verbosity: if args.quiet { Verbosity::Quiet } else { Verbosity::Normal },
                })
            }
            SkillCommand::Project(args) => Self::Project(SkillProjection {
                directory: args.directory,
                direction: if args.import { Direction::Import } else { Direction::Project },
                out: args.out,
                output: OutputSettings::resolve(&args.output, env),
            }),
            SkillCommand::New(args) => Self::New(NewSkill {
                name: args.name,
                description: args.description,
                form: if args.repository { Form::Repository } else { Form::Portable },
                directory: args.dir,
                output: OutputSettings::resolve(&args.output, env),
            }),
            SkillCommand::Index(args) => Self::Index(SkillIndex {
                directories: args.directories,
                out: args.out,
                existing: if args.force { ExistingFile::Replace } else { ExistingFile::Keep },
                output: OutputSettings::resolve(&args.output, env),
            }),
        })
    }
}
