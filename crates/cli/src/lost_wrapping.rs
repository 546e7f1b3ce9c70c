//! Entries of clients' files that Overt was put in front of and no longer is, in every file that
//! was ever wrapped.
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use overt_clients::files::{Loss, LostWrapping, lost_wrappings};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use crate::output::one_line;
use crate::settings::{Env, find_client_files};
use crate::wrap_records::WrapRecords;

/// An entry that lost its wrapping, and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LostServer {
    pub(crate) file: PathBuf,
    pub(crate) lost: LostWrapping,
}

/// Tells when an entry loses its wrapping. The kernel tells when a file changes, so that looking
/// costs almost nothing.
#[derive(Debug)]
pub(crate) struct WrappingWatch {
    records: WrapRecords,
    env: Env,
    notices: Option<OwnedFd>,
    /// The names of the files that were wrapped, and of the folders of the records.
    names: Vec<OsString>,
    /// The watched folder of the records.
    records_folder: Option<i32>,
    looked_at: Option<Instant>,
    /// What the files were when they were last read, where the kernel can't tell.
    stamps: Vec<Option<SystemTime>>,
    last: Vec<LostServer>,
}

/// How often the files are looked at where the kernel can't tell.
const WITHOUT_INOTIFY: Duration = Duration::from_secs(2);

impl LostServer {
    pub(crate) fn name(&self) -> &str {
        &self.lost.entry.name
    }

    /// What is wrong, as part of a sentence about the server.
    pub(crate) fn problem(&self) -> String {
        match &self.lost.how {
            Loss::Unwrapped => "was wrapped and no longer is".to_owned(),
            Loss::Changed(word) => {
                format!("is wrapped otherwise than `overt wrap` wrote it: `{}` is new", one_line(word))
            }
        }
    }

    pub(crate) fn advice(&self) -> String {
        let file = self.file.display();
        match &self.lost.how {
            Loss::Unwrapped => format!(
                "overt wrap {file} --server {} puts Overt back; overt unwrap {file} forgets it",
                self.name()
            ),
            Loss::Changed(_) => format!("overt unwrap {file}, then overt wrap {file}, unless you changed it"),
        }
    }

    /// Says it in one line.
    pub(crate) fn line(&self) -> String {
        let (name, file) = (one_line(self.name()), self.file.display().to_string());
        format!("{name} in {} {}; see `overt doctor`", one_line(&file), self.problem())
    }
}

/// Returns the entries that lost their wrapping. Files that are gone or can't be read are omitted.
pub(crate) fn find_lost(records: &WrapRecords, env: &Env) -> Vec<LostServer> {
    let mut found = Vec::new();
    for (path, record) in records.all() {
        let Some(word) = path.to_str().filter(|_| path.is_file()) else { continue };
        let files = find_client_files(&[word.to_owned()], env).unwrap_or_default();
        for file in files {
            let Ok(document) = file.document() else { continue };
            let lost = lost_wrappings(&document, &record, file.bare_url).into_iter();
            found.extend(lost.map(|lost| LostServer { file: path.clone(), lost }));
        }
    }
    found
}

impl WrappingWatch {
    pub(crate) fn start(state: &Path, env: &Env) -> Self {
        Self {
            records: WrapRecords::new(state),
            env: env.clone(),
            notices: None,
            names: Vec::new(),
            records_folder: None,
            looked_at: None,
            stamps: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Returns the entries that lost their wrapping, if they differ from those of the last time.
    pub(crate) fn news(&mut self) -> Option<&[LostServer]> {
        if !self.has_changed() {
            return None;
        }
        self.begin_again();
        let now = find_lost(&self.records, &self.env);
        let is_new = now != self.last;
        self.last = now;
        is_new.then_some(&*self.last)
    }

    fn has_changed(&self) -> bool {
        match (&self.looked_at, &self.notices) {
            (None, _) => true,
            (Some(_), Some(notices)) => self.is_noticed(notices),
            (Some(at), None) => {
                at.elapsed() >= WITHOUT_INOTIFY && self.stamps != stamps(&self.watched_files())
            }
        }
    }

    /// Reads what the kernel tells, and returns whether any of it is about these files.
    fn is_noticed(&self, notices: &OwnedFd) -> bool {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(notices, &mut buffer);
        let mut is_ours = false;
        loop {
            match events.next() {
                Ok(event) => {
                    let is_named = event.file_name().is_none_or(|name| {
                        self.names.iter().any(|known| known.as_encoded_bytes() == name.to_bytes())
                    });
                    is_ours |= is_named || Some(event.wd()) == self.records_folder;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return is_ours,
                // Look again, rather than never.
                Err(_) => return true,
            }
        }
    }

    /// The files that were wrapped, and the folder of the records.
    fn watched_files(&self) -> Vec<PathBuf> {
        let files = self.records.all().into_iter().map(|(path, _)| path);
        files.chain([self.records.files()]).collect()
    }

    /// Watches the folders of the files. They are read afterwards, so that no change is missed.
    fn begin_again(&mut self) {
        let paths = self.watched_files();
        let records = self.records.files();
        self.looked_at = Some(Instant::now());
        self.stamps = stamps(&paths);
        // Before the first `overt wrap`, the folders of the records don't exist.
        let around = records.ancestors().skip(1).take(2);
        let folders = paths.iter().filter_map(|path| path.parent()).chain(around).chain([&*records]);
        let names = paths.iter().map(PathBuf::as_path).chain(records.ancestors().take(2));
        self.names = names.filter_map(Path::file_name).map(ToOwned::to_owned).collect();
        let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::CREATE | WatchFlags::DELETE;
        let mut records_folder = None;
        let watched = || {
            let notices = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            for folder in folders.filter(|folder| folder.is_dir()) {
                let watch = inotify::add_watch(&notices, folder, flags)?;
                if *folder == *records {
                    records_folder = Some(watch);
                }
            }
            Ok::<_, Errno>(notices)
        };
        self.notices = watched().inspect_err(|error| tracing::debug!(%error, "files are polled")).ok();
        self.records_folder = records_folder;
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Option<SystemTime>> {
    paths.iter().map(|path| std::fs::metadata(path).and_then(|data| data.modified()).ok()).collect()
}
