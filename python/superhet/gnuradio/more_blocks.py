"""Blocks that are made in Python: of `gnuradio.analog`, `blocks`, `filter` and `wavelet`."""

from __future__ import annotations

import math
import random
import threading
from typing import Any, Sequence

from . import pmt
from ._gr.constants import sizeof_float, sizeof_gr_complex
from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module
from .python_blocks import basic_block, sync_block
from .tag_parts import items_of


class correctiq(sync_block):
    """Takes a constant part off complex samples, by a mean that follows slowly."""

    ALPHA = 1e-5

    def __init__(self) -> None:
        super().__init__("correctiq", ["c8"], ["c8"])
        self._mean = 0j

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        count, mean, out = len(output_items[0]), self._mean, []
        for value in input_items[0][:count].tolist():
            mean += self.ALPHA * (value - mean)
            out.append(value - mean)
        output_items[0][:] = out
        self._mean = mean
        return count


class correctiq_auto(correctiq):
    """Takes a constant part off complex samples; it learns anew after a change of frequency or gain, for `sync_window` seconds."""

    def __init__(self, samp_rate: float, freq: float, gain: float, sync_window: float) -> None:
        super().__init__()
        self._rate, self._freq, self._gain, self._window = samp_rate, freq, gain, sync_window
        self._seen = 0

    def get_freq(self) -> float:
        """The frequency."""
        return self._freq

    def set_freq(self, freq: float) -> None:
        """Sets the frequency, and learns anew."""
        self._freq, self._seen, self._mean = freq, 0, 0j

    def get_gain(self) -> float:
        """The gain."""
        return self._gain

    def set_gain(self, gain: float) -> None:
        """Sets the gain, and learns anew."""
        self._gain, self._seen, self._mean = gain, 0, 0j

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        import numpy

        count = len(output_items[0])
        x = input_items[0][:count]
        left = max(0, int(self._rate * self._window) - self._seen)
        if left:
            learned = x[:left].astype("c16")
            total = self._seen + len(learned)
            self._mean = (self._mean * self._seen + complex(learned.sum())) / total
            self._seen = total
        output_items[0][:] = x - numpy.complex64(self._mean)
        return count


class vector_map(sync_block):
    """Vectors of items of its inputs: item `k` of output `n` is that which `mapping[n][k]`, a stream and a place, says."""

    def __init__(self, item_size: int, in_vlens: Sequence[int], mapping: Sequence[Sequence[Sequence[int]]]) -> None:
        dtype, length = items_of(int(item_size))
        self._lengths, self._item = [int(vlen) for vlen in in_vlens], length
        ins = [(dtype, vlen * length) for vlen in self._lengths]
        super().__init__("vector_map", ins, [(dtype, len(places) * length) for places in mapping])
        self.set_mapping(mapping)

    def set_mapping(self, mapping: Sequence[Sequence[Sequence[int]]]) -> None:
        """Sets which items the outputs have."""
        for places in mapping:
            for stream, place in places:
                if not (0 <= stream < len(self._lengths) and 0 <= place < self._lengths[stream]):
                    raise RuntimeError(f"vector_map: there is no item {place} of input {stream}")
        self._mapping = [[(int(stream), int(place)) for stream, place in places] for places in mapping]

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies items."""
        count = min(len(out) for out in output_items)
        shaped = [x.reshape(len(x), -1, self._item) for x in input_items]
        for out, places in zip(output_items, self._mapping):
            target = out.reshape(len(out), -1, self._item)
            for at, (stream, place) in enumerate(places):
                target[:count, at] = shaped[stream][:count, place]
        return count


class host_buffer_copy(sync_block):
    """Passes items on, with a history."""

    def __init__(self, history: int) -> None:
        super().__init__("host_buffer_copy", ["c8"], ["c8"])
        self.set_history(int(history))

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies items."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0][:count]
        return count


def _prbs15(items: int) -> Any:
    """The sequence of x¹⁵ + x¹⁴ + 1, 16 bits an item, the first the lowest; it comes again after 32767 items."""
    import numpy

    bits = [1] * 14 + [0] * 2
    while len(bits) < 32767:
        bits.append(bits[-14] ^ bits[-15])
    bits = bits[:32767]
    repeated = numpy.tile(numpy.array(bits, "u1"), -(-items * 16 // 32767))[: items * 16]
    return numpy.packbits(repeated, bitorder="little").view("<i2")


class lfsr_32k_source_s(sync_block):
    """A pseudo-random sequence of 32767 bits, 16 in each item."""

    def __init__(self) -> None:
        super().__init__("lfsr_32k_source_s", None, ["i2"])
        self._items, self._at = _prbs15(32767), 0

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Gives items."""
        out = output_items[0]
        out[:] = self._items.take(range(self._at, self._at + len(out)), mode="wrap")
        self._at = (self._at + len(out)) % len(self._items)
        return len(out)


