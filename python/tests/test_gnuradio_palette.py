"""What GNU Radio Companion's Python asks of blocks: `data/gnuradio_palette.txt`, made by `bench/peers/gnuradio_palette.py`."""

import importlib
import json
import unittest
from pathlib import Path

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from superhet import _native  # noqa: E402
from superhet.gnuradio.elements import Element  # noqa: E402
from superhet.gnuradio.errors import Missing  # noqa: E402

PALETTE = Path(__file__).parent / "data" / "gnuradio_palette.txt"
# Modules that Companion imports by their own names.
PARENTS = {"pfb": "filter.pfb", "logpwrfft": "fft.logpwrfft"}
# Not in GNU Radio 3.10 itself, though its palette has the block.
NOT_THERE = {"blocks.argmax_dd", "pdu.take_skip_to_pdu_i"}

# Ids of blocks that are more than a row: made of objects of Python, or of expressions that only Python can work out.
NEED_PYTHON = (
    "analog_random_source_x",
    "blocks_sigmf_source_minimal",
    "blocks_swapiq",
    "digital_correlate_access_code_xx_ts",
    "digital_linear_equalizer",
    "digital_ofdm_frame_equalizer_vcvc",
    "digital_packet_headergenerator_bb",
    "digital_packet_headerparser_b",
)


def palette():
    """The id, the class, how many arguments it gets by place, the names of the others, and the methods."""
    for line in PALETTE.read_text().splitlines():
        if not line.startswith("#"):
            key, name, arguments, *methods = line.split()
            count, *names = arguments.replace("=", "").split(",")
            yield key, name, int(count), names, methods


def find(name):
    """The class of a name, or nothing."""
    module, _, short = name.rpartition(".")
    try:
        return getattr(importlib.import_module(f"gnuradio.{PARENTS.get(module, module)}"), short)
    except (ImportError, Missing, AttributeError):
        return None


class Palette(unittest.TestCase):
    def test_no_class_lacks_a_method_that_companion_calls(self):
        lacking, seen = [], 0
        for _, name, _, _, methods in palette():
            found = find(name)
            # Displays take every method.
            if not isinstance(found, type) or not issubclass(found, Element) or name.startswith("qtgui."):
                continue
            seen += 1
            known = {*(found._methods() if hasattr(found, "_methods") else ()), *dir(found)}
            lacking += [f"{name}.{method}" for method in methods if method not in known]
        self.assertEqual(lacking, [])
        self.assertGreater(seen, 350)

    def test_every_class_takes_the_arguments_that_companion_gives(self):
        import inspect

        from superhet.gnuradio.table import signature

        refused = []
        for key, name, count, names, _ in palette():
            found = find(name)
            is_block = isinstance(found, type) and issubclass(found, Element) or inspect.isfunction(found)
            if not is_block or name in NOT_THERE or not (count or names):
                continue
            own = found.__init__ if isinstance(found, type) else found
            is_row = isinstance(found, type) and getattr(found, "_row", None) and "__init__" not in vars(found)
            wanted = signature(found._row.get("args", "")) if is_row else inspect.signature(own)
            own_self = [] if is_row or not isinstance(found, type) else [None]
            try:
                wanted.bind(*own_self, *[0] * count, **dict.fromkeys(names, 0))
            except TypeError as error:
                refused.append(f"{key}: {name}{wanted}: {error}")
        self.assertEqual(refused, [])

    def test_no_class_of_the_table_lacks_its_id(self):
        rows = json.loads(_native.gnuradio_json())["rows"]
        ids, classes = set(), set()
        for row in rows:
            entries = row.get("grc", [])
            ids |= {entry["id"] for entry in (entries if isinstance(entries, list) else [entries])}
            name = f"{row['module']}.{row['name']}"
            classes |= {f"{name}_{letters}" for letters in row["types"]} if "types" in row else {name}
        lacking = {key for key, name, *_ in palette() if name in classes and key not in ids}
        self.assertEqual(lacking - set(NEED_PYTHON), set())


if __name__ == "__main__":
    unittest.main()
