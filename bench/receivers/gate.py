"""What silence costs: noise alone beside bursts that follow each other, by receiver.

    python3 bench/receivers/gate.py [ais wmbus …] [--superhet target/release/superhet] [--repeat 3] [--more FOLDER]

Each receiver decodes about half a second of work on one core (``--scheduler single``): Gaussian noise alone, then the bursts of `curves.py` 20 dB
above noise (Wi-Fi: frames of 24 Mbit/s, pauses of 16 us). The numbers are the signal's time by the time that the graph took, the best of
``--repeat`` runs, which take turns. Where bursts cost only when they are there, noise is the faster one. Needs numpy; sensors need ``--more``.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import references
import signals
from curves import HERE, cases

SNR_DB = 20
# Kind of the case, how many messages, and what the receiver must know.
KINDS = {
    "ism fineoffset_wh2": (60, ["--freq", "433.92M"]),
    "wmbus": (40, ["--freq", "868.625M"]),
    "ais": (400, ["--freq", "162M"]),
    "adsb": (2000, []),
    "ax25": (200, []),
    "same": (40, []),
}


def write(folder, samples):
    if np.iscomplexobj(samples):
        path = folder / "x.cu8"
        references.write_cu8(path, samples)
    else:
        path = folder / "x.f32"
        path.write_bytes(samples.astype("<f4").tobytes())
    return path


def factor(superhet, kind, path, rate_hz, options):
    command = [superhet, "decode", kind, path, "--rate", str(rate_hz), "--json", "--scheduler", "single", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{kind}: {done.stderr.strip()}")
    signal_s, took_ms = re.search(r"in ([\d.]+) s of signal; decoded in ([\d.]+) ms", done.stderr).groups()
    return 1e3 * float(signal_s) / float(took_ms), len(done.stdout.splitlines())


def wifi(superhet, folder):
    """Files of noise and of frames, their rate and options."""
    source = "wifi_source mbps=24 length=1500 frames=1500 gap_samples=320 amplitude=0.1"
    graphs = {
        "noise": "noise_source amplitude=0.014 -> head items=20M",
        "bursts": f"{source} -> channel_model noise_voltage=0.01 frequency_offset=0.004",
    }
    for name, graph in graphs.items():
        subprocess.run([superhet, "run", "-e", f"{graph} -> file_sink path={folder}/{name}.cf32 format=cf32"], check=True, capture_output=True)
    return {name: folder / f"{name}.cf32" for name in graphs}, 20e6, []


def files(superhet, case, count, folder):
    signal = case.signal(count)
    bursts = signal.with_noise(SNR_DB, 1)
    signal.samples = np.zeros_like(signal.samples)
    noise = signal.with_noise(SNR_DB, 2)
    paths = {}
    for name, samples in (("noise", noise), ("bursts", bursts)):
        # A radio is set such that noise is a few steps of eight bits.
        samples = samples * (0.03 / np.sqrt(np.mean(np.abs(noise) ** 2))) if name == "noise" else samples
        (folder / name).mkdir()
        paths[name] = write(folder / name, samples)
    return paths, signal.rate_hz


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help="those whose name begins like this [all]")
    parser.add_argument("--superhet", default=str(HERE / "target/release/superhet"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--more", type=Path, metavar="FOLDER", help="recordings that are not in the tree: see curves.py")
    options = parser.parse_args()
    known = {case.name: case for case in cases(options.superhet, options.more)}
    print("| receiver | noise, times real time | bursts | messages |\n|---|---|---|---|")
    for name, (count, settings) in [*KINDS.items(), ("wifi", (0, []))]:
        if options.kinds and not any(name.startswith(kind) for kind in options.kinds) or name != "wifi" and name not in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if name == "wifi":
                paths, rate_hz, settings = wifi(options.superhet, Path(folder))
            else:
                paths, rate_hz = files(options.superhet, known[name], count, Path(folder))
            kind = name.split()[0]
            runs = [
                {one: factor(options.superhet, kind, path, rate_hz, settings) for one, path in paths.items()} for _ in range(options.repeat)
            ]
        best = {one: max(run[one][0] for run in runs) for one in paths}
        print(f"| `{kind}` | {best['noise']:.3g} | {best['bursts']:.3g} | {runs[0]['bursts'][1]} |", flush=True)


if __name__ == "__main__":
    main()
