//! Fetches a skill from a server, file by file. Each file is verified before the next one is
//! requested, and no file is requested twice.
use overt_documents::skill::remote::{
    ContentError, ManifestError, SkillLoad, SkillManifest, VerifiedSkill, VerifyError, content_bytes,
};
use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::era::key;
use overt_wire::json::Object;
use overt_wire::skill::{EntryError, SkillEntry};

use crate::args::TargetArgs;
use crate::failure::{Complaint, Exit, Failure};
use crate::output::Printer;
use crate::settings::{Connection, Env};

/// The reason why a skill was not accepted.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("the server does not declare the extension `{}`", key::SKILLS)]
    NoSkills,
    #[error("the server answers `skills/get` without a skill")]
    NoEntry,
    #[error("the entry of the skill is not as the extension wants it")]
    Entry(#[source] EntryError),
    #[error("the server answers with the skill `{0}`")]
    OtherSkill(String),
    #[error("the skill is refused")]
    Manifest(#[source] ManifestError),
    #[error("`{uri}` can't be taken from the answer of the server")]
    Content { uri: String, source: ContentError },
    #[error("the skill is refused, and nothing of it was used")]
    Verify(#[source] VerifyError),
}

impl Complaint for FetchError {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoSkills => "`overt list` shows what the server has".to_owned(),
            Self::NoEntry | Self::OtherSkill(_) => {
                "`overt list --kind skills` shows the URI of each skill".to_owned()
            }
            Self::Verify(_) => {
                "the skill may have changed just now: try once more; if it stays so, don't trust the server"
                    .to_owned()
            }
            Self::Entry(_) | Self::Manifest(_) | Self::Content { .. } => return None,
        })
    }
}

/// The limit for messages from the server: a file of 16 MiB in base64, and the message around it.
const MOST_MESSAGE: usize = 24 << 20;

/// Returns the connection to the server that has the skill.
pub(super) fn connection(args: &TargetArgs, from: Option<&str>, env: &Env) -> Result<Connection, Failure> {
    let mut connection = Connection::resolve(args, from, env)?;
    connection.limits.max_message_bytes = MOST_MESSAGE;
    Ok(connection)
}

/// Returns what the server lists about a skill. Requests no file.
pub(super) async fn manifest(client: &Client, uri: &str) -> Result<SkillManifest, Failure> {
    let capabilities = client.server().capabilities.as_json();
    if capabilities.get("extensions").get(key::SKILLS).value().is_none() {
        return Err(FetchError::NoSkills.into());
    }
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::SkillsGet.name(), Some(params.as_json())).await?;
    let entry = answer.result_body().get("skill").value().filter(|entry| entry.is_object());
    let entry = SkillEntry::read(entry.ok_or(FetchError::NoEntry)?).map_err(FetchError::Entry)?;
    if entry.uri != uri {
        return Err(FetchError::OtherSkill(entry.uri).into());
    }
    Ok(SkillManifest::new(entry).map_err(FetchError::Manifest)?)
}

/// Fetches and verifies the skill's SKILL.md, and returns the load that continues with the rest.
pub(super) async fn begin(client: &Client, manifest: SkillManifest) -> Result<SkillLoad, Failure> {
    let main = read(client, manifest.uri()).await?;
    Ok(SkillLoad::begin(manifest, main).map_err(FetchError::Verify)?)
}

/// Returns the skill with all its files, verified.
pub(super) async fn all(client: &Client, uri: &str, printer: &Printer) -> Result<VerifiedSkill, Failure> {
    printer.progress_start("asking for the skill");
    let mut load = begin(client, manifest(client, uri).await?).await?;
    while let Some(file) = load.next() {
        printer.progress_start(&format!("reading {}", file.path));
        let uri = file.uri.clone();
        let bytes = read(client, &uri).await?;
        load.add(bytes).map_err(FetchError::Verify)?;
    }
    printer.progress_stop();
    let whole = load.finish();
    whole.ok_or_else(|| ClientError::Protocol { what: "files of the skill are missing".to_owned() }.into())
}

/// Returns the bytes of one resource.
pub(super) async fn read(client: &Client, uri: &str) -> Result<Vec<u8>, Failure> {
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::ResourcesRead.name(), Some(params.as_json())).await?;
    let result = answer.result_body().value().filter(|result| result.is_object());
    let result = result.ok_or_else(|| ClientError::Protocol {
        what: "the result of `resources/read` is not an object".to_owned(),
    })?;
    Ok(content_bytes(result, uri).map_err(|source| FetchError::Content { uri: uri.to_owned(), source })?)
}
