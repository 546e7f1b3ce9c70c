//! Runs `search_files`: walks the tree, and searches each file where it is found.
use super::super::access::{Kind, OpenFile, View};
use super::super::error::{FileError, code};
use super::super::search::{Budget, FileSearch, Gather, Hits, Pattern, PatternOptions, Room, Stage, Verdict};
use super::super::walk::{PathOrder, Smallest, Tally, Visitor, Walk, WalkEntry, WalkStep, WalkTotals, walk};
use super::super::work::Stop;
use super::cursor::{read_offset, write_offset};
use super::globs::Globs;
use super::params::path_or_default;
use super::search_schema::{FileMatches, Input, Mode, OutputForm, Searching};
use super::walking::{Case, Page};

/// Limits on the result of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchLimits {
    pub(super) page: Page,
    /// Maximum size of the answer in bytes. Beyond it, the answer has less of each file.
    pub(super) bytes: u64,
    /// The number of files that a summary names.
    pub(super) summary: u64,
}

pub(super) fn search(
    view: &View,
    input: &Input,
    limits: &SearchLimits,
    stop: &Stop,
    tally: &Tally,
) -> Result<Searching, FileError> {
    let budget = Budget::new(stop);
    let pattern = pattern(input)?;
    let globs = Globs::of_both(&input.include, &input.exclude)?;
    let terms = input.terms();
    let limits = &SearchLimits {
        page: Page { offset: read_offset(input.cursor.as_deref(), &terms)?, ..limits.page },
        ..*limits
    };
    let room = Room::new(limits.bytes);
    let searcher = || Search {
        view,
        globs: &globs,
        form: input.output,
        files: FileSearch::new(&pattern, &budget),
        budget: &budget,
        room: &room,
        relative: String::new(),
        gather: Gather::new(&room, usize::try_from(limits.summary).unwrap_or(usize::MAX)),
        listed: Smallest::new(limits.page.end()),
        counts: Counts::default(),
    };
    let text = path_or_default(input.path.as_ref());
    let (searchers, seen, path) = match view.folder(text) {
        Ok(folder) => {
            let path = view.shown(&folder.path);
            let options = Walk {
                view,
                stop,
                tally,
                hidden: input.hidden.0,
                ignore: !input.no_ignore.0,
                follow: input.follow.0,
                max_depth: usize::MAX,
            };
            let (searchers, seen) = walk(&options, folder, searcher)?;
            (searchers, seen, path)
        }
        // `path` may also be a single file.
        Err(error) if error.code == code::NOT_A_FOLDER => {
            let file = view.file(text)?;
            let (mut search, path) = (searcher(), view.shown(&file.path));
            search.file(&path, file)?;
            (vec![search], WalkTotals::default(), path)
        }
        Err(error) => return Err(error),
    };
    let mut searchers = searchers.into_iter();
    let Some(first) = searchers.next() else { return Ok(Searching { path, ..Searching::default() }) };
    let all = searchers.fold(first, Search::merge);
    Ok(all.answer(path, limits.page, &seen, &terms))
}

fn pattern(input: &Input) -> Result<Pattern, FileError> {
    let lines = |count: u32| usize::try_from(input.context.unwrap_or(count)).unwrap_or(0);
    Pattern::compile(&PatternOptions {
        pattern: &input.pattern,
        literal: input.literal,
        case_sensitive: match input.case_sensitive {
            Case::Auto => None,
            Case::Sensitive => Some(true),
            Case::Insensitive => Some(false),
        },
        multiline: input.multiline,
        before: lines(input.before_context),
        after: lines(input.after_context),
        max_count: input.max_count,
    })
}

/// The visitor of one thread.
struct Search<'a> {
    view: &'a View,
    globs: &'a Globs,
    form: OutputForm,
    files: FileSearch<'a>,
    budget: &'a Budget,
    room: &'a Room,
    relative: String,
    /// Hits with lines.
    gather: Gather<'a>,
    /// Files with their number of matches.
    listed: Smallest<(PathOrder, u64)>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    searched: u64,
    matches: u64,
    binary: u64,
    part: u64,
    special: u64,
    unreadable: u64,
}

impl Visitor for Search<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) -> Result<WalkStep, FileError> {
        if self.budget.is_over() {
            return Ok(WalkStep::Beside);
        }
        if !self.globs.is_empty() {
            found.relative(&mut self.relative);
            if self.globs.leave_out(&self.relative, found.kind) {
                return Ok(WalkStep::Beside);
            }
        }
        match found.kind {
            Kind::File => match found.file() {
                Ok(file) => self.file_at(found, file)?,
                Err(_) => self.counts.unreadable += 1,
            },
            Kind::Other(_) => self.counts.special += 1,
            Kind::Folder | Kind::Link => {}
        }
        Ok(WalkStep::Into)
    }
}

