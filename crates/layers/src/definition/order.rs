//! The canonical text of a tool's definition. The order of sets does not matter in it: `enum`,
//! `required` and similar keywords of JSON Schema, and lists of names in descriptions. Servers that
//! keep these in hash sets write them in another order at each start (H-35).
use overt_wire::json::{Json, quote};

use super::canonical;
use super::lists::sorted_lists;

/// How descriptions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// Character by character.
    Exact,
    /// The order of list items does not count.
    Unordered,
}

/// Returns the definition as text. Two definitions with the same meaning have the same text.
pub fn canonical_definition(tool: Json<'_>, texts: Texts) -> String {
    let mut out = String::with_capacity(tool.as_str().len());
    push(&mut out, tool, Part::Tool, texts);
    out
}

/// The role of a value in a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Tool,
    Schema,
    /// An object that maps names to schemas.
    SchemaMap,
    /// A single schema, or an array of schemas in which the order matters.
    SchemaList,
    /// Schemas in any order.
    SchemaSet,
    /// Values in any order.
    Set,
    /// An object that maps names to sets.
    SetMap,
    /// Prose.
    Text,
    /// Any other data; every order matters.
    Data,
}

impl Part {
    /// Returns the part of a member of this part. `object` is the value that has the member.
    fn of_member(self, name: &str, object: Json<'_>) -> Self {
        match (self, name) {
            (Self::SetMap, _) => Self::Set,
            (Self::Tool | Self::Schema, "description" | "title") => Self::Text,
            (Self::SchemaMap, _) | (Self::Tool, "inputSchema" | "outputSchema") => Self::Schema,
            (Self::Schema, keyword) => Self::of_keyword(keyword, object),
            _ => Self::Data,
        }
    }

    fn of_keyword(keyword: &str, schema: Json<'_>) -> Self {
        match keyword {
            "enum" if has_parallel_array(schema) => Self::Data,
            "enum" | "required" | "type" => Self::Set,
            "anyOf" | "oneOf" | "allOf" => Self::SchemaSet,
            "dependentRequired" => Self::SetMap,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                Self::SchemaMap
            }
            "items" | "prefixItems" => Self::SchemaList,
            "additionalProperties"
            | "additionalItems"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Self::Schema,
            _ => Self::Data,
        }
    }

    /// Returns the part of an element of an array of this part.
    fn of_element(self) -> Self {
        match self {
            Self::SchemaList | Self::SchemaSet => Self::Schema,
            _ => Self::Data,
        }
    }
}

/// Returns whether another array, such as `enumNames`, matches `enum` element by element.
fn has_parallel_array(schema: Json<'_>) -> bool {
    const APART: [&str; 7] = ["enum", "type", "required", "anyOf", "oneOf", "allOf", "examples"];
    let values = schema.get("enum").value().map_or(0, |values| values.elements().count());
    let is_parallel = |(name, value): (&str, Json<'_>)| {
        !APART.contains(&name) && value.is_array() && value.elements().count() == values
    };
    schema.members().any(|(key, value)| is_parallel((&key.name(), value)))
}

/// Appends the text of one part. Checked text nests at most 128 levels deep, so recursion is safe.
fn push(out: &mut String, value: Json<'_>, part: Part, texts: Texts) {
    match part {
        Part::Data => canonical::push(out, value),
        Part::Text => match value.string().filter(|_| texts == Texts::Unordered) {
            Some(text) => out.push_str(&quote(&sorted_lists(&text))),
            None => canonical::push(out, value),
        },
        _ if value.is_object() => push_object(out, value, part, texts),
        _ if value.is_array() => push_array(out, value, part, texts),
        _ => canonical::push(out, value),
    }
}

fn push_object(out: &mut String, object: Json<'_>, part: Part, texts: Texts) {
    // An object where a list of schemas may be is a single schema. An object where a set may be is
    // data.
    let part = match part {
        Part::SchemaList => Part::Schema,
        Part::SchemaSet | Part::Set => Part::Data,
        other => other,
    };
    canonical::push_members(out, object, |out, name, value| {
        push(out, value, part.of_member(name, object), texts);
    });
}

