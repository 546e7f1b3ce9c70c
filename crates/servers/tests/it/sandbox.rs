//! The sandbox, tested with plain file operations by path, as a bug in our own code would make
//! them.
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use overt_servers::files::Sandbox;
use overt_servers::files::sandbox::{SandboxPaths, enter};

/// Creates a served folder and one beside it, with a file in each.
fn two_folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folders = ["root", "outside"].map(|name| place.path().join(name));
    for folder in &folders {
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(folder.join("a.txt"), "text").unwrap();
    }
    let [root, outside] = folders;
    (place, root, outside)
}

/// Runs `escape` in a sandboxed thread; other threads of this process are not restricted. `None` if
/// the kernel has no full sandbox.
fn held<T: Send>(walls: &SandboxPaths, escape: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let state = enter(walls).unwrap();
            (state == Sandbox::Full).then(escape)
        });
        thread.join().unwrap()
    })
}

#[track_caller]
fn refused<T: std::fmt::Debug>(what: std::io::Result<T>) {
    // The kernel reports a rename or link across the boundary as a crossing of devices.
    let kind = what.unwrap_err().kind();
    assert!([ErrorKind::PermissionDenied, ErrorKind::CrossesDevices].contains(&kind), "{kind}");
}

/// FS-44: the kernel refuses access outside, even to threads that start later, and allows
/// everything inside.
#[test]
fn fs_44_nothing_outside_can_be_opened_by_its_path() {
    let (_place, root, outside) = two_folders();
    let walls = SandboxPaths { write: vec![root.clone()], ..SandboxPaths::default() };
    held(&walls, || {
        let escape = || {
            refused(fs::read("/etc/hostname"));
            refused(fs::read(outside.join("a.txt")));
            refused(fs::read(root.join("../outside/a.txt")));
            refused(fs::read_dir(&outside));
            refused(fs::write(outside.join("new.txt"), "x"));
            refused(fs::write(outside.join("a.txt"), "x"));
            refused(fs::remove_file(outside.join("a.txt")));
            refused(fs::create_dir(outside.join("new")));
            refused(fs::rename(root.join("a.txt"), outside.join("moved.txt")));
            refused(fs::hard_link(outside.join("a.txt"), root.join("linked.txt")));
        };
        escape();
        std::thread::scope(|scope| scope.spawn(escape).join().unwrap());
        assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "text");
        fs::write(root.join("new.txt"), "x").unwrap();
        fs::rename(root.join("new.txt"), root.join("sub/new.txt")).unwrap();
        fs::remove_file(root.join("sub/new.txt")).unwrap();
    });
    assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "text", "this thread is not held");
}

/// FS-43: a read-only folder can be read, but not changed.
#[test]
fn fs_43_a_folder_that_is_read_can_be_read_alone() {
    let (_place, root, outside) = two_folders();
    let walls = SandboxPaths { read: vec![root.clone(), outside.join("a.txt")], ..SandboxPaths::default() };
    held(&walls, || {
        assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "text");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "text");
        refused(fs::write(root.join("a.txt"), "x"));
        refused(fs::write(outside.join("a.txt"), "x"));
        refused(fs::remove_file(root.join("a.txt")));
        refused(fs::remove_dir(root.join("sub")));
        refused(fs::read_dir(&outside));
    });
}

/// A sandbox for a folder that does not exist is an error.
#[test]
fn what_must_be_there_is() {
    let walls = SandboxPaths { write: vec![PathBuf::from("/nonexistent")], ..SandboxPaths::default() };
    let entered = std::thread::spawn(move || enter(&walls)).join().unwrap();
    assert!(entered.is_err() || entered.is_ok_and(|state| state == Sandbox::Absent));
}
