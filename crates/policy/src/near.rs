//! Finds the existing names that are similar to a typed one.

/// Returns the name that was probably meant.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let ranked = names.into_iter().map(|name| (rank(typed, name), name));
    ranked.filter(|(rank, _)| *rank < FAR).min_by_key(|(rank, _)| *rank).map(|(_, name)| name)
}

/// Returns what to do about an unknown name: use the name that was probably meant, or one of the
/// existing names.
pub fn fix_for<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(near) = nearest(typed, names.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("remove it; known here: {}", known.join(", "))
}

/// The rank of a name that is not similar.
pub const FAR: usize = usize::MAX;

/// Ranks the similarity of a name; 0 is equal. All dissimilar names get [`FAR`], so that a stable
/// sort keeps their order.
pub fn rank(typed: &str, name: &str) -> usize {
    let fold = |text: &str| text.to_lowercase().replace(['-', '_', '.', ' '], "");
    let (typed, name) = (fold(typed), fold(name));
    if typed == name {
        return 0;
    }
    let distance = distance(&typed, &name);
    let shorter = typed.chars().count().min(name.chars().count());
    if distance <= (shorter / 3).max(1) && distance < shorter {
        distance
    } else if shorter >= 3 && (name.contains(&typed) || typed.contains(&name)) {
        // Containing the typed text is a weaker sign than a typing error.
        100 + distance
    } else {
        FAR
    }
}

/// Returns how many letters to insert, remove, replace or swap with their neighbour to turn one
/// text into the other.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.chars().take(LONGEST).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    // The rows of the usual table: the one before the last, the last, and the current one.
    let mut earlier: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replace = last[j] + usize::from(a[i] != b[j]);
            let mut least = replace.min(row[j] + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(earlier[j - 1] + 1);
            }
            row.push(least);
        }
        earlier = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Only this many characters are compared, because a server can send names of any length.
const LONGEST: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_told_from_another_name() {
        let names = ["allow", "deny", "rate-limit"];
        for (typed, meant) in
            [("alow", Some("allow")), ("dney", Some("deny")), ("rate", Some("rate-limit")), ("colour", None)]
        {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
        assert_eq!(fix_for("alow", names), "did you mean `allow`?");
        assert_eq!(fix_for("x", names), "remove it; known here: `allow`, `deny`, `rate-limit`");
    }
}
