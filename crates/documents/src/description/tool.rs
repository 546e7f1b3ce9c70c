//! Checks the declaration of a tool (D-15 to D-20), and finds everything that contradicts the
//! running server.
use std::collections::BTreeSet;

use jsonschema::Validator;
use overt_policy::json_schema::{self, PatternSize};
use serde_json::Value;

use super::{effect, placeholder};
use crate::card::is_version;
use crate::live::LiveTool;
use overt_intent::Template;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::brief;
use overt_policy::record::{Example, KnownError, ToolRecord};

pub(super) fn check(
    record: &ToolRecord,
    live: &LiveTool,
    exists: &dyn Fn(&str) -> bool,
    at: &Pointer,
    findings: &mut Findings,
) {
    effect::check(record, &live.hints, at, findings);
    check_reverse(record, live, exists, at, findings);
    for (name, text) in
        [("cli_equivalent", &record.cli_equivalent), ("api_equivalent", &record.api_equivalent)]
    {
        if let Some(text) = text {
            check_placeholders(text, live, &at.join(name), findings);
        }
    }
    if let Some(template) = &record.intent_template {
        for found in Template::parse(template).lint(live.input_schema()) {
            findings.push(found.severity, at.join("intent_template"), found.problem, found.fix);
        }
    }
    if record.api_equivalent.as_deref().is_some_and(|api| !is_request(api)) {
        findings.error(
            at.join("api_equivalent"),
            "is not a request",
            "write a method and a path, such as `POST /projects`",
        );
    }
    if record.version.as_deref().is_some_and(|version| !is_version(version)) {
        findings.error(at.join("version"), "is not a version", "write three numbers, such as `1.4.0`");
    }
    check_examples(&record.examples, live, &at.join("examples"), findings);
    check_errors(&record.errors, live.error_codes.as_ref(), &at.join("errors"), findings);
}

/// Checks that the tool that undoes this one exists and is another one (D-16).
fn check_reverse(
    record: &ToolRecord,
    live: &LiveTool,
    exists: &dyn Fn(&str) -> bool,
    at: &Pointer,
    findings: &mut Findings,
) {
    let Some(reverse) = &record.reverse_method else { return };
    let at = at.join("reverse_method");
    if record.reversible == Some(false) {
        findings.error(at, "is there although `reversible` is `false`", "remove one of the two");
    } else if *reverse == live.name {
        findings.error(at, "is the tool itself", "name the tool that undoes it");
    } else if !exists(reverse) {
        let problem = format!("names `{}`, which the server does not have", brief(reverse));
        findings.error(at, problem, "name a tool of this server, or leave it out");
    }
}

/// Checks that every placeholder is a parameter (D-17).
fn check_placeholders(text: &str, live: &LiveTool, at: &Pointer, findings: &mut Findings) {
    let parameters: BTreeSet<&str> = live.parameters().collect();
    for name in placeholder::names(text).filter(|name| !parameters.contains(name)) {
        let all: Vec<String> = parameters.iter().map(|name| format!("`{{{name}}}`")).collect();
        let fix = match all.len() {
            0 => "remove it: the tool takes no parameters".to_owned(),
            _ => format!("use one of {}", all.join(", ")),
        };
        findings.error(
            at.clone(),
            format!("has `{{{}}}`, which is not a parameter of the tool", brief(name)),
            fix,
        );
    }
}

/// Checks that every example is a call that the tool accepts, with a possible result (D-19).
fn check_examples(examples: &[Example], live: &LiveTool, at: &Pointer, findings: &mut Findings) {
    if examples.is_empty() {
        return;
    }
    let input = compile(live.input_schema());
    let output = live.output_schema().and_then(compile);
    for (index, example) in examples.iter().enumerate() {
        let at = at.index(index);
        check_value(input.as_ref(), &example.input, "the tool's input schema", &at.join("input"), findings);
        if let Some(value) = &example.output {
            check_value(output.as_ref(), value, "the tool's output schema", &at.join("output"), findings);
        }
    }
}

fn check_value(schema: Option<&Validator>, value: &Value, what: &str, at: &Pointer, findings: &mut Findings) {
    const MOST: usize = 5;
    let Some(schema) = schema else { return };
    for error in schema.iter_errors(value).take(MOST) {
        let inside = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
        findings.error(
            at.append(&inside),
            format!("does not fit {what}: {}", brief(&error.to_string())),
            "correct the example",
        );
    }
}

/// Compiles a schema. One that can't be compiled checks nothing (CARD-10).
fn compile(schema: &Value) -> Option<Validator> {
    json_schema::compile(schema, PatternSize::Usual).ok()
}

/// Checks that no code is described twice. If the codes of the tool are known, the descriptions
/// must cover exactly those (D-20).
fn check_errors(
    errors: &[KnownError],
    known: Option<&BTreeSet<String>>,
    at: &Pointer,
    findings: &mut Findings,
) {
    let mut seen = BTreeSet::new();
    for (index, error) in errors.iter().enumerate() {
        let at = at.index(index).join("code");
        if !seen.insert(error.code.as_str()) {
            findings.error(at, format!("`{}` is there twice", brief(&error.code)), "describe each code once");
        } else if known.is_some_and(|known| !known.contains(&error.code)) {
            let problem = format!("the tool can't answer with `{}`", brief(&error.code));
            findings.error(at, problem, "remove it, or name it among the codes that the tool answers with");
        }
    }
    for code in known.into_iter().flatten().filter(|code| !seen.contains(code.as_str())) {
        let problem = format!("say nothing of `{}`, which the tool can answer with", brief(code));
        findings.error(at.clone(), problem, "describe it: `code`, `description` and `resolution`");
    }
}

/// Returns whether the text has the form `METHOD /path` or `METHOD https://…`.
fn is_request(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(method, path)| {
        !method.is_empty()
            && method.bytes().all(|byte| byte.is_ascii_uppercase())
            && (path.starts_with('/') || path.starts_with("https://") || path.starts_with("http://"))
    })
}
