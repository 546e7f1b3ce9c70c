//! The `overt` program. All its code is in `overt-cli`.

/// Each message makes many small allocations, and this allocator is faster at them than the
/// system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    overt_cli::main()
}
