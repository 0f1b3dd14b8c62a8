"""Symbols: tables, constellations, differential coding, scramblers; gr-digital of GNU Radio 3.10."""

from __future__ import annotations

import math

import numpy as np

from .draw import DTYPES, Draw, pairs
from .driver import EPS, Case, Near, Result, define
from .filters import delayed

DIGITAL = "GNU Radio 3.10, gr-digital, "


def table_case(d: Draw) -> Case:
    item, output, dimension, symbols = d.one("u8", "i16", "i32"), d.one("C32", "f32"), d.few(1, 5), d.few(1, 40)
    table = d.items(output, symbols * dimension)
    x = d.one(d.random.integers(0, symbols, d.length()), d.random.integers(0, 127, d.length())).astype(DTYPES[item])
    return Case(
        {
            "item": item,
            "out_item": output,
            "symbols": pairs(table) if output == "C32" else table.tolist(),
            "dimension": dimension,
        },
        [x],
    )


@define(
    "chunks_to_symbols",
    source=DIGITAL + "chunks_to_symbols_XX; zeros for what the table does not have",
    draw=table_case,
)
def chunks_to_symbols(p, x):
    numbers = [complex(*symbol) for symbol in p.symbols] if p.out_item == "C32" else p.symbols
    table = np.array(numbers, DTYPES[p.out_item]).reshape(-1, p.dimension)
    return np.array([table[k] if 0 <= k < len(table) else 0 * table[0] for k in x], table.dtype).ravel()


@define(
    "map",
    source=DIGITAL + "map_bb",
    draw=lambda d: Case({"map": d.items("u8", d.few(0, 256)).tolist()}, [d.items("u8")]),
    tags="keep",
)
def map_(p, x):
    return np.array([p.map[k] if k < len(p.map) else k for k in x], "u1")


@define(
    "binary_slicer",
    source=DIGITAL + "binary_slicer_fb",
    draw=lambda d: Case({}, [d.items("f32", special=True)]),
    tags="keep",
)
def binary_slicer(p, x):
    return (x >= 0).astype("u1")


def differential(d: Draw) -> Case:
    modulus = d.one(2, d.whole(2, 256))
    coding = d.one("differential", "nrzi") if modulus == 2 else "differential"
    return Case({"modulus": modulus, "coding": coding}, [d.random.integers(0, modulus, d.length()).astype("u1")])


@define("diff_encoder", source=DIGITAL + "diff_encoder_bb", draw=differential)
def diff_encoder(p, x):
    y, last = [], 0
    for symbol in x:
        last = (last if symbol else 1 - last) if p.coding == "nrzi" else (int(symbol) + last) % p.modulus
        y.append(last)
    return np.array(y, "u1")


@define("diff_decoder", source=DIGITAL + "diff_decoder_bb, right for every modulus", draw=differential)
def diff_decoder(p, x):
    before = delayed(x, 1).astype(int)
    return (x == before).astype("u1") if p.coding == "nrzi" else ((x - before) % p.modulus).astype("u1")


@define(
    "diff_phasor",
    source=DIGITAL + "diff_phasor_cc",
    draw=lambda d: Case({}, [d.ordinary("C32")]),
    within=lambda p, x: 8 * EPS * np.abs(x) * np.abs(delayed(x, 1)),
)
def diff_phasor(p, x):
    return x * np.conj(delayed(x, 1))


# What GNU Radio's constellations of these names have, also the magnitude of 2 of its qpsk; labels are indices, but for dqpsk.
NAMED = {
    "bpsk": [-1, 1],
    "qpsk": np.array([-1 - 1j, 1 - 1j, -1 + 1j, 1 + 1j]) * math.sqrt(2),
    "dqpsk": np.array([1 + 1j, -1 + 1j, -1 - 1j, 1 - 1j]) * math.sqrt(2),
    "8psk": np.exp(1j * np.pi / 8 * np.array([1, 7, 15, 9, 3, 5, 13, 11])),
}
LABELS = {"dqpsk": [0, 1, 3, 2]}


