//! The loop, which the other files compile with wider vectors.

use super::{LINE, RUN, Stream};

/// Takes each stream's share of lines in each of so many blocks. `key` is 0, which the compiler does not know.
#[inline(always)]
pub(super) fn pass(
    streams: &mut [(Stream<'_>, usize)],
    blocks: usize,
    times: usize,
    key: u8,
) -> [[u8; LINE]; RUN] {
    let mut sums = [[key; LINE]; RUN];
    for _ in 0..times {
        for block in 0..blocks {
            for (stream, share) in &mut *streams {
                let lines = block * *share..(block + 1) * *share;
                match stream {
                    Stream::Read(stream) => {
                        for run in stream[lines].as_chunks::<RUN>().0 {
                            for (sum, line) in sums.iter_mut().zip(run) {
                                combine(sum, line);
                            }
                        }
                    }
                    Stream::Write(stream) => stream[lines].fill([key; LINE]),
                    Stream::Update(stream) => {
                        for run in stream[lines].as_chunks_mut::<RUN>().0 {
                            run.iter_mut().for_each(|line| combine(line, &[key; LINE]));
                        }
                    }
                }
            }
        }
    }
    sums
}

#[inline(always)]
fn combine(sum: &mut [u8; LINE], line: &[u8; LINE]) {
    for (sum, byte) in sum.iter_mut().zip(line) {
        *sum ^= byte;
    }
}
