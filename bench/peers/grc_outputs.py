#!/usr/bin/env python3
"""Compares what the example flowgraphs of GNU Radio compute, on GNU Radio and on superhet.

Runs where GNU Radio is installed, with the Python that has it. Companion's own library reads each `.grc` and changes it, for both sides
alike: a file of a limited length stands in the place of each display, null sink, vector sink, file sink and sound card; widgets are variables
with their values; frequencies of sources are such that GNU Radio gives them exactly; random numbers come from a file, and models of
channels add no noise. The script that Companion makes of that runs under GNU Radio, twice, and the flowgraph runs through `superhet run`, with `--trust` where `superhet check` asks for Python.

An output is *equal* where the bytes are, *near* where numbers are within a thousandth of the largest. What does not come out twice the same
under GNU Radio itself is counted by itself, as messages by the clock are, and so is what depends on random numbers within blocks, or on when a
connection stands.

    /usr/bin/python3 bench/peers/grc_outputs.py [--superhet target/release/superhet] [--python python3] [--json outputs.json] [FOLDER or FILE]...
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from gnuradio_palette import platform
from grc_suite import EXAMPLES, HARDWARE, check, stop

ITEMS = 20_000
NEAR = 1e-3
TYPES = {"complex": "c8", "float": "f4", "int": "i4", "short": "i2", "byte": "i1"}
SAME = {"fc32": "complex", "f32": "float", "s32": "int", "s16": "short", "s8": "byte"}
REPLACED = re.compile(r"qtgui_|audio_sink$|blocks_null_sink$|blocks_vector_sink_x$|blocks_file_sink$|video_sdl_sink$")
UNLIKE = re.compile(r"channels_(fading|selective_fading|dynamic)|random_pdu|zeromq_(sub|pull|req)|network_(tcp|udp)_source|strobe_random")
RANDOM = re.compile(r"analog_(noise_source_x|fastnoise_source_x|random_source_x|random_uniform_source_x)$")


def changed(grc, file, folder, items):
    """Writes the flowgraph with files for what can be compared, and the script of it. Gives both paths and the notes, or what is wrong."""
    flowgraph = grc.make_flow_graph(str(file))
    options = flowgraph.options_block.params
    if options["generate_options"].get_value().startswith("hb") or options["output_language"].get_value() != "python":
        return None, None, "makes a block, or is not Python"
    options["id"].set_value("compared")
    options["generate_options"].set_value("no_gui")
    options["run_options"].set_value("run")
    options["catch_exceptions"].set_value("True")
    notes = []
    for block in list(flowgraph.get_enabled_blocks()):
        if block.is_variable and block.key.startswith("variable_qtgui_"):
            replace_widget(flowgraph, block)
        elif RANDOM.match(block.key):
            notes.append(f"{block.name} from a file")
            replace_random(flowgraph, block, folder)
        elif block.key == "analog_sig_source_x":
            round_frequency(block)
        elif block.key.startswith("channels_") and "noise_voltage" in block.params:
            block.params["noise_voltage"].set_value("0.0")
        if UNLIKE.search(block.key):
            notes.append(f"{block.name} is random or begins anywhere")
    flowgraph.rewrite()
    sources, count = set(), 0
    for block in list(flowgraph.get_enabled_blocks()):
        if not REPLACED.match(block.key) or block.active_sources and any(port.domain != "message" for port in block.active_sources):
            continue
        for connection in list(flowgraph.get_enabled_connections()):
            if connection.sink_block is block and connection.source_port.domain != "message":
                sources.add((connection.source_block.name, connection.source_port.key))
        flowgraph.remove_element(block)
    flowgraph.rewrite()
    named = {block.name: block for block in flowgraph.get_enabled_blocks()}
    for name, key in sorted(sources):
        if name not in named:
            continue
        port = next(port for port in named[name].active_sources if port.key == key)
        dtype = SAME.get(port.dtype, port.dtype)
        if dtype not in TYPES:
            return None, None, f"items of type {port.dtype}"
        count += 1
        head, sink = flowgraph.new_block("blocks_head"), flowgraph.new_block("blocks_file_sink")
        vlen = int(port.vlen)
        for block, key_of_it in ((head, f"head_{count}"), (sink, f"file_{count}")):
            block.params["id"].set_value(key_of_it)
            block.params["type"].set_value(dtype)
            block.params["vlen"].set_value(str(vlen))
        head.params["num_items"].set_value(str(max(items // vlen, 1)))
        sink.params["file"].set_value(f"{name}.{key}.{TYPES[dtype]}")
        sink.params["unbuffered"].set_value("True")
        flowgraph.rewrite()
        flowgraph.connect(port, head.active_sinks[0])
        flowgraph.connect(head.active_sources[0], sink.active_sinks[0])
    flowgraph.rewrite()
    flowgraph.validate()
    wrong = "; ".join(f"{element.name}: {text}" for element, text in flowgraph.iter_error_messages())
    if wrong:
        return None, None, f"Companion: {wrong}"
    if not count and not any(re.search("_(file|wavfile)_sink|file_meta_sink", block.key) for block in named.values()):
        return None, None, "no output that is a stream"
    made = folder / "compared.grc"
    grc.save_flow_graph(str(made), flowgraph)
    generator = grc.Generator(flowgraph, str(folder))
    generator.write()
    return made, Path(generator.file_path), ", ".join(notes)


def replace_widget(flowgraph, block):
    """A variable in the place of a widget, where it has a value."""
    name, value = block.name, block.params["value"].get_value() if "value" in block.params else None
    flowgraph.remove_element(block)
    if value is not None:
        variable = flowgraph.new_block("variable")
        variable.params["id"].set_value(name)
        variable.params["value"].set_value(value)


def round_frequency(block):
    """The frequency that GNU Radio's source has: its phase is a whole number of 2^-32 turns, and its steps are worked out in single precision."""
    rate, frequency = (float(block.params[name].get_evaluated()) for name in ("samp_rate", "freq"))
    single = np.float32
    step = int(single(single(2 * np.pi * frequency / rate) * single(2**31)) / single(np.pi))
    block.params["freq"].set_value(repr(step / 2**32 * rate))


