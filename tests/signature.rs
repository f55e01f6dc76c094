//! The search visits the same nodes on every machine and run, and nobody changes it unawares.

mod common;

/// What `stopdown bench` counts. Whoever changes search or evaluation on purpose writes the new
/// number here and in the last line of the commit.
const SIGNATURE: &str = include_str!("signature.txt");

fn bench(depth: &[&str]) -> u64 {
    let finished = common::run(&[&["bench"], depth].concat());
    assert_eq!(finished.code, 0, "{}", finished.error);
    let last = finished.out.lines().last().expect("bench says something");
    let words: Vec<&str> = last.split(' ').collect();
    assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
    words[2].parse::<u64>().expect("nodes per second are a whole number");
    words[0].parse().expect("nodes are a whole number")
}

#[test]
fn the_signature_is_the_recorded_one() {
    let recorded: u64 = SIGNATURE.trim().parse().expect("signature.txt holds a number");
    let found = bench(&[]);
    assert_eq!(
        found, recorded,
        "search or evaluation changed: if on purpose, write {found} into tests/signature.txt"
    );
}

#[test]
fn a_second_run_counts_the_same() {
    assert_eq!(bench(&["7"]), bench(&["7"]));
}
