//! `overt trust`: how far a person believes what a server says about its own tools.
use overt_layers::grants::{PendingQuestion, QuestionKind, SeenTool, TrustedServer};
use overt_layers::person::PersonAction as _;
use overt_operator::decisions::{PendingChanges, forget_trust, set_trust, trust_in};
use overt_operator::servers;
use overt_policy::Trust;
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use overt_wire::json::Object;
use overt_wire::text::Untrusted;

use super::context::{DecisionContext, with_audit};
use crate::args::{Format, PassphraseSource, TrustArgs};
use crate::commands::prompter::{OnEnter, Prompter};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{
    Names, TrustData, diff_text, pretty, project_words, to_json, trust_command, trust_words, trusted_json,
    trusted_text,
};
use crate::settings::project_or_here;

pub(crate) fn trust(args: &TrustArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let state = context.state()?;
    let Some(server) = &args.server else {
        return list(&DecisionContext::new(context, &state, None));
    };
    // Without a project, the decision applies to the server as it is served over HTTP.
    let project = match args.no_project {
        true => None,
        false => Some(project_or_here(args.project.as_deref())?),
    };
    let project = project.as_deref();
    with_audit(context, &state, &args.answer, |context| match args.forget {
        true => forget(context, server, project),
        false => decide(context, server, project, args.level.unwrap_or(Trust::Changes)),
    })
}

fn list(context: &DecisionContext<'_>) -> Result<Exit, CommandError> {
    let trusted = context.store()?.map_or_else(|| Ok(Vec::new()), |store| store.trusted())?;
    match context.format() {
        Format::Json => context.printer().json(trusted_json(&trusted).as_json())?,
        Format::Text if trusted.is_empty() => context.printer().note(NOTHING),
        Format::Text => context.printer().text(&trusted_text(&trusted, context.printer().width()))?,
    }
    Ok(Exit::Ok)
}

fn decide(
    context: &DecisionContext<'_>,
    name: &str,
    project: Option<&str>,
    trust: Trust,
) -> Result<Exit, CommandError> {
    let server = servers::identity(&context.operator(), name)?;
    let store = context.new_store()?;
    let place = project_words(project);
    let operator = context.operator();
    let proof = operator.prove(trust_in(&server, project, trust, &[]).intent())?;
    let check = operator.proven(proof);
    let changes = PendingChanges::find(&operator, &store, &server, project)?;
    if !changes.is_empty() && !is_wanted(context, &changes)? {
        context.printer().note("nothing was decided; a tool that changed asks you again when it is called");
        return Ok(Exit::Findings);
    }
    let (covered, known) = (changes.tools(), changes.known_tools());
    let seen = [&covered[..], &known[..]].concat();
    let answered = set_trust(&operator, &check, &store, trust_in(&server, project, trust, &seen))?;
    changes.accept(&operator, &check)?;
    let asking = store.questions()?.into_iter().filter(|open| asks_about(open, &server));
    let elsewhere: Vec<PendingQuestion> =
        asking.filter(|open| open.question.project.as_deref() != project).collect();
    let decided =
        TrustedServer { principal: Principal::local(), server, project: project.map(str::to_owned), trust };
    let ids: Vec<&str> = answered.iter().map(|id| id.0.as_str()).collect();
    let names: Vec<&str> = covered.iter().map(|tool| tool.name.as_str()).collect();
    let data = to_json(&TrustData::decided(&decided, ids.clone(), names));
    let mut note = format!("{} {place}: {}", Untrusted(&decided.server), trust_words(trust));
    note.push_str(&match known.is_empty() {
        true if covered.is_empty() => {
            "\nits tools are not known yet: its first call shows them and asks you".to_owned()
        }
        true => String::new(),
        false => {
            let names: Vec<String> = known.iter().map(|tool| tool.name.clone()).collect();
            format!("\nthis covers its tools as they are now: {}", Names(&names))
        }
    });
    for tool in &covered {
        note.push_str(&format!("\n{}", covered_words(tool)));
    }
    for id in ids {
        note.push_str(&format!("\n{id} is answered"));
    }
    context.say(&data, &note)?;
    for open in elsewhere {
        let project = open.question.project.as_deref();
        let command = trust_command(&open.question.server, project, context.here.as_deref());
        context.printer().warn(&format!(
            "{} is still open, because it asks about this server {}; `{command}` answers it",
            open.id,
            project_words(project)
        ));
    }
    Ok(Exit::Ok)
}

/// Shows what changed. A person at a terminal then confirms. A script is not asked: it gave the
/// passphrase, and its output is read later.
fn is_wanted(context: &DecisionContext<'_>, changes: &PendingChanges) -> Result<bool, CommandError> {
    let prompter = Prompter::new(context.printer());
    let is_asked = context.passphrase == PassphraseSource::Terminal && context.command.env.can_ask();
    match context.format() {
        Format::Text => context.printer().text(&changes_text(changes))?,
        // Standard output must contain only the result.
        Format::Json if is_asked => prompter.say(&changes_text(changes)),
        Format::Json => {}
    }
    let question = "These tools changed. Trust the server with them as they are now?";
    Ok(!is_asked || prompter.confirm(question, OnEnter::No)?)
}

fn changes_text(changes: &PendingChanges) -> String {
    let records: Vec<_> =
        changes.records.iter().map(|record| (record.identity.id(), record.clone())).collect();
    let accepted = changes.accepted.iter().map(|(name, definition)| {
        let text = definition.text.as_ref().map(|text| pretty(text.as_json())).unwrap_or_default();
        format!("{} is not what you trusted. Now it is:\n{text}\n", Untrusted(name))
    });
    let asked = changes.questions.iter().map(|open| open.question.to_text(&open.id) + "\n");
    let others: String = accepted.chain(asked).collect();
    format!("{}{others}\n", diff_text(&records))
}

/// Says what now applies to a tool that changed.
fn covered_words(tool: &SeenTool) -> String {
    let name = Untrusted(&tool.name);
    match tool.digest {
        Some(_) => format!("`{name}` is accepted as it is now, and your trust covers it"),
        None => format!(
            "`{name}` is accepted as it is now; its definition is too long to be kept, so its next call asks you"
        ),
    }
}

fn asks_about(open: &PendingQuestion, server: &str) -> bool {
    open.question.kind == QuestionKind::Trust && open.question.server == server
}

fn forget(context: &DecisionContext<'_>, name: &str, project: Option<&str>) -> Result<Exit, CommandError> {
    let server = servers::identity(&context.operator(), name)?;
    let place = project_words(project);
    let is_this = |trusted: &TrustedServer| trusted.server == server && trusted.project.as_deref() == project;
    let store = context.store()?;
    let trusted = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::trusted)?;
    let Some(store) = store.filter(|_| trusted.iter().any(is_this)) else {
        return Err(user_error(format!("nothing was decided about the server `{server}` {place}"))
            .hinted("`overt trust --list` shows every decision with its project"));
    };
    forget_trust(&context.operator(), &store, &server, project)?;
    let data = Object::new().string("forgotten", &server).maybe("project", project).finish();
    let note = format!("{} {place}: forgotten; its next call asks you again", Untrusted(&server));
    context.say(&data, &note)
}

const NOTHING: &str =
    "you have not decided about any server yet; the first call of a server asks how far you trust it";
