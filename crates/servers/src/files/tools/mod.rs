//! The tools, each in a file of its own: its parameters, its result and its declaration.
mod params; // parameters that several tools share
mod aliases; // other names that models use for parameters
mod reading; // the declaration that reading tools share
mod recent; // files that were read recently
mod etag; // detecting changes since a file was read
mod encoded; // text in encodings other than UTF-8
mod walking; // parameters and results of the walking tools
mod scope_arguments; // paths in arguments, as scopes use them
mod known_errors; // descriptions of all errors
mod file_content; // an open file as a result
mod list_roots; // the served folders
mod read_file; // one file, or a part of it
mod read_multiple_files; // several files
mod get_file_info; // what is at a path
mod globs; // globs as arguments
mod cursor; // positions in a list, for the next page
mod list_schema; // what `list_directory` takes and returns
mod list_run; // the listing of `list_directory`
mod list_directory; // the content of a directory
mod find_pattern; // conditions on name, kind, size and time
mod find_files; // paths by name, kind, size and time
mod search_schema; // what `search_files` takes and returns
mod search_run; // the search of `search_files`
mod search_files; // contents by a pattern
mod shown; // how changed contents are shown to people
mod planning; // planning a change
mod changing; // what all changing tools share
mod create_directory; // creating a directory and its parents
mod new_content; // new content for a file that exists
mod write_file; // writing a whole file
mod edit_schema; // what `edit_file` takes and returns
mod edit_mismatch; // explaining why an edit does not fit
mod edit_plan; // planning the edits of a call
mod edit_file; // exact replacements
mod move_file; // moving or renaming a file or a directory
mod copy_file; // copying a file or a directory
mod delete_file; // deleting a file or a directory
mod list_changes; // listing past changes
mod revert_change; // undoing a past change
mod schemas; // the schemas of the tools as text (generated)
mod all; // the list of all tools

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
