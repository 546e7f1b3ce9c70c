//! The inbox on the full screen: its loop reads the store, draws, waits and acts.
use std::io::{self, BufWriter, Write as _};
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use overt_layers::grants::PendingQuestion;
use ratatui_core::terminal::Terminal;

use super::events::{Event, Events};
use super::inbox::{Action, Inbox};
use super::keys::KeyReader;
use super::notify::Notifier;
use super::screen::{RawTerminal, Screen};
use super::totals::TotalsCounter;
use super::view::{ViewContext, draw};
use crate::commands::grants::DecisionContext;
use crate::commands::session::setup_failed;
use crate::error::{CommandError, Exit};
use crate::lost_wrapping::{LostServer, WrappingWatch};
use crate::output::inbox_text;
use crate::settings::WatchSettings;
use overt_operator::inbox::InboxStore;

/// How often the store is read.
const CHECK_INTERVAL: Duration = Duration::from_millis(300);
/// How long to wait for an event. After this, the window size is checked, and a lone escape counts
/// as a key.
const PAUSE: Duration = Duration::from_millis(100);

type Terminals = Terminal<Screen<BufWriter<io::Stdout>>>;

/// Why the loop ended.
enum End {
    Left,
    /// A signal asked for it.
    Told,
    /// The terminal was closed.
    Closed,
}

pub(super) fn full(
    context: &DecisionContext<'_>,
    settings: &WatchSettings,
    wrapping: WrappingWatch,
) -> Result<Exit, CommandError> {
    let store = InboxStore::open(context.operator())?;
    let events = Events::start()?;
    let unready = setup_failed("the terminal");
    let raw = RawTerminal::enter().map_err(unready)?;
    let screen = Screen::new(BufWriter::new(io::stdout()), settings.has_colour);
    let display = Terminal::new(screen).map_err(unready)?;
    let around = ViewContext {
        zone: TimeZone::system(),
        home: settings.home.clone(),
        read_only: store.read_only().map(str::to_owned),
        unwrapped: Vec::new(),
        totals: None,
    };
    let is_read_only = store.read_only().is_some();
    let counter = TotalsCounter::start(&settings.logs);
    let notifier = Notifier::new(settings.notice.clone());
    let ended = InboxLoop { store, counter, display, around, notifier, wrapping, inbox: Inbox::default() }
        .run(&events);
    drop(raw);
    match ended? {
        End::Left if !is_read_only => context.printer().note("calls no longer wait for an answer here"),
        End::Told => return Ok(Exit::Interrupted),
        End::Left | End::Closed => {}
    }
    Ok(Exit::Ok)
}

/// Everything that the loop works with.
struct InboxLoop<'a> {
    store: InboxStore<'a>,
    counter: TotalsCounter,
    display: Terminals,
    around: ViewContext,
    notifier: Notifier,
    wrapping: WrappingWatch,
    inbox: Inbox,
}

impl InboxLoop<'_> {
    fn run(mut self, events: &Events) -> Result<End, CommandError> {
        let begun = Instant::now();
        let mut keys = KeyReader::default();
        let mut checked_at: Option<Instant> = None;
        let mut is_first = true;
        loop {
            let now = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            if checked_at.is_none_or(|checked_at| checked_at.elapsed() >= CHECK_INTERVAL) {
                checked_at = Some(Instant::now());
                let mut arrived = 0;
                if let Some(open) = self.store.questions()? {
                    let new = self.inbox.refresh(open, now);
                    arrived = new.len();
                    // Don't notify about the first questions, because the person is looking at the
                    // screen.
                    if !new.is_empty() && !is_first {
                        self.tell(&new);
                    }
                    is_first = false;
                }
                if let Some(lost) = self.wrapping.news() {
                    self.around.unwrapped = lost.iter().map(LostServer::line).collect();
                    if !self.around.unwrapped.is_empty() {
                        ring();
                    }
                }
                self.around.totals = Some(self.counter.totals(arrived));
            }
            if let Some(open) = self.inbox.wants_details().cloned() {
                let text = inbox_text(&open, self.store.review(&open.id)?.as_ref());
                self.inbox.set_details(open.id, text);
            }
            if self.draw().is_err() {
                return Ok(End::Closed);
            }
            match events.next(PAUSE) {
                None => {
                    if let Some(key) = keys.pause()
                        && let Some(action) = self.inbox.press(key, now)
                        && self.act(action)
                    {
                        return Ok(End::Left);
                    }
                }
                Some(Event::Closed) => return Ok(End::Closed),
                Some(Event::Ended) => return Ok(End::Told),
                Some(Event::Typed(bytes)) => {
                    for key in keys.read(&bytes) {
                        if let Some(action) = self.inbox.press(key, now)
                            && self.act(action)
                        {
                            return Ok(End::Left);
                        }
                    }
                }
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let (inbox, around, now) = (&mut self.inbox, &self.around, self.store.now());
        self.display.draw(|frame| draw(frame.buffer_mut(), inbox, around, now)).map(|_| ())
    }

    /// Performs an action. Returns whether to leave.
    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Leave => return true,
            // Forget what is on the screen, so that all of it is written again.
            Action::Redraw => drop(self.display.clear()),
            Action::TakeBack => {
                let words = self.store.take_back();
                self.inbox.say(words);
            }
            Action::Answer { ids, reply } => {
                let asked: Vec<PendingQuestion> =
                    self.inbox.items().iter().filter(|open| ids.contains(&open.id)).cloned().collect();
                let (answered, words) = self.store.answer(&asked.iter().collect::<Vec<_>>(), reply);
                self.inbox.answered(&answered);
                self.inbox.say(words);
            }
        }
        false
    }

    fn tell(&mut self, new: &[PendingQuestion]) {
        if self.notifier.tell(new) {
            return;
        }
        ring();
    }
}

fn ring() {
    let mut out = io::stdout();
    // If the terminal was closed, the loop notices that when it reads keys.
    let _ = out.write_all(b"\x07").and_then(|()| out.flush());
}
