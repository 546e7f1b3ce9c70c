//! Skills for tests, and requests that every client can make.
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::stage::{Client, Stage};

/// Returns a SKILL.md that every reader accepts.
pub(crate) fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when asked for {name}.\n---\n\n{body}\n")
}

/// Returns a SKILL.md with repository metadata. `more` is added to the lines of the metadata.
pub(crate) fn repository(name: &str, more: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Does {name}. Use when asked for {name}.\nx-personal-mcp:\n  id: {name}\n  version: \"1.2.0\"\n  \
         tags:\n    - zeta\n    - alpha\n  capabilities:\n    - resource://skills/{name}/document\n{more}---\n\n# {name}\n"
    )
}

impl Stage {
    /// Writes the SKILL.md of a skill into a directory with its name.
    pub(crate) fn skill(&self, name: &str) -> String {
        let text = skill(name, &format!("# {name}"));
        self.write(&format!("{name}/SKILL.md"), &text);
        text
    }
}

impl Client {
    /// Sends a request in the era of the client.
    pub(crate) async fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = self.meta().clone();
        self.send(method, params).await.0
    }

    /// Returns all skills, from all pages.
    pub(crate) async fn list_skills(&self) -> Vec<Value> {
        self.all_pages("skills/list", "skills", json!({})).await
    }

    pub(crate) async fn all_pages(&self, method: &str, member: &str, params: Value) -> Vec<Value> {
        let (mut all, mut params) = (Vec::new(), params);
        loop {
            let answer = self.ask(method, params.clone()).await;
            let items = answer["result"][member].as_array().unwrap_or_else(|| panic!("{answer}"));
            all.extend(items.iter().cloned());
            match answer["result"]["nextCursor"].as_str() {
                Some(next) => params["cursor"] = json!(next),
                None => return all,
            }
        }
    }

    /// Returns the text of a resource.
    pub(crate) async fn text_of(&self, uri: &str) -> String {
        let answer = self.ask("resources/read", json!({ "uri": uri })).await;
        answer["result"]["contents"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{uri}: {answer}"))
            .to_owned()
    }

    /// Returns the code with which a request is refused.
    pub(crate) async fn refused(&self, method: &str, uri: &str) -> i64 {
        let answer = self.ask(method, json!({ "uri": uri })).await;
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method} {uri}: {answer}"))
    }
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

pub(crate) fn uris(list: &[Value]) -> Vec<&str> {
    list.iter().map(|entry| entry["uri"].as_str().unwrap()).collect()
}
