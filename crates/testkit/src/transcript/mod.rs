//! Tests as data: messages to send and to expect, played over every transport and in both eras.
//!
//! A transcript is a text file. `-->` is a message that the client sends, `<--` the message that
//! must come next, `<~~` one that must come at some time before the end. A line that begins with
//! `legacy` or `modern` applies in that era only. `==` begins a new case, which has its own
//! connection. The lines right after it can set options of the case:
//!
//! ```text
//! == an unknown tool is a protocol error
//! server: example              which server; `example` if not said
//! eras: legacy                 in one era only
//! version: 2025-06-18          which version of the older era
//! over: lines                  only over streams of lines; `http` only over HTTP
//! client: {"elicitation":{}}   the client's capabilities
//! bare                         adds no handshake and no `_meta`: only what is written is sent
//!
//! --> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}
//! <-- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool `nope`…"}}
//! ```
//!
//! In an expected message, `_` matches any value, and `$name` any value, which is kept under this
//! name; a second `$name` must match the same value. `...` matches any more members or elements,
//! and `…` inside a string any text. Kept values can be sent: `"cursor":$next`.
mod script; // reading a file
mod pattern; // patterns for expected messages
mod era_form; // what an era adds to a message
mod play; // playing a case over a connection

pub use pattern::{Kept, Pattern};
pub use play::Player;
pub use script::{Case, read};
