//! `find_files`: paths by name, kind, size and time. The order is that of the paths, and limits are applied after everything else (B-21).
use std::sync::Arc;

use overt_layers::record::{Effect, Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::space::{Kind, View};
use super::super::walk::{Found, Next, PathOrder, Smallest, Tally, Visit, Walk, walk};
use super::super::work::Stop;
use super::find_pattern::{Bounds, NamePattern};
use super::globs::Globs;
use super::known::{READING, known};
use super::located::located;
use super::params::{Limit, RootText, root_or_default};
use super::walking::{Case, FollowLinks, Hidden, NoIgnore, Offset, Page, Sort, is_zero, nanos, walked};

const NAME: &str = "find_files";

const DESCRIPTION: &str = "Use to find files and directories by name, kind, size or time. Gives their paths in order, directories with a `/` at \
     the end, at most 200 in one answer unless the server is set otherwise; `total_count` says how many there are and `next_offset` where to go \
     on. `pattern` is a regular expression over the name, or a glob such as `*.rs` with `glob`; with a `/` in it, it is over the path within \
     `root`. Leaves out hidden files and what `.gitignore` leaves out, unless asked. Use `search_files` for contents.";

/// What the tool takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A regular expression that is looked for in the name, or a glob that is the whole name, if `glob` is true. With a `/` in it, it is
    /// about the path within `root`. Left out, everything fits.
    #[serde(default)]
    pattern: String,
    /// Whether the pattern is a glob: `*` and `?` stop at a `/`, `**` does not.
    #[serde(default)]
    glob: bool,
    root: Option<RootText>,
    /// The kind of entry; `dir` is the same as `directory`.
    r#type: Option<EntryType>,
    /// Globs of what is left out, as in `.gitignore`: a directory that fits is not looked into.
    #[serde(default)]
    exclude: Vec<String>,
    /// How many levels to look: 1 is what is directly in `root`.
    #[schemars(range(min = 1))]
    max_depth: Option<u32>,
    /// The least size of a file in bytes.
    min_size: Option<u64>,
    /// The most.
    max_size: Option<u64>,
    /// Only what was last changed after this moment, such as `2026-05-08T10:00:00Z`.
    modified_after: Option<String>,
    /// Only what was last changed before this moment.
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
    #[serde(default)]
    offset: Offset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EntryType {
    File,
    Directory,
    Dir,
    Symlink,
    Other,
}

/// What the tool gives.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    /// The directory that was looked in.
    root: String,
    /// Paths as they can be given to other tools; directories end with `/`.
    matches: Vec<String>,
    /// How many are in this answer.
    count: usize,
    /// How many there are in all.
    total_count: u64,
    has_more: bool,
    /// The `offset` of the next answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Whether there is more than this answer has.
    truncated: bool,
    /// The limit that was in force.
    limit: usize,
    /// Hidden entries that were left out; `hidden` finds them.
    #[serde(skip_serializing_if = "is_zero")]
    hidden_count: u64,
    /// Entries that `.gitignore` and its kin left out; `no_ignore` finds them.
    #[serde(skip_serializing_if = "is_zero")]
    ignored_count: u64,
    /// Names that are not UTF-8 and can't be given.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable_names: u64,
    /// Directories that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable_directories: u64,
    /// Entries whose path would be longer than a path can be.
    #[serde(skip_serializing_if = "is_zero")]
    too_deep: u64,
    /// Links that lead nowhere or out of the roots; they are given as links.
    #[serde(skip_serializing_if = "is_zero")]
    dead_links: u64,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let served = Arc::clone(server);
    let run = move |input: Input, context: Context| {
        let server = Arc::clone(&served);
        async move {
            let page = Page::of(input.limit, input.offset, context.setting("find_limit")?);
            run(&server, input, page, context).await
        }
    };
    let own = [code::INVALID_PATTERN, code::INVALID_GLOB, code::INVALID_TIME];
    let codes = [&READING[..], &own].concat();
    Tool::new(NAME, DESCRIPTION, run)
        .title("Find files")
        .scope_arguments(located(server, &["root"]))
        .fails_with(codes.iter().copied())
        .declare(ToolRecord {
            idempotent: Some(true),
            category: Some("files".to_owned()),
            scopes: vec!["read:file:{root}".to_owned()],
            intent_template: Some("Find files[ named {pattern}][ in {root}]".to_owned()),
            cli_equivalent: Some("fd {pattern} {root}".to_owned()),
            examples: vec![Example {
                description: "Every Rust file in `src`".to_owned(),
                input: json!({ "pattern": "*.rs", "glob": true, "root": "src" }),
                output: Some(json!({
                    "root": "src",
                    "matches": ["src/lib.rs", "src/main.rs"],
                    "count": 2,
                    "total_count": 2,
                    "has_more": false,
                    "truncated": false,
                    "limit": 200,
                })),
            }],
            errors: known(&codes),
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            refusal_modes: Some(vec![
                "A root outside of every root of the server, or one that is not allowed".to_owned(),
            ]),
            ..ToolRecord::new(Effect::Read)
        })
}

