//! Arguments that are repeated in HTTP headers (`x-mcp-header`). The headers must agree with the
//! body.
use overt_wire::ErrorObject;
use overt_wire::ParamHeaders;
use overt_wire::error::code;
use serde_json::Value;

/// The annotated properties of a tool: header name in lower case, and the path to the value.
#[derive(Debug, Default)]
pub struct Mirrored(Vec<(String, Vec<String>)>);

impl Mirrored {
    /// Collects the annotations of an input schema, or says which one is wrong.
    pub fn of(schema: &Value) -> Result<Self, String> {
        let mut found = Self::default();
        found.collect(schema, &mut Vec::new())?;
        let mut names: Vec<&String> = found.0.iter().map(|(name, _)| name).collect();
        names.sort();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("two properties have the `x-mcp-header` `{}`", pair[0])),
            None => Ok(found),
        }
    }

    fn collect(&mut self, schema: &Value, path: &mut Vec<String>) -> Result<(), String> {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
        for (name, property) in properties {
            path.push(name.clone());
            if let Some(header) = property.get("x-mcp-header") {
                let header = header.as_str().filter(|header| is_token(header));
                let header =
                    header.ok_or_else(|| format!("the `x-mcp-header` of `{name}` is not a header name"))?;
                let kind = property.get("type").and_then(Value::as_str);
                if !matches!(kind, Some("string" | "integer" | "boolean")) {
                    return Err(format!(
                        "`{name}` has an `x-mcp-header` but is not a string, integer or boolean"
                    ));
                }
                self.0.push((header.to_ascii_lowercase(), path.clone()));
            }
            self.collect(property, path)?;
            path.pop();
        }
        Ok(())
    }

    /// Compares the headers of a call with its arguments.
    pub fn check(&self, headers: &ParamHeaders, arguments: &Value) -> Result<(), ErrorObject> {
        for (name, path) in &self.0 {
            let header = headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str());
            let value = path
                .iter()
                .try_fold(arguments, |value, step| value.get(step))
                .filter(|value| !value.is_null());
            let agree = match (value, header) {
                (None, None) => true,
                (Some(value), Some(header)) => says(header, value),
                (Some(_), None) | (None, Some(_)) => false,
            };
            if !agree {
                return Err(ErrorObject::new(
                    code::HEADER_MISMATCH,
                    format!(
                        "the header `Mcp-Param-{name}` and the argument `{}` do not say the same",
                        path.join(".")
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn says(header: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => text == header,
        Value::Bool(flag) => header == if *flag { "true" } else { "false" },
        // Numbers are compared by value: `42` and `42.0` are the same integer.
        Value::Number(number) => {
            header == number.to_string()
                || header.parse::<f64>().ok().is_some_and(|header| Some(header) == number.as_f64())
        }
        _ => false,
    }
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
