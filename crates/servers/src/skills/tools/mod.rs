//! Tools for clients that read no resources: the same bytes by name or by address. They only read.
mod declared; // what is declared of each
mod list_skills; // the skills
mod read_skill; // a file of a skill
mod list_resources; // every address
mod read_resource; // what an address contains
mod all; // all of them

pub(super) use all::all;
