//! `search_files`: contents by a pattern. The result does not depend on the number of threads
//! (G-21), and is cut to a summary if it would be too large (B-15).
use std::sync::Arc;

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Context, Tool, ToolError};

use super::super::FileServer;
use super::super::error::code;
use super::aliases::{self, ALIASES};
use super::known_errors::described;
use super::reading::reading;
use super::scope_arguments::scope_arguments;
use super::search_run::{SearchLimits, search};
use super::search_schema::{Input, Searching};
use super::walking::{Page, walked};

const NAME: &str = "search_files";

const DESCRIPTION: &str = "Search text in files by regular expression; to find files by name use `find_files`. Returns matching lines per file, \
     numbered from 1. If there are too many, `mode` is `reduced` (first lines of each file) or `summary` (files with most matches): narrow \
     the search.";

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let served = Arc::clone(server);
    let run = move |input: Input, context: Context| {
        let server = Arc::clone(&served);
        async move { run(&server, input, context).await }
    };
    let own = [code::INVALID_PATTERN, code::INVALID_GLOB];
    Tool::new(NAME, DESCRIPTION, run)
        .title("Search in files")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .rewrite(aliases::search_files)
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some("Search for {pattern}[ in {path}]".to_owned()),
            cli_equivalent: Some("overt call fs search_files pattern={pattern} path={path}".to_owned()),
            examples: vec![Example::from_json(
                "Where `main` begins",
                r#"{ "pattern": "fn main", "include": ["*.rs"] }"#,
                r#"{
                    "path": ".",
                    "mode": "full",
                    "files": [{
                        "path": "src/main.rs",
                        "match_count": 1,
                        "lines": [{ "line": 3, "text": "fn main() {", "ranges": [[0, 7]] }]
                    }],
                    "count": 1,
                    "total_count": 1,
                    "match_count": 1,
                    "has_more": false,
                    "truncated": false,
                    "limit": 200,
                    "files_searched": 2
                }"#,
            )],
            errors: described(&own),
            pii_exposure: Some(PiiExposure::High),
            secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
            ..reading()
        })
}

async fn run(server: &Arc<FileServer>, input: Input, context: Context) -> Result<Searching, ToolError> {
    let limits = SearchLimits {
        page: Page::of(input.limit, context.setting("find_limit")?),
        bytes: context.setting("search_max_bytes")?,
        summary: context.setting("search_summary_top")?,
    };
    walked(server, &context, move |view, stop, tally| search(view, &input, &limits, stop, tally)).await
}

#[cfg(test)]
mod tests;