def replace_random(flowgraph, block, folder):
    """A source that reads random numbers from a file, over and over."""
    dtype, key = block.params["type"].get_value(), block.name
    random = np.random.default_rng(1)
    count = 1 << 16
    if "amp" in block.params:
        amplitude = float(block.params["amp"].get_evaluated())
        values = random.normal(size=count) if dtype != "complex" else random.normal(size=count) + 1j * random.normal(size=count)
        values = values * amplitude * (np.sqrt(0.5) if dtype == "complex" else 1)
    else:
        high = block.params["max" if "max" in block.params else "maximum"].get_evaluated()
        low = block.params["min" if "min" in block.params else "minimum"].get_evaluated()
        values = random.integers(low, high, size=count)
    name = f"{key}.in"
    values.astype(TYPES[dtype]).tofile(folder / name)
    source = flowgraph.new_block("blocks_file_source")
    source.params["id"].set_value(f"{key}_from_file")
    source.params["type"].set_value(dtype)
    source.params["file"].set_value(name)
    source.params["repeat"].set_value("True")
    flowgraph.rewrite()
    for connection in list(flowgraph.connections):
        if connection.source_block is block:
            sink = connection.sink_port
            flowgraph.remove_element(connection)
            flowgraph.connect(source.active_sources[0], sink)
    flowgraph.remove_element(block)


def outputs(folder):
    return {path.name: path for path in folder.iterdir() if path.is_file() and not path.suffix in (".grc", ".py", ".in", ".pyc")}


