//! Finds the words that differ between replaced lines and their replacements. The result is
//! deterministic: there is no time limit, so a preview and its call show the same difference.
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The ranges of differing words in one line, in characters (Unicode code points) from 0.
pub type Ranges = Vec<Range<usize>>;

/// The most words of one side that are compared. Beyond that, whole lines count as changed.
const MOST_WORDS: usize = 2_000;
/// Two texts that share less than one part in this many are not versions of each other.
const LEAST_COMMON: usize = 4;

/// A word and its position.
struct Word<'a> {
    text: &'a str,
    line: usize,
    chars: Range<usize>,
}

/// Returns the removed words and the added words of each line. `None` if the lines have too little
/// in common for word ranges to help.
pub fn changed_words(old: &[&str], new: &[&str]) -> Option<(Vec<Ranges>, Vec<Ranges>)> {
    let (before, after) = (words(old)?, words(new)?);
    let texts = |words: &[Word<'_>]| words.iter().map(|word| word.text.to_owned()).collect::<Vec<_>>();
    let ops = capture_diff_slices(Algorithm::Myers, &texts(&before), &texts(&after));
    let mut gone = vec![Ranges::new(); old.len()];
    let mut come = vec![Ranges::new(); new.len()];
    let mut common = 0;
    for op in &ops {
        if op.tag() == DiffTag::Equal {
            common += weight(&before[op.old_range()]);
            continue;
        }
        mark(&before[op.old_range()], &mut gone);
        mark(&after[op.new_range()], &mut come);
    }
    if common * LEAST_COMMON < weight(&before).max(weight(&after)) {
        return None;
    }
    for (ranges, line) in gone.iter_mut().zip(old).chain(come.iter_mut().zip(new)) {
        join(ranges, line);
    }
    Some((gone, come))
}

/// Splits lines into words: runs of letters and digits, runs of white space, and single other
/// characters. Returns `None` if there are too many.
fn words<'a>(lines: &[&'a str]) -> Option<Vec<Word<'a>>> {
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut rest = *line;
        let mut at = 0;
        while let Some(first) = rest.chars().next() {
            let class = class(first);
            let same = |letter: char| class.is_some() && self::class(letter) == class;
            let bytes = rest.find(|letter| !same(letter)).unwrap_or(rest.len()).max(first.len_utf8());
            let (text, after) = rest.split_at(bytes);
            let end = at + text.chars().count();
            found.push(Word { text, line: number, chars: at..end });
            if found.len() > MOST_WORDS {
                return None;
            }
            (rest, at) = (after, end);
        }
        // A word never spans two lines.
        found.push(Word { text: "\n", line: number, chars: at..at });
    }
    Some(found)
}

#[derive(PartialEq)]
enum Class {
    Letters,
    Space,
}

fn class(letter: char) -> Option<Class> {
    match letter {
        '_' => Some(Class::Letters),
        letter if letter.is_alphanumeric() => Some(Class::Letters),
        letter if letter.is_whitespace() => Some(Class::Space),
        _ => None,
    }
}

/// Returns the number of characters that are not white space.
fn weight(words: &[Word<'_>]) -> usize {
    words.iter().filter(|word| !word.text.trim().is_empty()).map(|word| word.chars.len()).sum()
}

fn mark(words: &[Word<'_>], lines: &mut [Ranges]) {
    for word in words.iter().filter(|word| !word.chars.is_empty()) {
        let ranges = &mut lines[word.line];
        match ranges.last_mut().filter(|last| last.end == word.chars.start) {
            Some(last) => last.end = word.chars.end,
            None => ranges.push(word.chars.clone()),
        }
    }
}

/// Joins changed words that only white space separates: a reader sees them as one change.
fn join(ranges: &mut Ranges, line: &str) {
    let mut joined: Ranges = Vec::with_capacity(ranges.len());
    for range in ranges.drain(..) {
        match joined.last_mut() {
            Some(last) if is_space(line, last.end..range.start) => last.end = range.end,
            _ => joined.push(range),
        }
    }
    *ranges = joined;
}

fn is_space(line: &str, chars: Range<usize>) -> bool {
    line.chars().skip(chars.start).take(chars.len()).all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_found_by_their_characters() {
        let found = changed_words(&["let größe = 12;"], &["let größe = 13;"]).unwrap();
        assert_eq!(found, (vec![vec![12..14]], vec![vec![12..14]]));
        let found = changed_words(&["one two three four"], &["one 2 3 four"]).unwrap();
        assert_eq!(found, (vec![vec![4..13]], vec![vec![4..7]]));
        // One side has an additional line.
        let found = changed_words(&["call(a, b)"], &["call(", "a, b)"]).unwrap();
        assert_eq!(found, (vec![vec![]], vec![vec![], vec![]]));
        let found = changed_words(&["🦀 a b"], &["🦀 a c"]).unwrap();
        assert_eq!(found, (vec![vec![4..5]], vec![vec![4..5]]));
    }

    #[test]
    fn lines_with_nothing_in_common_are_changed_as_a_whole() {
        assert_eq!(changed_words(&["alpha beta"], &["gamma, delta"]), None);
        assert_eq!(changed_words(&[], &["x"]), None);
        let long = "a b ".repeat(MOST_WORDS);
        assert_eq!(changed_words(&[&long], &["a"]), None);
    }
}
