//! What `overt skill` was told.
use std::path::PathBuf;

use overt_documents::skill::Form;
use overt_documents::skill::check::Profile;

use super::{Env, Existing, Talk, Verbosity};
use crate::args::{Format, SkillArgs, SkillCommand, SkillFormat};

#[derive(Debug)]
pub(crate) enum SkillSettings {
    Check(SkillCheck),
    Project(SkillProjection),
    New(NewSkill),
    Index(SkillIndex),
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
    pub(crate) talk: Talk,
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
    pub(crate) talk: Talk,
}

#[derive(Debug)]
pub(crate) struct SkillIndex {
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) existing: Existing,
    pub(crate) talk: Talk,
}

impl SkillSettings {
    pub(crate) fn resolve(args: SkillArgs, env: &Env) -> Self {
        match args.command {
            SkillCommand::Check(args) => {
                let mut profiles = args.profiles;
                profiles.sort_unstable();
                profiles.dedup();
                let default = match Talk::format(None, env) {
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
                talk: Talk::resolve(&args.talk, env),
            }),
            SkillCommand::New(args) => Self::New(NewSkill {
                name: args.name,
                description: args.description,
                form: if args.repository { Form::Repository } else { Form::Portable },
                directory: args.dir,
                talk: Talk::resolve(&args.talk, env),
            }),
            SkillCommand::Index(args) => Self::Index(SkillIndex {
                directories: args.directories,
                out: args.out,
                existing: if args.force { Existing::Replace } else { Existing::Keep },
                talk: Talk::resolve(&args.talk, env),
            }),
        }
    }
}
