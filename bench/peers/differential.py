#!/usr/bin/env python3
"""Compares superhet's blocks with those of GNU Radio 3.10 and with scipy, on the cases of python/tests/differential.

Needs superhet's Python package and, for its part each, GNU Radio in this or the system's Python and scipy. What is missing is said,
and skipped. What differs on purpose is in differences.json, with the reason; docs/differences.md explains it.

    target/python-tests/bin/python bench/peers/differential.py [--cases 20] [--seed 1] [--block NAME]
"""

import argparse
import json
import math
import pickle
import subprocess
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python" / "tests"))

try:
    import numpy as np
    from differential import DEFINITIONS
    from differential.draw import Draw
    from differential.driver import expected, parameters, run
except ImportError as error:
    sys.exit(print(f"differential: skipped, superhet's Python package is not installed here ({error})"))

try:
    from scipy import fft as scipy_fft
    from scipy import signal
except ImportError:
    signal = None

# The system's own Python has GNU Radio where the one of an environment has not.
PYTHONS = [sys.executable, "/usr/bin/python3"]
DIFFERENCES = json.loads((HERE / "differences.json").read_text(encoding="utf-8"))


def numbers(taps):
    return np.array([complex(*tap) if isinstance(tap, list) else tap for tap in taps])


def scipy_iir(p, x):
    back = np.array([1.0, *p.feed_back[1:]])
    back[1:] *= -1 if p.old_style else 1
    return signal.lfilter(numbers(p.feed_forward), back, x.astype("c16"))


