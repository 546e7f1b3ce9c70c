//! Returns the bytes of a file from the answer to `resources/read`.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::json::Json;

/// The reason why an answer holds no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    #[error("the answer has {0} contents instead of one")]
    Count(usize),
    #[error("the content has the URI of another resource")]
    Uri,
    #[error("the content has neither `text` nor `blob`, or both")]
    Kind,
    #[error("the content is not valid base64")]
    Base64,
}

/// Returns the only content of a result as bytes: the text in UTF-8, or the decoded base64.
pub fn content_bytes(result: Json<'_>, uri: &str) -> Result<Vec<u8>, ContentError> {
    let contents: Vec<Json<'_>> =
        result.get("contents").value().into_iter().flat_map(Json::elements).take(3).collect();
    let [content] = contents.as_slice() else { return Err(ContentError::Count(contents.len())) };
    if content.get("uri").string().as_deref() != Some(uri) {
        return Err(ContentError::Uri);
    }
    match (content.get("text").string(), content.get("blob").string()) {
        (Some(text), None) => Ok(text.into_owned().into_bytes()),
        (None, Some(blob)) => STANDARD.decode(blob.as_bytes()).map_err(|_| ContentError::Base64),
        _ => Err(ContentError::Kind),
    }
}
