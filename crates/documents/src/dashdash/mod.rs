//! The dashdash objects (seed 000, version 0.2.0): one on the server, one on each tool, one on each
//! resource. Reading is lenient, because others write them (D-31): well-formed members are
//! returned, and findings report the others.
mod server; // `dashdash` of the initialize and discover results
mod tool; // `dashdash` of a tool
mod resource; // `dashdash` of a resource
mod schema; // our JSON Schemas of the three objects

pub use resource::ResourceObject;
pub use schema::schemas;
pub use server::{AlternativeAccess, Identity, InvocationObject, RequiresObject, ServerObject};
pub use tool::{ErrorObject, ExampleObject, ToolObject};

/// The version of the proposal that this module writes.
pub const SPEC_VERSION: &str = "0.2.0";
/// The address of the proposal.
pub const SPEC_URL: &str = "https://github.com/visionik/dashdash";
