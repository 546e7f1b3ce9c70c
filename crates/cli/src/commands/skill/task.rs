//! Runs the subcommand that was typed.
use super::{check, index, install, new, project, read};
use crate::args::{OutputArgs, SkillArgs, SkillCommand};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, OutputSettings};

pub(crate) fn skill(args: &SkillArgs, env: &Env) -> Result<Exit, Failure> {
    let output = |args: &OutputArgs| {
        let output = OutputSettings::resolve(args, env);
        (output.format, Printer::new(output.verbosity, env))
    };
    match &args.command {
        SkillCommand::Check(args) => check::check(args, env),
        SkillCommand::Project(args) => project::project(args, &output(&args.output).1),
        SkillCommand::New(args) => new::new(args, output(&args.output)),
        SkillCommand::Index(args) => index::index(args, output(&args.output)),
        SkillCommand::Read(args) => read::read(args, env),
        SkillCommand::Install(args) => install::install(args, env),
    }
}
