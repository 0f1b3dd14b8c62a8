#!/usr/bin/env python3
"""Times superhet's kernels and those of VOLK in turns and prints the medians side by side.

Which kernel answers to which stands in volk/kernels.c. Nothing is installed: what VOLK lacks is said, and it is left out.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import run
from run import Missing

PROGRAM = run.BUILD / "peers/volk/kernels"
ACCURACY = run.BUILD / "release/examples/accuracy"

# Kernels of ours with a fast one beside them, which is of VOLK's accuracy: shown, but not counted.
MORE_ACCURATE = {"inverse_sqrt", "tanh", "log2", "power"}

# Functions whose errors are measured, with a range of their input and the spacing of the numbers within it.
FUNCTIONS = [
    ("inverse_sqrt", 1e-30, 1e30, "log"),
    ("tanh", -5, 5, "linear"),
    ("tanh", -20, 20, "linear"),
    ("log2", 0.9, 1.1, "linear"),
    ("log2", 1e-30, 1e30, "log"),
    ("power", 0.01, 100, "log"),
    ("exp", -80, 80, "linear"),
    ("sin", -3, 3, "linear"),
    ("cos", -3, 3, "linear"),
    ("tan", -1.5, 1.5, "linear"),
    ("asin", -1, 1, "linear"),
    ("acos", -1, 1, "linear"),
    ("atan", -10, 10, "linear"),
]

Case = namedtuple("Case", "length shift")


def build_volk():
    for tool in ["gcc", "pkg-config"]:
        if not run.shutil.which(tool):
            raise Missing(f"needs {tool}")
    flags = run.output(["pkg-config", "--cflags", "--libs", "volk"])
    if not flags:
        raise Missing("needs the development files of VOLK (Debian: libvolk2-dev or libvolk-dev)")
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    run.must(["gcc", "-std=gnu11", "-O2", "kernels.c", "-o", str(PROGRAM), *flags.split(), "-lm"], run.HERE / "volk")


def build_accuracy():
    words = ["build", "--release", "--locked", "-p", "superhet-kernels", "--example", "accuracy"]
    run.cargo(words, run.ROOT, run.BUILD)


def superhet_command(program, case, seconds, names):
    words = [program, "bench", "kernels", "--json", "--repeat", 1, "--seconds", seconds]
    words += ["--length", case.length, "--shift", case.shift]
    for name in names:
        words += ["--kernel", name]
    return [str(word) for word in words]


def volk_command(program, case, seconds, names):
    return [str(word) for word in [program, seconds, case.shift, case.length, *names]]


def lines_of(words, timeout=600):
    """The objects that a program prints, one on a line."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=timeout, preexec_fn=lambda: run.keep_to(1)
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"{Path(words[0]).name}: no answer in {timeout} s") from None
    except OSError as error:
        raise Missing(f"{Path(words[0]).name}: {error.strerror}") from None
    if done.returncode != 0:
        raise Missing(f"{Path(words[0]).name}: {run.parse(done)['error']}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def measure(words, timeout=600):
    """`{name: the object}` of what a program prints about each kernel."""
    return {one["name"]: one for one in lines_of(words, timeout)}


def measure_errors(functions, ours, theirs):
    """The largest errors of both programs: an object for each kernel of ours and each range.

    `ours` and `theirs` give the objects of a list of words `KERNEL:LOW:HIGH:SPACING`, in order.
    """
    wanted = []
    for name, low, high, spacing in functions:
        for kernel in [name, f"{name}_fast"] if name in MORE_ACCURATE else [name]:
            wanted.append((kernel, name, low, high, spacing))
    mine = ours([f"{kernel}:{low}:{high}:{spacing}" for kernel, _, low, high, spacing in wanted])
    other = theirs([f"{name}:{low}:{high}:{spacing}" for _, name, low, high, spacing in wanted])
    keys = ["absolute_error", "relative_error"]
    return [
        {
            **{"name": kernel, "low": low, "high": high, "spacing": spacing},
            **{f"superhet_{key}": one[key] for key in keys},
            **{f"volk_{key}": two[key] for key in keys},
        }
        for (kernel, _, low, high, spacing), one, two in zip(wanted, mine, other)
    ]


def measure_in_turns(cases, repeat, ours, theirs, say=lambda text: None):
    """Every run of both, in Gitems/s; a kernel that crashed has an `error` instead.

    `ours` and `theirs` measure all kernels of a case. A kernel that only one side has is left out.
    """
    runs = []
    for turn in range(repeat):
        for case in cases:
            say(f"turn {turn + 1} of {repeat}: {case.length} items, shift {case.shift}")
            mine, other = ours(case), theirs(case)
            for name in (name for name in other if name in mine):
                one = {"name": name, "volk": other[name]["volk"], **case._asdict()}
                one["variant"] = mine[name].get("variant")
                one["superhet_gitems_per_s"] = mine[name]["gitems_per_s"]
                if "error" in other[name]:
                    one["error"] = other[name]["error"]
                else:
                    one["volk_gitems_per_s"] = other[name]["gitems_per_s"]
                runs.append(one)
    return runs


def medians(runs):
    """`{(case, name): (superhet, VOLK, ratio)}`: medians, of the ratios of turns too."""
    found = {}
    for one in filter(lambda one: "error" not in one, runs):
        found.setdefault((Case(one["length"], one["shift"]), one["name"]), []).append(one)

    def three(turns):
        ours = [turn["superhet_gitems_per_s"] for turn in turns]
        theirs = [turn["volk_gitems_per_s"] for turn in turns]
        ratios = [mine / other for mine, other in zip(ours, theirs)]
        return tuple(map(statistics.median, [ours, theirs, ratios]))

    return {key: three(turns) for key, turns in found.items()}


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def table(runs):
    """A Markdown table: a line for each kernel and case, Gitems/s; then the geometric means of the ratios."""
    rates = medians(runs)
    counted = {key: three for key, three in rates.items() if key[1] not in MORE_ACCURATE}
    lines = ["| kernel | items | shift | superhet | VOLK | ratio |", "|---|---|---|---|---|---|"]
    for (case, name), (ours, theirs, ratio) in rates.items():
        lines.append(f"| {name} | {case.length} | {case.shift} | {ours:.3g} | {theirs:.3g} | {ratio:.2f} |")
    lines += ["", "Geometric mean of superhet / VOLK:"]
    for case in dict.fromkeys(case for case, _ in counted):
        ratios = [three[2] for (other, _), three in counted.items() if other == case]
        below = lambda bar: sum(ratio < bar for ratio in ratios)
        lines.append(
            f"- {case.length} items, shift {case.shift}: {geometric_mean(ratios):.3f} over {len(ratios)} kernels, "
            f"{below(1)} of them below 1, {below(0.97)} below 0.97"
        )
    if len(counted) < len(rates):
        names = sorted({name for _, name in rates} & MORE_ACCURATE)
        lines.append(f"- not counted, for they are more accurate than VOLK's: {', '.join(names)}")
    crashed = sorted({(one["volk"], one["shift"], one["error"]) for one in runs if "error" in one})
    lines += [f"- {volk} at shift {shift} crashed: {error}" for volk, shift, error in crashed]
    return "\n".join(lines)


def errors_table(errors):
    """A Markdown table: the largest errors of each function."""
    lines = ["| function | from | to | superhet | relative | VOLK | relative |", "|---|---|---|---|---|---|---|"]
    for one in errors:
        keys = [f"{peer}_{kind}_error" for peer in ["superhet", "volk"] for kind in ["absolute", "relative"]]
        figures = " | ".join(f"{one[key]:.2g}" for key in keys)
        lines.append(f"| {one['name']} | {one['low']} | {one['high']} | {figures} |")
    return "\n".join(lines)


def numbers(text):
    return [int(word) for word in text.split(",")]


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.004, help="for each kernel in each turn (default 0.004)")
    parser.add_argument("--repeat", type=int, default=5, help="turns; 0 only builds (default 5)")
    parser.add_argument("--length", type=run.numbers, default=[8192, 1000000], help="items (default 8192,1000000)")
    parser.add_argument("--shift", type=numbers, default=[0, 1], help="items behind a cache line (default 0,1)")
    parser.add_argument("--kernel", default="", help="superhet's names, with commas (default: all that both have)")
    parser.add_argument("--errors", action="store_true", help="measure the errors of functions, too")
    parser.add_argument("--json", type=Path, help="write every run here")
    parser.add_argument("--build", action="store_true", help="build both programs first")
    parser.add_argument("--superhet", type=Path, default=run.BUILD / "release/superhet", help="the superhet program")
    return parser.parse_args(words)


