#!/usr/bin/env python3
"""Compares superhet's Python module `superhet.gnuradio.pmt` with GNU Radio's own `pmt`.

Random values are made the same way by both modules; then bytes, printed text, predicates, lengths, comparison, the
parts of dictionaries and conversion to Python and back must agree, and each reads the other's bytes. Needs GNU Radio's Python
module `pmt` and numpy; without GNU Radio it says so and is content.

    bench/peers/gnuradio_pmt_python.py [--count 10000] [--seed 1]
"""

import argparse
import importlib.util
import os
import random
import sys
from pathlib import Path

import gnuradio_pmt
from gnuradio_pmt import Draw

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "python/superhet/gnuradio/pmt"

LEAVES = """is_any is_blob is_bool is_complex is_dict is_eof_object is_false is_integer is_null is_number is_pair is_pdu is_real
    is_symbol is_true is_tuple is_uint64 is_uniform_vector is_vector""".split()
KINDS = "u8 s8 u16 s16 u32 s32 u64 s64 f32 f64 c32 c64".split()
PREDICATES = LEAVES + [f"is_{kind}vector" for kind in KINDS]
# Each takes one value and gives a value, a number or text.
ONE = """car cdr caar cadr cdar cddr caddr cadddr reverse dict_items dict_keys dict_values to_tuple length blob_length
    uniform_vector_itemsize symbol_to_string to_bool to_long to_uint64 to_double to_float to_complex write_string""".split()
ONE += [f"{kind}vector_elements" for kind in KINDS]
TWO = "eq eqv equal memq memv member assq assv assoc list_add list_rm list_has dict_has_key dict_delete subsetp".split()


def ours():
    """Our module alone, without the rest of superhet's Python package."""
    name = "superhet_pmt"
    spec = importlib.util.spec_from_file_location(name, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def plain(pmt, value):
    """What a function gave, in a form that is the same for both modules: PMTs as text and bytes, NaN equal to itself."""
    if isinstance(value, pmt.pmt_base):
        return "pmt", pmt.write_string(value), pmt.serialize_str(value).hex()
    if isinstance(value, dict):
        return "dict", [(plain(pmt, key), plain(pmt, item)) for key, item in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [plain(pmt, item) for item in value]
    if hasattr(value, "dtype"):
        return "array", value.dtype.str, value.tobytes().hex()
    return type(value).__name__, repr(value)


def answer(pmt, name, *values):
    """What the function gives, or the name of the exception's class that both share."""
    try:
        return plain(pmt, getattr(pmt, name)(*values))
    except (ValueError, TypeError, RuntimeError) as error:
        return "error", next(kind.__name__ for kind in (ValueError, TypeError, RuntimeError) if isinstance(error, kind))


def compare(pmts, count, seed):
    """The mistakes, and how often each function was compared."""
    draws = [Draw(seed, pmt) for pmt in pmts]
    both = [[draw.any(4) for _ in range(count)] for draw in draws]
    tried = {}
    mistakes = []

    def check(name, *values):
        found = [answer(pmt, name, *arguments) for pmt, arguments in zip(pmts, zip(*values))]
        tried[name] = tried.get(name, 0) + 1
        if found[0] != found[1] and not more_than_gnu_radio(name, found):
            mistakes.append(f"{name}({', '.join(str(value[0]) for value in values)}): GNU Radio {found[0]}, superhet {found[1]}")
        return found

    choose = random.Random(seed)
    previous = list(zip(*both))[0]
    for values in zip(*both):
        written = [pmt.serialize_str(value) for pmt, value in zip(pmts, values)]
        check("serialize_str", values)
        check("deserialize_str", written)
        check("to_python", values)
        for name in PREDICATES + ONE:
            check(name, values)
        again = [pmt.deserialize_str(bytes) for pmt, bytes in zip(pmts, written)]
        check("equal", values, again)
        # The second value: an item, a key, or one that has nothing to do with the first.
        parts = [parts_of(pmt, value) for pmt, value in zip(pmts, values)]
        place = choose.randrange(len(parts[0]) + 1)
        other = previous if place == len(parts[0]) else [part[place] for part in parts]
        for name in TWO:
            # Lists are the second argument there.
            check(name, *((other, values) if name.startswith(("mem", "ass")) else (values, other)))
        check("nth", [place, place], values)
        check("nthcdr", [place, place], values)
        check("dict_ref", values, other, previous)
        check("dict_add", values, other, previous)
        check("dict_update", values, previous)
        try:
            objects = [pmt.to_python(value) for pmt, value in zip(pmts, values)]
        except (ValueError, TypeError, RuntimeError):
            objects = None
        if objects is not None:
            check("to_pmt", objects)
        previous = values
    return mistakes, tried


def parts_of(pmt, value):
    """Items of a list, and keys where they are pairs."""
    parts = []
    while pmt.is_pair(value):
        parts.append(pmt.car(value))
        if pmt.is_pair(parts[-1]):
            parts.append(pmt.car(parts[-1]))
        value = pmt.cdr(value)
    return parts


def more_than_gnu_radio(name, found):
    """Ours converts what GNU Radio's refuses: s8, s64 and u64 vectors, numbers beyond 63 bits, tuples of more than ten."""
    theirs = found[0]
    return name in ("to_python", "to_pmt") and theirs[0] == "error"


def main():
    if gnuradio_pmt.pmt is None:
        if os.path.exists(gnuradio_pmt.SYSTEM) and not os.path.samefile(gnuradio_pmt.SYSTEM, sys.executable):
            os.execv(gnuradio_pmt.SYSTEM, [gnuradio_pmt.SYSTEM, *sys.argv])
        print(f"gnuradio_pmt_python.py: skipped, GNU Radio's Python module pmt is not installed: {gnuradio_pmt.MISSING}")
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="how many values")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    arguments = parser.parse_args()
    mistakes, tried = compare([gnuradio_pmt.pmt, ours()], arguments.count, arguments.seed)
    missing = [name for name in dir(gnuradio_pmt.pmt) if name[0] != "_" and name not in dir(sys.modules["superhet_pmt"])]
    print(f"{arguments.count} values, {len(tried)} functions, {sum(tried.values())} comparisons: {len(mistakes)} mistakes")
    print(f"GNU Radio's names that superhet's module has not: {', '.join(missing) or 'none'}")
    for mistake in mistakes[:20]:
        print(mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
