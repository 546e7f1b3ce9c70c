//! The one thread that writes: takes everything that waits, writes it in one piece, makes it durable if somebody waits for that,
//! and then says so.
use std::fs::{self, File, Permissions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_layers::audit::{CallOutcome, Kind, Unwritten};

use super::ack::Acknowledgement;
use super::batch::Batch;
use super::chain::Hash;
use super::checkpoint::Checkpoint;
use super::error::{AuditError, failed};
use super::files;
use super::keys::Keys;
use super::options::{Mode, Options, Reaches};
use super::publish::Publisher;
use super::queue::{Item, Queue};
use super::recover::{End, OpenCalls};
use super::recurring::Recurring;
use super::retain;
use super::segment::Segment;

/// What nobody waits for is made durable after this time.
const SYNC_AGE: Duration = Duration::from_millis(200);
/// Records that somebody waits for are gathered for so long at most.
const MOST_PATIENCE: Duration = Duration::from_micros(500);
/// The writer looks around at least as often as this.
const LOOK_AROUND: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Writer {
    dir: PathBuf,
    queue: Arc<Queue>,
    keys: Arc<Keys>,
    options: Options,
    boot: String,
    publisher: Publisher,
    lock: File,
    /// `None` after a failure, until it could be opened again.
    file: Option<File>,
    segment: Segment,
    /// When the segment was begun, or found at the start.
    born: Instant,
    /// What is written.
    tip: Tip,
    /// What of it is known to be on the disk.
    synced: Tip,
    unsynced_since: Option<Instant>,
    open: OpenCalls,
    recurring: Recurring,
    /// Records that could not be written, and why.
    lost: u64,
    why: String,
    last_checkpoint: (u64, Instant),
    /// How long awaited records are gathered.
    patience: Duration,
}

/// How far the log has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) seq: u64,
    pub(super) head: Hash,
    /// Bytes of the segment.
    pub(super) length: u64,
}

impl Writer {
    /// Takes the log over from whoever wrote it last, and says what was found.
    pub(super) fn open(
        dir: PathBuf,
        mut options: Options,
        keys: Arc<Keys>,
        queue: Arc<Queue>,
    ) -> Result<Self, AuditError> {
        files::make_dir(&dir)?;
        let lock = files::lock(&dir)?;
        let (end, broken) = match End::find(&dir) {
            Err(AuditError::Broken { seq, why }) if options.mode == Mode::BestEffort => {
                (End::after_damage(&dir)?, Some(format!("record {seq}: {why}")))
            }
            end => (end?, None),
        };
        let mut boot = [0; 8];
        getrandom::fill(&mut boot)
            .map_err(|_| failed("name this start of", &dir, io::ErrorKind::Other.into()))?;
        let sinks = std::mem::take(&mut options.sinks);
        let publisher =
            Publisher::start(sinks).map_err(|source| failed("start a thread for", &dir, source))?;
        let (segment, length) = end.last.clone().unwrap_or_else(|| (Segment::new(&dir, 1), 0));
        let tip = Tip { seq: end.seq, head: end.head, length };
        let mut writer = Self {
            dir,
            queue,
            keys,
            options,
            boot: super::chain::hex(&boot),
            publisher,
            lock,
            file: None,
            segment,
            born: Instant::now(),
            tip,
            synced: tip,
            unsynced_since: None,
            open: OpenCalls::default(),
            recurring: Recurring::default(),
            lost: 0,
            why: String::new(),
            last_checkpoint: (end.seq, Instant::now()),
            patience: Duration::ZERO,
        };
        writer.begin(&end, broken.as_deref())?;
        Ok(writer)
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        while let Some(items) = self.queue.take(self.next_look(), self.patience) {
            self.commit(items);
        }
        self.end();
    }

    /// Brings the files in order and writes the first records of this start.
    fn begin(&mut self, end: &End, broken: Option<&str>) -> Result<(), AuditError> {
        if end.last.is_none() || broken.is_some() || !is_writable(&self.segment) {
            self.segment = Segment::new(&self.dir, self.tip.seq + 1);
            self.tip.length = 0;
        }
        self.synced = self.tip;
        self.open = end.open.clone();
        let file = match files::open_write(&self.segment.path) {
            Err(AuditError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                self.new_file(&self.segment)?
            }
            file => file?,
        };
        self.cut_to(&file, self.tip.length).map_err(|source| failed("cut", &self.segment.path, source))?;
        self.file = Some(file);
        self.seal_older();
        let written = self.write_start(end, broken);
        written.map_err(|source| failed("write", &self.segment.path, source))
    }

