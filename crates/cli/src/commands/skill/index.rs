//! `overt skill index`.
use overt_documents::skill::check::Profile;
use overt_documents::skill::{Entry, INDEX_PATH, catalogue, index as discovery_index, is_repository};
use overt_policy::{Findings, Severity};
use overt_wire::hex::hex;
use overt_wire::json::JsonBuf;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::files::Loaded;
use super::find::skills;
use super::project::{ProjectError, converted};
use super::workers;
use crate::args::{Direction, Format, IndexSkillArgs};
use crate::commands::describe::write_folder;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, findings_error, user_error};
use crate::output::{WrittenReport, pretty};

/// The path of the catalogue below the output directory.
const CATALOGUE_PATH: &str = "catalog/skills_index.json";

pub(super) fn index(args: &IndexSkillArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    let found = skills(&args.directories)?;
    let results = workers::each(&found, "reading skills", printer, |found| match Loaded::read(found) {
        None => Err(user_error(format!("`{}` has no skills", found.directory.display()))),
        Some(loaded) => listed(&loaded),
    });
    let mut listed = results.into_iter().collect::<Result<Vec<(Entry, String)>, CommandError>>()?;
    listed.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    if let Some([(one, _), _]) = listed.array_windows().find(|[one, other]| one.0.name == other.0.name) {
        return Err(findings_error(format!("two skills are called `{}`", one.name))
            .hinted("rename one of them; nothing was written"));
    }
    let entries: Vec<Entry> = listed.iter().map(|(entry, _)| entry.clone()).collect();
    let index = text_of(&discovery_index(&entries));
    let Some(out) = &args.out else {
        printer.document(&index)?;
        return Ok(Exit::Ok);
    };
    let folder = INDEX_PATH.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut files =
        vec![(INDEX_PATH.to_owned(), index), (CATALOGUE_PATH.to_owned(), text_of(&catalogue(&entries)))];
    files.extend(listed.iter().map(|(entry, text)| (format!("{folder}/{}", entry.path()), text.clone())));
    let written = write_folder(out, &files, args.existing)?;
    match context.output.format {
        Format::Json => printer.data(&WrittenReport::new(&written))?,
        Format::Text => {
            for (path, fate) in &written {
                printer.text(&format!("{fate} {path}\n"))?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// Returns the index entry of a skill and the text to serve. A skill that readers refuse is an
/// error.
fn listed(loaded: &Loaded) -> Result<(Entry, String), CommandError> {
    let bad = |findings: Findings| {
        findings_error(format!("`{}` can't be listed\n{findings}", loaded.path().display()))
            .hinted("`overt skill check` shows each problem with its line")
    };
    let source = loaded.text().unwrap_or_default();
    let text = if is_repository(source) {
        converted(loaded, Direction::Project).map_err(|error| match error {
            ProjectError::NotPortable { findings, .. } => bad(findings),
            other => other.into(),
        })?
    } else {
        let mut findings = Findings::default();
        for found in loaded.check(None, &[Profile::Spec]).violations {
            if found.rule.severity(Profile::Spec) == Some(Severity::Error) {
                findings.error(found.at, found.problem, found.fix);
            }
        }
        if findings.has_errors() {
            return Err(bad(findings));
        }
        source.to_owned()
    };
    let digest = hex(&Sha256::digest(&text));
    let mut entry = Entry::read(&text, format!("sha256:{digest}")).map_err(bad)?;
    entry.take_repository(source);
    Ok((entry, text))
}

fn text_of(value: &Value) -> String {
    match JsonBuf::parse(&value.to_string()) {
        Ok(json) => format!("{}\n", pretty(json.as_json())),
        Err(_) => format!("{value}\n"),
    }
}
