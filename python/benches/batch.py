"""What a batch costs beside decoding: ``python python/benches/batch.py [COUNT]``, the constants of docs/scale.md.

COUNT copies of a recording of an alert (6.7 s, 293 kB) and a tenth as many of aircraft (0.18 s, 714 kB) are decoded in a scratch
folder, by one worker and by two, and by Dask and Ray where they are installed.
"""

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path

from superhet import batch
from superhet.batch import child

DATA = Path(__file__).resolve().parents[2] / "data"


def copies(folder, path, count):
    """A folder of hard copies of a recording."""
    folder.mkdir()
    data = path.read_bytes()
    for number in range(count):
        (folder / f"{number:06}_{path.name}").write_bytes(data)
    return folder


def folder_bytes(folder):
    """Bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def timed(call):
    """How long a call takes, in seconds, and what it gives."""
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def main():
    """Measures, and prints a line for each number."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        alerts = copies(scratch / "alerts", DATA / "same/npt.22050.s16", count)
        aircraft = copies(scratch / "aircraft", DATA / "adsb/modes1_2Msps.cu8", count // 10)

        with child.borrowed() as process:
            names = [str(path) for path in sorted(alerts.iterdir())]
            decode = lambda path: sum(1 for _ in process.run(["decode", "same", "--json", "--scheduler", "single", path]))
            decode(names[0])
            bare, _ = timed(lambda: [decode(path) for path in names])
        print(f"decoding alone, one process: {bare / count * 1e3:.2f} ms a recording")

        rates = {}
        engines = [("local", 1), ("local", 2)]
        engines += [("dask", 2)] if importlib.util.find_spec("distributed") else []
        engines += [("ray", 2)] if importlib.util.find_spec("ray") else []
        for engine, workers in engines:
            out = scratch / f"{engine}{workers}"
            seconds, report = timed(lambda: batch.map("same", alerts, out, engine, workers=workers, recordings_per_task=count // 8))
            assert report.recordings == count and not report.failed, report
            busy = sum(row["seconds"] for row in batch.manifest(out).to_pylist())
            print(
                f"{engine}, {workers} workers: {seconds:.2f} s for {count} recordings, {count / seconds:.1f}/s; "
                f"a recording keeps a worker busy for {busy / count * 1e3:.2f} ms"
            )
            rates[engine, workers] = count / seconds
        print(f"two workers by one: {rates['local', 2] / rates['local', 1]:.2f}")

        some = sorted(alerts.iterdir())[:200]
        one, _ = timed(lambda: batch.map("same", some, scratch / "many", workers=1, recordings_per_task=1))
        all_of_them, _ = timed(lambda: batch.map("same", some, scratch / "few", workers=1, recordings_per_task=200))
        print(f"a task costs {(one - all_of_them) / 199 * 1e3:.1f} ms beside its recordings; a batch of one task begins in ", end="")
        print(f"{timed(lambda: batch.map('same', some[:1], scratch / 'begin', workers=1))[0]:.2f} s")

        again, _ = timed(lambda: batch.map("same", alerts, scratch / "local1", workers=1))
        print(f"a batch of which all is done: {again / count * 1e6:.0f} µs a recording")
        print(f"manifest: {folder_bytes(scratch / 'local1/manifest') / count:.0f} bytes a recording, ", end="")
        print(f"plan: {folder_bytes(scratch / 'local1/plan') / count:.0f}")

        seconds, report = timed(lambda: batch.map("adsb", aircraft, scratch / "adsb", workers=2))
        size = folder_bytes(scratch / "adsb/messages")
        print(f"adsb: {report.messages} messages, {size / report.messages:.1f} bytes each; {len(list(aircraft.iterdir())) / seconds:.1f} recordings/s")
        one = batch.map("adsb", DATA / "adsb/modes1_2Msps.cu8", scratch / "one", workers=1)
        size = folder_bytes(scratch / "one/messages")
        print(f"a file of one recording, which compresses worse: {size / one.messages:.1f} bytes a message")
        batch.compact(scratch / "adsb")
        print(f"after compact: {folder_bytes(scratch / 'adsb/messages') / report.messages:.1f} bytes a message")

        empty = scratch / "empty"
        empty.mkdir()
        for number in range(50_000):
            (empty / f"{number:06}.s16").touch()
        seconds, report = timed(lambda: batch.map("same", empty, scratch / "planned", dry_run=True))
        print(f"planning: {seconds / report.planned * 1e6:.0f} µs a recording; processors: {os.cpu_count()}")


if __name__ == "__main__":
    main()
