//! `x-mcp-header`: the arguments of a tool that modern HTTP repeats in `Mcp-Param-*` headers. A
//! proxy may decide on a header while the server acts on the argument, so both must agree.
//! Clients, servers and gateways all read the annotations here.
use crate::error::{ErrorObject, code};
use crate::handler::ParamHeaders;
use crate::json::{Json, Member};

/// An argument that is repeated in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderArgument {
    /// The part of the header's name after `Mcp-Param-`, in lower case.
    name: String,
    /// Names from the outermost argument inwards.
    path: Vec<String>,
}

/// The annotations in the input schema of one tool.
#[derive(Debug, Default)]
pub struct HeaderAnnotations {
    valid: Vec<HeaderArgument>,
    /// What is wrong with the first annotation that breaks the specification.
    problem: Option<String>,
}

const ANNOTATION: &str = "x-mcp-header";
/// The largest integer that a double represents exactly, as the specification demands.
const MAX_SAFE: i64 = (1 << 53) - 1;

// === impl HeaderAnnotations ===

impl HeaderAnnotations {
    /// Reads the annotations of an input schema.
    pub fn of(schema: Member<'_>) -> Self {
        let mut found = Self::default();
        if let Some(schema) = schema.value()
            // Most tools have no annotation, and a text search is cheaper than a walk. A name with
            // escapes is the same name.
            && (schema.as_str().contains(ANNOTATION) || schema.as_str().contains("\\u"))
        {
            found.collect(schema, Some(&mut Vec::new()));
        }
        found
    }

    /// Returns the annotated arguments, or what is wrong with an annotation. Clients must not use a
    /// tool with a wrong annotation.
    pub fn arguments(&self) -> Result<&[HeaderArgument], &str> {
        self.problem.as_deref().map_or(Ok(&self.valid), Err)
    }

    /// Compares the headers of a call with its arguments. A wrong annotation does not switch off
    /// the check of the others.
    pub fn check(&self, headers: &ParamHeaders, arguments: Member<'_>) -> Result<(), ErrorObject> {
        self.valid.iter().try_for_each(|argument| {
            let header = headers.iter().find(|(name, _)| *name == argument.name);
            let agrees = match (argument.value_in(arguments), header) {
                (None, None) => true,
                (Some(value), Some((_, header))) => says(header, value),
                (Some(_), None) | (None, Some(_)) => false,
            };
            if agrees {
                return Ok(());
            }
            let message = format!(
                "the header `Mcp-Param-{}` and the argument `{}` do not say the same",
                argument.name,
                argument.path.join(".")
            );
            Err(ErrorObject::new(code::HEADER_MISMATCH, message))
        })
    }

    /// Collects the annotations of a schema. `path` is the chain of `properties` that leads to it,
    /// or `None` if other keywords are on the way, which makes annotations invalid.
    fn collect(&mut self, schema: Json<'_>, mut path: Option<&mut Vec<String>>) {
        let annotation = schema.get(ANNOTATION);
        if !annotation.is_absent() {
            match self.argument(annotation, schema.get("type"), path.as_deref()) {
                Ok(argument) => self.valid.push(argument),
                Err(problem) => self.problem = self.problem.take().or(Some(problem)),
            }
        }
        for (key, value) in schema.members() {
            match &*key.name() {
                "properties" => {
                    for (name, property) in value.members() {
                        let Some(path) = path.as_deref_mut() else {
                            self.collect(property, None);
                            continue;
                        };
                        path.push(name.name().into_owned());
                        self.collect(property, Some(path));
                        path.pop();
                    }
                }
                "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
                    value.members().for_each(|(_, inner)| self.collect(inner, None));
                }
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                    value.elements().for_each(|inner| self.collect(inner, None));
                }
                // Older drafts allow a list of schemas here.
                "items" if value.is_array() => value.elements().for_each(|inner| self.collect(inner, None)),
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
                | "contentSchema" => self.collect(value, None),
                // Other keywords contain no schemas. What looks like an annotation in a `default`
                // is data.
                _ => {}
            }
        }
    }

    /// Checks one annotation.
    fn argument(
        &self,
        annotation: Member<'_>,
        types: Member<'_>,
        path: Option<&Vec<String>>,
    ) -> Result<HeaderArgument, String> {
        let path = path.filter(|path| !path.is_empty());
        let path = path.ok_or("an `x-mcp-header` stands where no chain of `properties` leads")?;
        let shown = path.join(".");
        let name = annotation.string();
        let name = name.ok_or_else(|| format!("the `x-mcp-header` of `{shown}` is not a string"))?;
        if name.is_empty() {
            return Err(format!("the `x-mcp-header` of `{shown}` is empty"));
        }
        if !name.bytes().all(is_token_byte) {
            return Err(format!("the `x-mcp-header` of `{shown}` can't be part of a header name"));
        }
        if !is_primitive(types) {
            return Err(format!(
                "`{shown}` has an `x-mcp-header` but is neither a string nor an integer nor a boolean"
            ));
        }
        let name = name.to_ascii_lowercase();
        if self.valid.iter().any(|other| other.name == name) {
            return Err(format!("two properties want the header `Mcp-Param-{name}`"));
        }
        Ok(HeaderArgument { name, path: path.clone() })
    }
}

// === impl HeaderArgument ===

impl HeaderArgument {
    /// Returns the part of the header's name after `Mcp-Param-`, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text for the header, before it is encoded. `None` if the argument is absent or
    /// null, or if a header can't contain it.
    pub fn text_in(&self, arguments: Member<'_>) -> Option<String> {
        self.value_in(arguments).and_then(as_text)
    }

    fn value_in<'a>(&self, arguments: Member<'a>) -> Option<Json<'a>> {
        self.path.iter().fold(arguments, |here, name| here.get(name)).value()
    }
}

/// Whether the schema's type is one that a header can repeat. A property that may be null is
/// omitted from the headers when it is null.
fn is_primitive(types: Member<'_>) -> bool {
    let primitive = |name: &str| matches!(name, "string" | "integer" | "boolean");
    match types {
        Member::Value(list) if list.is_array() => {
            let names: Vec<_> = list.elements().map(|name| name.string().unwrap_or_default()).collect();
            names.iter().any(|name| primitive(name))
                && names.iter().all(|name| primitive(name) || name == "null")
        }
        other => other.string().is_some_and(|name| primitive(&name)),
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

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

/// Whether a header says the same as a value. Numbers are compared by value: `42` and `42.0` are
/// the same integer.
fn says(header: &str, value: Json<'_>) -> bool {
    if let Some(text) = value.string() {
        return text == header;
    }
    if let Some(flag) = value.bool() {
        return header == if flag { "true" } else { "false" };
    }
    let Some(number) = value.number() else { return false };
    match (header.parse::<i64>(), value.integer()) {
        // Large integers that differ may be the same double.
        (Ok(header), Some(integer)) => header == integer,
        _ => header == value.as_str() || header.parse() == Ok(number),
    }
}

#[cfg(test)]
mod tests;
