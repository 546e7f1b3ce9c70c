//! `list_directory`: the entries of a directory, page by page.
use std::sync::Arc;

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Context, Tool, ToolError};
use serde_json::Value;

use super::super::FileServer;
use super::super::access::View;
use super::super::walk::Tally;
use super::super::work::Stop;
use super::aliases::{self, ALIASES};
use super::list_run::list;
use super::list_schema::{Input, Listing};
use super::reading::reading;
use super::scope_arguments::scope_arguments;
use super::walking::{Page, walked};

const NAME: &str = "list_directory";

const DESCRIPTION: &str =
    "List a directory. Returns path and type of each entry in a stable order, at most 200 per page.";

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let served = Arc::clone(server);
    let run = move |input: Input, context: Context| {
        let server = Arc::clone(&served);
        async move {
            let page = Page::of(input.limit, context.setting("find_limit")?);
            run(&server, input, page, context).await
        }
    };
    Tool::new(NAME, DESCRIPTION, run)
        .title("List a directory")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .rewrite(aliases::list_directory)
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some("List [{path}]".to_owned()),
            cli_equivalent: Some("overt call fs list_directory path={path}".to_owned()),
            examples: vec![Example::from_json(
                "What is in `src`",
                r#"{ "path": "src" }"#,
                r#"{
                    "path": "src",
                    "entries": [
                        { "path": "src/lib.rs", "type": "file" },
                        { "path": "src/main.rs", "type": "file" }
                    ],
                    "count": 2,
                    "total_count": 2,
                    "has_more": false,
                    "truncated": false,
                    "limit": 200
                }"#,
            )],
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            ..reading()
        })
}

/// Lists up to `most` entries in one walk, for callers without pages.
pub(in super::super) async fn every(
    server: &Arc<FileServer>,
    arguments: Value,
    most: usize,
    context: Context,
) -> Result<Value, ToolError> {
    let listing = run(server, serde_json::from_value(arguments)?, Page::first(most), context).await?;
    Ok(serde_json::to_value(listing)?)
}

async fn run(
    server: &Arc<FileServer>,
    input: Input,
    page: Page,
    context: Context,
) -> Result<Listing, ToolError> {
    let own = Arc::clone(server);
    let list = move |view: &View, stop: &Stop, tally: &Tally| {
        list(view, &input, page, &own.snapshots, (stop, tally))
    };
    walked(server, &context, list).await
}
