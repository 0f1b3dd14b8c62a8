"""Items a second of GNU Radio's blocks on noise: reads cases as JSON lines from stdin, writes a JSON line for each to stdout.

Runs in the Python that has GNU Radio; `blocks.py` starts it. A case has `gnuradio`, an expression that makes the block, `input`, a
letter for each of its inputs, `values` of their integers, `taps` and `seconds`.
"""

import json
import os
import sys
import time

import numpy as np
from gnuradio import analog, blocks, channels, digital, fft, filter, gr
from gnuradio.filter import pfb

NAMES = {name: globals()[name] for name in "analog blocks channels digital fft filter gr pfb".split()}
SIZES = {"c": 8, "f": 4, "i": 4, "s": 2, "b": 1}
# As many as superhet's table has.
TABLE = 1 << 14


def noise(letter, seed, below):
    """Evenly distributed, floats from -1 to 1, integers from 0 to `below`."""
    random = np.random.default_rng(seed)
    if letter == "c":
        return (random.uniform(-1, 1, TABLE) + 1j * random.uniform(-1, 1, TABLE)).astype("c8")
    return random.uniform(-1, 1, TABLE).astype("f4") if letter == "f" else random.integers(0, below, TABLE)


def rate(case):
    """Items a second into the block, of a source out of it."""
    block = eval(case["gnuradio"], {**NAMES, "taps": case.get("taps")})  # the table is this project's own
    top, counted = gr.top_block(), None
    for port, letter in enumerate(case["input"]):
        length = block.input_signature().sizeof_stream_item(port) // SIZES[letter]
        values = noise(letter, port, case.get("below", 128)).tolist()
        source = getattr(blocks, f"vector_source_{letter}")(values[: TABLE // length * length], True, length)
        top.connect(source, (block, port))
        counted = counted or (source, length)
    counted = counted or (block, 1)
    signature = block.output_signature()
    for port in range(max(1, signature.min_streams())):
        top.connect((block, port), blocks.null_sink(signature.sizeof_stream_item(port)))
    source, length = counted
    top.start()
    time.sleep(min(0.1, case["seconds"] / 2))
    count, start = source.nitems_written(0), time.monotonic()
    time.sleep(case["seconds"])
    items, elapsed = source.nitems_written(0) - count, time.monotonic() - start
    top.stop()
    top.wait()
    return items * length / elapsed


def main():
    # What GNU Radio prints goes to stderr.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            answer = {"items_per_s": rate(json.loads(line))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
