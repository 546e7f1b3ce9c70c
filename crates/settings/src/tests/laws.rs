//! The laws of narrowing, on random settings, values and requests (POL-01, POL-02 for the fields
//! that a server declares).
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use proptest::collection::btree_set;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::meet::{meet, wider};
use super::super::*;
use super::declared;
use crate::cases::cases;
use crate::region::Regions;
use overt_policy::rate::Per;
use overt_policy::scope::Scope;
use overt_policy::word::StringEnum;

/// Generates a value of a setting, as a policy may request it.
fn held(setting: &Setting) -> BoxedStrategy<SettingValue> {
    let is_allow_list = setting.is_allow_list();
    let lists = move |items: BoxedStrategy<String>| {
        let list = btree_set(items, 0..4);
        match is_allow_list {
            true => btree_set(list, 1..3).prop_map(SettingValue::Lists).boxed(),
            false => list.prop_map(SettingValue::List).boxed(),
        }
    };
    match setting.kind {
        Kind::Flag => any::<bool>().prop_map(SettingValue::Flag).boxed(),
        Kind::Integer { .. } | Kind::Bytes { .. } => (1..20_u64).prop_map(SettingValue::Number).boxed(),
        Kind::Duration { .. } => (0..20_u64).prop_map(|s| SettingValue::Time(Duration::from_secs(s))).boxed(),
        Kind::Text => "[ab]{0,2}".prop_map(SettingValue::Text).boxed(),
        Kind::Choice(words) => {
            (0..words.len()).prop_map(|at| SettingValue::Text(words[at].to_owned())).boxed()
        }
        Kind::Scopes => lists("(read|write)(:a(:(/x|/x/y|/z))?)?".boxed()),
        Kind::Globs => {
            lists(prop_oneof!["[ab]", "[ab]/\\*\\*", Just("**".to_owned()), Just("*".to_owned())].boxed())
        }
        Kind::Texts => lists("[abc]".boxed()),
        Kind::Regions => {
            let region =
                ("[ab](/[ab])?", proptest::option::of("[abc]")).prop_map(|(path, deny)| match deny {
                    Some(deny) => json!({ "path": path, "deny": [deny] }),
                    None => json!(path),
                });
            let list = proptest::collection::vec(region, 0..3);
            list.prop_map(|list| SettingValue::Regions(Regions::parse(&json!(list)).unwrap())).boxed()
        }
        Kind::Rate => (0..4_usize, 1..9_u32)
            .prop_map(|(per, calls)| {
                SettingValue::Rates(BTreeMap::from([(Per::ALL[per], NonZeroU32::new(calls).unwrap())]))
            })
            .boxed(),
    }
}

/// Generates a setting that a policy can narrow, with three values.
fn three() -> impl Strategy<Value = (Setting, [SettingValue; 3])> {
    let settings: Vec<Setting> =
        declared().iter().filter(|setting| setting.is_policy_field()).cloned().collect();
    (0..settings.len()).prop_flat_map(move |at| {
        let setting = settings[at].clone();
        let value = held(&setting);
        (Just(setting), [value.clone(), value.clone(), value])
    })
}

/// Something that a call may want to do, for any kind of setting.
#[derive(Debug, Clone)]
struct Question {
    number: u64,
    flag: bool,
    word: usize,
    text: String,
    scope: String,
    per: usize,
}

fn question() -> impl Strategy<Value = Question> {
    let scope = "(read|write):a:(/x|/x/y|/x/y/w|/z)";
    (0..21_u64, any::<bool>(), 0..3_usize, "[abc](/[abc])?", scope, 0..4_usize)
        .prop_map(|(number, flag, word, text, scope, per)| Question { number, flag, word, text, scope, per })
}

