//! The table `[server]` of a manifest.
use overt_policy::finding::Severity;
use overt_policy::members::Members;
use overt_policy::record::{Audit, Invocation, ServerRecord, ServerRequirements, Trouble, Urls};

use super::common::{known_error, rate_limit};

pub(super) fn read(members: &mut Members<'_, '_>) -> ServerRecord {
    let record = ServerRecord {
        name: members.text("name"),
        title: members.text("title"),
        // Its presence is checked later, with the rest of the server's declaration.
        description: members.text("description").unwrap_or_default(),
        summary: members.text("summary"),
        emoji: members.text("emoji"),
        access_level: members.word("access_level"),
        when_to_use: members.texts("when_to_use").unwrap_or_default(),
        not_for: members.texts("not_for").unwrap_or_default(),
        urls: members.object("urls", urls).unwrap_or_default(),
        install: members.text_map("install").unwrap_or_default(),
        args: members.texts("args").unwrap_or_default(),
        requires: members.object("requires", requires).unwrap_or_default(),
        invocation: members.object("invocation", invocation),
        rate_limit: rate_limit(members),
        homepage: members.text("homepage"),
        repository: members.text("repository"),
        status_page: members.text("status_page"),
        content_version: members.text("content_version"),
        last_updated: members.text("last_updated"),
        authentication: members.text("authentication"),
        best_practices: members.texts("best_practices").unwrap_or_default(),
        troubleshooting: members.objects("troubleshooting", trouble).unwrap_or_default(),
        errors: members.objects("errors", known_error).unwrap_or_default(),
        categories: members.texts("categories").unwrap_or_default(),
        license: members.text("license"),
        registry_name: members.text("registry_name"),
        audit: members.object("audit", audit).unwrap_or_default(),
    };
    members.unknown(Severity::Error);
    record
}

fn urls(members: &mut Members<'_, '_>) -> Urls {
    let urls = Urls {
        cli: members.text("cli"),
        api: members.text("api"),
        web: members.text("web"),
        mcp: members.text("mcp"),
    };
    members.unknown(Severity::Error);
    urls
}

fn requires(members: &mut Members<'_, '_>) -> ServerRequirements {
    let requires = ServerRequirements {
        auth: members.texts("auth").unwrap_or_default(),
        env: members.texts("env").unwrap_or_default(),
        scopes: members.texts("scopes").unwrap_or_default(),
    };
    members.unknown(Severity::Error);
    requires
}

fn invocation(members: &mut Members<'_, '_>) -> Invocation {
    let invocation = Invocation {
        model_invocable: members.flag("model_invocable"),
        user_invocable: members.flag("user_invocable"),
        allowed_tools: members.texts("allowed_tools").unwrap_or_default(),
    };
    members.unknown(Severity::Error);
    invocation
}

fn trouble(members: &mut Members<'_, '_>) -> Option<Trouble> {
    let problem = members.required_text("problem", "say what a user sees");
    let cause = members.required_text("cause", "say why it happens");
    let solution = members.required_text("solution", "say what helps");
    members.unknown(Severity::Error);
    Some(Trouble { problem: problem?, cause: cause?, solution: solution? })
}

fn audit(members: &mut Members<'_, '_>) -> Audit {
    let days = members.integer("retention_days");
    let audit = Audit {
        log_uri: members.text("log_uri"),
        retention_days: days.map(|days| u32::try_from(days).unwrap_or(u32::MAX)),
        signed_by: members.text("signed_by"),
        incident_response_uri: members.text("incident_response_uri"),
    };
    members.unknown(Severity::Error);
    audit
}
