//! Points of the constellations, and what a received one says of its bits.

use superhet_kernels::C32;

use super::rate::DATA_CARRIERS;

/// Carriers with data, as two rows of numbers: loops over them become vector instructions.
pub type Row = [f32; DATA_CARRIERS];

/// By what the whole numbers of a constellation are multiplied so that its mean power is 1: table 17-10 of IEEE Std 802.11-2016.
pub fn scale(carrier_bits: usize) -> f32 {
    match carrier_bits {
        1 => 1.0,
        2 => 0.5f32.sqrt(),
        4 => 0.1f32.sqrt(),
        _ => (1.0f32 / 42.0).sqrt(),
    }
}

/// The level of one axis that these bits, the first first, name: tables 17-11 to 17-14.
fn level(bits: &[u8]) -> f32 {
    match bits {
        [0, 0, 0] => -7.0,
        [0, 0, 1] => -5.0,
        [0, 1, 1] => -3.0,
        [0, 1, 0] => -1.0,
        [1, 1, 0] => 1.0,
        [1, 1, 1] => 3.0,
        [1, 0, 1] => 5.0,
        [1, 0, 0] => 7.0,
        [0, 0] => -3.0,
        [0, 1] => -1.0,
        [1, 1] => 1.0,
        [1, 0] => 3.0,
        [1] => 1.0,
        _ => -1.0,
    }
}

/// The point of the bits of a carrier, 1, 2, 4 or 6 of them.
pub fn point(bits: &[u8]) -> C32 {
    let (real, imaginary) = bits.split_at(bits.len().div_ceil(2));
    let of = |bits: &[u8]| if bits.is_empty() { 0.0 } else { level(bits) };
    C32::new(of(real), of(imaginary)) * scale(bits.len())
}

/// A soft bit is 127.5 for nothing known, and this much more or less for a nat of log-likelihood: it saturates at 24 nats.
pub const STEPS_PER_NAT: f32 = 127.5 / 24.0;

/// What the points (`re`, `im`) say of their bits: for bit `b` of carrier `c`, `soft[c · bits + b]` is 0 for a sure zero and 255 for
/// a sure one. `weight` is the power of each carrier by that of its noise.
///
/// Of the points with a bit of 0 and those with 1, the nearest count (max-log): the difference of their squared distances is
/// four times a function of the axis that is linear between whole numbers.
pub fn soften(carrier_bits: usize, [re, im]: [&Row; 2], weight: &Row, soft: &mut [u8]) {
    let unit = 1.0 / scale(carrier_bits);
    let gain = 4.0 * STEPS_PER_NAT / (unit * unit);
    let put = |at: usize, axis: &Row, function: fn(f32) -> f32, soft: &mut [u8]| {
        let mut values = [0u8; DATA_CARRIERS];
        for ((value, x), weight) in values.iter_mut().zip(axis).zip(weight) {
            // As a cast saturates: what is no number becomes 0, and its weight is 0 or no number, too.
            *value = (127.5 + gain * weight * function(x * unit)) as u8;
        }
        soft[at..].iter_mut().step_by(carrier_bits).zip(values).for_each(|(soft, value)| *soft = value);
    };
    match carrier_bits {
        1 => put(0, re, |x| x, soft),
        2 => {
            put(0, re, |x| x, soft);
            put(1, im, |x| x, soft);
        }
        4 => {
            for (at, axis) in [(0, re), (2, im)] {
                put(at, axis, |x| x + (x.abs() - 2.0).max(0.0).copysign(x), soft);
                put(at + 1, axis, |x| 2.0 - x.abs(), soft);
            }
        }
        _ => {
            for (at, axis) in [(0, re), (3, im)] {
                put(at, axis, sign_of_eight, soft);
                put(at + 1, axis, half_of_eight, soft);
                put(at + 2, axis, |x| 2.0 - (x.abs() - 4.0).abs(), soft);
            }
        }
    }
}

/// Eight levels: whether the level is above 0. The slope grows by one at 2, 4 and 6.
#[inline(always)]
fn sign_of_eight(x: f32) -> f32 {
    let a = x.abs();
    (a + (a - 2.0).max(0.0) + (a - 4.0).max(0.0) + (a - 6.0).max(0.0)).copysign(x)
}