def constellation(d: Draw, dimension: int = 1, soft: bool = False) -> object:
    """The name of one, or points of any kind with labels or without."""
    if dimension == 1 and d.random.random() < 0.5:
        return d.one(*NAMED)
    symbols = d.one(2, 4, 8, 16) if soft else d.few(2, 20)
    points = d.random.normal(size=symbols * dimension) + 1j * d.random.normal(size=symbols * dimension)
    labels = [int(k) for k in d.random.permutation(symbols)] if d.one(True, False) else []
    return {"points": pairs(points.astype("c8")), "pre_diff_code": labels, "dimension": dimension}


def points_of(p):
    if isinstance(p.constellation, str):
        return np.array(NAMED[p.constellation], "c16").reshape(-1, 1)
    points = np.array([complex(*point) for point in p.constellation["points"]])
    return points.reshape(-1, p.constellation["dimension"])


def labels_of(p):
    given = LABELS.get(p.constellation, []) if isinstance(p.constellation, str) else p.constellation["pre_diff_code"]
    return np.array(given or range(len(points_of(p))))


def constellation_case(dimensions=(1,), soft=False):
    def draw(d: Draw) -> Case:
        return Case({"constellation": constellation(d, d.one(*dimensions), soft)}, [d.ordinary("C32", d.length(800))])

    return draw


