#!/usr/bin/env python3
"""An archive of recordings, as `superhet.batch` does it: the same rows whoever does them and whoever is killed, and how fast.

target/batch/bin/python bench/batch.py [--recordings 2000] [--engines local,dask,ray] [--hours 1]

The archive is copies and variations of the recordings in data/, 10 of them broken, for four receivers. Each is decoded alone by
`superhet decode`; then all of them by batches: by processes of this machine, by Dask and by Ray where they are installed, and by
processes that are killed three times at random moments and begun again. DuckDB compares the rows. Then the same archive is done by one
worker and by two, by turns, and by decoders alone without a batch. `--hours` instead makes one recording of 2 Msps so long, 14.4 GB an hour,
and compares its messages in 24 tasks, or one or two fewer, with those in one piece.

The Python that runs it has the package (`make wheel`, and not the wheel of `make python`, which is slower), pyarrow and DuckDB.
All is written to a scratch folder (`--scratch`), which is removed. Exit code 1 if anything differs.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from superhet import batch
from superhet.batch import child

# Workers read this file, too: what they do not need is imported where it is used.
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
# What each receiver gets: how many in a hundred, recordings, and the type of their samples.
KINDS = {
    "same": (60, ["same/npt.22050.s16", "same/two_and_two.22050.s16"], "<i2"),
    "adsb": (20, ["adsb/modes1_2Msps.cu8"], "u1"),
    "ax25": (10, ["ax25/ao27.wav", "ax25/swiatowid-ax25.wav", "ax25/us01.wav"], "<i2"),
    "wmbus": (10, ["wmbus/wmbus_868.625MHz_2400k.cu8"], "u1"),
}
BROKEN = 10
BATCH = [sys.executable, "-m", "superhet", "batch"]
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


def varied(data, path, type_, draw):
    """A recording with a little noise: at most one step of 256, or 20 of 65,536."""
    import numpy

    header, end = 0, len(data)
    if path.suffix == ".wav":
        # Other chunks may stand before and behind the samples.
        header = data.index(b"data") + 8
        end = min(end, header + int.from_bytes(data[header - 4 : header], "little"))
    samples = numpy.frombuffer(data[header:end], type_).astype(int)
    level, limits = (20, (-32768, 32767)) if type_ == "<i2" else (1, (0, 255))
    samples = samples + draw.integers(-level, level + 1, len(samples))
    return data[:header] + numpy.clip(samples, *limits).astype(type_).tobytes() + data[end:]


def broken(number, data, path):
    """A name and bytes that are no recording: cut in mid-sample, empty, without a whole header, or without samples."""
    return [
        (path.suffix, data[: 1001 if path.suffix != ".wav" else 30]),
        (".wav", b""),
        (".sigmf-meta", b"{}"),
        (".wav", b"RIFF and no more of it"),
        (".sigmf-meta", b'{"global": '),
    ][number % 5]


def make_archive(folder, count):
    """Writes the archive, a folder for each receiver; gives how many recordings each has."""
    import numpy

    draw, made, places = numpy.random.default_rng(28), {}, {}
    for kind, (share, names, type_) in KINDS.items():
        made[kind] = count * share // 100
        bad = {int(place) for place in draw.choice(made[kind], BROKEN * share // 100, replace=False)}
        places[kind] = len(bad)
        (folder / kind).mkdir(parents=True)
        for number in range(made[kind]):
            path = DATA / names[number % len(names)]
            data = path.read_bytes()
            if number in bad:
                end, data = broken(len([place for place in bad if place < number]), data, path)
            else:
                end = path.suffix
                data = data if number // len(names) % 2 else varied(data, path, type_, draw)
            stem = path.name.removesuffix(path.suffix)
            # What a name says of the rate and the frequency stays.
            (folder / kind / f"{number:05}_{stem}{end}").write_bytes(data)
    return made, places


def canonical(message):
    """A message as a batch writes it of a recording in parts."""
    return json.dumps(message, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def alone(program, kind, path):
    """The messages of a recording by a process of its own, or nothing where it fails."""
    done = subprocess.run([*program, "decode", kind, "--json", str(path)], capture_output=True, text=True)
    return [line for line in done.stdout.split("\n") if line] if done.returncode == 0 else None


def single_runs(program, archive, table):
    """Decodes each recording alone; writes what was found as a table, and gives how many failed."""
    import pyarrow
    from pyarrow import parquet

    paths = [(kind, path) for kind in KINDS for path in sorted((archive / kind).iterdir())]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        found = list(workers.map(lambda one: alone(program, *one), paths))
    rows = [(kind, str(path), text) for (kind, path), messages in zip(paths, found) for text in messages or ()]
    columns = dict(zip(("kind", "recording", "json"), map(list, zip(*rows))))
    parquet.write_table(pyarrow.table(columns), table)
    return sum(messages is None for messages in found)


def differences(out, table):
    """Counts rows of a batch and of single runs, those that only one of them has, and recordings that are not there once."""
    import duckdb

    rows = "select kind, recording, json from read_parquet('{}/messages/**/*.parquet', hive_partitioning=true)".format(out)
    single = f"select kind, recording, json from '{table}'"
    with duckdb.connect() as connection:
        one = lambda query: connection.sql(query).fetchall()[0][0]
        return {
            "rows": one(f"select count(*) from ({rows})"),
            "only in the batch": one(f"select count(*) from ({rows} except all {single})"),
            "only alone": one(f"select count(*) from ({single} except all {rows})"),
            "recordings": one(f"select count(distinct path) from '{out}/manifest/*.parquet'"),
            "twice": one(f"select count(*) - count(distinct path) from '{out}/manifest/*.parquet'"),
            "errors": one(f"select count(*) from '{out}/manifest/*.parquet' where status = 'error'"),
        }


def whole_batch(archive, out, engine, workers, per_task):
    """Does the archive, a batch for each receiver; how long it took."""
    began = time.perf_counter()
    for kind in KINDS:
        report = batch.map(kind, archive / kind, out, engine, workers=workers, recordings_per_task=per_task)
        assert not report.failed, report.failed
    return time.perf_counter() - began


def done_tasks(out):
    """The files of tasks that are done, and which file that is."""
    found = {}
    for path in out.glob("manifest/*.parquet"):
        for file in (path, *out.glob(f"messages/*/*/{path.name}")):
            status = file.stat()
            found[file] = status.st_ino, status.st_mtime_ns
    return found


def killed_batch(archive, out, tasks, per_task, draw):
    """The same by the command, killed three times at random; gives how many files of done tasks were written again."""
    moments = sorted(draw.sample(range(1, tasks), 3))
    again, kills = 0, 0
    for kind in KINDS:
        command = [*BATCH, kind, str(archive / kind), "--out", str(out), "--workers", "2"]
        command += ["--recordings-per-task", str(per_task), "--quiet"]
        while True:
            before = done_tasks(out)
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
                while process.poll() is None and (not moments or len(list(out.glob("manifest/*.parquet"))) < moments[0]):
                    time.sleep(0.005)
                if process.poll() is None:
                    time.sleep(draw.random() * 0.3)
                    process.send_signal(signal.SIGKILL)
                    moments.pop(0)
                    kills += 1
                said = process.stdout.read()
            after = done_tasks(out)
            again += sum(after.get(file) != known for file, known in before.items())
            if process.returncode in (0, 1):
                break
            assert process.returncode == -signal.SIGKILL, said
    assert not list(out.rglob("*.tmp")), "files of tasks that were not done were left"
    return kills, again


def decode_list(kind, paths):
    """Decodes recordings one after the other without a batch, by a process that stays."""
    with child.borrowed() as process:
        return sum(sum(1 for _ in process.run(["decode", kind, "--json", "--scheduler", "single", str(path)])) for path in paths)


def bare(archive, workers, count):
    """Seconds for the good recordings of the archive by decoders alone, so many at once."""
    parts = [[] for _ in range(workers)]
    for kind in KINDS:
        good = [path for path in sorted((archive / kind).iterdir()) if path.stat().st_size > 2000]
        for number in range(workers):
            parts[number].append((kind, good[number::workers]))
    run = lambda part: [decode_list(kind, paths) for kind, paths in part]
    with concurrent.futures.ThreadPoolExecutor(workers) as threads:
        # The processes are there before the clock starts.
        list(threads.map(lambda part: decode_list(part[0][0], part[0][1][:1]), parts))
        began = time.perf_counter()
        list(threads.map(run, parts))
        return time.perf_counter() - began


def check_archive(asked, scratch):
    """Item by item, a line for each; gives whether all was as it must be."""
    archive, table = scratch / "archive", scratch / "single.parquet"
    made, bad = make_archive(archive, asked.recordings)
    count, broken_count = sum(made.values()), sum(bad.values())
    print(f"archive: {count} recordings ({', '.join(f'{kind} {number}' for kind, number in made.items())}), {broken_count} broken", flush=True)
    began = time.perf_counter()
    failed = single_runs(asked.superhet, archive, table)
    print(f"single runs: {failed} failed; {time.perf_counter() - began:.0f} s", flush=True)
    is_good = failed == broken_count
    per_task = max(1, count // 40)

    def compare(name, out, more=""):
        nonlocal is_good
        found = differences(out, table)
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in found.items()) + more, flush=True)
        wanted = {"only in the batch": 0, "only alone": 0, "recordings": count, "twice": 0, "errors": broken_count}
        is_good &= all(found[key] == value for key, value in wanted.items()) and found["rows"] > 0

    for engine in asked.engines.split(","):
        if engine != "local" and not importlib.util.find_spec({"dask": "distributed"}.get(engine, engine)):
            print(f"{engine}: skipped, it is not installed")
            continue
        seconds = whole_batch(archive, scratch / engine, engine, 2, per_task)
        compare(engine, scratch / engine, f"; {seconds:.1f} s by 2 workers, {count / seconds:.0f} recordings/s")

    tasks = sum(-(-number // per_task) for number in made.values())
    kills, again = killed_batch(archive, scratch / "killed", tasks, per_task, random.Random(asked.seed))
    compare("killed", scratch / "killed", f"; {kills} kills in {tasks} tasks, {again} files of done tasks written again")
    is_good &= kills == 3 and again == 0

    times = {key: [] for key in ("bare 1", "bare 2", "batch 1", "batch 2")}
    for turn in range(asked.repeat):
        for workers in (1, 2):
            times[f"bare {workers}"].append(bare(archive, workers, count))
            times[f"batch {workers}"].append(whole_batch(archive, scratch / f"timed{turn}{workers}", "local", workers, per_task))
        last = {key: values[-1] for key, values in times.items()}
        print(f"turn {turn + 1}: " + ", ".join(f"{key} {value:.2f} s" for key, value in last.items()), flush=True)
    middle = {key: statistics.median(values) for key, values in times.items()}
    ratio = lambda what: statistics.median(one / two for one, two in zip(times[f"{what} 1"], times[f"{what} 2"]))
    print(f"two workers by one: {ratio('batch'):.2f}; decoders alone, two by one: {ratio('bare'):.2f}")
    for workers in (1, 2):
        more = workers * (middle[f"batch {workers}"] - middle[f"bare {workers}"]) / count
        print(f"the batch costs, with {workers}: {more * 1e3:.2f} ms of a worker for each recording, beside decoding")
    return is_good


def check_long(asked, scratch):
    """A recording of hours in 24 tasks and in one piece."""
    import duckdb
    import numpy

    rate, piece = 2_000_000, 1_400_003
    draw = numpy.random.default_rng(1)
    signal_ = numpy.fromfile(DATA / "adsb/modes1_2Msps.cu8", "u1")
    sheet = numpy.clip(numpy.rint(127.5 + 2.5 * draw.standard_normal(2 * piece)), 0, 255).astype("u1")
    sheet[100_000 : 100_000 + len(signal_)] = signal_
    path, total = scratch / "long_1090M_2Msps.cu8", round(asked.hours * 3600 * rate)
    with path.open("wb") as file:
        left = 2 * total
        while left:
            left -= file.write(sheet[:left].tobytes())
    began = time.perf_counter()
    uncut = scratch / "uncut.jsonl"
    with uncut.open("wb") as file:
        subprocess.run([*asked.superhet, "decode", "adsb", "--json", str(path)], stdout=file, check=True)
    seconds = time.perf_counter() - began
    print(f"in one piece: {total / rate:.0f} s of signal, {path.stat().st_size / 1e9:.1f} GB in {seconds:.0f} s", flush=True)
    # Parts of aircraft begin at whole multiples of 3 s.
    task_s = math.ceil(asked.hours * 3600 / 24 / 3) * 3
    began = time.perf_counter()
    report = batch.map("adsb", path, scratch / "long", workers=2, part_s=task_s, seconds_per_task=task_s)
    print(f"in {report.tasks} tasks: {report.messages} messages in {time.perf_counter() - began:.0f} s, errors {report.errors}", flush=True)
    path.unlink()
    ordered = scratch / "uncut.csv"
    with uncut.open() as file, ordered.open("w") as out:
        out.writelines(canonical(json.loads(line)) + "\n" for line in file)
    with duckdb.connect() as connection:
        one = lambda query: connection.sql(query).fetchall()[0][0]
        rows = f"select json from read_parquet('{scratch}/long/messages/**/*.parquet')"
        single = f"select json from read_csv('{ordered}', columns={{'json': 'varchar'}}, header=false, delim='\\x01', quote='', escape='')"
        counts = one(f"select count(*) from ({rows})"), one(f"select count(*) from ({single})")
        only = one(f"select count(*) from ({rows} except all {single})"), one(f"select count(*) from ({single} except all {rows})")
    print(f"rows in tasks {counts[0]}, in one piece {counts[1]}; only in tasks {only[0]}, only in one piece {only[1]}")
    return report.tasks > 1 and counts[0] == counts[1] > 0 and only == (0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=2000, help="how many the archive has, at least 100 [default: 2000]")
    parser.add_argument("--engines", default="local,dask,ray", help="who does the batches that are compared [default: local,dask,ray]")
    parser.add_argument("--repeat", type=int, default=3, help="how often the times are measured [default: 3]")
    parser.add_argument("--hours", type=float, help="compare one long recording instead")
    parser.add_argument("--seed", type=int, default=28, help="of the moments at which the batch is killed [default: 28]")
    parser.add_argument("--scratch", help="where the scratch folder is made [default: that of the system]")
    parser.add_argument("--superhet", nargs="+", default=[sys.executable, "-m", "superhet"], help="the command of single runs")
    asked = parser.parse_args()
    if asked.recordings < 100:
        parser.error(f"--recordings: expected at least 100, got {asked.recordings}")
    if asked.hours is not None and not 0.1 <= asked.hours <= 24:
        parser.error(f"--hours: expected 0.1 to 24, got {asked.hours:g}")
    with tempfile.TemporaryDirectory(dir=asked.scratch) as name:
        scratch = pathlib.Path(name)
        is_good = check_long(asked, scratch) if asked.hours else check_archive(asked, scratch)
    print("all as it must be" if is_good else "something differs")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
