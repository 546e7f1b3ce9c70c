//! A client of the binary in each era over each transport, one request at a time.
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use overt_testkit::link::{HttpLink, LineLink, Link};
use overt_wire::era::Version;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How a client connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) is_modern: bool,
    pub(crate) is_http: bool,
}

/// Both eras over both transports.
pub(crate) const WAYS: [Way; 4] = [
    Way { is_modern: false, is_http: false },
    Way { is_modern: false, is_http: true },
    Way { is_modern: true, is_http: false },
    Way { is_modern: true, is_http: true },
];

pub(crate) struct Peer {
    link: Link,
    runtime: Runtime,
    way: Way,
    capabilities: Value,
    id: u64,
    /// The result of `initialize` or `server/discover`, or its error.
    pub(crate) first: Value,
    _state: TempDir,
}

impl Peer {
    /// Starts the binary in a folder with these words, and makes the first request.
    #[expect(clippy::disallowed_methods, reason = "the ban is for the product; this starts the product")]
    pub(crate) fn start(way: Way, place: &Path, words: &[&str], configuration: &Value) -> Self {
        let state = TempDir::new().unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let folder = format!("--chdir={}", text(place));
        let kept = format!("OVERT_STATE_DIR={}", text(state.path()));
        let program = env!("CARGO_BIN_EXE_overt");
        let search = format!("PATH={}", std::env::var("PATH").unwrap());
        let mut all = vec!["-i", &folder, &kept, &search, "HOME=/nonexistent", program, words[0]];
        if way.is_http {
            all.extend(["--http", "127.0.0.1:0"]);
        }
        all.extend(&words[1..]);
        let (runtime, env) = (Runtime::new().unwrap(), PathBuf::from("env"));
        let link = runtime.block_on(async {
            match way.is_http {
                true => Link::Http(Box::new(HttpLink::command(&env, &all, Version::V2025_11_25).await)),
                false => Link::Lines(Box::new(LineLink::command(&env, &all))),
            }
        });
        let capabilities = match configuration.is_null() {
            true => json!({}),
            false => json!({ "experimental": { "configuration": configuration } }),
        };
        let mut peer = Self { link, runtime, way, capabilities, id: 0, first: Value::Null, _state: state };
        peer.first = match way.is_modern {
            true => peer.ask("server/discover", json!({})),
            false => {
                let about = json!({ "name": "peer", "version": "1" });
                let params = json!({ "protocolVersion": "2025-11-25", "capabilities": peer.capabilities, "clientInfo": about });
                let first = peer.ask("initialize", params);
                peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
                first
            }
        };
        peer
    }

    /// Runs a check as each kind of client.
    pub(crate) fn in_each(place: &Path, words: &[&str], configuration: &Value, check: impl Fn(&mut Self)) {
        for way in WAYS {
            let mut peer = Self::start(way, place, words, configuration);
            check(&mut peer);
            peer.end();
        }
    }

    fn send(&mut self, message: &Value) {
        self.runtime.block_on(self.link.send(&message.to_string()));
    }

    /// Returns the whole answer to a request, without notifications that come before it.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if self.way.is_modern {
            let era = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": { "name": "peer", "version": "1" },
            });
            for (name, value) in era.as_object().unwrap() {
                params["_meta"][name] = value.clone();
            }
        }
        self.id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        loop {
            let text = self.runtime.block_on(self.link.next()).expect("the server answers");
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["id"] == self.id {
                return message;
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value, meta: Value) -> Value {
        let members = [("name", Value::from(tool)), ("arguments", arguments), ("_meta", meta)];
        let params = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.ask("tools/call", Value::Object(params))
    }

    /// Returns the headers in lower case and the body of a document over HTTP.
    pub(crate) fn get(&self, path: &str) -> (String, String) {
        let Link::Http(link) = &self.link else { panic!("only over HTTP") };
        let mut stream = std::net::TcpStream::connect(link.address()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", link.address())
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_lowercase(), body.to_owned())
    }

    pub(crate) fn way(&self) -> Way {
        self.way
    }

    pub(crate) fn end(self) {
        self.runtime.block_on(self.link.finish());
    }
}
