#!/usr/bin/env python3
"""Lists what GNU Radio Companion's Python asks of each block of its palette: classes, arguments and methods.

Runs where GNU Radio is installed, with the Python that has it. Each block id is put into a flowgraph with each value of its enumerated
parameters, one parameter at a time, and the Python that its templates make is read, not run. A line for each class:

    id class arguments methods

`arguments` is the number of positional arguments and the names of the others, `5,log=`; of several forms the longest. `methods` has those
that are called when the block is made and when one of its parameters changes.

    /usr/bin/python3 bench/peers/gnuradio_palette.py python/tests/data/gnuradio_palette.txt
"""

import ast
import re
import sys
from pathlib import Path

NUMBERS = {"raw", "int", "real", "float", "complex", "int_vector", "real_vector", "float_vector", "complex_vector"}
MOST_VARIANTS = 200


def platform():
    from gnuradio import gr
    from gnuradio.grc.core.platform import Platform

    parts = (gr.major_version(), gr.api_version(), gr.minor_version())
    made = Platform(version=gr.version(), version_parts=parts, prefs=gr.prefs())
    made.build_library()
    return made


def variants(block):
    """The block with each value of each enumerated parameter; of pairs of types all of them."""
    enums = {key: list(param.options) for key, param in block.params.items() if param.is_enum() and key != "showports"}
    yield
    types = [key for key in enums if "type" in key]
    for first in types:
        for value in enums[first]:
            before = block.params[first].get_value()
            block.params[first].set_value(value)
            yield
            for second in enums:
                if second == first:
                    continue
                kept = block.params[second].get_value()
                for other in enums[second]:
                    block.params[second].set_value(other)
                    yield
                block.params[second].set_value(kept)
            block.params[first].set_value(before)
    for key in enums:
        before = block.params[key].get_value()
        for value in enums[key]:
            block.params[key].set_value(value)
            yield
        block.params[key].set_value(before)


def arguments(call):
    """How many positional arguments a call has, and the names of the others; none where it cannot be read."""
    try:
        node = ast.parse(call.strip()).body[0].value
    except (SyntaxError, AttributeError, IndexError):
        return 0, []
    return (len(node.args), [keyword.arg for keyword in node.keywords if keyword.arg]) if isinstance(node, ast.Call) else (0, [])


def up_to_its_end(text):
    """The call that a text begins with."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and letter == ")":
            return text[: place + 1]
    return text


def asked(make, callbacks, name):
    """The class that a template makes, its arguments, and the methods that are called."""
    make = re.sub(rf"^(self\.)?{name} *= *(self\.)?({name} *= *)?", "", make.strip())
    head = re.match(r"([A-Za-z_]\w*(?:\.\w+)+)\(", make)
    if not head:
        return "", (0, []), set()
    methods = set(re.findall(rf"self\.{name}\.(\w+)\(", make))
    for callback in callbacks:
        called = re.match(rf"(?:self\.{name}\.)?(\w+)\(", callback.strip())
        methods |= {called[1]} if called else set()
    return head[1], arguments(up_to_its_end(make)), methods


def facts(flowgraph, key):
    """For each class that a block can be: its arguments and its methods."""
    if key.startswith("_"):
        return {}
    block = flowgraph.new_block(key)
    name, found = "the_block", {}
    block.params["id"].set_value(name)
    for param in block.params.values():
        if re.fullmatch(r"[-\d.]+(, *[-\d.]+)+", param.get_value()):
            # Numbers with commas between would be an argument each.
            param.set_value(f"[{param.get_value()}]")
        if param.get_value() == "" and param.dtype in NUMBERS:
            param.set_value("0")
    for count, _ in enumerate(variants(block)):
        if count > MOST_VARIANTS:
            break
        try:
            flowgraph.rewrite()
            template = "var_make" if block.is_variable else "make"
            made, given, methods = asked(block.templates.render(template), block.templates.render("callbacks") or [], name)
        except Exception as error:  # noqa: BLE001: a template that cannot be rendered with these values.
            print(f"{key}: {type(error).__name__}: {str(error)[:120]}", file=sys.stderr)
            continue
        if made:
            before = found.setdefault(made, [given, set()])
            before[0] = max(before[0], given)
            before[1] |= methods
    flowgraph.remove_element(block)
    return found


def main():
    grc = platform()
    flowgraph = grc.make_flow_graph()
    # What GNU Radio logs comes to stdout, too.
    file = Path(sys.argv[1])
    lines = ["# What GNU Radio Companion 3.10's Python asks of each block: made by bench/peers/gnuradio_palette.py."]
    for key in sorted(grc.blocks):
        for made, ((count, names), methods) in sorted(facts(flowgraph, key).items()):
            arguments = ",".join([str(count), *(f"{name}=" for name in names)])
            lines.append(" ".join([key, made, arguments, *sorted(methods)]))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
