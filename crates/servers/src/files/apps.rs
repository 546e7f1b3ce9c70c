//! Pages that clients show beside the tools (H-12): the diff of a change, and a file browser.
use overt_toolbox::{App, Tool};

const DIFF: &str = "ui://overt-fs/diff.html";
const BROWSER: &str = "ui://overt-fs/browser.html";

pub(super) fn all() -> [App; 2] {
    [
        App::new(DIFF, "diff", include_str!("../../../../ui/dist/apps/diff.html"))
            .title("Changes")
            .description("Shows what a call changes, line by line, and applies a preview."),
        App::new(BROWSER, "browser", include_str!("../../../../ui/dist/apps/browser.html"))
            .title("Files")
            .description("Shows the files, what is in them and what changed, and takes changes back."),
    ]
}

/// Attaches to a tool the page that shows its result.
pub(super) fn attach_page(tool: Tool) -> Tool {
    match tool.name() {
        "list_directory" => tool.app(BROWSER),
        _ if tool.record().preview => tool.app(DIFF),
        _ => tool,
    }
}
