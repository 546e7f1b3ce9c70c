//! `find_files`: paths by name, kind, size and time. Results are sorted by path, and limits are
//! applied after everything else (B-21).
use std::sync::Arc;

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::FileServer;
use super::super::access::{Kind, View};
use super::super::error::{FileError, code};
use super::super::walk::{PathOrder, Smallest, Tally, Visitor, Walk, WalkEntry, WalkStep, walk};
use super::super::work::Stop;
use super::aliases::{self, ALIASES};
use super::cursor::{read_offset, write_offset};
use super::find_pattern::{Bounds, NamePattern, Syntax};
use super::globs::Globs;
use super::known_errors::described;
use super::params::{Cursor, Depth, Limit, PathText, path_or_default};
use super::reading::reading;
use super::scope_arguments::scope_arguments;
use super::walking::{Case, FollowLinks, Hidden, NoIgnore, Page, Sort, is_zero, nanos, walked};

const NAME: &str = "find_files";

const DESCRIPTION: &str = "Find files and directories by name, type, size or time; to find text in files use `search_files`. Returns sorted paths \
     (directories end in `/`) and `total_count`; at most 200 per page.";

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Glob or regular expression for the name, or for the path below `path` if it has a `/`.
    #[serde(default)]
    pattern: String,
    /// Left out: a pattern that looks like a glob is one.
    syntax: Option<Syntax>,
    path: Option<PathText>,
    r#type: Option<EntryType>,
    /// Globs to skip.
    #[serde(default)]
    exclude: Vec<String>,
    max_depth: Option<Depth>,
    /// Bytes.
    min_size: Option<u64>,
    max_size: Option<u64>,
    /// RFC 3339.
    modified_after: Option<String>,
    modified_before: Option<String>,
    #[serde(default)]
    case_sensitive: Case,
    #[serde(default)]
    hidden: Hidden,
    #[serde(default)]
    no_ignore: NoIgnore,
    #[serde(default)]
    follow: FollowLinks,
    #[serde(default)]
    sort: Sort,
    limit: Option<Limit>,
    cursor: Option<Cursor>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EntryType {
    File,
    Directory,
    Symlink,
    Other,
}

/// What the tool gives.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    path: String,
    matches: Vec<String>,
    count: usize,
    /// Matches on all pages.
    total_count: u64,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    truncated: bool,
    /// The limit that was applied.
    limit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    hidden_count: u64,
    #[serde(skip_serializing_if = "is_zero")]
    ignored_count: u64,
    #[serde(skip_serializing_if = "is_zero")]
    unreadable_names: u64,
    #[serde(skip_serializing_if = "is_zero")]
    unreadable_directories: u64,
    #[serde(skip_serializing_if = "is_zero")]
    too_deep: u64,
    /// Links that lead nowhere or out of the roots.
    #[serde(skip_serializing_if = "is_zero")]
    dead_links: u64,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let served = Arc::clone(server);
    let run = move |input: Input, context: Context| {
        let server = Arc::clone(&served);
        async move {
            let page = Page::of(input.limit, context.setting("find_limit")?);
            run(&server, input, page, context).await
        }
    };
    let own = [code::INVALID_PATTERN, code::INVALID_GLOB, code::INVALID_TIME];
    Tool::new(NAME, DESCRIPTION, run)
        .title("Find files")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .rewrite(aliases::find_files)
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some("Find files[ named {pattern}][ in {path}]".to_owned()),
            cli_equivalent: Some("overt call fs find_files pattern={pattern} path={path}".to_owned()),
            examples: vec![Example::from_json(
                "Every Rust file in `src`",
                r#"{ "pattern": "*.rs", "path": "src" }"#,
                r#"{
                    "path": "src",
                    "matches": ["src/lib.rs", "src/main.rs"],
                    "count": 2,
                    "total_count": 2,
                    "has_more": false,
                    "truncated": false,
                    "limit": 200
                }"#,
            )],
            errors: described(&own),
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            ..reading()
        })
}

/// Finds up to `most` paths in one walk, for callers without pages.
pub(in super::super) async fn every(
    server: &Arc<FileServer>,
    arguments: Value,
    most: usize,
    context: Context,
) -> Result<Value, ToolError> {
    let page = Page::first(most);
    let found = run(server, serde_json::from_value(arguments)?, page, context).await?;
    Ok(serde_json::to_value(found)?)
}

async fn run(
    server: &Arc<FileServer>,
    input: Input,
    page: Page,
    context: Context,
) -> Result<Finding, ToolError> {
    walked(server, &context, move |view, stop, tally| find(view, &input, page, stop, tally)).await
}

