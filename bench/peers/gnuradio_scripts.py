#!/usr/bin/env python3
"""Runs flowgraphs that are written for GNU Radio, in Python, on GNU Radio and on superhet, and compares outputs and speed.

The scripts are those in `python/tests/scripts`; each runs as it is with `/usr/bin/python3 SCRIPT` and with
`python3 -m superhet.gnuradio SCRIPT`, in turns, several times. Outputs must agree within the tolerance that the script
states for each. The time is that of the flowgraphs alone, from their start to their end, as the script measures it. A side
that is missing is left out, with the reason; nothing is installed.

    bench/peers/gnuradio_scripts.py [--repeat 5] [--scale 1] [--scripts fm_receiver,pdu_loop] [--json runs.json]
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import run

try:
    import numpy as np
except ImportError:
    np = None

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "python/tests/scripts"
# The system's own Python has GNU Radio where the one of an environment has not.
SYSTEM = "/usr/bin/python3"
# The scripts, and how many items each runs with: some tenths of a second on GNU Radio.
ITEMS = {
    "fm_receiver": 8_000_000,
    "psk_loopback": 2_000_000,
    "tagged_streams": 1_000_000,
    "message_strobe": 200,
    "pfb_channelizer": 8_000_000,
    "hier_blocks": 10_000_000,
    "python_sync_block": 1_000_000,
    "python_basic_block": 4_000_000,
    "pdu_loop": 100_000,
    "fft_vectors": 20_000_000,
    "ofdm_parts": 50_000,
    "modulators": 50_000,
    "ofdm_loop": 20_000,
    "trellis_codes": 3_000_000,
    "companion_fm": 20_000_000,
    "qt_sinks": 10_000_000,
}
# These wait for a clock: their time says nothing.
TIMED = {"message_strobe"}

# `command` runs a script, `probe` is Python code that fails where the side is missing.
Side = namedtuple("Side", "name title python words probe path")


def sides(python):
    return [
        Side("superhet", "superhet", python, ["-m", "superhet.gnuradio"], "import superhet.gnuradio.__main__", True),
        Side("gnuradio", "GNU Radio", SYSTEM, [], "from gnuradio import gr, blocks, digital, filter, analog, fft", False),
    ]


def environment(side):
    """superhet's package is found in this tree where it is not installed."""
    if not side.path:
        return dict(os.environ)
    paths = [str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def missing(side):
    """Why a side cannot run, or None."""
    words = [side.python, "-c", side.probe]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment(side))
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else last_line(done.stderr) or f"exit status {done.returncode}"


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def run_once(side, script, items, folder, timeout):
    """One run of a script: `{"script", "side", "seconds"}`, or `"error"` in the place of the seconds."""
    result = {"script": script.stem, "side": side.name}
    words = [side.python, *side.words, str(script), "--out", str(folder), "--items", str(items)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, env=environment(side))
    except subprocess.TimeoutExpired:
        return {**result, "error": f"no end in {timeout:g} s"}
    except OSError as error:
        return {**result, "error": error.strerror}
    if done.returncode:
        return {**result, "error": last_line(done.stderr) or f"exit status {done.returncode}"}
    seconds = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("seconds ")]
    if not seconds:
        return {**result, "error": "it printed no seconds"}
    # Of all flowgraphs that it runs.
    return {**result, "seconds": sum(seconds)}


# Comparison.


def differences(mine, theirs):
    """What of the outputs in two folders does not agree, a sentence each."""
    try:
        wanted, other = (json.loads((folder / "tolerances.json").read_text()) for folder in (theirs, mine))
    except (OSError, ValueError) as error:
        return [f"no tolerances.json that can be read: {error}"]
    if wanted != other:
        return [f"the outputs are {', '.join(other)}, not {', '.join(wanted)}, or have other tolerances"]
    found = []
    for name, tolerance in wanted.items():
        try:
            found += compare(name, tolerance, mine, theirs)
        except (OSError, ValueError) as error:
            found.append(f"{name}: {error}")
    return found


def compare(name, tolerance, mine, theirs):
    if (theirs / f"{name}.npy").exists():
        return compare_arrays(name, np.load(mine / f"{name}.npy"), np.load(theirs / f"{name}.npy"), tolerance)
    one, other = (json.loads((folder / f"{name}.json").read_text()) for folder in (mine, theirs))
    return [] if same(one, other, tolerance) else [f"{name}: {short(one)}, not {short(other)}"]


def compare_arrays(name, mine, theirs, tolerance):
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return [f"{name}: {mine.dtype} of {mine.shape}, not {theirs.dtype} of {theirs.shape}"]
    wide = np.complex128 if mine.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore"):
        distance = np.abs(mine.astype(wide) - theirs.astype(wide))
    # Where both are the same infinite or no number at all, they agree.
    distance[(mine == theirs) | ((mine != mine) & (theirs != theirs))] = 0
    off = ~(distance <= tolerance)
    if not off.any():
        return []
    at = tuple(int(index) for index in np.argwhere(off)[0])
    return [f"{name}: {int(off.sum())} of {off.size} are off by more than {tolerance:g}, first {mine[at]}, not {theirs[at]} at {at}"]


