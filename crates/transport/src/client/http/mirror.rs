//! `x-mcp-header`: the arguments of a tool that are repeated in headers, and whether a tool's
//! annotations follow the specification.
use std::collections::HashMap;

use hyper::header::{HeaderMap, HeaderName};
use overt_wire::json::{Json, Member};

use super::headers;

/// The listed tools of one server that want arguments in headers.
#[derive(Debug, Default)]
pub(super) struct Mirrors(HashMap<String, Vec<Mirror>>);

/// One argument that is repeated in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mirror {
    header: HeaderName,
    /// Names from the outermost argument inwards.
    path: Vec<String>,
}

const ANNOTATION: &str = "x-mcp-header";
/// The most annotated tools of a server. Calls of further tools get no headers, which the server
/// reports.
const MAX_TOOLS: usize = 10_000;
/// The largest integer that a double represents exactly, as the specification demands.
const MAX_SAFE: i64 = (1 << 53) - 1;

// === impl Mirrors ===

impl Mirrors {
    /// Learns the annotations from a page of `tools/list`. The first page replaces all earlier
    /// ones.
    pub(super) fn learn(&mut self, result: Json<'_>, first_page: bool) {
        if first_page {
            self.0.clear();
        }
        for tool in result.get("tools").value().into_iter().flat_map(Json::elements) {
            if let (Some(name), Ok(mirrors)) = (tool.get("name").string(), of_tool(tool))
                && !mirrors.is_empty()
                && self.0.len() < MAX_TOOLS
            {
                self.0.insert(name.into_owned(), mirrors);
            }
        }
    }

    /// Adds the headers for a call.
    pub(super) fn add_to(&self, headers: &mut HeaderMap, params: Member<'_>) {
        let Some(mirrors) = params.get("name").string().and_then(|name| self.0.get(&*name)) else { return };
        for mirror in mirrors {
            let argument = mirror.path.iter().fold(params.get("arguments"), |here, name| here.get(name));
            if let Some(value) = argument.value().and_then(as_text) {
                headers::put(headers, mirror.header.clone(), &value);
            }
        }
    }
}

/// Returns the arguments that a tool wants repeated, or what is wrong with its annotations.
pub(super) fn of_tool(tool: Json<'_>) -> Result<Vec<Mirror>, String> {
    let mut found = Vec::new();
    if let Some(schema) = tool.get("inputSchema").value()
        // Most tools have no annotation, and a text search is cheaper than a walk.
        && schema.as_str().contains(ANNOTATION)
    {
        walk(schema, Some(&mut Vec::new()), &mut found)?;
    }
    Ok(found)
}

/// Collects the annotations of a schema. `path` is the chain of `properties` that leads to it, or
/// `None` if other keywords are on the way, which makes annotations invalid.
fn walk(schema: Json<'_>, mut path: Option<&mut Vec<String>>, found: &mut Vec<Mirror>) -> Result<(), String> {
    match schema.get(ANNOTATION) {
        Member::Absent => {}
        member => {
            let path = path.as_deref().filter(|path| !path.is_empty());
            let path = path.ok_or("an annotation stands where no chain of `properties` leads")?;
            let mirror = Mirror { header: header_name(member)?, path: path.clone() };
            check_type(schema.get("type"), &mirror)?;
            if found.iter().any(|other| other.header == mirror.header) {
                return Err(format!("two properties want the header `{}`", mirror.header));
            }
            found.push(mirror);
        }
    }
    for (key, value) in schema.members() {
        match &*key.name() {
            "properties" => {
                for (name, property) in value.members() {
                    if let Some(path) = path.as_deref_mut() {
                        path.push(name.name().into_owned());
                        walk(property, Some(path), found)?;
                        path.pop();
                    } else {
                        walk(property, None, found)?;
                    }
                }
            }
            "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
                value.members().try_for_each(|(_, inner)| walk(inner, None, found))?;
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                value.elements().try_for_each(|inner| walk(inner, None, found))?;
            }
            // Older drafts allow a list of schemas here.
            "items" if value.is_array() => {
                value.elements().try_for_each(|inner| walk(inner, None, found))?;
            }
            "items"
            | "additionalItems"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "propertyNames"
            | "additionalProperties"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => {
                walk(value, None, found)?;
            }
            // Other keywords contain no schemas. What looks like an annotation in a `default` is
            // data.
            _ => {}
        }
    }
    Ok(())
}

fn header_name(annotation: Member<'_>) -> Result<HeaderName, String> {
    let name = annotation.string().ok_or("an annotation is not a string")?;
    if name.is_empty() {
        return Err("an annotation is empty".into());
    }
    HeaderName::from_bytes(format!("Mcp-Param-{name}").as_bytes())
        .map_err(|_| format!("`{name}` can't be part of a header name"))
}

