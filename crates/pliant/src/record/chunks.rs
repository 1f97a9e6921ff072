//! Tagged, length-prefixed chunks: a reader skips chunks it does not know, and takes defaults for those that are missing.
//!
//! ```text
//! chunk   tag (4 bytes)  length u32  payload
//! ```
//!
//! | tag    | payload                                                                              | if missing            |
//! |--------|--------------------------------------------------------------------------------------|-----------------------|
//! | `WARN` | warnings raised since the frame before                                               | none                  |
//! | `LINK` | 13 numbers a link that is not fixed: position, rotation, velocity, angular momentum  | the frame is refused  |
//! | `LOAD` | loads applied from code: link, force, torque                                         | none                  |
//! | `FRIC` | shear of every patch                                                                 | no shear              |
//! | `SEED` | warm starts of the search for patches                                                | searched from nothing |
//! | `CHRT` | chords of warm starts: place among `SEED`, family, counts, 24 numbers in single precision | patches set up anew |
//! | `PROF` | motion that proofs allow, of those chords: place among `SEED`, metres in single precision | proofs made anew |
//! | `REST` | seconds for which each link has been slow, −1 asleep; gravity then                   | all awake             |
//! | `BROK` | indices of broken joints                                                             | none broken           |
//! | `ENRG` | ledger: dissipation, external work, integrator error, energy in shear                | zero                  |
//! | `PAIR` | ledgers of pairs that touch                                                          | opened at this frame  |
//!
//! A chunk may grow at its end: numbers that an older file does not have are zero. A tag is never used for anything else.

use super::format::Bytes;

/// Appends a chunk, unless it is empty.
pub fn put_chunk(bytes: &mut Vec<u8>, tag: [u8; 4], payload: &[u8]) {
    if !payload.is_empty() {
        bytes.extend(tag);
        // Frames are limited to far less than 4 GB.
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(payload);
    }
}

/// Chunks of a frame, in order. `None` if their lengths do not fit.
pub fn chunks(frame: &[u8]) -> Option<Vec<([u8; 4], &[u8])>> {
    let mut rest = Bytes(frame);
    let mut all = Vec::new();
    while !rest.0.is_empty() {
        let tag = rest.array()?;
        let length = u32::from_le_bytes(rest.array()?) as usize;
        let (payload, after) = rest.0.split_at_checked(length)?;
        rest.0 = after;
        all.push((tag, payload));
    }
    Some(all)
}

/// The payload of a tag; empty if there is none.
pub fn payload<'a>(chunks: &[([u8; 4], &'a [u8])], tag: [u8; 4]) -> Bytes<'a> {
    Bytes(chunks.iter().find(|c| c.0 == tag).map_or(&[][..], |c| c.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back_in_order_and_empty_ones_are_left_out() {
        let mut bytes = Vec::new();
        put_chunk(&mut bytes, *b"AAAA", &[1, 2, 3]);
        put_chunk(&mut bytes, *b"NONE", &[]);
        put_chunk(&mut bytes, *b"BBBB", &[4]);
        let found = chunks(&bytes).unwrap();
        assert_eq!(found, [(*b"AAAA", &[1u8, 2, 3][..]), (*b"BBBB", &[4][..])]);
        assert_eq!(payload(&found, *b"BBBB").0, [4]);
        assert!(payload(&found, *b"CCCC").0.is_empty());
        assert!(chunks(&bytes[..bytes.len() - 1]).is_none());
    }
}
