//! `overt skill check`.
use std::sync::OnceLock;

use overt_documents::skill::check::{MOST_TOKENS, Member, Profile, Report, Rule, check_set};
use overt_documents::skill::fix;
use overt_policy::Severity;
use overt_policy::word::StringEnum as _;

use super::files::Loaded;
use super::find::{FoundSkill, skills};
use super::workers;
use crate::args::{CheckSkillArgs, Format, SkillFormat};
use crate::context::CommandContext;
use crate::cost::TokenCounter;
use crate::error::{CommandError, Exit};
use crate::output::{CheckedSkill, Printer, SkillsReport, skills_github, skills_sarif, skills_text};
use overt_operator::replace_file::replace_file;

pub(super) fn check(args: &CheckSkillArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    let format = args.format.unwrap_or(match context.output.format {
        Format::Text => SkillFormat::Text,
        Format::Json => SkillFormat::Json,
    });
    let found = skills(&args.directories)?;
    let checked = examine(&found, args, printer)?;
    let worst = checked.iter().filter_map(CheckedSkill::worst).max();
    match format {
        SkillFormat::Json => printer.data(&SkillsReport::new(&checked))?,
        SkillFormat::Sarif => printer.json(skills_sarif(&checked).as_json())?,
        SkillFormat::Github => printer.text(&skills_github(&checked))?,
        SkillFormat::Text => {
            printer.text(&skills_text(&checked, printer.width()))?;
            printer.note(&summary(&checked));
        }
    }
    let limit = if args.deny_warnings { Severity::Warning } else { Severity::Error };
    Ok(if worst >= Some(limit) { Exit::Findings } else { Exit::Ok })
}

/// Reads and checks every skill, and corrects it first if `--fix` was given.
fn examine(
    found: &[FoundSkill],
    args: &CheckSkillArgs,
    printer: &Printer,
) -> Result<Vec<CheckedSkill>, CommandError> {
    let mut profiles = args.profiles.clone();
    profiles.sort_unstable();
    profiles.dedup();
    // Without named profiles, check for every reader that the skill is meant for.
    let profiles = (!profiles.is_empty()).then_some(profiles);
    let counter = OnceLock::new();
    let results = workers::each(found, "checking skills", printer, |found| {
        one(found, profiles.as_ref(), args.fix, &counter)
    });
    let mut checked = Vec::with_capacity(results.len());
    let mut members = Vec::with_capacity(results.len());
    let mut reports = Vec::with_capacity(results.len());
    for result in results {
        let (skill, member, report) = result?;
        checked.push(skill);
        members.push(member);
        reports.push(report);
    }
    check_set(&members, &mut reports);
    for (skill, report) in checked.iter_mut().zip(reports) {
        skill.report = report;
    }
    Ok(checked)
}

fn one(
    found: &FoundSkill,
    profiles: Option<&Vec<Profile>>,
    is_fixed: bool,
    counter: &OnceLock<Option<TokenCounter>>,
) -> Result<(CheckedSkill, Option<Member>, Report), CommandError> {
    let Some(mut loaded) = Loaded::read(found) else {
        let path = found.directory.join("SKILL.md");
        let profiles = profiles.cloned().unwrap_or_else(|| Profile::ALL.to_vec());
        let skill = CheckedSkill { path, profiles, report: Report::default(), fixed: Vec::new() };
        return Ok((skill, None, Report::missing()));
    };
    let fixed = if is_fixed { correct(&mut loaded)? } else { Vec::new() };
    let counts = |profiles: &Vec<Profile>| {
        profiles.iter().any(|profile| Rule::BodyTokens.severity(*profile).is_some())
    };
    let text = loaded.text().filter(|_| profiles.is_none_or(counts));
    let tokens = text.and_then(|text| tokens_of(text, counter));
    let report = loaded.check(tokens, profiles.map_or(Profile::ALL, Vec::as_slice));
    let member = loaded.text().and_then(Member::read);
    let profiles = profiles.cloned().unwrap_or_else(|| readers(&report));
    let skill = CheckedSkill { path: loaded.path(), profiles, report: Report::default(), fixed };
    Ok((skill, member, report))
}

/// Returns the readers that a skill is meant for. A skill with repository metadata is not meant for
/// the reference validator, and a skill without it not for the repository's profile.
pub(super) fn readers(report: &Report) -> Vec<Profile> {
    let is_repository = !report.violations.iter().any(|found| found.rule == Rule::RepositoryMissing)
        && report.violations.iter().any(|found| found.rule == Rule::FieldRepository);
    let other = if is_repository { Profile::SkillsRef } else { Profile::Seed001 };
    Profile::ALL.iter().copied().filter(|profile| *profile != other).collect()
}

fn correct(loaded: &mut Loaded) -> Result<Vec<Rule>, CommandError> {
    let Some(fixed) = loaded.source(None).and_then(|source| fix(&source)) else { return Ok(Vec::new()) };
    replace_file(&loaded.path(), loaded.text(), &fixed.text)?;
    loaded.bytes = Ok(fixed.text.into_bytes());
    Ok(fixed.rules)
}

/// Returns the number of tokens of the instructions, or `None` if they are too short to exceed the
/// limit. The token tables are loaded when the first skill needs them.
pub(super) fn tokens_of(text: &str, counter: &OnceLock<Option<TokenCounter>>) -> Option<usize> {
    let body = overt_documents::front_matter::split(text).map_or(text, |parts| parts.body);
    if body.len() <= MOST_TOKENS {
        return None;
    }
    counter.get_or_init(|| TokenCounter::new().ok()).as_ref().map(|counter| counter.count(body))
}

fn summary(checked: &[CheckedSkill]) -> String {
    let count = |severity| checked.iter().filter(|skill| skill.worst() == severity).count();
    let (errors, warnings) = (count(Some(Severity::Error)), count(Some(Severity::Warning)));
    let good = checked.len() - errors - warnings;
    let fixed = checked.iter().filter(|skill| !skill.fixed.is_empty()).count();
    let fixed = if fixed > 0 { format!("; {fixed} corrected") } else { String::new() };
    let skills = if checked.len() == 1 { "skill" } else { "skills" };
    format!("{} {skills}: {good} passed, {warnings} with warnings, {errors} failed{fixed}", checked.len())
}
