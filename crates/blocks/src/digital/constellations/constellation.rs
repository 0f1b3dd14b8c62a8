//! Constellations: points in the complex plane, and the symbols that they stand for.

use superhet_kernels::run_routine;
use superhet_runtime::catalog::{
    Function, Kind, Param, Parameters, Params, Plain, Reads, optional, required,
};
use superhet_runtime::{BlockError, C32, C64, Value};

use super::decision::{Decide, Soft};
use crate::error::{Error, check};
use crate::item::from_values;

/// The most points that a constellation has.
const MOST_POINTS: usize = 1 << 16;

/// How the points of a constellation are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// They stay as they are.
    None,
    /// Their mean power is 1.
    Power,
    /// Their mean magnitude is 1.
    Amplitude,
}

/// Points in the complex plane, and the symbols that they stand for.
///
/// A symbol is the index of its point; with more than one dimension, that of its first point divided by the dimension.
///
/// ```
/// use superhet_blocks::digital::Constellation;
/// use superhet_runtime::C32;
///
/// let qpsk = Constellation::named("qpsk").unwrap();
/// assert_eq!(qpsk.bits_per_symbol(), 2);
/// assert_eq!(qpsk.decide(&[C32::new(0.3, -0.1)]), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constellation {
    points: Vec<C32>,
    pre_diff_code: Vec<u32>,
    rotational_symmetry: u32,
    dimension: usize,
}

impl Constellation {
    /// A constellation of `points`, `dimension` of which in a row are a symbol.
    ///
    /// `pre_diff_code` says for each symbol the label that its bits are, before any differential coding; empty if that is the
    /// symbol itself. `rotational_symmetry` counts the rotations of a turn that look the same.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 2 to 65536 points in whole symbols, all finite, and `pre_diff_code` names
    /// each symbol's label or none; `rotational_symmetry` must be at least 1.
    pub fn new(
        points: Vec<C32>,
        pre_diff_code: Vec<u32>,
        rotational_symmetry: u32,
        dimension: usize,
    ) -> Result<Self, Error> {
        let count = points.len();
        check((2..=MOST_POINTS).contains(&count), "points", "2 to 65536 of them", count as f64)?;
        check(
            (1..=count).contains(&dimension),
            "dimension",
            "at least 1, and at most the number of points",
            dimension as f64,
        )?;
        check(count.is_multiple_of(dimension), "points", "whole multiples of the dimension", count as f64)?;
        check(rotational_symmetry >= 1, "rotational_symmetry", "at least 1", f64::from(rotational_symmetry))?;
        if let Some(place) = points.iter().position(|point| !point.re.is_finite() || !point.im.is_finite()) {
            return Err(Error::Element {
                parameter: "points",
                place,
                wanted: "a finite number",
                got: points[place].to_string(),
            });
        }
        let symbols = count / dimension;
        let codes = pre_diff_code.len();
        check(
            codes == 0 || codes == symbols,
            "pre_diff_code",
            "a label for each symbol, or none",
            codes as f64,
        )?;
        let largest = pre_diff_code.iter().copied().max().unwrap_or(0);
        check((largest as usize) < symbols, "pre_diff_code", "labels below the number of symbols", largest)?;
        Ok(Constellation { points, pre_diff_code, rotational_symmetry, dimension })
    }

    /// The same, scaled. All points 0 stay so.
    #[must_use]
    pub fn normalized(mut self, normalization: Normalization) -> Self {
        let points = &mut self.points;
        let n = points.len() as f32;
        let level = match normalization {
            Normalization::None => return self,
            Normalization::Power => (points.iter().map(C32::norm_sqr).sum::<f32>() / n).sqrt(),
            Normalization::Amplitude => points.iter().map(|point| point.norm()).sum::<f32>() / n,
        };
        if level > 0.0 && level.is_finite() {
            points.iter_mut().for_each(|point| *point /= level);
        }
        self
    }

