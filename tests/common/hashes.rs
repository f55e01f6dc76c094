//! Gives altered files a valid checksum.

use stopdown::math::fingerprint;

/// Recomputes the hash of a network file that has a header of `text` bytes. Anyone who alters a
/// file could do the same.
pub fn recompute_hash(bytes: &mut [u8], text: usize) {
    const LINE: &[u8] = b"hash: ";
    let Some((text, numbers)) = bytes.split_at_mut_checked(text) else { return };
    let Some(at) = text.windows(LINE.len()).position(|part| part == LINE) else { return };
    let hash = format!("{:016x}", fingerprint(text[..at].iter().chain(&*numbers)));
    if let Some(place) = text[at + LINE.len()..].get_mut(..hash.len()) {
        place.copy_from_slice(hash.as_bytes());
    }
}
