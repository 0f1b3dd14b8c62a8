#!/usr/bin/env python3
"""Compares superhet's constellations and their helpers in Python with GNU Radio's.

Points, codes, decisions for random samples, soft decisions and tables of them, maps of symbols, and streams with length
tags must agree. Needs GNU Radio and numpy; without GNU Radio it says so and is content.

    bench/peers/gnuradio_digital.py [--samples 2000] [--seed 1]
"""

import argparse
import itertools
import os
import sys
import types
from pathlib import Path

try:
    import numpy as np
    from gnuradio import digital
    from gnuradio.digital.utils import lfsr, tagged_streams
except ImportError as error:
    digital, MISSING = None, error

PYTHON = Path(__file__).resolve().parents[2] / "python"
# The system's own Python has GNU Radio where the one of an environment has not.
SYSTEM = "/usr/bin/python3"

SHOWN = """arity bits_per_symbol dimensionality rotational_symmetry pre_diff_code apply_pre_diff_code
    has_soft_dec_lut""".split()
FIXED = "bpsk qpsk dqpsk 8psk 8psk_natural 16qam".split()


def ours():
    """Our part of `digital`, without the rest of superhet's Python package, whose native module this Python may not have."""
    if "superhet" not in sys.modules:
        package = types.ModuleType("superhet")
        package.__path__ = [str(PYTHON / "superhet")]
        sys.modules["superhet"] = package
    from superhet.gnuradio import digital_parts

    return digital_parts


def pairs(mine, generator):
    """Constellations of both, made alike: `(name, GNU Radio's, ours)`."""
    both = (digital, mine)
    for name in FIXED:
        yield name, *(getattr(side, f"constellation_{name}")() for side in both)
    for arguments in itertools.product((2, 4, 8, 16, 32), ("gray", "none"), (True, False)):
        yield f"psk_constellation{arguments}", *(side.psk_constellation(*arguments) for side in both)
    for arguments in itertools.product((4, 16, 64), (True, False), ("none", "gray"), (False, True)):
        yield f"qam_constellation{arguments}", *(side.qam_constellation(*arguments) for side in both)
    yield "qam32_holeinside", *(side.qam32_holeinside_constellation() for side in both)
    for turn in range(5):
        points = [complex(z) for z in generator.normal(size=8) + 1j * generator.normal(size=8)]
        code = [int(k) for k in generator.permutation(8)]
        yield f"psk {turn}", *(side.constellation_psk(points, code, 13) for side in both)
        yield f"expl_rect {turn}", *(
            side.constellation_expl_rect(points, [], 4, 3, 2, 0.5, 1, [0, 1, 2, 3, 0, 1]) for side in both
        )
        for normalization in ("NO", "POWER", "AMPLITUDE"):
            norms = [getattr(side.constellation, f"{normalization}_NORMALIZATION") for side in both]
            for kind, arguments in {
                "calcdist": (points, code, 1, 1),
                "calcdist of 2": (points, [], 1, 2),
                "rect": (points, [], 4, 7, 5, 0.4, 0.6),
            }.items():
                name = f"constellation_{kind.split()[0]}"
                yield f"{kind} {normalization} {turn}", *(
                    getattr(side, name)(*arguments, norm) for side, norm in zip(both, norms)
                )


def near(one, other, tolerance=3e-4):
    return np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=tolerance, atol=tolerance)


