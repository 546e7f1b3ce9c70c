//! The `overt` program. Everything is in `overt-cli`.

/// Many small allocations per message: this one is quicker than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    overt_cli::main()
}