    /// The constellation that is known as `bpsk`, `qpsk`, `dqpsk`, `8psk`, `8psk_natural` or `16qam`.
    pub fn named(name: &str) -> Option<Self> {
        let grid = |unit: f32, points: &[(i8, i8)]| -> Vec<C32> {
            points.iter().map(|&(re, im)| C32::new(f32::from(re) * unit, f32::from(im) * unit)).collect()
        };
        // The direction of each point, in eighths of a turn from π/8 on.
        let circle = |eighths: [u8; 8]| -> Vec<C32> {
            let angle = |eighth: u8| std::f64::consts::PI / 8.0 * f64::from(1 + 2 * eighth);
            eighths.map(|eighth| single(C64::cis(angle(eighth)))).to_vec()
        };
        let sqrt_2 = std::f32::consts::SQRT_2;
        let (points, code, symmetry) = match name {
            "bpsk" => (grid(1.0, &[(-1, 0), (1, 0)]), vec![], 2),
            "qpsk" => (grid(sqrt_2, &[(-1, -1), (1, -1), (-1, 1), (1, 1)]), vec![], 4),
            "dqpsk" => (grid(sqrt_2, &[(1, 1), (-1, 1), (-1, -1), (1, -1)]), vec![0, 1, 3, 2], 4),
            "8psk" => (circle([0, 3, 7, 4, 1, 2, 6, 5]), vec![], 8),
            "8psk_natural" => (circle([7, 0, 1, 2, 3, 4, 5, 6]), vec![], 8),
            "16qam" => {
                let points = [
                    (1, -1),
                    (-1, -1),
                    (3, -3),
                    (-3, -3),
                    (-3, -1),
                    (3, -1),
                    (-1, -3),
                    (1, -3),
                    (-3, 3),
                    (3, 3),
                    (-1, 1),
                    (1, 1),
                    (1, 3),
                    (-1, 3),
                    (3, 1),
                    (-3, 1),
                ];
                (grid(0.1f32.sqrt(), &points), vec![], 4)
            }
            _ => return None,
        };
        Some(Constellation { points, pre_diff_code: code, rotational_symmetry: symmetry, dimension: 1 })
    }

    /// `order` points on the unit circle, the first at 1; `gray` gives neighbours labels that differ in one bit.
    ///
    /// With `differential` symbols are in the order of the angle and the labels are the pre-differential code.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `order` is a power of 2 from 2 to 65536.
    pub fn psk(order: usize, gray: bool, differential: bool) -> Result<Self, Error> {
        let fits = (2..=MOST_POINTS).contains(&order) && order.is_power_of_two();
        check(fits, "order", "a power of 2 from 2 to 65536", order as f64)?;
        let point = |place: usize| single(C64::cis(std::f64::consts::TAU * place as f64 / order as f64));
        let labels = (0..order).map(|place| if gray { place ^ place >> 1 } else { place });
        let (mut points, mut code) = (vec![C32::ZERO; order], Vec::new());
        for (place, label) in labels.enumerate() {
            points[if differential { place } else { label }] = point(place);
            if differential && gray {
                code.push(label as u32);
            }
        }
        Constellation::new(points, code, order as u32, 1)
    }

    /// A square grid of `order` points whose mean magnitude is 1.
    ///
    /// With `differential` the two highest bits are the quadrant, and each quadrant is the first one turned by so many
    /// quarters; else the upper half of the bits is the column and the lower half the row, with `gray` such that neighbours
    /// differ in one bit.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `order` is a power of 4 from 4 to 65536.
    pub fn qam(order: usize, gray: bool, differential: bool) -> Result<Self, Error> {
        let fits = (4..=MOST_POINTS).contains(&order)
            && order.is_power_of_two()
            && order.trailing_zeros().is_multiple_of(2);
        check(fits, "order", "a power of 4 from 4 to 65536", order as f64)?;
        let side = 1usize << (order.trailing_zeros() / 2);
        let level = |place: usize| (2 * place) as f32 + 1.0 - side as f32;
        let points = (0..order).map(|symbol| {
            if differential {
                let half = side / 2;
                let (quadrant, inner) = (symbol / (half * half), symbol % (half * half));
                let place = |place: usize| (2 * place + 1) as f32;
                let point = C32::new(place(inner / half), place(inner % half));
                return (0..quadrant).fold(point, |point, _| C32::new(-point.im, point.re));
            }
            let position = |code: usize| {
                // The inverse of the Gray code: each bit is the parity of those from it on up.
                if gray { (0..usize::BITS).fold(0, |place, shift| place ^ code >> shift) } else { code }
            };
            C32::new(level(position(symbol / side)), level(position(symbol % side)))
        });
        let grid = Constellation::new(points.collect(), Vec::new(), 4, 1)?;
        Ok(grid.normalized(Normalization::Amplitude))
    }