class check_lfsr_32k_s(sync_block):
    """Counts the items of `lfsr_32k_source_s` that come right, and those in a row."""

    def __init__(self) -> None:
        super().__init__("check_lfsr_32k_s", ["i2"], None)
        self._items = _prbs15(32767).tolist()
        self._places = {item: place for place, item in reversed(list(enumerate(self._items)))}
        self._next, self._total, self._right, self._run = 0, 0, 0, 0

    def ntotal(self) -> int:
        """How many items have come."""
        return self._total

    def nright(self) -> int:
        """How many of them were right."""
        return self._right

    def runlength(self) -> int:
        """How many of the last were right in a row."""
        return self._run

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Compares items."""
        for item in input_items[0].tolist():
            self._total += 1
            if item == self._items[self._next]:
                self._right, self._run = self._right + 1, self._run + 1
            else:
                # It looks for the place where the sequence goes on.
                self._run, self._next = 0, self._places.get(item, 0)
            self._next = (self._next + 1) % len(self._items)
        return len(input_items[0])


class message_strobe_random(basic_block):
    """The same message again and again, after times of a distribution: Poisson (1), normal (2) or uniform (3), in milliseconds."""

    def __init__(self, msg: Any, dist: Any, mean_ms: float, std_ms: float) -> None:
        super().__init__("message_strobe_random")
        self._message, self._dist, self._mean, self._std = msg, int(dist), float(mean_ms), float(std_ms)
        self._ends = threading.Event()
        self.message_port_register_in(pmt.intern("set_msg"))
        self.message_port_register_out(pmt.intern("strobe"))
        self.set_msg_handler(pmt.intern("set_msg"), self.set_msg)

    def set_msg(self, msg: Any) -> None:
        """Sets the message."""
        self._message = msg

    def msg(self) -> Any:
        """The message."""
        return self._message

    def set_dist(self, dist: Any) -> None:
        """Sets the distribution."""
        self._dist = int(dist)

    def dist(self) -> int:
        """The distribution."""
        return self._dist

    def set_mean(self, mean: float) -> None:
        """Sets the mean time."""
        self._mean = float(mean)

    def mean(self) -> float:
        """The mean time."""
        return self._mean

    def set_std(self, std: float) -> None:
        """Sets the deviation, or half the width."""
        self._std = float(std)

    def std(self) -> float:
        """The deviation, or half the width."""
        return self._std

    def _wait_s(self) -> float:
        drawn = {
            1: lambda: random.expovariate(1 / self._mean) if self._mean > 0 else 0.0,
            2: lambda: random.gauss(self._mean, self._std),
            3: lambda: random.uniform(self._mean - self._std, self._mean + self._std),
        }.get(self._dist, lambda: self._mean)()
        return max(0.0, drawn) / 1000

    def start(self) -> bool:
        """The flowgraph starts."""
        self._ends.clear()
        threading.Thread(target=self._strobe, daemon=True).start()
        return True

    def stop(self) -> bool:
        """The flowgraph has ended."""
        self._ends.set()
        return True

    def _strobe(self) -> None:
        while not self._ends.wait(self._wait_s()):
            self.message_port_pub(pmt.intern("strobe"), self._message)


class _annotator(sync_block):
    """Passes items on, with a tag on every `when`-th item of each input, and keeps the tags that come."""

    _policy_of = 1

    def __init__(self, when: int, sizeof_stream_item: int) -> None:
        self._port = items_of(int(sizeof_stream_item))
        super().__init__(type(self).__name__, [self._port], [self._port])
        self._when, self._count, self._kept = int(when), 0, []  # type: ignore[var-annotated]
        self.set_tag_propagation_policy(self._policy_of)

    def _depends_on_counts(self) -> bool:
        return True

    def _add(self, build: Any, name: str) -> None:
        inputs, outputs = build.count(self, 0), build.count(self, 1)
        self._set_ports([self._port] * max(1, inputs), [self._port] * max(1, outputs))
        super()._add(build, name)

    def data(self) -> list[Any]:
        """The tags that have come."""
        return list(self._kept)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        count = min(len(out) for out in output_items)
        for at in range(len(input_items)):
            self._kept += self.get_tags_in_window(at, 0, count)
        first = self.nitems_written(0)
        source = pmt.intern(self.alias())
        for offset in range(-(-first // self._when) * self._when, first + count, self._when):
            for at in range(len(output_items)):
                self.add_item_tag(at, offset, pmt.intern("seq"), pmt.from_uint64(self._count), source)
                self._count += 1
        for at, out in enumerate(output_items):
            out[:count] = input_items[min(at, len(input_items) - 1)][:count]
        return count


class annotator_alltoall(_annotator):
    """Passes items on, with a tag on every `when`-th; tags go to all outputs."""


class annotator_1to1(_annotator):
    """Passes items on, with a tag on every `when`-th; tags go from each input to its output."""

    _policy_of = 2


class annotator_raw(sync_block):
    """Passes items on, with the tags that `add_tag` has given."""

    def __init__(self, sizeof_stream_item: int) -> None:
        port = items_of(int(sizeof_stream_item))
        super().__init__("annotator_raw", [port], [port])
        self._tags: list[tuple[int, Any, Any]] = []
        self._guard = threading.Lock()

    def add_tag(self, offset: int, key: Any, val: Any) -> None:
        """Puts a tag on an item."""
        with self._guard:
            self._tags.append((int(offset), key, val))

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        count, first = len(output_items[0]), self.nitems_written(0)
        with self._guard:
            due = [tag for tag in self._tags if tag[0] < first + count]
            self._tags = [tag for tag in self._tags if tag[0] >= first + count]
        for offset, key, value in sorted(due, key=lambda tag: tag[0]):
            if offset >= first:
                self.add_item_tag(0, offset, key, value, pmt.intern(self.alias()))
        output_items[0][:] = input_items[0][:count]
        return count


class meta_to_pair(basic_block):
    """A pair of a new name and what an entry of a packet's metadata says."""

    def __init__(self, incomingKeyName: str, outgoingPairName: str) -> None:
        super().__init__("meta_to_pair")
        self._names = (str(incomingKeyName), str(outgoingPairName))
        self.message_port_register_in(pmt.intern("inmeta"))
        self.message_port_register_out(pmt.intern("outpair"))
        self.set_msg_handler(pmt.intern("inmeta"), self._handle)

    def _handle(self, message: Any) -> None:
        meta = pmt.to_python(pmt.car(message)) if pmt.is_pair(message) else None
        if isinstance(meta, dict) and self._names[0] in meta:
            pair = pmt.cons(pmt.intern(self._names[1]), pmt.to_pmt(meta[self._names[0]]))
            self.message_port_pub(pmt.intern("outpair"), pair)


