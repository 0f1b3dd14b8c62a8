#!/usr/bin/env python3
"""Lists which class each block of GNU Radio Companion's palette is, and with which of its parameters it is called.

Runs where GNU Radio is installed, with the Python that has it. Each block id is put into a flowgraph with each combination of the
enumerated parameters that change the call, and the call is read, not run: what stands for a parameter in it is written `$name`.

    /usr/bin/python3 bench/peers/gnuradio_calls.py crates/flow/src/gnuradio/palette.txt
"""

import ast
import copy
import functools
import re
import sys
from pathlib import Path

from gnuradio_palette import platform

HEAD = """\
# Which class of GNU Radio 3.10 each block of Companion's palette is, and how it is called: made by bench/peers/gnuradio_calls.py.
# A block: its id, the parameters whose values choose a call, and all that calls mention as NAME:KIND=DEFAULT (without a kind it is an
# expression; `list` takes a number for a list of one, `text` needs no quotes, `word` is one of several). Below it a line for each call:
# the values, where `*` is any, the call, and methods of what it makes; a line that begins with $NAME.N says what stands for the values of
# a parameter. Parts are separated by tabs.
"""
TEXTS = {"string", "file_open", "file_save", "dir_select", "_multiline", "_multiline_python_external"}
MOST_CALLS = 1000
FEW_CALLS = 8
# What has too many combinations, or takes code of Python, or is more than a call.
BY_HAND = re.compile(r"^(_|soapy_|uhd_|dtv_dvb_|dtv_dvbs2_|dtv_dvbt2_|epy_|options$|import$|snippet$|pad_|virtual_|note$|variable|parameter$|json_config|yaml_config|bus_|bokehgui_)")


def kind_of(param):
    if param.is_enum() or param.dtype in ("bool", "enum", "gui_hint"):
        return "word" if param.is_enum() else "value"
    if param.dtype in TEXTS or param.dtype == "id":
        return "text"
    return "list" if param.dtype.endswith("_vector") else "value"


def parsed(block):
    """The call that the template makes with the values of now, and the calls behind it; nothing where it is none."""
    text = block.templates.render("make").strip()
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    first = tree.body[0] if tree.body else None
    value = first.value if isinstance(first, (ast.Expr, ast.Assign)) else None
    if not isinstance(value, ast.Call):
        return None
    calls = [value]
    for node in tree.body[1:]:
        call = getattr(node, "value", None)
        written = ast.unparse(node) if isinstance(call, ast.Call) else ""
        if re.match(r"self\.the_block\.", written) and written.count("self.") == 1 and not block.key.startswith("qtgui_"):
            calls.append(call)
    return ast.List(elts=calls, ctx=ast.Load())


def differences(a, b, path=()):
    """Where two trees differ: paths, and the nodes in the second; nothing where they have not the same shape."""
    if ast.dump(a) == ast.dump(b):
        return []
    if type(a) is type(b) and isinstance(a, (ast.List, ast.Tuple, ast.Call, ast.keyword, ast.BinOp)):
        found = []
        for name in a._fields:
            one, other = getattr(a, name), getattr(b, name)
            if isinstance(one, list):
                if len(one) != len(other):
                    return None
                pairs = [(x, y, (name, at)) for at, (x, y) in enumerate(zip(one, other))]
            else:
                pairs = [(one, other, (name, None))]
            for x, y, step in pairs:
                if isinstance(x, ast.AST) and isinstance(y, ast.AST):
                    inner = differences(x, y, (*path, step))
                    if inner is None:
                        return None
                    found += inner
                elif x != y:
                    return None
        return found
    return [(path, b)]


def get(tree, path):
    """A node of a tree."""
    for name, at in path:
        tree = getattr(tree, name) if at is None else getattr(tree, name)[at]
    return tree


def put(tree, path, node):
    """Puts a node into a tree."""
    for name, at in path[:-1]:
        tree = getattr(tree, name) if at is None else getattr(tree, name)[at]
    name, at = path[-1]
    if at is None:
        setattr(tree, name, node)
    else:
        getattr(tree, name)[at] = node


def lines_of(tree):
    """The calls as text."""
    written = [ast.unparse(node) for node in tree.elts]
    written[1:] = [re.sub(r"^self\.the_block\.", "", call) for call in written[1:]]
    # A function of the script that it calls back.
    written = [re.sub(r"\bself\.\w+", "None", call) for call in written]
    written = [re.sub(r"\bP__(\w+?)__M(\d)\b", r"$\1.\2", call) for call in written]
    return tuple(re.sub(r"\bP__(\w+)", r"$\1", part).replace("\t", " ") for part in written)


