"""Long recordings in parts: each message once, whoever reads which part.

Parts lie on a grid that is the same for everybody. Each is read from some time before its first sample, for the receiver to
remember what it needs, to some time behind its last one. A message belongs to the part in which it begins. Receivers whose clock
runs through noise may see it begin a little earlier or later, as they have read other noise before: so a message that two parts
may claim goes to the one that the later part says.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, Iterator

from superhet.batch.errors import RecordingError
from superhet.batch.receivers import Cut, Message
from superhet.batch.recording import Recording

Read = Callable[[Recording], Iterable[Message]]


def messages(read: Read, recording: Recording, cut: "Cut | None") -> Iterator[Message]:
    """The messages of the parts of a recording from ``first`` to ``last``; ``read`` gives all of those in what it is to read."""
    if cut is None:
        raise RecordingError("it was planned in parts, and cannot be cut: expected its sample rate as it was")
    for first in range(recording.first, recording.last, cut.part):
        last = min(first + cut.part, recording.samples_total)
        yield from _of_part(read, recording, cut, first, last)


def _of_part(read: Read, recording: Recording, cut: Cut, first: int, last: int) -> Iterator[Message]:
    """The messages of a part. Those near its end are kept unless the next part has them."""
    is_last = last == recording.samples_total
    near_end = []
    for message in read(_read(recording, cut, first, last)):
        index = message.get("sample_index")
        if index is None:
            # Nothing says where it is, so it is the first part's.
            if first == 0:
                yield message
        elif first <= index and (is_last or index < last - cut.guard):
            yield message
        elif first <= index < last + cut.guard:
            near_end.append(message)
    if not near_end:
        return
    # What the next part says of them: it is read in the same way, only not so far.
    others = list(read(_read(recording, cut, last, last)))
    for message in near_end:
        other = _nearest(message, others, cut.guard)
        if (message if other is None else other)["sample_index"] < last:
            yield message


def _read(recording: Recording, cut: Cut, first: int, last: int) -> Recording:
    begin = max(0, first - cut.lead) // cut.align * cut.align
    return recording.part(first, last, begin, last + cut.guard + cut.tail)


def _nearest(message: Message, others: list[Message], guard: int) -> "Message | None":
    """The same message as another reading has it."""
    same = [other for other in others if "sample_index" in other and _content(other) == _content(message)]
    nearest = min(same, key=lambda other: abs(other["sample_index"] - message["sample_index"]), default=None)
    is_near = nearest is not None and abs(nearest["sample_index"] - message["sample_index"]) < max(1, guard)
    return nearest if is_near else None


def _content(message: Message) -> Any:
    """What a message says, without how well it was heard."""
    said = message.get("hex")
    if said is None:
        fields = message.get("fields")
        said = fields.get("text") if isinstance(fields, dict) else None
    if said is None:
        said = json.dumps(message.get("fields"), sort_keys=True)
    return message.get("protocol"), message.get("frequency_hz"), said
