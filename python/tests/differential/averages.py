"""Sums, means and detectors: loops over items in double precision."""

from __future__ import annotations


import numpy as np

from .arithmetic import BLOCKS
from .draw import ARITHMETIC, Draw
from .driver import EPS, Case, Result, define
from .streams import flat, whole

WIDE = {"c": "c16", "f": "f8", "i": "i8", "u": "i8"}


def vectors(d: Draw) -> Case:
    item, count, length = d.one(*ARITHMETIC), d.few(1, 60), d.few(1, 5)
    return Case({"item": item, "count": count, "length": length}, [d.items(item)])


def sum_bound(p, x):
    sizes = whole(np.abs(x.astype("c16")), p.count * p.length).reshape(-1, p.count, p.length).sum(axis=1)
    return (p.count + 8) * EPS * sizes.ravel() if x.dtype.kind in "cf" else 0.0


@define("integrate", source=BLOCKS + "integrate_XX", draw=vectors, within=sum_bound)
def integrate(p, x):
    rounds = whole(x, p.count * p.length).reshape(-1, p.count, p.length)
    return (
        flat(rounds.sum(axis=1, dtype=WIDE[x.dtype.kind]), x)
        if x.dtype.kind in "iu"
        else rounds.sum(axis=1, dtype=WIDE[x.dtype.kind]).ravel()
    )


def averaged(d: Draw) -> Case:
    case = vectors(d)
    item, count = case.params["item"], d.one(case.params["count"], d.few(1, 2000))
    scale = (
        {"scale": d.whole(-3, 3)}
        if item[0] == "i"
        else {"scale": d.one(1.0, 1 / count, d.gain()), **({"scale_imag": d.gain()} if item == "C32" else {})}
    )
    return Case({**case.params, "count": count, **scale}, case.inputs)


def windows(x, p):
    """Sums over the last `count` vectors, with zeros before the first one, made anew for each."""
    rows = whole(x, p.length).astype(WIDE[x.dtype.kind])
    return np.array([rows[max(0, n + 1 - p.count) : n + 1].sum(axis=0) for n in range(len(rows))]).reshape(-1)


