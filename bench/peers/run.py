#!/usr/bin/env python3
"""Runs one flowgraph on superhet and on its peers in turns and prints medians side by side.

Dummy source -> M saxpys -> benchmark sink, on N cores, each saxpy applied W times. See README.md. Nothing is installed:
what a peer lacks is said, and that peer is left out.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()

Row = namedtuple("Row", "cores kernels weight")


class Missing(Exception):
    """Why a peer cannot be built or run here."""


class Peer:
    """A program that prints one JSON line; `CORES KERNELS WEIGHT SECONDS CONFIG` are its arguments."""

    def __init__(self, name, program, build, configs):
        self.name = name
        self.program = program
        self.build = build
        self._configs = configs

    def configs(self, cores):
        """The configurations to try on so many cores; `default` is the peer as it comes."""
        return self._configs(cores)

    def command(self, row, seconds, config):
        return [str(self.program), *map(str, row), str(seconds), config]

    def check(self):
        if not Path(self.program).exists():
            raise Missing("not built: run with --build")


class Superhet(Peer):
    """`superhet bench chain`; its JSON has the rate under the same name."""

    def command(self, row, seconds, config):
        words = [self.program, "bench", "chain", "--json", "--repeat", 1, "--seconds", seconds]
        words += ["--kernels", row.kernels, "--workers", row.cores]
        if row.weight != 1:
            words += ["--weight", row.weight]
        if is_in_place(config):
            words += ["--in-place"]
        return [str(word) for word in words]


def is_in_place(config):
    """Whether saxpys work on top of their input there. FutureSDR's circuits, named after schedulers, are in place, too."""
    return config.startswith(("in-", "smol-", "flow-", "local-"))


# What each peer is made of. README.md says why these configurations.


def peers(superhet=None):
    """All peers, superhet first."""
    built = {"superhet": BUILD / "release/superhet", "gnuradio": BUILD / "peers/gnuradio/chain"}
    for name in ["qsdr", "futuresdr"]:
        built[name] = BUILD / f"peers/{name}/release/peer-{name}"
    return [
        Superhet("superhet", superhet or built["superhet"], build_superhet, lambda cores: ["default", "in-place"]),
        Peer(
            "qsdr",
            built["qsdr"],
            build_qsdr,
            lambda cores: ["default", "out-256x2", "in-16x1", "in-256x1", "in-256x2"]
            if cores == 1
            else ["default", f"out-256x{cores + 1}", f"in-256x{cores + 1}"]
            + [f"in-{sizes}-spin" for sizes in [f"16x{cores + 2}", f"64x{cores + 1}", f"256x{cores + 2}"]],
        ),
        Peer(
            "futuresdr",
            built["futuresdr"],
            build_futuresdr,
            lambda cores: ["default", "local-16x2", "local-64x2", "local-256x2"]
            if cores == 1
            else ["default", "flow-256x4"]
            + [f"smol-{sizes}" for sizes in [f"16x{cores + 2}", f"256x{cores + 1}", f"256x{cores + 2}"]],
        ),
        Peer(
            "gnuradio",
            built["gnuradio"],
            build_gnuradio,
            lambda cores: ["default", "pinned", "pinned-512", "pinned-8192"],
        ),
    ]


def build_superhet():
    cargo(["build", "--release", "--locked", "-p", "superhet-cli"], ROOT, BUILD)


def build_qsdr():
    rust_peer("qsdr", [], [], "-C target-cpu=native")


def build_futuresdr():
    """FutureSDR uses floating-point methods that were unstable before Rust 1.98."""
    version = re.search(r"(\d+)\.(\d+)\.(\d+)", output(["rustc", "--version"]) or "")
    if version and tuple(map(int, version.groups())) >= (1, 98, 1):
        return rust_peer("futuresdr", [], [], "-C target-cpu=native")
    if not output(["cargo", "+nightly", "--version"]):
        raise Missing("needs Rust 1.98.1 or a nightly toolchain: rustup toolchain install nightly")
    flags = "-C target-cpu=native -Zcrate-attr=feature(float_algebraic) -Aunused-features"
    rust_peer("futuresdr", ["+nightly"], ["--ignore-rust-version"], flags)


