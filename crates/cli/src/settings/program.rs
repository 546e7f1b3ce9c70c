//! Finds the file that a command starts, as the system would find it, and returns an absolute path.
//! The program is started by this path, so that the identity of the server names what really runs.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use overt_transport::client::Command;

/// The path that the system searches if the child has no `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Finds the program of a command that is started in `folder`. `None` if there is no such program;
/// the attempt to start it then reports why.
pub(super) fn find(command: &Command, folder: &Path) -> Option<PathBuf> {
    if command.program.as_bytes().contains(&b'/') {
        return existing(&folder.join(&command.program));
    }
    let path = command.env.iter().find(|(name, _)| *name == "PATH").map(|(_, value)| value);
    let folders = std::env::split_paths(path.unwrap_or(OsStr::new(DEFAULT_PATH)));
    // An empty or relative entry is relative to the child's working directory.
    { folders }.find_map(|entry| existing(&folder.join(entry).join(&command.program)))
}

/// Returns the path of an executable file, or `None`. Links among its folders are resolved, so that
/// a folder has one name. A link that is the program itself is kept, because people change its
/// target to change versions.
fn existing(path: &Path) -> Option<PathBuf> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 {
        return None;
    }
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::symlink;

    use overt_transport::client::Environment;
    use tempfile::TempDir;

    use super::*;

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_program_is_what_the_system_would_find() {
        let root = TempDir::new().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (a, b) = (root.join("a"), root.join("b"));
        program(&a.join("tool"));
        program(&b.join("tool"));
        fs::create_dir_all(a.join("other")).unwrap();
        program(&b.join("other"));
        fs::write(a.join("plain"), "").unwrap();
        symlink(&a, root.join("link")).unwrap();
        symlink(a.join("tool"), b.join("version")).unwrap();
        let find = |program: &str, path: &str, folder: &Path| {
            let env = Environment::empty().with("PATH", path.replace('~', root.to_str().unwrap()));
            find(&Command { env, ..Command::new(program) }, folder)
        };
        assert_eq!(find("tool", "~/a:~/b", &root), Some(a.join("tool")));
        assert_eq!(find("tool", "~/b:~/a", &root), Some(b.join("tool")));
        assert_eq!(find("tool", "~/link", &root), Some(a.join("tool")), "a folder has one name");
        assert_eq!(
            find("version", "~/b", &root),
            Some(b.join("version")),
            "a link that is the program stays"
        );
        assert_eq!(find("other", "~/a:~/b", &root), Some(b.join("other")), "a folder is not a program");
        assert_eq!(find("plain", "~/a", &root), None);
        assert_eq!(find("./tool", "~/b", &a), Some(a.join("tool")));
        assert_eq!(find("../b/tool", "", &a), Some(b.join("tool")));
        assert_eq!(find("tool", "", &a), Some(a.join("tool")), "an empty entry is where the child is");
        assert_eq!(find("nothing", "~/a", &root), None);
    }
}
