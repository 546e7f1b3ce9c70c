//! `overt grants allow`, `overt grants deny` and `overt grants revoke`.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{
    Answer, Asks, Decided, Extent, Grant, GrantStore as _, Holder, LOCAL, Lasts, Open, Question, Terms,
    too_wide_to_last,
};
use overt_policy::scope::Scope;
use overt_state::grants::SqliteStore;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::authorize::authorize_answerer;
use super::context::CommandContext;
use super::error::{DecisionError, no_grant, no_question};
use super::record::{Records, entry};
use super::server;
use crate::failure::{Exit, Failure};
use crate::output::{extent_words, grant_json, lasting, trust_command};
use crate::settings::{Which, Yes};

/// All or none: every question must be one that this answer fits.
pub(super) fn allow(
    context: &CommandContext<'_>,
    ids: &[String],
    yes: Yes,
    wider: bool,
) -> Result<Exit, Failure> {
    let (store, open) = context.questions(ids)?;
    let answer = Answer::Yes { lasts: yes.lasts, extent: yes.extent, wider, expires: end(context, yes) };
    for one in &open {
        let (id, question) = (one.id.0.clone(), &one.question);
        if question.asks == Asks::Trust {
            return Err(wrong_kind(context, id, question).into());
        }
        if wider && question.wider.is_empty() {
            return Err(DecisionError::NothingWider(id).into());
        }
        if yes.lasts == Lasts::Session && !question.holder.has_session() {
            return Err(DecisionError::NoSession(id).into());
        }
        if (yes.lasts, yes.extent) == (Lasts::Always, Extent::Project) && question.project.is_none() {
            return Err(DecisionError::NoProject(id).into());
        }
        check_danger(answer.terms(question).as_ref().map_or(&[], |terms| &terms.scopes), yes)?;
    }
    decide_all(context, &store, &open, answer)
}

/// All or none, as with a yes.
pub(super) fn deny(
    context: &CommandContext<'_>,
    ids: &[String],
    whole_session: bool,
) -> Result<Exit, Failure> {
    let (store, open) = context.questions(ids)?;
    if let Some(one) = open.iter().find(|one| whole_session && !one.question.holder.has_session()) {
        return Err(DecisionError::NoSession(one.id.0.clone()).into());
    }
    decide_all(context, &store, &open, if whole_session { Answer::NeverThisSession } else { Answer::No })
}

fn wrong_kind(context: &CommandContext<'_>, id: String, question: &Question) -> DecisionError {
    let project = question.project.as_deref();
    DecisionError::Trust { id, command: trust_command(&question.server, project, context.here.as_deref()) }
}

fn decide_all(
    context: &CommandContext<'_>,
    store: &SqliteStore,
    open: &[Open],
    answer: Answer,
) -> Result<Exit, Failure> {
    authorize_answerer(context, open.iter().map(|one| approval(one, answer)))?;
    let records = Records::open(context)?;
    for one in open {
        decide(context, store, &records, one, answer)?;
    }
    Ok(Exit::Ok)
}

pub(super) fn advance(
    context: &CommandContext<'_>,
    (server, project): (&str, Option<&str>),
    tool: &str,
    scopes: &[Scope],
    yes: Yes,
) -> Result<Exit, Failure> {
    if tool.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(DecisionError::Pattern(tool.to_owned()).into());
    }
    check_danger(scopes, yes)?;
    let server = &server::identity(context, server)?;
    let store = context.new_store()?;
    let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
    let terms = Terms {
        server: server.to_owned(),
        project: project.map(str::to_owned),
        tool: tool.to_owned(),
        tool_digest: None,
        scopes: scopes.to_vec(),
        lasts: yes.lasts,
        arguments: None,
        plan: None,
        expires: end(context, yes),
    };
    let agreed = Entry {
        decision: Some("allow"),
        reason: Some(format!("in advance, {}", lasting(terms.lasts, terms.expires))),
        ..entry(Kind::Approval, (server, project), tool, scopes)
    };
    authorize_answerer(context, [agreed.clone()])?;
    let records = Records::open(context)?;
    records.write(agreed.clone())?;
    let grant = store
        .give(&holder, terms)
        .inspect_err(|error| records.in_vain(agreed.clone(), &error.to_string()))?;
    records.write(Entry { kind: Kind::Grant, grant: Some(grant.id.0.clone()), ..agreed })?;
    context.say(
        &Object::new().json("grant", grant_json(&grant).as_json()).finish(),
        &format!(
            "{} allows tool `{}` of server `{}` {} {}, {}",
            grant.id,
            Untrusted(tool),
            Untrusted(server),
            listed(scopes),
            extent_words(project),
            lasting(grant.terms.lasts, grant.terms.expires),
        ),
    )
}

