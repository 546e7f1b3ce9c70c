//! The dashdash object on a tool (D-15 to D-20).
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Description;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::Members;
use overt_policy::record::{Effect, Example, KnownError, Operation, ToolRecord};

/// What dashdash says about a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "dashdash tool object")]
pub struct ToolObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_type: Option<Operation>,
    /// Calling it twice does no more than calling it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The same, if the caller gives a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_with_key: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub side_effects: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// The tool of the same server that undoes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_method: Option<String>,
    /// A command with `{parameter}` placeholders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_equivalent: Option<String>,
    /// `METHOD /path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_equivalent: Option<String>,
    /// Only where it differs from the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ExampleObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorObject>,
}

/// A call and what comes back.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExampleObject {
    pub description: String,
    pub input: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// An error, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorObject {
    pub code: String,
    pub description: String,
    pub resolution: String,
}

impl ToolObject {
    pub fn of(record: &ToolRecord, description: &Description) -> Self {
        Self {
            category: record.category.clone(),
            operation_type: record.operation(),
            // Reading twice does no more than reading once.
            idempotent: record.idempotent.or((record.effect == Some(Effect::Read)).then_some(true)),
            idempotent_with_key: record.idempotent_with_key,
            side_effects: record.side_effects.clone(),
            reversible: record.reversible,
            reverse_method: record.reverse_method.clone(),
            cli_equivalent: record.cli_equivalent.clone(),
            api_equivalent: record.api_equivalent.clone(),
            rate_limit: record
                .rate_limit
                .filter(|limit| Some(*limit) != description.server.rate_limit)
                .map(|limit| limit.to_string()),
            examples: record.examples.iter().cloned().map(ExampleObject::from).collect(),
            errors: record.errors.iter().cloned().map(ErrorObject::from).collect(),
        }
    }

    /// Reads all well-formed members, and reports the malformed ones. Unknown members are ignored.
    pub fn read(value: &Value) -> (Self, Findings) {
        let mut findings = Findings::default();
        let object = Members::of(value, Pointer::root(), &mut findings).map(|mut members| read(&mut members));
        (object.unwrap_or_default(), findings)
    }
}

fn read(members: &mut Members<'_, '_>) -> ToolObject {
    let object = ToolObject {
        category: members.text("category"),
        operation_type: members.word("operationType"),
        idempotent: members.flag("idempotent"),
        idempotent_with_key: members.flag("idempotentWithKey"),
        side_effects: members.texts("sideEffects").unwrap_or_default(),
        reversible: members.flag("reversible"),
        reverse_method: members.text("reverseMethod"),
        cli_equivalent: members.text("cliEquivalent"),
        api_equivalent: members.text("apiEquivalent"),
        rate_limit: members.text("rateLimit"),
        examples: members.objects("examples", example).unwrap_or_default(),
        errors: members.objects("errors", error).unwrap_or_default(),
    };
    if object.reversible == Some(false) && object.reverse_method.is_some() {
        members.error("reverseMethod", "is there although `reversible` is `false`", "remove one of the two");
    }
    object
}

fn example(members: &mut Members<'_, '_>) -> Option<ExampleObject> {
    let description = members.required_text("description", "say what the example shows");
    let input = members.raw("input").cloned();
    if input.is_none() {
        members.missing("input", "write the arguments of the call");
    }
    Some(ExampleObject { description: description?, input: input?, output: members.raw("output").cloned() })
}

fn error(members: &mut Members<'_, '_>) -> Option<ErrorObject> {
    let code = members.required_text("code", "write the word that programs see, such as `NOT_FOUND`");
    let description = members.required_text("description", "say what went wrong");
    let resolution = members.required_text("resolution", "say what to do about it");
    Some(ErrorObject { code: code?, description: description?, resolution: resolution? })
}

impl From<Example> for ExampleObject {
    fn from(Example { description, input, output }: Example) -> Self {
        Self { description, input, output }
    }
}

impl From<ExampleObject> for Example {
    fn from(ExampleObject { description, input, output }: ExampleObject) -> Self {
        Self { description, input, output }
    }
}

impl From<KnownError> for ErrorObject {
    fn from(KnownError { code, description, resolution }: KnownError) -> Self {
        Self { code, description, resolution }
    }
}

impl From<ErrorObject> for KnownError {
    fn from(ErrorObject { code, description, resolution }: ErrorObject) -> Self {
        Self { code, description, resolution }
    }
}
