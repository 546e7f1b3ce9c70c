//! The catalogue that points to the server card. Its readers disagree on the name of one member, so
//! both names are written.
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

use super::common::Identity;
use super::server_card::{CARD_TYPE, endpoint};
use crate::ai_help::title;
use crate::description::Description;
use crate::document::SERVER_CARD;
use crate::server_location::ServerLocation;
use overt_policy::finding::Findings;
use overt_policy::members::{Members, is_web_address};

const VERSION: &str = "1.0";

/// The catalogue of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AiCatalog {
    pub spec_version: String,
    pub entries: Vec<CatalogEntry>,
}

/// An entry of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// `urn:air:` with the domain of the publisher and the name of the server.
    pub identifier: String,
    pub display_name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of the type in earlier versions of the specification.
    pub media_type: String,
    /// The URL of the card, or its path relative to the catalogue.
    pub url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl AiCatalog {
    pub fn of(description: &Description, place: &ServerLocation) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let identity = Identity::of(description, &mut findings);
        let endpoint = endpoint(description, place, &mut findings);
        let (Some(identity), Some(_)) = (identity, endpoint) else { return Err(findings) };
        let entry = CatalogEntry {
            identifier: urn(&identity.name),
            display_name: title(description),
            kind: CARD_TYPE.to_owned(),
            media_type: CARD_TYPE.to_owned(),
            url: place.server_card(description).unwrap_or_else(|| SERVER_CARD.to_owned()),
            description: Some(identity.description),
            version: Some(identity.version),
        };
        Ok(Self { spec_version: VERSION.to_owned(), entries: vec![entry] })
    }

    pub fn render(&self) -> Value {
        json!(self)
    }

    /// Parses a catalogue. The type may have either of its names.
    pub fn parse(value: &Value) -> Result<Self, Findings> {
        Members::read_document(value, |members| {
            let spec_version = members.required_text("specVersion", &format!("write `{VERSION}`"));
            let entries = members.objects("entries", entry);
            if entries.is_none() {
                members.missing("entries", "write a list of entries");
            }
            Some(Self { spec_version: spec_version?, entries: entries? })
        })
    }
}

fn entry(members: &mut Members<'_, '_>) -> Option<CatalogEntry> {
    let identifier =
        members.required_text("identifier", "write a name such as `urn:air:example.com:weather`");
    let display_name = members.required_text("displayName", "write a name for people");
    let [kind, media_type] = ["type", "mediaType"].map(|name| members.text(name));
    if kind.is_none() && media_type.is_none() {
        members.missing("type", "write the media type of what the entry points to");
    }
    let url = members.required_text("url", "write where it is");
    if url.as_deref().is_some_and(|url| !is_link(url)) {
        members.error("url", "is not a URL", "write a URL, or a path from where the catalogue is");
    }
    let [description, version] = ["description", "version"].map(|name| members.text(name));
    Some(CatalogEntry {
        identifier: identifier?,
        display_name: display_name?,
        kind: kind.clone().or(media_type.clone())?,
        media_type: media_type.or(kind)?,
        url: url?,
        description,
        version,
    })
}

/// Returns whether the text is a URL, or a path relative to the catalogue.
fn is_link(text: &str) -> bool {
    is_web_address(text)
        || Url::parse("https://catalogue.example/").is_ok_and(|base| {
            Url::parse(text).is_err() && base.join(text).is_ok_and(|url| url.host() == base.host())
        })
}

/// Returns `urn:air:example.com:weather` for `com.example/weather`.
fn urn(registry_name: &str) -> String {
    let (space, name) = registry_name.split_once('/').unwrap_or(("", registry_name));
    let domain: Vec<&str> = space.rsplit('.').collect();
    format!("urn:air:{}:{name}", domain.join("."))
}