class msg_pair_to_var(basic_block):
    """Calls a function with the value of each pair that comes."""

    def __init__(self, callback: Any) -> None:
        super().__init__("msg_pair_to_var")
        self._callback = callback
        self.message_port_register_in(pmt.intern("inpair"))
        self.set_msg_handler(pmt.intern("inpair"), self._handle)

    def _handle(self, message: Any) -> None:
        self._callback(pmt.to_python(pmt.cdr(message)))


class var_to_msg_pair(basic_block):
    """Sends a pair of a name and a value, whenever the value changes."""

    def __init__(self, pairname: str) -> None:
        super().__init__("var_to_msg_pair")
        self._name = str(pairname)
        self.message_port_register_out(pmt.intern("msgout"))

    def variable_changed(self, value: Any) -> None:
        """Sends a value."""
        self.message_port_pub(pmt.intern("msgout"), pmt.cons(pmt.intern(self._name), pmt.to_pmt(value)))


class ival_decimator(basic_block):
    """Keeps one of `decimation` complex samples that lie as pairs of `data_size` bytes each."""

    def __init__(self, decimation: int, data_size: int) -> None:
        port = items_of(int(data_size))
        super().__init__("ival_decimator", [port], [port])
        if int(decimation) < 1:
            raise ValueError(f"ival_decimator: expected a decimation of 1 or more, got {decimation}")
        self._by = int(decimation)
        self.set_output_multiple(2)

    def decimation(self) -> int:
        """One of so many is kept."""
        return self._by

    def set_decimation(self, decimation: int) -> None:
        """Sets of how many one is kept."""
        self._by = int(decimation)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """So many times as many."""
        return [noutput_items * self._by]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Keeps pairs."""
        pairs = min(len(input_items[0]) // (2 * self._by), len(output_items[0]) // 2)
        taken = input_items[0][: pairs * 2 * self._by]
        rest = taken.shape[1:]
        output_items[0][: pairs * 2] = taken.reshape(pairs, self._by, 2, *rest)[:, 0].reshape(pairs * 2, *rest)
        self.consume(0, pairs * 2 * self._by)
        return pairs * 2


class filterbank_vcvcf(sync_block):
    """Filters the items at each place of vectors by taps of their own."""

    def __init__(self, taps: Sequence[Sequence[float]]) -> None:
        self._width = len(taps)
        super().__init__("filterbank_vcvcf", [("c8", len(taps))], [("c8", len(taps))])
        self._before: Any = None
        self.set_taps(taps)

    def set_taps(self, taps: Sequence[Sequence[float]]) -> None:
        """Sets the taps of each place."""
        import numpy

        if len(taps) != self._width:
            raise RuntimeError(f"filterbank_vcvcf: expected taps for {self._width} places, got {len(taps)}")
        most = max(len(row) for row in taps)
        self._taps = numpy.array([[*row, *[0.0] * (most - len(row))] for row in taps], "f4")
        if self._before is None or len(self._before) != most - 1:
            self._before = numpy.zeros((most - 1, self._width), "c8")

    def taps(self) -> list[list[float]]:
        """The taps of each place."""
        return self._taps.tolist()

    def print_taps(self) -> None:
        """Prints the taps."""
        print(self._taps.tolist())

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Filters vectors."""
        import numpy

        count, most = len(output_items[0]), self._taps.shape[1]
        x = numpy.concatenate([self._before, input_items[0][:count]])
        output_items[0][:] = sum(self._taps[:, k] * x[most - 1 - k : most - 1 - k + count] for k in range(most))
        self._before = x[len(x) - most + 1 :]
        return count


