//! Read-only tools for clients that cannot read resources: the same bytes, by name or by address.
mod declared; // declarations of the tools
mod list_skills; // lists the skills
mod read_skill; // reads a file of a skill
mod list_resources; // lists every address
mod read_resource; // reads the content behind an address
mod all; // the list of all tools

pub(super) use all::all;
