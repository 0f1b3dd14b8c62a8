"""Compares blocks with their definitions for as long as asked: `python -m differential --minutes 10 [--block NAME]`."""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from . import DEFINITIONS, Difference, trial


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m differential", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="for how long")
    parser.add_argument(
        "--block",
        action="append",
        choices=sorted(DEFINITIONS),
        metavar="NAME",
        help="only this block; more than once for several",
    )
    parser.add_argument("--seed", type=int, help="the seed; without one, another each time")
    parser.add_argument("--case", type=int, help="only the case of this number")
    parser.add_argument(
        "--keep-going", action="store_true", help="report one difference a block instead of ending with the first"
    )
    given = parser.parse_args()
    seed = int(np.random.SeedSequence().entropy % 2**32) if given.seed is None else given.seed
    blocks = given.block or list(DEFINITIONS)
    if given.case is not None:
        for block in blocks:
            trial(DEFINITIONS[block], seed, given.case)
        print(f"case {given.case} of seed {seed}: no difference")
        return 0
    end, number, done, failed = time.monotonic() + 60 * given.minutes, 0, 0, {}
    while time.monotonic() < end and len(failed) < len(blocks):
        for block in blocks:
            if block in failed or time.monotonic() >= end:
                continue
            try:
                trial(DEFINITIONS[block], seed, number)
                done += 1
            except Difference as difference:
                print(difference, flush=True)
                failed[block] = number
                if not given.keep_going:
                    return 1
        number += 1
    print(
        f"{done} cases of {len(blocks)} blocks, seed {seed}: {len(failed)} blocks differ{': ' + ', '.join(failed) if failed else ''}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
