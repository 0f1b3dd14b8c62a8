#!/usr/bin/env python3
"""Runs the example flowgraphs that GNU Radio installs on superhet, and says how many run.

Each `.grc` goes through `superhet check` and, where that finds that it needs Python, `superhet check --trust`; those that are clean run for
some seconds, a flowgraph that is still running when its time is up runs; and all of them as the Python that `grcc` makes, through
`python3 -m superhet.gnuradio`. What they compute is compared by `grc_outputs.py`. The scripts that are installed, `.py`, run under GNU
Radio first, without arguments and without a display, and those that run there run here.

The table has a line for each folder. Flowgraphs that ask for radios, sound cards or files that are not here are counted by themselves, with
the reason; blocks that make others (`hb`) have nothing to run.

    bench/peers/grc_suite.py [--superhet target/release/superhet] [--python python3] [--seconds 3] [--json suite.json] [FOLDER]
"""

import argparse
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

# The Python that has GNU Radio.
GNURADIO = "/usr/bin/python3"
EXAMPLES = Path("/usr/share/gnuradio/examples")
LIMIT_S = 120
HARDWARE = re.compile(r"^(?:  id: |\s*<key>)((?:uhd|soapy|osmosdr|rtlsdr|audio|fcd|video_sdl|iio)_\w+|network_tuntap_pdu)", re.MULTILINE)
NO_FILE = re.compile(r"cannot read|[Nn]o such file|FileNotFound|cannot open|has no header")
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


def one(file, arguments):
    """What became of a flowgraph, in all ways."""
    with tempfile.TemporaryDirectory() as folder:
        text = file.read_text(errors="replace")
        found = {"file": str(file), "check": check(arguments.superhet, file, folder), "trust": "", "run": "", "python": ""}
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
        if shutil.which("grcc") and not arguments.no_peer:
            script = made_by_grcc(file, folder)
            marker = Path(folder) / "started"
            words = [arguments.python, "-c", RUNNER, str(marker), str(script)]
            found["python"] = call(words, arguments.seconds, folder, marker) if script else "grcc makes nothing of it"
        return found


def script(file, arguments):
    """What became of a script, under GNU Radio and here."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "MPLBACKEND": "Agg"}
        found = {"file": str(file), "peer": call([GNURADIO, str(file)], 2 * arguments.seconds, folder, env=env), "here": ""}
        if found["peer"] == "runs":
            words = [arguments.python, "-m", "superhet.gnuradio", str(file)]
            found["here"] = call(words, 2 * arguments.seconds, folder, env=env)
        return found


def say_scripts(found, folder):
    """Prints how many scripts run, and what stops the others."""
    running = [row for row in found if row["peer"] == "runs"]
    here = sum(row["here"] == "runs" for row in running)
    print(f"\nscripts: {len(found)}, of which {len(running)} run under GNU Radio as they are, and {here} of these here")
    for row in running:
        if row["here"] != "runs":
            print(f"{Path(row['file']).relative_to(folder)}: {row['here']}")


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
    parser.add_argument("--no-peer", action="store_true", help="without grcc and GNU Radio")
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
        scripts = sorted(arguments.folder.rglob("*.py")) if Path(GNURADIO).exists() and not arguments.no_peer else []
        scripts = list(pool.map(lambda file: script(file, arguments), scripts))
    if arguments.json:
        arguments.json.write_text(json.dumps({"flowgraphs": found, "scripts": scripts}, indent=1))
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
            count["grcc makes"] += row["python"] not in ("", "grcc makes nothing of it")
            count["python runs"] += row["python"] == "runs"
    columns = ["flowgraphs", "blocks", "absent", "counted", "clean", "clean in all", "run", "grcc makes", "python runs"]
    print(f"| folder | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in [*sorted(set(folders) - {'all'}), "all"]:
        print(f"| {name} | {' | '.join(str(folders[name][column]) for column in columns)} |")
    counted = max(folders["all"]["counted"], 1)
    print(f"\nclean: {100 * folders['all']['clean in all'] / counted:.0f} % of those without absent hardware or data")
    for way, good in (("trust", ("", "clean")), ("run", ("", "runs")), ("python", ("", "runs", "grcc makes nothing of it"))):
        lines = [line for row in found if row[way] not in good and not row["absent"] for line in set(map(reason, row[way].splitlines()))]
        print(f"\n{way}:")
        for text, count in collections.Counter(lines).most_common(30):
            print(f"{count:4}  {text}")
    say_scripts(scripts, arguments.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
