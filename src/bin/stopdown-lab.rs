//! The laboratory: everything is in the library.

fn main() -> std::process::ExitCode {
    stopdown::lab::main()
}
