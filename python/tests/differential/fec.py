"""Forward error correction: encoders by their definitions, decoders by what is most likely to have been sent."""

from __future__ import annotations

import numpy as np
from superhet import Packet

from .draw import Draw
from .driver import EPS, Case, Result, define
from .packets import joined, messages, split

CCSDS = "CCSDS 131.0-B, section 3: constraint length 7, rate 1/2, polynomials 171 and 133 (octal)"
POLYNOMIALS = {79: 0o171, 109: 0o133}
MEMORY = 6


def convolutional(d: Draw, frames) -> dict:
    first, second = d.one((109, 79), (79, 109))
    return {
        "kind": "convolutional",
        "frames": d.one(*frames),
        "frame_bits": d.whole(6, 60),
        "polynomials": [first * d.one(1, -1), second * d.one(1, -1)],
    }


def polar(d: Draw) -> dict:
    """A polar code whose frozen places are any."""
    size = 2 ** d.whole(1, 7)
    frozen = sorted(int(place) for place in d.random.permutation(size)[: d.whole(1, size - 1)])
    return {
        "kind": "polar",
        "block_bits": size,
        "info_bits": size - len(frozen),
        "frozen": frozen,
        "frozen_values": [d.whole(0, 1) for _ in frozen],
    }


def choose(d: Draw, frames) -> dict:
    kind = d.one("convolutional", "convolutional", "polar", "repetition", "dummy")
    if kind == "convolutional":
        return convolutional(d, frames)
    if kind == "polar":
        return polar(d)
    return {
        "kind": kind,
        **({"repetitions": d.few(1, 9), "threshold": d.one(0.5, d.real(0.1, 0.9))} if kind == "repetition" else {}),
    }


def frame_bits(code):
    """Bits of a frame, or of anything, before they are encoded."""
    if code["kind"] == "polar":
        return code["info_bits"]
    return code["frame_bits"] if code["kind"] == "convolutional" and code["frames"] != "streaming" else 1


def convolved(code, bits, state=0, tail=0):
    """Two parities for each bit, of a register in which the newest bit is the highest of the polynomial."""
    register, y = state, []
    for bit in [*bits, *[0] * tail]:
        register = register >> 1 | int(bit) << MEMORY
        y += [(register & POLYNOMIALS[abs(k)]).bit_count() & 1 ^ (k < 0) for k in code["polynomials"]]
    return np.array(y, "u1")


def encoded(code, bits):
    """One frame, or for codes without frames any bits."""
    if code["kind"] == "dummy":
        return bits
    if code["kind"] == "repetition":
        return np.repeat(bits, code["repetitions"])
    if code["kind"] == "polar":
        return polar_word(code, bits)
    state = 0
    if code["frames"] == "tailbiting":
        for bit in bits[-MEMORY:]:
            state = state >> 1 | int(bit) << MEMORY
    return convolved(code, bits, state, MEMORY if code["frames"] == "terminated" else 0)


def polar_matrix(size):
    """E. Arikan, Channel Polarization, IEEE Trans. IT 55, 2009: B · F ⊗ … ⊗ F, where B turns the bits of a place around."""
    matrix = np.ones((1, 1), int)
    while len(matrix) < size:
        matrix = np.kron(np.array([[1, 0], [1, 1]]), matrix)
    return matrix[[int(f"{place:0{size.bit_length() - 1}b}"[::-1], 2) for place in range(size)]]


def free_places(code):
    return [place for place in range(code["block_bits"]) if place not in set(code["frozen"])]


def polar_word(code, bits):
    u = np.zeros(code["block_bits"], int)
    u[code["frozen"]], u[free_places(code)] = code["frozen_values"], bits
    return (u @ polar_matrix(len(u)) % 2).astype("u1")


def whole_frames(code, x):
    size = frame_bits(code)
    return (
        [x[at : at + size] for at in range(0, len(x) - size + 1, size)] if size > 1 or code["kind"] == "polar" else [x]
    )


FRAMES = ("streaming", "terminated", "truncated", "tailbiting")


@define(
    "fec_encoder",
    source=CCSDS + "; E. Arikan, Channel Polarization, IEEE Trans. IT 55, 2009",
    draw=lambda d: Case({"code": choose(d, FRAMES)}, [d.items("u8")]),
)
def fec_encoder(p, x):
    return np.concatenate([np.zeros(0, "u1"), *(encoded(p.code, frame & 1) for frame in whole_frames(p.code, x))])


def soft(d: Draw, bits, item: str, noise: float):
    """Soft bits: from −1 to 1 for f32, from 0 to 255 for u8."""
    values = 2.0 * bits - 1 + noise * d.random.normal(size=len(bits))
    return (
        np.clip(values, -1, 1).astype("f4")
        if item == "f32"
        else np.clip(np.rint(127.5 + 127.5 * values), 0, 255).astype("u1")
    )


