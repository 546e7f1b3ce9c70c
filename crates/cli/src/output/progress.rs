//! Shows the progress of a call: a bar on a terminal, or lines elsewhere if requested.
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::safe;
use super::table::cut;
use crate::settings::Verbosity;

/// One progress notification.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProgressReport {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

/// The progress display, for one call at a time.
pub(super) struct Progress {
    mode: Mode,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Bar,
    Lines,
    Nothing,
}

#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    /// The start of the current one-second window, and the number of lines in it.
    window: Option<(Instant, u32)>,
}

/// A server can report as often as it likes, but a person cannot read more lines than this per
/// second (RPC-15).
const LINES_PER_SECOND: u32 = 20;
/// Maximum number of columns of a message.
const WIDEST: usize = 200;
/// Resolution of the bar.
const STEPS: f64 = 1000.0;

impl Progress {
    pub(super) fn new(verbosity: Verbosity, terminal: bool) -> Self {
        let mode = match (verbosity, terminal) {
            (Verbosity::Quiet, _) | (Verbosity::Normal, false) => Mode::Nothing,
            (_, true) => Mode::Bar,
            (_, false) => Mode::Lines,
        };
        Self { mode, state: Mutex::default() }
    }

    pub(super) fn start(&self, what: &str) {
        if self.mode != Mode::Bar {
            return;
        }
        let mut state = self.lock();
        let bar = state.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(style("{spinner:.cyan} {elapsed:.dim} {wide_msg}"));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        bar.set_message(safe::one_line(what));
    }

    /// Updates the display. Returns a line to print if progress is shown as lines.
    pub(super) fn update(&self, report: &ProgressReport) -> Option<String> {
        let mut state = self.lock();
        match self.mode {
            Mode::Nothing => None,
            Mode::Lines => state.may_print(Instant::now()).then(|| format!("progress: {report}")),
            Mode::Bar => {
                let bar = state.bar.as_ref()?;
                if let Some(total) = report.total.filter(|total| *total > 0.0) {
                    if bar.length().is_none() {
                        bar.set_style(style("{spinner:.cyan} {elapsed:.dim} {bar:30.cyan/dim} {wide_msg}"));
                        bar.set_length(STEPS as u64);
                    }
                    let share = (report.progress / total).clamp(0.0, 1.0);
                    bar.set_position((share * STEPS) as u64);
                }
                bar.set_message(report.to_string());
                None
            }
        }
    }

    pub(super) fn stop(&self) {
        if let Some(bar) = self.lock().bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Runs `act` while the bar is hidden.
    pub(super) fn suspend<T>(&self, act: impl FnOnce() -> T) -> T {
        let bar = self.lock().bar.clone();
        match bar {
            Some(bar) => bar.suspend(act),
            None => act(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn may_print(&mut self, now: Instant) -> bool {
        match &mut self.window {
            Some((start, count)) if now.duration_since(*start) < Duration::from_secs(1) => {
                *count += 1;
                *count <= LINES_PER_SECOND
            }
            window => {
                *window = Some((now, 1));
                true
            }
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("mode", &self.mode).finish()
    }
}

impl fmt::Display for ProgressReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            Some(total) => write!(f, "{}/{}", number(self.progress), number(total))?,
            None => write!(f, "{}", number(self.progress))?,
        }
        match self.message.as_deref() {
            Some(message) if !message.trim().is_empty() => {
                write!(f, " {}", cut(&safe::one_line(message), WIDEST))
            }
            _ => Ok(()),
        }
    }
}

/// Formats numbers of ordinary size plainly, and others with an exponent, because their digits
/// would fill a line.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}

/// Parses a template. The templates are constants, so parsing succeeds.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpc_15_a_flood_of_reports_is_thinned() {
        let mut state = State::default();
        let now = Instant::now();
        let printed = (0..1000).filter(|_| state.may_print(now)).count();
        assert_eq!(printed, LINES_PER_SECOND as usize);
        assert!(state.may_print(now + Duration::from_secs(1)));
    }

    #[test]
    fn reports_stay_short() {
        let report = |progress, total| ProgressReport { progress, total, message: None }.to_string();
        assert_eq!(report(0.5, Some(2.0)), "0.5/2");
        assert_eq!(report(0.0, None), "0");
        assert_eq!(report(1e300, Some(-1e-300)), "1e300/-1e-300");
    }
}
