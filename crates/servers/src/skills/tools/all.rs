//! All tools, in the order in which they are listed.
use std::sync::Arc;

use overt_toolbox::Tool;

use super::super::library::Library;
use super::{list_resources, list_skills, read_resource, read_skill};

pub(in super::super) fn all(library: &Arc<Library>) -> Vec<Tool> {
    vec![
        list_skills::tool(library),
        read_skill::tool(library),
        list_resources::tool(library),
        read_resource::tool(library),
    ]
}
