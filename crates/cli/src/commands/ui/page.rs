//! The files of the page. They are built from `ui/` and committed, so that building this program
//! does not need Node.
use overt_transport::http::{SiteContent, SiteReply};

/// Path, media type and content of each file.
const FILES: [(&str, &str, &str); 11] = [
    ("/", "text/html; charset=utf-8", include_str!("../../../../../ui/dist/index.html")),
    ("/overt.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/overt.js")),
    // Loaded when a view needs it.
    ("/more.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/more.js")),
    ("/try.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/try.js")),
    ("/try-parts.js", "text/javascript; charset=utf-8", include_str!("../../../../../ui/dist/try-parts.js")),
    // The element that shows apps of servers.
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

/// The document of the second origin, in which apps are shown.
pub(super) const SANDBOX: &str = include_str!("../../../../../ui/dist/mcp-view/sandbox.html");

pub(super) fn file(path: &str) -> Option<SiteReply> {
    let (_, content_type, text) = FILES.into_iter().find(|(known, ..)| *known == path)?;
    Some(SiteReply { status: 200, content_type, content: SiteContent::Whole(text.as_bytes().into()) })
}
