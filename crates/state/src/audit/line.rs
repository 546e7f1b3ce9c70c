//! A record as a line: members sorted by name, the hash over all the others. Writing and reading are here together so that they
//! can't disagree.
use overt_wire::json::{Json, JsonBuf, quote};

use super::chain::Hash;

/// Bytes of a line, at most. What a record may hold stays far below it.
pub(super) const MAX_LINE: usize = 1 << 20;

/// The members of a record that is being written.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<(&'static str, String)>);

/// A record that was read, with a hash that fits its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub seq: u64,
    pub prev: Hash,
    pub hash: Hash,
    text: JsonBuf,
}

impl Members {
    pub(super) fn string(&mut self, name: &'static str, value: &str) {
        self.0.push((name, quote(value)));
    }

    pub(super) fn number(&mut self, name: &'static str, value: u64) {
        self.0.push((name, value.to_string()));
    }

    /// A token that is canonical already.
    pub(super) fn token(&mut self, name: &'static str, token: String) {
        self.0.push((name, token));
    }

    pub(super) fn strings<T: AsRef<str>>(&mut self, name: &'static str, values: &[T]) {
        if !values.is_empty() {
            let quoted: Vec<String> = values.iter().map(|value| quote(value.as_ref())).collect();
            self.0.push((name, format!("[{}]", quoted.join(","))));
        }
    }

    pub(super) fn extend(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(name, token)| name.len() + token.len()).sum()
    }

    /// The object, without a hash.
    pub(super) fn object(mut self) -> String {
        self.0.sort_unstable_by_key(|(name, _)| *name);
        let mut text = String::from("{");
        for (name, token) in &self.0 {
            push(&mut text, name, token);
        }
        text.push('}');
        text
    }

    /// The whole line but for its end, and its hash.
    pub(super) fn line(mut self, seq: u64, prev: Hash) -> (String, Hash) {
        self.number("seq", seq);
        self.string("prev", &prev.to_string());
        self.0.sort_unstable_by_key(|(name, _)| *name);
        let mut text =
            String::with_capacity(64 + self.0.iter().map(|(n, t)| n.len() + t.len() + 4).sum::<usize>() + 90);
        text.push('{');
        // `boot` always stands before it.
        let mut place = 1;
        for (name, token) in &self.0 {
            push(&mut text, name, token);
            if *name < HASH {
                place = text.len();
            }
        }
        text.push('}');
        let hash = Hash::of(prev, &[&text]);
        text.insert_str(place, &format!(",{HASH_MEMBER}{hash}\""));
        (text, hash)
    }
}

const HASH: &str = "hash";
const HASH_MEMBER: &str = "\"hash\":\"";

fn push(text: &mut String, name: &str, token: &str) {
    if text.len() > 1 {
        text.push(',');
    }
    text.push('"');
    text.push_str(name);
    text.push_str("\":");
    text.push_str(token);
}

// === impl Record ===

impl Record {
    /// Reads a line without its end, and says what is wrong with it otherwise.
    pub fn parse(line: &str) -> Result<Self, String> {
        let text = JsonBuf::parse(line).map_err(|fault| format!("it is no JSON: {fault}"))?;
        let json = text.as_json();
        if json.as_str().len() != line.len() || !json.is_object() {
            return Err("it is no object on a line".to_owned());
        }
        let mut last = String::new();
        for (key, _) in json.members() {
            let name = key.name();
            if *name <= *last {
                return Err("its members are not in order".to_owned());
            }
            last = name.into_owned();
        }
        let hash_text = json.get(HASH).string().ok_or("it has no hash")?;
        let hash = Hash::parse(&hash_text).ok_or("its hash is none")?;
        let prev = json.get("prev").string().and_then(|text| Hash::parse(&text)).ok_or("it has no `prev`")?;
        let seq = number(json, "seq").ok_or("it has no number")?;
        let (before, after) = without_hash(json).ok_or("its hash is not written as ours")?;
        if Hash::of(prev, &[before, after]) != hash {
            return Err("its hash does not fit what it says".to_owned());
        }
        Ok(Self { seq, prev, hash, text })
    }

    pub fn json(&self) -> Json<'_> {
        self.text.as_json()
    }

    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// The member as text; empty if there is none.
    pub fn text(&self, name: &str) -> String {
        self.json().get(name).string().unwrap_or_default().into_owned()
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        number(self.json(), name)
    }

    pub fn list(&self, name: &str) -> Vec<String> {
        let elements = self.json().get(name).value().map(|list| list.elements().filter_map(Json::string));
        elements.map(|elements| elements.map(std::borrow::Cow::into_owned).collect()).unwrap_or_default()
    }
}

fn number(json: Json<'_>, name: &str) -> Option<u64> {
    json.get(name).value()?.integer()?.try_into().ok()
}

/// The text before and after the hash, which together are the text that was hashed.
fn without_hash(json: Json<'_>) -> Option<(&str, &str)> {
    let text = json.as_str();
    let value = json.get(HASH).value()?.as_str();
    let end = value.as_ptr() as usize - text.as_ptr() as usize + value.len();
    let start = end.checked_sub(HASH_MEMBER.len() + Hash::LENGTH + 1)?;
    if !text[start..].starts_with(HASH_MEMBER) {
        return None;
    }
    Some((text[..start].strip_suffix(',')?, &text[end..]))
}
