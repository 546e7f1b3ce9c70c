//! Evaluates licence expressions such as `MIT OR (Apache-2.0 AND ISC)`.

/// Returns the licences that satisfy an expression, or `None` if the allowed ones don't. If there
/// is a choice, the first allowed licence is used.
pub(super) fn met_by<'a>(expression: &'a str, allowed: &[String]) -> Option<Vec<&'a str>> {
    let words = words(expression);
    let mut reader = Reader { words: &words, allowed };
    let met = reader.any()?;
    // Remaining words mean that the expression is malformed.
    if reader.words.is_empty() { met.0 } else { None }
}

/// Splits an expression into words. Old manifests write `MIT/Apache-2.0`.
fn words(expression: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in expression.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')', '/']) {
            words.extend([&rest[..at], &rest[at..=at]].into_iter().filter(|word| !word.is_empty()));
            rest = &rest[at + 1..];
        }
        words.extend(Some(rest).filter(|word| !word.is_empty()));
    }
    words
}

/// A well-formed expression, with the licences that satisfy it, if the allowed ones can.
struct Met<'a>(Option<Vec<&'a str>>);

struct Reader<'r, 'a> {
    words: &'r [&'a str],
    allowed: &'r [String],
}

impl<'a> Reader<'_, 'a> {
    fn take(&mut self, wanted: &[&str]) -> bool {
        match self.words {
            [word, rest @ ..] if wanted.contains(word) => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }

    /// Reads `A OR B`. Returns `None` if it is malformed.
    fn any(&mut self) -> Option<Met<'a>> {
        let Met(mut met) = self.all()?;
        while self.take(&["OR", "/"]) {
            let Met(other) = self.all()?;
            met = met.or(other);
        }
        Some(Met(met))
    }

    /// Reads `A AND B`.
    fn all(&mut self) -> Option<Met<'a>> {
        let Met(mut met) = self.one()?;
        while self.take(&["AND"]) {
            let Met(other) = self.one()?;
            met = met.zip(other).map(|(one, other)| [one, other].concat());
        }
        Some(Met(met))
    }

    /// Reads a licence or an expression in brackets. A licence may have an exception, which only
    /// allows more.
    fn one(&mut self) -> Option<Met<'a>> {
        if self.take(&["("]) {
            let met = self.any()?;
            return self.take(&[")"]).then_some(met);
        }
        let [licence, rest @ ..] = self.words else { return None };
        self.words = rest;
        if self.take(&["WITH"]) {
            self.words = self.words.get(1..)?;
        }
        let is_allowed = self.allowed.iter().any(|allowed| allowed == licence);
        Some(Met(is_allowed.then(|| vec![*licence])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_met_by_what_is_allowed() {
        let allowed = ["MIT", "ISC"].map(str::to_owned);
        for (expression, met) in [
            ("MIT", Some(vec!["MIT"])),
            ("GPL-3.0", None),
            ("GPL-3.0 OR MIT", Some(vec!["MIT"])),
            ("Apache-2.0/MIT", Some(vec!["MIT"])),
            ("GPL-3.0 AND MIT", None),
            ("(GPL-3.0 OR MIT) AND ISC", Some(vec!["MIT", "ISC"])),
            ("Apache-2.0 WITH LLVM-exception OR MIT", Some(vec!["MIT"])),
            ("MIT WITH x", Some(vec!["MIT"])),
            ("MIT ISC", None),
            ("(MIT", None),
            ("MIT OR", None),
            ("", None),
        ] {
            assert_eq!(met_by(expression, &allowed), met, "{expression}");
        }
    }
}
