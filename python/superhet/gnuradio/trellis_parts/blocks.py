"""The blocks of `gnuradio.trellis`."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from ..python_blocks import basic_block
from . import library
from .algorithms import MIN_SUM, SUM_PRODUCT, marginal, metrics, siso
from .machines import fsm

LETTERS = {"b": "u1", "s": "i2", "i": "i4", "f": "f4", "c": "c8"}


class siso_type_t(IntEnum):
    """How soft values of paths are added."""

    TRELLIS_MIN_SUM = MIN_SUM
    TRELLIS_SUM_PRODUCT = SUM_PRODUCT


SLOW = 64
"""Blocks of a call, where each takes long."""


class _coder(basic_block):
    """A block that turns pieces of `_taken()` items of each input into pieces of `_given()` items of each output.

    Its arguments, `_names`, can be asked for by their names and set by `set_NAME`.
    """

    _names: tuple[str, ...] = ()
    _inputs = _outputs = 1
    _letters = "bb"
    # Pieces of a call at most: a flowgraph that stops waits for the end of one.
    _at_once = 1 << 20

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(self._names) or any(name not in self._names for name in kwargs):
            raise TypeError(f"{type(self).__name__}: expected the arguments {', '.join(self._names)}")
        self._settings = dict(zip(self._names, args)) | kwargs
        for name, value in self._defaults().items():
            self._settings.setdefault(name, value)
        missing = [name for name in self._names if name not in self._settings]
        if missing:
            raise TypeError(f"{type(self).__name__}: expected {', '.join(missing)}")
        kinds = [LETTERS[letter] for letter in self._letters]
        super().__init__(type(self).__name__, [kinds[0]] * self._inputs, [kinds[1]] * self._outputs)
        self._arrange()

    def _defaults(self) -> dict[str, Any]:
        return {}

    def _arrange(self) -> None:
        """Takes the sizes of pieces over from the arguments."""
        taken, given = self._taken(), self._given()
        if taken < 1 or given < 1:
            raise RuntimeError(f"{type(self).__name__}: expected pieces of one item at least")
        self.set_output_multiple(given)
        self.set_relative_rate(given, taken)
        self._batch_bytes = max(self._batch_bytes, 16 * taken)

    def _taken(self) -> int:
        return 1

    def _given(self) -> int:
        return 1

    def forecast(self, noutput_items: int, ninputs: Any) -> Any:
        """Whole pieces."""
        return [-(-noutput_items // self._given()) * self._taken()] * self._inputs

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole pieces."""
        taken, given = self._taken(), self._given()
        pieces = min(min(len(x) for x in input_items) // taken, min(len(y) for y in output_items) // given)
        if pieces:
            found = self._turn([x[: pieces * taken] for x in input_items], pieces)
            for out in output_items:
                out[: pieces * given] = found
            self.consume_each(pieces * taken)
        return pieces * given

    def _turn(self, given: list[Any], pieces: int) -> Any:
        raise NotImplementedError

    def _set(self, name: str, value: Any) -> None:
        self._settings[name] = value
        self._arrange()

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._names:
            return lambda: self._settings[name]
        if name.startswith("set_") and name[4:] in self._names:
            return lambda value: self._set(name[4:], value)
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    @classmethod
    def _methods(cls) -> list[str]:
        return [*cls._names, *(f"set_{name}" for name in cls._names)]


def _run(machine: fsm, state: int, symbols: Any) -> tuple[list[int], int]:
    """What a machine gives for symbols, and its state behind them."""
    inputs, after, outputs, found = machine.I(), machine._NS, machine._OS, []
    for symbol in symbols:
        edge = state * inputs + symbol
        found.append(outputs[edge])
        state = after[edge]
    return found, state


def _checked(name: str, machine: fsm, symbols: Any) -> list[int]:
    if len(symbols) and not 0 <= int(symbols.min()) <= int(symbols.max()) < machine.I():
        raise ValueError(f"{name}: expected symbols from 0 to {machine.I() - 1}, got {symbols.min()} to {symbols.max()}")
    return symbols.tolist()


class _blocks_of(_coder):
    """A coder of blocks of `blocklength` symbols."""

    def _taken(self) -> int:
        return self._settings["blocklength"] or 1

    _given = _taken


class _pccc_encoder(_blocks_of):
    """Encodes blocks by two machines side by side, the second on interleaved symbols: the output is that of both."""

    _names = ("FSM1", "ST1", "FSM2", "ST2", "INTERLEAVER", "blocklength")

    def _turn(self, given: list[Any], pieces: int) -> Any:
        s, found = self._settings, []
        for block in given[0].reshape(pieces, -1):
            first, _ = _run(s["FSM1"], s["ST1"], _checked(type(self).__name__, s["FSM1"], block))
            second, _ = _run(s["FSM2"], s["ST2"], block[s["INTERLEAVER"].INTER()].tolist())
            found += [one * s["FSM2"].O() + two for one, two in zip(first, second)]
        return found


class _sccc_encoder(_blocks_of):
    """Encodes blocks by an outer machine, interleaves, and encodes by an inner one."""

    _names = ("FSMo", "STo", "FSMi", "STi", "INTERLEAVER", "blocklength")

    def _defaults(self) -> dict[str, Any]:
        return {"blocklength": 0}

    def _taken(self) -> int:
        return self._settings["blocklength"] or self._settings["INTERLEAVER"].K() or 1

    _given = _taken

    def _turn(self, given: list[Any], pieces: int) -> Any:
        s, found = self._settings, []
        for block in given[0].reshape(pieces, -1):
            outer, _ = _run(s["FSMo"], s["STo"], _checked(type(self).__name__, s["FSMo"], block))
            inner, _ = _run(s["FSMi"], s["STi"], [outer[place] for place in s["INTERLEAVER"].INTER()])
            found += inner
        return found


class siso_f(_coder):
    """Soft values of the inputs (`POSTI`) and the outputs (`POSTO`) of blocks of `K` steps, of those known before."""

    _names: tuple[str, ...] = ("FSM", "K", "S0", "SK", "POSTI", "POSTO", "d_SISO_TYPE")
    _letters = "ff"
    _inputs = 2
    _at_once = SLOW

    def SISO_TYPE(self) -> Any:
        """How values are added."""
        return self._settings["d_SISO_TYPE"]

    def set_SISO_TYPE(self, value: Any) -> None:
        """Sets how values are added."""
        self._set("d_SISO_TYPE", value)

    def _taken_of(self) -> tuple[int, int]:
        machine = self._settings["FSM"]
        return self._settings["K"] * machine.I(), self._settings["K"] * machine.O()

    def _taken(self) -> int:
        return max(self._taken_of())

    def _given(self) -> int:
        s = self._settings
        if not (s["POSTI"] or s["POSTO"]):
            raise RuntimeError(f"{type(self).__name__}: expected POSTI or POSTO")
        return s["K"] * (bool(s["POSTI"]) * s["FSM"].I() + bool(s["POSTO"]) * s["FSM"].O())

    def forecast(self, noutput_items: int, ninputs: Any) -> Any:
        """Whole blocks."""
        blocks = -(-noutput_items // self._given())
        return [blocks * size for size in self._taken_of()]

    def _costs(self, given: Any) -> Any:
        return given.reshape(-1, self._settings["FSM"].O())

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole blocks."""
        import numpy

        s, sizes, given = self._settings, self._taken_of(), self._given()
        blocks = min(self._at_once, len(output_items[0]) // given, *(len(x) // size for x, size in zip(input_items, sizes)))
        if blocks:
            before = input_items[0][: blocks * sizes[0]].reshape(blocks, s["K"], -1)
            known = self._costs(input_items[1][: blocks * sizes[1]]).reshape(blocks, s["K"], -1)
            wants = (bool(s["POSTI"]), bool(s["POSTO"]))
            found = siso(s["FSM"], s["S0"], s["SK"], s["d_SISO_TYPE"], before, known, wants)
            wanted = [values for values, is_wanted in zip(found, wants) if is_wanted]
            output_items[0][: blocks * given] = numpy.concatenate(wanted, axis=-1).reshape(-1)
        for place, size in enumerate(sizes):
            self.consume(place, blocks * size)
        return blocks * given


class siso_combined_f(siso_f):
    """Soft values of blocks of `K` steps, of those of the inputs and of samples, `D` for each output."""

    _names = (*siso_f._names, "D", "TABLE", "TYPE")

    def _taken_of(self) -> tuple[int, int]:
        return self._settings["K"] * self._settings["FSM"].I(), self._settings["K"] * self._settings["D"]

    def _costs(self, given: Any) -> Any:
        return metrics(given, self._settings["TABLE"], self._settings["D"], self._settings["TYPE"])


class _pccc_decoder(_coder):
    """Decodes blocks of two machines side by side, in rounds."""

    _names: tuple[str, ...] = (
        "FSM1", "ST10", "ST1K", "FSM2", "ST20", "ST2K", "INTERLEAVER", "blocklength", "repetitions", "SISO_TYPE"
    )

    _at_once = SLOW

    def _outputs_of(self) -> int:
        return self._settings["FSM1"].O() * self._settings["FSM2"].O()

    def _taken(self) -> int:
        return self._settings["blocklength"] * self._outputs_of()

    def _given(self) -> int:
        return self._settings["blocklength"]

    def _costs(self, given: Any) -> Any:
        return given

    def _turn(self, given: list[Any], pieces: int) -> Any:
        import numpy

        costs = numpy.asarray(self._costs(given[0]), "f8")
        return self._decode(costs.reshape(pieces, self._settings["blocklength"], -1)).reshape(-1)

    def _decode(self, costs: Any) -> Any:
        import numpy

        s = self._settings
        kind, order = s["SISO_TYPE"], numpy.array(s["INTERLEAVER"].INTER())
        pairs = costs.reshape(*costs.shape[:2], s["FSM1"].O(), s["FSM2"].O())
        first, second = marginal(pairs, -1, kind), marginal(pairs, -2, kind)
        known = numpy.zeros((*costs.shape[:2], s["FSM1"].I()))
        found = known
        for _ in range(s["repetitions"]):
            found, _rest = siso(s["FSM1"], s["ST10"], s["ST1K"], kind, known, first, (True, False))
            other, _rest = siso(s["FSM2"], s["ST20"], s["ST2K"], kind, found[:, order], second, (True, False))
            known = numpy.empty_like(other)
            known[:, order] = other
        return (found + known).argmin(axis=2)


class _sccc_decoder(_coder):
    """Decodes blocks of two machines in a row, in rounds."""

    _names: tuple[str, ...] = (
        "FSMo", "STo0", "SToK", "FSMi", "STi0", "STiK", "INTERLEAVER", "blocklength", "repetitions", "SISO_TYPE"
    )

    def _taken(self) -> int:
        return self._settings["blocklength"] * self._settings["FSMi"].O()

    def _given(self) -> int:
        return self._settings["blocklength"]

    _at_once = SLOW
    _costs = _pccc_decoder._costs
    _turn = _pccc_decoder._turn

    def _decode(self, costs: Any) -> Any:
        import numpy

        s = self._settings
        kind, order = s["SISO_TYPE"], numpy.array(s["INTERLEAVER"].INTER())
        known = numpy.zeros((*costs.shape[:2], s["FSMi"].I()))
        nothing = numpy.zeros((*costs.shape[:2], s["FSMo"].I()))
        found = nothing
        for turn in range(s["repetitions"]):
            inner, _rest = siso(s["FSMi"], s["STi0"], s["STiK"], kind, known, costs, (True, False))
            outer = numpy.empty_like(inner)
            outer[:, order] = inner
            is_last = turn + 1 == s["repetitions"]
            found, after = siso(s["FSMo"], s["STo0"], s["SToK"], kind, nothing, outer, (is_last, not is_last))
            known = after[:, order]
        return found.argmin(axis=2)


class _combined:
    """Takes samples, `D` for each output, in the place of distances; these times `scaling`."""

    _settings: dict[str, Any]

    def _taken(self) -> int:
        return self._settings["blocklength"] * self._settings["D"]

    def _costs(self, given: Any) -> Any:
        s = self._settings
        return metrics(given, s["TABLE"], s["D"], s["METRIC_TYPE"]) * s["scaling"]


class _pccc_decoder_combined(_combined, _pccc_decoder):
    """Decodes samples of blocks of two machines side by side, in rounds."""

    _names = (
        "FSMo", "STo0", "SToK", "FSMi", "STi0", "STiK", "INTERLEAVER", "blocklength", "repetitions", "SISO_TYPE",
        "D", "TABLE", "METRIC_TYPE", "scaling",
    )

    def _arrange(self) -> None:
        for name, other in zip(_pccc_decoder._names[:6], self._names[:6]):
            self._settings[name] = self._settings[other]
        super()._arrange()

    def __getattr__(self, name: str) -> Any:
        if name in _pccc_decoder._names[:6]:
            return lambda: self._settings[name]
        return super().__getattr__(name)


class _sccc_decoder_combined(_combined, _sccc_decoder):
    """Decodes samples of blocks of two machines in a row, in rounds."""

    _names = (*_sccc_decoder._names, "D", "TABLE", "METRIC_TYPE", "scaling")


class permutation(basic_block):
    """Puts the groups of `SYMS_PER_BLOCK` symbols of each block of `K` into the order of a table."""

    def __init__(self, K: int, TABLE: Any, SYMS_PER_BLOCK: int, NBYTES: int) -> None:
        kind = {1: "u1", 2: "i2", 4: "f4", 8: "c8"}.get(int(NBYTES), ("u1", int(NBYTES)))
        super().__init__("permutation", [kind], [kind])
        self._settings = {"K": int(K), "TABLE": list(TABLE), "SYMS_PER_BLOCK": int(SYMS_PER_BLOCK)}
        self._nbytes = int(NBYTES)
        self.set_output_multiple(int(K) * int(SYMS_PER_BLOCK))

    def K(self) -> int:
        """How many groups a block has."""
        return self._settings["K"]

    def TABLE(self) -> list[int]:
        """Which group comes at each place."""
        return list(self._settings["TABLE"])

    def SYMS_PER_BLOCK(self) -> int:
        """How many symbols a group has."""
        return self._settings["SYMS_PER_BLOCK"]

    def BYTES_PER_SYMBOL(self) -> int:
        """The bytes of a symbol."""
        return self._nbytes

    def set_K(self, K: int) -> None:
        """Sets how many groups a block has."""
        self._settings["K"] = int(K)

    def set_TABLE(self, table: Any) -> None:
        """Sets which group comes at each place."""
        self._settings["TABLE"] = list(table)

    def set_SYMS_PER_BLOCK(self, spb: int) -> None:
        """Sets how many symbols a group has."""
        self._settings["SYMS_PER_BLOCK"] = int(spb)

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole blocks."""
        groups, size = self._settings["K"], self._settings["SYMS_PER_BLOCK"]
        blocks = min(len(input_items[0]), len(output_items[0])) // (groups * size)
        count = blocks * groups * size
        rest = input_items[0].shape[1:]
        taken = input_items[0][:count].reshape(blocks, groups, size, *rest)
        output_items[0][:count] = taken[:, self._settings["TABLE"]].reshape(count, *rest)
        self.consume(0, count)
        return count


def _blocks() -> dict[str, Any]:
    families: dict[str, tuple[Any, str]] = {
        "pccc_encoder": (_pccc_encoder, "bb bs bi ss si ii"),
        "sccc_encoder": (_sccc_encoder, "bb bs bi ss si ii"),
        "pccc_decoder": (_pccc_decoder, "fb fs fi"),
        "sccc_decoder": (_sccc_decoder, "fb fs fi"),
        "pccc_decoder_combined": (_pccc_decoder_combined, "fb fs fi cb cs ci"),
        "sccc_decoder_combined": (_sccc_decoder_combined, "fb fs fi cb cs ci"),
    }
    # Families whose classes name only what changes.
    short = {"pccc_decoder": 1, "sccc_decoder": 1}
    found: dict[str, Any] = {
        **library.CLASSES,
        "permutation": permutation,
        "siso_combined_f": siso_combined_f,
        "siso_f": siso_f,
    }
    for family, (base, kinds) in families.items():
        for letters in kinds.split():
            name = f"{family}_{letters[short[family]] if family in short else letters}"
            attributes = {"_letters": letters, "__doc__": base.__doc__, "__module__": "gnuradio.trellis"}
            found[name] = type(name, (base,), attributes)
    return found


BLOCKS = _blocks()
"""The blocks by name."""
