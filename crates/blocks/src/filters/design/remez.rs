//! Equiripple FIR filters: the algorithm of Parks and McClellan.

use std::f64::consts::{PI, TAU};

use crate::error::{Error, check};

/// What kind of filter [`remez`] designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Symmetric taps: bands that pass or stop.
    Bandpass,
    /// Antisymmetric taps, whose error counts in proportion to the amplitude: `ampl` is proportional to the frequency.
    Differentiator,
    /// Antisymmetric taps: a quarter turn.
    Hilbert,
}

/// The highest order.
pub const MOST_ORDER: usize = 2048;

/// The most rounds of the exchange.
const MOST_ROUNDS: usize = 100;

/// The FIR filter of `order + 1` taps whose greatest weighted error in all bands is least.
///
/// `bands` are pairs of edges, ascending, in parts of half the sample rate (0 to 1); `amplitudes` what the response shall be at
/// each edge, with a straight line in between; `weights` one number for each band: how much its error counts.
/// `grid_density` is how many points of the grid, on which the error is looked at, there are for each unknown.
///
/// The amplitude of a filter with linear phase is a fixed factor `Q(f)` times a sum of `r` cosines. The error of the best
/// one has `r + 1` extremes of equal size and alternating sign; Remez' exchange finds them: guess them, compute the only
/// response whose error alternates there, take its extremes for the next guess. On the grid they are found up to its step; a
/// few more rounds move them to where the error is greatest in between, so that the ripple is the least there can be and not that
/// of the grid, 0.2 to 2 % more with 16 points.
///
/// **Source**: J. H. McClellan and T. W. Parks, "A unified approach to the design of optimum FIR linear-phase digital
/// filters", IEEE Trans. Circuit Theory 20 (6), 1973; A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing,
/// section 7.4.3. Interpolation by barycentric weights: J.-P. Berrut and L. N. Trefethen, SIAM Review 46 (3), 2004.
///
/// # Errors
/// [`Error::OutOfRange`] or [`Error::WrongKind`] where bands, amplitudes and weights do not fit together, and where the
/// exchange does not come to an end.
///
/// ```
/// use superhet_blocks::filters::design::{Response, remez};
/// let taps = remez(10, &[0.0, 0.3, 0.5, 1.0], &[1.0, 1.0, 0.0, 0.0], &[1.0, 1.0], Response::Bandpass, 16)?;
/// assert!((taps[5] - 0.400327).abs() < 1e-4);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
pub fn remez(
    order: usize,
    bands: &[f64],
    amplitudes: &[f64],
    weights: &[f64],
    response: Response,
    grid_density: usize,
) -> Result<Vec<f64>, Error> {
    check((3..=MOST_ORDER).contains(&order), "order", "a whole number from 3 to 2048", order as f64)?;
    check(
        (1..=64).contains(&grid_density),
        "grid_density",
        "a whole number from 1 to 64",
        grid_density as f64,
    )?;
    let pairs = bands.len() / 2;
    let wrong = |parameter, wanted, got: usize| {
        let got = format!("{got} numbers");
        Err(Error::WrongKind { parameter, wanted, got })
    };
    if bands.is_empty() || !bands.len().is_multiple_of(2) {
        return wrong("bands", "two edges for each band", bands.len());
    }
    if amplitudes.len() != bands.len() {
        return wrong("ampl", "as many numbers as bands has", amplitudes.len());
    }
    if weights.len() != pairs {
        return wrong("error_weight", "one number for each band", weights.len());
    }
    for (place, edges) in bands.windows(2).enumerate() {
        // Bands may touch, but each has a width.
        let fits = if place % 2 == 0 { edges[0] < edges[1] } else { edges[0] <= edges[1] };
        check(fits, "bands", "ascending edges", edges[1])?;
    }
    for &edge in bands {
        check((0.0..=1.0).contains(&edge), "bands", "edges from 0 to 1", edge)?;
    }
    for &amplitude in amplitudes {
        check(amplitude.is_finite(), "ampl", "finite numbers", amplitude)?;
    }
    for &weight in weights {
        check(weight > 0.0 && weight.is_finite(), "error_weight", "numbers > 0", weight)?;
    }

    let form = Form { taps: order + 1, antisymmetric: response != Response::Bandpass };
    let target = Target { form, bands, amplitudes, weights, response };
    let grid = target.grid(grid_density);
    let unknowns = form.unknowns();
    check(
        grid.len() > unknowns,
        "bands",
        "bands wide enough for as many points as the filter has unknowns",
        grid.len() as f64,
    )?;
    let (best, places) = exchange(&grid, unknowns)?;
    let best = polished(&target, &grid, &places).unwrap_or(best);
    Ok(form.taps_of(|frequency| best.at((TAU * frequency).cos())))
}

