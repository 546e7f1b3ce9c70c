//! What can be disclosed about a server. A `Disclosure` was checked against the running server and
//! contains no secret.
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;

use overt_documents::description::DescribedTool;
use overt_documents::live::{Live, LivePrompt, LiveResource, LiveTool, ServerInfo};
use overt_documents::{Description, ServerLocation, document, manifest};
use overt_policy::rate::RateLimit;
use overt_policy::record::AccessLevel;
use overt_policy::{Declaration, Finding, Findings, Severity, ToolRecord};

use overt_layers::declared::DeclaredServer;
use overt_wire::Exchange;
use overt_wire::era::Era;
use overt_wire::json::Json;

/// A declaration that matches its server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Disclosure(Arc<CheckedDeclaration>);

/// A declaration together with the server that it was checked against.
#[derive(Debug, Clone)]
pub struct CheckedDeclaration {
    pub(super) declaration: Declaration,
    pub(super) info: ServerInfo,
    /// The server as it was when this was made.
    pub(super) first: Description,
    pub(super) offers: ServerCapabilities,
    error_codes: HashMap<String, BTreeSet<String>>,
    /// True if everything was checked elsewhere and neither the declaration nor the server changes.
    pub(super) is_prechecked: bool,
    /// Whether Overt runs in front of the server.
    is_behind_overt: bool,
}

/// The features that a server itself announces. Overt requests nothing else, because a server that
/// does not know a method may never answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerCapabilities {
    pub tools: bool,
    pub resources: bool,
    pub prompts: bool,
}

impl ServerCapabilities {
    /// Reads the `capabilities` object of a server.
    pub fn read(capabilities: Json<'_>) -> Self {
        let has = |name: &str| capabilities.get(name).value().is_some();
        Self { tools: has("tools"), resources: has("resources"), prompts: has("prompts") }
    }
}

impl Disclosure {
    /// Checks the declaration against the running server, and every document that follows from both
    /// for secrets (D-30). Returns the findings even on success, because warnings are worth
    /// reporting.
    pub fn new(
        declaration: Declaration,
        live: Live,
        offers: ServerCapabilities,
    ) -> Result<(Self, Findings), Findings> {
        let mut secrets = Findings::of_secrets(&manifest::to_value(&declaration));
        secrets.extend(live.secrets());
        let (disclosure, mut findings) = Self::joined(declaration, live, offers, false);
        findings.extend(secrets);
        if !findings.has_errors() {
            // A combined document can contain a secret even if none of its parts does.
            let (_, more) = document::all(&disclosure.first, &ServerLocation::default());
            more.into_iter()
                .filter(|finding| finding.severity == Severity::Error)
                .for_each(|finding| findings.add(finding));
        }
        findings.into_result(disclosure)
    }

    /// Builds and checks the disclosure of one of our own servers. Returns `None` if its author did
    /// not declare who the server is: then nothing is disclosed, but the declarations of its tools
    /// must still be correct.
    pub fn of(declared: &DeclaredServer) -> Result<Option<Self>, DeclarationError> {
        let (declaration, live) = (declared.declaration.clone(), live_of(declared));
        let findings = if declared.has_server {
            match Self::new(declaration, live, offers_of(declared)) {
                Ok((disclosure, _)) => return Ok(Some(disclosure.only_reading(declared.only_reads))),
                Err(findings) => findings,
            }
        } else {
            Description::join(&declaration, live).1
        };
        let is_about = |finding: &Finding| {
            finding.severity == Severity::Error
                && (declared.has_server || finding.at.steps().next().as_deref() != Some("server"))
        };
        let problems: Vec<String> =
            findings.into_iter().filter(is_about).map(|finding| finding.to_string()).collect();
        if problems.is_empty() { Ok(None) } else { Err(DeclarationError { problems }) }
    }

    /// Builds the disclosure of one of our own servers whose declaration was checked by a test and
    /// never changes.
    pub fn of_checked(declared: &DeclaredServer) -> Option<Self> {
        let mut live = live_of(declared);
        live.tools.iter_mut().for_each(|tool| tool.is_checked = true);
        let joined = || Self::joined(declared.declaration.clone(), live, offers_of(declared), true).0;
        declared.has_server.then(joined).map(|disclosure| disclosure.only_reading(declared.only_reads))
    }

    fn joined(
        declaration: Declaration,
        live: Live,
        offers: ServerCapabilities,
        is_prechecked: bool,
    ) -> (Self, Findings) {
        let info = live.info.clone();
        let codes = |tool: &LiveTool| Some((tool.name.clone(), tool.error_codes.clone()?));
        let error_codes = live.tools.iter().filter_map(codes).collect();
        let (first, findings) = Description::join(&declaration, live);
        (
            Self(Arc::new(CheckedDeclaration {
                declaration,
                info,
                first,
                offers,
                error_codes,
                is_prechecked,
                is_behind_overt: false,
            })),
            findings,
        )
    }

    /// Returns this disclosure with the access level `read`, if the server was started so that it
    /// changes nothing (D-06).
    fn only_reading(self, only_reads: bool) -> Self {
        let mut checked = Arc::unwrap_or_clone(self.0);
        if only_reads {
            checked.first.access_level = AccessLevel::Read;
        }
        Self(Arc::new(checked))
    }

