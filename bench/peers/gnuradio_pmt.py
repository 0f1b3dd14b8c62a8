#!/usr/bin/env python3
"""Compares superhet's PMTs with GNU Radio's own, byte for byte, both ways.

superhet writes random values, GNU Radio reads and writes them; then the other way round, and there superhet also reports
as JSON what it read. Needs GNU Radio's Python module `pmt` and Rust; without GNU Radio it says so and is content.

    bench/peers/gnuradio_pmt.py [--count 10000] [--seed 1]
"""

import argparse
import json
import math
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

try:
    import pmt
except ImportError as error:
    pmt, MISSING = None, error

ROOT = Path(__file__).resolve().parents[2]
# The system's own Python has the module where the one of an environment has not.
SYSTEM = "/usr/bin/python3"

WHOLE = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q"}
FLOATS = {"f32": "f", "f64": "d", "c32": "f", "c64": "d"}
OURS = {"s8": "i8", "s16": "i16", "s32": "i32", "s64": "i64", "c32": "C32", "c64": "C64"}


class Draw:
    """Draws random PMTs of every kind that GNU Radio can write, and makes them by a module `pmt`: GNU Radio's or ours."""

    def __init__(self, seed, pmt=pmt):
        self.random = random.Random(seed)
        self.pmt = pmt

    def number(self, code):
        """Any number of the type with this letter of `struct`."""
        return struct.unpack(code, self.random.randbytes(struct.calcsize(code)))[0]

    def float(self, code="d"):
        named = [0.0, -0.0, 1.5, math.inf, -math.inf, float("nan")]
        return self.random.choice([self.number(code), self.random.choice(named)])

    def complex(self, code="d"):
        return complex(self.float(code), self.float(code))

    def text(self):
        letters = "kxyz é☃𝄞\0\"\\"
        # "k" first: no word that means something to superhet's JSON.
        return "k" + "".join(self.random.choices(letters, k=self.random.randrange(6)))

    def count(self):
        return self.random.randrange(5)

    def vector(self):
        kind = self.random.choice([*WHOLE, *FLOATS])
        draw = self.number if kind in WHOLE else self.float if kind[0] == "f" else self.complex
        items = [draw((WHOLE | FLOATS)[kind]) for _ in range(self.count())]
        return getattr(self.pmt, f"init_{kind}vector")(len(items), items)

    def leaf(self):
        draw = self.random.choice([
            lambda: self.pmt.PMT_NIL,
            lambda: self.pmt.from_bool(self.random.random() < 0.5),
            lambda: self.pmt.from_long(self.number("i")),
            lambda: self.pmt.from_long(self.number("q")),
            lambda: self.pmt.from_uint64(self.number("Q")),
            lambda: self.pmt.from_double(self.float()),
            lambda: self.pmt.from_complex(self.complex()),
            lambda: self.pmt.intern(self.text()),
            self.vector,
        ])
        return draw()

    def items(self, depth):
        return [self.any(depth - 1) for _ in range(self.count())]

    def pairs(self, depth):
        chain = self.random.choice([self.pmt.PMT_NIL, self.any(depth - 1)])
        for item in self.items(depth):
            chain = self.pmt.cons(item, chain)
        return chain

    def dictionary(self, depth):
        names = self.random.random() < 0.8
        chain = self.pmt.make_dict()
        for value in self.items(depth):
            key = self.pmt.intern(self.text()) if names else self.any(depth - 1)
            chain = self.pmt.dict_add(chain, key, value)
        return chain

    def tuple(self, depth):
        # GNU Radio does not read the empty tuple that it writes.
        return self.pmt.to_tuple(self.sequence(self.items(depth) or [self.pmt.PMT_T]))

    def any(self, depth):
        if depth == 0 or self.random.random() < 0.3:
            return self.leaf()
        kinds = [self.pairs, self.dictionary, self.tuple, lambda depth: self.sequence(self.items(depth))]
        return self.random.choice(kinds)(depth)

    def sequence(self, items):
        return sequence(items, self.pmt)


