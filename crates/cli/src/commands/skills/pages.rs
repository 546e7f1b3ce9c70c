//! Serves the index and the files of skills beside the endpoint, for readers that don't speak MCP.
//! Each is read through the layers in a separate session, so it is decided, counted and recorded
//! like any other read.
use std::sync::Arc;
use std::time::Duration;

use overt_disclosure::OwnSession;
use overt_documents::skill::{Entry, INDEX_PATH, index};
use overt_policy::uri::ResourceUri;
use overt_wire::json::{Json, Object};
use overt_wire::skill::{SkillEntry, SkillResources};
use overt_wire::view::Page;
use overt_wire::{
    BoxFuture, Document, DocumentRequest, Exchange, Handler, Message, Method, NoDocument, Session,
};

/// The most pages of the skill list that are fetched for one document.
const MOST_PAGES: usize = 200;

/// A server whose skills are also published as documents.
pub(super) struct WellKnown {
    inner: Arc<dyn Handler>,
    session: OwnSession,
}

impl std::fmt::Debug for WellKnown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WellKnown")
    }
}

impl Handler for WellKnown {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        self.inner.call(exchange)
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        let path = request.path.trim_start_matches('/');
        match path.strip_prefix(folder()) {
            Some(_) if path == INDEX_PATH => Box::pin(self.index()),
            Some(rest) => {
                let wanted = rest.to_owned();
                Box::pin(async move { self.file(&wanted).await })
            }
            None => self.inner.document(request),
        }
    }

    fn closed(&self, session: &Arc<Session>) {
        self.inner.closed(session);
    }

    fn shutdown(&self) {
        self.inner.shutdown();
    }
}

/// Returns the folder of the index, with a slash at its end.
fn folder() -> &'static str {
    INDEX_PATH.rfind('/').map_or(INDEX_PATH, |end| &INDEX_PATH[..=end])
}

impl WellKnown {
    pub(super) fn new(inner: Arc<dyn Handler>) -> Self {
        Self { inner, session: OwnSession::default() }
    }

    async fn index(&self) -> Result<Document, NoDocument> {
        let skills = self.skills().await?;
        let mut entries: Vec<Entry> = Vec::new();
        for skill in &skills {
            let front = skill.frontmatter.as_json();
            let text = |name: &str| front.get(name).string().map(std::borrow::Cow::into_owned);
            let (Some(name), Some(description), Some(digest)) =
                (text("name"), text("description"), main_digest(skill))
            else {
                continue;
            };
            // If several skills have the same name, the first one is published.
            if !entries.iter().any(|entry| entry.name == name) {
                entries.push(Entry::listed(name, description, digest));
            }
        }
        Ok(document("application/json", index(&entries).to_string()))
    }

    /// Returns a file, given the name of its skill and its path there.
    async fn file(&self, wanted: &str) -> Result<Document, NoDocument> {
        let (name, path) = wanted.split_once('/').ok_or(NoDocument::NotFound)?;
        let skills = self.skills().await?;
        let is_named = |skill: &&SkillEntry| {
            skill.frontmatter.as_json().get("name").string().is_some_and(|own| own == name)
        };
        let skill = skills.iter().find(is_named).ok_or(NoDocument::NotFound)?;
        let (Some(directory), SkillResources::Files(files)) = (skill.directory(), &skill.resources) else {
            return Err(NoDocument::NotFound);
        };
        let is_wanted = |uri: &str| {
            let readable = ResourceUri::parse(uri).ok();
            let inner =
                readable.as_ref().and_then(|uri| uri.readable().strip_prefix(directory)?.strip_prefix('/'));
            inner == Some(path)
        };
        let uri = files.iter().map(|file| file.uri.as_str()).find(|uri| is_wanted(uri));
        let uri = uri.ok_or(NoDocument::NotFound)?;
        let answer = self.ask(Method::ResourcesRead, Object::new().string("uri", uri)).await?;
        let contents = answer.result_body().get("contents").value().and_then(|list| list.elements().next());
        let contents = contents.ok_or(NoDocument::NotFound)?;
        // A document is text. Other files can only be read through MCP.
        let text = contents.get("text").string().ok_or(NoDocument::NotFound)?;
        let media_type =
            contents.get("mimeType").string().map_or_else(|| "text/plain".to_owned(), String::from);
        Ok(document(media_type, text.into_owned()))
    }

