"""Signals for the tests of batches: recordings of the project with noise between them, and modulators for kinds that have none."""

from pathlib import Path

import numpy

import superhet

DATA = Path(__file__).resolve().parents[2] / "data"


def noise(samples, seed, level=0.02):
    """Complex noise."""
    draw = numpy.random.default_rng(seed)
    return level * (draw.standard_normal(samples) + 1j * draw.standard_normal(samples)).astype("c8")


def cu8(samples):
    """Complex samples as the bytes of cu8."""
    parts = numpy.ascontiguousarray(samples, "c8").view("f4")
    return numpy.clip(numpy.rint(127.5 + 127.5 * parts), 0, 255).astype("u1").tobytes()


def cs16(samples):
    """Complex samples as the bytes of cs16."""
    return (numpy.ascontiguousarray(samples, "c8").view("f4") * 20000).astype("<i2").tobytes()


def placed(total, recording, places):
    """Bytes of cu8 of noise, with a recording at each of the places, which are samples."""
    sheet = numpy.frombuffer(cu8(noise(total, 1)), "u1").copy()
    for place in places:
        sheet[2 * place : 2 * place + len(recording)] = numpy.frombuffer(recording, "u1")
    return sheet.tobytes()


def placed_audio(total, recordings, places, seed=2):
    """Numbers of s16 of quiet noise, with recordings at places."""
    sheet = numpy.random.default_rng(seed).integers(-300, 300, total).astype("<i2")
    for number, place in enumerate(places):
        audio = recordings[number % len(recordings)]
        sheet[place : place + len(audio)] = audio
    return sheet


def wav_samples(path):
    """The numbers of a WAV file of 16 bits with a header of 44 bytes or so."""
    data = Path(path).read_bytes()
    at = data.index(b"data") + 8
    return numpy.frombuffer(data[at : at + (len(data) - at) // 2 * 2], "<i2")


def wav(samples, rate_hz, channels=1, bits=16):
    """A WAV file."""
    data, frame = samples.tobytes(), channels * bits // 8
    head = b"fmt " + numpy.array([16], "<u4").tobytes() + numpy.array([1, channels], "<u2").tobytes()
    head += numpy.array([rate_hz, rate_hz * frame], "<u4").tobytes() + numpy.array([frame, bits], "<u2").tobytes()
    body = b"WAVE" + head + b"data" + numpy.array([len(data)], "<u4").tobytes() + data
    return b"RIFF" + numpy.array([len(body)], "<u4").tobytes() + body


def ft8(text, mode, frequency_hz):
    """A slot of audio with a message of FT8 or FT4, as numbers of s16."""
    graph, sink = superhet.Graph(), superhet.vector_sink(item="f32")
    graph.connect(superhet.ft8_source(text=text, mode=mode, frequency_hz=frequency_hz, amplitude=2000), sink)
    graph.run()
    return sink.array.astype("<i2")


def wifi(length, mbps):
    """A frame of 802.11a at 20 Msps, with a sequence number of 0."""
    graph, sink = superhet.Graph(), superhet.vector_sink(item="C32")
    graph.connect(superhet.wifi_source(mbps=mbps, length=length, gap_samples=0, amplitude=0.2), sink)
    graph.run()
    return sink.array[:-2000]


def ais(payload, offset_hz, rate_hz=240e3):
    """A message of AIS: GMSK with BT = 0.4 and the index 0.5 at 9600 Bd, as of ITU-R M.1371-5, annex 2."""
    values = [ord(letter) - 48 if ord(letter) < 96 else ord(letter) - 56 for letter in payload]
    bits = [value >> place & 1 for value in values for place in range(5, -1, -1)]
    bits = bits[: len(bits) // 8 * 8]
    ordered = [bit for byte in range(0, len(bits), 8) for bit in reversed(bits[byte : byte + 8])]
    sum_of = 0xFFFF
    for bit in ordered:
        sum_of = sum_of >> 1 ^ (0x8408 if (sum_of ^ bit) & 1 else 0)
    ordered += [~sum_of >> place & 1 for place in range(16)]
    flag, stuffed, ones = [0, 1, 1, 1, 1, 1, 1, 0], [], 0
    for bit in ordered:
        stuffed.append(bit)
        ones = ones + 1 if bit else 0
        if ones == 5:
            stuffed.append(0)
            ones = 0
    sent = numpy.array([0, 1] * 12 + flag + stuffed + flag + [0] * 4)
    # NRZI: a 0 is a change.
    levels = 1.0 - 2.0 * (numpy.cumsum(sent == 0) % 2)
    period = round(rate_hz / 9600)
    sigma = 0.1325 / 0.4 * period
    taps = numpy.exp(-0.5 * (numpy.arange(-2 * period, 2 * period + 1) / sigma) ** 2)
    smooth = numpy.convolve(numpy.repeat(levels, period), taps / taps.sum(), "same")
    phase = numpy.cumsum(2 * numpy.pi * (offset_hz + 2400 * smooth) / rate_hz)
    return 0.3 * numpy.exp(1j * phase).astype("c8")


def nexus(identity, tenths, rate_hz=250e3, offset_hz=20e3):
    """A burst of a thermometer of Nexus: pulses of 500 µs whose gaps of 1 or 2 ms are the bits, in 5 equal rows."""
    text = f"{identity:08b}" + "1" + "0" + "00" + f"{tenths & 0xFFF:012b}" + "1111" + f"{44:08b}"
    parts = []
    for _ in range(5):
        for bit in text:
            parts += [(0.5e-3, 1), (2e-3 if bit == "1" else 1e-3, 0)]
        parts += [(0.5e-3, 1), (4e-3, 0)]
    level = numpy.concatenate([numpy.full(round(length * rate_hz), on, "f4") for length, on in parts])
    return (0.4 * level * numpy.exp(2j * numpy.pi * offset_hz / rate_hz * numpy.arange(len(level)))).astype("c8")


def added(total, bursts, places, seed=3):
    """Noise with bursts at places."""
    sheet = noise(total, seed)
    for number, place in enumerate(places):
        burst = bursts[number % len(bursts)]
        sheet[place : place + len(burst)] += burst
    return sheet
