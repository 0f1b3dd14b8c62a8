"""What the receivers make of recordings, beside what other decoders made of them, as a table.

    python3 bench/receivers/table.py [--superhet target/release/superhet] [--more FOLDER] [--repeat 3] [--only ft8] [--json]

The recordings and the references are those of ``data/``; ``--more`` names a folder with recordings that are not in the tree:
``sat/delphini1.wav`` with ``*.gr_satellites.txt``, ``ism433/*.cu8`` with ``*.rtl_433.jsonl``,
``wlan/futuresdr_bpsk-1-2-15db_20Msps.cf32`` with ``*.frames.txt``. What is not there is left out, with a word.

``missed`` are messages of the reference that are not ours, ``extra`` the other way round; messages that come several times count as
often, but those of ``ism``, which tells how often a frame was in its burst. The speed is that of one core (``--scheduler single``), the
signal's time by the time that the graph took, the best of ``--repeat`` runs; recordings of less than two seconds are repeated for that.
The command ends with 1 where a message is missed that `KNOWN` does not explain.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
LEAST_S = 2.0

# Recordings of which the reference has more, how many messages, and why.
KNOWN = {
    "websdr_test1.wav": (1, "one weak message below a strong one on the same frequency hangs on rounding"),
}


def lines(path):
    return path.read_text().splitlines()


def frames(path):
    """A frame a line, the last word of it, in hexadecimal digits."""
    return [line.split()[-1].lower() for line in lines(path) if line.strip()]


def dumped_frames(path):
    """Frames as gr-satellites prints them; one that another message cuts is left out."""
    found = []
    for part in path.read_text().split("***** VERBOSE PDU DEBUG PRINT ******")[1:]:
        length = re.search(r"pdu length = +(\d+) bytes", part)
        digits = "".join(re.findall(r"^[0-9a-f]{4}: ((?:[0-9a-f]{2} ?)+)", part, re.MULTILINE)).replace(" ", "")
        if length and len(digits) == 2 * int(length[1]):
            found.append(digits)
    return found


def aircraft(path):
    """Messages of Mode S without their parity, which dump1090 shows as it is and we without the interrogator's code."""
    return [line.strip("*;")[:-6] for line in lines(path) if line.startswith("*")]


def sensors(path):
    return [json.loads(line) for line in lines(path)]


def hex_of(message):
    return message["hex"]


def text_of(message):
    return message["fields"]["text"]


METER = ("mode", "M", "id", "version", "type", "C", "CI")


def same_sensor(reference, message):
    fields = message["fields"] | {"model": message["protocol"]}
    return all(fields.get(key) == value for key, value in reference.items() if key != "mic")


def same_meter(reference, message):
    return all(message["fields"].get(key) == reference[key] for key in METER)


def cases(more):
    """Kind, recording, options, other decoder, what it says, what is compared of ours."""
    data = HERE / "data"
    yield "adsb", data / "adsb/modes1_2Msps.cu8", [], "dump1090", aircraft(data / "adsb/modes1_2Msps.dump1090-raw.txt"), (
        lambda message: hex_of(message)[:-6]
    )
    for kind, folder, names, by in (
        ("ax25", "ax25", ("ao27", "swiatowid-ax25"), "gr-satellites and Dire Wolf"),
        ("ax25-9600", "ax25", ("us01",), "gr-satellites"),
        ("ax25-bpsk", "sat", ("picsat_9k6",), "gr-satellites"),
        ("ax100", "sat", ("1kuns_pf", "tw_1b", "ca03_9k6"), "gr-satellites"),
        ("u482c", "sat", ("gomx_1", "au03"), "gr-satellites"),
        ("funcube", "sat", ("ao73",), "gr-satellites"),
        ("ccsds", "sat", ("by701",), "gr-satellites"),
        ("3cat1", "sat", ("3cat_1",), "gr-satellites"),
        ("aausat4", "sat", ("aausat_4",), "gr-satellites"),
    ):
        for name in names:
            options = OPTIONS.get(name, [])
            yield kind, data / folder / f"{name}.wav", options, by, frames(data / folder / f"{name}.frames.txt"), hex_of
    for name in ("npt", "two_and_two"):
        reference = [line for line in lines(data / f"same/{name}.expected.txt") if line and not line.startswith("+")]
        yield "same", data / f"same/{name}.22050.s16", [], "sameold", reference, text_of
    meter = [json.loads((data / "wmbus/wmbus.expected.json").read_text())]
    yield "wmbus", data / "wmbus/wmbus_868.625MHz_2400k.cu8", [], "rtl_433", meter, same_meter
    for name in ("dot11a_24mbps", "dot11a_6mbps"):
        path = data / f"wifi/{name}_20Msps.cs16"
        yield "wifi", path, ["--freq", "5.18G"], "a receiver in numpy", frames(data / f"wifi/{name}.frames.txt"), hex_of
    for name in ("191111_110130", "191111_110615", "websdr_test1"):
        yield "ft8", data / f"ft8/{name}.wav", [], "jt9", lines(data / f"ft8/{name}.jt9.txt"), text_of
    if more is None:
        return
    path = more / "sat/delphini1.wav"
    if path.exists():
        yield "ax100", path, [], "gr-satellites", dumped_frames(path.with_suffix(".gr_satellites.txt")), hex_of
    for path in sorted(more.glob("ism433/*.cu8")):
        yield "ism", path, [], "rtl_433", sensors(path.with_suffix(".rtl_433.jsonl")), same_sensor
    path = more / "wlan/futuresdr_bpsk-1-2-15db_20Msps.cf32"
    if path.exists():
        reference = [frame[:-8] for frame in frames(path.with_suffix(".frames.txt"))]  # without their checksums
        yield "wifi", path, ["--freq", "5.18G"], "a receiver in numpy", reference, hex_of


