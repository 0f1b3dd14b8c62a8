"""Methods of library blocks that say what follows from their arguments: rates, gains of loops, taps of each filter."""

from __future__ import annotations

import math
from typing import Any, Callable

Method = Callable[..., Any]


def _arg(name: str) -> Method:
    return lambda block: block._args[name]


def _always(value: Any) -> Method:
    return lambda block: value


def _pieces(vector: str) -> Method:
    """Two items of a pair, or one vector of it."""
    return lambda block: 1 if block._args[vector] else 2


def _alpha(bandwidth: float, damping: float) -> float:
    return 4 * damping * bandwidth / (1 + 2 * damping * bandwidth + bandwidth * bandwidth)


def _beta(bandwidth: float, damping: float) -> float:
    return 4 * bandwidth * bandwidth / (1 + 2 * damping * bandwidth + bandwidth * bandwidth)


def _damping(block: Any) -> float:
    found = block._read(0, "damping")
    return math.sqrt(0.5) if found is None else found


def _gain(name: str, formula: Callable[[float, float], float]) -> Method:
    """A gain as it was set, or as bandwidth and damping say."""

    def gain(block: Any) -> float:
        found = block._read(0, name)
        return formula(block.get_loop_bandwidth(), _damping(block)) if found is None else found

    return gain


def _sets_gains(method: str) -> Method:
    """Sets what both gains follow from: those that were set by themselves count no more."""

    def change(block: Any, value: float) -> None:
        for name in ("alpha", "beta"):
            block._overrides.pop((0, name), None)
        block._set(method, value)

    return change


def _limit(name: str, default: Method) -> Method:
    """A limit of the frequency as it was set, or as arguments say."""

    def limit(block: Any) -> float:
        found = block._read(0, name)
        return default(block) if found is None else found

    return limit


def _update_gains(block: Any) -> None:
    block.set_loop_bandwidth(block.get_loop_bandwidth())


def _frequency_limit(block: Any) -> None:
    block.set_frequency(min(max(block.get_frequency(), block.get_min_freq()), block.get_max_freq()))


def _phase_wrap(block: Any) -> None:
    block.set_phase(math.fmod(block.get_phase(), 2 * math.pi))


def _advance_loop(block: Any, error: float) -> None:
    phase, frequency = block.get_phase(), block.get_frequency() + block.get_beta() * error
    block.set_frequency(frequency)
    block.set_phase(phase + frequency + block.get_alpha() * error)


def _now(name: str) -> Method:
    """Where the loop is: at 0 before it runs."""

    def now(block: Any) -> float:
        found = block._read(0, name)
        return 0.0 if found is None else found

    return now


STEPS: dict[str, Method] = {
    "update_gains": _update_gains,
    "frequency_limit": _frequency_limit,
    "phase_wrap": _phase_wrap,
    "advance_loop": _advance_loop,
    "get_alpha": _gain("alpha", _alpha),
    "get_beta": _gain("beta", _beta),
    "get_damping_factor": _damping,
    "get_phase": _now("phase_rad"),
    "get_frequency": _now("frequency_rad"),
}
"""Where loops are, and what they do from item to item, as methods."""


def _loop(least: Method, most: Method) -> dict[str, Method]:
    """The gains of a loop that is critically damped at first."""
    return STEPS | {
        "set_damping_factor": _sets_gains("set_damping_factor"),
        "set_loop_bandwidth": _sets_gains("set_loop_bandwidth"),
        "get_min_freq": _limit("min_frequency_rad", least),
        "get_max_freq": _limit("max_frequency_rad", most),
    }


def _filters(taps: Any, count: int) -> list[list[float]]:
    """The taps of each filter of a bank, filled up with zeros."""
    padded = [*taps, *[0.0] * (-len(taps) % count)]
    return [padded[place::count] for place in range(count)]


def _bank(block: Any) -> list[list[float]]:
    return _filters(block._args["taps"], int(block._args["filter_size"]))


def _slopes(block: Any) -> list[list[float]]:
    taps, count = list(block._args["taps"]), int(block._args["filter_size"])
    steps = [0.0, *(after - before for before, after in zip(taps, taps[2:])), 0.0]
    total = sum(map(abs, steps)) or 1.0
    return _filters([step * count / total for step in steps], count)


