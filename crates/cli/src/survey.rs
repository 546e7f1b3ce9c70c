//! Asks a server for everything that a description needs. The answers are untrusted data: limits
//! bound them, and unreadable parts are left out (D-31).
use std::error::Error;

use overt_documents::Live;
use overt_documents::dashdash::{ServerObject, ToolObject};
use overt_documents::live::{LivePrompt, LiveResource, LiveTool, ServerInfo};
use overt_documents::manifest::Manifest;
use overt_documents::mark;
use overt_policy::mark::key;
use overt_policy::{Declaration, Findings};
use overt_transport::client::{Client, ClientError, Server};
use overt_wire::Method;
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Member, Object};

use crate::output::{Printer, kind_words, one_line};

/// A server with its current lists.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) live: Live,
    /// The definitions of its tools, as it sent them.
    pub(crate) tools: Vec<JsonBuf>,
    /// The server's own declaration, as far as it could be read. It is not yet compared with
    /// anything.
    pub(crate) declaration: Declaration,
    /// Parts that could not be read: what they belong to, and what is wrong.
    pub(crate) unreadable: Vec<(String, Findings)>,
}

/// The treatment of secrets in the server's own text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnText {
    /// The text is kept exactly as it was sent.
    Exact,
    /// The text goes into documents: secrets are replaced, with a warning (H-34).
    Published,
}

pub(crate) async fn survey(
    client: &Client,
    own_text: OwnText,
    printer: &Printer,
) -> Result<Survey, ClientError> {
    let ask = async |method: Method<'static>, member: &str, capability: &str| {
        list(client, printer, method, member, capability).await
    };
    let tools = ask(Method::ToolsList, "tools", "tools").await?;
    let resources = ask(Method::ResourcesList, "resources", "resources").await?;
    let templates = ask(Method::ResourceTemplatesList, "resourceTemplates", "resources").await?;
    let prompts = ask(Method::PromptsList, "prompts", "prompts").await?;
    let server = client.server();
    let nobody = JsonBuf::empty_object();
    let info = server.info.as_ref().unwrap_or(&nobody).as_json();
    let entries =
        || resources.iter().chain(&templates).map(JsonBuf::as_json).filter(|entry| !is_document(*entry));
    let mut live = Live {
        info: ServerInfo::read(info, server.instructions.as_deref()),
        tools: tools.iter().map(JsonBuf::as_json).filter_map(LiveTool::read).collect(),
        resources: entries().filter_map(LiveResource::read).collect(),
        prompts: prompts.iter().map(JsonBuf::as_json).filter_map(LivePrompt::read).collect(),
    };
    if own_text == OwnText::Published {
        live.redact().iter().for_each(|redaction| printer.warn(&one_line(&redaction.to_string())));
    }
    let mut survey = Survey { live, tools, declaration: Declaration::default(), unreadable: Vec::new() };
    if let Some(declaration) = own_manifest(client, printer).await {
        survey.declaration = declaration;
        return Ok(survey);
    }
    survey.hear_server(server);
    survey.hear_tools();
    entries().for_each(|entry| survey.hear_resource(entry));
    Ok(survey)
}

/// All pages of one list; empty if the server does not declare the capability.
async fn list(
    client: &Client,
    printer: &Printer,
    method: Method<'static>,
    member: &str,
    capability: &str,
) -> Result<Vec<JsonBuf>, ClientError> {
    if client.server().capabilities.as_json().get(capability).value().is_none() {
        return Ok(Vec::new());
    }
    printer.progress_start(&format!("listing {}", kind_words(member)));
    match client.list(method.name(), member).await {
        // Without the tools, a description is impossible; without the other lists, it only has less
        // (D-31). Many servers with resources have no templates, and report that with this error.
        Err(ClientError::Refused(error)) if method != Method::ToolsList => {
            if error.code != code::METHOD_NOT_FOUND {
                printer.warn(&one_line(&format!(
                    "the {} are left out: the server says `{}`",
                    kind_words(member),
                    error.message
                )));
            }
            Ok(Vec::new())
        }
        result => result,
    }
}

/// The complete declaration of a server behind Overt, or of one written with the Toolbox. `None` if
/// there is none or it cannot be read; the marks in the other answers then say less, but better
/// than nothing.
async fn own_manifest(client: &Client, printer: &Printer) -> Option<Declaration> {
    let capabilities = client.server().capabilities.as_json();
    let uri = capabilities.get("extensions").get(key::DISCLOSURE).get("manifest").string()?;
    let read = read_manifest(client, &uri).await;
    read.inspect_err(|why| {
        printer.warn(&one_line(&format!("the manifest that the server itself has can't be read: {why}")));
    })
    .ok()
}

async fn read_manifest(client: &Client, uri: &str) -> Result<Declaration, Box<dyn Error>> {
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::ResourcesRead.name(), Some(params.as_json())).await?;
    let contents = answer.result_body().get("contents").value();
    let first = contents.and_then(|contents| contents.elements().next());
    let text = first.and_then(|content| content.get("text").string()).ok_or("it has no text")?;
    Ok(Manifest::parse(&text)?.declaration)
}

/// Whether this is one of Overt's own documents about the server, which are listed among its
/// resources but are not part of what is described.
fn is_document(entry: Json<'_>) -> bool {
    let address = [entry.get("uri"), entry.get("uriTemplate")].into_iter().find_map(Member::string);
    address.is_some_and(|uri| uri.starts_with(mark::uri::OURS))
}

impl Survey {
    /// Whether the server declares anything about itself.
    pub(crate) fn says_something(&self) -> bool {
        self.declaration != Declaration::default() || !self.unreadable.is_empty()
    }

    fn hear_server(&mut self, server: &Server) {
        let extension = server.capabilities.as_json().get("extensions").get(key::DISCLOSURE);
        let places = [server.handshake.as_json().get("dashdash"), extension.get("dashdash")];
        let Some(object) = places.into_iter().find_map(Member::value) else { return };
        let Ok(mut value) = object.read() else { return };
        // Secrets are withheld, because the server's declaration is published like the rest of its
        // text.
        overt_secrets::withhold(&mut value);
        let (object, findings) = ServerObject::read(&value);
        self.declaration.server = object.into_record();
        self.note("the server", findings);
    }

    fn hear_tools(&mut self) {
        for index in 0..self.live.tools.len() {
            let tool = &self.live.tools[index];
            let definition = tool.definition.value();
            let meta = definition
                .get("_meta")
                .and_then(|meta| meta.get(key::TOOL).or_else(|| meta.get(key::UPSTREAM)?.get(key::TOOL)));
            let Some(object) = meta.or_else(|| definition.get("dashdash")) else { continue };
            let (_, findings) = ToolObject::read(object);
            let name = tool.name.clone();
            self.declaration.tools.insert(name.clone(), mark::read_tool(definition));
            self.note(&format!("tool `{name}`"), findings);
        }
    }

    fn hear_resource(&mut self, entry: Json<'_>) {
        let says = entry.get("dashdash").value().is_some()
            || entry.get("_meta").get(key::RESOURCE).value().is_some();
        let (Some(resource), true) = (LiveResource::read(entry), says) else { return };
        if let Ok(value) = entry.read() {
            self.declaration.resources.insert(resource.uri, mark::read_resource(&value));
        }
    }

    fn note(&mut self, whose: &str, findings: Findings) {
        if !findings.is_empty() {
            self.unreadable.push((whose.to_owned(), findings));
        }
    }
}