    async fn skills(&self) -> Result<Vec<SkillEntry>, NoDocument> {
        let mut skills = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let params = Object::new().maybe("cursor", cursor.as_deref());
            let answer = self.ask(Method::SkillsList, params).await?;
            let Some(body) = answer.result_body().value() else { return Err(NoDocument::Unavailable) };
            skills.extend(
                Page(body).items("skills").filter_map(|entry: Json<'_>| SkillEntry::read(entry).ok()),
            );
            match Page(body).next_cursor() {
                Some(next) => cursor = Some(next.into_owned()),
                None => break,
            }
        }
        Ok(skills)
    }

    async fn ask(&self, method: Method<'_>, params: Object) -> Result<Message, NoDocument> {
        let exchange = self.session.request(method, params);
        let answer = self.inner.call(exchange).await.ok_or(NoDocument::Unavailable)?;
        if answer.error_body().is_some() {
            return Err(NoDocument::NotFound);
        }
        Ok(answer)
    }
}

fn main_digest(skill: &SkillEntry) -> Option<String> {
    let SkillResources::Files(files) = &skill.resources else { return None };
    files.iter().find(|file| file.uri == skill.uri).map(|file| file.digest.to_string())
}

/// Returns a document that readers must fetch again each time: a skill may change at any moment.
fn document(media_type: impl Into<std::borrow::Cow<'static, str>>, text: String) -> Document {
    Document { media_type: media_type.into(), text: text.into(), max_age: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use overt_servers::skills::{Options, Root, SkillServer};
    use serde_json::Value;

    use super::*;

    fn text(result: Result<Document, NoDocument>) -> String {
        result.map_or_else(|missing| format!("{missing:?}"), |document| document.text.to_string())
    }

    #[tokio::test]
    async fn the_index_and_the_text_files_are_published() {
        let place = tempfile::tempdir().unwrap();
        let main = "---\nname: pdf\ndescription: Reads PDF. Use when asked.\n---\n# PDF\n";
        std::fs::create_dir_all(place.path().join("docs/pdf/a b")).unwrap();
        for (path, bytes) in
            [("SKILL.md", main.as_bytes()), ("a b/x.py", b"print(1)\n"), ("image.png", &[0x89, 0xff])]
        {
            std::fs::write(place.path().join("docs/pdf").join(path), bytes).unwrap();
        }
        let root = Root { path: place.path().canonicalize().unwrap(), shown: "x".to_owned() };
        let server = SkillServer::open(Options { roots: vec![root], ..Options::default() }).unwrap();
        let pages = WellKnown::new(overt_layers::open(server.endpoint().unwrap()));
        let read = async |path: &str| {
            let path = path.to_owned();
            let request = DocumentRequest { path, mcp_url: "http://x/mcp".into(), mcp_path: "/mcp".into() };
            text(pages.document(request).await)
        };
        let index: Value = serde_json::from_str(&read("/.well-known/agent-skills/index.json").await).unwrap();
        assert_eq!(index["skills"][0]["name"], "pdf");
        assert_eq!(index["skills"][0]["url"], "pdf/SKILL.md");
        assert_eq!(read("/.well-known/agent-skills/pdf/SKILL.md").await, main);
        assert_eq!(read("/.well-known/agent-skills/pdf/a b/x.py").await, "print(1)\n");
        for none in ["pdf/image.png", "pdf/none", "none/SKILL.md", "pdf", "pdf/../pdf/SKILL.md", ""] {
            assert_eq!(read(&format!("/.well-known/agent-skills/{none}")).await, "NotFound", "{none}");
        }
    }
}
