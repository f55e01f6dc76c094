//! The program `stopdown-lab`: everything is in the library.

fn main() -> std::process::ExitCode {
    stopdown_lab::commands::main()
}