/// Returns whether a value allows it: a second, simpler implementation.
fn allows(setting: &Setting, held: &SettingValue, asked: &Question) -> bool {
    let listed = |list: &List| match setting.kind {
        Kind::Scopes => {
            list.iter().any(|scope| Scope::parse(scope).unwrap().covers(&Scope::parse(&asked.scope).unwrap()))
        }
        Kind::Globs => list.iter().any(|glob| {
            let glob = globset::GlobBuilder::new(glob).literal_separator(true).build().unwrap();
            glob.compile_matcher().is_match(&asked.text)
        }),
        _ => list.contains(&asked.text),
    };
    match (held, setting.narrows) {
        (SettingValue::Number(most), _) => asked.number <= *most,
        (SettingValue::Time(most), _) => asked.number <= most.as_secs(),
        (SettingValue::Text(word), _) => {
            let Kind::Choice(words) = setting.kind else { return true };
            asked.word <= words.iter().position(|known| known == word).unwrap()
        }
        (SettingValue::Rates(rates), _) => {
            rates.get(&Per::ALL[asked.per]).is_none_or(|most| asked.number <= u64::from(most.get()))
        }
        (SettingValue::Flag(permitted), Narrowing::Off) => *permitted || !asked.flag,
        (SettingValue::Flag(restricted), _) => !*restricted || !asked.flag,
        (SettingValue::List(denied), _) => !listed(denied),
        (SettingValue::Lists(lists), _) => lists.iter().all(listed),
        (SettingValue::Regions(regions), _) => regions.visible(&asked.text),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100_000)))]

    #[test]
    fn pol_02_the_meet_is_idempotent_commutative_and_associative((setting, [a, b, c]) in three()) {
        let meet = |one: &SettingValue, two: &SettingValue| meet(&setting, Some(one), two);
        prop_assert_eq!(meet(&a, &a), a.clone());
        prop_assert_eq!(meet(&a, &b), meet(&b, &a));
        prop_assert_eq!(meet(&meet(&a, &b), &c), meet(&a, &meet(&b, &c)));
        prop_assert_eq!(super::super::meet::meet(&setting, None, &a), a);
    }

    #[test]
    fn pol_01_the_meet_allows_what_both_allow_and_nothing_else((setting, [a, b, _]) in three(), asked in question()) {
        let both = meet(&setting, Some(&a), &b);
        prop_assert_eq!(allows(&setting, &both, &asked), allows(&setting, &a, &asked) && allows(&setting, &b, &asked));
    }

    /// A value that is rejected for allowing more really differs from the value that would apply.
    #[test]
    fn pol_04_only_what_would_allow_more_is_refused((setting, [held, asked, _]) in three()) {
        // One policy has one list.
        let asked = match asked {
            SettingValue::Lists(lists) => SettingValue::Lists(lists.into_iter().take(1).collect()),
            asked => asked,
        };
        let after = meet(&setting, Some(&held), &asked);
        if wider(&setting, Some(&held), &asked).is_some() {
            prop_assert_ne!(&after, &asked);
        } else if matches!(asked, SettingValue::Number(_) | SettingValue::Time(_) | SettingValue::Text(_) | SettingValue::Flag(_)) {
            prop_assert_eq!(&after, &asked);
        }
        prop_assert!(wider(&setting, Some(&asked), &asked).is_none());
    }
}

proptest! {
    // Fewer cases, because schemas are compiled and whole policies are read.
    #![proptest_config(ProptestConfig::with_cases(cases(3_000)))]

    /// every accepted value is valid by the published schema.
    #[test]
    fn x_38_what_is_taken_fits_the_schema((setting, [value, ..]) in three(), other in json_value()) {
        let schema = setting.schema();
        for value in [value.to_json(), other] {
            let mut findings = overt_policy::Findings::default();
            let is_taken = setting.read(&value, &overt_policy::Pointer::root(), &mut findings).is_some();
            prop_assert_eq!(is_taken, findings.is_empty());
            prop_assert!(!is_taken || jsonschema::is_valid(&schema, &value), "{} {}", schema, value);
        }
    }

    /// A chain of policies allows no more than each of them does, and no more than was allowed
    /// before.
    #[test]
    fn pol_01_a_chain_only_narrows(one in policy(), two in policy(), asked in question()) {
        let base = SettingValues::defaults(declared());
        let human = Source::Policy(Author::Human);
        let Ok(first) = base.narrowed_by(&one, human) else { return Ok(()) };
        prop_assert_eq!(&first.narrowed_by(&one, human).unwrap(), &first);
        let Ok(second) = first.narrowed_by(&two, human) else { return Ok(()) };
        for (setting, now, _) in second.iter().filter(|(setting, ..)| setting.is_policy_field()) {
            for before in [&base, &first] {
                let allowed = before.value_of(setting.key).is_none_or(|held| allows(setting, held, &asked));
                prop_assert!(allowed || !now.is_none_or(|held| allows(setting, held, &asked)), "{}", setting.key);
            }
        }
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let one = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..2000_u64).prop_map(Value::from),
        (-3..3_i64).prop_map(Value::from),
        Just(json!(1.5)),
        "[0-9]{1,2} ?(ms|s|d|KiB|TiB|/minute|/fortnight|)".prop_map(Value::from),
        "(read|write|strict|\\[|\\*\\*|eat|)(:[a/]{0,3})?".prop_map(Value::from),
    ];
    prop_oneof![one.clone(), proptest::collection::vec(one, 0..3).prop_map(Value::Array)]
}

fn policy() -> impl Strategy<Value = Map<String, Value>> {
    let settings: Vec<Setting> =
        declared().iter().filter(|setting| setting.is_policy_field()).cloned().collect();
    let field = (0..settings.len()).prop_flat_map(move |at| {
        let key = settings[at].key.to_owned();
        held(&settings[at]).prop_map(move |held| {
            let value = match held {
                SettingValue::Lists(lists) => json!(lists.first()),
                held => held.to_json(),
            };
            (key.clone(), value)
        })
    });
    proptest::collection::vec(field, 0..4).prop_map(|fields| fields.into_iter().collect())
}
