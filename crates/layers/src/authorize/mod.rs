//! The one bridge from a client to an endpoint: decides, asks people, limits, and has everything written down.
mod control; // what is in force, who is asked, where it is written down
mod layer; // the handler: which request goes which way
mod ground; // what holds for one request
mod wishes; // what a request says about itself: policy, grants, preview
mod catalogue; // what is known about each tool
mod lists; // lists show what a call would be allowed or asked for
mod case; // a call while it is being decided
mod settle; // from the question to a yes or no
mod named; // resources and prompts
mod bounds; // how often, how long and how much
mod call; // a call from the first word to the outcome
mod asking; // how a person is asked, in each era
mod question; // what the person reads, and the answers there are
mod rounds; // what goes through a newer client between question and answer
mod limiter; // so many calls per unit of time
mod answers; // what a client gets instead of a result
mod records; // what is written down of a call

pub use control::{Approval, Control, InForce, Means, Rates, Settings};
pub use layer::Authorize;
