//! The model tests on overlayfs, as in a container. Files of the image are in a lower layer, and
//! get another inode, and perhaps another device, when they are first changed. Each plan has its
//! own mount, in a namespace in which mounting is allowed.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::strategy::Strategy as _;
use tempfile::TempDir;

use super::place::Ground;
use super::plan::{Plan, plans};
use super::run::{number, run_plans};

/// What the image contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Image {
    Files,
    /// overlayfs can't rename a folder of the image, so it is moved or removed piece by piece.
    Folders,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layers {
    pub(super) image: Image,
    /// Whether the upper layer is on another file system than the lower one.
    pub(super) is_upper_elsewhere: bool,
}

/// A mounted overlay with its layers. Unmounted when it is dropped.
pub(super) struct Overlay {
    pub(super) path: PathBuf,
    _layers: Vec<TempDir>,
}

impl Overlay {
    pub(super) fn mount(layers: Layers) -> Self {
        let mut folders = vec![tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()];
        if layers.is_upper_elsewhere {
            folders.push(tempfile::tempdir().unwrap());
        }
        let below = folders[0].path().canonicalize().unwrap();
        let above = folders[folders.len() - 1].path().canonicalize().unwrap();
        let (lower, path) = (below.join("lower"), below.join("mounted"));
        let (upper, work) = (above.join("upper"), above.join("work"));
        for folder in [&lower.join("root"), &path, &upper, &work] {
            fs::create_dir_all(folder).unwrap();
        }
        fill(&lower.join("root"), layers.image);
        let options = format!(
            "userxattr,lowerdir={},upperdir={},workdir={}",
            lower.display(),
            upper.display(),
            work.display()
        );
        run(Program::Mount, &["-t", "overlay", "overlay", "-o", &options, path.to_str().unwrap()]);
        Self { path, _layers: folders }
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        // A process may still have it open.
        run(Program::Unmount, &["-l", self.path.to_str().unwrap()]);
    }
}

fn fill(root: &Path, image: Image) {
    let files: &[&str] = match image {
        Image::Files => &["a", "b", "e"],
        Image::Folders => &["a", "d/a", "d/e/a"],
    };
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("image of {file};more;")).unwrap();
    }
}

#[derive(Debug, Clone, Copy)]
enum Program {
    Mount,
    Unmount,
}

#[expect(clippy::disallowed_methods, reason = "mounts")]
fn run(command: Program, arguments: &[&str]) {
    let program = match command {
        Program::Mount => "mount",
        Program::Unmount => "umount",
    };
    let done = Command::new(program).args(arguments).output().unwrap();
    assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Plans of a usual run, for each kind of layers.
const USUAL: u32 = 40;

/// Checks whether overlayfs can be mounted in a new namespace.
const PROBE: &str = "d=$(mktemp -d) && mount -t tmpfs tmpfs \"$d\" && mkdir \"$d/l\" \"$d/u\" \"$d/w\" \"$d/m\" \
    && mount -t overlay overlay -o userxattr,lowerdir=\"$d/l\",upperdir=\"$d/u\",workdir=\"$d/w\" \"$d/m\" \
    && umount \"$d/m\" && umount \"$d\" && rmdir \"$d\"";

/// Runs the test below in a new namespace, or reports on the terminal that this machine does not
/// allow that.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test itself, in another namespace")]
fn what_is_done_on_overlayfs_is_what_the_model_says() {
    use std::io::Write as _;
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "--propagation", "private", "sh", "-c", script]).stdin(Stdio::null());
        command.output()
    };
    if !unshare(PROBE).is_ok_and(|probe| probe.status.success()) {
        let mut terminal = fs::File::options().write(true).open("/dev/stderr").unwrap();
        let why = "no overlayfs can be mounted here (`unshare -rm`, `mount -t overlay`)";
        let _ = writeln!(terminal, "NOT CHECKED HERE: the model on overlayfs: {why}");
        return;
    }
    let test = "files::tests::model::overlay::inner";
    let me = std::env::current_exe().unwrap();
    let inner = unshare(&format!("exec '{}' --exact --ignored --nocapture '{test}'", me.display())).unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&inner.stdout), String::from_utf8_lossy(&inner.stderr));
    assert!(inner.status.success(), "{said}\n{wrong}");
    assert!(said.contains("1 passed"), "the inner test did not run: {said}");
}

#[test]
#[ignore = "runs in a namespace of its own, started by what_is_done_on_overlayfs_is_what_the_model_says"]
fn inner() {
    for is_upper_elsewhere in [false, true] {
        let files = Layers { image: Image::Files, is_upper_elsewhere };
        run_plans(number("OVERT_CASES", USUAL), &plans(), Ground::Overlay(files));
        // A move or removal piece by piece can be interrupted in between, and the answer says so.
        // Here nothing interrupts it.
        let folders = Layers { image: Image::Folders, is_upper_elsewhere };
        let undisturbed = plans().prop_map(Plan::undisturbed);
        run_plans(number("OVERT_CASES", USUAL), &undisturbed, Ground::Overlay(folders));
    }
}
