//! Fills a template with arguments (H-07, H-08). Groups are independent: a list in one group does
//! not repeat another.
//!
//! Nothing in the call is dropped silently. A group is omitted only if the call has none of its
//! values. If the call has some of them, the missing ones are marked: `(no path)`. A group with a
//! list is repeated for each element, and omitted elements are counted.
use serde_json::Value;
use smallvec::SmallVec;

use super::line;
use super::quote::CUT;
use super::template::{Key, Node, Template, own_keys};
use super::value::{Pieces, is_harmless};

/// The most characters of a sentence.
pub(super) const LONGEST: usize = 500;
/// The most nodes that are visited. Nested groups multiply, and the arguments are untrusted.
const STEPS: usize = 1000;
/// The most values that are visited for one key.
const VISITS: usize = 500;

impl Template {
    /// Returns one line that says what a call with these arguments will do. Empty if every part of
    /// the template is omitted.
    ///
    /// Every string from the arguments is quoted, so it can't be mistaken for words of the
    /// template.
    ///
    /// ```
    /// use overt_intent::Template;
    /// use serde_json::json;
    ///
    /// let template = Template::parse("Search for {pattern}[ in {root}][ with glob {glob}]");
    /// let arguments = json!({"pattern": "TODO", "root": "src"});
    /// assert_eq!(template.render(&arguments), r#"Search for "TODO" in "src""#);
    /// ```
    pub fn render(&self, arguments: &Value) -> String {
        let build = |limits| {
            let mut rendering = Rendering {
                arguments,
                bound: Vec::new(),
                shown: Vec::new(),
                steps: STEPS,
                pieces: Pieces::new(limits),
            };
            rendering.nodes(&self.nodes, MissingStyle::Placeholder);
            rendering.pieces.all
        };
        line::fit(LONGEST, build).text
    }
}

/// How a missing value is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingStyle {
    /// Outside of groups: `{key}`.
    Placeholder,
    /// Inside a group: `(no key)`.
    Mark,
}

struct Rendering<'a> {
    arguments: &'a Value,
    /// The current element of each list that is being repeated, by the path of the list.
    bound: Vec<(&'a [String], usize)>,
    /// Keys of the enclosing groups, which are already shown.
    shown: Vec<&'a Key>,
    steps: usize,
    pieces: Pieces,
}

impl<'a> Rendering<'a> {
    /// Renders the nodes with the current elements.
    fn nodes(&mut self, nodes: &'a [Node], missing: MissingStyle) {
        let around = self.shown.len();
        self.shown.extend(own_keys(nodes));
        for node in nodes {
            if self.steps == 0 {
                self.pieces.text(&CUT.to_string());
                break;
            }
            self.steps -= 1;
            match node {
                Node::Text(text) => self.pieces.text(text),
                Node::Key(key) => self.key(key, missing),
                Node::Group(inside) => self.group(inside),
            }
        }
        self.shown.truncate(around);
    }

    /// Renders a group, or its repetitions. Omits it if one of its values is missing and the call
    /// has none of the others.
    fn group(&mut self, nodes: &'a [Node]) {
        let is_complete = own_keys(nodes).all(|key| self.ends(key).is_present());
        if !is_complete && !self.has_value(nodes) {
            return;
        }
        let lists = self.lists(nodes);
        let times = lists.iter().map(|(_, length)| *length).max().unwrap_or(0);
        if times == 0 {
            return self.nodes(nodes, MissingStyle::Mark);
        }
        let outside = self.bound.len();
        for index in 0..times {
            self.pieces.comma_after(index);
            if index == self.pieces.limits.elements || self.steps == 0 {
                return self.pieces.more(times - index);
            }
            self.bound.extend(lists.iter().map(|(list, _)| (*list, index)));
            self.nodes(nodes, MissingStyle::Mark);
            self.bound.truncate(outside);
        }
    }

    /// Returns whether the call has a value for one of these keys, at any depth, that is not
    /// already shown.
    fn has_value(&mut self, nodes: &'a [Node]) -> bool {
        nodes.iter().any(|node| {
            self.steps = self.steps.saturating_sub(1);
            match node {
                Node::Text(_) => false,
                Node::Key(key) => {
                    self.steps == 0 || (!self.shown.contains(&key) && self.ends(key).is_present())
                }
                Node::Group(inside) => self.has_value(inside),
            }
        })
    }

