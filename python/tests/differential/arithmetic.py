"""Arithmetic, item by item: what GNU Radio's gr-blocks and gr-analog document, in plain numpy.

Sums and products of whole numbers wrap, as those of numpy's arrays do.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from .draw import ARITHMETIC, Draw, pairs
from .driver import EPS, Case, Result, define

BITWISE = ("u8", "i32", "i16")
REAL = ("f32", "i32", "i16")
BLOCKS = "GNU Radio 3.10, gr-blocks, "


def one(*items, **params):
    """Draws items of one of these types, and these parameters."""

    def draw(d: Draw) -> Case:
        item = d.one(*items)
        given = {name: value(d) for name, value in params.items()}
        return Case({**({"item": item} if len(items) > 1 else {}), **given}, [d.items(item, special=True)])

    return draw


def several(*items, most=5, spread=True, **params):
    """Draws several streams of one of these types, equally long but for now and then."""

    def draw(d: Draw) -> Case:
        item, inputs, count = d.one(*items), d.few(1, most), d.length()
        kind = d.items if spread else d.ordinary
        streams = [kind(item, count if d.random.random() < 0.9 else d.length()) for _ in range(inputs)]
        return Case({"item": item, "inputs": inputs, **{name: value(d) for name, value in params.items()}}, streams)

    return draw


def constant(d: Draw, item: str) -> dict:
    """A constant for items of a type, as two parameters."""
    if item in ("C32", "f32"):
        return {"constant": d.gain(), **({"constant_imag": d.gain()} if item == "C32" else {})}
    return {"constant": int(d.items(item, 1)[0])}


def with_constant(*items):
    def draw(d: Draw) -> Case:
        item = d.one(*items)
        return Case({"item": item, **constant(d, item)}, [d.items(item)])

    return draw


def common(x):
    """The streams as far as the shortest goes."""
    length = min(len(stream) for stream in x)
    return [stream[:length] for stream in x]


def number(p, x):
    """The constant of `p` as an item of x's type, in double precision where that is a float."""
    kind = {"c": "c16", "f": "f8"}.get(x.dtype.kind, "i8")
    return np.array(p.constant + (1j * p.constant_imag if kind == "c16" else 0)).astype(kind)


@define("add", source=BLOCKS + "add_XX", draw=several(*ARITHMETIC))
def add(p, *x):
    return reduce(np.add, common(x))


@define("subtract", source=BLOCKS + "sub_XX", draw=several(*ARITHMETIC))
def subtract(p, *x):
    return reduce(np.subtract, common(x))


def product_bound(p, *x):
    sizes = [np.abs(stream.astype("c16")) for stream in common(x)]
    return reduce(np.multiply, sizes) * 8 * len(x) * EPS if x[0].dtype.kind == "c" else 0.0


@define(
    "multiply", source=BLOCKS + "multiply_XX", draw=several(*ARITHMETIC, spread=False, most=4), within=product_bound
)
def multiply(p, *x):
    return reduce(np.multiply, common(x))


def quotient_bound(p, *x):
    return 8 * len(x) * EPS * np.abs(divide(p, *x).astype("c16")) if x[0].dtype.kind == "c" else 0.0