def _bank(taps: Any, points: int) -> list[list[float]]:
    """The taps of a prototype dealt out to so many filters."""
    return [list(taps[n::points]) for n in range(points)]


def _prototype(points: int) -> list[float]:
    found = module("filter").optfir.low_pass(1, points, 0.5, 0.5 + 0.2, 0.1, 80)
    return [float(tap) for tap in found] + [0.0] * (-len(found) % points)


class analysis_filterbank(hier_block2):
    """Splits a band into `mpoints` channels, as vectors; without `taps` they are designed."""

    def __init__(self, mpoints: int, taps: Any = None) -> None:
        signature = io_signature(1, 1, mpoints * sizeof_gr_complex)
        super().__init__("analysis_filterbank", io_signature(1, 1, sizeof_gr_complex), signature)
        blocks, fft = module("blocks"), module("fft")
        bank = filterbank_vcvcf(_bank(taps or _prototype(mpoints), mpoints))
        vectors = blocks.stream_to_vector(sizeof_gr_complex, mpoints)
        self.connect(self, vectors, bank, fft.fft_vcc(mpoints, True, []), self)


class synthesis_filterbank(hier_block2):
    """Puts `mpoints` channels, as vectors, side by side into a band; without `taps` they are designed."""

    def __init__(self, mpoints: int, taps: Any = None) -> None:
        signature = io_signature(1, 1, mpoints * sizeof_gr_complex)
        super().__init__("synthesis_filterbank", signature, io_signature(1, 1, sizeof_gr_complex))
        blocks, fft = module("blocks"), module("fft")
        bank = filterbank_vcvcf(_bank(taps or _prototype(mpoints), mpoints))
        stream = blocks.vector_to_stream(sizeof_gr_complex, mpoints)
        self.connect(self, fft.fft_vcc(mpoints, False, []), bank, stream, self)


