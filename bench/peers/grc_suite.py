#!/usr/bin/env python3
"""Runs the example flowgraphs that GNU Radio installs on superhet, and says how many run, and whether what they write is the same.

Each `.grc` goes through `superhet check` and, where that finds that it needs Python, `superhet check --trust`; those that are clean run for
some seconds, a flowgraph that is still running when its time is up runs; and all of them as the Python that `grcc` makes, through
`python3 -m superhet.gnuradio`. Those that write files run under GNU Radio, too: both are ended after some seconds, and what both have
written must be the same as far as both got. A sink of vectors counts as a file.

The table has a line for each folder. Flowgraphs that ask for radios, sound cards or files that are not here are counted by themselves, with
the reason; blocks that make others (`hb`) have nothing to run.

    bench/peers/grc_suite.py [--superhet target/release/superhet] [--python python3] [--seconds 3] [--json suite.json] [FOLDER]
"""

import argparse
import array
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXAMPLES = Path("/usr/share/gnuradio/examples")
LIMIT_S = 120
# Signals are computed in single precision, by a table of sines there.
NEAR = 1e-3
MOST_BYTES = 4 << 20
HEADER_BYTES = 150
# The Python that has GNU Radio.
GNURADIO = "/usr/bin/python3"
HARDWARE = re.compile(r"^(?:  id: |\s*<key>)((?:uhd|soapy|osmosdr|rtlsdr|audio|fcd|video_sdl|iio)_\w+|network_tuntap_pdu)", re.MULTILINE)
NO_FILE = re.compile(r"cannot read|[Nn]o such file|FileNotFound|cannot open|has no header")
WRITES = re.compile(r"^  id: blocks_(file_sink|vector_sink_x|tagged_file_sink|wavfile_sink|file_meta_sink)$", re.MULTILINE)
# Runs a script, and leaves a file once its flowgraph has started: what is still being loaded when the time is up does not run.
RUNNER = """
import pathlib, sys
import superhet.gnuradio.__main__ as main
from superhet.gnuradio import top_block
marker, start = pathlib.Path(sys.argv[1]), top_block.top_block.start
def started(self, *args, **kwargs):
    start(self, *args, **kwargs)
    marker.touch()
top_block.top_block.start = started
sys.exit(main.main(sys.argv[2:]))
"""


