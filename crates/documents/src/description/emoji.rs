//! Recognizes a single emoji (D-05), by the sequences that Unicode allows (UTS 51). Keycaps are
//! excluded, because they begin with a digit.

/// The emoji of the Basic Multilingual Plane, alone or before the selector for a picture.
const SYMBOLS: &str = "©®‼⁉™ℹ↔↕↖↗↘↙↩↪⌚⌛⌨⏏⏩⏪⏫⏬⏭⏮⏯⏰⏱⏲⏳⏸⏹⏺Ⓜ▪▫▶◀◻◼◽◾☀☁☂☃☄☎☑☔☕☘☝☠☢☣\
    ☦☪☮☯☸☹☺♀♂♈♉♊♋♌♍♎♏♐♑♒♓♟♠♣♥♦♨♻♾♿⚒⚓⚔⚕⚖⚗⚙⚛⚜⚠⚡⚧⚪⚫⚰⚱⚽⚾⛄⛅⛈⛎⛏⛑⛓\
    ⛔⛩⛪⛰⛱⛲⛳⛴⛵⛷⛸⛹⛺⛽✂✅✈✉✊✋✌✍✏✒✔✖✝✡✨✳✴❄❇❌❎❓❔❕❗❣❤➕➖➗➡➰➿⤴⤵⬅⬆⬇⬛⬜⭐\
    ⭕〰〽㊗㊙";
const PICTURE: char = '\u{fe0f}';
const JOINER: char = '\u{200d}';
/// A black flag, which tags for a region may follow.
const BLACK_FLAG: char = '\u{1f3f4}';
const LAST_TAG: char = '\u{e007f}';

/// Returns whether the text is a picture, a flag, or a joined sequence of pictures.
pub(super) fn is_one_emoji(text: &str) -> bool {
    let is_flag = text.chars().count() == 2 && text.chars().all(|c| matches!(c, '\u{1f1e6}'..='\u{1f1ff}'));
    is_flag || text.split(JOINER).all(is_picture)
}

/// Returns whether the text is one emoji with its skin tone, selector or tags.
fn is_picture(text: &str) -> bool {
    let mut rest = text.chars();
    let Some(first) = rest.next().filter(|first| is_emoji(*first)) else { return false };
    let tags = rest.as_str();
    if first == BLACK_FLAG && tags.ends_with(LAST_TAG) {
        return tags.chars().all(|c| matches!(c, '\u{e0020}'..=LAST_TAG));
    }
    rest.next().is_none_or(|c| c == PICTURE || matches!(c, '\u{1f3fb}'..='\u{1f3ff}'))
        && rest.next().is_none()
}

/// Beyond the Basic Multilingual Plane, whole blocks count, so that future emoji count too.
fn is_emoji(c: char) -> bool {
    let is_picture = matches!(c,
        '\u{1f300}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}' | '\u{1f7e0}'..='\u{1f7f0}'
        | '\u{1f900}'..='\u{1f9ff}' | '\u{1fa70}'..='\u{1faff}');
    let is_tile = matches!(c,
        '\u{1f004}' | '\u{1f0cf}' | '\u{1f170}'..='\u{1f171}' | '\u{1f17e}'..='\u{1f17f}' | '\u{1f18e}'
        | '\u{1f191}'..='\u{1f19a}' | '\u{1f201}'..='\u{1f202}' | '\u{1f21a}' | '\u{1f22f}'
        | '\u{1f232}'..='\u{1f23a}' | '\u{1f250}'..='\u{1f251}');
    is_picture || is_tile || SYMBOLS.contains(c)
}

#[cfg(test)]
mod tests {
    use super::is_one_emoji;

    #[test]
    fn d_05_one_emoji_and_nothing_else() {
        for emoji in [
            "📊",
            "☃",
            "☃\u{fe0f}",
            "❤️",
            "👍🏽",
            "👩‍💻",
            "👨‍👩‍👧‍👦",
            "🏳️‍🌈",
            "❤️‍🔥",
            "🇪🇺",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "🫩",
            "©️",
            "🀄",
            "🅰️",
        ] {
            assert!(is_one_emoji(emoji), "{emoji}");
        }
        for text in [
            "",
            "a",
            "☃a",
            "—",
            "é",
            "字",
            "📊📊",
            "📊 ",
            " 📊",
            "\u{fe0f}",
            "\u{200d}",
            "📊\u{200d}",
            "\u{200d}📊",
            "🇪",
            "🇪🇺🇪",
            "1️⃣",
            "★",
            "…",
            "☃\u{fe0e}",
            "📊\u{e0041}\u{e007f}",
            "👍🏽🏽",
            "\u{202e}",
            "<",
        ] {
            assert!(!is_one_emoji(text), "{text}");
        }
    }
}
