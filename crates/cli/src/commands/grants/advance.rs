//! `overt grants allow TOOL` and `overt grants deny TOOL`: decisions before any call asks.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{Grant, GrantVerdict, GrantedTools, Holder, Terms};
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use overt_wire::json::Object;
use overt_wire::text::Untrusted;

use super::authorize::authorize_answerer;
use super::context::DecisionContext;
use super::decide::{check_danger, end};
use super::error::DecisionError;
use super::record::{Records, entry};
use super::tool::{self, Owner};
use crate::commands::policy_edit::unseen_words;
use crate::error::{CommandError, Exit};
use crate::output::{extent_words, grant_json, lasting, scopes_sentence};
use crate::settings::Advance;

pub(super) fn advance(context: &DecisionContext<'_>, advance: &Advance) -> Result<Exit, CommandError> {
    let Advance { verdict, tool, scopes, project, yes, .. } = advance;
    if tool.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(DecisionError::Pattern(tool.clone()).into());
    }
    let project = project.as_deref();
    let Owner { server, is_seen } = tool::owner(context, tool, advance.server.as_deref())?;
    let terms = Terms {
        verdict: *verdict,
        client: None,
        server: server.clone(),
        project: project.map(str::to_owned),
        tools: GrantedTools::One(tool.clone()),
        tool_digest: None,
        scopes: scopes.clone(),
        lifetime: yes.lifetime,
        arguments: None,
        plan: None,
        expires: end(context, *yes),
    };
    check_danger(&terms, *yes)?;
    let store = context.new_store()?;
    let verb = match verdict {
        GrantVerdict::Allow => "allows",
        GrantVerdict::Refuse => "refuses",
    };
    authorize_answerer(context, [agreed(&terms, tool)])?;
    let grant = give(&store, &Records::open(context)?, terms, tool)?;
    context.say(
        &Object::new().json("grant", grant_json(&grant).as_json()).finish(),
        &format!(
            "{} {verb} tool `{}` of server `{}`{} {}, {}",
            grant.id,
            Untrusted(tool),
            Untrusted(&server),
            scopes_sentence(scopes),
            extent_words(project),
            lasting(grant.terms.lifetime, grant.terms.expires),
        ),
    )?;
    if !is_seen {
        context.printer().note(&unseen_words(tool, &server));
    }
    if advance.is_about_folders && tool::is_foreign(&server) {
        context.printer().warn(FOLDERS);
    }
    Ok(Exit::Ok)
}

/// Returns the audit record of a decision that is made before any call asks.
pub(in crate::commands) fn agreed(terms: &Terms, tool: &str) -> Entry {
    let decision = match terms.verdict {
        GrantVerdict::Allow => "allow",
        GrantVerdict::Refuse => "deny",
    };
    Entry {
        decision: Some(decision),
        reason: Some(format!("in advance, {}", lasting(terms.lifetime, terms.expires))),
        ..entry(Kind::Approval, (&terms.server, terms.project.as_deref()), tool, &terms.scopes)
    }
}

/// Writes the decision to the audit log, then gives the grant.
pub(in crate::commands) fn give(
    store: &SqliteStore,
    records: &Records,
    terms: Terms,
    tool: &str,
) -> Result<Grant, CommandError> {
    let holder = Holder::any_client(Principal::local());
    let agreed = agreed(&terms, tool);
    records.write(agreed.clone())?;
    let given = store.give(&holder, terms);
    let grant =
        given.inspect_err(|error| records.record_without_effect(agreed.clone(), &error.to_string()))?;
    records.write(Entry { kind: Kind::Grant, grant: Some(grant.id.0.clone()), ..agreed })?;
    Ok(grant)
}

const FOLDERS: &str = "calls of this server name the folder that they work in only if a manifest declares it; without one, this \
     covers no call";
