"""Messages of bytes and queues for them, as before PMTs: `gr.message` and `gr.msg_queue`."""

from __future__ import annotations

import threading
from collections import deque

class message:
    """Bytes with a type and two numbers."""

    def __init__(self, type: int = 0, arg1: float = 0, arg2: float = 0, length: int = 0) -> None:
        self._type, self._args, self._data = int(type), [float(arg1), float(arg2)], bytes(length)

    @classmethod
    def make_from_string(cls, s: str | bytes, type: int = 0, arg1: float = 0, arg2: float = 0) -> message:
        """A message of these bytes."""
        made = cls(type, arg1, arg2)
        made._data = s.encode() if isinstance(s, str) else bytes(s)
        return made

    def type(self) -> int:
        """Its type."""
        return self._type

    def set_type(self, type: int) -> None:
        """Sets the type."""
        self._type = int(type)

    def arg1(self) -> float:
        """The first number."""
        return self._args[0]

    def set_arg1(self, arg1: float) -> None:
        """Sets the first number."""
        self._args[0] = float(arg1)

    def arg2(self) -> float:
        """The second number."""
        return self._args[1]

    def set_arg2(self, arg2: float) -> None:
        """Sets the second number."""
        self._args[1] = float(arg2)

    def to_string(self) -> bytes:
        """The bytes."""
        return self._data

    msg = to_string

    def length(self) -> int:
        """How many bytes it has."""
        return len(self._data)


message_from_string = message.make_from_string


class msg_queue:
    """A queue of messages with room for `limit`, or for any number with 0."""

    def __init__(self, limit: int = 0) -> None:
        self._limit, self._messages = int(limit), deque[message]()
        self._changed = threading.Condition()

    def insert_tail(self, msg: message) -> None:
        """Puts a message in; waits while it is full."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_full())
            self._messages.append(msg)
            self._changed.notify_all()

    handle = insert_tail

    def delete_head(self) -> message:
        """Takes the oldest message out; waits for one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._messages))
            found = self._messages.popleft()
            self._changed.notify_all()
            return found

    def delete_head_nowait(self) -> message | None:
        """Takes the oldest message out, where there is one."""
        with self._changed:
            found = self._messages.popleft() if self._messages else None
            self._changed.notify_all()
            return found

    def flush(self) -> None:
        """Takes all out."""
        with self._changed:
            self._messages.clear()
            self._changed.notify_all()

    def count(self) -> int:
        """How many there are."""
        return len(self._messages)

    def limit(self) -> int:
        """How many there can be."""
        return self._limit

    def empty_p(self) -> bool:
        """Whether there is none."""
        return not self._messages

    def full_p(self) -> bool:
        """Whether there is room for none."""
        return self._is_full()

    def _is_full(self) -> bool:
        return 0 < self._limit <= len(self._messages)
