//! Requests about skills (SEP-2640): `skills/list`, `skills/get` and `resources/directory/read`, in
//! both eras.
use overt_layers::seal::Seal;
use overt_wire::era::{Cache, key};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::skill::DIRECTORY_READ;
use overt_wire::{ErrorObject, Exchange, Method};

use super::endpoint::{LIST, ToolServer};
use super::page;
use super::reply::{Answer, Reply};
use super::resource::asked_uri;
use super::skills::SkillLibrary;

/// A skill and its digests may change at any time, so they must not be cached.
const ENTRY: Cache = Cache { ttl_ms: 0 };

impl ToolServer {
    pub(super) fn skills_answer(
        &self,
        skills: &dyn SkillLibrary,
        method: Method<'_>,
        exchange: &Exchange,
    ) -> Answer {
        let (listing, version) = (skills.listing(), exchange.caller.version);
        match method {
            Method::SkillsList => {
                let items: Vec<Json<'_>> = listing.entries().iter().map(JsonBuf::as_json).collect();
                let body = self.skills_page(exchange, "skills", &items, listing.revision())?;
                Ok(Reply::new(body).cached(LIST).finish(version, &self.info))
            }
            Method::SkillsGet => {
                let uri = asked_uri(exchange.message.params())?;
                let what = "the server has no skill with this URI; `skills/list` has the URIs";
                let entry = listing.entry(&uri).ok_or_else(|| unknown(what, &uri))?;
                let body = Object::new().json("skill", entry.as_json());
                Ok(Reply::new(body).cached(ENTRY).finish(version, &self.info))
            }
            _ => {
                let uri = asked_uri(exchange.message.params())?;
                let what = "there is no directory with this URI; name the directory of a skill, or one in it";
                let children = listing.directory(&uri).ok_or_else(|| unknown(what, &uri))?;
                let items: Vec<Json<'_>> = children.iter().map(JsonBuf::as_json).collect();
                let state = format!("{} {uri}", listing.revision());
                let body = self.skills_page(exchange, "resources", &items, &state)?;
                Ok(Reply::new(body).finish(version, &self.info))
            }
        }
    }

    fn skills_page(
        &self,
        exchange: &Exchange,
        name: &str,
        items: &[Json<'_>],
        state: &str,
    ) -> Result<Object, ErrorObject> {
        let seal = || Seal::of(&format!("{name} {state}"));
        page::page_of(&exchange.message, name, items, self.page_size, seal)
    }

    /// Returns the resources that skills add to those that were declared.
    pub(super) fn skill_resources(&self) -> Vec<JsonBuf> {
        self.skills.as_ref().map(|skills| skills.listing().resources().to_vec()).unwrap_or_default()
    }
}

/// Adds the extension as a capability. It is the same in both eras.
pub(super) fn capability(extensions: Object) -> Object {
    let settings = Object::new().raw(DIRECTORY_READ, "true").finish();
    extensions.json(key::SKILLS, settings.as_json())
}

fn unknown(what: &str, uri: &str) -> ErrorObject {
    ErrorObject::invalid_params(what).with_data(Object::new().string("uri", uri).finish())
}
