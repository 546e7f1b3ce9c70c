//! Fields that a server declares itself, such as the regions of a file server. A fragment carries
//! them; the server knows what they mean.
use serde_json::Value;

use crate::finding::{Findings, Pointer};

/// Knows the fields of one server.
pub trait DomainFields {
    /// Notes what is wrong with the value. False: there is no such field.
    fn check(&self, name: &str, value: &Value, at: Pointer, findings: &mut Findings) -> bool;
}

/// No fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDomain;

impl DomainFields for NoDomain {
    fn check(&self, _: &str, _: &Value, _: Pointer, _: &mut Findings) -> bool {
        false
    }
}