def scipy_frames(p, x):
    rows = x[: len(x) // p.length * p.length].reshape(-1, p.length)
    return (scipy_fft.ifft(rows, axis=1) * p.length if p.inverse else scipy_fft.fft(rows, axis=1)).ravel()


def scipy_resampled(p, x):
    """As ours begins: where the filter is full for the first time."""
    if not p.taps:
        return None
    taps, up = numbers(p.taps), p.interpolation
    full = (-(-len(taps) // up) - 1) * up
    return signal.upfirdn(taps, x, up=up)[full :: p.decimation]


def scipy_low_pass(p, x):
    window = {"rectangular": "boxcar", "blackman_harris": "blackmanharris"}.get(p.window, p.window)
    widths = {"boxcar": 1.0, "hann": 3.2, "hamming": 3.5, "blackman": 5.7, "blackmanharris": 7.5}
    count = math.ceil(widths[window] * p.rate_hz / p.transition_hz) | 1
    return signal.lfilter(p.gain * signal.firwin(count, p.cutoff_hz, window=window, fs=p.rate_hz), 1, x)[:: p.decimation]


def scipy_mean(p, x):
    if p.length > 1 or x.dtype.kind not in "fc":
        return None
    return complex(p.scale, p.scale_imag) * signal.lfilter(np.ones(p.count), 1, x)


SCIPY = {
    "fft_filter": lambda p, x: signal.oaconvolve(x, numbers(p.taps))[: len(x) : p.decimation],
    "low_pass_filter": scipy_low_pass,
    "moving_average": scipy_mean,
    "rational_resampler": scipy_resampled,
    "fir_filter": lambda p, x: signal.lfilter(numbers(p.taps), 1, x)[:: p.decimation],
    "interp_fir_filter": lambda p, x: signal.upfirdn(numbers(p.taps), x, up=p.interpolation),
    "iir_filter": scipy_iir,
    "single_pole_iir_filter": lambda p, x: signal.lfilter([p.alpha], [1, p.alpha - 1], x) if p.length == 1 else None,
    "fft": lambda p, x: scipy_frames(p, x) if p.window == "rectangular" and not p.shift else None,
}


def drawn(block, seed, cases):
    """Cases of a block, and what superhet makes of each."""
    for number in range(cases):
        random = np.random.default_rng([seed, zlib.crc32(block.encode()), number])
        case = DEFINITIONS[block].draw(Draw(random, ""))
        case.tags = [[] for _ in case.inputs]
        if case.inputs and all(len(x) for x in case.inputs) and case.params.get("out_item") != "i16":
            bounds = expected(DEFINITIONS[block], case)[1]
            yield case, run(block, case, random).streams, bounds


def difference(mine, theirs, bound):
    """Where two outputs differ as far as both go, by more than the bound and what single precision makes of the largest value."""
    both = min(len(mine), len(theirs))
    wide = "c16" if mine.dtype.kind == "c" else "f8"
    theirs = np.asarray(theirs) if mine.dtype.kind == "c" else np.real(theirs)
    a, b = mine[:both].astype(wide), theirs[:both].astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(a) & np.isfinite(b)
        largest = np.abs(a[finite]).max(initial=0)
        allowed = (bound[:both] if np.ndim(bound) else bound) * 4 + (1e-4 * largest if mine.dtype.kind in "fc" else 0)
        wrong = finite & ~(np.abs(a - b) <= allowed)
    if not wrong.any():
        return None
    first = int(np.argmax(wrong))
    return f"item {first} of {both}: superhet {mine[first]!r}, the other {theirs[first]!r}; {np.count_nonzero(wrong)} differ"


def gnuradio(cases):
    """What GNU Radio makes of the cases, or `None` where it is not installed."""
    for python in PYTHONS:
        if (
            Path(python).exists()
            and subprocess.run([python, "-c", "import gnuradio"], capture_output=True).returncode == 0
        ):
            done = subprocess.run(
                [python, str(HERE / "gnuradio_differential.py")],
                input=pickle.dumps(cases),
                capture_output=True,
                timeout=600,
            )
            if done.returncode:
                sys.exit(f"differential: GNU Radio's side failed:\n{done.stderr.decode()[-2000:]}")
            outputs = pickle.loads(done.stdout)
            return [
                one if isinstance(one, str) else [np.frombuffer(raw, dtype) for dtype, raw in one] for one in outputs
            ]
    return None


def known():
    """The blocks that GNU Radio's side knows."""
    source = (HERE / "gnuradio_differential.py").read_text(encoding="utf-8")
    return [block for block in DEFINITIONS if f'    "{block}": ' in source]


def report(peer, block, wrong, failed):
    if wrong and block not in DIFFERENCES:
        print(f"{peer}, {block}: {wrong}")
        failed.add(block)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=20, help="for each block")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--block", action="append", help="only this block")
    given = parser.parse_args()
    failed, counts, none = set(), {}, {}

    mine = [
        (block, *one)
        for block in given.block or known()
        if block in known()
        for one in drawn(block, given.seed, given.cases)
    ]
    plain = [
        (
            block,
            vars(parameters(block, case.params)),
            [(str(x.dtype), x.tobytes()) for x in case.inputs],
            [str(y.dtype) for y in streams],
        )
        for block, case, streams, _ in mine
    ]
    theirs = gnuradio(plain)
    if theirs is None:
        print("differential: GNU Radio is skipped, no Python here has it")
    for (block, case, streams, bounds), outputs in zip(mine, theirs or []):
        if isinstance(outputs, str):
            # It has no such block for these items, or not with these parameters.
            none.setdefault(block, outputs)
            continue
        counts["GNU Radio"] = counts.get("GNU Radio", 0) + 1
        for port, (a, b, bound) in enumerate(zip(streams, outputs, bounds)):
            if block not in failed:
                wrong = difference(a, b, 0 if bound is None else bound)
                report(
                    "GNU Radio", block, wrong and f"output {port}, {wrong}; parameters {str(case.params)[:300]}", failed
                )

    for block, why in none.items():
        print(f"GNU Radio has not all of {block}: {why.splitlines()[0][:150]}")

    if signal is None:
        print("differential: scipy is skipped, it is not installed here")
    else:
        for block in [block for block in given.block or SCIPY if SCIPY.get(block)]:
            for case, streams, bounds in drawn(block, given.seed, given.cases):
                other = SCIPY[block](parameters(block, case.params), case.inputs[0])
                if other is not None:
                    counts["scipy"] = counts.get("scipy", 0) + 1
                    report("scipy", block, difference(streams[0], other, bounds[0]), failed)

    print(
        f"differential: {', '.join(f'{count} cases with {peer}' for peer, count in counts.items()) or 'no peer'}; {len(failed)} blocks differ"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
