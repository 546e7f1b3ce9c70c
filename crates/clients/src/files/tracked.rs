//! Finds out whether git tracks a file. The index is read directly: running `git` in a folder of
//! another user could start programs that its configuration names.
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of an index that is read. With a larger index, no file counts as tracked.
const MOST_BYTES: u64 = 256 << 20;

/// Returns whether the file is in the index of the repository that contains it.
pub fn is_tracked(file: &Path) -> bool {
    let Ok(file) = fs::canonicalize(file) else { return false };
    let found = file.ancestors().skip(1).find_map(|folder| Some((folder, git_folder(folder)?)));
    let Some((folder, git)) = found else { return false };
    let Ok(name) = file.strip_prefix(folder) else { return false };
    let index = git.join("index");
    if !fs::metadata(&index).is_ok_and(|meta| meta.len() <= MOST_BYTES) {
        return false;
    }
    fs::read(index).is_ok_and(|index| has_path(&index, name.as_os_str().as_encoded_bytes()))
}

/// Returns the git folder of a working tree, which can be outside the tree.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Returns whether the index contains a path. Versions 2 and 3 store each path in full, followed by
/// a zero byte. Version 4 shortens paths, so the file counts as tracked if its last component is
/// found.
fn has_path(index: &[u8], path: &[u8]) -> bool {
    let version = index.get(4..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes);
    let path = match version {
        4 => path.rsplit(|byte| *byte == b'/').next().unwrap_or(path),
        _ => path,
    };
    let needle = [path, b"\0"].concat();
    index.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_index_is_tracked() {
        let root = tempfile::TempDir::new().unwrap();
        let site = root.path().join("site");
        fs::create_dir_all(site.join(".git")).unwrap();
        fs::create_dir_all(site.join(".vscode")).unwrap();
        for name in [".mcp.json", ".vscode/mcp.json"] {
            fs::write(site.join(name), "{}").unwrap();
        }
        assert!(!is_tracked(&site.join(".mcp.json")), "there is no index");
        fs::write(site.join(".git/index"), b"DIRC\0\0\0\x02\0\0\0\x01...\0\x10.vscode/mcp.json\0\0").unwrap();
        assert!(is_tracked(&site.join(".vscode/mcp.json")));
        assert!(!is_tracked(&site.join(".mcp.json")));
        let tree = root.path().join("tree");
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), "gitdir: ../site/.git\n").unwrap();
        fs::create_dir_all(tree.join(".vscode")).unwrap();
        fs::write(tree.join(".vscode/mcp.json"), "{}").unwrap();
        assert!(is_tracked(&tree.join(".vscode/mcp.json")));
    }
}
