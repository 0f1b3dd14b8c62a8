"""How weak a station on FM may be: groups of RDS that are received, by carrier and noise in 200 kHz.

    python3 bench/receivers/fm.py [--superhet target/release/superhet] [--seconds 30] [--cn 4 6 8 10 12]

Stations are made by ``examples/fm_transmitter.toml``. Where GNU Radio and gr-rds are installed (Debian: ``gr-rds``), they receive the
same samples, by the blocks that receivers made of gr-rds have: of the bandwidths of the symbol clock that were tried (0.0003 to 0.03),
0.003 finds most groups. A group counts where it is one of those that were sent; `false` ones have all their blocks and were not sent.
Shares are those of what the same receiver finds at 60 dB, since gr-rds needs some seconds to begin.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
RATE_HZ = 960_000
GROUPS_HZ = 1187.5 / 104


def transmit(superhet, path, seconds, cn_db, level, seed):
    sets = {"path": path, "seconds": seconds, "cn_db": cn_db, "rds_level": level, "seed": seed, "clock_s": 0}
    words = [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
    subprocess.run([superhet, "run", HERE / "examples/fm_transmitter.toml", *words], check=True, capture_output=True)


def ours(superhet, path):
    """The groups in hexadecimal digits, and the seconds of one core that it took."""
    began = time.monotonic()
    command = [superhet, "decode", "fm", path, "--json", "--set", "all=true", "--scheduler", "single"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    took = time.monotonic() - began
    messages = [json.loads(line) for line in lines]
    return [message["hex"] for message in messages if "-" not in message["fields"]["blocks"]], took


def theirs(path):
    """The same of GNU Radio and gr-rds, which take as many cores as they like; none where they are not installed."""
    try:
        import pmt
        from gnuradio import analog, blocks, digital, filter, gr
        from gnuradio.filter import firdes
        import rds
    except ImportError:
        return None

    top = gr.top_block()
    source = blocks.file_source(gr.sizeof_short, str(path), False)
    floats = blocks.interleaved_short_to_complex(False, False)
    channel = filter.fir_filter_ccf(4, firdes.low_pass(1, RATE_HZ, 100e3, 20e3))
    demod = analog.quadrature_demod_cf(1.0)
    subcarrier = filter.freq_xlating_fir_filter_fcf(10, firdes.low_pass(1, 240e3, 7.5e3, 5e3), 57e3, 240e3)
    resampler = filter.rational_resampler_ccc(19, 24)
    rrc = firdes.root_raised_cosine(1, 19e3, 19e3 / 8, 1.0, 151)
    manchester = [rrc[n] - rrc[n + 8] for n in range(len(rrc) - 8)]
    matched = filter.fir_filter_ccc(1, manchester)
    agc = analog.agc_cc(2e-3, 0.585, 53)
    bpsk = digital.constellation_bpsk().base()
    sync = digital.symbol_sync_cc(digital.TED_ZERO_CROSSING, 16, 0.003, 1.0, 1.0, 0.1, 1, bpsk, digital.IR_MMSE_8TAP, 128, [])
    receiver = digital.constellation_receiver_cb(bpsk, 6.2832 / 100, -0.002, 0.002)
    difference = digital.diff_decoder_bb(2)
    # A block in Python would not keep up, and lose what has not come when the samples end.
    decoder, groups = rds.decoder(False, False), blocks.message_debug()
    top.connect(source, floats, channel, demod, subcarrier, resampler, matched, agc, sync, receiver, difference, decoder)
    for port in range(1, receiver.output_signature().min_streams()):
        top.connect((receiver, port), blocks.null_sink(gr.sizeof_float))
    top.msg_connect(decoder, "out", groups, "store")
    began = time.monotonic()
    top.run()
    took = time.monotonic() - began
    messages = [groups.get_message(n) for n in range(groups.num_messages())]
    return [bytes(pmt.u8vector_elements(pmt.cdr(message))[:8]).hex() for message in messages], took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", default=str(HERE / "target/release/superhet"))
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--cn", type=float, nargs="+", default=[4, 6, 8, 10, 12, 14, 16, 20])
    parser.add_argument("--level", type=float, default=0.03, help="of RDS, by the full deviation")
    options = parser.parse_args()
    print(f"{options.seconds} s each, RDS at {options.level * 75:.2f} kHz; groups by those at 60 dB, and false ones")
    print(f"{'C/N dB':>7} {'superhet':>9} {'false':>6} {'x real':>7} {'gr-rds':>9} {'false':>6} {'x real':>7}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "station_98.5MHz_960k.cs16"
        known, most = set(), [0, 0]
        for seed, cn_db in enumerate([60, *options.cn]):
            transmit(options.superhet, path, options.seconds, cn_db, options.level, seed)
            row = f"{cn_db:7.1f}"
            for place, found in enumerate((ours(options.superhet, path), theirs(path))):
                if found is None:
                    row += "   not installed"
                    continue
                groups, took = found
                known = known or set(groups)
                good = sum(group in known for group in groups)
                most[place] = most[place] or good
                row += f" {100 * good / max(1, most[place]):8.1f}% {len(groups) - good:6d} {options.seconds / took:7.1f}"
            print(row, flush=True)
        print(f"found at 60 dB, of {options.seconds * GROUPS_HZ:.0f} sent: {most[0]}, {most[1]}")


if __name__ == "__main__":
    sys.exit(main())
