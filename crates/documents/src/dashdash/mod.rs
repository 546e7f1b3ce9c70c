//! The dashdash objects (seed 000, version 0.2.0): one on the server, one on each tool, one on each
//! resource. Read gently, because others write them (D-31): whatever is well-formed is there, and
//! the findings say what is not.
mod server; // `dashdash` of the initialize and discover results
mod tool; // `dashdash` of a tool
mod resource; // `dashdash` of a resource
mod schema; // our JSON Schemas of the three

pub use resource::ResourceObject;
pub use schema::schemas;
pub use server::{AlternativeAccess, Identity, InvocationObject, RequiresObject, ServerObject};
pub use tool::{ErrorObject, ExampleObject, ToolObject};

/// The version of the proposal that is written here.
pub const SPEC_VERSION: &str = "0.2.0";
/// Where the proposal is.
pub const SPEC_URL: &str = "https://github.com/visionik/dashdash";