@define(
    "divide",
    source=BLOCKS + "divide_XX; whole numbers cut towards 0, and 0 for a division by 0",
    draw=several(*ARITHMETIC, spread=False),
    within=quotient_bound,
)
def divide(p, *x):
    def quotient(a, b):
        if a.dtype.kind in "cf":
            return a / b
        wide, by = a.astype("i8"), np.where(b == 0, 1, b).astype("i8")
        cut = np.sign(wide) * np.sign(by) * (np.abs(wide) // np.abs(by))
        return np.where(b == 0, 0, cut).astype(a.dtype)

    return reduce(quotient, common(x))


@define(
    "multiply_conjugate",
    source=BLOCKS + "multiply_conjugate_cc",
    draw=lambda d: Case({}, [d.items("C32", n) for n in [d.length()] * 2]),
    within=product_bound,
)
def multiply_conjugate(p, a, b):
    return a.astype("c16") * np.conj(b)


@define("and", source=BLOCKS + "and_XX", draw=several(*BITWISE))
def and_(p, *x):
    return reduce(np.bitwise_and, common(x))


@define("or", source=BLOCKS + "or_XX", draw=several(*BITWISE))
def or_(p, *x):
    return reduce(np.bitwise_or, common(x))


@define("xor", source=BLOCKS + "xor_XX", draw=several(*BITWISE))
def xor(p, *x):
    return reduce(np.bitwise_xor, common(x))


@define("not", source=BLOCKS + "not_XX", draw=one(*BITWISE), tags="keep")
def not_(p, x):
    return ~x


@define("and_const", source=BLOCKS + "and_const_XX", draw=with_constant(*BITWISE), tags="keep")
def and_const(p, x):
    return x & number(p, x).astype(x.dtype)


@define(
    "add_const",
    source=BLOCKS + "add_const_XX",
    draw=with_constant(*ARITHMETIC, "u8"),
    within=lambda p, x: 4 * EPS * (np.abs(x.astype("c16")) + np.abs(number(p, x))) if x.dtype.kind == "c" else 0,
    tags="keep",
)
def add_const(p, x):
    return (x + number(p, x)).astype(x.dtype)


def factor_bound(p, x):
    return 8 * EPS * np.abs(x.astype("c16") * number(p, x)) if x.dtype.kind in "cf" else 0.0


@define(
    "multiply_const",
    source=BLOCKS + "multiply_const_XX",
    draw=with_constant(*ARITHMETIC),
    within=factor_bound,
    tags="keep",
)
def multiply_const(p, x):
    wide = x * number(p, x)
    return wide.astype(x.dtype) if x.dtype.kind == "i" else wide


def vector_constants(d: Draw) -> Case:
    item, length = d.one(*ARITHMETIC, "u8"), d.few(1, 40)
    constants = [
        d.complex_gain() if item == "C32" else d.gain() if item == "f32" else int(d.items(item, 1)[0])
        for _ in range(length)
    ]
    return Case({"item": item, "constants": pairs(constants) if item == "C32" else constants}, [d.items(item)])


def constants_of(p, x):
    """Whole vectors of x, and the constants, wide."""
    vectors = x[: len(x) // len(p.constants) * len(p.constants)].reshape(-1, len(p.constants))
    constants = [complex(*c) for c in p.constants] if x.dtype.kind == "c" else p.constants
    return vectors, np.array(constants, {"c": "c16", "f": "f8"}.get(x.dtype.kind, "i8"))


def vector_bound(p, x):
    vectors, constants = constants_of(p, x)
    return 8 * EPS * (np.abs(vectors.astype("c16")) * np.abs(constants)).ravel() if x.dtype.kind in "cf" else 0.0


@define("multiply_const_vector", source=BLOCKS + "multiply_const_vXX", draw=vector_constants, within=vector_bound)
def multiply_const_vector(p, x):
    vectors, constants = constants_of(p, x)
    return (vectors * constants).astype(x.dtype).ravel()


@define("add_const_vector", source=BLOCKS + "add_const_vXX", draw=vector_constants)
def add_const_vector(p, x):
    vectors, constants = constants_of(p, x)
    return (vectors + constants).astype(x.dtype).ravel()


@define(
    "saxpy",
    source="BLAS, saxpy: y = a · x + b",
    draw=lambda d: Case({"gain": d.gain(), "offset": d.gain()}, [d.items("f32", special=True)]),
    within=lambda p, x: 2 * EPS * (np.abs(p.gain * x.astype("f8")) + abs(p.offset)),
    tags="keep",
)
def saxpy(p, x):
    return p.gain * x.astype("f8") + p.offset


@define("conjugate", source=BLOCKS + "conjugate_cc", draw=one("C32"), tags="keep")
def conjugate(p, x):
    return np.conj(x)


@define(
    "abs",
    source=BLOCKS + "abs_XX; the smallest whole number stays as it is, as it does in two's complement",
    draw=one(*REAL),
    tags="keep",
)
def abs_(p, x):
    return np.abs(x)


@define(
    "rail",
    source="GNU Radio 3.10, gr-analog, rail_ff; NaN passes",
    draw=lambda d: Case(dict(zip(("low", "high"), sorted([d.gain(), d.gain()]))), [d.items("f32", special=True)]),
    tags="keep",
)
def rail(p, x):
    return np.where(x < p.low, np.float32(p.low), np.where(x > p.high, np.float32(p.high), x))


@define("mute", source=BLOCKS + "mute_XX", draw=one(*ARITHMETIC, mute=lambda d: d.one(True, False)), tags="keep")
def mute(p, x):
    return np.zeros_like(x) if p.mute else x


@define(
    "nlog10",
    source=BLOCKS + "nlog10_ff: n · log10(x) + k, of the smallest normal number at least",
    draw=one("f32", factor=lambda d: d.one(10.0, 20.0, d.gain()), offset=Draw.gain),
    within=lambda p, x: 8 * EPS * (np.abs(nlog10(p, x)) + 2 * abs(p.offset) + abs(p.factor)),
    tags="keep",
)
def nlog10(p, x):
    least = np.finfo("f4").tiny
    return p.factor * np.log10(np.where(x < least, least, x).astype("f8")) + p.offset


@define(
    "exponentiate_const",
    source=BLOCKS + "exponentiate_const_cci",
    draw=lambda d: Case({"exponent": d.one(1, 2, 3, d.whole(1, 30))}, [d.ordinary("C32")]),
    within=lambda p, x: p.exponent * (4 * EPS * np.abs(x.astype("c16")) ** p.exponent + 2e-45),
    tags="keep",
)
def exponentiate_const(p, x):
    return reduce(np.multiply, [x.astype("c16")] * p.exponent)


FUNCTIONS = "sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt".split()


def function_case(d: Draw) -> Case:
    item = d.one("C32", "f32")
    function = (
        d.one(*FUNCTIONS)
        if item == "f32"
        else d.one(
            *(set(FUNCTIONS) - {"asin", "acos", "atan"}),
        )
    )
    scale = d.one(0.3, 3.0, 20.0)
    return Case({"item": item, "function": function}, [d.ordinary(item, scale=scale)])


def function_bound(p, x):
    """Some units in the last place, and what the argument's last place makes of the result: |f(x ± ε|x|) − f(x)|."""
    y = transcendental(p, x)
    nudged = [
        transcendental(p, x.astype("c16" if x.dtype.kind == "c" else "f8") * (1 + turn * EPS))
        for turn in ((1, -1, 1j, -1j) if x.dtype.kind == "c" else (1, -1))
    ]
    spread = np.max([np.abs(other - y) for other in nudged], axis=0)
    return 16 * EPS * np.abs(y) + 4 * spread + 4 * EPS * (np.abs(x) < 8) * np.minimum(1, np.abs(x))


@define(
    "transcendental",
    source=BLOCKS + "transcendental: the C function of that name",
    draw=function_case,
    within=function_bound,
    tags="keep",
)
def transcendental(p, x):
    name = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(p.function, p.function)
    return getattr(np, name)(x.astype("c16" if x.dtype.kind == "c" else "f8"))


def turn_case(d: Draw) -> Case:
    return Case(
        {"increment_rad": d.one(0.0, np.pi / 2, d.random.uniform(-np.pi, np.pi), d.random.normal() * 1e-6)},
        [d.items("C32")],
    )


@define(
    "rotator",
    source=BLOCKS + "rotator_cc, with exact phases",
    draw=turn_case,
    within=lambda p, x: 2.0**-19 * np.abs(x),
    tags="keep",
)
def rotator(p, x):
    return x * np.exp(1j * p.increment_rad * np.arange(len(x)))


def matrix_case(d: Draw) -> Case:
    item, rows, columns, count = d.one("C32", "f32"), d.few(1, 6), d.few(1, 6), d.length()
    entry = (
        (lambda: pairs([complex(d.random.normal(), d.random.normal())])[0])
        if item == "C32"
        else (lambda: d.one(0.0, d.real(-2, 2)))
    )
    return Case(
        {
            "item": item,
            "matrix": [[entry() for _ in range(columns)] for _ in range(rows)],
            "tags": d.one("all", "none", "matrix", *(["one_to_one"] if rows == columns else [])),
        },
        [d.ordinary(item, count) for _ in range(columns)],
        [d.tags(count) for _ in range(columns)],
    )


def numbers(p, x):
    return np.array(
        [[complex(*k) if isinstance(k, list) else k for k in row] for row in p.matrix],
        "c16" if x[0].dtype.kind == "c" else "f8",
    )


@define(
    "multiply_matrix",
    source=BLOCKS + "multiply_matrix_XX, with its tag propagation policies",
    draw=matrix_case,
    within=lambda p, *x: tuple(8 * EPS * len(x) * (np.abs(numbers(p, x)) @ np.abs(np.array(x)))),
)
def multiply_matrix(p, *x, tags):
    matrix = numbers(p, x)
    goes = {
        "all": lambda i, j: True,
        "none": lambda i, j: False,
        "one_to_one": lambda i, j: i == j,
        "matrix": lambda i, j: matrix[i, j] != 0,
    }[p.tags]
    placed = [
        sorted((tag for j in range(len(x)) if goes(i, j) for tag in tags[j]), key=lambda tag: tag[0])
        for i in range(len(matrix))
    ]
    return Result(list(matrix @ np.array(x)), placed)


def best_case(d: Draw) -> Case:
    item, inputs, length, count = d.one(*REAL), d.few(1, 4), d.few(1, 20), d.length()
    streams = [d.items(item, count, special=True) for _ in range(inputs)]
    return Case({"item": item, "inputs": inputs, "length": length, "of_vector": d.one(True, False)}, streams)


def fold(p, x, better):
    """The best of all inputs at each place, or of each whole vector of all; the earlier one where neither is better."""

    def best(values):
        return reduce(lambda a, b: np.where(better(b, a), b, a), values)

    if not p.of_vector:
        return best(common(x))
    count = len(x[0]) // p.length
    places = [stream[: count * p.length].reshape(count, p.length).T for stream in x]
    return best(np.concatenate(places))


@define("max", source=BLOCKS + "max_XX; NaN never takes the place of one before it", draw=best_case)
def max_(p, *x):
    return fold(p, x, np.greater)


@define("min", source=BLOCKS + "min_XX; NaN never takes the place of one before it", draw=best_case)
def min_(p, *x):
    return fold(p, x, np.less)


def argmax_case(d: Draw) -> Case:
    item, inputs, length, count = d.one(*REAL), d.few(1, 4), d.few(1, 20), d.length()
    return Case({"item": item, "inputs": inputs, "length": length}, [d.items(item, count) for _ in range(inputs)])


@define(
    "argmax",
    source=BLOCKS
    + "argmax_XX: place and input of the largest, of several that at the first place, there the first input's",
    draw=argmax_case,
)
def argmax(p, *x):
    count = len(x[0]) // p.length
    vectors = np.stack([stream[: count * p.length].reshape(count, p.length) for stream in x], axis=2)
    best = vectors.reshape(count, -1).argmax(axis=1) if count else np.zeros(0, int)
    return (best // len(x)).astype("i2"), (best % len(x)).astype("i2")


def tagged_factors(d: Draw) -> Case:
    count = d.length()
    places = sorted({d.whole(0, max(count - 1, 0)) for _ in range(d.few(0, 12))}) if count else []
    return Case(
        {"key": "gain"},
        [d.ordinary("C32", count)],
        [[(place, d.one("gain", "gain", "other"), d.real(-3, 3)) for place in places]],
    )


@define("multiply_by_tag_value", source=BLOCKS + "multiply_by_tag_value_cc", draw=tagged_factors, within=4 * EPS)
def multiply_by_tag_value(p, x, tags):
    factor = np.ones(len(x))
    for index, key, value in tags[0]:
        if key == p.key:
            factor[index:] = value
    return Result([x * factor], tags)
