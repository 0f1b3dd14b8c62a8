"""Signals that receivers are tried with, made from the standards with numpy: packets, ships, aircraft, and recordings over and over.

A signal is samples without noise, and how its power and its noise are counted. `curves.py` adds the noise.
"""

import dataclasses
import subprocess
import tempfile
import wave
from collections import Counter
from pathlib import Path

import numpy as np
from references import call


@dataclasses.dataclass
class Signal:
    """Samples without noise, complex or real, of about full scale 1."""

    samples: np.ndarray
    rate_hz: float
    #: The messages in it, and how often each is there.
    messages: Counter
    #: The power of a burst or of the whole recording, and the bandwidth in which noise counts.
    power: float
    bandwidth_hz: float

    def with_noise(self, snr_db, seed):
        """The samples at this ratio, scaled such that nothing is cut."""
        random = np.random.default_rng(seed)
        whole_hz = self.rate_hz if np.iscomplexobj(self.samples) else self.rate_hz / 2
        power = self.power / 10 ** (snr_db / 10) * whole_hz / self.bandwidth_hz
        noise = random.standard_normal(len(self.samples)) * np.sqrt(power)
        if np.iscomplexobj(self.samples):
            noise = (noise + 1j * random.standard_normal(len(noise)) * np.sqrt(power)) / np.sqrt(2)
        noisy = self.samples + noise
        # Four standard deviations of the sum stay below full scale.
        return noisy * (0.25 / np.sqrt(np.mean(np.abs(self.samples) ** 2) + power + self.power / 4))


def bits_of(data):
    """Bytes, the lowest bit first."""
    return np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")


def hdlc(frame, flags_before, flags_after=4):
    """The bits of a frame with flags, stuffing and the checksum of ISO/IEC 13239."""
    register = 0xFFFF
    for bit in bits_of(frame):
        register = register >> 1 ^ (0x8408 if (register ^ int(bit)) & 1 else 0)
    flag = [0, 1, 1, 1, 1, 1, 1, 0]
    sent, ones = flag * flags_before, 0
    for bit in bits_of(frame + (register ^ 0xFFFF).to_bytes(2, "little")):
        sent.append(int(bit))
        ones = ones + 1 if bit else 0
        if ones == 5:
            sent.append(0)
            ones = 0
    return sent + flag * flags_after


def nrzi(bits, level=0):
    """The level changes with each zero."""
    levels = []
    for bit in bits:
        level ^= 1 - bit
        levels.append(level)
    return levels


def scrambled(bits):
    """By 1 + x^12 + x^17, as G3RUH's modems do."""
    register, out = 0, []
    for bit in bits:
        bit ^= (register >> 11 ^ register >> 16) & 1
        register = (register << 1 | bit) & 0x1FFFF
        out.append(bit)
    return out


def ax25_frames(count, random):
    """Frames UI of one station to another, with 40 letters each."""
    for n in range(count):
        text = bytes(random.integers(65, 91, 40).astype(np.uint8))
        yield call(b"APRS", 0) + call(b"N0CALL", 1) + b"\x03\xf0" + f">{n:04d}".encode() + text


def with_gaps(bursts, gap, random):
    """Bursts with silence between, of `gap` samples and up to as many more; real or complex as they are."""
    parts = []
    for burst in bursts:
        parts += [np.zeros(gap + int(random.integers(gap)), burst.dtype), burst]
    return np.concatenate([*parts, np.zeros(2 * gap, parts[1].dtype)])


def held(levels, symbol_samples):
    """Levels of ±1 for their time, also where a symbol is not a whole number of samples."""
    at = (np.arange(int(len(levels) * symbol_samples)) / symbol_samples).astype(int)
    return np.asarray(levels, float)[at] * 2 - 1


