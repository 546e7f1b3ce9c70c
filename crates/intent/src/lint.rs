//! Warns about problems in a template, checked against the tool's input schema (H-09).
use std::collections::BTreeSet;

use serde_json::Value;

use super::parse::{DEEPEST, LONGEST};
use super::shape::{self, Shape};
use super::template::{Key, Node, Oddity, Template, own_keys};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::brief;

impl Template {
    /// Checks the template. A key that is not a parameter is an error, because it could never be
    /// filled. Everything else is a warning.
    ///
    /// The proposal discourages keys outside of brackets, because a missing one stays as `{key}`. A
    /// key that the schema requires can't be missing from a call that runs, so only optional keys
    /// are reported.
    pub fn lint(&self, input_schema: &Value) -> Findings {
        let mut lint = Lint { schema: input_schema, findings: Findings::default() };
        for oddity in &self.oddities {
            let (problem, fix) = oddity.words();
            lint.findings.warning(Pointer::root(), problem, fix);
        }
        lint.nodes(&self.nodes, KeyPosition::Outside);
        lint.findings
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyPosition {
    Outside,
    InGroup,
}

struct Lint<'a> {
    schema: &'a Value,
    findings: Findings,
}

impl Lint<'_> {
    fn nodes(&mut self, nodes: &[Node], place: KeyPosition) {
        let mut lists = BTreeSet::new();
        for key in own_keys(nodes).filter(|key| !key.segments.is_empty()) {
            let shape = shape::of(self.schema, &key.segments);
            self.key(key, &shape, place);
            lists.extend(shape.list.map(|length| key.segments[..length].join(".")));
        }
        if place == KeyPosition::InGroup && lists.len() > 1 {
            let names: Vec<String> = lists.iter().map(|name| format!("`{}`", brief(name))).collect();
            self.warn(
                format!("one group goes through the lists {} side by side", names.join(" and ")),
                "give each list a group of its own",
            );
        }
        for node in nodes {
            if let Node::Group(inside) = node {
                self.nodes(inside, KeyPosition::InGroup);
            }
        }
    }

    fn key(&mut self, key: &Key, shape: &Shape, place: KeyPosition) {
        let shown = brief(&key.text);
        match shape.unknown {
            Some(0) => {
                let problem = format!("has `{{{shown}}}`, which is not a parameter of the tool");
                let fix = self.parameters();
                return self.findings.error(Pointer::root(), problem, fix);
            }
            Some(index) => {
                let missing = brief(&key.segments[index]);
                return self.warn(
                    format!("has `{{{shown}}}`, but the schema has no `{missing}` there"),
                    "name a member that the schema has",
                );
            }
            None => {}
        }
        if shape.is_compound {
            self.warn(
                format!("`{{{shown}}}` may be an object, which people see as JSON"),
                format!("name one of its members, such as `{{{shown}.name}}`"),
            );
        }
        if shape.is_optional && place == KeyPosition::Outside {
            self.warn(
                format!("`{{{shown}}}` may be missing from a call and then stays as it is"),
                format!("put it in brackets with the words around it: `[… {{{shown}}}]`"),
            );
        }
    }

    fn parameters(&self) -> String {
        const MOST: usize = 20;
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(|properties| properties.keys());
        let all: Vec<String> = names.take(MOST).map(|name| format!("`{{{}}}`", brief(name))).collect();
        match all.len() {
            0 => "remove it: the tool takes no parameters".to_owned(),
            _ => format!("use one of {}", all.join(", ")),
        }
    }

    fn warn(&mut self, problem: impl Into<String>, fix: impl Into<String>) {
        self.findings.warning(Pointer::root(), problem, fix);
    }
}

impl Oddity {
    fn words(self) -> (String, String) {
        match self {
            Self::BraceOpen => ("has a `{` that nothing closes".into(), "close it with `}`".into()),
            Self::BracketOpen => ("has a `[` that nothing closes".into(), "close it with `]`".into()),
            Self::BracketStray => {
                ("has a `]` that closes nothing".into(), "remove it, or open it with `[`".into())
            }
            Self::EmptyKey => ("has braces without a name".into(), "name a parameter in them".into()),
            Self::TooDeep => {
                (format!("has more than {DEEPEST} groups in each other"), "use fewer brackets".into())
            }
            Self::TooLong => (
                format!("is longer than {LONGEST} characters; the rest is not read"),
                "say it in one line".into(),
            ),
        }
    }
}
