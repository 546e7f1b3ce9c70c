//! From `name=value` words to the arguments object of a tool. Knows schemas, not servers; prints
//! nothing.
mod raw_argument; // one argument as it was typed
mod kinds; // which kinds of values a schema accepts
mod parameter; // the parameters that an input schema describes
mod build; // words and parameters to one object

pub(crate) use build::{build, value_of};
pub(crate) use kinds::{AcceptedValues, Kinds};
pub(crate) use parameter::{Parameter, Parameters};
pub(crate) use raw_argument::{RawArgument, RawValue};