impl Search<'_> {
    fn file_at(&mut self, found: &WalkEntry<'_>, file: OpenFile) -> Result<(), FileError> {
        let Some(hits) = self.hits(file)? else { return Ok(()) };
        self.add(&found.shown(self.view), hits);
        Ok(())
    }

    fn file(&mut self, shown: &str, file: OpenFile) -> Result<(), FileError> {
        let Some(hits) = self.hits(file)? else { return Ok(()) };
        self.add(shown, hits);
        Ok(())
    }

    fn hits(&mut self, file: OpenFile) -> Result<Option<Hits>, FileError> {
        if self.view.check_links(&file.facts, "").is_err() {
            self.counts.unreadable += 1;
            return Ok(None);
        }
        self.counts.searched += 1;
        if file.facts.size == 0 {
            return Ok(None);
        }
        let verdict = match self.form {
            OutputForm::Content => self.files.lines(file, self.room),
            OutputForm::Files => self.files.first(file),
            OutputForm::Count => self.files.count(file),
        };
        Ok(match verdict? {
            Verdict::Nothing => None,
            Verdict::Found(hits) => Some(hits),
            Verdict::Binary => {
                self.counts.binary += 1;
                None
            }
            Verdict::Part(hits) => {
                self.counts.part += 1;
                hits
            }
            Verdict::Unreadable => {
                self.counts.unreadable += 1;
                None
            }
        })
    }

    fn add(&mut self, path: &str, hits: Hits) {
        self.counts.matches += hits.count;
        match self.form {
            OutputForm::Content => self.gather.add(path, hits),
            OutputForm::Files | OutputForm::Count => self.listed.add((PathOrder::new(path), hits.count)),
        }
    }

    fn merge(self, other: Self) -> Self {
        let (one, two) = (self.counts, other.counts);
        Self {
            gather: self.gather.merge(other.gather),
            listed: self.listed.merge(other.listed),
            counts: Counts {
                searched: one.searched + two.searched,
                matches: one.matches + two.matches,
                binary: one.binary + two.binary,
                part: one.part + two.part,
                special: one.special + two.special,
                unreadable: one.unreadable + two.unreadable,
            },
            ..self
        }
    }

    fn answer(self, path: String, page: Page, seen: &WalkTotals, terms: &str) -> Searching {
        let (counts, timed_out, form) = (self.counts, self.budget.is_over(), self.form);
        let (total_count, mode, files) = match form {
            OutputForm::Content => lines(self.gather, self.room.stage(), page),
            OutputForm::Files | OutputForm::Count => {
                let (total, listed) = (self.listed.count, self.listed.into_sorted());
                let count = |count| (form == OutputForm::Count).then_some(count);
                let files = listed.into_iter().skip(page.offset);
                let files = files.map(|(path, found)| FileMatches {
                    path: path.path(),
                    match_count: count(found),
                    lines: Vec::new(),
                });
                (total, Mode::Full, files.collect())
            }
        };
        let end = page.offset + files.len();
        let has_more = mode != Mode::Summary && !files.is_empty() && total_count > end as u64;
        Searching {
            path,
            mode,
            count: files.len(),
            truncated: mode != Mode::Full
                || timed_out
                || has_more
                || page.offset > 0
                || counts.part > 0
                || seen.is_partial(),
            files,
            total_count,
            match_count: (form != OutputForm::Files).then_some(counts.matches),
            has_more,
            next_cursor: has_more.then(|| write_offset(end, terms)),
            limit: page.limit,
            note: page.note(),
            files_searched: counts.searched,
            timed_out,
            binary_files: counts.binary,
            partly_searched: counts.part,
            special_files: counts.special,
            unreadable_files: counts.unreadable,
            hidden_count: seen.hidden,
            ignored_count: seen.ignored,
            unreadable_names: seen.unreadable_names,
            unreadable_directories: seen.unreadable_folders,
            too_deep: seen.too_deep,
        }
    }
}

/// Returns the files, with as much of their lines as fits.
fn lines(gather: Gather<'_>, stage: Stage, page: Page) -> (u64, Mode, Vec<FileMatches>) {
    let total = gather.files();
    let (mode, files) = match stage {
        Stage::Summary => {
            let top = gather.into_top().into_iter();
            let top =
                top.map(|(path, count)| FileMatches { path, match_count: Some(count), lines: Vec::new() });
            (Mode::Summary, top.collect())
        }
        Stage::Full | Stage::Reduced => {
            let files = gather.into_files().into_iter().skip(page.offset).take(page.limit);
            let files = files.map(|(path, mut hits)| {
                if stage == Stage::Reduced {
                    hits.reduce();
                }
                FileMatches { path: path.path(), match_count: Some(hits.count), lines: hits.lines }
            });
            (if stage == Stage::Full { Mode::Full } else { Mode::Reduced }, files.collect())
        }
    };
    (total, mode, files)
}
