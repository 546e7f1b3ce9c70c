//! `overt grants allow TOOL` and `overt grants deny TOOL`: decisions before any call asks.
use overt_layers::grants::{GrantVerdict, GrantedTools, Terms};
use overt_operator::decisions::{DecisionError, give, in_advance};
use overt_operator::policy_edit::unseen_words;
use overt_operator::tools;
use overt_wire::json::Object;
use overt_wire::text::Untrusted;

use super::context::DecisionContext;
use super::decide::{check_danger, end};
use crate::error::{CommandError, Exit};
use crate::output::{extent_words, grant_json, lasting, scopes_sentence};
use crate::settings::Advance;

pub(super) fn advance(context: &DecisionContext<'_>, advance: &Advance) -> Result<Exit, CommandError> {
    let Advance { verdict, tool, scopes, project, yes, .. } = advance;
    if tool.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(DecisionError::Pattern(tool.clone()).into());
    }
    let project = project.as_deref();
    let tools::Owner { server, is_seen } =
        tools::owner(&context.operator(), tool, advance.server.as_deref())?;
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
    let operator = context.operator();
    let grant = give(&operator, &operator.answerer(), &store, in_advance(terms))?;
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
    if advance.is_about_folders && tools::is_foreign(&server) {
        context.printer().warn(FOLDERS);
    }
    Ok(Exit::Ok)
}

const FOLDERS: &str = "calls of this server name the folder that they work in only if a manifest declares it; without one, this \
     covers no call";
