//! Properties of every template and every call.
use overt_wire::text::is_deceptive;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::render;
use crate::line::is_space;
use crate::quote::Leaf;
use crate::render::LONGEST;
use crate::{Template, argument_lines, fallback};

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        hostile().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ \\t\\n\u{200b}-\u{2030}a-c]{0,200}",
        r#"[\\"…“”u{}0-9a-f]{0,700}"#,
        "[x/]{0,2000}",
    ]
}

fn collapsed(text: &str) -> String {
    text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the line without its quoted parts; `None` if a quote is left open.
fn outside_of_quotes(line: &str) -> Option<String> {
    let (mut outside, mut is_inside, mut characters) = (String::new(), false, line.chars());
    while let Some(c) = characters.next() {
        match c {
            '"' => is_inside = !is_inside,
            '\\' if is_inside => drop(characters.next()),
            _ if is_inside => {}
            _ => outside.push(c),
        }
    }
    (!is_inside).then_some(outside)
}

/// Returns whether `line` shows this text in quotes, whole or with its own ends around a cut.
fn shows(line: &str, text: &str) -> bool {
    let leaf = Leaf::quoted(text);
    (2..=leaf.width().min(LONGEST)).rev().any(|room| line.contains(&leaf.cut_to(room).0))
}

proptest! {
    #[test]
    fn a_07_a_sentence_is_one_short_line(
        template in prop_oneof![any::<String>(), "[]\\[{}. abc\u{202e}\\n]{0,80}"],
        arguments in arguments(),
    ) {
        for text in [render(&template, &arguments), fallback(&template, &arguments)] {
            prop_assert!(text.chars().count() <= LONGEST);
            prop_assert!(!text.contains(is_deceptive), "{:?}", text);
            prop_assert_eq!(text.trim(), &text);
        }
        Template::parse(&template).lint(&arguments);
    }

    #[test]
    fn text_without_marks_stays_as_it_is(text in "[^\\[\\]{}]{0,400}", arguments in arguments()) {
        let text = text.replace(is_deceptive, " ");
        prop_assert_eq!(render(&text, &arguments), collapsed(&text));
    }

    #[test]
    fn a_08_each_argument_has_its_line(
        members in prop::collection::btree_map(prop_oneof!["[a-z_]{1,12}", hostile()], arguments(), 0..70),
    ) {
        let lines = argument_lines(&Value::Object(members.clone().into_iter().collect()));
        prop_assert_eq!(lines.len(), members.len().min(51));
        for (line, name) in lines.iter().zip(members.keys()).take(50) {
            let name = Leaf::name(name).cut_to(60).0;
            prop_assert!(line.starts_with(&format!("{name}: ")), "{:?} in {}", name, line);
            prop_assert!(line.chars().count() <= 60 + 2 + 200 + 40, "{}", line);
            prop_assert!(!line.contains(is_deceptive), "{:?}", line);
            prop_assert!(outside_of_quotes(line).is_some(), "{}", line);
        }
    }

    #[test]
    fn a_08_short_arguments_are_shown_whole_next_to_long_ones(
        long in prop::collection::vec("x{100,3000}", 0..8),
        short in "[a-z/.]{1,10}",
        at in 0..8_usize,
    ) {
        let mut members: Vec<(String, Value)> =
            long.into_iter().enumerate().map(|(n, text)| (format!("pad{n}"), text.into())).collect();
        members.insert(at.min(members.len()), ("path".to_owned(), short.clone().into()));
        let names: Vec<String> = members.iter().map(|(name, _)| format!("{name}=\"")).collect();
        let shown = fallback("t", &Value::Object(members.into_iter().collect()));
        let path = format!("path=\"{short}\"");
        prop_assert!(shown.contains(&path), "{}", shown);
        prop_assert!(names.iter().all(|name| shown.contains(name.as_str())), "{}", shown);
    }
}

proptest! {
    // Each case tries many cuts.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_07_each_text_is_quoted_or_cut(a in hostile(), b in hostile(), c in hostile()) {
        let arguments = serde_json::json!({"a": a, "b": [b], "c": {"d": c}});
        let shown = render("Do {a}, [to {b} ][with {c.d}]", &arguments);
        let outside = outside_of_quotes(&shown);
        prop_assert_eq!(outside.as_deref(), Some("Do , to  with "), "{}", shown);
        for text in [&a, &b, &c] {
            prop_assert!(shows(&shown, text), "{:?} in {}", text, shown);
        }
        let shown = fallback("t", &arguments);
        let outside = outside_of_quotes(&shown);
        prop_assert_eq!(outside.as_deref(), Some("call t with a=, b=[], c={: }"), "{}", shown);
        for text in [&a, &b, &c] {
            prop_assert!(shows(&shown, text), "{:?} in {}", text, shown);
        }
    }
}