def smoothed(x, bt, symbol_samples):
    """Through a Gaussian filter of this bandwidth by symbol rate."""
    n = np.arange(-int(2 * symbol_samples), int(2 * symbol_samples) + 1)
    taps = np.exp(-0.5 * (n / (0.1325 / bt * symbol_samples)) ** 2)
    return np.convolve(x, taps / taps.sum(), "same")


def ax25(count, seed=1, rate_hz=48e3, higher=1.0):
    """AFSK at 1200 Bd as audio, the higher tone so strong by the lower one. The ratio is that of the lower tone and the noise in 4 kHz."""
    random = np.random.default_rng(seed)
    frames = list(ax25_frames(count, random))
    bursts = []
    for frame in frames:
        level = held(nrzi(hdlc(frame, 30)), rate_hz / 1200)
        tone = np.sin(2 * np.pi * np.cumsum(np.where(level > 0, 1200, 2200)) / rate_hz)
        bursts.append(tone * np.where(level > 0, 1, higher))
    samples = with_gaps(bursts, int(0.1 * rate_hz), random)
    return Signal(samples, rate_hz, Counter(frame.hex() for frame in frames), 0.5, 4e3)


def ax25_9600(count, seed=1, rate_hz=48e3):
    """G3RUH's FSK at 9600 Bd as audio: symbols of raised cosines. The ratio is that in 9600 Hz."""
    random = np.random.default_rng(seed)
    frames = list(ax25_frames(count, random))
    bursts = []
    for frame in frames:
        level = held(scrambled(nrzi(hdlc(frame, 60, 8))), rate_hz / 9600)
        bursts.append(smoothed(level, 0.5, rate_hz / 9600))
    power = float(np.mean(np.concatenate(bursts) ** 2))
    samples = with_gaps(bursts, int(0.05 * rate_hz), random)
    return Signal(samples, rate_hz, Counter(frame.hex() for frame in frames), power, 9.6e3)


def ais(count, seed=1, rate_hz=240e3):
    """Position reports on channel A, 25 kHz below the middle: GMSK, BT 0.4. The ratio is that in 9600 Hz."""
    random = np.random.default_rng(seed)
    frames = [bytes([0x04]) + bytes(random.integers(0, 256, 20).astype(np.uint8)) for _ in range(count)]
    bursts = []
    for frame in frames:
        # ITU-R M.1371 sends the highest bit of a byte of the message last, as HDLC does.
        bits = [0, 1] * 12 + hdlc(frame, 1, 1) + [0] * 4
        level = smoothed(held(nrzi(bits), rate_hz / 9600), 0.4, rate_hz / 9600)
        turn = 2 * np.pi * (-25e3 + random.uniform(-300, 300) + 2400 * level) / rate_hz
        bursts.append(np.exp(1j * np.cumsum(turn)))
    samples = with_gaps(bursts, int(0.02 * rate_hz), random)
    return Signal(samples, rate_hz, Counter(frame.hex() for frame in frames), 1.0, 9.6e3)


def same(count, seed=1, rate_hz=22050):
    """Headers of alerts, three times each as 47 CFR 11.31 says, as audio: AFSK at 520.83 Bd. The ratio is that of the tone and the noise in 4 kHz."""
    random = np.random.default_rng(seed)
    texts = [f"ZCZC-WXR-TOR-{random.integers(1000, 99999):06d}+0030-{n + 1:03d}{n % 24:02d}15-KTLX/NWS" for n in range(count)]
    symbol = 1 / 520.8333
    parts = []
    for text in texts:
        level = held(bits_of(b"\xab" * 16 + text.encode() + b"-"), rate_hz * symbol)
        burst = np.sin(2 * np.pi * np.cumsum(np.where(level > 0, 2083.333, 1562.5)) / rate_hz)
        parts += [burst, np.zeros(int(rate_hz))] * 3 + [np.zeros(int((1 + random.uniform()) * rate_hz))]
    return Signal(np.concatenate(parts), rate_hz, Counter(texts), 0.5, 4e3)


