//! Tests as data: what is sent and what must come back, played over every transport and in both
//! eras.
//!
//! A transcript is a text file. `-->` is what the client sends, `<--` what must come next, `<~~`
//! what must come at some time before the end. A line that begins with `legacy` or `modern` holds
//! in that era only. `==` begins a new case with a connection of its own; the lines right after it
//! may say more about the case:
//!
//! ```text
//! == an unknown tool is a protocol error
//! server: example              which server; `example` if not said
//! eras: legacy                 in one era only
//! version: 2025-06-18          which version of the older era
//! over: lines                  only over streams of lines; `http` only over HTTP
//! client: {"elicitation":{}}   the client's capabilities
//! bare                         no handshake and no `_meta` is added: what is written is all that is sent
//!
//! --> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}
//! <-- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool `nope`…"}}
//! ```
//!
//! In what must come, `_` is any value, `$name` is any value that is kept under a name (and the
//! same one when it stands again), `...` is any further members or elements, and `…` inside a
//! string is any text. Kept values can be sent: `"cursor":$next`.
mod script; // the file
mod pattern; // what must come
mod dress; // what an era adds to a message
mod play; // a case over a connection

pub use pattern::{Kept, Pattern};
pub use play::Player;
pub use script::{Case, read};
