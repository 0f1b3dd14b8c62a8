"""Blocks of `gnuradio.blocks` that make, change and take messages."""

from __future__ import annotations

import random
import threading
from typing import Any

from . import pmt
from .python_blocks import basic_block


class _Timed(basic_block):
    """Posts a message again and again while the flowgraph runs."""

    def __init__(self, name: str, port: str) -> None:
        super().__init__(name)
        self._ends, self._port = threading.Event(), pmt.intern(port)
        self.message_port_register_out(self._port)

    def _wait_s(self) -> float:
        """How long until the next message."""
        raise NotImplementedError

    def _next(self) -> Any:
        """The next message."""
        raise NotImplementedError

    def start(self) -> bool:
        """The flowgraph starts."""
        self._ends.clear()
        threading.Thread(target=self._run, daemon=True).start()
        return True

    def stop(self) -> bool:
        """The flowgraph has ended."""
        self._ends.set()
        return True

    def _run(self) -> None:
        while not self._ends.wait(self._wait_s()):
            self.message_port_pub(self._port, self._next())


class _Strobe(_Timed):
    """The same message again and again; another one comes at `set_msg`."""

    def __init__(self, name: str, msg: Any) -> None:
        super().__init__(name, "strobe")
        self._message = msg
        self.message_port_register_in(pmt.intern("set_msg"))
        self.set_msg_handler(pmt.intern("set_msg"), self.set_msg)

    def set_msg(self, msg: Any) -> None:
        """Sets the message."""
        self._message = msg

    def msg(self) -> Any:
        """The message."""
        return self._message

    def _next(self) -> Any:
        return self._message


class message_strobe_random(_Strobe):
    """The same message again and again, after times of a distribution: Poisson (1), normal (2) or uniform (3), in milliseconds."""

    def __init__(self, msg: Any, dist: Any, mean_ms: float, std_ms: float) -> None:
        super().__init__("message_strobe_random", msg)
        self._dist, self._mean, self._std = int(dist), float(mean_ms), float(std_ms)

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


class message_strobe(_Strobe):
    """The same message again and again, every `period_ms` milliseconds."""

    def __init__(self, msg: Any, period_ms: float) -> None:
        super().__init__("message_strobe", msg)
        self.set_period(period_ms)

    def set_period(self, period_ms: float) -> None:
        """Sets the time from message to message, in milliseconds."""
        if not period_ms > 0:
            raise ValueError(f"message_strobe: expected a period above 0 ms, got {period_ms}")
        self._period = period_ms

    def period(self) -> float:
        """The time from message to message, in milliseconds."""
        return self._period

    def _wait_s(self) -> float:
        return self._period / 1000


class attr_updater(_Timed):
    """`gnuradio.iio`: a dictionary with the value of an attribute, every `interval_ms`; what sets it in a device is not here."""

    def __init__(self, attribute: str, value: str, interval_ms: int) -> None:
        super().__init__("attr_updater", "out")
        self._attribute, self._value, self._interval = str(attribute), str(value), int(interval_ms)
        if self._interval < 1:
            raise ValueError(f"attr_updater: expected an interval of 1 ms or more, got {interval_ms}")

    def set_value(self, value: str) -> None:
        """Sets the value."""
        self._value = str(value)

    def _wait_s(self) -> float:
        return self._interval / 1000

    def _next(self) -> Any:
        return pmt.dict_add(pmt.make_dict(), pmt.intern(self._attribute), pmt.intern(self._value))


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


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        message_strobe,
        message_strobe_random,
        meta_to_pair,
        msg_pair_to_var,
        var_to_msg_pair,
    )
}
"""The blocks by name."""

BLOCKS |= {"STROBE_POISSON": 1, "STROBE_GAUSSIAN": 2, "STROBE_UNIFORM": 3}
