#!/usr/bin/env python3
"""Makes a flowgraph for each block of GNU Radio Companion's palette, and says how many run on superhet.

Runs where GNU Radio is installed, with the Python that has it. Each block id is put into a flowgraph of its own with its default values,
or with those in `grc_palette.toml` where Companion takes the defaults for mistakes; null sources and null sinks are connected to its ports.
Companion's own generator, which `grcc` runs, makes Python of it. Then three programs run: the script under GNU Radio, the
script under `python3 -m superhet.gnuradio`, and `superhet check --trust` on the flowgraph. A script runs for some tenths of a second.

What fails under GNU Radio itself, too, is counted by itself: hardware that is absent, libraries that are not in the build, defaults that the
block refuses.

    /usr/bin/python3 bench/peers/grc_palette.py [--superhet target/release/superhet] [--python python3] [--json palette.json] [ID]...

An ID may be a pattern, `digital_*`.
"""

import argparse
import collections
import fnmatch
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from gnuradio_palette import platform

HERE = Path(__file__).resolve().parent
LIMIT_S = 120
# What has no flowgraph: the options of one, and what belongs to the inside of others.
NO_BLOCKS = {"options", "pad_source", "pad_sink", "virtual_source", "virtual_sink", "note", "_dummy", "epy_block", "epy_module"}
# Runs a script, and leaves a file once its flowgraph has started.
RUNNER = """
import pathlib, runpy, sys
from gnuradio import gr
marker, start = pathlib.Path(sys.argv[1]), gr.top_block.start
def started(self, *args, **kwargs):
    start(self, *args, **kwargs)
    marker.touch()
gr.top_block.start = started
sys.argv = sys.argv[2:]
sys.path.insert(0, str(pathlib.Path(sys.argv[0]).parent))
runpy.run_path(sys.argv[0], run_name="__main__")
"""
# What `python3 -m superhet.gnuradio` does before it runs a script.
OURS = """
import superhet.gnuradio
superhet.gnuradio.install(shadow=True)
"""
ITEMS = {"complex", "float", "int", "short", "byte"}
TYPES = {"fc32": "complex", "f32": "float", "s32": "int", "s16": "short", "s8": "byte"}
# What defaults and messages that are sent mention.
MENTIONED = {
    "+samp_rate": {"id": "variable", "value": "32000"},
    "+freq": {"id": "variable", "value": "100e6"},
    "+import_pmt": {"id": "import", "imports": "import pmt"},
}
# What stands in the place of numbers that Companion leaves to its user.
NUMBERS = {"int": "1", "real": "1", "float": "1", "complex": "1", "raw": "1"}
LISTS = {"int_vector", "real_vector", "float_vector", "complex_vector"}


def files(folder):
    """Writes the files that `grc_palette.toml` names."""
    (folder / "data.bin").write_bytes(bytes(1 << 16))
    (folder / "config.json").write_text('{"gain": 1}')
    (folder / "taps.csv").write_text("taps,0.25,0.5,0.25\n")
    # The checks of a code of seven bits, in the format of MacKay.
    (folder / "code.alist").write_text(
        "7 3\n3 4\n1 1 2 1 2 2 3\n4 4 4\n1 0 0\n2 0 0\n1 2 0\n3 0 0\n1 3 0\n2 3 0\n1 2 3\n1 3 5 7\n2 3 6 7\n4 5 6 7\n"
    )


