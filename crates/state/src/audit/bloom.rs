//! A probabilistic set of numbers: it has no false negatives and few false positives.

/// A Bloom filter.
#[derive(Debug)]
pub(super) struct Bloom(Vec<u64>);

/// Bits per number, and how many of them each number sets. About 3 of 1,000 lookups of other
/// numbers are false positives.
const BITS: usize = 12;
const PROBES: u64 = 8;

impl Bloom {
    /// Creates the filter. Sorts `numbers` and removes duplicates.
    pub(super) fn new(numbers: &mut Vec<u64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        let mut words = vec![0; (numbers.len() * BITS).div_ceil(64)];
        for number in numbers {
            for bit in bits(*number, words.len()) {
                words[bit / 64] |= 1 << (bit % 64);
            }
        }
        Self(words)
    }

    pub(super) fn from_words(words: Vec<u64>) -> Self {
        Self(words)
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn may_have(&self, number: u64) -> bool {
        let is_set = |bit: usize| self.0[bit / 64] & (1 << (bit % 64)) != 0;
        !self.0.is_empty() && bits(number, self.0.len()).all(is_set)
    }
}

/// The bits of a number, by double hashing.
fn bits(number: u64, words: usize) -> impl Iterator<Item = usize> {
    let (first, step) = (number & 0xffff_ffff, (number >> 32) | 1);
    let count = words as u64 * 64;
    (0..PROBES).map(move |probe| usize::try_from((first + probe * step) % count).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_never_forgotten_and_strangers_are_seldom_taken() {
        let mix = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        let bloom = Bloom::new(&mut (0..10_000).map(mix).collect());
        assert!((0..10_000).all(|number| bloom.may_have(mix(number))));
        let taken = (10_000..110_000).filter(|number| bloom.may_have(mix(*number))).count();
        assert!(taken < 1_000, "{taken} of 100,000");
        assert!(!Bloom::new(&mut Vec::new()).may_have(1));
    }
}
