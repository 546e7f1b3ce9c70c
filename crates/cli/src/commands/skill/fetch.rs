//! Fetches a skill from a server, file by file. Each file is verified before the next one is
//! requested, and no file is requested twice.
use overt_documents::skill::remote::{SkillLoad, SkillManifest, VerifiedSkill, VerifyError, content_bytes};
use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::era::key;
use overt_wire::json::Object;
use overt_wire::skill::SkillEntry;

use crate::args::TargetArgs;
use crate::error::{CommandError, outside_error};
use crate::output::Printer;
use crate::settings::{Connection, Env};

const LIST_SKILLS: &str = "`overt list --kind skills` shows the URI of each skill";

/// The error for a skill whose files are not what the server announced.
pub(super) fn refused(error: VerifyError) -> CommandError {
    outside_error("the skill is refused, and nothing of it was used")
        .caused_by(error)
        .hinted("the skill may have changed just now: try once more; if it stays so, don't trust the server")
}

/// The limit for messages from the server: a file of 16 MiB in base64, and the message around it.
const MOST_MESSAGE: usize = 24 << 20;

/// Returns the connection to the server that has the skill.
pub(super) fn connection(
    args: &TargetArgs,
    from: Option<&str>,
    env: &Env,
) -> Result<Connection, CommandError> {
    let mut connection = Connection::resolve(args, from, env)?;
    connection.limits.max_message_bytes = MOST_MESSAGE;
    Ok(connection)
}

/// Returns what the server lists about a skill. Requests no file.
pub(super) async fn manifest(client: &Client, uri: &str) -> Result<SkillManifest, CommandError> {
    let capabilities = client.server().capabilities.as_json();
    if capabilities.get("extensions").get(key::SKILLS).value().is_none() {
        return Err(outside_error(format!("the server does not declare the extension `{}`", key::SKILLS))
            .hinted("`overt list` shows what the server has"));
    }
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::SkillsGet.name(), Some(params.as_json())).await?;
    let entry = answer.result_body().get("skill").value().filter(|entry| entry.is_object());
    let entry = entry.ok_or_else(|| {
        outside_error("the server answers `skills/get` without a skill").hinted(LIST_SKILLS)
    })?;
    let entry = SkillEntry::read(entry).map_err(|error| {
        outside_error("the entry of the skill is not as the extension wants it").caused_by(error)
    })?;
    if entry.uri != uri {
        return Err(
            outside_error(format!("the server answers with the skill `{}`", entry.uri)).hinted(LIST_SKILLS)
        );
    }
    SkillManifest::new(entry).map_err(|error| outside_error("the skill is refused").caused_by(error))
}

/// Fetches and verifies the skill's SKILL.md, and returns the load that continues with the rest.
pub(super) async fn begin(client: &Client, manifest: SkillManifest) -> Result<SkillLoad, CommandError> {
    let main = read(client, manifest.uri()).await?;
    SkillLoad::begin(manifest, main).map_err(refused)
}

/// Returns the skill with all its files, verified.
pub(super) async fn all(
    client: &Client,
    uri: &str,
    printer: &Printer,
) -> Result<VerifiedSkill, CommandError> {
    printer.progress_start("asking for the skill");
    let mut load = begin(client, manifest(client, uri).await?).await?;
    while let Some(file) = load.next() {
        printer.progress_start(&format!("reading {}", file.path));
        let uri = file.uri.clone();
        let bytes = read(client, &uri).await?;
        load.add(bytes).map_err(refused)?;
    }
    printer.progress_stop();
    let whole = load.finish();
    whole.ok_or_else(|| ClientError::Protocol { what: "files of the skill are missing".to_owned() }.into())
}

/// Returns the bytes of one resource.
pub(super) async fn read(client: &Client, uri: &str) -> Result<Vec<u8>, CommandError> {
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::ResourcesRead.name(), Some(params.as_json())).await?;
    let result = answer.result_body().value().filter(|result| result.is_object());
    let result = result.ok_or_else(|| ClientError::Protocol {
        what: "the result of `resources/read` is not an object".to_owned(),
    })?;
    content_bytes(result, uri).map_err(|error| {
        outside_error(format!("`{uri}` can't be taken from the answer of the server")).caused_by(error)
    })
}
