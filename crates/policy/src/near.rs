//! Which of the names that exist are near the one that was typed.

/// The name that was probably meant.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let ranked = names.into_iter().map(|name| (rank(typed, name), name));
    ranked.filter(|(rank, _)| *rank < FAR).min_by_key(|(rank, _)| *rank).map(|(_, name)| name)
}

/// What to do about a name that is not known: the name that was probably meant, or all that there
/// are.
pub fn fix_for<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(near) = nearest(typed, names.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("remove it; known here: {}", known.join(", "))
}

/// The rank of a name that is not near.
pub const FAR: usize = usize::MAX;

/// How near a name is; [`FAR`] for one that isn't, so that the order of the list stays.
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
        // A part of a name is a weaker sign than a slip of the finger.
        100 + distance
    } else {
        FAR
    }
}

/// Letters to insert, remove, replace or swap with their neighbour to get from one to the other.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.chars().take(LONGEST).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    // Rows of the usual table: the one before the last, the last, and the one being written.
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

/// Names are compared up to here: a server can send names of any length.
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
