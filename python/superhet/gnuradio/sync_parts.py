"""Blocks of `gnuradio.digital` that find and follow symbols, in Python: `corr_est_cc`, `decision_feedback_equalizer`,
`mpsk_snr_est_cc`, `packet_sink`."""

from __future__ import annotations

import math
from typing import Any, Iterable

from . import pmt
from ._gr.signature import io_signature
from .elements import hier_block2
from .errors import BadArgument
from .python_blocks import basic_block, sync_block
from .table import block_class

THRESHOLD_DYNAMIC, THRESHOLD_ABSOLUTE = 0, 1


class corr_est_cc(basic_block):
    """Finds symbols in a stream, and tags where they are, and their phase, time and strength.

    The stream comes out `len(symbols)` items later; the second output is the correlation. `threshold` is a part of what the symbols
    themselves correlate to (`THRESHOLD_ABSOLUTE`), or one minus the chance that noise alone exceeds it (`THRESHOLD_DYNAMIC`).
    """

    def __init__(
        self,
        symbols: Iterable[complex],
        sps: float,
        mark_delay: int,
        threshold: float = 0.9,
        threshold_method: int = THRESHOLD_ABSOLUTE,
    ) -> None:
        super().__init__("corr_est_cc", ["c8"], ["c8", "c8"])
        self._sps = float(sps)
        self.set_symbols(symbols)
        self._mark = int(mark_delay)
        self._threshold, self._method = float(threshold), int(threshold_method)
        self._free_from = 0

    def _output_count(self, build: Any) -> int:
        # The second one may stay alone.
        return 2

    def symbols(self) -> list[complex]:
        """What is searched."""
        return self._symbols.tolist()

    def set_symbols(self, symbols: Iterable[complex]) -> None:
        """Sets what is searched; its length stays."""
        import numpy

        found = numpy.array(list(symbols), "c8")
        if not len(found):
            raise ValueError("corr_est_cc: expected symbols, got none")
        if hasattr(self, "_symbols") and len(found) != len(self._symbols):
            raise ValueError(f"corr_est_cc: expected {len(self._symbols)} symbols as before, got {len(found)}")
        self._symbols = found
        self.set_history(len(found) + 2)

    def mark_delay(self) -> int:
        """How many items behind the peak the tags are."""
        return self._mark

    def set_mark_delay(self, mark_delay: int) -> None:
        """Sets how many items behind the peak the tags are."""
        self._mark = int(mark_delay)

    def threshold(self) -> float:
        """The threshold."""
        return self._threshold

    def set_threshold(self, threshold: float) -> None:
        """Sets the threshold."""
        self._threshold = float(threshold)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """The last item waits for the one behind it."""
        return [noutput_items + 1]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Correlates."""
        import numpy

        length = len(self._symbols)
        count = min(len(input_items[0]) - length - 2, *map(len, output_items))
        if count < 1:
            return 0
        data = input_items[0]
        # The correlations of the items from the one before the first to the one behind the last.
        line = numpy.correlate(data[1 : length + count + 2], self._symbols, "valid")
        powers = (line.real**2 + line.imag**2).astype(float)
        output_items[0][:count] = data[1 : count + 1]
        output_items[1][:count] = line[1 : count + 1]
        middle = powers[1:-1]
        limit = self._limit(middle)
        peaks = numpy.flatnonzero((middle > limit) & (middle >= powers[:-2]) & (middle > powers[2:]))
        strength = float(numpy.abs(data).max()) or 1.0
        start = self.nitems_written(0)
        for place in peaks.tolist():
            at = start + place
            if at < self._free_from:
                continue
            self._free_from = at + max(1, round(self._sps))
            left, here, right = powers[place], powers[place + 1], powers[place + 2]
            self._tag(at, "corr_start", float(here))
            for name, value in (
                ("phase_est", math.atan2(line[place + 1].imag, line[place + 1].real)),
                ("time_est", float((right - left) / (left + here + right))),
                ("corr_est", float(here)),
                ("amp_est", 1.0 / strength),
            ):
                self._tag(at + self._mark, name, value)
        self.consume(0, count)
        return count

    def _limit(self, powers: Any) -> float:
        import numpy

        if self._method == THRESHOLD_ABSOLUTE:
            return self._threshold * float(numpy.sum(abs(self._symbols) ** 2)) ** 2
        # The power of noise is distributed exponentially.
        return -math.log(max(1 - self._threshold, 1e-30)) * float(powers.mean())

    def _tag(self, offset: int, name: str, value: float) -> None:
        for port in (0, 1):
            self.add_item_tag(port, offset, pmt.intern(name), pmt.from_double(value), pmt.intern(self.alias()))


class decision_feedback_equalizer(basic_block):
    """An equalizer of `num_taps_forward` taps over the samples, `sps` for a symbol, and `num_taps_feedback` over the symbols decided.

    It follows by LMS, NLMS or CMA, as `alg` says, from the tag `training_start_tag` on with the symbols of `training_sequence`, and then,
    or without a sequence at once, by its decisions where `adapt_after_training`.
    """

    def __init__(
        self,
        num_taps_forward: int,
        num_taps_feedback: int,
        sps: int,
        alg: Any,
        adapt_after_training: bool = True,
        training_sequence: Iterable[complex] = (),
        training_start_tag: str = "",
    ) -> None:
        import numpy

        super().__init__("decision_feedback_equalizer", ["c8"], ["c8"])
        if num_taps_forward < 1 or num_taps_feedback < 0 or sps < 1:
            raise ValueError(
                "decision_feedback_equalizer: expected num_taps_forward and sps of 1 or more and num_taps_feedback of 0 or more, "
                f"got {num_taps_forward}, {sps} and {num_taps_feedback}"
            )
        self._forward = numpy.zeros(num_taps_forward, complex)
        self._forward[num_taps_forward // 2] = 1
        self._backward = numpy.zeros(num_taps_feedback, complex)
        self._decided = numpy.zeros(num_taps_feedback, complex)
        self._sps, self._settings = int(sps), alg.base().settings
        self._points = numpy.array(self._settings["constellation"].points())
        self._adapts = bool(adapt_after_training)
        self._training = list(training_sequence)
        self._tag = training_start_tag
        self._place = 0 if not training_start_tag else len(self._training)
        self.set_history(num_taps_forward)
        self.set_relative_rate(1, self._sps)

    def taps(self) -> list[complex]:
        """The taps, those over the samples first."""
        return [*self._forward.tolist(), *self._backward.tolist()]

    def set_taps(self, taps: Iterable[complex]) -> None:
        """Sets all taps, those over the samples first."""
        import numpy

        found, forward = numpy.array([complex(tap) for tap in taps]), len(self._forward)
        if len(found) != forward + len(self._backward):
            raise ValueError(f"decision_feedback_equalizer: expected {forward + len(self._backward)} taps, got {len(found)}")
        self._forward, self._backward = found[:forward], found[forward:]

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """The samples of symbols."""
        return [noutput_items * self._sps]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Equalizes symbol by symbol."""
        import numpy

        data, taps = input_items[0], len(self._forward)
        count = min(len(output_items[0]), (len(data) - taps + 1) // self._sps)
        if count <= 0:
            return 0
        starts = set()
        if self._tag and self._training:
            first = self.nitems_read(0)
            for tag in self.get_tags_in_window(0, 0, count * self._sps, pmt.intern(self._tag)):
                starts.add((tag.offset - first) // self._sps)
        settings = self._settings
        step, kind = settings["step"], settings["algorithm"]
        for symbol in range(count):
            if symbol in starts:
                self._place = 0
            # The newest sample first.
            window = data[symbol * self._sps : symbol * self._sps + taps][::-1].astype(complex)
            given = complex(self._forward @ window + self._backward @ self._decided)
            output_items[0][symbol] = given
            decision = complex(self._points[numpy.argmin(abs(self._points - given))])
            trains = self._place < len(self._training)
            if trains:
                decision = complex(self._training[self._place])
                self._place += 1
            if trains or self._adapts:
                if kind == "cma":
                    error = given * (settings["modulus"] - abs(given) ** 2)
                else:
                    error = decision - given
                if kind == "nlms":
                    power = float(numpy.sum(abs(window) ** 2) + numpy.sum(abs(self._decided) ** 2))
                    error /= power or 1.0
                self._forward += step * error * window.conj()
                self._backward += step * error * self._decided.conj()
            if len(self._decided):
                self._decided = numpy.concatenate([[decision], self._decided[:-1]])
        self.consume(0, count * self._sps)
        return count


class packet_sink(sync_block):
    """Searches soft symbols for `sync_vector`, and puts the bytes of the packet behind it into a queue.

    Behind the sync vector, of bytes, the header has twice the same 16 bits: 4 for where the whitening begins, then 12 for the length in
    bytes. Up to `threshold` bits of the sync vector may be wrong; -1 is 10.
    """

    DEFAULT_THRESHOLD = 10

    def __init__(self, sync_vector: Iterable[int], target_queue: Any, threshold: int = -1) -> None:
        super().__init__("packet_sink", ["f4"], [])
        bits = [byte >> at & 1 for byte in sync_vector for at in range(7, -1, -1)]
        if not bits:
            raise ValueError("packet_sink: expected a sync vector, got none")
        self._length, self._sync = len(bits), int("".join(map(str, bits)), 2)
        self._queue = target_queue
        self._threshold = self.DEFAULT_THRESHOLD if threshold == -1 else int(threshold)
        self._register, self._seen = 0, 0
        self._header: list[int] | None = None
        self._packet: list[int] | None = None
        self._wanted = self._offset = 0

    def carrier_sensed(self) -> bool:
        """Whether a packet is coming in."""
        return self._header is not None or self._packet is not None

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Slices and searches."""
        for bit in (input_items[0] > 0).astype(int).tolist():
            self._take(bit)
        return len(input_items[0])

    def _take(self, bit: int) -> None:
        if self._packet is not None:
            self._packet.append(bit)
            if len(self._packet) == 8 * self._wanted:
                self._give()
        elif self._header is not None:
            self._header.append(bit)
            if len(self._header) == 32:
                self._begin()
        else:
            self._register = (self._register << 1 | bit) & ((1 << self._length) - 1)
            self._seen += 1
            if self._seen >= self._length and (self._register ^ self._sync).bit_count() <= self._threshold:
                self._header, self._seen = [], 0

    def _begin(self) -> None:
        value = int("".join(map(str, self._header or [])), 2)
        self._header = None
        first, second = value >> 16, value & 0xFFFF
        if first != second:
            return
        self._wanted, self._offset = first & 0xFFF, first >> 12
        self._packet = []
        if not self._wanted:
            self._give()

    def _give(self) -> None:
        from ._gr.messages import message_from_string

        bits = self._packet or []
        data = bytes(int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits), 8))
        self._packet = None
        self._put_into(self._queue, message_from_string(data, 0, self._offset, 0))


class mpsk_snr_est_cc(hier_block2):
    """Puts tags with the ratio of signal to noise of PSK symbols on a stream, in dB, every `tag_nsamples` items; `snr` asks for it.

    `type` is one of `SNR_EST_SIMPLE`, `SNR_EST_SKEW`, `SNR_EST_M2M4` and `SNR_EST_SVR`, and `alpha` says how fast means follow, 0 to 1.
    """

    def __init__(self, type: int, tag_nsamples: int = 10_000, alpha: float = 0.001) -> None:
        signature = io_signature(1, 1, 8)
        super().__init__("mpsk_snr_est_cc", signature, signature)
        self._kind = int(type)
        if tag_nsamples < 1 or not 0 <= alpha <= 1:
            raise BadArgument(f"mpsk_snr_est_cc: expected tag_nsamples of 1 or more and alpha from 0 to 1, got {tag_nsamples}, {alpha}")
        self._tags = block_class("digital.mpsk_snr_est_cc")(type, tag_nsamples, alpha)  # type: ignore[misc]
        self._probe = block_class("digital.probe_mpsk_snr_est_c")(type, tag_nsamples, alpha)  # type: ignore[misc]
        self.connect(self, self._tags, self)
        self.connect(self, self._probe)

    def snr(self) -> float:
        """The ratio of signal to noise, in dB."""
        return self._probe.snr()

    def signal(self) -> float:
        """The power of the signal, in dB."""
        return self._probe.signal()

    def noise(self) -> float:
        """The power of the noise, in dB."""
        return self._probe.noise()

    def type(self) -> int:
        """The way to estimate."""
        return self._kind

    def set_type(self, t: int) -> None:
        """Sets the way to estimate, for the next start."""
        self._kind = int(t)
        for block in (self._tags, self._probe):
            block.set_type(t)

    def tag_nsample(self) -> int:
        """Items from tag to tag."""
        return self._tags.tag_nsample()

    def set_tag_nsample(self, n: int) -> None:
        """Sets the items from tag to tag."""
        self._tags.set_tag_nsample(n)

    set_tag_nsamples = set_tag_nsample

    def alpha(self) -> float:
        """How fast means follow."""
        return self._tags.alpha()

    def set_alpha(self, alpha: float) -> None:
        """Sets how fast means follow, 0 to 1."""
        for block in (self._tags, self._probe):
            block.set_alpha(alpha)


BLOCKS: dict[str, Any] = {
    "mpsk_snr_est_cc": mpsk_snr_est_cc,
    "corr_est_cc": corr_est_cc,
    "decision_feedback_equalizer": decision_feedback_equalizer,
    "packet_sink": packet_sink,
    "THRESHOLD_DYNAMIC": THRESHOLD_DYNAMIC,
    "THRESHOLD_ABSOLUTE": THRESHOLD_ABSOLUTE,
}
"""What the module has of these, by name."""
