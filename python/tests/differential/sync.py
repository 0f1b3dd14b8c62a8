"""Loops that follow carriers and clocks, sample by sample in double precision."""

from __future__ import annotations

import math

import numpy as np

from .draw import Draw
from .driver import Angles, Case, define
from .filters import MMSE
from .symbols import DIGITAL, points_of

GARDNER = "F. Gardner, Phaselock Techniques, 3rd ed., 2005, loops of second order"


class Loop:
    """f += β e, φ += f + α e, the frequency held within its limits: damping 1 / √2."""

    def __init__(self, bandwidth, low, high):
        damping = math.sqrt(0.5)
        scale = 1 + 2 * damping * bandwidth + bandwidth**2
        self.alpha, self.beta = 4 * damping * bandwidth / scale, 4 * bandwidth**2 / scale
        self.low, self.high, self.phase, self.frequency = low, high, 0.0, 0.0

    def advance(self, error):
        self.frequency += self.beta * error
        self.phase += self.frequency + self.alpha * error
        self.phase = math.remainder(self.phase, 2 * math.pi)
        self.frequency = min(max(self.frequency, self.low), self.high)


def psk(d: Draw, order: int, count: int | None = None):
    """Symbols of a PSK signal, points where the loops want them, turned a little and in noise."""
    count = d.length(800) if count is None else count
    symbols = np.exp(2j * np.pi * (d.random.integers(0, order, count) / order + (0 if order == 2 else 0.5 / order)))
    turned = symbols * np.exp(1j * (0.3 + 0.01 * d.random.normal() * np.arange(count)))
    return (turned + 0.05 * (d.random.normal(size=count) + 1j * d.random.normal(size=count))).astype("c8")


def costas_case(d: Draw) -> Case:
    order = d.one(2, 4, 8)
    return Case(
        {"loop_bandwidth_rad": d.one(0.0628, d.real(0.005, 0.1)), "order": order, "use_snr": d.one(True, False)},
        [psk(d, order)],
    )


@define(
    "costas_loop",
    source=DIGITAL + "costas_loop_cc; " + GARDNER,
    draw=costas_case,
    within=lambda p, x: (5e-4, 2e-4, 2e-3, 5e-4),
)
def costas_loop(p, x):
    loop, y, frequency, phase, errors = Loop(p.loop_bandwidth_rad, -1.0, 1.0), [], [], [], []
    for value in x.astype("c16"):
        turned = value * np.exp(-1j * loop.phase)
        weight = abs(turned) ** 2
        sign = (lambda part: math.tanh(weight * part)) if p.use_snr else (lambda part: 1.0 if part > 0 else -1.0)
        re, im, k = turned.real, turned.imag, math.sqrt(2) - 1
        if p.order == 2:
            error = (sign(re) if p.use_snr else re) * im
        elif p.order == 4:
            error = sign(re) * im - sign(im) * re
        elif abs(re) >= abs(im):
            error = sign(re) * im - sign(im) * re * k
        else:
            error = sign(re) * im * k - sign(im) * re
        error = min(max(error, -1.0), 1.0)
        loop.advance(error)
        y.append(turned)
        frequency.append(loop.frequency)
        phase.append(loop.phase)
        errors.append(error)
    return np.array(y, "c16"), np.array(frequency), Angles(phase), np.array(errors)


def receiver_case(d: Draw) -> Case:
    name = d.one("bpsk", "qpsk", "8psk")
    order = {"bpsk": 2, "qpsk": 4, "8psk": 8}[name]
    level = 2.0 if name == "qpsk" else 1.0
    return Case({"constellation": name, "loop_bandwidth_rad": d.real(0.005, 0.1)}, [(level * psk(d, order)).astype("c8")])


