"""Streams joined, parted, delayed, repeated and cut: gr-blocks of GNU Radio 3.10, with plain slices."""

from __future__ import annotations

import numpy as np

from .arithmetic import BLOCKS
from .draw import ALL, Draw
from .driver import Case, Result, define


def stream(**params):
    """Draws items of any type, and these parameters."""

    def draw(d: Draw) -> Case:
        given = {name: value(d) for name, value in params.items()}
        item = d.one(*ALL)
        return Case({"item": item, **given}, [d.items(item)])

    return draw


def few(low, high):
    return lambda d: d.few(low, high)


def whole(x, length):
    """Whole vectors of `length` items, as an array with one more dimension."""
    count = len(x) // length
    return x[: count * length].reshape(count, length, *x.shape[1:])


def flat(vectors, like):
    return np.ascontiguousarray(vectors).reshape(-1, *like.shape[1:]).astype(like.dtype)


def zeros(count, like):
    return np.zeros((count, *like.shape[1:]), like.dtype)


@define("copy", source=BLOCKS + "copy", draw=stream(), tags="keep")
def copy(p, x):
    return x


@define("null_sink", source=BLOCKS + "null_sink: takes everything and gives nothing", draw=stream())
def null_sink(p, x):
    return Result()


@define("throttle", source=BLOCKS + "throttle: the items as they are", draw=stream(rate_hz=lambda d: 1e9), tags="keep")
def throttle(p, x):
    return x


@define("head", source=BLOCKS + "head", draw=stream(items=few(0, 1500)))
def head(p, x, tags):
    return Result([x[: p.items]], [[tag for tag in tags[0] if tag[0] < p.items]])


@define("skiphead", source=BLOCKS + "skiphead", draw=stream(items=few(0, 1500)))
def skiphead(p, x, tags):
    return Result(
        [x[p.items :]], [[(index - p.items, key, value) for index, key, value in tags[0] if index >= p.items]]
    )


@define(
    "delay",
    source=BLOCKS + "delay: zeros first; nothing is cut at the end; tags stay on their items",
    draw=stream(delay_samples=few(0, 300)),
    tags=lambda p, index: index + p.delay_samples,
)
def delay(p, x):
    return np.concatenate([zeros(p.delay_samples, x), x])


def switch(d: Draw) -> Case:
    item, inputs, outputs = d.one(*ALL), d.few(1, 5), d.few(1, 5)
    params = {
        "inputs": inputs,
        "outputs": outputs,
        "input_index": d.whole(0, inputs - 1),
        "output_index": d.whole(0, outputs - 1),
        "enabled": d.random.random() < 0.8,
    }
    count = d.length()
    return Case(
        {"item": item, **params}, [d.items(item, count) for _ in range(inputs)], [d.tags(count) for _ in range(inputs)]
    )


@define("selector", source=BLOCKS + "selector, all inputs in step", draw=switch)
def selector(p, *x, tags):
    passes = [p.enabled and output == p.output_index for output in range(p.outputs)]
    return Result(
        [x[p.input_index] if passed else zeros(0, x[0]) for passed in passes],
        [tags[p.input_index] if passed else [] for passed in passes],
    )


@define(
    "keep_one_in_n",
    source=BLOCKS + "keep_one_in_n: the last of each n",
    draw=stream(n=few(1, 60)),
    tags=lambda p, index: index // p.n,
)
def keep_one_in_n(p, x):
    return x[p.n - 1 :: p.n]


def m_in_n(d: Draw) -> Case:
    n = d.few(1, 50)
    m = d.whole(1, n)
    item = d.one(*ALL)
    return Case({"item": item, "m": m, "n": n, "offset": d.whole(0, n - m)}, [d.items(item)])


@define("keep_m_in_n", source=BLOCKS + "keep_m_in_n", draw=m_in_n)
def keep_m_in_n(p, x, tags):
    def place(index):
        """That of the item, or of the next one that is kept."""
        period, rest = divmod(index, p.n)
        return period * p.m + min(max(rest - p.offset, 0), p.m)

    moved = [(place(index), key, value) for index, key, value in tags[0]]
    return Result([flat(whole(x, p.n)[:, p.offset : p.offset + p.m], x)], [moved])


@define(
    "repeat",
    source=BLOCKS + "repeat",
    draw=stream(count=few(1, 30), length=few(1, 9)),
    tags=lambda p, index: index * p.count,
)
def repeat(p, x):
    return flat(np.repeat(whole(x, p.length), p.count, axis=0), x)


