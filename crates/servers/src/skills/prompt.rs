//! A prompt for people who choose a skill.
use std::sync::Arc;

use overt_toolbox::{Content, Prompt, PromptReply, Role, ToolError};

use super::library::Library;
use super::read::{may_read, not_found};
use super::resources::suggest;

pub(super) fn use_skill(library: &Arc<Library>) -> Prompt {
    let (reader, names) = (Arc::clone(library), Arc::clone(library));
    Prompt::new(
        "use_skill",
        "Work with a skill: its instructions become part of the conversation.",
        move |given, context| {
            let library = Arc::clone(&reader);
            async move {
                let id = given.get("name").map_or("", String::as_str);
                let snapshot = library.current();
                let skill = snapshot.by_id(id).filter(|skill| may_read(&context, &skill.uri));
                let skill = skill.ok_or_else(|| not_found(id))?;
                let content = Content::embedded_text(&skill.uri, "text/markdown", &skill.text);
                Ok::<_, ToolError>(
                    PromptReply::new().description(&skill.description).message(Role::User, content),
                )
            }
        },
    )
    .title("Use a skill")
    .required("name", "The name of the skill")
    .complete("name", move |typed| suggest(&names, typed))
}
