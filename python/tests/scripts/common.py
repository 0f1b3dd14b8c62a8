"""What the scripts share: their command line, the time that the flowgraph takes, and what they write.

Each script takes `--out FOLDER` and `--items N`, gives the same outputs each time, and runs under GNU Radio 3.10 as it is.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np


def arguments(doc, items):
    """The command line of a script: `out`, a folder that exists afterwards, and `items`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path, help="the folder for the outputs")
    parser.add_argument("--items", type=int, default=items, help="how many items the source gives, about")
    found = parser.parse_args()
    found.out.mkdir(parents=True, exist_ok=True)
    return found


def run(tb, done=None, timeout=60):
    """Runs the flowgraph to its end and prints the seconds; with an event `done`, until that is set."""
    start = time.perf_counter()
    if done is None:
        tb.run()
    else:
        tb.start()
        in_time = done.wait(timeout)
        tb.stop()
        tb.wait()
        if not in_time:
            raise SystemExit(f"not done after {timeout} s")
    print(f"seconds {time.perf_counter() - start:.6f}")


def save(folder, **outputs):
    """Writes each output with what it may differ by: `name=(values, tolerance)`.

    A numpy array goes to `name.npy`, anything else to `name.json`; the tolerances to `tolerances.json`.
    """
    for name, (values, _) in outputs.items():
        if isinstance(values, np.ndarray):
            np.save(folder / f"{name}.npy", values)
        else:
            (folder / f"{name}.json").write_text(json.dumps(values, indent=1) + "\n")
    tolerances = {name: tolerance for name, (_, tolerance) in outputs.items()}
    (folder / "tolerances.json").write_text(json.dumps(tolerances) + "\n")