/// All or none: whoever names two wants both gone.
pub(super) fn revoke(context: &CommandContext<'_>, which: &Which) -> Result<Exit, Failure> {
    let store = context.store()?;
    let live = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::grants)?;
    let gone: Vec<&Grant> = match which {
        Which::All => live.iter().collect(),
        Which::Named(ids) => {
            let find =
                |id: &String| live.iter().find(|grant| grant.id.0 == *id).ok_or_else(|| no_grant(id, &live));
            ids.iter().map(find).collect::<Result<_, _>>()?
        }
    };
    let mut revoked = Array::new();
    let mut words = Vec::new();
    if let Some(store) = store.filter(|_| !gone.is_empty()) {
        let records = Records::open(context)?;
        for Grant { id, terms, .. } in gone {
            let revoke =
                entry(Kind::Revoke, (&terms.server, terms.project.as_deref()), &terms.tool, &terms.scopes);
            let revoke = Entry { grant: Some(id.0.clone()), ..revoke };
            records.write(revoke.clone())?;
            // Gone meanwhile is as good as taken back.
            store.revoke(id).inspect_err(|error| records.in_vain(revoke, &error.to_string()))?;
            revoked = revoked.json(JsonBuf::from(&serde_json::Value::from(id.0.as_str())).as_json());
            words.push(format!("{id} is revoked"));
        }
    }
    if words.is_empty() {
        words.push("there was nothing to revoke".to_owned());
    }
    context.say(&Object::new().json("revoked", revoked.finish().as_json()).finish(), &words.join("\n"))
}

fn decide(
    context: &CommandContext<'_>,
    store: &SqliteStore,
    records: &Records,
    open: &Open,
    answer: Answer,
) -> Result<Exit, Failure> {
    let id = &open.id;
    let terms = answer.terms(&open.question);
    let said = approval(open, answer);
    records.write(said.clone())?;
    let failed = match store
        .decide(id, answer)
        .inspect_err(|error| records.in_vain(said.clone(), &error.to_string()))?
    {
        Decided::Taken => None,
        Decided::Before(before) => {
            let answer = if before.is_yes() { "yes" } else { "no" };
            Some(DecisionError::Before { id: id.0.clone(), answer })
        }
        Decided::Unfit => Some(wrong_kind(context, id.0.clone(), &open.question)),
        Decided::Gone => Some(no_question(&id.0, &store.questions()?)),
    };
    if let Some(error) = failed {
        records.in_vain(said, &error.to_string());
        return Err(error.into());
    }
    let said = Object::new().string("question", &id.0);
    match terms {
        Some(terms) => {
            let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
            let said = said
                .string("answer", "yes")
                .string("lasts", &terms.lasts.to_string())
                .maybe("project", terms.project.as_deref())
                .value("scopes", &scopes)
                .finish();
            let place = match terms.lasts {
                Lasts::Always => format!(" {}", extent_words(terms.project.as_deref())),
                Lasts::Once | Lasts::Session => String::new(),
            };
            let lasting = lasting(terms.lasts, terms.expires);
            let words = format!("{id}: allowed {}{place}, {lasting}", listed(&terms.scopes));
            context.say(&said, &words)
        }
        None => {
            let whole = answer == Answer::NeverThisSession;
            let extent = if whole { "session" } else { "call" };
            let said = said.string("answer", "no").string("extent", extent).finish();
            let rest = if whole { ", and whatever else its session asks" } else { "" };
            context.say(&said, &format!("{id}: refused{rest}"))
        }
    }
}

/// The record of an answer.
fn approval(open: &Open, answer: Answer) -> Entry {
    let terms = answer.terms(&open.question);
    // A no is about the project that asks.
    let project = terms.as_ref().map_or(open.question.project.as_deref(), |terms| terms.project.as_deref());
    let scopes = terms.as_ref().map_or(&open.question.scopes, |terms| &terms.scopes);
    Entry {
        decision: Some(if answer.is_yes() { "allow" } else { "deny" }),
        reason: Some(format!("{}: {answer}", open.id)),
        intent: Some(open.question.shown.intent.clone()),
        ..entry(Kind::Approval, (&open.question.server, project), &open.question.tool, scopes)
    }
}

/// SCP-13: nobody allows everything for ever by the way.
fn check_danger(scopes: &[Scope], yes: Yes) -> Result<(), DecisionError> {
    if yes.lasts != Lasts::Always || yes.dangerous {
        return Ok(());
    }
    match too_wide_to_last(scopes) {
        Some(scope) => Err(DecisionError::Dangerous(scope.clone())),
        None => Ok(()),
    }
}

fn end(context: &CommandContext<'_>, yes: Yes) -> Option<u64> {
    Some(context.clock.now().saturating_add(yes.at_most?.as_secs()))
}

fn listed(scopes: &[Scope]) -> String {
    let shown: Vec<String> =
        scopes.iter().map(|scope| format!("`{}`", Untrusted(&scope.to_string()))).collect();
    shown.join(", ")
}
