//! Reads a policy. Unknown members and wrong types are errors everywhere, because a policy that is
//! not understood restricts nothing. A member that is null counts as absent.
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::domain::DomainFields;
use super::model::{Constraint, NameLists, Policy, ScopeLists, WrittenScopes};
use super::schema;
use crate::finding::{Findings, Pointer, Severity};
use crate::globs::{Globs, Style};
use crate::limits::Limits;
use crate::members::{Members, brief, kind};
use crate::near::{fix_for, nearest};
use crate::scope::{Scope, ScopeSet};

/// The members that policies of every server have.
pub const COMMON: &[&str] = &["tools", "resources", "prompts", "scopes", "effect", "arguments", "limits"];
/// The common members inside which null also means absent.
const OBJECTS: &[&str] = &["tools", "resources", "prompts", "scopes", "limits"];
const MOST_IN_CHAIN: usize = 16;
const MOST_SCOPES: usize = 1024;
const MOST_CONSTRAINTS: usize = 64;

impl Policy {
    pub fn parse(value: &Value, domain: &dyn DomainFields) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let policy = Self::read(value, Pointer::root(), domain, &mut findings);
        without_errors(policy, findings)
    }

    /// Reads the policies of a call: a single policy, or a chain of delegation from the first
    /// delegator to the call itself. Null means none (POL-08).
    pub fn chain(value: &Value, domain: &dyn DomainFields) -> Result<Vec<Self>, Findings> {
        let mut findings = Findings::default();
        let chain = match value {
            Value::Null => Some(Vec::new()),
            Value::Array(items) if items.len() <= MOST_IN_CHAIN => {
                let read =
                    |(index, item)| Self::read(item, Pointer::root().index(index), domain, &mut findings);
                items.iter().enumerate().map(read).collect()
            }
            Value::Array(items) => {
                findings.error(
                    Pointer::root(),
                    format!("is a chain of {} policies", items.len()),
                    format!("use at most {MOST_IN_CHAIN}"),
                );
                None
            }
            one => Self::read(one, Pointer::root(), domain, &mut findings).map(|policy| vec![policy]),
        };
        without_errors(chain, findings)
    }

    /// Whether every policy may have a member of this name.
    pub fn has_member(name: &str) -> bool {
        COMMON.contains(&name)
    }

    /// Reads a policy at this place of a document; `None` if it is not an object.
    pub fn read(
        value: &Value,
        at: Pointer,
        domain: &dyn DomainFields,
        findings: &mut Findings,
    ) -> Option<Self> {
        let Value::Object(object) = value else {
            findings.error(
                at,
                format!("must be a policy (an object), but is {}", kind(value)),
                "write an object",
            );
            return None;
        };
        let fields = read_domain(object, &at, domain, findings);
        let common = Value::Object(common(object));
        let mut members = Members::of(&common, at, findings)?;
        let policy = Self {
            tools: lists(&mut members, "tools", Style::Name),
            resources: lists(&mut members, "resources", Style::Uri),
            prompts: lists(&mut members, "prompts", Style::Name),
            scopes: members.object("scopes", scope_lists).unwrap_or_default(),
            effect: members.word("effect"),
            arguments: constraints(&mut members),
            limits: members.object("limits", Limits::read).unwrap_or_default(),
            domain: fields,
        };
        Some(policy)
    }
}

fn without_errors<T>(read: Option<T>, findings: Findings) -> Result<T, Findings> {
    match read {
        Some(read) if !findings.has_errors() => Ok(read),
        _ => Err(findings),
    }
}

fn read_domain(
    object: &Map<String, Value>,
    at: &Pointer,
    domain: &dyn DomainFields,
    findings: &mut Findings,
) -> BTreeMap<String, Vec<Value>> {
    let mut fields = BTreeMap::new();
    for (name, value) in object.iter().filter(|(name, _)| !COMMON.contains(&name.as_str())) {
        let place = at.join(&brief(name));
        if !domain.check(name, value, place.clone(), findings) {
            let known = COMMON.iter().copied();
            let fix = match nearest(name, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("{}, and what the server declares", fix_for(name, known)),
            };
            findings.error(place, "is not known", fix);
        } else if !value.is_null() {
            fields.insert(name.clone(), vec![value.clone()]);
        }
    }
    fields
}

