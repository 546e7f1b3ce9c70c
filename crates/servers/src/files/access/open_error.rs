//! Why a folder can't be served.
use std::path::PathBuf;

use rustix::io::Errno;

/// The reason why a folder can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("can't open `{}`: {}", path.display(), std::io::Error::from(*errno))]
    Open { path: PathBuf, errno: Errno },
    #[error("`{}` is not a directory", path.display())]
    NotAFolder { path: PathBuf },
    #[error("the name of `{}` is not UTF-8", path.display())]
    Name { path: PathBuf },
    #[error("there is no root")]
    NoRoot,
}
