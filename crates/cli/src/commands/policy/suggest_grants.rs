//! The grants of a proposal: finding those that are missing, printing commands, giving them.
use overt_layers::audit::Entry;
use overt_layers::grants::{Grant, GrantLifetime, GrantVerdict, GrantedTools, Terms};
use overt_settings::suggest::ProposedGrant;
use overt_wire::json::{Array, JsonBuf, Object};

use overt_layers::person::{PersonAction as _, PersonCheck};
use overt_operator::decisions::{give, in_advance};
use overt_operator::{NotAnswerer, Operator};

use crate::commands::grants::DecisionContext;
use crate::error::CommandError;
use crate::output::{one_line, shell_word};

/// Returns the proposed grants that no grant in the store already covers.
pub(super) fn not_given(
    context: &DecisionContext<'_>,
    proposed: Vec<ProposedGrant>,
) -> Result<Vec<ProposedGrant>, CommandError> {
    let given = context.store()?.map_or_else(|| Ok(Vec::new()), |store| store.grants())?;
    let is_new = |one: &ProposedGrant| !given.iter().any(|grant| gives(grant, one));
    Ok(proposed.into_iter().filter(is_new).collect())
}

fn gives(grant: &Grant, proposed: &ProposedGrant) -> bool {
    let terms = &grant.terms;
    let is_lasting = terms.lifetime == GrantLifetime::Always && terms.expires.is_none();
    let is_for_project = terms.project.as_ref().is_none_or(|project| *project == proposed.project);
    let is_for_tool = matches!(&terms.tools, GrantedTools::One(tool) if *tool == proposed.tool);
    let is_covered = proposed.scopes.iter().all(|scope| terms.scopes.iter().any(|own| own.covers(scope)));
    let is_yes = terms.verdict == GrantVerdict::Allow && terms.server == proposed.server;
    is_yes && is_lasting && is_for_project && is_for_tool && is_covered
}

/// Returns the commands that give the grants, one per line.
pub(super) fn commands(proposed: &[ProposedGrant]) -> String {
    let line = |one: &ProposedGrant| {
        let scopes: String =
            one.scopes.iter().map(|scope| format!(" --scope {}", shell_word(&scope.to_string()))).collect();
        let [tool, server, project] = [&one.tool, &one.server, &one.project].map(|word| shell_word(word));
        let calls = if one.calls == 1 { "1 call".to_owned() } else { format!("{} calls", one.calls) };
        let line =
            format!("overt grants allow {tool} --server {server} --project {project}{scopes} # {calls}");
        format!("{}\n", one_line(&line))
    };
    proposed.iter().map(line).collect()
}

pub(super) fn json(proposed: &[ProposedGrant]) -> JsonBuf {
    let grants = proposed.iter().fold(Array::new(), |array, one| {
        let scopes: Vec<String> = one.scopes.iter().map(ToString::to_string).collect();
        let object = Object::new()
            .string("server", &one.server)
            .string("project", &one.project)
            .string("tool", &one.tool)
            .value("scopes", &scopes)
            .value("calls", &one.calls);
        array.json(object.finish().as_json())
    });
    grants.finish()
}

/// Returns the audit records of giving the grants.
pub(super) fn records(proposed: &[ProposedGrant]) -> Vec<Entry> {
    proposed.iter().flat_map(|one| in_advance(terms(one)).intent()).collect()
}

/// Gives the grants. They last until they are revoked.
pub(super) fn give_all<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    proposed: &[ProposedGrant],
) -> Result<(), CommandError> {
    let store = operator.new_store()?;
    for one in proposed {
        give(operator, check, &store, in_advance(terms(one)))?;
    }
    Ok(())
}

fn terms(one: &ProposedGrant) -> Terms {
    Terms {
        verdict: GrantVerdict::Allow,
        client: None,
        server: one.server.clone(),
        project: Some(one.project.clone()),
        tools: GrantedTools::One(one.tool.clone()),
        tool_digest: None,
        scopes: one.scopes.clone(),
        lifetime: GrantLifetime::Always,
        arguments: None,
        plan: None,
        expires: None,
    }
}
