"""What the modules of GNU Radio hold, as far as it is there."""

from __future__ import annotations

import functools
import types
from typing import Any

from superhet import _functions

from . import (
    _gr,
    analog_parts,
    bits,
    channels_parts,
    cpm,
    digital_parts,
    dtv_parts,
    elements,
    eng_arg,
    eng_notation,
    eng_option,
    enums,
    fec_parts,
    filter_parts,
    framing_parts,
    hardware,
    impairments_parts,
    library_codecs,
    message_parts,
    pdu_parts,
    modems,
    ofdm,
    parse_file_metadata,
    pfb,
    pmt,
    polar,
    polar_codes,
    python_blocks,
    qt,
    qtgui,
    remade,
    small_objects,
    snr_objects,
    special,
    stream_parts,
    submodules,
    sync_parts,
    tcp_parts,
    timing_parts,
    top_block,
    trellis_parts,
    tuntap_parts,
    vocoder_parts,
    wavelet_parts,
    zeromq_parts,
)
from .filters import as_lists, firdes, optfir, window
from .namespaces import PACKAGE, TABLES, module
from .rows import constants, rows
from .table import block_class


_MORE = {
    "analog": analog_parts.BLOCKS,
    "blocks": message_parts.BLOCKS | stream_parts.BLOCKS | tuntap_parts.BLOCKS | bits.FUNCTIONS,
    "filter": filter_parts.BLOCKS | timing_parts.FILTER,
    "pdu": pdu_parts.BLOCKS,
    "vocoder": vocoder_parts.BLOCKS | library_codecs.BLOCKS,
    "wavelet": wavelet_parts.BLOCKS,
}
"""Blocks that are made in Python, by module."""


def find(module_name: str, name: str) -> Any:
    """A class, a constant or a function of a module, if it is there."""
    full = f"{module_name}.{name}"
    if full in special.CLASSES:
        return special.CLASSES[full]
    extra = _extra(module_name).get(name)
    if extra is not None:
        return extra
    function = _functions.function(full)
    return block_class(full) or function or constants().get(full)


def known(module_name: str) -> list[str]:
    """The names that a module has."""
    names = [*special.CLASSES, *rows(), *constants()]
    found = [name.split(".", 1)[1] for name in names if name.startswith(f"{module_name}.")]
    return sorted({*found, *_extra(module_name)})


@functools.cache
def _extra(module_name: str) -> dict[str, Any]:
    """What a module has besides blocks and constants."""
    found = _parts(module_name) | _MORE.get(module_name, {}) | remade.BLOCKS.get(module_name, {})
    found |= small_objects.BLOCKS.get(module_name, {}) | snr_objects.BLOCKS.get(module_name, {})
    return found | enums.TYPES.get(module_name, {})


def _parts(module_name: str) -> dict[str, Any]:
    if module_name == "gr":
        found = {name: getattr(_gr, name) for name in dir(_gr) if not name.startswith("__")}
        for source, names in (
            (elements, ("hier_block2",)),
            (top_block, ("top_block",)),
            (python_blocks, ("sync_block", "decim_block", "interp_block", "basic_block")),
        ):
            found |= {name: getattr(source, name) for name in names}
        return found
    if module_name == "filter":
        return {
            "firdes": as_lists(firdes()),
            "window": as_lists(window()),
            "optfir": as_lists(optfir()),
            "pfb": pfb,
        }
    if module_name == "fft":
        return {"window": as_lists(window())}
    if module_name == "digital":
        found = {name: getattr(digital_parts, name) for name in dir(digital_parts) if not name.startswith("_")}
        found |= modems.BLOCKS | ofdm.BLOCKS | framing_parts.BLOCKS | sync_parts.BLOCKS | timing_parts.DIGITAL
        return found | {"cpmmod_bc": cpm.cpmmod_bc, "gmskmod_bc": cpm.gmskmod_bc}
    if module_name == "fec":
        return {"polar": polar} | fec_parts.BLOCKS
    if module_name == "dtv":
        return dict(dtv_parts.NAMES)
    if module_name == "trellis":
        return dict(trellis_parts.NAMES)
    if module_name == "channels":
        return channels_parts.BLOCKS | impairments_parts.BLOCKS
    if module_name == "zeromq":
        return dict(zeromq_parts.BLOCKS)
    if module_name == "network":
        return tcp_parts.NAMES | tuntap_parts.BLOCKS
    if module_name == "analog":
        return {"cpm": cpm.cpm}
    return {}


