//! The arguments of listed tools that a modern client repeats in headers (`x-mcp-header`).
use std::collections::HashMap;

use hyper::header::{HeaderMap, HeaderName};
use overt_wire::json::{Json, Member};
use overt_wire::param_headers::{HeaderAnnotations, HeaderArgument};

use super::headers;

/// The listed tools of one server that want arguments in headers.
#[derive(Debug, Default)]
pub(super) struct Mirrors(HashMap<String, Vec<Mirror>>);

/// One argument that is repeated in a header.
#[derive(Debug)]
struct Mirror {
    header: HeaderName,
    argument: HeaderArgument,
}

/// The most annotated tools of a server. Calls of further tools get no headers, which the server
/// reports.
const MAX_TOOLS: usize = 10_000;

// === impl Mirrors ===

impl Mirrors {
    /// Learns the annotations from a page of `tools/list`. The first page replaces all earlier
    /// ones.
    pub(super) fn learn(&mut self, result: Json<'_>, first_page: bool) {
        if first_page {
            self.0.clear();
        }
        for tool in result.get("tools").value().into_iter().flat_map(Json::elements) {
            let (Some(name), Ok(arguments)) = (tool.get("name").string(), arguments_of(tool)) else {
                continue;
            };
            let mirrors: Vec<Mirror> = arguments.into_iter().filter_map(Mirror::of).collect();
            if !mirrors.is_empty() && self.0.len() < MAX_TOOLS {
                self.0.insert(name.into_owned(), mirrors);
            }
        }
    }

    /// Adds the headers for a call.
    pub(super) fn add_to(&self, headers: &mut HeaderMap, params: Member<'_>) {
        let Some(mirrors) = params.get("name").string().and_then(|name| self.0.get(&*name)) else { return };
        for mirror in mirrors {
            if let Some(value) = mirror.argument.text_in(params.get("arguments")) {
                headers::put(headers, mirror.header.clone(), &value);
            }
        }
    }
}

impl Mirror {
    fn of(argument: HeaderArgument) -> Option<Self> {
        let header = HeaderName::try_from(format!("mcp-param-{}", argument.name())).ok()?;
        Some(Self { header, argument })
    }
}

/// Returns the arguments that a tool wants repeated, or what is wrong with its annotations.
pub(super) fn arguments_of(tool: Json<'_>) -> Result<Vec<HeaderArgument>, String> {
    HeaderAnnotations::of(tool.get("inputSchema")).checked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_headers() {
        let list = r#"{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},
            "null":{"type":["string","null"],"x-mcp-header":"Null"}}}}]}"#;
        let mut mirrors = Mirrors::default();
        mirrors.learn(Json::parse(list).unwrap(), true);
        let params = Json::parse(r#"{"name":"t","arguments":{"region":"süd","null":null}}"#).unwrap();
        let mut headers = HeaderMap::new();
        mirrors.add_to(&mut headers, Member::Value(params));
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(headers, [("mcp-param-region", &b"=?base64?c8O8ZA==?="[..])]);
    }
}
