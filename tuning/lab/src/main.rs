//! The program `stopdown-lab`. All its code is in the library.

fn main() -> std::process::ExitCode {
    stopdown_lab::commands::main()
}