fn find(view: &View, input: &Input, page: Page, stop: &Stop, tally: &Tally) -> Result<Finding, FileError> {
    let pattern = NamePattern::read(&input.pattern, input.syntax, input.case_sensitive)?;
    let terms = input.terms();
    let page = Page { offset: read_offset(input.cursor.as_deref(), &terms)?, ..page };
    let exclude = Globs::without(&input.exclude)?;
    let moment = |name, text: &Option<String>| text.as_deref().map(|text| nanos(name, text)).transpose();
    let bounds = Bounds {
        min_size: input.min_size,
        max_size: input.max_size,
        modified_after: moment("modified_after", &input.modified_after)?,
        modified_before: moment("modified_before", &input.modified_before)?,
    };
    let folder = view.folder(path_or_default(input.path.as_ref()))?;
    let path = view.shown(&folder.path);
    let options = Walk {
        view,
        stop,
        tally,
        hidden: input.hidden.0,
        ignore: !input.no_ignore.0,
        follow: input.follow.0,
        max_depth: input.max_depth.map_or(usize::MAX, Depth::get),
    };
    let finder = || Finder {
        view,
        wanted: input.r#type,
        pattern: pattern.clone(),
        exclude: exclude.clone(),
        bounds,
        sort: input.sort,
        relative: String::new(),
        found: Smallest::new(page.end()),
    };
    let (finders, totals) = walk(&options, folder, finder)?;
    let found = finders.into_iter().map(|finder| finder.found).reduce(Smallest::merge);
    let total_count = found.as_ref().map_or(0, |found| found.count);
    let found = found.map(Smallest::into_sorted).unwrap_or_default();
    let matches: Vec<String> = found.into_iter().skip(page.offset).map(|(_, path)| path.path()).collect();
    let end = page.offset + matches.len();
    let has_more = !matches.is_empty() && total_count > end as u64;
    Ok(Finding {
        path,
        count: matches.len(),
        matches,
        total_count,
        has_more,
        next_cursor: has_more.then(|| write_offset(end, &terms)),
        truncated: has_more || page.offset > 0 || totals.is_partial(),
        limit: page.limit,
        note: page.note(),
        hidden_count: totals.hidden,
        ignored_count: totals.ignored,
        unreadable_names: totals.unreadable_names,
        unreadable_directories: totals.unreadable_folders,
        too_deep: totals.too_deep,
        dead_links: totals.dead_links,
    })
}

impl Input {
    /// The arguments that must be the same on the next page, as text.
    fn terms(&self) -> String {
        format!(
            "{:?}",
            (
                (&self.pattern, self.syntax, &self.path, self.r#type, &self.exclude, self.max_depth),
                (self.min_size, self.max_size, &self.modified_after, &self.modified_before),
                (self.case_sensitive, self.hidden, self.no_ignore, self.follow, self.sort),
            )
        )
    }
}

struct Finder<'a> {
    view: &'a View,
    wanted: Option<EntryType>,
    pattern: NamePattern,
    exclude: Globs,
    bounds: Bounds,
    sort: Sort,
    relative: String,
    found: Smallest<(i128, PathOrder)>,
}

impl Visitor for Finder<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) -> Result<WalkStep, FileError> {
        let needs_path = self.pattern.is_of_path() || !self.exclude.is_empty();
        if needs_path {
            found.relative(&mut self.relative);
        }
        if !self.exclude.is_empty() && self.exclude.leave_out(&self.relative, found.kind) {
            return Ok(WalkStep::Beside);
        }
        if self.wanted.is_some_and(|wanted| !wanted.fits(found.kind)) {
            return Ok(WalkStep::Into);
        }
        let text = if self.pattern.is_of_path() { &self.relative } else { found.name() };
        if !self.pattern.fits(text) {
            return Ok(WalkStep::Into);
        }
        let mut key = 0;
        if !self.bounds.is_open() || self.sort != Sort::Name {
            // An entry that no longer exists does not match.
            let Some(facts) = found.facts() else { return Ok(WalkStep::Into) };
            if !self.bounds.fits(found.kind, &facts) {
                return Ok(WalkStep::Into);
            }
            key = self.sort.key(Some(&facts));
        }
        let mut path = found.shown(self.view);
        if found.kind == Kind::Folder {
            path.push('/');
        }
        self.found.add((key, PathOrder::new(&path)));
        Ok(WalkStep::Into)
    }
}

impl EntryType {
    fn fits(self, kind: Kind) -> bool {
        match self {
            Self::File => kind == Kind::File,
            Self::Directory => kind == Kind::Folder,
            Self::Symlink => kind == Kind::Link,
            Self::Other => matches!(kind, Kind::Other(_)),
        }
    }
}

#[cfg(test)]
mod tests;
