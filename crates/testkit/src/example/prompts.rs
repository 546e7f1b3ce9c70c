//! The prompts of the example server.
use overt_toolbox::{Answer, Content, Prompt, PromptReply, Role};
use serde_json::json;

use super::media::PIXEL;

pub(super) fn prompts() -> Vec<Prompt> {
    vec![
        Prompt::new("test_simple_prompt", "A prompt without arguments.", |_, _| async {
            let text = Content::text("This is a simple prompt for testing.");
            Ok(PromptReply::new().message(Role::User, text))
        }),
        with_arguments(),
        Prompt::new(
            "test_prompt_with_embedded_resource",
            "A prompt with a resource in it.",
            |arguments, _| async move {
                let uri = arguments.get("resourceUri").cloned().unwrap_or_default();
                let text = "Embedded resource content for testing.";
                Ok(PromptReply::new()
                    .message(Role::User, Content::embedded_text(&uri, "text/plain", text))
                    .message(Role::User, Content::text("Please process the embedded resource above.")))
            },
        )
        .required("resourceUri", "Address of the resource."),
        Prompt::new("test_prompt_with_image", "A prompt with a picture in it.", |_, _| async {
            Ok(PromptReply::new()
                .message(Role::User, Content::image(PIXEL, "image/png"))
                .message(Role::User, Content::text("Please analyze the image above.")))
        }),
        asking(),
    ]
}

fn with_arguments() -> Prompt {
    Prompt::new("test_prompt_with_arguments", "A prompt with two arguments.", |arguments, _| async move {
        let value = |name| arguments.get(name).cloned().unwrap_or_default();
        let text = format!("Prompt with arguments: arg1='{}', arg2='{}'", value("arg1"), value("arg2"));
        Ok(PromptReply::new().message(Role::User, Content::text(&text)))
    })
    .required("arg1", "First test argument")
    .required("arg2", "Second test argument")
    .complete("arg1", |typed| {
        ["paris", "park", "party"]
            .into_iter()
            .filter(|word| word.starts_with(typed))
            .map(Into::into)
            .collect()
    })
}

fn asking() -> Prompt {
    Prompt::new("test_input_required_result_prompt", "A prompt that asks first.", |_, context| async move {
        let schema = json!({
            "type": "object",
            "properties": { "context": { "type": "string" } },
            "required": ["context"]
        });
        let answer = context.elicit("user_context", "What context should the prompt use?", &schema).await?;
        let told = match &answer {
            Answer::Accepted(content) => content["context"].as_str().unwrap_or_default(),
            Answer::Declined | Answer::Cancelled => "none",
        };
        Ok(PromptReply::new().message(Role::User, Content::text(&format!("Use this context: {told}"))))
    })
}
