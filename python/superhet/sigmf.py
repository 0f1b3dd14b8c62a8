"""Recordings with their metadata: SigMF, version 1.x.

A recording is two files, ``NAME.sigmf-meta`` (JSON) and ``NAME.sigmf-data``. Source: the SigMF specification,
sections "Dataset Format" and "Global Object".
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from superhet._values import Tag

_KINDS = {"f32": "f4", "f64": "f8", "i32": "i4", "i16": "i2", "i8": "i1", "u32": "u4", "u16": "u2", "u8": "u1"}


@dataclass
class Recording:
    """Samples with what is known of them."""

    samples: Any
    """Complex or real samples, full scale = 1.0: ``complex64`` or ``float32``, of ``f64`` data in double precision. Of several
    channels the shape is ``(samples, channels)``."""
    rate_hz: float | None = None
    """Samples a second, where that is known."""
    frequency_hz: float | None = None
    """What the first capture was tuned to, where that is known."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """All metadata, with the keys of SigMF."""

    @property
    def tags(self) -> list[Tag]:
        """The annotations as tags: key ``annotation``, the value a dictionary with the keys of SigMF."""
        annotations = self.metadata.get("annotations", [])
        return [Tag(int(one.get("core:sample_start", 0)), "annotation", one, "sigmf") for one in annotations]

    def _repr_html_(self) -> str:
        from superhet import _draw, plot

        known = {
            "samples": str(self.samples.shape[0]),
            "channels": str(self.samples.shape[1]) if self.samples.ndim > 1 else "1",
            "rate": f"{self.rate_hz:g} Hz" if self.rate_hz else "not known",
            "centre frequency": f"{self.frequency_hz:g} Hz" if self.frequency_hz is not None else "not known",
            "annotations": str(len(self.tags)),
        }
        first = self.samples[:, 0] if self.samples.ndim > 1 else self.samples
        return _draw.table(("recording", ""), list(known.items())) + plot._html(first, self.rate_hz)


def _paths(path: Union[str, Path]) -> tuple[Path, Path]:
    path = Path(path)
    base = path.with_suffix("") if path.suffix in (".sigmf-meta", ".sigmf-data", ".sigmf") else path
    return base.with_name(base.name + ".sigmf-meta"), base.with_name(base.name + ".sigmf-data")


def _dtype(name: str) -> tuple[Any, bool, float, float]:
    """Numpy's type of the numbers, whether two make a sample, and offset and scale to full scale = 1.0."""
    import numpy

    text = str(name)
    kind, _, order = text[1:].partition("_")
    if text[:1] not in ("c", "r") or kind not in _KINDS or order not in ("le", "be", ""):
        raise ValueError(f"core:datatype: expected one such as cf32_le or ri16_le, got {text!r}")
    dtype = numpy.dtype(("<" if order != "be" else ">") + _KINDS[kind])
    if dtype.kind == "f":
        return dtype, text[0] == "c", 0.0, 1.0
    bits = 8 * dtype.itemsize - 1
    # Unsigned samples lie around their middle.
    return dtype, text[0] == "c", (2**bits - 0.5 if dtype.kind == "u" else 0.0), 2.0**-bits


def load(path: Union[str, Path]) -> Recording:
    """Reads a recording; ``path`` names either of its files, or both without the ending.

    Raises ``OSError`` where a file is not there, ``ValueError`` where one is no recording; a data file that ends in
    mid-sample is one, too.
    """
    import numpy

    meta_path, data_path = _paths(path)
    try:
        metadata = json.loads(meta_path.read_text())
        datatype = metadata["global"]["core:datatype"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{meta_path}: expected the metadata of SigMF with global core:datatype: {error}") from None
    try:
        dtype, is_complex, offset, scale = _dtype(datatype)
    except ValueError as error:
        raise ValueError(f"{meta_path}: {error}") from None
    channels = metadata["global"].get("core:num_channels", 1)
    if isinstance(channels, bool) or not isinstance(channels, int) or channels < 1:
        raise ValueError(f"{meta_path}: core:num_channels: expected a whole number from 1 on, got {channels!r}")
    size = dtype.itemsize * (2 if is_complex else 1) * channels
    length = data_path.stat().st_size
    if length % size:
        raise ValueError(f"{data_path}: {length} bytes are no whole number of samples of {size} bytes")
    wide = numpy.float64 if dtype.itemsize == 8 else numpy.float32
    raw = numpy.fromfile(data_path, dtype)
    numbers = raw.astype(wide)
    if scale != 1.0:
        numbers = ((raw.astype(numpy.float64) - offset) * scale).astype(wide)
    samples = numbers.view(numpy.complex128 if wide is numpy.float64 else numpy.complex64) if is_complex else numbers
    if channels > 1:
        samples = samples.reshape(-1, channels)
    rate = metadata["global"].get("core:sample_rate")
    captures = metadata.get("captures") or [{}]
    return Recording(samples, rate, captures[0].get("core:frequency"), metadata)


def save(
    path: Union[str, Path],
    samples: Any,
    *,
    rate_hz: float | None = None,
    frequency_hz: float | None = None,
    description: str = "",
    annotations: list[dict[str, Any]] | None = None,
    force: bool = False,
) -> Path:
    """Writes a recording of ``complex64`` or ``float32`` samples, and gives the path of its metadata. An array of the shape
    ``(samples, channels)`` has several channels.

    ``annotations`` have the keys of SigMF, with or without ``core:``. Files that are there are not overwritten unless
    ``force`` says so.
    """
    import numpy

    meta_path, data_path = _paths(path)
    array = numpy.asarray(samples)
    is_complex = array.dtype.kind == "c"
    array = numpy.ascontiguousarray(array, "<c8" if is_complex else "<f4")
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise ValueError(f"expected the shape (samples,) or (samples, channels), got {array.shape}")
    for existing in (meta_path, data_path):
        if existing.exists() and not force:
            raise FileExistsError(f"{existing} is there already; force=True overwrites it")
    core = {"datatype": "cf32_le" if is_complex else "rf32_le", "version": "1.0.0", "recorder": "superhet"}
    if array.ndim == 2 and array.shape[1] > 1:
        core["num_channels"] = array.shape[1]  # type: ignore[assignment]
    if rate_hz is not None:
        core["sample_rate"] = rate_hz  # type: ignore[assignment]
    if description:
        core["description"] = description
    capture = {"core:sample_start": 0}
    if frequency_hz is not None:
        capture["core:frequency"] = frequency_hz  # type: ignore[assignment]
    named = [
        {key if ":" in key else f"core:{key}": value for key, value in annotation.items()}
        for annotation in annotations or []
    ]
    metadata = {
        "global": {f"core:{key}": value for key, value in core.items()},
        "captures": [capture],
        "annotations": sorted(named, key=lambda annotation: annotation.get("core:sample_start", 0)),
    }
    array.tofile(data_path)
    meta_path.write_text(json.dumps(metadata, indent=2) + "\n")
    return meta_path
