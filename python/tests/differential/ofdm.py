"""OFDM: symbols of `fft_len` carriers, in numpy."""

from __future__ import annotations


import numpy as np

from .draw import Draw, pairs
from .driver import EPS, Case, Result, define
from .packets import KEY, joined, split
from .symbols import DIGITAL


def carriers(d: Draw, size: int, pilots: bool = True) -> dict:
    """Numbers of carriers, negative below 0, for data and pilots of one symbol after another."""
    occupied, pilot = [], []
    for _ in range(d.whole(1, 3)):
        places = [int(place) - size // 2 for place in d.random.permutation(size)]
        used = d.whole(1, size - 2)
        occupied.append(places[:used])
        pilot.append(places[used : used + d.whole(0, size - used)])
    symbols = [pairs(d.ordinary("C32", len(row))) for row in pilot]
    return {"occupied_carriers": occupied, **({"pilot_carriers": pilot, "pilot_symbols": symbols} if pilots else {})}


def places(row, size, shifted):
    return [number + size // 2 if shifted else number % size for number in row]


def data_packets(d: Draw, lengths):
    packets = [(d.ordinary("C32", length), []) for length in lengths]
    stream = joined(packets, np.zeros(0, "c8"))
    return stream.streams, stream.tags


def allocated(d: Draw) -> Case:
    size = d.one(8, 16, d.whole(4, 30))
    words = [pairs(d.ordinary("C32", size)) for _ in range(d.whole(0, 2))]
    given = carriers(d, size)
    fits = all(set(a).isdisjoint(b) for a in given["occupied_carriers"] for b in given["pilot_carriers"])
    if not fits:
        given["pilot_carriers"] = given["pilot_symbols"] = []
    streams, tags = data_packets(d, [d.few(1, 60) for _ in range(d.few(0, 5))])
    return Case({"fft_length": size, **given, "sync_words": words, "output_is_shifted": d.one(True, False)}, streams, tags)


@define("ofdm_carrier_allocator", source=DIGITAL + "ofdm_carrier_allocator_cvc", draw=allocated)
def ofdm_carrier_allocator(p, x, tags):
    """Sync words, then symbols with the data on one list of carriers after another, and the pilots of theirs."""
    packets = []
    for items, _ in split(x, tags[0]):
        rows, rest, k = [np.array([complex(*value) for value in word]) for word in p.sync_words], list(items), 0
        while rest:
            row = np.zeros(p.fft_length, "c8")
            here = places(p.occupied_carriers[k % len(p.occupied_carriers)], p.fft_length, p.output_is_shifted)
            for place in here[: len(rest)]:
                row[place] = rest.pop(0)
            if p.pilot_carriers:
                own = places(p.pilot_carriers[k % len(p.pilot_carriers)], p.fft_length, p.output_is_shifted)
                row[own] = [complex(*value) for value in p.pilot_symbols[k % len(p.pilot_symbols)]]
            rows.append(row)
            k += 1
        packets.append((np.concatenate(rows), []))
    return joined(packets, np.zeros(0, "c8"))


def serialized(d: Draw) -> Case:
    size = d.one(8, 16, d.whole(4, 30))
    given = carriers(d, size, pilots=False)
    streams, tags = data_packets(d, [size * d.whole(1, 5) for _ in range(d.few(0, 5))])
    return Case(
        {"fft_length": size, **given, "symbols_skipped": d.whole(0, 4), "input_is_shifted": d.one(True, False)},
        streams,
        tags,
    )


@define("ofdm_serializer", source=DIGITAL + "ofdm_serializer_vcc", draw=serialized)
def ofdm_serializer(p, x, tags):
    packets = []
    for items, _ in split(x, tags[0]):
        rows = items.reshape(-1, p.fft_length)
        lists = [p.occupied_carriers[(p.symbols_skipped + k) % len(p.occupied_carriers)] for k in range(len(rows))]
        packets.append(
            (np.concatenate([row[places(own, p.fft_length, p.input_is_shifted)] for row, own in zip(rows, lists)]), [])
        )
    return joined(packets, x)


def prefixed(d: Draw) -> Case:
    size = d.whole(4, 40)
    prefix = d.whole(0, size)
    rolloff = d.one(0, d.whole(0, max(prefix - 1, 0)))
    params = {"fft_length": size, "cp_length": prefix, "rolloff_length": rolloff, "length_tag": d.one("", KEY)}
    if not params["length_tag"]:
        return Case(params, [d.ordinary("C32")])
    streams, tags = data_packets(d, [size * d.whole(1, 5) for _ in range(d.few(0, 5))])
    return Case(params, streams, tags)


@define(
    "ofdm_cyclic_prefixer",
    source=DIGITAL + "ofdm_cyclic_prefixer",
    draw=prefixed,
    within=lambda p, x, tags: 8 * EPS * np.abs(x).max(initial=0),
)
def ofdm_cyclic_prefixer(p, x, tags):
    """The end of each symbol before it; the first `rolloff − 1` items rise, and what falls of the symbol before is added."""
    r = p.rolloff_length
    rise = 0.5 * (1 - np.cos(np.pi * np.arange(1, r) / r)) if r else np.zeros(0)

    def put(items):
        y, fall = [], np.zeros(len(rise))
        for symbol in items[: len(items) // p.fft_length * p.fft_length].reshape(-1, p.fft_length).astype("c16"):
            whole = np.concatenate([symbol[p.fft_length - p.cp_length :], symbol])
            whole[: len(rise)] = whole[: len(rise)] * rise + fall
            fall = symbol[: len(rise)] * rise[::-1]
            y.append(whole)
        return np.concatenate([np.zeros(0), *y, *([fall] if p.length_tag else [])])

    if p.length_tag:
        return joined([(put(items), []) for items, _ in split(x, tags[0])], np.zeros(0, "c16"))
    return Result([put(x)])


def sync_symbol(d: Draw, size: int, every: int):
    """Ones and minus ones on every second carrier, or on all but the edges."""
    values = d.random.choice([-1.0, 1.0], size)
    values[:2] = values[-2:] = 0
    if every == 2:
        values[1::2] = 0
    return values


def estimated(d: Draw) -> Case:
    size, frames, data = d.one(16, 32, 64), d.whole(0, 4), d.whole(1, 3)
    first, second = sync_symbol(d, size, 2), sync_symbol(d, size, 1)
    two = d.one(True, False)
    offset = d.one(0, 2, -2)
    x = []
    for _ in range(frames):
        channel = np.exp(1j * d.random.uniform(-3, 3)) * (1 + 0.2 * d.random.normal(size=size))
        rows = [first, *([second] if two else []), *(d.random.normal(size=size) for _ in range(data))]
        x += [np.roll(row * channel, offset) + 0.01 * d.random.normal(size=size) for row in rows]
    params = {
        "sync_symbol1": first.tolist(),
        "sync_symbol2": second.tolist() if two else [],
        "data_symbols": data,
        "max_carrier_offset": d.one(4, 6),
    }
    return Case(params, [np.concatenate([np.zeros(0), *x]).astype("c8")])


@define(
    "ofdm_chanest", source=DIGITAL + "ofdm_chanest_vcvc; T. Schmidl, D. Cox, IEEE Trans. Comm. 45, 1997", draw=estimated
)
def ofdm_chanest(p, x):
    """The offset g with the largest correlation, and the channel y[k + g] / b[k]; of one symbol also between its carriers."""
    a, b = np.array(p.sync_symbol1), np.array(p.sync_symbol2)
    size, syncs, y, placed = len(a), 2 if len(b) else 1, [], []

    def at(row, places):
        return np.where((places >= 0) & (places < size), row[np.clip(places, 0, size - 1)], 0)

    frame = syncs + p.data_symbols
    rows = x[: len(x) // size * size].reshape(-1, size).astype("c16")
    k = np.arange(size)
    for start in range(0, len(rows) - frame + 1, frame):
        one, other = rows[start], rows[start + syncs - 1]

        def correlation(g):
            if syncs == 2:
                return abs((np.conj(at(one, k + g) * b) * a * at(other, k + g)).sum())
            return abs((np.conj(at(one, k + g) * at(a, k + 2)) * a * at(one, k + 2 + g)).sum())

        most = p.max_carrier_offset // 2 * 2
        offset = max(range(-most, most + 1, 2), key=correlation)
        word = b if syncs == 2 else a
        with np.errstate(all="ignore"):
            taps = np.where(word != 0, at(other, k + offset) / word, 0)
        if syncs == 1:
            between = np.array([0, *taps[:-1]])
            taps = np.where((word == 0) & np.array([False, *(word[:-1] != 0)]), between, taps)
        placed += [
            (len(y) * size, "ofdm_sync_carr_offset", offset),
            (len(y) * size, "ofdm_sync_chan_taps", [complex(tap) for tap in taps]),
        ]
        y += list(rows[start + syncs : start + frame])
    return Result([np.concatenate([np.zeros(0, "c8"), *y]).astype("c8")], [placed])


def equalized(d: Draw) -> Case:
    size, frame = d.one(8, 16), d.whole(1, 4)
    prefix, frames = d.whole(0, size // 2), d.whole(0, 4)
    numbers = [int(place) - size // 2 for place in d.random.permutation(size)]
    used = numbers[: d.whole(2, size - 1)]
    pilots = used[: d.whole(0, len(used) - 1)]
    symbols = d.random.choice([-1.0, 1.0], (frames * frame, size))
    x = (symbols + 0.2 * (d.random.normal(size=symbols.shape) + 1j * d.random.normal(size=symbols.shape))).astype("c8")
    tags = []
    for number in range(frames):
        if d.one(True, False):
            tags.append((number * frame * size, "ofdm_sync_carr_offset", d.whole(-2, 2)))
        if d.one(True, False):
            taps = 1 + 0.2 * d.ordinary("C32", size)
            tags.append((number * frame * size, "ofdm_sync_chan_taps", [complex(tap) for tap in taps]))
    params = {
        "fft_length": size,
        "cp_length": prefix,
        "length_tag": KEY,
        "fixed_frame_length": 0,
        "equalizer": d.one("static", "simpledfe"),
        "occupied_carriers": [used],
        "pilot_carriers": [pilots],
        "pilot_symbols": [d.random.choice([-1.0, 1.0], len(pilots)).tolist()],
        "alpha": d.one(0.1, d.real(0, 1)),
        "soft_output": True,
    }
    lengths = [(number * frame * size, KEY, frame * size) for number in range(frames)]
    return Case(params, [x.ravel()], [sorted(lengths + tags, key=lambda tag: tag[0])])


@define(
    "ofdm_frame_equalizer",
    source=DIGITAL + "ofdm_frame_equalizer_vcvc with ofdm_equalizer_static and ofdm_equalizer_simpledfe",
    draw=equalized,
    within=lambda p, x, tags: 2e-3 + 1e-3 * np.abs(ofdm_frame_equalizer(p, x, tags).streams[0]),
)
def ofdm_frame_equalizer(p, x, tags):
    size, packets = p.fft_length, []
    channel = np.ones(size, "c16")
    used = places(p.occupied_carriers[0], size, True)
    pilots = dict(zip(places(p.pilot_carriers[0], size, True), p.pilot_symbols[0]))
    alpha = p.alpha if p.equalizer == "simpledfe" else 0.0
    for items, own in split(x, tags[0]):
        meta = {key: value for index, key, value in own if index == 0}
        offset = meta.get("ofdm_sync_carr_offset", 0)
        if "ofdm_sync_chan_taps" in meta:
            channel = np.array(meta["ofdm_sync_chan_taps"], "c16")
        flat = np.concatenate([np.zeros(4), items.astype("c16"), np.zeros(4)])
        rows = flat[4 + offset : 4 + offset + len(items)].reshape(-1, size)
        y = np.zeros(rows.shape, "c16")
        for n, row in enumerate(rows):
            row = row * np.exp(-2j * np.pi * offset * p.cp_length / size * (n + 1))
            for k in range(size):
                if k not in used:
                    y[n, k] = row[k]
                elif k in pilots:
                    y[n, k] = pilots[k]
                    channel[k] = alpha * channel[k] + (1 - alpha) * row[k] / pilots[k]
                else:
                    y[n, k] = row[k] / channel[k]
                    if p.equalizer == "simpledfe":
                        decision = 1.0 if y[n, k].real > 0 else -1.0
                        channel[k] = alpha * channel[k] + (1 - alpha) * row[k] / decision
        packets.append((y.ravel(), [tag for tag in own if tag[1] != "ofdm_sync_chan_taps"]))
    return joined(packets, np.zeros(0, "c16"))


def received(d: Draw) -> Case:
    """Noise, with symbols in it whose halves are the same."""
    size = d.one(16, 32, 64)
    prefix, x = d.whole(0, size // 2), [0.02 * d.ordinary("C32", d.whole(50, 200))]
    for _ in range(d.whole(0, 4)):
        half = d.ordinary("C32", size // 2)
        symbol = np.concatenate([half, half])
        turn = np.exp(1j * d.random.uniform(-2, 2) / (size / 2) * np.arange(size + prefix))
        x += [
            np.concatenate([symbol[size - prefix :], symbol]) * turn + 0.02 * d.ordinary("C32", size + prefix),
            d.ordinary("C32", d.whole(100, 300)),
        ]
    return Case(
        {"fft_length": size, "cp_length": prefix, "use_even_carriers": True, "threshold": d.one(0.9, 0.8)},
        [np.concatenate(x).astype("c8")],
    )


@define(
    "ofdm_sync_sc",
    source=DIGITAL + "ofdm_sync_sc_cfb; T. Schmidl, D. Cox, IEEE Trans. Comm. 45, 1997",
    draw=received,
    within=lambda p, x: (1e-4, 0.0),
)
def ofdm_sync_sc(p, x):
    """A trigger in the middle of each run of samples whose metric |P|² / R² is not below the threshold; the angle of P there."""
    half = p.fft_length // 2
    wide = np.concatenate([np.zeros(p.fft_length), x.astype("c16")])
    product = np.conj(wide[: len(wide) - half]) * wide[half:]
    sums = np.concatenate([[0], np.cumsum(product)])
    energy = np.concatenate([[0], np.cumsum(np.abs(wide) ** 2)])
    n = np.arange(len(x)) + p.fft_length
    correlation = sums[n - half + 1] - sums[n - 2 * half + 1]
    power = (energy[n + 1] - energy[n + 1 - p.fft_length]) / 2
    with np.errstate(all="ignore"):
        metric = np.abs(correlation) ** 2 / power**2
    above = metric >= p.threshold
    trigger, frequency, current, start = np.zeros(len(x), "u1"), np.zeros(len(x)), 0.0, None
    middles = {}
    for place, high in enumerate([*above, False]):
        if high and start is None:
            start = place
        elif not high and start is not None:
            middle = start + (place - start) // 2
            middles[middle], start = np.angle(correlation[middle]), None
    for place in range(len(x)):
        current = middles.get(place, current)
        trigger[place] = place in middles
        frequency[place] = current
    return frequency, trigger