def rust_peer(name, toolchain, options, flags):
    words = [*toolchain, "build", "--release", "--locked", *options, "-p", f"peer-{name}"]
    cargo(words, HERE / "rust", BUILD / "peers" / name, RUSTFLAGS=flags)


def cargo(words, where, target, **env):
    if not shutil.which("cargo"):
        raise Missing("needs a Rust toolchain (cargo)")
    must(["cargo", *words], where, CARGO_TARGET_DIR=str(target), **env)


def build_gnuradio(name="chain", libraries=("gnuradio-runtime", "spdlog", "fmt"), standard="c++17"):
    for tool in ["g++", "pkg-config"]:
        if not shutil.which(tool):
            raise Missing(f"needs {tool}")
    flags = output(["pkg-config", "--cflags", "--libs", *libraries])
    if not flags:
        raise Missing(f"needs the development files of {', '.join(libraries)} (Debian: gnuradio-dev)")
    program = BUILD / "peers/gnuradio" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    options = [f"-std={standard}", "-O3", "-funroll-loops", "-march=native", "-ffp-contract=off"]
    must(["g++", *options, f"{name}.cc", "-o", str(program), *flags.split()], HERE / "gnuradio")


def must(words, where, **env):
    print("+", " ".join(words), file=sys.stderr)
    if subprocess.run(words, cwd=where, env={**os.environ, **env}).returncode != 0:
        raise Missing(f"{words[0]} failed, see above")


def output(words):
    """What a command prints, or None if it fails or does not exist."""
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


# Running.


def run_once(peer, row, config, seconds, timeout=None):
    """One fresh process on the first `row.cores` cores. A failure is a result too: it has an `error`."""
    run = {"peer": peer.name, **row._asdict(), "config": config}
    start, mine, everyone = time.monotonic(), children_seconds(), busy_seconds()
    try:
        done = subprocess.run(
            peer.command(row, seconds, config),
            capture_output=True,
            text=True,
            timeout=timeout or 20 + 4 * seconds,
            preexec_fn=lambda: keep_to(row.cores),
        )
        run.update(parse(done))
    except subprocess.TimeoutExpired as error:
        run["error"] = f"no answer in {error.timeout:g} s"
    except OSError as error:
        run["error"] = error.strerror
    mine = children_seconds() - mine
    run["process_cpu_seconds"] = round(mine, 4)
    if everyone is not None:
        run["others"] = round(max(0, busy_seconds() - everyone - mine) / (time.monotonic() - start), 2)
    return run


