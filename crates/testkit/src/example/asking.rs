//! Tools that ask the client: its person, its model, or its roots. They are written once for both
//! eras.
use overt_toolbox::{Answer, Content, Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::plain::Nothing;

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    /// What the model is asked.
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    /// What the person is asked.
    message: String,
}

type ToolResult = Result<Vec<Content>, ToolError>;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::content("test_sampling", "Asks the client's model.", sampling).read_only(),
        Tool::content("test_elicitation", "Asks a person for name and address.", elicitation).read_only(),
        Tool::content("test_elicitation_sep1034_defaults", "Asks with defaults filled in.", defaults)
            .read_only(),
        Tool::content("test_elicitation_sep1330_enums", "Asks with every kind of choice.", enums).read_only(),
        Tool::content("test_missing_capability", "Needs a client with a model.", missing_capability)
            .read_only(),
        Tool::content("test_streaming_elicitation", "Reports progress, then asks.", streaming).read_only(),
        Tool::content("test_input_required_result_elicitation", "Asks for a name.", ask_name).read_only(),
        Tool::content("test_input_required_result_sampling", "Asks the model one thing.", ask_capital)
            .read_only(),
        Tool::content("test_input_required_result_list_roots", "Asks for the folders.", ask_roots)
            .read_only(),
        Tool::content("test_input_required_result_request_state", "Asks to confirm.", confirm).read_only(),
        Tool::content("test_input_required_result_tampered_state", "Asks to confirm.", confirm).read_only(),
        Tool::content("test_input_required_result_multiple_inputs", "Asks three things at once.", ask_all)
            .read_only(),
        Tool::content("test_input_required_result_multi_round", "Asks one thing after another.", ask_twice)
            .read_only(),
        Tool::content(
            "test_input_required_result_capabilities",
            "Asks what the client can answer.",
            ask_able,
        )
        .read_only(),
    ]
}

async fn sampling(input: Prompt, context: Context) -> ToolResult {
    let answer = context.sample("answer", &sample_params(&input.prompt, 100)).await?;
    let text = answer["content"]["text"].as_str().unwrap_or_default();
    Ok(vec![Content::text(&format!("LLM response: {text}"))])
}

async fn elicitation(input: Question, context: Context) -> ToolResult {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" }
        },
        "required": ["username", "email"]
    });
    let answer = context.elicit("user", &input.message, &schema).await?;
    Ok(vec![Content::text(&format!("User response: {}", words(&answer)))])
}

async fn defaults(_: Nothing, context: Context) -> ToolResult {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true }
        }
    });
    let answer = context.elicit("profile", "Please check your profile", &schema).await?;
    Ok(vec![Content::text(&format!("Elicitation completed: {}", words(&answer)))])
}

async fn enums(_: Nothing, context: Context) -> ToolResult {
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" }
    ]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]
            },
            "untitledMulti": {
                "type": "array",
                "items": { "type": "string", "enum": ["option1", "option2", "option3"] }
            },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } }
        }
    });
    let answer = context.elicit("choices", "Please choose", &schema).await?;
    Ok(vec![Content::text(&format!("Elicitation completed: {}", words(&answer)))])
}

async fn missing_capability(_: Nothing, context: Context) -> ToolResult {
    context.require("sampling")?;
    Ok(vec![Content::text("The client has a model.")])
}

async fn streaming(_: Nothing, context: Context) -> ToolResult {
    context.progress(1.0, Some(2.0), "about to ask").await;
    let answer = context.elicit("user_name", "What is your name?", &one_text("name")).await?;
    Ok(vec![Content::text(&words(&answer))])
}

async fn ask_name(_: Nothing, context: Context) -> ToolResult {
    let answer = context.elicit("user_name", "What is your name?", &one_text("name")).await?;
    Ok(vec![Content::text(&format!("Hello, {}!", field(&answer, "name")))])
}

async fn ask_capital(_: Nothing, context: Context) -> ToolResult {
    let answer =
        context.sample("capital_question", &sample_params("What is the capital of France?", 100)).await?;
    Ok(vec![Content::text(answer["content"]["text"].as_str().unwrap_or_default())])
}

async fn ask_roots(_: Nothing, context: Context) -> ToolResult {
    let roots = context.roots("client_roots").await?;
    let uris: Vec<&str> = roots.iter().map(|(uri, _)| uri.as_str()).collect();
    Ok(vec![Content::text(&format!("Roots: {}", uris.join(", ")))])
}

async fn confirm(_: Nothing, context: Context) -> ToolResult {
    let schema =
        json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
    let answer = context.elicit("confirm", "Please confirm", &schema).await?;
    Ok(vec![Content::text(&format!("state-ok: {}", words(&answer)))])
}

async fn ask_all(_: Nothing, context: Context) -> ToolResult {
    let (schema, params) = (one_text("name"), sample_params("Generate a greeting", 50));
    let (name, greeting, roots) = tokio::join!(
        context.elicit("user_name", "What is your name?", &schema),
        context.sample("greeting", &params),
        context.roots("client_roots"),
    );
    let text = format!("{} {} ({} roots)", field(&name?, "name"), greeting?["content"]["text"], roots?.len());
    Ok(vec![Content::text(&text)])
}

async fn ask_twice(_: Nothing, context: Context) -> ToolResult {
    let name = context.elicit("step1", "Step 1: What is your name?", &one_text("name")).await?;
    let color = context.elicit("step2", "Step 2: What is your favorite color?", &one_text("color")).await?;
    Ok(vec![Content::text(&format!("{} likes {}", field(&name, "name"), field(&color, "color")))])
}

async fn ask_able(_: Nothing, context: Context) -> ToolResult {
    let mut said = Vec::new();
    if context.caller().can("sampling") {
        let answer = context.sample("greeting", &sample_params("Generate a greeting", 50)).await?;
        said.push(answer["content"]["text"].to_string());
    }
    if context.caller().can("elicitation") {
        said.push(words(&context.elicit("user_name", "What is your name?", &one_text("name")).await?));
    }
    Ok(vec![Content::text(&said.join(" "))])
}

fn one_text(name: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] })
}

fn sample_params(text: &str, most: u32) -> Value {
    json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
        "maxTokens": most
    })
}

fn field(answer: &Answer, name: &str) -> String {
    match answer {
        Answer::Accepted(content) => content[name].as_str().unwrap_or_default().to_owned(),
        Answer::Declined | Answer::Cancelled => "nobody".to_owned(),
    }
}

fn words(answer: &Answer) -> String {
    match answer {
        Answer::Accepted(content) => format!("action=accept, content={content}"),
        Answer::Declined => "action=decline, content={}".into(),
        Answer::Cancelled => "action=cancel, content={}".into(),
    }
}
