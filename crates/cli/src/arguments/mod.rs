//! Converts `name=value` words to the arguments object of a tool. This module knows schemas but no
//! servers, and prints nothing.
mod raw_argument; // one argument as the user typed it
mod kinds; // which kinds of values a schema accepts
mod parameter; // the parameters of an input schema
mod build; // builds one object from words and parameters

pub(crate) use build::{build, value_of};
pub(crate) use kinds::{AcceptedValues, Kinds};
pub(crate) use parameter::{Parameter, Parameters};
pub(crate) use raw_argument::{RawArgument, RawValue};
