"""Blocks that are more to Python than a row of the table: sources from data, sinks for it, and what keeps messages."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any, Iterable

from superhet import _native
from superhet.arrays import DTYPES

from . import file_parts, pmt, tag_parts
from ._gr.tag_utils import tag_t
from .elements import SIZES, Element, Stream, _check_port
from .python_blocks import basic_block
from .table import block_class

if TYPE_CHECKING:
    from .build import Build

_wavfile_source: Any = block_class("blocks.wavfile_source")

ITEMS = {"c": "C32", "f": "f32", "i": "i32", "s": "i16", "b": "u8"}


class _vector_source(Element):
    """Gives items of data, once or over and over; `tags` are on the vectors of the data."""

    _item = ""

    def __init__(self, data: Iterable[Any], repeat: bool = False, vlen: int = 1, tags: Iterable[tag_t] = ()) -> None:
        super().__init__("vector_source")
        self._vlen, self._repeat = int(vlen), bool(repeat)
        self.set_data(data, tags)

    def set_data(self, data: Iterable[Any], tags: Iterable[tag_t] = ()) -> None:
        """Sets the data and the tags, for the next start."""
        import numpy

        items = data if hasattr(data, "dtype") else list(data)
        array = numpy.asarray(items)
        if self._item == "u8" and array.dtype.kind == "i":
            array = array.astype("i8", casting="unsafe").view("u8") if array.size and array.min() < 0 else array
        self._data = numpy.ascontiguousarray(array, dtype=DTYPES[self._item]).reshape(-1)
        if self._data.size % self._vlen:
            raise ValueError("data length must be a multiple of vlen")
        self._tags = [self._plain_tag(tag) for tag in tags]

    def _plain_tag(self, tag: tag_t) -> tuple[int, str, Any, str]:
        """Its item, its key, its value as bytes or, where that may have to count items of vectors, as it is, and its source."""
        source = pmt.symbol_to_string(tag.srcid) if pmt.is_symbol(tag.srcid) else ""
        value = tag.value if self._vlen > 1 else pmt.serialize_str(tag.value)
        return tag.offset * self._vlen, pmt.symbol_to_string(tag.key), value, source

    def set_repeat(self, repeat: bool) -> None:
        """Sets whether to begin again at the end, for the next start."""
        self._repeat = bool(repeat)

    def rewind(self) -> None:
        """Begins at the start: as every start does."""

    def _add(self, build: "Build", name: str) -> None:
        tags = self._tags
        if self._vlen > 1:
            tags = [(at, key, self._value_of_tag(key, value, self._vlen), src) for at, key, value, src in tags]
        build.builder.add_array(name, self._data, self._item, self._repeat, tags, True)

    def _bytes_of_port(self, side: int, port: int) -> int | None:
        _check_port(port, side)
        return SIZES[self._item] * self._vlen

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        if side == 0 or port > 0:
            raise ValueError(f"{self.identifier()} has one output and no input")
        return Stream(f"{build.names[self]}.out", self._item, self._vlen)


class _vector_sink(Element):
    """Keeps the items and the tags that it gets."""

    _item = ""

    def __init__(self, vlen: int = 1, reserve_items: int = 1024) -> None:
        super().__init__("vector_sink")
        self._vlen = int(vlen)
        self.reset()

    def reset(self) -> None:
        """Forgets all."""
        self._kept: list[Any] = []
        self._kept_tags: list[tag_t] = []
        self._native = _native.Sink(self._item)

    clear = reset

    def _array(self) -> Any:
        import numpy

        self._kept.append(numpy.asarray(self._native.take()))
        if len(self._kept) > 1:
            self._kept = [numpy.concatenate(self._kept)]
        return self._kept[0]

    def data(self) -> list[Any]:
        """The items, as a list of numbers."""
        return self._array().tolist()

    def tags(self) -> list[tag_t]:
        """The tags."""
        for index, key, value, source in self._native.take_tags(True):
            self._kept_tags.append(self._tag_of(index, key, value, source, self._vlen))
        return list(self._kept_tags)

    def _add(self, build: "Build", name: str) -> None:
        build.builder.add_sink(name, self._native)

    def _bytes_of_port(self, side: int, port: int) -> int | None:
        _check_port(port, 1 - side)
        return SIZES[self._item] * self._vlen

    def _needed_inputs(self) -> int:
        return 1

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        if side == 1 or port > 0:
            raise ValueError(f"{self.identifier()} has one input and no output")
        return Stream(f"{build.names[self]}.in", self._item, self._vlen)


class _tsb_vector_sink(_vector_sink):
    """Keeps the packets of a stream, and the tags that are no lengths, counted from the start of the stream."""

    def __init__(self, vlen: int = 1, tsb_key: str = "ts_last") -> None:
        super().__init__(vlen)
        self._element_name = "tsb_vector_sink"
        self._key = tsb_key

    def _length_keys(self) -> list[str]:
        return [self._key]

    def tags(self) -> list[tag_t]:
        """The tags, but for the lengths."""
        return [tag for tag in super().tags() if pmt.symbol_to_string(tag.key) != self._key]

    def data(self) -> list[list[Any]]:
        """The items of each packet."""
        items, key = self._array().tolist(), self._key
        starts = [tag for tag in super().tags() if pmt.symbol_to_string(tag.key) == key]
        found = []
        for tag in sorted(starts, key=lambda tag: tag.offset):
            first = tag.offset * self._vlen
            length = pmt.to_long(tag.value) * self._vlen
            packet = items[first : first + length]
            if len(packet) == length:
                found.append(packet)
        return found


class _tags_to_pdu:
    """What a row cannot say of `tags_to_pdu`: methods of several arguments, and of none that changes anything."""

    _args: dict[str, Any]

    def set_eob_parameters(self, alignment: int, offset: int) -> None:
        """Sets where a packet may end, for the next start: with `offset` items more than a multiple of `alignment`."""
        self._args["eob_alignment"], self._args["eob_offset"] = int(alignment), int(offset)

    def get_eob_alignment(self) -> int:
        """See `set_eob_parameters`."""
        return self._args["eob_alignment"]

    def get_eob_offset(self) -> int:
        """See `set_eob_parameters`."""
        return self._args["eob_offset"]

    def enable_time_debug(self, enable: bool) -> None:
        """Changes nothing: times are right."""

    def publish_start_msgs(self, pub: bool) -> None:
        """Changes nothing: `detects` gives messages where it is connected."""


class _fastnoise_source:
    """What a row cannot say of `fastnoise_source`: its pool, and items of it one by one."""

    _args: dict[str, Any]
    _letters: str

    def samples(self) -> list[Any]:
        """The pool that items are drawn from."""
        pool: list[Any] | None = self.__dict__.get("_pool")
        if pool is None:
            from .top_block import top_block

            source: Any = block_class(f"analog.noise_source_{self._letters}")
            args, top, sink = self._args, top_block(), CLASSES[f"blocks.vector_sink_{self._letters}"]()
            size = SIZES[ITEMS[self._letters]]
            head: Any = block_class("blocks.head")
            top.connect(source(args["type"], args["ampl"], args["seed"]), head(size, args["samples"]), sink)
            top.run()
            pool = self.__dict__["_pool"] = sink.data()
            self.__dict__["_random"] = random.Random(args["seed"])
        return pool

    def sample(self) -> Any:
        """One of the pool, whichever comes."""
        pool = self.samples()
        return pool[self.__dict__["_random"].randrange(len(pool))]

    def sample_unbiased(self) -> Any:
        """The same with one sign or the other, so that the mean is 0."""
        found = self.sample()
        return found if self.__dict__["_random"].random() < 0.5 else -found

    def set_type(self, type: Any) -> None:  # noqa: A002: its name there
        """Sets the distribution."""
        self._changed("set_type", type)
        self._args["type"] = type

    def set_amplitude(self, ampl: float) -> None:
        """Sets what the noise is multiplied by."""
        self._changed("set_amplitude", ampl)
        self._args["ampl"] = ampl

    def _changed(self, method: str, value: Any) -> None:
        self.__dict__.pop("_pool", None)
        self._set(method, value)  # type: ignore[attr-defined]


class pdu_lambda(basic_block):
    """Gives PDUs whose items, or the entry `key` of whose metadata, a function has changed.

    `fn` is given an array of the items where `metadict` is false or "UVEC", the value of the entry where it is true or "META", and the
    message itself where it is "RAW". A PDU for which it raises is given as it is, and the exception printed.
    """

    def __init__(self, fn: Any, metadict: Any, key: Any = pmt.PMT_NIL) -> None:
        super().__init__("pdu_lambda")
        self.set_fn(fn)
        self.set_key(key)
        if isinstance(metadict, str) and metadict not in ("UVEC", "META", "RAW"):
            raise ValueError(f"pdu_lambda: expected UVEC, META or RAW, got {metadict!r}")
        self._is_raw = metadict == "RAW"
        self._metadict = metadict == "META" if isinstance(metadict, str) else bool(metadict)
        self.message_port_register_in(pmt.intern("pdu"))
        self.message_port_register_out(pmt.intern("pdu"))
        self.set_msg_handler(pmt.intern("pdu"), self._handle)

    def set_fn(self, fn: Any) -> None:
        """Changes the function."""
        self._fn = fn

    def set_key(self, key: Any) -> None:
        """Changes the entry."""
        self._key = key

    def _handle(self, message: Any) -> None:
        try:
            message = self._fn(message) if self._is_raw else self._changed(pmt.car(message), pmt.cdr(message))
        except Exception as error:  # noqa: BLE001: the function is not ours, and GNU Radio goes on, too.
            print(f"pdu_lambda: {type(error).__name__}: {error}", flush=True)
        self.message_port_pub(pmt.intern("pdu"), message)

    def _changed(self, meta: Any, items: Any) -> Any:
        if self._metadict:
            if pmt.dict_has_key(meta, self._key):
                value = self._fn(pmt.to_python(pmt.dict_ref(meta, self._key, pmt.PMT_NIL)))
                meta = pmt.dict_add(meta, self._key, pmt.to_pmt(value))
            return pmt.cons(meta, items)
        return pmt.cons(meta, pmt.to_pmt(self._fn(pmt.to_python(items))))


class message_debug(basic_block):
    """Prints messages that come to `print` and `print_pdu`, and keeps those that come to `store`."""

    def __init__(self, en_uvec: bool = True, log_level: Any = None) -> None:
        super().__init__("message_debug")
        self._lock = threading.Lock()
        self._messages: list[Any] = []
        for port, handler in (("print", self._print), ("store", self._store), ("print_pdu", self._print_pdu)):
            self.message_port_register_in(pmt.intern(port))
            self.set_msg_handler(pmt.intern(port), handler)
        self._vectors = bool(en_uvec)

    def _store(self, message: Any) -> None:
        with self._lock:
            self._messages.append(message)

    def _print(self, message: Any) -> None:
        if pmt.is_pair(message) and pmt.is_uniform_vector(pmt.cdr(message)):
            self._print_pdu(message)
            return
        print("***** MESSAGE DEBUG PRINT ********")
        print(pmt.write_string(message))
        print("**********************************", flush=True)

    def _print_pdu(self, message: Any) -> None:
        items = pmt.cdr(message)
        print("***** VERBOSE PDU DEBUG PRINT ******")
        print(pmt.write_string(pmt.car(message)))
        print(f"pdu length = {pmt.length(items):>10} items")
        if self._vectors:
            print(f"pdu vector contents = {pmt.write_string(items)}")
        print("************************************", flush=True)

    def num_messages(self) -> int:
        """How many messages are kept."""
        with self._lock:
            return len(self._messages)

    def get_message(self, place: int) -> Any:
        """A message that was kept, by its place."""
        with self._lock:
            if not 0 <= place < len(self._messages):
                raise RuntimeError("message_debug: index for message out of bounds.")
            return self._messages[place]

    def set_vector_print(self, en: bool) -> None:
        """Sets whether the items of PDUs are printed."""
        self._vectors = bool(en)


def fft_vcc(fft_size: int, forward: bool, window: Any = (), shift: bool = False, nthreads: int = 1) -> Any:
    """A transform of vectors of complex samples; backwards without the factor 1 / `fft_size`."""
    return block_class(f"fft.fft_vcc_{'fwd' if forward else 'rev'}")(fft_size, window, shift, nthreads)  # type: ignore[misc]


def fft_vfc(fft_size: int, forward: bool, window: Any = (), shift: bool = False, nthreads: int = 1) -> Any:
    """A transform of vectors of real samples."""
    return block_class(f"fft.fft_vfc_{'fwd' if forward else 'rev'}")(fft_size, window, shift, nthreads)  # type: ignore[misc]


class wavfile_source(_wavfile_source):  # type: ignore[valid-type,misc]
    """A stream of floats from each channel of a WAV file, over and over where it repeats."""

    def __init__(self, filename: str, repeat: bool = False) -> None:
        super().__init__(filename, repeat)
        try:
            self._format = _native.wav_format(filename)
        except ValueError as error:
            raise RuntimeError(f"wavfile_source: {error}") from None

    def channels(self) -> int:
        """How many there are."""
        return self._format[0]

    def sample_rate(self) -> int:
        """Frames per second."""
        return self._format[1]

    def bits_per_sample(self) -> int:
        """Bits of a number in the file."""
        return self._format[2]


CLASSES: dict[str, Any] = {
    **tag_parts.CLASSES,
    **file_parts.CLASSES,
    "blocks.socket_pdu": block_class("network.socket_pdu"),
    "blocks.wavfile_source": wavfile_source,
    "blocks.message_debug": message_debug,
    "pdu.pdu_lambda": pdu_lambda,
    "fft.fft_vcc": fft_vcc,
    "fft.fft_vfc": fft_vfc,
}
for _letter in ITEMS:
    _name = f"tags_to_pdu_{_letter}"
    _row: Any = block_class(f"pdu.{_name}")
    CLASSES[f"pdu.{_name}"] = type(_name, (_tags_to_pdu, _row), {"__doc__": _row.__doc__, "__module__": "gnuradio.pdu"})
for _letter in "cfis":
    _name = f"fastnoise_source_{_letter}"
    _row = block_class(f"analog.{_name}")
    CLASSES[f"analog.{_name}"] = type(_name, (_fastnoise_source, _row), {"__doc__": _row.__doc__, "__module__": "gnuradio.analog"})
for _letter, _item in ITEMS.items():
    for _base in (_vector_source, _vector_sink, _tsb_vector_sink):
        _name = f"{_base.__name__[1:]}_{_letter}"
        CLASSES[f"blocks.{_name}"] = type(
            _name, (_base,), {"_item": _item, "__doc__": _base.__doc__, "__module__": "gnuradio.blocks"}
        )