def ran(words, folder, wanted, seconds):
    """Runs a program until it ends, its files are complete, or the time is up: nothing, or what it said."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end:
            there = outputs(folder)
            if wanted and all(name in there and there[name].stat().st_size >= size for name, size in wanted.items()):
                break
            time.sleep(0.1)
        ended = process.poll()
        stop(process)
        if ended in (None, 0):
            return ""
        log.seek(0)
        lines = [line for line in log.read().splitlines() if line.strip()]
    return (lines[-1] if lines else f"ended with {ended}")[:300]


def compare(name, mine, theirs):
    """`equal`, `near` with the distance, or what differs, up to where both got."""
    size = min(len(mine), len(theirs))
    if size == 0:
        return "equal" if len(mine) == len(theirs) else f"differs: {len(mine)} bytes, not {len(theirs)}"
    if mine[:size] == theirs[:size]:
        return "equal"
    kind = name.rpartition(".")[2]
    if kind not in ("f4", "c8"):
        item = int(kind[1]) if kind in TYPES.values() else 1
        dtype = kind if kind in TYPES.values() else "u1"
        a, b = (np.frombuffer(data[: size // item * item], dtype) for data in (mine, theirs))
        off = np.flatnonzero(a != b)
        return f"differs: {off.size} of {a.size}, first at {off[0] if off.size else '?'}"
    a, b = (np.frombuffer(data[: size // 4 * 4], "f4").astype("f8") for data in (mine, theirs))
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b)
    apart[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    finite = np.abs(b[np.isfinite(b)])
    largest = max(finite.max() if finite.size else 0.0, 1e-30)
    worst = float(np.nan_to_num(apart, nan=np.inf).max() / largest)
    if worst <= NEAR:
        return f"near: {worst:.0e}"
    off = np.flatnonzero(~(apart <= NEAR * largest))
    return f"differs: {off.size} of {a.size} by up to {worst:.1e}, first at {off[0]} ({a[off[0]]:.6g}, not {b[off[0]]:.6g})"


def one(file, made, script, notes, arguments):
    """What became of a flowgraph."""
    found = {"file": str(file), "notes": notes, "said": "", "outputs": {}}
    # What it reads lies beside it.
    beside = made.parent
    told = check(arguments.superhet, made, beside)
    trust = [] if told == "clean" else ["--trust"]
    if trust and (told := check(arguments.superhet, made, beside, "--trust")) != "clean":
        found["said"] = f"check: {told.splitlines()[-1]}"
        return found
    ways = [beside / way for way in ("gnuradio", "again", "superhet")]
    wanted = {}
    for number, way in enumerate(ways):
        way.mkdir()
        for path in [made, script, *beside.glob("*.in"), *beside.glob("*.py")]:
            (way / path.name).write_bytes(path.read_bytes())
        words = [sys.executable, script.name] if number < 2 else [*arguments.superhet, "run", *trust, made.name]
        told = ran(words, way, wanted, arguments.seconds)
        if told:
            found["said"] = f"{way.name}: {told}"
            return found
        wanted = wanted or {name: path.stat().st_size for name, path in outputs(way).items()}
    there = [{name: path.read_bytes() for name, path in outputs(way).items()} for way in ways]
    for name in sorted(there[0].keys() | there[2].keys()):
        theirs, again, mine = (side.get(name, b"") for side in there)
        told = compare(name, mine, theirs)
        short = f" ({min(len(mine), len(theirs))} of {len(mine)} and {len(theirs)} bytes)" if len(mine) != len(theirs) else f" ({len(mine)} bytes)"
        if told.startswith("differs") and compare(name, again, theirs).startswith("differs"):
            told = "not twice the same under GNU Radio"
        found["outputs"][name] = told + short
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="*", type=Path, default=[EXAMPLES])
    parser.add_argument("--superhet", default="superhet", help="the program")
    parser.add_argument("--python", default="python3", help="a Python that has the package superhet")
    parser.add_argument("--seconds", type=float, default=12, help="how long each may run")
    parser.add_argument("--items", type=int, default=ITEMS, help="of each output")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for what was made")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    arguments.superhet = arguments.superhet.split()
    os.environ.setdefault("SUPERHET_PYTHON", arguments.python)
    grc = platform()
    files = sorted(file for place in arguments.places for file in ([place] if place.is_file() else place.rglob("*.grc")))
    found, work = [], []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        for number, file in enumerate(files):
            folder = (arguments.keep or Path(scratch)) / f"{number}_{file.stem}"
            folder.mkdir(parents=True)
            text = file.read_text(errors="replace")
            if hardware := HARDWARE.search(re.sub(r"id: audio_sink", "", text)):
                found.append({"file": str(file), "notes": "", "said": f"needs {hardware[1]}", "outputs": {}})
                continue
            # Paths in flowgraphs begin there.
            os.chdir(file.parent)
            try:
                made, script, notes = changed(grc, file, folder, arguments.items)
            except Exception as error:  # noqa: BLE001: whatever Companion's library runs into.
                made, script, notes = None, None, f"Companion: {type(error).__name__}: {error}"
            if made is None:
                found.append({"file": str(file), "notes": "", "said": notes, "outputs": {}})
            else:
                work.append(pool.submit(one, file, made, script, notes, arguments))
        os.chdir(Path(__file__).parent)
        found += [task.result() for task in work]
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    say(found)
    return 0


def verdict(row):
    """One word for a flowgraph: the worst of its outputs."""
    if row["said"]:
        return "not compared"
    for word in ("differs", "not twice", "near", "equal"):
        if any(told.startswith(word) for told in row["outputs"].values()):
            return "not twice" if word == "differs" and "random or begins" in row["notes"] else word
    return "nothing written"


def say(found):
    """Prints how many of each kind, and what each is."""
    counts = collections.Counter(verdict(row) for row in found)
    for word in ("equal", "near", "differs", "not twice", "nothing written", "not compared"):
        print(f"{counts[word]:4}  {word}")
    for row in sorted(found, key=lambda row: (verdict(row), row["file"])):
        name = str(row["file"]).removeprefix(f"{EXAMPLES}/")
        told = row["said"] or "; ".join(f"{output}: {told}" for output, told in row["outputs"].items())
        print(f"{verdict(row)}: {name}: {told}" + (f" [{row['notes']}]" if row["notes"] else ""))


if __name__ == "__main__":
    sys.exit(main())
