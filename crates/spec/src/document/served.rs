//! Where each document is found over HTTP, beside the MCP endpoint. A path is somebody else's text: it is compared, and
//! never made into a path of ours.
use super::table::{CARDS, Kind};
use crate::card::{WELL_KNOWN, name_of, segment_of};

/// The kind of the document under a path, and its path among the documents of that kind. `endpoint` is the path of the MCP
/// endpoint.
pub fn served(path: &str, endpoint: &str) -> Option<(Kind, String)> {
    if let Some(rest) = path.strip_prefix(endpoint.trim_end_matches('/'))
        && rest == "/server-card"
    {
        return Some((Kind::ServerCard, "server-card.json".to_owned()));
    }
    let (kind, file) = match path {
        "/llms.txt" | "/.well-known/llms.txt" => (Kind::Llms, "llms.txt"),
        "/llms-full.txt" | "/.well-known/llms-full.txt" => (Kind::LlmsFull, "llms-full.txt"),
        // Its newer readers look under the second name.
        "/.well-known/ai-catalog.json" | "/.well-known/ard.json" => (Kind::AiCatalog, "ai-catalog.json"),
        _ => {
            let segment = path.strip_prefix(WELL_KNOWN)?.strip_suffix(".json")?;
            let file = if segment == "index" { segment.to_owned() } else { segment_of(&name_of(segment)?) };
            return Some((Kind::Card, format!("{CARDS}/{file}.json")));
        }
    };
    Some((kind, file.to_owned()))
}
