#!/usr/bin/env python3
"""Runs graphs with tags, and with bursts, on superhet and on GNU Radio in turns and prints medians side by side.

`tags`: a source -> M copies -> a sink, with a tag every so many items. `bursts`: a source -> M times y = x + 1 -> a sink,
the bursts in a stream with length tags, or as packets (PDUs). See README.md. Nothing is installed: without GNU Radio's
development files superhet is measured alone.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import run

# A transport, or "" for tags; items from tag to tag, or bytes of a burst; blocks between source and sink.
Row = namedtuple("Row", "transport size blocks")

# What each reports. Rates are per second; the rest are microseconds.
FIGURES = ["rate", "rate_untagged", "mean_us", "p50_us", "p99_us"]
BARS = {"tags": 15, "bursts": 10, "long bursts": 4}
# From this length on a burst's items cost more than the runtime.
LONG_BURST = 16384


class Side:
    """Superhet or GNU Radio: a program, and the runs of it that one row needs."""

    def __init__(self, name, program, build, transports):
        self.name = name
        self.program = program
        self.build = build
        self.transports = transports

    def check(self):
        if not Path(self.program).exists():
            raise run.Missing("not built: run with --build")


class Superhet(Side):
    def commands(self, row, seconds, scheduler):
        words = [self.program, "bench", "bursts" if row.transport else "tags", "--json", "--repeat", 1]
        words += ["--seconds", seconds, "--blocks", row.blocks, *scheduler]
        words += ["--transports", row.transport, "--lengths"] if row.transport else ["--every"]
        return [[str(word) for word in [*words, row.size]]]


class GnuRadio(Side):
    def commands(self, row, seconds, scheduler):
        if row.transport:
            runs = [[row.transport, row.size, row.blocks, seconds, what] for what in ["rate", "latency"]]
        else:
            runs = [[every, row.blocks, seconds] for every in [row.size, 0]]
        program = self.program.parent / ("bursts" if row.transport else "tags")
        return [[str(word) for word in [program, *words]] for words in runs]


def sides(superhet=None):
    return [
        Superhet(
            "superhet",
            superhet or run.BUILD / "release/superhet",
            run.build_superhet,
            ["stream", "tagged", "packets"],
        ),
        GnuRadio(
            "gnuradio",
            run.BUILD / "peers/gnuradio/bursts",
            build_gnuradio,
            ["stream", "tagged", "pdus"],
        ),
    ]


def build_gnuradio():
    for name in ["tags", "bursts"]:
        run.build_gnuradio(name, ["gnuradio-runtime", "gnuradio-blocks", "spdlog", "fmt"], "c++20")


# Running.


def run_once(side, row, seconds, scheduler=(), timeout=None):
    """The figures of one row, from fresh processes. A failure is a result too: it has an `error`."""
    result = {"side": side.name, **row._asdict()}
    start, mine, everyone = time.monotonic(), run.children_seconds(), run.busy_seconds()
    try:
        for words in side.commands(row, seconds, scheduler):
            done = subprocess.run(words, capture_output=True, text=True, timeout=timeout or 40 + 4 * seconds)
            found = figures(done)
            # The second run for tags is the one without.
            if "rate" in found and "rate" in result:
                found = {"rate_untagged": found["rate"]}
            result.update(found)
    except subprocess.TimeoutExpired as error:
        result["error"] = f"no answer in {error.timeout:g} s"
    except OSError as error:
        result["error"] = error.strerror
    if everyone is not None:
        others = run.busy_seconds() - everyone - (run.children_seconds() - mine)
        result["others"] = round(max(0, others) / (time.monotonic() - start), 2)
    return result


def figures(done):
    found = run.answer(done)
    if "error" in found:
        return found
    numbers = {name: found[name] for name in FIGURES if isinstance(found.get(name), (int, float))}
    return numbers or {"error": "no JSON line with a figure"}


def run_all(chosen, rows, seconds, repeat, scheduler=(), say=lambda text: None, quiet=run.Quiet()):
    """All runs, in turns: every row on each side once, then all of them again."""
    runs = []
    try:
        for turn in range(repeat):
            say(f"turn {turn + 1} of {repeat}")
            for side in chosen:
                for row in rows(side):
                    runs.append(quiet.run(lambda: run_once(side, row, seconds, scheduler)))
    except KeyboardInterrupt:
        say("interrupted: the table has what was measured so far")
    return runs


def medians(runs):
    """`{(side, transport, size): {figure: median}}`; without figures where every run failed."""
    values = {}
    for one in runs:
        figures = values.setdefault((one["side"], one["transport"], one["size"]), {})
        for name in FIGURES if "error" not in one else []:
            if name in one:
                figures.setdefault(name, []).append(one[name])
    return {
        key: {name: statistics.median(found) for name, found in figures.items()} for key, figures in values.items()
    }


# What comes out.


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value, scale=1):
    return "failed" if value is None else f"{value * scale:.3g}"


def verdict(ratio, bar):
    if ratio is None:
        return "-"
    return f"{ratio:.3g} ({'≥' if ratio >= bar else '< !'} {bar})"


def ratio(mine, theirs):
    return mine / theirs if mine is not None and theirs is not None else None


def tags_table(found):
    """Mitems/s with tags and without, a line for each distance of tags."""
    lines = []
    for every in sizes(found):
        mine, theirs = (found.get((side, "", every), {}) for side in ["superhet", "gnuradio"])
        cells = [number(side.get(name), 1e-6) for side in [mine, theirs] for name in ["rate", "rate_untagged"]]
        of_rates = ratio(mine.get("rate"), theirs.get("rate"))
        lines.append([str(every), *cells, verdict(of_rates, BARS["tags"])])
    head = ["tag every", "superhet", "untagged", "GNU Radio", "untagged", "ratio (bar)"]
    return markdown(head, lines)


def bursts_table(found):
    """Thousand bursts/s, and p50 / p99 in µs with one burst on its way; a line for each length."""
    sides = {"superhet": "superhet", "gnuradio": "GNU Radio"}
    columns = list(dict.fromkeys((side, transport) for side, transport, _ in found))
    rates, delays = [], []
    for size in sizes(found):
        cells = [found.get((*column, size), {}) for column in columns]
        of_side = lambda side: [cell.get("rate") for column, cell in zip(columns, cells) if column[0] == side]
        best = max((rate for rate in of_side("gnuradio") if rate is not None), default=None)
        bar = BARS["long bursts" if size >= LONG_BURST else "bursts"]
        ratios = [verdict(ratio(rate, best), bar) for rate in of_side("superhet")]
        rates.append([str(size), *[number(cell.get("rate"), 1e-3) for cell in cells], *ratios])
        pairs = [f"{number(cell.get('p50_us'))} / {number(cell.get('p99_us'))}" for cell in cells]
        delays.append([str(size), *pairs])
    names = [f"{sides[side]} {transport}" for side, transport in columns]
    ratios = [f"{transport} / GNU Radio's best (bar)" for side, transport in columns if side == "superhet"]
    return "\n".join(
        [
            "Thousand bursts/s:\n",
            markdown(["bytes", *names, *ratios], rates),
            "\nµs from source to sink, p50 / p99, one burst at a time:\n",
            markdown(["bytes", *names], delays),
        ]
    )


def sizes(found):
    return list(dict.fromkeys(size for _, _, size in found))


def failures(runs):
    counts = {}
    for one in runs:
        if "error" in one:
            what = one["side"], one["transport"], one["size"], one["error"]
            counts[what] = counts.get(what, 0) + 1
    lines = [
        f"- {side} {transport or 'tags'} {size}, {count} times: {error}"
        for (side, transport, size, error), count in counts.items()
    ]
    return "\n".join(["", "Failed runs:", *lines]) if lines else ""


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tags", "bursts"])
    parser.add_argument("--sizes", type=run.numbers, help="items from tag to tag, or bytes of a burst")
    parser.add_argument("--blocks", type=int, default=4, help="between source and sink (default 4)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run (default 0.5)")
    parser.add_argument("--repeat", type=int, default=5, help="turns; 0 only builds (default 5)")
    parser.add_argument("--scheduler", default="", help="of superhet, and its workers: single, adaptive:2 and so on")
    parser.add_argument("--quiet", type=float, help="measure while other work takes at most so many cores")
    parser.add_argument("--quiet-time", type=float, default=600, help="seconds to lose for --quiet in all (default 600)")
    parser.add_argument("--json", type=Path, help="write every run here")
    parser.add_argument("--build", action="store_true", help="build what can be built first")
    parser.add_argument("--superhet", type=Path, help="another superhet program to measure")
    args = parser.parse_args(words)
    if args.sizes is None:
        args.sizes = [10, 100, 1000, 100000] if args.what == "tags" else [64, 256, 1024, 4096, LONG_BURST]
    return args


def scheduler_words(text):
    """`single` or `adaptive:2` as superhet's options."""
    name, _, workers = text.partition(":")
    return (["--scheduler", name] if name else []) + (["--workers", workers] if workers else [])


def main(words):
    args = arguments(words)
    say = lambda text: print(text, file=sys.stderr, flush=True)
    ready, skipped = run.usable(sides(args.superhet), args.build, say)

    def rows(side):
        transports = side.transports if args.what == "bursts" else [""]
        return [Row(transport, size, args.blocks) for size in args.sizes for transport in transports]

    quiet = run.Quiet(args.quiet, args.quiet_time)
    runs = run_all(ready, rows, args.seconds, args.repeat, scheduler_words(args.scheduler), say, quiet)
    if runs:
        found = medians(runs)
        print(tags_table(found) if args.what == "tags" else bursts_table(found))
        print("\n".join(run.disturbance(runs, args.quiet)) + failures(runs))
    if args.json:
        result = {"machine": run.machine(), "tools": run.tools(), "seconds": args.seconds, "repeat": args.repeat}
        args.json.write_text(json.dumps({**result, "skipped": skipped, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
