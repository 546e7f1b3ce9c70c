//! Resources, prompts and completion.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_testkit::example::media::PIXEL;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InputRequests, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Prompt, PromptArgument, PromptMessage, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::json;

use crate::plain::picture;
use crate::rounds::{answered, form};

/// How long a list may be cached, in milliseconds.
const KEPT_MS: u64 = 60_000;

/// A list that can say how long it may be cached.
pub(crate) trait Kept {
    #[must_use]
    fn kept(self) -> Self;
}

macro_rules! kept {
    ($($list:ty)*) => {
        $(impl Kept for $list {
            fn kept(self) -> Self {
                self.with_ttl_ms(KEPT_MS).with_cache_scope(CacheScope::Public)
            }
        })*
    };
}

kept!(ListToolsResult ListResourcesResult ListResourceTemplatesResult ListPromptsResult ReadResourceResult);

pub(crate) fn kept<L: Kept>(list: L) -> L {
    list.kept()
}

pub(crate) fn resources() -> Vec<Resource> {
    vec![
        Resource::new("test://static-text", "text").with_mime_type("text/plain"),
        Resource::new("test://static-binary", "picture").with_mime_type("image/png"),
        Resource::new("test://watched-resource", "watched").with_mime_type("text/plain"),
        Resource::new("test://example-resource", "example").with_mime_type("text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![ResourceTemplate::new("test://template/{id}/data", "record").with_mime_type("application/json")]
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let text = |kind: &str, text: String| ResourceContents::TextResourceContents {
        uri: uri.into(),
        mime_type: Some(kind.into()),
        text,
        meta: None,
    };
    let record = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let contents = match (uri, record) {
        (_, Some(id)) => text("application/json", json!({ "id": id, "record": true }).to_string()),
        ("test://static-binary", _) => ResourceContents::BlobResourceContents {
            uri: uri.into(),
            mime_type: Some("image/png".into()),
            blob: STANDARD.encode(PIXEL),
            meta: None,
        },
        _ if resources().iter().any(|known| known.uri == uri) => {
            text("text/plain", format!("This is {uri}."))
        }
        _ => {
            let what = format!("there is no resource `{uri}`");
            return Err(ErrorData::resource_not_found(what, Some(json!({ "uri": uri }))));
        }
    };
    Ok(kept(ReadResourceResult::new(vec![contents])).into())
}

pub(crate) fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_required(true);
    vec![
        Prompt::new("test_simple_prompt", Some("Without arguments."), None),
        Prompt::new(
            "test_prompt_with_arguments",
            Some("With two arguments."),
            Some(vec![argument("arg1"), argument("arg2")]),
        ),
        Prompt::new(
            "test_prompt_with_embedded_resource",
            Some("With a resource in it."),
            Some(vec![argument("resourceUri")]),
        ),
        Prompt::new("test_prompt_with_image", Some("With a picture in it."), None),
        Prompt::new("test_input_required_result_prompt", Some("Asks first."), None),
    ]
}

pub(crate) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let said = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
        value.unwrap_or_default().to_owned()
    };
    let user = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![user("Say something simple.".into())],
        "test_prompt_with_arguments" => vec![user(format!("Use {} and {}.", said("arg1"), said("arg2")))],
        "test_prompt_with_embedded_resource" => vec![
            PromptMessage::new_resource(
                Role::User,
                said("resourceUri"),
                Some("text/plain".into()),
                Some("What the resource says.".into()),
                None,
                None,
                None,
            ),
            user("Read this.".into()),
        ],
        "test_prompt_with_image" => {
            vec![PromptMessage::new(Role::User, picture()), user("Look at this.".into())]
        }
        "test_input_required_result_prompt" => {
            match answered(request.input_responses.as_ref(), "user_context") {
                Some(answer) => vec![user(format!("Mind this: {}", answer["content"]["context"]))],
                None => return Ok(ask_for_context()),
            }
        }
        name => return Err(ErrorData::invalid_params(format!("unknown prompt `{name}`"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}

fn ask_for_context() -> GetPromptResponse {
    let mut questions = InputRequests::new();
    questions.insert("user_context".into(), form("What should I mind?", "context", "string"));
    InputRequiredResult::from_input_requests(questions).into()
}

pub(crate) fn complete(typed: &str) -> Result<CompleteResult, ErrorData> {
    let words = ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(typed));
    let values = CompletionInfo::new(words.map(str::to_owned).collect());
    values.map(CompleteResult::new).map_err(|what| ErrorData::internal_error(what, None))
}
