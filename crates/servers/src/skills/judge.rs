//! Turns a directory into a skill that is served, or into findings.
use std::collections::HashMap;
use std::sync::Arc;

use overt_documents::front_matter::split;
use overt_documents::skill::check::{
    Files, MOST_BYTES as MOST_MAIN, Member, Profile, Report, Rule, Source, Violation, check,
};
use overt_documents::skill::{Entry, is_repository, project};
use overt_documents::yaml;
use overt_policy::Severity;
use overt_wire::json::JsonBuf;
use overt_wire::skill::{MAIN_FILE, MOST_BYTES, MOST_FILES, Sha256Digest};
use serde_json::Value;

use super::content;
use super::finding::Finding;
use super::limits;
use super::served::{Record, Serve, ServedFile, ServedSkill, entry};
use super::tree::{FoundSkill, join};
use super::uri;
use crate::files::access::Roots;
use crate::files::error::FileError;

/// The skills judged so far that are served, by the root and the path of their SKILL.md.
pub(super) type JudgedSkills = HashMap<(usize, String), Arc<ServedSkill>>;

/// A skill that was read and will be judged together with the others.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) found: FoundSkill,
    /// Path of the SKILL.md, as shown to people.
    pub(super) shown: String,
    pub(super) report: Report,
    pub(super) member: Option<Member>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Unchanged since the previous snapshot.
    Unchanged(Arc<ServedSkill>),
    Read {
        text: String,
        /// Size and digest of each file, in the order of the files.
        digests: Vec<(u64, Sha256Digest)>,
    },
    /// It could not be read, and the report says why.
    Unreadable,
}

/// The problems that keep a skill from being served.
#[derive(Debug)]
pub(super) struct BrokenSkill {
    pub(super) findings: Vec<Finding>,
    /// Whether it breaks the contract of seed 001, which prevents a start.
    pub(super) is_hard: bool,
}

/// The bytes that the remaining skills may still use.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) read: u64,
    pub(super) kept: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { read: limits::MOST_BYTES, kept: limits::MOST_KEPT }
    }
}

impl Candidate {
    /// Reads a skill, unless it is unchanged since `before`.
    pub(super) fn read(
        roots: &Roots,
        shown: &str,
        mut found: FoundSkill,
        before: Option<&Arc<ServedSkill>>,
        budget: &mut Budget,
    ) -> Self {
        let shown = join(&join(shown, &found.directory), found.main);
        if let Some(before) = before.filter(|before| before.found == found.files && before.path == found.path)
        {
            budget.kept = budget.kept.saturating_sub(before.text.len() as u64);
            budget.read = budget.read.saturating_sub(before.files.iter().map(|file| file.size).sum());
            let (state, member) = (State::Unchanged(Arc::clone(before)), before.member.clone());
            return Self { found, shown, report: Report::default(), member, state };
        }
        let (state, report) = match contents(roots, &mut found, budget) {
            Ok((bytes, digests)) => {
                let listed = Files {
                    paths: found.files.iter().map(|file| file.path.clone()).collect(),
                    bytes: found.files.iter().map(|file| file.facts.size).sum(),
                    bad_links: found.bad_links.clone(),
                    uncounted: found.is_uncounted,
                };
                let (directory, file) = (found.name.as_str(), found.main);
                let report = check(&Source { directory, file, bytes: &bytes, files: &listed, tokens: None });
                match String::from_utf8(bytes) {
                    Ok(text) => (State::Read { text, digests }, report),
                    Err(_) => (State::Unreadable, report),
                }
            }
            Err(error) => {
                (State::Unreadable, Report::unreadable(&format!("can't be read: {}", error.problem)))
            }
        };
        let member = match &state {
            State::Read { text, .. } => Member::read(text),
            _ => None,
        };
        Self { found, shown, report, member, state }
    }

