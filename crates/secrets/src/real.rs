//! Distinguishes real credentials from placeholders, words, paths and versions, by their
//! characters.

/// Texts that mark a placeholder anywhere in a value. They don't occur in a random value by chance.
const STAND_INS: [&str; 16] = [
    "...",
    "…",
    "***",
    "${",
    "{{",
    "(",
    "<",
    "://",
    "example",
    "placeholder",
    "redacted",
    "changeme",
    "replace",
    "sample",
    "insert",
    "process.env",
];
/// The first characters of placeholders.
const OPENING: [char; 7] = ['$', '<', '{', '%', '[', '*', '`'];
/// Passwords that only mean "your password".
const WORDS_FOR_PASSWORD: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "key",
    "apikey",
    "api_key",
    "p",
];

/// Prefixes of the names of algorithms and encodings: `sha512crypt`, `RS256`.
const ALGORITHMS: [&str; 18] = [
    "sha1", "sha2", "sha3", "sha5", "hmacsha", "md5", "hs256", "rs256", "es256", "ps256", "aes128", "aes192",
    "aes256", "argon2", "pbkdf2", "blake2", "ed25519", "utf8",
];
/// Words that may precede the credential in the value of `Authorization`.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];
/// Names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns whether the value of a name that means a credential looks real.
pub(super) fn is_value(value: &str) -> bool {
    let value = value.split_once(' ').filter(|(first, _)| is_scheme(first)).map_or(value, |(_, rest)| rest);
    value.len() >= 8
        && !value.contains(char::is_whitespace)
        && !is_stand_in(value)
        && parts(value).any(is_random)
        && bits_per_byte(value) >= 2.5
}

/// Returns whether a word with the form of a service's key looks real.
pub(super) fn is_key(word: &str) -> bool {
    let is_random = |part: &str| {
        let kinds = Kinds::of(part);
        match part.len() {
            0..10 => false,
            10..16 => kinds.digits > 0 && kinds.letters() > 0,
            _ => kinds.letters() > 0,
        }
    };
    !is_stand_in(word) && parts(word).any(is_random) && bits_per_byte(word) >= 3.0
}

/// Returns whether it has a header, claims and a signature, each in base64.
pub(super) fn is_jwt(word: &str) -> bool {
    let parts: Vec<&str> = word.trim_matches('.').split('.').collect();
    let is_base64 = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    parts.len() >= 3 && parts.iter().all(is_base64) && parts[0].len() >= 10 && parts[1].len() >= 6
}

/// Returns whether it may be the inside of a private key: it contains at least a piece of base64.
pub(super) fn is_key_block(block: &str) -> bool {
    let is_base64 = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '+' | '/' | '=');
    block.split(|c| !is_base64(c)).any(|piece| {
        let kinds = Kinds::of(piece);
        piece.len() >= 16 && (kinds.digits > 0 || kinds.upper > 0) && bits_per_byte(piece) >= 2.5
    })
}

/// Returns whether `user:password`, or a token alone, looks real; `behind` is the text after it. If
/// both are equal and the host is this machine, they are the defaults of a database:
/// `postgres:postgres@localhost`.
pub(super) fn is_user_info(value: &str, behind: &str) -> bool {
    let Some((user, password)) = value.split_once(':') else { return is_value(value) || is_key(value) };
    let is_end =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let host = behind.trim_start_matches('@');
    if user == password && LOOPBACK.iter().any(|own| host.strip_prefix(own).is_some_and(is_end)) {
        return false;
    }
    let one_letter = password.chars().all(|c| password.starts_with(c));
    !one_letter
        && !is_stand_in(password)
        && !WORDS_FOR_PASSWORD.contains(&password.to_ascii_lowercase().as_str())
        && !parts(password).any(|part| part.eq_ignore_ascii_case("your") || part.eq_ignore_ascii_case("my"))
}

fn is_stand_in(value: &str) -> bool {
    if value.starts_with(OPENING) {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    STAND_INS.iter().any(|text| lower.contains(text))
}

fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

/// Returns whether a part is neither a word, nor a number, nor a word with a number such as
/// `oauth2`.
fn is_random(part: &str) -> bool {
    let kinds = Kinds::of(part);
    if kinds.digits == 0 {
        // Letters alone are random only if there are many and their case changes often.
        let often = kinds.upper * 4 >= part.len() && kinds.lower * 4 >= part.len();
        return part.len() >= 20 && often;
    }
    let begins_with = |name: &str| part.get(..name.len()).is_some_and(|p| p.eq_ignore_ascii_case(name));
    if part.len() < 16 && ALGORITHMS.iter().any(|name| begins_with(name)) {
        return false;
    }
    let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_word_with_number = kinds.digits <= 4 && word.len() + kinds.digits == part.len() && part.len() < 16;
    part.len() >= 6 && kinds.letters() > 0 && !is_word_with_number
}

struct Kinds {
    lower: usize,
    upper: usize,
    digits: usize,
}

impl Kinds {
    fn of(text: &str) -> Self {
        let count = |is: fn(&u8) -> bool| text.bytes().filter(is).count();
        Self {
            lower: count(u8::is_ascii_lowercase),
            upper: count(u8::is_ascii_uppercase),
            digits: count(u8::is_ascii_digit),
        }
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Returns the Shannon entropy: 0 for one repeated letter, almost 4 for hexadecimal digits.
fn bits_per_byte(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] = counts[usize::from(byte)].saturating_add(1);
    }
    let all = f64::from(counts.iter().fold(0_u32, |sum, count| sum.saturating_add(*count)));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}