    fn write_start(&mut self, end: &End, broken: Option<&str>) -> io::Result<()> {
        let mut batch = self.batch();
        if self.tip.length == 0 {
            batch.header(&self.segment, &self.open);
        }
        let open = self.open.sorted();
        if !end.closed || end.cut.is_some() || broken.is_some() {
            let why = broken.or(end.cut.as_ref().map(|(_, why)| why.as_str()));
            batch.add(Kind::Recovery, |members| {
                members.number("cut_bytes", end.cut.as_ref().map_or(0, |(bytes, _)| *bytes));
                members.number("open_calls", open.len() as u64);
                why.iter().for_each(|why| members.string("reason", why));
            });
        }
        batch.add(Kind::Start, |members| {
            members.string("mode", &self.options.mode.to_string());
            members.string("key", &self.keys.public().to_string());
            members.string("version", env!("CARGO_PKG_VERSION"));
        });
        for call in open {
            batch.add(Kind::Outcome, |members| {
                members.string("call", &call);
                self.open.about(&call).iter().for_each(|(name, text)| members.string(name, text));
                members.string("outcome", &CallOutcome::Unknown.to_string());
                members.string("reason", "the process ended before the call did");
            });
        }
        let (text, tip) = batch.finish();
        self.open = OpenCalls::default();
        // Nobody waits for it; the first record that somebody waits for takes it along.
        self.write(&text, tip)
    }

    fn commit(&mut self, mut items: Vec<Item>) {
        self.lost += self.queue.missed();
        let before = self.tip.seq;
        let done = self.try_commit(&items);
        if let Err(error) = &done {
            self.fail(error, items.len() as u64 + before.saturating_sub(self.synced.seq));
        }
        let answer = match (&done, self.options.mode) {
            (Err(error), Mode::Strict) => Err(Unwritten { why: chain_of(error) }),
            _ => Ok(()),
        };
        let mut acks = Vec::new();
        for item in &mut items {
            let Some(ack) = item.ack.take() else { continue };
            if answer.is_err() && item.draft.kind == Kind::Intent {
                self.queue.release(&item.draft.call);
            }
            acks.push(ack);
        }
        self.queue.written();
        Acknowledgement::send(&answer, acks);
    }

    fn try_commit(&mut self, items: &[Item]) -> Result<(), AuditError> {
        let nothing = items.is_empty() && self.lost == 0 && !self.checkpoint_is_due();
        if nothing && self.file.is_some() {
            let due = self.unsynced_since.is_some_and(|since| since.elapsed() >= SYNC_AGE);
            return if due { self.sync().map_err(|source| self.failed(source)) } else { Ok(()) };
        }
        if nothing {
            return Ok(());
        }
        self.reopen()?;
        if self.tip.length >= self.options.segment_bytes || self.born.elapsed() >= self.options.segment_age {
            self.rotate()?;
        }
        let mut recurring = std::mem::take(&mut self.recurring);
        let mut batch = self.batch();
        if self.lost > 0 {
            batch.add(Kind::Gap, |members| {
                members.number("count", self.lost);
                members.string(
                    "reason",
                    if self.why.is_empty() { "there was no room to wait" } else { &self.why },
                );
            });
        }
        for item in items {
            batch.entry(item, &self.keys, self.options.arguments, &mut recurring);
        }
        let checkpoint = self.checkpoint_is_due_after(batch.tip().seq).then(|| self.checkpoint(batch.tip()));
        checkpoint.iter().for_each(|checkpoint| batch.checkpoint(checkpoint));
        let (text, tip) = batch.finish();
        self.recurring = recurring;
        self.write(&text, tip).map_err(|source| self.failed(source))?;
        let is_awaited = self.options.reaches == Reaches::Disk && items.iter().any(|item| item.ack.is_some());
        if checkpoint.is_some() || self.lost > 0 || is_awaited {
            self.sync().map_err(|source| self.failed(source))?;
        }
        for item in items {
            self.open.follow(&item.draft);
        }
        self.lost = 0;
        self.why.clear();
        if let Some(checkpoint) = checkpoint {
            self.last_checkpoint = (self.tip.seq, Instant::now());
            self.publisher.publish(checkpoint);
        }
        Ok(())
    }

