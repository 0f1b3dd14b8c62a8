"""Classes for the blocks of the library by GNU Radio's names, made of the table that the runtime has."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from typing import TYPE_CHECKING, Any

from superhet import _catalog, _native
from superhet.errors import BlockEnded, ParameterError, UnknownParameter

from . import filters, pmt
from .elements import BY_SIZE, SIZES, Element, Stream, _check_port, port_name
from .errors import BadArgument, missing
from .methods import CHECKS, METHODS
from .namespaces import TABLES, module
from .rows import rows

if TYPE_CHECKING:
    from .build import Build


FIXED = ("itemsize", "item_size", "sizeof_stream_item", "vlen")
"""Arguments that nobody sets or asks for afterwards."""

BY_LETTER = {"c": 8, "f": 4, "i": 4, "s": 2, "b": 1}
"""The bytes of an item, by the letter for its type in the names of classes."""

LENGTH_KEYS = "lengthtagname len_tag_key tsb_tag_key tsb_key length_tag_name length_tag_key".split()
"""Arguments that name the tags with the lengths of packets."""

SIGNED = (
    "annotator_1to1 annotator_alltoall annotator_raw burst_shaper correlate_access_code_tag correlate_access_code_bb_ts "
    "correlate_access_code_ff_ts corr_est hdlc_framer_pb mpsk_snr_est tags_strobe file_source pdu_to_stream"
).split()
"""Blocks whose name and number are the source of their tags."""

WAITING = ("throttle", "udp_", "tcp_", "zmq_", "rtl_tcp", "spyserver", "vita49", "radio")
"""How the types of blocks begin that wait for a clock or for the outside world."""


@functools.cache
def _compiled(expression: str) -> Any:
    return compile(expression, f"<{expression}>", "eval")


@functools.cache
def _names() -> dict[str, Any]:
    """What expressions in the table can name besides the arguments."""
    given: dict[str, Any] = {"math": math, "pmt": pmt, "gr": module("gr")}
    given |= {name: module(name) for name in TABLES}
    given |= {"firdes": filters.firdes(), "optfir": filters.optfir(), "window": filters.window()}
    return given


def evaluate(setting: Any, scope: dict[str, Any]) -> Any:
    """The value of a setting of a row: text that begins with `=` is an expression, all else is meant as it is."""
    if isinstance(setting, str) and setting.startswith("="):
        setting = setting[1:]
    elif not isinstance(setting, _Expression):
        return setting
    # As one scope: what a comprehension names is not looked up among the locals.
    return eval(_compiled(str(setting)), {**_names(), **scope})  # noqa: S307: the table is our own


class _Expression(str):
    """Text that is an expression without the `=`."""


@functools.cache
def signature(row_args: str) -> inspect.Signature:
    """The Python signature that a row says."""
    import ast

    parameters = []
    args = ast.parse(f"def f({row_args}): pass").body[0].args  # type: ignore[attr-defined]
    defaults = [None] * (len(args.args) - len(args.defaults)) + list(args.defaults)
    for arg, default in zip(args.args, defaults):
        text = _Expression(ast.unparse(default)) if default is not None else inspect.Parameter.empty
        parameters.append(inspect.Parameter(arg.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=text))
    return inspect.Signature(parameters)


def _by_position(method: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a setter. One alone may have a name; the names of several are not known here, nor is their order."""
    if named and len(given) + len(named) > 1:
        raise TypeError(f"{method}: expected its arguments by position, got {', '.join(named)} by name")
    return (*given, *named.values())


