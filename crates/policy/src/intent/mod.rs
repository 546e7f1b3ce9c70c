//! Sentences that say to people what a call will do, made from a tool's template and the arguments (H-06 to H-09). Knows
//! nothing of who reads them; whatever the template and the arguments hold, a sentence is one short line.
mod template; // what a template consists of
mod parse; // any text is a template
mod render; // a template filled with arguments
mod value; // values as people see them: short, visible, without secrets
mod line; // one line that ends in time
mod plain; // calls of tools that have no template
mod lint; // what is unwise in a template
mod shape; // what a schema says of a key
#[cfg(test)]
mod tests;

pub use plain::{fallback, sentence};
pub use template::Template;
