//! Items as numbers.

use num_complex::Complex;

use crate::shape::is_complex;

/// Samples of a stream. Those that are stored as pairs of small integers have full scale = 1.0; plain integers are as they are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Samples {
    Real(Vec<f32>),
    Complex(Vec<Complex<f32>>),
}

impl Samples {
    /// Those that lie in `bytes` as items of that type.
    pub fn of(item: &str, bytes: &[u8]) -> Self {
        fn items<T: bytemuck::Pod>(bytes: &[u8]) -> impl Iterator<Item = T> {
            bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned)
        }
        fn real<T: bytemuck::Pod>(bytes: &[u8], number: impl Fn(T) -> f32) -> Samples {
            Samples::Real(items::<T>(bytes).map(number).collect())
        }
        fn pairs<T: bytemuck::Pod>(bytes: &[u8], number: impl Fn(T) -> f32) -> Samples {
            let pairs = items::<[T; 2]>(bytes);
            Samples::Complex(pairs.map(|[i, q]| Complex::new(number(i), number(q))).collect())
        }
        match item {
            "C32" => Samples::Complex(items(bytes).collect()),
            "C64" => pairs(bytes, |x: f64| x as f32),
            "cu8" => pairs(bytes, |x: u8| (f32::from(x) - 127.5) / 127.5),
            "cs8" => pairs(bytes, |x: i8| f32::from(x) / 128.0),
            "cs16" => pairs(bytes, |x: i16| f32::from(x) / 32768.0),
            "f64" => real(bytes, |x: f64| x as f32),
            "i8" => real(bytes, |x: i8| f32::from(x)),
            "i16" => real(bytes, |x: i16| f32::from(x)),
            "i32" => real(bytes, |x: i32| x as f32),
            "i64" => real(bytes, |x: i64| x as f32),
            "u8" => real(bytes, |x: u8| f32::from(x)),
            "u16" => real(bytes, |x: u16| f32::from(x)),
            "u32" => real(bytes, |x: u32| x as f32),
            "u64" => real(bytes, |x: u64| x as f32),
            _ => real(bytes, |x: f32| x),
        }
    }

    /// The size of an item of that type, in bytes.
    pub fn item_bytes(item: &str) -> usize {
        match item {
            "C64" => 16,
            "C32" | "f64" | "i64" | "u64" => 8,
            "i8" | "u8" => 1,
            "i16" | "u16" | "cu8" | "cs8" => 2,
            _ => 4,
        }
    }

    /// Whether there are two traces.
    pub fn is_complex(&self) -> bool {
        matches!(self, Samples::Complex(_))
    }

    pub fn len(&self) -> usize {
        match self {
            Samples::Real(x) => x.len(),
            Samples::Complex(x) => x.len(),
        }
    }

    /// The traces: one, or real and imaginary parts.
    pub fn traces(&self) -> Vec<Vec<f32>> {
        match self {
            Samples::Real(x) => vec![x.clone()],
            Samples::Complex(x) => vec![x.iter().map(|z| z.re).collect(), x.iter().map(|z| z.im).collect()],
        }
    }
}

/// Refuses items that are not complex samples.
pub(crate) fn expect_complex(item: &str) -> Result<(), crate::error::Refusal> {
    match is_complex(item) {
        true => Ok(()),
        false => Err(crate::error::Refusal::wrong(format!(
            "this view needs complex samples, the stream is of {item}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_become_numbers_of_full_scale_1() {
        let complex = |item, bytes: &[u8]| match Samples::of(item, bytes) {
            Samples::Complex(z) => z,
            Samples::Real(_) => panic!("{item}"),
        };
        assert_eq!(complex("cu8", &[0, 255]), [Complex::new(-1.0, 1.0)]);
        assert_eq!(complex("cs8", &[0x80, 0x40]), [Complex::new(-1.0, 0.5)]);
        assert_eq!(complex("cs16", &[0, 0x80, 0, 0x40]), [Complex::new(-1.0, 0.5)]);
        assert_eq!(Samples::of("u8", &[0, 1, 200]), Samples::Real(vec![0.0, 1.0, 200.0]));
        assert_eq!(Samples::of("i16", &[0xff, 0xff, 9]), Samples::Real(vec![-1.0]));
        for item in [
            "C32", "C64", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "cu8", "cs8",
            "cs16",
        ] {
            let bytes = vec![0u8; 3 * Samples::item_bytes(item)];
            let samples = Samples::of(item, &bytes);
            assert_eq!((samples.len(), samples.is_complex()), (3, is_complex(item)), "{item}");
        }
    }
}
