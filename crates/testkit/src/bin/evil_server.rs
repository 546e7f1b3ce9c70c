//! The evil server as a program: `evil-server --stdio`, or `--http ADDRESS`. Its habits are
//! options.
use std::error::Error;
use std::io::Write as _;

use overt_testkit::evil::habits::Habits;
use overt_testkit::evil::lines;
use overt_testkit::evil::web::Web;

fn main() -> Result<(), Box<dyn Error>> {
    let (habits, rest) = Habits::parse(std::env::args().skip(1))?;
    match rest.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // The tool `arguments` shows any further words.
        ["--stdio"] | ["--stdio", "--", ..] => lines::serve(habits)?,
        ["--http", address] => {
            let web = Web::bind(address.parse()?, habits)?;
            writeln!(std::io::stderr(), "listening on {}", web.url())?;
            web.serve();
        }
        _ => return Err("usage: evil-server [HABIT...] --stdio | --http ADDRESS".into()),
    }
    Ok(())
}