def call(words, seconds, folder, marker=None, env=None):
    """What a program did: `runs`, or the last line that it wrote. The time begins with the marker, where there is one."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env, start_new_session=True)
        end = time.monotonic() + (LIMIT_S if marker else seconds)
        while process.poll() is None and time.monotonic() < end:
            if marker and marker.exists():
                marker, end = None, time.monotonic() + seconds
            time.sleep(0.05)
        if process.poll() is None:
            stop(process)
            return "runs" if not marker else f"has not started within {LIMIT_S} s"
        if process.returncode == 0:
            return "runs"
        log.seek(0)
        lines = [line for line in log.read().splitlines() if line.strip()]
    return (lines[-1] if lines else f"ended with {process.returncode}")[:300]


def stop(process):
    """Ends a program as Ctrl-C does, so that it closes its files, or else at once."""
    for how, wait in ((signal.SIGINT, 5), (signal.SIGTERM, 2), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, how)
            process.wait(wait)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def check(program, file, folder, *more):
    """Whether `superhet check` finds no mistake, else the mistakes."""
    try:
        done = subprocess.run(
            [*program, "check", *more, str(file)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return f"check takes more than {LIMIT_S} s"
    if done.returncode == 0:
        return "clean"
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    what = ("is left out", "a widget is a variable", "mistakes:", "superhet run --trust", "ended with exit status")
    mistakes = [line for line in lines if not any(part in line for part in what)]
    return "\n".join(mistakes or lines or ["?"]).replace(str(file), "")[:2000]


def made_by_grcc(file, folder):
    """The script that `grcc` makes, if it makes one."""
    done = subprocess.run(["grcc", "-o", str(folder), str(file)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    scripts = sorted(Path(folder).glob("*.py"), key=lambda path: path.stat().st_mtime)
    if done.returncode or not scripts:
        return None
    named = re.search(r"id: *(\w+)", file.read_text(errors="replace"))
    main = Path(folder) / f"{named[1]}.py" if named else scripts[-1]
    return main if main.exists() else scripts[-1]


def with_files(text):
    """The flowgraph with its files in the current folder, and files in place of sinks of vectors."""
    text = re.sub(r"^(    file: )\S*/(\S+)$", r"\1\2", text, flags=re.MULTILINE)
    pieces = re.split(r"^(?=- name: )", text, flags=re.MULTILINE)
    for place, piece in enumerate(pieces):
        if "\n  id: blocks_vector_sink_x\n" in piece and ".data()" not in text:
            piece = piece.replace("id: blocks_vector_sink_x", "id: blocks_file_sink")
            pieces[place] = piece.replace(
                "  parameters:\n", f"  parameters:\n    file: vector{place}.bin\n    append: 'False'\n    unbuffered: 'False'\n"
            )
    return "".join(pieces)


def difference(a, b):
    """How far numbers in single precision are apart; 0 where the bytes are equal, nothing where they are not near each other."""
    if a == b:
        return 0.0
    length = min(len(a), MOST_BYTES) // 4 * 4
    one, other = array.array("f", a[:length]), array.array("f", b[:length])
    # Headers between the numbers are equal, or not finite.
    apart = max((abs(x - y) for x, y in zip(one, other) if x != y and x == x and y == y), default=0.0)
    return apart if apart <= NEAR else None


def compared(file, arguments, trust):
    """Whether what a flowgraph writes is the same under both."""
    with tempfile.TemporaryDirectory() as folder:
        ways = [Path(folder) / "gnuradio", Path(folder) / "superhet"]
        for way in ways:
            way.mkdir()
            (way / file.name).write_text(with_files(file.read_text(errors="replace")))
        script = made_by_grcc(ways[0] / file.name, ways[0])
        if script is None:
            return "grcc makes nothing of it"
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        told = call([GNURADIO, str(script)], 2 * arguments.seconds, ways[0], env=env)
        if told != "runs":
            return f"GNU Radio: {told}"
        told = call([*arguments.superhet, "run", *trust, str(ways[1] / file.name)], 2 * arguments.seconds, ways[1])
        if told != "runs":
            return f"superhet: {told}"
        written = [{path.name: path for path in way.iterdir() if path.suffix not in (".grc", ".py") and path.is_file()} for way in ways]
        if not written[0] and not written[1]:
            return ""
        if written[0].keys() != written[1].keys():
            return f"files differ: {', '.join(sorted(written[0]))} and {', '.join(sorted(written[1]))}"
        parts = []
        for name in sorted(written[0]):
            a, b = (paths[name].read_bytes() for paths in written)
            # The header of the segment that was written last says how far it got.
            length = min(len(a), len(b)) - (HEADER_BYTES if name.endswith(".hdr") else 0)
            if length <= 0 and len(a) != len(b):
                return f"{name}: one of them has written nothing ({len(a)} and {len(b)} bytes)"
            apart = difference(a[:length], b[:length])
            if apart is None:
                first = next(at for at in range(length) if a[at] != b[at])
                return f"{name}: differs from byte {first} of {length} on"
            parts.append(f"{name} {length}" + (f" within {apart:.0e}" if apart else ""))
        return f"equal: {', '.join(parts)} bytes"


def one(file, arguments):
    """What became of a flowgraph, in all ways."""
    with tempfile.TemporaryDirectory() as folder:
        text = file.read_text(errors="replace")
        found = {"file": str(file), "check": check(arguments.superhet, file, folder), "trust": "", "run": "", "python": "", "same": ""}
        found["hier"] = bool(re.search(r"generate_options: *hb", text))
        clean, trust = found["check"] == "clean", []
        if not clean and not found["hier"]:
            found["trust"] = check(arguments.superhet, file, folder, "--trust")
            clean, trust = found["trust"] == "clean", ["--trust"]
        said = found["check"] + found["trust"]
        device, data = HARDWARE.search(text), NO_FILE.search(said)
        found["absent"] = "" if clean else device[1] if device else data[0] if data else ""
        if clean:
            marker = Path(folder) / "run started" if trust else None
            words = [arguments.python, "-c", RUNNER, str(marker)] if trust else [*arguments.superhet, "run"]
            found["run"] = call([*words, str(file)], arguments.seconds, folder, marker)
            if WRITES.search(text) and shutil.which("grcc") and not arguments.no_peer:
                found["same"] = compared(file, arguments, trust)
        if shutil.which("grcc") and not arguments.no_peer:
            script = made_by_grcc(file, folder)
            marker = Path(folder) / "started"
            words = [arguments.python, "-c", RUNNER, str(marker), str(script)]
            found["python"] = call(words, arguments.seconds, folder, marker) if script else "grcc makes nothing of it"
        return found


def reason(text):
    """A mistake without what is its flowgraph's own."""
    text = re.sub(r"^ *- *|^[^ ]*\.grc:\d+: |^:\d+: |^superhet[.a-z]*: ", "", text)
    text = re.sub(r"^[^ ]*\.grc:\d+: |^:\d+: ", "", text)
    return re.sub(r"block \w+: |\d+|'[^']*'|\"[^\"]*\"", lambda m: "…" if m[0][0] in "'\"" or m[0].isdigit() else "", text)[:130]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLES)
    parser.add_argument("--superhet", default="superhet", help="the program")
    parser.add_argument("--python", default=sys.executable, help="a Python that has the package superhet")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-peer", action="store_true", help="neither grcc nor GNU Radio")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.superhet = arguments.superhet.split()
    os.environ.setdefault("SUPERHET_PYTHON", arguments.python)
    files = sorted(arguments.folder.rglob("*.grc"))
    if not files:
        print(f"grc_suite: there are no flowgraphs in {arguments.folder}")
        return 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda file: one(file, arguments), files))
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    folders = collections.defaultdict(collections.Counter)
    for row in found:
        place = Path(row["file"]).relative_to(arguments.folder).parts[0]
        for count in (folders[place], folders["all"]):
            count["flowgraphs"] += 1
            count["blocks"] += row["hier"]
            count["absent"] += bool(row["absent"]) and not row["hier"]
            clean = row["check"] == "clean" or row["trust"] == "clean"
            count["counted"] += not row["hier"] and not row["absent"]
            count["clean"] += row["check"] == "clean"
            count["clean in all"] += clean
            count["run"] += row["run"] == "runs"
            count["compared"] += bool(row["same"])
            count["equal"] += row["same"].startswith("equal")
            count["grcc makes"] += row["python"] not in ("", "grcc makes nothing of it")
            count["python runs"] += row["python"] == "runs"
    columns = ["flowgraphs", "blocks", "absent", "counted", "clean", "clean in all", "run", "compared", "equal", "grcc makes", "python runs"]
    print(f"| folder | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in [*sorted(set(folders) - {'all'}), "all"]:
        print(f"| {name} | {' | '.join(str(folders[name][column]) for column in columns)} |")
    counted = max(folders["all"]["counted"], 1)
    print(f"\nclean: {100 * folders['all']['clean in all'] / counted:.0f} % of those without absent hardware or data")
    for row in found:
        if row["same"]:
            print(f"{Path(row['file']).relative_to(arguments.folder)}: {row['same']}")
    for way, good in (("trust", ("", "clean")), ("run", ("", "runs")), ("python", ("", "runs", "grcc makes nothing of it"))):
        lines = [line for row in found if row[way] not in good and not row["absent"] for line in set(map(reason, row[way].splitlines()))]
        print(f"\n{way}:")
        for text, count in collections.Counter(lines).most_common(30):
            print(f"{count:4}  {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
