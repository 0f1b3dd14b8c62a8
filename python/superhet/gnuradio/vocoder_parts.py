"""Codecs of `gnuradio.vocoder` that the table has no rows for: CVSD, G.721 and G.723."""

from __future__ import annotations

from typing import Any

from . import adpcm
from ._gr.constants import sizeof_char, sizeof_float
from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module
from .python_blocks import decim_block, interp_block, sync_block

FULL_SCALE = 32000
"""The short for a float of 1."""


class Cvsd:
    """Continuously variable slope delta modulation, as Bluetooth has it (Core Specification, volume 2, part B, section 9.2).

    A bit says whether the next sample lies above the accumulator, which moves by the step. Where the last `J` of `K` bits are equal, the
    step grows by `min_step`, else it shrinks to `step_decay` of it. The accumulator leaks to `accum_decay` of it with each sample.
    """

    def __init__(
        self,
        min_step: int = 10,
        max_step: int = 1280,
        step_decay: float = 0.9990234375,
        accum_decay: float = 0.96875,
        K: int = 32,
        J: int = 4,
        pos_accum_max: int = 32767,
        neg_accum_max: int = -32767,
    ) -> None:
        if not 1 <= J <= K <= 32:
            raise ValueError(f"cvsd: expected 1 <= J <= K <= 32, got J = {J} and K = {K}")
        if not 0 < min_step <= max_step:
            raise ValueError(f"cvsd: expected 0 < min_step <= max_step, got {min_step} and {max_step}")
        self.min_step, self.max_step, self.step_decay, self.accum_decay = min_step, max_step, step_decay, accum_decay
        self.K, self.J = K, J
        self.low, self.high = neg_accum_max, pos_accum_max
        self._run = (1 << J) - 1
        # Alternating, so that no run is there at the beginning.
        self._bits = 0xAAAAAAAA
        self._step, self._accumulator = float(min_step), 0.0

    @property
    def estimate(self) -> float:
        """What the next sample is compared with."""
        return self._accumulator

    def take(self, bit: int) -> float:
        """Moves by a bit; gives the sample that it stands for."""
        self._bits = (self._bits << 1 | bit) & 0xFFFFFFFF
        if self._bits & self._run in (0, self._run):
            self._step = min(self._step + self.min_step, self.max_step)
        else:
            self._step = max(self._step * self.step_decay, self.min_step)
        sample = self._accumulator + (self._step if bit else -self._step)
        sample = min(max(sample, self.low), self.high)
        self._accumulator = sample * self.accum_decay
        return sample


class _Settings:
    """What a codec was made with, as methods of its block."""

    _codec: Cvsd

    def min_step(self) -> int:
        """The least step."""
        return self._codec.min_step

    def max_step(self) -> int:
        """The greatest step."""
        return self._codec.max_step

    def step_decay(self) -> float:
        """How much of the step is left without a run."""
        return self._codec.step_decay

    def accum_decay(self) -> float:
        """How much of the accumulator is left after a sample."""
        return self._codec.accum_decay

    def K(self) -> int:
        """How many bits are looked at."""
        return self._codec.K

    def J(self) -> int:
        """How many equal bits make a run."""
        return self._codec.J

    def pos_accum_max(self) -> int:
        """The greatest sample."""
        return self._codec.high

    def neg_accum_max(self) -> int:
        """The least sample."""
        return self._codec.low


class cvsd_encode_sb(_Settings, decim_block):
    """8 samples of 16 bits to a byte of CVSD, the first in the highest bit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        import numpy

        super().__init__("cvsd_encode_sb", [numpy.int16], [numpy.uint8], 8)
        self._codec = Cvsd(*args, **kwargs)

    def work(self, input_items: Any, output_items: Any) -> int:
        """Encodes."""
        codec, given = self._codec, output_items[0]
        samples = input_items[0][: 8 * len(given)].tolist()
        for place in range(len(given)):
            byte = 0
            for sample in samples[8 * place : 8 * place + 8]:
                bit = int(sample >= codec.estimate)
                codec.take(bit)
                byte = byte << 1 | bit
            given[place] = byte
        return len(given)


class cvsd_decode_bs(_Settings, interp_block):
    """A byte of CVSD to 8 samples of 16 bits."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        import numpy

        super().__init__("cvsd_decode_bs", [numpy.uint8], [numpy.int16], 8)
        self._codec = Cvsd(*args, **kwargs)

    def work(self, input_items: Any, output_items: Any) -> int:
        """Decodes."""
        count = len(output_items[0]) // 8
        take = self._codec.take
        found = [int(take(byte >> at & 1)) for byte in input_items[0][:count].tolist() for at in range(7, -1, -1)]
        output_items[0][: 8 * count] = found
        return 8 * count


class cvsd_encode_fb(hier_block2):
    """Floats to CVSD at `resample` times their rate, low-passed to `bw` of it before."""

    def __init__(self, resample: int = 8, bw: float = 0.5) -> None:
        super().__init__("cvsd_encode", io_signature(1, 1, sizeof_float), io_signature(1, 1, sizeof_char))
        blocks, found = module("blocks"), module("filter")
        taps = found.firdes.low_pass(resample, resample, bw, 2 * bw)
        up = found.interp_fir_filter_fff(resample, taps)
        self.connect(self, up, blocks.float_to_short(1, FULL_SCALE), cvsd_encode_sb(), self)


class cvsd_decode_bf(hier_block2):
    """CVSD to floats at a rate of 1 / `resample` of its bits, low-passed to `bw`."""

    def __init__(self, resample: int = 8, bw: float = 0.5) -> None:
        super().__init__("cvsd_decode", io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_float))
        blocks, found = module("blocks"), module("filter")
        taps = found.firdes.low_pass(1, resample, bw, 2 * bw)
        down = found.fir_filter_fff(resample, taps)
        self.connect(self, cvsd_decode_bs(), blocks.short_to_float(1, FULL_SCALE), down, self)


class _adpcm(sync_block):
    """A codec of G.726: a code for each sample."""

    _bits, _encodes = 4, True

    def __init__(self) -> None:
        import numpy

        kinds = ([numpy.int16], [numpy.uint8])
        super().__init__(type(self).__name__, *(kinds if self._encodes else kinds[::-1]))
        self._codec = adpcm.Codec(self._bits)

    def work(self, input_items: Any, output_items: Any) -> int:
        """Encodes or decodes."""
        turn = adpcm.encode if self._encodes else adpcm.decode
        output_items[0][:] = turn(self._codec, input_items[0][: len(output_items[0])].tolist())
        return len(output_items[0])


def _codecs() -> dict[str, Any]:
    found = {}
    for name, bits, rate in (("g721", 4, 32), ("g723_24", 3, 24), ("g723_40", 5, 40)):
        for direction, encodes in (("encode_sb", True), ("decode_bs", False)):
            doc = f"ADPCM by ITU-T G.726 at {rate} kbit/s for 8000 samples per second: a code in each byte."
            full = f"{name}_{direction}"
            found[full] = type(full, (_adpcm,), {"_bits": bits, "_encodes": encodes, "__doc__": doc})
    return found


BLOCKS: dict[str, Any] = {
    "cvsd_decode_bf": cvsd_decode_bf,
    "cvsd_decode_bs": cvsd_decode_bs,
    "cvsd_encode_fb": cvsd_encode_fb,
    "cvsd_encode_sb": cvsd_encode_sb,
} | _codecs()
"""What the module has besides the table, by name."""