def sequence(items, pmt=pmt):
    vector = pmt.make_vector(len(items), pmt.PMT_NIL)
    for place, item in enumerate(items):
        pmt.vector_set(vector, place, item)
    return vector


def entries(dictionary):
    """Keys and values, and whether they make a map: keys are text, and none comes twice."""
    pairs = []
    while not pmt.is_null(dictionary):
        pairs.append((pmt.car(pmt.car(dictionary)), pmt.cdr(pmt.car(dictionary))))
        dictionary = pmt.cdr(dictionary)
    keys = [pmt.symbol_to_string(key) if pmt.is_symbol(key) else None for key, _ in pairs]
    return pairs, None not in keys and len(set(keys)) == len(keys)


def is_dictionary(p):
    return pmt.is_dict(p) and not pmt.is_null(p)


def chain(p):
    """The items of linked pairs, and their end."""
    items = []
    while pmt.is_pair(p) and not is_dictionary(p):
        items.append(pmt.car(p))
        p = pmt.cdr(p)
    return items, p


def ordered(p):
    """The same PMT with the entries of each dictionary in the order of their names, as superhet writes them."""
    if is_dictionary(p):
        pairs, is_map = entries(p)
        if is_map:
            pairs.sort(key=lambda pair: pmt.symbol_to_string(pair[0]).encode())
        result = pmt.make_dict()
        for key, value in reversed(pairs):
            result = pmt.dcons(pmt.cons(ordered(key), ordered(value)), result)
        return result
    if pmt.is_pair(p):
        items, result = chain(p)
        result = ordered(result)
        for item in reversed(items):
            result = pmt.cons(ordered(item), result)
        return result
    if pmt.is_tuple(p):
        return pmt.to_tuple(sequence([ordered(pmt.tuple_ref(p, n)) for n in range(pmt.length(p))]))
    if pmt.is_vector(p):
        return sequence([ordered(pmt.vector_ref(p, n)) for n in range(pmt.length(p))])
    return p


def float_json(x):
    return x if math.isfinite(x) else "NaN" if math.isnan(x) else "inf" if x > 0 else "-inf"


def widened(value):
    """Makes the short numbers of single precision, in which 0.1 stands for 0.10000000149011612, as long as GNU Radio's.

    For each object of superhet's JSON.
    """
    def wide(x):
        return x if isinstance(x, str) else struct.unpack("f", struct.pack("f", x))[0]

    if "f32" in value:
        return {"f32": [wide(x) for x in value["f32"]]}
    if "C32" in value:
        return {"C32": [[wide(re), wide(im)] for re, im in value["C32"]]}
    return value


def vector_json(p):
    kind = next(kind for kind in (*WHOLE, *FLOATS) if getattr(pmt, f"is_{kind}vector")(p))
    items = getattr(pmt, f"{kind}vector_elements")(p)
    if kind == "u8":
        return {"hex": bytes(items).hex()}
    if kind in FLOATS:
        items = [[float_json(z.real), float_json(z.imag)] if kind[0] == "c" else float_json(z) for z in items]
    return {OURS.get(kind, kind): list(items)}


def as_json(p):
    """What superhet has to read, in the forms of its JSON."""
    if pmt.is_null(p):
        return None
    if pmt.is_bool(p):
        return pmt.to_bool(p)
    if pmt.is_symbol(p):
        return pmt.symbol_to_string(p)
    if pmt.is_uint64(p):
        return pmt.to_uint64(p)
    if pmt.is_integer(p):
        return pmt.to_long(p)
    if pmt.is_real(p):
        x = pmt.to_double(p)
        return x if math.isfinite(x) else {"float": float_json(x)}
    if pmt.is_complex(p):
        z = pmt.to_complex(p)
        return {"re": float_json(z.real), "im": float_json(z.imag)}
    if is_dictionary(p):
        pairs, is_map = entries(p)
        if is_map:
            return {pmt.symbol_to_string(key): as_json(value) for key, value in pairs}
        return {"dict": [[as_json(key), as_json(value)] for key, value in pairs]}
    if pmt.is_pair(p):
        items, end = chain(p)
        return {"pairs": [as_json(item) for item in (*items, end)]}
    if pmt.is_tuple(p):
        return {"tuple": [as_json(pmt.tuple_ref(p, n)) for n in range(pmt.length(p))]}
    if pmt.is_vector(p):
        return [as_json(pmt.vector_ref(p, n)) for n in range(pmt.length(p))]
    return vector_json(p)


