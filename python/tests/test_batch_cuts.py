"""A long recording that is cut gives the same messages, whoever does which part; analyses find what is there."""

import functools
import json
import os
import tempfile
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import batch_signals as signals
import numpy

from superhet import batch
from superhet.batch import child, parts, receivers, recording

NOTHING = recording.Options()
SETS = dict.fromkeys(("ft8", "ft4"), (("decode.min_frequency_hz", "1390"), ("decode.max_frequency_hz", "1530")))
"""Less than the whole band, which takes less time."""


def recordings(folder):
    """Of each receiver, a recording with messages everywhere, and how many of them may be others where it is cut."""

    def put(name, data):
        (folder / name).write_bytes(data)
        return str(folder / name)

    data = (signals.DATA / "adsb/modes1_2Msps.cu8").read_bytes()
    yield "adsb", put("a_2Msps.cu8", signals.placed(1_500_000, data, (50_000, 600_000, 1_100_000))), 0
    audio = [signals.wav_samples(signals.DATA / f"ax25/{name}.wav") for name in ("ao27", "swiatowid-ax25")]
    sheet = signals.placed_audio(48_000 * 20, audio, range(20_000, 840_000, 120_000))
    # The first frame of a recording begins at once, with the clock where the noise has left it.
    yield "ax25", put("b.wav", signals.wav(sheet, 48_000)), 0.15
    audio = [signals.wav_samples(signals.DATA / "ax25/us01.wav")]
    sheet = signals.placed_audio(48_000 * 16, audio, range(20_000, 660_000, 130_000))
    yield "ax25-9600", put("c.wav", signals.wav(sheet, 48_000)), 0
    audio = [signals.wav_samples(signals.DATA / "sat/picsat_9k6.wav")[: 48_000 * 2]]
    sheet = signals.placed_audio(48_000 * 16, audio, range(20_000, 660_000, 130_000))
    yield "ax25-bpsk", put("i.wav", signals.wav(sheet, 48_000)), 0.05
    audio = [numpy.fromfile(signals.DATA / f"same/{name}.22050.s16", "<i2") for name in ("npt", "two_and_two")]
    sheet = signals.placed_audio(22_050 * 45, audio, range(30_000, 22_050 * 42, 300_000))
    yield "same", put("d.22050.s16", sheet.tobytes()), 0
    bursts = [signals.nexus(number, 200 + number) for number in range(8)]
    sheet = signals.added(250_000 * 6, bursts, range(30_000, 1_400_000, 217_001))
    yield "ism", put("e_433.92M_250k.cu8", signals.cu8(sheet)), 0
    data = (signals.DATA / "wmbus/wmbus_868.625MHz_2400k.cu8").read_bytes()
    yield "wmbus", put("f_868.625M_2400k.cu8", signals.placed(1_000_000, data, range(20_000, 890_000, 211_113))), 0
    bursts = [signals.ais("15RTgt0PAso;90TKcjM8h6g208CQ", offset_hz) for offset_hz in (-25e3, 25e3)]
    sheet = signals.added(240_000 * 6, bursts, range(20_000, 1_400_000, 61_117))
    # A message of AIS has 24 bits for the clock.
    yield "ais", put("g_162M_240k.cs16", signals.cs16(sheet)), 0.15
    # Reading begins at every 15 s.
    for mode in ("ft8", "ft4"):
        audio = [signals.ft8(f"CQ K{number}ABC FN42", mode, 1400 + 20 * number) for number in range(7)]
        sheet = signals.placed_audio(12_000 * 15 * 18, audio, range(3000, 12_000 * 15 * 17, 12_000 * 16 + 345))
        yield mode, put(f"{mode}.wav", signals.wav(sheet, 12_000)), 0
    for kind, name in (("ax100", "ca03_9k6"), ("u482c", "gomx_1"), ("3cat1", "3cat_1"), ("aausat4", "aausat_4")):
        audio = [signals.wav_samples(signals.DATA / f"sat/{name}.wav")]
        step = len(audio[0]) + 24_001
        sheet = signals.placed_audio(20_000 + 5 * step, audio, range(20_000, 4 * step, step))
        yield kind, put(f"{kind}.wav", signals.wav(sheet, 48_000)), 0
    # The signal begins after two seconds; the loops take a while.
    audio = signals.wav_samples(signals.DATA / "sat/by701.wav")
    yield "ccsds", put("ccsds.wav", signals.wav(numpy.tile(audio[96_000:], 2), 48_000)), 0.2
    audio = signals.wav_samples(signals.DATA / "sat/ao73.wav")
    yield "funcube", put("funcube.wav", signals.wav(numpy.tile(audio, 6), 48_000)), 0.5
    bursts = [signals.wifi(length, mbps) for length, mbps in ((40, 54), (300, 6), (1000, 24))]
    sheet = signals.added(1_000_000, bursts, range(5000, 950_000, 31_117))
    yield "wifi", put("h_5180M_20M.cs16", signals.cs16(sheet)), 0


