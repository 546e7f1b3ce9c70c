//! The one bridge from a client to an endpoint. It decides about calls, asks people, enforces
//! limits, and records. Start with `attempt.rs`.
mod control; // the policy in force, the grants, the audit log
mod layer; // the layer itself: the state that its parts share
mod dispatch; // the handler, which routes each request by its method
mod handshake; // checks a client's configuration and publishes what it can configure
mod attempt; // the one function that lets a call through
mod attempt_outcome; // the outcome of an attempt
mod look_up; // the first steps of an attempt: the tool, the policy, the arguments
mod resolved_call; // the result of the lookup, used by the later steps
mod tool_call; // a call as the client made it
mod holder; // the holder of grants and tasks
mod call; // a tool call, attempted until it runs or is refused
mod checks; // checks that stop a call before a person is asked
mod plan; // makes the plan of a call before a person is asked
mod plan_outcome; // the outcome of planning
mod open_question; // a question that a call waits for
mod approval; // asking a person, and waiting for the answer
mod act_on_answer; // acts on an answer
mod uncounted; // answers that a client gave without asking a person
mod decide; // the decision, with the answers of people that may change it
mod redefinition; // changes of a tool since a person decided about its server
mod scope_check; // scopes that the endpoint discovers while it works
mod effective; // the policy in force for one request
mod request_options; // options in a request: policy, grants, preview
mod tools; // looks up the tool of a call
mod lists; // filters lists by the same decision as calls
mod uris; // URIs of requests: the form for decisions, and the spelling for the server
mod named; // resources, prompts, and methods that Overt does not know
mod server_scopes; // scopes that an upstream requests in its answer
mod created_task; // a task, as the answer to its call describes it
mod tasks; // calls that became tasks
mod task_requests; // requests about tasks
mod task_notifications; // notifications about tasks
mod bounds; // limits on the rate and the duration of calls
mod result_size; // limits on the size of results
mod question; // the text and the form of a question, and the parsing of its answers
mod continuations; // sealed state that a modern client carries between a question and its answer
mod wake; // wakes calls that wait
mod limiter; // rate limits
mod answers; // the errors that clients get instead of a result
mod records; // the audit records of a call

pub use control::{Approval, Control, PolicySnapshot, Rates, Settings, SettingsCompiler};
pub use layer::{Authorize, ReadRecords, Revision};
pub use question::{APPROVAL_FIELDS, APPROVAL_TITLES};
