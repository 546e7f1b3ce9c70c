//! Finds the skills in the roots and the files of each skill, from handle to handle. Links to
//! directories are not followed. A link to a file counts as that file if it stays inside the
//! innermost skill.
use std::os::fd::AsFd as _;

use rustix::fs::{Dir, FileType};

use super::finding::Finding;
use super::limits::{MOST_COUNTED, MOST_DEPTH, MOST_DIRECTORIES, MOST_ENTRIES, MOST_SKILLS};
use super::uri;
use crate::files::access::{Facts, Folder, Kind, Roots};
use crate::files::error::code;

/// Directories of tools, skipped outside a skill because they may contain other people's skills.
const PASSED_OVER: [&str; 3] = [".git", "node_modules", "target"];
/// A directory of the maintainer's tools, which is not part of the skill.
const NOT_OF_A_SKILL: &str = ".git";

/// The result of the search.
#[derive(Debug, Default)]
pub(super) struct FoundSkills {
    /// An enclosing skill comes before the skills inside it.
    pub(super) skills: Vec<FoundSkill>,
    pub(super) findings: Vec<Finding>,
    directories: usize,
}

/// A directory with a SKILL.md.
#[derive(Debug)]
pub(super) struct FoundSkill {
    /// The index of its root.
    pub(super) root: usize,
    /// Relative to the root; empty for the root itself.
    pub(super) directory: String,
    /// The name of the directory.
    pub(super) name: String,
    /// Path under which its files are addressed: the directory, preceded by the root's name if the
    /// root is a skill.
    pub(super) path: String,
    /// The main file's name, as it is spelled on disk.
    pub(super) main: &'static str,
    /// Sorted by path.
    pub(super) files: Vec<FoundFile>,
    /// Symbolic links that leave the skill or are broken.
    pub(super) bad_links: Vec<String>,
    /// Paths with names that no URI can have.
    pub(super) bad_names: Vec<String>,
    /// Whether there are more files than were counted.
    pub(super) is_uncounted: bool,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundFile {
    /// Relative to the directory of the skill.
    pub(super) path: String,
    pub(super) facts: Facts,
}

/// A walk through one root.
struct Walk<'a> {
    root: usize,
    /// Precedes the path of each skill: the root's name if the root is a skill itself.
    prefix: String,
    shown: &'a str,
    found: &'a mut FoundSkills,
    /// Called with each folder before the folder is read.
    enter: &'a mut dyn FnMut(&Folder),
}

/// The current position of a walk.
#[derive(Clone, Copy)]
struct WalkPosition<'a> {
    /// Relative to the root.
    path: &'a str,
    depth: usize,
    /// Indices of the enclosing skills, outermost first.
    around: &'a [usize],
    /// The folder of the innermost enclosing skill, and its path from the root.
    innermost: Option<(&'a Folder, &'a str)>,
}

impl FoundSkills {
    /// Searches all roots. `enter` is called with each folder before its entries are read. `shown`
    /// has the roots in the form for people.
    pub(super) fn read(roots: &Roots, shown: &[String], enter: &mut dyn FnMut(&Folder)) -> Self {
        let mut found = Self::default();
        for ((root, root_dir), shown) in roots.served().enumerate().zip(shown) {
            let folder = match root_dir.folder() {
                Ok(folder) => folder,
                Err(error) => {
                    found.findings.push(Finding::new(shown, error.problem, "put the folder back"));
                    continue;
                }
            };
            let is_skill =
                ["SKILL.md", "skill.md"].iter().any(|name| matches!(folder.entry_facts(name), Ok(Some(_))));
            let name = root_dir.path().split().map_or("", |(_, name)| name);
            let prefix = if is_skill { name.to_owned() } else { String::new() };
            let mut walk = Walk { root, prefix, shown, found: &mut found, enter };
            walk.visit(&folder, WalkPosition { path: "", depth: 0, around: &[], innermost: None });
        }
        for skill in &mut found.skills {
            skill.files.sort_by(|one, other| one.path.cmp(&other.path));
        }
        found
    }
}

