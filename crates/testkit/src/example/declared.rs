//! The declarations of the example server about itself and some of its tools and resources.
use overt_layers::record::{
    Effect, Example, Invocation, KnownError, PiiExposure, ResourceRecord, SecretsExposure, ServerRecord,
    ToolRecord, Trouble,
};
use serde_json::json;

pub(super) fn server() -> ServerRecord {
    ServerRecord {
        emoji: Some("🧪".into()),
        when_to_use: vec![
            "Try a client against a server that has one of everything".into(),
            "Add two numbers, or get a text back".into(),
        ],
        not_for: vec!["Real work: nothing here does any".into()],
        invocation: Some(Invocation {
            model_invocable: Some(true),
            user_invocable: Some(true),
            ..Invocation::default()
        }),
        best_practices: vec!["Call `echo` first to see that the connection works".into()],
        troubleshooting: vec![Trouble {
            problem: "A tool that asks never answers".into(),
            cause: "The client doesn't support the kind of question".into(),
            solution: "Use a client with elicitation, sampling and roots".into(),
        }],
        categories: vec!["testing".into()],
        license: Some("MIT OR Apache-2.0".into()),
        registry_name: Some("dev.overt/example".into()),
        ..ServerRecord::new(
            "A server with one of everything, for tests of clients and of Overt itself. Use when a client must be tried.",
        )
    }
}

pub(super) fn echo() -> ToolRecord {
    ToolRecord {
        category: Some("basics".into()),
        cli_equivalent: Some("printf %s {message}".into()),
        examples: vec![Example {
            description: "Get a greeting back".into(),
            input: json!({"message": "hello"}),
            output: None,
        }],
        intent_template: Some("Send back {message}".into()),
        ..harmless()
    }
}

pub(super) fn add() -> ToolRecord {
    ToolRecord {
        category: Some("basics".into()),
        examples: vec![Example {
            description: "Add two numbers".into(),
            input: json!({"a": 2, "b": 40}),
            output: Some(json!({"sum": 42.0})),
        }],
        ..harmless()
    }
}

pub(super) fn always_fails() -> ToolRecord {
    ToolRecord {
        category: Some("errors".into()),
        errors: vec![KnownError {
            code: "EXAMPLE_FAILURE".into(),
            description: "It always fails".into(),
            resolution: "Call another tool".into(),
        }],
        ..harmless()
    }
}

pub(super) fn write_note() -> ToolRecord {
    ToolRecord {
        category: Some("notes".into()),
        intent_template: Some("Write the note {name}: {text}".into()),
        scopes: vec!["write:note:{name}".into()],
        ..ToolRecord::new(Effect::Mutating)
    }
}

/// Returns the record of a tool that only reads and exposes nothing.
fn harmless() -> ToolRecord {
    ToolRecord {
        pii_exposure: Some(PiiExposure::None),
        secrets_exposure: Some(SecretsExposure::None),
        refusal_modes: Some(Vec::new()),
        ..ToolRecord::new(Effect::Read)
    }
}

pub(super) fn fixed_text() -> ResourceRecord {
    ResourceRecord {
        resource_type: Some("text".into()),
        refreshable: Some(false),
        cache_duration: Some(3600),
        ..ResourceRecord::default()
    }
}
