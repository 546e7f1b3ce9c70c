//! The members of a call's policy that are for the upstream: settings of its own schema, which it
//! applies itself (H-18).
use overt_policy::finding::{Findings, Pointer};
use overt_policy::policy::Policy;
use overt_settings::{Author, DeclaredSettings};
use serde_json::{Map, Value};

use super::upstream::Foreign;

/// Moves the members for the upstream out of a policy, or out of the policies of a chain. Overt's
/// own members stay, also those that the upstream has under the same name. `None` if there are none
/// for the upstream.
pub(crate) fn split_upstream_policy(
    policy: &mut Value,
    declared: Option<&DeclaredSettings>,
    foreign: &Foreign,
    author: Author,
    findings: &mut Findings,
) -> Option<Map<String, Value>> {
    let root = Pointer::root();
    let of_chain = match policy {
        Value::Object(one) => vec![(one, root)],
        Value::Array(chain) => {
            let places = chain.iter_mut().enumerate().map(|(index, item)| (item, root.index(index)));
            places.filter_map(|(item, at)| Some((item.as_object_mut()?, at))).collect()
        }
        _ => return None,
    };
    let mut theirs: Option<Map<String, Value>> = None;
    for (members, at) in of_chain {
        let is_own = |name: &str| {
            Policy::has_member(name) || declared.is_some_and(|declared| declared.get(name).is_some())
        };
        let names: Vec<String> = members.keys().filter(|name| !is_own(name)).cloned().collect();
        for name in names {
            let Some(setting) = foreign.in_policy(&name) else { continue };
            let place = at.join(&name);
            if !setting.is_for_policies {
                findings.error(
                    place,
                    "has the scope `configuration` and can't be set in a policy",
                    "remove it",
                );
            } else if setting.is_for_people && author == Author::Llm {
                let fix = "remove it, or let a person set it";
                findings.error(place, "has the audience `human` and can't be set by a model", fix);
            } else if let Some(value) = members.remove(&name)
                && theirs.get_or_insert_default().insert(name.clone(), value).is_some()
            {
                // The upstream reads one policy, and only it could tell which value is narrower.
                findings.error(place, "is for the server, and an earlier policy has it too", "name it once");
            }
        }
    }
    theirs
}