    /// Judges the skill. `mains` has the skills inside it, which were judged earlier.
    pub(super) fn serve(&self, serve: Serve, mains: &JudgedSkills) -> Result<Arc<ServedSkill>, BrokenSkill> {
        let is_repository = match &self.state {
            State::Read { text, .. } => is_repository(text),
            State::Unchanged(before) => before.record.is_declared,
            State::Unreadable => false,
        };
        let errors_of = |profile: Profile| {
            let is_error = move |severity| severity == Some(Severity::Error);
            self.report.violations.iter().filter(move |found| is_error(found.rule.severity(profile)))
        };
        let hard: Vec<Finding> = match is_repository {
            true => errors_of(Profile::Seed001).map(|found| Finding::of(&self.shown, found)).collect(),
            false => Vec::new(),
        };
        if !hard.is_empty() {
            return Err(BrokenSkill { findings: hard, is_hard: true });
        }
        // The contract of a repository allows hyphens that other readers don't.
        let is_allowed = |found: &&Violation| is_repository && found.rule == Rule::NameHyphens;
        let soft = errors_of(Profile::Sep2640).filter(|found| !is_allowed(found));
        let soft: Vec<Finding> = soft.map(|found| Finding::of(&self.shown, found)).collect();
        if !soft.is_empty() {
            return Err(BrokenSkill { findings: soft, is_hard: false });
        }
        match &self.state {
            State::Unchanged(before) => Ok(Arc::clone(before)),
            State::Read { text, digests } => self.build(text, digests, serve, is_repository, mains),
            State::Unreadable => Err(self.broken("can't be read", "make it readable")),
        }
    }

    /// Returns what is wrong with a skill that is served nevertheless (F-15).
    pub(super) fn warnings(&self) -> Vec<Finding> {
        let is_repository = match &self.state {
            State::Read { text, .. } => is_repository(text),
            State::Unchanged(_) | State::Unreadable => return Vec::new(),
        };
        let profiles: &[Profile] =
            if is_repository { &[Profile::Seed001, Profile::Sep2640] } else { &[Profile::Sep2640] };
        let is_noted = |found: &&Violation| {
            profiles.iter().any(|profile| {
                found.rule.severity(*profile).is_some_and(|severity| severity != Severity::Note)
            })
        };
        let noted = self.report.violations.iter().filter(is_noted);
        noted.map(|found| Finding::of(&self.shown, found)).collect()
    }

    fn build(
        &self,
        text: &str,
        digests: &[(u64, Sha256Digest)],
        serve: Serve,
        is_repository: bool,
        mains: &JudgedSkills,
    ) -> Result<Arc<ServedSkill>, BrokenSkill> {
        let found = &self.found;
        let served: Arc<str> = self.form(text, serve)?.into();
        let own_uri = uri::of_path(&join(&found.path, MAIN_FILE))
            .ok_or_else(|| self.broken("is in a directory whose name no URI can have", "rename it"))?;
        let mut files = Vec::with_capacity(found.files.len());
        for (file, (size, digest)) in found.files.iter().zip(digests) {
            // A finding reports a name that no client could write; the file is left out.
            let Some(uri) = uri::of_path(&join(&found.path, &file.path)) else { continue };
            let inner = mains.get(&(found.root, join(&found.directory, &file.path)));
            let kept = match inner {
                Some(inner) => Some(Arc::clone(&inner.text)),
                None if file.path == found.main => Some(Arc::clone(&served)),
                None => None,
            };
            let (size, digest) = match &kept {
                Some(kept) => (kept.len() as u64, content::digest(kept.as_bytes())),
                None => (*size, *digest),
            };
            files.push(ServedFile { path: file.path.clone(), uri, size, digest, kept });
        }
        // The portable form may be larger than the source.
        if files.iter().map(|file| file.size).sum::<u64>() > MOST_BYTES {
            let problem = format!("has more than {MOST_BYTES} bytes in its files as they are served");
            return Err(self.broken(&problem, "move some of them elsewhere"));
        }
        let front = front_matter(&served).ok_or_else(|| self.broken("has no front matter", "write it"))?;
        let text_of = |name: &str| front.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (name, description) = (text_of("name"), text_of("description"));
        let frontmatter = JsonBuf::of(&front)
            .map_err(|_| self.broken("has a number in its front matter that JSON can't have", "quote it"))?;
        let digest = content::digest(served.as_bytes()).to_string();
        let mut listed = Entry::read(&served, digest)
            .map_err(|_| self.broken("has no name or no description", "write both"))?;
        listed.take_repository(text);
        Ok(Arc::new(ServedSkill {
            root: found.root,
            directory: found.directory.clone(),
            path: found.path.clone(),
            entry: entry(&own_uri, frontmatter, &files),
            uri: own_uri,
            name,
            description,
            text: served,
            record: Record::new(&listed, is_repository, &files),
            files,
            member: self.member.clone(),
            found: found.files.clone(),
        }))
    }

