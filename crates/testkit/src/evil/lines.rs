//! The server over standard input and output.
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::habits::Habits;
use super::process::exit;
use super::server::{Action, EvilServer};

/// Serves until the input ends, or forever with the habit `stay`.
pub fn serve(habits: Habits) -> io::Result<()> {
    let habits = habits.started();
    let (deaf, slow, stay, noise) = (habits.deaf, habits.slow, habits.stay, habits.noise.clone());
    if let Some(noise) = &noise {
        write(noise.as_bytes())?;
    }
    if let Some(status) = habits.exit_at_start {
        exit(status);
    }
    if deaf {
        hang();
    }
    let server = Arc::new(EvilServer::new(habits));
    let input: Box<dyn Read> = if slow { Box::new(ByteASecond(io::stdin())) } else { Box::new(io::stdin()) };
    for line in BufReader::new(input).lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if let Some(noise) = &noise {
            write(noise.as_bytes())?;
        }
        // Stop when the output is closed.
        if act(&server, &message).is_err() && !stay {
            return Ok(());
        }
    }
    if stay {
        hang();
    }
    Ok(())
}

fn act(server: &EvilServer, message: &Value) -> io::Result<()> {
    match server.respond(message, &std::collections::BTreeMap::new()) {
        Action::Answer(answer) | Action::Forget(answer) => write(format!("{answer}\n").as_bytes()),
        Action::Script(script) => {
            // A script may wait. Other messages are handled meanwhile.
            std::thread::spawn(move || script.run(|| io::stdout().lock()));
            Ok(())
        }
        Action::Deafen(answer) => {
            write(format!("{answer}\n").as_bytes())?;
            hang()
        }
        Action::Exit(status) => exit(status),
        Action::Abort => std::process::abort(),
        Action::Nothing => Ok(()),
    }
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Reads one byte a second.
struct ByteASecond<R>(R);

impl<R: Read> Read for ByteASecond<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        std::thread::sleep(Duration::from_secs(1));
        self.0.read(&mut buffer[..1])
    }
}
