"""Filters and resamplers, as sums over taps in double precision: the formulas of their documentation, term by term."""

from __future__ import annotations

import math

import numpy as np

from .draw import Draw, pairs
from .driver import EPS, Case, define

FILTER = "GNU Radio 3.10, gr-filter, "
HARRIS = "F. J. Harris, Multirate Signal Processing for Communication Systems, "


def numbers(taps):
    """Taps of a parameter, where complex ones are [re, im]."""
    return np.array([complex(*tap) if isinstance(tap, list) else tap for tap in taps])


def convolved(x, taps):
    """Σⱼ taps[j] · x[n − j] for each item of x, with zeros before the first."""
    wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
    return np.convolve(wide, taps)[: len(x)] if len(x) else wide


def sizes(x, taps):
    """The same of magnitudes, by which errors of sums are bounded."""
    return convolved(np.abs(x.astype("c16")), np.abs(taps))


def delay_of(taps):
    """The group delay that so many taps have where they are symmetric, in whole items: tags move by it."""
    return (len(taps) - 1) // 2


def given(taps):
    return pairs(taps) if any(isinstance(tap, complex) for tap in taps) else taps


# What comes out of which items and taps: `out_item` of `auto`, or what it is asked to be.
KINDS = [
    ("f32", "auto", False),
    ("f32", "C32", False),
    ("f32", "C32", True),
    ("f32", "i16", False),
    ("C32", "auto", False),
    ("C32", "auto", True),
    ("i16", "auto", False),
    ("i16", "auto", True),
]


def filtered(d: Draw, **more) -> Case:
    item, out, is_complex = d.one(*KINDS)
    taps = d.complex_taps() if is_complex else d.taps()
    return Case(
        {"item": item, "out_item": out, "taps": given(taps), **more},
        [d.ordinary(item, scale=d.one(1.0, 1e-3)) if item != "i16" else d.items("i16")],
    )


def as_asked(p, y):
    """Complex where that is asked for or the items are integers; whole numbers are cut off towards 0 and held within their range."""
    if p.out_item == "i16":
        return np.clip(np.trunc(y), -32768, 32767).astype("i2")
    return y + 0j if p.out_item == "C32" or p.item != "f32" else y


def cut_bound(p, y, bound):
    """The bound, but of whole numbers 1 where both sides of it are cut off to different ones, else 0."""
    return (np.trunc(y - bound) != np.trunc(y + bound)).astype("f8") if p.out_item == "i16" else bound


def tap_bound(p, x):
    """(taps + 8) · 2⁻²⁴ · Σ |x| · |tap|, the bound of the documentation, in each part."""
    taps = numbers(p.taps)
    bound = 2 * (len(taps) + 8) * EPS * sizes(x, taps)
    return cut_bound(p, convolved(x, taps), bound) if hasattr(p, "out_item") else bound