def main(words):
    args = arguments(words)
    say = lambda text: print(text, file=sys.stderr, flush=True)
    names = [name for name in args.kernel.split(",") if name]
    cases = [Case(length, shift) for length in args.length for shift in args.shift]
    try:
        if args.build:
            run.build_superhet()
            build_accuracy()
            build_volk()
        if not PROGRAM.exists():
            raise Missing("not built: run with --build")
        runs = measure_in_turns(
            cases,
            args.repeat,
            lambda case: measure(superhet_command(args.superhet, case, args.seconds, names)),
            lambda case: measure(volk_command(PROGRAM, case, args.seconds, names)),
            say,
        )
        errors = []
        if args.errors:
            ours = lambda words: lines_of([str(ACCURACY), *words])
            theirs = lambda words: lines_of([str(PROGRAM), "errors", *words])
            errors = measure_errors(FUNCTIONS, ours, theirs)
    except Missing as reason:
        print(f"volk skipped: {reason}")
        return
    if runs:
        print(table(runs))
    if errors:
        print(f"\nLargest errors against double precision:\n\n{errors_table(errors)}")
    if args.json:
        result = {"machine": run.machine(), "tools": run.tools(), "seconds": args.seconds, "repeat": args.repeat}
        args.json.write_text(json.dumps({**result, "runs": runs, "errors": errors}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