    /// Returns the disclosure of a server that Overt runs in front of: with Overt's own errors, and
    /// with the rates that are enforced, which are the stricter ones of those that are declared and
    /// of the operator's, for all calls and for each tool (D-12, D-20, X-23).
    #[must_use]
    pub fn behind_overt(self, all: Option<RateLimit>, each: Option<RateLimit>) -> Self {
        let mut checked = Arc::unwrap_or_clone(self.0);
        checked.is_behind_overt = true;
        let least = |rate: &mut Option<RateLimit>, more| {
            *rate = RateLimit::strictest(rate.iter().copied().chain(more));
        };
        let CheckedDeclaration { declaration, first, .. } = &mut checked;
        least(&mut declaration.server.rate_limit, all);
        least(&mut first.server.rate_limit, all);
        let described = first.tools.iter_mut().filter_map(|tool| tool.record.as_mut());
        declaration.tools.values_mut().chain(described).for_each(|tool| least(&mut tool.rate_limit, each));
        Self(Arc::new(checked))
    }

    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Returns what is declared about a tool.
    pub fn record(&self, tool: &str) -> Option<&ToolRecord> {
        self.declaration.tools.get(tool)
    }

    /// Returns how many seconds the answer to a read may be cached, if that was declared and the
    /// client's version has a place for it.
    pub(super) fn cache_duration(&self, exchange: &Exchange) -> Option<u64> {
        let uri = exchange.message.param("uri").string()?;
        let record = self.declaration.resources.get(&*uri)?;
        record.cache_duration.filter(|_| exchange.caller.era() == Era::Modern)
    }

    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.declaration.server.rate_limit
    }

    /// Returns the name, version and other details that the server gave about itself.
    pub fn info(&self) -> &ServerInfo {
        &self.info
    }

    /// Joins what the running server says now with what is declared.
    pub(super) fn describe(&self, mut live: Live) -> (Description, Findings) {
        live.info = self.info.clone();
        if !self.is_prechecked {
            for redaction in live.redact() {
                tracing::debug!("{redaction}");
            }
        }
        for tool in &mut live.tools {
            tool.error_codes = self.error_codes.get(&tool.name).cloned();
            tool.is_checked = self.is_prechecked;
        }
        let names: HashSet<&str> = live.tools.iter().map(|tool| tool.name.as_str()).collect();
        let exists = |name: &str| names.contains(name);
        let here = self.declaration.tools.iter().filter(|(name, _)| exists(name));
        let tools = here.map(|(name, record)| (name.clone(), without_missing(record, &exists))).collect();
        let declaration = Declaration { tools, ..self.declaration.clone() };
        let (mut description, findings) = Description::join(&declaration, live);
        if self.is_behind_overt {
            description.errors_of_overt = overt_layers::known_errors();
        }
        (description, findings)
    }

    /// Returns the first description of a tool if it is certain to be still true: the tools of our
    /// own servers don't change, and the caller may use the tool that undoes this one.
    pub(super) fn believed_tool(
        &self,
        tool: Json<'_>,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<&DescribedTool> {
        let name = tool.get("name").string().filter(|_| self.is_prechecked)?;
        let described = self.first.tools.iter().find(|described| described.live.name == name)?;
        let reverse = described.record.as_ref().and_then(|record| record.reverse_method.as_deref());
        reverse.is_none_or(exists).then_some(described)
    }

    /// Describes one tool as it is now. `exists` tells which other tools the caller may use.
    pub(super) fn describe_tool(
        &self,
        mut live: LiveTool,
        exists: &dyn Fn(&str) -> bool,
    ) -> (DescribedTool, Findings) {
        live.error_codes = self.error_codes.get(&live.name).cloned();
        live.is_checked = self.is_prechecked;
        let record = self.declaration.tools.get(&live.name).map(|record| without_missing(record, exists));
        DescribedTool::join(record.as_ref(), live, exists)
    }
}

impl Deref for Disclosure {
    type Target = CheckedDeclaration;

    fn deref(&self) -> &CheckedDeclaration {
        &self.0
    }
}

/// All problems of a declaration, each with its location.
#[derive(Debug, thiserror::Error)]
#[error("the declaration of the server is wrong:\n- {}", problems.join("\n- "))]
pub struct DeclarationError {
    pub problems: Vec<String>,
}

fn offers_of(declared: &DeclaredServer) -> ServerCapabilities {
    ServerCapabilities {
        tools: !declared.tools.is_empty(),
        resources: !declared.resources.is_empty(),
        prompts: !declared.prompts.is_empty(),
    }
}

/// Builds the lists that the server will answer with.
fn live_of(declared: &DeclaredServer) -> Live {
    let tools = declared.tools.iter().filter_map(|tool| {
        let live = LiveTool::read_later(tool.definition.as_json())?;
        Some(LiveTool { error_codes: tool.error_codes.clone(), ..live })
    });
    let resources = declared.resources.iter();
    Live {
        info: ServerInfo::read(declared.info.as_json(), Some(&declared.instructions)),
        tools: tools.collect(),
        resources: resources.filter_map(|resource| LiveResource::read(resource.as_json())).collect(),
        prompts: declared.prompts.iter().filter_map(|prompt| LivePrompt::read(prompt.as_json())).collect(),
    }
}

/// Returns the record without a reverse tool that does not exist or that the caller may not use.
fn without_missing(record: &ToolRecord, exists: &dyn Fn(&str) -> bool) -> ToolRecord {
    let reverse_method = record.reverse_method.clone().filter(|reverse| exists(reverse));
    ToolRecord { reverse_method, ..record.clone() }
}