/// One of the four types of filters with linear phase.
#[derive(Clone, Copy)]
struct Form {
    taps: usize,
    antisymmetric: bool,
}

impl Form {
    /// How many cosines there are.
    fn unknowns(self) -> usize {
        match (self.antisymmetric, self.taps % 2) {
            (false, 1) => self.taps / 2 + 1,
            _ => self.taps / 2,
        }
    }

    /// The factor of the sum of cosines, at a frequency in parts of the sample rate.
    fn factor(self, frequency: f64) -> f64 {
        match (self.antisymmetric, self.taps % 2) {
            (false, 1) => 1.0,
            (false, _) => (PI * frequency).cos(),
            (true, 1) => (TAU * frequency).sin(),
            (true, _) => (PI * frequency).sin(),
        }
    }

    /// The taps whose amplitude is the factor times `sum`: its inverse Fourier transform, of as many points as taps.
    fn taps_of(self, sum: impl Fn(f64) -> f64) -> Vec<f64> {
        let n = self.taps as f64;
        let middle = (n - 1.0) / 2.0;
        let lines: Vec<f64> = (0..=self.taps / 2)
            .map(|k| k as f64 / n)
            .map(|frequency| self.factor(frequency) * sum(frequency))
            .collect();
        let tap = |place: usize| {
            let line = |(k, line): (usize, &f64)| {
                let angle = TAU * k as f64 * (place as f64 - middle) / n;
                let twice = if k == 0 || 2 * k == self.taps { 1.0 } else { 2.0 };
                twice * line * if self.antisymmetric { angle.sin() } else { angle.cos() }
            };
            lines.iter().enumerate().map(line).sum::<f64>() / n
        };
        (0..self.taps).map(tap).collect()
    }
}

/// A point at which the error is looked at.
struct Point {
    band: usize,
    frequency: f64,
    /// `cos(2π f)`.
    x: f64,
    /// What the sum of cosines shall be.
    wanted: f64,
    weight: f64,
}

/// What a filter shall be.
struct Target<'a> {
    form: Form,
    bands: &'a [f64],
    amplitudes: &'a [f64],
    weights: &'a [f64],
    response: Response,
}

impl Target<'_> {
    /// The point of a band at a frequency in parts of the sample rate.
    fn point(&self, band: usize, frequency: f64) -> Point {
        let [low, high] = [self.bands[2 * band] / 2.0, self.bands[2 * band + 1] / 2.0];
        let [from, to] = [self.amplitudes[2 * band], self.amplitudes[2 * band + 1]];
        let wanted = from + (frequency - low) / (high - low) * (to - from);
        let weight = match self.response {
            Response::Differentiator if wanted > 1e-4 => self.weights[band] / frequency,
            _ => self.weights[band],
        };
        let factor = self.form.factor(frequency);
        let x = (TAU * frequency).cos();
        Point { band, frequency, x, wanted: wanted / factor, weight: weight * factor }
    }

    /// The points in all bands, equally far apart in frequency; where the factor is 0 there can be none.
    fn grid(&self, density: usize) -> Vec<Point> {
        let form = self.form;
        let step = 0.5 / (density * form.unknowns()) as f64;
        let zero_at_the_end = form.antisymmetric == (form.taps % 2 == 1);
        let mut grid = Vec::new();
        for band in 0..self.weights.len() {
            let (low, high) = (self.bands[2 * band] / 2.0, self.bands[2 * band + 1] / 2.0);
            let first = if form.antisymmetric { low.max(step) } else { low };
            let last = if zero_at_the_end { high.min(0.5 - step) } else { high };
            let count = (((high - first) / step).round() as usize).max(1);
            for k in 0..=count {
                let frequency = if k == count { last } else { first + k as f64 * step };
                if frequency > last || (k == count && count > 1 && last < first) {
                    continue;
                }
                grid.push(self.point(band, frequency));
            }
        }
        grid.dedup_by(|a, b| a.x == b.x);
        grid
    }
}

/// A polynomial by its values, interpolated by barycentric weights.
struct Polynomial {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
}

