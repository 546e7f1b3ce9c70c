//! Writes the table of tokens that `src/cost/count.rs` reads: for each token its length and its
//! bytes, in the order of their numbers. The text that the encoding comes as is more than twice as
//! long.
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let encoding = tiktoken_rs::o200k_base()?;
    let mut table = Vec::new();
    // The numbers of special tokens come after a gap, and no text is counted as one of them.
    for token in (0..).map_while(|number| encoding.decode_bytes(&[number]).ok()) {
        table.push(u8::try_from(token.len())?);
        table.extend(token);
    }
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo names no directory for what is built")?;
    std::fs::write(Path::new(&folder).join("o200k_base.tokens"), table)?;
    Ok(())
}