def _as_text(bank: list[list[float]]) -> str:
    return "\n".join(", ".join(f"{tap:g}" for tap in taps) for taps in bank)


def _clock_damping(block: Any) -> float:
    found = block._read(1, "damping")
    return 2.0 * block._args["filter_size"] if found is None else found


def _clock_gain(name: str, formula: Callable[[float, float], float]) -> Method:
    def gain(block: Any) -> float:
        found = block._read(1, name)
        return formula(block.loop_bandwidth(), _clock_damping(block)) if found is None else found

    return gain


def _clock_sets(method: str) -> Method:
    """Sets what both gains follow from: those that were set by themselves count no more."""

    def change(block: Any, value: float) -> None:
        for name in ("alpha", "beta"):
            block._overrides.pop((1, name), None)
        block._set(method, value)

    return change


def _clock_state(name: str, first: Method) -> Method:
    """Where the clock is, or where it begins."""

    def state(block: Any) -> float:
        found = block._read(1, name)
        return first(block) if found is None else found

    return state


_CLOCK: dict[str, Method] = {
    "alpha": _clock_gain("alpha", _alpha),
    "beta": _clock_gain("beta", _beta),
    "damping_factor": _clock_damping,
    "set_damping_factor": _clock_sets("set_damping_factor"),
    "set_loop_bandwidth": _clock_sets("set_loop_bandwidth"),
    "update_gains": lambda block: block.set_loop_bandwidth(block.loop_bandwidth()),
    "error": _clock_state("error", _always(0.0)),
    "rate": _clock_state("rate", _always(0.0)),
    "clock_rate": _clock_state("rate", _always(0.0)),
    "phase": _clock_state("phase", lambda block: float(block._args["init_phase"])),
    "taps": _bank,
    "diff_taps": _slopes,
    "channel_taps": lambda block, channel: _bank(block)[channel],
    "diff_channel_taps": lambda block, channel: _slopes(block)[channel],
    "taps_as_string": lambda block: _as_text(_bank(block)),
    "diff_taps_as_string": lambda block: _as_text(_slopes(block)),
}


def _step(block: Any) -> float:
    return float(block._args["filter_size"] / block.rate())


def _group_delay(block: Any) -> int:
    """Half of the taps of a filter, at the rate of the output."""
    return round(block.rate() * (len(_bank(block)[0]) - 1) / 2)


_RESAMPLER: dict[str, Method] = {
    "taps": _bank,
    "interpolation_rate": _arg("filter_size"),
    "decimation_rate": lambda block: math.floor(_step(block)),
    "fractional_rate": lambda block: _step(block) % 1,
    "taps_per_filter": lambda block: len(_bank(block)[0]),
    "group_delay": _group_delay,
}

_SQUELCH = {"squelch_range": _always((-50.0, 50.0, 1.0))}


def _burst_end(side: str, last: bool) -> Method:
    """What lies before a packet, or behind it: the padding, and half of the taps where phasing is put in."""

    def length(block: Any) -> int:
        taps = len(block._args["taps"])
        ramp = taps - taps // 2 if last else taps // 2
        return int(block._args[side]) + (ramp if block._args["insert_phasing"] else 0)

    return length


MASKS = [
    1, 3, 5, 9, 18, 33, 65, 142, 264, 516, 1026, 2089, 4109, 8213, 16385, 32790, 65540, 131091, 262163, 524292, 1048578, 2097153,
    4194320, 8388621, 16777220, 33554467, 67108883, 134217732, 268435458, 536870953, 1073741828, 2147483735,
]  # fmt: skip
"""The taps of a shift register of 1 to 32 bits, for the longest sequence: what `glfsr_source` takes where no mask is given."""


def _clock_gains(block: Any) -> tuple[float, float]:
    """The gains of a clock loop of second order, by its bandwidth, its damping and the gain of its detector."""
    bandwidth, damping = block.loop_bandwidth(), block.damping_factor()
    turn = bandwidth * math.sqrt(abs(1 - damping * damping))
    across = math.cos(turn) if damping <= 1 else math.cosh(turn)
    decay, scale = math.exp(-damping * bandwidth), 2 / block.ted_gain()
    rise = math.sinh(damping * bandwidth)
    return scale * decay * rise, scale * (1 - decay * (rise + across))