impl Polynomial {
    /// The one whose weighted error alternates at these points, and the error there.
    fn alternating<'a>(points: impl Iterator<Item = &'a Point> + Clone) -> (Self, f64) {
        let x: Vec<f64> = points.clone().map(|point| point.x).collect();
        let weights = barycentric_weights(&x);
        let signs = || [1.0, -1.0].into_iter().cycle();
        let top: f64 = points.clone().zip(&weights).map(|(point, b)| b * point.wanted).sum();
        let bottom: f64 =
            points.clone().zip(&weights).zip(signs()).map(|((point, b), sign)| sign * b / point.weight).sum();
        let ripple = top / bottom;
        let y =
            points.zip(signs()).map(|(point, sign)| point.wanted - sign * ripple / point.weight).collect();
        (Polynomial { x, y, weights }, ripple)
    }

    /// The weighted error at a point.
    fn error(&self, point: &Point) -> f64 {
        point.weight * (point.wanted - self.at(point.x))
    }

    fn at(&self, x: f64) -> f64 {
        let (mut top, mut bottom) = (0.0, 0.0);
        for ((node, y), weight) in self.x.iter().zip(&self.y).zip(&self.weights) {
            let away = x - node;
            if away.abs() < 1e-14 {
                return *y;
            }
            top += weight * y / away;
            bottom += weight / away;
        }
        top / bottom
    }
}

/// `1 / Π (xᵢ − xⱼ)`, all scaled alike so that none overflows.
fn barycentric_weights(x: &[f64]) -> Vec<f64> {
    let of = |(i, xi): (usize, &f64)| {
        let others = x.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, xj)| xi - xj);
        others.fold((0.0, 1.0), |(log, sign), away| (log - away.abs().ln(), sign * away.signum()))
    };
    let logs: Vec<(f64, f64)> = x.iter().enumerate().map(of).collect();
    let greatest = logs.iter().fold(f64::NEG_INFINITY, |greatest, (log, _)| greatest.max(*log));
    logs.iter().map(|(log, sign)| sign * (log - greatest).exp()).collect()
}

/// Remez' exchange: the polynomial of degree `unknowns − 1` in `x` with the least greatest error on the grid, and where the
/// extremes of that are.
fn exchange(grid: &[Point], unknowns: usize) -> Result<(Polynomial, Vec<usize>), Error> {
    let extremes = unknowns + 1;
    let mut places: Vec<usize> = (0..extremes).map(|i| i * (grid.len() - 1) / unknowns).collect();
    for _ in 0..MOST_ROUNDS {
        let (polynomial, _) = Polynomial::alternating(places.iter().map(|&place| &grid[place]));
        let errors: Vec<f64> = grid.iter().map(|point| polynomial.error(point)).collect();
        let next = alternating(&errors, extremes, &places);
        let sizes = next.iter().map(|&place| errors[place].abs());
        let (least, greatest) =
            sizes.fold((f64::INFINITY, 0.0f64), |(least, greatest), e| (least.min(e), greatest.max(e)));
        if next == places || greatest - least <= 1e-7 * greatest || greatest < 1e-13 {
            return Ok((polynomial, next));
        }
        if !greatest.is_finite() {
            break;
        }
        places = next;
    }
    let (wanted, got) =
        ("a filter for which the exchange comes to an end: wider transitions or fewer taps", extremes);
    Err(Error::WrongKind { parameter: "order", wanted, got: format!("no end with {got} extremes") })
}

/// Rounds in which extremes move between the points of the grid: each makes their distance to the true ones that squared.
const MOST_POLISHED: usize = 6;

/// The polynomial whose extremes lie where the error is greatest in the bands, begun with those on the grid; `None` where the
/// error of the grid's is within rounding, or where that does not come to an end.
fn polished(target: &Target<'_>, grid: &[Point], places: &[usize]) -> Option<Polynomial> {
    let step = 0.5 / (grid.len().max(2) - 1) as f64;
    // How far a band's points reach.
    let reach = |band: usize| {
        let mut of_band = grid.iter().filter(|point| point.band == band).map(|point| point.frequency);
        let first = of_band.next().unwrap_or(0.0);
        (first, of_band.next_back().unwrap_or(first))
    };
    let reaches: Vec<(f64, f64)> = (0..target.weights.len()).map(reach).collect();
    let start = places.iter().map(|&place| target.point(grid[place].band, grid[place].frequency));
    let mut extremes: Vec<Point> = start.collect();
    let (mut best, mut ripple) = Polynomial::alternating(extremes.iter());
    for _ in 0..MOST_POLISHED {
        for extreme in &mut extremes {
            let (first, last) = reaches[extreme.band];
            let frequency = peak(extreme.frequency, (first, last), step, |frequency| {
                best.error(&target.point(extreme.band, frequency)).abs()
            });
            *extreme = target.point(extreme.band, frequency);
        }
        if !extremes.windows(2).all(|pair| pair[0].x > pair[1].x) {
            return None;
        }
        let (next, higher) = Polynomial::alternating(extremes.iter());
        // The least of the errors at the extremes grows towards the least ripple there can be.
        let grown = higher.abs() - ripple.abs();
        if !grown.is_finite() || grown < -1e-9 * ripple.abs() {
            return None;
        }
        (best, ripple) = (next, higher);
        if grown <= 1e-9 * ripple.abs() {
            break;
        }
    }
    (ripple.abs() > 1e-12).then_some(best)
}

