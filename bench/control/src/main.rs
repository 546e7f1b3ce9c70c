//! `bench-control DIR [SECONDS] [ROUNDS]`: measures what control costs a call, and prints a table.
//! DIR must be on the disk to measure. `bench-control fill STATE RECORDS`: fills a state folder
//! with logs.
mod authorize; // a call that passes, with and without control
mod fill; // logs of many records
mod audit; // durable records of many callers, against one fdatasync for each record

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(dir) = args.next().map(PathBuf::from) else {
        return finish(&std::io::stderr().write_all(b"usage: bench-control DIR [SECONDS] [ROUNDS]\n"), 2);
    };
    if dir.as_os_str() == "fill" {
        let (Some(state), Some(records)) = (args.next(), args.next().and_then(|text| text.parse().ok()))
        else {
            return finish(&std::io::stderr().write_all(b"usage: bench-control fill STATE RECORDS\n"), 2);
        };
        return match fill::fill(&PathBuf::from(state), records) {
            Ok(text) => finish(&std::io::stdout().write_all(text.as_bytes()), 0),
            Err(error) => finish(&writeln!(std::io::stderr(), "{error}"), 1),
        };
    }
    let mut number = |default: u64| args.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seconds, rounds) = (number(3), number(3));
    let time = Duration::from_secs(seconds);
    let measured = authorize::measure(&dir, time * 2)
        .and_then(|calls| Ok(format!("{calls}\n{}", audit::measure(&dir, time, rounds)?)));
    match measured {
        Ok(text) => finish(&std::io::stdout().write_all(text.as_bytes()), 0),
        Err(error) => finish(&writeln!(std::io::stderr(), "{error}"), 1),
    }
}

fn finish(written: &std::io::Result<()>, code: u8) -> ExitCode {
    if written.is_ok() { ExitCode::from(code) } else { ExitCode::FAILURE }
}
