//! `overt list`: asks for the lists and prints them.
use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::era::key;
use overt_wire::error::code;
use overt_wire::json::JsonBuf;

use super::missing_tool::MissingTool;
use super::session::with_server;
use crate::args::{Format, Kind};
use crate::failure::{Complaint as _, Exit, Failure};
use crate::output::{Listing, Printer, brief, long};
use crate::settings::{Env, ListSelection, ListSettings};

pub(crate) fn list(settings: &ListSettings, env: &Env) -> Result<Exit, Failure> {
    with_server(&settings.connection, settings.output, env, async |client, printer| {
        let listing = Listing {
            server: client.server(),
            tools: fetch(client, printer, settings, Kind::Tools).await?,
            resources: fetch(client, printer, settings, Kind::Resources).await?,
            templates: fetch(client, printer, settings, Kind::Templates).await?,
            prompts: fetch(client, printer, settings, Kind::Prompts).await?,
            skills: fetch(client, printer, settings, Kind::Skills).await?,
        };
        printer.progress_stop();
        match settings.output.format {
            Format::Json => printer.json(listing.to_json().as_json())?,
            Format::Text if settings.long => printer.text(&long(&listing, printer.width()))?,
            Format::Text => printer.text(&brief(&listing, printer.width()))?,
        }
        if let Some(tools) = &listing.tools
            && let Some(held) = MissingTool::held_back(tools, &settings.connection, env)
        {
            printer.warn(&held.to_string());
            held.hint().iter().for_each(|hint| printer.note(hint));
        }
        Ok(Exit::Ok)
    })
}

/// One list, if it is wanted.
async fn fetch(
    client: &Client,
    printer: &Printer,
    settings: &ListSettings,
    kind: Kind,
) -> Result<Option<Vec<JsonBuf>>, ClientError> {
    let (method, member, capability) = match kind {
        Kind::Tools => (Method::ToolsList, "tools", "tools"),
        Kind::Resources => (Method::ResourcesList, "resources", "resources"),
        Kind::Templates => (Method::ResourceTemplatesList, "resourceTemplates", "resources"),
        Kind::Prompts => (Method::PromptsList, "prompts", "prompts"),
        // What is listed is shown as it is; no file of a skill is read.
        Kind::Skills => (Method::SkillsList, "skills", key::SKILLS),
        Kind::All => return Ok(None),
    };
    let capabilities = client.server().capabilities.as_json();
    let declared = match kind {
        Kind::Skills => capabilities.get("extensions").get(capability),
        _ => capabilities.get(capability),
    };
    let declared = declared.value().is_some();
    match &settings.lists {
        ListSelection::Declared if !declared => return Ok(None),
        ListSelection::Named(kinds) if !kinds.contains(&kind) => return Ok(None),
        ListSelection::Named(_) if !declared => {
            printer.warn(&format!("the server does not declare `{capability}`"));
            return Ok(Some(Vec::new()));
        }
        ListSelection::Declared | ListSelection::Named(_) => {}
    }
    printer.progress_start(&format!("listing {member}"));
    match client.list(method.name(), member).await {
        // Many servers with resources have no templates, and say so this way.
        Err(ClientError::Refused(error))
            if kind == Kind::Templates && error.code == code::METHOD_NOT_FOUND =>
        {
            Ok(Some(Vec::new()))
        }
        result => result.map(Some),
    }
}
