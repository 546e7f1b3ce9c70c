//! The resources of the example server, and its template.
use overt_toolbox::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::declared;
use super::media::PIXEL;

pub(super) fn resources() -> Vec<Resource> {
    vec![
        text("test://static-text", "Static text", "This is the content of the static text resource.")
            .declare(declared::fixed_text()),
        Resource::new("test://static-binary", "Static picture", |_| async {
            Ok(ResourceContents::bytes("image/png", PIXEL))
        })
        .description("A picture of one pixel.")
        .mime_type("image/png"),
        text("test://watched-resource", "Watched text", "This is a resource to watch."),
        text("test://embedded-resource", "Embedded text", "This is an embedded resource content."),
        text("test://example-resource", "Example text", "This is an example resource."),
        Resource::new("test://mixed-content-resource", "Mixed content", |_| async {
            Ok(ResourceContents::text("application/json", r#"{"test":"data","value":123}"#))
        })
        .description("A small JSON document.")
        .mime_type("application/json"),
    ]
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("test://template/{id}/data", "Data by id", |variables, _| async move {
        let id = variables.get("id").cloned().unwrap_or_default();
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        Ok(ResourceContents::text("application/json", data.to_string()))
    })
    .description("Made-up data for any id.")
    .mime_type("application/json")
    .complete("id", |typed| {
        ["123", "124", "200"].into_iter().filter(|id| id.starts_with(typed)).map(Into::into).collect()
    })
}

fn text(uri: &str, name: &str, text: &'static str) -> Resource {
    Resource::new(uri, name, move |_| async move { Ok(ResourceContents::text("text/plain", text)) })
        .description("A line of text.")
        .mime_type("text/plain")
}