def _carriers(block: Any) -> list[list[int]]:
    """The carriers as places in a symbol."""
    size, half = int(block._args["fft_len"]), int(block._args["fft_len"]) // 2 if block._args["output_is_shifted"] else 0
    return [[(int(carrier) % size + half) % size for carrier in carriers] for carriers in block._args["occupied_carriers"]]


def _set_matrix(block: Any, matrix: Any) -> bool:
    """Sets the matrix; whether it has as many rows and columns as the one before."""
    shape = [[len(row) for row in rows] for rows in (block.get_A(), matrix)]
    if shape[0] != shape[1]:
        return False
    block._set("set_A", matrix)
    return True


def _whole_map(block: Any) -> list[int]:
    """All 256 entries: what the map leaves out stays as it is."""
    given = [int(entry) for entry in block._get("map")]
    return given + list(range(len(given), 256))


def _set_access_code(block: Any, access_code: str) -> bool:
    """Sets the access code; whether it is one of 1 to 64 digits 0 and 1."""
    if not 1 <= len(access_code) <= 64 or set(access_code) - {"0", "1"}:
        return False
    block._set_arguments(["access_code"], [access_code])
    return True


def _level(block: Any) -> Any:
    """The last item, or zero before the first."""
    found = block._get("level")
    if found is not None:
        return found
    zero = 0j if "c" in block._letters else 0.0 if "f" in block._letters else 0
    return [zero] * int(block._args["size"]) if "v" in block._letters else zero


def _read(param: str, first: Any) -> Callable[[Any], Any]:
    """What a block knows while it runs, or has known at its end; before that, what it begins with."""

    def read(block: Any) -> Any:
        found = block._get(param)
        return first if found is None else found

    return read


def _indices(block: Any) -> list[int]:
    given = [int(place) for place in block._args["interleaver_indices"]]
    return sorted(range(len(given)), key=given.__getitem__)


def _weights(block: Any) -> list[complex]:
    """The taps, that of the oldest sample first; before it has run, a one for the newest."""
    found = block._read(0, "weights")
    return [0j] * (int(block._args["num_taps"]) - 1) + [1 + 0j] if found is None else [complex(tap) for tap in found]


def _set_weights(block: Any, taps: Any) -> None:
    block._overrides[0, "weights"] = [complex(tap) for tap in taps]
    block._set_since.add((0, "weights"))
    block._apply({(0, "weights"): block._overrides[0, "weights"]})


