//! Makes a card from the declaration of a tool and from what the server says about it.
use serde_json::Value;

use super::model::{Audit, Card, Identity, InputSchema, Safety, Schemas};
use super::version::is_version;
use crate::description::{DescribedTool, Description};
use crate::server_location::ServerLocation;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::record::{Effect, ToolRecord};

/// Returns the card of a tool, or findings about everything that must still be declared for it. The
/// card has no tests, and performance only if it was measured (CARD-12).
pub fn of(tool: &DescribedTool, description: &Description, place: &ServerLocation) -> Result<Card, Findings> {
    let nothing = ToolRecord::default();
    let record = tool.record.as_ref().unwrap_or(&nothing);
    let mut wanted = MissingDeclarations::new(&tool.live.name);
    let identity = identity(tool, record, description, place, &mut wanted);
    let safety = safety(record, description, &mut wanted);
    let schema = schemas(tool, &mut wanted);
    let performance = tool.measured.clone();
    match (identity, safety, schema) {
        (Some(tool), Some(safety), Some(schema)) if !wanted.findings.has_errors() => Ok(Card {
            tool,
            schema,
            safety,
            tested_with: Vec::new(),
            performance,
            cost: None,
            audit: Some(audit(description)),
        }),
        _ => Err(wanted.findings),
    }
}

/// Returns whether [`of`] would make a card, without making it.
pub fn has_all_for(tool: &DescribedTool, description: &Description, place: &ServerLocation) -> bool {
    let nothing = ToolRecord::default();
    let record = tool.record.as_ref().unwrap_or(&nothing);
    let mut wanted = MissingDeclarations::new(&tool.live.name);
    identity(tool, record, description, place, &mut wanted).is_some()
        && safety(record, description, &mut wanted).is_some()
        && tool.live.has_input_schema()
        && !wanted.findings.has_errors()
}

/// Collects the fields that the declaration lacks.
struct MissingDeclarations<'a> {
    tool: &'a str,
    findings: Findings,
}

impl<'a> MissingDeclarations<'a> {
    fn new(tool: &'a str) -> Self {
        Self { tool, findings: Findings::default() }
    }

    fn at(&self) -> Pointer {
        Pointer::root().join("tools").join(self.tool)
    }

    fn need<T>(&mut self, field: &str, value: Option<T>, fix: &str) -> Option<T> {
        if value.is_none() {
            self.findings.error(self.at().join(field), "is not declared", fix);
        }
        value
    }
}

fn identity(
    tool: &DescribedTool,
    record: &ToolRecord,
    description: &Description,
    place: &ServerLocation,
    wanted: &mut MissingDeclarations<'_>,
) -> Option<Identity> {
    let live = &tool.live;
    if live.name.trim().is_empty() {
        wanted.findings.error(wanted.at(), "has no name", "give it a name in the server");
    }
    let version = match &record.version {
        Some(version) => Some(version),
        None => Some(&description.info.version).filter(|version| is_version(version)),
    };
    let version = wanted.need(
        "version",
        version,
        "declare `version`, three numbers such as `1.4.0`: the server's own version has another form",
    );
    if version.is_some_and(|version| !is_version(version)) {
        let at = wanted.at().join("version");
        wanted.findings.error(at, "is not a version of three numbers", "write a version such as `1.4.0`");
    }
    let text = live.description.as_deref().or(live.title.as_deref()).filter(|text| !text.trim().is_empty());
    if text.is_none() {
        let problem = "has no description";
        wanted.findings.error(wanted.at(), problem, "give the tool a description in the server");
    }
    Some(Identity {
        server_id: description.name.clone(),
        name: live.name.clone(),
        version: version?.clone(),
        mcp_server_uri: uri(description, place),
        description: text?.to_owned(),
    })
}

/// Returns the URI of the server. A server that only speaks over stdio has no address, but the card
/// requires a URI. This one names the server and can't be mistaken for an address, as `https:` or
/// `file:` could; `urn:` would need a registered namespace.
fn uri(description: &Description, place: &ServerLocation) -> String {
    match place.endpoint(description) {
        Some(endpoint) => endpoint.to_owned(),
        None => format!("overt:stdio/{}", description.name),
    }
}

fn safety(
    record: &ToolRecord,
    description: &Description,
    wanted: &mut MissingDeclarations<'_>,
) -> Option<Safety> {
    let class = wanted.need(
        "effect",
        record.effect,
        "declare `effect`: the worst that a call can do, `read`, `mutating`, `external` or `destructive`",
    );
    // A read needs no undoing, and a tool with a reverse method can be undone.
    let follows = class == Some(Effect::Read) || record.reverse_method.is_some();
    let reversible = record.reversible.or(follows.then_some(true));
    // Without an effect it is unknown whether this field must be declared.
    let reversible = match class {
        Some(_) => {
            wanted.need("reversible", reversible, "declare `reversible`: whether a call can be undone")
        }
        None => reversible,
    };
    let pii_exposure = wanted.need(
        "pii_exposure",
        record.pii_exposure,
        "declare `pii_exposure`: how much about people a call may give away, `none`, `low`, `medium` or `high`",
    );
    let secrets_exposure = wanted.need(
        "secrets_exposure",
        record.secrets_exposure,
        "declare `secrets_exposure`: `none`, `reads_secret_material`, `writes_secret_material` or `handles_keys`",
    );
    Some(Safety {
        side_effect_class: class?,
        external_systems: record.external_systems.clone(),
        reversible: reversible?,
        rate_limited: record.rate_limit.or(description.server.rate_limit).is_some(),
        pii_exposure: pii_exposure?,
        secrets_exposure: secrets_exposure?,
        human_approval_required: record.needs_approval(),
        refusal_modes: record.refusal_modes.clone(),
    })
}

fn schemas(tool: &DescribedTool, wanted: &mut MissingDeclarations<'_>) -> Option<Schemas> {
    let Value::Object(input) = tool.live.input_schema() else {
        let problem = "has no input schema that is an object";
        wanted.findings.error(wanted.at(), problem, "give the tool an `inputSchema` in the server");
        return None;
    };
    let output_inline = match tool.live.output_schema() {
        Some(Value::Object(output)) => Some(output.clone()),
        _ => None,
    };
    Some(Schemas { input: InputSchema::Inline(input.clone()), output_inline, output_uri: None })
}

fn audit(description: &Description) -> Audit {
    let audit = &description.server.audit;
    Audit {
        log_uri: audit.log_uri.clone(),
        retention_days: audit.retention_days.map(u64::from),
        signed_by: audit.signed_by.clone(),
        incident_response_uri: audit.incident_response_uri.clone(),
    }
}