/// Eight levels: whether the level is one of the inner four.
#[inline(always)]
fn half_of_eight(x: f32) -> f32 {
    let a = x.abs();
    4.0 - a + (2.0 - a).max(0.0) - (a - 6.0).max(0.0)
}

/// The mean of the squared distances of points from those that are meant, each by its carrier's power: what is noise in fact.
pub fn distance(carrier_bits: usize, [re, im]: [&Row; 2], power: &Row) -> f32 {
    let unit = 1.0 / scale(carrier_bits);
    // Where levels change, as far as there are so many.
    let edges: [f32; 3] = match carrier_bits {
        1 | 2 => [f32::INFINITY; 3],
        4 => [2.0, f32::INFINITY, f32::INFINITY],
        _ => [2.0, 4.0, 6.0],
    };
    let off = |x: f32| {
        let a = (x * unit).abs();
        edges.iter().fold(a - 1.0, |off, edge| off - if a > *edge { 2.0 } else { 0.0 })
    };
    let mut sum = 0.0;
    for ((re, im), power) in re.iter().zip(im).zip(power) {
        let im = if carrier_bits == 1 { im * unit } else { off(*im) };
        let re = off(*re);
        sum += power * (re * re + im * im);
    }
    sum / (unit * unit) / DATA_CARRIERS as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits_of(number: usize, count: usize) -> Vec<u8> {
        (0..count).map(|bit| (number >> bit & 1) as u8).collect()
    }

    #[test]
    fn constellations_have_a_mean_power_of_1_and_neighbours_differ_in_one_bit() {
        for count in [1, 2, 4, 6] {
            let points: Vec<C32> = (0..1 << count).map(|number| point(&bits_of(number, count))).collect();
            let power = points.iter().map(|point| point.norm_sqr()).sum::<f32>() / points.len() as f32;
            assert!((power - 1.0).abs() < 1e-6, "{count}: {power}");
            for (a, first) in points.iter().enumerate() {
                for (b, second) in points.iter().enumerate() {
                    if a != b && (first - second).norm() < 2.1 * scale(count) {
                        assert_eq!((a ^ b).count_ones(), 1, "{count}: {first} {second}");
                    }
                }
            }
        }
    }

    #[test]
    fn soft_bits_are_the_differences_of_the_nearest_points_of_both_kinds() {
        for count in [1, 2, 4, 6] {
            let points: Vec<(Vec<u8>, C32)> = (0..1 << count)
                .map(|number| bits_of(number, count))
                .map(|bits| (bits.clone(), point(&bits)))
                .collect();
            let noise = crate::testing::noise(2 * DATA_CARRIERS * 20);
            for (n, pair) in noise.chunks_exact(2 * DATA_CARRIERS).enumerate() {
                let re: Row = std::array::from_fn(|c| 1.5 * pair[c]);
                let im: Row = std::array::from_fn(|c| 1.5 * pair[DATA_CARRIERS + c]);
                let weight: Row = std::array::from_fn(|c| 0.05 * (1 + c + n) as f32);
                let mut soft = vec![0; DATA_CARRIERS * count];
                soften(count, [&re, &im], &weight, &mut soft);
                let (mut sum, power) = (0.0, [1.0; DATA_CARRIERS]);
                for c in 0..DATA_CARRIERS {
                    let at = C32::new(re[c], im[c]);
                    let nearest = |bit: usize, of: u8| {
                        let those = points.iter().filter(|(bits, _)| bits[bit] == of);
                        those.map(|(_, point)| (at - point).norm_sqr()).fold(f32::INFINITY, f32::min)
                    };
                    for bit in 0..count {
                        let nats = weight[c] * (nearest(bit, 0) - nearest(bit, 1));
                        let wanted = (127.5 + STEPS_PER_NAT * nats).clamp(0.0, 255.0);
                        let got = f32::from(soft[c * count + bit]);
                        assert!(
                            (got - wanted).abs() < 1.01,
                            "{count}, {at}, bit {bit}: {got}, wanted {wanted}"
                        );
                    }
                    sum += nearest(0, 0).min(nearest(0, 1));
                }
                let wanted = sum / DATA_CARRIERS as f32;
                let got = distance(count, [&re, &im], &power);
                assert!((got - wanted).abs() < 1e-4, "{count}: {got}, wanted {wanted}");
            }
        }
    }
}
