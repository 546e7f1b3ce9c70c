//! Fields that a server declares itself, such as the regions of a file server. A policy carries
//! them; only the server knows their meaning.
use serde_json::Value;

use crate::finding::{Findings, Pointer};

/// The domain fields of one server.
pub trait DomainFields {
    /// Reports what is wrong with the value. Returns false if there is no such field.
    fn check(&self, name: &str, value: &Value, at: Pointer, findings: &mut Findings) -> bool;
}

/// A server without domain fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDomain;

impl DomainFields for NoDomain {
    fn check(&self, _: &str, _: &Value, _: Pointer, _: &mut Findings) -> bool {
        false
    }
}