@define(
    "regenerate",
    source=BLOCKS + "regenerate_bb",
    draw=lambda d: Case(
        {"period": d.few(1, 200), "repeats": d.one(-1, 0, d.whole(0, 9))},
        [(d.random.random(d.length()) < d.one(0.003, 0.1)).astype("u1")],
    ),
    tags="keep",
)
def regenerate(p, x):
    y, last = np.zeros(len(x), "u1"), None
    for n, pulse in enumerate(x):
        last = n if pulse else last
        if last is not None and (n - last) % p.period == 0:
            y[n] = p.repeats < 0 or (n - last) // p.period <= p.repeats
    return y


@define(
    "stream_to_vector", source=BLOCKS + "stream_to_vector: whole vectors", draw=stream(length=few(1, 60)), tags="keep"
)
def stream_to_vector(p, x):
    return flat(whole(x, p.length), x)


def joined(d: Draw) -> Case:
    item, inputs, count = d.one(*ALL), d.few(1, 6), d.length()
    return Case({"item": item, "inputs": inputs, "length": d.few(1, 12)}, [d.items(item, count) for _ in range(inputs)])


@define("interleave", source=BLOCKS + "interleave", draw=joined)
def interleave(p, *x):
    return flat(np.concatenate([whole(stream, p.length) for stream in x], axis=1), x[0])


@define(
    "deinterleave",
    source=BLOCKS + "deinterleave; less than a whole turn at the end is lost",
    draw=stream(outputs=few(1, 6), length=few(1, 12)),
)
def deinterleave(p, x):
    turns = whole(x, p.outputs * p.length)
    return tuple(flat(turns[:, k * p.length : (k + 1) * p.length], x) for k in range(p.outputs))


def schedule(lengths, vector):
    """Which port each item comes from, or goes to, in one turn."""
    return [port for port, length in enumerate(lengths) for _ in range(length * vector)]


def turns_of(d: Draw) -> tuple[dict, int]:
    lengths = [d.few(0, 9) for _ in range(d.few(1, 5))]
    lengths[d.whole(0, len(lengths) - 1)] += 1
    return {"lengths": lengths, "length": d.few(1, 4)}, len(lengths)


def muxed(d: Draw) -> Case:
    (params, ports), item = turns_of(d), d.one(*ALL)
    return Case({"item": item, **params}, [d.items(item) for _ in range(ports)])


def in_turn(order, x, tags):
    """Items of the streams as `order` says, over and over, up to the first that is needed and has nothing left."""
    places, given, placed = [0] * len(x), [], []
    while True:
        for port in order:
            if places[port] == len(x[port]):
                return Result([np.array(given, x[0].dtype).reshape(-1, *x[0].shape[1:])], [placed])
            placed += [(len(given), key, value) for index, key, value in tags[port] if index == places[port]]
            given.append(x[port][places[port]])
            places[port] += 1


@define("stream_mux", source=BLOCKS + "stream_mux", draw=muxed)
def stream_mux(p, *x, tags):
    return in_turn(schedule(p.lengths, p.length), x, tags)


@define(
    "patterned_interleaver",
    source=BLOCKS + "patterned_interleaver",
    draw=lambda d: (
        lambda item, ports: Case(
            {
                "item": item,
                "pattern": [*range(ports), *(d.whole(0, ports - 1) for _ in range(d.few(0, 9)))],
                "length": d.few(1, 5),
            },
            [d.items(item) for _ in range(ports)],
        )
    )(d.one(*ALL), d.few(1, 5)),
)
def patterned_interleaver(p, *x, tags):
    return in_turn(np.repeat(p.pattern, p.length), x, tags)


@define(
    "stream_demux",
    source=BLOCKS + "stream_demux",
    draw=lambda d: (lambda params, item: Case({"item": item, **params}, [d.items(item)]))(turns_of(d)[0], d.one(*ALL)),
)
def stream_demux(p, x, tags):
    order = np.resize(schedule(p.lengths, p.length), len(x))
    ports = range(len(p.lengths))
    placed = [
        [(int((order[:index] == port).sum()), key, value) for index, key, value in tags[0] if order[index] == port]
        for port in ports
    ]
    return Result([x[order == port] for port in ports], placed)


def inserted(d: Draw) -> Case:
    values = d.items("i16", d.few(1, 9))
    period = len(values) + d.few(1, 40)
    return Case(
        {"item": "i16", "values": [int(v) for v in values], "period": period, "offset": d.whole(0, period - 1)},
        [d.items("i16")],
    )


