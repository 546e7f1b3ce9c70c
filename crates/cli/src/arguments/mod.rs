//! From `name=value` words to the arguments object of a tool. Knows schemas, not servers; prints
//! nothing.
mod word; // one word: a name and what was given for it
mod kinds; // which kinds of values a schema accepts
mod parameter; // the parameters that an input schema describes
mod build; // words and parameters to one object

pub(crate) use build::{build, value_of};
pub(crate) use kinds::{Accepts, Kinds};
pub(crate) use parameter::{Parameter, Parameters};
pub(crate) use word::{Given, Word};
