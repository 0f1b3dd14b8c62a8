//! Colours for levels: from black by blue, magenta and orange to pale yellow, ever lighter.

/// The colours at equal distances.
const STOPS: [[u8; 3]; 6] =
    [[4, 4, 20], [46, 20, 110], [130, 32, 130], [214, 66, 88], [250, 150, 50], [252, 250, 190]];

/// The colour of a level from 0 to 1.
pub fn colour(level: f64) -> [u8; 3] {
    // What is no number counts as the lowest level.
    let level = if level.is_nan() { 0.0 } else { level.clamp(0.0, 1.0) };
    let place = level * (STOPS.len() - 1) as f64;
    let below = (place as usize).min(STOPS.len() - 2);
    let share = place - below as f64;
    std::array::from_fn(|part| {
        let (a, b) = (f64::from(STOPS[below][part]), f64::from(STOPS[below + 1][part]));
        (a + (b - a) * share).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn louder_is_lighter() {
        let light = |level| colour(level).iter().map(|part| u32::from(*part)).sum::<u32>();
        let steps: Vec<u32> = (0..=100).map(|n| light(f64::from(n) / 100.0)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]), "{steps:?}");
        assert_eq!((colour(-1.0), colour(f64::NAN)), (STOPS[0], STOPS[0]));
    }
}
