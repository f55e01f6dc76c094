//! The program can be built on a machine that has only Rust.

use std::fs;

#[test]
fn no_dependency_needs_a_c_compiler() {
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"));
    let lock = lock.expect("the lock file is part of the repository");
    // Later versions of pest, a dependency of vampirc-uci, require psm, which needs a C compiler.
    // Pin it with `cargo update -p pest --precise 2.9.0`, and the same for pest_derive,
    // pest_generator and pest_meta.
    for name in ["psm", "stacker"] {
        assert!(!lock.contains(&format!("name = \"{name}\"")), "Cargo.lock has {name}");
    }
}
