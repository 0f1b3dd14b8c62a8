"""Conversions between item types, as GNU Radio's gr-blocks and ITU-T G.711 have them."""

from __future__ import annotations

import numpy as np

from .arithmetic import BLOCKS, one
from .draw import ALL, DTYPES, Draw
from .driver import EPS, Case, define

INTEGERS = {"char": "i1", "short": "i2", "int": "i4"}


def codes(x, scale, dtype, offset=0.0):
    """Integers nearest to `scale · x + offset` as single precision has it, halves to even, within their range; NaN is `offset`."""
    info = np.iinfo(dtype)
    product = x * np.float32(scale)
    scaled = np.rint((product + np.float32(offset)).astype("f8"))
    return np.where(np.isnan(x), np.rint(offset), np.clip(scaled, info.min, info.max)).astype(dtype)


def samples(item, scales=(1.0, 128.0, 32768.0, 2.0**31)):
    """Samples that reach a little beyond full scale, with halves between codes among them."""

    def draw(d: Draw) -> Case:
        scale = float(np.float32(d.one(*scales, d.random.uniform(0.1, 1e5), -d.random.uniform(0.1, 1e5))))
        full = d.one(1.0, 100.0 / abs(scale), 1e3)
        x = d.ordinary("f32", scale=full)
        halves = d.random.random(len(x)) < 0.2
        x[halves] = (np.rint(x[halves] * scale) + 0.5) / scale
        if d.random.random() < 0.3 and len(x):
            x[:: d.whole(1, 9)] = d.one(np.nan, np.inf, -np.inf, 3e38)
        if item == "C32":
            x = x[: len(x) // 2 * 2].view("c8")
        return Case({"scale": scale}, [x])

    return draw


def at_full_scale(item):
    """Samples without a scale."""
    draw = samples(item, (128.0, 127.5, 32768.0))
    return lambda d: Case({}, draw(d).inputs)


def scaled(item):
    return lambda d: Case(
        {"scale": float(np.float32(d.one(1.0, 128.0, 2.0**31, d.random.uniform(-1e6, 1e6), 1e-9)))}, [d.items(item)]
    )


for name, dtype in INTEGERS.items():
    item = f"i{8 * np.dtype(dtype).itemsize}"
    define(
        f"float_to_{name}",
        source=BLOCKS + f"float_to_{name}: round to nearest, saturate",
        draw=samples("f32"),
        tags="keep",
    )(lambda p, x, dtype=dtype: codes(x, p.scale, dtype))
    define(
        f"{name}_to_float",
        source=BLOCKS + f"{name}_to_float: x / scale",
        draw=scaled(item),
        within=3 * EPS,
        tags="keep",
    )(lambda p, x: x / p.scale)
    if name != "int":
        define(f"complex_to_interleaved_{name}", source=BLOCKS + f"complex_to_interleaved_{name}", draw=samples("C32"))(
            lambda p, x, dtype=dtype: codes(x.view("f4"), p.scale, dtype)
        )
        define(
            f"interleaved_{name}_to_complex",
            source=BLOCKS + f"interleaved_{name}_to_complex",
            draw=lambda d, item=item: Case({**scaled(item)(d).params, "swap": d.one(True, False)}, [d.items(item)]),
            within=3 * EPS,
        )(
            lambda p, x: (lambda pairs: (pairs[:, int(p.swap)] + 1j * pairs[:, 1 - int(p.swap)]) / p.scale)(
                x[: len(x) // 2 * 2].reshape(-1, 2).astype("f8")
            )
        )

for code, dtype, scale, offset in (
    ("cs8", "i1", 128.0, 0.0),
    ("cs16", "i2", 32768.0, 0.0),
    ("cu8", "u1", 127.5, 127.5),
):
    define(
        f"c32_to_{code}",
        source="SigMF 1.0 dataset formats, full scale 1; round half to even",
        draw=at_full_scale("C32"),
        tags="keep",
    )(lambda p, x, dtype=dtype, scale=scale, offset=offset: codes(x.view("f4"), scale, dtype, offset).reshape(-1, 2))
    define(
        f"{code}_to_c32",
        source="SigMF 1.0 dataset formats, full scale 1",
        draw=lambda d, code=code: Case({}, [d.items(code)]),
        within=2 * EPS,
        tags="keep",
    )(lambda p, x, scale=scale, offset=offset: (x.astype("f8") - offset) @ np.array([1, 1j]) / scale)


@define(
    "float_to_uchar",
    source=BLOCKS + "float_to_uchar where plain, else full scale 1.0",
    draw=lambda d: Case({"plain": d.one(True, False)}, samples("f32", (127.5, 1.0))(d).inputs),
    tags="keep",
)
def float_to_uchar(p, x):
    scaled = x if p.plain else np.float32(127.5) * x + np.float32(127.5)
    return np.where(np.isnan(x), 0 if p.plain else 128, np.clip(np.rint(scaled), 0, 255)).astype("u1")


@define(
    "uchar_to_float",
    source=BLOCKS + "uchar_to_float where plain, else full scale 1.0",
    draw=lambda d: Case({"plain": d.one(True, False)}, [d.items("u8")]),
    within=2 * EPS,
    tags="keep",
)
def uchar_to_float(p, x):
    return x.astype("f8") if p.plain else (x - 127.5) / 127.5


@define("char_to_short", source=BLOCKS + "char_to_short: the high byte", draw=one("i8"), tags="keep")
def char_to_short(p, x):
    return x.astype("i2") * 256


@define("short_to_char", source=BLOCKS + "short_to_char: the high byte", draw=one("i16"), tags="keep")
def short_to_char(p, x):
    return (x >> 8).astype("i1")


def power(x):
    return x.real.astype("f8") ** 2 + x.imag.astype("f8") ** 2


def magnitude_bound(p, x):
    """Squares of single precision lose digits below 1e-19."""
    return 4 * EPS * np.sqrt(power(x)) + 1e-22 * (power(x) < 1e-37)


@define(
    "complex_to_mag",
    source=BLOCKS + "complex_to_mag; infinite where a square is beyond single precision",
    draw=one("C32"),
    within=magnitude_bound,
    tags="keep",
)
def complex_to_mag(p, x):
    return np.sqrt(np.where(power(x) > np.finfo("f4").max, np.inf, power(x)))


@define(
    "complex_to_mag_squared", source=BLOCKS + "complex_to_mag_squared", draw=one("C32"), within=4 * EPS, tags="keep"
)
def complex_to_mag_squared(p, x):
    return power(x)


@define(
    "complex_to_arg",
    source=BLOCKS + "complex_to_arg: atan2(im, re)",
    draw=one("C32"),
    within=lambda p, x: 3e-7 + 4 * EPS,
    tags="keep",
)
def complex_to_arg(p, x):
    return np.arctan2(x.imag.astype("f8"), x.real.astype("f8"))


@define(
    "complex_to_magphase",
    source=BLOCKS + "complex_to_magphase",
    draw=lambda d: Case({}, [d.items("C32")]),
    within=lambda p, x: (magnitude_bound(p, x), 4e-7),
    tags="keep",
)
def complex_to_magphase(p, x):
    return complex_to_mag(p, x), complex_to_arg(p, x)


@define(
    "magphase_to_complex",
    source=BLOCKS + "magphase_to_complex: magnitude · exp(j · phase)",
    draw=lambda d: Case({}, [(n := d.length()) * [0] and d.items("f32", n), d.ordinary("f32", n, d.one(1.0, 100.0))]),
    within=lambda p, m, angle: 4e-7 * np.abs(m),
    tags="keep",
)
def magphase_to_complex(p, magnitude, angle):
    return magnitude * np.exp(1j * angle.astype("f8"))


@define("complex_to_real", source=BLOCKS + "complex_to_real", draw=one("C32"), tags="keep")
def complex_to_real(p, x):
    return x.real


@define("complex_to_imag", source=BLOCKS + "complex_to_imag", draw=one("C32"), tags="keep")
def complex_to_imag(p, x):
    return x.imag


@define(
    "complex_to_float", source=BLOCKS + "complex_to_float", draw=one("C32", outputs=lambda d: d.one(1, 2)), tags="keep"
)
def complex_to_float(p, x):
    return (x.real, x.imag)[: p.outputs]


@define(
    "float_to_complex",
    source=BLOCKS + "float_to_complex",
    draw=lambda d: Case({"inputs": (k := d.one(1, 2))}, [d.items("f32", n) for n in [d.length()] * k]),
    tags="keep",
)
def float_to_complex(p, re, im=0.0):
    return (re + 1j * im).astype("c8")


@define("swap_iq", source=BLOCKS + "swap_iq", draw=one("C32"), tags="keep")
def swap_iq(p, x):
    return (x.imag + 1j * x.real).astype("c8")


@define(
    "endian_swap",
    source=BLOCKS + "endian_swap: the bytes of an item in the other order, a complex one as 8 bytes",
    draw=one("C32", "f32", "i32", "i16", "u8"),
)
def endian_swap(p, x):
    return np.frombuffer(x.view("u1").reshape(len(x), x.itemsize)[:, ::-1].tobytes(), x.dtype)


PARTS = {"C32": "f32", "cs16": "i16", "cs8": "i8", "cu8": "u8"}


def pair(d: Draw) -> Case:
    """Two types of one size, one that is a part of the other, or one that is bytes."""
    size = {item: np.dtype(DTYPES[item]).itemsize * (2 if item in ("cu8", "cs8", "cs16") else 1) for item in ALL}
    fits = [
        (a, b)
        for a in ALL
        for b in ALL
        if size[a] == size[b] or PARTS.get(a) == b or PARTS.get(b) == a or "u8" in (a, b)
    ]
    a, b = d.one(*fits)
    x = d.items(a)
    return Case({"from": a, "to": b}, [x])


@define("reinterpret", source="the bytes of items as they lie in memory", draw=pair)
def reinterpret(p, x):
    dtype, columns = DTYPES[p.to], 2 if p.to in ("cu8", "cs8", "cs16") else 1
    raw = x.tobytes()
    step = np.dtype(dtype).itemsize * columns
    items = np.frombuffer(raw[: len(raw) // step * step], dtype)
    return items.reshape(-1, 2) if columns == 2 else items


def a_law(code):
    """ITU-T G.711, table 1a and 1b: the value of a code in steps of 1 / 4096, at 16 bits."""
    code = int(code) ^ 0x55
    segment, step = code >> 4 & 7, code & 15
    value = 2 * step + 1 if segment == 0 else (2 * step + 33) << (segment - 1)
    return (value if code & 0x80 else -value) * 8


def mu_law(code):
    """ITU-T G.711, table 2a and 2b: the value of a code in steps of 1 / 8192, at 16 bits."""
    code = ~int(code) & 0xFF
    value = (((code & 15) * 2 + 33) << (code >> 4 & 7)) - 33
    return (-value if code & 0x80 else value) * 4


def encoder(decode, positive, half, on_edge):
    """The code of the step that a magnitude lies in; each reaches half a step to both sides of its value, the last to the end."""
    steps = sorted(
        (abs(decode(code)), half(decode(code)), code) for code in range(256) if bool(code & 0x80) == positive
    )

    def encode(sample):
        magnitude = abs(sample) - (on_edge if sample < 0 else 0)
        return next((code for value, width, code in steps if magnitude < value + width), steps[-1][2])

    return encode


def a_half(value):
    return 8 << (abs(value) // 512).bit_length()


def mu_half(value):
    return 4 << ((abs(value) + 132) // 132).bit_length() - 1


# G.711 does not say which of two steps a negative sample right between them belongs to: by A-law the lower one (G.191), by
# µ-law the upper.
for law, decode, half, on_edge in (("alaw", a_law, a_half, 1), ("ulaw", mu_law, mu_half, 0)):
    define(
        f"{law}_decode",
        source="ITU-T G.711, the values of the codes",
        draw=lambda d: Case({}, [d.items("u8")]),
        tags="keep",
    )(lambda p, x, decode=decode: np.array([decode(code) for code in x], "i2"))
    encoders = {sign: encoder(decode, sign, half, on_edge) for sign in (True, False)}
    define(
        f"{law}_encode",
        source="ITU-T G.711, the decision values",
        draw=lambda d: Case({}, [d.items("i16", d.length(400))]),
        tags="keep",
    )(lambda p, x, encoders=encoders: np.array([encoders[bool(sample >= 0)](int(sample)) for sample in x], "u1"))