/// Returns the common members that are not null.
fn common(object: &Map<String, Value>) -> Map<String, Value> {
    let mut common = without_nulls(object);
    common.retain(|name, _| COMMON.contains(&name.as_str()));
    for name in OBJECTS {
        if let Some(Value::Object(inner)) = common.get_mut(*name) {
            *inner = without_nulls(inner);
        }
    }
    common
}

fn without_nulls(object: &Map<String, Value>) -> Map<String, Value> {
    object
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn lists(members: &mut Members<'_, '_>, name: &'static str, style: Style) -> NameLists {
    let read = |members: &mut Members<'_, '_>| {
        let lists = NameLists {
            allow: globs(members, "allow", style).into_iter().collect(),
            // An empty list denies nothing, like a missing list.
            deny: globs(members, "deny", style).into_iter().filter(|globs| !globs.is_empty()).collect(),
        };
        members.unknown(Severity::Error);
        lists
    };
    members.object(name, read).unwrap_or_default()
}

fn globs(members: &mut Members<'_, '_>, name: &'static str, style: Style) -> Option<Globs> {
    let patterns = members.texts(name)?;
    match Globs::parse(style, &patterns) {
        Ok(globs) => Some(globs),
        Err(error) => {
            let at = members.at(name);
            let at = error.index.map_or_else(|| at.clone(), |index| at.index(index));
            members.findings().error(at, error.problem, "write patterns such as `read_*`");
            None
        }
    }
}

fn scope_lists(members: &mut Members<'_, '_>) -> ScopeLists {
    let allow = scopes(members, "allow");
    let deny = scopes(members, "deny").unwrap_or_default().into_iter().collect();
    members.unknown(Severity::Error);
    ScopeLists {
        allow: allow.iter().map(|scopes| scopes.iter().cloned().collect::<ScopeSet>()).collect(),
        deny,
        written: WrittenScopes(allow.unwrap_or_default()),
    }
}

/// Reads a list of scopes. Every invalid one is a finding.
pub(crate) fn scopes(members: &mut Members<'_, '_>, name: &'static str) -> Option<Vec<Scope>> {
    let texts = members.texts(name)?;
    if texts.len() > MOST_SCOPES {
        members.error(name, format!("has {} scopes", texts.len()), format!("use at most {MOST_SCOPES}"));
        return None;
    }
    let mut scopes = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match Scope::parse(text) {
            Ok(scope) => scopes.push(scope),
            Err(error) => {
                let at = members.at(name).index(index);
                let problem = format!("`{}` is not a scope: {error}", brief(text));
                members.findings().error(at, problem, "write one such as `write:file:/a`");
            }
        }
    }
    Some(scopes)
}

fn constraints(members: &mut Members<'_, '_>) -> Vec<Constraint> {
    let read = |pattern: &str, value: &Value, at: Pointer, findings: &mut Findings| {
        let tools = Globs::parse(Style::Name, &[pattern]);
        if let Err(error) = &tools {
            findings.error(at.clone(), error.problem.clone(), "write a pattern such as `read_*`");
        }
        let validator = schema::compile(value, &at, findings)?;
        Some(Constraint { tools: tools.ok()?, schema: value.to_string(), validator })
    };
    let Some(all) = members.map("arguments", read) else { return Vec::new() };
    if all.len() > MOST_CONSTRAINTS {
        members.error(
            "arguments",
            format!("has {} entries", all.len()),
            format!("use at most {MOST_CONSTRAINTS}"),
        );
    }
    let mut all: Vec<Constraint> = all.into_values().collect();
    all.sort();
    all
}