@define(
    "constellation_receiver",
    source=DIGITAL + "constellation_receiver_cb; " + GARDNER,
    draw=receiver_case,
    within=lambda p, x: (0.0, 5e-4, 5e-4, 2e-4, 1e-3),
)
def constellation_receiver(p, x):
    points, loop = points_of(p)[:, 0], Loop(p.loop_bandwidth_rad, p.min_frequency_rad, p.max_frequency_rad)
    symbols, errors, phases, frequencies, samples = [], [], [], [], []
    for value in x.astype("c16"):
        turned = value * np.exp(1j * loop.phase)
        symbol = int(np.abs(turned - points).argmin())
        error = -float(np.angle(turned * np.conj(points[symbol])))
        loop.advance(error)
        symbols.append(symbol)
        errors.append(error)
        phases.append(loop.phase)
        frequencies.append(loop.frequency)
        samples.append(turned)
    return np.array(symbols, "u1"), np.array(errors), Angles(phases), np.array(frequencies), np.array(samples, "c16")


def equalizer_case(d: Draw) -> Case:
    sps = d.one(1, 2, d.whole(1, 4))
    count = d.length(600)
    x = (
        np.convolve(np.repeat(psk(d, 2, count // sps + 1), sps)[:count], [1, 0.1, -0.05])[:count]
        if count
        else np.zeros(0)
    )
    algorithm = d.one("lms", "nlms", "cma")
    return Case(
        {
            "constellation": "bpsk",
            "taps": d.whole(1, 12),
            "samples_per_symbol": sps,
            "algorithm": algorithm,
            "step": d.real(0.001, 0.05),
            "modulus": d.one(1.0, 2.0),
        },
        [x.astype("c8")],
    )


@define(
    "linear_equalizer",
    source="S. Haykin, Adaptive Filter Theory, 5 to 7; D. Godard, IEEE Trans. Comm. 28, 1980",
    draw=equalizer_case,
    within=lambda p, x: equalizer_bound(p, x),
)
def linear_equalizer(p, x):
    return equalize(p, x)[:2]


def equalizer_bound(p, x):
    """Roundings; anything behind a symbol that was nearly as near to another point, or where the taps run away."""
    y, error, near = equalize(p, x)
    near = np.where(np.abs(y) < 10, near, 0)
    doubt = (
        np.concatenate([[0.0], np.maximum.accumulate((near < 1e-4).astype("f8"))])[: len(y)] if len(y) else np.zeros(0)
    )
    return np.where(doubt > 0, np.inf, 2e-4 * (1 + np.abs(y))), np.where(doubt > 0, np.inf, 2e-3 * (1 + error))


def equalize(p, x):
    points, w = points_of(p)[:, 0], np.zeros(p.taps, "c16")
    w[0] = 1
    padded = np.concatenate([np.zeros(p.taps - 1), x.astype("c16")])
    y, errors, near = [], [], []
    for n in range(0, len(x), p.samples_per_symbol):
        window = padded[n : n + p.taps][::-1]
        symbol = w @ window
        distances = np.sort(np.abs(symbol - points))
        decision = points[np.abs(symbol - points).argmin()]
        if p.algorithm == "cma":
            error = symbol * (abs(symbol) ** 2 - p.modulus)
            w = w - p.step * error * np.conj(window)
        else:
            error = decision - symbol
            step = p.step if p.algorithm == "lms" else p.step / max((np.abs(window) ** 2).sum(), 1e-30)
            w = w + step * error * np.conj(window)
        y.append(symbol)
        errors.append(abs(error) ** 2)
        near.append(distances[1] - distances[0] if p.algorithm != "cma" else 1.0)
    return np.array(y, "c16"), np.array(errors), np.array(near)


def shaped_psk(d: Draw, sps: float, count: int):
    """A QPSK signal of raised cosines, off in frequency."""
    times = np.arange(count) / sps
    y = np.zeros(count, "c16")
    for k in range(int(count / sps) + 8):
        t = times - k + 2.3
        y += (
            np.exp(2j * np.pi * d.whole(0, 3) / 4)
            * np.sinc(t)
            * np.cos(0.35 * np.pi * t)
            / np.where(np.abs(1 - (0.7 * t) ** 2) < 1e-6, np.inf, 1 - (0.7 * t) ** 2)
        )
    return (y * np.exp(1j * d.real(-0.1, 0.1) * np.arange(count))).astype("c8")


def edge_case(d: Draw) -> Case:
    sps = d.one(2.0, 4.0, d.real(1.5, 6))
    return Case(
        {
            "samples_per_symbol": sps,
            "rolloff": d.one(0.35, d.real(0.1, 0.9)),
            "taps": d.one(44, d.whole(8, 60)),
            "loop_bandwidth_rad": d.real(0.005, 0.08),
        },
        [shaped_psk(d, sps, d.length(500))],
    )


def band_edges(p):
    """The filter of the upper edge: two sincs, which are half a sine in frequency, moved up by (1 + roll-off) / 2 of the
    symbol rate."""
    t = (np.arange(p.taps) - (p.taps - 1) / 2) / p.samples_per_symbol
    taps = np.sinc(2 * p.rolloff * t - 0.5) + np.sinc(2 * p.rolloff * t + 0.5)
    return taps / taps.sum() * np.exp(1j * np.pi * (1 + p.rolloff) * t)


@define(
    "fll_band_edge",
    source=DIGITAL + "fll_band_edge_cc; f. harris, Band Edge Filters, 2010",
    draw=edge_case,
    within=lambda p, x: (2e-3, 5e-4, 5e-3, 5e-3),
)
def fll_band_edge(p, x):
    upper, limit = band_edges(p), 2 * math.pi * 2 / p.samples_per_symbol
    loop, window = Loop(p.loop_bandwidth_rad, -limit, limit), np.zeros(p.taps, "c16")
    y, frequency, phase, errors = [], [], [], []
    for value in x.astype("c16"):
        turned = value * np.exp(1j * loop.phase)
        window = np.concatenate([window[1:], [turned]])
        above, below = (abs(taps @ window[::-1]) ** 2 for taps in (upper, np.conj(upper)))
        loop.advance(below - above)
        y.append(turned)
        frequency.append(loop.frequency)
        phase.append(loop.phase)
        errors.append(below - above)
    return np.array(y, "c16"), np.array(frequency), Angles(phase), np.array(errors)


def pulses(d: Draw, item: str, sps: float):
    """Symbols ±1 as raised cosines, at nearly `sps` samples each, with little noise."""
    count, y = d.length(900), 0.0
    times = (np.arange(count) + d.real(0, 1) * sps) / (sps * (1 + d.real(-0.003, 0.003)))
    for part in (1, 1j)[: 1 + (item == "C32")]:
        signs = d.random.choice([-1.0, 1.0], int(count / sps) + 12)
        own = np.zeros(count)
        for k, sign in enumerate(signs):
            t = times - k + 4
            own += sign * np.sinc(t) * np.cos(0.5 * np.pi * t) / np.where(np.abs(1 - t**2) < 1e-9, np.inf, 1 - t**2)
        y = y + part * own
    noise = 0.01 * d.ordinary(item, count)
    return (np.zeros(count) + y + noise).astype(noise.dtype)


def interpolated(window, mu):
    """The value `mu` behind the middle of 8 samples, by the nearest of 128 filters."""
    return MMSE[int(math.floor(mu * 128 + 0.5))] @ window


def clock_case(d: Draw) -> Case:
    item, sps = d.one("C32", "f32"), d.real(2.2, 8)
    gain = d.real(0.02, 0.15)
    return Case(
        {
            "item": item,
            "samples_per_symbol": sps,
            "gain_omega": gain**2 / 4,
            "mu": d.real(0, 0.9),
            "gain_mu": gain,
            "relative_limit": d.one(0.005, 0.02),
        },
        [pulses(d, item, sps)],
    )


def clock_bound(p, x):
    return 0.06, 0.25


@define(
    "clock_recovery_mm",
    source=DIGITAL + "clock_recovery_mm_XX; K. Mueller, M. Müller, IEEE Trans. Comm. 24, 1976",
    draw=clock_case,
    within=clock_bound,
    open_end=1,
)
def clock_recovery_mm(p, x):
    is_real = x.dtype.kind == "f"
    wide = np.concatenate([np.zeros(0 if is_real else 2), x.astype("f8" if is_real else "c16")])
    omega, at, mu, y, errors = p.samples_per_symbol, 0, p.mu, [], []
    before, decided = [0.0, 0.0], [0.0, 0.0]
    while at + 8 <= len(wide):
        value = interpolated(wide[at : at + 8], mu)
        if is_real:
            decision = 1.0 if value >= 0 else -1.0
            error = (1.0 if before[0] >= 0 else -1.0) * value - decision * before[0]
        else:
            decision = (value.real > 0) + 1j * (value.imag > 0)
            error = ((value - before[1]) * np.conj(decided[0]) - (decision - decided[1]) * np.conj(before[0])).real
            error = min(max(error, -1.0), 1.0)
        before, decided = [value, before[0]], [decision, decided[0]]
        y.append(value)
        errors.append(error)
        limit = p.relative_limit * p.samples_per_symbol
        omega = p.samples_per_symbol + min(max(omega + p.gain_omega * error - p.samples_per_symbol, -limit), limit)
        step = mu + omega + p.gain_mu * error
        at, mu = at + math.floor(step), step - math.floor(step)
    return np.array(y, wide.dtype), np.array(errors)


def symbol_case(d: Draw) -> Case:
    item, sps = d.one("C32", "f32"), d.real(2.5, 8)
    detector = d.one("mueller_and_muller", "zero_crossing", "gardner")
    return Case(
        {
            "item": item,
            "detector": detector,
            "samples_per_symbol": sps,
            "loop_bandwidth_rad": d.real(0.01, 0.08),
            "damping": d.one(1.0, d.real(0.6, 1.6)),
            "max_deviation": sps / 4,
        },
        [pulses(d, item, sps)],
    )


@define(
    "symbol_sync",
    source=DIGITAL + "symbol_sync_XX; M. Rice, Digital Communications: A Discrete-Time Approach, 2009, 8.4",
    draw=symbol_case,
    within=lambda p, x: (0.06, 0.25, 0.1, 0.05),
    open_end=1,
)
def symbol_sync(p, x):
    """The error moves the mean period and the next step; detectors that look between symbols look at the middle of a step."""
    wide, is_real = x.astype("f8" if x.dtype.kind == "f" else "c16"), x.dtype.kind == "f"
    zeta, w = p.damping, p.loop_bandwidth_rad
    turn = math.cos(w * math.sqrt(1 - zeta**2)) if zeta <= 1 else math.cosh(w * math.sqrt(zeta**2 - 1))
    alpha = 2 / p.detector_gain * math.exp(-zeta * w) * math.sinh(zeta * w)
    beta = 2 / p.detector_gain * (1 - math.exp(-zeta * w) * (math.sinh(zeta * w) + turn))
    place, mean, last, previous, last_decision = 0.0, p.samples_per_symbol, None, 0.0, 0.0
    y, errors, periods, means = [], [], [], []

    def value(place):
        at = math.floor(place)
        return interpolated(wide[at : at + 8], place - at)

    def real_product(a, b):
        return (a * np.conj(b)).real

    step = p.samples_per_symbol
    while place + 8 <= len(wide):
        symbol = value(place)
        decision = 1.0 if symbol.real >= 0 else -1.0
        middle = value(place - step / 2) if y else 0.0
        if p.detector == "mueller_and_muller":
            error = real_product(last_decision, symbol) - real_product(decision, previous)
        elif p.detector == "zero_crossing":
            error = real_product(last_decision - decision, middle)
        else:
            error = real_product(previous - symbol, middle)
        mean = min(
            max(mean + beta * error, p.samples_per_symbol - p.max_deviation), p.samples_per_symbol + p.max_deviation
        )
        step = mean + alpha * error
        y.append(symbol)
        errors.append(error)
        periods.append(step)
        means.append(mean)
        previous, last_decision = symbol, decision
        place += step
    return np.array(y, wide.dtype), np.array(errors), np.array(periods), np.array(means)


def matched(sps: float, filters: int):
    """Raised cosines at `filters` times the sample rate, seven symbols long; the peak is 1."""
    t = np.arange(-3.5 * sps * filters, 3.5 * sps * filters) / (sps * filters)
    wide = np.cos(0.5 * np.pi * t) / np.where(np.abs(1 - t**2) < 1e-9, np.inf, 1 - t**2) * np.sinc(t)
    return [float(tap) for tap in wide.astype("f4")]


def filter_clock_case(d: Draw) -> Case:
    item, sps, filters = d.one("C32", "f32"), d.one(2.0, 4.0, d.real(2.2, 6)), d.one(32, 64)
    params = {
        "samples_per_symbol": sps,
        "loop_bandwidth_rad": d.real(0.005, 0.03),
        "taps": matched(sps, filters),
        "filters": filters,
        "init_phase": d.one(0.0, filters / 2),
    }
    return Case({"item": item, **params}, [pulses(d, item, sps)])


@define(
    "pfb_clock_sync",
    source=DIGITAL + "pfb_clock_sync_XXX; f. harris, M. Rice, IEEE JSAC 19, 2001",
    draw=filter_clock_case,
    within=lambda p, x: filter_bound(p, x),
    open_end=1,
)
def pfb_clock_sync(p, x):
    """The place counts filters between two samples, the one below is taken; the error is the product of output and slope. The loop goes
    once for each whole sample of a symbol."""
    taps, count, is_real = np.array(p.taps), p.filters, x.dtype.kind == "f"
    width = -(-len(taps) // count)
    taps = np.concatenate([taps, np.zeros((width + 1) * count - len(taps))])
    steps = np.abs(np.array(p.taps)[2:] - np.array(p.taps)[:-2]).sum()
    slopes = (np.concatenate([taps[1:], [0]]) - np.concatenate([[0], taps[:-1]])) * count / steps
    rounds, error = math.floor(p.samples_per_symbol), 0.0
    zeta, b = 2 * count, p.loop_bandwidth_rad
    scale = 1 + 2 * zeta * b + b * b
    alpha, beta = 4 * zeta * b / scale, 4 * b * b / scale
    at, place, rate, y, errors, rates, phases = 0, p.init_phase, 0.0, [], [], [], []
    wide = x.astype("f8" if is_real else "c16")
    while True:
        at, place = at + math.floor(place / count), place % count
        if at + width > len(wide):
            return np.array(y, wide.dtype), np.array(errors), np.array(rates), np.array(phases)
        window, filter_number = wide[at : at + width][::-1], math.floor(place)
        errors.append(error)
        rates.append(rate)
        phases.append(place)
        value, slope = (row[filter_number : filter_number + width * count : count] @ window for row in (taps, slopes))
        error = value * slope if is_real else (value.real * slope.real + value.imag * slope.imag) / 2
        y.append(value)
        for _ in range(rounds):
            rate += beta * error
            place += rate + alpha * error
        rate = min(max(rate, -p.max_deviation), p.max_deviation)
        place += p.samples_per_symbol * count


def filter_bound(p, x):
    """Single precision; anything behind an output that lies nearly at the edge of a filter: the loop goes another way there. It begins
    at one, exactly."""
    phases, gain = pfb_clock_sync(p, x)[3], np.abs(np.array(p.taps)).sum() / p.filters
    edge = np.abs((phases + 0.5) % 1 - 0.5)
    doubt = np.maximum.accumulate((edge < 3e-3) & (edge > 0)) if len(phases) else np.zeros(0, bool)
    return tuple(np.where(doubt, np.inf, bound) for bound in (2e-3 * gain, 2e-2 * gain**2, 1e-3, 5e-3))