def compare(theirs, mine, samples):
    """What does not agree between two constellations."""
    for name in SHOWN:
        if getattr(theirs, name)() != getattr(mine, name)():
            yield f"{name}: GNU Radio {getattr(theirs, name)()}, superhet {getattr(mine, name)()}"
    if not near(theirs.v_points(), mine.v_points(), 2e-7):
        yield f"points: GNU Radio {theirs.points()}, superhet {mine.points()}"
        return
    scaled = [complex(z) for z in (samples * np.abs(mine.points()).max()).astype(np.complex64)]
    wide = mine.dimensionality()
    for start in range(len(scaled) - wide):
        sample = scaled[start : start + wide]
        found = theirs.decision_maker_v(sample), mine.decision_maker_v(sample)
        if found[0] != found[1]:
            yield f"decision for {sample}: GNU Radio {found[0]}, superhet {found[1]}"
    if wide > 1:
        return
    for z in scaled[:40]:
        for power in (1.0, 0.3):
            if not near(theirs.calc_soft_dec(z, power), mine.calc_soft_dec(z, power)):
                yield f"soft decision for {z} at {power}"
    if mine.arity() <= 16:
        for each in (theirs, mine):
            each.gen_soft_dec_lut(4, 0.7)
        if not near(theirs.soft_dec_lut(), mine.soft_dec_lut()):
            yield "the table of soft decisions"
        for z in scaled[:200]:
            if not near(theirs.soft_decision_maker(z), mine.soft_decision_maker(z)):
                yield f"soft decision by the table for {z}"


def helpers(mine, samples):
    """What does not agree of the rest."""
    for name in dir(digital):
        if name.startswith(("psk_2", "psk_4", "qam_16")) and getattr(digital, name)() != getattr(mine, name)():
            yield f"{name}: GNU Radio {getattr(digital, name)()}, superhet {getattr(mine, name)()}"
    points, symbols = digital.psk_4_0x1_1_0()
    for precision, energy in itertools.product((2, 3, 5), (0.5, 1.0, 2.0, 3.0)):
        table = [[float(k)] for k in range(4**precision)]
        for z in samples[:100]:
            found = [side.calc_soft_dec_from_table(complex(z), table, precision, energy) for side in (digital, mine)]
            if found[0] != found[1]:
                yield f"calc_soft_dec_from_table({z}, prec={precision}, Es={energy}): GNU Radio {found[0]}, superhet {found[1]}"
        found = [side.soft_dec_table_generator(lambda z, es: [z.real, z.imag * es], precision, energy) for side in (digital, mine)]
        if not near(*found):
            yield f"soft_dec_table_generator with prec={precision}, Es={energy}"
    if not near(*(side.soft_dec_table(points, symbols, 3, 0.6) for side in (digital, mine))):
        yield "soft_dec_table"
    for exponents in ((7, 1, 0), (5,), (7, 3), (31, 3, 0)):
        if lfsr.lfsr_args(1, *exponents) != mine.utils.lfsr.lfsr_args(1, *exponents):
            yield f"lfsr_args{exponents}"
    found = []
    for streams in (tagged_streams, mine.utils.tagged_streams):
        data, tags = streams.packets_to_vectors([[1, 2, 3], [4, 5], [6]], "len")
        shown = [(tag.offset, str(tag.key), str(tag.value), str(tag.srcid)) for tag in tags]
        found.append((data, shown, streams.vectors_to_packets(data, tags, "len"), streams.count_bursts(data, tags, "len")))
    if found[0] != found[1]:
        yield f"tagged streams: GNU Radio {found[0]}, superhet {found[1]}"
    for name in ("default_access_code", "default_access_code_binary"):
        if getattr(digital.packet_utils, name) != getattr(mine.packet_utils, name):
            yield name


def main():
    if digital is None:
        if os.path.exists(SYSTEM) and not os.path.samefile(SYSTEM, sys.executable):
            os.execv(SYSTEM, [SYSTEM, *sys.argv])
        print(f"gnuradio_digital.py: skipped, GNU Radio is not installed: {MISSING}")
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000, help="how many samples each constellation decides for")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    arguments = parser.parse_args()
    mine = ours()
    generator = np.random.default_rng(arguments.seed)
    samples = generator.normal(size=arguments.samples) + 1j * generator.normal(size=arguments.samples)
    mistakes, count = [], 0
    for name, theirs, own in pairs(mine, generator):
        count += 1
        mistakes += [f"{name}: {text}" for text in compare(theirs, own, samples)]
    mistakes += helpers(mine, samples)
    print(f"{count} constellations, {arguments.samples} samples each: {len(mistakes)} mistakes")
    for mistake in mistakes[:20]:
        print(mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