fn check_type(types: Member<'_>, mirror: &Mirror) -> Result<(), String> {
    let primitive = |name: &str| matches!(name, "string" | "integer" | "boolean");
    let allowed = match types {
        Member::Value(list) if list.is_array() => {
            // A property that may be null is omitted from the headers when it is null.
            let names: Vec<_> = list.elements().filter_map(Json::string).collect();
            names.iter().any(|name| primitive(name))
                && names.iter().all(|name| primitive(name) || name == "null")
        }
        other => other.string().is_some_and(|name| primitive(&name)),
    };
    if allowed {
        return Ok(());
    }
    Err(format!("`{}` is neither a string nor an integer nor a boolean", mirror.path.join(".")))
}

/// Returns a value as header text; `None` if a header can't contain it.
fn as_text(value: Json<'_>) -> Option<String> {
    if let Some(text) = value.string() {
        return Some(text.into_owned());
    }
    if let Some(flag) = value.bool() {
        return Some(flag.to_string());
    }
    let number = match value.integer() {
        Some(number) => number,
        None => as_integer(value.number()?)?,
    };
    (-MAX_SAFE..=MAX_SAFE).contains(&number).then(|| number.to_string())
}

/// Converts an integral float: `42.0` is an integer in JSON Schema.
fn as_integer(number: f64) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "the range is checked first"
    )]
    (number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(properties: &str) -> String {
        format!(r#"{{"name":"t","inputSchema":{{"type":"object","properties":{{{properties}}}}}}}"#)
    }

    fn reason(tool: &str) -> String {
        of_tool(Json::parse(tool).unwrap()).unwrap_err()
    }

    #[test]
    fn arguments_become_headers() {
        let tool = tool(
            r#""region":{"type":"string","x-mcp-header":"Region"},
               "n":{"type":["integer","null"],"x-mcp-header":"N"},
               "on":{"type":"boolean","x-mcp-header":"On"},
               "absent":{"type":"string","x-mcp-header":"Absent"},
               "null":{"type":["string","null"],"x-mcp-header":"Null"},
               "deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Deeper"}}},
               "plain":{"type":"string","default":{"x-mcp-header":"data"}}"#,
        );
        let mut mirrors = Mirrors::default();
        mirrors.learn(Json::parse(&format!(r#"{{"tools":[{tool}]}}"#)).unwrap(), true);
        let params = r#"{"name":"t","arguments":{"region":"süd","n":42.0,"on":false,"null":null,
            "deep":{"er":"x"},"plain":"p"}}"#;
        let mut headers = HeaderMap::new();
        let params = Json::parse(params).unwrap();
        mirrors.add_to(&mut headers, Member::Value(params));
        let mut lines: Vec<_> =
            headers.iter().map(|(name, value)| format!("{name}={}", value.to_str().unwrap())).collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "mcp-param-deeper=x",
                "mcp-param-n=42",
                "mcp-param-on=false",
                "mcp-param-region==?base64?c8O8ZA==?=",
            ]
        );
    }

    #[test]
    fn wrong_annotations_are_found() {
        let cases = [
            (r#""a":{"type":"string","x-mcp-header":""}"#, "empty"),
            (r#""a":{"type":"string","x-mcp-header":7}"#, "not a string"),
            (r#""a":{"type":"number","x-mcp-header":"A"}"#, "neither"),
            (r#""a":{"type":"object","x-mcp-header":"A"}"#, "neither"),
            (r#""a":{"type":"null","x-mcp-header":"A"}"#, "neither"),
            (r##""a":{"$ref":"#/x","x-mcp-header":"A"}"##, "neither"),
            (r#""a":{"type":"string","x-mcp-header":"My Region"}"#, "header name"),
            (r#""a":{"type":"string","x-mcp-header":"A:"}"#, "header name"),
            (r#""a":{"type":"string","x-mcp-header":"Ä"}"#, "header name"),
            (r#""a":{"type":"string","x-mcp-header":"A\r\nB: c"}"#, "header name"),
            (r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}"#, "two"),
            (r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#, "where"),
            (r#""a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}"#, "where"),
            (r#""a":{"not":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}"#, "where"),
        ];
        for (properties, expected) in cases {
            let reason = reason(&tool(properties));
            assert!(reason.contains(expected), "{properties}: {reason}");
        }
        assert!(
            reason(r#"{"name":"t","inputSchema":{"type":"object","x-mcp-header":"A"}}"#).contains("where")
        );
    }

    #[test]
    fn unsafe_integers_stay_out() {
        assert_eq!(as_text(Json::parse("9007199254740993").unwrap()), None);
        assert_eq!(as_text(Json::parse("-7").unwrap()), Some("-7".into()));
        assert_eq!(as_text(Json::parse("1.5").unwrap()), None);
    }
}