    /// The constellation that a parameter says: one by its name, or a map as [`Constellation::to_value`] gives it, of which
    /// `points` alone must be there.
    ///
    /// # Errors
    /// Where it is neither.
    pub fn from_value(parameter: &'static str, value: &Value) -> Result<Self, Error> {
        const WANTED: &str = "bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or a map with the points";
        let wrong = || Error::WrongKind { parameter, wanted: WANTED, got: value.to_string() };
        if let Some(name) = value.as_str() {
            return Constellation::named(name).ok_or_else(wrong);
        }
        let points = from_values::<C32>("points", value.get("points").ok_or_else(wrong)?)?;
        let code = match value.get("pre_diff_code") {
            Some(code) => labels(code)?,
            None => Vec::new(),
        };
        let whole = |key: &str| match value.get(key) {
            Some(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()).ok_or_else(wrong),
            None => Ok(1),
        };
        Constellation::new(points, code, whole("rotational_symmetry")?, whole("dimension")? as usize)
    }

    /// The constellation as a map: `points`, `pre_diff_code`, `rotational_symmetry`, `dimension` and `bits_per_symbol`.
    pub fn to_value(&self) -> Value {
        let points: Vec<Value> = self.points.iter().map(|point| crate::item::to_value(*point)).collect();
        let code: Vec<Value> =
            self.pre_diff_code.iter().map(|label| Value::from(i64::from(*label))).collect();
        Value::map([
            ("points", points.into()),
            ("pre_diff_code", code.into()),
            ("rotational_symmetry", Value::from(i64::from(self.rotational_symmetry))),
            ("dimension", self.dimension.into()),
            ("bits_per_symbol", self.bits_per_symbol().into()),
        ])
    }

    /// The points, those of each symbol in a row.
    pub fn points(&self) -> &[C32] {
        &self.points
    }

    /// The label of each symbol; empty where that is the symbol itself.
    pub fn pre_diff_code(&self) -> &[u32] {
        &self.pre_diff_code
    }

    /// How many rotations of a turn look the same.
    pub fn rotational_symmetry(&self) -> u32 {
        self.rotational_symmetry
    }

    /// How many points a symbol has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many symbols there are.
    pub fn symbols(&self) -> usize {
        self.points.len() / self.dimension
    }

    /// How many bits a symbol carries: the whole part of `log2(symbols)`.
    pub fn bits_per_symbol(&self) -> usize {
        self.symbols().ilog2() as usize
    }

    /// The symbol whose points are nearest to the samples, which are as many as the dimension; the first of several that are.
    #[inline]
    pub fn decide(&self, samples: &[C32]) -> usize {
        let mut best = (f32::INFINITY, 0);
        for (symbol, points) in self.points.chunks_exact(self.dimension).enumerate() {
            let distance =
                points.iter().zip(samples).map(|(point, sample)| (sample - point).norm_sqr()).sum();
            if distance < best.0 {
                best = (distance, symbol);
            }
        }
        best.1
    }

    /// As [`decide`](Self::decide) of each sample, of dimension 1 and at most 256 points.
    pub(crate) fn decide_each(&self, samples: &[C32], symbols: &mut [u8]) {
        run_routine(Decide { points: &self.points, samples, symbols });
    }

    /// Writes a soft decision for each bit of a sample, the highest first: > 0 says 1. Of dimension 1 only.
    ///
    /// `bits[k] = ln Σ exp(−d(p)) − ln Σ exp(−d(p))`, the first sum over the points whose label has a one there, the second
    /// over the others, with the distance `d` between the sample and the point, each less that of the nearest one, so that samples
    /// far away do not make both sums 0.
    pub fn soft(&self, sample: C32, bits: &mut [f32]) {
        self.soft_each(&[sample], bits.len(), bits);
    }

    /// As [`soft`](Self::soft) of each sample, `width` bits each.
    pub(crate) fn soft_each(&self, samples: &[C32], width: usize, bits: &mut [f32]) {
        run_routine(Soft { points: &self.points, labels: &self.pre_diff_code, samples, width, bits });
    }
}

fn single(point: C64) -> C32 {
    C32::new(point.re as f32, point.im as f32)
}

/// The labels that a list says.
fn labels(value: &Value) -> Result<Vec<u32>, Error> {
    let label = |number: i32| {
        u32::try_from(number).map_err(|_| Error::OutOfRange {
            parameter: "pre_diff_code",
            wanted: "labels of 0 or more",
            got: number.into(),
        })
    };
    from_values::<i32>("pre_diff_code", value)?.into_iter().map(label).collect()
}

