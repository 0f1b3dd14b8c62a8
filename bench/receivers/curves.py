"""Which receiver hears weaker signals: ours or another, on the same samples with more and more noise.

    python3 bench/receivers/curves.py [ais ax25 …] [--superhet target/release/superhet] [--step 1] [--rows -20 -22] [--messages 100] [--seeds 1] [--list] [--json]

Each row is a ratio of signal and noise with the share of the messages that each decoder has; under it the ratio at which that is one half,
between the rows in a straight line, and by how much ours is lower. Signals are made from the standards (`signals.py`), or are strong
recordings over and over: see what each case says of its ratio. Only differences count where it is a recording, since that has noise
of its own. Other decoders (`references.py`) that are not installed are left out. Messages that were not sent are counted as false.
The command ends with 1 where another decoder is more than ``--most`` dB better. RDS has `fm.py`, Wi-Fi `wifi.py`. Needs numpy.
"""

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import references
import signals

HERE = Path(__file__).resolve().parents[2]
DATA = HERE / "data"


@dataclasses.dataclass
class Case:
    name: str
    ratio: str
    #: Makes the signal, of about so many messages.
    signal: Callable
    #: Ours: of the command, samples and rate.
    ours: Callable
    #: The program that each other one needs, and it.
    others: dict
    #: From a ratio at which all are heard to one at which none is, in dB.
    sweep: tuple


def frames(path):
    """A frame a line, the last word of it, in hexadecimal digits."""
    return Counter(line.split()[-1].lower() for line in path.read_text().splitlines() if line.strip())


def decode(kind, *options, key=None):
    return lambda command, samples, rate_hz: references.superhet(samples, rate_hz, command, kind, options, key)


def satellite(name, kind, by, sweep, *options):
    messages = frames(DATA / f"sat/{name}.frames.txt")

    def signal(count):
        copies = max(1, round(count / messages.total()))
        return signals.recorded(DATA / f"sat/{name}.wav", None, messages, copies, 24e3)

    others = {"gr_satellites": lambda samples, rate_hz: references.gr_satellites(samples, rate_hz, by)}
    return Case(f"{kind} {name}", "the recording by white noise in 24 kHz", signal, decode(kind, *options), others, sweep)


def header(line):
    """An alert's header as both write it."""
    return line[line.find("ZCZC") :].strip().rstrip("-")


