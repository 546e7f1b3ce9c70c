//! Which kinds of values a JSON Schema accepts, as far as that shows without a validator: from
//! `type`, `enum`, `const`, unions and references inside the same schema. In doubt, a value is
//! accepted.
use std::borrow::Cow;

use overt_policy::Pointer;
use overt_wire::json::Json;

/// A set of kinds of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

/// The values that a schema accepts: their kinds, and the complete list of values if the schema has
/// one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AcceptedValues<'a> {
    pub(crate) kinds: Kinds,
    pub(crate) choices: Option<Vec<Json<'a>>>,
    /// The values that the elements of an array may have.
    pub(crate) items: Option<Box<AcceptedValues<'a>>>,
}

const NAMES: [(Kinds, &str, &str); 7] = [
    (Kinds::STRING, "string", "text"),
    (Kinds::INTEGER, "integer", "an integer"),
    (Kinds::NUMBER, "number", "a number"),
    (Kinds::BOOLEAN, "boolean", "`true` or `false`"),
    (Kinds::ARRAY, "array", "a JSON array such as `[1,2]`"),
    (Kinds::OBJECT, "object", "a JSON object such as `{\"a\":1}`"),
    (Kinds::NULL, "null", "`null`"),
];

// === impl Kinds ===

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const STRING: Self = Self(1);
    pub(crate) const INTEGER: Self = Self(2);
    pub(crate) const NUMBER: Self = Self(4);
    pub(crate) const BOOLEAN: Self = Self(8);
    pub(crate) const ARRAY: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const NULL: Self = Self(64);
    pub(crate) const ANY: Self = Self(127);

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The kinds without `null`, which people do not type as a value.
    pub(crate) fn present(self) -> Self {
        Self(self.0 & !Self::NULL.0)
    }

    fn named(name: &str) -> Self {
        // A schema for numbers accepts integers too.
        if name == "number" {
            return Self::NUMBER.or(Self::INTEGER);
        }
        NAMES.iter().find(|(_, known, _)| *known == name).map_or(Self::ANY, |(kind, _, _)| *kind)
    }

    fn of_value(value: Json<'_>) -> Self {
        match value.as_str().as_bytes().first() {
            Some(b'"') => Self::STRING,
            Some(b'{') => Self::OBJECT,
            Some(b'[') => Self::ARRAY,
            Some(b't' | b'f') => Self::BOOLEAN,
            Some(b'n') => Self::NULL,
            _ if is_integer(value) => Self::INTEGER.or(Self::NUMBER),
            _ => Self::NUMBER,
        }
    }

    pub(crate) fn accept(self, value: Json<'_>) -> bool {
        self.and(Self::of_value(value)) != Self::NONE
    }

    /// The expected kinds, in words.
    pub(crate) fn expected(self) -> String {
        let words: Vec<&str> = self.members().map(|(_, words)| words).collect();
        words.join(" or ")
    }

    /// The kinds of the set. `integer` is omitted next to `number`, because it adds nothing.
    fn members(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let shown = if self.has(Self::NUMBER) { Self(self.0 & !Self::INTEGER.0) } else { self };
        NAMES.into_iter().filter(move |(kind, _, _)| shown.has(*kind)).map(|(_, name, words)| (name, words))
    }
}

/// Whether a number is an integer: `5` and `5.0` are, and so is a number of any length.
fn is_integer(value: Json<'_>) -> bool {
    let text = value.as_str();
    !text.contains(['.', 'e', 'E']) || value.number().is_some_and(|number| number.fract() == 0.0)
}

// === impl AcceptedValues ===

impl<'a> AcceptedValues<'a> {
    /// Examines a schema; `root` resolves its `#/…` references.
    pub(crate) fn of(schema: Json<'a>, root: Json<'a>) -> Self {
        let accepts = Self::at_depth(schema, root, 0);
        // The schema seems to contradict itself, so leave the decision to the server.
        if accepts.kinds == Kinds::NONE { Self::anything() } else { accepts }
    }

    fn anything() -> Self {
        Self { kinds: Kinds::ANY, choices: None, items: None }
    }

    fn at_depth(schema: Json<'a>, root: Json<'a>, depth: usize) -> Self {
        // A schema may refer to itself.
        if depth > DEEPEST || !schema.is_object() {
            return Self::anything();
        }
        let mut accepts = Self::anything();
        if let Some(kinds) = type_of(schema) {
            accepts.kinds = kinds;
        }
        let listed = match schema.get("const").value() {
            Some(only) => Some(vec![only]),
            None => schema
                .get("enum")
                .value()
                .map(|list| list.elements().take(MOST_ALTERNATIVES).collect::<Vec<_>>()),
        };
        if let Some(choices) = listed {
            let kinds = choices.iter().fold(Kinds::NONE, |kinds, choice| kinds.or(Kinds::of_value(*choice)));
            accepts.kinds = accepts.kinds.and(kinds);
            accepts.choices = Some(choices);
        }
        if let Some(items) = schema.get("items").value() {
            accepts.items = Some(Box::new(Self::at_depth(items, root, depth + 1)));
        }
        if let Some(target) = schema.get("$ref").string().and_then(|reference| resolve(&reference, root)) {
            accepts = accepts.and(Self::at_depth(target, root, depth + 1));
        }
        for union in ["anyOf", "oneOf"] {
            let branches =
                schema.get(union).value().into_iter().flat_map(Json::elements).take(MOST_ALTERNATIVES);
            let any = branches.map(|branch| Self::at_depth(branch, root, depth + 1)).reduce(Self::or);
            accepts = any.into_iter().fold(accepts, Self::and);
        }
        for all in schema.get("allOf").value().into_iter().flat_map(Json::elements).take(MOST_ALTERNATIVES) {
            accepts = accepts.and(Self::at_depth(all, root, depth + 1));
        }
        accepts
    }

