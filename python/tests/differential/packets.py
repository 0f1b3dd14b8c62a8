"""Packets in streams and as messages: lists of packets, and checksums bit by bit."""

from __future__ import annotations

import time

import numpy as np
from superhet import Packet

from .arithmetic import BLOCKS
from .draw import ALL, DTYPES, Draw
from .driver import Case, Result, define

PDU = "GNU Radio 3.10, gr-pdu, "
KEY = "packet_len"


def of_packets(d: Draw, item: str, count: int | None = None, longest: int = 200, make=None):
    """Items and tags of a stream of packets: the length on the first item of each, and others anywhere."""
    lengths = [d.few(1, longest) for _ in range(d.few(0, 8) if count is None else count)]
    items = [(make or (lambda n: d.items(item, n)))(length) for length in lengths]
    x = np.concatenate([d.items(item, 0), *items])
    starts = np.cumsum([0, *lengths])
    # Metadata is a map: of several tags with one key on an item only one could be in it.
    others = {(index, key): value for index, key, value in d.tags(len(x))}
    tags = [(int(start), KEY, length) for start, length in zip(starts, lengths)] + [
        (*place, value) for place, value in others.items()
    ]
    return x, sorted(tags, key=lambda tag: tag[0])


def stream_case(item_choices=ALL, **params):
    def draw(d: Draw) -> Case:
        item = d.one(*item_choices)
        x, tags = of_packets(d, item)
        given = {name: value(d) for name, value in params.items()}
        return Case({**({"item": item} if len(item_choices) > 1 else {}), **given}, [x], [tags])

    return draw


def split(x, tags):
    """The packets of a stream, each as its items and its other tags by their place in it."""
    return [
        (
            x[start : start + length],
            [
                (index - start, key, value)
                for index, key, value in tags
                if key != KEY and start <= index < start + length
            ],
        )
        for start, key, length in tags
        if key == KEY
    ]


def joined(packets, like):
    """The stream and the tags of packets: what `split` takes apart."""
    tags, at = [], 0
    for items, own in packets:
        tags += [(at, KEY, len(items)), *((at + index, key, value) for index, key, value in own)]
        at += len(items)
    return Result([np.concatenate([like[:0], *(items for items, _ in packets)])], [tags])


@define(
    "stream_to_tagged_stream",
    source=BLOCKS + "stream_to_tagged_stream; the rest is a shorter packet",
    draw=lambda d: (lambda item: Case({"item": item, "packet_length": d.few(1, 300)}, [d.items(item)]))(d.one(*ALL)),
)
def stream_to_tagged_stream(p, x, tags):
    lengths = [(start, KEY, min(p.packet_length, len(x) - start)) for start in range(0, len(x), p.packet_length)]
    return Result([x], [tags[0] + lengths])


def muxed(d: Draw) -> Case:
    item, inputs, count = d.one(*ALL), d.few(1, 5), d.few(0, 6)
    streams = [of_packets(d, item, count) for _ in range(inputs)]
    return Case({"item": item, "inputs": inputs}, [x for x, _ in streams], [tags for _, tags in streams])


@define("tagged_stream_mux", source=BLOCKS + "tagged_stream_mux", draw=muxed)
def tagged_stream_mux(p, *x, tags):
    rounds = zip(*(split(stream, own) for stream, own in zip(x, tags)))
    packets = []
    for parts in rounds:
        at = np.cumsum([0, *(len(items) for items, _ in parts)])
        own = [(int(start) + index, key, value) for start, (_, tags) in zip(at, parts) for index, key, value in tags]
        packets.append((np.concatenate([items for items, _ in parts]), own))
    return joined(packets, x[0])


@define(
    "tagged_stream_multiply_length",
    source=BLOCKS + "tagged_stream_multiply_length",
    draw=stream_case(scalar=lambda d: d.one(1.0, 2.0, 8.0)),
)
def tagged_stream_multiply_length(p, x, tags):
    return Result(
        [x], [[(index, key, int(value * p.scalar) if key == KEY else value) for index, key, value in tags[0]]]
    )


