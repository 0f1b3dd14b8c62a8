"""Sources: periodic signals by their phases, and random numbers by their distributions."""

from __future__ import annotations

import math

import numpy as np

from .arithmetic import BLOCKS
from .draw import ALL, DTYPES, Draw, pairs
from .driver import EPS, Case, Result, define

ANALOG = "GNU Radio 3.10, gr-analog, "


def listed(d: Draw) -> Case:
    item, repeat = d.one("C32", "f32", "i32", "i16", "i8", "u8"), d.one(True, False)
    values = d.items(item, max(d.length(300), int(repeat)))
    given = pairs(values) if item == "C32" else values.tolist()
    tags = [{"index": index, "key": key, "value": value} for index, key, value in d.tags(len(values))]
    return Case({"item": item, "values": given, "repeat": repeat, "tags": tags}, take=d.length() if repeat else None)


@define("vector_source", source=BLOCKS + "vector_source_X, with its tags each time", draw=listed)
def vector_source(p, take):
    numbers = [complex(*value) for value in p.values] if p.item == "C32" else p.values
    values = np.array(numbers, DTYPES[p.item])
    count = len(values) if take is None else take
    tags = [
        (turn * len(values) + tag["index"], tag["key"], tag["value"])
        for turn in range(-(-count // max(len(values), 1)))
        for tag in p.tags
    ]
    return Result([np.resize(values, count) if count else values[:0]], [[tag for tag in tags if tag[0] < count]])


@define("null_source", source=BLOCKS + "null_source", draw=lambda d: Case({"item": d.one(*ALL)}, take=d.length()))
def null_source(p, take):
    return np.zeros((take, 2) if p.item[0] == "c" else take, DTYPES[p.item])


def wave(d: Draw) -> Case:
    item = d.one("C32", "f32", "i32", "i16", "i8", "u8")
    whole = item not in ("C32", "f32")
    amplitude = d.one(1.0, d.real(-100, 100)) if whole else d.one(1.0, d.gain())
    offset = float(d.whole(-20, 20)) if whole else d.one(0.0, d.gain())
    return Case(
        {
            "item": item,
            "waveform": d.one("constant", "sine", "cosine", "square", "triangle", "sawtooth"),
            "rate_hz": d.one(1.0, 48e3, d.real(1, 1e7)),
            "frequency_hz": d.one(0.0, 1e3, d.random.normal() * 1e4, -0.37),
            "amplitude": amplitude,
            "offset": [offset, d.gain()] if item == "C32" else offset,
            "phase_rad": d.one(0.0, d.random.uniform(-7, 7)),
        },
        take=d.length(),
    )


SHAPES = {
    "constant": lambda turns: np.ones(len(turns)),
    "cosine": lambda turns: np.cos(2 * np.pi * turns),
    "sine": lambda turns: np.sin(2 * np.pi * turns),
    "square": lambda turns: (turns >= 0.5).astype("f8"),
    "triangle": lambda turns: np.abs(1 - 2 * turns),
    "sawtooth": lambda turns: (turns + 0.5) % 1,
}


def phases(p, take):
    """The phase of each item in turns, from 0 to 1."""
    return (p.phase_rad / (2 * np.pi) + np.arange(take) * (p.frequency_hz / p.rate_hz)) % 1


def wave_bound(p, take):
    """Anything where a shape jumps, which a last digit of the phase decides; of whole numbers, one where cutting is as near."""
    turns = phases(p, take)
    jumps = p.waveform in ("square", "sawtooth") and np.abs((4 * turns + 0.5) % 1 - 0.5) < 1e-8
    if p.item in ("C32", "f32"):
        offset = np.abs(complex(*np.atleast_1d(p.offset)))
        return np.where(jumps, np.inf, 4e-7 * abs(p.amplitude) + 4 * EPS * (offset + abs(p.amplitude)))
    value = p.amplitude * SHAPES[p.waveform](turns)
    return np.where(jumps, np.inf, np.abs(value - np.rint(value)) < 1e-5 * (1 + abs(p.amplitude)))


@define(
    "signal_source",
    source=ANALOG + "sig_source_X: complex shapes have their imaginary part a quarter of a period later",
    draw=wave,
    within=wave_bound,
)
def signal_source(p, take):
    turns, shape = phases(p, take), SHAPES[p.waveform]
    if p.item != "C32":
        value = p.amplitude * shape(turns)
        return value + p.offset if p.item == "f32" else (np.trunc(value) + p.offset).astype("i8").astype(DTYPES[p.item])
    if p.waveform in ("sine", "cosine"):
        value = np.exp(2j * np.pi * turns)
    else:
        value = shape(turns) + 1j * (0 if p.waveform == "constant" else shape((turns - 0.25) % 1))
    return p.amplitude * value + complex(*p.offset)


def kolmogorov(values, distribution):
    """Whether values are of a distribution (Kolmogorov and Smirnov's test): it fails by chance once in 10⁷ times."""
    ordered = np.sort(values)
    if len(ordered) < 1000:
        return None
    below = np.searchsorted(ordered, ordered, side="right") / len(ordered)
    farthest = np.max(np.abs(below - distribution(ordered)))
    return f"the distribution is {farthest:.4f} off" if farthest > 2.9 / math.sqrt(len(ordered)) else None


def message(d: Draw):
    """A value of any kind that a message can have."""
    return d.one("tick", 7, -1.5, True, [1, "a"], {"frequency_hz": 1e6, "on": False})


@define(
    "message_strobe",
    source=BLOCKS + "message_strobe, the message itself; its times are those of the clock",
    draw=lambda d: Case({"message": message(d), "period_s": 1e-4}, take=d.whole(1, 4)),
)
def message_strobe(p, take):
    return Result(messages={"out": [p.message] * take})


@define(
    "message_burst",
    source=BLOCKS + "message_strobe, many at once, for each message that asks",
    draw=lambda d: Case(
        {"message": message(d), "count": d.few(1, 30)}, packets=[message(d) for _ in range(d.whole(1, 5))]
    ),
)
def message_burst(p, packets):
    return Result(messages={"out": [p.message] * (p.count * len(packets))})


DISTRIBUTIONS = {
    "uniform": lambda x: np.clip((x + 1) / 2, 0, 1),
    "gaussian": lambda x: np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in x]),
    "laplacian": lambda x: np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2),
}