@define("vector_insert", source=BLOCKS + "vector_insert", draw=inserted)
def vector_insert(p, x, tags):
    y, taken, place, placed = [], 0, p.offset, []
    while True:
        if place < len(p.values):
            y.append(p.values[place])
        elif taken < len(x):
            placed += [(len(y), key, value) for index, key, value in tags[0] if index == taken]
            y.append(x[taken])
            taken += 1
        else:
            return Result([np.array(y, x.dtype)], [placed])
        place = (place + 1) % p.period


def permuted(d: Draw) -> Case:
    packed = d.random.random() < 0.3
    item = "u8" if packed else d.one(*ALL)
    size = 8 * d.few(1, 9) if packed else d.few(1, 60)
    return Case(
        {
            "item": item,
            "indices": [int(i) for i in d.random.permutation(size)],
            "reverse": d.one(True, False),
            "packed": packed,
        },
        [d.items(item)],
    )


@define("block_interleaver", source=BLOCKS + "blockinterleaver_XX", draw=permuted)
def block_interleaver(p, x):
    blocks = whole(np.unpackbits(x) if p.packed else x, len(p.indices))
    order = np.argsort(p.indices) if p.reverse else np.array(p.indices)
    y = blocks[:, order]
    return np.packbits(y.ravel()) if p.packed else flat(y, x)


def forney(d: Draw) -> Case:
    item = d.one("C32", "f32", "u8", "i8", "i16", "i32")
    params = {"item": item, "branches": d.few(1, 12), "depth": d.few(1, 20), "reverse": d.one(True, False)}
    return Case(params, [d.items(item)])


@define("convolutional_interleaver", source="Forney 1971; ETSI EN 300 421, 4.4.2", draw=forney)
def convolutional_interleaver(p, x):
    y = np.zeros_like(x)
    for branch in range(p.branches):
        turns = p.branches - 1 - branch if p.reverse else branch
        own = x[branch :: p.branches]
        y[branch :: p.branches] = np.concatenate([np.zeros(turns * p.depth, x.dtype), own])[: len(own)]
    return y


def repacked(d: Draw) -> Case:
    return Case({"k": d.whole(1, 8), "l": d.whole(1, 8), "order": d.one("msb_first", "lsb_first")}, [d.items("u8")])


def bits_of(x, k, order):
    """The lowest k bits of each item, in that order."""
    shifts = range(k - 1, -1, -1) if order == "msb_first" else range(k)
    wide = x.astype("i8")
    return np.stack([wide >> shift & 1 for shift in shifts], axis=-1).ravel() if len(x) else np.zeros(0, "i8")


def items_of(bits, k, order, dtype):
    """Items of k bits each, in that order; what fills none is lost."""
    groups = whole(bits, k)
    shifts = np.arange(k - 1, -1, -1) if order == "msb_first" else np.arange(k)
    return (groups << shifts).sum(axis=1).astype(dtype) if len(groups) else np.zeros(0, dtype)


@define("repack_bits", source=BLOCKS + "repack_bits_bb", draw=repacked, tags=lambda p, index: index * p.k // p.l)
def repack_bits(p, x):
    return items_of(bits_of(x, p.k, p.order), p.l, p.order, "u1")


@define(
    "pack_k_bits",
    source=BLOCKS + "pack_k_bits_bb",
    draw=lambda d: Case({"k": d.whole(1, 8)}, [d.items("u8")]),
    tags=lambda p, index: index // p.k,
)
def pack_k_bits(p, x):
    return items_of(x.astype("i8") & 1, p.k, "msb_first", "u1")


@define(
    "unpack_k_bits",
    source=BLOCKS + "unpack_k_bits_bb",
    draw=lambda d: Case({"k": d.whole(1, 8)}, [d.items("u8")]),
    tags=lambda p, index: index * p.k,
)
def unpack_k_bits(p, x):
    return bits_of(x, p.k, "msb_first").astype("u1")


def packing(d: Draw) -> Case:
    item = d.one("u8", "i16", "i32")
    width = {"u8": 8, "i16": 16, "i32": 32}[item]
    return Case({"item": item, "bits": d.whole(1, width), "order": d.one("msb_first", "lsb_first")}, [d.items(item)])


@define(
    "packed_to_unpacked",
    source=BLOCKS + "packed_to_unpacked_XX, which leaves no bits out: the next item's follow",
    draw=packing,
)
def packed_to_unpacked(p, x):
    order = p.order
    return items_of(bits_of(x, 8 * x.itemsize, order), p.bits, "msb_first", x.dtype)


@define("unpacked_to_packed", source=BLOCKS + "unpacked_to_packed_XX", draw=packing)
def unpacked_to_packed(p, x):
    return items_of(bits_of(x, p.bits, "msb_first"), 8 * x.itemsize, p.order, x.dtype)
