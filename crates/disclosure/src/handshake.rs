//! Extends the first answer of a server with the server's metadata, once as the member `dashdash`
//! and once as an extension (D-01, X-16).
use overt_documents::dashdash::ServerObject;
use overt_documents::mark::uri::{CARDS, HELP, MANIFEST};
use overt_policy::mark::key;
use overt_wire::Message;
use overt_wire::edit::{self, EditError, Step::Member};
use overt_wire::json::{Json, JsonBuf, Object};

use super::disclosure::Disclosure;

/// Returns the result of `initialize` or `server/discover`, extended with what is declared about
/// the server.
pub(super) fn decorate(reply: &Message, disclosure: &Disclosure) -> Result<Message, EditError> {
    let server =
        JsonBuf::of(&ServerObject::of(&disclosure.first)).unwrap_or_else(|_| JsonBuf::empty_object());
    // The schema of the newer era allows no null inside an extension, so absent values are left
    // out.
    let plain = without_null(server.as_json());
    let extension = Object::new()
        .json("dashdash", plain.as_json())
        .string("help", HELP)
        .string("cards", CARDS)
        .string("manifest", MANIFEST)
        .finish();
    let capabilities = [Member("result"), Member("capabilities")];
    let reply = edit::set_in(reply, &[Member("result"), Member("dashdash")], server.as_json())?;
    let reply = edit::set_in(
        &reply,
        &[capabilities[0], capabilities[1], Member("extensions"), Member(key::DISCLOSURE)],
        extension.as_json(),
    )?;
    if disclosure.offers.resources {
        return Ok(reply);
    }
    let none = JsonBuf::empty_object();
    edit::set_in(&reply, &[capabilities[0], capabilities[1], Member("resources")], none.as_json())
}

fn without_null(object: Json<'_>) -> JsonBuf {
    let members = object.members().filter(|(_, value)| !value.is_null());
    let written = members.fold(Object::new(), |object, (name, value)| {
        if value.is_object() {
            object.json(&name.name(), without_null(value).as_json())
        } else {
            object.json(&name.name(), value)
        }
    });
    written.finish()
}