const GRAY: Param =
    optional("mod_code", Kind::Choice(&["gray", "none"]), "", "\"gray\"", "The order of the labels.");
const DIFFERENTIAL: Param =
    optional("differential", Kind::Bool, "", "true", "Whether symbols are to be coded differentially.");

macro_rules! named {
    ($($function:literal $name:literal $summary:literal),+) => {
        [$(Function {
            name: $function,
            summary: $summary,
            params: &[],
            call: |_| Constellation::named($name).map(|it| it.to_value()).ok_or_else(|| BlockError::from($name)),
        }),+]
    };
}

const NAMED: [Function; 6] = named! {
    "constellation.bpsk" "bpsk" "Two points on the real axis.",
    "constellation.qpsk" "qpsk" "Four points, Gray-coded.",
    "constellation.dqpsk" "dqpsk" "Four points for differential coding.",
    "constellation.psk8" "8psk" "Eight points on a circle, Gray-coded.",
    "constellation.psk8_natural" "8psk_natural" "Eight points on a circle, in their order.",
    "constellation.qam16" "16qam" "Sixteen points on a grid, Gray-coded; their mean power is 1."
};

superhet_runtime::catalogued! {
    /// How files find the functions that give constellations.
    const FUNCTIONS: &[Function] = &[
        NAMED[0],
        NAMED[1],
        NAMED[2],
        NAMED[3],
        NAMED[4],
        NAMED[5],
        Function {
            name: "constellation.psk",
            summary: "Points on the unit circle.",
            params: &[
                optional("order", Kind::Integer(2, 65536), "", "4", "How many, a power of 2."),
                GRAY,
                DIFFERENTIAL,
            ],
            call: |params| {
                let gray = params.text("mod_code") == "gray";
                Ok(Constellation::psk(params.count("order"), gray, params.flag("differential"))?.to_value())
            },
        },
        Function {
            name: "constellation.qam",
            summary: "Points on a square grid whose mean magnitude is 1.",
            params: &[
                optional("order", Kind::Integer(4, 65536), "", "16", "How many, a power of 4."),
                DIFFERENTIAL,
                optional("mod_code", Kind::Choice(&["gray", "none"]), "", "\"none\"", "The order of the labels."),
            ],
            call: |params| {
                let gray = params.text("mod_code") == "gray";
                Ok(Constellation::qam(params.count("order"), gray, params.flag("differential"))?.to_value())
            },
        },
        Function {
            name: "constellation.points",
            summary: "Any points.",
            params: &[
                required("points", Kind::Numbers, "", "The points, those of each symbol in a row."),
                optional(
                    "pre_diff_code",
                    Kind::Numbers,
                    "",
                    "[]",
                    "The label of each symbol; empty if it is its index.",
                ),
                optional(
                    "rotational_symmetry",
                    Kind::Integer(1, 65536),
                    "",
                    "1",
                    "How many rotations look the same.",
                ),
                optional("dimension", Kind::Integer(1, 65536), "", "1", "How many points a symbol has."),
                optional(
                    "normalization",
                    Kind::Choice(&["amplitude", "power", "none"]),
                    "",
                    "\"amplitude\"",
                    "What is made 1: the mean magnitude, the mean power, or nothing.",
                ),
            ],
            call: |params| {
                let points = crate::item::from_numbers("points", &params.numbers("points"))?;
                let code = labels(params.value("pre_diff_code"))?;
                let symmetry = params.count("rotational_symmetry") as u32;
                let normalization = match params.text("normalization") {
                    "power" => Normalization::Power,
                    "none" => Normalization::None,
                    _ => Normalization::Amplitude,
                };
                let any = Constellation::new(points, code, symmetry, params.count("dimension"))?;
                Ok(any.normalized(normalization).to_value())
            },
        },
    ];
}

/// The parameter `constellation`.
impl Parameters for Constellation {
    const PARAMETERS: &'static [Param] = &[required(
        "constellation",
        Kind::Value,
        "",
        "bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.",
    )];

    fn read(params: &Params) -> Result<Self, BlockError> {
        Plain::change("constellation", params.value("constellation"))
    }
}

impl Reads<Constellation> for Plain {
    const KIND: Kind = Kind::Value;

