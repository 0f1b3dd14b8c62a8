"""False alarms: what receivers make of white noise.

    python3 bench/receivers/noise.py [ax25 ais …] [--superhet target/release/superhet] [--seconds 3600] [--from 2100]

Each kind gets so many seconds of Gaussian noise at a rate that it is meant for, made by `noise_source`, another for each piece of five minutes.
`--from` leaves out what another run has tried, whole pieces. Its messages are counted. The command ends with 1 where a kind with 16 bits of check or more has one.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
PIECE_S = 300
# Kind, rate, whether the samples are complex, bits of check.
KINDS = {
    "adsb": (2e6, True, 24),
    "ax25": (22050, False, 16),
    "ax25-9600": (48e3, False, 16),
    "ax25-bpsk": (48e3, False, 16),
    "same": (22050, False, 0),
    "ism": (250e3, True, 0),
    "wmbus": (1.2e6, True, 16),
    "ais": (96e3, True, 16),
    "ax100": (48e3, False, 256),
    "u482c": (48e3, False, 256),
    "3cat1": (48e3, False, 256),
    "aausat4": (48e3, False, 256),
    "ccsds": (48e3, False, 256),
    "funcube": (48e3, False, 256),
    "fm": (240e3, True, 26),
    "ft8": (12e3, False, 14),
    "ft4": (12e3, False, 14),
    "wifi": (20e6, True, 32),
}


def decode(superhet, kind, seconds, seed):
    """The messages of so many seconds, and the seconds that it took."""
    rate_hz, is_complex, _ = KINDS[kind]
    item, form = ("C32", "cu8") if is_complex else ("f32", "s16")
    graph = f"noise_source item={item} amplitude=0.1 seed={seed} -> head item={item} items={round(seconds * rate_hz)} -> file_sink path=- format={form}"
    frequency = ["--freq", {"ais": "162M", "wmbus": "868.625M"}.get(kind, "100M")]
    command = [superhet, "decode", kind, "-", "--json", "--format", form, "--rate", str(rate_hz), *frequency]
    began = time.monotonic()
    with subprocess.Popen([superhet, "run", "-e", graph], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
        done = subprocess.run(command, stdin=source.stdout, capture_output=True, text=True)
    if done.returncode != 0 or source.returncode != 0:
        sys.exit(f"{kind}: {graph}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help="[all]")
    parser.add_argument("--superhet", default=str(HERE / "target/release/superhet"))
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--from", type=float, default=0, dest="tried_s", metavar="SECONDS", help="a multiple of 300 [0]")
    options = parser.parse_args()
    if options.tried_s % PIECE_S or not 0 <= options.tried_s < options.seconds:
        parser.error(f"--from is a multiple of {PIECE_S} below --seconds, not {options.tried_s:g}")
    failed = False
    for kind in options.kinds:
        messages, took_s = [], 0.0
        left, seed = options.seconds - options.tried_s, 1 + round(options.tried_s / PIECE_S)
        while left > 0:
            some, some_s = decode(options.superhet, kind, min(left, PIECE_S), seed)
            messages, took_s, left, seed = messages + some, took_s + some_s, left - PIECE_S, seed + 1
        bits = KINDS[kind][2]
        failed |= bits >= 16 and bool(messages)
        names = ", ".join(f"{n} {name}" for name, n in Counter(message["protocol"] for message in messages).items())
        print(f"{kind}: {len(messages)} messages in {options.seconds - options.tried_s:g} s of noise, {bits} bits of check, {took_s:.0f} s{': ' if names else ''}{names}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