def mode_s(count, seed=1, rate_hz=2.4e6):
    """Squitters of Mode S, DF17, up to 20 kHz off. The ratio is that of a pulse and the noise in the band."""
    random = np.random.default_rng(seed)
    # About 24 MHz, of which every tenth, or so, is taken after a filter that is the same at every rate.
    over = max(2, round(24e6 / rate_hz))
    frames, bursts = [], []
    for n in range(count):
        data = bytes([0x8D, 0x40, n >> 8 & 255, n & 255]) + bytes(random.integers(0, 256, 7).astype(np.uint8))
        register = 0
        for bit in np.unpackbits(np.frombuffer(data, np.uint8)):
            register = register << 1 ^ (0xFFF409 if register >> 23 ^ int(bit) else 0)
            register &= 0xFFFFFF
        frame = data + register.to_bytes(3, "big")
        frames.append(frame)
        chips = [1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        for bit in np.unpackbits(np.frombuffer(frame, np.uint8)):
            chips += [1, 0] if bit else [0, 1]
        period = rate_hz * over / 2e6
        wave_form = np.maximum(held(chips + [0] * 4, period), 0)
        wave_form = np.concatenate([np.zeros(int(random.integers(5 * over, 15 * over))), wave_form, np.zeros(100)])
        # The filter is that of a radio: flat to 0.8 MHz.
        half = round(80 * rate_hz * over / 24e6)
        k = np.arange(-half, half + 1)
        taps = np.sinc(k * 2 * 1.0e6 / (rate_hz * over)) * np.hamming(len(k))
        wave_form = np.convolve(wave_form, taps / taps.sum(), "same")[::over]
        phase = random.uniform(0, 2 * np.pi) + 2 * np.pi * random.uniform(-20e3, 20e3) / rate_hz * np.arange(len(wave_form))
        bursts.append(wave_form * np.exp(1j * phase))
    samples = with_gaps(bursts, int(0.5e-3 * rate_hz), random)
    return Signal(samples, rate_hz, Counter(frame.hex() for frame in frames), 1.0, rate_hz)


def slots(command, mode, text, count, seed=1):
    """A message by FT8 or FT4 in each slot, at several frequencies, by the block `ft8_source`. The ratio is that in 2500 Hz."""
    random = np.random.default_rng(seed)
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.f32"
        for first in range(0, count, 5):
            source = f'ft8_source text="{text}" mode={mode} slots={min(5, count - first)} frequency_hz={random.uniform(400, 2600):.1f}'
            subprocess.run([command, "run", "-e", f"{source} -> file_sink path={path} format=f32"], check=True, capture_output=True)
            parts.append(np.fromfile(path, "<f4").astype(float))
    return Signal(np.concatenate(parts), 12e3, Counter({text: count}), 0.125, 2500.0)


def read_wav(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768, file.getframerate()


def recorded(path, rate_hz, messages, copies, bandwidth_hz, start=0, pad_s=0.1):
    """A strong recording over and over. Its power is that of its loudest tenth for bursts, `messages` those of one copy."""
    path = Path(path)
    if path.suffix == ".wav":
        samples, rate_hz = read_wav(path)
    elif path.suffix == ".s16":
        samples = np.frombuffer(path.read_bytes(), "<i2") / 32768
    else:
        samples = ((np.frombuffer(path.read_bytes(), np.uint8) - 127.5) / 128).view(complex)
    samples = samples[start:]
    one = np.concatenate([samples, np.zeros(int(pad_s * rate_hz), samples.dtype)])
    length = max(1, int(1e-3 * rate_hz))
    power = np.mean(np.abs(samples[: len(samples) // length * length].reshape(-1, length)) ** 2, axis=1)
    loud = float(np.mean(np.sort(power)[-max(1, len(power) // 10) :]))
    return Signal(np.tile(one, copies), rate_hz, Counter({m: n * copies for m, n in messages.items()}), loud, bandwidth_hz)
