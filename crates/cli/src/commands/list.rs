//! `overt list`: asks for the lists and prints them.
use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::era::key;
use overt_wire::error::code;
use overt_wire::json::JsonBuf;

use super::missing_tool::MissingTool;
use super::session::with_server;
use crate::args::{Format, Kind, ListArgs};
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic as _, Exit};
use crate::output::{Listing, Printer, brief, kind_words, long};
use crate::settings::Connection;

pub(crate) fn list(args: &ListArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let connection = Connection::resolve(&args.target, args.url.as_deref(), &context.env)?;
    with_server(&connection, context, async |client, printer| {
        let listing = Listing {
            server: client.server(),
            tools: fetch(client, printer, &args.kinds, Kind::Tools).await?,
            resources: fetch(client, printer, &args.kinds, Kind::Resources).await?,
            templates: fetch(client, printer, &args.kinds, Kind::Templates).await?,
            prompts: fetch(client, printer, &args.kinds, Kind::Prompts).await?,
            skills: fetch(client, printer, &args.kinds, Kind::Skills).await?,
        };
        printer.progress_stop();
        match context.output.format {
            Format::Json => printer.json(listing.to_json().as_json())?,
            Format::Text if args.long => printer.text(&long(&listing, printer.width()))?,
            Format::Text => printer.text(&brief(&listing, printer.width()))?,
        }
        if let Some(tools) = &listing.tools
            && let Some(held) = MissingTool::held_back(tools, &connection, &context.env)
        {
            printer.warn(&held.to_string());
            held.hint().iter().for_each(|hint| printer.note(hint));
        }
        Ok(Exit::Ok)
    })
}

/// Fetches one list, or returns `None` if it is not wanted.
async fn fetch(
    client: &Client,
    printer: &Printer,
    wanted: &[Kind],
    kind: Kind,
) -> Result<Option<Vec<JsonBuf>>, ClientError> {
    let (method, member, capability) = match kind {
        Kind::Tools => (Method::ToolsList, "tools", "tools"),
        Kind::Resources => (Method::ResourcesList, "resources", "resources"),
        Kind::Templates => (Method::ResourceTemplatesList, "resourceTemplates", "resources"),
        Kind::Prompts => (Method::PromptsList, "prompts", "prompts"),
        // Skills are shown as the server lists them; their files are not read.
        Kind::Skills => (Method::SkillsList, "skills", key::SKILLS),
        Kind::All => return Ok(None),
    };
    let capabilities = client.server().capabilities.as_json();
    let declared = match kind {
        Kind::Skills => capabilities.get("extensions").get(capability),
        _ => capabilities.get(capability),
    };
    let declared = declared.value().is_some();
    match wanted.is_empty() || wanted.contains(&Kind::All) {
        true if !declared => return Ok(None),
        false if !wanted.contains(&kind) => return Ok(None),
        false if !declared => {
            printer.warn(&format!("the server does not declare `{capability}`"));
            return Ok(Some(Vec::new()));
        }
        true | false => {}
    }
    printer.progress_start(&format!("listing {}", kind_words(member)));
    match client.list(method.name(), member).await {
        // Many servers with resources have no templates, and report that with this error.
        Err(ClientError::Refused(error))
            if kind == Kind::Templates && error.code == code::METHOD_NOT_FOUND =>
        {
            Ok(Some(Vec::new()))
        }
        result => result.map(Some),
    }
}
