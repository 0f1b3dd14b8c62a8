//! The definition of a recursion by one of two lines.

use super::last_bits;

#[allow(clippy::too_many_arguments, reason = "the arguments of the op")]
pub(super) fn two_lines_f32(
    y: &mut [f32],
    outer: &[f32],
    inner: &[f32],
    above: &[f32],
    below: &[f32],
    outer_rise: f32,
    inner_rise: f32,
    most: f32,
    first: f32,
    lines: usize,
) -> (usize, f32) {
    if lines == 1 {
        return one_line(y, inner, inner_rise, first);
    }
    let (mut value, most) = (first, last_bits(most));
    for n in 0..y.len() {
        y[n] = value;
        let is_outer = value > above[n] || value < below[n];
        let (slope, rise) = if is_outer { (outer[n], outer_rise) } else { (inner[n], inner_rise) };
        value = slope * value + rise;
        // Bits of what is negative, -0 too, or no number are above those of all others.
        if i64::from(value.to_bits()) > most {
            return (n + 1, value);
        }
    }
    (y.len(), value)
}

fn one_line(y: &mut [f32], slopes: &[f32], rise: f32, first: f32) -> (usize, f32) {
    let mut value = first;
    for (y, slope) in y.iter_mut().zip(slopes) {
        *y = value;
        value = slope * value + rise;
    }
    (y.len(), value)
}
