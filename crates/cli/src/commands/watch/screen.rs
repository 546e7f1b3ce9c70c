//! The terminal as a screen: in raw mode while drawing, and restored in every case. Only changes
//! are written, so that drawing is fast over a slow connection too.
use std::io::{self, Write};
use std::panic;

use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// Holds the terminal in raw mode, and restores it when dropped.
#[derive(Debug)]
pub(super) struct RawTerminal {
    before: Termios,
}

/// Draws on a terminal.
#[derive(Debug)]
pub(super) struct Screen<W> {
    out: W,
    has_colour: bool,
    at: Position,
}

/// Switches to the alternate screen without a cursor, and back.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE: &[u8] = b"\x1b[?25h\x1b[?1049l";
/// The size if the terminal does not report one.
const USUAL: Size = Size { width: 80, height: 24 };

impl RawTerminal {
    /// Enters raw mode, in which keys arrive one by one. Dropping the value restores the terminal,
    /// and so does a panic.
    pub(super) fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        let mut out = io::stdout().lock();
        let entered = Self { before };
        out.write_all(ENTER)?;
        out.flush()?;
        let restored = entered.before.clone();
        let earlier = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore(&restored);
            earlier(info);
        }));
        Ok(entered)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        restore(&self.before);
    }
}

fn restore(before: &Termios) {
    let mut out = io::stdout();
    // If the terminal was closed, there is nothing to restore.
    let _ = out.write_all(LEAVE).and_then(|()| out.flush());
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
}

impl<W: Write> Screen<W> {
    pub(super) fn new(out: W, has_colour: bool) -> Self {
        // The cursor's position is not known yet, so the first cell must set it.
        Self { out, has_colour, at: Position { x: u16::MAX, y: u16::MAX } }
    }

    fn paint(&mut self, cell: &Cell) -> io::Result<()> {
        if !self.has_colour {
            return Ok(());
        }
        let mut codes = String::from("\x1b[0");
        for (modifier, code) in [(Modifier::BOLD, ";1"), (Modifier::DIM, ";2"), (Modifier::REVERSED, ";7")] {
            if cell.modifier.contains(modifier) {
                codes.push_str(code);
            }
        }
        codes.push_str(match cell.fg {
            Color::Red => ";31",
            Color::Green => ";32",
            Color::Yellow => ";33",
            _ => "",
        });
        codes.push('m');
        self.out.write_all(codes.as_bytes())
    }
}

impl<W: Write> Backend for Screen<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut style = None;
        for (x, y, cell) in content {
            if self.at != (Position { x, y }) {
                write!(self.out, "\x1b[{};{}H", y + 1, x + 1)?;
            }
            if style != Some((cell.fg, cell.modifier)) {
                self.paint(cell)?;
                style = Some((cell.fg, cell.modifier));
            }
            self.out.write_all(cell.symbol().as_bytes())?;
            self.at = Position { x: x.saturating_add(1), y };
            // The terminal decides how wide this character is, so set the position again.
            if !cell.symbol().is_ascii() {
                self.at = Position { x: u16::MAX, y: u16::MAX };
            }
        }
        if self.has_colour {
            self.out.write_all(b"\x1b[0m")?;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        // The cursor stays hidden from start to end.
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position { x: 0, y: 0 })
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        self.at = Position { x: u16::MAX, y: u16::MAX };
        write!(self.out, "\x1b[{};{}H", y + 1, x + 1)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.at = Position { x: u16::MAX, y: u16::MAX };
        self.out.write_all(b"\x1b[2J")
    }

    fn clear_region(&mut self, _: ClearType) -> io::Result<()> {
        self.clear()
    }

    fn size(&self) -> io::Result<Size> {
        // If the terminal was closed, the loop notices that when it reads keys.
        let size = tcgetwinsize(io::stdout()).map(|size| Size { width: size.ws_col, height: size.ws_row });
        Ok(size.ok().filter(|size| size.width > 0 && size.height > 0).unwrap_or(USUAL))
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size { width: 0, height: 0 } })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