def same(one, other, tolerance):
    """Whether two JSON values agree, numbers within the tolerance."""
    if isinstance(one, bool) or isinstance(other, bool) or not isinstance(one, (int, float, list, dict)):
        return type(one) is type(other) and one == other
    if isinstance(one, (int, float)):
        return isinstance(other, (int, float)) and (one == other or math.fabs(one - other) <= tolerance)
    if type(one) is not type(other) or len(one) != len(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], tolerance) for key in one)
    return all(same(a, b, tolerance) for a, b in zip(one, other))


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


# All of it.


def run_all(chosen, scripts, scale, repeat, timeout, say=lambda text: None):
    """Each script on each side, then all again. Gives the runs, and by script what of the outputs does not agree."""
    runs, disagree = [], {}
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(repeat):
            say(f"turn {turn + 1} of {repeat}")
            for script in scripts:
                items = max(1, round(ITEMS.get(script.stem, 1000) * scale))
                folders = []
                for side in chosen:
                    folder = Path(scratch) / f"{script.stem}.{side.name}.{turn}"
                    found = run_once(side, script, items, folder, timeout)
                    runs.append(found)
                    if "error" not in found:
                        folders.append(folder)
                if len(folders) == 2:
                    # The first turn in which they do not agree is reported.
                    disagree[script.stem] = disagree.get(script.stem) or differences(*folders)
    return runs, disagree


def medians(runs):
    """`{(script, side): seconds}`, None where every run failed."""
    found = {}
    for one in runs:
        found.setdefault((one["script"], one["side"]), []).append(one.get("seconds"))
    values = {key: [second for second in seconds if second is not None] for key, seconds in found.items()}
    return {key: statistics.median(seconds) if seconds else None for key, seconds in values.items()}


def table(chosen, scripts, runs, disagree):
    seconds = medians(runs)
    rows = []
    for script in scripts:
        times = {side.name: seconds.get((script.stem, side.name)) for side in chosen}
        cells = ["failed" if times[side.name] is None else f"{times[side.name] * 1e3:.3g}" for side in chosen]
        mine, theirs = times.get("superhet"), times.get("gnuradio")
        speed = "by the clock" if script.stem in TIMED else f"{theirs / mine:.3g}" if mine and theirs else "-"
        outputs = "-" if script.stem not in disagree else "differ" if disagree[script.stem] else "agree"
        rows.append([script.stem, *cells, speed, outputs])
    head = ["script", *[f"{side.title}, ms" for side in chosen], "times as fast", "outputs"]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def find_scripts(names):
    scripts = [SCRIPTS / f"{name}.py" for name in names or ITEMS]
    for script in scripts:
        if not script.exists():
            raise run.Missing(f"no script {script}")
    return scripts


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="how often each script runs on each side")
    parser.add_argument("--scale", type=float, default=1.0, help="items of each script, times its own number")
    parser.add_argument("--scripts", type=lambda text: text.split(","), default=[], help="their names; default: all")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that one run may take")
    parser.add_argument("--python", default=sys.executable, help="the Python that has superhet")
    parser.add_argument("--json", type=Path, help="a file for all runs")
    arguments = parser.parse_args(words)
    if np is None:
        if words is None and os.path.exists(SYSTEM) and not os.path.samefile(SYSTEM, sys.executable):
            os.execv(SYSTEM, [SYSTEM, *sys.argv, "--python", arguments.python])
        print("gnuradio_scripts.py: skipped, numpy is not installed")
        return 0
    reasons = [(side, missing(side)) for side in sides(arguments.python)]
    for side, reason in reasons:
        if reason:
            print(f"gnuradio_scripts.py: {side.title} is left out: {reason}")
    chosen = [side for side, reason in reasons if not reason]
    if not chosen:
        return 0
    try:
        scripts = find_scripts(arguments.scripts)
    except run.Missing as error:
        print(f"gnuradio_scripts.py: {error}", file=sys.stderr)
        return 2
    say = lambda text: print(text, file=sys.stderr)
    runs, disagree = run_all(chosen, scripts, arguments.scale, arguments.repeat, arguments.timeout, say)
    print(table(chosen, scripts, runs, disagree))
    errors = [f"{one['script']} on {one['side']}: {one['error']}" for one in runs if "error" in one]
    errors += [f"{script}: {text}" for script, texts in disagree.items() for text in texts]
    for error in dict.fromkeys(errors):
        print(error)
    if arguments.json:
        arguments.json.write_text(json.dumps({"runs": runs, "disagree": disagree}, indent=1) + "\n")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
