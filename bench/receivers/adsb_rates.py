"""How many messages of Mode S are found at each sample rate and ratio of signal and noise, beside dump1090 where it takes the rate.

    python3 bench/receivers/adsb_rates.py [--superhet target/release/superhet] [--messages 400] [--snr 16 14 12] [--json]

The same squitters (`signals.py`) at 2.0, 2.4, 4, 8, 10 and 20 Msps; the ratio is that of a pulse and the noise in 2.4 MHz, so that the
density of the noise is the same at every rate. dump1090 and readsb read 2.4 Msps alone; they are asked where they are installed. Messages that were not sent are counted as false. The command ends with 1 where a rate has fewer than 4 Msps
less one in a hundred, or where another decoder has more. Needs numpy.
"""

import argparse
import dataclasses
import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import references
import signals

HERE = Path(__file__).resolve().parents[2]
RATES_HZ = [2e6, 2.4e6, 4e6, 8e6, 10e6, 20e6]


@references.in_scratch
def readsb(folder, samples, rate_hz):
    references.write_cu8(folder / "x.cu8", samples)
    words = ["readsb", "--device-type", "ifile", "--ifile", folder / "x.cu8", "--iformat", "UC8", "--raw", "--no-fix"]
    text = references.said(words)
    return Counter(line.strip("*;").lower() for line in text.splitlines() if line.startswith("*"))


OTHERS = {2.4e6: {"dump1090-mutability": references.dump1090, "readsb": readsb}}


def found(got, signal):
    heard = (got & signal.messages).total()
    return heard, got.total() - heard


def rows(options):
    """For each ratio and rate what each decoder found, and how many false ones."""
    for rate_hz in RATES_HZ:
        # The ratio counts the noise in 2.4 MHz.
        signal = dataclasses.replace(signals.mode_s(options.messages, rate_hz=rate_hz), bandwidth_hz=2.4e6)
        for snr_db in options.snr:
            samples = signal.with_noise(snr_db, 1)
            ours = references.superhet(samples, rate_hz, options.superhet, "adsb", [], None)
            row = {"rate_hz": rate_hz, "snr_db": snr_db, "superhet": found(ours, signal)}
            for name, run in OTHERS.get(rate_hz, {}).items():
                if shutil.which(name):
                    row[name] = found(run(samples, rate_hz), signal)
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", default=str(HERE / "target/release/superhet"))
    parser.add_argument("--messages", type=int, default=400)
    parser.add_argument("--snr", type=float, nargs="+", default=[16, 14, 12])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    all_rows = list(rows(options))
    at_four = {row["snr_db"]: row["superhet"][0] for row in all_rows if row["rate_hz"] == 4e6}
    short = []
    for row in all_rows:
        others = [row[name][0] for name in ("dump1090-mutability", "readsb") if name in row]
        least = max([at_four[row["snr_db"]] - options.messages // 100, *others])
        if row["superhet"][0] < least:
            short.append(row)
        if options.json:
            print(json.dumps(row))
        else:
            shown = [f"{name} {heard} ({false} false)" for name, value in row.items() if isinstance(value, tuple) for heard, false in [value]]
            print(f"{row['rate_hz'] / 1e6:4.1f} Msps {row['snr_db']:5.1f} dB of {options.messages}: {', '.join(shown)}", flush=True)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
