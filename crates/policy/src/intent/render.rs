//! A template filled with arguments (H-07, H-08). Each group is for itself: what is a list in one does not repeat another.
use serde_json::Value;

use super::line::{CUT, Line};
use super::template::{Key, Node, Template, own_keys};
use super::value::{HIDDEN, short, show};
use crate::secrets::is_secret_name;

/// Characters of a sentence.
pub(super) const LONGEST: usize = 500;
/// Nodes that are looked at: groups in groups multiply, and the arguments are anybody's.
const STEPS: usize = 1000;
/// Values that are looked at for one key.
const VISITS: usize = 500;

impl Template {
    /// One line that says what a call with these arguments will do. Empty if nothing is left of the template.
    ///
    /// ```
    /// use overt_policy::intent::Template;
    /// use serde_json::json;
    ///
    /// let template = Template::parse("Search for {pattern} [in {root}] [with glob {glob}]");
    /// assert_eq!(template.render(&json!({"pattern": "TODO", "root": "src"})), "Search for TODO in src");
    /// ```
    pub fn render(&self, arguments: &Value) -> String {
        let mut rendering = Rendering { arguments, bound: Vec::new(), steps: STEPS };
        let mut line = Line::new(LONGEST);
        for node in &self.nodes {
            match node {
                Node::Text(text) => line.push(text),
                Node::Key(key) => match rendering.value(key) {
                    Some(value) => line.push(&value),
                    None => line.push(&format!("{{{}}}", key.text)),
                },
                Node::Group(inside) => line.push(&rendering.group(inside).unwrap_or_default()),
            }
        }
        line.finish()
    }
}

struct Rendering<'a> {
    arguments: &'a Value,
    /// Lists of which one element stands for the whole, by the names on the way to them.
    bound: Vec<(&'a [String], usize)>,
    steps: usize,
}

impl<'a> Rendering<'a> {
    /// A group, or its repetitions joined; none if it is left out.
    fn group(&mut self, nodes: &'a [Node]) -> Option<String> {
        if own_keys(nodes).any(|key| self.is_absent(key)) {
            return None;
        }
        let lists = self.lists(nodes);
        if lists.is_empty() {
            return self.once(nodes);
        }
        let times = lists.iter().map(|(_, length)| *length).max().unwrap_or(0);
        let outside = self.bound.len();
        let mut line = Line::new(LONGEST);
        let mut is_first = true;
        for index in 0..times {
            self.bound.extend(lists.iter().map(|(list, _)| (*list, index)));
            let item = self.once(nodes);
            self.bound.truncate(outside);
            if let Some(item) = item.filter(|item| !item.is_empty()) {
                line.push(if is_first { "" } else { ", " });
                line.push(&item);
                is_first = false;
            }
            if line.is_cut() {
                break;
            }
            if self.steps == 0 && index + 1 < times {
                line.push(&CUT.to_string());
                is_first = false;
                break;
            }
        }
        (!is_first).then(|| line.finish())
    }

    /// Whether there can't be a value, whatever is bound.
    fn is_absent(&self, key: &Key) -> bool {
        key.segments.first().is_none_or(|first| self.arguments.get(first).is_none())
    }

    /// A group for what is bound now; none if a value of its own is missing.
    fn once(&mut self, nodes: &'a [Node]) -> Option<String> {
        let mut line = Line::new(LONGEST);
        for node in nodes {
            if self.steps == 0 {
                line.push(&CUT.to_string());
                break;
            }
            self.steps -= 1;
            match node {
                Node::Text(text) => line.push(text),
                Node::Key(key) => line.push(&self.value(key)?),
                Node::Group(inside) => line.push(&self.group(inside).unwrap_or_default()),
            }
        }
        Some(line.finish())
    }

    /// The lists that this group itself goes through, each once, with their lengths.
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

    /// The first list on the way to a value that is not bound. A list in a list is one value.
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

    /// The value of a key as it is shown; none if it is missing.
    fn value(&self, key: &Key) -> Option<String> {
        if key.segments.is_empty() {
            return None;
        }
        let mut ends = Ends { found: Vec::new(), visits: VISITS };
        self.follow(self.arguments, &key.segments, 0, &mut ends);
        let is_hidden = key.segments.iter().any(|segment| is_secret_name(segment));
        let shown = ends.found.into_iter().filter_map(show);
        let shown = shown.map(|text| if is_hidden { HIDDEN.to_owned() } else { text });
        let more = (ends.visits == 0).then(|| CUT.to_string());
        let shown: Vec<String> = shown.chain(more).collect();
        (!shown.is_empty()).then(|| short(&shown.join(", ")))
    }

    /// What is at the end of the way. Through a list that is not bound there are as many ends as it has elements.
    fn follow(&self, value: &'a Value, segments: &[String], passed: usize, ends: &mut Ends<'a>) {
        if ends.visits == 0 {
            return;
        }
        ends.visits -= 1;
        let Some(segment) = segments.get(passed) else { return ends.found.push(value) };
        let Some(value) = value.as_object().and_then(|members| members.get(segment)) else { return };
        let passed = passed + 1;
        match (value, self.index_of(&segments[..passed])) {
            (Value::Array(items), Some(index)) => {
                if let Some(item) = items.get(index) {
                    self.follow(item, segments, passed, ends);
                }
            }
            (Value::Array(items), None) if passed < segments.len() => {
                items.iter().for_each(|item| self.follow(item, segments, passed, ends));
            }
            _ => self.follow(value, segments, passed, ends),
        }
    }
}

struct Ends<'a> {
    found: Vec<&'a Value>,
    visits: usize,
}
