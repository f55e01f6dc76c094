//! OpenBench can build and identify the engine and read the output of its bench.

#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Folder, run};
use serde_json::Value as Json;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The last numbers before the words `nodes` and `nps`, taken from the last line that has both.
/// OpenBench reads the output of a bench in this way.
fn bench(text: &str) -> Option<(u64, u64)> {
    let before = |unit: &str| {
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let pair =
                words.windows(2).find(|pair| pair[1] == unit && pair[0].parse::<u64>().is_ok());
            pair.and_then(|pair| pair[0].parse().ok())
        };
        text.lines().rev().find_map(line)
    };
    Some((before("nodes")?, before("nps")?))
}

#[test]
fn openbench_can_read_the_bench_and_the_configuration() {
    let finished = run(&["bench", "2"]);
    let (nodes, speed) = bench(&finished.out).expect("nodes and nps");
    assert!(nodes > 1000 && speed > 0, "{}", finished.out);
    let file = Path::new(ROOT).join("tuning/openbench/Stopdown.json");
    let json: Json = serde_json::from_str(&std::fs::read_to_string(file).expect("it exists"))
        .expect("it is JSON");
    let path = json["build"]["path"].as_str().expect("a path");
    assert!(Path::new(ROOT).join(path).join("Makefile").is_file());
    let rust = json["build"]["compilers"][0].as_str().expect("a compiler");
    assert_eq!(rust, format!("cargo>={}.0", env!("CARGO_PKG_RUST_VERSION")));
    for preset in ["default", "STC", "LTC"] {
        assert!(json["test_presets"][preset].is_object(), "{preset}");
    }
}

#[test]
#[ignore = "builds the whole program once more, which takes minutes"]
fn openbench_builds_a_fresh_clone() {
    let folder = Folder::new();
    let clone = folder.path().join("Stopdown-tmp");
    let mut git = Command::new("git");
    git.args(["clone", "-q", "--depth", "1", &format!("file://{ROOT}")]).arg(&clone);
    assert!(git.status().expect("git").success());
    // The same network under a different name must produce the same engine.
    let network = folder.path().join("0123ABCD");
    std::fs::copy(Path::new(ROOT).join("tuning/network.bin"), &network).expect("it can be copied");
    let name = "Stopdown-DEADBEEF-0123ABCD";
    let make = Command::new("make")
        .args(["-j", &format!("EXE={name}"), &format!("EVALFILE={}", network.display())])
        // A quick build is good enough here. OpenBench itself does not set this variable.
        .args(["PROFILE=dev"])
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(clone.join("tuning/openbench"))
        .stdout(Stdio::null())
        .status();
    assert!(make.expect("make").success());
    let built =
        Command::new(clone.join("tuning/openbench").join(name)).args(["bench", "2"]).output();
    let built = String::from_utf8(built.expect("it runs").stdout).expect("text");
    let own = run(&["bench", "2"]).out;
    assert_eq!(bench(&built).map(|(nodes, _)| nodes), bench(&own).map(|(nodes, _)| nodes));
}
