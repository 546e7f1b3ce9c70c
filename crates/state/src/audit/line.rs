//! A record as a line of JSON: members sorted by name, and a hash over all other members. Writing
//! and reading share this file, so that they can't disagree.
use std::fmt::Write as _;
use std::ops::Range;

use overt_wire::json::{Json, JsonBuf, push_quoted};

use super::chain::Hash;

/// The most bytes of a line. Records stay far below it.
pub(super) const MAX_LINE: usize = 1 << 20;

/// The members of a record that is being written. All tokens share one string, so a record costs
/// few allocations, and none if the value is reused.
#[derive(Debug, Default)]
pub(super) struct Members {
    tokens: String,
    places: Vec<MemberSpan>,
}

/// The position of a member's token.
#[derive(Debug)]
struct MemberSpan {
    /// The first eight bytes of the name, as a number that sorts like the name. Most comparisons
    /// need no more.
    beginning: u64,
    name: &'static str,
    token: Range<usize>,
}

/// A record that was read. [`Record::parse`] also checks that its hash fits its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub seq: u64,
    pub prev: Hash,
    pub hash: Hash,
    text: JsonBuf,
}

impl Members {
    pub(super) fn string(&mut self, name: &'static str, value: &str) {
        self.add(name, |tokens| push_quoted(tokens, value));
    }

    pub(super) fn number(&mut self, name: &'static str, value: u64) {
        // Writing to a string never fails.
        self.add(name, |tokens| _ = write!(tokens, "{value}"));
    }

    /// Adds a token that is already canonical.
    pub(super) fn token(&mut self, name: &'static str, token: &str) {
        self.add(name, |tokens| tokens.push_str(token));
    }

    pub(super) fn strings<T: AsRef<str>>(&mut self, name: &'static str, values: &[T]) {
        if values.is_empty() {
            return;
        }
        self.add(name, |tokens| {
            for (index, value) in values.iter().enumerate() {
                tokens.push(if index == 0 { '[' } else { ',' });
                push_quoted(tokens, value.as_ref());
            }
            tokens.push(']');
        });
    }

    /// Adds an element to the list that is the last member, or begins a list.
    pub(super) fn element(&mut self, name: &'static str, value: &str) {
        match self.places.last_mut().filter(|last| last.name == name) {
            Some(list) => {
                self.tokens.truncate(self.tokens.len() - 1);
                self.tokens.push(',');
                push_quoted(&mut self.tokens, value);
                self.tokens.push(']');
                list.token.end = self.tokens.len();
            }
            None => self.strings(name, &[value]),
        }
    }

    /// Adds a member whose token `push` appends.
    pub(super) fn add(&mut self, name: &'static str, push: impl FnOnce(&mut String)) {
        let start = self.tokens.len();
        push(&mut self.tokens);
        self.places.push(MemberSpan { beginning: beginning(name), name, token: start..self.tokens.len() });
    }

    pub(super) fn extend(&mut self, others: &Self) {
        others.iter().for_each(|(_, name, token)| self.token(name, token));
    }