def distances(p, x):
    """From each symbol's samples to each symbol's points."""
    points = points_of(p)
    rows = x[: len(x) // points.shape[1] * points.shape[1]].reshape(-1, 1, points.shape[1]).astype("c16")
    return np.sqrt((np.abs(rows - points) ** 2).sum(axis=2))


def undecided(p, x):
    """Where the two nearest symbols are as near to single precision."""
    ordered = np.sort(distances(p, x), axis=1)
    return (ordered[:, 1] - ordered[:, 0] < 1e-5) if ordered.shape[1] > 1 else np.zeros(len(ordered), bool)


@define(
    "constellation_decoder",
    source=DIGITAL + "constellation_decoder_cb: the nearest point",
    draw=constellation_case((1, 1, 2, 3)),
    within=lambda p, x: np.where(undecided(p, x), 256.0, 0.0),
)
def constellation_decoder(p, x):
    return distances(p, x).argmin(axis=1).astype("u1")


@define(
    "constellation_encoder",
    source=DIGITAL + "constellation_encoder_bc",
    draw=lambda d: Case(
        {"constellation": constellation(d, d.one(1, 1, 2))}, [d.random.integers(0, 30, d.length()).astype("u1")]
    ),
    within=4 * EPS,
)
def constellation_encoder(p, x):
    points = points_of(p)
    return np.array([points[k] if k < len(points) else 0 * points[0] for k in x], "c16").ravel()


def bits_per_symbol(p):
    return int(math.log2(len(points_of(p))))


@define(
    "constellation_soft_decoder",
    source=DIGITAL
    + "constellation_soft_decoder_cf: ln Σ exp(−distance) of the points with a one less that of the others",
    draw=constellation_case(soft=True),
    within=lambda p, x: 1e-5 * (1 + np.repeat(np.abs(x.astype("c16")), bits_per_symbol(p))),
)
def constellation_soft_decoder(p, x):
    weights, labels, bits = np.exp(-distances(p, x)), labels_of(p), bits_per_symbol(p)
    ones = [(labels >> (bits - 1 - k) & 1).astype(bool) for k in range(bits)]
    return np.stack(
        [np.log(weights[:, one].sum(axis=1)) - np.log(weights[:, ~one].sum(axis=1)) for one in ones], axis=1
    ).ravel()


@define(
    "meas_evm",
    source="ETSI TR 101 290, error vector magnitude, of each symbol for itself",
    draw=lambda d: (lambda case: Case({**case.params, "unit": d.one("percent", "db")}, case.inputs))(
        constellation_case()(d)
    ),
    within=lambda p, x: 3e-5 * (1 + np.abs(meas_evm(p, x))) + 1e-4 * (meas_evm(p, x) < -40) * np.abs(meas_evm(p, x)),
)
def meas_evm(p, x):
    error = distances(p, x).min(axis=1) / math.sqrt(np.mean(np.abs(points_of(p)) ** 2))
    return 100 * error if p.unit == "percent" else 20 * np.log10(error)


def psk(d: Draw):
    """A PSK signal in noise, one sample a symbol."""
    count = d.length()
    signal = np.exp(2j * np.pi * d.random.integers(0, 4, count) / 4)
    return (
        d.one(1.0, 0.1, 9.0)
        * (signal + d.real(0.03, 0.5) * (d.random.normal(size=count) + 1j * d.random.normal(size=count)))
    ).astype("c8")


def running(values, alpha):
    """Running means that begin with the first value: the weight of the n-th is alpha / (1 − (1 − alpha)ⁿ)."""
    means, mean = np.zeros(len(values)), 0.0
    for n, value in enumerate(values):
        weight = alpha / -math.expm1((n + 1) * math.log1p(-alpha)) if 0 < alpha < 1 else alpha or 1 / (n + 1)
        mean += weight * (value - mean)
        means[n] = mean
    return means


def snr(p, x):
    """Signal and noise after each sample: D. Pauluzzi, N. Beaulieu, IEEE Trans. Comm. 48, 2000."""
    level = np.abs(x.astype("c16"))
    mean, second, fourth = (running(level**k, p.alpha) for k in (1, 2, 4))
    if p.estimator == "simple":
        return mean**2, 2 * (second - mean**2)
    if p.estimator == "m2m4":
        signal = np.sqrt(np.maximum(2 * second**2 - fourth, 0))
        return signal, second - signal
    pair = running((level * delayed(level, 1))[1:] ** 2, p.alpha)
    pair = np.concatenate([np.zeros(min(1, len(x))), pair])
    ratio = pair / (fourth - pair)
    return ratio - 1 + np.sqrt(np.maximum(ratio * (ratio - 1), 0)), np.ones(len(x))


def estimated(d: Draw) -> Case:
    return Case({"estimator": d.one("simple", "m2m4"), "alpha": d.one(0.001, d.real(0.001, 0.2))}, [psk(d)])


@define(
    "mpsk_snr_est",
    source=DIGITAL + "mpsk_snr_est_cc; D. Pauluzzi, N. Beaulieu, IEEE Trans. Comm. 48, 2000",
    draw=lambda d: (lambda case: Case({**case.params, "tag_samples": d.one(0, 10, d.few(10, 500))}, case.inputs))(
        estimated(d)
    ),
)
def mpsk_snr_est(p, x):
    signal, noise = snr(p, x)
    places = range(p.tag_samples, len(x), p.tag_samples) if p.tag_samples else ()
    return Result([x], [[(n, "snr", decibels(signal[n - 1] / noise[n - 1])) for n in places]])


def decibels(ratio):
    """A level, compared within a thousandth of a decibel; an estimate of noise or signal near 0 is a difference of like numbers."""
    return Near(10 * math.log10(ratio) if ratio > 0 else math.nan, 1e-3 if 1e-3 < ratio < 1e3 else math.inf)


@define(
    "probe_mpsk_snr_est",
    source=DIGITAL + "probe_mpsk_snr_est_c; D. Pauluzzi, N. Beaulieu, IEEE Trans. Comm. 48, 2000",
    draw=estimated,
)
def probe_mpsk_snr_est(p, x):
    if len(x) < 20:
        return Result()
    signal, noise = (values[-1] for values in snr(p, x))
    return Result(
        shown={"snr_db": decibels(signal / noise), "signal_db": decibels(signal), "noise_db": decibels(noise)}
    )


def register_case(d: Draw) -> dict:
    length = d.one(7, d.whole(1, 40))
    return {
        "mask": d.one(0x8A, d.whole(0, 2**40 - 1)),
        "seed": d.one(0x7F, d.whole(0, 2 ** (length + 1) - 1)),
        "length": length,
    }


class Register:
    """Bits leave at the lowest place; the parity of those that the mask selects enters at place `length`."""

    def __init__(self, p):
        self.mask, self.length, self.state = p.mask, p.length, p.seed

    def next(self, entering=0):
        left = self.state & 1
        parity = (self.state & self.mask).bit_count() & 1 ^ entering
        self.state = self.state >> 1 | parity << self.length
        return left


@define(
    "scrambler",
    source=DIGITAL + "scrambler_bb and lfsr: next_bit_scramble",
    draw=lambda d: Case(register_case(d), [d.items("u8")]),
)
def scrambler(p, x):
    register = Register(p)
    return np.array([register.next(int(bit) & 1) for bit in x], "u1")


@define(
    "descrambler",
    source=DIGITAL + "descrambler_bb and lfsr: next_bit_descramble",
    draw=lambda d: Case(register_case(d), [d.items("u8")]),
)
def descrambler(p, x):
    y, state = [], p.seed
    for bit in x:
        y.append((state & p.mask).bit_count() & 1 ^ int(bit) & 1)
        state = state >> 1 | (int(bit) & 1) << p.length
    return np.array(y, "u1")


def changes(d: Draw) -> Case:
    return Case({"change": d.one("zero", "one")}, [d.items("u8")])


@define("nrzi_encode", source="ISO/IEC 13239, 4.2: the level changes with each zero; of USB and others with each one", draw=changes)
def nrzi_encode(p, x):
    y, level = [], 0
    for bit in x:
        level ^= int(bit) & 1 ^ (p.change == "zero")
        y.append(level)
    return np.array(y, "u1")


@define("nrzi_decode", source="ISO/IEC 13239, 4.2: a level that is that before it is a one; of USB and others a zero", draw=changes)
def nrzi_decode(p, x):
    levels = np.concatenate([[0], x & 1])
    return (levels[1:] ^ levels[:-1] ^ (p.change == "zero")).astype("u1")


@define("g3ruh_scrambler", source="J. Miller, 9600 baud packet radio modem design: 1 + x^12 + x^17", draw=lambda d: Case({}, [d.items("u8")]))
def g3ruh_scrambler(p, x):
    y = [0] * 17
    for bit in x:
        y.append(int(bit) & 1 ^ y[-12] ^ y[-17])
    # What comes out was in the register first: 17 bits later.
    return np.array(([0] * 17 + y[17:])[: len(x)], "u1")


@define("g3ruh_descrambler", source="J. Miller, as above", draw=lambda d: Case({}, [d.items("u8")]))
def g3ruh_descrambler(p, x):
    x = np.concatenate([np.zeros(17, "u1"), x & 1])
    return x[17:] ^ x[5:-12] ^ x[:-17]


def additive(d: Draw) -> Case:
    item, count = d.one("u8", "i16", "i32"), d.length()
    width = {"u8": 8, "i16": 16, "i32": 32}[item]
    params = {
        "item": item,
        **register_case(d),
        "reset_every": d.one(0, d.few(1, 200)),
        "bits_per_item": d.whole(1, width),
        "reset_tag": d.one("", "a"),
    }
    return Case(params, [d.items(item, count)], [d.tags(count)])


@define(
    "additive_scrambler",
    source=DIGITAL + "additive_scrambler_XX: the first bit of the sequence flips the lowest of an item",
    draw=additive,
)
def additive_scrambler(p, x, tags):
    register, y = Register(p), []
    resets = {index for index, key, _ in tags[0] if key == p.reset_tag}
    for n, value in enumerate(x):
        if n in resets if p.reset_tag else p.reset_every and n % p.reset_every == 0:
            register = Register(p)
        flips = sum(register.next() << k for k in range(p.bits_per_item))
        y.append(int(value) ^ flips)
    return Result([np.array(y, "i8").astype(x.dtype)], tags)


def galois(degree, mask, seed):
    """The lowest bit leaves; if it is 1, the mask is added to what is left."""
    state = seed
    while True:
        bit = state & 1
        yield bit
        state = state >> 1 ^ (mask if bit else 0)


def galois_case(d: Draw) -> Case:
    degree = d.one(8, d.whole(1, 32))
    return Case(
        {
            "item": d.one("u8", "f32"),
            "degree": degree,
            "repeat": True,
            "mask": 1 << degree - 1 | d.whole(0, 2**degree - 1),
            "seed": d.whole(1, 2**degree - 1),
        },
        take=d.length(),
    )


@define("glfsr_source", source=DIGITAL + "glfsr_source_X; S. Golomb, Shift Register Sequences, 1967", draw=galois_case)
def glfsr_source(p, take):
    bits = np.array([bit for bit, _ in zip(galois(p.degree, p.mask, p.seed), range(take))], int)
    return bits.astype("u1") if p.item == "u8" else (2.0 * bits - 1).astype("f4")
