"""Blocks of the library for arguments that the library's own do not take: made in Python for these, and the library's for all others."""

from __future__ import annotations

import time
from typing import Any

from . import pmt
from ._gr.constants import TPP_DONT
from ._gr.signature import io_signature
from .elements import hier_block2
from .errors import BadArgument
from .python_blocks import basic_block, sync_block
from .table import block_class

_probe_rate: Any = block_class("blocks.probe_rate")
_keep_m_in_n: Any = block_class("blocks.keep_m_in_n")
_throttle: Any = block_class("blocks.throttle")
_ofdm_cyclic_prefixer: Any = block_class("digital.ofdm_cyclic_prefixer")

SLICE_S = 0.05
"""For how long a throttle lets items through at once."""


class _wrapping_keep(basic_block):
    """Keeps items of each `n`, at `places`."""

    def __init__(self, itemsize: int, places: list[int], n: int) -> None:
        kind = ("u1", itemsize) if itemsize > 1 else "u1"
        super().__init__("keep_m_in_n", [kind], [kind])
        self._places, self._length = places, n
        self.set_output_multiple(len(places))
        self.set_relative_rate(len(places), n)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole groups."""
        return [-(-noutput_items // len(self._places)) * self._length]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Keeps some of each group."""
        kept = len(self._places)
        count = min(len(input_items[0]) // self._length, len(output_items[0]) // kept)
        groups = input_items[0][: count * self._length]
        groups = groups.reshape(count, self._length, *groups.shape[1:])
        output_items[0][: count * kept] = groups[:, self._places].reshape(output_items[0][: count * kept].shape)
        self.consume(0, count * self._length)
        return count * kept


def keep_m_in_n(itemsize: int, m: int, n: int, offset: int) -> Any:
    """Keeps `m` items of each `n`, from `offset` on; beyond the end of a group it goes on at its beginning."""
    if not 0 < m <= n or not 0 <= offset < n or offset + m <= n:
        return _keep_m_in_n(itemsize, m, n, offset)
    return _wrapping_keep(int(itemsize), sorted((offset + place) % n for place in range(m)), int(n))


class _tagged_throttle(sync_block):
    """Lets items through at a rate, which tags `rx_rate` set."""

    def __init__(self, itemsize: int, samples_per_sec: float) -> None:
        kind = ("u1", itemsize) if itemsize > 1 else "u1"
        super().__init__("throttle", [kind], [kind])
        self._bytes = itemsize
        self.set_sample_rate(samples_per_sec)

    def sample_rate(self) -> float:
        """Items per second."""
        return self._items_per_s

    def set_sample_rate(self, rate: float) -> None:
        """Sets the items per second."""
        if not rate > 0:
            raise ValueError(f"throttle: expected a rate above 0, got {rate}")
        self._items_per_s, self._since, self._passed = float(rate), time.monotonic(), 0

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies as many items as are due."""
        first = self.nitems_read(0)
        count = len(output_items[0])
        for tag in self.get_tags_in_window(0, 0, count, pmt.intern("rx_rate")):
            if tag.offset == first:
                # The stream is one of bytes here, and the runtime has brought the tag in line with that.
                self.set_sample_rate(pmt.to_double(tag.value) / self._bytes)
            else:
                # Up to the tag with the rate of now.
                count = min(count, tag.offset - first)
        count = min(count, max(1, int(self._items_per_s * SLICE_S)))
        due = self._since + (self._passed + count) / self._items_per_s - time.monotonic()
        if due > 0:
            time.sleep(due)
        output_items[0][:count] = input_items[0][:count]
        self._passed += count
        return count


def throttle(itemsize: int, samples_per_sec: float, ignore_tags: bool = True, maximum_items_per_chunk: int = 0) -> Any:
    """Lets items through at a rate; unless `ignore_tags`, tags `rx_rate` change it."""
    made = _throttle(itemsize, samples_per_sec)
    return made if ignore_tags else _tagged_throttle(int(itemsize), samples_per_sec)


class _shaped_prefixer(basic_block):
    """Puts a cyclic prefix before each symbol, with lengths in turn, and flanks that overlap with the symbols beside."""

    def __init__(self, fft_len: int, prefixes: list[int], rolloff_len: int, len_tag_key: str) -> None:
        import numpy

        super().__init__("ofdm_cyclic_prefixer", [("c8", fft_len)], ["c8"])
        self._size, self._prefixes, self._key = fft_len, prefixes, len_tag_key
        self._flank = max(0, rolloff_len - 1)
        turn = numpy.pi * numpy.arange(1, self._flank + 1) / max(1, rolloff_len)
        self._up = 0.5 - 0.5 * numpy.cos(turn)
        self._tail = numpy.zeros(self._flank, "c8")
        self._turn = self._packet = self._seen = 0
        self._longest = fft_len + max(prefixes) + self._flank
        self.set_tag_propagation_policy(TPP_DONT)
        self.set_relative_rate(fft_len * len(prefixes) + sum(prefixes), len(prefixes))

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """A symbol at least."""
        return [1]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns symbols."""
        import numpy

        taken = written = 0
        first, start = self.nitems_read(0), self.nitems_written(0)
        while taken < len(input_items[0]) and len(output_items[0]) - written >= self._longest:
            for tag in self.get_tags_in_window(0, taken, taken + 1):
                name = pmt.symbol_to_string(tag.key)
                if name == self._key and self._key:
                    self._begin(pmt.to_long(tag.value), start + written)
                else:
                    self.add_item_tag(0, start + written + tag.offset - first - taken, tag.key, tag.value, tag.srcid)
            symbol, prefix = input_items[0][taken], self._prefixes[self._turn]
            line = numpy.concatenate([symbol[self._size - prefix :], symbol])
            line[: self._flank] = line[: self._flank] * self._up[: len(line)] + self._tail
            output_items[0][written : written + len(line)] = line
            written += len(line)
            # The symbol goes on as it has begun.
            self._tail = (symbol[: self._flank] * self._up[::-1]).astype("c8")
            self._turn = (self._turn + 1) % len(self._prefixes)
            taken += 1
            if self._packet:
                self._packet -= 1
                if not self._packet:
                    output_items[0][written : written + self._flank] = self._tail
                    written += self._flank
                    self._tail = numpy.zeros(self._flank, "c8")
        self.consume(0, taken)
        return written

    def _begin(self, symbols: int, offset: int) -> None:
        """A packet of so many symbols begins."""
        self._packet, self._turn = symbols, 0
        prefixes = sum(self._prefixes[place % len(self._prefixes)] for place in range(symbols))
        self.add_item_tag(0, offset, pmt.intern(self._key), pmt.from_long(symbols * self._size + prefixes + self._flank))


def ofdm_cyclic_prefixer(input_size: int, output_size: Any, rolloff_len: int = 0, len_tag_key: str = "") -> Any:
    """Puts a cyclic prefix before each symbol of `input_size` carriers.

    `output_size` is what a symbol has with its prefix, or a list of lengths of prefixes, which are taken in turn. A symbol overlaps with the
    one before it by flanks of `rolloff_len` − 1 samples.
    """
    if not hasattr(output_size, "__len__"):
        prefix = output_size - input_size
        if not 0 < rolloff_len or rolloff_len < prefix:
            return _ofdm_cyclic_prefixer(input_size, output_size, rolloff_len, len_tag_key)
        lengths = [prefix]
    else:
        lengths = [int(length) for length in output_size]
    if not lengths or min(lengths) < 0 or max(lengths) > input_size:
        raise ValueError(f"ofdm_cyclic_prefixer: expected lengths of prefixes from 0 to {input_size}, got {lengths}")
    if rolloff_len < 0 or rolloff_len > min(lengths) + 1:
        raise ValueError(f"ofdm_cyclic_prefixer: expected rolloff_len from 0 to {min(lengths) + 1}, got {rolloff_len}")
    return _shaped_prefixer(int(input_size), lengths, int(rolloff_len), len_tag_key)


class without_head_tags(sync_block):
    """Takes tags off the first items of packets, all but those with their lengths."""

    def __init__(self, len_tag_key: str) -> None:
        super().__init__("without_head_tags", ["u1"], ["u1"])
        self._key = pmt.intern(len_tag_key)
        self.set_tag_propagation_policy(TPP_DONT)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0][:count]
        tags = self.get_tags_in_window(0, 0, count)
        heads = {tag.offset for tag in tags if pmt.eq(tag.key, self._key)}
        for tag in tags:
            if tag.offset not in heads or pmt.eq(tag.key, self._key):
                self.add_item_tag(0, tag.offset, tag.key, tag.value, tag.srcid)
        return count