def decoder_case(d: Draw) -> Case:
    code = choose(d, ("streaming", "terminated", "truncated", "tailbiting"))
    item = "u8" if code["kind"] == "convolutional" else "f32"
    size = frame_bits(code)
    bits = d.bits(size * d.whole(0, 4) if size > 1 or code["kind"] == "polar" else d.length(200))
    words = np.concatenate([np.zeros(0, "u1"), *(encoded(code, frame) for frame in whole_frames(code, bits))])
    return Case({"code": code}, [soft(d, words, item, 0.2)])


@define(
    "fec_decoder", source="what is likeliest to have been sent, where the noise is small: " + CCSDS, draw=decoder_case
)
def fec_decoder(p, x):
    return np.concatenate([np.zeros(0, "u1"), *(decided(p.code, word) for word in words_of(p.code, x))])


def words_of(code, x):
    """The received words, centred about 0."""
    values = x.astype("f8") - 127.5 if x.dtype == np.uint8 else x.astype("f8")
    size = {
        "polar": lambda: code["block_bits"],
        "convolutional": lambda: (
            2 * (frame_bits(code) + (MEMORY if code["frames"] == "terminated" else 0))
            if code["frames"] != "streaming"
            else len(values)
        ),
    }.get(code["kind"], lambda: len(values))()
    return [values[at : at + size] for at in range(0, len(values), size)] if size else []


def decided(code, values):
    """Hard decisions, undone: there is so little noise that each is right, but for repetition, whose majority counts."""
    hard = (values > 0).astype(int)
    if code["kind"] == "dummy":
        return hard.astype("u1")
    if code["kind"] == "repetition":
        return (hard.reshape(-1, code["repetitions"]).mean(axis=1) > code["threshold"]).astype("u1")
    if code["kind"] == "polar":
        u = hard @ polar_matrix(len(hard)) % 2  # The matrix is its own inverse.
        return u[free_places(code)].astype("u1")
    count = len(hard) // 2 - (MEMORY if code["frames"] == "terminated" else 0)
    return undone(code, hard)[:count].astype("u1")


def undone(code, hard):
    """The bits of a convolutional word without errors: from each state that it may begin in, the bit that fits."""
    pairs = hard.reshape(-1, 2)
    streams = {abs(k): pairs[:, place] ^ (k < 0) for place, k in enumerate(code["polynomials"])}
    a, b = streams[79], streams[109]
    best = None
    starts = range(64) if code["frames"] == "tailbiting" else [0]
    for start in starts:
        register, bits, wrong = start << 1, [], 0
        for x, y in zip(a, b):
            options = []
            for bit in (0, 1):
                r = register >> 1 | bit << MEMORY
                options.append((((r & 0o171).bit_count() & 1) ^ x) + (((r & 0o133).bit_count() & 1) ^ y))
            bit = int(options[1] < options[0])
            wrong += options[bit]
            register = register >> 1 | bit << MEMORY
            bits.append(bit)
        if best is None or wrong < best[0]:
            best = (wrong, bits)
    return np.array(best[1])


def packet_code(d: Draw) -> dict:
    return choose(d, ("terminated", "truncated", "tailbiting"))


def fitted(code, bits):
    """The code whose frames are as long as the packet, where the code's can be."""
    return {**code, "frame_bits": bits} if code["kind"] == "convolutional" else code