def same_others(samples, rate_hz):
    # It prints a header once, or each of its three bursts.
    heard = Counter(header(line) for line in references.multimon(samples, rate_hz, "EAS"))
    return Counter({line: (n + 2) // 3 for line, n in heard.items()})


SENSORS = {
    "fineoffset_wh2": ("Fineoffset-WH2", ("id", "temperature_C", "humidity"), 1),
    "lacrosse_tx": ("LaCrosse-TX", ("id", "temperature_C"), 2),
    "nexus_th": ("Nexus-TH", ("id", "channel", "temperature_C", "humidity"), 1),
    "oregon_thgr122n": ("Oregon-THGR122N", ("id", "channel", "temperature_C", "humidity"), 1),
}


def sensor(name, folder, sweep):
    """A sensor's burst, which both decoders put into words; counted once a copy, or as often as it is in it."""
    model, keys, times = SENSORS[name]
    path = folder / f"{name}_433.92MHz_250k.cu8"
    reference = json.loads(path.with_suffix(".rtl_433.jsonl").read_text().splitlines()[0])

    def said(fields):
        return " ".join(f"{key}={float(fields[key]):g}" for key in keys if isinstance(fields.get(key), (int, float)))

    wanted = f"{model} {said(reference)}"

    def signal(count):
        return signals.recorded(path, 250e3, Counter({wanted: times}), count, 250e3)

    def theirs(samples, rate_hz):
        # A burst's repeats have one time.
        heard = {(one["time"], one["model"], said(one)) for one in references.rtl_433(samples, rate_hz) if one["model"] == model}
        return Counter(f"{model} {text}" for _, model, text in heard)

    ours = decode("ism", key=lambda message: f"{message['protocol']} {said(message['fields'])}")
    return Case(f"ism {name}", "the burst by the noise in 250 kHz", signal, ours, {"rtl_433": theirs}, sweep)


def meter_signal(count):
    reference = json.loads((DATA / "wmbus/wmbus.expected.json").read_text())
    path = DATA / "wmbus/wmbus_868.625MHz_2400k.cu8"
    return signals.recorded(path, 2.4e6, Counter({str(reference["id"]): 1}), count, 100e3, pad_s=0.02)


def meter_others(samples, rate_hz, width_hz):
    # The meter in the middle, as this decoder wants it, through a filter of so many hertz to each side.
    turned = samples * np.exp(-2j * np.pi * 325e3 / rate_hz * np.arange(len(samples)))
    taps = np.sinc(np.arange(-60, 61) * 2 * width_hz / rate_hz) * np.hamming(121)
    narrow = np.convolve(turned, taps / taps.sum(), "same")[::2]
    narrow *= 0.35 / np.sqrt(np.mean(np.abs(narrow) ** 2))
    heard = references.rtl_433(narrow, rate_hz / 2, 868.95e6)
    return Counter(str(one.get("id")) for one in heard if one["model"] == "Wireless-MBus")


def text_of(message):
    return message["fields"]["text"]


def slots(command, mode, options, sweep):
    """Messages of FT8 or FT4. No other message is heard with it, so that no decoder can tell it from what it knows; jt9 knows K1ABC and
    W9XYZ, which it takes for the stations of a contact unless it is told others, and hears messages between them 1 dB weaker."""
    others = {"jt9": lambda samples, rate_hz: references.jt9(samples, rate_hz, *options)}
    signal = lambda count: signals.slots(command, mode, "DL5XYZ IK4LZH JN54", count)
    return Case(mode, "the message by white noise in 2.5 kHz", signal, decode(mode, key=text_of), others, sweep)


def cases(command, more):
    yield Case(
        "ax25", "the tone by white noise in 4 kHz", signals.ax25, decode("ax25"),
        {"atest": references.dire_wolf, "multimon-ng": references.multimon_ax25}, (10, 1),
    )  # fmt: skip
    yield Case(
        "ax25 higher tone weak", "the lower tone, 6 dB above the higher, by white noise in 4 kHz",
        lambda count: signals.ax25(count, higher=0.5), decode("ax25"),
        {"atest": references.dire_wolf, "multimon-ng": references.multimon_ax25}, (14, 5),
    )  # fmt: skip
    yield Case(
        "ax25-9600", "the symbols by white noise in 9.6 kHz", signals.ax25_9600, decode("ax25-9600"),
        {"atest": lambda samples, rate_hz: references.dire_wolf(samples, rate_hz, "9600")}, (12, 6),
    )  # fmt: skip
    yield Case(
        "ais", "the burst by the noise in 9.6 kHz", signals.ais, decode("ais", "--freq", "162M"),
        {"atest": references.best_width(references.dire_wolf_ais), "gnuais": references.best_width(references.gnuais)}, (20, 6),
    )  # fmt: skip
    yield Case(
        "adsb", "a pulse by the noise in 2.4 MHz", signals.mode_s, decode("adsb"),
        {"dump1090-mutability": references.dump1090}, (22, 7),
    )  # fmt: skip
    yield Case("same", "the tone by white noise in 4 kHz", signals.same,
        decode("same", key=lambda message: header(message["fields"]["text"])), {"multimon-ng": same_others}, (8, -6),
    )  # fmt: skip
    yield Case("wmbus", "the burst by the noise in 100 kHz", meter_signal,
        decode("wmbus", "--freq", "868.625M", key=lambda message: str(message["fields"]["id"])), {"rtl_433": references.best_width(meter_others, (150e3, 250e3))}, (30, 8),
    )  # fmt: skip
    yield slots(command, "ft8", ("-8", 15), (-18, -24))
    yield slots(command, "ft4", ("-5", 7.5), (-14, -20))
    yield satellite("picsat_9k6", "ax25-bpsk", "PicSat", (14, 2))
    yield satellite("1kuns_pf", "ax100", "1KUNS-PF", (5, -5), "--set", "symbol_rate_hz=1200")
    yield satellite("tw_1b", "ax100", "TW-1B", (5, -5), "--set", "symbol_rate_hz=4800")
    yield satellite("ca03_9k6", "ax100", "CA03", (18, 4))
    yield satellite("gomx_1", "u482c", "GOMX-1", (26, 8))
    yield satellite("au03", "u482c", "AU03", (14, 2))
    yield satellite("ao73", "funcube", "AO-73", (2, -8))
    yield satellite("by701", "ccsds", "BY70-1", (10, -2))
    yield satellite("3cat_1", "3cat1", "3CAT-1", (30, 8))
    yield satellite("aausat_4", "aausat4", "AAUSAT-4", (14, -2))
    if more is not None:
        yield sensor("fineoffset_wh2", more / "ism433", (20, 4))
        yield sensor("lacrosse_tx", more / "ism433", (20, 4))
        yield sensor("nexus_th", more / "ism433", (20, 4))
        yield sensor("oregon_thgr122n", more / "ism433", (20, 4))


def half(rows):
    """The ratio at which half of the messages are heard: between the lowest row with more and the one below it."""
    rows = sorted(rows)
    for (low_db, low), (high_db, high) in reversed(list(zip(rows, rows[1:]))):
        if low < 0.5 <= high:
            return low_db + (high_db - low_db) * (0.5 - low) / (high - low)
    return None


def curve(case, options):
    """The shares of each decoder by ratio, and how many false messages each had."""
    signal = case.signal(options.messages)
    ours = lambda samples, rate_hz: case.ours(options.superhet, samples, rate_hz)
    decoders = {"superhet": ours} | {name: run for name, run in case.others.items() if shutil.which(name)}
    first, last = options.rows or case.sweep
    shares, false = {name: [] for name in decoders}, Counter()
    for snr_db in np.arange(first, last - options.step / 2, -options.step):
        heard = Counter()
        for seed in range(1, options.seeds + 1):
            samples = signal.with_noise(snr_db, seed)
            for name, run in decoders.items():
                got = run(samples, signal.rate_hz)
                heard[name] += (got & signal.messages).total()
                false[name] += sum(n for message, n in got.items() if message not in signal.messages)
        for name in decoders:
            shares[name].append((float(snr_db), heard[name] / signal.messages.total() / options.seeds))
    return signal.messages.total() * options.seeds, shares, false


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="those whose name begins like this [all]")
    parser.add_argument("--superhet", default=str(HERE / "target/release/superhet"))
    parser.add_argument("--more", type=Path, metavar="FOLDER", help="recordings that are not in the tree: ism433/*.cu8 with *.rtl_433.jsonl")
    parser.add_argument("--step", type=float, default=1.0, help="from row to row, in dB")
    parser.add_argument("--rows", nargs=2, type=float, metavar=("FIRST", "LAST"), help="ratios, in dB [those of each case]")
    parser.add_argument("--messages", type=int, default=100, help="about so many a row")
    parser.add_argument("--seeds", type=int, default=1, help="so many times, with other noise")
    parser.add_argument("--most", type=float, default=1.0, help="by how many dB another decoder may be better")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", action="store_true", help="a JSON object for each case instead of tables")
    options = parser.parse_args()
    failed = False
    for case in cases(options.superhet, options.more):
        if options.cases and not any(case.name.startswith(name) for name in options.cases):
            continue
        if options.list:
            print(case.name, *case.others)
            continue
        count, shares, false = curve(case, options)
        halves = {name: half(rows) for name, rows in shares.items()}
        ours = halves["superhet"]
        better = {
            name: None if None in (ours, at) else round(at - ours, 1) for name, at in halves.items() if name != "superhet"
        }
        failed |= any(by is not None and by < -options.most for by in better.values())
        if options.json:
            print(json.dumps({"case": case.name, "messages": count, "shares": shares, "half_db": halves, "better_db": better}), flush=True)
            continue
        print(f"\n{case.name}: {count} messages a row; dB: {case.ratio}")
        print(" ".join([f"{'dB':>7}", *(f"{name:>20}" for name in shares)]))
        for n, (snr_db, _) in enumerate(shares["superhet"]):
            print(" ".join([f"{snr_db:7.1f}", *(f"{100 * rows[n][1]:19.0f}%" for rows in shares.values())]))
        said = lambda at: "not met" if at is None else f"{at:.1f} dB"
        print(" ".join([f"{'half':>7}", *(f"{said(halves[name]):>20}" for name in shares)]))
        print(" ".join([f"{'false':>7}", *(f"{false[name]:>20}" for name in shares)]))
        for name, by in better.items():
            print(f"superhet is {by:+.1f} dB better than {name}" if by is not None else f"superhet and {name}: no figure", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
