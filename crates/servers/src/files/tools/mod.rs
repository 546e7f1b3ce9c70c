//! The tools, each in a file of its own: what it takes, what it gives, what is declared about it.
mod params; // parameters that several tools have
mod located; // what paths in arguments stand for, to scopes
mod all; // the list of them

pub(super) use all::all;