def average_bound(p, x):
    """The bound of the documentation; that of vectors, whose sums go on from one to the next, has all that came before."""
    if x.dtype.kind == "i":
        return 0.0
    size = np.abs(x.astype("c16"))
    scale = abs(complex(p.scale, p.scale_imag))
    lost = (
        windows(size, p)
        if p.length == 1
        else np.resize(np.cumsum(size), size.shape)[: len(size) // p.length * p.length].max(initial=0)
    )
    # Sums of 25 to 511 single floats are in single precision.
    part = 2.0**-20 if p.length == 1 and 25 <= p.count <= 511 else 2.0**-40
    return scale * (2 * EPS * np.abs(windows(x, p)) * 2 + part * lost)


@define("moving_average", source=BLOCKS + "moving_average_XX", draw=averaged, within=average_bound)
def moving_average(p, x):
    scale = {"c": complex(p.scale, p.scale_imag), "f": p.scale, "i": int(p.scale)}[x.dtype.kind]
    return (
        windows(x, p).astype(WIDE[x.dtype.kind]) * scale
        if x.dtype.kind != "i"
        else (windows(x, p).astype("i8") * scale).astype(x.dtype)
    )


def pole(x, alpha, vector=1):
    """y[n] = α x[n] + (1 − α) y[n − vector], from 0; what is not finite is given once and not kept."""
    means, y = [0.0] * vector, np.zeros(len(x), WIDE[x.dtype.kind])
    for n, value in enumerate(x.astype(y.dtype)):
        y[n] = alpha * value + (1 - alpha) * means[n % vector]
        means[n % vector] = y[n] if np.isfinite(y[n]) else means[n % vector]
    return y


def power(x):
    return np.abs(x.astype("c16")) ** 2


def with_alpha(d: Draw, **more) -> Case:
    item = d.one("C32", "f32")
    return Case(
        {"item": item, "alpha": d.one(0.0, 1.0, d.real(0, 1), 10.0 ** -d.whole(1, 5)), **more},
        [d.ordinary(item, scale=d.one(1.0, 1e-3, 1e3))],
    )


def mean_bound(p, x):
    return 16 * EPS * pole(power(x), p.alpha) + 1e-7 * EPS * power(x).max(initial=0)


@define("rms", source=BLOCKS + "rms_XX", draw=with_alpha, within=16 * EPS, tags="keep")
def rms(p, x):
    return np.sqrt(pole(power(x), p.alpha))


def probed(d: Draw) -> Case:
    return with_alpha(d, threshold_db=d.real(-60, 30), output=True)


@define("probe_avg_mag_sqrd", source="GNU Radio 3.10, gr-analog, probe_avg_mag_sqrd_x", draw=probed, within=mean_bound)
def probe_avg_mag_sqrd(p, x):
    mean = pole(power(x), p.alpha)
    level = mean[-1] if len(mean) else 0.0
    return Result([mean], shown={"level": level, "unmuted": bool(level >= 10 ** (p.threshold_db / 10))})


def shown(d: Draw) -> Case:
    item, length = d.one("C32", "f32", "i32", "i16", "u8"), d.few(1, 20)
    return Case({"item": item, "length": length}, [d.ordinary(item) if item in ("C32", "f32") else d.items(item)])


@define("probe_signal", source=BLOCKS + "probe_signal_X: the last item, or the last whole vector", draw=shown)
def probe_signal(p, x):
    rows = whole(x, p.length)
    last = [value.item() for value in (rows[-1] if len(rows) else np.zeros(p.length, x.dtype))]
    return Result(shown={"level": last[0] if p.length == 1 else last})


@define(
    "sample_and_hold",
    source=BLOCKS + "sample_and_hold_XX",
    draw=lambda d: (
        lambda item, n: Case({"item": item}, [d.items(item, n), d.one(d.bits, lambda n: d.items("u8", n))(n)])
    )(d.one("f32", "i32", "i16", "u8"), d.length()),
)
def sample_and_hold(p, x, control):
    y, held = [], x.dtype.type(0)
    for value, sample in zip(x, control):
        held = value if sample else held
        y.append(held)
    return np.array(y, x.dtype)


@define(
    "threshold",
    source=BLOCKS + "threshold_ff",
    draw=lambda d: Case(
        dict(zip(("low", "high"), sorted([d.real(-2, 2), d.real(-2, 2)])), state=d.one(0.0, 1.0, 0.5)),
        [d.ordinary("f32")],
    ),
)
def threshold(p, x):
    y, state = [], p.state
    for value in x:
        state = 1.0 if value > np.float32(p.high) else 0.0 if value < np.float32(p.low) else state
        y.append(state)
    return np.array(y, "f4")


@define(
    "stretch",
    source="GNU Radio 3.10, gr-fft / gr-blocks, stretch_ff: (x − max) · low / (low − max)",
    draw=lambda d: Case(
        {"low": d.one(-100.0, d.real(-1e3, 1e3)), "length": d.few(1, 50)}, [d.ordinary("f32", scale=d.one(1.0, 50.0))]
    ),
    within=lambda p, x: stretch_bound(p, x),
)
def stretch(p, x):
    rows = whole(x, p.length).astype("f8")
    largest = rows.max(axis=1, keepdims=True, initial=-np.inf)
    return ((rows - largest) * p.low / (p.low - largest)).ravel()


def stretch_bound(p, x):
    """A difference of two numbers of single precision has their digits, and so have both here."""
    rows = whole(x, p.length).astype("f8")
    largest = rows.max(axis=1, keepdims=True, initial=-np.inf)
    sizes = np.abs(rows) + np.abs(largest)
    spread = np.abs(p.low - largest)
    return (
        16 * EPS * np.abs(p.low) * (sizes + np.abs(rows - largest) * (abs(p.low) + np.abs(largest)) / spread) / spread
    ).ravel()


def peaks(d: Draw) -> Case:
    item = d.one("f32", "i32", "i16")
    x = np.abs(d.ordinary("f32")) * 1000
    x[d.random.random(len(x)) < 0.03] *= 8
    return Case(
        {
            "item": item,
            "rise": d.one(0.25, 2.0, d.real(0, 4)),
            "fall": d.one(0.4, 1.5, d.real(0, 4)),
            "alpha": d.one(0.001, d.real(0, 1)),
        },
        [x.astype(item if item[0] == "f" else f"i{int(item[1:]) // 8}") if item != "f32" else x],
    )


@define("peak_detector", source=BLOCKS + "peak_detector_XX", draw=peaks)
def peak_detector(p, x):
    """A peak begins above rise · mean, and ends where an item that is not its largest is not above fall · mean."""
    y, mean, best = np.zeros(len(x), "u1"), np.float32(0), None
    alpha, rise, fall = (np.float32(value) for value in (p.alpha, p.rise, p.fall))
    for n, value in enumerate(x.astype("f4")):
        if best is not None and not value > x[best] and not value > mean * fall:
            y[best], best = 1, None
        if best is None:
            best = n if value > mean * rise else None
        elif value > x[best]:
            best = n
        mean = alpha * value + (1 - alpha) * mean
    return y


def peaks2(d: Draw) -> Case:
    x = np.abs(d.ordinary("f32"))
    x[d.random.random(len(x)) < 0.02] *= 30
    return Case(
        {"rise": d.one(7.0, d.real(0, 9)), "look_ahead": d.few(1, 200), "alpha": d.one(0.001, d.real(0, 1))}, [x]
    )


@define(
    "peak_detector2",
    source=BLOCKS + "peak_detector2_fb",
    draw=peaks2,
    within=lambda p, x: (0.0, 64 * EPS * pole(x, p.alpha)),
)
def peak_detector2(p, x):
    """The highest item of each window that begins above (1 + rise) · mean, the mean with that item."""
    y, average, n = np.zeros(len(x), "u1"), pole(x, p.alpha), 0
    while n < len(x):
        if x[n] > (1 + p.rise) * average[n]:
            y[n + x[n : n + p.look_ahead].argmax()] = 1
            n += p.look_ahead
        else:
            n += 1
    return y, average


def plateaus(d: Draw) -> Case:
    x = np.repeat(d.random.normal(size=d.length(400)), d.random.integers(1, 9)).astype("f4")[:1500]
    return Case({"max_length": d.few(1, 60), "threshold": d.one(0.9, d.real(-1, 1))}, [x])


@define("plateau_detector", source=BLOCKS + "plateau_detector_fb", draw=plateaus)
def plateau_detector(p, x):
    """Runs of two or more items at or above the threshold; behind the item that ends one, none begins for `max_length` items."""
    y, n, high = np.zeros(len(x), "u1"), 0, x >= np.float32(p.threshold)
    while n < len(x):
        if not high[n]:
            n += 1
            continue
        end = n
        while end < len(x) and high[end]:
            end += 1
        if end == len(x):
            break
        if end - n >= 2:
            y[n + (end - n) // 2] = 1
            end += p.max_length
        n = end + 1
    return y