    /// Returns the SKILL.md in the form to serve.
    fn form(&self, text: &str, serve: Serve) -> Result<String, BrokenSkill> {
        let fits = || self.report.worst(Profile::Spec) != Some(Severity::Error);
        if serve == Serve::Source || (serve == Serve::Auto && fits()) {
            return Ok(text.to_owned());
        }
        match project(text, &self.found.name) {
            Ok(portable) => Ok(portable),
            Err(_) if serve == Serve::Auto => Ok(text.to_owned()),
            Err(findings) => {
                let problem = format!("has no portable form: {findings}");
                Err(self.broken(&problem, "`overt skill project` shows what is in the way"))
            }
        }
    }

    /// Findings about files that are left out although the skill is served.
    pub(super) fn left_out(&self) -> Vec<Finding> {
        if matches!(self.state, State::Unchanged(_))
            && self.found.bad_links.is_empty()
            && self.found.bad_names.is_empty()
        {
            return Vec::new();
        }
        let links = self.found.bad_links.iter().map(|path| {
            let problem = format!(
                "`{path}` is a symbolic link that leaves the directory or leads nowhere, and is left out"
            );
            Finding::new(&self.shown, problem, "put the file itself there")
        });
        let names = self.found.bad_names.iter().map(|path| {
            let problem =
                format!("`{}` has a name that no URI can have, and is left out", path.escape_debug());
            Finding::new(&self.shown, problem, "rename it")
        });
        links.chain(names).collect()
    }

    fn broken(&self, problem: &str, fix: &str) -> BrokenSkill {
        BrokenSkill { findings: vec![Finding::new(&self.shown, problem, fix)], is_hard: false }
    }
}

type Contents = (Vec<u8>, Vec<(u64, Sha256Digest)>);

/// Reads the SKILL.md and the digests of all files. There are no digests if the files are too many
/// or too large.
fn contents(roots: &Roots, found: &mut FoundSkill, budget: &mut Budget) -> Result<Contents, FileError> {
    let root = roots.served().nth(found.root).ok_or_else(|| FileError::outside(&found.directory))?;
    let folder = root.folder()?.folder_beneath(&found.directory)?;
    let main = content::read(&folder, found.main, MOST_MAIN as u64)?;
    take(&mut budget.kept, main.bytes.len() as u64)?;
    let listed: u64 = found.files.iter().map(|file| file.facts.size).sum();
    if found.files.len() > MOST_FILES || listed > MOST_BYTES || found.is_uncounted {
        return Ok((main.bytes, Vec::new()));
    }
    let mut digests = Vec::with_capacity(found.files.len());
    for file in &mut found.files {
        take(&mut budget.read, file.facts.size)?;
        let read = match file.path == found.main {
            true => content::read(&folder, found.main, MOST_MAIN as u64)?,
            false => content::read(&folder, &file.path, MOST_BYTES)?,
        };
        if file.path == found.main && read.facts != main.facts {
            return Err(FileError::conflict(&file.path));
        }
        digests.push((read.bytes.len() as u64, content::digest(&read.bytes)));
        file.facts = read.facts;
    }
    Ok((main.bytes, digests))
}

fn take(budget: &mut u64, bytes: u64) -> Result<(), FileError> {
    match budget.checked_sub(bytes) {
        Some(left) => {
            *budget = left;
            Ok(())
        }
        None => Err(FileError::new(
            crate::files::error::code::TOO_LARGE,
            "the skills together have more bytes than one server serves",
            "Serve them with several servers.",
        )),
    }
}

fn front_matter(text: &str) -> Option<Value> {
    let front = split(text).ok()?.front?;
    yaml::read(front, 2).ok().map(|yaml| yaml.value).filter(Value::is_object)
}