    /// Removes the members and keeps the allocations.
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
        self.places.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.tokens.len() + self.places.iter().map(|place| place.name.len()).sum::<usize>()
    }

    /// Sorts the members by name.
    pub(super) fn sort(&mut self) {
        // Most are added in order.
        if !self.places.is_sorted_by(|a, b| a.key() <= b.key()) {
            self.places.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        }
    }

    /// Returns the JSON object, without a hash.
    pub(super) fn object(mut self) -> String {
        self.sort();
        let mut text = String::from("{");
        self.iter().for_each(|(_, name, token)| push_member(&mut text, name, token));
        text.push('}');
        text
    }

    /// Appends a whole line without its line break, and returns its hash. These members are those
    /// that every record has; `content` has the others, sorted.
    pub(super) fn push_line(&mut self, content: &Self, text: &mut String, seq: u64, prev: Hash) -> Hash {
        let mut prev_text = String::with_capacity(Hash::LENGTH);
        prev.push_to(&mut prev_text);
        self.number("seq", seq);
        self.string("prev", &prev_text);
        self.sort();
        let count = self.places.len() + content.places.len();
        text.reserve(self.bytes() + content.bytes() + 4 * count + HASH_MEMBER.len() + Hash::LENGTH + 8);
        let start = text.len();
        text.push('{');
        let mut members = merged(self.iter(), content.iter()).peekable();
        while let Some((_, name, token)) = members.next_if(|(_, name, _)| *name < HASH) {
            push_member(text, name, token);
        }
        let before = text.len();
        members.for_each(|(_, name, token)| push_member(text, name, token));
        text.push('}');
        let hash = Hash::after(&prev_text, &[&text[start..]]);
        let mut member = String::with_capacity(HASH_MEMBER.len() + Hash::LENGTH + 2);
        // `boot` sorts before the hash and is in every record, so there is always a comma.
        member.push(',');
        member.push_str(HASH_MEMBER);
        hash.push_to(&mut member);
        member.push('"');
        text.insert_str(before, &member);
        hash
    }

    fn iter(&self) -> impl Iterator<Item = Named<'_>> {
        self.places.iter().map(|place| (place.beginning, place.name, &self.tokens[place.token.clone()]))
    }
}

impl MemberSpan {
    fn key(&self) -> (u64, &'static str) {
        (self.beginning, self.name)
    }
}

/// A member: the beginning of its name as a number, its name, and its token.
type Named<'a> = (u64, &'static str, &'a str);

/// Merges two sorted lists of members.
fn merged<'a>(
    left: impl Iterator<Item = Named<'a>>,
    right: impl Iterator<Item = Named<'a>>,
) -> impl Iterator<Item = Named<'a>> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    std::iter::from_fn(move || match (left.peek(), right.peek()) {
        (Some(one), Some(other)) if (one.0, one.1) > (other.0, other.1) => right.next(),
        (None, _) => right.next(),
        _ => left.next(),
    })
}

fn push_member(text: &mut String, name: &str, token: &str) {
    text.push_str(if text.ends_with('{') { "\"" } else { ",\"" });
    text.push_str(name);
    text.push_str("\":");
    text.push_str(token);
}

fn beginning(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let count = name.len().min(8);
    bytes[..count].copy_from_slice(&name.as_bytes()[..count]);
    u64::from_be_bytes(bytes)
}

const HASH: &str = "hash";
const HASH_MEMBER: &str = "\"hash\":\"";

// === impl Record ===

impl Record {
    /// Parses and checks a line without its line break. The error says what is wrong.
    pub fn parse(line: &str) -> Result<Self, String> {
        let text = JsonBuf::parse(line).map_err(|fault| format!("it is not JSON: {fault}"))?;
        let json = text.as_json();
        if json.as_str().len() != line.len() || !json.is_object() {
            return Err("it is not an object on a line".to_owned());
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

    /// Reads the content of a line without its line break. Does not check whether the line is
    /// unchanged; that is the task of `verify`.
    pub fn read(line: &str) -> Result<Self, String> {
        let text = JsonBuf::parse(line).map_err(|fault| format!("it is not JSON: {fault}"))?;
        let json = text.as_json();
        let hash_of = |name| json.get(name).string().and_then(|text| Hash::parse(&text));
        let hash = hash_of(HASH).ok_or("it has no hash")?;
        let prev = hash_of("prev").ok_or("it has no `prev`")?;
        let seq = number(json, "seq").ok_or("it has no number")?;
        Ok(Self { seq, prev, hash, text })
    }

    pub fn json(&self) -> Json<'_> {
        self.text.as_json()
    }

    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the member as text, or an empty text if there is none.
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

/// Returns the text before and after the hash member. Together they are the text that was hashed.
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
