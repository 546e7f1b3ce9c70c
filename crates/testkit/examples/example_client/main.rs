//! The client that the conformance suite drives: it connects to the given address and uses
//! everything that the server offers. It uses only what any user of `Client` can use.
mod failure; // what ends the program, and what does not
mod auth; // authorization that agrees to everything
mod skills; // loading skills as a host must

use std::sync::Arc;

use failure::{Failure, tolerate};
use overt_transport::client::{Client, ClientOptions, HttpTarget, Listener, Protocol, Target};
use overt_wire::era::{Era, Version};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::view::Tool;
use overt_wire::{BoxFuture, ErrorObject, Id, Method};

/// The client's capabilities.
const CAPABILITIES: &str = r#"{"elicitation":{"form":{}},"sampling":{},"roots":{}}"#;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let url = std::env::args().nth(1).ok_or("usage: example-client URL")?;
    let mut options = ClientOptions::new("example-client", env!("CARGO_PKG_VERSION"));
    options.capabilities = JsonBuf::parse(CAPABILITIES)?;
    options.protocol = protocol(env("MCP_CONFORMANCE_PROTOCOL_VERSION").as_deref());
    let context = env("MCP_CONFORMANCE_CONTEXT").map(|text| JsonBuf::parse(&text)).transpose()?;
    let scenario = env("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let oauth = auth::oauth(&url, &scenario, context.as_ref().map(JsonBuf::as_json))?;
    let target = Target::Http(HttpTarget { credentials: Some(Arc::new(oauth)), ..HttpTarget::new(url) });
    let client = Arc::new(Client::connect(&target, options, Arc::new(Agreeable)).await?);
    use_tools(&client, context.as_ref().map(JsonBuf::as_json)).await?;
    let capabilities = client.server().capabilities.clone();
    if capabilities.as_json().get("resources").value().is_some() {
        use_each(&client, Method::ResourcesList, "resources", Method::ResourcesRead, "uri").await?;
    }
    skills::use_skills(&client, &scenario).await?;
    if capabilities.as_json().get("prompts").value().is_some() {
        use_each(&client, Method::PromptsList, "prompts", Method::PromptsGet, "name").await?;
    }
    if let Some(client) = Arc::into_inner(client) {
        client.close().await;
    }
    Ok(())
}

/// Returns the protocol for the version that the suite wants. A modern server is detected
/// automatically.
fn protocol(wanted: Option<&str>) -> Protocol {
    match wanted.and_then(Version::parse) {
        Some(version) if version.era() == Era::Legacy => Protocol::Only(version),
        _ => Protocol::Auto,
    }
}

#[expect(clippy::disallowed_methods, reason = "the suite passes its wishes in variables")]
fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Calls every tool at the same time: with the suite's arguments, or else with some that fit.
async fn use_tools(client: &Arc<Client>, context: Option<Json<'_>>) -> Result<(), Failure> {
    let tools = client.list(Method::ToolsList.name(), "tools").await?;
    let wanted: Vec<_> = context
        .and_then(|context| context.get("toolCalls").value())
        .into_iter()
        .flat_map(Json::elements)
        .map(Json::to_buf)
        .collect();
    let calls =
        if wanted.is_empty() { tools.iter().map(|tool| call_of(tool, &tools)).collect() } else { wanted };
    let running: Vec<_> = calls
        .into_iter()
        .map(|call| {
            let client = Arc::clone(client);
            tokio::spawn(async move { client.request(Method::ToolsCall.name(), Some(call.as_json())).await })
        })
        .collect();
    for call in running {
        tolerate(call.await?)?;
    }
    Ok(())
}

/// Lists entries and requests each of them.
async fn use_each(
    client: &Client,
    list: Method<'_>,
    member: &str,
    get: Method<'_>,
    named_by: &str,
) -> Result<(), Failure> {
    for entry in client.list(list.name(), member).await? {
        let name = entry.as_json().get(named_by).string().unwrap_or_default().into_owned();
        let params = Object::new().string(named_by, &name).finish();
        tolerate(client.request(get.name(), Some(params.as_json())).await)?;
    }
    Ok(())
}

/// Returns a call with an argument for every property of the tool's schema.
fn call_of(tool: &JsonBuf, tools: &[JsonBuf]) -> JsonBuf {
    let tool = Tool(tool.as_json());
    let properties = tool.input_schema().get("properties").value();
    let mut arguments = Object::new();
    for (name, schema) in properties.into_iter().flat_map(Json::members) {
        let value = match schema.get("type").string().as_deref() {
            Some("integer") => "3".into(),
            Some("number") => "2.5".into(),
            Some("boolean") => "true".into(),
            Some("array") => "[]".into(),
            // If a tool wants an object, send the schema of the first tool.
            Some("object") => first_schema(tools),
            _ => r#""text""#.into(),
        };
        arguments = arguments.raw(&name.name(), &value);
    }
    let name = tool.name().unwrap_or_default();
    Object::new().string("name", &name).json("arguments", arguments.finish().as_json()).finish()
}

fn first_schema(tools: &[JsonBuf]) -> String {
    let schema = tools.first().and_then(|tool| Tool(tool.as_json()).input_schema().value().map(Json::to_buf));
    schema.unwrap_or_else(JsonBuf::empty_object).into_string()
}

/// Answers every question: forms with their defaults.
struct Agreeable;

impl Listener for Agreeable {
    fn request<'a>(
        &'a self,
        method: &'a str,
        params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async move {
            match Method::of(method) {
                Method::Elicit => Ok(accept_defaults(params)),
                Method::RootsList => fixed(r#"{"roots":[]}"#),
                Method::Sample => fixed(
                    r#"{"role":"assistant","model":"none","content":{"type":"text","text":"yes"},"stopReason":"endTurn"}"#,
                ),
                _ => Err(ErrorObject::method_not_found(method)),
            }
        })
    }
}

fn fixed(text: &str) -> Result<JsonBuf, ErrorObject> {
    JsonBuf::parse(text).map_err(|_| ErrorObject::internal())
}

/// Accepts a form with its defaults, like a person who changes nothing.
fn accept_defaults(params: Option<Json<'_>>) -> JsonBuf {
    let properties = params.and_then(|params| params.at(&["requestedSchema", "properties"]).value());
    let mut content = Object::new();
    for (name, schema) in properties.into_iter().flat_map(Json::members) {
        if let Some(default) = schema.get("default").value() {
            content = content.json(&name.name(), default);
        }
    }
    Object::new().string("action", "accept").json("content", content.finish().as_json()).finish()
}
