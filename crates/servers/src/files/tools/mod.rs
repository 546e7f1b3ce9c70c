//! The tools, each in a file of its own: what it takes, what it gives, what is declared about it.
mod params; // parameters that several tools have
mod aliases; // what models write for them
mod reading; // what is declared of tools that only read
mod recent; // what was read of late
mod etag; // what a file was when it was read
mod encoded; // texts in other encodings than UTF-8
mod walking; // parameters of those that look at many files
mod scope_arguments; // what paths in arguments stand for, to scopes
mod known_errors; // the errors, each described once
mod file_content; // an open file as a result
mod list_roots; // where the server works
mod read_file; // one file, or a part of it
mod read_multiple_files; // several files
mod get_file_info; // what stands at a path
mod globs; // globs as arguments
mod cursor; // where a list goes on
mod list_schema; // what `list_directory` takes and returns
mod list_run; // the listing of `list_directory`
mod list_directory; // what is in a directory
mod find_pattern; // which names, kinds, sizes and times
mod find_files; // paths by name, kind, size and time
mod search_schema; // what `search_files` takes and returns
mod search_run; // the search of `search_files`
mod search_files; // contents by a pattern
mod shown; // what people see of contents that change
mod planning; // what a plan of a change is made with
mod changing; // what tools that change something have in common
mod create_directory; // a directory, with those on the way
mod new_content; // what a file has when it is written
mod write_file; // a whole file
mod edit_schema; // what `edit_file` takes and returns
mod edit_mismatch; // why an edit can't be made
mod edit_plan; // what it will change
mod edit_file; // exact replacements
mod move_file; // another name
mod copy_file; // the same once more
mod delete_file; // what goes
mod list_changes; // what was changed
mod revert_change; // what comes back
mod schemas; // their schemas as text (generated)
mod all; // the list of them

pub use all::TOOL_NAMES;
pub(super) use all::all;
pub(super) use find_files::every as find_every;
pub(super) use known_errors::shared as shared_errors;
pub(super) use list_directory::every as list_every;
pub(super) use planning::{CallSettings, Irreversibles, Planning};
pub(super) use read_multiple_files::SHARE;
pub(super) use recent::RecentReads;
pub(super) use scope_arguments::{outside, scope_arguments};
pub(super) use shown::{shown_bytes, shown_content, shown_tree};
