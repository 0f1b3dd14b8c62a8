"""Blocks that are written in Python against GNU Radio's API: `gr.sync_block` and its kin."""

from __future__ import annotations

import contextlib
import time
from math import gcd
from typing import TYPE_CHECKING, Any, Iterable

from superhet import _native
from superhet.errors import BlockEnded, UnknownPort

from . import pmt
from ._gr.constants import TPP_ALL_TO_ALL, TPP_ONE_TO_ONE, WORK_CALLED_PRODUCE, WORK_DONE
from ._gr.signature import io_signature
from ._gr.tag_utils import tag_t, whole_entries
from .elements import SIZES, Element, Stream, _check_port, port_name

if TYPE_CHECKING:
    from .build import Build

BATCH_BYTES = 1 << 18
"""How much a call sees at most."""


def _signature(given: Any) -> list[tuple[str, int]]:
    """The item type of each port, and how many make an item: of numpy types, or pairs of one and a length."""
    import numpy

    ports = []
    for port in given or ():
        kind, vlen = port if isinstance(port, tuple) else (port, 1)
        dtype = numpy.dtype(kind)
        if dtype.subdtype is not None:
            dtype, shape = dtype.subdtype
            vlen *= int(numpy.prod(shape))
        item = _native.item_of(numpy.empty(0, dtype))
        ports.append((item, int(vlen)))
    return ports


