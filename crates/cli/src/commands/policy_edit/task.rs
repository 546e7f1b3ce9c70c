//! Shows the change, asks, and writes it.
use std::path::Path;

use overt_layers::audit::{Entry, Kind};
use overt_policy::config::Config;
use overt_wire::json::Object;

use super::plan::{added, caution, removed, words};
use super::subject::{NamedSubject, known, subject, unseen_tool};
use super::write::{PolicyEditError, read, write};
use crate::args::Format;
use crate::commands::grants::{CommandContext, Records, authorize_answerer};
use crate::commands::prompter::{OnEnter, Prompter};
use crate::failure::{Exit, Failure};
use crate::output::{file_diff, one_line, patch_text};
use crate::replace_file::link_target;
use crate::settings::{Env, OfFiles, PolicyChange, PolicyEditSettings, Table as _};

pub(crate) fn policy_edit(settings: &PolicyEditSettings, env: &Env) -> Result<Exit, Failure> {
    let context = CommandContext::new(&settings.state, settings.output, Some(&settings.audit), env)
        .with_passphrase(settings.passphrase);
    let needs_server = matches!(settings.change, PolicyChange::Permit { .. });
    let named = NamedSubject {
        what: &settings.what,
        kind: settings.kind,
        server: settings.server.as_deref(),
        is_removal: settings.is_removal,
    };
    let known = known(settings.state.path(), &settings.configured)?;
    let subject = subject(named, &known, needs_server)?;
    let path = link_target(&settings.file);
    let before = read(&path)?;
    let old = before.as_deref().unwrap_or_default();
    let edited = match settings.is_removal {
        true => removed(old, settings.change, &subject),
        false => added(old, settings.change, &subject).map(Some),
    };
    let new = edited
        .map_err(|error| PolicyEditError::Edit(path.clone(), error))?
        .ok_or(PolicyEditError::NothingThere)?;
    let meaning = words(settings.change, &subject, settings.is_removal);
    if new == old {
        return report(&context, &path, false, &format!("{meaning}, as before"));
    }
    Config::parse(&new, &path.display().to_string(), &OfFiles::declared())
        .map_err(|error| PolicyEditError::Unusable(path.clone(), error))?;
    context.printer.note(patch_text(&file_diff(&path, old, &new)).trim_end());
    if let Some(caution) = caution(&subject).filter(|_| !settings.is_removal) {
        context.printer.warn(caution);
    }
    if let Some(unseen) = unseen_tool(&subject, &known).filter(|_| !settings.is_removal) {
        context.printer.note(&unseen);
    }
    if !settings.unasked {
        if !env.can_ask() {
            return Err(PolicyEditError::NobodyAsked.into());
        }
        let question = format!("{}. Write this?", one_line(&meaning));
        if !Prompter::new(&context.printer).confirm(&question, OnEnter::Yes) {
            context.printer.note("nothing was written");
            return Ok(Exit::Ok);
        }
    }
    let record = Entry {
        target: Some(settings.what.clone()),
        reason: Some(format!("your overt.toml: {meaning}")),
        ..Entry::new(Kind::PolicyLoad)
    };
    // Whatever allows more needs a person.
    let widens = matches!(settings.change, PolicyChange::Permit { .. }) != settings.is_removal;
    if widens {
        authorize_answerer(&context, [record.clone()])?;
    }
    if read(&path)? != before {
        return Err(PolicyEditError::ChangedMeanwhile(path).into());
    }
    Records::open(&context)?.write(record)?;
    write(&path, before.as_deref(), &new)?;
    report(&context, &path, true, &format!("{meaning}; servers that run follow within a second"))
}

fn report(context: &CommandContext<'_>, path: &Path, is_changed: bool, note: &str) -> Result<Exit, Failure> {
    let path = path.display().to_string();
    let data =
        Object::new().string("file", &path).value("changed", &is_changed).string("meaning", note).finish();
    match context.format {
        Format::Json => context.printer.json(data.as_json())?,
        Format::Text => context.printer.note(&one_line(note)),
    }
    Ok(Exit::Ok)
}
