//! Frames of several channels, and the order of bytes.

/// Takes a channel out of frames of so many: `y[n] = frames[n · channels + channel]`. As many as there are of both.
#[inline(never)]
pub fn channel(frames: &[f32], channels: usize, channel: usize, y: &mut [f32]) {
    let samples = frames.iter().skip(channel).step_by(channels.max(1));
    y.iter_mut().zip(samples).for_each(|(to, from)| *to = *from);
}

/// Puts a channel into frames of so many, the inverse of [`channel`]. As many as there are of both.
#[inline(never)]
pub fn put_channel(x: &[f32], frames: &mut [f32], channels: usize, channel: usize) {
    let samples = frames.iter_mut().skip(channel).step_by(channels.max(1));
    samples.zip(x).for_each(|(to, from)| *to = *from);
}

/// Turns the order of the bytes of each number of so many; of none and of one, nothing.
#[inline(never)]
pub fn turn(bytes: &mut [u8], size: usize) {
    if size > 1 {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_go_into_frames_and_out_again() {
        let mut frames = [0.0; 7];
        put_channel(&[1.0, 2.0, 3.0], &mut frames, 2, 0);
        put_channel(&[-1.0, -2.0, -3.0], &mut frames, 2, 1);
        assert_eq!(frames, [1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.0]);
        let mut y = [0.0; 3];
        channel(&frames, 2, 1, &mut y);
        assert_eq!(y, [-1.0, -2.0, -3.0]);
    }

    #[test]
    fn the_bytes_of_each_number_are_turned() {
        let mut bytes = [1, 2, 3, 4, 5];
        turn(&mut bytes, 2);
        assert_eq!(bytes, [2, 1, 4, 3, 5]);
        turn(&mut bytes, 1);
        assert_eq!(bytes, [2, 1, 4, 3, 5]);
    }
}
