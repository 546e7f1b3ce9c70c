//! What an author declared about the server, checked against the server itself.
use std::sync::Arc;

use overt_spec::finding::Severity;
use overt_spec::live::{Live, LivePrompt, LiveResource, LiveTool, ServerInfo};
use overt_spec::{Declaration, Description, Findings, ResourceRecord, ToolRecord};
use overt_wire::json::JsonBuf;

use super::endpoint::Entry;
use super::{Resource, ResourceTemplate, Server};
use crate::{Disclosure, Offers};

/// What there is, as it will be listed.
pub(super) struct Declared<'a> {
    pub(super) server: &'a Server,
    pub(super) info: &'a JsonBuf,
    pub(super) tools: &'a [Arc<Entry>],
    pub(super) resources: &'a [Resource],
    pub(super) templates: &'a [ResourceTemplate],
    pub(super) prompts: &'a [JsonBuf],
}

impl Declared<'_> {
    /// What clients are told, where the author declared who the server is; all that is wrong, each with its place.
    pub(super) fn check(&self) -> Result<Option<Disclosure>, Vec<String>> {
        let live = self.live();
        let wrong = |findings: Findings, also_server: bool| {
            let errors = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
            let about = errors
                .filter(|finding| also_server || finding.at.steps().next().as_deref() != Some("server"));
            about.map(|finding| finding.to_string()).collect::<Vec<_>>()
        };
        if self.server.record.is_some() {
            return match Disclosure::new(self.declaration(), live, self.offers()) {
                Ok((disclosure, _)) => Ok(Some(disclosure)),
                Err(findings) => Err(wrong(findings, true)),
            };
        }
        // Nobody is told about the server, but what is said about a tool must be right all the same.
        let findings = Description::join(&self.declaration(), live).1;
        let problems = wrong(findings, false);
        if problems.is_empty() { Ok(None) } else { Err(problems) }
    }

    /// The same of a declaration that was checked before.
    pub(super) fn believe(&self) -> Option<Disclosure> {
        self.server.record.as_ref()?;
        Some(Disclosure::believed(self.declaration(), self.live(), self.offers()))
    }

    fn offers(&self) -> Offers {
        Offers {
            tools: !self.tools.is_empty(),
            resources: !(self.resources.is_empty() && self.templates.is_empty()),
            prompts: !self.prompts.is_empty(),
        }
    }

    fn declaration(&self) -> Declaration {
        let tools = self
            .tools
            .iter()
            .filter(|entry| entry.tool.record != ToolRecord::default() || entry.tool.error_codes.is_some());
        let resources = self.resources.iter().map(|resource| (&resource.uri, &resource.about.record));
        let templates = self.templates.iter().map(|template| (&template.template, &template.about.record));
        Declaration {
            server: self.server.record.clone().unwrap_or_default(),
            tools: tools.map(|entry| (entry.tool.name.clone(), entry.tool.record.clone())).collect(),
            resources: resources
                .chain(templates)
                .filter(|(_, record)| **record != ResourceRecord::default())
                .map(|(uri, record)| (uri.clone(), record.clone()))
                .collect(),
        }
    }

    fn live(&self) -> Live {
        let tools = self.tools.iter().filter_map(|entry| {
            let tool = LiveTool::read(entry.definition.as_json())?;
            Some(LiveTool { error_codes: entry.tool.error_codes.clone(), ..tool })
        });
        let resources = self.resources.iter().map(Resource::definition);
        let templates = self.templates.iter().map(ResourceTemplate::definition);
        Live {
            info: ServerInfo::read(self.info.as_json(), Some(&self.server.instructions)),
            tools: tools.collect(),
            resources: resources
                .chain(templates)
                .filter_map(|definition| LiveResource::read(definition.as_json()))
                .collect(),
            prompts: self.prompts.iter().filter_map(|prompt| LivePrompt::read(prompt.as_json())).collect(),
        }
    }
}
