//! Joins a declaration with the running server. A declaration that contradicts the server is a
//! finding, and no document contains it.
use std::collections::HashSet;

use indexmap::IndexMap;

use super::{DescribedResource, DescribedTool, Description, server, tool};
use crate::live::{Live, LiveResource, LiveTool};
use crate::manifest::without_errors;
use crate::text_source::TextSource;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::record::{AccessLevel, Declaration, Effect, ResourceRecord, ToolRecord};

impl Description {
    /// Joins both and reports everything that is wrong. An error in the findings must prevent a
    /// start. While a server runs and changes its tools, the description leaves out the wrong parts
    /// and keeps the rest.
    pub fn join(declaration: &Declaration, live: Live) -> (Self, Findings) {
        let mut findings = Findings::default();
        let Live { info, tools, resources, prompts } = live;
        let name = server::name(&declaration.server, &info, &mut findings);
        server::check(&declaration.server, &mut findings);
        let tools = join_tools(&declaration.tools, tools, &mut findings);
        let resources = join_resources(&declaration.resources, resources, &mut findings);
        let description = Self {
            name,
            access_level: access_level(declaration, &tools, &mut findings),
            source: TextSource::Author,
            errors_of_overt: Vec::new(),
            server: without_errors(&declaration.server, &findings),
            info,
            tools,
            resources,
            prompts,
        };
        (description, findings)
    }

    /// Returns the part of the declaration that this description contains.
    pub fn declaration(&self) -> Declaration {
        let tools = self.tools.iter().filter_map(|tool| Some((tool.live.name.clone(), tool.record.clone()?)));
        let resources = self
            .resources
            .iter()
            .filter_map(|resource| Some((resource.live.uri.clone(), resource.record.clone()?)));
        Declaration { server: self.server.clone(), tools: tools.collect(), resources: resources.collect() }
    }

    /// Describes a third-party server by its own declaration. Its text is never Markdown.
    pub fn described_by_server(said: &Declaration, live: Live) -> (Self, Findings) {
        let (description, findings) = Self::join(said, live);
        (Self { source: TextSource::Server, ..description }, findings)
    }
}

impl DescribedTool {
    /// Joins one tool with its record. `exists` returns whether the server has a tool with this
    /// name.
    pub fn join(
        record: Option<&ToolRecord>,
        live: LiveTool,
        exists: &dyn Fn(&str) -> bool,
    ) -> (Self, Findings) {
        let mut findings = Findings::default();
        let at = Pointer::root().join("tools").join(&live.name);
        if let Some(record) = record.filter(|_| !live.is_checked) {
            tool::check(record, &live, exists, &at, &mut findings);
        }
        let record = record.filter(|_| !findings.has_errors()).cloned();
        (Self { live, record, measured: None }, findings)
    }
}

fn join_tools(
    records: &IndexMap<String, ToolRecord>,
    live: Vec<LiveTool>,
    findings: &mut Findings,
) -> Vec<DescribedTool> {
    let names: HashSet<String> = live.iter().map(|tool| tool.name.clone()).collect();
    for name in records.keys().filter(|name| !names.contains(*name)) {
        let at = Pointer::root().join("tools").join(name);
        findings.error(at, "the server has no such tool", list_existing(names.iter().map(String::as_str)));
    }
    let described = live.into_iter().map(|tool| {
        let (tool, wrong) = DescribedTool::join(records.get(&tool.name), tool, &|name| names.contains(name));
        findings.extend(wrong);
        tool
    });
    described.collect()
}

fn join_resources(
    records: &IndexMap<String, ResourceRecord>,
    live: Vec<LiveResource>,
    findings: &mut Findings,
) -> Vec<DescribedResource> {
    let at = Pointer::root().join("resources");
    let mut good = IndexMap::new();
    for (uri, record) in records {
        let at = at.join(uri);
        let mut wrong = Findings::default();
        if !live.iter().any(|resource| resource.uri == *uri) {
            let uris = live.iter().map(|resource| resource.uri.as_str());
            findings.error(at.clone(), "the server has no such resource or template", list_existing(uris));
        }
        server::check_url(record.web_equivalent.as_deref(), &at.join("web_equivalent"), &mut wrong);
        if wrong.is_empty() {
            good.insert(uri, record);
        }
        findings.extend(wrong);
    }
    let described = live.into_iter().map(|live| {
        let record = good.get(&live.uri).map(|record| ResourceRecord::clone(record));
        DescribedResource { record, live }
    });
    described.collect()
}

/// Returns the declared access level, or the one that follows from the effects. A tool without a
/// declared effect may change things.
fn access_level(declaration: &Declaration, tools: &[DescribedTool], findings: &mut Findings) -> AccessLevel {
    let changing = tools.iter().find(|tool| {
        let effect = tool.record.as_ref().and_then(|record| record.effect);
        let hints = tool.live.hints;
        // The server's own hints count too, in case nothing is declared or the declaration was left
        // out.
        effect.is_some_and(|effect| effect != Effect::Read)
            || hints.read_only == Some(false)
            || hints.destructive == Some(true)
    });
    let only_reads =
        tools.iter().all(|tool| tool.record.as_ref().and_then(|record| record.effect) == Some(Effect::Read));
    match (declaration.server.access_level, changing) {
        (Some(AccessLevel::Read), Some(tool)) => {
            findings.error(
                Pointer::root().join("server").join("access_level"),
                format!("is `read`, but the tool `{}` changes things", tool.live.name),
                "use `interact` or `full`, or leave it out: it follows from the tools",
            );
            AccessLevel::Interact
        }
        (Some(declared), _) => declared,
        (None, _) if only_reads => AccessLevel::Read,
        (None, _) => AccessLevel::Interact,
    }
}

/// Lists the existing names, for an author who wrote another one.
fn list_existing<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let all = names.len();
    names.truncate(MOST);
    let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match all {
        0 => "remove it: the server has none".to_owned(),
        _ if all > MOST => format!("it has {} and {} more", shown.join(", "), all - MOST),
        _ => format!("it has {}", shown.join(", ")),
    }
}
