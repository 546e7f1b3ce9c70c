//! The one bridge from a client to an endpoint: decides, asks people, limits, and records. Start
//! with `attempt.rs`.
mod control; // the policy in force, the grants, the audit log
mod layer; // the layer as a value: what the parts share
mod dispatch; // the handler: which request goes which way
mod handshake; // what a client configured, and what it can configure
mod attempt; // the one function that lets a call through
mod attempt_outcome; // what it comes to
mod look_up; // its first steps: the tool, the policy, the arguments
mod resolved_call; // what they found, which the later steps go by
mod tool_call; // a call as the client made it
mod holder; // whose grants and tasks they are
mod call; // a tool call: attempted until it runs or is refused
mod checks; // what stops a call before anyone is asked
mod plan; // the plan of a call, made before anyone is asked
mod plan_outcome; // what planning came to
mod open_question; // a question that a call waits for
mod approval; // how a person is asked, and how a call waits
mod act_on_answer; // what an answer does
mod uncounted; // answers that a client gave by itself
mod decide; // the decision with grants and trust
mod redefinition; // what changed in a tool since its server was trusted
mod scope_check; // scopes that the endpoint finds out while it works
mod effective; // the policy that holds for one request
mod request_options; // what a request says about itself: policy, grants, preview
mod tools; // what is known about each tool
mod lists; // lists show what a call would be allowed or asked for
mod uris; // URIs of requests, judged and forwarded in one form
mod named; // resources, prompts, and methods that Overt does not know
mod server_scopes; // what an upstream asks for in its answer
mod created_task; // a task, as the answer to its call describes it
mod tasks; // calls that became tasks
mod task_requests; // what clients ask about them
mod task_notifications; // what clients hear about them
mod bounds; // how often and how long
mod result_size; // how much
mod question; // what the person reads, and the answers there are
mod approved; // what a person approved for one call
mod continuations; // what goes through a newer client between question and answer
mod wake; // wakes calls that wait
mod limiter; // so many calls per unit of time
mod answers; // what a client gets instead of a result
mod records; // the audit records of a call

pub use control::{Approval, Control, PolicySnapshot, Rates, Settings, SettingsCompiler};
pub use layer::{Authorize, ReadRecords};
pub use question::{APPROVAL_FIELDS, APPROVAL_TITLES};