@functools.cache
def all_modules() -> dict[str, types.ModuleType]:
    """Every module by the name that it is imported by."""
    package = types.ModuleType(PACKAGE, "GNU Radio, by superhet.")
    package.__path__ = []  # type: ignore[attr-defined]
    found: dict[str, Any] = {PACKAGE: package, "pmt": pmt}
    for name in ("gr", *TABLES):
        made = module(name)
        setattr(package, name, made)
        found[f"{PACKAGE}.{name}"] = made
    gr = found[f"{PACKAGE}.gr"]
    for name in ("gr_unittest", "tag_utils"):
        inner = getattr(gr, name)
        found[f"{PACKAGE}.gr.{name}"] = inner
        found[f"{PACKAGE}.{name}"] = inner
        setattr(package, name, inner)
    found |= {f"{PACKAGE}.digital.{name}": inner for name, inner in digital_parts.MODULES.items()}
    for name, inner in (("eng_arg", eng_arg), ("eng_notation", eng_notation), ("eng_option", eng_option)):
        found[f"{PACKAGE}.{name}"] = inner
        setattr(package, name, inner)
    made = types.ModuleType(f"{PACKAGE}.qtgui", qtgui.__doc__)
    vars(made).update(qtgui.NAMES)
    package.qtgui = found[f"{PACKAGE}.qtgui"] = made  # type: ignore[attr-defined]
    for name in ("dtv", "trellis", "wavelet"):
        inner = module(name)
        found[f"{PACKAGE}.{name}"] = inner
        setattr(package, name, inner)
    found[f"{PACKAGE}.trellis.fsm_utils"] = found[f"{PACKAGE}.trellis"].fsm_utils
    inner = types.ModuleType(f"{PACKAGE}.fft.logpwrfft", "GNU Radio's module fft.logpwrfft, by superhet.")
    vars(inner).update(filter_parts.LOGPWRFFT)
    found[inner.__name__] = found[f"{PACKAGE}.fft"].logpwrfft = inner
    found[f"{PACKAGE}.blocks.parse_file_metadata"] = found[f"{PACKAGE}.blocks"].parse_file_metadata = parse_file_metadata
    psk = found[f"{PACKAGE}.digital.psk"]
    psk.psk_mod, psk.psk_demod = modems.BLOCKS["psk_mod"], modems.BLOCKS["psk_demod"]
    for name, inner in hardware.modules().items():
        found[name] = inner
        if name.startswith(f"{PACKAGE}."):
            setattr(package, name.removeprefix(f"{PACKAGE}."), inner)
    found |= qt.modules()
    for name, inner in submodules.modules().items():
        found[name] = inner
        above, _, own = name.removeprefix(f"{PACKAGE}.").partition(".")
        # As there, a class of the same name goes first: `from gnuradio.analog import nbfm_rx` gives the class.
        if find(above, own) is None:
            setattr(found[f"{PACKAGE}.{above}"], own, inner)
    found[f"{PACKAGE}.filter.pfb"] = found[f"{PACKAGE}.filter"].pfb
    found[f"{PACKAGE}.filter.firdes"] = found[f"{PACKAGE}.filter"].firdes
    found[f"{PACKAGE}.fec.polar"] = found[f"{PACKAGE}.fec"].polar
    found |= polar_codes.modules(f"{PACKAGE}.fec.polar")
    found[f"{PACKAGE}.fft.window"] = found[f"{PACKAGE}.fft"].window
    return found