def whole_rounds(y, every):
    """One item of each whole `every`."""
    return y[: len(y) // every * every : every]


@define(
    "fir_filter",
    source=FILTER + "fir_filter_XXX; tags move by the group delay of symmetric taps",
    draw=lambda d: filtered(d, decimation=d.few(1, 12)),
    within=lambda p, x: whole_rounds(tap_bound(p, x), p.decimation),
    tags=lambda p, index: (index + delay_of(p.taps)) // p.decimation,
)
def fir_filter(p, x):
    return whole_rounds(as_asked(p, convolved(x, numbers(p.taps))), p.decimation)


def fast(d: Draw) -> Case:
    item, many = d.one("C32", "f32"), d.one(70, 600)
    taps = d.complex_taps(many) if item == "C32" and d.one(True, False) else d.taps(many)
    # Long enough for some whole blocks of a transform.
    return Case(
        {"item": item, "taps": given(taps), "decimation": d.few(1, 12)},
        [d.ordinary(item, d.one(d.length(), d.length(12000)))],
    )


def fast_bound(p, x):
    """(8 log₂ size + 8) · 2⁻²⁴ · Σ |taps| · max |x|, the bound of the documentation; the transform has up to 2¹⁴ items here."""
    return np.full(len(x), 2 * (8 * 14 + 8) * EPS * np.abs(numbers(p.taps)).sum() * np.abs(x).max(initial=0))


@define(
    "fft_filter",
    source=FILTER + "fft_filter_XXX",
    draw=fast,
    within=lambda p, x: fast_bound(p, x)[:: p.decimation],
    open_end=1,
)
def fft_filter(p, x):
    return convolved(x, numbers(p.taps))[:: p.decimation]


def xlating(d: Draw) -> Case:
    item = d.one("C32", "f32", "i16")
    taps = d.one(d.taps, d.complex_taps)()
    rate = d.one(1.0, 48e3)
    return Case(
        {
            "item": item,
            "taps": given(taps),
            "frequency_hz": d.one(0.0, rate / 8, rate * d.real(-0.7, 0.7)),
            "rate_hz": rate,
            "decimation": d.few(1, 12),
        },
        [d.items("i16") if item == "i16" else d.ordinary(item)],
    )


def xlated(p, x, middle):
    """Taps turned up about their `middle`, the output turned down."""
    taps, theta = numbers(p.taps), 2 * np.pi * p.frequency_hz / p.rate_hz
    y = convolved(x, taps * np.exp(1j * theta * (np.arange(len(taps)) - middle)))
    return y * np.exp(-1j * theta * np.arange(len(y)))


@define(
    "freq_xlating_fir_filter",
    source=FILTER + "freq_xlating_fir_filter_XXX, the taps turned about their middle",
    draw=xlating,
    within=lambda p, x: whole_rounds(tap_bound(p, x) + 2.0**-18 * sizes(x, numbers(p.taps)), p.decimation),
)
def freq_xlating_fir_filter(p, x):
    return whole_rounds(xlated(p, x, (len(p.taps) - 1) / 2), p.decimation)


def xlating_fast(d: Draw) -> Case:
    case = xlating(d)
    return Case(
        {key: value for key, value in case.params.items() if key != "item"}, [d.ordinary("C32", d.length(9000))]
    )


@define(
    "freq_xlating_fft_filter",
    source=FILTER + "freq_xlating_fft_filter_ccc, the taps turned from the first on",
    draw=xlating_fast,
    within=lambda p, x: (fast_bound(p, x) + 2.0**-18 * sizes(x, numbers(p.taps)))[:: p.decimation],
    open_end=1,
)
def freq_xlating_fft_filter(p, x):
    return xlated(p, x, 0)[:: p.decimation]


def stuffed(x, factor):
    """`factor − 1` zeros behind each item."""
    y = np.zeros(len(x) * factor, x.dtype)
    y[::factor] = x
    return y


@define(
    "interp_fir_filter",
    source=FILTER + "interp_fir_filter_XXX",
    draw=lambda d: filtered(d, interpolation=d.few(1, 9)),
    within=lambda p, x: tap_bound(p, stuffed(x, p.interpolation)),
    tags=lambda p, index: index * p.interpolation + delay_of(p.taps),
)
def interp_fir_filter(p, x):
    return as_asked(p, convolved(stuffed(x, p.interpolation), numbers(p.taps)))


def kaiser(length, beta):
    return np.kaiser(length, beta)


def windowed_sinc(count, cutoff, window, gain):
    """A low-pass filter by the window method, its gain at 0 exact: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal
    Processing, 7.2."""
    n = np.arange(count) - (count - 1) / 2
    taps = window * 2 * cutoff * np.sinc(2 * cutoff * n)
    return taps * gain / taps.sum()


COSINES = {
    "rectangular": (1.0, [1]),
    "hann": (3.2, [0.5, 0.5]),
    "hamming": (3.5, [0.54, 0.46]),
    "blackman": (5.7, [0.42, 0.5, 0.08]),
    "blackman_harris": (7.5, [0.35875, 0.48829, 0.14128, 0.01168]),
}


def cosine_window(name, length):
    """Σ (−1)ᵏ aₖ cos(2πkn / (len − 1)): F. J. Harris, On the use of windows, Proc. IEEE 66 (1), 1978."""
    if length == 1:
        return np.ones(1)
    turns = np.arange(length) / (length - 1)
    return sum((-1) ** k * a * np.cos(2 * np.pi * k * turns) for k, a in enumerate(COSINES[name][1]))


def low_pass_case(d: Draw) -> Case:
    item, rate = d.one("C32", "f32"), d.one(1.0, 48e3, 2.4e6)
    transition = rate * d.real(0.02, 0.3)
    params = {
        "gain": d.one(1.0, d.real(-3, 3)),
        "rate_hz": rate,
        "cutoff_hz": rate * d.real(0.02, 0.49),
        "transition_hz": transition,
        "window": d.one(*COSINES),
        "decimation": d.few(1, 9),
    }
    return Case({"item": item, **params}, [d.ordinary(item)])


def low_pass_taps(p):
    count = math.ceil(COSINES[p.window][0] * p.rate_hz / p.transition_hz)
    return windowed_sinc(count | 1, p.cutoff_hz / p.rate_hz, cosine_window(p.window, count | 1), p.gain)


@define(
    "low_pass_filter",
    source="A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing (2nd ed.), 7.2; taps = width of the window · "
    "rate / transition, made odd",
    draw=low_pass_case,
    within=lambda p, x: whole_rounds(2 * (len(low_pass_taps(p)) + 12) * EPS * sizes(x, low_pass_taps(p)), p.decimation),
    tags=lambda p, index: (index + len(low_pass_taps(p)) // 2) // p.decimation,
)
def low_pass_filter(p, x):
    return whole_rounds(convolved(x, low_pass_taps(p)), p.decimation)


def ratio_case(d: Draw) -> Case:
    case = filtered(d, interpolation=d.few(1, 12), decimation=d.few(1, 12))
    if d.random.random() < 0.2 and case.params["out_item"] == "auto":
        case.params["taps"], case.params["fractional_bandwidth"] = [], d.one(0.0, 0.3, 0.45)
    return case


def resampling_taps(p):
    """The taps, or those of GNU Radio's `rational_resampler.design_filter`: a Kaiser window, β = 7, between the pass band and half of
    the lower rate."""
    if p.taps:
        return numbers(p.taps)
    common = math.gcd(p.interpolation, p.decimation)
    up, down = p.interpolation // common, p.decimation // common
    lower, passed = min(1.0, up / down), p.fractional_bandwidth or 0.4
    transition = lower * (0.5 - passed)
    count = int((7.0 / 0.1102 + 8.7) * up / (22 * transition)) | 1
    return windowed_sinc(count, lower * (0.5 + passed) / 2 / up, kaiser(count, 7.0), up)


def ratio_of(p):
    common = 1 if p.taps else math.gcd(p.interpolation, p.decimation)
    return p.interpolation // common, p.decimation // common


def resampled(p, x, taps):
    """Every `decimation`-th item of what is interpolated and filtered, from where the filter is full for the first time on;
    zeros follow."""
    up, down = ratio_of(p)
    first = (-(-len(taps) // up) - 1) * up
    count = -(-len(x) * up // down)
    padded = np.concatenate([x, np.zeros(len(taps) // up + down + 2, x.dtype)])
    return convolved(stuffed(padded, up), taps)[first::down][:count]


def ratio_bound(p, x):
    taps = resampling_taps(p)
    bound = resampled(p, np.abs(x.astype("c16")).real, np.abs(taps))
    return cut_bound(p, resampled(p, x, taps), 2 * (len(taps) + 12) * EPS * bound)


@define(
    "rational_resampler",
    source=FILTER + "rational_resampler_XXX; R. E. Crochiere, L. R. Rabiner, Multirate Digital Signal Processing, 3.3",
    draw=ratio_case,
    within=ratio_bound,
    open_end=1,
)
def rational_resampler(p, x):
    return as_asked(p, resampled(p, x, resampling_taps(p)))


def recursive(d: Draw) -> Case:
    item, order = d.one("C32", "f32"), d.few(0, 10)
    poles = [d.random.uniform(0, 0.97) * np.exp(2j * np.pi * d.random.random()) for _ in range(order // 2)]
    poles = [pole for pair in poles for pole in (pair, np.conj(pair))] + [d.random.uniform(-0.97, 0.97)] * (order % 2)
    feed_back = [float(a) for a in np.real(np.poly(poles))] if poles else [1.0]
    old_style = d.one(True, False)
    if old_style:
        feed_back = [1.0, *(-a for a in feed_back[1:])]
    taps = d.complex_taps(12) if item == "C32" and d.random.random() < 0.3 else d.taps(12)
    return Case(
        {"item": item, "feed_forward": given(taps), "feed_back": feed_back, "old_style": old_style}, [d.ordinary(item)]
    )


def difference_equation(forward, back, x):
    """y[n] = Σ forward[k] x[n − k] + Σ_{k ≥ 1} back[k] y[n − k]."""
    y = convolved(x, forward).astype("c16")
    for n in range(len(y)):
        for k in range(1, min(len(back), n + 1)):
            y[n] += back[k] * y[n - k]
    return y if x.dtype.kind == "c" else y.real


def feed_back(p):
    back = np.array(p.feed_back)
    return back if p.old_style else -back


def recursive_bound(p, x):
    """2⁻²⁴ |y| + 2⁻⁵⁰ (taps + 8) G max |x|, the bound of the documentation, G from the response of the feedback to an impulse."""
    impulse = np.zeros(len(x))
    impulse[:1] = 1
    gain = np.abs(difference_equation(np.ones(1), feed_back(p), impulse)).sum() * (
        np.abs(numbers(p.feed_forward)).sum() + np.abs(p.feed_back).sum()
    )
    lost = 2.0**-50 * (len(p.feed_forward) + len(p.feed_back) + 8) * gain * np.abs(x).max(initial=0)
    return 4 * (EPS * np.abs(iir_filter(p, x)) + lost)


@define(
    "iir_filter",
    source=FILTER + "iir_filter_XXX: oldstyle adds feedback taps; direct form I",
    draw=recursive,
    within=recursive_bound,
)
def iir_filter(p, x):
    return difference_equation(numbers(p.feed_forward), feed_back(p), x)


def single_pole(d: Draw) -> Case:
    item = d.one("C32", "f32")
    return Case(
        {"item": item, "alpha": d.one(0.0, 1.0, d.real(0, 1), 1e-3), "length": d.one(1, d.few(1, 9))},
        [d.ordinary(item)],
    )


@define(
    "single_pole_iir_filter",
    source=FILTER + "single_pole_iir_filter_XX",
    draw=single_pole,
    within=lambda p, x: 4 * EPS * np.abs(single_pole_iir_filter(p, x)) + 2.0**-46 * np.abs(x).max(initial=0),
)
def single_pole_iir_filter(p, x):
    y = np.zeros(len(x), "c16")
    for n, value in enumerate(x.astype("c16")):
        y[n] = p.alpha * value + (1 - p.alpha) * (y[n - p.length] if n >= p.length else 0)
    return y if x.dtype.kind == "c" else y.real


@define(
    "dc_blocker",
    source="R. Yates, R. Lyons, DC blocker algorithms, IEEE Signal Processing Magazine 25 (2), 2008",
    draw=lambda d: (
        lambda item: Case({"item": item, "length": d.few(2, 200), "long_form": d.one(True, False)}, [d.ordinary(item)])
    )(d.one("C32", "f32")),
    within=lambda p, x: np.full(len(x), 16 * EPS * np.abs(x).max(initial=0)),
)
def dc_blocker(p, x):
    """The input, delayed, less two or four means of `length` items one after another."""
    means = 4 if p.long_form else 2
    mean = x
    for _ in range(means):
        mean = convolved(mean, np.ones(p.length) / p.length)
    shift = np.zeros(means // 2 * (p.length - 1) + 1)
    shift[-1] = 1
    return convolved(x, shift) - mean


WINDOWS = {"hamming": [0.54, 0.46], "hann": [0.5, 0.5], "blackman": [0.42, 0.5, 0.08]}


def hilbert_taps(count, window):
    """1 / k at odd k, weighted, such that the gain at a quarter of the sample rate is 1."""
    half = count // 2
    k = np.arange(-half, half + 1)
    turns = np.arange(2 * half + 1) / max(2 * half, 1)
    weights = sum((-1) ** i * a * np.cos(2 * np.pi * i * turns) for i, a in enumerate(WINDOWS[window]))
    taps = np.where(k % 2 == 1, weights / np.where(k == 0, 1, k), 0.0)
    gain = abs((taps * np.exp(-0.5j * np.pi * k)).sum())
    return taps / gain if gain else taps


@define(
    "hilbert",
    source=FILTER + "hilbert_fc and firdes.hilbert",
    draw=lambda d: Case({"taps": d.whole(3, 90), "window": d.one(*WINDOWS)}, [d.ordinary("f32")]),
    within=lambda p, x: (
        2 * (p.taps + 12) * EPS * sizes(x, hilbert_taps(p.taps, p.window)) + 2 * EPS * np.abs(x).max(initial=0)
    ),
    tags=lambda p, index: index + p.taps // 2,
)
def hilbert(p, x):
    taps = hilbert_taps(p.taps, p.window)
    return delayed(x, len(taps) // 2) + 1j * convolved(x, taps)


def delayed(x, count):
    return np.concatenate([np.zeros(count), x])[: len(x)]


@define(
    "filter_delay",
    source=FILTER + "filter_delay_fc: half of the filter is the delay",
    draw=lambda d: (
        lambda n, inputs: Case({"taps": d.taps(), "inputs": inputs}, [d.ordinary("f32", n) for _ in range(inputs)])
    )(d.length(), d.one(1, 2)),
    within=lambda p, *x: 2 * (len(p.taps) + 8) * EPS * sizes(x[-1], np.array(p.taps)),
)
def filter_delay(p, *x):
    return delayed(x[0], (len(p.taps) - 1) // 2) + 1j * convolved(x[-1], np.array(p.taps))


def mmse_taps(step):
    """The taps of least mean square error for signals within a quarter of the rate: Meyr, Moeneclaey, Fechtel, Digital Communication
    Receivers, 9.3: Σⱼ sinc((i − j) / 2) h[j] = sinc((i − 3 − μ) / 2)."""
    i = np.arange(8)
    return np.linalg.solve(np.sinc((i[:, None] - i) / 2), np.sinc((i - 3 - step / 128) / 2))


MMSE = np.array([mmse_taps(step) for step in range(129)])


def mmse_positions(x, mu, ratio):
    """Where each output lies behind the fourth item, and the nearest of the 128 filters between two items."""
    count = max(int(np.ceil((len(x) - mu) / ratio)) + 1, 0)
    times = mu + ratio * np.arange(count)
    return times, np.floor(times).astype(int), np.rint(times % 1 * 128).astype(int)


def mmse(x, mu, ratio):
    times, items, steps = mmse_positions(x, mu, ratio)
    padded = np.concatenate([x.astype("c16"), np.zeros(16)])
    y = np.array([MMSE[step] @ padded[item : item + 8] for item, step in zip(items, steps)], "c16")
    return y if x.dtype.kind == "c" else y.real


def mmse_bound(p, x, mu, ratio):
    """Single precision, and the next filter where two are as near."""
    times, items, steps = mmse_positions(x, mu, ratio)
    largest = np.abs(x).max(initial=0)
    tie = np.abs(times % 1 * 128 % 1 - 0.5) < 1e-6 * (1 + times)
    return largest * (2e-6 + 0.05 * tie)


def mmse_case(d: Draw) -> Case:
    item = d.one("C32", "f32")
    return Case(
        {
            "item": item,
            "phase_shift": d.one(0.0, d.whole(0, 127) / 128, d.random.random()),
            "resamp_ratio": d.one(1.0, d.whole(1, 300) / 64, d.random.uniform(0.1, 5)),
        },
        [d.ordinary(item)],
    )


@define(
    "mmse_resampler",
    source=FILTER + "mmse_resampler_XX; H. Meyr et al., Digital Communication Receivers, 9.3",
    draw=mmse_case,
    within=lambda p, x: mmse_bound(p, x, p.phase_shift, p.resamp_ratio),
    open_end=1,
)
def mmse_resampler(p, x):
    return mmse(x, p.phase_shift, p.resamp_ratio)


def arbitrary(d: Draw) -> Case:
    item, filters = d.one("C32", "f32"), d.one(32, d.few(1, 40))
    rate = d.one(1.0, d.whole(1, 200) / 64, d.random.uniform(0.2, 6))
    phase = d.one(0.0, d.random.uniform(0, 6.28))
    return Case(
        {"item": item, "rate": rate, "taps": d.taps(300), "filters": filters, "phase_rad": phase},
        [d.ordinary(item, d.length(600))],
    )


def arbitrary_places(p, x):
    start = p.phase_rad / (2 * np.pi)
    times = start + np.arange(max(int(np.ceil((len(x) - start) * p.rate)), 0) + 1) / p.rate
    return np.floor(times).astype(int), p.filters * (times % 1)


@define(
    "pfb_arb_resampler",
    source=FILTER + "pfb_arb_resampler_XXX; " + HARRIS + "7.5",
    draw=arbitrary,
    within=lambda p, x: arbitrary_bound(p, x),
    open_end=1,
)
def pfb_arb_resampler(p, x):
    """y[m] = Σⱼ h(φ + j · filters) · x[⌊m / rate + phase / 2π⌋ − j], with straight lines between the taps, a level one behind the last."""
    items, phases = arbitrary_places(p, x)
    taps = np.array([*p.taps, p.taps[-1]])
    padded = np.concatenate([np.zeros(len(taps)), x, np.zeros(items.max(initial=0) + 2)])
    arms = np.arange(len(taps) // p.filters + 1)
    y = np.zeros(len(items), "c16")
    for m, (item, phase) in enumerate(zip(items, phases)):
        places = phase + arms * p.filters
        h = np.interp(places, np.arange(len(taps)), taps) * (places < len(p.taps))
        y[m] = h @ padded[item + len(taps) - arms]
    return y if x.dtype.kind == "c" else y.real


def arbitrary_bound(p, x):
    """Errors of the sum and of the phase, and the first tap or the last where an error of the phase decides whether it counts."""
    items, phases = arbitrary_places(p, x)
    slope = 2 * np.abs(p.taps).max()
    largest = np.abs(x).max(initial=0)

    def near(place):
        return np.abs((phases - place + p.filters / 2) % p.filters - p.filters / 2) < 1e-9 * p.filters * (1 + items)

    ends = near(0) * abs(p.taps[0]) + near(len(p.taps)) * abs(p.taps[-1])
    return (
        largest * (4 * (len(p.taps) + 9) * EPS * np.abs(p.taps).sum() + 1e-9 * slope * (1 + items) * len(p.taps))
        + 1.01 * largest * ends
    )


def channel_case(d: Draw) -> Case:
    channels = d.few(1, 12)
    return Case({"channels": channels, "taps": d.taps(90)}, [d.ordinary("C32", d.length(700))])


def shifted(x, channel, channels):
    return x * np.exp(-2j * np.pi * channel * np.arange(len(x)) / channels)


def channel_bound(p, x, every):
    taps = np.array(p.taps)
    return 4 * (len(taps) + 32) * EPS * np.abs(taps).sum() * np.abs(x).max(initial=0) + np.zeros(every)


@define(
    "channelizer",
    source=HARRIS + "chapter 6",
    draw=channel_case,
    within=lambda p, x: channel_bound(p, x, len(x) // p.channels * p.channels),
)
def channelizer(p, x):
    """Each channel brought to 0, filtered, and one of `channels` items of it."""
    rounds = len(x) // p.channels
    y = [
        convolved(shifted(x, c, p.channels), np.array(p.taps))[p.channels - 1 :: p.channels][:rounds]
        for c in range(p.channels)
    ]
    return np.array(y, "c16").T.ravel()


@define(
    "pfb_decimator",
    source=FILTER + "pfb_decimator_ccf",
    draw=lambda d: (
        lambda case: Case(
            {
                "decimation": case.params["channels"],
                "taps": case.params["taps"],
                "channel": d.whole(0, case.params["channels"] - 1),
            },
            case.inputs,
        )
    )(channel_case(d)),
    within=lambda p, x: channel_bound(p, x, len(x) // p.decimation),
)
def pfb_decimator(p, x):
    turned = np.array(p.taps) * np.exp(2j * np.pi * p.channel * np.arange(len(p.taps)) / p.decimation)
    return convolved(x, turned)[p.decimation - 1 :: p.decimation][: len(x) // p.decimation]


def oversampled(d: Draw) -> Case:
    case = channel_case(d)
    channels = case.params["channels"]
    step = d.one(*(step for step in range(1, channels + 1)))
    chosen = [d.whole(0, channels - 1) for _ in range(channels)] if d.random.random() < 0.3 else []
    return Case({**case.params, "oversample_rate": channels / step, "channel_map": chosen}, case.inputs)


@define(
    "pfb_channelizer",
    source=FILTER + "pfb_channelizer_ccf, its phases; " + HARRIS + "chapters 6 and 9",
    draw=oversampled,
    within=lambda p, x: channel_bound(p, x, len(pfb_channelizer(p, x)[0])),
)
def pfb_channelizer(p, x):
    """y_c[m] = Σⱼ taps[j] x[n − j] exp(−2πi c (n − j + 1 + R) / M), n = m R + R − 1."""
    step = round(p.channels / p.oversample_rate)
    turned = lambda c: x * np.exp(-2j * np.pi * c * (np.arange(len(x)) + 1 + step) / p.channels)
    return tuple(
        convolved(turned(c), np.array(p.taps))[step - 1 :: step][: len(x) // step]
        for c in p.channel_map or range(p.channels)
    )


def synthesized(d: Draw) -> Case:
    channels, twice = d.few(1, 9), d.one(True, False)
    inputs = d.whole(1, channels)
    slots = channels * (2 if twice else 1)
    chosen = [int(c) for c in d.random.permutation(slots)[:inputs]] if d.random.random() < 0.3 else []
    count = d.length(200)
    return Case(
        {"channels": channels, "inputs": inputs, "taps": d.taps(90), "twice": twice, "channel_map": chosen},
        [d.ordinary("C32", count) for _ in range(inputs)],
    )


@define(
    "pfb_synthesizer",
    source=FILTER + "pfb_synthesizer_ccf, its phases; " + HARRIS + "6.4",
    draw=synthesized,
    within=lambda p, *x: (
        4 * (len(p.taps) + 32) * EPS * np.abs(p.taps).sum() * sum(np.abs(s).max(initial=0) for s in x)
        + np.zeros(len(x[0]) * p.channels)
    ),
)
def pfb_synthesizer(p, *x):
    slots, start = (2 * p.channels, p.channels) if p.twice else (p.channels, 0)
    n = np.arange(len(x[0]) * p.channels) + start
    streams = [convolved(stuffed(stream, p.channels), np.array(p.taps)) for stream in x]
    return sum(np.exp(2j * np.pi * c * n / slots) * y for c, y in zip(p.channel_map or range(len(x)), streams))


def channel_model_case(d: Draw) -> Case:
    return Case(
        {
            "frequency_offset": d.one(0.0, d.real(-0.4, 0.4)),
            "epsilon": d.one(1.0, d.whole(32, 128) / 64, d.random.uniform(0.9, 1.1)),
            "taps": given(d.one([1.0], d.complex_taps(9))),
            "block_tags": True,
        },
        [d.ordinary("C32")],
    )


def model_bound(p, x):
    taps = numbers(p.taps)
    heard = (
        np.convolve(mmse_bound(p, x, 0.0, p.epsilon), np.abs(taps))[: len(mmse(x, 0.0, p.epsilon))]
        if len(x)
        else np.zeros(0)
    )
    return heard + 2.0**-18 * np.abs(taps).sum() * np.abs(x).max(initial=0)


@define(
    "channel_model",
    source="GNU Radio 3.10, gr-channels, channel_model, without noise",
    draw=channel_model_case,
    within=model_bound,
    open_end=1,
)
def channel_model(p, x):
    y = convolved(mmse(x, 0.0, p.epsilon), numbers(p.taps))
    return y * np.exp(2j * np.pi * p.frequency_offset * np.arange(len(y)))


def frames(d: Draw) -> Case:
    item, size = d.one("C32", "f32"), d.one(d.few(1, 40), d.one(64, 128, 97, 360, 1024))
    window = d.one(
        "rectangular", "hann", "hamming", "blackman", "blackman_harris", [float(w) for w in d.ordinary("f32", size)]
    )
    return Case(
        {"item": item, "length": size, "inverse": d.one(True, False), "shift": d.one(True, False), "window": window},
        [d.ordinary(item, d.length(4000))],
    )


def transformed(p, x):
    rows = x[: len(x) // p.length * p.length].reshape(-1, p.length)
    window = cosine_window(p.window, p.length) if isinstance(p.window, str) else np.array(p.window)
    return rows * window


@define(
    "fft",
    source="GNU Radio 3.10, gr-fft, fft_vxx: not scaled; with shift, frequency 0 is at size / 2",
    draw=frames,
    within=lambda p, x: np.repeat(
        2 * EPS * (4 * np.log2(p.length) + 6) * np.sqrt(p.length) * np.linalg.norm(transformed(p, x), axis=1), p.length
    ),
)
def fft(p, x):
    rows = transformed(p, x)
    if p.inverse:
        rows = np.fft.ifftshift(rows, axes=1) if p.shift else rows
        return (np.fft.ifft(rows, axis=1) * p.length).ravel()
    y = np.fft.fft(rows, axis=1)
    return (np.fft.fftshift(y, axes=1) if p.shift else y).ravel()


@define(
    "goertzel",
    source="GNU Radio 3.10, gr-fft, goertzel_fc; G. Goertzel, American Mathematical Monthly 65 (1), 1958",
    draw=lambda d: Case(
        {"rate_hz": 8000.0, "length": d.few(1, 300), "frequency_hz": d.one(0.0, 4000.0, d.real(-5000, 5000))},
        [d.ordinary("f32")],
    ),
    within=lambda p, x: 4 * EPS * np.abs(x).max(initial=0) + np.zeros(len(x) // p.length),
)
def goertzel(p, x):
    w = 2 * np.pi * p.frequency_hz / p.rate_hz
    rows = x[: len(x) // p.length * p.length].reshape(-1, p.length)
    return np.exp(1j * w * p.length) / p.length * (rows @ np.exp(-1j * w * np.arange(p.length)))