def headless(d: Draw) -> Case:
    item = d.one(*ALL)
    x, tags = of_packets(d, item)
    before = d.items(item, d.length(200))
    moved = [(index + len(before), key, value) for index, key, value in tags]
    return Case({"item": item}, [np.concatenate([before, x])], [d.tags(len(before)) + moved])


@define("tagged_stream_align", source=BLOCKS + "tagged_stream_align", draw=headless)
def tagged_stream_align(p, x, tags):
    first = min((index for index, key, _ in tags[0] if key == KEY), default=len(x))
    return Result([x[first:]], [[(index - first, key, value) for index, key, value in tags[0] if index >= first]])


def mirrored(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


def crc(data, bits, poly, init, reflect_in, reflect_out, final):
    """R. Williams, A Painless Guide to CRC Error Detection Algorithms, 1993: the division, bit by bit."""
    register = init
    for byte in data:
        for k in range(8):
            bit = int(byte) >> (k if reflect_in else 7 - k) & 1
            top = register >> (bits - 1) & 1
            register = (register << 1 & (1 << bits) - 1) ^ (poly if top ^ bit else 0)
    return (mirrored(register, bits) if reflect_out else register) ^ final


# G. Cook, Catalogue of parametrised CRC algorithms.
CATALOGUE = {
    "ibm_3740": (16, 0x1021, 0xFFFF, False, False, 0),
    "ibm_sdlc": (16, 0x1021, 0xFFFF, True, True, 0xFFFF),
    "xmodem": (16, 0x1021, 0, False, False, 0),
    "kermit": (16, 0x1021, 0, True, True, 0),
    "modbus": (16, 0x8005, 0xFFFF, True, True, 0),
    "iso_hdlc": (32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "iscsi": (32, 0x1EDC6F41, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "bzip2": (32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0xFFFFFFFF),
    "mpeg_2": (32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0),
}


def checksum(p, items):
    value = crc(items, *CATALOGUE[p.algorithm])
    return np.frombuffer(value.to_bytes(CATALOGUE[p.algorithm][0] // 8, p.byte_order), "u1")


def appended(p, items):
    return np.concatenate([items, checksum(p, items)])


def checked(p, items):
    """The packet without its checksum, and whether that was right; nothing of a packet that is too short for one."""
    size = CATALOGUE[p.algorithm][0] // 8
    body = items[: max(len(items) - size, 0)]
    return body, len(items) >= size and bool(np.array_equal(checksum(p, body), items[len(body) :]))


def messages(d: Draw, make, most=8) -> list[Packet]:
    return [Packet(make(d.few(1, 200)), {key: value for _, key, value in d.tags(3)}) for _ in range(d.few(0, most))]


def settings(d: Draw, bits: int) -> dict:
    algorithms = [name for name, values in CATALOGUE.items() if values[0] == bits]
    return {"algorithm": d.one(*algorithms), "byte_order": d.one("little", "big")}


class _Settings:
    def __init__(self, given):
        self.__dict__.update(given)


def maybe_right(d: Draw, given: dict, length: int):
    """Bytes with a checksum, which is wrong now and then."""
    items = appended(_Settings(given), d.items("u8", length))
    if d.random.random() < 0.3:
        items[d.whole(0, len(items) - 1)] ^= 1 << d.whole(0, 7)
    return items


for bits in (16, 32):
    source = f"G. Cook, Catalogue of parametrised CRC algorithms; {bits} bits"

    def append_case(d, bits=bits):
        x, tags = of_packets(d, "u8")
        return Case(settings(d, bits), [x], [tags])

    def check_case(d, bits=bits):
        given = {**settings(d, bits), "when_bad": d.one("drop", "mark")}
        x, tags = of_packets(d, "u8", make=lambda n: d.items("u8", n))
        packets = [maybe_right(d, given, d.few(1, 100)) for _ in range(d.few(0, 8))]
        starts = np.cumsum([0, *(len(items) for items in packets)])
        x = np.concatenate([d.items("u8", 0), *packets])
        # Tags on what is not taken off.
        others = [(int(start), "a", number) for number, start in enumerate(starts[:-1])]
        return Case(
            given,
            [x],
            [
                sorted(
                    [(int(start), KEY, len(items)) for start, items in zip(starts, packets)] + others,
                    key=lambda tag: tag[0],
                )
            ],
        )

    @define(f"crc{bits}_append", source=source, draw=append_case)
    def append(p, x, tags):
        return joined([(appended(p, items), own) for items, own in split(x, tags[0])], x)

    @define(
        f"crc{bits}_append_pdu",
        source=source,
        draw=lambda d, bits=bits: Case(settings(d, bits), packets=messages(d, lambda n: d.items("u8", n))),
    )
    def append_pdu(p, packets):
        return Result(messages={"out": [Packet(appended(p, packet.items), packet.meta) for packet in packets]})

    @define(f"crc{bits}_check", source=source, draw=check_case)
    def check(p, x, tags):
        kept = []
        for items, own in split(x, tags[0]):
            body, right = checked(p, items)
            if right or p.when_bad == "mark":
                kept.append((body, own + ([(0, "crc_ok", right)] if p.when_bad == "mark" else [])))
        return joined(kept, x)

    def check_pdu_case(d, bits=bits):
        given = {**settings(d, bits), "when_bad": d.one("drop", "mark")}
        return Case(given, packets=messages(d, lambda n: maybe_right(d, given, n)))

    @define(f"crc{bits}_check_pdu", source=source, draw=check_pdu_case)
    def check_pdu(p, packets):
        kept = []
        for packet in packets:
            body, right = checked(p, packet.items)
            if right or p.when_bad == "mark":
                kept.append(Packet(body, {**packet.meta, **({"crc_ok": right} if p.when_bad == "mark" else {})}))
        return Result(messages={"out": kept})


@define(
    "tagged_stream_to_pdu",
    source=PDU + "tagged_stream_to_pdu",
    draw=stream_case(metadata=lambda d: d.one("first", "all"), index=lambda d: d.one(True, False)),
)
def tagged_stream_to_pdu(p, x, tags):
    packets, at = [], 0
    for items, own in split(x, tags[0]):
        meta = {key: value for index, key, value in own if p.metadata == "all" or index == 0}
        packets.append(Packet(items, {**meta, **({"index": at} if p.index else {})}))
        at += len(items)
    return Result(messages={"out": packets})


def packet_case(item_choices=ALL, **params):
    def draw(d: Draw) -> Case:
        item = d.one(*item_choices)
        given = {name: value(d) for name, value in params.items()}
        return Case(
            {**({"item": item} if len(item_choices) > 1 else {}), **given},
            packets=messages(d, lambda n: d.items(item, n)),
        )

    return draw


SINGLE = ("C32", "f32", "i32", "i16", "i8", "u8")  # Packets of pairs have no array that says so.


@define(
    "pdu_to_tagged_stream",
    source=PDU + "pdu_to_tagged_stream: metadata becomes tags of the first item",
    draw=packet_case(SINGLE),
)
def pdu_to_tagged_stream(p, packets):
    like = np.zeros(0, DTYPES[p.item])
    return joined([(packet.items, [(0, key, value) for key, value in packet.meta.items()]) for packet in packets], like)


@define("pdu_to_stream", source=PDU + "pdu_to_stream_X", draw=packet_case(SINGLE))
def pdu_to_stream(p, packets):
    return np.concatenate([np.zeros(0, DTYPES[p.item]), *(packet.items for packet in packets)])


any_packets = packet_case(("u8", "f32", "C32"))


def of_any(**params):
    def draw(d: Draw) -> Case:
        return Case({name: value(d) for name, value in params.items()}, packets=any_packets(d).packets)

    return draw


@define(
    "pdu_filter",
    source=PDU + "pdu_filter",
    draw=of_any(key=lambda d: d.one("a", "b"), value=lambda d: d.one(0, 1, "v1"), invert=lambda d: d.one(True, False)),
)
def pdu_filter(p, packets):
    return Result(messages={"out": [packet for packet in packets if (packet.meta.get(p.key) == p.value) != p.invert]})


@define(
    "pdu_set",
    source=PDU + "pdu_set",
    draw=of_any(key=lambda d: d.one("a", "new"), value=lambda d: d.one(7, "text", [1, 2])),
)
def pdu_set(p, packets):
    return Result(messages={"out": [Packet(packet.items, {**packet.meta, p.key: p.value}) for packet in packets]})


@define("pdu_remove", source=PDU + "pdu_remove", draw=of_any(key=lambda d: d.one("a", "b", "none")))
def pdu_remove(p, packets):
    return Result(
        messages={
            "out": [
                Packet(packet.items, {key: value for key, value in packet.meta.items() if key != p.key})
                for packet in packets
            ]
        }
    )


@define("pdu_split", source=PDU + "pdu_split", draw=of_any())
def pdu_split(p, packets):
    return Result(
        messages={"dict": [packet.meta for packet in packets], "vec": [Packet(packet.items) for packet in packets]}
    )


def constant_case(d: Draw) -> Case:
    item = d.one("C32", "f32")
    return Case(
        {"item": item, "constant": d.gain(), **({"constant_imag": d.gain()} if item == "C32" else {})},
        packets=messages(d, lambda n: d.items(item, n)),
    )


def each(packets, change):
    return Result(
        messages={"out": [Packet(change(packet.items).astype(packet.items.dtype), packet.meta) for packet in packets]}
    )


@define(
    "multiply_const_pdu",
    source=BLOCKS + "multiply_const_XX, of packets",
    draw=lambda d: (lambda case: Case({**case.params, "constant_imag": 0.0}, packets=case.packets))(constant_case(d)),
)
def multiply_const_pdu(p, packets):
    return each(packets, lambda x: x * np.float32(p.constant))


@define("add_const_pdu", source=BLOCKS + "add_const_XX, of packets", draw=constant_case)
def add_const_pdu(p, packets):
    constant = complex(p.constant, p.constant_imag) if p.item == "C32" else p.constant
    return each(packets, lambda x: x + np.array(constant).astype(x.dtype))


def judge_random(p, got):
    for packet in got.messages["out"]:
        if (
            len(packet) % p.length_modulo
            or not p.min_length <= len(packet) <= p.max_length
            or np.any(packet.items & ~np.uint8(p.mask))
        ):
            return f"a packet of {len(packet)} bytes, or a bit outside of the mask"
    return None if len(got.messages["out"]) == p.count else f"{len(got.messages['out'])} packets, expected {p.count}"


def random_case(d: Draw) -> Case:
    low, modulo = d.few(1, 100), d.one(1, d.whole(1, 9))
    return Case(
        {
            "min_length": low,
            "max_length": low + modulo + d.few(0, 100),
            "count": d.few(0, 30),
            "seed": d.whole(0, 2**31),
            "mask": d.whole(0, 255),
            "length_modulo": modulo,
        }
    )


@define(
    "random_pdu", source=PDU + "random_pdu: lengths, the mask and their number", draw=random_case, judge=judge_random
)
def random_pdu(p):
    return Result()


@define(
    "take_skip_to_pdu",
    source=PDU + "take_skip_to_pdu_X",
    draw=lambda d: (
        lambda item: Case(
            {"item": item, "take": d.few(1, 100), "skip": d.few(0, 100), "entry": d.one("index", "pdu_num")},
            [d.items(item)],
        )
    )(d.one(*ALL)),
)
def take_skip_to_pdu(p, x):
    starts = range(0, len(x) - p.take + 1, p.take + p.skip)
    return Result(
        messages={
            "out": [
                Packet(x[start : start + p.take], {p.entry: start if p.entry == "index" else number})
                for number, start in enumerate(starts)
            ]
        }
    )


def bursts(d: Draw) -> Case:
    item, count = d.one("C32", "f32", "u8", "i16"), d.length()
    places = sorted({d.whole(0, max(count - 1, 0)) for _ in range(d.few(0, 12))}) if count else []
    tags = [(place, d.one("SOB", "EOB", "EOB", "other"), None) for place in places]
    prepend = d.items("i16", d.one(0, d.few(0, 5))).tolist() if item != "u8" else []
    alignment = d.one(1, d.few(1, 9))
    params = {
        "item": item,
        "max_length": d.one(1 << 20, d.few(1, 300) + len(prepend)),
        "rate_hz": d.one(1.0, 48e3),
        "prepend": prepend,
        "eob_alignment": alignment,
        "eob_offset": d.whole(0, alignment - 1),
        "start_time": d.one(0.0, 12.25),
        "index": d.one(True, False),
    }
    return Case(params, [d.items(item, count)], [tags])


@define("tags_to_pdu", source=PDU + "tags_to_pdu_X", draw=bursts)
def tags_to_pdu(p, x, tags):
    """From each start tag up to an end tag, or to the greatest length, with zeros up to the alignment."""
    packets, detects, begun = [], [], None
    at = {}
    for index, key, _ in tags[0]:
        at.setdefault(index, []).append(key)
    prepended = np.array(p.prepend, x.dtype) if len(p.prepend) else x[:0]

    def send(end):
        items = np.concatenate([prepended, x[begun:end]])
        missing = (p.eob_offset - len(items)) % p.eob_alignment
        moment = p.start_time + begun / p.rate_hz
        meta = {"index": begun} if p.index else {}
        meta |= {
            "pdu_num": len(detects) - 1,
            "rx_time": (int(moment), moment % 1),
            "sample_rate": p.rate_hz,
        }
        packets.append(Packet(np.concatenate([items, np.zeros(missing, x.dtype)]), meta))

    for n in range(len(x)):
        keys = at.get(n, [])
        if "EOB" in keys and begun is not None and begun < n:
            send(n)
            begun = None
        if "SOB" in keys:
            begun = n
            detects.append(n)
        if begun is not None and len(prepended) + n + 1 - begun == p.max_length:
            send(n + 1)
            begun = None
    return Result(messages={"out": packets, "detects": detects})


def judge_time(p, got):
    now = time.time()
    late = [packet.meta[p.key] for packet in got.messages["out"] if not now - 600 < packet.meta[p.key] <= now + 1]
    return f"the time {late[0]} at {now}" if late else None


@define(
    "add_system_time",
    source=PDU + "add_system_time: the time within ten minutes",
    draw=of_any(key=lambda d: d.one("systime", "t")),
    judge=judge_time,
)
def add_system_time(p, packets):
    return Result()


def judge_delta(p, got):
    for packet in got.messages["out"]:
        if (
            p.time_key in packet.meta
            and not 0 < time.time() - packet.meta[p.time_key] - packet.meta[p.delta_key] / 1e3 + 1 < 601
        ):
            return f"{packet.meta[p.delta_key]} ms since {packet.meta[p.time_key]}"
        if p.time_key not in packet.meta and p.delta_key in packet.meta:
            return "a difference without a time"
    return None


@define(
    "time_delta",
    source=PDU + "time_delta",
    draw=lambda d: Case(
        {},
        packets=[
            Packet(
                packet.items,
                {**packet.meta, **({"systime": time.time() - d.whole(0, 1000)} if d.one(True, False) else {})},
            )
            for packet in any_packets(d).packets
        ],
    ),
    judge=judge_delta,
)
def time_delta(p, packets):
    return Result()


def general(d: Draw) -> dict:
    bits = 8 * d.whole(1, 8)
    number = lambda: hex(int.from_bytes(d.random.bytes(bits // 8), "big"))
    return {
        "num_bits": bits,
        "poly": number(),
        "initial_value": number(),
        "final_xor": number(),
        **{name: d.one(True, False) for name in ("input_reflected", "result_reflected", "swap_endianness")},
        "skip_header_bytes": d.one(0, d.whole(0, 9)),
    }


def general_checksum(p, items):
    """The initial value is that of a register whose order is that of the input."""
    poly, initial, final = (int(number, 0) for number in (p.poly, p.initial_value, p.final_xor))
    initial = mirrored(initial, p.num_bits) if p.input_reflected else initial
    value = crc(items[p.skip_header_bytes :], p.num_bits, poly, initial, p.input_reflected, p.result_reflected, final)
    return np.frombuffer(value.to_bytes(p.num_bits // 8, "little" if p.swap_endianness else "big"), "u1")


@define(
    "crc_append",
    source="GNU Radio 3.10, gr-digital, crc_append; R. Williams, A Painless Guide to CRC Error Detection Algorithms, 1993",
    draw=lambda d: Case(general(d), packets=messages(d, lambda n: d.items("u8", n))),
)
def crc_append(p, packets):
    kept = [packet for packet in packets if len(packet) >= p.skip_header_bytes]
    return Result(
        messages={
            "out": [
                Packet(np.concatenate([packet.items, general_checksum(p, packet.items)]), packet.meta)
                for packet in kept
            ]
        }
    )


def general_check(d: Draw) -> Case:
    given = general(d)

    def make(n):
        items = d.items("u8", n + given["skip_header_bytes"])
        items = np.concatenate([items, general_checksum(_Settings(given), items)])
        if d.random.random() < 0.3:
            items[d.whole(given["skip_header_bytes"], len(items) - 1)] ^= 1
        return items

    return Case({**given, "discard_crc": d.one(True, False)}, packets=messages(d, make))


@define("crc_check", source="GNU Radio 3.10, gr-digital, crc_check", draw=general_check)
def crc_check(p, packets):
    sent = {"ok": [], "fail": []}
    for packet in packets:
        body = packet.items[: len(packet) - p.num_bits // 8]
        right = np.array_equal(general_checksum(p, body), packet.items[len(body) :])
        sent["ok" if right else "fail"].append(Packet(body if p.discard_crc else packet.items, packet.meta))
    return Result(messages=sent)


def unpacked(items):
    """The bits of bytes, the lowest of each first."""
    return np.unpackbits(items, bitorder="little")


def ethernet(d: Draw, check: bool, packed: bool, length: int):
    items = d.items("u8", length)
    items = maybe_right(d, {"algorithm": "iso_hdlc", "byte_order": "little"}, length) if check else items
    return items if packed else unpacked(items)


def with_ethernet(p, items):
    """Appends CRC-32 of Ethernet, or takes it off: `None` where it is wrong."""
    settings = _Settings({"algorithm": "iso_hdlc", "byte_order": "little"})
    items = items if p.packed else np.packbits(items, bitorder="little")
    if p.check:
        items, right = checked(settings, items)
    else:
        items, right = appended(settings, items), True
    return (items if p.packed else unpacked(items)) if right else None


def ethernet_stream(d: Draw) -> Case:
    params = {"check": d.one(True, False), "packed": d.one(True, False)}
    packets = [(ethernet(d, params["check"], params["packed"], d.few(1, 60)), []) for _ in range(d.few(0, 8))]
    stream = joined(packets, d.items("u8", 0))
    return Case(params, stream.streams, stream.tags)


@define("crc32", source="GNU Radio 3.10, gr-digital, crc32_bb; CRC-32/ISO-HDLC", draw=ethernet_stream)
def crc32(p, x, tags):
    kept = [(with_ethernet(p, items), own) for items, own in split(x, tags[0])]
    return joined([packet for packet in kept if packet[0] is not None], x)


@define(
    "crc32_pdu",
    source="GNU Radio 3.10, gr-digital, crc32_async_bb; CRC-32/ISO-HDLC",
    draw=lambda d: (
        lambda params: Case(params, packets=messages(d, lambda n: ethernet(d, params["check"], params["packed"], n)))
    )({"check": d.one(True, False), "packed": d.one(True, False)}),
)
def crc32_pdu(p, packets):
    kept = [(with_ethernet(p, packet.items), packet.meta) for packet in packets]
    return Result(messages={"out": [Packet(items, meta) for items, meta in kept if items is not None]})
