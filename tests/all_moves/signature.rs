//! The search visits the same nodes on every machine and in every run. A change that alters the
//! node count must also update the recorded signature.

use stopdown::search::SIGNATURE;

fn bench(depth: &[&str]) -> String {
    let finished = crate::common::run(&[&["bench"], depth].concat());
    assert_eq!(finished.code, 0, "{}", finished.error);
    let mut lines = finished.out.lines().rev();
    let last = lines.next().expect("bench prints a line");
    let words: Vec<&str> = last.split(' ').collect();
    assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
    words[2].parse::<u64>().expect("nodes per second are a whole number");
    words[0].parse::<u64>().expect("nodes are a whole number");
    let digest = lines.next().and_then(|line| line.split(' ').next()).expect("a digest");
    u64::from_str_radix(digest, 16).expect("a digest is a number");
    format!("{} {digest}", words[0])
}

#[test]
fn the_signature_is_the_recorded_one() {
    let found = bench(&[]);
    assert_eq!(
        found,
        SIGNATURE.trim(),
        "the signature changed; if this was intended, write {found} to tests/signature.txt"
    );
}

#[test]
fn a_second_run_gives_the_same_signature() {
    assert_eq!(bench(&["7"]), bench(&["7"]));
}