# What satellites need that send in another way than most.
OPTIONS = {
    "1kuns_pf": ["--set", "symbol_rate_hz=1200"],
    "tw_1b": ["--set", "symbol_rate_hz=4800"],
}


def decode(superhet, kind, path, options):
    """The messages, the seconds of signal, and the seconds that it took."""
    command = [superhet, "decode", kind, path, "--json", "--scheduler", "single", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    said = re.search(r"messages in ([\d.]+) s of signal; decoded in ([\d.]+) ms", done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], float(said[1]), float(said[2]) / 1e3


def speed(superhet, kind, path, options, signal_s, repeat):
    """How many seconds of signal are decoded in one."""
    with tempfile.TemporaryDirectory() as folder:
        if signal_s < LEAST_S and path.suffix != ".wav":
            copies = int(LEAST_S / max(signal_s, 1e-6)) + 1
            longer = Path(folder) / path.name
            samples = path.read_bytes()
            with longer.open("wb") as file:
                for _ in range(copies):
                    file.write(samples)
            path = longer
        runs = [decode(superhet, kind, path, options)[1:] for _ in range(repeat)]
    return max(signal / took for signal, took in runs)


def compared(reference, messages, key):
    """How many messages of the reference are missed, and how many of ours are extra."""
    if key in (same_sensor, same_meter):
        missed = [one for one in reference if not any(key(one, message) for message in messages)]
        extra = [message for message in messages if not any(key(one, message) for one in reference)]
        return len(missed), len(extra)
    theirs, ours = Counter(reference), Counter(key(message) for message in messages)
    return (theirs - ours).total(), (ours - theirs).total()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", type=Path, default=HERE / "target/release/superhet")
    parser.add_argument("--more", type=Path, metavar="FOLDER", help="recordings that are not in the tree")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, of which the fastest counts [3]")
    parser.add_argument("--only", metavar="KIND", help="only this receiver")
    parser.add_argument("--json", action="store_true", help="a JSON object a line instead of a table")
    arguments = parser.parse_args()
    if not arguments.json:
        print("| recording | receiver | other decoder | its messages | ours | missed | extra | times real time |")
        print("|---|---|---|---|---|---|---|---|")
    notes, failed = [], False
    for kind, path, options, by, reference, key in cases(arguments.more):
        if arguments.only not in (None, kind):
            continue
        messages, signal_s, _ = decode(arguments.superhet, kind, path, options)
        missed, extra = compared(reference, messages, key)
        factor = speed(arguments.superhet, kind, path, options, signal_s, arguments.repeat)
        allowed, why = KNOWN.get(path.name, (0, ""))
        failed |= missed > allowed
        if missed:
            notes.append(f"{path.name}: {missed} missed: {why or 'not explained'}")
        name = "/".join(path.parts[-2:])
        row = (name, kind, by, len(reference), len(messages), missed, extra, float(f"{factor:.3g}"))
        if arguments.json:
            keys = ("recording", "receiver", "reference", "its", "ours", "missed", "extra", "times_real_time")
            print(json.dumps(dict(zip(keys, row))), flush=True)
        else:
            print("| " + " | ".join(f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row) + " |", flush=True)
    if arguments.more is None:
        notes.append("recordings that are not in the tree are left out: --more FOLDER")
    print(*notes, sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
