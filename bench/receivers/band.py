"""How fast many narrow channels of one wide band are received: packet radio on each, by `superhet decode ax25@…,ax25@…`.

    python3 bench/receivers/band.py [--superhet target/release/superhet] [--channels 64] [--rate 10e6] [--spacing 25e3] [--workers 1 2]

Every channel has the FM audio of `data/ax25/swiatowid-ax25.wav` with 3 kHz of deviation, over and over, and there is noise. A channel
is right where all frames of the reference are among its messages. The speed is the signal's time by the time that the graph took, the
best of ``--repeat`` runs. Needs numpy.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[2]
CENTER_HZ = 145e6
DEVIATION_HZ = 3e3
VOICE_HZ = 3.5e3
AMPLITUDE, NOISE = 3.0, 1.0
PIECE = 1 << 20


def make(path, frequencies_hz, rate_hz, spacing_hz, seconds):
    """A band as cs8 with the same station at each frequency."""
    period = rate_hz / spacing_hz
    if abs(period - round(period)) > 1e-9:
        sys.exit(f"--spacing {spacing_hz:g}: expected a whole part of the rate, {rate_hz:g}")
    with wave.open(str(HERE / "data/ax25/swiatowid-ax25.wav")) as file:
        audio_hz = file.getframerate()
        audio = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    # The recording has a discriminator's noise above what a voice radio sends.
    spectrum = np.fft.rfft(audio)
    spectrum[np.fft.rfftfreq(len(audio), 1 / audio_hz) > VOICE_HZ] = 0
    audio = np.fft.irfft(spectrum, len(audio))
    turn = 2 * np.pi * DEVIATION_HZ / audio_hz
    phase = np.cumsum(audio / np.abs(audio).max() * turn)
    samples = int(seconds * rate_hz)
    random = np.random.default_rng(1)
    # The carriers of all come again after a period.
    n = np.arange(round(period))
    starts = random.uniform(0, 2 * np.pi, len(frequencies_hz))
    turns = [2 * np.pi * (hz - CENTER_HZ) / rate_hz for hz in frequencies_hz]
    carriers = AMPLITUDE * sum(np.exp(1j * (turn * n + start)) for turn, start in zip(turns, starts))
    with path.open("wb") as file:
        for start in range(0, samples, PIECE):
            n = np.arange(start, min(start + PIECE, samples))
            at = n / rate_hz * audio_hz % len(phase)
            band = carriers[n % len(carriers)] * np.exp(1j * np.interp(at, np.arange(len(phase)), phase))
            band += NOISE * (random.standard_normal(len(n)) + 1j * random.standard_normal(len(n)))
            file.write(np.clip(np.round(band.view(float)), -127, 127).astype("i1").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", type=Path, default=HERE / "target/release/superhet")
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--rate", type=float, default=10e6)
    parser.add_argument("--spacing", type=float, default=25e3, help="from one channel to the next, in Hz")
    parser.add_argument("--seconds", type=float, default=5.0, help="of signal")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the band in this folder, and use it if it is there")
    arguments = parser.parse_args()
    half = arguments.channels // 2
    frequencies_hz = [CENTER_HZ + (n - half) * arguments.spacing for n in range(arguments.channels)]
    kinds = ",".join(f"ax25@{hz / 1e6:.6f}M" for hz in frequencies_hz)
    wanted = set((HERE / "data/ax25/swiatowid-ax25.frames.txt").read_text().split())
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        path = folder / f"band{arguments.channels}_{CENTER_HZ / 1e6:g}MHz_{arguments.rate / 1e3:g}k.cs8"
        if not path.exists():
            make(path, frequencies_hz, arguments.rate, arguments.spacing, arguments.seconds)
        for workers in arguments.workers:
            factors = []
            for _ in range(arguments.repeat):
                command = [arguments.superhet, "decode", kinds, path, "--json", "--workers", str(workers)]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(done.stderr.strip())
                said = re.search(r"messages in ([\d.]+) s of signal; decoded in ([\d.]+) ms", done.stderr)
                factors.append(float(said[1]) / float(said[2]) * 1e3)
            heard = {}
            for line in done.stdout.splitlines():
                message = json.loads(line)
                heard.setdefault(message["frequency_hz"], set()).add(message["hex"])
            right = sum(wanted <= frames for frames in heard.values())
            messages = len(done.stdout.splitlines())
            print(
                f"{workers} workers: {max(factors):.2f} times real time; "
                f"{right} of {arguments.channels} channels have all frames, {messages} messages"
            )


if __name__ == "__main__":
    main()
