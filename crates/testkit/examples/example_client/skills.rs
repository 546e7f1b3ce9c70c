//! Lists the skills of a server, and loads them as a host must.
use overt_documents::skill::remote::{SkillLoad, SkillManifest, content_bytes};
use overt_transport::client::Client;
use overt_wire::Method;
use overt_wire::era::key;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::skill::SkillEntry;

use crate::failure::Failure;

/// The scenario in which no skill may be loaded.
const LIST_ONLY: &str = "sep-2640-client-no-prefetch";

pub(super) async fn use_skills(client: &Client, scenario: &str) -> Result<(), Failure> {
    if client.server().capabilities.as_json().get("extensions").get(key::SKILLS).value().is_none() {
        return Ok(());
    }
    let skills = client.list(Method::SkillsList.name(), "skills").await?;
    for skill in skills.iter().filter(|_| scenario != LIST_ONLY) {
        if let Err(error) = load(client, skill).await {
            tracing::warn!(%error, "a skill is not loaded");
        }
    }
    Ok(())
}

async fn load(client: &Client, skill: &JsonBuf) -> Result<(), Failure> {
    let manifest = SkillManifest::new(SkillEntry::read(skill.as_json())?)?;
    let main = read(client, manifest.uri()).await?;
    let mut load = SkillLoad::begin(manifest, main)?;
    while let Some(file) = load.next() {
        let uri = file.uri.clone();
        load.add(read(client, &uri).await?)?;
    }
    Ok(())
}

async fn read(client: &Client, uri: &str) -> Result<Vec<u8>, Failure> {
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::ResourcesRead.name(), Some(params.as_json())).await?;
    let result: Json<'_> = answer.result_body().value().ok_or("there is no result")?;
    Ok(content_bytes(result, uri)?)
}
