//! Small servers that tests need besides the example server, by name.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::setting::{DeclaredSettings, Kind, Narrowing, Setting};
use overt_testkit::example;
use overt_toolbox::{Content, Context, Outcome, Prompt, PromptReply, Resource, ResourceContents};
use overt_toolbox::{ResourceTemplate, Role, Server, Tool, ToolError, Toolbox};
use overt_wire::Handler;
use overt_wire::era::LogLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The program that serves the example server.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_example-server");

pub(crate) fn by_name(name: &str) -> Arc<dyn Handler> {
    match name {
        "example" => overt_disclosure::open(example::toolbox().unwrap()).unwrap(),
        "pages" => pages(),
        "workshop" => workshop(),
        "bare" => overt_layers::open(Toolbox::new(about("bare")).build().unwrap()),
        other => panic!("there is no server called {other}"),
    }
}

/// Five of everything, two on a page.
fn pages() -> Arc<dyn Handler> {
    let mut toolbox = Toolbox::new(about("pages")).page_size(2);
    for n in 1..=5 {
        let read = |_| async { Ok(ResourceContents::text("text/plain", "")) };
        let read_any = |_, _| async { Ok(ResourceContents::text("text/plain", "")) };
        let get = |_, _| async { Ok(PromptReply::new().message(Role::User, Content::text(""))) };
        toolbox = toolbox
            .tool(Tool::content(&format!("tool-{n}"), "Does nothing.", |_: Nothing, _| async { Ok(vec![]) }))
            .resource(Resource::new(&format!("page://{n}"), &format!("resource-{n}"), read))
            .template(ResourceTemplate::new(&format!("page-{n}://{{x}}"), &format!("template-{n}"), read_any))
            .prompt(Prompt::new(&format!("prompt-{n}"), "Says nothing.", get));
    }
    overt_layers::open(toolbox.build().unwrap())
}

/// Tools for single questions of the tests.
fn workshop() -> Arc<dyn Handler> {
    let toolbox = Toolbox::new(about("workshop").settings(settings()))
        .tool(Tool::new("sized", "Returns JSON of a certain length.", sized).read_only())
        .tool(Tool::new("adjust", "Has one parameter of each kind.", adjust).read_only())
        .tool(Tool::content("wait", "Reports progress once, then never ends.", wait).read_only())
        .tool(Tool::content("late", "Goes on to report progress when it has ended.", late).read_only())
        .tool(Tool::content("log_all", "Logs once at every level.", log_all).read_only())
        .tool(Tool::content("any", "Takes any value.", any).read_only())
        .tool(Tool::content("panic", "Fails in the worst way.", panics).read_only())
        .tool(Tool::raw("broken", "Breaks its own schema.", nothing_schema(), Some(number_schema()), broken))
        .tool(Tool::raw(
            "silent",
            "Returns no value although it should.",
            nothing_schema(),
            Some(number_schema()),
            silent,
        ))
        .prompt(
            Prompt::new("many", "Has many suggestions.", |_, _| async {
                Ok(PromptReply::new().message(Role::User, Content::text("")))
            })
            .required("word", "Any word.")
            .complete("word", |typed| (0..150).map(|n| format!("{typed}{n}")).collect()),
        );
    overt_layers::open(toolbox.build().unwrap())
}

/// A setting of each kind: what is published of them has to fit the schema of every version (H-14,
/// X-08, X-09).
fn settings() -> DeclaredSettings {
    let second = Duration::from_secs(1);
    let kinds = [
        ("flag", Kind::Flag, Narrowing::Off, json!(true)),
        ("integer", Kind::Integer { min: 1, max: 9 }, Narrowing::Min, json!(5)),
        ("bytes", Kind::Bytes { min: 1, max: 1 << 20 }, Narrowing::Min, json!("64KiB")),
        ("time", Kind::Duration { min: second, max: 60 * second }, Narrowing::Min, json!("5s")),
        ("choice", Kind::Choice(&["strict", "lax"]), Narrowing::Min, json!("lax")),
        ("permissions", Kind::Scopes, Narrowing::All, json!(["read"])),
        ("globs", Kind::Globs, Narrowing::Union, json!(["*.key"])),
        ("texts", Kind::Texts, Narrowing::Union, json!([])),
        ("rate", Kind::Rate, Narrowing::Min, json!("9/minute")),
        ("folders", Kind::Regions, Narrowing::All, json!(["src"])),
    ];
    let settings = kinds.map(|(key, kind, narrows, default)| {
        Setting::new(key, kind, "Only for tests").narrows(narrows).default(default)
    });
    DeclaredSettings::new(settings.into()).unwrap()
}

fn about(name: &str) -> Server {
    Server::new(name, "1.0.0", "Only for tests.")
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Length {
    /// Characters of the whole result.
    length: usize,
}

#[derive(Serialize, JsonSchema)]
struct Filler {
    filler: String,
}

async fn sized(input: Length, _: Context) -> Result<Filler, ToolError> {
    let frame = r#"{"filler":""}"#.len();
    Ok(Filler { filler: "é".repeat(input.length - frame) })
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Speed {
    Slow,
    Fast,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Adjust {
    /// A name.
    name: String,
    /// How many times.
    #[schemars(range(min = 1, max = 10))]
    #[serde(default = "five")]
    times: u32,
    /// How fast.
    speed: Option<Speed>,
}

fn five() -> u32 {
    5
}

async fn adjust(input: Adjust, _: Context) -> Result<Adjust, ToolError> {
    Ok(input)
}

async fn wait(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    context.progress(1.0, None, "waiting").await;
    std::future::pending().await
}

async fn late(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    context.progress(1.0, None, "in time").await;
    tokio::spawn(async move {
        for n in 2..20 {
            context.progress(f64::from(n), None, "too late").await;
            context.log(LogLevel::Error, "late", "too late").await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    Ok(vec![Content::text("done")])
}

async fn log_all(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    for level in LogLevel::ALL {
        context.log(level, "workshop", level.as_str()).await;
    }
    Ok(vec![Content::text("logged")])
}

#[derive(Deserialize, JsonSchema)]
struct Any {
    value: Value,
}

async fn any(input: Any, _: Context) -> Result<Vec<Content>, ToolError> {
    Ok(vec![Content::text(&input.value.to_string())])
}

async fn panics(_: Nothing, _: Context) -> Result<Vec<Content>, ToolError> {
    panic!("on purpose")
}

fn nothing_schema() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

fn number_schema() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] })
}

async fn broken(_: Value, _: Context) -> Result<Outcome, ToolError> {
    Outcome::structured(&json!({ "n": "not a number" }))
}

async fn silent(_: Value, _: Context) -> Result<Outcome, ToolError> {
    Ok(Outcome::content(vec![Content::text("nothing structured")]))
}