def judge_noise(p, got):
    y = got.streams[0]
    scale = abs(p.amplitude) / (math.sqrt(2) if p.item == "C32" else 1)
    for part in (y.real, y.imag) if p.item == "C32" else (y,):
        x = part.astype("f8") / scale
        if p.distribution == "impulse":
            rate = np.mean(x != 0) * 580.8 if len(x) else 1.0
            if np.any((np.abs(x) > 0) & (np.abs(x) < 8.9)) or (len(x) > 4000 and not 0.1 < rate < 3):
                return f"impulses are {rate:.2f} times as frequent as they should be, the least {np.min(np.abs(x)[x != 0])}"
        elif wrong := kolmogorov(x, DISTRIBUTIONS[p.distribution]):
            return wrong
    if p.item == "C32" and len(y) > 1000 and abs(np.corrcoef(y.real, y.imag)[0, 1]) > 6 / math.sqrt(len(y)):
        return "the parts are not independent"
    return None


def noise(d: Draw) -> Case:
    item = d.one("C32", "f32", "i32", "i16")
    amplitude = d.one(1e3, 2e3) if item in ("i32", "i16") else d.one(1.0, 1e-9, d.real(0.1, 100))
    # Cut off towards 0, whole numbers around it are twice as frequent: the steps are small enough not to be noticed.
    distribution = "gaussian" if item in ("i32", "i16") else d.one("uniform", "gaussian", "laplacian", "impulse")
    return Case(
        {"item": item, "distribution": distribution, "amplitude": amplitude, "seed": d.whole(0, 2**31)},
        take=d.one(0, 1, 5000, 8000),
    )


@define("noise_source", source=ANALOG + "noise_source_X, its distributions", draw=noise, judge=judge_noise)
def noise_source(p, take):
    return Result([None])


@define(
    "fastnoise_source",
    source=ANALOG + "fastnoise_source_X, its distributions",
    draw=lambda d: (lambda case: Case({**case.params, "samples": 2**18}, take=case.take))(noise(d)),
    judge=judge_noise,
)
def fastnoise_source(p, take):
    return Result([None])


def uniform(d: Draw) -> Case:
    item = d.one("u8", "i8", "i16", "i32")
    info = np.iinfo(DTYPES[item])
    low, high = sorted(d.whole(info.min, info.max) for _ in range(2))
    low, high = d.one((low, high + 1), (max(low, high - d.whole(1, 9)), high + 1), (info.min, info.max + 1), (0, 2))
    return Case({"item": item, "minimum": low, "maximum": high, "seed": d.whole(0, 2**31)}, take=d.one(0, 1, 4000))


def judge_uniform(p, got):
    y = got.streams[0]
    if len(y) and not p.minimum <= y.min() <= y.max() < p.maximum:
        return f"numbers from {y.min()} to {y.max()}"
    span = p.maximum - p.minimum
    return kolmogorov(y.astype("f8"), lambda x: (x - p.minimum + 1) / span)


@define(
    "random_uniform_source",
    source=ANALOG + "random_uniform_source_X: minimum to maximum − 1",
    draw=uniform,
    judge=judge_uniform,
)
def random_uniform_source(p, take):
    return Result([None])