class Reader:
    """Reads parts of one recording, and each only once: `again` shows that a second reading gives the same."""

    def __init__(self, read):
        self.read, self.known = read, {}

    def __call__(self, part):
        if part not in self.known:
            self.known[part] = list(self.read(part))
        return self.known[part]

    def again(self, step):
        """Reads every `step`-th part anew, the last one first; whether the messages are those of before."""
        return all(list(self.read(part)) == messages for part, messages in list(self.known.items())[::-step])


def pieces(read, whole, cut, count):
    """The messages of a recording that so many do, each a few of its parts, in order."""
    total = -(-whole.samples_total // cut.part)
    edges = [total * number // count * cut.part for number in range(count)] + [whole.samples_total]
    found = []
    for first, last in zip(edges, edges[1:]):
        found += parts.messages(read, whole.part(first, last, first, last), cut)
    return sorted(json.dumps(message, sort_keys=True) for message in found)


def in_pieces(kind, path):
    """The messages of a recording as a whole, and by one, three and seventeen who do its parts; whether parts that are read once
    more, after others, have the same."""
    with child.borrowed() as process:
        work = SmallParts(kind, set=SETS.get(kind, ()))
        whole = recording.describe(process, path, path, NOTHING)
        uncut = list(work.messages(whole, process, NOTHING, 60))
        seconds = whole.samples_total / (whole.rate_hz or work.rate_hz)
        work = SmallParts(kind, set=SETS.get(kind, ()), part_s=seconds / 17 * 1.001)
        read = Reader(functools.partial(work.messages, child=process, options=NOTHING, timeout_s=60))
        return uncut, *(pieces(read, whole, work.cut(whole), count) for count in (1, 3, 17)), read.again(4)


class Cuts(unittest.TestCase):
    def test_one_three_and_seventeen_pieces_have_the_same_messages(self):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as executor:
            cases = list(recordings(Path(folder)))
            self.assertEqual([kind for kind, _, _ in cases], [kind for kind, known in batch.KINDS.items() if known.is_cut])
            for (kind, _, may_differ), found in zip(cases, executor.map(lambda case: in_pieces(*case[:2]), cases)):
                with self.subTest(kind):
                    uncut, one, three, seventeen, is_same_again = found
                    self.assertGreater(len(uncut), 3)
                    self.assertEqual(one, three)
                    self.assertEqual(one, seventeen)
                    self.assertTrue(is_same_again)
                    # They are those of the recording as a whole, but for what the clock makes of the noise before.
                    wanted = Counter(parts._content(message) for message in uncut)
                    got = Counter(parts._content(json.loads(message)) for message in one)
                    others = sum(((wanted - got) + (got - wanted)).values())
                    self.assertLessEqual(others, may_differ * len(uncut), (wanted, got))

    def test_a_batch_cuts_long_recordings_into_tasks(self):
        audio = numpy.fromfile(signals.DATA / "same/npt.22050.s16", "<i2")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long_20260704_235900Z.s16"
            path.write_bytes(signals.placed_audio(22_050 * 120, [audio], range(0, 2_300_000, 400_000)).tobytes())
            found = []
            for seconds in (20, 60, 3600):
                out = Path(folder) / f"out{seconds}"
                with ThreadPoolExecutor(2) as executor:
                    report = batch.map("same", path, out, executor, part_s=20, seconds_per_task=seconds)
                self.assertEqual((report.tasks, report.errors), (-(-120 // seconds), 0))
                table = read(out)
                found.append([table["sample_index"].to_pylist(), table["time"].cast("int64").to_pylist(), table["json"].to_pylist()])
                rows = batch.manifest(out).sort_by("first_sample").to_pylist()
                self.assertEqual(rows[0]["first_sample"] or 0, 0)
                self.assertEqual(rows[-1]["last_sample"], 22_050 * 120)
                # Messages behind midnight, too, are on the day on which their task begins.
                days = {path.parent.name for path in out.glob("messages/*/*/*.parquet")}
                self.assertEqual(days, {"date=2026-07-04", "date=2026-07-05"} if seconds < 100 else {"date=2026-07-04"})
            self.assertEqual(len(found[0][0]), 6)
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0], found[2])

    def test_a_graph_file_is_cut_as_its_overlap_says(self):
        audio = numpy.fromfile(signals.DATA / "same/npt.22050.s16", "<i2")
        with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(1) as executor:
            folder = Path(name)
            (folder / "alerts.toml").write_text((signals.DATA.parent / "crates/command/receivers/same.toml").read_text())
            sheet = signals.placed_audio(22_050 * 60, [audio], (100_000, 500_000, 900_000))
            (folder / "x.wav").write_bytes(signals.wav(sheet, 22_050))
            given = {"overlap_s": (25, 20), "part_s": 20, "seconds_per_task": 20}
            report = batch.map(folder / "alerts.toml", folder / "x.wav", folder / "cut", executor, **given)
            self.assertEqual((report.tasks, report.errors, report.messages), (3, 0, 3))
            self.assertEqual(batch.map("same", folder / "x.wav", folder / "whole", executor).messages, 3)
            cut, whole = (read(folder / one)["sample_index"].to_pylist() for one in ("cut", "whole"))
            self.assertTrue(all(abs(a - b) < 50 for a, b in zip(cut, whole)), (cut, whole))

    @unittest.skipUnless(os.environ.get("SUPERHET_BATCH_LONG"), "it takes minutes and 1.2 GB: SUPERHET_BATCH_LONG=1")
    def test_24_tasks_of_a_long_recording_of_aircraft_have_the_messages_of_the_uncut_one(self):
        data = (signals.DATA / "adsb/modes1_2Msps.cu8").read_bytes()
        # 24 parts of 12 s; what is sent is not in step with them.
        second = signals.placed(1_900_003, data, (50_000, 900_000))
        with tempfile.TemporaryDirectory() as folder, child.borrowed() as process:
            path = Path(folder) / "long_2Msps.cu8"
            with path.open("wb") as file:
                left = 2 * 2_000_000 * 24 * 12
                while left:
                    left -= file.write(second[:left])
            whole = recording.describe(process, str(path), str(path), NOTHING)
            uncut = list(receivers.work("adsb").messages(whole, process, NOTHING, None))
            report = batch.map("adsb", path, Path(folder) / "out", workers=2, part_s=12, seconds_per_task=12)
            self.assertEqual((report.tasks, report.errors, report.messages), (24, 0, len(uncut)))
            table = read(Path(folder) / "out")
            found = sorted(json.dumps(json.loads(text), sort_keys=True) for text in table["json"].to_pylist())
            self.assertEqual(found, sorted(json.dumps(message, sort_keys=True) for message in uncut))

    def test_a_message_that_two_parts_may_claim_is_there_once(self):
        whole = recording.Recording("x", "x", 1e3, None, None, 2000, "u8", False, False, 1, 0, 2000, 0, 2000)
        cut = receivers.Cut(part=1000, lead=100, tail=50, guard=10)
        for early, late, wanted in [(996, 1004, [1004]), (1004, 996, [1004]), (999, 999, [999]), (1000, 1000, [1000]), (None, 1003, [1003])]:
            # The first part hears it at `early`, the second at `late`.
            def read(part):
                heard = early if part.read_first == 0 else late
                return [{"hex": "ab", "sample_index": heard}, {"hex": "cd", "sample_index": 1500}] if heard else []

            found = [message["sample_index"] for message in parts.messages(read, whole, cut) if message["hex"] == "ab"]
            self.assertEqual(found, wanted)


class SmallParts(receivers.Receiver):
    """A receiver whose parts begin where a recording of a few seconds can be cut: aircraft's reading begins at every 3 s else."""

    def cut(self, whole):
        known = super().cut(whole)
        align = 480 if self.kind == "adsb" else known.align
        part = round(self.part_s * (whole.rate_hz or self.rate_hz)) // align * align
        return replace(known, part=part, align=align)


def read(out):
    """The messages of a batch, as a table in the order of their samples."""
    import pyarrow.parquet

    tables = [pyarrow.parquet.ParquetFile(path).read() for path in sorted(out.glob("messages/*/*/*.parquet"))]
    return pyarrow.concat_tables(tables).sort_by([("recording", "ascending"), ("sample_index", "ascending")])


class Formats(unittest.TestCase):
    def test_parts_of_every_kind_of_file_have_the_samples_of_the_whole(self):
        draw = numpy.random.default_rng(8)
        values = draw.integers(-30000, 30000, 2 * 4000).astype("<i2")
        wide = numpy.frombuffer(draw.bytes(6 * 4000), "u1")
        import superhet

        with tempfile.TemporaryDirectory() as name, child.borrowed() as process:
            folder = Path(name)
            files = {
                "a_48k.cs16": values.tobytes(),
                "b_48k.cu8": values.tobytes(),
                "c_48k.s16": values.tobytes(),
                "d_48k.cf32": draw.standard_normal(8000).astype("<f4").tobytes(),
                "e.wav": signals.wav(values, 48000, 2),
                "f.wav": signals.wav(values.view("u1"), 48000, 1, 8),
                "g.wav": signals.wav(wide, 48000, 2, 24),
            }
            for file, data in files.items():
                (folder / file).write_bytes(data)
            superhet.sigmf.save(folder / "h", draw.standard_normal(4000).astype("c8"), rate_hz=48000)
            for path in sorted(folder.glob("*_*")) + sorted(folder.glob("*.wav")) + [folder / "h.sigmf-meta"]:
                with self.subTest(path.name):
                    whole = recording.describe(process, path.name, str(path), NOTHING)
                    samples = whole.samples()
                    self.assertEqual(len(samples), whole.samples_total)
                    part = whole.part(1000, 2000, 900, 2100)
                    numpy.testing.assert_array_equal(part.samples(), samples[900:2100])
                    # The command reads the same of the part as of the file.
                    feed, format = part.feed()
                    copy = folder / ("cut.cf32" if whole.is_complex else "cut.f32")
                    list(process.run(["convert", "-", "--format", format, "--rate", "48k", str(copy), "--force"], feed=feed))
                    read = numpy.fromfile(copy, "<c8" if whole.is_complex else "<f4")
                    numpy.testing.assert_allclose(read, samples[900:2100], atol=1e-6)


class Analyses(unittest.TestCase):
    def run_on(self, work, name, samples, **settings):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(signals.cs16(samples))
            out = Path(folder) / "out"
            with ThreadPoolExecutor(1) as executor:
                report = batch.map(work, path, out, executor, **settings)
            self.assertEqual(report.errors, 0, batch.manifest(out)["error"].to_pylist())
            return read(out).to_pylist()

    def test_occupancy_is_the_power_of_each_channel_in_each_minute(self):
        rate_hz, seconds = 8000, 150
        n = numpy.arange(rate_hz * seconds)
        # A carrier 2 kHz above the centre, in the second minute only.
        tone = numpy.where((n >= 60 * rate_hz) & (n < 90 * rate_hz), 0.1, 0.0) * numpy.exp(2j * numpy.pi * 2000 / rate_hz * n)
        samples = (tone + signals.noise(len(n), 6, 1e-3)).astype("c8")
        found = self.run_on("occupancy", "x_20260704_120000Z_100M_8k.cs16", samples, set={"channel_hz": 1000})
        table = {(row["sample_index"] // (60 * rate_hz), row["frequency_hz"]): json.loads(row["fields"]) for row in found}
        self.assertEqual({minute for minute, _ in table}, {0, 1, 2})
        self.assertEqual(len(table), 3 * 9)
        carrier = table[1, 100.002e6]
        # cs16 here has 20000 of 32768 as full scale; the carrier is there half of the minute.
        level = 20 * numpy.log10(0.1 * 20000 / 32768)
        self.assertAlmostEqual(carrier["max_dbfs"], level, delta=0.2)
        self.assertAlmostEqual(carrier["mean_dbfs"], level - 3.01, delta=0.2)
        quiet = table[0, 100.002e6]["mean_dbfs"]
        self.assertLess(quiet, level - 35)
        self.assertEqual((carrier["seconds"], table[2, 100.002e6]["seconds"]), (60.0, 30.0))
        cut = self.run_on("occupancy", "x_20260704_120000Z_100M_8k.cs16", samples, set={"channel_hz": 1000}, part_s=60, seconds_per_task=60)
        self.assertEqual([row["json"] for row in cut], [row["json"] for row in found])

    def test_bursts_are_found_where_they_are(self):
        rate_hz = 50_000
        samples = signals.noise(rate_hz * 40, 7, 1e-3)
        places = [(30_000, 5_000, 4e3), (420_000, 900, -7e3), (999_000, 3_000, 1e3), (1_500_020, 40_000, 2e3)]
        for start, length, offset_hz in places:
            samples[start : start + length] += (0.1 * numpy.exp(2j * numpy.pi * offset_hz / rate_hz * numpy.arange(length))).astype("c8")
        found = self.run_on("bursts", "x_433.9M_50k.cs16", samples)
        self.assertEqual(len(found), len(places))
        for row, (start, length, offset_hz) in zip(found, places):
            message = json.loads(row["json"])
            self.assertLessEqual(abs(row["sample_index"] - start), 50)
            self.assertLessEqual(abs(message["duration_samples"] - length), 100)
            self.assertAlmostEqual(row["frequency_hz"], 433.9e6 + offset_hz, delta=150)
            self.assertAlmostEqual(row["snr_db"], 37, delta=3)
        cut = self.run_on("bursts", "x_433.9M_50k.cs16", samples, part_s=3, seconds_per_task=3)
        self.assertEqual([row["json"] for row in cut], [row["json"] for row in found])


if __name__ == "__main__":
    unittest.main()