class file_taps_loader:
    """Taps of a file that `gr_filter_design` has written: lines of `name,value` and `taps,…`."""

    def __init__(self, fpath: str, verbose: bool = False) -> None:
        self._path, self._parameters, self._taps = str(fpath), {}, []  # type: ignore[var-annotated]
        try:
            with open(fpath, encoding="utf-8") as file:
                rows = [line.strip().split(",") for line in file if line.strip()]
        except OSError as error:
            raise RuntimeError(f"file_taps_loader: cannot read {fpath}: {error.strerror}") from None
        for name, *values in rows:
            if name == "taps":
                numbers = [complex(value.replace("i", "j").strip()) for value in values if value.strip()]
                is_real = all(number.imag == 0 for number in numbers)
                self._taps = [number.real if is_real else number for number in numbers]
            elif values:
                self._parameters[name] = values[0] if len(values) == 1 else values
        if verbose:
            print(f"{fpath}: {len(self._taps)} taps, {self._parameters}")

    def get_taps(self) -> list[Any]:
        """The taps."""
        return list(self._taps)

    def get_params(self) -> dict[str, Any]:
        """What else the file says."""
        return dict(self._parameters)

    def get_path(self) -> str:
        """The file."""
        return self._path


class fmdet_cf(sync_block):
    """Frequency by the slope of the samples: `12 scl` times the radians per sample, less what brings the range's middle to 0.

    For frequencies that are low against `samplerate`; GNU Radio 3.10 does not divide by the width of the range, either.
    """

    def __init__(self, samplerate: float, freq_low: float, freq_high: float, scl: float) -> None:
        super().__init__("fmdet_cf", ["c8"], ["f4"])
        self._scale = float(scl)
        self._before: Any = None
        self.set_freq_range(freq_low, freq_high)

    def set_freq_range(self, freq_low: float, freq_high: float) -> None:
        """Sets the range in Hz."""
        self._low, self._high = float(freq_low), float(freq_high)

    def set_scale(self, scl: float) -> None:
        """Sets the scale."""
        self._scale = float(scl)

    def scale(self) -> float:
        """The scale."""
        return self._scale

    def freq_low(self) -> float:
        """The lower end of the range in Hz."""
        return self._low

    def freq_high(self) -> float:
        """The upper end of the range in Hz."""
        return self._high

    def freq(self) -> float:
        """0."""
        return 0.0

    def bias(self) -> float:
        """What is added: it brings the middle of the range to 0."""
        return 0.5 * self._scale * (self._high + self._low) / (self._high - self._low)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Measures."""
        import numpy

        count = len(output_items[0])
        if self._before is None:
            self._before = numpy.zeros(4, "c8")
        x = numpy.concatenate([self._before, input_items[0][:count]]).astype("c16")
        # A slope of fourth order about the sample two back.
        slope = (x[4:] - 8 * x[3:-1] + 8 * x[1:-3] - x[:-4]) / -12
        middle = x[2:-2]
        power = numpy.abs(middle) ** 2
        with numpy.errstate(divide="ignore", invalid="ignore"):
            turn = numpy.where(power > 0, (middle.conj() * slope).imag / power, 0)
        output_items[0][:] = self._scale * 12 * turn - self.bias()
        self._before = x[len(x) - 4 :].astype("c8")
        return count


class ctcss_gen_f(hier_block2):
    """A tone of CTCSS."""

    def __init__(self, sample_rate: float, tone_freq: float) -> None:
        super().__init__("ctcss_gen_f", io_signature(0, 0, 0), io_signature(1, 1, sizeof_float))
        analog = module("analog")
        self.plsource = analog.sig_source_f(sample_rate, analog.GR_SIN_WAVE, tone_freq, 0.1, 0)
        self.connect(self.plsource, self)


class standard_squelch(hier_block2):
    """Passes audio while the band of voice is louder than that above it, as noise of FM is not."""

    def __init__(self, audio_rate: float) -> None:
        signature = io_signature(1, 1, sizeof_float)
        super().__init__("standard_squelch", signature, signature)
        blocks, filter = module("blocks"), module("filter")
        firdes = filter.firdes
        low = filter.fir_filter_fff(1, firdes.low_pass(1, audio_rate, 0.1 * audio_rate, 0.05 * audio_rate))
        high = filter.fir_filter_fff(1, firdes.high_pass(1, audio_rate, 0.25 * audio_rate, 0.05 * audio_rate))
        powers = [blocks.multiply_ff(), blocks.multiply_ff()]
        means = [filter.single_pole_iir_filter_ff(0.01), filter.single_pole_iir_filter_ff(0.01)]
        difference, self._level, gate = blocks.sub_ff(), blocks.threshold_ff(0, 0, 0), blocks.multiply_ff()
        for band, power, mean, port in zip((low, high), powers, means, (0, 1)):
            self.connect(self, band, (power, 0))
            self.connect(band, (power, 1))
            self.connect(power, mean, (difference, port))
        self.connect(self, (gate, 0))
        self.connect(difference, self._level, (gate, 1))
        self.connect(gate, self)

    def set_threshold(self, threshold: float) -> None:
        """Sets by how much the power of voice must be greater."""
        self._level.set_hi(threshold)
        self._level.set_lo(threshold)

    def threshold(self) -> float:
        """By how much the power of voice must be greater."""
        return self._level.hi()

    def squelch_range(self) -> tuple[float, float, float]:
        """The least, the greatest and the step of thresholds."""
        return (0.0, 1.0, 0.01)


class _logpwrfft(hier_block2):
    """Powers of spectra in dB, `frame_rate` a second, averaged in time where `average` is true; 0 dB is `ref_scale`."""

    _letter = "f"

    def __init__(
        self,
        sample_rate: float,
        fft_size: int,
        ref_scale: float,
        frame_rate: float,
        avg_alpha: float,
        average: bool,
        win: Any = None,
        shift: bool = False,
    ) -> None:
        import numpy

        blocks, fft, filter = module("blocks"), module("fft"), module("filter")
        size = sizeof_gr_complex if self._letter == "c" else sizeof_float
        super().__init__(f"logpwrfft_{self._letter}", io_signature(1, 1, size), io_signature(1, 1, sizeof_float * fft_size))
        taps = [float(tap) for tap in (win or fft.window.blackmanharris)(fft_size)]
        self._vectors = blocks.stream_to_vector_decimator(size, sample_rate, frame_rate, fft_size)
        transform = (fft.fft_vcc if self._letter == "c" else fft.fft_vfc)(fft_size, True, taps, shift)
        self._mean = filter.single_pole_iir_filter_ff(1.0, fft_size)
        power = float(numpy.sum(numpy.square(taps)))
        # The power of the window, the length of the transform, and that a sine has half of its amplitude on each side.
        level = -20 * math.log10(fft_size) - 10 * math.log10(power / fft_size) - 20 * math.log10(ref_scale / 2)
        log = blocks.nlog10_ff(10, fft_size, level)
        self.connect(self, self._vectors, transform, blocks.complex_to_mag_squared(fft_size), self._mean, log, self)
        self._is_average, self._alpha = bool(average), float(avg_alpha)
        self._set_mean()

    def _set_mean(self) -> None:
        self._mean.set_taps(self._alpha if self._is_average else 1.0)

    def set_sample_rate(self, sample_rate: float) -> None:
        """Sets the samples in a second."""
        self._vectors.set_sample_rate(sample_rate)

    def sample_rate(self) -> float:
        """The samples in a second."""
        return self._vectors.sample_rate()

    def set_vec_rate(self, vec_rate: float) -> None:
        """Sets the spectra in a second."""
        self._vectors.set_vec_rate(vec_rate)

    def set_average(self, average: bool) -> None:
        """Sets whether spectra are averaged."""
        self._is_average = bool(average)
        self._set_mean()

    def average(self) -> bool:
        """Whether spectra are averaged."""
        return self._is_average

    def set_avg_alpha(self, avg_alpha: float) -> None:
        """Sets how fast the average follows."""
        self._alpha = float(avg_alpha)
        self._set_mean()

    def avg_alpha(self) -> float:
        """How fast the average follows."""
        return self._alpha


class logpwrfft_f(_logpwrfft):
    """Powers of spectra of real samples; see `logpwrfft_c`."""


class logpwrfft_c(_logpwrfft):
    """Powers of spectra of complex samples in dB, `frame_rate` a second, averaged where `average` is true; 0 dB is `ref_scale`."""

    _letter = "c"


LOGPWRFFT = {"logpwrfft_c": logpwrfft_c, "logpwrfft_f": logpwrfft_f}
"""The module `gnuradio.fft.logpwrfft`."""


def _daubechies(order: int) -> Any:
    """The taps of the wavelet of Daubechies with so many taps: the factor of least phase of the half-band filter (1988, section 4)."""
    import numpy

    half = order // 2
    product = [math.comb(half - 1 + k, k) for k in range(half)]
    found = numpy.ones(1)
    for _ in range(half):
        found = numpy.convolve(found, [1, 1])
    for root in numpy.roots(product[::-1]):
        pair = numpy.roots([1, 4 * root - 2, 1])
        found = numpy.convolve(found, [1, -pair[numpy.abs(pair).argmin()]])
    found = found.real
    return found * (math.sqrt(2) / found.sum())


class wavelet_ff(sync_block):
    """The wavelet transform of vectors of `size`, a power of 2, by the wavelet of Daubechies with `order` taps; or back."""

    def __init__(self, size: int = 1024, order: int = 20, forward: bool = True) -> None:
        import numpy

        if size < 2 or size & (size - 1):
            raise RuntimeError(f"wavelet_ff: expected a size that is a power of 2, got {size}")
        if order not in range(4, 21, 2):
            raise RuntimeError(f"wavelet_ff: expected an even order from 4 to 20, got {order}")
        super().__init__("wavelet_ff", [("f4", int(size))], [("f4", int(size))])
        low = _daubechies(order)
        high = low[::-1] * (-1.0) ** numpy.arange(order)
        # Columns are the transforms of unit vectors; the matrix is orthogonal.
        matrix, count = numpy.eye(size), size
        while count >= 2:
            half, before = count // 2, matrix[:count].copy()
            places = (2 * numpy.arange(half)[:, None] + numpy.arange(order)) % count
            matrix[:half] = numpy.einsum("k,ikn->in", low, before[places])
            matrix[half:count] = numpy.einsum("k,ikn->in", high, before[places])
            count = half
        self._matrix = (matrix if forward else matrix.T).astype("f4")

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Transforms vectors."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0].reshape(-1, self._in[0][1])[:count] @ self._matrix.T
        return count


class wvps_ff(sync_block):
    """The energy of each level of a wavelet transform of `ilen` coefficients."""

    def __init__(self, ilen: int) -> None:
        levels = max(1, int(ilen).bit_length() - 1)
        super().__init__("wvps_ff", [("f4", int(ilen))], [("f4", levels)])
        self._levels = levels

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Adds squares."""
        count = len(output_items[0])
        squares = input_items[0].reshape(-1, self._in[0][1])[:count] ** 2
        out = output_items[0].reshape(count, -1)
        for level in range(self._levels):
            out[:, level] = squares[:, 1 << level : 2 << level].sum(axis=1)
        return count


