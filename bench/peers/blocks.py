#!/usr/bin/env python3
"""Blocks of superhet on one core beside GNU Radio's on all, on noise, in turns: medians, ratios and their geometric mean.

Which blocks and with which parameters stands in blocks.json, with the ratio that each is to reach. GNU Radio's run between a
vector source and null sinks, each with the thread of its own that it comes with; superhet's by `superhet bench noise`. Nothing is
installed: without GNU Radio superhet's rates stand alone.

    bench/peers/blocks.py [--superhet target/release/superhet] [--block agc] [--repeat 3] [--seconds 0.2] [--json runs.json]
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

import run

CASES = json.loads((run.HERE / "blocks.json").read_text(encoding="utf-8"))
# The system's own Python has GNU Radio where the one of an environment has not.
PYTHONS = [sys.executable, "/usr/bin/python3"]
LEAST_MEAN = 8


def low_pass(count, cutoff, gain=1.0):
    """Taps of a windowed sinc (Hann): `cutoff` of the sample rate."""
    middle = (count - 1) / 2
    tap = lambda n: 2 * cutoff * (1.0 if n == middle else math.sin(2 * math.pi * cutoff * (n - middle)) / (2 * math.pi * cutoff * (n - middle)))
    taps = [tap(n) * (0.5 - 0.5 * math.cos(2 * math.pi * (n + 0.5) / count)) for n in range(count)]
    total = sum(taps) / gain
    return [round(tap / total, 9) for tap in taps]


def whole(case):
    """A case with its taps written out."""
    case = dict(case)
    if "taps" in case:
        case["taps"] = low_pass(*case["taps"])
        case["parameters"] = {k: case["taps"] if v == "$taps" else v for k, v in case["parameters"].items()}
    return case


def superhet_command(program, case, seconds):
    words = [program, "bench", "noise", case["block"], "--json", "--repeat", 1, "--seconds", seconds]
    words += ["--parameters", json.dumps(case["parameters"]), "--below", case.get("below", 128)]
    return [str(word) for word in words]


def superhet(program, case, seconds):
    """Of `superhet bench noise`, on one core: `{"items_per_s", "own_items_per_s"}` or `{"error"}`."""
    words = superhet_command(program, case, seconds)
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, preexec_fn=lambda: run.keep_to(1))
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


class GnuRadio:
    """A process that measures GNU Radio's blocks, started anew where one of them ends it."""

    def __init__(self, python):
        self.python, self.process = python, None

    def measure(self, case, seconds):
        if self.process is None or self.process.poll() is not None:
            words = [self.python, str(run.HERE / "gnuradio_blocks.py")]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        try:
            print(json.dumps({**case, "seconds": seconds}), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": f"its process ended with {self.process.wait()}"}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def find_gnuradio():
    for python in PYTHONS:
        probe = [python, "-c", "from gnuradio import analog, blocks, channels, digital, fft, filter"]
        if Path(python).exists() and subprocess.run(probe, capture_output=True).returncode == 0:
            return GnuRadio(python)
    return None


def measure_in_turns(cases, repeat, ours, theirs, say=lambda text: None):
    """Every run: `{"name", "superhet", "gnuradio", "bar", …}`, rates in items/s, or texts where a side failed."""
    runs = []
    for turn in range(repeat):
        say(f"turn {turn + 1} of {repeat}")
        for case in cases:
            mine, other = ours(case), theirs(case)
            runs.append(
                {
                    "name": case["name"],
                    "bar": case["bar"],
                    "superhet": mine.get("items_per_s", mine.get("error")),
                    "superhet_own": mine.get("own_items_per_s"),
                    "gnuradio": other.get("items_per_s", other.get("error")),
                }
            )
    return runs


def medians(runs):
    """For each case its name, bar, both medians in items/s and the median of the ratios of turns; None where all failed."""
    found = {}
    for one in runs:
        found.setdefault(one["name"], []).append(one)
    rows = []
    for name, turns in found.items():
        number = lambda key: [turn[key] for turn in turns if isinstance(turn[key], (int, float))]
        median = lambda values: statistics.median(values) if values else None
        both = [turn for turn in turns if all(isinstance(turn[key], (int, float)) for key in ("superhet", "gnuradio"))]
        ratio = median([turn["superhet"] / turn["gnuradio"] for turn in both if turn["gnuradio"]])
        rows.append((name, turns[0]["bar"], median(number("superhet")), median(number("gnuradio")), ratio))
    return rows


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def table(runs):
    rows = medians(runs)
    shown = lambda rate: "failed" if rate is None else f"{rate / 1e6:.3g}"
    lines = ["| block | superhet, Mitems/s | GNU Radio, Mitems/s | ratio | bar |", "|---|---|---|---|---|"]
    for name, bar, mine, theirs, ratio in rows:
        text = "-" if ratio is None else f"{ratio:.2f}" if ratio >= bar else f"**{ratio:.2f}**"
        lines.append(f"| {name} | {shown(mine)} | {shown(theirs)} | {text} | {bar} |")
    ratios = {name: (ratio, bar) for name, bar, _, _, ratio in rows if ratio}
    if ratios:
        short = sum(ratio < bar for ratio, bar in ratios.values())
        mean = geometric_mean([ratio for ratio, _ in ratios.values()])
        lines += ["", f"Geometric mean {mean:.2f} (bar {LEAST_MEAN}) over {len(ratios)} blocks, {short} of them below their bar."]
    errors = {f"{one['name']}, {side}: {one[side]}" for one in runs for side in ("superhet", "gnuradio") if isinstance(one[side], str)}
    return "\n".join(lines + sorted(errors))


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", default=run.BUILD / "release/superhet", help="the program")
    parser.add_argument("--block", action="append", default=[], help="only blocks whose name contains this")
    parser.add_argument("--repeat", type=int, default=3, help="turns")
    parser.add_argument("--seconds", type=float, default=0.2, help="of each measurement")
    parser.add_argument("--json", type=Path, help="a file for all runs")
    arguments = parser.parse_args(words)
    cases = [whole(case) for case in CASES if not arguments.block or any(text in case["name"] for text in arguments.block)]
    if not cases:
        print("blocks.py: no block has such a name; blocks.json lists them", file=sys.stderr)
        return 2
    if not Path(arguments.superhet).exists():
        print(f"blocks.py: {arguments.superhet}: not built: cargo build --release -p superhet-cli")
        return 0
    peer = find_gnuradio()
    if peer is None:
        print("blocks.py: GNU Radio is left out: it is not installed")
    theirs = (lambda case: peer.measure(case, arguments.seconds)) if peer else (lambda case: {})
    ours = lambda case: superhet(arguments.superhet, case, arguments.seconds)
    runs = measure_in_turns(cases, arguments.repeat, ours, theirs, lambda text: print(text, file=sys.stderr))
    if peer:
        peer.close()
    print(table(runs))
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": run.machine(), "runs": runs}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
