//! Shows the change, asks, and writes it.
use std::path::Path;

use overt_layers::audit::{Entry, Kind};
use overt_operator::OperatorError;
use overt_settings::config::Config;
use overt_wire::json::Object;

use overt_operator::policy_edit::{
    EditPolicy, NamedSubject, NoHome, PolicyChange, PolicyEditError, added, caution, known_tools, read,
    removed, subject, unseen_tool, words, write,
};

use crate::args::{ForbidArgs, Format, PermitArgs, WhatArgs};
use crate::commands::grants::DecisionContext;
use crate::commands::prompter::{OnEnter, Prompter};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{file_diff, one_line, patch_text};
use crate::settings::{ConfiguredServers, ControlPlan, OfFiles, Table as _, user_file};
use overt_operator::replace_file::link_target;

pub(crate) fn forbid(args: &ForbidArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    edit(&args.what, PolicyChange::Forbid { changes_only: args.changes }, command)
}

pub(crate) fn permit(args: &PermitArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    edit(&args.what, PolicyChange::Permit { reading_only: args.read }, command)
}

fn edit(args: &WhatArgs, change: PolicyChange, command: &CommandContext) -> Result<Exit, CommandError> {
    let env = &command.env;
    let state = command.state()?;
    let audit = ControlPlan::of_grants(env)?;
    let file = user_file(env).ok_or(NoHome).map_err(OperatorError::from)?;
    let context = DecisionContext::new(command, &state, Some(&audit));
    let context = context.with_passphrase(args.answer.passphrase);
    let needs_server = matches!(change, PolicyChange::Permit { .. });
    let named = NamedSubject {
        what: &args.what,
        kind: args.kind.map(Into::into),
        server: args.server.as_deref(),
        is_removal: args.remove,
    };
    let known = known_tools(state.path(), ConfiguredServers::new(env, &state).read())?;
    let subject = subject(named, &known, needs_server)?;
    let path = link_target(&file);
    let before = read(&path)?;
    let old = before.as_deref().unwrap_or_default();
    let edited = match args.remove {
        true => removed(old, change, &subject),
        false => added(old, change, &subject).map(Some),
    };
    let new = edited
        .map_err(|error| PolicyEditError::Edit(path.clone(), error))?
        .ok_or(PolicyEditError::NothingThere)?;
    let meaning = words(change, &subject, args.remove);
    if new == old {
        return report(&context, &path, false, &format!("{meaning}, as before"));
    }
    Config::parse(&new, &path.display().to_string(), &OfFiles::declared())
        .map_err(|error| PolicyEditError::Unusable(path.clone(), error))?;
    context.printer().block(patch_text(&file_diff(&path, old, &new)).trim_end());
    if let Some(caution) = caution(&subject).filter(|_| !args.remove) {
        context.printer().warn(caution);
    }
    if let Some(unseen) = unseen_tool(&subject, &known).filter(|_| !args.remove) {
        context.printer().note(&unseen);
    }
    if !args.yes {
        if !env.can_ask() {
            return Err(PolicyEditError::NobodyAsked.into());
        }
        let question = format!("{}. Write this?", one_line(&meaning));
        if !Prompter::new(context.printer()).confirm(&question, OnEnter::Yes)? {
            context.printer().note("nothing was written");
            return Ok(Exit::Ok);
        }
    }
    let record = Entry {
        target: Some(args.what.clone()),
        reason: Some(format!("your overt.toml: {meaning}")),
        ..Entry::new(Kind::PolicyLoad)
    };
    // A change that allows more requires a person.
    let widens = matches!(change, PolicyChange::Permit { .. }) != args.remove;
    if read(&path)? != before {
        return Err(PolicyEditError::ChangedMeanwhile(path).into());
    }
    let edit =
        EditPolicy { path: path.clone(), before, after: new, records: vec![record], allows_more: widens };
    let operator = context.operator();
    operator.act(&operator.answerer(), edit, |edit| write(&edit))?;
    report(&context, &path, true, &format!("{meaning}; servers that run follow within a second"))
}

fn report(
    context: &DecisionContext<'_>,
    path: &Path,
    is_changed: bool,
    note: &str,
) -> Result<Exit, CommandError> {
    let path = path.display().to_string();
    let data =
        Object::new().string("file", &path).value("changed", &is_changed).string("meaning", note).finish();
    match context.format() {
        Format::Json => context.printer().json(data.as_json())?,
        Format::Text => context.printer().note(&one_line(note)),
    }
    Ok(Exit::Ok)
}
