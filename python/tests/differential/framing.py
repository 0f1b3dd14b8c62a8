"""Where packets begin and end: access codes, HDLC, headers, bursts."""

from __future__ import annotations

import numpy as np
from superhet import Packet

from .draw import Draw
from .driver import EPS, Case, Result, define
from .packets import KEY, crc, joined, messages, of_packets, split
from .symbols import DIGITAL, Register


def coded_bits(d: Draw, code: str, item: str, behind=lambda d: []):
    """Random bits with the code in them now and then, a few bits of it wrong."""
    bits = list(d.bits(d.length(300)))
    for _ in range(d.whole(0, 6)):
        word = [int(digit) for digit in code]
        if d.random.random() < 0.4:
            word[d.whole(0, len(word) - 1)] ^= 1
        bits += [*word, *behind(d), *d.bits(d.few(0, 200))]
    bits = np.array(bits, int)
    if item == "f32":
        return ((2 * bits - 1) * d.random.uniform(0.01, 1, len(bits))).astype("f4")
    return (bits + 2 * d.whole(0, 100) * d.one(0, 1)).astype("u1")


def code_case(item_choices, behind=lambda d: [], **more):
    def draw(d: Draw) -> Case:
        item, code = d.one(*item_choices), "".join(str(bit) for bit in d.bits(d.one(64, 32, d.whole(8, 64))))
        params = {"access_code": code, "threshold": d.one(0, 1, d.whole(0, min(4, len(code) // 4)))}
        return Case(
            {**({"item": item} if len(item_choices) > 1 else {}), **params, **more}, [coded_bits(d, code, item, behind)]
        )

    return draw


def hard(x):
    return (x >= 0).astype(int) if x.dtype.kind == "f" else (x & 1).astype(int)


def wrong_bits(p, bits, end):
    """How many of the bits before `end` differ from the code."""
    code = np.array([int(digit) for digit in p.access_code])
    return int((bits[end - len(code) : end] != code).sum())


@define(
    "correlate_access_code",
    source=DIGITAL + "correlate_access_code_bb: 64 zeros come first, and count as bits",
    draw=code_case(("u8",)),
)
def correlate_access_code(p, x):
    bits = np.concatenate([np.zeros(128, int), hard(x)])
    flags = [wrong_bits(p, bits, 64 + n) <= p.threshold for n in range(len(x))]
    return (bits[64 : 64 + len(x)] + 2 * np.array(flags, int)).astype("u1")


@define(
    "correlate_access_code_tag",
    source=DIGITAL + "correlate_access_code_tag_bb: the tag says how many bits were wrong",
    draw=code_case(("u8", "f32")),
)
def correlate_access_code_tag(p, x, tags):
    bits, found = hard(x), []
    for end in range(len(p.access_code), len(x) + 1):
        wrong = wrong_bits(p, bits, end)
        if wrong <= p.threshold:
            found.append((end, "sync", wrong))
    return Result([x], [tags[0] + found])


def header_and_bytes(d: Draw):
    """The length of what follows twice, and as many bytes; now and then with a mistake."""
    count = d.few(0, 20)
    length = [count >> k & 1 for k in range(15, -1, -1)]
    other = list(length)
    if d.random.random() < 0.2:
        other[d.whole(0, 15)] ^= 1
    return [*length, *other, *d.bits(8 * count)]


@define(
    "correlate_access_code_ts",
    source=DIGITAL + "correlate_access_code_XX_ts: 16 bits of length twice, then so many bytes",
    draw=code_case(("u8", "f32"), header_and_bytes),
)
def correlate_access_code_ts(p, x):
    bits, size, at, start, packets = hard(x), len(p.access_code), 0, 0, []
    end = size
    while end <= len(x):
        if wrong_bits(p, bits, end) > p.threshold:
            end += 1
            continue
        header = bits[end : end + 32]
        if len(header) < 32:
            break
        first, second = (int("".join(map(str, half)), 2) for half in (header[:16], header[16:]))
        begin = end + 32
        if first == second and first > 0:
            packets.append((begin, 8 * first))
            begin += 8 * first
        end = begin + size
    y = [x[begin : begin + length] for begin, length in packets]
    at = np.cumsum([0, *(len(part) for part in y)])
    return Result(
        [np.concatenate([x[:0], *y])],
        [[(int(start), KEY, length) for start, (begin, length) in zip(at, packets) if begin < len(x)]],
    )


def hdlc(items):
    """ISO/IEC 13239: a flag, the bits, the lowest of each byte first, with a zero behind every five ones, a flag."""
    check = crc(items, 16, 0x1021, 0xFFFF, True, True, 0xFFFF)
    flag, bits, ones = [0, 1, 1, 1, 1, 1, 1, 0], [], 0
    for bit in np.unpackbits(
        np.concatenate([items, np.frombuffer(check.to_bytes(2, "little"), "u1")]), bitorder="little"
    ):
        bits.append(int(bit))
        ones = ones + 1 if bit else 0
        if ones == 5:
            bits.append(0)
            ones = 0
    return [*flag, *bits, *flag]


def small(d: Draw, n):
    """Bytes with many ones."""
    return d.items("u8", min(n, 60)) | (d.items("u8", min(n, 60)) & d.one(0, 255))


@define(
    "hdlc_framer",
    source="ISO/IEC 13239; GNU Radio 3.10, gr-digital, hdlc_framer_pb",
    draw=lambda d: Case({}, packets=messages(d, lambda n: small(d, n))),
)
def hdlc_framer(p, packets):
    frames = [
        (np.array(hdlc(packet.items), "u1"), [(0, key, value) for key, value in packet.meta.items()])
        for packet in packets
    ]
    return joined(frames, np.zeros(0, "u1"))


def hdlc_stream(d: Draw) -> Case:
    bits = list(d.bits(d.few(0, 40)))
    for _ in range(d.whole(0, 6)):
        frame = hdlc(small(d, d.few(1, 50)))
        if d.random.random() < 0.2:
            frame[d.whole(8, len(frame) - 9)] ^= 1
        # Frames share a flag, follow each other, or have bits between them.
        bits = (
            bits[:-8] + frame
            if d.random.random() < 0.3 and len(bits) > 100
            else bits + list(d.bits(d.one(0, 9))) + frame
        )
    return Case(
        {"min_length": d.one(0, d.few(0, 20)), "max_length": d.one(500, d.whole(20, 60))}, [np.array(bits, "u1")]
    )


@define("hdlc_deframer", source="ISO/IEC 13239; GNU Radio 3.10, gr-digital, hdlc_deframer_bp", draw=hdlc_stream)
def hdlc_deframer(p, x):
    """Between two flags: zeros behind five ones are taken out, and what is whole bytes with the right checksum is a packet."""
    text = "".join(str(bit & 1) for bit in x)
    packets, flag = [], "01111110"
    starts = [at for at in range(len(text) - 7) if text[at : at + 8] == flag]
    for begin, end in zip(starts, starts[1:]):
        between = text[begin + 8 : end]
        if end < begin + 8 or "1111111" in text[begin + 7 : end + 1] or "111111" in between:
            continue
        bits = between.replace("111110", "11111")
        if len(bits) % 8:
            continue
        items = np.packbits(np.array([int(bit) for bit in bits], "u1"), bitorder="little")
        body = items[:-2]
        if len(items) < 2 or not p.min_length <= len(body) <= p.max_length:
            continue
        if crc(body, 16, 0x1021, 0xFFFF, True, True, 0xFFFF) == int.from_bytes(items[-2:].tobytes(), "little"):
            packets.append(Packet(body))
    return Result(messages={"out": packets})


def shaped(d: Draw) -> Case:
    item = d.one("C32", "f32")
    x, tags = of_packets(d, item, longest=60, make=lambda n: d.ordinary(item, n))
    window = [float(w) for w in d.random.random(d.few(0, 30)).astype("f4")]
    return Case(
        {
            "item": item,
            "window": window,
            "pre_padding": d.few(0, 20),
            "post_padding": d.few(0, 20),
            "insert_phasing": d.one(True, False),
        },
        [x],
        [[tag for tag in tags if tag[1] == KEY]],
    )


@define("burst_shaper", source=DIGITAL + "burst_shaper_XX", draw=shaped, within=2 * EPS)
def burst_shaper(p, x, tags):
    # Of a burst that is shorter than the window, each half is laid over half of it from its own beginning on.
    half = -(-len(p.window) // 2)
    up, down = np.array(p.window[:half]), np.array(p.window[len(p.window) - half :])

    def shape(burst):
        if p.insert_phasing:
            signs = (-1.0) ** np.arange(half)
            body = np.concatenate([up * signs, burst, down * signs])
        else:
            fits = min(half, len(burst) // 2)
            body = burst.astype("c16" if x.dtype.kind == "c" else "f8")
            body[:fits] *= up[:fits]
            body[len(body) - fits :] *= down[:fits]
        return np.concatenate([np.zeros(p.pre_padding), body, np.zeros(p.post_padding)])

    return joined(
        [(shape(items), []) for items, _ in split(x, tags[0])], x.astype("c16" if x.dtype.kind == "c" else "f8")
    )


def header_params(d: Draw) -> dict:
    bits = d.whole(1, 8)
    return {"header_length": -(-32 // bits) + d.one(0, d.few(0, 9)), "bits_per_item": bits, "scramble": d.one(True, False)}


def header_bits(length, number):
    """12 bits of length, 12 of number, the lowest first, and a CRC-8 (0x07, from 0xff) of both as two bytes each, the lower first."""
    check = crc([length & 255, length >> 8, number & 255, number >> 8], 8, 0x07, 0xFF, False, False, 0)
    word = length | number << 12 | check << 24
    return [word >> k & 1 for k in range(32)]


class _Scramble:
    mask, seed, length = 0x8A, 0x6F, 7


def header_items(p, length, number):
    bits = np.zeros(p.header_length * p.bits_per_item, int)
    bits[:32] = header_bits(length, number)
    if p.scramble:
        register = Register(_Scramble)
        flips = np.array([register.next() for _ in bits])
        bits ^= flips
    return (bits.reshape(p.header_length, p.bits_per_item) << np.arange(p.bits_per_item)).sum(axis=1).astype("u1")


def numbered(d: Draw) -> Case:
    x, tags = of_packets(d, "u8")
    return Case(header_params(d), [x], [[tag for tag in tags if tag[1] == KEY]])


@define(
    "packet_headergenerator",
    source=DIGITAL + "packet_header_default: 32 bits of length, number and CRC-8",
    draw=numbered,
)
def packet_headergenerator(p, x, tags):
    return joined([(header_items(p, len(items), number), []) for number, (items, _) in enumerate(split(x, tags[0]))], x)


def headers(d: Draw) -> Case:
    params = header_params(d)
    p = type("Params", (), params)
    x = [header_items(p, d.whole(0, 4095), d.whole(0, 4095)) for _ in range(d.few(0, 9))]
    for header in x:
        if d.random.random() < 0.3:
            header[d.whole(0, -(-32 // params["bits_per_item"]) - 1)] ^= 1
    return Case(params, [np.concatenate([np.zeros(0, "u1"), *x])])


@define("packet_headerparser", source=DIGITAL + "packet_headerparser_b with packet_header_default", draw=headers)
def packet_headerparser(p, x):
    sent = []
    for header in x[: len(x) // p.header_length * p.header_length].reshape(-1, p.header_length):
        bits = (header[:, None].astype(int) >> np.arange(p.bits_per_item) & 1).ravel()
        if p.scramble:
            register = Register(_Scramble)
            bits = bits ^ np.array([register.next() for _ in bits])
        word = sum(int(bit) << k for k, bit in enumerate(bits[:32]))
        length, number = word & 4095, word >> 12 & 4095
        sent.append({KEY: length, "packet_num": number} if header_bits(length, number) == list(bits[:32]) else False)
    return Result(messages={"header_data": sent})
