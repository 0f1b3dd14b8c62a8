"""How many times faster than real time messages of Mode S are looked for, at each sample rate, beside dump1090 where it takes the rate.

    python3 bench/receivers/adsb_speed.py [--superhet target/release/superhet] [--seconds 30] [--turns 3] [--json]

Unsigned bytes as `rtl_sdr` writes them: noise at each rate, since there is nothing else most of the time, and the recording of
`data/adsb` over and over, in which a message follows the other. `decode adsb` has one worker; dump1090 has a thread that reads and one
that looks for messages. Both print to nowhere. The runs take turns; shown are the medians, and the least and the most. Needs numpy.
"""

import argparse
import itertools
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RATES_HZ = [2e6, 2.4e6, 4e6, 8e6, 10e6, 20e6]
RECORDING = ROOT / "data/adsb/modes1_2Msps.cu8"
RECORDING_HZ = 2e6
DUMP1090 = "dump1090-mutability"
DUMP1090_HZ = 2.4e6


def write_noise(path, samples, piece=1 << 20):
    """Noise of 16 codes a part, written in pieces."""
    rng = np.random.default_rng(1)
    with path.open("wb") as file:
        for start in range(0, samples, piece):
            parts = rng.normal(127.5, 16, 2 * min(piece, samples - start))
            file.write(np.clip(np.round(parts), 0, 255).astype(np.uint8).tobytes())


def write_repeated(path, samples):
    with path.open("wb") as file:
        recording = RECORDING.read_bytes()
        whole, rest = divmod(2 * samples, len(recording))
        for piece in itertools.chain(itertools.repeat(recording, whole), [recording[:rest]]):
            file.write(piece)


def seconds_of(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def decode(path, rate_hz, superhet):
    return [superhet, "decode", "adsb", path, "--rate", str(int(rate_hz)), "--workers", "1"]


def rows(options, path):
    """For each rate and input, how many seconds of it a second takes, of each program."""
    inputs = [(rate_hz, "noise", write_noise) for rate_hz in RATES_HZ] + [(RECORDING_HZ, "recording", write_repeated)]
    for rate_hz, name, write in inputs:
        write(path, int(rate_hz * options.seconds))
        programs = {"superhet": decode(path, rate_hz, options.superhet)}
        if rate_hz == DUMP1090_HZ and shutil.which(DUMP1090):
            programs[DUMP1090] = [DUMP1090, "--ifile", path, "--iformat", "UC8", "--raw", "--no-fix"]
        times = {program: [] for program in programs}
        for _, (program, command) in itertools.product(range(options.turns), programs.items()):
            times[program].append(options.seconds / seconds_of(command))
        yield {"rate_hz": rate_hz, "input": name, **times}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", default=str(ROOT / "target/release/superhet"))
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(options, Path(folder) / "x.cu8"):
            if options.json:
                print(json.dumps(row), flush=True)
                continue
            shown = [
                f"{name} {statistics.median(times):.1f} times ({min(times):.1f} to {max(times):.1f})"
                for name, times in row.items()
                if isinstance(times, list)
            ]
            print(f"{row['rate_hz'] / 1e6:4.1f} Msps {row['input']}: {', '.join(shown)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