class squash_ff(sync_block):
    """Vectors of values at the places `igrid`, as values at the places `ogrid`: by natural cubic splines."""

    def __init__(self, igrid: Sequence[float], ogrid: Sequence[float]) -> None:
        import numpy

        super().__init__("squash_ff", [("f4", len(igrid))], [("f4", len(ogrid))])
        x, places = numpy.asarray(igrid, float), numpy.asarray(ogrid, float)
        if len(x) < 2 or (numpy.diff(x) <= 0).any():
            raise RuntimeError("squash_ff: expected a grid that rises")
        # The values are linear in those given: the matrix has the splines of unit vectors.
        step, count = numpy.diff(x), len(x)
        system, right = numpy.eye(count), numpy.zeros((count, count))
        for k in range(1, count - 1):
            system[k, k - 1 : k + 2] = step[k - 1], 2 * (step[k - 1] + step[k]), step[k]
            right[k, k - 1 : k + 2] += 6 / step[k - 1], -6 / step[k - 1] - 6 / step[k], 6 / step[k]
        second = numpy.linalg.solve(system, right)
        piece = numpy.clip(numpy.searchsorted(x, places, "right") - 1, 0, count - 2)
        width = step[piece]
        after, before = (places - x[piece]) / width, (x[piece + 1] - places) / width
        unit = numpy.eye(count)
        self._matrix = before[:, None] * unit[piece] + after[:, None] * unit[piece + 1]
        bend = (width**2 / 6)[:, None]
        self._matrix += bend * ((before**3 - before)[:, None] * second[piece] + (after**3 - after)[:, None] * second[piece + 1])

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Interpolates vectors."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0].reshape(-1, self._in[0][1])[:count] @ self._matrix.T
        return count


BLOCKS: dict[str, dict[str, Any]] = {
    "analog": {kind.__name__: kind for kind in (ctcss_gen_f, fmdet_cf, standard_squelch)},
    "blocks": {
        kind.__name__: kind
        for kind in (
            annotator_1to1, annotator_alltoall, annotator_raw, check_lfsr_32k_s, correctiq, correctiq_auto, host_buffer_copy, lfsr_32k_source_s,
            message_strobe_random, meta_to_pair, msg_pair_to_var, var_to_msg_pair, vector_map,
        )
    },
    "filter": {
        kind.__name__: kind
        for kind in (analysis_filterbank, file_taps_loader, filterbank_vcvcf, ival_decimator, synthesis_filterbank)
    },
    "wavelet": {kind.__name__: kind for kind in (squash_ff, wavelet_ff, wvps_ff)},
}
"""The blocks by module and name."""
BLOCKS["blocks"] |= {"STROBE_POISSON": 1, "STROBE_GAUSSIAN": 2, "STROBE_UNIFORM": 3}
