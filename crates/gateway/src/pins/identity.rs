//! Which server: what stays the same from run to run and tells one from another. No secret belongs in it.
use std::fmt;

use overt_transport::client::Target;
use overt_wire::json::{Array, Json, JsonBuf, Object, quote};
use overt_wire::text::Untrusted;

use super::digest::Digest;

/// A server by how it is started or reached: a program, its arguments and its folder if one was given, or an address
/// without user, password and query.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    json: JsonBuf,
    digest: Digest,
}

impl Identity {
    pub fn of(target: &Target) -> Self {
        match target {
            Target::Command(command) => {
                let words = std::iter::once(&command.program).chain(&command.args);
                let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
                let cwd = command.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned());
                Self::command(&words, cwd.as_deref())
            }
            Target::Http(http) => Self::url(&http.url),
        }
    }

    pub fn command(words: &[String], cwd: Option<&str>) -> Self {
        let words = words.iter().fold(Array::new(), |array, word| match Json::parse(&quote(word)) {
            Ok(word) => array.json(word),
            // A quoted string is JSON.
            Err(_) => array,
        });
        Self::new(Object::new().json("command", words.finish().as_json()).maybe("cwd", cwd).finish())
    }

    pub fn url(url: &str) -> Self {
        Self::new(Object::new().string("url", &plain_url(url)).finish())
    }

    /// Reads what [`Identity::json`] gave.
    pub(super) fn read(json: Json<'_>) -> Option<Self> {
        let words = json.get("command").value().filter(|words| words.is_array());
        if let Some(words) = words {
            let words: Option<Vec<String>> =
                words.elements().map(|word| word.string().map(std::borrow::Cow::into_owned)).collect();
            let cwd = json.get("cwd").string();
            return words
                .filter(|words| !words.is_empty())
                .map(|words| Self::command(&words, cwd.as_deref()));
        }
        json.get("url").string().map(|url| Self::url(&url))
    }

    fn new(json: JsonBuf) -> Self {
        Self { digest: Digest::of(json.as_json()), json }
    }

    /// `{"command":[…]}` or `{"url":…}`.
    pub fn json(&self) -> Json<'_> {
        self.json.as_json()
    }

    /// Names the file in which the server is remembered.
    pub(super) fn file_stem(&self) -> String {
        self.digest.to_string()[..STEM].to_owned()
    }

    /// The short name under which people know the server.
    pub fn id(&self) -> String {
        self.digest.to_string()[..SHORT].to_owned()
    }

    /// The command as one would type it, or the address. Not escaped.
    pub fn text(&self) -> String {
        let json = self.json.as_json();
        if let Some(url) = json.get("url").string() {
            return url.into_owned();
        }
        let words = json.get("command").value().into_iter().flat_map(Json::elements);
        let words: Vec<String> = words.filter_map(Json::string).map(|word| shell_word(&word)).collect();
        let place = json.get("cwd").string().map(|cwd| format!(" (in {cwd})")).unwrap_or_default();
        words.join(" ") + &place
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id(), Untrusted(&self.text()))
    }
}

pub(super) const STEM: usize = 32;
pub(super) const SHORT: usize = 8;

/// The address without what may be secret; what doesn't matter in it has one spelling.
fn plain_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let scheme = scheme.to_ascii_lowercase();
    let host = host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    let path = if path.is_empty() { "/" } else { path };
    format!("{scheme}://{host}{path}")
}

pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_spelling_and_no_secrets() {
        let same =
            ["https://example.com", "HTTPS://me:pass@Example.com:443/?key=1#x", "https://example.com/"];
        for url in same {
            assert_eq!(Identity::url(url).text(), "https://example.com/");
            assert_eq!(Identity::url(url).id(), Identity::url(same[0]).id());
        }
        assert_eq!(Identity::url("http://127.0.0.1:3001/mcp").text(), "http://127.0.0.1:3001/mcp");
        assert_ne!(Identity::url("http://a/x").id(), Identity::url("http://a/y").id());
    }

    #[test]
    fn words_are_not_glued_together() {
        let of = |words: &[&str]| {
            Identity::command(&words.iter().map(ToString::to_string).collect::<Vec<_>>(), None)
        };
        assert_ne!(of(&["a b"]).id(), of(&["a", "b"]).id());
        assert_eq!(of(&["npx", "-y", "it's"]).text(), r"npx -y 'it'\''s'");
        let there = Identity::command(&["npm".to_owned()], Some("/srv"));
        assert_ne!(there.id(), of(&["npm"]).id());
        assert_eq!(there.text(), "npm (in /srv)");
        for identity in [of(&["a b", "\"\u{1b}"]), there, Identity::url("http://a/")] {
            assert_eq!(Identity::read(identity.json()), Some(identity.clone()));
        }
    }
}
