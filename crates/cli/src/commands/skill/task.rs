//! Runs the task that the settings name.
use super::{check, index, install, new, project, read};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, SkillSettings};

pub(crate) fn skill(settings: &SkillSettings, env: &Env) -> Result<Exit, Failure> {
    match settings {
        SkillSettings::Check(settings) => check::check(settings, &Printer::new(settings.verbosity, env)),
        SkillSettings::Project(settings) => {
            project::project(settings, &Printer::new(settings.output.verbosity, env))
        }
        SkillSettings::New(settings) => new::new(settings, &Printer::new(settings.output.verbosity, env)),
        SkillSettings::Index(settings) => {
            index::index(settings, &Printer::new(settings.output.verbosity, env))
        }
        SkillSettings::Read(settings) => read::read(settings, env),
        SkillSettings::Install(settings) => install::install(settings, env),
    }
}