/// Up to `most` in one walk, for those who give no pages.
pub(in super::super) async fn every(
    server: &Arc<FileServer>,
    arguments: Value,
    most: usize,
    context: Context,
) -> Result<Value, ToolError> {
    let page = Page { offset: 0, limit: most };
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
    let pattern = NamePattern::read(&input.pattern, input.glob, input.case_sensitive)?;
    let exclude = Globs::without(&input.exclude)?;
    let moment = |name, text: &Option<String>| text.as_deref().map(|text| nanos(name, text)).transpose();
    let bounds = Bounds {
        min_size: input.min_size,
        max_size: input.max_size,
        modified_after: moment("modified_after", &input.modified_after)?,
        modified_before: moment("modified_before", &input.modified_before)?,
    };
    let folder = view.folder(root_or_default(input.root.as_ref()))?;
    let root = view.shown(&folder.path);
    let options = Walk {
        view,
        stop,
        tally,
        hidden: input.hidden.0,
        ignore: !input.no_ignore.0,
        follow: input.follow.0,
        max_depth: input.max_depth.map_or(usize::MAX, |depth| usize::try_from(depth).unwrap_or(usize::MAX)),
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
    let (finders, seen) = walk(&options, folder, finder)?;
    let found = finders.into_iter().map(|finder| finder.found).reduce(Smallest::merge);
    let total_count = found.as_ref().map_or(0, |found| found.count);
    let found = found.map(Smallest::into_sorted).unwrap_or_default();
    let matches: Vec<String> = found.into_iter().skip(page.offset).map(|(_, path)| path.path()).collect();
    let end = page.offset + matches.len();
    let has_more = !matches.is_empty() && total_count > end as u64;
    Ok(Finding {
        root,
        count: matches.len(),
        matches,
        total_count,
        has_more,
        next_offset: has_more.then_some(end),
        truncated: has_more || page.offset > 0 || seen.is_partial(),
        limit: page.limit,
        hidden_count: seen.hidden,
        ignored_count: seen.ignored,
        unreadable_names: seen.unreadable_names,
        unreadable_directories: seen.unreadable_folders,
        too_deep: seen.too_deep,
        dead_links: seen.dead_links,
    })
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

impl Visit for Finder<'_> {
    fn visit(&mut self, found: &Found<'_>) -> Result<Next, FileError> {
        let needs_path = self.pattern.is_of_path() || !self.exclude.is_empty();
        if needs_path {
            found.relative(&mut self.relative);
        }
        if !self.exclude.is_empty() && self.exclude.leave_out(&self.relative, found.kind) {
            return Ok(Next::Beside);
        }
        if self.wanted.is_some_and(|wanted| !wanted.fits(found.kind)) {
            return Ok(Next::Into);
        }
        let text = if self.pattern.is_of_path() { &self.relative } else { found.name() };
        if !self.pattern.fits(text) {
            return Ok(Next::Into);
        }
        let mut key = 0;
        if !self.bounds.is_open() || self.sort != Sort::Name {
            // What is gone by now fits nothing.
            let Some(facts) = found.facts() else { return Ok(Next::Into) };
            if !self.bounds.fits(found.kind, &facts) {
                return Ok(Next::Into);
            }
            key = self.sort.key(Some(&facts));
        }
        let mut path = found.shown(self.view);
        if found.kind == Kind::Folder {
            path.push('/');
        }
        self.found.add((key, PathOrder::new(&path)));
        Ok(Next::Into)
    }
}

impl EntryType {
    fn fits(self, kind: Kind) -> bool {
        match self {
            Self::File => kind == Kind::File,
            Self::Directory | Self::Dir => kind == Kind::Folder,
            Self::Symlink => kind == Kind::Link,
            Self::Other => matches!(kind, Kind::Other(_)),
        }
    }
}

#[cfg(test)]
mod tests;
