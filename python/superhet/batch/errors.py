"""What can go wrong in a batch."""

from __future__ import annotations

from superhet.errors import Error


class BatchError(Error):
    """A batch cannot begin, or go on: what it was asked for, or its folder, is at fault."""


class RecordingError(Error):
    """A recording could not be decoded. In a batch this is a row of the manifest."""
