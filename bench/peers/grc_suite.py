#!/usr/bin/env python3
"""Runs the example flowgraphs that GNU Radio installs on superhet, and says how many run.

Each `.grc` goes through `superhet check` and, where that is clean, `superhet run` for some seconds; and as the Python that `grcc` makes
of it through `python3 -m superhet.gnuradio`. A flowgraph that is still running when its time is up runs. The table has a line for each
folder, and the most frequent reasons of those that do not run.

    bench/peers/grc_suite.py [--superhet target/release/superhet] [--python python3] [--seconds 3] [--json suite.json] [FOLDER]
"""

import argparse
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXAMPLES = Path("/usr/share/gnuradio/examples")
LIMIT_S = 120
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


def call(words, seconds, folder, marker=None):
    """What a program did: `runs`, or the last line that it wrote. The time begins with the marker, where there is one."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + (LIMIT_S if marker else seconds)
        while process.poll() is None and time.monotonic() < end:
            if marker and marker.exists():
                marker, end = None, time.monotonic() + seconds
            time.sleep(0.05)
        if process.poll() is None:
            process.kill()
            process.wait()
            return "runs" if not marker else f"has not started within {LIMIT_S} s"
        if process.returncode == 0:
            return "runs"
        log.seek(0)
        lines = [line for line in log.read().splitlines() if line.strip()]
    return (lines[-1] if lines else f"ended with {process.returncode}")[:300]


def check(program, file, folder):
    """Whether `superhet check` finds no mistake, else the first one."""
    done = subprocess.run([*program, "check", str(file)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return "clean"
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    mistakes = [line for line in lines if " is left out" not in line and "a widget is a variable" not in line]
    return (mistakes or lines or ["?"])[-1].replace(str(file), "")[:300]


def made_by_grcc(file, folder):
    """The script that `grcc` makes, if it makes one."""
    done = subprocess.run(["grcc", "-o", str(folder), str(file)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    scripts = sorted(Path(folder).glob("*.py"), key=lambda path: path.stat().st_mtime)
    if done.returncode or not scripts:
        return None
    named = re.search(r"id: *(\w+)", file.read_text(errors="replace"))
    main = Path(folder) / f"{named[1]}.py" if named else scripts[-1]
    return main if main.exists() else scripts[-1]


def one(file, arguments):
    """What became of a flowgraph, in three ways."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"file": str(file), "check": check(arguments.superhet, file, folder), "run": "", "python": ""}
        if found["check"] == "clean":
            found["run"] = call([*arguments.superhet, "run", str(file)], arguments.seconds, folder)
        if shutil.which("grcc"):
            script = made_by_grcc(file, folder)
            marker = Path(folder) / "started"
            words = [arguments.python, "-c", RUNNER, str(marker), str(script)]
            found["python"] = call(words, arguments.seconds, folder, marker) if script else "grcc makes nothing of it"
        return found


def reason(text):
    """A mistake without what is its flowgraph's own."""
    text = re.sub(r"^[^ ]*\.grc:\d+: |^:\d+: ", "", text)
    return re.sub(r"block \w+: |\d+|'[^']*'|\"[^\"]*\"", lambda m: "…" if m[0][0] in "'\"" or m[0].isdigit() else "", text)[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLES)
    parser.add_argument("--superhet", default="superhet", help="the program")
    parser.add_argument("--python", default=sys.executable, help="a Python that has the package superhet")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.superhet = arguments.superhet.split()
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
            count["clean"] += row["check"] == "clean"
            count["run"] += row["run"] == "runs"
            count["grcc makes"] += row["python"] not in ("", "grcc makes nothing of it")
            count["python runs"] += row["python"] == "runs"
    columns = ["flowgraphs", "clean", "run", "grcc makes", "python runs"]
    print(f"| folder | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in [*sorted(set(folders) - {'all'}), "all"]:
        print(f"| {name} | {' | '.join(str(folders[name][column]) for column in columns)} |")
    for way, good in (("check", ("clean",)), ("run", ("", "runs")), ("python", ("", "runs", "grcc makes nothing of it"))):
        reasons = collections.Counter(reason(row[way]) for row in found if row[way] not in good)
        print(f"\n{way}:")
        for text, count in reasons.most_common(25):
            print(f"{count:4}  {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