fn push_array(out: &mut String, array: Json<'_>, part: Part, texts: Texts) {
    let text = |element| {
        let mut text = String::new();
        push(&mut text, element, part.of_element(), texts);
        text
    };
    let mut elements: Vec<String> = array.elements().map(text).collect();
    if matches!(part, Part::Set | Part::SchemaSet) {
        elements.sort_unstable();
    }
    out.push('[');
    out.push_str(&elements.join(","));
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tool: &str) -> String {
        canonical_definition(Json::parse(tool).unwrap(), Texts::Exact)
    }

    #[track_caller]
    fn assert_same(one: &str, other: &str) {
        assert_eq!(text(one), text(other));
    }

    #[track_caller]
    fn assert_differ(one: &str, other: &str) {
        assert_ne!(text(one), text(other));
    }

    #[test]
    fn h_35_sets_of_a_schema_have_no_order() {
        assert_same(
            r#"{"inputSchema":{"type":["string","null"],"enum":["a","b"],"required":["x","y"]}}"#,
            r#"{"inputSchema":{"required":["y","x"],"enum":["b","a"],"type":["null","string"]}}"#,
        );
        assert_same(
            r#"{"outputSchema":{"properties":{"enum":{"anyOf":[{"enum":[1,2]},{"type":"null"}]}}}}"#,
            r#"{"outputSchema":{"properties":{"enum":{"anyOf":[{"type":"null"},{"enum":[2,1]}]}}}}"#,
        );
        assert_same(
            r#"{"inputSchema":{"items":{"oneOf":[true,false]},"dependentRequired":{"a":["b","c"]}}}"#,
            r#"{"inputSchema":{"items":{"oneOf":[false,true]},"dependentRequired":{"a":["c","b"]}}}"#,
        );
    }

    #[test]
    fn every_other_order_counts() {
        for (one, other) in [
            (r#"{"inputSchema":{"default":["a","b"]}}"#, r#"{"inputSchema":{"default":["b","a"]}}"#),
            (
                r#"{"inputSchema":{"prefixItems":[true,false]}}"#,
                r#"{"inputSchema":{"prefixItems":[false,true]}}"#,
            ),
            // `enum` outside a schema is an ordinary member.
            (r#"{"_meta":{"enum":["a","b"]}}"#, r#"{"_meta":{"enum":["b","a"]}}"#),
            (
                r#"{"inputSchema":{"const":{"required":["a","b"]}}}"#,
                r#"{"inputSchema":{"const":{"required":["b","a"]}}}"#,
            ),
            // The names belong to the values by position.
            (
                r#"{"inputSchema":{"enum":["y","n"],"enumNames":["Yes","No"]}}"#,
                r#"{"inputSchema":{"enum":["n","y"],"enumNames":["Yes","No"]}}"#,
            ),
        ] {
            assert_differ(one, other);
        }
    }

    #[test]
    fn a_set_with_other_values_differs() {
        assert_differ(r#"{"inputSchema":{"enum":["a","b"]}}"#, r#"{"inputSchema":{"enum":["a","c"]}}"#);
        assert_differ(r#"{"inputSchema":{"required":["a"]}}"#, r#"{"inputSchema":{"required":["a","a"]}}"#);
        assert_differ(r#"{"inputSchema":{"enum":["a,b"]}}"#, r#"{"inputSchema":{"enum":["a","b"]}}"#);
    }

    #[test]
    fn descriptions_are_compared_as_told() {
        let (one, other) =
            (r#"{"description":"One of {'a', 'b'}"}"#, r#"{"description":"One of {'b', 'a'}"}"#);
        assert_differ(one, other);
        let unordered = |tool: &str| canonical_definition(Json::parse(tool).unwrap(), Texts::Unordered);
        assert_eq!(unordered(one), unordered(other));
        // Only text that people and models read as prose is sorted.
        assert_ne!(
            unordered(r#"{"_meta":{"description":"{'a', 'b'}"}}"#),
            unordered(r#"{"_meta":{"description":"{'b', 'a'}"}}"#)
        );
    }
}