METHODS: dict[str, dict[str, Method]] = {
    "analog.cpfsk": {"interpolation": _arg("samples_per_sym"), "freq": lambda block: math.pi * block._args["k"] / block._args["samples_per_sym"]},
    "analog.ctcss_squelch": {
        "squelch_range": _always((0.0, 1.0, 0.01)),
        "len": lambda block: int(block._args["length"]) or int(block._args["rate"] / 10),
    },
    "analog.pwr_squelch": _SQUELCH,
    "analog.simple_squelch": _SQUELCH,
    "analog.dpll": {"freq": lambda block: 1 / block._args["period"]},
    "analog.pll_carriertracking": STEPS,
    "analog.pll_freqdet": STEPS,
    "analog.pll_refout": STEPS,
    "blocks.blockinterleaver": {"deinterleaver_indices": _indices},
    "blocks.complex_to_interleaved_char": {"interpolation": _pieces("vector")},
    "blocks.complex_to_interleaved_short": {"interpolation": _pieces("vector")},
    "blocks.correctiq_man": {"get_real": _arg("real"), "get_imag": _arg("imag")},
    # It begins anew where it runs; each start of a flowgraph does that by itself.
    "blocks.head": {"reset": lambda block: block._set_arguments([], ())},
    "blocks.integrate": {"decimation": _arg("decim")},
    "blocks.interleaved_char_to_complex": {"decimation": _pieces("vector_input")},
    "blocks.interleaved_short_to_complex": {"decimation": _pieces("vector_input")},
    "blocks.pack_k_bits": {"decimation": _arg("k")},
    "blocks.phase_shift": {"get_shift": _arg("shift")},
    "blocks.stream_to_streams": {"decimation": _arg("nstreams")},
    "blocks.stream_to_vector": {"decimation": _arg("nitems_per_block")},
    "blocks.streams_to_stream": {"interpolation": _arg("nstreams")},
    "blocks.stretch": {"vlen": _arg("vlen")},
    "blocks.unpack_k_bits": {"interpolation": _arg("k")},
    "blocks.vector_to_stream": {"interpolation": _arg("nitems_per_block")},
    "blocks.multiply_matrix": {"set_A": _set_matrix},
    "blocks.vector_insert": {"rewind": lambda block: block._set_arguments([], ())},
    "analog.dpll": {"freq": lambda block: 1 / float(block._args["period"])},
    "blocks.probe_signal": {"level": _level},
    "digital.correlate_access_code": {"set_access_code": _set_access_code},
    "digital.correlate_access_code_tag": {"set_access_code": _set_access_code},
    "digital.burst_shaper": {"prefix_length": _burst_end("pre_padding", False), "suffix_length": _burst_end("post_padding", True)},
    "digital.chunks_to_symbols": {"interpolation": _arg("D")},
    "digital.constellation_encoder": {"interpolation": lambda block: block._args["constellation"].dimensionality()},
    "digital.constellation_receiver": _loop(_arg("fmin"), _arg("fmax")),
    "digital.constellation_soft_decoder": {"interpolation": lambda block: block._args["constellation"].bits_per_symbol()},
    "digital.costas_loop": _loop(_always(-1.0), _always(1.0)),
    "digital.fll_band_edge": {
        **_loop(lambda block: -4 * math.pi / block._args["samps_per_sym"], lambda block: 4 * math.pi / block._args["samps_per_sym"]),
        "samples_per_symbol": _arg("samps_per_sym"),
        "set_samples_per_symbol": lambda block, sps: block.set_samps_per_sym(sps),
    },
    "digital.glfsr_source": {
        "period": lambda block: 2 ** int(block._args["degree"]) - 1,
        "mask": lambda block: int(block._args["mask"]) or MASKS[int(block._args["degree"]) - 1],
    },
    "digital.map": {"map": lambda block: _whole_map(block)},
    "digital.ofdm_carrier_allocator": {"occupied_carriers": _carriers},
    "digital.symbol_sync": {"alpha": lambda block: _clock_gains(block)[0], "beta": lambda block: _clock_gains(block)[1]},
    "digital.linear_equalizer": {"decimation": _arg("sps"), "taps": _weights, "set_taps": _set_weights},
    "digital.mpsk_snr_est": {"tag_nsample": _arg("tag_nsamples"), "snr": _read("snr", math.nan)},
    "digital.pfb_clock_sync": _CLOCK,
    "digital.probe_mpsk_snr_est": {
        "msg_nsample": _arg("msg_nsamples"),
        "snr": _read("snr", math.nan),
        "signal": _read("signal", -math.inf),
        "noise": _read("noise", -math.inf),
    },
    "fec.decode_ccsds_27": {"decimation": _always(16)},
    "fec.encode_ccsds_27": {"interpolation": _always(16)},
    "fft.goertzel": {"decimation": _arg("len")},
    "filter.dc_blocker": {"group_delay": lambda block: (block._args["D"] - 1) * (2 if block._args["long_form"] else 1)},
    "filter.pfb_arb_resampler": _RESAMPLER,
    "filter.pfb_interpolator": {"interpolation": _arg("interp")},
    "filter.pfb_synthesizer": {"interpolation": _arg("numchans")},
}
"""By module and class, without the letters of types: what the block is handed to, with the arguments of the method."""


def _check_channelizer(args: dict[str, Any]) -> None:
    count, rate = int(args["numchans"]), float(args["oversample_rate"])
    step = count / rate if rate > 0 else 0.0
    if step < 1 or abs(step - round(step)) > 1e-6:
        raise ValueError(f"pfb_channelizer: oversample_rate: expected {count} divided by a whole number from 1 to {count}, got {rate:g}")


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {"filter.pfb_channelizer": _check_channelizer}
"""What blocks check of their arguments at once that are made only when it is known how many are connected."""
