//! Declare tools, resources and prompts once; they are served in both eras, over every transport.
//!
//! A whole server, with one tool:
//!
//! ```no_run
#![doc = include_str!("../examples/hello.rs")]
//! ```
mod declare; // `Toolbox`: the declaration, checked as a whole
mod declared; // the author's declarations, gathered for the documents
mod server; // name, version, instructions and settings of a server
mod tool; // one tool
mod definition; // its entry in `tools/list`
mod plan; // tools that change something: a plan, and its application
mod plan_digest; // the digest that binds a preview and an approval to the call that follows
mod adapter; // a tool with other arguments and another result
mod change; // the changes of a call, for people to review
mod body; // the content before or after a change
mod preview; // whether a call is a preview
mod review; // diffs and pages that show people what changes
mod schema; // JSON Schemas of Rust types, and validation
mod normalise; // makes the arguments that models write canonical
mod arguments; // error texts for invalid arguments
mod content; // content items of results and prompts
mod outcome; // from what a tool returns to the client's result
mod error; // errors of tools
mod resource; // resources and templates
mod app; // pages that clients show beside a tool's result
mod prompt; // prompts
mod skills; // the interface of a library of skills
mod context; // what a tool, resource or prompt can do while it runs
mod form; // forms in each protocol version
mod report; // progress and log messages
mod questions; // the questions of a run, and their answers
mod ask; // questions to the client, in both eras
mod task; // calls whose result the client fetches later
mod watch; // the guard that keeps a subscription going
mod announcement; // announcements of changes, and the filters of listeners
mod announce; // sends announcements
mod page; // pages of long lists
mod described; // a built toolbox as the layers see it
mod served_tool; // a tool with its precomputed definition
mod endpoint; // the endpoint: dispatches requests, calls tools
mod serve_resources; // requests about resources
mod serve_prompts; // requests about prompts, and completion
mod serve_skills; // requests about skills
mod serve_listen; // `subscriptions/listen`
mod initialize; // the server's description of itself
mod reply; // results under construction
mod granted_places; // the interface of places that need a grant
mod remote; // calls that run in another process
mod remote_calls; // answers the calls of another process

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
pub use granted_places::{GrantedPlaces, RemoteWorker};
pub use outcome::{Outcome, TypedOutcome};
pub use overt_layers::description::Irreversible;
pub use plan::Plan;
pub use preview::known_errors;
pub use prompt::{Prompt, PromptReply};
pub use questions::RunOutcome;
pub use remote_calls::RemoteCalls;
pub use resource::{Resource, ResourceContents, ResourceTemplate};
pub use review::{ChangedLines, changed_lines, describe_changes};
pub use server::Server;
pub use skills::{SkillLibrary, SkillListing};
pub use task::TaskMode;
pub use tool::{Destructive, Tool};
pub use watch::Watch;
