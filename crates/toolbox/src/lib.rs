//! Declare tools, resources and prompts once; they are served in both eras, over every transport.
//!
//! A whole server, with one tool:
//!
//! ```no_run
#![doc = include_str!("../examples/hello.rs")]
//! ```
mod declare; // `Toolbox`: the declaration, checked as a whole
mod declared; // what is declared about it, checked against it
mod server; // who the server is
mod tool; // one tool
mod definition; // its entry in `tools/list`
mod plan; // tools that change something: a plan, and its application
mod plan_digest; // what binds a preview and an approval to the call that follows
mod adapter; // the same tool with other arguments and another result
mod change; // what changes, for people to look at
mod body; // what there is before or after it
mod preview; // whether a call is only tried
mod review; // what people get to look at
mod schema; // Rust types as JSON Schema, and the check against it
mod normalise; // arguments as models write them, made canonical
mod arguments; // what is wrong with a call's arguments, in words
mod content; // what a result is made of
mod outcome; // from what a tool returns to what the client gets
mod error; // how a tool says no
mod resource; // resources and templates
mod app; // pages that clients show beside a tool
mod prompt; // prompts
mod skills; // skills, as their author gives them
mod context; // what a tool, resource or prompt may do while it runs
mod form; // forms, as each version has them
mod report; // progress and log messages
mod questions; // the questions of a run, and their answers
mod ask; // questions to the client, in both eras
mod task; // calls whose result is fetched later
mod watch; // what keeps a subscription going
mod announcement; // what is said of a change, and to which listeners
mod announce; // announces changes
mod page; // long lists in pages
mod described; // a built toolbox as the layers see it
mod entry; // a tool with what was computed from it
mod endpoint; // the requests themselves
mod serve_resources; // those about resources
mod serve_prompts; // those about prompts and completion
mod serve_skills; // those about skills
mod serve_listen; // the one that listens to changes
mod initialize; // what a server says about itself
mod reply; // results, dressed for the era

pub use adapter::Inner;
pub use announce::Changes;
pub use app::App;
pub use ask::Answer;
pub use body::{Blob, Body, Tree};
pub use change::Change;
pub use content::{Content, Role};
pub use context::Context;
pub use declare::{DeclarationError, Toolbox};
pub use endpoint::{ToolServer, ToolboxEndpoint};
pub use error::ToolError;
pub use outcome::Outcome;
pub use overt_layers::description::Irreversible;
pub use plan::Plan;
pub use prompt::{Prompt, PromptReply};
pub use questions::RunOutcome;
pub use resource::{Resource, ResourceContents, ResourceTemplate};
pub use review::{ChangedLines, changed_lines, describe_changes};
pub use server::Server;
pub use skills::{SkillLibrary, SkillListing};
pub use task::TaskMode;
pub use tool::{Destructive, Tool};
pub use watch::Watch;
