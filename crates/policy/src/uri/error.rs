//! Why the URI of a resource is rejected. The texts are for the model that wrote the URI.

/// Why a URI can't be judged: servers would interpret it in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    #[error("it is not an absolute URI; write one with a scheme, such as `file:///a/b`")]
    NotAbsolute,
    #[error("it has a space or a control character; write a space as `%20` and remove control characters")]
    Whitespace,
    #[error("it has a `%` without two hexadecimal digits after it; write a percent sign as `%25`")]
    BrokenEscape,
    #[error("it has an escaped `/`, `\\` or control character; write the path that you mean")]
    EscapedSeparator,
    #[error("it is escaped twice; escape each character once")]
    EscapedTwice,
    #[error("it has a `\\`; separate the parts of a path with `/`")]
    Backslash,
    #[error("it has a user name or a password; leave them out")]
    UserInfo,
    #[error("it has a fragment; leave out the `#` and what follows it")]
    Fragment,
    #[error("it is a `file:` URI with a host or a query; write `file:///` and the path")]
    NotAPath,
    #[error(
        "its path has an empty part or a `.` or `..` that can't be resolved; write the path without them"
    )]
    DotSegment,
    #[error("its path is not UTF-8; write names as UTF-8")]
    NotUtf8,
}
