//! Counts tokens (o200k). Reads a JSON list of lists of texts from standard input, and writes a
//! JSON list with the number of tokens of each list to standard output.
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let lists: Vec<Vec<String>> = serde_json::from_reader(std::io::stdin())?;
    let encoding = tiktoken_rs::o200k_base()?;
    let count = |text: &String| encoding.encode_with_special_tokens(text).len();
    let counts: Vec<usize> = lists.iter().map(|texts| texts.iter().map(count).sum()).collect();
    Ok(serde_json::to_writer(std::io::stdout(), &counts)?)
}
