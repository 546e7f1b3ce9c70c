//! Has the linker place the functions that a server runs at its start next to each other, so that a
//! start reads fewer pages of the program, and behind them those that a call runs besides.
//! `cargo xtask startup-order` writes the list.

use std::env;

#[expect(clippy::disallowed_methods, reason = "cargo passes the settings of a build in variables")]
fn main() {
    println!("cargo:rerun-if-changed=startup.ld");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // GNU ld and lld understand the list. Flags or variables may choose another linker.
    let is_usual_linker = is("CARGO_ENCODED_RUSTFLAGS", "") && env::var_os("RUSTC_LINKER").is_none();
    if let Ok(package) = env::var("CARGO_MANIFEST_DIR")
        && is("PROFILE", "release")
        && is_linux
        && is_usual_linker
    {
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{package}/startup.ld");
    }
}