def facts(flowgraph, key):
    """The parameters that choose, and the call for each of their values."""
    block = flowgraph.new_block(key)
    block.params["id"].set_value("the_block")
    if not block.templates.get("make"):
        flowgraph.remove_element(block)
        return None
    enums = {
        name: list(param.options)
        for name, param in block.params.items()
        if param.is_enum() and name not in ("showports", "affinity", "alias") and len(param.options) > 1
    }
    if key.startswith("qtgui_"):
        enums = {name: enums[name] for name in enums if name == "type"}
    first = {name: block.params[name].get_value() for name in enums}
    known = {}

    def at(values):
        values = {**first, **values}
        mark = tuple(values.values())
        if mark not in known:
            for name, value in values.items():
                block.params[name].set_value(value)
            try:
                flowgraph.rewrite()
                known[mark] = parsed(block)
            except Exception as error:  # noqa: BLE001: a template that cannot be rendered with these values.
                print(f"{key}: {values}: {type(error).__name__}: {str(error)[:120]}", file=sys.stderr)
                known[mark] = None
        return known[mark]

    @functools.cache
    def shape_of(name, others):
        return shape_now(name, dict(others))

    def shape(name, others):
        return shape_of(name, tuple(sorted(others.items())))

    def shape_now(name, others):
        """Where values of the parameter stand, if they make no other difference: paths, and what stands there by value."""
        start, found = at(others), {}
        if start is None:
            return {}
        for value in enums[name]:
            other = at({**others, name: value})
            differing = differences(start, other) if other is not None else None
            if differing is None:
                return None
            for path, _ in differing:
                found.setdefault(path, {})
        for path, by_value in found.items():
            for value in enums[name]:
                by_value[value] = ast.unparse(get(at({**others, name: value}), path))
        return found

    def is_itself(by_value):
        """Whether a parameter stands there as it is."""
        try:
            return all(ast.unparse(ast.parse(str(value), mode="eval")) == written for value, written in by_value.items())
        except SyntaxError:
            return False

    def stands_alone(name, chosen, others):
        """Whether what other parameters change is the same for each of its values."""
        own = shape(name, chosen)
        if own is None:
            return False
        for other in others:
            inner = [shape(other, {**chosen, name: value}) for value in enums[name]]
            if any(one is None or one.keys() != inner[0].keys() for one in inner):
                return False
            kept = [path for path in inner[0] if path not in own]
            if any(one[path] != inner[0][path] for one in inner for path in kept) or len(kept) < len(inner[0]):
                return False
        return True

    rows, maps = {}, {}

    def grow(chosen):
        """Adds a call for each value of a parameter that chooses, one parameter after the other."""
        others = [name for name in enums if name not in chosen]
        for name in others:
            if shape(name, chosen) and not stands_alone(name, chosen, [other for other in others if other != name]):
                for value in enums[name]:
                    grow({**chosen, name: value})
                return
        mapped, count = [], 1
        shapes = {name: shape(name, chosen) or {} for name in others}
        for name in sorted(others, key=lambda name: len(enums[name])):
            if not all(map(is_itself, shapes[name].values())):
                count *= len(enums[name])
                mapped.append(name)
        if 1 < count <= FEW_CALLS:
            for value in enums[mapped[0]]:
                grow({**chosen, mapped[0]: value})
            return
        made = at(chosen)
        if made is None:
            return
        made = copy.deepcopy(made)
        for name in others:
            for path, by_value in shapes[name].items():
                if is_itself(by_value):
                    put(made, path, ast.Name(id=f"P__{name}", ctx=ast.Load()))
                    continue
                tables = maps.setdefault(name, [])
                if by_value not in tables:
                    tables.append(by_value)
                put(made, path, ast.Name(id=f"P__{name}__M{tables.index(by_value)}", ctx=ast.Load()))
        rows[tuple(chosen.get(name, "*") for name in enums)] = lines_of(made)
        if len(rows) > MOST_CALLS:
            raise SystemExit(f"{key}: too many calls")

    grow({})
    used = [place for place in range(len(enums)) if any(values[place] != "*" for values in rows)]
    choosing = [list(enums)[place] for place in used]
    calls = {tuple(values[place] for place in used): made for values, made in rows.items()}
    declared = {}
    mentioned = set(re.findall(r"\$(\w+)", " ".join(" ".join(call) for call in calls.values()))) | set(choosing) | maps.keys()
    for name, param in block.params.items():
        if name in mentioned and name != "id":
            default = str(first.get(name, param.default)).replace("\t", " ").replace("\n", " ")
            declared[name] = (kind_of(param), default)
    flowgraph.remove_element(block)
    return declared, choosing, calls, maps


def main():
    grc = platform()
    from gnuradio.grc.core.params.param import Param

    plain = Param.to_code

    def to_code(self):
        if self.key == "id" or self.is_enum():
            return plain(self) if self.key != "id" else "the_block"
        # Templates that count need a number.
        return "1" if self.key == "nconnections" else f"P__{self.key}"

    Param.to_code = to_code
    flowgraph = grc.make_flow_graph()
    lines = [HEAD]
    for key in sorted(grc.blocks):
        if BY_HAND.match(key):
            continue
        found = facts(flowgraph, key)
        if not found or not found[2]:
            print(f"{key}: no call", file=sys.stderr)
            continue
        declared, choosing, calls, maps = found
        params = []
        for name, (kind, default) in declared.items():
            params.append(name + ("" if kind == "value" else f":{kind}") + (f"={default}" if default else ""))
        lines.append("\t".join([key, ",".join(choosing), *params]))
        for name, tables in maps.items():
            for number, by_value in enumerate(tables):
                pairs = [f"{value}={written}" for value, written in by_value.items()]
                lines.append("\t" + "\t".join([f"${name}.{number}", *pairs]))
        for values, made in calls.items():
            lines.append("\t" + "\t".join([",".join(values), *made]))
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
