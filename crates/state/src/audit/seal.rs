//! Small signed objects: checkpoints, closing marks, and the heads of removed segments.
use overt_wire::json::Json;

use super::keys::{Keys, PublicKey};
use super::line::Members;

const SIGNATURE: &str = "signature";

/// Returns the object with the public key and a signature over all of it. `purpose` prevents an
/// object of one kind from passing for another.
pub(super) fn seal(purpose: &str, members: &[(&'static str, String)], keys: &Keys) -> String {
    let object = |signature: Option<&str>| {
        let mut object = Members::default();
        members.iter().for_each(|(name, token)| object.token(name, token));
        object.string("key", &keys.public().to_string());
        signature.into_iter().for_each(|signature| object.string(SIGNATURE, signature));
        object.object()
    };
    let signature = keys.sign(&signed_text(purpose, &object(None)));
    object(Some(&signature))
}

/// Returns whether this key signed the object for this purpose.
pub(super) fn is_sealed(purpose: &str, object: Json<'_>, key: &PublicKey) -> bool {
    let Some(signature) = object.get(SIGNATURE).string() else { return false };
    let members = object.members().filter(|(name, _)| !name.is(SIGNATURE));
    let members: Vec<String> =
        members.map(|(name, value)| format!("{}:{value}", overt_wire::json::quote(&name.name()))).collect();
    key.signed(&signed_text(purpose, &format!("{{{}}}", members.join(","))), &signature)
}

fn signed_text(purpose: &str, object: &str) -> String {
    format!("overt.audit.{purpose}.v1\0{object}")
}