impl Walk<'_> {
    fn visit(&mut self, folder: &Folder, place: WalkPosition<'_>) {
        self.found.directories += 1;
        if self.found.directories > MOST_DIRECTORIES {
            if self.found.directories == MOST_DIRECTORIES + 1 {
                let problem = format!("there are more than {MOST_DIRECTORIES} directories");
                self.found.findings.push(Finding::new(
                    self.shown,
                    problem,
                    "name the directories with skills",
                ));
            }
            return;
        }
        (self.enter)(folder);
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(problem) => {
                let shown = join(self.shown, place.path);
                self.found.findings.push(Finding::new(&shown, problem, "let the server read the directory"));
                return;
            }
        };
        let main = ["SKILL.md", "skill.md"].into_iter().find(|main| {
            entries.iter().any(|entry| entry.name == *main && entry.kind != FileType::Directory)
        });
        let mut around = place.around.to_vec();
        let mut innermost = place.innermost;
        if let Some(main) = main
            && let Some(index) = self.add_skill(folder, place.path, main)
        {
            around.push(index);
            innermost = Some((folder, place.path));
        }
        let (entries, unnamed): (Vec<FolderEntry>, Vec<FolderEntry>) =
            entries.into_iter().partition(|entry| entry.is_utf8);
        for entry in &unnamed {
            for index in &around {
                let skill = &mut self.found.skills[*index];
                let path = join(place.path, &entry.name);
                skill.bad_names.push(below(&path, &skill.directory).to_owned());
            }
        }
        for entry in entries.iter().filter(|entry| entry.kind != FileType::Directory) {
            if let Some((skill, from)) = innermost {
                self.add_file(folder, &entry.name, place.path, &around, (skill, from));
            }
        }
        for entry in entries.iter().filter(|entry| entry.kind == FileType::Directory) {
            let is_passed_over = match around.is_empty() {
                true => PASSED_OVER.contains(&entry.name.as_str()),
                false => entry.name == NOT_OF_A_SKILL,
            };
            if is_passed_over {
                continue;
            }
            if place.depth >= MOST_DEPTH {
                around.iter().for_each(|index| self.found.skills[*index].is_uncounted = true);
                continue;
            }
            // A directory that cannot be opened was just removed, or may not be read.
            let Ok(inner) = folder.child_folder(&entry.name) else { continue };
            let path = join(place.path, &entry.name);
            let place = WalkPosition { path: &path, depth: place.depth + 1, around: &around, innermost };
            self.visit(&inner, place);
        }
    }

    fn add_skill(&mut self, folder: &Folder, directory: &str, main: &'static str) -> Option<usize> {
        let index = self.found.skills.len();
        if index >= MOST_SKILLS {
            if self.found.findings.last().is_none_or(|last| last.fix != TOO_MANY_FIX) {
                let problem = format!("there are more than {MOST_SKILLS} skills");
                self.found.findings.push(Finding::new(self.shown, problem, TOO_MANY_FIX));
            }
            return None;
        }
        self.found.skills.push(FoundSkill {
            root: self.root,
            directory: directory.to_owned(),
            name: folder.path.split().map_or_else(String::new, |(_, name)| name.to_owned()),
            path: join(&self.prefix, directory),
            main,
            files: Vec::new(),
            bad_links: Vec::new(),
            bad_names: Vec::new(),
            is_uncounted: false,
        });
        Some(index)
    }

    /// Adds a file to every skill that encloses it.
    fn add_file(
        &mut self,
        folder: &Folder,
        name: &str,
        directory: &str,
        around: &[usize],
        (skill, from): (&Folder, &str),
    ) {
        let whole = join(directory, name);
        let Ok(Some(facts)) = folder.entry_facts(name) else { return };
        let facts = match facts.kind {
            Kind::File => Ok(facts),
            Kind::Link => match skill.file_beneath(below(&whole, from)) {
                Ok(file) => Ok(file.facts),
                // The link leads to a directory of the skill, whose files are listed at their own
                // place.
                Err(error) if error.code == code::NOT_A_FILE => return,
                Err(_) => Err(()),
            },
            Kind::Folder | Kind::Other(_) => return,
        };
        for index in around {
            let skill = &mut self.found.skills[*index];
            let path = below(&whole, &skill.directory).to_owned();
            if uri::of_path(&join(&skill.path, &path)).is_none() {
                skill.bad_names.push(path);
            } else if skill.files.len() >= MOST_COUNTED {
                skill.is_uncounted = true;
            } else {
                match facts {
                    Ok(facts) => skill.files.push(FoundFile { path, facts }),
                    Err(()) => skill.bad_links.push(path),
                }
            }
        }
    }
}

const TOO_MANY_FIX: &str = "serve them with several servers";

struct FolderEntry {
    /// If it is not UTF-8, this is for people only: nothing can be opened by it.
    name: String,
    is_utf8: bool,
    kind: FileType,
}

/// The entries of a folder, sorted by name.
fn entries(folder: &Folder) -> Result<Vec<FolderEntry>, String> {
    let failed = |errno: rustix::io::Errno| format!("can't be listed: {errno}");
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder.as_fd()).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_utf8 = entry.file_name().to_str().is_ok();
        let name = entry.file_name().to_string_lossy().into_owned();
        if matches!(name.as_str(), "." | "..") {
            continue;
        }
        if entries.len() >= MOST_ENTRIES {
            return Err(format!("has more than {MOST_ENTRIES} entries"));
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match folder.entry_facts(&name) {
                Ok(Some(facts)) if facts.kind == Kind::Folder => FileType::Directory,
                _ => FileType::Unknown,
            },
            kind => kind,
        };
        entries.push(FolderEntry { name, is_utf8, kind });
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

/// Joins two paths, either of which may be empty.
pub(super) fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", path) | (path, "") => path.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// Returns the part of a path below a folder.
fn below<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder).map_or(path, |rest| rest.trim_start_matches('/'))
}