    /// Returns the lists that repeat this group, without duplicates, with their lengths.
    fn lists(&self, nodes: &'a [Node]) -> Vec<(&'a [String], usize)> {
        let mut lists: Vec<(&[String], usize)> = Vec::new();
        for key in own_keys(nodes) {
            if let Some(found) = self.first_list(key)
                && !lists.contains(&found)
            {
                lists.push(found);
            }
        }
        lists
    }

    /// Returns the first list on the path of a key that has no current element. A list inside a
    /// list is one value.
    fn first_list(&self, key: &'a Key) -> Option<(&'a [String], usize)> {
        let mut value = self.arguments;
        for (index, segment) in key.segments.iter().enumerate() {
            value = value.as_object()?.get(segment)?;
            let way = &key.segments[..=index];
            if let Value::Array(items) = value {
                match self.index_of(way) {
                    Some(index) => value = items.get(index)?,
                    None => return Some((way, items.len())),
                }
            }
        }
        None
    }

    fn index_of(&self, way: &[String]) -> Option<usize> {
        self.bound.iter().find(|(list, _)| *list == way).map(|(_, index)| *index)
    }

    /// Renders the value of a key, or the mark for a missing one.
    fn key(&mut self, key: &'a Key, missing: MissingStyle) {
        let ends = self.ends(key);
        if !ends.has_value() && missing == MissingStyle::Placeholder {
            return self.pieces.text(&format!("{{{}}}", key.text));
        }
        let last = key.segments.last().map_or("", String::as_str);
        let show = |pieces: &mut Pieces, end: &Option<&Value>| match end {
            None => pieces.missing(last),
            Some(value) if key.is_secret && !is_harmless(value) => pieces.hidden(),
            Some(Value::Array(items)) if !items.is_empty() => pieces.elements(items),
            Some(value) => pieces.value(value),
        };
        match ends.found.len() {
            0 => self.pieces.missing(last),
            found => {
                let most = self.pieces.limits.elements;
                self.pieces.list(most, found + ends.unseen, ends.found.iter(), show);
            }
        }
    }

    /// Returns the values at the end of the path of a key.
    fn ends(&self, key: &Key) -> FoundValues<'a> {
        let mut ends =
            FoundValues { found: SmallVec::new(), is_through_list: false, has_bare: false, unseen: 0 };
        if !key.segments.is_empty() {
            self.follow(self.arguments, &key.segments, 0, &mut ends);
        }
        ends
    }

    /// Follows the path. A list without a current element has an end for each of its elements.
    fn follow(&self, value: &'a Value, segments: &[String], passed: usize, ends: &mut FoundValues<'a>) {
        let Some(segment) = segments.get(passed) else { return ends.found.push(Some(value)) };
        let Some(value) = value.as_object().and_then(|members| members.get(segment)) else {
            ends.has_bare |= value.as_object().is_none_or(serde_json::Map::is_empty);
            return ends.found.push(None);
        };
        let passed = passed + 1;
        match (value, self.index_of(&segments[..passed])) {
            (Value::Array(items), Some(index)) => match items.get(index) {
                Some(item) => self.follow(item, segments, passed, ends),
                None => ends.found.push(None),
            },
            (Value::Array(items), None) if passed < segments.len() => {
                ends.is_through_list |= !items.is_empty();
                for (index, item) in items.iter().enumerate() {
                    if ends.found.len() >= VISITS {
                        ends.unseen += items.len() - index;
                        break;
                    }
                    self.follow(item, segments, passed, ends);
                }
            }
            _ => self.follow(value, segments, passed, ends),
        }
    }
}

struct FoundValues<'a> {
    /// `None` if an element lacks the member.
    found: SmallVec<[Option<&'a Value>; 1]>,
    is_through_list: bool,
    /// Whether an element that lacks the member has no other members either.
    has_bare: bool,
    /// Number of elements that were not visited.
    unseen: usize,
}

impl FoundValues<'_> {
    /// Returns whether there is something to show. If no element of a list has the member, the
    /// elements still count, unless all of them have other members: such a list has another
    /// purpose.
    fn is_present(&self) -> bool {
        let has_elements = self.has_bare || self.found.iter().any(Option::is_some);
        (self.is_through_list && has_elements) || self.has_value()
    }

    /// Returns whether an element has a value. Elements that were not visited may have one.
    fn has_value(&self) -> bool {
        let is_value = |end: &Option<&Value>| match end {
            None | Some(Value::Null) => false,
            Some(Value::Array(items)) => !items.is_empty(),
            Some(_) => true,
        };
        self.unseen > 0 || self.found.iter().any(is_value)
    }
}
