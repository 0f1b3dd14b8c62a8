"""How weak Wi-Fi may be: frames of 802.11a that are decoded, by rate and by signal and noise in the whole channel.

    python3 bench/receivers/wifi.py [--superhet target/release/superhet] [--frames 100] [--length 1000] [--snr 0 2 4 …]

Frames are sent by ``wifi_source`` through ``channel_model``: white noise, the frequency off by 0.004 turns per sample (80 kHz), the clock
by 20 ppm, and with ``--echoes`` two echoes within 7 samples (350 ns). Each is broadcast data with its number, so that false ones would
be seen: those that were not sent, or come twice. The speed is that of one core (``--scheduler single``), and with ``--speed`` also that of
noise alone and of frames without pauses.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
RATES = (6, 9, 12, 18, 24, 36, 48, 54)
RATE_HZ = 20e6
ECHOES = "[1,0,0.5,0,0,0,0,-0.25]"
ECHO_POWER = 1 + 0.25 + 0.0625


def transmit(superhet, path, mbps, options, snr_db, gap=1000):
    power = ECHO_POWER if options.echoes else 1.0
    voltage = 0.1 * (power * 10 ** (-snr_db / 10)) ** 0.5
    source = f"wifi_source mbps={mbps} length={options.length} frames={options.frames} gap_samples={gap} amplitude=0.1 seed={mbps}"
    taps = f" taps={ECHOES}" if options.echoes else ""
    channel = f"channel_model noise_voltage={voltage} frequency_offset=0.004 epsilon=1.00002 seed={int(100 + snr_db * 10)}{taps}"
    command = [superhet, "run", "-e", f"{source} -> {channel} -> file_sink path={path} format=cf32"]
    subprocess.run(command, check=True, capture_output=True)


def decode(superhet, path, scheduler="single"):
    """The numbers of the frames, and how many times faster than real time they were decoded."""
    command = [superhet, "decode", "wifi", path, "--rate", "20M", "--json", "--scheduler", scheduler]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    said = ran.stderr.split("decoded in ")[-1].split(", ")[1].split(" times")[0]
    return [json.loads(line)["fields"]["sequence"] for line in ran.stdout.splitlines()], float(said)


def speed(options, folder):
    path = Path(folder) / "speed.cf32"
    noise = "noise_source amplitude=0.1 -> head items=20M -> file_sink path={} format=cf32".format(path)
    subprocess.run([options.superhet, "run", "-e", noise], check=True, capture_output=True)
    found = [decode(options.superhet, path, scheduler) for scheduler in ("single", "adaptive")]
    print(f"noise, 20 million samples: {found[0][1]:.1f} times real time on one core, {found[1][1]:.1f} on all; {len(found[0][0])} frames")
    options.frames = 1000
    for mbps in RATES:
        transmit(options.superhet, path, mbps, options, 35, gap=320)
        found = [decode(options.superhet, path, scheduler) for scheduler in ("single", "adaptive")]
        counts = ", ".join(str(len(one)) for one, _ in found)
        print(f"{mbps:3d} Mbit/s, pauses of 16 us: {found[0][1]:.2f} times on one core, {found[1][1]:.2f} on all; {counts} of 1000 frames")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", default=str(HERE / "target/release/superhet"))
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--length", type=int, default=1000)
    parser.add_argument("--echoes", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--snr", type=float, nargs="+", default=list(range(0, 30, 2)))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frames.cf32"
        print(f"{options.frames} frames of {options.length} bytes each{', with echoes' if options.echoes else ''}")
        print("Mbit/s " + "".join(f"{snr_db:6g}" for snr_db in options.snr) + "  dB; false")
        for mbps in RATES:
            row, false = f"{mbps:6d} ", 0
            for snr_db in options.snr:
                transmit(options.superhet, path, mbps, options, snr_db)
                numbers, _ = decode(options.superhet, path)
                good = len({number for number in numbers if number < options.frames})
                false += len(numbers) - good
                row += f"{good:6d}"
            print(f"{row}  {false}", flush=True)
        if options.speed:
            speed(options, folder)


if __name__ == "__main__":
    sys.exit(main())
