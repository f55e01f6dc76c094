//! Inputs that are nearly valid: seeds that are truncated, changed in single bits, repeated,
//! spliced, and mixed with words from a dictionary.
//!
//! An input depends only on the seeds, a number and a round, so a harmful input can be reproduced.

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};

use crate::targets::Target;

/// The maximum number of bytes by which an input may be longer than its seed.
const MAX_GROWTH: usize = 1 << 16;

/// Boundary values of numbers.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    u64::MAX,
];

/// The input of a round.
pub fn input(target: &Target, seeds: &[Vec<u8>], seed: u64, round: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(round);
    let mut bytes = seeds.choose(&mut random).cloned().unwrap_or_default();
    let most = bytes.len() + MAX_GROWTH;
    for _ in 0..random.random_range(1..=[1, 2, 4, 12][round as usize % 4]) {
        change(&mut bytes, target, seeds, &mut random);
        bytes.truncate(most);
    }
    if let Some(repair) = target.repair
        && random.random_bool(0.75)
    {
        repair(&mut bytes);
    }
    bytes
}

/// An input of this length that repeats a word. It reveals quadratic running time.
pub fn repeated(word: &[u8], length: usize) -> Vec<u8> {
    word.iter().copied().cycle().take(length).collect()
}

fn change(bytes: &mut Vec<u8>, target: &Target, seeds: &[Vec<u8>], random: &mut ChaCha8Rng) {
    let at = random.random_range(0..=bytes.len());
    let most = 1 << random.random_range(0..9);
    let length = random.random_range(0..=most.min(bytes.len() - at));
    let number = NUMBERS.choose(random).expect("there are numbers").to_le_bytes();
    let word = target.words.choose(random).copied().unwrap_or(b"");
    match random.random_range(0..11) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
        1 if at < bytes.len() => bytes[at] = random.next_u32() as u8,
        2 => {
            let size = [1, 2, 4, 8].choose(random).copied().unwrap_or(1);
            bytes[at..].iter_mut().zip(&number[..size]).for_each(|(byte, new)| *byte = *new);
        }
        3 => drop(bytes.drain(at..at + length)),
        4 => {
            let times = random.random_range(1..=32);
            let part = bytes[at..at + length].repeat(times);
            bytes.splice(at..at, part);
        }
        5 => drop(bytes.splice(at..at, word.iter().copied())),
        6 => drop(bytes.splice(at..at + length.min(word.len()), word.iter().copied())),
        7 => bytes.truncate(at),
        8 => {
            let other = seeds.choose(random).map_or(&[][..], Vec::as_slice);
            let from = random.random_range(0..=other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        9 => change_digits(bytes, at, random),
        _ => {
            let new: Vec<u8> =
                (0..random.random_range(1..9)).map(|_| random.next_u32() as u8).collect();
            bytes.splice(at..at, new);
        }
    }
}

/// Replaces the next decimal number.
fn change_digits(bytes: &mut Vec<u8>, at: usize, random: &mut ChaCha8Rng) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found)
    else {
        return;
    };
    let end = bytes[start..].iter().position(|byte| !byte.is_ascii_digit());
    let end = end.map_or(bytes.len(), |found| start + found);
    let number = *NUMBERS.choose(random).expect("there are numbers");
    let text = match random.random_range(0..4) {
        0 => format!("-{number}"),
        1 => format!("{number}.5"),
        _ => number.to_string(),
    };
    bytes.splice(start..end, text.into_bytes());
}