class _PythonBlock(Element):
    """What the kinds of blocks have in common."""

    def __init__(self, name: str | None = None, in_sig: Any = None, out_sig: Any = None) -> None:
        super().__init__(name or type(self).__name__)
        self._gr_in, self._gr_out = _signature(in_sig), _signature(out_sig)
        self._gr_io: Any = None
        self._gr_ratio = (1, 1)
        self._gr_fixed = True
        self._gr_history = 1
        self._batch_bytes = BATCH_BYTES
        self._gr_multiple = self._gr_alignment = 1
        self._gr_policy = TPP_ALL_TO_ALL
        self._gr_read: list[int] = []
        self._gr_written: list[int] = []
        self._gr_waiting: list[tuple[str, Any]] = []
        self._gr_produced = False
        self._gr_done = False

    def _set_ports(self, in_sig: Any, out_sig: Any) -> None:
        """Changes the streams, for a block that takes any number of them."""
        self._gr_in, self._gr_out = _signature(in_sig), _signature(out_sig)

    def _bytes_of_port(self, side: int, port: int) -> int | None:
        ports = (self._gr_in, self._gr_out)[side]
        if self._depends_on_counts():
            ports = ports * (port + 1)
        _check_port(port, len(ports))
        return SIZES[ports[port][0]] * ports[port][1]

    def _needed_inputs(self) -> int:
        return len(self._gr_in)

    def _waits(self) -> bool:
        # Its thread is its own.
        return not self._gr_in

    # What a block says of itself.

    def in_sig(self) -> list[Any]:
        """The inputs as they were given."""
        return list(self._gr_in)

    def out_sig(self) -> list[Any]:
        """The outputs as they were given."""
        return list(self._gr_out)

    def input_signature(self) -> io_signature:
        """How many streams come in, and how large their items are."""
        return self._as_signature(self._gr_in)

    def output_signature(self) -> io_signature:
        """How many streams go out, and how large their items are."""
        return self._as_signature(self._gr_out)

    def _as_signature(self, ports: list[tuple[str, int]]) -> io_signature:
        sizes = [SIZES[item] * vlen for item, vlen in ports] or [1]
        return io_signature(len(ports), len(ports), sizes)

    def set_history(self, history: int) -> None:
        """How many items a call sees for the first output item: one more than before the new ones."""
        if history < 1:
            raise ValueError(f"set_history: expected 1 or more, got {history}")
        self._gr_history = int(history)

    def history(self) -> int:
        """What `set_history` has set."""
        return self._gr_history

    def set_output_multiple(self, multiple: int) -> None:
        """Makes calls be for whole multiples of so many output items."""
        if multiple < 1:
            raise ValueError(f"set_output_multiple: expected 1 or more, got {multiple}")
        self._gr_multiple = int(multiple)

    def output_multiple(self) -> int:
        """What `set_output_multiple` has set."""
        return self._gr_multiple

    def set_alignment(self, multiple: int) -> None:
        """Remembered, and changes nothing."""
        self._gr_alignment = int(multiple)

    def alignment(self) -> int:
        """What `set_alignment` has set."""
        return self._gr_alignment

    def fixed_rate(self) -> bool:
        """False, as of blocks in Python in GNU Radio."""
        return False

    def set_relative_rate(self, rate: float, decimation: int | None = None) -> None:
        """Output items for input items: for the tags."""
        from fractions import Fraction

        ratio = Fraction(int(rate), int(decimation)) if decimation else Fraction(rate).limit_denominator(1 << 20)
        self._gr_ratio = (max(1, ratio.numerator), ratio.denominator)

    def relative_rate(self) -> float:
        """Output items for input items."""
        return self._gr_ratio[0] / self._gr_ratio[1]

    def _says_sources(self) -> bool:
        return True

    def _stream_count(self, side: int) -> int:
        return -1 if self._depends_on_counts() else len((self._gr_in, self._gr_out)[side])

    def set_tag_propagation_policy(self, policy: int) -> None:
        """How tags pass."""
        self._gr_policy = policy

    def tag_propagation_policy(self) -> int:
        """How tags pass."""
        return self._gr_policy

    def start(self) -> bool:
        """Called when the flowgraph starts."""
        return True

    def stop(self) -> bool:
        """Called when it has ended."""
        return True

    # What it asks during a call.

    def nitems_read(self, which_input: int) -> int:
        """The absolute index of the first new item of an input."""
        return self._gr_read[which_input] if which_input < len(self._gr_read) else 0

    def nitems_written(self, which_output: int) -> int:
        """The absolute index of the first item that an output gives next."""
        return self._gr_written[which_output] if which_output < len(self._gr_written) else 0

    def get_tags_in_range(self, which_input: int, start: int, end: int, key: Any = None) -> list[tag_t]:
        """The tags of the items from `start` to before `end`, absolute indices."""
        vlen = self._gr_in[which_input][1]
        wanted = None if key is None else pmt.symbol_to_string(key)
        found = []
        for index, name, value, source in self._gr_call().tags(which_input):
            if start <= index // vlen < end and wanted in (None, name):
                found.append(self._tag_of(index, name, value, source, vlen))
        return found

    def get_tags_in_window(self, which_input: int, rel_start: int, rel_end: int, key: Any = None) -> list[tag_t]:
        """The tags of the items from `rel_start` to before `rel_end`, counted from the first new one."""
        first = self.nitems_read(which_input)
        return self.get_tags_in_range(which_input, first + rel_start, first + rel_end, key)

    def add_item_tag(
        self, which_output: int, offset: Any, key: Any = None, value: Any = None, srcid: Any = None
    ) -> None:
        """Puts a tag on an output: a `tag_t`, or an absolute index, a key, a value and a source."""
        if isinstance(offset, tag_t):
            offset, key, value, srcid = offset.offset, offset.key, offset.value, offset.srcid
        name = pmt.symbol_to_string(key)
        source = pmt.symbol_to_string(srcid) if srcid is not None and pmt.is_symbol(srcid) else ""
        vlen = self._gr_out[which_output][1]
        self._gr_call().put_tag(which_output, int(offset) * vlen, name, self._value_of_tag(name, value, vlen), source)

    def consume(self, which_input: int, items: int) -> None:
        """Takes items of an input."""
        self._gr_call().consume(which_input, int(items) * self._gr_in[which_input][1])

    def consume_each(self, items: int) -> None:
        """Takes so many items of each input."""
        for place in range(len(self._gr_in)):
            self.consume(place, items)

    def produce(self, which_output: int, items: int) -> None:
        """Gives items to an output; `work` gives `WORK_CALLED_PRODUCE` then."""
        self._gr_produced = True
        self._gr_call().produce(which_output, int(items) * self._gr_out[which_output][1])

    def _gr_call(self) -> Any:
        if self._gr_io is None:
            raise RuntimeError(f"{self.identifier()}: this can be asked during a call of work only")
        return self._gr_io

    # Messages.

    def set_msg_handler(self, port: Any, handler: Any) -> None:
        """Says who gets the messages of an input: a function of one PMT."""
        if port_name(port) not in self._handlers:
            raise RuntimeError(f"{self.identifier()} has no message input {port_name(port)}")
        self._handlers[port_name(port)] = handler

    def message_port_pub(self, port: Any, message: Any) -> None:
        """Sends a message."""
        name = port_name(port)
        if name not in self._message_outputs:
            raise ValueError(f"{self.identifier()} has no message output {name}")
        if self._gr_io is not None:
            self._gr_io.send(name, pmt.serialize_str(message))
            return
        # Not in a call of work, but in some thread: the block is woken, and sends it then.
        self._gr_waiting.append((name, message))
        build = self._build_of
        if build is not None and build.running is not None:
            # A block that has ended sends nothing any more, and one that is about to come sends it when it is there.
            with contextlib.suppress(BlockEnded, UnknownPort):
                build.running.message(f"{build.names[self]}.system", None)

    def _put_into(self, queue: Any, message: Any) -> None:
        """Puts a message into a queue; waits while that is full, unless the flowgraph is stopped."""
        while queue.full_p():
            if self._build_of is not None and self._build_of.is_stopping():
                return
            time.sleep(0.005)
        queue.insert_tail(message)

    # How it runs.

    def _end_it(self, message: Any) -> None:
        build = self._build_of
        build.running.message(f"{build.names[self]}.system", message)  # type: ignore[union-attr]

    def _gr_least(self) -> list[int]:
        """How many items of each input it has to see at once."""
        return [0] * len(self._gr_in)

    def _add(self, build: "Build", name: str) -> None:
        interpolation, decimation = self._gr_ratio if self._gr_fixed else (1, 1)
        # So many output items must go together, for whole numbers of input items.
        steps = self._gr_multiple // gcd(self._gr_multiple, interpolation) if self._gr_fixed else 1
        def port(name: str, item: str, vlen: int, multiple: int, history: int, least: int = 0) -> dict[str, Any]:
            multiple *= vlen
            # Twice what it has to see at once, so that the block before it has room to go on.
            wanted = max(self._batch_bytes // SIZES[item], 2 * least * vlen)
            batch = max(1, wanted // multiple) * multiple
            return {
                "name": name,
                "item": item,
                "min": 1,
                "max": None,
                "multiple": multiple,
                "history": history * vlen,
                "batch": batch,
                "optional": False,
            }

        fixed_in, fixed_out = (steps * decimation, steps * interpolation) if self._gr_fixed else (1, self._gr_multiple)
        history = self._gr_history - 1
        least = self._gr_least()
        inputs = [port(f"in{at}", item, vlen, fixed_in, history, least[at]) for at, (item, vlen) in enumerate(self._gr_in)]
        outputs = [port(f"out{at}", item, vlen, fixed_out, 0) for at, (item, vlen) in enumerate(self._gr_out)]
        policies = {TPP_ALL_TO_ALL: "all", TPP_ONE_TO_ONE: "one_to_one"}
        vlen_in, vlen_out = (max((vlen for _, vlen in ports), default=1) for ports in (self._gr_in, self._gr_out))
        declaration = {
            "inputs": inputs,
            "outputs": outputs,
            "message_inputs": ["system", *(known for known in self._handlers if known != "system")],
            "message_outputs": self._message_outputs,
            "ratio": (self._gr_ratio[0] * vlen_out, self._gr_ratio[1] * vlen_in),
            "delay": 0,
            "tags": policies.get(self._gr_policy, "none"),
            "blocking": not self._gr_in,
            "only_mail": not self._gr_in and not self._gr_out,
            "pmt": True,
        }
        self._gr_done = False
        self._gr_read, self._gr_written = [0] * len(self._gr_in), [0] * len(self._gr_out)
        build.builder.add_python(name, _Runner(self), declaration)

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        ports = (self._gr_in, self._gr_out)[side]
        if port >= len(ports):
            what = ("inputs", "outputs")[side]
            raise ValueError(f"{self.identifier()} has {len(ports)} {what}, but number {port} is connected")
        return Stream(f"{build.names[self]}.{('in', 'out')[side]}{port}", *ports[port])

    def _stays(self) -> bool:
        # It has a thread of its own, which nobody can stop alone; without messages it sleeps.
        return not self._gr_in and not self._gr_out

    def _started(self) -> None:
        if self.start() is False:
            raise RuntimeError(f"{self.identifier()}: start gave False")

    def _stopped(self) -> None:
        self.stop()

    def _gr_step(self, inputs: list[Any], outputs: list[Any]) -> int | None:
        """Calls the block's own work with what there is."""
        raise NotImplementedError

    def _gr_room(self, arrays: Iterable[Any], each: int) -> int:
        return min((len(array) // each for array in arrays), default=1 << 62)


class _Runner:
    """What the runtime calls."""

    def __init__(self, block: _PythonBlock) -> None:
        self._block = block

    def work(self, io: Any) -> int | None:
        """One call."""
        block = self._block
        block._gr_io = io
        try:
            for place, (_, vlen) in enumerate(block._gr_in):
                block._gr_read[place] = io.read_index(place) // vlen
            for place, (_, vlen) in enumerate(block._gr_out):
                block._gr_written[place] = io.written_index(place) // vlen
            return self._gr_work(io)
        finally:
            block._gr_io = None

    def _gr_work(self, io: Any) -> int | None:
        block = self._block
        for name, bytes_ in io.mail():
            handler = block._handlers.get(name)
            message = whole_entries(pmt.deserialize_str(bytes_))
            if name == "system" and pmt.is_pair(message) and pmt.eq(pmt.car(message), pmt.intern("done")):
                block._gr_done = True
            elif handler is not None:
                handler(message)
        while block._gr_waiting:
            name, message = block._gr_waiting.pop(0)
            io.send(name, pmt.serialize_str(message))
        if block._gr_done:
            return WORK_DONE
        if not block._gr_in and not block._gr_out:
            return None
        inputs = [_shaped(array, vlen) for array, (_, vlen) in zip(io.inputs, block._gr_in)]
        outputs = [_shaped(array, vlen) for array, (_, vlen) in zip(io.outputs, block._gr_out)]
        return block._gr_step(inputs, outputs)


def _shaped(array: Any, vlen: int) -> Any:
    return array if vlen == 1 else array[: len(array) // vlen * vlen].reshape(-1, vlen)


class sync_block(_PythonBlock):
    """One output item for one input item: give `work(input_items, output_items)`, which gives how many."""

    def __init__(self, name: str | None = None, in_sig: Any = None, out_sig: Any = None) -> None:
        super().__init__(name, in_sig, out_sig)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Computes output items: to be written by whoever writes the block."""
        raise NotImplementedError(f"{self.identifier()} has no method work")

    def _gr_step(self, inputs: list[Any], outputs: list[Any]) -> int | None:
        interpolation, decimation = self._gr_ratio
        before = self._gr_history - 1
        steps = min(
            min(((len(x) - before) // decimation for x in inputs), default=1 << 62),
            self._gr_room(outputs, interpolation),
        )
        steps -= steps * interpolation % self._gr_multiple // interpolation if self._gr_multiple > 1 else 0
        if steps <= 0:
            return None
        inputs = [x[: before + steps * decimation] for x in inputs]
        outputs = [y[: steps * interpolation] for y in outputs]
        self._gr_produced = False
        given = self.work(inputs, outputs)
        if given is None:
            raise TypeError(f"{self.identifier()}: work gave None; expected the number of items that it has written")
        given = int(given)
        if given == WORK_DONE:
            return WORK_DONE
        if given == WORK_CALLED_PRODUCE:
            return None
        if not 0 <= given <= steps * interpolation:
            there = steps * interpolation
            raise ValueError(f"{self.identifier()}: work gave {given} items, but there is room for {there}")
        if given % interpolation:
            raise ValueError(
                f"{self.identifier()}: work gave {given} items, but it interpolates by {interpolation}"
            )
        for place in range(len(self._gr_out)):
            self._gr_call().produce(place, given * self._gr_out[place][1])
        for place in range(len(self._gr_in)):
            self._gr_call().consume(place, given // interpolation * decimation * self._gr_in[place][1])
        return None


class decim_block(sync_block):
    """One output item for `decim` input items."""

    def __init__(self, name: str | None, in_sig: Any, out_sig: Any, decim: int) -> None:
        super().__init__(name, in_sig, out_sig)
        self.set_decimation(decim)

    def set_decimation(self, decimation: int) -> None:
        """Sets how many input items make an output item."""
        if decimation < 1:
            raise ValueError(f"{self.identifier()}: expected a decimation of 1 or more, got {decimation}")
        self._gr_ratio = (1, int(decimation))

    def decimation(self) -> int:
        """How many input items make an output item."""
        return self._gr_ratio[1]


class interp_block(sync_block):
    """`interp` output items for one input item."""

    def __init__(self, name: str | None, in_sig: Any, out_sig: Any, interp: int) -> None:
        super().__init__(name, in_sig, out_sig)
        self.set_interpolation(interp)

    def set_interpolation(self, interpolation: int) -> None:
        """Sets how many output items an input item makes."""
        if interpolation < 1:
            raise ValueError(f"{self.identifier()}: expected an interpolation of 1 or more, got {interpolation}")
        self._gr_ratio = (int(interpolation), 1)

    def interpolation(self) -> int:
        """How many output items an input item makes."""
        return self._gr_ratio[0]


class basic_block(_PythonBlock):
    """Any number of output items for any number of input items: give `general_work`, and perhaps `forecast`."""

    def __init__(self, name: str | None = None, in_sig: Any = None, out_sig: Any = None) -> None:
        super().__init__(name, in_sig, out_sig)
        self._gr_fixed = False

    def forecast(self, noutput_items: int, ninputs: Any) -> Any:
        """How many items of each input it takes for so many output items: one for one, times the rate."""
        return [-(-noutput_items * self._gr_ratio[1] // self._gr_ratio[0])] * len(self._gr_in)

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Computes output items, and consumes: to be written by whoever writes the block."""
        raise NotImplementedError(f"{self.identifier()} has no method general_work")

    def fixed_rate_ninput_to_noutput(self, ninput: int) -> int:
        """As the rate says."""
        return ninput * self._gr_ratio[0] // self._gr_ratio[1]

    def fixed_rate_noutput_to_ninput(self, noutput: int) -> int:
        """As the rate says."""
        return -(-noutput * self._gr_ratio[1] // self._gr_ratio[0])

    def _gr_needs(self, items: int) -> list[int]:
        """What `forecast` says, in either of its forms."""
        needed = [0] * len(self._gr_in)
        wanted = self.forecast(items, len(self._gr_in))
        if wanted is None:
            # As blocks for GNU Radio before 3.10 say it: they fill a list.
            self.forecast(items, needed)
            return needed
        return [int(items) for items in wanted]

    def _gr_least(self) -> list[int]:
        # What fails here fails again when items are there, and then says so.
        with contextlib.suppress(Exception):
            return [max(0, need) for need in self._gr_needs(self._gr_multiple)]
        return super()._gr_least()

    def _gr_step(self, inputs: list[Any], outputs: list[Any]) -> int | None:
        before = self._gr_history - 1
        there = [len(x) - before for x in inputs]
        items = self._gr_room(outputs, 1)
        items = items if outputs else max(there, default=0)
        items -= items % self._gr_multiple
        while items > 0 and inputs and any(need > have for need, have in zip(self._gr_needs(items), there)):
            items //= 2
            items -= items % self._gr_multiple
        if items <= 0:
            # Nothing more comes, and what is there is not enough: that is the end. With no room at an output it is not.
            least = self._gr_needs(self._gr_multiple) if inputs else []
            is_over = any(
                need > have and self._gr_call().is_last(at) for at, (need, have) in enumerate(zip(least, there))
            )
            return WORK_DONE if is_over else None
        self._gr_produced = False
        given = int(self.general_work(inputs, [y[:items] for y in outputs]) or 0)
        if given == WORK_DONE:
            return WORK_DONE
        if given == WORK_CALLED_PRODUCE or self._gr_produced:
            return None
        if not 0 <= given <= items:
            raise ValueError(f"{self.identifier()}: general_work gave {given} items, but there is room for {items}")
        for place in range(len(self._gr_out)):
            self._gr_call().produce(place, given * self._gr_out[place][1])
        return None


class mailbox(basic_block):
    """Sends nothing by itself: while it is there, a block whose messages come from the program waits for them."""

    def __init__(self) -> None:
        super().__init__("mailbox")
        self.message_port_register_out(pmt.intern("out"))