def exact(value):
    """Tells 1 from 1.0 and True, and -0.0 from 0.0, which `==` does not."""
    return json.dumps(value, sort_keys=True)


def ours_first(program, count, seed):
    """What GNU Radio makes of what superhet writes: the mistakes."""
    lines = subprocess.run([*program, "write", str(count), str(seed)], check=True, capture_output=True, text=True)
    written = lines.stdout.split()
    assert len(written) == count, f"superhet wrote {len(written)} of {count} PMTs"
    for line in written:
        try:
            again = pmt.serialize_str(pmt.deserialize_str(bytes.fromhex(line))).hex()
        except (RuntimeError, ValueError) as error:
            again = f"error {error}"
        if again != line:
            yield f"superhet wrote {line}, GNU Radio {again}"


def theirs_first(program, count, seed):
    """What superhet makes of what GNU Radio writes: the mistakes, and how many came back as they were."""
    draw = Draw(seed)
    drawn = [draw.any(4) for _ in range(count)]
    written = [pmt.serialize_str(p).hex() for p in drawn]
    lines = subprocess.run([*program, "read"], input="\n".join(written), check=True, capture_output=True, text=True)
    answers = lines.stdout.splitlines()
    assert len(answers) == count, f"superhet answered {len(answers)} of {count} times"
    mistakes, as_they_were = [], 0
    for p, before, answer in zip(drawn, written, answers):
        again, _, value = answer.partition(" ")
        if again == "error":
            mistakes.append(f"GNU Radio wrote {before}: {value}")
            continue
        as_they_were += again == before
        if again != before and again != pmt.serialize_str(ordered(p)).hex():
            mistakes.append(f"GNU Radio wrote {before}, superhet {again}")
        if exact(json.loads(value, object_hook=widened)) != exact(as_json(p)):
            mistakes.append(f"GNU Radio wrote {before}, which superhet reads as {value}, not {exact(as_json(p))}")
    return mistakes, as_they_were


def build():
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "build", "--locked", "--workspace", "--example", "pmt_peer"]
    messages = subprocess.run(
        [*command, "--message-format", "json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    artifacts = [json.loads(line) for line in messages.stdout.splitlines() if line.startswith("{")]
    return [next(a["executable"] for a in reversed(artifacts) if a.get("target", {}).get("name") == "pmt_peer")]


def main():
    if pmt is None:
        if os.path.exists(SYSTEM) and not os.path.samefile(SYSTEM, sys.executable):
            os.execv(SYSTEM, [SYSTEM, *sys.argv])
        print(f"gnuradio_pmt.py: skipped, GNU Radio's Python module pmt is not installed: {MISSING}")
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="how many PMTs each way")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    arguments = parser.parse_args()
    program = build()
    mistakes = list(ours_first(program, arguments.count, arguments.seed))
    print(f"superhet -> GNU Radio -> bytes: {arguments.count - len(mistakes)} of {arguments.count} the same")
    more, as_they_were = theirs_first(program, arguments.count, arguments.seed)
    print(f"GNU Radio -> superhet -> bytes: {as_they_were} of {arguments.count} the same, "
          f"the others with the entries of dictionaries in order; {len(more)} mistakes")
    for mistake in [*mistakes, *more][:20]:
        print(mistake)
    return 1 if mistakes or more else 0


if __name__ == "__main__":
    sys.exit(main())
