//! `overt grants allow TOOL` and `overt grants deny TOOL`: what is decided before anybody asks.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{GrantStore as _, GrantedTools, Holder, LOCAL, Says, Terms};
use overt_wire::json::Object;
use overt_wire::text::Untrusted;

use super::authorize::authorize_answerer;
use super::context::CommandContext;
use super::decide::{check_danger, end};
use super::error::DecisionError;
use super::record::{Records, entry};
use super::tool;
use crate::failure::{Exit, Failure};
use crate::output::{extent_words, grant_json, lasting, scopes_sentence};
use crate::settings::Advance;

pub(super) fn advance(context: &CommandContext<'_>, advance: &Advance) -> Result<Exit, Failure> {
    let Advance { says, tool, scopes, project, yes, .. } = advance;
    if tool.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(DecisionError::Pattern(tool.clone()).into());
    }
    let project = project.as_deref();
    let server = tool::owner(context, tool, &advance.server)?;
    let terms = Terms {
        says: *says,
        client: None,
        server: server.clone(),
        project: project.map(str::to_owned),
        tools: GrantedTools::One(tool.clone()),
        tool_digest: None,
        scopes: scopes.clone(),
        lasts: yes.lasts,
        arguments: None,
        plan: None,
        expires: end(context, *yes),
    };
    check_danger(&terms, *yes)?;
    let store = context.new_store()?;
    let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
    let (decision, verb) = match says {
        Says::Allow => ("allow", "allows"),
        Says::Refuse => ("deny", "refuses"),
    };
    let agreed = Entry {
        decision: Some(decision),
        reason: Some(format!("in advance, {}", lasting(terms.lasts, terms.expires))),
        ..entry(Kind::Approval, (&server, project), tool, scopes)
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
            "{} {verb} tool `{}` of server `{}`{} {}, {}",
            grant.id,
            Untrusted(tool),
            Untrusted(&server),
            scopes_sentence(scopes),
            extent_words(project),
            lasting(grant.terms.lasts, grant.terms.expires),
        ),
    )?;
    if advance.is_about_folders && tool::is_foreign(&server) {
        context.printer.warn(FOLDERS);
    }
    Ok(Exit::Ok)
}

const FOLDERS: &str = "calls of this server name the folder that they work in only if a manifest declares it; without one, this \
     covers no call";
