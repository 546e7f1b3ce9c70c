//! The description of the server, as it was started, for models and people.
use overt_layers::record::Trouble;
use overt_policy::record::{Invocation, ServerRecord};

use super::options::Options;
use crate::files::OperatorLimits;

pub(super) const DESCRIPTION: &str = "Serves Agent Skills: instructions and files for tasks that the user prepared. Use when a task \
     matches the description of one of the skills.";

/// The instructions for models that use the server.
pub(super) fn instructions(options: &Options) -> String {
    let mut words = "This server has skills: instructions for certain tasks, with files. Read the descriptions first, then the SKILL.md \
         of the skill that fits the task, then the files that it names. "
        .to_owned();
    words += match options.tools {
        true => {
            "`list_skills` lists them and `read_skill` reads one; `list_resources` and `read_resource` do the same by URI."
        }
        false => "They are resources: `skill://NAME/SKILL.md`.",
    };
    words
}

/// Everything that the server declares about itself.
pub(super) fn record(enforced: &OperatorLimits) -> ServerRecord {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    ServerRecord {
        when_to_use: texts(&["find a skill for a task", "read the instructions or a file of a skill"]),
        not_for: texts(&[
            "running the scripts of a skill: use a shell, after the user has agreed",
            "changing skills: edit their files, and the server notices",
        ]),
        install: [("source".to_owned(), "cargo install --locked --path crates/overt".to_owned())].into(),
        invocation: Some(Invocation {
            model_invocable: Some(true),
            user_invocable: Some(true),
            allowed_tools: Vec::new(),
        }),
        rate_limit: enforced.rate_limit,
        best_practices: texts(&["Read only the files that the task needs; a SKILL.md names them"]),
        troubleshooting: vec![Trouble {
            problem: "A skill is missing, or an edit does not show".to_owned(),
            cause: "Its SKILL.md is wrong; the last good state is served".to_owned(),
            solution: "Run `overt skill check` on its directory".to_owned(),
        }],
        errors: overt_layers::known_errors(),
        categories: texts(&["skills"]),
        license: Some("MIT OR Apache-2.0".to_owned()),
        homepage: crate::package::HOMEPAGE.map(str::to_owned),
        repository: crate::package::REPOSITORY.map(str::to_owned),
        audit: enforced.audit.clone(),
        ..ServerRecord::new(DESCRIPTION)
    }
}