    fn or(self, other: Self) -> Self {
        let choices = match (self.known_choices(), other.known_choices()) {
            (Some(mut a), Some(b)) => {
                a.extend(b);
                Some(a)
            }
            _ => None,
        };
        Self { kinds: self.kinds.or(other.kinds), choices, items: self.items.or(other.items) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            kinds: self.kinds.and(other.kinds),
            choices: self.choices.or(other.choices),
            items: self.items.or(other.items),
        }
    }

    /// The listed values. A branch that accepts only `null` counts as an empty list.
    fn known_choices(&self) -> Option<Vec<Json<'a>>> {
        self.choices.clone().or_else(|| (self.kinds == Kinds::NULL).then(Vec::new))
    }

    /// Whether the schema's list contains the value, or there is no list.
    pub(crate) fn allows(&self, value: Json<'_>) -> bool {
        self.choices.as_ref().is_none_or(|choices| {
            choices.iter().any(|choice| match (choice.string(), value.string()) {
                (Some(a), Some(b)) => a == b,
                _ => choice.as_str() == value.as_str(),
            })
        })
    }

    /// The listed values as a user types them: strings without quotes.
    pub(crate) fn choice_words(&self) -> Option<Vec<String>> {
        let choices = self.choices.as_ref().filter(|choices| !choices.is_empty())?;
        let word = |choice: &Json<'_>| choice.string().map_or_else(|| choice.to_string(), Cow::into_owned);
        Some(choices.iter().map(word).collect())
    }

    /// A short name of the type: `integer`, `string[]`, `string|null`, `any`.
    pub(crate) fn label(&self) -> String {
        if self.kinds == Kinds::ANY {
            return "any".to_owned();
        }
        let names: Vec<String> = self
            .kinds
            .members()
            .map(|(name, _)| match (&self.items, name) {
                (Some(items), "array") if items.kinds != Kinds::ANY => format!("{}[]", items.label()),
                _ => name.to_owned(),
            })
            .collect();
        names.join("|")
    }
}

fn type_of(schema: Json<'_>) -> Option<Kinds> {
    let value = schema.get("type").value()?;
    if let Some(name) = value.string() {
        return Some(Kinds::named(&name));
    }
    value.elements().filter_map(Json::string).map(|name| Kinds::named(&name)).reduce(Kinds::or)
}

/// Resolves a reference such as `#/$defs/Name`; other documents are not fetched.
fn resolve<'a>(reference: &str, root: Json<'a>) -> Option<Json<'a>> {
    let mut here = root;
    let path = reference.strip_prefix('#').filter(|path| !path.is_empty())?;
    for name in Pointer::parse(path)?.steps() {
        here = here.get(&name).value()?;
    }
    Some(here)
}

/// Maximum depth of nested schemas and references that is followed.
const DEEPEST: usize = 8;
/// Maximum number of branches of a union, or of listed values, that are read.
const MOST_ALTERNATIVES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &str, label: &str, choices: &[&str]) {
        let schema = Json::parse(schema).unwrap();
        let accepts = AcceptedValues::of(schema, schema);
        assert_eq!(accepts.label(), label);
        assert_eq!(accepts.choice_words().unwrap_or_default(), choices);
    }

    #[test]
    fn schemas_in_the_wild_are_understood() {
        check(r#"{"type":"string"}"#, "string", &[]);
        check(r#"{}"#, "any", &[]);
        check(r#"{"type":["string","null"]}"#, "string|null", &[]);
        check(r#"{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}"#, "integer|null", &[]);
        check(r#"{"type":"number"}"#, "number", &[]);
        check(r#"{"type":"integer","allOf":[{"type":"number"}]}"#, "integer", &[]);
        check(r#"{"type":"string","allOf":[{"type":"number"}]}"#, "any", &[]);
        check(r#"{"type":"array","items":{"type":"string"}}"#, "string[]", &[]);
        check(r#"{"enum":["a","b"]}"#, "string", &["a", "b"]);
        check(r#"{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]}"#, "string", &["x", "y"]);
        check(
            r##"{"anyOf":[{"$ref":"#/$defs/C"},{"type":"null"}],"$defs":{"C":{"type":"string","enum":["r","g"]}}}"##,
            "string|null",
            &["r", "g"],
        );
        check(r##"{"allOf":[{"$ref":"#/$defs/C"}],"$defs":{"C":{"type":"integer"}}}"##, "integer", &[]);
    }

    #[test]
    fn schemas_that_refer_to_themselves_end() {
        check(r##"{"$ref":"#"}"##, "any", &[]);
        check(
            r##"{"anyOf":[{"$ref":"#/anyOf/0"},{"$ref":"#/$defs/x"}],"$defs":{"x":{"$ref":"#/$defs/x"}}}"##,
            "any",
            &[],
        );
    }

    #[test]
    fn integers_keep_their_token() {
        let yes = |text: &str| Kinds::INTEGER.accept(Json::parse(text).unwrap());
        assert!(yes("5") && yes("5.0") && yes("1e2") && yes("123456789012345678901234567890"));
        assert!(!yes("5.5") && !yes("\"5\"") && !yes("true"));
    }
}
