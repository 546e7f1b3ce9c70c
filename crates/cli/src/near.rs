//! "Did you mean": which of the names that exist are near the one that was typed.

/// A sentence for an error: near names first, then what else there is, at most `MOST` names.
pub(crate) fn valid_names<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut ranked: Vec<(usize, &str)> = names.into_iter().map(|name| (rank(typed, name), name)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let near = ranked.first().filter(|(rank, _)| *rank < FAR).map(|(_, name)| *name);
    let mut text = near.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
    text.push_str("there is ");
    let shown: Vec<String> = ranked.iter().take(MOST).map(|(_, name)| format!("`{name}`")).collect();
    text.push_str(&shown.join(", "));
    if ranked.len() > MOST {
        text.push_str(&format!(" and {} more", ranked.len() - MOST));
    }
    text
}

const MOST: usize = 20;
const FAR: usize = usize::MAX;

/// How near a name is; [`FAR`] for one that isn't, so that the order of the list stays.
fn rank(typed: &str, name: &str) -> usize {
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
    fn near_names_come_first() {
        let names = ["echo", "get-sum", "get-env", "toggle-simulated-logging"];
        let say = |typed| valid_names(typed, names);
        assert!(say("get_sum").starts_with("did you mean `get-sum`? there is `get-sum`, "));
        assert!(say("ehco").starts_with("did you mean `echo`?"));
        assert!(say("ecko").starts_with("did you mean `echo`?"));
        assert!(say("logging").starts_with("did you mean `toggle-simulated-logging`?"));
        assert_eq!(valid_names("c", ["a", "b"]), "there is `a`, `b`");
        assert_eq!(say("zzz"), "there is `echo`, `get-sum`, `get-env`, `toggle-simulated-logging`");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..50).map(|n| format!("tool{n}")).collect();
        let text = valid_names("x", names.iter().map(String::as_str));
        assert!(text.ends_with("`tool19` and 30 more"), "{text}");
    }
}