class TableBlock(Element):
    """A block of the library under a name of GNU Radio's."""

    _row: dict[str, Any] = {}
    _letters = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        class_name = type(self).__name__
        super().__init__(class_name)
        bound = self._arguments(class_name, args, kwargs)
        self._args = {
            name: evaluate(value, {}) if isinstance(value, _Expression) else value for name, value in bound.items()
        }
        self._overrides: dict[tuple[int, str], Any] = {}
        # What was set since the block was put into a graph: the graph does not know it, unless it runs.
        self._set_since: set[tuple[int, str]] = set()
        self._stages: list[dict[str, Any]] = self._row.get("chain") or [self._row]
        self._ports: tuple[Any, Any] | None = None
        self._check()

    def _check(self) -> None:
        """Raises for arguments that the block cannot take, as far as that does not depend on its neighbours."""
        check = CHECKS.get(f"{self._row.get('module')}.{self._row.get('name')}")
        if check is not None:
            check(self._args)
        if self._depends_on_counts() or self._waits():
            return
        size = self._item_size()
        scope = self._scope(None)
        if size is not None:
            fitting = next((pair for pair in BY_SIZE if size % pair[0] == 0), None)
            if fitting is None or size < 1:
                raise BadArgument(f"{self._element_name}: expected the size of an item in bytes, got {size}")
            scope["type"] = fitting[1]
            if "vlen" not in self._args:
                scope["vlen"] = size // fitting[0]
        try:
            setting = self._row.get("vlen")
            setting = setting.get("in") if isinstance(setting, dict) else setting
            if isinstance(setting, str) and "vlen" not in self._args:
                scope["vlen"] = int(eval(_compiled(setting.lstrip("=")), _names(), scope))
            for stage in self._stages:
                params = {key: _catalog.plain(evaluate(setting, scope)) for key, setting in stage.get("params", {}).items()}
                known = {key: value for key, value in params.items() if value is not None}
                _native.check_block(stage["block"], known)
        except (ParameterError, ZeroDivisionError, ValueError, LookupError) as error:
            raise BadArgument(f"{self._element_name}: {error}") from None

    def history(self) -> int:
        """How many items a call sees for an output item, where that follows from its taps."""
        taps = self._args.get("taps")
        return len(taps) if taps is not None and len(taps) and "fir_filter" in self._row["name"] else 1

    def _arguments(self, class_name: str, args: Any, kwargs: Any) -> dict[str, Any]:
        wanted = signature(self._row.get("args", ""))
        try:
            bound = wanted.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{class_name}{wanted}: {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def _length_keys(self) -> list[str]:
        found = (self._args[name] for name in LENGTH_KEYS if name in self._args)
        return [key for key in found if isinstance(key, str) and key]

    def _may_end_alone(self) -> bool:
        return self._row["name"] in ("head", "throttle")

    def _awaits(self) -> str:
        return "header_data" if self._row["name"] == "header_payload_demux" else ""

    def _signs_tags(self) -> bool:
        return self._row["name"] in SIGNED or type(self).__name__ in SIGNED

    def _item_size(self) -> int | None:
        name = self._row.get("itemsize")
        return int(self._args[name]) if name else None

    def _values(self, build: "Build | None") -> list[dict[str, Any]]:
        """The parameters of each block of the row."""
        scope = self._scope(build)
        if build is not None and "vlen" not in self._args:
            scope["vlen"] = self._vlens(build)[0]
        found = []
        for at, stage in enumerate(self._stages):
            params = {key: _catalog.plain(evaluate(setting, scope)) for key, setting in stage.get("params", {}).items()}
            params |= {param: _catalog.plain(value) for (place, param), value in self._overrides.items() if place == at}
            found.append({key: value for key, value in params.items() if value is not None})
        return found

    def _scope(self, build: "Build | None") -> dict[str, Any]:
        """What the expressions of the row know."""
        scope = dict(self._args)
        item, vlen = self._row.get("types", {}).get(self._letters, ""), 1
        if build is not None:
            scope |= {"inputs": build.count(self, 0), "outputs": build.count(self, 1)}
            if self._item_size() is not None:
                item, vlen = build.item(self)
        # An argument that has one of these names goes first.
        for name, value in (("type", item), ("suffix", self._letters), ("vlen", vlen)):
            scope.setdefault(name, value)
        return scope

    def _vlens(self, build: "Build") -> tuple[int, int]:
        """How many items make one of GNU Radio's, at the inputs and at the outputs."""
        setting = self._row.get("vlen")
        if setting is None:
            vlen = build.item(self)[1] if self._item_size() is not None else 1
            return vlen, vlen
        sides = (setting.get("in", 1), setting.get("out", 1)) if isinstance(setting, dict) else (setting, setting)
        scope = self._scope(build)
        found = [side if isinstance(side, int) else eval(_compiled(side.lstrip("=")), _names(), scope) for side in sides]
        return int(found[0]), int(found[1])

    def _add(self, build: "Build", name: str) -> None:
        self._set_since.clear()
        self._names_of_stages = [name] + [build.free(f"{name}_{at}") for at in range(1, len(self._stages))]
        for at, (stage, params) in enumerate(zip(self._stages, self._values(build))):
            stage_name = self._names_of_stages[at]
            known = {param["name"] for param in _catalog.entries().get(stage["block"], {}).get("params", ())}
            known |= stage.get("params", {}).keys()
            # What a block is not made with it gets before its first item; into a running graph, once it is there.
            later = {param: params.pop(param) for place, param in self._overrides if place == at and param in params.keys() - known}
            build.builder.add(stage_name, stage["block"], params)
            for param, value in later.items():
                build.set_first(f"{stage_name}.{param}", value)
            if at > 0:
                build.builder.connect(self._names_of_stages[at - 1], stage_name)
        first, last = (build.builder.ports(self._names_of_stages[end]) for end in (0, -1))
        assert first is not None and last is not None
        self._ports = (self._ordered(first[0], "inputs"), self._ordered(last[1], "outputs"))

    def _ordered(self, ports: Any, key: str) -> Any:
        """The ports in GNU Radio's order."""
        order = self._row.get(key)
        if order is None:
            return ports
        by_name = {port[0]: port for port in ports}
        return [by_name[name] for name in order if name in by_name]

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        assert self._ports is not None
        ports = self._ports[side]
        if port >= len(ports):
            what = ("inputs", "outputs")[side]
            raise ValueError(f"{self.identifier()} has {len(ports)} {what}, but number {port} is connected")
        name = self._names_of_stages[-1 if side else 0]
        return Stream(f"{name}.{ports[port][0]}", ports[port][1], self._vlens(build)[side])

    def _parts(self, build: "Build") -> list[str]:
        return self._names_of_stages

    def _ports_of(self, side: int) -> list[dict[str, Any]]:
        """The streams of a side, as the library has them."""
        ports = _catalog.entries().get(self._stages[-1 if side else 0]["block"], {}).get("ports", ())
        return [port for port in ports if port["direction"] == ("in", "out")[side] and port["items"] != "messages"]

    def _stream_count(self, side: int) -> int:
        if self._depends_on_counts():
            return -1
        order = self._row.get(("inputs", "outputs")[side])
        return len(self._ports_of(side)) if order is None else len(order)

    def _bytes_of_port(self, side: int, port: int) -> int | None:
        ports = self._ports_of(side)
        order = self._row.get(("inputs", "outputs")[side])
        if order is not None:
            by_name = {found["name"]: found for found in ports}
            ports = [by_name[name] for name in order if name in by_name]
        if not self._depends_on_counts() and not self._waits() and not any(found["name"][-1].isdigit() for found in ports):
            _check_port(port, len(ports))
        if not ports:
            return None
        setting = self._row.get("vlen", 1)
        setting = setting.get(("in", "out")[side], 1) if isinstance(setting, dict) else setting
        scope = dict(self._args)
        scope.setdefault("vlen", 1)
        try:
            vlen = setting if isinstance(setting, int) else int(eval(_compiled(setting.lstrip("=")), _names(), scope))
        except (NameError, LookupError):
            # It depends on what the neighbours have.
            return None
        items = ports[min(port, len(ports) - 1)]["items"]
        itemsize = self._item_size()
        if itemsize is not None:
            return itemsize * vlen if items == "item" else None
        # Where a parameter says what the items are, or blocks are chained, the letters say it; else the library does.
        is_open = items not in SIZES or len(self._stages) > 1 or self._row["name"] == "chunks_to_symbols"
        is_open |= any("item" in param for stage in self._stages for param in stage.get("params", {}))
        if not is_open:
            size: int | None = SIZES[items]
        else:
            size = self._bytes_by_letters(side) if port == 0 or items == "item" else None
        return size * vlen if size else None

    def _bytes_by_letters(self, side: int) -> int | None:
        """The bytes of an item as the letters of the class say: what comes in, then what goes out."""
        letters = self._letters.removeprefix("v")
        if not letters or set(letters) - set(BY_LETTER):
            return None
        if len(letters) == 1 and self._ports_of(0) and self._ports_of(1):
            # It may be that of either side.
            return None
        return BY_LETTER[letters[min(side, len(letters) - 1)]]

    def _needed_inputs(self) -> int:
        if self._ports is not None:
            return max((place + 1 for place, port in enumerate(self._ports[0]) if not port[5]), default=0)
        return 1 if any("inputs" in str(setting) for setting in self._stages[0].get("params", {}).values()) else 0

    def _waits(self) -> bool:
        return any(stage["block"].startswith(WAITING) for stage in self._stages)

    def _depends_on_counts(self) -> bool:
        settings = [str(setting) for stage in self._stages for setting in stage.get("params", {}).values()]
        return any(name in setting for setting in settings for name in ("inputs", "outputs"))

    def _output_count(self, build: "Build") -> int:
        outputs = self._ports[1] if self._ports else []
        # Those that may stay unconnected need no reader; one would keep a source that repeats going for ever.
        return max((place + 1 for place, port in enumerate(outputs) if not port[5]), default=0)

    def _message_names(self, side: int) -> list[str]:
        """GNU Radio's names of the ports."""
        entries, direction = _catalog.entries(), ("in", "out")[side]
        stages = self._stages
        ours = {}
        for at, stage in enumerate(stages):
            for port in entries.get(stage["block"], {}).get("ports", ()):
                if port["items"] == "messages" and port["direction"] == direction:
                    ours[f"{at}.{port['name']}"] = port["name"]
        found = []
        for name, written in self._row.get("messages", {}).items():
            inward, both, outward = written.partition("|")
            one = outward if both and side else inward
            full = one if one.split(".")[0].isdigit() else f"{len(stages) - 1 if side else 0}.{one}"
            if full in ours:
                del ours[full]
                found.append(name)
        found += [name for name in ours.values() if name != "set"]
        return found if side else list(dict.fromkeys([*found, *self._controls()]))

    @classmethod
    def _controls(cls) -> dict[str, Any]:
        """The message inputs that change settings, and what they do."""
        from .control_ports import CONTROLS

        return CONTROLS.get(f"{cls._row.get('module')}.{cls._row.get('name')}", {})

    def post(self, port: Any, message: Any) -> None:
        """Sends a message to an input of the block from outside; before the start it is kept until then."""
        handler = self._controls().get(port_name(port))
        if handler is not None:
            handler(self, message)
        else:
            super().post(port, message)

    _post = post

    def _message_end(self, port: str, side: int) -> str:
        ours = self._row.get("messages", {}).get(port, port)
        # One name for both directions: "in|out".
        inward, both, outward = ours.partition("|")
        ours = outward if both and side else inward
        stage, dot, inner = ours.partition(".")
        if dot and stage.isdigit():
            return f"{self._names_of_stages[int(stage)]}.{inner}"
        return f"{self._names_of_stages[-1 if side else 0]}.{ours}"

    def _setting(self, setting: Any) -> tuple[int, str, Any]:
        """Which stage a method is about, the parameter there, and the expression."""
        param, value = (setting["param"], setting.get("value")) if isinstance(setting, dict) else (setting, None)
        stage, dot, inner = param.partition(".")
        return (int(stage), inner, value) if dot and stage.isdigit() else (0, param, value)

    def _set(self, method: str, *given: Any, **named: Any) -> None:
        given = _by_position(method, given, named)
        setting = self._row["set"][method]
        if isinstance(setting, dict) and "args" in setting:
            self._set_arguments(setting["args"], given)
            return
        if len(given) != 1:
            raise TypeError(f"{self._element_name}.{method}: expected 1 argument, got {len(given)}")
        stage, param, expression = self._setting(setting)
        x = evaluate(expression, {**self._scope(None), "x": given[0]}) if expression is not None else given[0]
        self._overrides[stage, param] = _catalog.plain(x)
        self._set_since.add((stage, param))
        self._apply({(stage, param): _catalog.plain(x)})

    def _set_arguments(self, names: list[str], given: Any) -> None:
        """Changes what the block was made with."""
        if len(given) > len(names) or (names and not given):
            raise TypeError(f"{self._element_name}: expected {', '.join(names)}, got {len(given)} arguments")
        build = self._build_of if self._is_running() else None
        before = self._values(build) if build else []
        args = dict(self._args)
        self._args |= dict(zip(names, given))
        for at, stage in enumerate(self._stages):
            for param, setting in stage.get("params", {}).items():
                # What was set by itself counts no more where it follows from the arguments that change.
                if any(name in str(setting) for name in names):
                    self._overrides.pop((at, param), None)
        if build is None:
            return
        if not names:
            self._make_anew()
            return
        try:
            changed: dict[tuple[int, str], Any] = {}
            for at, (old, new) in enumerate(zip(before, self._values(build))):
                changed |= {(at, param): value for param, value in new.items() if old.get(param) != value}
            self._apply(changed)
        except BaseException:
            self._args = args
            raise

    def _apply(self, changed: dict[tuple[int, str], Any]) -> None:
        """Changes parameters of the running block; one that cannot be changed makes the block anew."""
        if not self._is_running():
            return
        build = self._build_of
        for (stage, param), value in changed.items():
            try:
                build.running.set(f"{self._names_of_stages[stage]}.{param}", value)  # type: ignore[union-attr]
            except BlockEnded:
                return
            except (UnknownParameter, ParameterError):
                self._make_anew()
                return

    def _make_anew(self) -> None:
        """Puts a new block into the place of the running one."""
        self._is_stale = True
        self._build_of.change()  # type: ignore[union-attr]

    def _argument(self, name: str) -> Any:
        return self._args[name]

    def _get(self, method: str) -> Any:
        setting = self._row["get"][method]
        if isinstance(setting, dict) and "args" in setting:
            return self._args[setting["args"][0]]
        stage, param, expression = self._setting(setting)
        value = self._read(stage, param)
        return evaluate(expression, {**self._scope(None), "value": value}) if expression is not None else value

    def _read(self, stage: int, param: str) -> Any:
        """A parameter as it is now, or as it was set where nothing runs or none can ask for it."""
        if (stage, param) in self._set_since and (stage, param) in self._overrides and not self._is_running():
            return self._overrides[stage, param]
        if self._build_of is not None and self._build_of.running is not None:
            with contextlib.suppress(UnknownParameter):
                value = self._build_of.running.get(f"{self._names_of_stages[stage]}.{param}")
                return value.tolist() if hasattr(value, "tolist") else value
        if (stage, param) in self._overrides:
            return self._overrides[stage, param]
        params = self._stages[stage].get("params", {})
        if param in params:
            return evaluate(params[param], self._scope(None))
        known = _catalog.entries().get(self._stages[stage]["block"], {}).get("params", ())
        return next((found["default"] for found in known if found["name"] == param), None)

    def _is_running(self) -> bool:
        return self._build_of is not None and self._build_of.is_running()

    @classmethod
    def _methods(cls) -> list[str]:
        """The names of its methods."""
        row = cls._row
        args = [name for name in signature(row.get("args", "")).parameters if name not in FIXED]
        own = [name for name in dir(cls) if name[0] != "_"]
        return [*cls._more(), *row.get("set", {}), *row.get("get", {}), *args, *(f"set_{name}" for name in args), *own]

    @classmethod
    def _more(cls) -> dict[str, Any]:
        """Methods that no parameter of the library says."""
        return METHODS.get(f"{cls._row.get('module')}.{cls._row.get('name')}", {})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._methods()]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._more():
            return functools.partial(self._more()[name], self)
        if name in self._row.get("set", {}):
            return functools.partial(self._set, name)
        if name in self._row.get("get", {}):
            return functools.partial(self._get, name)
        arg = name.removeprefix("set_")
        if arg in self.__dict__.get("_args", {}) and arg not in FIXED:
            if arg == name:
                return functools.partial(self._argument, arg)
            return lambda *given, **named: self._set_arguments([arg], _by_position(name, given, named))
        raise missing("method", f"{type(self).__name__}.{name}", self._methods())


@functools.cache
def block_class(name: str) -> type[TableBlock] | None:
    """The class for `blocks.multiply_const_cc`, if the table has it."""
    found = rows().get(name)
    if found is None:
        return None
    row, letters = found
    class_name = name.rsplit(".", 1)[-1]
    ours = ", ".join(stage["block"] for stage in row.get("chain") or [row])
    doc = f"{class_name}({row.get('args', '')}): superhet's {ours}."
    attributes = {"_row": row, "_letters": letters, "__doc__": doc, "__module__": f"gnuradio.{row['module']}"}
    return type(class_name, (TableBlock,), attributes)
