//! Documents beside the skills (F-23): `resource://docs/{+path}` reads a Markdown file in one
//! folder.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_toolbox::{Context, ResourceContents, ResourceTemplate, ToolError};

use super::content;
use super::limits::MOST_DOCUMENT;
use super::options::Root;
use super::read::not_found;
use crate::files::OpenError;
use crate::files::access::Roots;
use crate::files::error::{FileError, code};
use crate::files::work::Workers;

/// The folder with the documents.
#[derive(Debug)]
pub(super) struct Docs {
    roots: Roots,
    workers: Workers,
}

impl Docs {
    pub(super) fn open(root: &Root) -> Result<Self, OpenError> {
        let roots = Roots::open(std::slice::from_ref(&root.path), &[])?;
        Ok(Self { roots, workers: Workers::default() })
    }

    async fn read(self: Arc<Self>, path: String) -> Result<ResourceContents, ToolError> {
        let address = format!("resource://docs/{path}");
        if !is_document(&path) {
            return Err(not_found(&address));
        }
        let docs = Arc::clone(&self);
        let read = self.workers.run(move |_| docs.bytes(&path)).await;
        let bytes = read.map_err(|error| match error.code {
            code::TOO_LARGE | code::CONFLICT => ToolError::from(error),
            // Do not reveal whether something other than a document exists there.
            _ => not_found(&address),
        })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            ToolError::new(format!("`{address}` is not UTF-8 text"))
                .next("Read another document.")
                .code(code::NOT_TEXT)
        })?;
        Ok(ResourceContents::text("text/markdown", text))
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, FileError> {
        let root = self.roots.served().next().ok_or_else(|| FileError::outside(path))?;
        Ok(content::read(&root.folder()?, path, MOST_DOCUMENT)?.bytes)
    }
}

/// Whether this is a relative path of a Markdown file without `.` or `..` steps.
fn is_document(path: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    path.ends_with(".md") && path.split('/').all(is_name) && !path.contains(['\\', '\0'])
}

pub(super) fn template(docs: Arc<Docs>) -> ResourceTemplate {
    let read = move |variables: BTreeMap<String, String>, _: Context| {
        Arc::clone(&docs).read(variables.get("path").cloned().unwrap_or_default())
    };
    ResourceTemplate::new("resource://docs/{+path}", "document", read)
        .title("Documents")
        .description("A Markdown document beside the skills, such as `resource://docs/guide/start.md`.")
        .mime_type("text/markdown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_paths_of_markdown_files_are_documents() {
        for path in ["a.md", "guide/start.md", "..a/b.md", "ü b.md"] {
            assert!(is_document(path), "{path}");
        }
        for path in
            ["", "a.txt", "/a.md", "../a.md", "a/../b.md", "a//b.md", "./a.md", "a\\b.md", "a.md/", "a\0.md"]
        {
            assert!(!is_document(path), "{path}");
        }
    }
}
