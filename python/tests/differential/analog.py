"""Gain control, squelches, modulation and demodulation: the equations of their documentation, item by item."""

from __future__ import annotations

import math

import numpy as np

from .averages import pole, power
from .draw import Draw
from .driver import EPS, Case, Result, define
from .filters import delayed, difference_equation
from .sources import ANALOG


def loud_and_soft(d: Draw, item: str, count: int | None = None):
    """A signal whose level changes in steps, for what measures levels."""
    count = d.length() if count is None else count
    levels = np.repeat(10.0 ** d.random.uniform(-3, 0.5, -(-count // 97)), 97)[:count]
    x = d.ordinary(item, count)
    return (x * levels).astype(x.dtype)


def gain_case(item_choices, **rates):
    def draw(d: Draw) -> Case:
        item = d.one(*item_choices)
        params = {name: value(d) for name, value in rates.items()}
        params |= {
            "reference": d.one(1.0, d.real(0.1, 3)),
            "gain": d.one(1.0, d.real(0.1, 2)),
            "max_gain": d.one(65536.0, 0.0, d.real(1, 50)),
        }
        return Case({**({"item": item} if len(item_choices) > 1 else {}), **params}, [loud_and_soft(d, item)])

    return draw


def limited(gain, p):
    return min(gain, p.max_gain) if p.max_gain > 0 else gain


def controlled(p, x, following):
    """y[n] = g[n] · x[n], where `following` makes g[n + 1] of g[n] and |y[n]|, and says how near it was to another decision."""
    y, gain, near = np.zeros(len(x), "c16"), p.gain, np.zeros(len(x))
    for n, value in enumerate(x.astype("c16")):
        y[n] = gain * value
        gain, near[n] = following(gain, abs(y[n]))
    return (y if x.dtype.kind == "c" else y.real), near


def loop_bound(y, near, relative=2e-4):
    """What roundings add up to in a loop that forgets them; anything behind an item at which one may have decided otherwise."""
    doubt = np.maximum.accumulate(delayed(near < 1e-4, 1)) if len(near) else near
    return np.where(doubt > 0, np.inf, relative * np.abs(y) + 1e-6)


def agc_steps(p):
    return lambda gain, level: (limited(gain + p.rate * (p.reference - level), p), 1.0)


@define(
    "agc",
    source=ANALOG + "agc_XX",
    draw=gain_case(("C32", "f32"), rate=lambda d: d.one(1e-4, d.real(0, 0.2))),
    within=lambda p, x: loop_bound(*controlled(p, x, agc_steps(p))),
)
def agc(p, x):
    return controlled(p, x, agc_steps(p))[0]


def agc2_steps(p, is_real):
    def following(gain, level):
        error = level - p.reference
        measured = abs(error) if is_real else error
        following = gain - (p.attack_rate if measured > gain else p.decay_rate) * error
        return limited(following if following >= 0 else 1e-4, p), min(abs(measured - gain), abs(following))

    return following


@define(
    "agc2",
    source=ANALOG + "agc2_XX",
    draw=gain_case(
        ("C32", "f32"),
        attack_rate=lambda d: d.one(0.1, d.real(0, 0.3)),
        decay_rate=lambda d: d.one(0.01, d.real(0, 0.3)),
    ),
    within=lambda p, x: loop_bound(*controlled(p, x, agc2_steps(p, x.dtype.kind == "f"))),
)
def agc2(p, x):
    return controlled(p, x, agc2_steps(p, x.dtype.kind == "f"))[0]


def agc3_case(d: Draw) -> Case:
    case = gain_case(
        ("C32",), attack_rate=lambda d: d.one(0.1, d.real(0, 0.9)), decay_rate=lambda d: d.one(0.01, d.real(0, 0.9))
    )(d)
    return Case({**case.params, "update_decimation": d.few(1, 30)}, case.inputs)


def agc3_gains(p, x):
    """The gains of all items, and how near each was to the other rate. The first 4 · D have their mean; the end may cut that."""
    group = 4 * p.update_decimation
    level = np.abs(x.astype("c16"))
    gains, near = np.zeros(len(level)), np.ones(len(level))
    if not len(level):
        return gains, near
    mean = level[:group].mean()
    gains[:group] = gain = limited(p.reference / mean, p) if mean else limited(p.gain, p)
    for n in range(group, len(level), p.update_decimation):
        if level[n] > 0:
            aim = p.reference / level[n]
            near[n] = abs(aim - gain) / gain
            rate = p.attack_rate if aim < gain else p.decay_rate
            gain = limited((1 - rate) * gain + rate * aim, p)
        gains[n : n + p.update_decimation] = gain
    return gains, near


@define("agc3", source=ANALOG + "agc3_cc", draw=agc3_case, within=lambda p, x: 1e-4 * np.abs(agc3(p, x)) + 1e-9)
def agc3(p, x):
    gains, _ = agc3_gains(p, x)
    return gains * x[: len(gains)]


@define(
    "feedforward_agc",
    source=ANALOG + "feedforward_agc_cc, its estimate of magnitudes",
    draw=lambda d: Case({"length": d.few(1, 300), "reference": d.one(1.0, d.real(0, 3))}, [loud_and_soft(d, "C32")]),
    within=16 * EPS,
)
def feedforward_agc(p, x):
    parts = np.sort(np.abs(np.stack([x.real, x.imag]).astype("f8")), axis=0)
    estimates = np.concatenate([np.zeros(p.length - 1), parts[1] + 0.4 * parts[0]])
    largest = np.array([max(1e-4, estimates[n : n + p.length].max()) for n in range(len(x))])
    return p.reference * delayed(x, p.length - 1) / largest


def squelched(x, is_open, ramp, gate, tags):
    """Items while it is open. Over `ramp` items the gain rises from 0, and falls to 0, as (1 − cos) / 2; a ramp turns
    round where it is."""
    y, placed, step, passed = [], [], 0, False
    for n, value in enumerate(x):
        if ramp == 0:
            gain, passes = 1.0, bool(is_open[n])
        else:
            if is_open[n]:
                step = min(step + 1, ramp) if passed else 0
                passes = True
            else:
                passes = passed and step > 0
            gain = 0.5 - 0.5 * math.cos(math.pi * step / ramp)
            if not is_open[n]:
                step = max(step - 1, 0)
        if passes != passed:
            placed.append((len(y), "squelch_sob" if passes else "squelch_eob", None))
        passed = passes
        if passes or not gate:
            placed += [(len(y), key, value) for index, key, value in tags if index == n]
            y.append(gain * complex(value) if passes else 0.0)
    y = np.array(y, "c16")
    return Result([y if x.dtype.kind == "c" else y.real], [placed])


def power_squelch(d: Draw) -> Case:
    item = d.one("C32", "f32")
    return Case(
        {
            "item": item,
            "threshold_db": d.real(-40, 0),
            "alpha": d.one(1.0, d.real(0, 1), 0.05),
            "ramp": d.one(0, d.few(1, 60)),
            "gate": d.one(True, False),
        },
        [loud_and_soft(d, item)],
    )


def open_by_power(p, x):
    return pole(power(x), p.alpha) >= 10 ** (p.threshold_db / 10)


@define(
    "pwr_squelch",
    source=ANALOG + "pwr_squelch_XX",
    draw=power_squelch,
    within=lambda p, x: 1e-6 * np.abs(x).max(initial=0),
)
def pwr_squelch(p, x, tags):
    return squelched(x, open_by_power(p, x), p.ramp, p.gate, tags[0])


@define(
    "simple_squelch",
    source=ANALOG + "simple_squelch_cc",
    draw=lambda d: (
        lambda case: Case({key: case.params[key] for key in ("threshold_db", "alpha")}, [loud_and_soft(d, "C32")])
    )(power_squelch(d)),
    tags="keep",
)
def simple_squelch(p, x):
    return np.where(open_by_power(p, x), x, 0)


# TIA-603, the tones of the continuous tone-coded squelch system, Hz.
TONES = """67.0 71.9 74.4 77.0 79.7 82.5 85.4 88.5 91.5 94.8 97.4 100.0 103.5 107.2 110.9 114.8 118.8 123.0 127.3 131.8 136.5 141.3
    146.2 151.4 156.7 162.2 167.9 173.8 179.9 186.2 192.8 203.5 210.7 218.1 225.7 233.6 241.8 250.3""".split()


def tone_case(d: Draw) -> Case:
    rate, count = 2000.0, d.length()
    place = d.whole(1, len(TONES) - 2)
    sent = np.repeat(
        [float(d.one(TONES[place], TONES[place], TONES[place + 1], "0")) for _ in range(-(-count // 250))], 250
    )[:count]
    x = 0.3 * np.sin(2 * np.pi * np.cumsum(sent) / rate) * (sent > 0) + 0.02 * d.random.normal(size=count)
    return Case(
        {
            "rate_hz": rate,
            "frequency_hz": float(TONES[place]),
            "threshold": d.one(0.01, d.real(0.01, 0.1)),
            "length": d.one(0, d.whole(50, 300)),
            "ramp": d.one(0, d.few(1, 40)),
            "gate": d.one(True, False),
        },
        [x.astype("f4")],
    )


@define(
    "ctcss_squelch",
    source=ANALOG + "ctcss_squelch_ff; TIA-603",
    draw=tone_case,
    within=lambda p, x: 1e-6 * np.abs(x).max(initial=0),
)
def ctcss_squelch(p, x, tags):
    """After every `length` items the tone must be as strong as `level`, and stronger than its neighbours."""
    length = p.length or round(p.rate_hz / 10)
    place = next(place for place, tone in enumerate(TONES) if float(tone) == p.frequency_hz)
    tones = np.array([float(TONES[k]) for k in (place - 1, place, place + 1)])
    is_open, heard = np.zeros(len(x), bool), False
    for n in range(len(x)):
        if (n + 1) % length == 0:
            piece = x[n + 1 - length : n + 1].astype("f8")
            below, tone, above = (
                np.abs(np.exp(-2j * np.pi * np.outer(tones, np.arange(length)) / p.rate_hz) @ piece) / length
            )
            heard = tone >= p.threshold and tone > below and tone > above
        is_open[n] = heard
    return squelched(x, is_open, p.ramp, p.gate, tags[0])


@define(
    "frequency_modulator",
    source=ANALOG + "frequency_modulator_fc",
    draw=lambda d: Case({"sensitivity": d.one(1.0, d.real(-3, 3))}, [d.ordinary("f32", scale=d.one(1.0, 100.0))]),
    within=lambda p, x: 1e-6 + 1e-15 * np.cumsum(np.abs(p.sensitivity * x)),
    tags="keep",
)
def frequency_modulator(p, x):
    return np.exp(1j * np.cumsum(p.sensitivity * x.astype("f8")))


@define(
    "phase_modulator",
    source=ANALOG + "phase_modulator_fc",
    draw=lambda d: Case({"sensitivity": d.one(1.0, d.real(-3, 3))}, [d.ordinary("f32", scale=d.one(1.0, 100.0))]),
    within=lambda p, x: 1e-6 + 2 * EPS * np.abs(p.sensitivity * x),
    tags="keep",
)
def phase_modulator(p, x):
    return np.exp(1j * p.sensitivity * x.astype("f8"))


@define(
    "cpfsk",
    source=ANALOG + "cpfsk_bc",
    draw=lambda d: Case(
        {
            "modulation_index": d.one(0.5, d.real(-3, 3)),
            "amplitude": d.one(1.0, d.real(-9, 9)),
            "samples_per_symbol": d.few(1, 20),
        },
        [d.bits(d.length(300))],
    ),
    within=lambda p, x: 1e-6 * abs(p.amplitude),
)
def cpfsk(p, x):
    steps = (
        np.repeat(np.where(x != 0, 1.0, -1.0), p.samples_per_symbol) * np.pi * p.modulation_index / p.samples_per_symbol
    )
    return p.amplitude * np.exp(1j * np.cumsum(steps))


@define(
    "vco",
    source="GNU Radio 3.10, gr-blocks, vco_c and vco_f",
    draw=lambda d: Case(
        {
            "item": d.one("C32", "f32"),
            "rate_hz": 48e3,
            "sensitivity": d.one(1.0, d.real(-1e5, 1e5)),
            "amplitude": d.one(1.0, d.real(-9, 9)),
        },
        [d.ordinary("f32")],
    ),
    within=lambda p, x: 1e-6 * abs(p.amplitude),
    tags="keep",
)
def vco(p, x):
    y = p.amplitude * np.exp(1j * delayed(np.cumsum(p.sensitivity / p.rate_hz * x.astype("f8")), 1))
    return y if p.item == "C32" else y.real


@define(
    "dpll",
    source="GNU Radio 3.10, gr-analog, dpll_bb",
    draw=lambda d: Case(
        {"period": d.one(10.0, d.real(1, 60)), "gain": d.one(0.1, d.real(0, 1))},
        [(d.random.random(d.length()) < d.one(0.01, 0.1)).astype("u1")],
    ),
)
def dpll(p, x):
    """A phase that each pulse pulls to the nearer end; after three ones without a pulse it stops."""
    y, phase, ones, limit = np.zeros(len(x), "u1"), 0.0, 3, 1 - 0.5 / p.period
    for n, pulse in enumerate(x):
        if ones < 3:
            phase += 1 / p.period
        if pulse == 1:
            if ones >= 3:
                phase = 1.0
            else:
                phase += p.gain * (1 - phase) if phase > 0.5 else -p.gain * phase
            ones = 0
        if phase > limit:
            y[n], phase, ones = 1, phase - 1, ones + 1
    return y


def emphasis(d: Draw) -> dict:
    return {"rate_hz": d.one(48e3, 192e3, d.real(8e3, 5e5)), "tau_s": d.one(75e-6, 50e-6, d.real(1e-5, 1e-3))}


def bilinear_bound(p, x):
    return 64 * EPS * np.abs(x).max(initial=0) * np.ones(len(x))


@define(
    "fm_deemph",
    source="L. B. Jackson, Digital Filters and Signal Processing (2nd ed.), 8: one pole at 1 / tau by the bilinear "
    "transform, its corner in the right place",
    draw=lambda d: Case(emphasis(d), [d.ordinary("f32")]),
    within=bilinear_bound,
)
def fm_deemph(p, x):
    w = math.tan(1 / (2 * p.tau_s * p.rate_hz))
    return difference_equation(np.array([1, 1]) * w / (1 + w), [0, (1 - w) / (1 + w)], x)


@define(
    "fm_preemph",
    source="L. W. Couch, Digital and Analog Communication Systems, figure 5-15: a zero at 1 / tau and a pole at high_hz by "
    "the bilinear transform, both corners in the right place, gain 1 at 0 Hz",
    draw=lambda d: (lambda given: Case({**given, "high_hz": d.one(-1.0, given["rate_hz"] * 0.3)}, [d.ordinary("f32")]))(
        emphasis(d)
    ),
    within=lambda p, x: (
        64 * EPS * np.abs(x).max(initial=0) * sum(np.abs(preemphasis(p)[0])) / (1 - abs(preemphasis(p)[1]))
    ),
)
def fm_preemph(p, x):
    forward, back = preemphasis(p)
    return difference_equation(forward, [0, back], x)


def preemphasis(p):
    """(s + z) / (s + h), by s = (1 − z⁻¹) / (1 + z⁻¹) with warped corners, scaled to 1 at 0 Hz."""
    high = p.high_hz if 0 < p.high_hz < p.rate_hz / 2 else 0.925 * p.rate_hz / 2
    low, high = math.tan(1 / (2 * p.tau_s * p.rate_hz)), math.tan(math.pi * high / p.rate_hz)
    forward = np.array([1 + low, low - 1]) / (1 + high) * high / low
    return forward, -(high - 1) / (1 + high)


def carrier(d: Draw):
    """A carrier that drifts, with some noise."""
    count = d.length()
    phase = d.random.uniform(-3, 3) + np.cumsum(d.random.uniform(-0.3, 0.3) + 0.02 * np.sin(np.arange(count) / 90))
    return (
        d.one(1.0, 0.1, 30.0)
        * (np.exp(1j * phase) + 0.05 * (d.random.normal(size=count) + 1j * d.random.normal(size=count)))
    ).astype("c8")


def loop_case(d: Draw) -> Case:
    return Case(
        {
            "loop_bandwidth_rad": d.one(0.0628, d.real(0.005, 0.3)),
            "max_frequency_rad": d.one(1.0, 0.2),
            "min_frequency_rad": d.one(-1.0, -0.1),
        },
        [carrier(d)],
    )


def wrapped(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


def followed(p, x):
    """Phase and frequency before each sample of a loop of second order: F. M. Gardner, Phaselock Techniques, 4; damping 1 / √2."""
    w, damping = p.loop_bandwidth_rad, math.sqrt(0.5)
    scale = 1 + 2 * damping * w + w * w
    alpha, beta = 4 * damping * w / scale, 4 * w * w / scale
    phases, frequencies, phase, frequency = [], [], 0.0, 0.0
    for angle in np.angle(x.astype("c16")):
        phases.append(phase)
        frequencies.append(frequency)
        error = wrapped(angle - phase)
        frequency += beta * error
        phase += frequency + alpha * error
        frequency = min(max(frequency, p.min_frequency_rad), p.max_frequency_rad)
    return np.array(phases), np.array(frequencies)


@define(
    "pll_carriertracking",
    source=ANALOG + "pll_carriertracking_cc",
    draw=loop_case,
    within=lambda p, x: 2e-5 * np.abs(x),
    tags="keep",
)
def pll_carriertracking(p, x):
    return x * np.exp(-1j * followed(p, x)[0])


@define("pll_freqdet", source=ANALOG + "pll_freqdet_cf", draw=loop_case, within=lambda p, x: 2e-5, tags="keep")
def pll_freqdet(p, x):
    return followed(p, x)[1]


@define("pll_refout", source=ANALOG + "pll_refout_cc", draw=loop_case, within=lambda p, x: 2e-5, tags="keep")
def pll_refout(p, x):
    return np.exp(1j * followed(p, x)[0])


@define(
    "quadrature_demod",
    source=ANALOG + "quadrature_demod_cf",
    draw=lambda d: Case({"gain": d.one(1.0, d.gain())}, [d.ordinary("C32", scale=d.one(1.0, 1e-6, 1e6))]),
    within=lambda p, x: quadrature_bound(p, x),
    tags="keep",
)
def quadrature_demod(p, x):
    return p.gain * np.angle(x * np.conj(delayed(x, 1)))


def quadrature_bound(p, x):
    """10⁻⁶, or a whole turn where an angle is about half of one."""
    angle = np.abs(np.angle(x * np.conj(delayed(x, 1))))
    return abs(p.gain) * np.where(np.pi - angle < 2e-6, 2 * np.pi + 1e-6, 1.2e-6)


@define(
    "am_demod",
    source="a one-pole high-pass of the magnitude, with the matched pole exp(−2π f / rate); its mean begins with the first",
    draw=lambda d: Case(
        {"rate_hz": 48e3, "cutoff_hz": d.one(0.0, 20.0, d.real(0, 20e3))}, [d.ordinary("C32", scale=d.one(1.0, 1e-3))]
    ),
    within=lambda p, x: 16 * EPS * np.abs(x).max(initial=0),
    tags="keep",
)
def am_demod(p, x):
    part, envelope = 1 - math.exp(-2 * math.pi * p.cutoff_hz / p.rate_hz), np.abs(x.astype("c16"))
    mean, y = envelope[0] if len(x) else 0.0, np.zeros(len(x))
    for n, level in enumerate(envelope):
        mean += part * (level - mean)
        y[n] = level - mean
    return y