def children_seconds():
    """CPU time of all processes started and ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def busy_seconds():
    """CPU time of everything on this machine, what its host took away included; None where it is not reported."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return None
    user, nice, system, _, _, *interrupts_and_stolen = map(int, stat.read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK")


class Quiet:
    """Keeps runs out of the way of other work, and loses no more than `left` seconds over it in all.

    It waits until other work takes at most `limit` cores and repeats runs that were disturbed more than that. Without
    time left it takes what comes.
    """

    def __init__(self, limit=None, left=0):
        self.limit = limit
        self.left = left

    def run(self, once):
        """The first quiet result of `once`, or the quietest."""
        runs = []
        while True:
            start = time.monotonic()
            self.wait()
            runs.append(once())
            if self.limit is None or runs[-1].get("others", 0) <= self.limit:
                break
            self.left -= time.monotonic() - start
            if self.left <= 0:
                break
        return {**min(runs, key=lambda run: run.get("others", 0)), "tries": len(runs)}

    def wait(self, step=0.3):
        while self.limit is not None and self.left > 0:
            before = busy_seconds()
            if before is None:
                return
            time.sleep(step)
            if (busy_seconds() - before) / step <= self.limit:
                return
            self.left -= step


def keep_to(cores):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def parse(done):
    """What the process measured, or its `error`."""
    found = answer(done)
    if "error" in found:
        return found
    names = ["rate", "version", "seconds", "cpu_seconds", "kernel_peak", "ratio"]
    found = {name: found[name] for name in names if name in found}
    return found if isinstance(found.get("rate"), (int, float)) else {"error": "no JSON line with a rate"}


def answer(done):
    """The process's last line of JSON, or its `error`."""
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return {"error": without_paths(f"status {done.returncode}: {lines[0] if lines else 'no message'}")}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                break
    return {"error": "no JSON line with a rate"}


def without_paths(text):
    return re.sub(r"(/[\w.+@-]+){2,}", "PATH", text)[:200]


def run_all(chosen, rows, seconds, repeat, only=None, say=lambda text: None, quiet=Quiet()):
    """All runs, in turns: every row and configuration once, then all of them again."""
    only = only or {}
    runs = []
    try:
        for turn in range(repeat):
            for row in rows:
                say(f"turn {turn + 1} of {repeat}: {row.cores} cores, {row.kernels} kernels, weight {row.weight}")
                for peer in chosen:
                    for config in only.get(peer.name) or peer.configs(row.cores):
                        runs.append(quiet.run(lambda: run_once(peer, row, config, seconds)))
    except KeyboardInterrupt:
        say("interrupted: the table has what was measured so far")
    return runs


# What comes out.


def medians(runs, quiet=None):
    """`{(row, peer, config): median rate}`; None where every run failed.

    Runs with more than `quiet` cores of other work do not count where there are better ones.
    """
    calm = {key(run) for run in runs if "rate" in run and not disturbed(run, quiet)}
    rates = {}
    for run in runs:
        if key(run) in calm and disturbed(run, quiet):
            continue
        found = rates.setdefault(key(run), [])
        if "rate" in run:
            found.append(run["rate"])
    return {one: statistics.median(found) if found else None for one, found in rates.items()}


def key(run):
    return Row(run["cores"], run["kernels"], run["weight"]), run["peer"], run["config"]


def disturbed(run, quiet):
    return quiet is not None and run.get("others", 0) > quiet


def best(rates, row, peer, in_place):
    """The best configuration of a peer, in place or not, and its rate; None if it has none."""
    of_row = {config: rate for (r, p, config), rate in rates.items() if (r, p) == (row, peer)}
    found = [(rate, config) for config, rate in of_row.items() if is_in_place(config) == in_place and rate is not None]
    if not found:
        return None
    rate, config = max(found)
    return config, rate


def table(runs, quiet=None):
    """A Markdown table, Gitems/s and the ratio of superhet to the best peer; then the failures.

    A line for each row with every runtime out of place, and one with the in-place configurations of those that have any.
    """
    rates = medians(runs, quiet)
    rows = list(dict.fromkeys(row for row, _, _ in rates))
    names = list(dict.fromkeys(peer for _, peer, _ in rates))
    others = [name for name in names if name != "superhet"]
    head = ["N", "M", "weight", "place", *names, "superhet / best peer"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        for in_place in [False, True]:
            if not any(r == row and is_in_place(config) == in_place for r, _, config in rates):
                continue
            cells = [str(value) for value in row] + ["in" if in_place else "out"]
            cells += [cell(rates, row, name, in_place) for name in names]
            mine = best(rates, row, "superhet", in_place)
            theirs = [found[1] for found in (best(rates, row, name, in_place) for name in others) if found]
            cells.append(f"{mine[1] / max(theirs):.2f}" if mine and theirs else "-")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines + disturbance(runs, quiet) + failures(runs))


def cell(rates, row, peer, in_place):
    """`rate config (default rate)`; the configuration is left out where there is no choice."""
    tried = [config for r, p, config in rates if (r, p) == (row, peer) and is_in_place(config) == in_place]
    if not tried:
        return "-"
    found = best(rates, row, peer, in_place)
    if not found:
        return "failed"
    config, rate = found
    text = f"{rate / 1e9:.3g}"
    if len(tried) > 1:
        text += f" {config}"
        if config != "default" and "default" in tried:
            default = rates[row, peer, "default"]
            text += f" (default {default / 1e9:.3g})" if default is not None else " (default failed)"
    return text


def disturbance(runs, quiet):
    others = [run["others"] for run in runs if "others" in run]
    if not others:
        return []
    text = f"Other work took {statistics.median(others):.2f} cores (median of all runs), {max(others):.2f} at most."
    if quiet is not None:
        text += f" {sum(disturbed(run, quiet) for run in runs)} of {len(runs)} runs had more than {quiet:g}"
        text += " and count only where there are no better ones."
    return ["", text]


def failures(runs):
    counts = {}
    for run in runs:
        if "error" in run:
            counts[*key(run), run["error"]] = counts.get((*key(run), run["error"]), 0) + 1
    if not counts:
        return []
    return ["", "Failed runs:"] + [
        f"- {peer} {config} at {'/'.join(map(str, row))}, {count} times: {error}"
        for (row, peer, config, error), count in counts.items()
    ]


def machine():
    """The processor, without a name or an address of the computer."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.*)", info.read_text()) if info.exists() else None
    caches = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ["level", "type", "size"])
        caches[f"L{level} {kind}"] = size
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"cpu": model[1] if model else os.uname().machine, "cores": cores, "caches": caches}


def tools():
    """Versions of what built the programs here."""
    first = lambda words: (output(words) or "none").splitlines()[0]
    return {
        "rustc": first(["rustc", "--version"]),
        "rustc nightly": first(["rustc", "+nightly", "--version"]),
        "g++": first(["g++", "--version"]),
        "superhet commit": output(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]) or "none",
    }


def numbers(text):
    values = [int(word) for word in text.split(",")]
    if min(values) < 1:
        raise argparse.ArgumentTypeError("numbers start at 1")
    return values


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run (default 0.5)")
    parser.add_argument("--repeat", type=int, default=5, help="turns; 0 only builds (default 5)")
    parser.add_argument("--cores", type=numbers, default=[1, 2], help="N (default 1,2)")
    parser.add_argument("--kernels", type=numbers, default=[1, 2, 3, 4, 6], help="M (default 1,2,3,4,6)")
    parser.add_argument("--weight", type=numbers, default=[1, 32], help="W (default 1,32)")
    parser.add_argument("--peers", default="", help="peer or peer:config, with commas (default: all); superhet always")
    parser.add_argument("--quiet", type=float, help="measure while other work takes at most so many cores")
    parser.add_argument("--quiet-time", type=float, default=600, help="seconds to lose for --quiet in all (default 600)")
    parser.add_argument("--json", type=Path, help="write every run here")
    parser.add_argument("--build", action="store_true", help="build what can be built first")
    parser.add_argument("--superhet", type=Path, help="another superhet program to measure")
    return parser.parse_args(words)


def choose(everyone, text):
    """The peers named and the configurations asked of them."""
    if not text:
        return everyone, {}
    names, only = {"superhet"}, {}
    for word in text.split(","):
        name, _, config = word.partition(":")
        names.add(name)
        if config:
            only.setdefault(name, []).append(config)
    unknown = names - {peer.name for peer in everyone}
    if unknown:
        sys.exit(f"unknown peers: {', '.join(sorted(unknown))}")
    return [peer for peer in everyone if peer.name in names], only


def usable(chosen, build, say):
    """Those that are there, built first if asked; says what the others lack."""
    ready, skipped = [], {}
    for peer in chosen:
        try:
            if build:
                peer.build()
            peer.check()
            ready.append(peer)
        except Missing as reason:
            skipped[peer.name] = str(reason)
            say(f"{peer.name} skipped: {reason}")
    return ready, skipped


def main(words):
    args = arguments(words)
    say = lambda text: print(text, file=sys.stderr, flush=True)
    chosen, only = choose(peers(args.superhet), args.peers)
    ready, skipped = usable(chosen, args.build, say)
    available = machine()["cores"]
    rows = [Row(n, m, w) for w in args.weight for n in args.cores for m in args.kernels if n <= available]
    if max(args.cores) > available:
        say(f"only {available} cores here: rows with more are left out")
    runs = run_all(ready, rows, args.seconds, args.repeat, only, say, Quiet(args.quiet, args.quiet_time))
    if runs:
        print(table(runs, args.quiet))
    for name, reason in skipped.items():
        print(f"{name} skipped: {reason}")
    if args.json:
        result = {"machine": machine(), "tools": tools(), "seconds": args.seconds, "repeat": args.repeat}
        args.json.write_text(json.dumps({**result, "skipped": skipped, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