class _rates(basic_block):
    """Says the rates of a probe as GNU Radio does: that of now, and a mean that takes `alpha` of it."""

    def __init__(self, period_s: float, alpha: float) -> None:
        super().__init__("rates")
        self._period_s, self._alpha, self.mean, self._items = period_s, alpha, 0.0, 0
        self.message_port_register_in(pmt.intern("in"))
        self.message_port_register_out(pmt.intern("rate"))
        self.set_msg_handler(pmt.intern("in"), self._take)

    def _take(self, message: Any) -> None:
        told = pmt.to_python(message)
        now, items = float(told["rate"]), int(told["items"])
        since, self._items = items - self._items, items
        # The last one is of what is left at the end, which may be little.
        if self.mean and since < 0.5 * self._period_s * now:
            return
        self.mean = self._alpha * now + (1 - self._alpha) * self.mean if self.mean else now
        rates = pmt.dict_add(pmt.make_dict(), pmt.intern("rate_avg"), pmt.from_double(self.mean))
        self.message_port_pub(pmt.intern("rate"), pmt.dict_add(rates, pmt.intern("rate_now"), pmt.from_double(now)))


class probe_rate(hier_block2):
    """Measures items a second: `rate` asks for the mean, in which each measurement has the weight `alpha`; the first one begins it.

    Messages with `rate_now` and `rate_avg` come from `rate` every `update_rate_ms`.
    """

    def __init__(self, itemsize: int, update_rate_ms: float = 500.0, alpha: float = 0.0001) -> None:
        if not 0 <= alpha <= 1:
            raise BadArgument(f"probe_rate: expected alpha from 0 to 1, got {alpha:g}")
        super().__init__("probe_rate", io_signature(1, 1, itemsize), io_signature(0, 0, 0))
        self._probe, self._rates = _probe_rate(itemsize, update_rate_ms), _rates(update_rate_ms / 1000, float(alpha))
        self.message_port_register_hier_out("rate")
        self.connect(self, self._probe)
        self.msg_connect(self._probe, "rate", self._rates, "in")
        self.msg_connect(self._rates, "rate", self, "rate")

    def rate(self) -> float:
        """The mean of the rates so far; 0 before the first."""
        return self._rates.mean

    def set_alpha(self, alpha: float) -> None:
        """Sets the weight of a measurement."""
        self._rates._alpha = float(alpha)


BLOCKS: dict[str, dict[str, Any]] = {
    "blocks": {"keep_m_in_n": keep_m_in_n, "probe_rate": probe_rate, "throttle": throttle},
    "digital": {"ofdm_cyclic_prefixer": ofdm_cyclic_prefixer},
}
"""The functions, by module and name."""