/// Where a function is greatest about `at` and within limits: the vertex of the parabola through three points.
fn peak(at: f64, (first, last): (f64, f64), step: f64, of: impl Fn(f64) -> f64) -> f64 {
    let half = (step / 2.0).min((last - first) / 2.0);
    let middle = at.clamp(first + half, last - half);
    let [before, here, behind] = [middle - half, middle, middle + half].map(&of);
    let bend = before - 2.0 * here + behind;
    if bend >= 0.0 {
        return at;
    }
    let found =
        (middle + half * 0.5 * (before - behind) / bend).clamp(first, last).clamp(at - step, at + step);
    if of(found) >= of(at) { found } else { at }
}

/// So many places of local extremes whose signs alternate, the greatest there are; `before` where there are too few.
fn alternating(errors: &[f64], wanted: usize, before: &[usize]) -> Vec<usize> {
    let last = errors.len() - 1;
    let mut found: Vec<usize> = Vec::with_capacity(wanted + 8);
    for place in 0..=last {
        let e = errors[place];
        let toward = |other: f64| if e > 0.0 { e - other } else { other - e };
        let is_extreme = (place == 0 || toward(errors[place - 1]) > 0.0)
            && (place == last || toward(errors[place + 1]) >= 0.0)
            && e != 0.0;
        if !is_extreme {
            continue;
        }
        match found.last_mut() {
            // Of neighbours with one sign the greater stays.
            Some(latest) if (errors[*latest] > 0.0) == (e > 0.0) => {
                if e.abs() > errors[*latest].abs() {
                    *latest = place;
                }
            }
            _ => found.push(place),
        }
    }
    while found.len() > wanted {
        let size = |i: usize| errors[found[i]].abs();
        if found.len() == wanted + 1 {
            // One too many: it can only go at an end.
            let end = if size(0) < size(found.len() - 1) { 0 } else { found.len() - 1 };
            found.remove(end);
        } else {
            // The smallest pair of neighbours, so that signs go on to alternate.
            let pair = |i: &usize| size(*i).max(size(*i + 1));
            let least = (0..found.len() - 1).min_by(|a, b| pair(a).total_cmp(&pair(b))).unwrap_or(0);
            found.drain(least..least + 2);
        }
    }
    if found.len() < wanted { before.to_vec() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest weighted error in all bands, and the least one of as many alternating extremes as the best filter has. No
    /// filter has a ripple below that (C. de la Vallée Poussin).
    fn ripple(order: usize, bands: &[f64], amplitudes: &[f64], weights: &[f64]) -> (f64, f64) {
        let taps = remez(order, bands, amplitudes, weights, Response::Bandpass, 16).unwrap();
        let middle = order as f64 / 2.0;
        let mut errors = Vec::new();
        for (band, weight) in weights.iter().enumerate() {
            let (low, high) = (bands[2 * band], bands[2 * band + 1]);
            for k in 0..=20_000 {
                let frequency = low + (high - low) * f64::from(k) / 20_000.0;
                let term = |(n, tap): (usize, &f64)| tap * (PI * frequency * (n as f64 - middle)).cos();
                let response: f64 = taps.iter().enumerate().map(term).sum();
                errors.push(weight * (amplitudes[2 * band] - response));
            }
        }
        let extremes = alternating(&errors, order / 2 + 2, &[]);
        assert!(!extremes.is_empty(), "too few extremes");
        let least = extremes.iter().map(|&place| errors[place].abs()).fold(f64::INFINITY, f64::min);
        (errors.iter().fold(0.0, |greatest, e| e.abs().max(greatest)), least)
    }

    #[test]
    fn the_ripple_is_the_least_there_is_between_the_points_of_the_grid_too() {
        let low = [1.0, 1.0, 0.0, 0.0];
        for (order, bands, amplitudes, weights) in [
            (24, vec![0.0, 0.3, 0.4, 1.0], low.to_vec(), vec![1.0, 1.0]),
            (41, vec![0.0, 0.2, 0.27, 1.0], low.to_vec(), vec![1.0, 10.0]),
            (
                80,
                vec![0.0, 0.2, 0.24, 0.5, 0.56, 1.0],
                vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
                vec![3.0, 1.0, 10.0],
            ),
        ] {
            let (greatest, least) = ripple(order, &bands, &amplitudes, &weights);
            assert!(greatest < 1.0002 * least, "{order}: {greatest} where {least} could be");
        }
    }
}
