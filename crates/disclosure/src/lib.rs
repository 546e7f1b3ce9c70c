//! Tells clients what a server is and does: dashdash metadata where it belongs in each answer, `ai_help`, and documents
//! as resources and over HTTP. It is outside of authorize, so that what it says covers only what is permitted.
//! Start with `stack.rs`.
mod stack; // the layers with this one among them
mod disclosure; // what there is to tell, checked
mod layer; // which request is answered, which answer gets more
mod described; // what each caller was told last
mod survey; // what the running server says, asked in somebody's name
mod hello; // the first answer
mod lists; // the entries of lists
mod said; // answers of our own, dressed for the era
mod help; // `ai_help`
mod resources; // `overt://ai-help` and `overt://cards/<tool>`
mod own_session; // requests that we make ourselves
mod pages; // documents over HTTP

pub use disclosure::{DeclarationError, Disclosure, Offers};
pub use layer::Disclose;
pub use own_session::OwnSession;
pub use stack::{build, build_with, open};
