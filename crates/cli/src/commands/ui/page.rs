//! The program of the page. It is built from `ui/` and kept in the repository, so that this program
//! is built without Node.
use overt_transport::http::{SiteContent, SiteReply};

/// A path, its media type, its content.
const FILES: [(&str, &str, &str); 11] = [
    ("/", "text/html; charset=utf-8", include_str!("../../../../../ui/dist/index.html")),
    ("/overt.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/overt.js")),
    // What is loaded when a view needs it.
    ("/more.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/more.js")),
    ("/try.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/try.js")),
    ("/try-parts.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/try-parts.js")),
    // What shows the apps of servers.
    (
        "/mcp-view/mcp-view.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../../../ui/dist/mcp-view/mcp-view.js"),
    ),
    (
        "/mcp-view/page-context.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../../../ui/dist/mcp-view/page-context.js"),
    ),
    (
        "/mcp-view/legacy.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../../../ui/dist/mcp-view/legacy.js"),
    ),
    (
        "/mcp-view/legacy-bridge.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../../../ui/dist/mcp-view/legacy-bridge.js"),
    ),
    ("/overt.css", "text/css; charset=utf-8", include_str!("../../../../../ui/dist/overt.css")),
    ("/icon.svg", "image/svg+xml", include_str!("../../../../../ui/dist/icon.svg")),
];

/// The document of the second origin, inside of which apps are shown.
pub(super) const SANDBOX: &str = include_str!("../../../../../ui/dist/mcp-view/sandbox.html");

pub(super) fn file(path: &str) -> Option<SiteReply> {
    let (_, content_type, text) = FILES.into_iter().find(|(known, ..)| *known == path)?;
    Some(SiteReply { status: 200, content_type, content: SiteContent::Whole(text.as_bytes().into()) })
}
