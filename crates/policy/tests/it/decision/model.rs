//! A second, simpler implementation of the decision: on texts and JSON, without sets, layers or any
//! code of the tested implementation.
use overt_policy::record::{Effect, PiiExposure, SecretsExposure};
use overt_policy::word::StringEnum;
use overt_policy::{ToolFacts, Verdict};
use serde_json::Value;

use super::pool::{ATOMS, RULES, SCOPES, World};

type Parts = Vec<String>;

/// Returns the verdict about a call in this world.
pub(crate) fn verdict(world: &World, facts: &ToolFacts, arguments: &Value) -> Verdict {
    let Some(needed) = needed(facts, arguments) else { return Verdict::Deny };
    let fragments: Vec<&Value> = [&world.ceiling, &world.session, &world.call]
        .into_iter()
        .flatten()
        .map(|index| &ATOMS[*index].0)
        .collect();
    let is_refused = fragments.iter().any(|fragment| refuses(fragment, facts, arguments, &needed));
    let denied = [&world.denied, &world.call_denied].into_iter().flatten().any(|index| {
        needed.iter().any(|need| need.starts_with(&scope(*index)) || scope(*index).starts_with(need))
    });
    let outside =
        world.call_allowed.as_ref().is_some_and(|allowed| !needed.iter().all(|need| covers(allowed, need)));
    if is_refused || denied || outside {
        return Verdict::Deny;
    }
    let mut must_ask = world.honours && facts.approval;
    for rule in world.rules.iter().map(|index| &RULES[*index].0).filter(|rule| matches(&rule["when"], facts))
    {
        match rule["action"].as_str() {
            Some("deny") => return Verdict::Deny,
            Some("approve") => must_ask = true,
            _ if arguments.to_string().len() as u64 > rule["limit"]["argument_bytes"].as_u64().unwrap() => {
                return Verdict::Deny;
            }
            _ => {}
        }
    }
    let missing: Vec<&Parts> = needed.iter().filter(|need| !covers(&world.base, need)).collect();
    let grantable = |need: &&&Parts| match &world.grantable {
        Some(grantable) => covers(grantable, need),
        None => need.len() > 1 && !(need.len() == 3 && need[2] == "/"),
    };
    if !missing.iter().all(|need| grantable(&need)) {
        return Verdict::Deny;
    }
    let asked = if must_ask { needed.iter().collect() } else { missing };
    match asked.iter().all(|need| covers(&world.grants, need)) {
        true => Verdict::Allow,
        false => Verdict::NeedsApproval,
    }
}

fn refuses(fragment: &Value, facts: &ToolFacts, arguments: &Value, needed: &[Parts]) -> bool {
    let list = |value: &Value| {
        value.as_array().map(|all| all.iter().map(|v| v.as_str().unwrap().to_owned()).collect())
    };
    let (allow, deny): (Option<Vec<String>>, Option<Vec<String>>) =
        (list(&fragment["tools"]["allow"]), list(&fragment["tools"]["deny"]));
    let (may, may_not): (Option<Vec<String>>, Option<Vec<String>>) =
        (list(&fragment["scopes"]["allow"]), list(&fragment["scopes"]["deny"]));
    let strongest = fragment["effect"].as_str().and_then(Effect::parse);
    let path = arguments["path"].as_str();
    allow.is_some_and(|all| !all.iter().any(|glob| is_match(glob, &facts.tool)))
        || deny.is_some_and(|all| all.iter().any(|glob| is_match(glob, &facts.tool)))
        || strongest.is_some_and(|strongest| facts.effect > strongest)
        || needed.iter().any(|need| {
            may.as_ref().is_some_and(|all| !all.iter().any(|text| need.starts_with(&parts(text))))
                || may_not.as_ref().is_some_and(|all| {
                    all.iter().any(|text| need.starts_with(&parts(text)) || parts(text).starts_with(need))
                })
        })
        || (fragment["arguments"].get("*").is_some() && path.is_some_and(|path| !path.starts_with("/a")))
        || (fragment["arguments"].get("write").is_some()
            && &*facts.tool == "write"
            && arguments.get("path").is_none())
        || fragment["limits"]["argument_bytes"]
            .as_u64()
            .is_some_and(|most| arguments.to_string().len() as u64 > most)
}

fn matches(when: &Value, facts: &ToolFacts) -> bool {
    let Some(when) = when.as_object() else { return true };
    when.iter().all(|(name, wanted)| match name.as_str() {
        "effect_at_least" => facts.effect >= Effect::parse(wanted.as_str().unwrap()).unwrap(),
        "pii_at_least" => match facts.pii {
            Some(pii) => pii >= PiiExposure::parse(wanted.as_str().unwrap()).unwrap(),
            None => !facts.is_declared(),
        },
        "secrets" => match facts.secrets {
            Some(secrets) if wanted == true => secrets != SecretsExposure::None,
            Some(secrets) => secrets.as_str() == wanted,
            None => !facts.is_declared(),
        },
        "reversible" => match facts.reversible {
            Some(reversible) => reversible == *wanted,
            None => facts.effect != Effect::Read,
        },
        "declared" => facts.is_declared() == *wanted,
        "server" => is_match(wanted.as_str().unwrap(), &facts.server),
        "tool" => is_match(wanted.as_str().unwrap(), &facts.tool),
        other => panic!("{other}"),
    })
}

fn is_match(glob: &str, name: &str) -> bool {
    glob.strip_suffix('*').map_or(glob == name, |beginning| name.starts_with(beginning))
}

/// Returns the needed scopes. Every argument that a template names is a path or a list of paths.
fn needed(facts: &ToolFacts, arguments: &Value) -> Option<Vec<Parts>> {
    let mut all = Vec::new();
    for template in facts.scopes.iter().map(ToString::to_string) {
        let Some((fixed, name)) = template.split_once(":{") else {
            all.push(parts(&template));
            continue;
        };
        let value = &arguments[name.trim_end_matches('}')];
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in values {
            let path = value.as_str().unwrap_or_default();
            if path.split('/').any(|part| part == "..") {
                return None;
            }
            let is_open = path.is_empty() || (!path.starts_with('/') && path.contains('/'));
            all.push(parts(&if is_open { fixed.to_owned() } else { format!("{fixed}:{path}") }));
        }
    }
    Some(all)
}

fn covers(set: &[usize], need: &Parts) -> bool {
    set.iter().any(|index| need.starts_with(&scope(*index)))
}

fn scope(index: usize) -> Parts {
    parts(&SCOPES[index].to_string())
}

fn parts(text: &str) -> Parts {
    let mut parts: Parts = text.splitn(3, ':').map(String::from).collect();
    if let Some(detail) = (parts.len() == 3).then(|| parts.pop()).flatten() {
        if detail.starts_with('/') {
            parts.push("/".to_owned());
        }
        parts.extend(detail.split('/').filter(|part| !part.is_empty()).map(String::from));
    }
    parts
}
