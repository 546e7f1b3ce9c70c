//! The server over standard input and output.
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::habits::Habits;
use super::mind::{self, Deed, Mind};

/// Serves until the input ends, and for ever if it has that habit.
pub fn serve(habits: Habits) -> io::Result<()> {
    let habits = habits.started();
    let (deaf, slow, stay, noise) = (habits.deaf, habits.slow, habits.stay, habits.noise.clone());
    if let Some(noise) = &noise {
        write(noise.as_bytes())?;
    }
    if let Some(status) = habits.exit_at_start {
        mind::exit(status);
    }
    if deaf {
        hang();
    }
    let mind = Arc::new(Mind::new(habits));
    let input: Box<dyn Read> = if slow { Box::new(ByteASecond(io::stdin())) } else { Box::new(io::stdin()) };
    for line in BufReader::new(input).lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if let Some(noise) = &noise {
            write(noise.as_bytes())?;
        }
        // Nobody who can't write any more has anything left to do.
        if act(&mind, &message).is_err() && !stay {
            return Ok(());
        }
    }
    if stay {
        hang();
    }
    Ok(())
}

fn act(mind: &Mind, message: &Value) -> io::Result<()> {
    match mind.consider(message, &std::collections::BTreeMap::new()) {
        Deed::Answer(answer) | Deed::Forget(answer) => write(format!("{answer}\n").as_bytes()),
        Deed::Script(script) => {
            // A script may wait; the others go on meanwhile.
            std::thread::spawn(move || script.run(|| io::stdout().lock()));
            Ok(())
        }
        Deed::Deafen(answer) => {
            write(format!("{answer}\n").as_bytes())?;
            hang()
        }
        Deed::Exit(status) => mind::exit(status),
        Deed::Abort => std::process::abort(),
        Deed::Nothing => Ok(()),
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
