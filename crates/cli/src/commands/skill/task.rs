//! Runs the subcommand that was typed.
use super::{check, index, install, new, project, read};
use crate::args::{SkillArgs, SkillCommand};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};

pub(crate) fn skill(args: &SkillArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    match &args.command {
        SkillCommand::Check(args) => check::check(args, context),
        SkillCommand::Project(args) => project::project(args, &context.printer),
        SkillCommand::New(args) => new::new(args, context),
        SkillCommand::Index(args) => index::index(args, context),
        SkillCommand::Read(args) => read::read(args, context),
        SkillCommand::Install(args) => install::install(args, context),
    }
}