    fn write(&mut self, text: &str, tip: Tip) -> io::Result<()> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.write_all(text.as_bytes())?;
        self.tip = tip;
        self.unsynced_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Makes what was written durable, and makes sure that it is where a reader looks for it.
    fn sync(&mut self) -> io::Result<()> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let begun = Instant::now();
        file.sync_data()?;
        // To wait longer than the disk takes would gain nothing.
        self.patience = begun.elapsed().min(MOST_PATIENCE);
        if !files::is_in_place(file, &self.segment.path)? {
            return Err(io::Error::other("another file is in its place"));
        }
        self.synced = self.tip;
        self.unsynced_since = None;
        Ok(())
    }

    /// Goes back to what is certain; the rest counts as lost.
    fn fail(&mut self, error: &AuditError, records: u64) {
        if self.why.is_empty() {
            tracing::error!(error = chain_of(error), "the audit log can't be written");
        }
        self.why = chain_of(error);
        self.lost += records;
        self.tip = self.synced;
        self.unsynced_since = None;
        self.file = None;
    }

    /// Opens the segment again after a failure: the same file with what is certain, or a new one if it is gone.
    fn reopen(&mut self) -> Result<(), AuditError> {
        if self.file.is_some() {
            return Ok(());
        }
        let lock_is_ours = files::is_in_place(&self.lock, &self.dir.join("lock")).unwrap_or(false);
        if !lock_is_ours {
            self.lock = files::lock(&self.dir)?;
        }
        match files::open_write(&self.segment.path) {
            Ok(file) => {
                let length = file.metadata().map_err(|source| self.failed(source))?.len();
                if length < self.synced.length {
                    let why = format!("`{}` has become shorter", self.segment.name());
                    return Err(AuditError::Broken { seq: self.synced.seq, why });
                }
                self.cut_to(&file, self.synced.length).map_err(|source| self.failed(source))?;
                self.file = Some(file);
                Ok(())
            }
            Err(AuditError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => self.rotate(),
            Err(error) => Err(error),
        }
    }

    /// Begins the next segment and seals the one before it.
    fn rotate(&mut self) -> Result<(), AuditError> {
        if self.file.is_some() {
            self.sync().map_err(|source| self.failed(source))?;
        }
        let next = Segment::new(&self.dir, self.tip.seq + 1);
        let file = self.new_file(&next)?;
        let before = (std::mem::replace(&mut self.segment, next), self.tip, self.file.replace(file));
        self.tip.length = 0;
        let mut batch = self.batch();
        batch.header(&self.segment, &self.open);
        let (text, tip) = batch.finish();
        let begun = self.write(&text, tip).and_then(|()| self.sync());
        if let Err(source) = begun {
            let error = self.failed(source);
            let _ = fs::remove_file(&self.segment.path);
            (self.segment, self.tip, self.file) = before;
            return Err(error);
        }
        self.born = Instant::now();
        self.seal_older();
        Ok(())
    }

    /// Closed segments are for reading only. What keeps records for a limited time does its work here.
    fn seal_older(&self) {
        let sealed = Segment::list(&self.dir).and_then(|mut segments| {
            segments.retain(|segment| segment.first < self.segment.first);
            for segment in segments.iter().rev().take_while(|segment| is_writable(segment)) {
                fs::set_permissions(&segment.path, Permissions::from_mode(0o400))
                    .map_err(|source| failed("seal", &segment.path, source))?;
            }
            retain::retain(&self.dir, &segments, &self.options, &self.keys)
        });
        if let Err(error) = sealed {
            tracing::warn!(error = chain_of(&error), "old segments of the audit log can't be put away");
        }
    }

    fn new_file(&self, segment: &Segment) -> Result<File, AuditError> {
        let file = files::create(&segment.path)?;
        files::sync_dir(&self.dir).map_err(|source| failed("make durable", &self.dir, source))?;
        Ok(file)
    }

    fn cut_to(&self, mut file: &File, length: u64) -> io::Result<()> {
        if file.metadata()?.len() != length {
            file.set_len(length)?;
            file.sync_data()?;
        }
        file.seek(SeekFrom::Start(length)).map(drop)
    }

    fn end(&mut self) {
        let ended = (|| {
            self.lost += self.queue.missed();
            self.reopen()?;
            let mut batch = self.batch();
            if self.lost > 0 {
                batch.add(Kind::Gap, |members| members.number("count", self.lost));
            }
            // Whoever opens the log next need not look for them.
            batch.add(Kind::Stop, |members| members.strings("open", &self.open.sorted()));
            let checkpoint = self.checkpoint(batch.tip());
            batch.checkpoint(&checkpoint);
            let (text, tip) = batch.finish();
            self.write(&text, tip).and_then(|()| self.sync()).map_err(|source| self.failed(source))?;
            self.publisher.publish(checkpoint);
            Ok::<_, AuditError>(())
        })();
        if let Err(error) = ended {
            tracing::warn!(error = chain_of(&error), "the end of the audit log can't be written");
        }
        self.publisher.close();
        files::unlock(&self.lock);
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.tip, self.synced.seq, &self.boot, &self.queue)
    }

    fn checkpoint(&self, tip: Tip) -> Checkpoint {
        let ts = overt_wire::stamp::precise(self.queue.now().wall);
        Checkpoint::new(tip.seq, tip.head, &self.segment.name(), &ts, &self.keys)
    }

    fn checkpoint_is_due(&self) -> bool {
        self.checkpoint_is_due_after(self.tip.seq)
    }

    fn checkpoint_is_due_after(&self, seq: u64) -> bool {
        let (last, when) = self.last_checkpoint;
        let new = seq.saturating_sub(last);
        new >= self.options.checkpoint_records || (new > 0 && when.elapsed() >= self.options.checkpoint_age)
    }

    fn next_look(&self) -> Duration {
        if self.unsynced_since.is_some() { SYNC_AGE } else { LOOK_AROUND.min(self.options.checkpoint_age) }
    }

    fn failed(&self, source: io::Error) -> AuditError {
        failed("write", &self.segment.path, source)
    }
}

/// Whether a segment is still open for writing.
fn is_writable(segment: &Segment) -> bool {
    fs::symlink_metadata(&segment.path).map_or(true, |meta| meta.permissions().mode() & 0o200 != 0)
}

/// The error with its causes on a line.
fn chain_of(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}