    fn read(params: &Params, name: &'static str) -> Result<Constellation, BlockError> {
        Plain::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<Constellation, BlockError> {
        Ok(Constellation::from_value(name, value)?)
    }
    fn say(constellation: &Constellation) -> Value {
        constellation.to_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
    }

    #[test]
    fn soft_decisions_are_those_that_the_formula_gives() {
        // Values of GNU Radio 3.10.5.
        for (name, sample, wanted) in [
            ("bpsk", C32::new(0.3, 0.1), &[0.5967][..]),
            ("qpsk", C32::new(0.3, 0.1), &[0.1452, 0.4232]),
            ("dqpsk", C32::new(-0.7, -0.1), &[0.1598, 0.9624]),
            ("8psk", C32::new(-0.2, 0.5), &[0.1416, -0.6409, 0.2775]),
            ("8psk_natural", C32::new(0.3, 0.1), &[-0.368, -0.0554, 0.0036]),
            ("16qam", C32::new(0.1, -0.9), &[-0.9271, 0.0844, 0.3669, 0.0248]),
        ] {
            let constellation = Constellation::named(name).unwrap();
            let mut bits = vec![0.0; constellation.bits_per_symbol()];
            constellation.soft(sample, &mut bits);
            assert!(close(&bits, wanted), "{name}: {bits:?}");
            constellation.soft(C32::new(1e6, 1e6), &mut bits);
            assert!(bits.iter().all(|bit| !bit.is_nan()), "{name}: {bits:?}");
        }
    }

    #[test]
    fn every_point_is_decided_as_itself_and_survives_its_value() {
        let made = [
            Constellation::psk(8, true, false),
            Constellation::psk(8, true, true),
            Constellation::qam(64, true, false),
            Constellation::qam(16, false, true),
        ];
        let named = ["bpsk", "qpsk", "dqpsk", "8psk", "8psk_natural", "16qam"];
        let named = named.map(|name| Constellation::named(name).unwrap());
        for constellation in made.into_iter().map(Result::unwrap).chain(named) {
            for (symbol, point) in constellation.points().iter().enumerate() {
                assert_eq!(constellation.decide(&[*point]), symbol);
            }
            assert_eq!(Constellation::from_value("c", &constellation.to_value()).unwrap(), constellation);
        }
    }

    #[test]
    fn gray_codes_of_neighbours_differ_in_one_bit() {
        let psk = Constellation::psk(8, true, true).unwrap();
        assert_eq!(psk.pre_diff_code(), [0, 1, 3, 2, 6, 7, 5, 4]);
        let qam = Constellation::qam(64, true, false).unwrap();
        let step = (qam.points()[1] - qam.points()[0]).norm();
        for (a, from) in qam.points().iter().enumerate() {
            for (b, to) in qam.points().iter().enumerate() {
                if a != b && (from - to).norm() < 1.1 * step {
                    assert_eq!((a ^ b).count_ones(), 1);
                }
            }
        }
    }

    #[test]
    fn a_differential_grid_is_its_first_quadrant_turned() {
        let qam = Constellation::qam(64, false, true).unwrap();
        for (symbol, point) in qam.points()[..48].iter().enumerate() {
            assert!((point * C32::I - qam.points()[symbol + 16]).norm() < 1e-6);
        }
    }

    #[test]
    fn normalization_makes_the_mean_one() {
        let points = || vec![C32::new(1.0, 0.0), C32::new(0.0, 2.0), C32::new(-3.0, 0.0), C32::new(4.0, 0.0)];
        let any = |how| Constellation::new(points(), vec![], 1, 1).unwrap().normalized(how).points()[0].re;
        assert!(
            close(&[any(Normalization::Amplitude)], &[0.4])
                && close(&[any(Normalization::Power)], &[0.365_148])
        );
        assert_eq!(any(Normalization::None), 1.0);
    }

    #[test]
    fn what_is_no_constellation_is_refused() {
        assert!(
            Constellation::from_value("c", &"qpks".into()).unwrap_err().to_string().contains("expected bpsk")
        );
        assert!(Constellation::from_value("c", &Value::map([("points", Value::from(1))])).is_err());
        assert!(Constellation::new(vec![C32::ZERO; 4], vec![0, 4, 1, 2], 1, 1).is_err());
        assert!(Constellation::new(vec![C32::ZERO; 3], vec![], 1, 2).is_err());
        assert!(Constellation::new(vec![C32::new(f32::NAN, 0.0); 2], vec![], 1, 1).is_err());
        assert!(Constellation::psk(6, true, true).is_err() && Constellation::qam(32, true, true).is_err());
    }
}
