//! What there is to tell about a server. One that exists was checked against the running server, and has no secret in it.
use std::collections::{BTreeSet, HashMap};

use overt_spec::description::DescribedTool;
use overt_spec::live::{Live, LiveTool, ServerInfo};
use overt_spec::{Declaration, Description, Findings, Place, Severity, document, manifest, secrets};

/// A declaration that fits its server.
#[derive(Debug, Clone)]
pub struct Disclosure {
    pub(super) declaration: Declaration,
    pub(super) info: ServerInfo,
    /// How the server was when it was looked at first.
    pub(super) first: Description,
    /// Whether the server itself has resources.
    pub(super) has_resources: bool,
    error_codes: HashMap<String, BTreeSet<String>>,
}

impl Disclosure {
    /// Checks the declaration against the running server, and every document that follows from both for secrets
    /// (D-30). The findings are worth telling even if nothing is wrong.
    pub fn new(
        declaration: Declaration,
        live: Live,
        has_resources: bool,
    ) -> Result<(Self, Findings), Findings> {
        let info = live.info.clone();
        let error_codes = live
            .tools
            .iter()
            .filter_map(|tool| Some((tool.name.clone(), tool.error_codes.clone()?)))
            .collect();
        let mut secrets = secrets::scan(&manifest::to_value(&declaration));
        secrets.extend(live.secrets());
        let (first, mut findings) = Description::join(&declaration, live);
        findings.extend(secrets);
        if !findings.has_errors() {
            // What was put together may be one although no part of it is.
            let (_, more) = document::all(&first, &Place::default());
            more.into_iter()
                .filter(|finding| finding.severity == Severity::Error)
                .for_each(|finding| findings.add(finding));
        }
        findings.unless_wrong(Self { declaration, info, first, has_resources, error_codes })
    }

    /// What the running server says now, joined with what is declared.
    pub(super) fn describe(&self, mut live: Live) -> (Description, Findings) {
        live.info = self.info.clone();
        for tool in &mut live.tools {
            tool.error_codes = self.error_codes.get(&tool.name).cloned();
        }
        Description::join(&self.declaration, live)
    }

    /// One tool as it is now, beside the others as they were first.
    pub(super) fn describe_tool(&self, mut live: LiveTool) -> (DescribedTool, Findings) {
        live.error_codes = self.error_codes.get(&live.name).cloned();
        let others = |name: &str| self.first.tools.iter().any(|tool| tool.live.name == name);
        DescribedTool::join(self.declaration.tools.get(&live.name), live, &others)
    }
}
