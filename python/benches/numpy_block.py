#!/usr/bin/env python3
"""What a block in numpy and a graph from Python reach, each beside what it could reach at best.

A function of numpy's in a chain, against the same function called by hand on arrays of 1 MiB:
``null_source -> function -> null_sink``. The source writes each item, too, which the loop by hand does not: `own time` counts
the items in the time that the block itself took, calls of Python and all. A graph of library blocks from Python, against the
same graph run by the `superhet` command, where `--superhet PROGRAM` names one. Interleaved; medians.

    python/benches/numpy_block.py [--repeat 5] [--superhet target/release/superhet]
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

import superhet

BYTES = 1 << 20
FUNCTIONS = {
    "multiply": ("f32", 1000, lambda x, y: numpy.multiply(x, 0.5, out=y)),
    "abs": ("C32", 300, lambda x, y: numpy.abs(x, out=y)),
    "sin": ("f32", 200, lambda x, y: numpy.sin(x, out=y)),
}
GRAPH = """
connections = ["source -> gain -> head -> sink"]
[blocks]
source = {{ type = "null_source", item = "f32" }}
gain = {{ type = "multiply_const", item = "f32", constant = 0.5 }}
head = {{ type = "head", item = "f32", items = {items} }}
sink = {{ type = "null_sink", item = "f32" }}
"""
ITEMS = 4_000_000_000


def by_hand(item, calls, function):
    x = numpy.ones(BYTES // (8 if item == "C32" else 4), "c8" if item == "C32" else "f4")
    y = numpy.empty(len(x), "f4")
    start = time.perf_counter()
    for _ in range(calls):
        function(x, y)
    return calls * len(x) / (time.perf_counter() - start)


def in_a_chain(item, calls, function):
    """Items a second in the whole chain's time, and in the block's own."""
    done = 0

    def counted(x, y):
        nonlocal done
        function(x, y)
        done += len(x)

    graph = superhet.Graph()
    graph.connect(superhet.null_source(item=item), superhet.block(item, "f32")(counted)(), superhet.null_sink(item="f32"))
    with graph.start() as running:
        time.sleep(0.05)
        before, start = done, time.perf_counter()
        time.sleep(0.3)
        rate = (done - before) / (time.perf_counter() - start)
    block = next(block for block in running.metrics["blocks"] if block["inputs"] and block["outputs"])
    return rate, done / block["busy_s"]


def from_python():
    blocks = superhet.blocks
    graph = superhet.Graph()
    gain, head = blocks.multiply_const(item="f32", constant=0.5), blocks.head(item="f32", items=ITEMS)
    graph.connect(blocks.null_source(item="f32"), gain, head, blocks.null_sink(item="f32"))
    running = graph.start()
    running.wait()
    return (ITEMS / running.metrics["elapsed_s"],)


def from_rust(program):
    with tempfile.TemporaryDirectory() as folder:
        path, report = Path(folder) / "graph.toml", Path(folder) / "report.json"
        path.write_text(GRAPH.format(items=ITEMS))
        subprocess.run([program, "run", path, "--report-json", report], check=True, capture_output=True)
        return ITEMS / json.loads(report.read_text())["elapsed_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--superhet", metavar="PROGRAM")
    args = parser.parse_args()
    pairs = {name: (lambda case=case: by_hand(*case), lambda case=case: in_a_chain(*case)) for name, case in FUNCTIONS.items()}
    if args.superhet:
        pairs["library blocks"] = (lambda: from_rust(args.superhet), from_python)
    print(f"{'':16}{'limit':>10}{'reached':>10}{'own time':>10}   Gitems/s, and their ratios to the limit")
    for name, (limit, ours) in pairs.items():
        turns = [(limit(), *ours()) for _ in range(args.repeat)]
        rates = [f"{statistics.median(rates) / 1e9:10.3g}" for rates in zip(*turns)]
        ratios = [statistics.median(turn[place] / turn[0] for turn in turns) for place in range(1, len(rates))]
        print(f"{name:16}{''.join(rates):30}   {'  '.join(f'{ratio:.2f}' for ratio in ratios)}")


if __name__ == "__main__":
    main()
