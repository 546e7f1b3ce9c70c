//! Addresses that occur only once: a view of one call, a temporary file, a name that is a random
//! id. A rule about such an address would never apply again.
use overt_policy::scope::Scope;

/// The scheme of views of a call, which end with the server.
const VIEW: &str = "ui://";
/// Prefixes that common libraries give to names of temporary files and folders.
const TEMPORARY: [&str; 4] = [".tmp", "tmp.", "tmp-", "tmp_"];
/// From this length on, a name of hexadecimal digits counts as a digest or an id.
const LONG_HEX: usize = 16;
/// From this length on, a name that mixes letters and digits can count as an id.
const LONG_ID: usize = 20;

/// Says whether the scope names something below the project that exists only once. The path of the
/// project itself is not judged.
pub(super) fn is_one_off(scope: &Scope, project: Option<&str>) -> bool {
    let text = scope.to_string();
    if text.contains(VIEW) {
        return true;
    }
    let names = match scope.path() {
        Some(path) => {
            let inside = project.and_then(|project| path.strip_prefix(project)).map(str::to_owned);
            inside.unwrap_or(path)
        }
        None => text,
    };
    names.split(['/', ':', '?', '&', '=']).any(is_made_up)
}

/// Says whether a program generated the name.
fn is_made_up(name: &str) -> bool {
    if TEMPORARY.iter().any(|begin| name.starts_with(begin)) {
        return true;
    }
    let stem = name.split('.').next().unwrap_or(name);
    is_uuid(stem) || is_hex(stem) || is_mixed(stem)
}

fn is_uuid(name: &str) -> bool {
    let lengths: Vec<usize> = name.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && name.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

fn is_hex(name: &str) -> bool {
    name.len() >= LONG_HEX
        && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        && name.bytes().any(|byte| byte.is_ascii_digit())
}

/// Says whether the name is one long word of lower and upper case letters and digits, like base64.
fn is_mixed(name: &str) -> bool {
    let has = |is_it: fn(&u8) -> bool| name.as_bytes().iter().any(is_it);
    name.len() >= LONG_ID
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_programs_make_up_are_told_from_those_of_people() {
        let is = |text: &str| is_one_off(&Scope::parse(text).unwrap(), Some("/tmp/.tmpAbC123/site"));
        for text in [
            "read:overt-fs:ui://edit_file/HHL_IACsQukq3-zBARiKZ3y-UpiWMVAW.diff",
            "write:file:/tmp/.tmpAbC123/site/.tmpXyZ987",
            "write:file:/tmp/.tmpOther/x",
            "write:file:/home/ada/site/0f8fad5b-d9cb-469f-a165-70867728950e.json",
            "read:file:/home/ada/.cache/5f2b8c1e9a7d4c3b/x",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "read",
            "write:notes:add",
            "write:file:/tmp/.tmpAbC123/site/src/a.ts",
            "write:file:/home/ada/site/internationalization-guidelines.md",
            "read:file:/home/ada/site/2026-11-17-notes.md",
            "execute:server-filesystem:create_directory",
        ] {
            assert!(!is(text), "{text}");
        }
    }
}