def connect_all(flowgraph, block, tag):
    """Null sources and null sinks at the ports that must be connected, or a strobe and a printer of messages; with a tag there
    are packets. Gives what Companion says is wrong."""
    for number, port in enumerate([*block.active_sinks, *block.active_sources]):
        if port.optional:
            continue
        if port.domain == "message":
            end = flowgraph.new_block("blocks_message_debug" if port.is_source else "blocks_message_strobe")
            end.params["id"].set_value(f"end_{number}")
            if not port.is_source:
                end.params["msg"].set_value('pmt.cons(pmt.make_dict(), pmt.init_u8vector(4, [1, 2, 3, 4]))')
        else:
            # One whose type is not said has that of the parameter.
            dtype = TYPES.get(port.dtype, port.dtype) or block.params["datatype"].get_value()
            if dtype not in ITEMS:
                return f"port {port.key} has items of type {dtype}"
            end = flowgraph.new_block("blocks_null_sink" if port.is_source else "blocks_null_source")
            end.params["id"].set_value(f"end_{number}")
            end.params["type"].set_value(dtype)
            end.params["vlen"].set_value(str(port.vlen))
        flowgraph.rewrite()
        there = end.active_sinks if port.is_source else end.active_sources
        there = next(other for other in there if other.domain == port.domain)
        if tag and not port.is_source and port.domain != "message":
            tagged = flowgraph.new_block("blocks_stream_to_tagged_stream")
            params = {"id": f"packets_{number}", "type": dtype, "vlen": str(port.vlen), "packet_len": "64", "len_tag_key": f'"{tag}"'}
            for name, value in params.items():
                tagged.params[name].set_value(value)
            flowgraph.rewrite()
            flowgraph.connect(there, tagged.active_sinks[0])
            there = tagged.active_sources[0]
        flowgraph.connect(*((port, there) if port.is_source else (there, port)))
    return ""


def made(grc, key, values, folder):
    """Writes the flowgraph of a block and the script of it: their paths and nothing, or what is wrong."""
    flowgraph = grc.make_flow_graph()
    options = flowgraph.options_block.params
    options["id"].set_value("palette")
    options["generate_options"].set_value("qt_gui" if key.startswith("qtgui_") or "_qt" in key else "no_gui")
    options["run_options"].set_value("prompt")
    # What defaults and messages that are sent mention.
    values = {"+samp_rate": {"id": "variable", "value": "32000"}, "+import_pmt": {"id": "import", "imports": "import pmt"}, **values}
    values = {**MENTIONED, **values}
    # Values that begin with + are blocks beside it: what its parameters mention.
    beside = {name[1:]: more for name, more in values.items() if name.startswith("+")}
    for name, more in beside.items():
        other = flowgraph.new_block(more["id"])
        other.params["id"].set_value(name)
        for param, value in more.items():
            if param != "id":
                other.params[param].set_value(value)
    block = flowgraph.new_block(key)
    if "id" in block.params:
        block.params["id"].set_value("the_block")
    for param in block.params.values():
        if param.get_value() == "" and param.key not in ("alias", "affinity", "minoutbuf", "maxoutbuf", "comment", "gui_hint"):
            param.set_value(NUMBERS.get(param.dtype, "[1]" if param.dtype in LISTS else ""))
    for name, value in values.items():
        if not name.startswith("+") and name != "tag":
            block.params[name].set_value(value)
    flowgraph.rewrite()
    wrong = connect_all(flowgraph, block, values.get("tag"))
    if not wrong:
        flowgraph.rewrite()
        flowgraph.validate()
        wrong = "; ".join(f"{element.name}: {text}" for element, text in flowgraph.iter_error_messages())
    if wrong:
        return None, None, f"Companion: {wrong}"
    file = folder / "palette.grc"
    grc.save_flow_graph(str(file), flowgraph)
    generator = grc.Generator(flowgraph, str(folder))
    generator.write()
    return file, Path(generator.file_path), ""


def ran(words, script, folder, seconds):
    """`runs`, or what a script said at its end. Its input ends some time after its flowgraph has started, and one with a window is told to end,
    as by Ctrl-C."""
    marker = folder / f"started by {Path(words[0]).name}"
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [*words, str(marker), str(script)], cwd=folder, stdout=log, stderr=log, stdin=subprocess.PIPE, env=env, start_new_session=True
        )
        end = time.monotonic() + LIMIT_S
        while process.poll() is None and not marker.exists() and time.monotonic() < end:
            time.sleep(0.05)
        started, is_qt = marker.exists(), "Qt.QApplication" in script.read_text(encoding="utf-8")
        try:
            if started:
                # Its signals are handled some time after the start.
                time.sleep(4 * seconds if is_qt else seconds)
                process.stdin.close()
                if is_qt:
                    process.send_signal(signal.SIGINT)
            process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return f"has not {'ended' if started else 'started'}"
        # One that has ended with its flowgraph is told to end on its way out.
        if process.returncode == 0 or started and is_qt and process.returncode == -signal.SIGINT:
            return "runs"
        log.seek(0)
        lines = [line for line in log.read().splitlines() if line.strip()]
    return f"{lines[-1] if lines else 'nothing said'} (ended with {process.returncode})"[-300:]