def packet_bits(d: Draw, code, packed):
    size = code["info_bits"] if code["kind"] == "polar" else 1
    count = size * d.whole(1, 3) if size > 1 or code["kind"] == "polar" else d.whole(7, 80)
    return d.items("u8", max(1, count // 8)) if packed else d.bits(count)


def orders(d: Draw, code) -> dict:
    packed = code["kind"] != "polar" and d.one(True, False)
    return {"packed": packed, "order_in": d.one("msb_first", "lsb_first"), "order_out": d.one("msb_first", "lsb_first")}


ORDERS = {"msb_first": "big", "lsb_first": "little"}


def packet_encoded(p, items):
    bits = np.unpackbits(items, bitorder=ORDERS[p.order_in]) if p.packed else items & 1
    code = fitted(p.code, len(bits))
    y = np.concatenate([encoded(code, frame) for frame in whole_frames(code, bits)])
    return np.packbits(y, bitorder=ORDERS[p.order_out]) if p.packed else y


def encoder_packets(d: Draw):
    code = packet_code(d)
    given = {"code": code, **orders(d, code)}
    return given, lambda: packet_bits(d, code, given["packed"])


def encoder_stream(d: Draw) -> Case:
    given, make = encoder_packets(d)
    packets = [(make(), [(0, "a", number)]) for number in range(d.few(0, 5))]
    stream = joined(packets, np.zeros(0, "u1"))
    return Case(given, stream.streams, stream.tags)


@define("fec_packet_encoder", source=CCSDS + ", frames as long as the packet", draw=encoder_stream)
def fec_packet_encoder(p, x, tags):
    return joined([(packet_encoded(p, items), own) for items, own in split(x, tags[0])], x)


@define(
    "fec_packet_encoder_pdu",
    source=CCSDS + ", frames as long as the packet",
    draw=lambda d: (lambda given, make: Case(given, packets=messages(d, lambda _: make(), 5)))(*encoder_packets(d)),
)
def fec_packet_encoder_pdu(p, packets):
    return Result(messages={"out": [Packet(packet_encoded(p, packet.items), packet.meta) for packet in packets]})


def decoder_packets(d: Draw):
    code = packet_code(d)
    item = "u8" if code["kind"] == "convolutional" else "f32"

    def make():
        bits = packet_bits(d, code, False)
        own = fitted(code, len(bits))
        return soft(d, np.concatenate([encoded(own, frame) for frame in whole_frames(own, bits)]), item, 0.2)

    return {"code": code, "packed": d.one(True, False), "order": d.one("msb_first", "lsb_first")}, make, item


def packet_decoded(p, values):
    count = len(values) // 2 - (MEMORY if p.code.get("frames") == "terminated" else 0)
    code = fitted(p.code, count)
    bits = np.concatenate([decided(code, word) for word in words_of(code, values)])
    return np.packbits(bits, bitorder=ORDERS[p.order]) if p.packed else bits


def decoder_stream(d: Draw) -> Case:
    given, make, item = decoder_packets(d)
    packets = [(make(), [(0, "a", number)]) for number in range(d.few(0, 5))]
    stream = joined(packets, np.zeros(0, "u1" if item == "u8" else "f4"))
    return Case(given, stream.streams, stream.tags)


@define(
    "fec_packet_decoder",
    source="what is likeliest to have been sent, where the noise is small: " + CCSDS,
    draw=decoder_stream,
)
def fec_packet_decoder(p, x, tags):
    return joined([(packet_decoded(p, items), own) for items, own in split(x, tags[0])], np.zeros(0, "u1"))


@define(
    "fec_packet_decoder_pdu",
    source="what is likeliest to have been sent, where the noise is small: " + CCSDS,
    draw=lambda d: (lambda given, make, item: Case(given, packets=messages(d, lambda _: make(), 5)))(
        *decoder_packets(d)
    ),
)
def fec_packet_decoder_pdu(p, packets):
    return Result(messages={"out": [Packet(packet_decoded(p, packet.items), packet.meta) for packet in packets]})


def pattern_case(d: Draw) -> dict:
    size = d.whole(1, 32)
    return {"item": d.one("u8", "f32"), "length": size, "pattern": d.whole(1, 2**size - 1), "delay": d.few(0, 40)}


def kept(p):
    """Which items of a group are sent: the bits of the pattern, the highest first, turned to the right."""
    bits = [p.pattern >> (p.length - 1 - k) & 1 for k in range(p.length)]
    return np.array([bits[(k - p.delay) % p.length] for k in range(p.length)], bool)


@define(
    "puncture",
    source="GNU Radio 3.10, gr-fec, puncture_XX",
    draw=lambda d: (lambda given: Case(given, [d.items(given["item"])]))(pattern_case(d)),
)
def puncture(p, x):
    return x[: len(x) // p.length * p.length].reshape(-1, p.length)[:, kept(p)].ravel()


@define(
    "depuncture",
    source="GNU Radio 3.10, gr-fec, depuncture_bb",
    draw=lambda d: (lambda given: Case({**given, "symbol": float(d.whole(0, 255))}, [d.items(given["item"])]))(
        pattern_case(d)
    ),
)
def depuncture(p, x):
    sent = kept(p)
    rows = x[: len(x) // sent.sum() * sent.sum()].reshape(-1, sent.sum())
    y = np.full((len(rows), p.length), p.symbol, x.dtype)
    y[:, sent] = rows
    return y.ravel()


def error_case(d: Draw) -> Case:
    count = d.length()
    a = d.items("u8", count)
    b = a ^ (d.random.random(count) < d.one(0, 0.01, 0.3)).astype("u1")
    return Case({"bytes_per_output": d.few(1, 400)}, [a, b])


@define(
    "ber", source="GNU Radio 3.10, gr-fec, ber_bf: log10 of the rate of wrong bits", draw=error_case, within=8 * EPS
)
def ber(p, a, b):
    wrong = np.cumsum([int(x ^ y).bit_count() for x, y in zip(a, b)])
    ends = [*range(p.bytes_per_output, len(a) + 1, p.bytes_per_output)]
    ends += [len(a)] if len(a) % p.bytes_per_output else []
    return np.array([np.log10(wrong[end - 1] / (8 * end)) for end in ends])
