//! The server of seed 002 as a program: `seed-server --stdio`, or `--http ADDRESS`.
use std::error::Error;
use std::io::Write as _;

use overt_testkit::seed::serve;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--stdio"] => serve::lines()?,
        ["--http", address] => {
            let url = serve::http(address.parse()?)?;
            writeln!(std::io::stderr(), "listening on {url}")?;
            loop {
                std::thread::park();
            }
        }
        _ => return Err("usage: seed-server --stdio | --http ADDRESS".into()),
    }
    Ok(())
}