def checked(words, folder):
    """`clean`, or what `superhet check` found."""
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"check takes more than {LIMIT_S} s"
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return "clean" if done.returncode == 0 else " / ".join(lines[-2:])[-300:]


def one(key, file, script, folder, arguments, known):
    """What became of a block, in all ways."""
    found = {"id": key, "peer": known or ran([sys.executable, "-c", RUNNER], script, folder, arguments.seconds)}
    found["check"] = checked([*arguments.superhet, "check", "--trust", str(file)], folder)
    found["python"] = ran([arguments.python, "-c", OURS + RUNNER], script, folder, arguments.seconds)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these blocks; * stands for anything")
    parser.add_argument("--superhet", default="superhet", help="the program")
    parser.add_argument("--python", default="python3", help="a Python that has the package superhet")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each script runs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--peer", type=Path, metavar="JSON", help="what GNU Radio did, from a run before")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.superhet = arguments.superhet.split()
    os.environ.setdefault("SUPERHET_PYTHON", arguments.python)
    # Blocks of the user's own are no part of the palette.
    os.environ["HOME"] = tempfile.gettempdir()
    grc = platform()
    values = tomllib.loads((HERE / "grc_palette.toml").read_text(encoding="utf-8"))
    known = {row["id"]: row["peer"] for row in json.loads(arguments.peer.read_text())} if arguments.peer else {}
    keys = [key for key in sorted(grc.blocks) if key not in NO_BLOCKS and not key.startswith("_")]
    if arguments.ids:
        unknown = [wanted for wanted in arguments.ids if not fnmatch.filter(keys, wanted)]
        if unknown:
            parser.error(f"there is no block {', '.join(unknown)}")
        keys = [key for key in keys if any(fnmatch.fnmatchcase(key, wanted) for wanted in arguments.ids)]
    found, work = [], []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        for key in keys:
            folder = Path(scratch) / key
            folder.mkdir()
            files(folder)
            # The generator looks for files in the current folder.
            os.chdir(folder)
            try:
                file, script, wrong = made(grc, key, values.get(key, {}), folder)
            except Exception as error:  # noqa: BLE001: whatever a template of Companion's runs into.
                wrong = f"Companion: {type(error).__name__}: {error}"
            os.chdir(HERE)
            if wrong:
                found.append({"id": key, "peer": wrong[:300], "check": "", "python": ""})
            else:
                work.append(pool.submit(one, key, file, script, folder, arguments, known.get(key)))
        for task in as_completed(work):
            found.append(task.result())
            if arguments.json:
                # What is known stays if it is ended before its end.
                arguments.json.write_text(json.dumps(found, indent=1))
    return say(sorted(found, key=lambda row: row["id"]))


def say(found):
    """Prints the table, and what fails."""
    modules = collections.defaultdict(collections.Counter)
    columns = ["ids", "not made", "not with GNU Radio", "counted", "check clean", "script runs", "both"]
    for row in found:
        for count in (modules[row["id"].split("_")[0]], modules["all"]):
            works = row["peer"] == "runs"
            count["ids"] += 1
            count["not made"] += row["peer"].startswith("Companion: ")
            count["not with GNU Radio"] += not works and not row["peer"].startswith("Companion: ")
            count["counted"] += works
            count["check clean"] += works and row["check"] == "clean"
            count["script runs"] += works and row["python"] == "runs"
            count["both"] += works and row["check"] == "clean" and row["python"] == "runs"
    print(f"| module | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in [*sorted(set(modules) - {"all"}), "all"]:
        print(f"| {name} | {' | '.join(str(modules[name][column]) for column in columns)} |")
    every = modules["all"]
    print(f"\nboth: {100 * every['both'] / max(every['counted'], 1):.1f} % of those that run with GNU Radio")
    for row in found:
        if row["peer"] != "runs":
            print(f"{row['id']}: {row['peer']}" + (f"; here {row['check']}, {row['python']}" if row["check"] else ""))
    for row in found:
        if row["peer"] == "runs":
            for way, good in (("check", "clean"), ("python", "runs")):
                if row[way] != good:
                    print(f"{row['id']}: {way}: {re.sub(r'/tmp/[^ ]*/', '', row[way])}")
    return 0 if every["both"] == every["counted"] else 1


if __name__ == "__main__":
    sys.exit(main())
