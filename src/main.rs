//! The `stopdown` program. All code is in the library.

fn main() -> std::process::ExitCode {
    stopdown::cli::main()
}
