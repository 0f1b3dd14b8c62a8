"""Whether receivers give the same messages, bit for bit, with every scheduler and number of workers.

    python3 bench/receivers/schedulers.py [--superhet target/release/superhet] [--more FOLDER] [--only ft8] [--workers 1 2 3 4]

Each recording of `table.py`, and a station on FM, ships and meters that are made for it, is decoded by `--scheduler single`, and then by
every other scheduler, by adaptive and pinned with each number of workers, by strips of 100 and 5000 items, and by strips of random lengths. Lines of JSON are compared as they are;
of receivers with several branches, whose order is not said, sorted. The command ends with 1 where any differ. Needs numpy.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import references
import signals
import table

# Several demodulators side by side, whose messages come in any order.
BRANCHES = ("ais", "wmbus", "ism", "ax100", "ccsds")


def ways(workers):
    yield ["--scheduler", "threads"]
    for count in workers:
        yield ["--workers", str(count)]
        yield ["--scheduler", "pinned", "--workers", str(count)]
    yield ["--scheduler", "single", "--strip-items", "100"]
    yield ["--scheduler", "single", "--strip-items", "5000"]
    yield ["--scheduler", "single", "--seed", "5"]


def made(superhet, folder):
    """Kinds of which no recording is in the tree."""
    path = folder / "station_98.5MHz_960k.cs16"
    sets = ["--set", f"path={path}", "--set", "seconds=3"]
    subprocess.run([superhet, "run", table.HERE / "examples/fm_transmitter.toml", *sets], check=True, capture_output=True)
    yield "fm", path, ["--set", "all=true"]
    ships = signals.ais(20)
    references.write_cu8(folder / "ships.cu8", ships.with_noise(20, 1))
    yield "ais", folder / "ships.cu8", ["--rate", "240k", "--freq", "162M"]
    packets = signals.slots(superhet, "ft4", "K1ABC W9XYZ R-09", 2)
    references.write_wav(folder / "ft4.wav", packets.with_noise(-10, 1), packets.rate_hz)
    yield "ft4", folder / "ft4.wav", []


def messages(superhet, kind, path, options):
    command = [superhet, "decode", kind, path, "--json", *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    lines = done.stdout.splitlines()
    return sorted(lines) if kind in BRANCHES else lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", default=str(table.HERE / "target/release/superhet"))
    parser.add_argument("--more", type=Path, metavar="FOLDER", help="recordings that are not in the tree")
    parser.add_argument("--only", metavar="KIND", help="only this receiver")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3, 4])
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        recorded = [case[:3] for case in table.cases(arguments.more)]
        for kind, path, options in [*recorded, *made(arguments.superhet, Path(scratch))]:
            if arguments.only not in (None, kind):
                continue
            wanted = messages(arguments.superhet, kind, path, [*options, "--scheduler", "single"])
            all_ways = list(ways(arguments.workers))
            other = [way for way in all_ways if messages(arguments.superhet, kind, path, [*options, *way]) != wanted]
            failed |= bool(other) or not wanted
            said = "; ".join(" ".join(way) for way in other)
            print(f"{kind} {path.name}: {len(wanted)} messages, {len(all_ways)} ways" + (f", differ: {said}" if other else ", equal"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
